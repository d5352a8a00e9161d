//! `planner lsp`: conversations with the server, in this process and over streams.

mod client;
mod diagnostics;
mod features;
mod protocol;

pub(crate) use client::Client;
