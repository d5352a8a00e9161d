//! PlacementRules, which Placements replaced, and what reads them.

pub(super) mod findings;
pub mod follow;
pub mod read;
mod repair;
mod why;
