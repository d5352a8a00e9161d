//! The best clusters of placements that score only by decisions, found without visiting every
//! cluster.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::decisions::DecidedClusters;
use super::levels::Levels;
use super::rank::total;
use super::score::{Scores, Weighted};

/// The `kept` feasible clusters of the highest totals with these, best first, of equal ones the
/// first; `scores` are those of Balance and Steady alone.
#[must_use]
pub fn best(
    levels: &Levels,
    own: &DecidedClusters,
    weighted: &[Weighted<'_>],
    scores: &[Scores<'_>],
    feasible: &FixedBitSet,
    kept: usize,
) -> Vec<(u32, i64)> {
    let mut groups: BTreeMap<Reverse<i64>, Vec<usize>> = BTreeMap::new();
    for count in levels.known() {
        // Counts beyond the table are those of own clusters, which come below.
        if let Some(total) = of_count(weighted, scores, count) {
            groups.entry(Reverse(total)).or_default().push(count);
        }
    }
    let mut best: Vec<(u32, i64)> = Vec::with_capacity(kept);
    for (Reverse(total), counts) in &groups {
        let group = (groups.len() > 1).then_some(counts.as_slice());
        let others = levels.members(group, feasible);
        let others = others.filter(|id| own.count(*id) == 0);
        best.extend(others.take(kept - best.len()).map(|id| (id, *total)));
        if best.len() == kept {
            break;
        }
    }
    let own = own.clusters().filter(|id| feasible.contains(*id as usize));
    best.extend(own.map(|id| (id, total(weighted, scores, id))));
    best.sort_unstable_by_key(|(id, total)| (Reverse(*total), *id));
    best.truncate(kept);
    best
}

/// The total of a cluster that others decided so many times and the placement itself did not; none
/// where no such cluster is known.
fn of_count(weighted: &[Weighted<'_>], scores: &[Scores<'_>], count: usize) -> Option<i64> {
    let mut total = 0;
    for (scores, weighted) in scores.iter().zip(weighted) {
        if let Scores::Balance { table, .. } = scores {
            total += weighted.weight * table.get(count)?;
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::feasible::Feasible;
    use super::super::rank;
    use super::super::score::{Counts, Prioritizer, balance};
    use super::*;

    const NAMES: usize = 150;

    proptest! {
        #[test]
        fn the_best_are_those_of_all_totals(
            decided in prop::collection::vec(0..NAMES as u32, 0..400),
            undone in 0..400_usize,
            own in prop::collection::vec(0..NAMES as u32, 0..6),
            feasible in prop::collection::vec(any::<bool>(), NAMES),
            balances in -2..3_i64,
            steady in -2..3_i64,
            kept in 0..30_usize,
        ) {
            let mut levels = Levels::default();
            levels.resize(NAMES);
            for name in decided.iter().chain(&own) {
                levels.change(*name, 1);
            }
            for name in decided.iter().take(undone) {
                levels.change(*name, -1);
            }
            let own = DecidedClusters::new(own);
            let mut counts = levels.counts().to_vec();
            for (cluster, count) in own.counted() {
                counts[cluster as usize] -= count;
            }
            let others = Counts::new(levels.counts(), &own);
            prop_assert!((0..NAMES as u32).all(|name| others.of(name) == counts[name as usize]));
            let max = levels.largest_without(own.counted());
            prop_assert_eq!(Some(&max), counts.iter().max());
            let weighted = [(Prioritizer::Balance, balances), (Prioritizer::Steady, steady)];
            let weighted: Vec<Weighted<'_>> = weighted
                .into_iter()
                .filter(|(_, weight)| *weight != 0)
                .map(|(prioritizer, weight)| Weighted { prioritizer, weight })
                .collect();
            let scores = |weighted: &Weighted<'_>| match weighted.prioritizer {
                Prioritizer::Balance => Scores::Balance {
                    counts: Counts::new(levels.counts(), &own),
                    max,
                    table: (0..=max).map(|count| balance(count, max)).collect(),
                },
                _ => Scores::Steady(&own),
            };
            let scores: Vec<Scores<'_>> = weighted.iter().map(scores).collect();
            let feasible: FixedBitSet =
                (0..NAMES).filter(|name| feasible[*name]).collect();
            let among = Feasible::new(&feasible);
            let kept = kept.min(among.clusters.len());
            let mut totals = vec![0; among.clusters.len()];
            for (scores, weighted) in scores.iter().zip(&weighted) {
                scores.add(weighted.weight, &among, &mut totals);
            }
            let plain = rank::best(&totals, kept).into_iter();
            let plain: Vec<(u32, i64)> =
                plain.map(|at| (among.clusters[at], totals[at])).collect();
            prop_assert_eq!(best(&levels, &own, &weighted, &scores, &feasible, kept), plain);
        }
    }
}
