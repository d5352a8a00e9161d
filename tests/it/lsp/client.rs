//! A client that keeps what the server tells it.

use std::collections::BTreeMap;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use planner::lsp::{Connection, Host, Message, Notification, Request, RequestId, Response, run};
use serde_json::{Value, json};

use crate::support::{Folder, NOW};

/// How long an answer may take, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

/// How the server is run in tests.
pub(crate) fn host() -> Host {
    Host {
        config: None,
        site: None,
        now: Some(NOW.parse().unwrap()),
        clock: || NOW.parse().unwrap(),
        program: None,
        jobs: 2,
    }
}

/// What a client can that knows all that the server asks about.
pub(crate) fn all() -> Value {
    json!({
        "general": {"positionEncodings": ["utf-8", "utf-16"]},
        "workspace": {
            "workspaceEdit": {"documentChanges": true},
            "didChangeWatchedFiles": {"dynamicRegistration": true},
        },
        "textDocument": {
            "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
            "completion": {"completionItem": {"snippetSupport": true}},
        },
    })
}

/// A client and the folder that it has open.
pub(crate) struct Client {
    pub(crate) folder: Folder,
    connection: Option<Connection>,
    server: Option<JoinHandle<bool>>,
    /// What the server offers.
    pub(crate) offer: Value,
    /// The newest diagnostics of each file, by its name, with their version.
    pub(crate) shown: BTreeMap<String, (Option<i64>, Vec<Value>)>,
    /// How often diagnostics came, and for which file.
    pub(crate) published: Vec<String>,
    /// The methods and parameters of all else.
    pub(crate) told: Vec<(String, Value)>,
    numbers: i32,
    versions: BTreeMap<String, i32>,
    answers: BTreeMap<RequestId, Result<Value, (i32, String)>>,
}

impl Client {
    /// A client with these files, that can do all.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        Self::new(Folder::of(files), all())
    }

    /// A client of a folder, with these capabilities.
    pub(crate) fn new(folder: Folder, capabilities: Value) -> Self {
        // The machine names the folder by its real path.
        let params = json!({
            "processId": null,
            "capabilities": capabilities,
            "workspaceFolders": [{"uri": uri_of(&folder, ""), "name": "site"}],
        });
        Self::started(folder, params)
    }

    /// A client of a folder, with all parameters of `initialize`.
    pub(crate) fn started(folder: Folder, params: Value) -> Self {
        let mut client = Self::silent(folder);
        client.offer = client.ask("initialize", params);
        client.notify("initialized", json!({}));
        client
    }

    /// A client that has said nothing.
    pub(crate) fn silent(folder: Folder) -> Self {
        let (ours, theirs) = Connection::memory();
        let server = thread::Builder::new().stack_size(8 << 20);
        let server = server.spawn(move || run(theirs, &host())).unwrap();
        Self {
            folder,
            connection: Some(ours),
            server: Some(server),
            offer: Value::Null,
            shown: BTreeMap::new(),
            published: Vec::new(),
            told: Vec::new(),
            numbers: 0,
            versions: BTreeMap::new(),
            answers: BTreeMap::new(),
        }
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        uri_of(&self.folder, name)
    }

    fn send(&self, message: impl Into<Message>) {
        let connection = self.connection.as_ref().unwrap();
        connection.sender.send(message.into()).unwrap();
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.send(Notification {
            method: method.to_owned(),
            params,
        });
    }

    /// Sends a request; gives its number.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i32 {
        self.numbers += 1;
        self.send(Request {
            id: self.numbers.into(),
            method: method.to_owned(),
            params,
        });
        self.numbers
    }

    /// Takes one message, if one comes in time.
    fn take(&mut self, within: Duration) -> bool {
        let connection = self.connection.as_ref().unwrap();
        let Ok(message) = connection.receiver.recv_timeout(within) else {
            return false;
        };
        match message {
            Message::Notification(said) if said.method == "textDocument/publishDiagnostics" => {
                let uri = said.params["uri"].as_str().unwrap();
                let home = self.uri("");
                let name = uri.strip_prefix(&home).unwrap_or(uri).to_owned();
                let list = said.params["diagnostics"].as_array().unwrap().clone();
                let version = said.params["version"].as_i64();
                self.published.push(name.clone());
                self.shown.insert(name, (version, list));
            }
            Message::Notification(said) => self.told.push((said.method, said.params)),
            Message::Request(asked) => {
                self.told.push((asked.method, asked.params));
                self.send(Response {
                    id: asked.id,
                    response_result: Ok(Value::Null),
                });
            }
            Message::Response(answer) => {
                let result = answer.response_result;
                let result = result.map_err(|error| (error.code, error.message));
                self.answers.insert(answer.id, result);
            }
        }
        true
    }

    /// Waits until something holds of what the server has told.
    #[track_caller]
    pub(crate) fn until(&mut self, holds: impl Fn(&Self) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds(self) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(self.take(left), "not told in time; {:#?}", self.told);
        }
    }

    /// Takes all that comes until nothing has come for a while.
    pub(crate) fn rest(&mut self, quiet: Duration) {
        while self.take(quiet) {}
    }

    /// The answer to a request, or why there is none.
    #[track_caller]
    pub(crate) fn answer(&mut self, number: i32) -> Result<Value, (i32, String)> {
        let id = RequestId::from(number);
        self.until(|client| client.answers.contains_key(&id));
        self.answers.remove(&id).unwrap()
    }

    /// Asks and waits for the answer.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let number = self.request(method, params);
        self.answer(number).unwrap()
    }

    /// Opens a file as it is on the disk, and waits for its diagnostics.
    #[track_caller]
    pub(crate) fn open(&mut self, name: &str) -> Vec<Value> {
        let text = self.folder.read(name);
        self.open_as(name, &text)
    }

    /// Opens a file with a text.
    #[track_caller]
    pub(crate) fn open_as(&mut self, name: &str, text: &str) -> Vec<Value> {
        self.versions.insert(name.to_owned(), 1);
        let params = json!({"textDocument": {
            "uri": self.uri(name), "languageId": "yaml", "version": 1, "text": text,
        }});
        self.notify("textDocument/didOpen", params);
        self.of_version(name, 1)
    }

    /// Gives an open file another text without waiting; gives its version.
    pub(crate) fn change(&mut self, name: &str, text: &str) -> i32 {
        let version = self.versions.get_mut(name).unwrap();
        *version += 1;
        let version = *version;
        let params = json!({
            "textDocument": {"uri": self.uri(name), "version": version},
            "contentChanges": [{"text": text}],
        });
        self.notify("textDocument/didChange", params);
        version
    }

    /// Gives an open file another text, and waits for its diagnostics.
    #[track_caller]
    pub(crate) fn edit(&mut self, name: &str, text: &str) -> Vec<Value> {
        let version = self.change(name, text);
        self.of_version(name, version)
    }

    pub(crate) fn close(&self, name: &str) {
        let params = json!({"textDocument": {"uri": self.uri(name)}});
        self.notify("textDocument/didClose", params);
    }

    /// The diagnostics of a version of a file.
    #[track_caller]
    pub(crate) fn of_version(&mut self, name: &str, version: i32) -> Vec<Value> {
        let wanted = Some(i64::from(version));
        self.until(|client| client.shown.get(name).is_some_and(|(of, _)| *of == wanted));
        self.shown[name].1.clone()
    }

    /// `{textDocument, position}` of the first place of a text in a file as it was opened.
    #[track_caller]
    pub(crate) fn at(&self, name: &str, text: &str, place: &str) -> Value {
        let before = text.find(place).unwrap_or_else(|| panic!("no {place:?}"));
        let line = text[..before].matches('\n').count();
        let start = text[..before].rfind('\n').map_or(0, |at| at + 1);
        json!({
            "textDocument": {"uri": self.uri(name)},
            "position": {"line": line, "character": before - start},
        })
    }

    /// Says `shutdown` and `exit`; gives whether the server ended as it should.
    pub(crate) fn end(mut self) -> bool {
        self.ask("shutdown", Value::Null);
        self.exit()
    }

    /// Says `exit`.
    pub(crate) fn exit(mut self) -> bool {
        self.notify("exit", Value::Null);
        self.server.take().unwrap().join().unwrap()
    }

    /// Goes away without a word.
    pub(crate) fn leave(mut self) -> bool {
        self.connection = None;
        self.server.take().unwrap().join().unwrap()
    }
}

/// The URI of a file of a folder.
pub(crate) fn uri_of(folder: &Folder, name: &str) -> String {
    let home = folder.path().canonicalize().unwrap();
    format!("file://{}/{name}", home.display())
}

/// Makes the edits of a `WorkspaceEdit` in a text whose columns count bytes.
pub(crate) fn edited(text: &str, edits: &[Value]) -> String {
    let offset = |position: &Value| {
        let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
        let column = usize::try_from(position["character"].as_u64().unwrap()).unwrap();
        let lines = text.split_inclusive('\n').take(line);
        lines.map(str::len).sum::<usize>() + column
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let (start, end) = (offset(&range["start"]), offset(&range["end"]));
            (start, end, edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort_unstable();
    let mut made = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        made.replace_range(start..end, new);
    }
    made
}
