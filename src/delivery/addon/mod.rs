//! Add-ons: where they are installed, and how their configuration is rolled out.

pub mod about;
pub(super) mod consumer;
mod describe;
pub(super) mod findings;
pub mod follow;
pub(crate) mod read;
mod repair;
mod why;
