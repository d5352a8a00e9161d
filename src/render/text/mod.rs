//! Plans and reports as text for people.

#[doc(hidden)]
pub mod airship;
pub mod changes;
#[doc(hidden)]
pub mod delivery;
mod diff;
mod drift;
mod funnel;
mod hub;
#[doc(hidden)]
pub mod hybrid;
#[doc(hidden)]
pub mod layout;
mod migrate;
#[doc(hidden)]
pub mod ocm;
#[doc(hidden)]
pub mod ogc;
mod page;
mod partial;
mod plan;
mod reflow;
mod rendered;
pub mod risk;
mod saved;
#[doc(hidden)]
pub mod senlin;
pub mod sites;
pub(super) mod stake;
mod tests;
mod totals;
mod why;

pub use diff::{diff, reviewed, reviewed_as, titled};
pub use drift::{drift, summary as drift_summary};
pub use hub::hub;
pub use migrate::migration;
pub use page::{Page, Screen, Tone, columns, wrap};
pub use partial::{left_out, missing};
pub use plan::{invalid, plan, refused, refused_as, unplanned};
pub use reflow::reflow;
pub use rendered::rendered;
pub use saved::{reasons, saved, stale};
pub use senlin::regions;
pub use stake::{proceed, stake};
pub use tests::tests;
pub use why::{runner_up, why};
