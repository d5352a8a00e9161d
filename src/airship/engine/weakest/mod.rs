//! The weak points of a site: the smallest sets of nodes, and of racks, whose failure in prepare
//! fails a critical group.
//!
//! By the specification a group's nodes have all been sent once its own prepare step is
//! over, whichever group sent them. So a group fails exactly when a group it depends on fails or
//! when too many of its own nodes are among the failed ones, however groups overlap: the
//! smallest sets are then those of the weakest group on the way up, and need no search.
//! With faults of single steps, and by the original code, it matters which group sends a node; the
//! run is then searched, with nodes that no group and no fault tells apart taken as one kind.

mod direct;
mod search;

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::Deployment;
use super::inherit;
use super::run::Faults;
use crate::airship::model::{Reading, Site};
use crate::kit::progress::Progress;

/// The unit that fails in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Single nodes.
    Nodes,
    /// All nodes of a rack together.
    Racks,
}

/// The smallest sets of failures that fail one critical group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weakness<'a> {
    /// The group.
    pub group: u32,
    /// The unit that fails.
    pub by: By,
    /// How many must fail; `None` when no number does, or none was found.
    pub size: Option<usize>,
    /// The sets of that size, each sorted, the list too.
    pub sets: Vec<Vec<&'a str>>,
    /// Whether size and list are complete; otherwise the bound was reached.
    pub exact: bool,
}

/// A group that is not critical, and the groups whose failure takes it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenDown {
    /// The group.
    pub group: u32,
    /// The groups it depends on, at any depth, in document order.
    pub by: Vec<u32>,
}

/// How much may be spent: simulated runs, or sets listed.
#[derive(Debug, Clone, Copy)]
struct Budget<'p> {
    runs: u64,
    names: u64,
    /// Told of all that is spent, and of what will never be.
    progress: &'p Progress,
}

impl<'p> Budget<'p> {
    fn new(bound: u64, progress: &'p Progress) -> Self {
        Self {
            runs: bound,
            names: bound.saturating_mul(4),
            progress,
        }
    }

    /// Allows no more than so many runs.
    fn limit(&mut self, most: u64) {
        let over = self.runs.saturating_sub(most);
        self.runs -= over;
        self.progress
            .lower(usize::try_from(over).unwrap_or(usize::MAX));
    }

    /// Spends runs.
    fn spend(&mut self, runs: u64) {
        self.runs -= runs;
        self.progress
            .add(usize::try_from(runs).unwrap_or(usize::MAX));
    }

    /// Pays for a set of that many names; false when the budget is spent.
    fn set(&mut self, names: usize) -> bool {
        let names = names as u64;
        let enough = self.runs > 0 && self.names >= names;
        if enough {
            self.spend(1);
            self.names -= names;
        }
        enough
    }
}

/// The smallest sets for each critical group, first by nodes, then by racks, groups in
/// document order. `bound`: simulated runs and listed sets together, by nodes and by racks
/// each.
#[must_use]
pub fn weakest<'a>(
    site: &Site<'a>,
    plan: &Deployment,
    faults: &Faults,
    reading: Reading,
    bound: u64,
    progress: &Progress,
) -> Vec<Weakness<'a>> {
    let runs = usize::try_from(bound).unwrap_or(usize::MAX);
    progress.begin(runs.saturating_mul(2));
    let racks = by_rack(site, plan);
    let groups_alone = reading == Reading::Statement && faults.steps.is_empty();
    let answers = |by| {
        if groups_alone {
            direct::Direct::new(site, plan, faults, &racks)
                .answers(by, Budget::new(bound, progress))
        } else {
            search::search(
                site,
                plan,
                faults,
                reading,
                &racks,
                by,
                Budget::new(bound, progress),
            )
        }
    };
    let nodes = answers(By::Nodes);
    // The unspent budget of the first half lapses.
    let (spent, all) = progress.read();
    progress.lower(all.saturating_sub(spent.saturating_add(runs)));
    let racks = answers(By::Racks);
    nodes
        .into_iter()
        .zip(racks)
        .flat_map(|(nodes, racks)| [nodes, racks])
        .collect()
}

/// Every group that is not critical and depends on others. At most `bound` names in all.
#[must_use]
pub fn taken_down(site: &Site<'_>, bound: u64) -> Vec<TakenDown> {
    let mut left = bound;
    let mut found = Vec::new();
    for (group, number) in site.groups.iter().zip(0..) {
        if group.critical || group.depends_on.is_empty() {
            continue;
        }
        let mut by = above(site, number);
        by.retain(|other| *other != number);
        by.sort_unstable();
        left = left.saturating_sub(by.len() as u64);
        if left == 0 {
            break;
        }
        found.push(TakenDown { group: number, by });
    }
    found
}

/// A group and all it depends on, at any depth.
fn above(site: &Site<'_>, group: u32) -> Vec<u32> {
    let mut seen = FixedBitSet::with_capacity(site.groups.len());
    seen.insert(group as usize);
    let mut found = vec![group];
    let mut at = 0;
    while let Some(group) = found.get(at).copied() {
        at += 1;
        for need in &site.groups[group as usize].depends_on {
            if let Some(need) = need.group.filter(|need| !seen.put(*need as usize)) {
                found.push(need);
            }
        }
    }
    found
}

/// The racks by name, each with its nodes that are in a group.
fn by_rack<'a>(site: &Site<'a>, plan: &Deployment) -> Vec<(&'a str, Vec<u32>)> {
    let mut racks: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for node in 0..u32::try_from(site.nodes.len()).unwrap_or(u32::MAX) {
        if plan.unassigned.binary_search(&node).is_err()
            && let Some(rack) = inherit::effective(site, node).rack
        {
            racks.entry(rack.text).or_default().push(node);
        }
    }
    racks.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::airship::engine::plan;
    use crate::airship::engine::run::run;
    use crate::airship::engine::testing::{group, host, site};
    use crate::airship::model::{Criteria, GroupOrder};
    use proptest::prelude::*;

    const NAMES: [&str; 7] = ["0", "1", "2", "3", "4", "5", "6"];
    const RACKS: [Option<&str>; 3] = [None, Some("r1"), Some("r2")];

    type Drawn = (
        Vec<usize>,
        Vec<bool>,
        Option<u64>,
        Option<u64>,
        bool,
        Vec<bool>,
    );

    fn built(racks: &[usize], groups: &[Drawn]) -> Site<'static> {
        let mut site = site();
        let one = |(name, rack): (&&'static str, &usize)| host(name, &[], &[], RACKS[*rack]);
        site.nodes = NAMES.iter().zip(racks).map(one).collect::<Vec<_>>().into();
        for (at, (_, members, percent, most, critical, needs)) in groups.iter().enumerate() {
            let nodes: Vec<&'static str> = NAMES[..racks.len()]
                .iter()
                .zip(members)
                .filter(|(_, is)| **is)
                .map(|(name, _)| *name)
                .chain(["ghost"])
                .collect();
            let needs: Vec<u32> = (0u32..)
                .zip(needs)
                .filter(|(need, is)| **is && (*need as usize) < at)
                .map(|(need, _)| need)
                .collect();
            let criteria = Criteria {
                percent: *percent,
                maximum_failed: *most,
                ..Criteria::default()
            };
            site.groups
                .push(group(NAMES[at], *critical, &needs, &nodes, criteria));
        }
        site
    }

    /// Every subset of the things that can fail, by simulation.
    fn by_force(
        site: &Site<'static>,
        plan: &Deployment,
        faults: &Faults,
        reading: Reading,
        things: &[(&'static str, Vec<u32>)],
        group: u32,
    ) -> (Option<usize>, Vec<Vec<&'static str>>) {
        let mut best = (None, Vec::new());
        for mask in 0u32..1 << things.len() {
            let size = mask.count_ones() as usize;
            if best.0.is_some_and(|best| size > best) {
                continue;
            }
            let picked = || {
                things
                    .iter()
                    .zip(0..)
                    .filter(|(_, at)| mask & (1 << at) != 0)
            };
            let mut faults = faults.clone();
            faults.prepare.grow(site.nodes.len());
            for node in picked().flat_map(|((_, nodes), _)| nodes) {
                faults.prepare.insert(*node as usize);
            }
            if !run(site, plan, &faults, reading).succeeded[group as usize] {
                if best.0.is_none_or(|best| size < best) {
                    best = (Some(size), Vec::new());
                }
                best.1.push(picked().map(|((name, _), _)| *name).collect());
            }
        }
        best.1.sort_unstable();
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn weakest_agrees_with_brute_force(
            racks in prop::collection::vec(0usize..3, 1..7),
            groups in prop::collection::vec(
                (
                    Just(Vec::new()),
                    prop::collection::vec(any::<bool>(), 7),
                    prop::option::of(0u64..=100),
                    prop::option::of(0u64..4),
                    any::<bool>(),
                    prop::collection::vec(any::<bool>(), 4),
                ),
                1..5,
            ),
            broken in prop::option::of(0usize..7),
            upstream in any::<bool>(),
        ) {
            let site = built(&racks, &groups);
            let reading = if upstream { Reading::Upstream } else { Reading::Statement };
            let plan = plan(&site, reading, GroupOrder::Waves);
            let broken = broken.filter(|node| *node < site.nodes.len());
            let faults = Faults { deploy: broken.into_iter().collect(), ..Faults::default() };
            let member = |node: &u32| plan.unassigned.binary_search(node).is_err();
            let nodes: Vec<(&str, Vec<u32>)> =
                NAMES.iter().zip(0..).take(site.nodes.len()).filter(|(_, node)| member(node))
                    .map(|(name, node)| (*name, vec![node])).collect();
            let racks = super::by_rack(&site, &plan);
            for answer in weakest(&site, &plan, &faults, reading, 1_000_000, &Progress::default()) {
                let things = if answer.by == By::Nodes { &nodes } else { &racks };
                let (size, sets) = by_force(&site, &plan, &faults, reading, things, answer.group);
                prop_assert!(answer.exact);
                prop_assert_eq!((answer.size, answer.sets), (size, sets));
            }
        }
    }

    /// A site whose only group is critical, has all nodes and needs five successful ones.
    fn all_in_one_group() -> Site<'static> {
        let mut site = site();
        site.nodes = NAMES.map(|name| host(name, &[], &[], None)).to_vec().into();
        let criteria = Criteria {
            minimum: Some(5),
            ..Criteria::default()
        };
        site.groups = vec![group("g", true, &[], &NAMES, criteria)];
        site
    }

    #[test]
    fn what_is_never_run_does_not_count_as_done() {
        let site = all_in_one_group();
        for reading in [Reading::Statement, Reading::Upstream] {
            let plan = plan(&site, reading, GroupOrder::Waves);
            let progress = Progress::default();
            let bound = 1_000_000_000_000;
            let found = weakest(&site, &plan, &Faults::default(), reading, bound, &progress);
            assert!(found.iter().all(|one| one.exact));
            let (done, all) = progress.read();
            assert!(done < 1000 && all > done, "{done} of {all}, {reading:?}");
        }
    }

    #[test]
    fn a_bound_ends_the_list() {
        let site = all_in_one_group();
        let plan = plan(&site, Reading::Statement, GroupOrder::Waves);
        let faults = Faults::default();
        let all = weakest(
            &site,
            &plan,
            &faults,
            Reading::Statement,
            100,
            &Progress::default(),
        );
        assert_eq!(
            (all[0].size, all[0].sets.len(), all[0].exact),
            (Some(3), 35, true)
        );
        assert_eq!((all[1].size, all[1].exact), (None, true));
        for reading in [Reading::Statement, Reading::Upstream] {
            let some = weakest(&site, &plan, &faults, reading, 20, &Progress::default());
            assert!(!some[0].exact && some[0].size == Some(3) && some[0].sets.len() <= 20);
        }
    }
}
