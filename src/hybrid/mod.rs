//! IBM hybrid placement rules.

pub mod engine;
pub mod model;
