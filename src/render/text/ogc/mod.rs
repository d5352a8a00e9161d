//! Applications as text: the plan screen and the explanation of one of them.

mod failure;
mod plan;
mod warning;
mod why;

pub use plan::{applications, stops};
pub use why::why;
