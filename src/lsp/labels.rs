//! The labels that the inventory has, and the clusters that carry them.

use std::collections::{BTreeMap, BTreeSet};

use crate::site::Checked;
use crate::yaml::Node;

use super::names::kind_of;

/// The kinds whose selectors are about Clusters; those of all others are about ManagedClusters.
const OF_CLUSTERS: [&str; 3] = ["Application", "Cluster", "Package"];

/// The clusters that a selector chooses from, with their labels.
#[derive(Debug, Default)]
pub(super) struct Inventory<'v> {
    clusters: Vec<(&'v str, Vec<(&'v str, &'v str)>)>,
}

/// A requirement of a selector or a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Requirement<'v> {
    pub(super) key: &'v str,
    pub(super) operator: &'v str,
    pub(super) values: Vec<&'v str>,
}

impl<'v> Inventory<'v> {
    /// The clusters for selectors in documents of a kind.
    pub(super) fn new(checked: &'v Checked<'_>, kind: &str) -> Self {
        let wanted = if OF_CLUSTERS.contains(&kind) {
            "Cluster"
        } else {
            "ManagedCluster"
        };
        let mut clusters = Vec::new();
        for document in &checked.documents.all {
            let name = document.name().filter(|_| kind_of(document.node) == wanted);
            let Some(name) = name else {
                continue;
            };
            let mut labels = Vec::new();
            add(document.node.at(&["metadata", "labels"]), &mut labels);
            let nodes = document.node.at(&["spec", "nodes"]);
            for node in nodes.into_iter().flat_map(Node::items) {
                add(node.get("labels"), &mut labels);
            }
            clusters.push((name, labels));
        }
        Self { clusters }
    }

    /// How many clusters there are.
    pub(super) fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Each key, with the clusters that carry it.
    pub(super) fn keys(&self) -> BTreeMap<&'v str, BTreeSet<&'v str>> {
        let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (name, labels) in &self.clusters {
            for (key, _) in labels {
                keys.entry(key).or_default().insert(name);
            }
        }
        keys
    }

    /// Each value of a key, with the clusters that carry it.
    pub(super) fn values(&self, key: &str) -> BTreeMap<&'v str, BTreeSet<&'v str>> {
        let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (name, labels) in &self.clusters {
            for (_, value) in labels.iter().filter(|(own, _)| *own == key) {
                values.entry(value).or_default().insert(name);
            }
        }
        values
    }

    /// The clusters that meet a requirement; none of one that does not ask for a label.
    pub(super) fn matching(&self, wanted: &Requirement<'_>) -> Option<Vec<&'v str>> {
        let has = |labels: &[(&str, &str)]| labels.iter().any(|(key, _)| *key == wanted.key);
        let is = |labels: &[(&str, &str)]| {
            let carried = labels.iter().filter(|(key, _)| *key == wanted.key);
            carried
                .map(|(_, value)| value)
                .any(|value| wanted.values.contains(value))
        };
        let meets: fn(bool, bool) -> bool = match wanted.operator {
            "In" | "Equals" => |_, is| is,
            "NotIn" | "NotEquals" => |_, is| !is,
            "Exists" => |has, _| has,
            "DoesNotExist" => |has, _| !has,
            _ => return None,
        };
        let clusters = self.clusters.iter();
        let meeting = clusters.filter(|(_, labels)| meets(has(labels), is(labels)));
        Some(meeting.map(|(name, _)| *name).collect())
    }
}

fn add<'v>(node: Option<Node<'v>>, labels: &mut Vec<(&'v str, &'v str)>) {
    for (key, value) in node.into_iter().flat_map(Node::entries) {
        if let (Some(key), Some(value)) = (key.text(), value.text()) {
            labels.push((key, value));
        }
    }
}

/// The requirement that a mapping with `key`, `operator` and `values` is.
pub(super) fn requirement(node: Node<'_>) -> Option<Requirement<'_>> {
    let text = |key: &str| node.get(key).and_then(Node::text);
    let values = node.get("values");
    let single = values.and_then(Node::text);
    let several = values.into_iter().flat_map(Node::items);
    Some(Requirement {
        key: text("key")?,
        operator: text("operator")?,
        values: single
            .into_iter()
            .chain(several.filter_map(Node::text))
            .collect(),
    })
}
