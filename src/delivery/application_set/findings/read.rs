//! The decisions that generators read, and those that they leave out.

use std::collections::BTreeMap;

use crate::delivery::application_set::argo::hub::RULE_LABEL;
use crate::delivery::application_set::findings::{Seen, readers, some};
use crate::delivery::decided::made_for;
use crate::delivery::findings::placement::unregistered_by;
use crate::delivery::findings::say::say;
use crate::delivery::rules::{MATCH_KEY, NOT_REGISTERED, READS_MORE, READS_ONE_PAGE};
use crate::diagnostic::{Severity, Sink};
use crate::ocm::model::{GROUP_INDEX_LABEL, GROUP_NAME_LABEL, PLACEMENT_LABEL};

/// The labels of PlacementDecisions.
const OF_DECISIONS: [&str; 4] = [
    PLACEMENT_LABEL,
    GROUP_NAME_LABEL,
    GROUP_INDEX_LABEL,
    RULE_LABEL,
];

/// Reports decisions that a generator leaves out.
pub(super) fn read(seen: Seen<'_, '_>, sink: &mut Sink) {
    match_keys(seen, sink);
    pages(seen, sink);
    unregistered(seen, sink);
}

/// Keys that decisions do not have.
fn match_keys(seen: Seen<'_, '_>, sink: &mut Sink) {
    let (id, notes) = (&seen.row.id, &seen.about.notes);
    for (place, key) in &notes.match_keys {
        let (message, help) = match key.as_str() {
            "" => (
                format!(
                    "without `matchKey` ApplicationSet `{}` generates nothing and deletes its \
                     Applications",
                    id.name
                ),
                "add `matchKey: clusterName`",
            ),
            key => (
                format!(
                    "decisions have no `{key}`: ApplicationSet `{}` generates nothing and deletes \
                     its Applications",
                    id.name
                ),
                "write `matchKey: clusterName`",
            ),
        };
        sink.push(say(
            &MATCH_KEY,
            id,
            (*place, "this ConfigMap"),
            message,
            help,
        ));
    }
}

/// Selectors that match the decisions of several Placements, or only some of one Placement.
fn pages(seen: Seen<'_, '_>, sink: &mut Sink) {
    let (id, notes) = (&seen.row.id, &seen.about.notes);
    let objects = &seen.deliveries.view.decided.planned;
    for (place, taken) in &notes.taken {
        let mut placements: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for at in taken {
            if let Some((kind, name)) = made_for(objects.get(*at)) {
                *placements.entry((kind, name)).or_default() += 1;
            }
        }
        let asks = readers(seen.set).find(|asks| {
            asks.selector
                .as_ref()
                .map_or(asks.place, |(_, place)| *place)
                == *place
        });
        let reads_more =
            |message, help| say(&READS_MORE, id, (*place, "reads them all"), message, help);
        if placements.len() > 1 {
            let names: Vec<&str> = placements.keys().map(|(_, name)| *name).collect();
            let message = format!(
                "the selector reads the decisions of {} Placements: {}",
                names.len(),
                some(&names)
            );
            let help = format!(
                "PlacementDecisions do not have the labels of clusters: select by \
                 `{PLACEMENT_LABEL}`"
            );
            sink.push(reads_more(message, help));
            continue;
        }
        let selector = asks.and_then(|asks| asks.selector.as_ref());
        let keys = selector.map(|(selector, _)| {
            let expressions = selector.match_expressions.iter().map(|one| one.key);
            let labels = selector.match_labels.iter().map(|(key, _)| *key);
            labels.chain(expressions).collect::<Vec<_>>()
        });
        let keys = keys.unwrap_or_default();
        let has = |own: &[&str]| keys.iter().any(|key| own.contains(key));
        let only_excludes = selector.is_some_and(|(one, _)| {
            let mut all = one.match_expressions.iter();
            one.match_labels.is_empty()
                && all.all(|one| matches!(one.operator, "NotIn" | "DoesNotExist"))
        });
        if only_excludes && !keys.is_empty() && !has(&OF_DECISIONS) {
            let message = format!(
                "no PlacementDecision has a label `{}`: the selector reads all of namespace `{}`",
                keys[0], id.namespace
            );
            let help = format!(
                "select by `{PLACEMENT_LABEL}`, and select the clusters in the \
                 Placement"
            );
            sink.push(reads_more(message, help));
            continue;
        }
        let Some(((kind, name), count)) = placements.into_iter().next() else {
            continue;
        };
        let (all, label) = match kind {
            "Placement" => (objects.of_placement(id.namespace, name), PLACEMENT_LABEL),
            _ => (objects.of_rule(id.namespace, name), RULE_LABEL),
        };
        let all = all.len();
        if count < all {
            let on_purpose = has(&[GROUP_NAME_LABEL, GROUP_INDEX_LABEL]);
            let what = if asks.is_some_and(|asks| !asks.name.text.is_empty()) {
                "the generator names 1".to_owned()
            } else {
                format!("the selector matches {count}")
            };
            let message = format!("{what} of the {all} PlacementDecisions of {kind} `{name}`");
            let help = format!("select `{label}: {name}` to read them all");
            let found = say(&READS_ONE_PAGE, id, (*place, "reads a part"), message, help);
            sink.push(if on_purpose {
                found.severity(Severity::Note)
            } else {
                found
            });
        }
    }
}

/// Decided clusters that Argo CD does not know.
fn unregistered(seen: Seen<'_, '_>, sink: &mut Sink) {
    let id = &seen.row.id;
    let unregistered = &seen.about.notes.unregistered;
    if !unregistered.is_empty() && !seen.model.doubt.registers(id.namespace) {
        let names = &seen.deliveries.ground.names;
        let mut left: Vec<&str> = unregistered.iter().map(|at| names.name(*at)).collect();
        left.sort_unstable();
        let ways = seen.row.via.iter().map(|way| way.clusters.count_ones(..));
        let message = format!(
            "{} of {} selected clusters are not registered with Argo CD: {}",
            left.len(),
            ways.sum::<usize>().max(left.len()),
            some(&left)
        );
        let mut registers = seen.model.gitops.iter();
        let registers = registers.find(|one| one.argo.text == id.namespace);
        let help = match registers {
            Some(one) => format!("widen the Placement of GitOpsCluster `{}`", one.id.name),
            None => "register them".to_owned(),
        };
        let place = (id.place, "leaves them out");
        let found = say(&NOT_REGISTERED, id, place, message, help);
        let cause = unregistered_by(seen.model, seen.deliveries, id.namespace);
        sink.push(match cause {
            Some(cause) => found.because(cause),
            None => found,
        });
    }
}
