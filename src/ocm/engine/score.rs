//! Prioritizers: which ones with which weight, and each one's arithmetic.

use std::sync::Arc;

use super::decisions::{DecidedClusters, Decisions};
use super::feasible::{Feasible, ResourceScores};
use super::hub::{AddOnValues, Hub};
use super::resource::{Resource, resource_score};
use crate::ocm::model::{Configuration, Coordinate, CoordinateKind, Placement};

/// A prioritizer that is switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prioritizer<'a> {
    /// Few decisions of other placements.
    Balance,
    /// The clusters decided already.
    Steady,
    /// Much allocatable of a resource.
    Resource(Resource),
    /// A score that an add-on wrote: resource name, score name.
    AddOn(&'a str, &'a str),
}

impl Prioritizer<'_> {
    /// The name upstream gives it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Balance => "Balance".to_owned(),
            Self::Steady => "Steady".to_owned(),
            Self::Resource(Resource::Cpu) => "ResourceAllocatableCPU".to_owned(),
            Self::Resource(Resource::Memory) => "ResourceAllocatableMemory".to_owned(),
            Self::AddOn(resource, score) => format!("AddOn/{resource}/{score}"),
        }
    }
}

/// A prioritizer with its weight, which is never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weighted<'a> {
    /// Which one.
    pub prioritizer: Prioritizer<'a>,
    /// The factor of its score.
    pub weight: i64,
}

/// The prioritizers of a placement, by name and weight (upstream `scheduling/schedule.go`).
///
/// # Errors
/// The message of the misconfiguration, without its leading colon. Of several faults upstream
/// reports any; here it is the mode, else the first configuration that counts.
pub fn prioritizers<'a>(placement: &Placement<'a>) -> Result<Vec<Weighted<'a>>, String> {
    let built_in = |built_in| Coordinate {
        kind: CoordinateKind::BuiltIn,
        built_in,
        add_on: None,
    };
    let mut weights: Vec<(Coordinate<'a>, i64)> = match placement.mode.text {
        "Additive" | "" => vec![(built_in("Balance"), 1), (built_in("Steady"), 1)],
        "Exact" => Vec::new(),
        other => return Err(format!("incorrect prioritizer policy mode: {other}")),
    };
    for Configuration {
        coordinate, weight, ..
    } in &placement.configurations
    {
        let same = |(other, _): &&mut (Coordinate<'a>, i64)| {
            other == coordinate && coordinate.add_on.is_none()
        };
        match weights.iter_mut().find(same) {
            Some((_, old)) => *old = *weight,
            None => weights.push((*coordinate, *weight)),
        }
    }
    let mut on = Vec::new();
    for (coordinate, weight) in weights {
        if weight != 0 {
            on.push(Weighted {
                prioritizer: resolve(&coordinate)?,
                weight,
            });
        }
    }
    on.shrink_to_fit();
    on.sort_by_cached_key(|weighted| (weighted.prioritizer.name(), weighted.weight));
    Ok(on)
}

/// The prioritizer that a coordinate of a weight other than 0 names.
///
/// # Errors
/// The message of the misconfiguration, without its leading colon.
pub fn resolve<'a>(coordinate: &Coordinate<'a>) -> Result<Prioritizer<'a>, String> {
    match (coordinate.kind, coordinate.built_in, coordinate.add_on) {
        (CoordinateKind::AddOn, _, Some((resource, score))) => {
            Ok(Prioritizer::AddOn(resource, score))
        }
        (CoordinateKind::AddOn, _, None) => Err("addOn should not be empty".to_owned()),
        (_, "Balance", _) => Ok(Prioritizer::Balance),
        (_, "Steady", _) => Ok(Prioritizer::Steady),
        (_, "ResourceAllocatableCPU", _) => Ok(Prioritizer::Resource(Resource::Cpu)),
        (_, "ResourceAllocatableMemory", _) => Ok(Prioritizer::Resource(Resource::Memory)),
        (_, other, _) => Err(format!("incorrect builtin prioritizer: {other}")),
    }
}

/// How often placements other than one have decided each cluster.
#[derive(Debug, Clone, Copy)]
pub struct Counts<'h> {
    all: &'h [u32],
    own: &'h DecidedClusters,
}

impl<'h> Counts<'h> {
    /// Counts all decisions except its own.
    #[must_use]
    pub fn new(all: &'h [u32], own: &'h DecidedClusters) -> Self {
        Self { all, own }
    }

    /// How often others have decided a cluster.
    #[must_use]
    pub fn of(self, cluster: u32) -> u32 {
        self.all[cluster as usize] - self.own.count(cluster)
    }
}

/// The scores of one prioritizer over the feasible clusters of one placement.
#[derive(Debug)]
pub enum Scores<'h> {
    /// By how often a cluster is decided by other placements.
    Balance {
        /// How often each cluster is decided, and how often by the placement itself.
        counts: Counts<'h>,
        /// The largest count of others.
        max: u32,
        /// The score of each count up to the largest; empty where that is above the number of
        /// clusters, as it would take longer than the scores themselves.
        table: Vec<i64>,
    },
    /// By being decided.
    Steady(&'h DecidedClusters),
    /// By the allocatable amount of a resource.
    Resource(&'h [Option<f64>], &'h ResourceScores),
    /// As the add-on wrote it.
    AddOn(Arc<AddOnValues>),
}

impl<'h> Scores<'h> {
    /// Prepares the scores of a prioritizer.
    pub fn new<'a>(
        hub: &'h Hub<'_, 'a>,
        decisions: &'h Decisions<'a>,
        own: &'h DecidedClusters,
        prioritizer: Prioritizer<'a>,
        feasible: &'h Feasible,
    ) -> Self {
        match prioritizer {
            Prioritizer::Balance => Self::balance(decisions, own),
            Prioritizer::Steady => Self::Steady(own),
            Prioritizer::Resource(resource) => Scores::Resource(
                hub.resource(resource),
                feasible.resource(hub.resource(resource), resource),
            ),
            Prioritizer::AddOn(resource, score) => Scores::AddOn(hub.add_on(resource, score)),
        }
    }

    /// The scores of all prioritizers, where decisions alone count.
    #[must_use]
    pub fn by_decisions(
        decisions: &'h Decisions<'_>,
        own: &'h DecidedClusters,
        weighted: &[Weighted<'_>],
    ) -> Option<Vec<Self>> {
        let scores = |weighted: &Weighted<'_>| match weighted.prioritizer {
            Prioritizer::Balance => Some(Self::balance(decisions, own)),
            Prioritizer::Steady => Some(Self::Steady(own)),
            Prioritizer::Resource(_) | Prioritizer::AddOn(..) => None,
        };
        weighted.iter().map(scores).collect()
    }

    fn balance(decisions: &'h Decisions<'_>, own: &'h DecidedClusters) -> Self {
        let max = decisions.levels().largest_without(own.counted());
        let counts = decisions.levels().counts();
        let known = if max as usize > counts.len() {
            0
        } else {
            max + 1
        };
        Self::Balance {
            counts: Counts::new(counts, own),
            max,
            table: (0..known).map(|count| balance(count, max)).collect(),
        }
    }

    /// Balance's score of a count; 0 for one above the largest.
    fn balanced(table: &[i64], count: u32, max: u32) -> i64 {
        match table.get(count as usize) {
            Some(score) => *score,
            None if count > max => 0,
            None => balance(count, max),
        }
    }

    /// The score of a cluster; `None` where the prioritizer gives none.
    #[must_use]
    pub fn of(&self, cluster: u32) -> Option<i64> {
        let at = cluster as usize;
        match self {
            Scores::Balance { counts, max, table } => {
                Some(Self::balanced(table, counts.of(cluster), *max))
            }
            Scores::Steady(own) => Some(if own.count(cluster) > 0 { 100 } else { 0 }),
            Scores::Resource(values, scores) => {
                values[at].map(|value| resource_score(value, scores.lo, scores.hi).into())
            }
            Scores::AddOn(values) => Some(values.values[at]),
        }
    }

    /// Adds weight times score to the total of each feasible cluster; those of resources are in
    /// [`Feasible::of_resources`].
    pub fn add(&self, weight: i64, feasible: &Feasible, totals: &mut [i64]) {
        let all = totals.iter_mut().zip(&feasible.clusters);
        match self {
            Scores::Balance { counts, max, table } => {
                // Its own decisions are few, and taken out afterwards.
                let score = |count| Self::balanced(table, count, *max);
                for (total, cluster) in all {
                    *total += weight * score(counts.all[*cluster as usize]);
                }
                for own in counts.own.clusters() {
                    if let Some(at) = feasible.at(own) {
                        let counted = score(counts.all[own as usize]);
                        totals[at] += weight * (score(counts.of(own)) - counted);
                    }
                }
            }
            Scores::Steady(own) => {
                for at in own.clusters().filter_map(|cluster| feasible.at(cluster)) {
                    totals[at] += weight * 100;
                }
            }
            Scores::Resource(..) => {}
            Scores::AddOn(values) => {
                for (total, cluster) in all {
                    *total += weight * values.values[*cluster as usize];
                }
            }
        }
    }

    /// The raw figures behind a cluster's score, for explanations.
    #[must_use]
    pub fn raw(&self, cluster: u32) -> Raw {
        let at = cluster as usize;
        match self {
            Scores::Balance { counts, max, .. } => Raw::Balance {
                count: counts.of(cluster),
                max: *max,
            },
            Scores::Steady(own) => Raw::Steady {
                decided: own.count(cluster) > 0,
            },
            Scores::Resource(values, scores) => Raw::Resource {
                value: values[at],
                lo: scores.lo,
                hi: scores.hi,
            },
            Scores::AddOn(values) => Raw::AddOn {
                expired: values.expired.contains(at),
            },
        }
    }
}

/// The figures behind one score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Raw {
    /// Decisions of others for the cluster, and the most for any cluster.
    Balance {
        /// For this cluster.
        count: u32,
        /// For the busiest one.
        max: u32,
    },
    /// Whether the cluster is decided already.
    Steady {
        /// It is.
        decided: bool,
    },
    /// The cluster's amount between the least and the most of the feasible ones.
    Resource {
        /// The cluster's amount; `None`: it takes no part.
        value: Option<f64>,
        /// The least.
        lo: f64,
        /// The most.
        hi: f64,
    },
    /// A score of an add-on.
    AddOn {
        /// Its validity is over.
        expired: bool,
    },
}

/// Balance's score in upstream's own floating point: `2 * int64(100.0 * (0.5 - count/max))`
/// (upstream `plugins/balance`).
#[must_use]
pub fn balance(count: u32, max: u32) -> i64 {
    if count == 0 {
        return 100;
    }
    let usage = f64::from(count) / f64::from(max);
    let scaled = 100.0 * (0.5 - usage);
    2 * (scaled as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balance_has_the_effects_of_floating_point() {
        assert_eq!(balance(0, 5), 100);
        assert_eq!(balance(5, 5), -100);
        assert_eq!(balance(2, 5), 18);
        assert_eq!(balance(57, 100), -12);
        assert_eq!(balance(17, 100), 64);
        assert_eq!(balance(1, 1000), 98);
    }
}
