//! The server for agents, by its protocol.

mod hostile;
mod loops;
mod protocol;
mod strain;

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::{Value, json};

use crate::support::{NOW, PLANNER};

/// A server, and the client's ends of its streams.
struct Server {
    child: Child,
    to: Option<ChildStdin>,
    from: Box<dyn BufRead>,
    last: u64,
}

impl Server {
    /// A server over a directory.
    fn over(directory: &Path) -> Self {
        Self::with(directory, &["--now", NOW])
    }

    fn with(directory: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(PLANNER)
            .arg("mcp")
            .args(args)
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        Self {
            to: child.stdin.take(),
            from: Box::new(BufReader::new(child.stdout.take().unwrap())),
            child,
            last: 0,
        }
    }

    fn send(&mut self, text: &str) {
        let to = self.to.as_mut().unwrap();
        to.write_all(text.as_bytes()).unwrap();
        to.write_all(b"\n").unwrap();
        to.flush().unwrap();
    }

    /// The next message of the server; none once it has ended.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        // One message a line, and nothing that a terminal would take for a command.
        assert!(line.trim_end().chars().all(|c| !c.is_control()), "{line:?}");
        (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Sends a request without waiting for the answer.
    fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.send(&request.to_string());
        self.last
    }

    /// The answer to a request.
    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let answer = self.next().unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
        answer
    }

    /// The result of a request.
    #[track_caller]
    fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// The result of a tool: of at most 20 kB, and twice the same.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.result("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(result["isError"], false, "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.len() <= 20_000, "{tool}: {} bytes", text.len());
        let same: Value = serde_json::from_str(text).unwrap();
        assert_eq!(same, result["structuredContent"]);
        same
    }

    /// What is wrong with a call.
    #[track_caller]
    fn mistake(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.result("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(result["isError"], true, "{tool}: {result}");
        assert!(result["structuredContent"].is_null());
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Ends the input; gives the status and what is still said.
    fn end(mut self) -> (i32, Vec<Value>) {
        drop(self.to.take());
        let rest = std::iter::from_fn(|| self.next()).collect();
        (self.child.wait().unwrap().code().unwrap(), rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// All pages of an answer: the items of its lists.
fn pages(server: &mut Server, tool: &str, arguments: &Value, key: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut arguments = arguments.clone();
    loop {
        let page = server.call(tool, arguments.clone());
        all.extend(page[key].as_array().unwrap().iter().cloned());
        if page["truncated"] == false {
            return all;
        }
        arguments["page"] = page["next"].clone();
    }
}

/// A text with edits made in it, as an answer gives them: lines and columns from 1, in characters.
fn edited(text: &str, edits: &[Value]) -> String {
    let offset = |place: &Value| {
        let (line, column) = (
            place["line"].as_u64().unwrap(),
            place["column"].as_u64().unwrap(),
        );
        let lines = text
            .split_inclusive('\n')
            .take(usize::try_from(line).unwrap() - 1);
        let start: usize = lines.map(str::len).sum();
        let mut characters = text[start..].char_indices();
        let at = characters.nth(usize::try_from(column).unwrap() - 1);
        at.map_or(text.len(), |(at, _)| start + at)
    };
    let mut edits: Vec<(usize, usize, &Value)> = edits
        .iter()
        .map(|edit| (offset(&edit["start"]), offset(&edit["end"]), edit))
        .collect();
    edits.sort_by_key(|(start, ..)| std::cmp::Reverse(*start));
    let mut text = text.to_owned();
    for (start, end, edit) in edits {
        assert_eq!(&text[start..end], edit["replaces"].as_str().unwrap());
        text.replace_range(start..end, edit["text"].as_str().unwrap());
    }
    text
}
