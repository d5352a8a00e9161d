//! From documents to the model: admission as the API server does it, then decoding.
//!
//! Structure was checked by the schemas; what a schema cannot say is checked here ("OCM placement,
//! section 3"). A refused document takes no part.

mod admission;
mod data;
mod placement;
mod rollout;

use std::collections::BTreeMap;

use self::admission::Admission;
use super::model::{
    AddOnPlacementScore, Binding, Effect, GROUP_INDEX_LABEL, GROUP_NAME_LABEL, ManagedCluster,
    ManagedClusterSet, Model, PLACEMENT_LABEL, PlacementDecision, Resources, SetSelector, Taint,
};
use super::rules;
use crate::diagnostic::{Diagnostic, Sink};
use crate::document::{Document, DocumentKind, Documents, System};
use crate::source::Place;
use crate::yaml::{Dialect, Node, Scalar};

/// Decodes OCM's documents and reports what admission would refuse.
pub(super) fn lower<'a>(documents: &Documents<'a>, sink: &mut Sink) -> Model<'a> {
    let alone = !documents.all.iter().any(|document| {
        document.kind != DocumentKind::ManagedCluster && document.kind.system() == Some(System::Ocm)
    });
    let mut model = Model::default();
    let mut seen = Seen::default();
    let mut decisions = Vec::new();
    let mut cluster_nodes = BTreeMap::new();
    for document in &documents.all {
        if document.kind == DocumentKind::RolloutStep {
            model.rollout_steps.push(rollout::step(document.node));
            continue;
        }
        if document.refused || document.kind.system() != Some(System::Ocm) {
            continue;
        }
        let mut admission = Admission::new(document, sink, alone);
        admission.metadata();
        if document.record.is_none() {
            seen.check(document, &mut admission);
        }
        let node = document.node;
        match document.kind {
            DocumentKind::ManagedCluster => {
                let cluster = cluster(node, &mut admission);
                if admission.passed() {
                    cluster_nodes.insert(cluster.name, node);
                    model.clusters.push(cluster);
                }
            }
            DocumentKind::ManagedClusterSet => {
                let set = cluster_set(node);
                if admission.passed() {
                    model.sets.push(set);
                }
            }
            DocumentKind::ManagedClusterSetBinding => {
                let binding = binding(node, &mut admission);
                if admission.passed() {
                    model.bindings.push(binding);
                }
            }
            DocumentKind::Placement => {
                let placement = placement::placement(node, &mut admission);
                if admission.passed() {
                    model.placements.push(placement);
                }
            }
            DocumentKind::PlacementDecision => {
                let gone = node.at(&["metadata", "deletionTimestamp"]).is_some();
                let decision = decision(node);
                if admission.passed() {
                    decisions.push((document.record, gone, decision));
                }
            }
            DocumentKind::AddOnPlacementScore => {
                let score = score(node, &mut admission);
                if admission.passed() {
                    model.scores.push(score);
                }
            }
            DocumentKind::ManifestWorkReplicaSet => {
                let replica_set = rollout::replica_set(node, &mut admission);
                if admission.passed() {
                    model.replica_sets.push(replica_set);
                }
            }
            _ => {}
        }
        if document.record.is_none() && admission.passed() {
            seen.keep(document);
        }
    }
    model.decisions = overlay(decisions);
    model.clusters.sort_by_key(|cluster| cluster.name);
    if model
        .placements
        .iter()
        .any(|p| p.predicates.iter().any(|p| !p.cel.is_empty()))
    {
        for cluster in &mut model.clusters {
            cluster.data = cluster_nodes
                .get(cluster.name)
                .map(|node| data::cluster(*node));
        }
    }
    model
}

/// Identities taken so far: kind, namespace, name. A refused document stands in nobody's way.
#[derive(Default)]
struct Seen<'a>(BTreeMap<(DocumentKind, &'a str, &'a str), Place>);

impl<'a> Seen<'a> {
    fn key(document: &Document<'a>) -> (DocumentKind, &'a str, &'a str) {
        let namespace = document.namespace().unwrap_or("");
        (document.kind, namespace, document.name().unwrap_or(""))
    }

    fn keep(&mut self, document: &Document<'a>) {
        self.0
            .insert(Self::key(document), name_place(document.node));
    }

    fn check(&self, document: &Document<'a>, admission: &mut Admission<'_, 'a>) {
        let key = Self::key(document);
        if let Some(first) = self.0.get(&key) {
            let message = format!(
                "{} {} stands in the documents twice",
                admission.kind(),
                key.2
            );
            let found = Diagnostic::new(&rules::DUPLICATE, message)
                .at(name_place(document.node), "again here")
                .related(*first, "first here")
                .help("keep one of them");
            admission.push(found, "metadata.name", "duplicate");
        }
    }
}

/// Lays records over the site: of several with one identity the highest number counts. A record
/// with a deletion timestamp says that the object is gone (contract, section 4).
fn overlay<'a>(
    decisions: Vec<(Option<u64>, bool, PlacementDecision<'a>)>,
) -> Vec<PlacementDecision<'a>> {
    let mut newest: BTreeMap<(&'a str, &'a str), u64> = BTreeMap::new();
    for (record, _, decision) in &decisions {
        if let Some(record) = record {
            let highest = newest
                .entry((decision.namespace, decision.name))
                .or_default();
            *highest = (*highest).max(*record);
        }
    }
    decisions
        .into_iter()
        .filter(|(record, gone, decision)| {
            match (newest.get(&(decision.namespace, decision.name)), record) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(highest), Some(record)) => record == highest && !gone,
            }
        })
        .map(|(_, _, decision)| decision)
        .collect()
}

/// A value that is there and not null.
fn get<'a>(node: Node<'a>, key: &str) -> Option<Node<'a>> {
    node.get(key).filter(|value| !value.is_null())
}

fn at<'a>(node: Node<'a>, path: &[&str]) -> Option<Node<'a>> {
    path.iter().try_fold(node, |node, key| get(node, key))
}

fn text<'a>(node: Node<'a>, key: &str) -> &'a str {
    get(node, key).and_then(Node::text).unwrap_or("")
}

fn items<'a>(node: Option<Node<'a>>) -> impl Iterator<Item = Node<'a>> {
    node.into_iter().flat_map(Node::items)
}

/// Text keys and values, null values left out.
fn pairs<'a>(node: Option<Node<'a>>) -> Vec<(&'a str, &'a str)> {
    let Some(node) = node else { return Vec::new() };
    let mut pairs = Vec::with_capacity(node.len());
    for (key, value) in node.entries() {
        if let (Some(key), Some(value)) = (key.text(), value.text()) {
            pairs.push((key, value));
        }
    }
    pairs
}

/// A whole number; one beyond 64 bits stays at the limit.
fn int(node: Node<'_>) -> Option<i64> {
    match node.scalar(Dialect::Kubernetes)? {
        Scalar::Int(value) => {
            Some(i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX }))
        }
        Scalar::Float(value) if value.fract() == 0.0 => Some(value as i64),
        _ => None,
    }
}

fn name_place(node: Node<'_>) -> Place {
    node.at(&["metadata", "name"]).unwrap_or(node).place()
}

/// The namespace of a namespaced object; without one kubectl would use `default`.
fn namespace(node: Node<'_>) -> &str {
    match node
        .get("metadata")
        .map_or("", |metadata| text(metadata, "namespace"))
    {
        "" => "default",
        namespace => namespace,
    }
}

fn name(node: Node<'_>) -> &str {
    node.get("metadata")
        .map_or("", |metadata| text(metadata, "name"))
}

fn cluster<'a>(node: Node<'a>, admission: &mut Admission<'_, 'a>) -> ManagedCluster<'a> {
    let mut cluster = ManagedCluster {
        name: name(node),
        place: name_place(node),
        ..ManagedCluster::default()
    };
    if let Some(metadata) = node.get("metadata") {
        cluster.labels = pairs(get(metadata, "labels"));
        cluster.terminating = get(metadata, "deletionTimestamp").is_some();
    }
    for (index, taint) in items(at(node, &["spec", "taints"])).enumerate() {
        let time_added = get(taint, "timeAdded")
            .and_then(|time| admission.time(time, &format!("spec.taints[{index}].timeAdded")));
        cluster.taints.push(Taint {
            key: text(taint, "key"),
            value: text(taint, "value"),
            effect: Effect::from_word(text(taint, "effect")).unwrap_or(Effect::NoSelect),
            time_added,
            place: taint.place(),
        });
    }
    if let Some(status) = get(node, "status") {
        cluster.allocatable = resources(status, "allocatable", admission);
        cluster.capacity = resources(status, "capacity", admission);
        for claim in items(get(status, "clusterClaims")) {
            cluster
                .claims
                .push((text(claim, "name"), text(claim, "value")));
        }
        for (index, condition) in items(get(status, "conditions")).enumerate() {
            if let Some(time) = get(condition, "lastTransitionTime") {
                let field = format!("status.conditions[{index}].lastTransitionTime");
                admission.time(time, &field);
            }
        }
    }
    cluster
}

fn resources<'a>(
    status: Node<'a>,
    which: &str,
    admission: &mut Admission<'_, 'a>,
) -> Resources<'a> {
    let mut resources = Resources::default();
    let Some(list) = get(status, which) else {
        return resources;
    };
    for (key, value) in list.entries() {
        let (Some(name), Some(amount)) = (key.text(), value.text()) else {
            continue;
        };
        if value.is_null() {
            continue;
        }
        admission.quantity(value, amount, || format!("status.{which}.{name}"));
        match name {
            "cpu" => resources.cpu = Some(amount),
            "memory" => resources.memory = Some(amount),
            _ => {}
        }
    }
    resources
}

fn cluster_set<'a>(node: Node<'a>) -> ManagedClusterSet<'a> {
    let selector = at(node, &["spec", "clusterSelector"]);
    let by_label = selector.is_some_and(|s| text(s, "selectorType") == "LabelSelector");
    ManagedClusterSet {
        name: name(node),
        place: name_place(node),
        selector: if by_label {
            let labels = selector.and_then(|selector| get(selector, "labelSelector"));
            SetSelector::Labels(
                labels.map(|labels| placement::label_selector(labels).0),
                labels.map_or(name_place(node), Node::place),
            )
        } else {
            SetSelector::Exclusive
        },
    }
}

fn binding<'a>(node: Node<'a>, admission: &mut Admission<'_, 'a>) -> Binding<'a> {
    let binding = Binding {
        namespace: namespace(node),
        name: name(node),
        place: name_place(node),
    };
    let set = at(node, &["spec", "clusterSet"]);
    if set.and_then(Node::text) != Some(binding.name) {
        let written = set.and_then(Node::text).unwrap_or("");
        let place = set.map_or(binding.place, Node::place);
        let message = format!(
            "binding `{}` binds the set `{written}`, but a binding has the name of its set",
            binding.name
        );
        let found = Diagnostic::new(&rules::BINDING_NAME, message)
            .at(place, "another name")
            .help(format!(
                "write `clusterSet: {}` or rename the binding",
                binding.name
            ));
        admission.push(found, "spec.clusterSet", "mustEqualName");
    }
    binding
}

fn decision<'a>(node: Node<'a>) -> PlacementDecision<'a> {
    let labels = pairs(at(node, &["metadata", "labels"]));
    let label = |key: &str| {
        labels
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| *value)
    };
    PlacementDecision {
        namespace: namespace(node),
        name: name(node),
        place: name_place(node),
        placement: label(PLACEMENT_LABEL),
        group_name: label(GROUP_NAME_LABEL),
        group_index: label(GROUP_INDEX_LABEL),
        clusters: items(at(node, &["status", "decisions"]))
            .map(|decision| text(decision, "clusterName"))
            .collect(),
    }
}

fn score<'a>(node: Node<'a>, admission: &mut Admission<'_, 'a>) -> AddOnPlacementScore<'a> {
    let until = at(node, &["status", "validUntil"]);
    let mut score = AddOnPlacementScore {
        cluster: namespace(node),
        name: name(node),
        place: name_place(node),
        scores: Vec::new(),
        valid_until: until.and_then(|time| admission.time(time, "status.validUntil")),
        valid_until_place: until.map_or(name_place(node), Node::place),
    };
    let mut first: BTreeMap<&str, Place> = BTreeMap::new();
    for (index, item) in items(at(node, &["status", "scores"])).enumerate() {
        let name = text(item, "name");
        let place = get(item, "name").unwrap_or(item).place();
        if let Some(first) = first.insert(name, place) {
            let found = Diagnostic::new(
                &rules::DUPLICATE,
                format!("the score `{name}` stands in the list twice"),
            )
            .at(place, "again here")
            .related(first, "first here")
            .help("keep one of them");
            admission.push(found, &format!("status.scores[{index}]"), "duplicate");
        }
        score
            .scores
            .push((name, get(item, "value").and_then(int).unwrap_or(0)));
    }
    score
}
