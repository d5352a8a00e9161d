//! Plans and findings as data: the forms that consumers rely on, types of their own.

#[doc(hidden)]
pub mod airship;
mod changes;
#[doc(hidden)]
pub mod delivery;
mod diff;
mod drift;
mod envelope;
mod hub;
#[doc(hidden)]
pub mod hybrid;
mod lines;
mod migrate;
#[doc(hidden)]
pub mod ocm;
#[doc(hidden)]
pub mod ogc;
mod partial;
mod plan;
mod ran;
mod rendered;
mod risk;
mod row;
mod rows;
#[doc(hidden)]
pub mod senlin;
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
    Each, Items, PlanAnswer, SECTIONS, SiteAnswer, SitesAnswer, section, text, write_decisions,
    write_json, write_yaml,
};
pub use ran::{EngineRun, engine_run};
pub use rendered::{HIDDEN, Rendered, RootList, shown};
pub use risk::RiskAnswer;
pub use senlin::{RegionPlacement, region_placements};

use crate::senlin::engine::data::integer;
pub use row::row;
pub use simulation::{Simulation, StrategyRun};
pub use tests::TestReport;
pub use why::WhyAnswer;
