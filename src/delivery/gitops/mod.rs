//! GitOpsClusters, which make clusters known to an Argo CD.

pub(super) mod consumer;
pub(super) mod findings;
pub mod follow;
pub mod read;
mod repair;
mod why;
