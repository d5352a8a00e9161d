//! Any bytes as the messages of a client: the language server answers or leaves them out, and ends
//! by itself. Lines that begin with `{` are framed, so that most inputs are messages; all else is
//! sent as it is.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use planner::lsp::{Host, serve};

/// What a client says first, so that the rest is listened to.
const BEGIN: &str = r#"{"id":0,"method":"initialize","params":{"capabilities":{}}}"#;

fn framed(body: &[u8], to: &mut Vec<u8>) {
    to.extend(format!("Content-Length: {}\r\n\r\n", body.len()).bytes());
    to.extend(body);
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Vec::new();
    framed(BEGIN.as_bytes(), &mut input);
    for line in bytes.split(|byte| *byte == b'\n') {
        // A folder would be the disk of this machine.
        if line.windows(7).any(|part| part == b"Folders") {
            continue;
        }
        if line.starts_with(b"{") {
            framed(line, &mut input);
        } else {
            input.extend(line);
            input.push(b'\n');
        }
    }
    let host = Host {
        config: None,
        site: None,
        now: None,
        clock: || "2026-01-01T00:00:00Z".parse().expect("a time"),
        program: None,
        jobs: 1,
    };
    serve(Cursor::new(input), std::io::sink(), &host);
});
