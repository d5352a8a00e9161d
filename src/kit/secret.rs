//! Which fields of an object hold values of a Secret.

/// The fields of a Secret that hold its values.
pub const VALUES: [&str; 2] = ["data", "stringData"];

/// Whether a field of an object of this kind holds values of a Secret.
#[must_use]
pub fn is_hidden(kind: Option<&str>, field: &str) -> bool {
    kind == Some("Secret") && VALUES.contains(&field)
}
