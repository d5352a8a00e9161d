//! Placements as rollouts see them: the groups of their decisions, planned or, where a placement is
//! left alone, as the documents hold them.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Ground;
use crate::ocm;
use crate::ocm::engine::place::Placed;
use crate::ocm::engine::rollout::{Groups, groups_of, step, waves};
use crate::ocm::model::{Model as Hub, Placement, Strategy};

/// The placements of a site by namespace and name.
pub(super) struct Placements<'p, 'a> {
    hub: &'p Hub<'a>,
    placed: FxHashMap<(&'a str, &'a str), &'p Placed<'a>>,
}

/// What a rollout to the clusters of one placement comes to where every cluster succeeds.
pub(super) struct Reached<'a> {
    /// The clusters that get what is rolled out.
    pub(super) clusters: BTreeSet<&'a str>,
    /// Why it ends before all groups, if it does.
    pub(super) stopped: Option<String>,
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

/// Rolls out to groups.
///
/// # Errors
/// The strategy cannot be read: nothing is rolled out.
pub(super) fn reached<'a>(
    groups: &Groups<'a>,
    strategy: &Strategy<'_>,
) -> Result<Reached<'a>, String> {
    let first = step(groups, strategy, &[], 0)?;
    Ok(match waves(groups, strategy) {
        Ok(waves) => Reached {
            clusters: waves.into_iter().flatten().collect(),
            stopped: None,
        },
        // What cannot be read is asked for only after the groups that come first.
        Err(why) => {
            let mandatory = mandatory(groups, strategy);
            let first = first.rollout.iter().map(|state| state.cluster);
            Reached {
                clusters: first.chain(mandatory).collect(),
                stopped: Some(why),
            }
        }
    })
}

/// The clusters of the groups that come first.
pub(super) fn mandatory<'a>(groups: &Groups<'a>, strategy: &Strategy<'_>) -> BTreeSet<&'a str> {
    let keys = ocm::engine::rollout::mandatory(groups, &strategy.mandatory);
    let sets = keys.iter().filter_map(|key| groups.get(key));
    sets.flatten().copied().collect()
}
