//! Why a placement gives up a cluster that it had: the first step that removes it.

use jiff::Timestamp;

use super::engine::place::Placed;
use super::engine::select::{judge, tolerates};
use super::model::{ManagedCluster, Model, Placement, Taint};
use crate::source::Place;

/// The reason why a placement lost a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The step, which many clusters may share: `removed by a taint`.
    pub step: &'static str,
    /// The reason that the step gives for this cluster.
    pub reason: String,
    /// The line that decided, if it is not that of the placement's name.
    pub place: Option<Place>,
}

impl Loss {
    fn new(step: &'static str, reason: impl Into<String>) -> Self {
        Self {
            step,
            reason: reason.into(),
            place: None,
        }
    }

    fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }
}

/// Why `cluster`, which the placement had before, is not selected any more.
#[must_use]
pub fn loss(model: &Model<'_>, placed: &Placed<'_>, cluster: u32, now: Timestamp) -> Loss {
    let placement = &model.placements[placed.placement];
    let at = cluster as usize;
    let Some(found) = model.clusters.get(at) else {
        return Loss::new("gone", "the cluster no longer exists");
    };
    if found.terminating {
        return Loss::new("being deleted", "the cluster is being deleted");
    }
    if !placed.available.contains(at) {
        let sets = match placed.eligible.as_slice() {
            [] => "no cluster set is eligible".to_owned(),
            some => format!("in none of the eligible cluster sets ({})", some.join(", ")),
        };
        return Loss::new("in no eligible cluster set", sets);
    }
    let passes = |filter: usize| {
        let left = placed.filters.get(filter);
        left.is_some_and(|left| left.clusters.contains(cluster))
    };
    if placed.filters.is_empty() || placed.misconfigured().is_some() {
        return Loss::new("misconfigured", "the placement is misconfigured");
    }
    if !passes(0) {
        let (reason, place) = predicate(placement, found);
        return Loss::new("removed by the predicates", reason).at(place);
    }
    if !passes(1) {
        return Loss::new("removed by a taint", taint(placement, found, now));
    }
    let total = placed.outscored.iter().find(|row| row.cluster == cluster);
    let last = placed.rows.get(placed.selected.len().wrapping_sub(1));
    let reason = match (total, last) {
        (Some(own), Some(last)) if own.total == last.total => {
            let name = model.clusters[last.cluster as usize].name;
            format!(
                "tied at {} with {name}, the last selected: names break ties",
                own.total
            )
        }
        (Some(own), Some(last)) => {
            format!("scored {}, the last selected {}", own.total, last.total)
        }
        _ => "others scored higher".to_owned(),
    };
    let number = placement.number_of_clusters.map(|_| placement.number_place);
    Loss::new("others scored higher", reason).at(number)
}

fn predicate(placement: &Placement<'_>, cluster: &ManagedCluster<'_>) -> (String, Option<Place>) {
    let verdicts = placement.predicates.iter();
    let verdicts: Vec<_> = verdicts
        .flat_map(|one| super::why::requirements("", cluster, &one.selector, one.place))
        .collect();
    let first = verdicts.first().and_then(|verdict| verdict.at.first());
    let place = first.map(|label| label.place);
    let place = place.or(placement.predicates.first().map(|one| one.place));
    let reasons: Vec<String> = verdicts
        .into_iter()
        .map(|verdict| match (verdict.asked, verdict.found) {
            (Some(asked), Some(found)) => format!("needs {asked}, found {found}"),
            _ => verdict.reason,
        })
        .collect();
    let reason = match reasons.as_slice() {
        [] => "a CEL expression in the predicates does not hold".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    };
    (reason, place)
}

fn taint(placement: &Placement<'_>, cluster: &ManagedCluster<'_>, now: Timestamp) -> String {
    let Some(taint) = judge(cluster, placement, true, now)
        .err()
        .and_then(|at| cluster.taints.get(at))
    else {
        return "a taint is not tolerated".to_owned();
    };
    let name = taint_name(taint);
    if placement
        .tolerations
        .iter()
        .any(|one| tolerates(one, taint))
    {
        format!("the toleration of {name} has expired")
    } else {
        format!("the taint {name} is not tolerated")
    }
}

/// `key=value:NoSelect`
fn taint_name(taint: &Taint<'_>) -> String {
    let value = match taint.value {
        "" => String::new(),
        value => format!("={value}"),
    };
    format!("{}{value}:{}", taint.key, taint.effect.word())
}
