//! What placements decide if clusters are lost: only those that could have had them are planned
//! again.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use jiff::Timestamp;

use super::decisions::Decisions;
use super::hub::Hub;
use super::place::{Detail, Placed, bound_sets, place_without};
use super::resource::Resource;
use super::score::{Prioritizer, prioritizers};
use super::select::Cel;
use crate::ocm::model::Model;

/// The hub, ready to be asked with clusters missing.
pub struct Losses<'m, 'a> {
    hub: Hub<'m, 'a>,
    decisions: Decisions<'a>,
    bound: BTreeMap<&'a str, Vec<&'a str>>,
    /// By placement, filled when first asked for.
    ends: Vec<OnceLock<Option<Vec<End>>>>,
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
            ends: model.placements.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// What happens to a placement without these clusters; none if the loss does not touch it.
    pub fn of(&self, base: &Placed<'a>, lost: &[u32], cel: &dyn Cel<'a>) -> Option<Lost> {
        if base.skipped.is_some() || base.fault.is_some() {
            return None;
        }
        let has = |id: &&u32| {
            let feasible = base.filters.last();
            feasible.is_some_and(|list| list.clusters.contains(**id as usize))
        };
        let touched: Vec<u32> = lost.iter().filter(has).copied().collect();
        if touched.is_empty() {
            return None;
        }
        let placement = &self.hub.model.placements[base.placement];
        let plain = base.misconfigured().is_none();
        let chosen = |id: &u32| base.selected.contains(id);
        if plain && !touched.iter().any(chosen) && !self.rescored(base, &touched) {
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
    fn rescored(&self, base: &Placed<'a>, lost: &[u32]) -> bool {
        let ends = self.ends[base.placement].get_or_init(|| self.ends_of(base));
        let Some(ends) = ends else {
            return true;
        };
        ends.iter().any(|end| {
            let values = self.hub.resource(end.resource);
            let at = |id: &&u32| values[**id as usize] == Some(end.value);
            lost.iter().filter(at).count() == end.clusters
        })
    }

    /// The least and the most of every resource that counts for a placement; none where its
    /// prioritizers are not known.
    fn ends_of(&self, base: &Placed<'a>) -> Option<Vec<End>> {
        let placement = &self.hub.model.placements[base.placement];
        let (all, list) = (prioritizers(placement).ok()?, base.filters.last()?);
        let feasible = self.hub.feasible(&list.clusters);
        let resources = all.iter().filter_map(|one| match one.prioritizer {
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
        Some(ends.filter(|end| end.clusters > 0).collect())
    }

    /// Whether everything that is selected is decided.
    fn published(&self, base: &Placed<'a>) -> bool {
        decided(base).len() == base.selected.len()
    }
}

/// The clusters of all decisions, ascending.
#[must_use]
pub fn decided(placed: &Placed<'_>) -> Vec<u32> {
    let mut clusters: Vec<u32> = placed.decided().collect();
    clusters.sort_unstable();
    clusters
}
