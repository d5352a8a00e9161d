//! Open Cluster Management: Placement, decisions, rollout.

pub mod engine;
pub mod model;
