//! What placements decide if clusters are lost: only those that could have had them are planned
//! again.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use jiff::Timestamp;

use super::decisions::Decisions;
use super::feasible::Feasible;
use super::hub::Hub;
use super::place::{Detail, Placed, bound_sets, place_without};
use super::rank::{best, totals};
use super::resource::Resource;
use super::score::{Prioritizer, Scores, Weighted, prioritizers};
use super::select::Cel;
use crate::ocm::model::Model;

/// The hub, ready to be asked with clusters missing.
pub struct Losses<'m, 'a> {
    hub: Hub<'m, 'a>,
    decisions: Decisions<'a>,
    bound: BTreeMap<&'a str, Vec<&'a str>>,
    /// By placement, filled when first asked for.
    ranked: Vec<OnceLock<Option<Ranked>>>,
}

/// Clusters behind the selected ones that are kept for those that are lost.
const BEHIND: usize = 16;

/// How the clusters that a placement can select stand to one another.
#[derive(Debug)]
struct Ranked {
    /// What their scores depend on beside themselves.
    ends: Vec<End>,
    /// How many they are.
    feasible: usize,
    /// How many of them are wanted.
    wanted: usize,
    /// The selected ones and those behind them, best first.
    order: Vec<u32>,
}

/// The least or the most of a resource among the clusters that a placement can select.
#[derive(Debug)]
struct End {
    resource: Resource,
    value: f64,
    /// How many of them have just that.
    clusters: usize,
}

/// What happens to a placement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Its clusters, by id, ascending.
    pub clusters: Vec<u32>,
    /// Whether it has what it asks for.
    pub satisfied: bool,
}

impl<'m, 'a> Losses<'m, 'a> {
    /// Indexes the hub once for all losses.
    #[must_use]
    pub fn new(model: &'m Model<'a>, now: Timestamp) -> Self {
        let hub = Hub::new(model, now);
        let mut bound = BTreeMap::new();
        for placement in &model.placements {
            bound
                .entry(placement.namespace)
                .or_insert_with(|| bound_sets(&hub, placement.namespace));
        }
        Self {
            decisions: Decisions::new(model),
            hub,
            bound,
            ranked: model.placements.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// What happens to a placement without these clusters; none if the loss does not touch it.
    pub fn of(&self, base: &Placed<'a>, lost: &[u32], cel: &dyn Cel<'a>) -> Option<Lost> {
        if base.skipped.is_some() || base.fault.is_some() {
            return None;
        }
        let has = |id: &&u32| {
            let feasible = base.filters.last();
            feasible.is_some_and(|list| list.clusters.contains(**id))
        };
        let mut touched: Vec<u32> = lost.iter().filter(has).copied().collect();
        if touched.is_empty() {
            return None;
        }
        touched.sort_unstable();
        touched.dedup();
        let placement = &self.hub.model.placements[base.placement];
        let plain = base.misconfigured().is_none();
        let chosen = |id: &u32| base.selected.contains(id);
        let ranked = || self.ranked[base.placement].get_or_init(|| self.rank(base));
        // Those that keep their scores, and with them their order.
        let stand = || {
            ranked()
                .as_ref()
                .filter(|all| !self.rescores(all, &touched))
        };
        if plain && !touched.iter().any(chosen) && stand().is_some() {
            return None;
        }
        if plain && placement.number_of_clusters.is_none() && self.published(base) {
            let mut clusters = base.selected.clone();
            clusters.retain(|id| !lost.contains(id));
            clusters.sort_unstable();
            let satisfied = !clusters.is_empty();
            return Some(Lost {
                clusters,
                satisfied,
            });
        }
        if plain
            && self.published(base)
            && let Some(left) = stand().and_then(|all| all.without(&touched))
        {
            return Some(left);
        }
        let bound = self.bound.get(placement.namespace)?;
        let (hub, decisions) = (&self.hub, &self.decisions);
        let detail = Detail::Selection;
        let placed = place_without(hub, decisions, cel, bound, base.placement, detail, lost);
        Some(Lost {
            clusters: decided(&placed),
            satisfied: placed.is_satisfied(),
        })
    }

    /// Whether the others get other scores: these clusters are all that have the most or the least
    /// of a resource that counts.
    fn rescores(&self, ranked: &Ranked, lost: &[u32]) -> bool {
        ranked.ends.iter().any(|end| {
            let values = self.hub.resource(end.resource);
            let at = |id: &&u32| values[**id as usize] == Some(end.value);
            lost.iter().filter(at).count() == end.clusters
        })
    }

    /// The clusters that a placement can select; none where its prioritizers are not known.
    fn rank(&self, base: &Placed<'a>) -> Option<Ranked> {
        let placement = &self.hub.model.placements[base.placement];
        let (weighted, list) = (prioritizers(placement).ok()?, base.filters.last()?);
        let feasible = self.hub.feasible(&list.clusters.set());
        let own = self.decisions.decided(placement.namespace, placement.name);
        let scores = weighted.iter().map(|one| one.prioritizer);
        let scores: Vec<Scores<'_>> = scores
            .map(|one| Scores::new(&self.hub, &self.decisions, &own, one, &feasible))
            .collect();
        let totals = totals(&self.hub, &weighted, &scores, &feasible);
        let count = feasible.clusters.len();
        let wanted = placement
            .number_of_clusters
            .map_or(count, |number| number as usize);
        let kept = wanted.saturating_add(BEHIND).min(count);
        let order = best(&totals, kept).into_iter();
        Some(Ranked {
            ends: self.ends(&weighted, &feasible),
            feasible: count,
            wanted,
            order: order.map(|at| feasible.clusters[at]).collect(),
        })
    }

    /// The least and the most of every resource that counts.
    fn ends(&self, weighted: &[Weighted<'_>], feasible: &Feasible) -> Vec<End> {
        let resources = weighted.iter().filter_map(|one| match one.prioritizer {
            Prioritizer::Resource(resource) => Some(resource),
            _ => None,
        });
        let ends = resources.flat_map(|resource| {
            let values = self.hub.resource(resource);
            let scores = feasible.resource(values, resource);
            let count = |value: f64| {
                let all = feasible.clusters.iter();
                all.filter(|id| values[**id as usize] == Some(value))
                    .count()
            };
            [scores.lo, scores.hi].map(|value| End {
                resource,
                value,
                clusters: count(value),
            })
        });
        // Where no cluster has any of it, there is nothing to be measured against.
        ends.filter(|end| end.clusters > 0).collect()
    }

    /// Whether everything that is selected is decided.
    fn published(&self, base: &Placed<'a>) -> bool {
        decided(base).len() == base.selected.len()
    }
}

impl Ranked {
    /// What is selected without these clusters, in whose place those behind step; none where too
    /// few of those are known.
    fn without(&self, lost: &[u32]) -> Option<Lost> {
        let left = self.feasible - lost.len();
        let count = self.wanted.min(left);
        let stay = self.order.iter().filter(|id| !lost.contains(id));
        let mut clusters: Vec<u32> = stay.take(count).copied().collect();
        if clusters.len() < count {
            return None;
        }
        clusters.sort_unstable();
        Some(Lost {
            satisfied: count > 0 && self.wanted <= left,
            clusters,
        })
    }
}

/// The clusters of all decisions, ascending.
#[must_use]
pub fn decided(placed: &Placed<'_>) -> Vec<u32> {
    let mut clusters: Vec<u32> = placed.decided().collect();
    clusters.sort_unstable();
    clusters
}
