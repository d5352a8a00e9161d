//! Applications as text: the plan screen and the explanation of one of them.

mod failure;
mod plan;
mod table;
mod warning;
mod why;

pub use plan::{applications, closing};
pub use why::why;
