//! JSON Schemas: embedded, bundled, and run over the spanned tree itself.
//!
//! Structure only: nothing here knows facts across documents.

mod bundle;
mod cursor;
mod deciding;
mod editors;
mod fault;
mod files;
mod instance;
mod named;
pub mod rules;
mod shape;

pub use bundle::{bundled, site_schema};
pub use deciding::deciding;
pub use editors::for_editors;
pub use fault::{Fault, check, check_each};
pub use files::{FILES, OUTPUTS};
pub use named::{named, names, stem_of, stems};

use crate::diagnostic::Severity;

/// How the faults of a family's documents are reported.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// Severity of unknown fields.
    pub unknown_field: Severity,
    /// The original system's name for every fault.
    pub upstream: Option<&'static str>,
    /// Whether the object carries `field` and `rule` as an admission error does.
    pub admission: bool,
    /// Whether fixes are offered only where exactly one word is meant; they are safe then.
    pub exact_fixes: bool,
    /// Beginnings of the fields that a decision depends on: an unknown field that was meant for
    /// one of them is an error.
    pub deciding: &'static [&'static str],
}
