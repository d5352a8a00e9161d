//! The deployment strategy's algorithm: groups, order, the run, and what breaks it.

pub mod inherit;
pub mod loss;
pub mod moved;
pub mod run;
pub mod select;
pub mod weakest;

#[cfg(test)]
pub(crate) mod testing;

use rustc_hash::FxHashSet;

use crate::airship::model::{GroupOrder, Reading, Site, Text};
use crate::kit::dag::Dag;

/// The plan: the nodes of each group, and the order of the groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deployment {
    /// The nodes of each group, groups in document order: sorted indices.
    pub members: Vec<Vec<u32>>,
    /// The order of the groups.
    pub order: Vec<u32>,
    /// The nodes in no group, sorted.
    pub unassigned: Vec<u32>,
    /// The longest that all groups may take, in seconds.
    pub limit_seconds: i64,
}

/// The graph of the groups.
#[must_use]
pub fn graph(site: &Site<'_>) -> Dag {
    let needs = |group: &crate::airship::model::Group<'_>| {
        group
            .depends_on
            .iter()
            .filter_map(|need| need.group)
            .collect()
    };
    Dag::new(&site.groups.iter().map(needs).collect::<Vec<Vec<u32>>>())
}

/// Plans a checked site. See the chapter on Airship in planner-placement(7).
#[must_use]
pub fn plan(site: &Site<'_>, reading: Reading, order: GroupOrder) -> Deployment {
    let members = select::members(site, reading);
    let graph = graph(site);
    let order = match order {
        GroupOrder::Waves => graph.waves().concat(),
        GroupOrder::Stack => graph.stack_order(),
    };
    let mut assigned = vec![false; site.nodes.len()];
    for node in members.iter().flatten() {
        assigned[*node as usize] = true;
    }
    let unassigned = (0..)
        .zip(&assigned)
        .filter(|(_, is)| !**is)
        .map(|(node, _)| node)
        .collect();
    let groups = i64::try_from(site.groups.len()).unwrap_or(i64::MAX);
    let limit_seconds = site.timing.group_limit().saturating_mul(groups);
    Deployment {
        members,
        order,
        unassigned,
        limit_seconds,
    }
}

/// The racks without any node in a group, by name.
#[must_use]
pub fn uncovered_racks<'a>(site: &Site<'a>, plan: &Deployment) -> Vec<Text<'a>> {
    if plan.unassigned.is_empty() {
        return Vec::new();
    }
    let profiles = inherit::profiles(site);
    let rack = |node: u32| {
        let host = &site.nodes[node as usize];
        match (host.rack, host.parent) {
            (Some(rack), Some(_)) if rack.text == "!" => None,
            (Some(rack), _) => Some(rack),
            (None, parent) => parent.and_then(|parent| profiles[parent as usize].rack),
        }
    };
    let mut assigned = vec![true; site.nodes.len()];
    for node in &plan.unassigned {
        assigned[*node as usize] = false;
    }
    let assigned = (0..).zip(&assigned).filter(|(_, assigned)| **assigned);
    let mut seen: FxHashSet<&str> = assigned
        .filter_map(|(node, _)| Some(rack(node)?.text))
        .collect();
    let idle = plan.unassigned.iter().filter_map(|node| rack(*node));
    let mut idle: Vec<Text<'a>> = idle.filter(|rack| seen.insert(rack.text)).collect();
    idle.sort_unstable_by_key(|rack| rack.text);
    idle
}
