//! The decisions of placements if clusters are lost. Only the placements that could have decided
//! for those clusters are planned again.

use std::sync::OnceLock;

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::decisions::Decisions;
use super::feasible::Feasible;
use super::hub::Hub;
use super::place::{Detail, Placed, bound_sets, place_without};
use super::rank::{best, totals};
use super::resource::Resource;
use super::score::{Prioritizer, Scores, Weighted, prioritizers};
use super::select::Cel;
use crate::kit::sorted::{in_order, only};
use crate::ocm::model::Model;

/// The hub, ready to be asked with clusters missing.
pub struct Losses<'m, 'a> {
    hub: Hub<'m, 'a>,
    decisions: Decisions<'a>,
    bound: FxHashMap<&'a str, Vec<&'a str>>,
    /// By placement, filled when first asked for.
    ranked: Vec<OnceLock<Option<Ranked>>>,
    known: Vec<OnceLock<Unharmed>>,
}

/// The decision of a placement before any loss.
#[derive(Debug)]
struct Unharmed {
    /// The clusters in its decisions, in ascending order.
    decided: Vec<u32>,
    /// The selected clusters, in ascending order.
    selected: Vec<u32>,
}

impl Unharmed {
    fn of(base: &Placed<'_>) -> Self {
        let mut selected = base.selected.clone();
        selected.sort_unstable();
        Self {
            decided: decided(base),
            selected,
        }
    }

    /// Whether every selected cluster is in a decision.
    fn is_published(&self) -> bool {
        self.decided.len() == self.selected.len()
    }

    fn selects(&self, id: u32) -> bool {
        self.selected.binary_search(&id).is_ok()
    }

    fn lost(&self, removed: Vec<u32>, added: Vec<u32>, satisfied: bool) -> Lost {
        let left = self.decided.len() + added.len() - removed.len();
        Lost {
            emptied: left == 0 && !self.decided.is_empty(),
            removed,
            added,
            satisfied,
        }
    }
}

/// Clusters behind the selected ones that are kept for those that are lost.
const BEHIND: usize = 16;

/// How the clusters that a placement can select stand to one another.
#[derive(Debug)]
struct Ranked {
    /// The extremes among the clusters that their scores depend on.
    ends: Vec<End>,
    /// How many they are.
    feasible: usize,
    /// How many of them are wanted.
    wanted: usize,
    /// The next best clusters after the wanted ones, best first.
    behind: Vec<u32>,
}

/// The least or the most of a resource among the clusters that a placement can select.
#[derive(Debug)]
struct End {
    resource: Resource,
    value: f64,
    /// How many of them have just that.
    clusters: usize,
}

/// The effect of a loss on a placement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// The ids of clusters that it no longer decides for, in ascending order.
    pub removed: Vec<u32>,
    /// The ids of clusters that it decides for instead, in ascending order.
    pub added: Vec<u32>,
    /// Whether it is satisfied.
    pub satisfied: bool,
    /// Whether it had decisions and has none left.
    pub emptied: bool,
}

impl<'m, 'a> Losses<'m, 'a> {
    /// Indexes the hub once for all losses.
    #[must_use]
    pub fn new(model: &'m Model<'a>, now: Timestamp) -> Self {
        let hub = Hub::new(model, now);
        let placements = model.placements.iter();
        let bound = bound_sets(&hub, placements.map(|placement| placement.namespace));
        Self {
            decisions: Decisions::new(model),
            hub,
            bound,
            ranked: model.placements.iter().map(|_| OnceLock::new()).collect(),
            known: model.placements.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// The effect of losing these clusters on a placement; `None` if it is not affected.
    pub fn of(&self, base: &Placed<'a>, lost: &[u32], cel: &dyn Cel<'a>) -> Option<Lost> {
        if base.skipped.is_some() || base.fault.is_some() {
            return None;
        }
        let has = |id: &&u32| {
            let feasible = base.filters.last();
            feasible.is_some_and(|list| list.clusters.contains(**id))
        };
        let touched = in_order(lost.iter().filter(has).copied());
        if touched.is_empty() {
            return None;
        }
        let placement = &self.hub.model.placements[base.placement];
        let known = self.known(base);
        let plain = base.misconfigured().is_none();
        let mut chosen = touched.clone();
        chosen.retain(|id| known.selects(*id));
        let ranked = || self.ranked[base.placement].get_or_init(|| self.rank(base));
        // Those that keep their scores, and with them their order.
        let stand = || {
            ranked()
                .as_ref()
                .filter(|all| !self.rescores(all, &touched))
        };
        if plain && chosen.is_empty() && stand().is_some() {
            return None;
        }
        if plain && placement.number_of_clusters.is_none() && known.is_published() {
            let satisfied = chosen.len() < known.selected.len();
            return Some(known.lost(chosen, Vec::new(), satisfied));
        }
        if plain
            && known.is_published()
            && let Some(all) = stand()
            && let Some(added) = all.instead_of(&touched, chosen.len())
        {
            let left = all.feasible - touched.len();
            let satisfied = all.wanted.min(left) > 0 && all.wanted <= left;
            return Some(known.lost(chosen, added, satisfied));
        }
        let bound = self.bound.get(placement.namespace)?;
        let (hub, decisions) = (&self.hub, &self.decisions);
        let detail = Detail::Selection;
        let placed = place_without(hub, decisions, cel, bound, base.placement, detail, lost);
        let now = decided(&placed);
        let (removed, added) = (only(&known.decided, &now), only(&now, &known.decided));
        Some(known.lost(removed, added, placed.is_satisfied()))
    }

    fn known(&self, base: &Placed<'a>) -> &Unharmed {
        self.known[base.placement].get_or_init(|| Unharmed::of(base))
    }

    /// The clusters that a placement decides for after a loss, in ascending order.
    pub fn clusters(&self, base: &Placed<'a>, lost: &Lost) -> Vec<u32> {
        let mut clusters = self.known(base).decided.clone();
        clusters.retain(|id| lost.removed.binary_search(id).is_err());
        clusters.extend(&lost.added);
        clusters.sort_unstable();
        clusters
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
            behind: order.skip(wanted).map(|at| feasible.clusters[at]).collect(),
        })
    }

    /// The least and the most of every resource that counts.
    fn ends(&self, weighted: &[Weighted<'_>], feasible: &Feasible) -> Vec<End> {
        let resources = weighted.iter().filter_map(|one| match one.prioritizer {
            Prioritizer::Resource(resource) => Some(resource),
            Prioritizer::Balance | Prioritizer::Steady | Prioritizer::AddOn(..) => None,
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
}

impl Ranked {
    /// The clusters that replace the `selected` ones among the lost, in ascending order. `None` if
    /// too few of the next best are known.
    fn instead_of(&self, lost: &[u32], selected: usize) -> Option<Vec<u32>> {
        let left = self.feasible - lost.len();
        let missing = (self.wanted.min(left) + selected).saturating_sub(self.wanted);
        let behind = self.behind.iter().filter(|id| !lost.contains(id));
        let mut added: Vec<u32> = behind.take(missing).copied().collect();
        if added.len() < missing {
            return None;
        }
        added.sort_unstable();
        Some(added)
    }
}

/// The clusters in a placement's decisions, in ascending order.
fn decided(placed: &Placed<'_>) -> Vec<u32> {
    let mut clusters: Vec<u32> = placed.decided().collect();
    clusters.sort_unstable();
    clusters
}
