//! Plans and findings as data: the forms of the contract, types of their own.

mod envelope;
pub mod hybrid;
pub mod ogc;
pub mod senlin;

pub use envelope::{DocumentCounts, FORMAT_VERSION, Validation, pretty};
