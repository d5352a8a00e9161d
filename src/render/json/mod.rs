//! Plans as data: the forms of the contract, types of their own.

pub mod ogc;
pub mod senlin;
pub mod hybrid;
pub mod ogc;
