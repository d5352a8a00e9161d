//! The tests of the whole program, in one test program: a module each, or a folder of modules.
#![allow(clippy::unwrap_used, reason = "what a test prepares must be there")]

mod airship;
mod bad_input;
mod causes;
mod changed;
mod changes;
mod ci;
mod cli;
mod deliveries;
mod diff;
mod export;
mod fast;
mod fixes;
mod generated;
mod harmless;
mod hub;
mod hybrid;
mod init;
mod lint;
mod lost;
mod mutate;
mod ocm;
mod ogc;
mod plantest;
mod properties;
mod reasons;
mod remedies;
mod report;
mod repositories;
mod risk;
mod rows;
mod rules;
mod saved;
mod senlin;
mod site;
mod sizes;
#[path = "../support/mod.rs"]
mod support;
mod sweep;
mod tidy;
mod tutorial;
mod what_if;
mod widths;
mod without;
mod yaml;
mod yaml_oracle;
