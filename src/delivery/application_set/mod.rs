//! ApplicationSets, which Argo CD carries out over decisions or over the clusters that it knows.

pub mod about;
pub mod argo;
pub(super) mod consumer;
mod describe;
pub(super) mod findings;
pub mod follow;
pub mod read;
mod repair;
pub mod rollout;
mod why;
