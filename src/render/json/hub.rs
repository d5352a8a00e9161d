//! The snapshot of a hub as data.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::hub::Merged;
use crate::source::Sources;

/// Which snapshot, how old, and what it holds.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hub {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    taken: Option<String>,
    newest: Option<String>,
    objects: BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    left_out: BTreeMap<String, usize>,
}

impl Hub {
    /// A snapshot.
    #[must_use]
    pub fn new(merged: &Merged, sources: &Sources) -> Self {
        Self {
            file: sources.get(merged.source).name.clone(),
            taken: merged.taken.map(|time| time.to_string()),
            newest: merged.newest.map(|time| time.to_string()),
            objects: merged.objects.clone(),
            left_out: merged
                .left_out()
                .into_iter()
                .map(|(kind, count)| (kind.to_owned(), count))
                .collect(),
        }
    }
}
