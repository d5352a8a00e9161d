//! Which groups get or lose nodes when nodes change. Other nodes are selected as they were.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::Deployment;
use crate::airship::model::{Group, Site};

/// The groups with other nodes, by number, but for those that are `own`: what these select may have
/// changed. The site after the changes need not hold the nodes that did not change. `None` if
/// anything else changed that decides which nodes groups have, and their order.
#[must_use]
pub fn moved(
    (before, planned): (&Site<'_>, &Deployment),
    (after, planned_after): (&Site<'_>, &Deployment),
    own: impl Fn(&Group<'_>) -> bool,
) -> Option<Vec<u32>> {
    let groups = before.groups.iter();
    let names: BTreeSet<&str> = groups.map(|group| group.name.text).collect();
    let whole = names.len() == before.groups.len()
        && before.groups.len() == after.groups.len()
        && planned.order == planned_after.order
        && before.profiles == after.profiles;
    if !whole {
        return None;
    }
    // The nodes of the site after the changes as the one before numbers them.
    let known = after.nodes.iter().map(|node| before.node(node.name.text));
    let known: Vec<u32> = known.collect::<Option<_>>()?;
    let mut there = FixedBitSet::with_capacity(before.nodes.len());
    there.extend(known.iter().map(|node| *node as usize));
    let mut moved = Vec::new();
    for (at, (group, now)) in before.groups.iter().zip(&after.groups).enumerate() {
        if group.name.text != now.name.text {
            return None;
        }
        if own(group) {
            continue;
        }
        if group.selectors != now.selectors {
            return None;
        }
        let had = planned.members[at].iter().copied();
        let had = had.filter(|node| there.contains(*node as usize));
        let has = planned_after.members[at].iter();
        // Both are sorted, and so are the nodes of both sites.
        if !had.eq(has.map(|node| known[*node as usize])) {
            moved.push(u32::try_from(at).ok()?);
        }
    }
    Some(moved)
}
