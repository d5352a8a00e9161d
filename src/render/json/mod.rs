//! Plans and findings as data: the forms of the contract, types of their own.

pub mod airship;
mod diff;
mod envelope;
pub mod hybrid;
mod lines;
pub mod ocm;
pub mod ogc;
mod plain;
mod plan;
mod rows;
pub mod senlin;
mod simulation;
mod tests;
mod why;

pub use diff::{Findings, PlanDiff};
pub use envelope::{DocumentCounts, FORMAT_VERSION, Validation, pretty};
pub use plan::{PlanAnswer, SECTIONS, section, write_decisions, write_json, write_yaml};
pub use simulation::{Simulation, StrategyRun};
pub use tests::TestReport;
pub use why::WhyAnswer;
