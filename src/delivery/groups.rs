//! Placements as rollouts see them: the groups of their decisions, either planned or, if nothing
//! schedules the placement, as in the documents.

use rustc_hash::FxHashMap;

use super::ground::Ground;
use crate::ocm;
use crate::ocm::engine::place::Placed;
use crate::ocm::engine::rollout::{Groups, groups_of};
use crate::ocm::model::{Model as Hub, Placement};

/// The placements of a site by namespace and name.
pub(super) struct Placements<'p, 'a> {
    hub: &'p Hub<'a>,
    placed: FxHashMap<(&'a str, &'a str), &'p Placed<'a>>,
}

impl<'p, 'a> Placements<'p, 'a> {
    pub(super) fn new(hub: &'p Hub<'a>, outcome: Option<&'p ocm::Outcome<'a>>) -> Self {
        let placed = outcome
            .into_iter()
            .flat_map(|outcome| &outcome.placements.placed);
        let placed = placed.map(|placed| {
            let placement = &hub.placements[placed.placement];
            ((placement.namespace, placement.name), placed)
        });
        Self {
            hub,
            placed: placed.collect(),
        }
    }

    /// A placement's document, if there is one.
    pub(super) fn document(&self, namespace: &str, name: &str) -> Option<&'p Placement<'a>> {
        let placed = self.placed.get(&(namespace, name))?;
        Some(&self.hub.placements[placed.placement])
    }

    /// The groups of a placement's decisions; `None` where there is no such placement.
    pub(super) fn groups(
        &self,
        namespace: &'a str,
        name: &'a str,
        ground: &Ground<'a>,
    ) -> Option<Result<Groups<'a>, String>> {
        let placed = self.placed.get(&(namespace, name))?;
        if placed.skipped.is_some() {
            let held = groups_of(self.hub, namespace, name);
            return Some(
                held.map_err(|_| {
                    "the group index of a PlacementDecision is not a number".to_owned()
                }),
            );
        }
        let mut groups = Groups::new();
        for page in &placed.pages {
            let index = i64::try_from(page.group).unwrap_or(i64::MAX);
            let group = groups.entry((index, placed.groups[page.group].name));
            let clusters = page.clusters.iter().map(|id| ground.names.name(*id));
            group.or_default().extend(clusters);
        }
        Some(Ok(groups))
    }
}
