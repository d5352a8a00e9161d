//! YAML as a tree that knows where everything is; it knows no kind of document.

mod build;
mod cut;
mod expand;
mod fast;
mod fault;
mod json;
mod limits;
mod node;
mod parse;
mod scalar;
mod tree;

pub use build::{Insert, Patch, TreeBuilder};
pub use cut::cut;
pub use fault::{Fault, FaultKind};
pub use json::json;
pub use limits::Limits;
pub(crate) use node::index;
pub use node::{Entries, Items, Kind, Node};
pub use parse::{
    Parsed, Quirk, QuirkKind, count_events, has_old_breaks, parse, parse_by_events,
    parse_with_old_breaks,
};
pub use scalar::{Dialect, Scalar, plain_scalar};
pub use tree::{Position, Tree};
