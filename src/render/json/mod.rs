//! Plans as data: the forms of the contract, types of their own.

pub mod hybrid;
pub mod ogc;
pub mod senlin;
