//! Messages over streams: headers, a length, JSON. What cannot be read is said to the client and
//! left out; nothing that a client sends ends the server.

use std::io::{self, BufRead, Read as _, Write};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use crossbeam_channel::unbounded;
use lsp_server::{Message, Notification, Request, RequestId, Response, ResponseError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::kit::safe::clean;

use super::outgoing::{Link, Outbox, Outgoing};

/// The longest message; one that is longer is left out.
const MESSAGE: u64 = 256 << 20;
/// The longest line of a header.
const HEADER: u64 = 8 << 10;
/// How long the last messages may take to be written.
const LAST: Duration = Duration::from_secs(1);

/// The result of reading a message.
#[derive(Debug)]
enum Read {
    /// A message.
    Message(Message),
    /// Something else, and what is wrong with it.
    Rubbish(String),
}

/// The threads that read and write.
#[derive(Debug)]
pub(super) struct Streams {
    written: Receiver<()>,
}

impl Streams {
    /// Waits until all messages are written, as far as the client takes them.
    pub(super) fn finish(&self) {
        // Whether the client took them makes no difference any more.
        let _ = self.written.recv_timeout(LAST);
    }
}

/// A connection over two streams.
pub(super) fn connect<I, O>(mut input: I, mut output: O) -> (Link, Streams)
where
    I: BufRead + Send + 'static,
    O: Write + Send + 'static,
{
    let (sender, incoming) = unbounded();
    let (outgoing, to_write) = unbounded::<Outgoing>();
    let (done, written) = mpsc::channel();
    let answers = outgoing.clone();
    thread::spawn(move || {
        while let Ok(Some(read)) = read(&mut input) {
            let sent = match read {
                Read::Message(message) => {
                    let is_last =
                        matches!(&message, Message::Notification(n) if n.method == "exit");
                    sender.send(message).is_ok() && !is_last
                }
                Read::Rubbish(why) => answers.send(Outgoing::Message(said(&why))).is_ok(),
            };
            if !sent {
                break;
            }
        }
    });
    thread::spawn(move || {
        for said in to_write {
            if said.write(&mut output).is_err() {
                break;
            }
        }
        let _ = done.send(());
    });
    let outgoing = Outbox::Written(outgoing);
    (Link { incoming, outgoing }, Streams { written })
}

/// A line of the client's log about a message that could not be read.
fn said(why: &str) -> Message {
    let why = clean(why);
    let params = json!({"type": 2, "message": format!("planner: left out a message: {why}")});
    Notification::new("window/logMessage".to_owned(), params).into()
}

/// The next message, or nothing at the end of the stream.
fn read(input: &mut impl BufRead) -> io::Result<Option<Read>> {
    let mut length: Option<u64> = None;
    let mut strange = false;
    loop {
        let mut line = Vec::new();
        if input.take(HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            match length {
                Some(length) => return body(input, length),
                // The bytes were no header.
                None if strange => {
                    return Ok(Some(Read::Rubbish("there is no Content-Length".into())));
                }
                None => continue,
            }
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(colon.unwrap_or(line.len()));
        if name.eq_ignore_ascii_case(b"Content-Length") {
            let value = str::from_utf8(value.get(1..).unwrap_or_default());
            length = value.ok().and_then(|value| value.trim().parse().ok());
            strange |= length.is_none();
        } else {
            strange |= !name.eq_ignore_ascii_case(b"Content-Type");
        }
    }
}

/// A body of that many bytes. Memory is taken as the bytes come, not as they are announced.
fn body(input: &mut impl BufRead, length: u64) -> io::Result<Option<Read>> {
    if length > MESSAGE {
        let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
        let why = format!("{length} bytes are more than {MESSAGE}");
        return Ok((skipped == length).then_some(Read::Rubbish(why)));
    }
    let mut bytes = Vec::new();
    if input.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice::<Raw>(&bytes) {
        Ok(raw) => raw.message(),
        Err(error) => Read::Rubbish(error.to_string()),
    }))
}

/// A message of any form.
#[derive(Debug, Deserialize)]
struct Raw {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    #[serde(default)]
    error: Option<Value>,
}

impl Raw {
    fn message(self) -> Read {
        let id = match self.id.map(serde_json::from_value::<RequestId>) {
            None => None,
            Some(Ok(id)) => Some(id),
            Some(Err(_)) => return Read::Rubbish("its id is no number of 32 bits or text".into()),
        };
        let params = self.params;
        Read::Message(match (id, self.method) {
            (Some(id), Some(method)) => Request { id, method, params }.into(),
            (None, Some(method)) => Notification { method, params }.into(),
            (Some(id), None) => {
                let failed = |error: Value| ResponseError {
                    code: 0,
                    message: error.to_string(),
                    data: None,
                };
                Message::from(Response {
                    id,
                    response_result: self.error.map(failed).map_or(Ok(self.result), Err),
                })
            }
            (None, None) => return Read::Rubbish("it has neither a method nor an id".into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(mut bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(read) = read(&mut bytes).unwrap() {
            found.push(match read {
                Read::Message(Message::Request(request)) => request.method,
                Read::Message(Message::Notification(one)) => one.method,
                Read::Message(Message::Response(response)) => response.id.to_string(),
                Read::Rubbish(why) => format!("rubbish: {why}"),
            });
        }
        found
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn messages_follow_rubbish() {
        let mut text = framed("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\"}");
        text += "\r\n\r\n";
        text += "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        text += &framed("not json");
        text += &framed("[]");
        text += &framed("{\"id\":1.5,\"method\":\"a\"}");
        text += &framed("{}");
        text += "Content-Length: -1\r\n\r\n";
        text += "content-length: 17\r\nContent-Type: x\r\n\r\n{\"method\":\"exit\"}";
        text += &framed("{\"id\":\"a\",\"result\":null}");
        let found = messages(text.as_bytes());
        assert_eq!(found.len(), 9, "{found:#?}");
        assert_eq!(
            (&*found[0], &*found[7], &*found[8]),
            ("shutdown", "exit", "\"a\"")
        );
        assert!(
            found[1..7].iter().all(|one| one.starts_with("rubbish: ")),
            "{found:#?}"
        );
    }

    #[test]
    fn an_announced_length_takes_no_memory() {
        assert_eq!(
            messages(b"Content-Length: 99999999999999999\r\n\r\n{}"),
            [""; 0]
        );
        assert_eq!(messages(b"Content-Length: 200000000\r\n\r\n{}"), [""; 0]);
    }

    #[test]
    fn deep_json_is_left_out() {
        let deep = "[".repeat(1_000_000);
        let found = messages(framed(&format!("{{\"params\":{deep}")).as_bytes());
        assert!(
            found[0].starts_with("rubbish: recursion limit"),
            "{found:?}"
        );
    }
}
