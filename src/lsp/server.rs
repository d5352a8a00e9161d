//! The main thread: messages in their order, open texts, and when what is read and answered.

mod publish;
mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::select;
use jiff::Timestamp;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::kit::safe::clean;
use crate::workspace::Choices;

use super::Host;
use super::answer::{self, About, Ask, Refusal};
use super::client::Client;
use super::folder::Folder;
use super::outgoing::{Link, Outgoing};
use super::uri;
use super::view::{Open, View, real};
use super::worker::{Done, Read, Workers};

/// How long a question waits for the state of the file that it is about.
const WAIT: Duration = Duration::from_millis(300);
/// How long the loop sleeps when there is nothing to do.
const IDLE: Duration = Duration::from_secs(3600);

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
    link: Link,
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
    pub(super) fn new(link: Link, host: Host) -> std::io::Result<Self> {
        Ok(Self {
            link,
            choices: Choices {
                config: host.config.clone(),
                site: host.site.clone(),
                now: (host.clock)(),
                allow_commands: false,
                program: host.program.clone(),
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
                recv(self.link.incoming) -> message => match message {
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
        // Those that are late wait for a site to be read.
        let waiting = self.waiting.iter().map(|question| question.until);
        let waiting = waiting.filter(|until| *until > now);
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
                None => refuse(ErrorCode::MethodNotFound, &clean(method)),
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

    fn send(&self, message: impl Into<Message>) {
        self.link.outgoing.send(Outgoing::Message(message.into()));
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
        let params = json!({"type": kind, "message": clean(message)});
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
        let allows = params.pointer("/initializationOptions/allowAdvisors");
        self.choices.allow_commands = allows.and_then(Value::as_bool).unwrap_or(false);
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
            let (generation, last) = folder.begin();
            let read = Read {
                generation,
                job: folder.workspace.job(&root, &self.choices),
                root,
                last,
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
        let is_late = now >= question.until;
        let Some(view) = newest(folder) else {
            return match folder.is_behind() {
                // A site that is read for the first time is waited for.
                true if folder.read > 0 && is_late => {
                    Ready::Never(Refusal::stale(&question.request.method))
                }
                true => Ready::Later,
                false => Ready::Now(Vec::new()),
            };
        };
        let needed = document.map_or(0, |document| document.changed);
        if question.about == About::Text || folder.read >= needed {
            return Ready::Now(vec![view]);
        }
        if !is_late {
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
