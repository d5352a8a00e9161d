//! How a cluster fares among the feasible ones, also one that a filter removed: as if it had
//! passed (upstream `scheduling/schedule.go`).

use std::cmp::Reverse;
use std::sync::Arc;

use super::decisions::{DecidedClusters, Decisions};
use super::feasible::Feasible;
use super::hub::Hub;
use super::rank::totals;
use super::resource::resource_score;
use super::score::{Raw, Scores, Weighted};

/// The feasible clusters of a placement in the order that decides.
#[derive(Debug)]
pub struct Contest<'h, 'a> {
    weighted: &'h [Weighted<'a>],
    scores: Vec<Scores<'h>>,
    /// Feasible clusters with their totals, best first.
    order: Vec<(i64, u32)>,
    /// How many clusters are wanted; `None` is all.
    wanted: Option<usize>,
}

/// The rank of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// The sum of weight times score.
    pub total: i64,
    /// The score by prioritizer; `None` where it gives none.
    pub scores: Vec<Option<i64>>,
    /// Its place, from 1.
    pub place: usize,
    /// The number of ranked clusters, itself included.
    pub of: usize,
    /// How many of them are selected.
    pub selected: usize,
    /// The last of the others that is selected, with its total.
    pub last: Option<(u32, i64)>,
}

impl Ranking {
    /// Whether the cluster is among the selected ones.
    #[must_use]
    pub fn is_selected(&self) -> bool {
        self.place <= self.selected
    }
}

/// The least and the most of a resource; nothing where no cluster takes part.
type Range = Option<(f64, f64)>;

impl<'h, 'a> Contest<'h, 'a> {
    /// The contest among `feasible` clusters.
    #[must_use]
    pub fn new(
        hub: &'h Hub<'h, 'a>,
        decisions: &'h Decisions<'a>,
        own: &'h DecidedClusters,
        weighted: &'h [Weighted<'a>],
        feasible: &'h Arc<Feasible>,
        wanted: Option<usize>,
    ) -> Self {
        let scores: Vec<Scores<'h>> = weighted
            .iter()
            .map(|w| Scores::new(hub, decisions, own, w.prioritizer, feasible))
            .collect();
        let mut order: Vec<(i64, u32)> = totals(hub, weighted, &scores, feasible)
            .into_iter()
            .zip(feasible.clusters.iter().copied())
            .collect();
        order.sort_by_key(|(total, _)| Reverse(*total));
        Self {
            weighted,
            scores,
            order,
            wanted,
        }
    }

    /// The rank of a cluster, or what it would be if it were feasible.
    #[must_use]
    pub fn ranking(&self, cluster: u32) -> Ranking {
        let wider = self.wider(cluster);
        let scores: Vec<Option<i64>> = (0..self.scores.len())
            .map(|at| self.score(at, cluster, wider[at]))
            .collect();
        let total = self.sum(&scores);
        let rivals = self.order.iter().filter(|(_, id)| *id != cluster);
        let changed = wider.iter().any(Option::is_some);
        let rivals: Vec<(i64, u32)> = if changed {
            let again = |(_, id): &(i64, u32)| {
                let scores: Vec<Option<i64>> = (0..self.scores.len())
                    .map(|at| self.score(at, *id, wider[at]))
                    .collect();
                (self.sum(&scores), *id)
            };
            let mut rivals: Vec<(i64, u32)> = rivals.map(again).collect();
            rivals.sort_by_key(|(total, id)| (Reverse(*total), *id));
            rivals
        } else {
            rivals.copied().collect()
        };
        let before = rivals
            .partition_point(|(other, id)| (Reverse(*other), *id) < (Reverse(total), cluster));
        let of = rivals.len() + 1;
        let selected = self.wanted.map_or(of, |wanted| wanted.min(of));
        let place = before + 1;
        // Seen from the cluster: the last selected rival, should it stay out.
        let others = if place <= selected {
            selected - 1
        } else {
            selected
        };
        let last = others.checked_sub(1).and_then(|at| rivals.get(at));
        Ranking {
            total,
            scores,
            place,
            of,
            selected,
            last: last.map(|(total, id)| (*id, *total)),
        }
    }

    /// The figures behind each score of a cluster.
    pub fn raw(&self, cluster: u32) -> impl Iterator<Item = (Weighted<'a>, Raw)> + '_ {
        let wider = self.wider(cluster);
        let scores = self.weighted.iter().zip(&self.scores).zip(wider);
        scores.map(move |((weighted, scores), wider)| {
            let raw = match (scores.raw(cluster), wider) {
                (Raw::Resource { value, .. }, Some((lo, hi))) => Raw::Resource { value, lo, hi },
                (raw, _) => raw,
            };
            (*weighted, raw)
        })
    }

    fn sum(&self, scores: &[Option<i64>]) -> i64 {
        let scores = scores.iter().zip(self.weighted);
        scores.map(|(score, w)| score.unwrap_or(0) * w.weight).sum()
    }

    /// For each prioritizer the range with the cluster in it, where that is another one.
    fn wider(&self, cluster: u32) -> Vec<Range> {
        let wider = |scores: &Scores<'_>| match scores {
            Scores::Resource(values, known) => {
                let value = values[cluster as usize]?;
                let inside = known.lo <= value && value <= known.hi;
                (!inside).then_some((known.lo.min(value), known.hi.max(value)))
            }
            _ => None,
        };
        self.scores.iter().map(wider).collect()
    }

    fn score(&self, at: usize, cluster: u32, wider: Range) -> Option<i64> {
        match (&self.scores[at], wider) {
            (Scores::Resource(values, _), Some((lo, hi))) => {
                values[cluster as usize].map(|value| resource_score(value, lo, hi).into())
            }
            (scores, _) => scores.of(cluster),
        }
    }
}
