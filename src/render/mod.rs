//! Writing: plans and findings as text and as data. Decides nothing.

pub mod csv;
pub mod diagnostics;
#[doc(hidden)]
pub mod drift;
#[doc(hidden)]
pub mod graph;
#[doc(hidden)]
pub mod guard;
pub mod html;
pub mod json;
#[doc(hidden)]
pub mod junit;
#[doc(hidden)]
pub mod markdown;
#[doc(hidden)]
pub mod markdown_drift;
#[doc(hidden)]
pub mod migrate;
mod patch;
mod phrase;

pub use patch::patch;
pub use phrase::Review;
#[doc(hidden)]
pub mod roff;
pub mod text;
pub mod yaml;

pub use crate::kit::safe::{clean, clean_lines};
