//! `planner`: an offline planner and linter over declarative YAML site documents.
//!
//! Four steps lead from files to a plan. Each returns a value and leaves the one before as it is,
//! so a site that was checked once can be planned as often as wanted.
//!
//! ```
//! use planner::options::{Options, CheckOptions};
//! use planner::render::json;
//! use planner::{load, plan, site};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // What to read. PATHs are files or directories; texts can stand in for them.
//! let request = load::Request::of(vec!["fixtures/retail".into()]);
//! // Bytes to documents. Faults of files and documents are findings, not errors.
//! let loaded = load::open(&request)?;
//! // Documents to the models of five systems. The clock is passed in.
//! let settings = CheckOptions::at("2026-01-01T00:00:00Z".parse()?);
//! let checked = site::check(&loaded, &settings);
//! // Models to a plan.
//! let plan = plan::make(&checked, &Options::default());
//!
//! let findings = checked.report(&[&plan.findings]);
//! for found in &findings.diagnostics {
//!     eprintln!("{}: {}", found.rule.code, found.message);
//! }
//! let mut answer = Vec::new();
//! json::PlanAnswer::new(&plan, &findings, &loaded.sources).write_json(1, &mut answer)?;
//! assert!(answer.starts_with(b"{\n  \"apiVersion\": \"planner/v1\",\n  \"kind\": \"Plan\""));
//!
//! // The same site without one of its clusters: nothing is read again.
//! let changes = site::Changes {
//!     without: vec![site::Thing::Cluster("oslo".to_owned())],
//!     ..site::Changes::default()
//! };
//! let changed = checked.changed(changes)?;
//! let checked = changed.check();
//! let without_oslo = plan::make(&checked, &Options::default());
//! assert_ne!(plan.counts, without_oslo.counts);
//! # Ok(())
//! # }
//! ```
//!
//! The modules shown here are the library. The others are public for the program, the tests and
//! the benchmarks of this repository alone, and change without notice.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod delivery;
pub mod diagnostic;
pub mod document;
pub mod load;
pub mod options;
pub mod plan;
pub mod render;
pub mod site;
pub mod source;

#[doc(hidden)]
pub mod airship;
#[doc(hidden)]
pub mod changes;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod config;
#[doc(hidden)]
pub mod data;
#[doc(hidden)]
pub mod diff;
#[doc(hidden)]
pub mod drift;
pub mod expect;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod fix;
#[doc(hidden)]
pub mod gotemplate;
#[doc(hidden)]
pub mod guard;
pub mod hub;
pub mod hybrid;
#[doc(hidden)]
pub mod kit;
pub mod kustomize;
#[doc(hidden)]
pub mod loss;
#[doc(hidden)]
pub mod lsp;
#[doc(hidden)]
pub mod mcp;
#[doc(hidden)]
pub mod migrate;
#[doc(hidden)]
pub mod ocm;
#[doc(hidden)]
pub mod ogc;
pub mod page;
#[doc(hidden)]
pub mod parallel;
/// Programs that run for us, and how they end.
pub mod process;
#[doc(hidden)]
pub mod records;
#[doc(hidden)]
pub mod remedies;

pub mod repair;
#[doc(hidden)]
pub mod risk;
#[doc(hidden)]
pub mod rules;
#[doc(hidden)]
pub mod saved;
#[doc(hidden)]
pub mod schema;
#[doc(hidden)]
pub mod senlin;
#[doc(hidden)]
pub mod systems;
#[doc(hidden)]
pub mod why;
#[doc(hidden)]
pub mod workspace;
#[doc(hidden)]
pub mod yaml;
