//! Policies, their sets and bindings, and the generators that make them.

pub mod about;
mod carried;
pub(super) mod consumer;
mod describe;
pub(super) mod findings;
pub mod follow;
pub mod generate;
pub mod inside;
mod nowhere;
mod order;
pub mod read;
mod repair;
mod why;
