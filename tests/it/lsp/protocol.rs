//! The protocol itself: order, beginnings and ends, rubbish.

use std::io::{BufReader, Read as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use planner::lsp;
use serde_json::{Value, json};

use super::Client;
use super::client::{all, host};
use crate::support::{BROKEN, Folder, NOW, PACKAGE};

#[test]
fn nothing_is_answered_before_the_beginning_or_after_the_end() {
    let mut client = Client::silent(Folder::new());
    let early = client.request("textDocument/hover", json!({}));
    assert_eq!(client.answer(early).unwrap_err().0, -32002);
    client.ask("initialize", json!({"capabilities": {}}));
    let twice = client.request("initialize", json!({"capabilities": {}}));
    assert_eq!(client.answer(twice).unwrap_err().0, -32600);
    let unknown = client.request("textDocument/nope", json!({}));
    assert_eq!(client.answer(unknown).unwrap_err().0, -32601);
    client.ask("shutdown", Value::Null);
    let late = client.request("shutdown", Value::Null);
    assert_eq!(client.answer(late).unwrap_err().0, -32600);
    assert!(client.exit());
}

#[test]
fn the_end_says_whether_it_was_announced() {
    assert!(Client::of(&[]).end());
    assert!(!Client::of(&[]).exit());
    let begun = Instant::now();
    assert!(!Client::of(&[("a.yaml", BROKEN)]).leave());
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_question_can_be_cancelled() {
    let mut client = Client::of(&[("a.yaml", BROKEN)]);
    client.open("a.yaml");
    client.change("a.yaml", PACKAGE);
    let params = json!({
        "textDocument": {"uri": client.uri("a.yaml")},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}},
        "context": {"diagnostics": []},
    });
    let number = client.request("textDocument/codeAction", params.clone());
    client.notify("$/cancelRequest", json!({"id": number}));
    assert_eq!(client.answer(number).unwrap_err().0, -32800);
    // The next one is answered from the newest text, or not at all.
    let number = client.request("textDocument/codeAction", params);
    match client.answer(number) {
        Ok(actions) => assert_eq!(actions, json!([])),
        Err((code, _)) => assert_eq!(code, -32801),
    }
}

#[test]
fn parameters_of_any_form_end_nothing() {
    let mut client = Client::of(&[("a.yaml", BROKEN)]);
    client.open("a.yaml");
    let odd = [
        json!(null),
        json!([]),
        json!({"textDocument": 1}),
        json!({"textDocument": {"uri": ""}}),
    ];
    let methods = [
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didClose",
        "textDocument/didSave",
        "workspace/didChangeWatchedFiles",
        "workspace/didChangeWorkspaceFolders",
        "$/cancelRequest",
        "$/other",
    ];
    for params in &odd {
        for method in methods {
            client.notify(method, params.clone());
        }
        let asked = client.request("textDocument/codeAction", params.clone());
        let _ = client.answer(asked);
    }
    client.notify(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": client.uri("unknown.yaml"), "version": 3},
            "contentChanges": [{"text": "a: b"}],
        }),
    );
    assert!(!client.edit("a.yaml", &format!("{BROKEN}\n")).is_empty());
    assert!(client.end());
}

fn framed(value: &Value) -> Vec<u8> {
    let body = value.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[test]
fn rubbish_is_left_out_and_said() {
    let mut input =
        framed(&json!({"id": 1, "method": "initialize", "params": {"capabilities": {}}}));
    input.extend(b"GET / HTTP/1.1\r\nHost: here\r\n\r\nContent-Length: 3\r\n\r\n{]}");
    input.extend(b"Content-Length: 2\r\n\r\n\xff\xfe");
    // A message of 100 MB is one like any other.
    let text = "x".repeat(100 << 20);
    let document =
        json!({"uri": "file:///nowhere/a.txt", "languageId": "x", "version": 1, "text": text});
    input.extend(framed(
        &json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}),
    ));
    input.extend(framed(&json!({"id": 2, "method": "shutdown"})));
    input.extend(framed(&json!({"method": "exit"})));
    let (to, mut from) = std::io::pipe().map(|(from, to)| (to, from)).unwrap();
    let server = std::thread::spawn(move || {
        lsp::serve(BufReader::new(std::io::Cursor::new(input)), to, &host())
    });
    let mut output = String::new();
    from.read_to_string(&mut output).unwrap();
    assert!(server.join().unwrap());
    assert_eq!(output.matches("left out a message").count(), 3, "{output}");
    assert!(output.contains("\"id\":2"), "{output}");
}

#[test]
fn what_is_logged_holds_no_control_character() {
    let mut input = framed(&json!({"id": 1, "method": "initialize",
        "params": {"capabilities": {}, "rootUri": "file:///nowhere/%E2%80%AE%1B%5B31m"}}));
    input.extend(framed(&json!({"method": "initialized", "params": {}})));
    input.extend(framed(
        &json!({"method": "textDocument/didOpen", "params": "\u{202e}\u{1b}"}),
    ));
    input.extend(framed(&json!({"id": 2, "method": "shutdown"})));
    input.extend(framed(&json!({"method": "exit"})));
    let (mut from, to) = std::io::pipe().unwrap();
    let server = std::thread::spawn(move || {
        lsp::serve(BufReader::new(std::io::Cursor::new(input)), to, &host())
    });
    let mut output = String::new();
    from.read_to_string(&mut output).unwrap();
    assert!(server.join().unwrap());
    assert!(output.contains("left out textDocument/didOpen"), "{output}");
    let harmful = ["\u{202e}", "\u{1b}", "\\u001b"];
    assert!(!harmful.iter().any(|raw| output.contains(raw)), "{output}");
}

#[test]
fn the_program_ends_with_its_input() {
    let folder = Folder::of(&[("a.yaml", BROKEN)]);
    let start = || {
        let mut command = folder.command(&["lsp", "--stdio", "--now", NOW]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let initialize = framed(&json!({"id": 1, "method": "initialize", "params": {
        "capabilities": all(), "rootUri": super::client::uri_of(&folder, ""),
    }}));
    let said = |messages: &[Vec<u8>]| {
        let mut child = start();
        let mut stdin = child.stdin.take().unwrap();
        for message in messages {
            std::io::Write::write_all(&mut stdin, message).unwrap();
        }
        drop(stdin);
        let begun = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(10));
        output.status.code()
    };
    let shutdown = framed(&json!({"id": 2, "method": "shutdown"}));
    let exit = framed(&json!({"method": "exit"}));
    assert_eq!(said(&[]), Some(1));
    assert_eq!(
        said(&[initialize.clone(), shutdown.clone(), exit.clone()]),
        Some(0)
    );
    assert_eq!(said(&[initialize.clone(), exit]), Some(1));
    assert_eq!(said(&[initialize, shutdown]), Some(0));
}
