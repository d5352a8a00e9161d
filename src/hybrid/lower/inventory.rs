//! The possible targets: clusters, deployers, and the other kinds that rules name.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::super::model::{
    CLUSTER_API, CLUSTER_KIND, Deployer, Object, PlacementTarget, Policy, Reference, Stock,
};
use super::rule::Draft;
use super::{given, text};
use crate::document::{Document, DocumentKind, Documents};
use crate::yaml::{Dialect, Node};

/// The data that the rules need beyond clusters and deployers.
pub(super) struct Wanted<'a> {
    /// Kinds that deployers place on.
    kinds: Vec<PlacementTarget<'a>>,
    /// Targets with a kind.
    targets: Vec<Reference<'a>>,
    /// Names of policies.
    policies: BTreeSet<&'a str>,
}

impl<'a> Wanted<'a> {
    pub(super) fn of(drafts: &[Draft<'a>], documents: &Documents<'a>) -> Self {
        let mut asked = Self {
            kinds: Vec::new(),
            targets: Vec::new(),
            policies: BTreeSet::new(),
        };
        for document in documents.of(DocumentKind::Deployer) {
            let target = deployer(document.node).target;
            asked.kinds.extend(target.filter(|_| !document.refused));
        }
        for draft in drafts {
            let targets = draft.rule.targets.iter();
            asked
                .targets
                .extend(targets.filter(|target| !target.kind.is_empty()));
            for advisor in 0..draft.rule.advisors.len() {
                let policies = draft.rules(advisor).and_then(|r| given(r, "policies"));
                let items = policies.into_iter().flat_map(Node::items);
                asked
                    .policies
                    .extend(items.map(|item| text(item.get("name"))));
            }
        }
        asked.policies.remove("");
        asked
    }

    fn wants(&self, object: &Object<'_>) -> bool {
        let of_kind = |kind: &PlacementTarget<'_>| kind.takes(object.api_version, object.kind);
        self.kinds.iter().any(of_kind) || self.targets.iter().any(|target| target.fits(object))
    }
}

/// Every object of the inventory; notes the documents of other systems that are among them.
pub(super) fn objects<'a>(
    documents: &Documents<'a>,
    doubles: &BTreeSet<u32>,
    asked: &Wanted<'a>,
    claimed: &mut Vec<u32>,
) -> Stock<'a> {
    // Nearly all are clusters: growing would hold the list twice.
    let mut stock = Stock::with_room(documents.of(DocumentKind::ManagedCluster).count());
    let mut add = |object: Object<'a>, node: Node<'a>| {
        let labels = labels(node.at(&["metadata", "labels"]));
        stock.add(object, labels, amounts(node.at(&["status", "allocatable"])));
    };
    let others = !asked.kinds.is_empty() || !asked.targets.is_empty();
    for document in &documents.all {
        match document.kind {
            // Hybrid takes every cluster that has a name.
            DocumentKind::ManagedCluster => {
                if let Some(object) = object(document) {
                    add(object, document.node);
                }
            }
            DocumentKind::Deployer if !document.refused && !doubles.contains(&document.index) => {
                if let Some(object) = object(document) {
                    let deployer = Some(Box::new(deployer(document.node)));
                    add(Object { deployer, ..object }, document.node);
                }
            }
            DocumentKind::Deployer | DocumentKind::PlacementRule | DocumentKind::AdvisorAnswers => {
            }
            kind if kind.dialect() == Dialect::PyYaml => {}
            kind if others && (!document.refused || kind.is_consumer()) => {
                if let Some(object) = object(document).filter(|object| asked.wants(object)) {
                    add(object, document.node);
                    claimed.push(document.index);
                }
            }
            _ => {}
        }
    }
    stock
}

fn object<'a>(document: &Document<'a>) -> Option<Object<'a>> {
    let node = document.node;
    let metadata = node.get("metadata")?;
    let name = metadata.get("name").filter(|name| !name.is_null())?;
    Some(Object {
        api_version: usual(node.get("apiVersion")?.text()?, CLUSTER_API),
        kind: usual(node.get("kind")?.text()?, CLUSTER_KIND),
        namespace: text(metadata.get("namespace")),
        name: name.text().filter(|name| !name.is_empty())?,
        place: name.place(),
        ..Object::default()
    })
}

/// The text of ours where it is that: many objects are compared faster if they share one text.
fn usual<'a>(text: &'a str, ours: &'static str) -> &'a str {
    if text == ours { ours } else { text }
}

/// Labels; a null value is the empty text.
fn labels<'a>(node: Option<Node<'a>>) -> impl Iterator<Item = (&'a str, &'a str)> {
    let labels = node.into_iter().flat_map(Node::entries);
    labels.filter_map(|(key, value)| {
        let empty = value.is_null().then_some("");
        Some((key.text()?, empty.or_else(|| value.text())?))
    })
}

/// Quantities that are there.
fn amounts<'a>(node: Option<Node<'a>>) -> impl Iterator<Item = (&'a str, Cow<'a, str>)> {
    let amounts = node.into_iter().flat_map(Node::entries);
    let there = amounts.filter(|(_, value)| !value.is_null());
    there.filter_map(|(key, value)| Some((key.text()?, value.digits(Dialect::Kubernetes)?)))
}

fn deployer(node: Node<'_>) -> Deployer<'_> {
    let target = node.at(&["spec", "placementTarget"]).map(|target| {
        let part = |key| text(target.get(key));
        PlacementTarget {
            group: part("group"),
            version: part("version"),
            resource: part("resource"),
        }
    });
    Deployer {
        kind: text(node.at(&["spec", "type"])),
        target: target.filter(|target| !matches!(target.resource, "" | "deployers")),
    }
}

/// The `Policy` documents that advisors ask for.
pub(super) fn policies<'a>(
    documents: &Documents<'a>,
    asked: &Wanted<'a>,
    claimed: &mut Vec<u32>,
) -> Vec<Policy<'a>> {
    let mut policies = Vec::new();
    if asked.policies.is_empty() {
        return policies;
    }
    // A policy that OCM would refuse still counts here.
    let foreign = documents.of(DocumentKind::Foreign);
    let foreign = foreign.filter(|document| !document.refused);
    for document in foreign.chain(documents.of(DocumentKind::Policy)) {
        let kind = text(document.node.get("kind"));
        let Some(name) = document.name().filter(|name| asked.policies.contains(name)) else {
            continue;
        };
        if kind == "Policy" {
            policies.push(policy(name, document.node));
            claimed.push(document.index);
        }
    }
    policies
}

fn policy<'a>(name: &'a str, node: Node<'a>) -> Policy<'a> {
    let entries = node.at(&["status", "status"]);
    let verdicts = entries.into_iter().flat_map(Node::items).map(|entry| {
        let compliant = text(entry.get("compliant")) == "Compliant";
        (text(entry.get("clustername")), compliant)
    });
    let mut clusters: Vec<(&str, bool)> = verdicts.collect();
    // `false` comes first: of several entries for a cluster one fault decides.
    clusters.sort_unstable();
    clusters.dedup_by_key(|(cluster, _)| *cluster);
    Policy { name, clusters }
}
