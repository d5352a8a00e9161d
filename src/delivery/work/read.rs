//! Works: a ManifestWorkReplicaSet's template, and the ManifestWorks that the hub made of it.

use rustc_hash::FxHashMap;

use crate::delivery::id::Id;
use crate::document::{DocumentKind, Documents};
use crate::ocm::lower::{Admission, Head, at, get, labels, text};
use crate::source::Place;
use crate::yaml::{Dialect, Node};

const REPLICA_SET: &str = "work.open-cluster-management.io/manifestworkreplicaset";
const PLACEMENT: &str = "work.open-cluster-management.io/placementname";

/// The template of a ManifestWorkReplicaSet.
#[derive(Debug, Clone, Copy)]
pub struct Template<'a> {
    /// `spec.manifestWorkTemplate`.
    pub spec: Option<Node<'a>>,
    /// Whether what is removed stays on its cluster.
    pub orphan: bool,
    /// Whether it is being deleted.
    pub terminating: bool,
}

/// A ManifestWork: its namespace is the cluster.
#[derive(Debug)]
pub struct Work<'a> {
    /// Its kind, namespace, name and place.
    pub id: Id<'a>,
    /// The replica set that it was made of, as `NAMESPACE.NAME`.
    pub replica_set: Option<&'a str>,
    /// The placement that it was made for.
    pub placement: Option<&'a str>,
    /// `spec`.
    pub spec: Option<Node<'a>>,
    /// The whole object.
    pub node: Node<'a>,
}

impl Work<'_> {
    /// Whether it is what the template says now.
    #[must_use]
    pub fn is_current(&self, template: &Template<'_>) -> bool {
        match (self.spec, template.spec) {
            (Some(spec), Some(template)) => same(spec, template),
            (spec, template) => spec.is_none() && template.is_none(),
        }
    }
}

/// Reads a ManifestWork.
pub(in crate::delivery) fn work<'a>(node: Node<'a>, admission: &Admission<'_, 'a>) -> Work<'a> {
    let labels = labels(admission.head.labels);
    let label = |key: &str| {
        labels
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| *value)
    };
    Work {
        id: Id::of(admission),
        replica_set: label(REPLICA_SET),
        placement: label(PLACEMENT),
        spec: get(node, "spec"),
        node,
    }
}

/// The templates by the places of the names of their replica sets.
pub(in crate::delivery) fn templates<'a>(
    documents: &Documents<'a>,
) -> FxHashMap<Place, Template<'a>> {
    let sets = documents.of(DocumentKind::ManifestWorkReplicaSet);
    let one = |node: Node<'a>| {
        let head = Head::of(node);
        let spec = at(node, &["spec", "manifestWorkTemplate"]);
        let option = spec.and_then(|spec| at(spec, &["deleteOption"]));
        let template = Template {
            spec,
            orphan: option.is_some_and(|option| text(option, "propagationPolicy") == "Orphan"),
            terminating: head.terminating,
        };
        (head.place, template)
    };
    sets.map(|document| one(document.node)).collect()
}

/// Whether two specifications say the same: as values, whatever the order of keys. The times that
/// a serialiser adds to manifests do not count.
fn same(one: Node<'_>, other: Node<'_>) -> bool {
    if one.is_mapping() && other.is_mapping() {
        let counts = |(key, value): &(Node<'_>, Node<'_>)| {
            !value.is_null() && key.text() != Some("creationTimestamp")
        };
        let left = one.entries().filter(counts).count();
        let right = other.entries().filter(counts).count();
        return left == right
            && one.entries().filter(counts).all(|(key, value)| {
                let there = key.text().and_then(|key| other.get(key));
                there.is_some_and(|there| same(value, there))
            });
    }
    if one.is_sequence() && other.is_sequence() {
        return one.len() == other.len()
            && one
                .items()
                .zip(other.items())
                .all(|(one, other)| same(one, other));
    }
    one.is_scalar()
        && other.is_scalar()
        && one.scalar(Dialect::Kubernetes) == other.scalar(Dialect::Kubernetes)
}
