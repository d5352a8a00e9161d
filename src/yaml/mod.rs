//! YAML as a tree that knows where everything is; it knows no kind of document.

mod build;
mod cut;
mod edit;
mod events;
mod expand;
mod fast;
mod fault;
mod json;
mod limits;
mod node;
mod parse;
mod scalar;
mod slips;
mod stretches;
mod tree;

pub use build::{Insert, Patch, TreeBuilder};
pub use cut::cut;
pub use edit::Op;
pub(crate) use edit::edited;
pub use fault::{Fault, FaultKind};
pub use json::json;
pub use limits::Limits;
pub(crate) use node::index;
pub use node::{Entries, Items, Kind, Node};
pub use parse::{Family, Parsed, Quirk, QuirkKind, count_events, parse, parse_as, parse_by_events};
pub use scalar::{Dialect, Scalar, plain_scalar};
pub use slips::{Broken, syntax};
pub use stretches::Stretches;
pub use tree::{Position, Tree};
