//! Documents in a form that is out of use: one note for each directory.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::document::rules::NEAR_KIND;
use crate::kit::plural::{listed, plural};
use crate::source::Sources;

/// Whether a finding is about such a document; slips are warnings.
fn is_one(found: &Diagnostic) -> bool {
    found.rule.code == NEAR_KIND.code && found.severity == Severity::Note
}

/// Leaves the first of these findings of each directory, with the count of them.
pub(super) fn fold(found: &mut Sink, sources: &Sources) {
    let mut directories: BTreeMap<String, (usize, BTreeMap<String, usize>)> = BTreeMap::new();
    let mut at = 0;
    let mut kept = Vec::new();
    for one in std::mem::take(&mut found.diagnostics) {
        let place = one.primary.as_ref().map(|label| label.place);
        if let Some(place) = place.filter(|_| is_one(&one)) {
            let directory = sources.directory(place.source).to_owned();
            let kind = one.object.as_ref().map_or("", |object| &object.kind);
            let (first, kinds) = directories
                .entry(directory)
                .or_insert_with(|| (at, BTreeMap::new()));
            *kinds.entry(kind.to_owned()).or_default() += 1;
            if *first != at {
                continue;
            }
        }
        kept.push(one);
        at += 1;
    }
    for (first, kinds) in directories.into_values() {
        let all: usize = kinds.values().sum();
        if all > 1 {
            let kinds = kinds
                .iter()
                .map(|(kind, number)| format!("{number} {kind}"));
            let kinds: Vec<String> = kinds.collect();
            kept[first].message = format!(
                "{} here with `apiVersion` and `kind` are not planned: {}",
                plural(all, "document"),
                listed(&kinds)
            );
        }
    }
    found.diagnostics = kept;
}
