//! Placements and their selectors.

use super::admission::Admission;
use super::{at, get, int, items, pairs, rules, text};
use crate::diagnostic::Diagnostic;
use crate::kit::selector::{Expression, LabelSelector};
use crate::ocm::engine::cel::{self, Compilation};
use crate::ocm::model::{
    ClusterSelector, Configuration, Coordinate, CoordinateKind, Effect, IntOrText, NamedGroup,
    Placement, Predicate, Skipped, Text, Toleration,
};
use crate::source::Place;
use crate::yaml::{Dialect, Node, Scalar};

const DISABLE: &str = "cluster.open-cluster-management.io/experimental-scheduling-disable";

/// A text and where it is.
pub(crate) fn text_at<'a>(node: Node<'a>) -> Text<'a> {
    Text {
        text: node.text().unwrap_or(""),
        place: node.place(),
    }
}

pub(super) fn placement<'a>(node: Node<'a>, admission: &mut Admission<'_, 'a>) -> Placement<'a> {
    let head = admission.head;
    let mut placement = Placement {
        namespace: head.namespace(),
        name: head.name,
        place: head.place,
        ..Placement::default()
    };
    if head.terminating {
        placement.skipped = Some(Skipped::Deleting);
    } else if at(node, &["metadata", "annotations", DISABLE]).and_then(Node::text) == Some("true") {
        placement.skipped = Some(Skipped::SchedulingDisabled);
    }
    for condition in items(at(node, &["status", "conditions"])) {
        let fields = ["type", "status", "reason", "message"];
        placement
            .conditions
            .push(fields.map(|field| text(condition, field)));
    }
    let Some(spec) = get(node, "spec") else {
        return placement;
    };
    placement.cluster_sets = items(get(spec, "clusterSets")).map(text_at).collect();
    if let Some(number) = get(spec, "numberOfClusters") {
        placement.number_of_clusters = int(number).and_then(|number| u32::try_from(number).ok());
        placement.number_place = number.place();
    }
    placement.predicates = items(get(spec, "predicates"))
        .enumerate()
        .map(|(index, node)| predicate(node, index, admission))
        .collect();
    // There are many placements, most with one predicate of one label.
    placement.predicates.shrink_to_fit();
    if let Some(policy) = get(spec, "prioritizerPolicy") {
        placement.mode = get(policy, "mode").map_or(
            Text {
                text: "Additive",
                place: policy.place(),
            },
            text_at,
        );
        placement.configurations = items(get(policy, "configurations"))
            .map(configuration)
            .collect();
        placement.configurations.shrink_to_fit();
    }
    placement.tolerations = items(get(spec, "tolerations")).map(toleration).collect();
    if let Some(strategy) = at(spec, &["decisionStrategy", "groupStrategy"]) {
        placement.cap = Some(match get(strategy, "clustersPerDecisionGroup") {
            Some(cap) => (int_or_text(cap), cap.place()),
            None => (IntOrText::Text("100%"), strategy.place()),
        });
        for entry in items(get(strategy, "decisionGroups")) {
            placement.groups.push(NamedGroup {
                name: text(entry, "groupName"),
                selector: get(entry, "groupClusterSelector")
                    .map(cluster_selector)
                    .unwrap_or_default(),
                place: entry.place(),
            });
        }
    }
    for (field, default) in [("sortBy", "ClusterName"), ("scoreRateLimit", "1m")] {
        if let Some(value) = get(spec, field).filter(|value| value.text() != Some(default)) {
            placement.ignored.push((field, value.place()));
        }
    }
    if let Some(policy) = at(spec, &["spreadPolicy", "spreadConstraints"]).filter(|p| !p.is_empty())
    {
        placement.ignored.push(("spreadPolicy", policy.place()));
    }
    placement
}

fn predicate<'a>(node: Node<'a>, index: usize, admission: &mut Admission<'_, 'a>) -> Predicate<'a> {
    let selector = get(node, "requiredClusterSelector");
    let mut predicate = Predicate {
        selector: selector.map(cluster_selector).unwrap_or_default(),
        cel: Vec::new(),
        cel_faults: Vec::new(),
        place: node.place(),
    };
    let list = selector.and_then(|selector| at(selector, &["celSelector", "celExpressions"]));
    predicate.cel = items(list).map(text_at).collect();
    let texts: Vec<&str> = predicate.cel.iter().map(|one| one.text).collect();
    for (at, verdict) in cel::check_all(&texts).into_iter().enumerate() {
        match verdict {
            Compilation::Good => {}
            Compilation::Misconfigured(message) => predicate.cel_faults.push((at, message)),
            Compilation::Refused { message, help } => {
                let found = Diagnostic::new(&rules::CEL_UNSUPPORTED, message)
                    .at(predicate.cel[at].place, "this expression")
                    .help(help);
                let path = "requiredClusterSelector.celSelector.celExpressions";
                admission.push(
                    found,
                    &format!("spec.predicates[{index}].{path}[{at}]"),
                    "cel",
                );
            }
        }
    }
    predicate
}

pub(super) fn cluster_selector<'a>(node: Node<'a>) -> ClusterSelector<'a> {
    let read = |key, labels| {
        let selector = get(node, key);
        selector.map_or_else(Default::default, |selector| read_selector(selector, labels))
    };
    let (labels, label_places) = read("labelSelector", true);
    let (claims, claim_places) = read("claimSelector", false);
    ClusterSelector {
        labels,
        claims,
        label_places,
        claim_places,
    }
}

/// A selector and where each of its requirements is, `matchLabels` first.
pub(crate) fn label_selector<'a>(node: Node<'a>) -> (LabelSelector<'a>, Vec<Place>) {
    read_selector(node, true)
}

/// A claim selector has no `matchLabels`: admission drops them as any unknown field.
fn read_selector<'a>(node: Node<'a>, labels: bool) -> (LabelSelector<'a>, Vec<Place>) {
    let labels = labels.then(|| get(node, "matchLabels")).flatten();
    let mut places: Vec<Place> = labels
        .into_iter()
        .flat_map(Node::entries)
        .filter(|(key, value)| key.text().is_some() && value.text().is_some() && !value.is_null())
        .map(|(_, value)| value.place())
        .collect();
    let mut match_expressions = Vec::new();
    for expression in items(get(node, "matchExpressions")) {
        places.push(get(expression, "operator").unwrap_or(expression).place());
        match_expressions.push(Expression {
            key: text(expression, "key"),
            operator: text(expression, "operator"),
            values: items(get(expression, "values"))
                .filter_map(Node::text)
                .collect(),
        });
    }
    places.shrink_to_fit();
    (
        LabelSelector {
            match_labels: pairs(labels),
            match_expressions,
        },
        places,
    )
}

fn configuration<'a>(node: Node<'a>) -> Configuration<'a> {
    let coordinate = get(node, "scoreCoordinate");
    let field = |key| coordinate.map_or("", |coordinate| text(coordinate, key));
    Configuration {
        coordinate: Coordinate {
            kind: match field("type") {
                "AddOn" => CoordinateKind::AddOn,
                _ => CoordinateKind::BuiltIn,
            },
            built_in: field("builtIn"),
            add_on: coordinate
                .and_then(|coordinate| get(coordinate, "addOn"))
                .map(|add_on| (text(add_on, "resourceName"), text(add_on, "scoreName"))),
        },
        weight: get(node, "weight").and_then(int).unwrap_or(1),
        place: coordinate.unwrap_or(node).place(),
    }
}

fn toleration<'a>(node: Node<'a>) -> Toleration<'a> {
    Toleration {
        key: text(node, "key"),
        operator: get(node, "operator")
            .and_then(Node::text)
            .unwrap_or("Equal"),
        value: text(node, "value"),
        effect: Effect::from_word(text(node, "effect")),
        seconds: get(node, "tolerationSeconds").and_then(int),
        place: node.place(),
    }
}

pub(super) fn int_or_text<'a>(node: Node<'a>) -> IntOrText<'a> {
    match node.scalar(Dialect::Kubernetes) {
        Some(Scalar::Int(_) | Scalar::Float(_)) => IntOrText::Int(int(node).unwrap_or(0)),
        _ => IntOrText::Text(node.text().unwrap_or("")),
    }
}
