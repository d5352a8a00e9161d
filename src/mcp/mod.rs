//! The server for agents: the Model Context Protocol over standard input and output. It reads
//! files, proves, and writes nothing.
//!
//! Both versions that clients speak: with a handshake (2025-11-25 and before), and with the version
//! in each request (2026-07-28). A thread reads messages and answers what costs nothing; the
//! worker answers calls of tools one by one. Whatever is sent goes through `Out`.

mod answer;
mod arguments;
mod ask;
mod edits;
mod methods;
mod prompts;
mod queue;
mod resources;
mod sites;
mod tools;
mod wire;

use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use jiff::Timestamp;
use serde_json::Value;

use crate::workspace::Fault;

use methods::Era;
use queue::Queue;
use sites::Sites;
use wire::{Line, Message};

/// The settings that the server is started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The directories that may be read.
    pub roots: Vec<PathBuf>,
    /// The `planner.toml` that counts instead of the nearest one.
    pub config: Option<PathBuf>,
    /// The site where a repository holds several, unless a call names another one.
    pub site: Option<String>,
    /// The instant at which everything is judged, unless a call names another one.
    pub clock: fn() -> Timestamp,
    /// The same, where it was named.
    pub now: Option<Timestamp>,
    /// Worker threads, at least one.
    pub jobs: usize,
}

/// The only writer of standard output: a message at a time, handed over at once.
struct Out {
    to: Mutex<Box<dyn Write + Send>>,
}

impl Out {
    fn send(&self, message: &Value) -> io::Result<()> {
        let mut line = wire::text(message);
        line.push('\n');
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        to.write_all(line.as_bytes())?;
        to.flush()
    }
}

/// Serves a client until its messages end and all are answered, or it listens no more.
///
/// # Errors
/// A directory that does not exist.
pub fn serve(
    settings: Settings,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), Fault> {
    let mut sites = Sites::new(settings)?;
    let out = Arc::new(Out {
        to: Mutex::new(Box::new(output)),
    });
    let queue = Arc::new(Queue::default());
    let reader = Reader {
        out: Arc::clone(&out),
        queue: Arc::clone(&queue),
        instructions: methods::instructions(&sites.roots()),
    };
    let reads = thread::Builder::new().spawn({
        let queue = Arc::clone(&queue);
        move || {
            // A client that is gone sends nothing more.
            let _ = reader.read(input);
            queue.end();
        }
    });
    if reads.is_err() {
        queue.end();
    }
    while let Some(request) = queue.next() {
        let called = catch_unwind(AssertUnwindSafe(|| {
            tools::call(&mut sites, &request.params)
        }));
        let answer = called.unwrap_or_else(|_| {
            let why = "planner failed: this is a fault of planner, not of the call";
            Err((wire::INTERNAL, why.to_owned()))
        });
        let era = Era::of(&request);
        let message = match answer {
            Ok(result) => wire::result(&request.id, &methods::dressed(result, era, None)),
            Err((code, why)) => wire::error(&request.id, code, &why, None),
        };
        if queue.finish(&request.id) && out.send(&message).is_err() {
            break;
        }
    }
    Ok(())
}

/// Reads messages.
struct Reader {
    out: Arc<Out>,
    queue: Arc<Queue>,
    instructions: String,
}

impl Reader {
    fn read(&self, mut input: impl BufRead) -> io::Result<()> {
        loop {
            match wire::line(&mut input, wire::MOST)? {
                Line::End => return Ok(()),
                Line::TooLong(head, tail) => {
                    let why = format!(
                        "the message is longer than {} MiB: send fewer or shorter overlay texts",
                        wire::MOST >> 20
                    );
                    let id = wire::id_of(&head, &tail);
                    self.out
                        .send(&wire::error(&id, wire::INVALID_REQUEST, &why, None))?;
                }
                Line::Text(text) if text.trim_ascii().is_empty() => {}
                Line::Text(text) => self.take(wire::message(&text))?,
            }
        }
    }

    fn take(&self, message: Message) -> io::Result<()> {
        match message {
            Message::Response => Ok(()),
            Message::Broken(answer) => self.out.send(&answer),
            Message::Notification(method, params) => {
                if method == "notifications/cancelled"
                    && let Some(id) = params.get("requestId")
                {
                    // Nothing is sent for it any more.
                    self.queue.finish(id);
                }
                Ok(())
            }
            Message::Request(request) if request.method == "tools/call" => {
                if let Err(answer) = methods::checked(&request) {
                    return self.out.send(&answer);
                }
                self.queue.push(request).or_else(|id| {
                    let why = "a request of this id is not answered yet";
                    self.out
                        .send(&wire::error(&id, wire::INVALID_REQUEST, why, None))
                })
            }
            Message::Request(request) => self
                .out
                .send(&methods::answer(&request, &self.instructions)),
        }
    }
}
