//! Totals of feasible clusters and the best of them.

use std::cmp::Reverse;

use super::feasible::Feasible;
use super::hub::Hub;
use super::resource::Resource;
use super::score::{Prioritizer, Scores, Weighted};

/// The longest list of best clusters that is kept for other placements.
const FEW: usize = 100;

/// The fewest totals that are gathered before the best of them are picked.
const ROOM: usize = 64;

/// The sum of weight times score for each feasible cluster.
#[must_use]
pub fn totals(
    hub: &Hub<'_, '_>,
    weighted: &[Weighted<'_>],
    scores: &[Scores<'_>],
    feasible: &Feasible,
) -> Vec<i64> {
    let weights = of_resources(weighted);
    let of_resources = feasible.of_resources(weights, |resource| hub.resource(resource));
    let mut totals = of_resources.to_vec();
    for (scores, weighted) in scores.iter().zip(weighted) {
        scores.add(weighted.weight, feasible, &mut totals);
    }
    totals
}

/// The weights of CPU and memory.
fn of_resources(weighted: &[Weighted<'_>]) -> (i64, i64) {
    let weight_of = |resource| {
        let named = |w: &&Weighted<'_>| w.prioritizer == Prioritizer::Resource(resource);
        weighted.iter().filter(named).map(|w| w.weight).sum()
    };
    (weight_of(Resource::Cpu), weight_of(Resource::Memory))
}

/// The `kept` best clusters with their totals. `is_new` says that the placement has no clusters
/// yet: then Steady counts for none of them, and where resources alone count, all that ask for as
/// many get the same.
#[must_use]
pub fn ranked(
    hub: &Hub<'_, '_>,
    weighted: &[Weighted<'_>],
    scores: &[Scores<'_>],
    feasible: &Feasible,
    kept: usize,
    is_new: bool,
) -> Vec<(u32, i64)> {
    let rank = || -> Vec<(u32, i64)> {
        let totals = totals(hub, weighted, scores, feasible);
        let best = best(&totals, kept).into_iter();
        best.map(|at| (feasible.clusters[at], totals[at])).collect()
    };
    let is_shared = |one: &Weighted<'_>| match one.prioritizer {
        Prioritizer::Resource(_) => true,
        Prioritizer::Steady => is_new,
        Prioritizer::Balance | Prioritizer::AddOn(..) => false,
    };
    if kept <= FEW && weighted.iter().all(is_shared) {
        feasible.ranked((of_resources(weighted), kept), rank)
    } else {
        rank()
    }
}

/// The sum of weight times score for one cluster.
#[must_use]
pub fn total(weighted: &[Weighted<'_>], scores: &[Scores<'_>], cluster: u32) -> i64 {
    let scores = scores.iter().zip(weighted);
    scores
        .map(|(scores, weighted)| scores.of(cluster).unwrap_or(0) * weighted.weight)
        .sum()
}

/// The places of the `kept` highest totals, best first; of equal ones the first.
#[must_use]
pub fn best(totals: &[i64], kept: usize) -> Vec<usize> {
    let Some(last) = kept.checked_sub(1) else {
        return Vec::new();
    };
    // Nearly all totals are lower than those that were kept before.
    let room = totals.len().min((2 * kept).max(ROOM));
    let mut best: Vec<(Reverse<i64>, usize)> = Vec::with_capacity(room);
    let mut least = None;
    for (at, total) in totals.iter().enumerate() {
        if least.is_some_and(|least| *total <= least) {
            continue;
        }
        if best.len() == room {
            let (_, (lowest, _), _) = best.select_nth_unstable(last);
            least = Some(lowest.0);
            best.truncate(kept);
        }
        best.push((Reverse(*total), at));
    }
    best.sort_unstable();
    best.truncate(kept);
    best.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_a_stable_sort(
            totals in prop::collection::vec(
                prop_oneof![-5_i64..5, -3000_i64..3000, any::<i64>()],
                0..400,
            ),
            kept in 0_usize..90,
        ) {
            let kept = kept.min(totals.len());
            let mut all: Vec<usize> = (0..totals.len()).collect();
            all.sort_by_key(|at| Reverse(totals[*at]));
            all.truncate(kept);
            prop_assert_eq!(best(&totals, kept), all);
        }
    }
}
