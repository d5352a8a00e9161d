//! Airship: deployment groups, their order and the simulated run.

pub mod engine;
pub mod model;
