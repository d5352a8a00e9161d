//! Schemas by the names that people call them.

use serde_json::Value;

use crate::document::KINDS;

use super::{FILES, OUTPUTS, for_editors};

/// The name of every schema; `site` is all kinds in one.
pub fn stems() -> impl Iterator<Item = &'static str> {
    let files = FILES.iter().chain(OUTPUTS);
    std::iter::once("site").chain(files.map(|(stem, _)| *stem))
}

/// All that a schema may be called: its name, or a kind of its documents.
pub fn names() -> impl Iterator<Item = &'static str> {
    stems().chain(KINDS.iter().map(|info| info.name))
}

/// The schema of this name, for editors: by its name, by a kind, or by the end of its name; a
/// command (`plan`) is the schema of its answer.
#[must_use]
pub fn named(name: &str) -> Option<Value> {
    let by_kind = || {
        let mut kinds = KINDS.iter();
        let kind = kinds.find(|info| info.name.eq_ignore_ascii_case(name));
        kind.map(|info| info.schema)
    };
    let by_ending = || {
        let lower = name.to_lowercase();
        stems().find(|stem| stem.split_once('-').is_some_and(|(_, end)| end == lower))
    };
    let by_command = || stems().find(|stem| stem.strip_prefix("output/") == Some(name));
    let exact = stems().find(|stem| *stem == name);
    let found = exact.or_else(by_kind).or_else(by_ending);
    let stem = found.or_else(by_command)?;
    for_editors(stem)
}
