//! Ori Global Cloud: which Cluster each Application of a Package goes to, and why.

pub mod engine;
pub mod inheritance;
pub mod labels;
pub mod model;
