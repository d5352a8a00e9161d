//! The threads that work: one reads sites, one answers questions. None ends by a panic.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{ErrorCode, RequestId};
use serde_json::Value;

use crate::parallel;
use crate::workspace::{Fault, Job, Purpose};

use super::answer::{self, Ask, Refusal};
use super::client::Client;
use super::diagnostics;
use super::head::Heads;
use super::view::{ByUri, Open, View};

/// A site to be read.
pub(super) struct Read {
    /// The folder.
    pub(super) root: PathBuf,
    /// The generation of its texts.
    pub(super) generation: u64,
    /// The site to read; or why there is none.
    pub(super) job: Result<Job, Fault>,
    /// Its last state, where there is no room for two at once: it is freed first.
    pub(super) last: Option<Arc<View>>,
    /// Whether only the structure is judged.
    pub(super) is_file: bool,
    /// The client.
    pub(super) client: Client,
    /// The open files.
    pub(super) open: Arc<BTreeMap<PathBuf, Open>>,
    /// The last revision.
    pub(super) heads: Arc<Heads>,
}

/// The result of reading a site.
pub(super) enum Outcome {
    /// It was read.
    Read {
        /// Its state.
        view: Arc<View>,
        /// The findings that are in no file.
        nowhere: Vec<String>,
        /// The bytes of its files.
        bytes: usize,
    },
    /// It cannot be read as a whole: diagnostics of the configuration, and a sentence.
    Fault(ByUri, String),
}

/// Work that was done.
pub(super) enum Done {
    /// A site was read.
    Read {
        /// The folder.
        root: PathBuf,
        /// The generation of its texts.
        generation: u64,
        /// How long it took.
        took: Duration,
        /// The result.
        outcome: Outcome,
    },
    /// A question was answered.
    Answered(RequestId, Result<Value, Refusal>),
}

/// Work for the threads, and what they have done.
pub(super) struct Workers {
    /// Takes sites to be read.
    pub(super) reads: Sender<Read>,
    /// Takes questions.
    pub(super) asks: Sender<Ask>,
    /// Gives what was done.
    pub(super) done: Receiver<Done>,
}

impl Workers {
    /// Starts the threads; they end when this is gone.
    pub(super) fn start() -> std::io::Result<Self> {
        let (reads, to_read) = unbounded::<Read>();
        let (asks, to_ask) = unbounded::<Ask>();
        let (say, done) = unbounded();
        let answers = say.clone();
        parallel::thread().spawn(move || {
            for read in to_read {
                let (root, generation) = (read.root.clone(), read.generation);
                let begun = Instant::now();
                let outcome = catch_unwind(AssertUnwindSafe(|| outcome(read)));
                let outcome = outcome.unwrap_or_else(|_| {
                    let said = format!("reading {} ended by a fault of planner", root.display());
                    Outcome::Fault(ByUri::new(), said)
                });
                let took = begun.elapsed();
                let done = Done::Read {
                    root,
                    generation,
                    took,
                    outcome,
                };
                if say.send(done).is_err() {
                    break;
                }
            }
        })?;
        parallel::thread().spawn(move || {
            for ask in to_ask {
                let id = ask.id.clone();
                let answer = if ask.is_cancelled.load(Ordering::Relaxed) {
                    Err(Refusal::new(ErrorCode::RequestCanceled, "cancelled"))
                } else {
                    let answer = catch_unwind(AssertUnwindSafe(|| answer::answer(ask)));
                    let fault = "the answer ended by a fault of planner";
                    answer.unwrap_or_else(|_| Err(Refusal::new(ErrorCode::InternalError, fault)))
                };
                if answers.send(Done::Answered(id, answer)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { reads, asks, done })
    }
}

fn outcome(read: Read) -> Outcome {
    drop(read.last);
    let encoding = read.client.encoding;
    let ran = read
        .job
        .and_then(|job| Ok((job.run(Purpose::Validate)?, job)));
    let (snapshot, job) = match ran {
        Ok(ran) => ran,
        Err(fault) => {
            let (by_uri, said) = diagnostics::of_fault(&fault, &read.root, &read.open, encoding);
            return Outcome::Fault(by_uri, said);
        }
    };
    let texts = snapshot.sources().files.iter();
    let bytes = texts.map(|source| source.text.len()).sum();
    let mut view = View::new(snapshot, job, read.client, read.open, read.heads);
    let (by_uri, nowhere) = diagnostics::of_site(&view, read.is_file);
    view.diagnostics = by_uri;
    Outcome::Read {
        view: Arc::new(view),
        nowhere,
        bytes,
    }
}
