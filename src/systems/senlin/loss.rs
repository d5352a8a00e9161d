//! The regions that get another number of nodes where others are lost.

use std::collections::{BTreeMap, BTreeSet};

use crate::loss::{Loss, RegionLost};
use crate::plan::Plan;
use crate::senlin::Planned;
use crate::senlin::engine::{Check, CheckStatus, Outcome};

/// Records what two plans of all files say differently.
pub(in crate::systems) fn compare(before: &Plan<'_, '_>, after: &Plan<'_, '_>, loss: &mut Loss) {
    let (old, new) = (all_shares(before), all_shares(after));
    let none = Shares::default();
    for (path, old) in &old {
        differences(path, old, new.get(path).unwrap_or(&none), loss);
    }
}

/// The nodes of each region that a policy answers for, and whether the answer is one.
type Shares<'n> = (BTreeMap<&'n str, i128>, bool);

/// The shares of one region policy.
fn shares<'c>(check: Check<'c, '_>, outcome: &Outcome) -> Shares<'c> {
    let after = outcome.usable.iter().zip(0..).map(|(position, at)| {
        let position = *position as usize;
        let nodes = check.cluster.nodes[position] + outcome.change(at);
        (&*check.policy.regions[position].name, nodes)
    });
    (after.collect(), outcome.answer == CheckStatus::Done)
}

/// The shares of every region policy, by its path.
fn all_shares<'p>(plan: &'p Plan<'_, '_>) -> BTreeMap<&'p str, Shares<'p>> {
    let planned = plan.regions.planned.iter();
    let of = |one: &'p Planned<'_, '_>| (one.set.path, shares(one.check, &one.outcome));
    planned.map(of).collect()
}

/// The regions of one policy with another number of nodes.
fn differences(path: &str, old: &Shares<'_>, new: &Shares<'_>, loss: &mut Loss) {
    let failed = old.1 && !new.1;
    let names: BTreeSet<&str> = old.0.keys().chain(new.0.keys()).copied().collect();
    let changed = names.into_iter().filter_map(|name| {
        let (from, to) = (old.0.get(name).copied(), new.0.get(name).copied());
        (from != to).then(|| RegionLost {
            path: path.to_owned(),
            name: name.to_owned(),
            from,
            to,
            failed,
        })
    });
    loss.regions.extend(changed);
}
