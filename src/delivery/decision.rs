//! PlacementDecisions as consumers read them: all labels, and all entries of each decision.

use rustc_hash::{FxHashMap, FxHashSet};

use super::application_set::argo::value::Value;
use super::application_set::read::value;
use crate::document::{Document, DocumentKind, Documents};
use crate::ocm::lower::{Head, at, get, items, labels, text};
use crate::source::Place;
use crate::yaml::Node;

/// A PlacementDecision.
#[derive(Debug)]
pub struct Decisions<'a> {
    /// Its labels.
    pub labels: Vec<(&'a str, &'a str)>,
    /// Its decisions; `None` without a status, or with an empty one.
    pub decisions: Option<Vec<Decision<'a>>>,
}

/// One decision.
#[derive(Debug)]
pub struct Decision<'a> {
    /// `clusterName`, if it is there.
    pub cluster: Option<&'a str>,
    /// `reason`, if it is there.
    pub reason: Option<&'a str>,
    /// All other entries.
    pub more: Box<[(&'a str, Value<'a>)]>,
}

/// The PlacementRules whose PlacementDecisions say that the subscription operator wrote them, by
/// namespace and name.
#[must_use]
pub(super) fn ruled<'a>(documents: &Documents<'a>) -> FxHashSet<(&'a str, &'a str)> {
    let documents = documents.of(DocumentKind::PlacementDecision);
    let owner = |document: &Document<'a>| {
        let owners = at(document.node, &["metadata", "ownerReferences"]);
        let rule = items(owners).find(|owner| text(*owner, "kind") == "PlacementRule")?;
        Some((Head::of(document.node).namespace(), text(rule, "name")))
    };
    documents.filter_map(owner).collect()
}

/// All PlacementDecisions of a site, by the places of their names.
#[must_use]
pub(super) fn all<'a>(documents: &Documents<'a>) -> FxHashMap<Place, Decisions<'a>> {
    let documents = documents.of(DocumentKind::PlacementDecision);
    documents
        .map(|document| {
            let head = Head::of(document.node);
            (head.place, of(document.node, labels(head.labels)))
        })
        .collect()
}

fn of<'a>(node: Node<'a>, labels: Vec<(&'a str, &'a str)>) -> Decisions<'a> {
    let status = get(node, "status").filter(|status| !status.is_empty());
    Decisions {
        labels,
        decisions: status.map(|status| items(at(status, &["decisions"])).map(decision).collect()),
    }
}

fn decision<'a>(node: Node<'a>) -> Decision<'a> {
    let mut found = Decision {
        cluster: None,
        reason: None,
        more: Box::default(),
    };
    let mut more = Vec::new();
    for (key, entry) in node.entries() {
        match key.text() {
            Some("clusterName") => found.cluster = entry.text(),
            Some("reason") => found.reason = entry.text(),
            Some(key) => more.push((key, value(entry))),
            None => {}
        }
    }
    found.more = more.into();
    found
}
