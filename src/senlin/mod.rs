//! Senlin: how many nodes go to which region when a cluster grows or shrinks.
//!
//! The rules are those of Senlin's `region_placement` policy 1.0 (senlin/policies,
//! senlin/engine/senlin_lock and senlin/common/scaleutils of release 16); section numbers in this
//! module are those of our specification "Senlin region placement".

pub mod engine;
pub mod model;
