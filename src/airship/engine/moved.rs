//! Which groups get or lose nodes when nodes change. Other nodes are selected as they were.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::Deployment;
use crate::airship::model::{Group, Site};

/// The numbers of the groups whose nodes change, without the `own` ones, whose selectors may have
/// changed. The site after the changes may leave out the nodes that did not change. `None` if
/// something else changed that decides the nodes or the order of groups.
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
    // The nodes after the changes, by their numbers before.
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
        // Both lists are sorted, and both sites number their nodes in the order of names.
        if !had.eq(has.map(|node| known[*node as usize])) {
            moved.push(u32::try_from(at).ok()?);
        }
    }
    Some(moved)
}
