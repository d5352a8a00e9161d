//! Rollout strategies and questions to them.

use super::admission::Admission;
use super::head::Head;
use super::placement::int_or_text;
use super::{at, get, int, items, rules, text};
use crate::diagnostic::Diagnostic;
use crate::kit::time::{parse_go_duration, parse_rfc3339};
use crate::ocm::model::{
    ClusterStatus, MandatoryGroup, PlacementRef, ReplicaSet, RolloutStep, Status, Strategy,
    StrategyKind, Text,
};
use crate::yaml::Node;

pub(super) fn replica_set<'a>(node: Node<'a>, admission: &mut Admission<'_, 'a>) -> ReplicaSet<'a> {
    let references = items(at(node, &["spec", "placementRefs"])).enumerate();
    let head = admission.head;
    ReplicaSet {
        namespace: head.namespace(),
        name: head.name,
        place: head.place,
        placements: references
            .map(|(index, reference)| {
                let name = get(reference, "name").unwrap_or(reference);
                PlacementRef {
                    name: Text {
                        text: text(reference, "name"),
                        place: name.place(),
                    },
                    strategy: strategy(
                        reference,
                        &format!("spec.placementRefs[{index}]"),
                        admission,
                    ),
                }
            })
            .collect(),
    }
}

/// The `rolloutStrategy` of a reference to a placement, which is the field `field`.
pub(crate) fn strategy<'a>(
    reference: Node<'a>,
    field: &str,
    admission: &mut Admission<'_, 'a>,
) -> Strategy<'a> {
    let Some(node) = get(reference, "rolloutStrategy") else {
        return Strategy {
            place: reference.place(),
            ..Strategy::default()
        };
    };
    let kind = match text(node, "type") {
        "Progressive" => StrategyKind::Progressive,
        "ProgressivePerGroup" => StrategyKind::ProgressivePerGroup,
        _ => StrategyKind::All,
    };
    let mut strategy = Strategy {
        kind,
        place: node.place(),
        ..Strategy::default()
    };
    for section in ["all", "progressive", "progressivePerGroup"] {
        let Some(part) = get(node, section) else {
            continue;
        };
        let soak = soak(part, field, section, admission);
        let read = match kind {
            StrategyKind::All => "all",
            StrategyKind::Progressive => "progressive",
            StrategyKind::ProgressivePerGroup => "progressivePerGroup",
        };
        if section != read {
            continue;
        }
        strategy.max_failures = get(part, "maxFailures").map(int_or_text);
        strategy.min_success_nanos = soak;
        strategy.progress_deadline = text(part, "progressDeadline");
        strategy.max_concurrency = get(part, "maxConcurrency").map(int_or_text);
        strategy.mandatory = items(get(part, "mandatoryDecisionGroups"))
            .map(|entry| MandatoryGroup {
                name: text(entry, "groupName"),
                index: get(entry, "groupIndex").and_then(int).unwrap_or(0),
            })
            .collect();
        strategy.place = part.place();
    }
    strategy
}

/// `minSuccessTime`: a bad one makes the object unreadable for upstream.
fn soak<'a>(part: Node<'a>, field: &str, section: &str, admission: &mut Admission<'_, 'a>) -> i64 {
    let Some(node) = get(part, "minSuccessTime") else {
        return 0;
    };
    let text = node.text().unwrap_or("");
    parse_go_duration(text).unwrap_or_else(|error| {
        let field = format!("{field}.rolloutStrategy.{section}.minSuccessTime");
        let found = Diagnostic::new(
            &rules::DURATION,
            format!("`minSuccessTime` is `{text}`, which is not a duration"),
        )
        .at(node.place(), "not a duration")
        .upstream(error)
        .help("write a duration such as 5m, 1h30m or 0");
        admission.push(found, &field, "format");
        0
    })
}

/// One question; what does not serve is kept as its error.
pub(super) fn step<'a>(node: Node<'a>, head: &Head<'a>) -> RolloutStep<'a> {
    let spec = get(node, "spec");
    let reference = |key| {
        let value = spec.and_then(|spec| get(spec, key));
        Text {
            text: value.and_then(Node::text).unwrap_or(""),
            place: value.map_or(head.place, Node::place),
        }
    };
    let mut step = RolloutStep {
        namespace: head.namespace(),
        name: head.name,
        place: head.place,
        replica_set: reference("manifestWorkReplicaSet"),
        placement: reference("placement"),
        now: None,
        clusters: Vec::new(),
        fault: None,
    };
    let mut fault = None;
    let mut time = |node: Option<Node<'a>>, field: &str| {
        let text = node?.text().unwrap_or("");
        let time = parse_rfc3339(text);
        if time.is_none() {
            fault.get_or_insert(format!(
                "`{field}` is `{text}`, but must be an RFC 3339 time"
            ));
        }
        time
    };
    step.now = time(spec.and_then(|spec| get(spec, "now")), "spec.now");
    let known = spec.and_then(|spec| get(spec, "clusters"));
    let mut unknown = None;
    for (index, cluster) in items(known).enumerate() {
        let field = format!("spec.clusters[{index}]");
        let since = get(cluster, "lastTransitionTime");
        let since = time(since, &format!("{field}.lastTransitionTime"));
        let word = text(cluster, "status");
        let Some(status) = Status::from_word(word) else {
            unknown.get_or_insert(format!(
                "`{field}.status` is `{word}`, which is not a status"
            ));
            continue;
        };
        step.clusters.push(ClusterStatus {
            cluster: text(cluster, "clusterName"),
            status,
            since,
        });
    }
    if known.is_some_and(|known| !known.is_sequence()) {
        unknown.get_or_insert("`spec.clusters` must be a list".to_owned());
    }
    step.fault = fault.or(unknown);
    step
}
