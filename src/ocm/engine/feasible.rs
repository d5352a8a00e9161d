//! A set of feasible clusters, and its scores, the same for every caller.

use std::sync::{Arc, OnceLock};

use fixedbitset::FixedBitSet;

use super::memo::Memo;
use super::resource::{Resource, resource_score};

/// Feasible clusters with the scores that depend on nothing else.
#[derive(Debug)]
pub struct Feasible {
    /// The clusters, ascending.
    pub clusters: Vec<u32>,
    cpu: OnceLock<ResourceScores>,
    memory: OnceLock<ResourceScores>,
    /// By the weights of CPU and memory.
    of_resources: Memo<(i64, i64), Arc<Vec<i64>>>,
    ranked: Memo<Ranking, Vec<(u32, i64)>>,
}

/// A question for the best clusters: the weights of CPU and memory, and how many are wanted.
pub type Ranking = ((i64, i64), usize);

/// The scores of a resource, between the least and the most that a feasible cluster has.
#[derive(Debug)]
pub struct ResourceScores {
    /// The least.
    pub lo: f64,
    /// The most.
    pub hi: f64,
    /// The score of each feasible cluster, 0 where it takes no part.
    pub scores: Vec<i8>,
}

impl Feasible {
    /// Nothing is computed yet.
    #[must_use]
    pub fn new(clusters: &FixedBitSet) -> Self {
        let ids = clusters.ones().filter_map(|id| u32::try_from(id).ok());
        Self {
            clusters: ids.collect(),
            cpu: OnceLock::new(),
            memory: OnceLock::new(),
            of_resources: Memo::default(),
            ranked: Memo::default(),
        }
    }

    /// The place of a cluster among the feasible ones.
    #[must_use]
    pub fn at(&self, cluster: u32) -> Option<usize> {
        self.clusters.binary_search(&cluster).ok()
    }

    /// The scores of a resource, of which `all` is what each cluster of the hub has (upstream
    /// `plugins/resource`).
    pub fn resource(&self, all: &[Option<f64>], resource: Resource) -> &ResourceScores {
        let cell = match resource {
            Resource::Cpu => &self.cpu,
            Resource::Memory => &self.memory,
        };
        cell.get_or_init(|| {
            let values = || self.clusters.iter().map(|cluster| all[*cluster as usize]);
            let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
            for value in values().flatten() {
                lo = lo.min(value);
                hi = hi.max(value);
            }
            let score = |value: Option<f64>| value.map_or(0, |value| resource_score(value, lo, hi));
            let scores = values().map(score).collect();
            ResourceScores { lo, hi, scores }
        })
    }

    /// The best clusters where resources alone decide; `rank` finds them.
    pub fn ranked(
        &self,
        ranking: Ranking,
        rank: impl FnOnce() -> Vec<(u32, i64)>,
    ) -> Vec<(u32, i64)> {
        self.ranked.get_beside(&ranking, rank)
    }

    /// The total of each feasible cluster as far as resources decide it: weight times score of CPU
    /// and of memory, of which a weight of 0 asks for none. Many placements ask for the same.
    /// `all` is what each cluster of the hub has of a resource.
    pub fn of_resources<'h>(
        &self,
        weights: (i64, i64),
        all: impl Fn(Resource) -> &'h [Option<f64>],
    ) -> Arc<Vec<i64>> {
        self.of_resources.get(&weights, || {
            let mut totals = vec![0; self.clusters.len()];
            let of_each = [(weights.0, Resource::Cpu), (weights.1, Resource::Memory)];
            for (weight, resource) in of_each.into_iter().filter(|(weight, _)| *weight != 0) {
                let scores = &self.resource(all(resource), resource).scores;
                for (total, score) in totals.iter_mut().zip(scores) {
                    *total += weight * i64::from(*score);
                }
            }
            Arc::new(totals)
        })
    }
}
