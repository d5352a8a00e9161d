//! `planner`: an offline planner and linter over declarative YAML site documents.
#![forbid(unsafe_code)]

pub mod airship;
pub mod hybrid;
pub mod kit;
pub mod ocm;
pub mod ogc;
pub mod senlin;
pub mod source;
pub mod yaml;
