//! `planner`: an offline planner and linter over declarative YAML site documents.
#![forbid(unsafe_code)]

pub mod airship;
pub mod changes;
pub mod cli;
pub mod config;
pub mod diagnostic;
pub mod diff;
pub mod document;
pub mod expect;
pub mod fix;
pub mod hybrid;
pub mod kit;
pub mod load;
pub mod ocm;
pub mod ogc;
pub mod options;
pub mod parallel;
pub mod plan;
pub mod records;
pub mod render;
pub mod repair;
pub mod rules;
pub mod saved;
pub mod schema;
pub mod senlin;
pub mod site;
pub mod source;
pub mod why;
pub mod yaml;
