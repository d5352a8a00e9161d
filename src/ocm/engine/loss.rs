//! What placements decide if clusters are lost: only those that could have had them are planned
//! again.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::decisions::Decisions;
use super::hub::Hub;
use super::place::{Detail, Placed, bound_sets, place_without};
use super::score::{Prioritizer, prioritizers};
use super::select::Cel;
use crate::ocm::model::Model;

/// The hub, ready to be asked with clusters missing.
pub struct Losses<'m, 'a> {
    hub: Hub<'m, 'a>,
    decisions: Decisions<'a>,
    bound: BTreeMap<&'a str, Vec<&'a str>>,
}

/// What becomes of a placement.
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
        }
    }

    /// What becomes of a placement without these clusters; none if the loss does not touch it.
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
        let normalised = touched.iter().any(|id| self.is_extreme(base, *id));
        if plain && !normalised && !touched.iter().any(chosen) {
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

    /// Whether the scores of the others are measured against what this cluster has: it has the
    /// most or the least of a resource that counts.
    fn is_extreme(&self, base: &Placed<'a>, id: u32) -> bool {
        let placement = &self.hub.model.placements[base.placement];
        let (Ok(all), Some(list)) = (prioritizers(placement), base.filters.last()) else {
            return true;
        };
        let feasible = self.hub.feasible(&list.clusters);
        all.iter().any(|one| {
            let Prioritizer::Resource(resource) = one.prioritizer else {
                return false;
            };
            let scores = feasible.resource(self.hub.resource(resource), resource);
            let value = self.hub.resource(resource)[id as usize];
            value.is_some_and(|value| value <= scores.lo || value >= scores.hi)
        })
    }

    /// Whether everything that is selected is decided.
    fn published(&self, base: &Placed<'a>) -> bool {
        decided(base).len() == base.selected.len()
    }
}

/// The clusters of all decisions, ascending.
#[must_use]
pub fn decided(placed: &Placed<'_>) -> Vec<u32> {
    let pages = placed.pages.iter().flat_map(|page| &page.clusters);
    let mut clusters: Vec<u32> = pages.copied().collect();
    clusters.sort_unstable();
    clusters
}
