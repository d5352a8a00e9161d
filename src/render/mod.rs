//! Writing: plans and findings as text and as data. Decides nothing.

pub mod diagnostics;
pub mod graph;
pub mod json;
pub mod junit;
pub mod markdown;
mod phrase;

pub use phrase::Review;
pub mod roff;
mod safe;
pub mod text;
pub mod yaml;

pub use safe::{clean, clean_lines};
