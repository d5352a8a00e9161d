//! The main thread: messages in their order, open texts, and when what is read and answered.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::select;
use gen_lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams,
    TextDocumentContentChangeEvent,
};
use jiff::Timestamp;
use lsp_server::{
    Connection, ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::workspace::Choices;

use super::Host;
use super::answer::{self, About, Ask, Refusal};
use super::client::Client;
use super::folder::Folder;
use super::uri;
use super::view::{OfFile, Open, View, real};
use super::worker::{Done, Outcome, Read, Workers};

/// How long a question waits for the state of the file that it is about.
const WAIT: Duration = Duration::from_millis(300);
/// How long the loop sleeps when there is nothing to do.
const IDLE: Duration = Duration::from_secs(3600);
/// Bytes of documents from which on a site is read again only when files are saved.
const LARGE: usize = 50 << 20;

/// A file that is open in the editor.
struct Document {
    path: PathBuf,
    version: i32,
    text: Arc<str>,
    /// The generation of its folder in which it changed last.
    changed: u64,
}

/// A question that waits.
struct Question {
    request: Request,
    about: About,
    until: Instant,
    is_cancelled: Arc<AtomicBool>,
}

/// The server.
pub(super) struct Server {
    connection: Connection,
    host: Host,
    workers: Workers,
    client: Option<Client>,
    choices: Choices,
    /// The instant that the client chose.
    now: Option<Timestamp>,
    folders: Vec<Folder>,
    /// By URI, as the editor writes it.
    documents: BTreeMap<String, Document>,
    waiting: Vec<Question>,
    asked: BTreeMap<RequestId, Arc<AtomicBool>>,
    requests: i32,
    is_shut: bool,
}

impl Server {
    /// A server that was not spoken to.
    pub(super) fn new(connection: Connection, host: Host) -> std::io::Result<Self> {
        Ok(Self {
            connection,
            choices: Choices {
                config: host.config.clone(),
                site: host.site.clone(),
                now: (host.clock)(),
                jobs: host.jobs,
            },
            now: host.now,
            host,
            workers: Workers::start()?,
            client: None,
            folders: Vec::new(),
            documents: BTreeMap::new(),
            waiting: Vec::new(),
            asked: BTreeMap::new(),
            requests: 0,
            is_shut: false,
        })
    }

    /// Serves until the client says `exit` or is gone; gives whether it said `shutdown` before.
    pub(super) fn run(mut self) -> bool {
        loop {
            let sleep = self.sleep(Instant::now());
            select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(Message::Notification(said)) if said.method == "exit" => break,
                    Ok(message) => self.take(message),
                    Err(_) => break,
                },
                recv(self.workers.done) -> done => {
                    if let Ok(done) = done {
                        self.finish(done);
                    }
                }
                default(sleep) => {}
            }
            self.settle(Instant::now());
        }
        self.is_shut
    }

    /// How long there is nothing to do unless something comes.
    fn sleep(&self, now: Instant) -> Duration {
        let due = self.folders.iter().filter_map(Folder::due);
        let waiting = self.waiting.iter().map(|question| question.until);
        let first = due.chain(waiting).min();
        first.map_or(IDLE, |first| first.saturating_duration_since(now))
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(said) if self.client.is_some() => self.notified(said),
            // Nothing counts before `initialize`, and no answer of the client changes anything.
            Message::Notification(_) | Message::Response(_) => {}
        }
    }

    fn request(&mut self, request: Request) {
        let refuse = |code, why: &str| Err(Refusal::new(code, why));
        let result = match request.method.as_str() {
            _ if self.is_shut => refuse(ErrorCode::InvalidRequest, "the server is shut down"),
            "initialize" if self.client.is_none() => Ok(self.initialize(&request.params)),
            "initialize" => refuse(ErrorCode::InvalidRequest, "initialised before"),
            _ if self.client.is_none() => {
                refuse(ErrorCode::ServerNotInitialized, "`initialize` comes first")
            }
            "shutdown" => {
                self.is_shut = true;
                Ok(Value::Null)
            }
            method => match answer::about(method) {
                Some(about) => return self.ask(request, about),
                None => refuse(ErrorCode::MethodNotFound, method),
            },
        };
        self.respond(request.id, result);
    }

    fn respond(&self, id: RequestId, result: Result<Value, Refusal>) {
        let response_result = result.map_err(|refusal| ResponseError {
            code: refusal.code,
            message: refusal.message,
            data: refusal.data,
        });
        self.send(Response {
            id,
            response_result,
        });
    }

    /// Sends a message; a client that is gone takes none.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.connection.sender.send(message.into());
    }

    fn notify(&self, method: &str, params: Value) {
        self.send(Notification {
            method: method.to_owned(),
            params,
        });
    }

    /// Asks the client for something whose answer is of no interest.
    fn tell(&mut self, method: &str, params: Value) {
        self.requests += 1;
        let id = RequestId::from(format!("planner-{}", self.requests));
        self.send(Request {
            id,
            method: method.to_owned(),
            params,
        });
    }

    /// A line of the client's log: 1 error, 2 warning, 3 information, 4 detail.
    fn log(&self, kind: u8, message: &str) {
        let params = json!({"type": kind, "message": message});
        self.notify("window/logMessage", params);
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let client = Client::new(params);
        self.client = Some(client);
        let option = |name: &str| {
            let options = params.pointer(&format!("/initializationOptions/{name}"));
            options.and_then(Value::as_str).map(str::to_owned)
        };
        let config = option("config").map(PathBuf::from);
        self.choices.config = config.or_else(|| self.host.config.clone());
        self.choices.site = option("site").or_else(|| self.host.site.clone());
        if let Some(now) = option("now") {
            match now.parse() {
                Ok(now) => self.now = Some(now),
                Err(_) => self.log(2, &format!("planner: `now` is no time: {now}")),
            }
        }
        let folders = params.get("workspaceFolders").and_then(Value::as_array);
        let uris = match folders {
            Some(folders) => folders
                .iter()
                .filter_map(|folder| folder.get("uri"))
                .collect(),
            None => Vec::from_iter(params.get("rootUri")),
        };
        let uris = uris.into_iter().filter_map(Value::as_str);
        let mut roots: Vec<PathBuf> = uris.filter_map(uri::to_path).collect();
        if roots.is_empty() {
            let root = params.get("rootPath").and_then(Value::as_str);
            roots.extend(root.map(PathBuf::from));
        }
        for root in roots {
            self.add(root, false);
        }
        client.offer()
    }

    /// Adds a folder, or a file that lies in none.
    fn add(&mut self, root: PathBuf, is_file: bool) {
        let shown = root.display().to_string();
        match Folder::new(root, is_file) {
            Ok(mut folder) => {
                folder.hurry(Instant::now());
                if self.folders.iter().all(|other| other.root != folder.root) {
                    self.folders.push(folder);
                }
            }
            Err(fault) => self.log(1, &format!("planner: {shown}: {fault}")),
        }
    }

    /// The innermost folder that holds a path.
    fn owner(&self, path: &Path) -> Option<usize> {
        let folders = self.folders.iter().enumerate();
        let holding = folders.filter(|(_, folder)| folder.holds(path));
        let inner = holding.max_by_key(|(_, folder)| folder.root.components().count());
        inner.map(|(at, _)| at)
    }

    fn notified(&mut self, said: Notification) {
        match said.method.as_str() {
            "initialized" => self.watch(),
            "textDocument/didOpen" => self.with(said, Self::open),
            "textDocument/didChange" => self.with(said, Self::change),
            "textDocument/didClose" => self.with(said, Self::close),
            "textDocument/didSave" => self.with(said, Self::save),
            "workspace/didChangeWatchedFiles" => self.with(said, Self::changed_on_disk),
            "workspace/didChangeWorkspaceFolders" => self.with(said, Self::changed_folders),
            "$/cancelRequest" => self.cancel(&said.params),
            _ => {}
        }
    }

    /// Does what a notification says, if its parameters can be read.
    fn with<P: DeserializeOwned>(&mut self, said: Notification, take: fn(&mut Self, P)) {
        match serde_json::from_value(said.params) {
            Ok(params) => take(self, params),
            Err(error) => self.log(2, &format!("planner: left out {}: {error}", said.method)),
        }
    }

    /// Lets the client watch the files that sites are made of.
    fn watch(&mut self) {
        if !self.client.is_some_and(|client| client.watches) {
            return;
        }
        let globs = ["**/*.{yaml,yml,json}", "**/planner.toml"];
        let watchers = globs.map(|glob| json!({"globPattern": glob}));
        self.tell(
            "client/registerCapability",
            json!({"registrations": [{
                "id": "planner-files",
                "method": "workspace/didChangeWatchedFiles",
                "registerOptions": {"watchers": watchers},
            }]}),
        );
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let Some(path) = uri::to_path(&document.uri.0) else {
            return;
        };
        let path = real(path);
        if self.owner(&path).is_none() {
            self.add(path.clone(), true);
        }
        let text: Arc<str> = document.text.into();
        self.documents.insert(
            document.uri.0.clone(),
            Document {
                path,
                version: document.version,
                text,
                changed: 0,
            },
        );
        self.edited(&document.uri.0, false);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.text_document_identifier.uri.0;
        let Some(document) = self.documents.get_mut(&uri) else {
            return;
        };
        for change in params.content_changes {
            // Whole texts are all that was asked for.
            if let TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) =
                change
            {
                document.text = whole.text.into();
            }
        }
        document.version = params.text_document.version;
        self.edited(&uri, false);
    }

    /// Gives the newest text of a file to its folder.
    fn edited(&mut self, uri: &str, is_saved: bool) {
        let Some((path, text)) = self
            .documents
            .get(uri)
            .map(|one| (one.path.clone(), Arc::clone(&one.text)))
        else {
            return;
        };
        let Some(at) = self.owner(&path) else {
            return;
        };
        let folder = &mut self.folders[at];
        let set = folder.workspace.set(&path, text);
        let changed = if folder.is_large && !is_saved {
            folder.change_later()
        } else {
            folder.change(Instant::now())
        };
        if let Some(document) = self.documents.get_mut(uri) {
            document.changed = changed;
        }
        if let Err(fault) = set {
            self.log(2, &format!("planner: {fault}"));
        }
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        let Some(document) = self.documents.remove(&params.text_document.uri.0) else {
            return;
        };
        let Some(at) = self.owner(&document.path) else {
            return;
        };
        if self.folders[at].is_file {
            let folder = self.folders.remove(at);
            self.forget(folder);
            return;
        }
        let folder = &mut self.folders[at];
        folder.workspace.reset(&document.path);
        folder.change(Instant::now());
    }

    fn save(&mut self, params: DidSaveTextDocumentParams) {
        let Some(document) = self.documents.get(&params.text_document.uri.0) else {
            return;
        };
        let Some(at) = self.owner(&document.path) else {
            return;
        };
        let watches = self.client.is_some_and(|client| client.watches);
        let folder = &mut self.folders[at];
        if folder.is_large || !watches {
            folder.touch(Instant::now());
        }
    }

    fn changed_on_disk(&mut self, params: DidChangeWatchedFilesParams) {
        let now = Instant::now();
        for event in params.changes {
            let path = uri::to_path(&event.uri.0).map(real);
            if let Some(at) = path.and_then(|path| self.owner(&path)) {
                self.folders[at].touch(now);
            }
        }
    }

    fn changed_folders(&mut self, params: DidChangeWorkspaceFoldersParams) {
        for removed in params.event.removed {
            let Some(path) = uri::to_path(&removed.uri.0) else {
                continue;
            };
            let path = real(path);
            let gone = self.folders.iter().position(|folder| folder.root == path);
            if let Some(at) = gone {
                let folder = self.folders.remove(at);
                self.forget(folder);
            }
        }
        for added in params.event.added {
            if let Some(path) = uri::to_path(&added.uri.0) {
                self.add(path, false);
            }
        }
        // Open files belong to the folders that there are now.
        let open: Vec<(String, PathBuf)> = self
            .documents
            .iter()
            .map(|(uri, document)| (uri.clone(), document.path.clone()))
            .collect();
        for (uri, path) in open {
            if self.owner(&path).is_none() {
                self.add(path.clone(), true);
            } else if self
                .folders
                .iter()
                .any(|folder| !folder.is_file && folder.holds(&path))
            {
                let alone = |folder: &Folder| folder.is_file && folder.root == path;
                if let Some(at) = self.folders.iter().position(alone) {
                    let folder = self.folders.remove(at);
                    self.forget(folder);
                }
            }
            self.edited(&uri, true);
        }
    }

    /// Takes the diagnostics of a folder that is gone out of the editor.
    fn forget(&self, folder: Folder) {
        let shown = folder.shown.iter();
        for (uri, _) in shown.filter(|(_, of_file)| !of_file.diagnostics.is_empty()) {
            self.publish(uri, &OfFile::default());
        }
    }

    fn cancel(&mut self, params: &Value) {
        let id = params.get("id").cloned().unwrap_or_default();
        let Ok(id) = serde_json::from_value::<RequestId>(id) else {
            return;
        };
        let waits = self
            .waiting
            .iter()
            .position(|question| question.request.id == id);
        if let Some(at) = waits {
            let question = self.waiting.remove(at);
            let refusal = Refusal::new(ErrorCode::RequestCanceled, "cancelled");
            self.respond(question.request.id, Err(refusal));
        } else if let Some(is_cancelled) = self.asked.get(&id) {
            is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    fn ask(&mut self, request: Request, about: About) {
        self.waiting.push(Question {
            request,
            about,
            until: Instant::now() + WAIT,
            is_cancelled: Arc::default(),
        });
    }

    /// Reads what is due, and answers what can be answered.
    fn settle(&mut self, now: Instant) {
        let client = self.client.unwrap_or_default();
        for at in 0..self.folders.len() {
            if self.folders[at].due().is_none_or(|due| due > now) {
                continue;
            }
            let open = Arc::new(self.open_in(at));
            self.choices.now = self.now.unwrap_or_else(self.host.clock);
            let folder = &mut self.folders[at];
            let root = folder.root.clone();
            let read = Read {
                generation: folder.begin(),
                job: folder.workspace.job(&root, &self.choices),
                root,
                is_file: folder.is_file,
                client,
                open,
                heads: Arc::clone(&folder.heads),
            };
            let _ = self.workers.reads.send(read);
        }
        for question in std::mem::take(&mut self.waiting) {
            match self.views(&question, now) {
                Ready::Now(views) => self.pose(question, views),
                Ready::Later => self.waiting.push(question),
                Ready::Never(refusal) => self.respond(question.request.id, Err(refusal)),
            }
        }
    }

    /// The open files of a folder.
    fn open_in(&self, at: usize) -> BTreeMap<PathBuf, Open> {
        let documents = self.documents.iter();
        let inside = documents.filter(|(_, one)| self.folders[at].holds(&one.path));
        let open = inside.map(|(uri, document)| {
            let open = Open {
                uri: uri.clone(),
                version: document.version,
            };
            (document.path.clone(), open)
        });
        open.collect()
    }

    /// The states that a question is answered from.
    fn views(&self, question: &Question, now: Instant) -> Ready {
        let newest = |folder: &Folder| folder.view.clone();
        if question.about == About::All {
            let unread = |folder: &Folder| folder.view.is_none() && folder.is_behind();
            return if self.folders.iter().any(unread) {
                Ready::Later
            } else {
                Ready::Now(self.folders.iter().filter_map(newest).collect())
            };
        }
        let params = &question.request.params;
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let document = uri.and_then(|uri| self.documents.get(uri));
        let path = match document {
            Some(document) => Some(document.path.clone()),
            None => uri.and_then(uri::to_path).map(real),
        };
        let Some(at) = path.and_then(|path| self.owner(&path)) else {
            return Ready::Now(Vec::new());
        };
        let folder = &self.folders[at];
        let Some(view) = newest(folder) else {
            return if folder.is_behind() {
                Ready::Later
            } else {
                Ready::Now(Vec::new())
            };
        };
        let needed = document.map_or(0, |document| document.changed);
        if question.about == About::Text || folder.read >= needed {
            return Ready::Now(vec![view]);
        }
        if now < question.until {
            return Ready::Later;
        }
        Ready::Never(Refusal::stale(&question.request.method))
    }

    /// Gives a question to the thread that answers.
    fn pose(&mut self, question: Question, views: Vec<Arc<View>>) {
        let Request { id, method, params } = question.request;
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let document = uri.and_then(|uri| self.documents.get(uri));
        let text = document.map(|document| Arc::clone(&document.text));
        self.asked
            .insert(id.clone(), Arc::clone(&question.is_cancelled));
        let ask = Ask {
            id,
            method,
            params,
            views,
            text,
            is_cancelled: question.is_cancelled,
        };
        let _ = self.workers.asks.send(ask);
    }

    fn finish(&mut self, done: Done) {
        match done {
            Done::Answered(id, result) => {
                let cancelled = self.asked.remove(&id);
                let cancelled = cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed));
                let refusal = || Err(Refusal::new(ErrorCode::RequestCanceled, "cancelled"));
                self.respond(id, if cancelled { refusal() } else { result });
            }
            Done::Read {
                root,
                generation,
                took,
                outcome,
            } => {
                let Some(at) = self.folders.iter().position(|folder| folder.root == root) else {
                    return;
                };
                self.folders[at].reading = None;
                self.was_read(at, generation, took, outcome);
            }
        }
    }

    /// Takes a state of a folder, and publishes it unless it is out of date.
    fn was_read(&mut self, at: usize, generation: u64, took: Duration, outcome: Outcome) {
        let folder = &mut self.folders[at];
        folder.read = generation;
        let name = folder.root.display().to_string();
        let mut lines = Vec::new();
        let said = match outcome {
            Outcome::Read {
                view,
                nowhere,
                bytes,
            } => {
                folder.view = Some(view);
                if bytes > LARGE && !folder.is_large {
                    folder.is_large = true;
                    lines.push((2, format!(
                        "planner: {name} has {} MB; it is checked again only when files are saved",
                        bytes >> 20
                    )));
                }
                (!nowhere.is_empty()).then(|| nowhere.join("\n"))
            }
            Outcome::Fault(faults, said) => {
                folder.view = None;
                folder.faults = faults;
                Some(said)
            }
        };
        lines.push((
            4,
            format!("planner: read {name} in {} ms", took.as_millis()),
        ));
        if said != folder.said {
            lines.extend(
                said.iter()
                    .map(|said| (1, format!("planner: {name}: {said}"))),
            );
            folder.said = said;
        }
        let is_current = generation == folder.changed || folder.is_large;
        for (kind, line) in lines {
            self.log(kind, &line);
        }
        if is_current {
            self.publish_all(at);
        }
    }

    /// Brings the diagnostics of a folder into the editor.
    fn publish_all(&mut self, at: usize) {
        let client = self.client.unwrap_or_default();
        let folder = &self.folders[at];
        let path = |uri: &str| match self.documents.get(uri) {
            Some(document) => Some(document.path.clone()),
            None => uri::to_path(uri),
        };
        let mine = |uri: &str| path(uri).is_some_and(|path| self.owner(&path) == Some(at));
        let mut wanted: BTreeMap<String, OfFile> = BTreeMap::new();
        // A list that is not empty must be taken back.
        for (uri, of_file) in &folder.shown {
            if !of_file.diagnostics.is_empty() {
                wanted.insert(uri.clone(), OfFile::default());
            }
        }
        for (uri, document) in self.documents.iter().filter(|(uri, _)| mine(uri)) {
            if !client.pulls || wanted.contains_key(uri) {
                let none = OfFile::none(document.version);
                wanted.insert(uri.clone(), none);
            }
        }
        let found = folder
            .view
            .as_ref()
            .map_or(&folder.faults, |view| &view.diagnostics);
        // An editor that asks for those of open files would show them twice.
        let pushed = |uri: &str| !(client.pulls && self.documents.contains_key(uri));
        for (uri, of_file) in found.iter().filter(|(uri, _)| pushed(uri) && mine(uri)) {
            wanted.insert(uri.clone(), of_file.clone());
        }
        for (uri, of_file) in &wanted {
            if folder.shown.get(uri) != Some(of_file) {
                self.publish(uri, of_file);
            }
        }
        self.folders[at].shown = wanted;
        if client.pulls && client.refreshes {
            self.tell("workspace/diagnostic/refresh", Value::Null);
        }
        if client.refreshes_lenses {
            self.tell("workspace/codeLens/refresh", Value::Null);
        }
    }

    fn publish(&self, uri: &str, of_file: &OfFile) {
        let mut params = json!({"uri": uri, "diagnostics": of_file.diagnostics});
        if let Some(version) = of_file.version {
            params["version"] = json!(version);
        }
        self.notify("textDocument/publishDiagnostics", params);
    }
}

/// Whether a question can be answered.
enum Ready {
    /// From these states.
    Now(Vec<Arc<View>>),
    /// Not yet.
    Later,
    /// Its file changed in the meantime.
    Never(Refusal),
}
