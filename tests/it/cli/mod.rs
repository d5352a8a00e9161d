//! The program from outside: arguments, streams, exit statuses, files read and written.

mod answers;
mod config;
mod consent;
mod faults;
mod findings;
mod flags;
mod git;
mod hostile;
mod inputs;
mod outputs;
mod patches;
mod reading;
mod records;
mod statuses;
mod streams;
mod why;
mod writing;
