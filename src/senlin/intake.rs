//! Which documents are Senlin's although their type does not say so.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Sink};
use crate::document::rules::NEAR_KIND;
use crate::document::{Document, DocumentKind, classify};
use crate::source::{Place, SourceId};
use crate::yaml::Node;

/// Whether a document may be a profile.
fn is_profile(node: Node<'_>) -> bool {
    let has = |key| node.get(key).is_some();
    has("type")
        && has("version")
        && has("properties")
        && !["apiVersion", "kind", "schema", "$schema"]
            .iter()
            .any(|key| has(key))
}

/// A profile is Senlin's only beside another Senlin document of its file. What was said of its type
/// without regard to the file is forgotten: it is judged with the others.
pub fn recognise_profiles(all: &mut [Document<'_>], sink: &mut Sink) {
    // Classify each document again, without its file.
    for document in all.iter_mut().filter(|d| d.kind == DocumentKind::Senlin) {
        document.kind = classify(document.node).kind;
    }
    let ours = all.iter().filter(|d| d.kind == DocumentKind::Senlin);
    let files: BTreeSet<SourceId> = ours.map(|document| document.source()).collect();
    if files.is_empty() {
        return;
    }
    let mut types: BTreeSet<Place> = BTreeSet::new();
    for document in all.iter_mut().filter(|d| d.kind == DocumentKind::Foreign) {
        if files.contains(&document.source()) && is_profile(document.node) {
            document.kind = DocumentKind::Senlin;
            types.extend(document.node.get("type").map(Node::place));
        }
    }
    let at = |found: &Diagnostic| found.primary.as_ref().map(|label| label.place);
    sink.diagnostics.retain(|found| {
        found.rule.code != NEAR_KIND.code || at(found).is_none_or(|place| !types.contains(&place))
    });
}
