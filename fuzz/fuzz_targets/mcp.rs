//! Any bytes as the messages of a client: the server answers each request once, in messages of one
//! line, and ends when they do.
#![no_main]

use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use planner::mcp::{Settings, serve};
use serde_json::Value;

#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes that are no message are tried as the arguments of each tool, and as a document.
fn messages(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let mut all = bytes.to_vec();
    let arguments: Value = serde_json::from_str(&text).unwrap_or_else(|_| {
        serde_json::json!({"overlay": {"fuzz.yaml": text, "planner.toml": null}})
    });
    for (tool, id) in ["validate", "plan", "why", "diff", "risk", "explain", "schema"].iter().zip(1000..) {
        let params = serde_json::json!({"name": tool, "arguments": arguments});
        let message = serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        all.extend_from_slice(format!("\n{message}").as_bytes());
    }
    all
}

fuzz_target!(|bytes: &[u8]| {
    let said = Said::default();
    let settings = Settings {
        roots: vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/senlin")],
        config: None,
        site: None,
        clock: || "2026-01-01T00:00:00Z".parse().expect("a time"),
        now: None,
        jobs: 1,
    };
    serve(settings, Cursor::new(messages(bytes)), said.clone()).expect("a directory");
    let said = said.0.lock().expect("no panic");
    let said = std::str::from_utf8(&said).expect("UTF-8");
    let mut answered: BTreeMap<String, usize> = BTreeMap::new();
    for line in said.lines() {
        assert!(!line.chars().any(char::is_control), "{line:?}");
        let answer: Value = serde_json::from_str(line).expect("JSON");
        assert!(answer["result"].is_object() != answer["error"].is_object(), "{line}");
        if let Some(text) = answer["result"]["content"][0]["text"].as_str() {
            assert!(text.len() <= 20_000 || answer["result"]["isError"] == true);
        }
        *answered.entry(answer["id"].to_string()).or_default() += 1;
    }
    // Unless the bytes cancel them or use their ids.
    let text = String::from_utf8_lossy(bytes);
    for id in 1000..1007 {
        let id = id.to_string();
        assert!(answered.get(&id) == Some(&1) || text.contains(&id), "{id}: {said}");
    }
});
