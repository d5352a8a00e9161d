//! From documents to the model: admission as the API server does it, then decoding.
//!
//! Structure was checked by the schemas; what a schema cannot say is checked here (the API's
//! defaults and validation). A refused document takes no part.

mod admission;
mod data;
mod head;
mod placement;
pub(crate) mod rollout;
mod seen;

use std::collections::BTreeMap;
use std::convert::Infallible;

use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use self::admission::Admission;
pub(crate) use self::head::Head;
pub(crate) use self::placement::{label_selector, text_at};
pub(crate) use self::seen::Seen;
use super::model::{
    AddOnPlacementScore, Binding, Effect, GROUP_INDEX_LABEL, GROUP_NAME_LABEL, ManagedCluster,
    ManagedClusterSet, Model, PLACEMENT_LABEL, Placement, PlacementDecision, ReplicaSet, Resources,
    RolloutStep, SetSelector, Taint,
};
use super::rules;
use crate::diagnostic::{Diagnostic, Sink};
use crate::document::{Document, DocumentKind, Documents, Reported, System};
use crate::kit::name::first_bytes;
use crate::options::CheckOptions;
use crate::parallel;
use crate::source::Place;
use crate::yaml::{Dialect, Node, Scalar};

/// Documents that a thread decodes at a time.
const RUN: usize = 256;

/// Decodes OCM's documents and reports what admission would refuse.
///
/// With `lenient` it warns and does not refuse.
pub(super) fn lower<'a>(
    documents: &Documents<'a>,
    lenient: bool,
    settings: &CheckOptions,
    sink: &mut Sink,
) -> Model<'a> {
    let jobs = settings.jobs;
    let ours = documents.all.iter();
    let ours: Vec<&Document<'a>> = ours
        .filter(|document| document.kind.system() == Some(System::Ocm))
        .filter(|document| !document.kind.is_consumer())
        .collect();
    let refused = ours.iter().any(|document| document.refused);
    let reported = refused.then(|| Reported::new(sink));
    let mut model = Model {
        lenient,
        holds_clusters: documents.has(DocumentKind::ManagedCluster),
        ..Model::default()
    };
    let count = |kind| documents.of(kind).count();
    model
        .clusters
        .reserve_exact(count(DocumentKind::ManagedCluster));
    model
        .placements
        .reserve_exact(count(DocumentKind::Placement));
    model
        .scores
        .reserve_exact(count(DocumentKind::AddOnPlacementScore));
    let mut decisions = Vec::new();
    let mut seen = Seen::with_capacity(ours.len());
    let mut take = |(object, mut admission): (Object<'a>, Admission<'_, 'a>)| {
        let document = admission.document;
        let refused_set =
            || (document.kind == DocumentKind::ManagedClusterSet).then(|| document.name());
        if document.refused && document.kind != DocumentKind::RolloutStep {
            model.refused_sets.extend(refused_set().flatten());
            if let Some(reported) = &reported {
                reported.others(&document.object(), &mut admission.findings);
            }
            sink.diagnostics.append(&mut admission.findings);
            if let Object::Placement(placement) = object {
                model.refused_placements.push(*placement);
            }
            return;
        }
        let is_own = document.record().is_none() && document.kind != DocumentKind::RolloutStep;
        if is_own && seen.check(document.kind, &mut admission) {
            return;
        }
        if admission.passed() {
            match object {
                Object::Cluster(cluster) => model.clusters.push(cluster),
                Object::Set(set) => model.sets.push(set),
                Object::Binding(binding) => model.bindings.push(binding),
                Object::Placement(placement) => model.placements.push(*placement),
                Object::Decision(decision) => decisions.push(decision),
                Object::Score(score) => model.scores.push(score),
                Object::ReplicaSet(set) => model.replica_sets.push(set),
                Object::Step(step) => model.rollout_steps.push(step),
            }
        } else {
            model.refused_sets.extend(refused_set().flatten());
        }
        sink.diagnostics.extend(admission.findings);
    };
    // Few decoded documents wait to be taken at a time: they are large.
    let runs: Vec<_> = ours.chunks(RUN).collect();
    let lower = |at: usize| -> Vec<_> {
        let run: &[&Document<'a>] = runs[at];
        settings.progress.add(run.len());
        run.iter()
            .filter_map(|document| one(document, lenient))
            .collect()
    };
    let Ok(()) = parallel::in_order(jobs, runs.len(), lower, |lowered| {
        lowered.into_iter().for_each(&mut take);
        Ok::<(), Infallible>(())
    });
    if !settings.validating && !seen.doubled.is_empty() {
        leave_out(&seen.doubled, &mut model, &mut decisions);
    }
    model.decisions = overlay(decisions);
    // The beginning of a name decides most comparisons without a look at the text.
    let name = |cluster: &ManagedCluster<'a>| (first_bytes(cluster.name), cluster.name);
    model.clusters.sort_by_cached_key(name);
    let mut predicates = model.placements.iter().flat_map(|p| &p.predicates);
    if predicates.any(|predicate| !predicate.cel.is_empty()) {
        add_data(&mut model, &ours, jobs);
    }
    model
}

/// Takes out what several documents define in different ways: nobody knows which one counts.
fn leave_out(doubled: &FxHashSet<Place>, model: &mut Model<'_>, decisions: &mut Vec<Decision<'_>>) {
    let counts = |place: Place| !doubled.contains(&place);
    model.clusters.retain(|one| counts(one.place));
    model.bindings.retain(|one| counts(one.place));
    model.scores.retain(|one| counts(one.place));
    model.replica_sets.retain(|one| counts(one.place));
    decisions.retain(|one| counts(one.decision.place));
    let (sets, refused): (Vec<_>, Vec<_>) = std::mem::take(&mut model.sets)
        .into_iter()
        .partition(|one| counts(one.place));
    model.sets = sets;
    model
        .refused_sets
        .extend(refused.iter().map(|one| one.name));
    let (placements, refused): (Vec<_>, Vec<_>) = std::mem::take(&mut model.placements)
        .into_iter()
        .partition(|one| counts(one.place));
    model.placements = placements;
    model.refused_placements.extend(refused);
}

/// Gives the clusters the form that CEL sees.
fn add_data<'a>(model: &mut Model<'a>, ours: &[&Document<'a>], jobs: usize) {
    let clusters = ours
        .iter()
        .filter(|document| document.kind == DocumentKind::ManagedCluster);
    let nodes: FxHashMap<Place, Node<'a>> = clusters
        .map(|document| (Head::of(document.node).place, document.node))
        .collect();
    let places: Vec<Place> = model.clusters.iter().map(|cluster| cluster.place).collect();
    let data = parallel::map_chunks(jobs, &places, |place| {
        nodes.get(place).map(|node| data::cluster(*node))
    });
    for (cluster, data) in model.clusters.iter_mut().zip(data) {
        cluster.data = data;
    }
}

/// The object of a document.
enum Object<'a> {
    Cluster(ManagedCluster<'a>),
    Set(ManagedClusterSet<'a>),
    Binding(Binding<'a>),
    Placement(Box<Placement<'a>>),
    Decision(Decision<'a>),
    Score(AddOnPlacementScore<'a>),
    ReplicaSet(ReplicaSet<'a>),
    Step(RolloutStep<'a>),
}

/// A `PlacementDecision`, its record's number, and whether it is being deleted.
struct Decision<'a> {
    decision: PlacementDecision<'a>,
    /// Whether no hub can hold it.
    is_left_out: bool,
    record: Option<u64>,
    gone: bool,
}

/// One document for itself, and what was found wrong with it, be it refused or not. Questions
/// to rollouts are answered with what is wrong with them.
fn one<'d, 'a>(
    document: &'d Document<'a>,
    lenient: bool,
) -> Option<(Object<'a>, Admission<'d, 'a>)> {
    let node = document.node;
    let mut admission = Admission::new(document, lenient);
    let head = admission.head;
    if document.kind == DocumentKind::RolloutStep {
        return Some((Object::Step(rollout::step(node, &head)), admission));
    }
    admission.metadata();
    let object = match document.kind {
        DocumentKind::ManagedCluster => Object::Cluster(cluster(node, &mut admission)),
        DocumentKind::ManagedClusterSet => Object::Set(cluster_set(node, &head)),
        DocumentKind::ManagedClusterSetBinding => Object::Binding(binding(node, &mut admission)),
        DocumentKind::Placement => {
            Object::Placement(Box::new(placement::placement(node, &mut admission)))
        }
        DocumentKind::PlacementDecision => Object::Decision(Decision {
            is_left_out: is_undecided(node, &mut admission),
            decision: decision(node, &head),
            record: document.record(),
            gone: node.at(&["metadata", "deletionTimestamp"]).is_some(),
        }),
        DocumentKind::AddOnPlacementScore => Object::Score(score(node, &mut admission)),
        DocumentKind::ManifestWorkReplicaSet => {
            Object::ReplicaSet(rollout::replica_set(node, &mut admission))
        }
        _ => return None,
    };
    Some((object, admission))
}

/// Lays records over the site: of several with one identity the highest number counts. A record
/// with a deletion timestamp says that the object is gone.
fn overlay<'a>(mut decisions: Vec<Decision<'a>>) -> Vec<PlacementDecision<'a>> {
    decisions.retain(|one| !one.is_left_out);
    let key = |decision: &PlacementDecision<'a>| (decision.namespace, decision.name);
    let mut newest: BTreeMap<(&'a str, &'a str), u64> = BTreeMap::new();
    for Decision {
        decision, record, ..
    } in &decisions
    {
        if let Some(record) = record {
            let highest = newest.entry(key(decision)).or_default();
            *highest = (*highest).max(*record);
        }
    }
    let counts = |one: &Decision<'a>| match (newest.get(&key(&one.decision)), one.record) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(highest), Some(record)) => record == *highest && !one.gone,
    };
    decisions
        .into_iter()
        .filter(counts)
        .map(|one| one.decision)
        .collect()
}

/// A value that is there and not null.
pub(crate) fn get<'a>(node: Node<'a>, key: &str) -> Option<Node<'a>> {
    node.get(key).filter(|value| !value.is_null())
}

pub(crate) fn at<'a>(node: Node<'a>, path: &[&str]) -> Option<Node<'a>> {
    path.iter().try_fold(node, |node, key| get(node, key))
}

pub(crate) fn text<'a>(node: Node<'a>, key: &str) -> &'a str {
    get(node, key).and_then(Node::text).unwrap_or("")
}

pub(crate) fn items<'a>(node: Option<Node<'a>>) -> impl Iterator<Item = Node<'a>> {
    node.into_iter().flat_map(Node::items)
}

/// The labels or annotations of an object; a null value is the empty text.
pub(crate) fn labels<'a>(node: Option<Node<'a>>) -> Vec<(&'a str, &'a str)> {
    let Some(node) = node else { return Vec::new() };
    let mut pairs = Vec::with_capacity(node.size() / 2);
    for (key, value) in node.entries() {
        if let (Some(key), Some(value)) = (key.text(), label_text(value)) {
            pairs.push((key, value));
        }
    }
    pairs
}

/// The value of a label.
fn label_text<'a>(value: Node<'a>) -> Option<&'a str> {
    if value.is_null() {
        Some("")
    } else {
        value.text()
    }
}

/// Text keys and values of a selector; null values are dropped by the API server.
fn pairs<'a>(node: Option<Node<'a>>) -> Vec<(&'a str, &'a str)> {
    let entries = node.into_iter().flat_map(Node::entries);
    let mut pairs: Vec<_> = entries
        .filter(|(_, value)| !value.is_null())
        .filter_map(|(key, value)| Some((key.text()?, value.text()?)))
        .collect();
    pairs.shrink_to_fit();
    pairs
}

/// A whole number; one beyond 64 bits stays at the limit.
pub(crate) fn int(node: Node<'_>) -> Option<i64> {
    match node.scalar(Dialect::Kubernetes)? {
        Scalar::Int(value) => {
            Some(i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX }))
        }
        Scalar::Float(value) if value.fract() == 0.0 => Some(value as i64),
        _ => None,
    }
}

/// Labels that are written in another file than the object at a place.
fn set_elsewhere<'a>(labels: Option<Node<'a>>, object: Place) -> Vec<(&'a str, Place)> {
    let entries = labels.into_iter().flat_map(Node::entries);
    let places = entries.filter_map(|(key, value)| Some((key.text()?, value.place())));
    places
        .filter(|(_, place)| place.source != object.source)
        .collect()
}

fn cluster<'a>(node: Node<'a>, admission: &mut Admission<'_, 'a>) -> ManagedCluster<'a> {
    let head = admission.head;
    let mut cluster = ManagedCluster {
        name: head.name,
        place: head.place,
        labels: labels(head.labels),
        set_elsewhere: set_elsewhere(head.labels, node.place()),
        terminating: head.terminating,
        ..ManagedCluster::default()
    };
    for (index, taint) in items(at(node, &["spec", "taints"])).enumerate() {
        let time_added = get(taint, "timeAdded")
            .and_then(|time| admission.time(time, || format!("spec.taints[{index}].timeAdded")));
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
        cluster.claims.shrink_to_fit();
        for (index, condition) in items(get(status, "conditions")).enumerate() {
            if let Some(time) = get(condition, "lastTransitionTime") {
                admission.time(time, || {
                    format!("status.conditions[{index}].lastTransitionTime")
                });
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
        let (Some(name), Some(amount)) = (key.text(), value.digits(Dialect::Kubernetes)) else {
            continue;
        };
        if value.is_null() {
            continue;
        }
        admission.quantity(value, &amount, || format!("status.{which}.{name}"));
        match name {
            "cpu" => resources.cpu = Some(amount),
            "memory" => resources.memory = Some(amount),
            _ => {}
        }
    }
    resources
}

fn cluster_set<'a>(node: Node<'a>, head: &Head<'a>) -> ManagedClusterSet<'a> {
    let selector = at(node, &["spec", "clusterSelector"]);
    let by_label = selector.is_some_and(|s| text(s, "selectorType") == "LabelSelector");
    let labels = selector.and_then(|selector| get(selector, "labelSelector"));
    ManagedClusterSet {
        name: head.name,
        place: head.place,
        ignored: labels.filter(|_| !by_label).map(Node::place),
        selector: if by_label {
            SetSelector::Labels(
                labels.map(|labels| placement::label_selector(labels).0),
                labels.map_or(head.place, Node::place),
            )
        } else {
            SetSelector::Exclusive
        },
    }
}

fn binding<'a>(node: Node<'a>, admission: &mut Admission<'_, 'a>) -> Binding<'a> {
    let head = admission.head;
    let binding = Binding {
        namespace: head.namespace(),
        name: head.name,
        place: head.place,
    };
    let set = at(node, &["spec", "clusterSet"]);
    if set.and_then(Node::text) != Some(binding.name) {
        let written = set.and_then(Node::text).unwrap_or("");
        let place = set.map_or(binding.place, Node::place);
        let message = format!(
            "binding `{}` names the set `{written}`, but must have the name of its set",
            binding.name
        );
        let found = Diagnostic::new(&rules::BINDING_NAME, message)
            .at(place, "another name")
            .related(binding.place, "the name of the binding")
            .help(format!(
                "write `clusterSet: {}` or rename the binding",
                binding.name
            ));
        admission.push(found, "spec.clusterSet", "mustEqualName");
    }
    binding
}

/// Whether a status lacks `decisions`, which no hub holds; an empty one is none.
fn is_undecided<'a>(node: Node<'a>, admission: &mut Admission<'_, 'a>) -> bool {
    let status = get(node, "status").filter(|status| status.is_mapping() && !status.is_empty());
    let Some(status) = status else { return false };
    let mut entries = status.entries();
    let is_null =
        |(key, value): (Node<'_>, Node<'_>)| key.text() == Some("decisions") && value.is_null();
    if get(status, "decisions").is_some() || entries.all(is_null) {
        return false;
    }
    let message =
        "a `status` without `decisions` is not on any hub: this PlacementDecision is left out";
    let found = Diagnostic::new(&rules::DECISION_STATUS, message)
        .at(status.place(), "lacks `decisions`")
        .help("export it from the hub again, or remove `status`");
    admission.push(found.not_refusing(), "status.decisions", "required");
    true
}

fn decision<'a>(node: Node<'a>, head: &Head<'a>) -> PlacementDecision<'a> {
    let labels = labels(head.labels);
    let label = |key: &str| {
        labels
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| *value)
    };
    PlacementDecision {
        namespace: head.namespace(),
        name: head.name,
        place: head.place,
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
    let head = admission.head;
    let mut score = AddOnPlacementScore {
        cluster: head.namespace(),
        name: head.name,
        place: head.place,
        scores: Vec::new(),
        valid_until: until.and_then(|time| admission.time(time, || "status.validUntil".to_owned())),
        valid_until_place: until.map_or(head.place, Node::place),
    };
    let mut first: BTreeMap<&str, Place> = BTreeMap::new();
    for (index, item) in items(at(node, &["status", "scores"])).enumerate() {
        let name = text(item, "name");
        let place = get(item, "name").unwrap_or(item).place();
        if let Some(first) = first.insert(name, place) {
            let found = Diagnostic::new(
                &rules::DUPLICATE,
                format!("the score `{name}` is listed twice"),
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
