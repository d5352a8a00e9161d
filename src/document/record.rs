//! Records: how they are numbered, and the annotation that their documents carry.

use crate::yaml::Node;

/// The directory of records in a site.
pub const DIRECTORY: &str = "planner-records";
/// The annotation that holds the record's number.
pub const ANNOTATION: &str = "planner/record";

/// The number of the record that a document belongs to.
#[must_use]
pub fn number_of(document: Node<'_>) -> Option<u64> {
    document
        .at(&["metadata", "annotations", ANNOTATION])?
        .text()?
        .parse()
        .ok()
}

/// A number as the record's file and every message have it.
#[must_use]
pub fn shown(number: u64) -> String {
    format!("{number:04}")
}
