//! The program from outside: arguments, streams, exit statuses, files read and written.

#[path = "../support/mod.rs"]
mod support;

mod config;
mod inputs;
mod outputs;
mod records;
mod statuses;
mod streams;
