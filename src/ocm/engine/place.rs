//! The computation for one placement, from bindings to conditions.

use std::borrow::Cow;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::conditions::conditions;
pub use super::conditions::{Condition, MISCONFIGURED, SATISFIED};
use super::decisions::{DecidedClusters, Decisions, ExistingDecision};
use super::feasible::Feasible;
use super::fewest;
use super::groups::{Group, PAGE, divide};
use super::hub::{Clusters, Hub};
use super::left::Left;
use super::rank::{best, ranked, total, totals};
use super::score::{Prioritizer, Scores, Weighted, prioritizers};
use super::select::{self, Cel};
use crate::ocm::model::{Placement, Skipped};

/// How much of the scores is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// None.
    Selection,
    /// The totals of the selected clusters, at least of the best ten.
    Chosen,
    /// The totals of all feasible clusters, and their parts.
    All,
}

/// The clusters that one filter left.
#[derive(Debug, Clone)]
pub struct Filtered {
    /// The filters so far, joined by commas.
    pub name: &'static str,
    /// The clusters left.
    pub clusters: Arc<Left>,
}

/// A feasible cluster with its scores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The cluster.
    pub cluster: u32,
    /// The sum of weight times score.
    pub total: i64,
    /// The score by prioritizer, `None` where it gives none; with [`Detail::All`] alone.
    pub scores: Vec<Option<i64>>,
}

/// How one `PlacementDecision` changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It stays as it is.
    Unchanged,
    /// It is made.
    Created,
    /// Its clusters or labels become others.
    Altered,
}

/// One `PlacementDecision` as it will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its name.
    pub name: String,
    /// The index of its group.
    pub group: usize,
    /// Its clusters, by name.
    pub clusters: Vec<u32>,
    /// How it differs from the current one.
    pub change: Change,
}

/// The answer for one placement.
#[derive(Debug, Clone, Default)]
pub struct Placed<'a> {
    /// Its place in [`crate::ocm::model::Model::placements`].
    pub placement: usize,
    /// Why nothing was computed, if nothing was.
    pub skipped: Option<Skipped>,
    /// Why the hub would write no status: a set's selector or the placement's name.
    pub fault: Option<String>,
    /// The sets that count, by name.
    pub eligible: Vec<&'a str>,
    /// The clusters before the filters.
    pub available: Clusters,
    /// The clusters that each filter left; fewer entries after a misconfiguration.
    pub filters: Vec<Filtered>,
    /// The prioritizers, by name and weight; empty after a misconfiguration.
    pub prioritizers: Vec<Weighted<'a>>,
    /// Feasible clusters, best first; see [`Detail`].
    pub rows: Vec<Row>,
    /// The rows of feasible clusters that the placement had before and selects no more; see
    /// [`Detail`].
    pub outscored: Vec<Row>,
    /// The selected clusters, best first.
    pub selected: Vec<u32>,
    /// How many were asked for and not found.
    pub unscheduled: usize,
    /// The weight of Steady by which each reconcile selects other clusters, if it does.
    pub flips: Option<i64>,
    /// The decision groups.
    pub groups: Vec<Group<'a>>,
    /// The `PlacementDecision`s.
    pub pages: Vec<Page>,
    /// The existing `PlacementDecision`s that go, by name.
    pub deleted: Vec<String>,
    /// The clusters that the placement had before.
    pub was: Vec<u32>,
    /// The conditions; empty when the hub would write no status.
    pub conditions: Vec<Condition>,
    /// When a timed toleration of a decided cluster runs out.
    pub requeue: Option<Timestamp>,
    /// Clusters whose add-on score has expired, with its resource name.
    pub expired: Vec<(u32, &'a str)>,
}

impl Placed<'_> {
    /// The clusters of all `PlacementDecision`s, in their order.
    pub fn decided(&self) -> impl Iterator<Item = u32> + Clone {
        let pages = self.pages.iter();
        pages.flat_map(|page| page.clusters.iter().copied())
    }

    /// Whether the hub leaves its decisions as they are, whatever they are: it schedules nothing,
    /// or fails before it writes.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.fault.is_some() || self.skipped == Some(Skipped::SchedulingDisabled)
    }

    /// Whether the decisions of other placements count for this one.
    #[must_use]
    pub fn is_balanced(&self) -> bool {
        let mut prioritizers = self.prioritizers.iter();
        prioritizers.any(|one| one.prioritizer == Prioritizer::Balance && one.weight != 0)
    }

    /// Whether no `PlacementDecision` is made, altered or deleted.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.deleted.is_empty()
            && self
                .pages
                .iter()
                .all(|page| page.change == Change::Unchanged)
    }

    /// Whether the placement is satisfied; a skipped one is.
    #[must_use]
    pub fn is_satisfied(&self) -> bool {
        self.skipped.is_some()
            || self
                .conditions
                .iter()
                .any(|c| c.kind == SATISFIED && c.status)
    }

    /// Why it is not satisfied.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        let failed = |one: &&Condition| one.kind == SATISFIED && !one.status;
        let failed = self.conditions.iter().find(failed);
        let fault = self.fault.clone();
        fault.or_else(|| failed.map(|condition| condition.message.to_string()))
    }

    /// The message of the misconfiguration, if there is one.
    #[must_use]
    pub fn misconfigured(&self) -> Option<&str> {
        let condition = self
            .conditions
            .iter()
            .find(|c| c.kind == MISCONFIGURED && c.status)?;
        Some(&condition.message)
    }
}

/// Where no more than one cluster of so many is ranked, the others are not looked at.
const FEW: usize = 8;

/// The names of the sets bound to each of these namespaces, by name, without repetition.
#[must_use]
pub fn bound_sets<'a, 'n>(
    hub: &Hub<'_, 'a>,
    namespaces: impl Iterator<Item = &'n str>,
) -> FxHashMap<&'n str, Vec<&'a str>> {
    let mut bound: FxHashMap<&str, Vec<&'a str>> = FxHashMap::default();
    // Many placements have one namespace.
    for namespace in namespaces {
        bound.entry(namespace).or_default();
    }
    for binding in &hub.model.bindings {
        if let Some(bound) = bound.get_mut(binding.namespace)
            && hub.has_set(binding.name)
        {
            bound.push(binding.name);
        }
    }
    for names in bound.values_mut() {
        names.sort_unstable();
        names.dedup();
    }
    bound
}

/// The sets that count for a placement: those of the bound ones that it does not leave out.
#[must_use]
pub fn eligible_sets<'a>(placement: &Placement<'a>, bound: &[&'a str]) -> Vec<&'a str> {
    let wanted = |name: &&str| {
        placement.cluster_sets.is_empty()
            || placement.cluster_sets.iter().any(|set| set.text == *name)
    };
    let mut eligible: Vec<&str> = bound.iter().copied().filter(wanted).collect();
    // There is a list for each placement.
    eligible.shrink_to_fit();
    eligible
}

/// Plans one placement over the current decisions (upstream `scheduling/schedule.go`).
pub fn place<'a>(
    hub: &Hub<'_, 'a>,
    decisions: &Decisions<'a>,
    cel: &dyn Cel<'a>,
    bound: &[&'a str],
    index: usize,
    detail: Detail,
) -> Placed<'a> {
    place_without(hub, decisions, cel, bound, index, detail, &[])
}

/// The same as if these clusters did not exist; the current decisions stay.
pub fn place_without<'a>(
    hub: &Hub<'_, 'a>,
    decisions: &Decisions<'a>,
    cel: &dyn Cel<'a>,
    bound: &[&'a str],
    index: usize,
    detail: Detail,
    lost: &[u32],
) -> Placed<'a> {
    let placement = &hub.model.placements[index];
    let mut placed = Placed {
        placement: index,
        filters: Vec::with_capacity(2),
        ..Placed::default()
    };
    placed.skipped = placement.skipped;
    if placed.skipped.is_some() {
        return placed;
    }
    let own = decisions.decided(placement.namespace, placement.name);
    placed.was = own.clusters().collect();
    placed.eligible = eligible_sets(placement, bound);
    placed.available = match hub.available(&placed.eligible) {
        Ok(available) => available,
        Err(error) => {
            placed.fault = Some(error.message);
            return placed;
        }
    };
    if !lost.is_empty() {
        let mut left = FixedBitSet::clone(&placed.available);
        for cluster in lost {
            left.set(*cluster as usize, false);
        }
        placed.available = Arc::new(left);
    }
    let name_too_long = placement.name.len() > 63;
    let stopped = schedule(
        hub,
        decisions,
        cel,
        placement,
        &own,
        &mut placed,
        detail,
        name_too_long,
        lost.is_empty(),
    );
    if name_too_long {
        placed.fault = Some(format!(
            "the name has {} bytes; a label value may have at most 63",
            placement.name.len()
        ));
        return placed;
    }
    let (groups, fault) = divide(hub, placement, &placed.selected);
    placed.groups = groups;
    publish(decisions, placement, &mut placed);
    let misconfigured = fault
        .map(|fault| format!(":{fault}"))
        .or_else(|| stopped.clone());
    if stopped.is_none() {
        placed.requeue = select::requeue_time(hub, placement, &own);
    }
    placed.conditions = conditions(
        placement,
        bound,
        misconfigured,
        (&placed.eligible, &placed.available),
        (placed.selected.len(), placed.unscheduled),
    );
    placed
}

/// The clusters that pass both filters, each of which is noted.
fn filter<'a>(
    hub: &Hub<'_, 'a>,
    cel: &dyn Cel<'a>,
    placement: &Placement<'a>,
    own: &DecidedClusters,
    placed: &mut Placed<'a>,
) -> Result<Arc<FixedBitSet>, String> {
    let clusters = select::predicates(hub, cel, placement, &placed.available)
        .map_err(|fault| format!("Predicate:{fault}"))?;
    let left = Arc::new(Left::of(&placed.available, &clusters));
    placed.filters.push(Filtered {
        name: "Predicate",
        clusters: Arc::clone(&left),
    });
    let feasible = select::tolerated(hub, placement, own, &clusters)
        .map_err(|fault| format!("TaintToleration:{fault}"))?;
    let left = if Arc::ptr_eq(&clusters, &feasible) {
        left
    } else {
        Arc::new(Left::of(&placed.available, &feasible))
    };
    placed.filters.push(Filtered {
        name: "Predicate,TaintToleration",
        clusters: left,
    });
    Ok(feasible)
}

/// Filters, scores, sorts and cuts. Gives the message of a misconfiguration.
#[allow(
    clippy::too_many_arguments,
    reason = "one step of `place`, split for its length only"
)]
fn schedule<'a>(
    hub: &Hub<'_, 'a>,
    decisions: &Decisions<'a>,
    cel: &dyn Cel<'a>,
    placement: &Placement<'a>,
    own: &DecidedClusters,
    placed: &mut Placed<'a>,
    detail: Detail,
    name_too_long: bool,
    remember: bool,
) -> Option<String> {
    let feasible = match filter(hub, cel, placement, own, placed) {
        Ok(feasible) => feasible,
        Err(fault) => return Some(fault),
    };
    let count = placed
        .filters
        .last()
        .map_or(0, |left| left.clusters.count());
    let weighted = match prioritizers(placement) {
        Ok(weighted) => weighted,
        Err(fault) => return Some(format!(":{fault}")),
    };
    let steady = |w: &Weighted<'_>| w.prioritizer == Prioritizer::Steady;
    if name_too_long && weighted.iter().any(steady) {
        // Steady asks for the decisions by label, which no such name can be.
        return None;
    }
    let wanted = placement
        .number_of_clusters
        .map_or(count, |number| number as usize);
    let chosen = wanted.min(count);
    placed.unscheduled = wanted - chosen;
    let rows = match detail {
        Detail::Selection => 0,
        Detail::Chosen => chosen.max(10).min(count),
        Detail::All => count,
    };
    let kept = chosen.max(rows);
    let few = kept.saturating_mul(FEW) <= count;
    let by_decisions = few.then(|| Scores::by_decisions(decisions, own, &weighted));
    // Of each loss there is another set of clusters, which is not asked for again.
    let all = || {
        if remember {
            hub.feasible(&feasible)
        } else {
            Arc::new(Feasible::new(&feasible))
        }
    };
    let (among, scores);
    let best: Vec<(u32, i64)> = match by_decisions.flatten() {
        Some(known) => {
            scores = known;
            let levels = decisions.levels();
            fewest::best(levels, own, &weighted, &scores, &feasible, kept)
        }
        None => {
            among = all();
            let of = |w: &Weighted<'a>| Scores::new(hub, decisions, own, w.prioritizer, &among);
            scores = weighted.iter().map(of).collect();
            let is_new = placed.was.is_empty();
            ranked(hub, &weighted, &scores, &among, kept, is_new)
        }
    };
    for (scores, weighted) in scores.iter().zip(&weighted) {
        if let (Scores::AddOn(values), Prioritizer::AddOn(resource, _)) =
            (scores, weighted.prioritizer)
        {
            let expired = values.expired.intersection(&feasible);
            placed.expired.extend(
                expired
                    .filter_map(|id| u32::try_from(id).ok())
                    .map(|id| (id, resource)),
            );
        }
    }
    placed.selected = best[..chosen].iter().map(|(id, _)| *id).collect();
    let negative = weighted.iter().find(|w| steady(w) && w.weight < 0);
    if let Some(weight) = negative.map(|w| w.weight).filter(|_| chosen < count) {
        let among = Feasible::new(&feasible);
        let of = |w: &Weighted<'a>| Scores::new(hub, decisions, own, w.prioritizer, &among);
        let scores: Vec<Scores<'_>> = weighted.iter().map(of).collect();
        let totals = totals(hub, &weighted, &scores, &among);
        let settles = settles(&among, totals, own, &placed.selected, weight);
        placed.flips = (!settles).then_some(weight);
    }
    let row = |&(cluster, total): &(u32, i64)| Row {
        cluster,
        total,
        scores: match detail {
            Detail::All => scores.iter().map(|scores| scores.of(cluster)).collect(),
            Detail::Selection | Detail::Chosen => Vec::new(),
        },
    };
    placed.rows = best[..rows].iter().map(row).collect();
    if detail != Detail::Selection && !placed.was.is_empty() {
        let stay: FixedBitSet = placed.selected.iter().map(|id| *id as usize).collect();
        let was = placed.was.iter().copied();
        let lost = was.filter(|id| feasible.contains(*id as usize) && !stay.contains(*id as usize));
        let lost = lost.map(|id| row(&(id, total(&weighted, &scores, id))));
        placed.outscored = lost.collect();
    }
    placed.prioritizers = weighted;
    None
}

/// Whether the next reconcile selects the same clusters: Steady then counts for those that are
/// selected now, and no longer for those that were before.
fn settles(
    among: &Feasible,
    mut totals: Vec<i64>,
    own: &DecidedClusters,
    selected: &[u32],
    weight: i64,
) -> bool {
    for cluster in own.clusters().filter_map(|cluster| among.at(cluster)) {
        totals[cluster] -= weight * 100;
    }
    let places = selected.iter().filter_map(|cluster| among.at(*cluster));
    let now: FixedBitSet = places.collect();
    for at in now.ones() {
        totals[at] += weight * 100;
    }
    best(&totals, selected.len())
        .into_iter()
        .all(|at| now.contains(at))
}

/// Cuts the groups into pages and compares with what is there (upstream
/// `scheduling/scheduling_controller.go`).
fn publish<'a>(decisions: &Decisions<'a>, placement: &Placement<'a>, placed: &mut Placed<'a>) {
    let pages_of = |group: &Group<'_>| group.clusters.len().div_ceil(PAGE).max(1);
    let count = placed.groups.iter().map(pages_of).sum();
    placed.pages.reserve_exact(count);
    for (index, group) in placed.groups.iter().enumerate() {
        let pages: Vec<&[u32]> = if group.clusters.is_empty() {
            vec![&[]]
        } else {
            group.clusters.chunks(PAGE).collect()
        };
        for page in pages {
            let name = format!("{}-decision-{}", placement.name, placed.pages.len() + 1);
            let change = match decisions.get(placement.namespace, &name) {
                None => Change::Created,
                Some(old)
                    if old.clusters == page
                        && old.placement.as_deref() == Some(placement.name)
                        && old.group.0.as_deref() == Some(group.name)
                        && old.group.1.as_deref() == Some(index.to_string().as_str()) =>
                {
                    Change::Unchanged
                }
                Some(_) => Change::Altered,
            };
            placed.pages.push(Page {
                name,
                group: index,
                clusters: page.to_vec(),
                change,
            });
        }
    }
    placed.deleted = decisions
        .of_placement(placement.namespace, placement.name)
        .filter(|name| !placed.pages.iter().any(|page| page.name == ***name))
        .map(|name| name.clone().into_owned())
        .collect();
}

/// Applies a placement's answer, as the hub does before it processes the next one.
pub fn apply<'a>(decisions: &mut Decisions<'a>, hub: &Hub<'_, 'a>, placed: &Placed<'a>) {
    let placement = &hub.model.placements[placed.placement];
    for name in &placed.deleted {
        decisions.remove(placement.namespace, name);
    }
    for page in &placed.pages {
        let group = placed.groups[page.group].name;
        let existing = ExistingDecision {
            placement: Some(Cow::Borrowed(placement.name)),
            group: (
                Some(Cow::Borrowed(group)),
                Some(Cow::Owned(page.group.to_string())),
            ),
            clusters: page.clusters.clone(),
        };
        decisions.put(placement.namespace, Cow::Owned(page.name.clone()), existing);
    }
}
