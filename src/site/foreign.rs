//! The documents of a site that are not ours, by kind.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::diagnostic::Sink;
use crate::document::{Document, KINDS};
use crate::yaml::Node;

use super::Checked;

impl Checked<'_> {
    /// The kinds of the documents that are not ours, as messages call them, and how many documents
    /// are of each; the most frequent ones first.
    #[must_use]
    pub fn foreign_kinds(&self, found: &[&Sink]) -> Vec<(String, usize)> {
        let refused = self.refused(found);
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for document in self.not_ours(&refused) {
            *counts.entry(kind(document)).or_default() += 1;
        }
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for (kind, _) in counts.keys() {
            *groups.entry(kind).or_default() += 1;
        }
        let named = |((kind, group), count): (&(&str, &str), &usize)| {
            // The name alone does not tell it from a kind of ours, or from another group's.
            let shared = groups[kind] > 1 || KINDS.iter().any(|info| info.name == *kind);
            let name = match (shared, *group) {
                (true, group) if !group.is_empty() => format!("{kind} ({group})"),
                _ => (*kind).to_owned(),
            };
            (name, *count)
        };
        let mut named: Vec<(String, usize)> = counts.iter().map(named).collect();
        named.sort_by_key(|(_, count)| Reverse(*count));
        named
    }
}

/// The kind and the group of a document, by what it says of itself.
fn kind<'a>(document: &Document<'a>) -> (&'a str, &'a str) {
    let text = |key: &str| {
        let text = document.node.get(key).and_then(Node::text);
        text.filter(|text| !text.is_empty())
    };
    let group = |api: &'a str| api.rsplit_once('/').map_or("", |(group, _)| group);
    let plain = |text: &&str| !text.contains(char::is_whitespace);
    match (text("apiVersion"), text("kind")) {
        (api, Some(kind)) => (kind, api.map_or("", group)),
        _ => {
            let named = text("schema").or_else(|| text("type")).filter(plain);
            (named.unwrap_or("without a kind"), "")
        }
    }
}
