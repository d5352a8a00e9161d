//! Schemas by the names that people call them.

use serde_json::Value;

use crate::document::{KINDS, KindInfo};

use super::files::{BY_SCHEMA, BY_TYPE};
use super::{FILES, OUTPUTS, for_editors};

/// The name of every schema; `site` is all kinds in one.
pub fn stems() -> impl Iterator<Item = &'static str> {
    let files = FILES.iter().chain(OUTPUTS);
    std::iter::once("site").chain(files.map(|(stem, _)| *stem))
}

/// The names of the schemas, and the kinds of their documents.
pub fn names() -> impl Iterator<Item = &'static str> {
    stems().chain(KINDS.iter().map(|info| info.name))
}

/// The stem of a document's schema: by its `apiVersion` and `kind`, its `schema` or its `type`.
#[must_use]
pub fn stem_of(
    api_version: Option<&str>,
    kind: Option<&str>,
    schema: Option<&str>,
    form: Option<&str>,
) -> Option<&'static str> {
    let same = |info: &&KindInfo| kind == Some(info.name) && api_version == Some(info.api_version);
    let by_kind = KINDS.iter().find(same).map(|info| info.schema);
    let of = |table: &'static [(&str, &'static str)], wanted: Option<&str>| {
        let row = table.iter().find(|(name, _)| Some(*name) == wanted);
        row.map(|(_, stem)| *stem)
    };
    by_kind
        .or_else(|| of(BY_SCHEMA, schema))
        .or_else(|| of(BY_TYPE, form))
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
