//! Clusters that are briefly in no `PlacementDecision`, because the hub writes its pages one by
//! one.
//!
//! Upstream: `scheduling_controller.go:bind` of open-cluster-management.io/ocm writes the pages in
//! order, then deletes those that are left over; consumers read all pages by their label and react
//! to each change.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ground::Ground;
use super::id::Id;
use super::row::Row;
use crate::ocm;
use crate::ocm::engine::place::{Change, Placed};
use crate::ocm::model::{Model as Hub, PlacementDecision};
use crate::source::Place;

/// A cluster that changes its page.
#[derive(Debug, Clone)]
pub struct Moved<'a> {
    /// The cluster.
    pub cluster: &'a str,
    /// The page that it is taken from.
    pub from: &'a str,
    /// The page that it is written to later.
    pub to: String,
}

/// A placement some of whose clusters are in no page for a moment.
#[derive(Debug, Clone)]
pub struct Gap<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub placement: &'a str,
    /// Where its name is.
    pub place: Place,
    /// The clusters, by name.
    pub moves: Vec<Moved<'a>>,
    /// The deliveries that it decides.
    pub deliveries: Vec<Id<'a>>,
}

/// The gaps of all placements, by namespace and name.
pub(super) fn gaps<'a>(
    hub: &Hub<'a>,
    outcome: Option<&ocm::Outcome<'a>>,
    ground: &Ground<'a>,
    rows: &[Row<'a>],
) -> Vec<Gap<'a>> {
    if hub.decisions.is_empty() {
        return Vec::new();
    }
    let mut pages: FxHashMap<&str, Vec<&PlacementDecision<'a>>> = FxHashMap::default();
    for decision in &hub.decisions {
        pages.entry(decision.namespace).or_default().push(decision);
    }
    let placed = outcome
        .into_iter()
        .flat_map(|outcome| &outcome.placements.placed);
    let mut gaps = Vec::new();
    for placed in placed.filter(|placed| placed.skipped.is_none()) {
        let placement = &hub.placements[placed.placement];
        let Some(pages) = pages.get(placement.namespace) else {
            continue;
        };
        let moves = gap(placed, placement.name, pages, ground);
        if moves.is_empty() {
            continue;
        }
        let own = ("Placement", placement.namespace, placement.name);
        let follows = |row: &&Row<'a>| row.via.iter().any(|via| via.placement == own);
        gaps.push(Gap {
            namespace: placement.namespace,
            placement: placement.name,
            place: placement.place,
            moves,
            deliveries: rows.iter().filter(follows).map(|row| row.id).collect(),
        });
    }
    gaps.sort_by_key(|gap| (gap.namespace, gap.placement));
    gaps
}

/// Replays the writes of one placement's pages: how many visible pages hold each cluster, and
/// which were in none at any time.
fn gap<'a>(
    placed: &Placed<'a>,
    placement: &str,
    pages: &[&PlacementDecision<'a>],
    ground: &Ground<'a>,
) -> Vec<Moved<'a>> {
    let mut held: FxHashMap<&str, (bool, Cow<'_, [&'a str]>)> = FxHashMap::default();
    let mut visible: FxHashMap<&'a str, usize> = FxHashMap::default();
    let mut first: FxHashMap<&'a str, &'a str> = FxHashMap::default();
    for page in pages {
        let labelled = page.placement == Some(placement);
        held.insert(page.name, (labelled, Cow::Borrowed(&page.clusters)));
        if labelled {
            for cluster in &page.clusters {
                *visible.entry(cluster).or_default() += 1;
                let last = first.entry(cluster).or_insert(page.name);
                *last = (*last).max(page.name);
            }
        }
    }
    let mut lost: FxHashSet<&'a str> = FxHashSet::default();
    let mut leave = |clusters: &[&'a str], visible: &mut FxHashMap<&'a str, usize>| {
        for cluster in clusters {
            if let Some(count) = visible.get_mut(cluster) {
                *count -= 1;
                if *count == 0 {
                    lost.insert(cluster);
                }
            }
        }
    };
    let mut home: FxHashMap<&'a str, &str> = FxHashMap::default();
    for page in &placed.pages {
        let new: Vec<&'a str> = page
            .clusters
            .iter()
            .map(|id| ground.names.name(*id))
            .collect();
        home.extend(new.iter().map(|cluster| (*cluster, page.name.as_str())));
        if page.change == Change::Unchanged {
            continue;
        }
        let old = held.remove(page.name.as_str());
        // One that is taken over gets its label only when the hub looks again.
        let labelled = old.as_ref().is_none_or(|(labelled, _)| *labelled);
        if labelled {
            for cluster in &new {
                *visible.entry(cluster).or_default() += 1;
            }
            if let Some((_, old)) = old {
                leave(&old, &mut visible);
            }
        }
    }
    for name in &placed.deleted {
        if let Some((true, old)) = held.remove(name.as_str()) {
            leave(&old, &mut visible);
        }
    }
    let kept = lost.into_iter().filter(|cluster| {
        first.contains_key(cluster) && visible.get(cluster).is_some_and(|count| *count > 0)
    });
    let kept: BTreeSet<&'a str> = kept.collect();
    let moved = |cluster: &'a str| Moved {
        cluster,
        from: first.get(cluster).copied().unwrap_or(""),
        to: home.get(cluster).copied().unwrap_or("").to_owned(),
    };
    kept.into_iter().map(moved).collect()
}
