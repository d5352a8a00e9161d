//! How long an editor waits for the diagnostics of a change, and what the server holds meanwhile.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::commands::NOW;
use crate::sites::Site;

/// How long the server waits for the next key.
const REST: Duration = Duration::from_millis(100);

/// `planner lsp` and the file that is open in it.
struct Editor {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    uri: String,
}

/// A change of one file of a site, over and over.
#[derive(Debug)]
pub struct Change {
    /// From the end of the wait to the diagnostics, the middle one.
    pub clock: Duration,
    /// The processor's time of a change, the middle one.
    pub processor: Duration,
    /// The peak of memory, in bytes.
    pub peak: u64,
}

/// Opens a file of a site and puts a text in the place of another one, back and forth.
pub fn change(site: &Site, file: &str, from: &str, to: &str) -> Change {
    let path = site.path.canonicalize().unwrap().join(file);
    let text = fs::read_to_string(&path).unwrap();
    let other = text.replacen(from, to, 1);
    assert_ne!(text, other, "{file} has no `{from}`");
    let mut editor = Editor::open(&path, &text);
    let (mut clock, mut processor) = (Vec::new(), Vec::new());
    for version in 2..9 {
        let text = if version % 2 == 0 { &other } else { &text };
        // What follows a change, such as freeing what was there before, belongs to it.
        std::thread::sleep(REST * 4);
        let before = editor.processor();
        let start = Instant::now();
        editor.set(version, text);
        clock.push(start.elapsed().saturating_sub(REST));
        std::thread::sleep(REST * 4);
        processor.push(editor.processor() - before);
    }
    clock.sort_unstable();
    processor.sort_unstable();
    let peak = editor.status("VmHWM:") * 1024;
    editor.server.kill().unwrap();
    editor.server.wait().unwrap();
    Change {
        clock: clock[clock.len() / 2],
        processor: processor[processor.len() / 2],
        peak,
    }
}

impl Editor {
    fn open(path: &Path, text: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_planner"));
        command.args(["lsp", "--now", NOW]).stderr(Stdio::null());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (to, from) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        let uri = |path: &Path| format!("file://{}", path.display());
        let mut editor = Self {
            server,
            to,
            from: BufReader::new(from),
            uri: uri(path),
        };
        let root = uri(path.parent().unwrap());
        let folders = json!([{"uri": root, "name": "site"}]);
        let asked = json!({"processId": null, "rootUri": root, "workspaceFolders": folders,
            "capabilities": {"general": {"positionEncodings": ["utf-8"]}}});
        editor.send(json!({"id": 1, "method": "initialize", "params": asked}));
        while editor.receive()["id"] != 1 {}
        editor.send(json!({"method": "initialized", "params": {}}));
        let document = json!({"uri": editor.uri, "languageId": "yaml", "version": 1, "text": text});
        editor
            .send(json!({"method": "textDocument/didOpen", "params": {"textDocument": document}}));
        editor.wait(1);
        editor
    }

    fn set(&mut self, version: i32, text: &str) {
        let document = json!({"uri": self.uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        self.send(json!({"method": "textDocument/didChange", "params": params}));
        self.wait(version);
    }

    /// Waits for the diagnostics of a version.
    fn wait(&mut self, version: i32) {
        loop {
            let message = self.receive();
            let params = &message["params"];
            if params["uri"] == *self.uri && params["version"] == version {
                return;
            }
            if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
                self.send(json!({"id": id, "result": null}));
            }
        }
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.to.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).unwrap();
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line == "\r\n" => break,
                None => assert!(!line.is_empty(), "the server ended"),
            }
        }
        let mut text = vec![0; length];
        self.from.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// A figure of the server's process.
    fn status(&self, name: &str) -> u64 {
        let status = format!("/proc/{}/status", self.server.id());
        let text = fs::read_to_string(status).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.unwrap().parse().unwrap()
    }

    /// The processor's time so far, in steps of ten milliseconds.
    fn processor(&self) -> Duration {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.server.id())).unwrap();
        let (_, figures) = text.rsplit_once(") ").unwrap();
        let figures: Vec<&str> = figures.split(' ').collect();
        let ticks = |at: usize| figures[at].parse::<u64>().unwrap();
        Duration::from_millis((ticks(11) + ticks(12)) * 10)
    }
}
