//! Subscriptions, which bring what a Channel holds to clusters.

pub(super) mod consumer;
pub(super) mod findings;
pub mod follow;
pub mod read;
mod repair;
mod why;
