//! JSON-RPC as clients send it: a message a line, of limited length.

use std::borrow::Cow;
use std::io::{self, BufRead};

use serde_json::{Value, json};

use crate::kit::safe::escape;

/// The most bytes of a message.
pub(super) const MOST: usize = 32 << 20;

/// Bytes of the beginning and of the end of a message that is too long, in which its id may be.
const ENDS: usize = 256;

/// Codes of errors.
pub(super) const PARSE: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const NO_METHOD: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL: i64 = -32603;
pub(super) const NO_VERSION: i64 = -32022;

/// A line of a client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing follows.
    End,
    /// Its bytes.
    Text(Vec<u8>),
    /// More bytes than are read; the first and the last of them.
    TooLong(Vec<u8>, Vec<u8>),
}

/// Reads a line of at most `most` bytes; of a longer one only the ends are kept.
pub(super) fn line(input: &mut impl BufRead, most: usize) -> io::Result<Line> {
    let mut text = Vec::new();
    let mut tail: Option<Vec<u8>> = None;
    loop {
        let part = match input.fill_buf() {
            Ok(part) => part,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = part.iter().position(|byte| *byte == b'\n');
        let line = &part[..end.unwrap_or(part.len())];
        match &mut tail {
            Some(tail) => {
                tail.extend_from_slice(&line[line.len().saturating_sub(ENDS)..]);
                tail.drain(..tail.len().saturating_sub(ENDS));
            }
            None => text.extend_from_slice(line),
        }
        let is_last = part.is_empty();
        let used = end.map_or(part.len(), |end| end + 1);
        input.consume(used);
        if tail.is_none() && text.len() > most {
            tail = Some(text[text.len() - ENDS.min(text.len())..].to_vec());
            text.truncate(ENDS);
            text.shrink_to_fit();
        }
        if end.is_none() && !is_last {
            continue;
        }
        return Ok(match tail {
            Some(tail) => Line::TooLong(text, tail),
            None if is_last && text.is_empty() => Line::End,
            None => Line::Text(text),
        });
    }
}

/// The id of a message of which only the ends are known; `null` where neither shows it.
pub(super) fn id_of(head: &[u8], tail: &[u8]) -> Value {
    let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
    let head = head.trim_start();
    let at_head = head
        .find("\"id\":")
        .filter(|at| !head[..*at].contains("\"params\""))
        .map(|at| &head[at + 5..]);
    let at_tail = tail.rfind("\"id\":").map(|at| &tail[at + 5..]);
    let at_tail = at_tail.filter(|rest| rest.trim_end().ends_with('}') && !rest.contains('{'));
    let value = |rest: &str| {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let id = values.next()?.ok()?;
        (id.is_number() || id.is_string()).then_some(id)
    };
    let found = at_head.and_then(value).or_else(|| at_tail.and_then(value));
    found.unwrap_or(Value::Null)
}

/// A message.
#[derive(Debug)]
pub(super) enum Message {
    /// A question that wants an answer.
    Request(Request),
    /// A message that wants no answer.
    Notification(String, Value),
    /// An answer; nothing was asked.
    Response,
    /// No message: the answer to it.
    Broken(Value),
}

/// A question of a client.
#[derive(Debug)]
pub(super) struct Request {
    /// Its id, a number or a text.
    pub(super) id: Value,
    /// Its method.
    pub(super) method: String,
    /// Its parameters; `null` without any.
    pub(super) params: Value,
    /// About as many bytes as it takes.
    pub(super) bytes: usize,
}

/// Reads a message.
pub(super) fn message(bytes: &[u8]) -> Message {
    let broken = |id, code, why: &str| Message::Broken(error(&id, code, why, None));
    let Ok(mut value) = serde_json::from_slice::<Value>(bytes) else {
        return broken(
            Value::Null,
            PARSE,
            "the message is not JSON: send one message a line",
        );
    };
    let Some(map) = value.as_object_mut() else {
        let why = "the message is not an object: send each message on its own line";
        return broken(Value::Null, INVALID_REQUEST, why);
    };
    let id = map.remove("id");
    let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
    let known = id.clone().filter(is_id).unwrap_or(Value::Null);
    if map.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return broken(known, INVALID_REQUEST, "\"jsonrpc\" is not \"2.0\"");
    }
    let params = map.remove("params").unwrap_or(Value::Null);
    let method = match map.remove("method") {
        Some(Value::String(method)) => method,
        None if map.contains_key("result") || map.contains_key("error") => {
            return Message::Response;
        }
        _ => return broken(known, INVALID_REQUEST, "\"method\" is not a text"),
    };
    if !(params.is_object() || params.is_null()) {
        return broken(known, INVALID_PARAMS, "\"params\" is not an object");
    }
    match id {
        None => Message::Notification(method, params),
        Some(id) if is_id(&id) => Message::Request(Request {
            id,
            method,
            params,
            bytes: bytes.len(),
        }),
        Some(_) => broken(
            Value::Null,
            INVALID_REQUEST,
            "\"id\" is neither a number nor a text",
        ),
    }
}

/// A message with its middle left out where it is long: what was sent can be of any length.
pub(super) fn brief(why: &str) -> Cow<'_, str> {
    const END: usize = 2_000;
    if why.len() <= 2 * END {
        return why.into();
    }
    let boundary = |at: usize| (at..why.len()).find(|at| why.is_char_boundary(*at));
    let (head, tail) = (boundary(END), boundary(why.len() - END));
    let (head, tail) = (head.unwrap_or_default(), tail.unwrap_or_default());
    format!(
        "{}… ({} bytes more) …{}",
        &why[..head],
        tail - head,
        &why[tail..]
    )
    .into()
}

/// The answer that something went wrong.
pub(super) fn error(id: &Value, code: i64, why: &str, data: Option<Value>) -> Value {
    let mut error = json!({"code": code, "message": brief(why)});
    if let Some(data) = data {
        error["data"] = data;
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

/// The answer to a request.
pub(super) fn result(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// A value on one line, without a character that a terminal could take for a command.
pub(super) fn text(value: &Value) -> String {
    escape(&value.to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_passed_over_and_their_ids_found() {
        let long = "x".repeat(2000);
        let first = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"params\":\"{long}\"}}");
        let last = format!("{{\"params\":\"{long}\",\"jsonrpc\":\"2.0\",\"id\":\"a\"}}");
        let none = format!("{{\"params\":\"{long} \\\"id\\\":5\"}}");
        let all = format!("{first}\n{last}\n{none}\nshort\n\nend");
        let mut input = io::BufReader::with_capacity(100, all.as_bytes());
        for wanted in [json!(7), json!("a"), Value::Null] {
            match line(&mut input, 1000).expect("a line") {
                Line::TooLong(head, tail) => assert_eq!(id_of(&head, &tail), wanted),
                other => panic!("{other:?}"),
            }
        }
        for wanted in ["short", "", "end"] {
            let text = Line::Text(wanted.into());
            assert_eq!(line(&mut input, 1000).expect("a line"), text);
        }
        assert_eq!(line(&mut input, 1000).expect("no line"), Line::End);
    }

    #[test]
    fn what_is_no_message_is_answered() {
        for (text, code) in [
            ("{", PARSE),
            ("[]", INVALID_REQUEST),
            ("{\"id\":1,\"method\":\"a\"}", INVALID_REQUEST),
            ("{\"jsonrpc\":\"2.0\",\"id\":1}", INVALID_REQUEST),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"}",
                INVALID_REQUEST,
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[]}",
                INVALID_PARAMS,
            ),
        ] {
            match message(text.as_bytes()) {
                Message::Broken(answer) => assert_eq!(answer["error"]["code"], code, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        let deep = "[".repeat(100_000);
        assert!(matches!(message(deep.as_bytes()), Message::Broken(_)));
    }
}
