//! Placements that find fewer clusters than they ask for, reported at the line that removed the
//! last one.

use super::{UNSATISFIED, object_of};
use crate::diagnostic::{Diagnostic, Sink};
use crate::ocm::Outcome;
use crate::ocm::engine::place::{Placed, SATISFIED};
use crate::ocm::model::{Model, Observed, Placement};
use crate::source::Place;

/// Reports every placement that is not satisfied; misconfigured ones have errors of their own.
pub fn unsatisfied(model: &Model<'_>, outcome: &Outcome<'_>, sink: &mut Sink) {
    // Without any cluster the documents do not hold the hub.
    if !model.holds_clusters {
        return;
    }
    let observed = Observed::of(model);
    for placed in &outcome.placements.placed {
        let skipped = placed.skipped.is_some() || placed.misconfigured().is_some();
        let condition = placed.conditions.iter().find(|c| c.kind == SATISFIED);
        let Some(condition) = condition.filter(|condition| !condition.status && !skipped) else {
            continue;
        };
        let placement = &model.placements[placed.placement];
        let none = placed.filters.first();
        let none = none.is_some_and(|filter| filter.clusters.is_empty());
        if none && !placed.available.is_clear() && observed.leaves_open(placement) {
            continue;
        }
        let subject = format!("{}/{}", placement.namespace, placement.name);
        let (place, label) = place(placement, placed);
        let reason = condition.message.trim_end_matches('.');
        let message = format!("{subject} is not satisfied: {reason}");
        let mut found = Diagnostic::new(&UNSATISFIED, message)
            .at(place, label)
            .upstream(condition.reason)
            .help(format!("`planner why {subject}` gives every reason"))
            .object(object_of(placement));
        if placement
            .predicates
            .first()
            .is_some_and(|one| one.place == place)
        {
            for other in &placement.predicates[1..] {
                found = found.related(other.place, label);
            }
        }
        sink.push(found);
    }
}

/// The line that removed the last cluster, or the number that is not reached.
fn place(placement: &Placement<'_>, placed: &Placed<'_>) -> (Place, &'static str) {
    if placed.available.is_clear() {
        let set = placement.cluster_sets.first().map(|set| set.place);
        return (
            set.unwrap_or(placement.place),
            "no cluster is available to it",
        );
    }
    let emptied = placed
        .filters
        .iter()
        .position(|filter| filter.clusters.is_empty());
    match emptied {
        Some(0) => {
            let predicate = placement
                .predicates
                .first()
                .map(|predicate| predicate.place);
            (predicate.unwrap_or(placement.place), "leaves no cluster")
        }
        Some(_) => {
            let toleration = placement.tolerations.first().map(|one| one.place);
            let place = toleration.unwrap_or(placement.place);
            (
                place,
                "taints that it does not tolerate exclude every cluster",
            )
        }
        None => (placement.number_place, "more than exist"),
    }
}
