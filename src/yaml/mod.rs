//! YAML as a tree that knows where everything stands; it knows no kind of document.

mod build;
mod cut;
mod json;
mod limits;
mod node;
mod normal;
mod parse;
mod scalar;

pub use build::{Insert, Patch, TreeBuilder};
pub use cut::cut;
pub use json::json;
pub use limits::Limits;
pub use node::{Entries, Items, Kind, Node, Tree};
pub use parse::{DocumentRange, Fault, FaultKind, Parsed, Quirk, QuirkKind, count_events, parse};
pub use scalar::{Dialect, Scalar, plain_scalar};
