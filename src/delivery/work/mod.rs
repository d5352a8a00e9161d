//! Replica sets of works, and the works that they put on clusters.

pub mod about;
pub mod begun;
pub(super) mod consumer;
mod describe;
pub(super) mod findings;
pub mod follow;
pub(crate) mod read;
mod repair;
mod why;
