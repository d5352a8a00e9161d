//! Plans and findings as data: the forms that consumers rely on, types of their own.

mod changes;
mod diff;
mod drift;
mod envelope;
mod hub;
mod migrate;
mod partial;
mod plan;
mod ran;
mod rendered;
mod risk;
mod row;
mod simulation;
mod tests;
mod why;

pub use diff::{Findings, PlanDiff, SitesDiff, moves};
pub use drift::DriftAnswer;
pub use envelope::{DocumentCounts, FORMAT_VERSION, Unanswered, Validation};
pub use hub::Hub;
pub use migrate::MigrationAnswer;
pub use partial::left_out_values;
pub use plan::{
    Each, Items, PlanAnswer, SiteAnswer, SitesAnswer, parts, text, write_decisions, write_json,
    write_yaml,
};
pub use ran::{EngineRun, engine_run};
pub use rendered::{HIDDEN, Rendered, RootList, shown};
pub use risk::RiskAnswer;

pub use row::row;
pub use simulation::{Simulation, StrategyRun};
pub use tests::TestReport;
pub use why::WhyAnswer;
