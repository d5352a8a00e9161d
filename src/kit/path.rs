//! Paths as texts.

use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`, taken out by its text alone.
#[must_use]
pub fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
