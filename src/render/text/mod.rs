//! Plans and reports as text for people.

pub mod changes;
mod diff;
mod drift;
mod funnel;
mod hub;
mod migrate;
mod partial;
mod plan;
mod rendered;
pub mod risk;
mod saved;
pub mod sites;
pub(super) mod stake;
mod tests;
mod totals;
mod why;

pub use crate::page::{Page, Screen, Tone, columns, reflow, wrap};
pub use diff::{diff, reviewed, reviewed_as, titled};
pub use drift::{drift, summary as drift_summary};
pub use hub::hub;
pub use migrate::migration;
pub use partial::{left_out, missing};
pub use plan::{invalid, plan, refused, refused_as, unplanned, unrecorded};
pub use rendered::rendered;
pub use saved::{reasons, saved, stale};
pub use stake::{proceed, stake};
pub use tests::tests;
pub use why::{runner_up, why};
