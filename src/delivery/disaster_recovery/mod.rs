//! DRPlacementControls, by which Ramen moves workloads between clusters.

pub(super) mod consumer;
pub(super) mod findings;
pub mod follow;
pub mod read;
mod repair;
mod why;
