//! `planner lsp`: the language server. It only translates: what is read, checked and planned is
//! `workspace`.
//!
//! The main thread reads messages in their order and owns the open texts; one thread reads and
//! plans sites, another one answers questions about them.

#![expect(
    clippy::disallowed_types,
    reason = "a server waits: a change is answered when typing has stopped for a moment"
)]

mod actions;
mod answer;
mod client;
mod complete;
mod context;
mod diagnostics;
mod fields;
mod folder;
mod head;
mod hover;
mod kustomizations;
mod labels;
mod lens;
mod markdown;
mod names;
mod navigate;
mod outgoing;
mod places;
mod position;
mod ranges;
mod server;
mod symbols;
mod transport;
mod tree;
mod uri;
mod view;
mod worker;

use std::io::{BufRead, Write};
use std::path::PathBuf;

use jiff::Timestamp;
pub use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};

/// How the server is run.
#[derive(Debug, Clone)]
pub struct Host {
    /// The configuration file, unless the nearest one counts.
    pub config: Option<PathBuf>,
    /// The site, where there are several.
    pub site: Option<String>,
    /// The instant at which everything is judged, unless the clock counts.
    pub now: Option<Timestamp>,
    /// The clock.
    pub clock: fn() -> Timestamp,
    /// This program, which guards the commands of advisors.
    pub program: Option<PathBuf>,
    /// Worker threads, at least one.
    pub jobs: usize,
}

/// Serves a client over two streams. Gives whether it ended as the protocol has it: `exit` after
/// `shutdown`.
pub fn serve<I, O>(input: I, output: O, host: &Host) -> bool
where
    I: BufRead + Send + 'static,
    O: Write + Send + 'static,
{
    let (link, streams) = transport::connect(input, output);
    let ended = linked(link, host);
    streams.finish();
    ended
}

/// Serves a client over a connection. Gives whether it ended as the protocol has it.
#[must_use]
pub fn run(connection: Connection, host: &Host) -> bool {
    linked(connection.into(), host)
}

fn linked(link: outgoing::Link, host: &Host) -> bool {
    let server = server::Server::new(link, host.clone());
    // Without threads there is no server.
    server.is_ok_and(server::Server::run)
}
