//! `planner lsp`: conversations with the server, in this process and over streams.

#![expect(clippy::disallowed_types, reason = "a conversation is waited for")]

mod client;
mod diagnostics;
mod features;
mod protocol;

pub(crate) use client::Client;
