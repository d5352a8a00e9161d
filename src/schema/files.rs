//! The schema files, embedded in the program: stem and text, by stem.

/// Every file of `schemas/` but the dispatching one, which is made from the table of kinds.
pub static FILES: &[(&str, &str)] = &[];
