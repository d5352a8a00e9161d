//! What breaks a site: the smallest sets of nodes, and of racks, whose failure in prepare
//! fails a critical group.
//!
//! By the original statement a group's nodes have all been sent once its own prepare step is
//! over, whoever sent them. So a group fails exactly when a group it depends on fails or
//! when too many of its own nodes are among the failed ones, however groups overlap: the
//! smallest sets are then those of the weakest group on the way up, and need no search.
//! With faults of single steps, and by the original code, who sends a node matters; the
//! run is then searched, nodes that no group and no fault tells apart taken as one kind.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::Deployment;
use super::inherit;
use super::run::{Faults, Machine, failed_criteria};
use crate::airship::model::{Reading, Site};

/// What the failures of an answer are.
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
    /// What fails.
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
    /// What it depends on, at any depth, in document order.
    pub by: Vec<u32>,
}

/// How much may be spent: simulated runs, or sets listed.
#[derive(Debug, Clone, Copy)]
struct Budget {
    runs: u64,
    names: u64,
}

impl Budget {
    fn new(bound: u64) -> Self {
        Self {
            runs: bound,
            names: bound.saturating_mul(4),
        }
    }

    /// Pays for a set of that many names; false when nothing is left.
    fn set(&mut self, names: usize) -> bool {
        let names = names as u64;
        let enough = self.runs > 0 && self.names >= names;
        if enough {
            self.runs -= 1;
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
) -> Vec<Weakness<'a>> {
    let racks = racks(site, plan);
    let direct = reading == Reading::Statement && faults.steps.is_empty();
    let answers = |by| {
        if direct {
            Direct::new(site, plan, faults, &racks).answers(by, Budget::new(bound))
        } else {
            search(site, plan, faults, reading, &racks, by, Budget::new(bound))
        }
    };
    let (nodes, racks) = (answers(By::Nodes), answers(By::Racks));
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
fn racks<'a>(site: &Site<'a>, plan: &Deployment) -> Vec<(&'a str, Vec<u32>)> {
    let mut racks: std::collections::BTreeMap<&str, Vec<u32>> = std::collections::BTreeMap::new();
    for node in 0..u32::try_from(site.nodes.len()).unwrap_or(u32::MAX) {
        if plan.unassigned.binary_search(&node).is_err()
            && let Some(rack) = inherit::effective(site, node).rack
        {
            racks.entry(rack.text).or_default().push(node);
        }
    }
    racks.into_iter().collect()
}

/// The answer without a search: every group by itself.
struct Direct<'s, 'a> {
    site: &'s Site<'a>,
    racks: &'s [(&'a str, Vec<u32>)],
    rack_of: Vec<Option<u32>>,
    /// The nodes of each group that have not failed anyway.
    whole: Vec<Vec<u32>>,
    /// How many more of them must fail to fail the group by itself.
    missing: Vec<Option<usize>>,
}

impl<'s, 'a> Direct<'s, 'a> {
    fn new(
        site: &'s Site<'a>,
        plan: &Deployment,
        faults: &Faults,
        racks: &'s [(&'a str, Vec<u32>)],
    ) -> Self {
        let broken = |node: &u32| {
            let sets = [&faults.prepare, &faults.deploy, &faults.join];
            sets.iter().any(|set| set.contains(*node as usize))
        };
        let mut whole = Vec::with_capacity(plan.members.len());
        let mut missing = Vec::with_capacity(plan.members.len());
        for (group, members) in site.groups.iter().zip(&plan.members) {
            let left: Vec<u32> = members
                .iter()
                .copied()
                .filter(|node| !broken(node))
                .collect();
            missing.push(group.criteria.as_ref().and_then(|criteria| {
                let fails = |more: usize| {
                    let good = left.len() - more;
                    !failed_criteria(criteria, members.len(), good, Reading::Statement).is_empty()
                };
                first(left.len(), fails)
            }));
            whole.push(left);
        }
        let mut rack_of = vec![None; site.nodes.len()];
        for ((_, nodes), rack) in racks.iter().zip(0..) {
            for node in nodes {
                rack_of[*node as usize] = Some(rack);
            }
        }
        Self {
            site,
            racks,
            rack_of,
            whole,
            missing,
        }
    }

    fn answers(&self, by: By, mut budget: Budget) -> Vec<Weakness<'a>> {
        let critical = self
            .site
            .groups
            .iter()
            .zip(0..)
            .filter(|(group, _)| group.critical);
        critical
            .map(|(_, group)| match by {
                By::Nodes => self.by_nodes(group, &mut budget),
                By::Racks => self.by_racks(group, &mut budget),
            })
            .collect()
    }

    fn by_nodes(&self, group: u32, budget: &mut Budget) -> Weakness<'a> {
        let above = above(self.site, group);
        let size = above
            .iter()
            .filter_map(|one| self.missing[*one as usize])
            .min();
        let mut sets = Vec::new();
        let mut exact = true;
        for one in above
            .iter()
            .filter(|one| size.is_some() && self.missing[**one as usize] == size)
        {
            let nodes = &self.whole[*one as usize];
            let size = size.unwrap_or_default();
            combinations(&vec![1; nodes.len()], size, size as u64, |picks| {
                exact = budget.set(size);
                if exact {
                    sets.push(picks.iter().map(|at| nodes[*at]).collect::<Vec<u32>>());
                }
                exact
            });
        }
        sets.sort_unstable();
        sets.dedup();
        let name = |node: u32| self.site.nodes[node as usize].name.text;
        let sets = sets
            .into_iter()
            .map(|set| set.into_iter().map(name).collect())
            .collect();
        Weakness {
            group,
            by: By::Nodes,
            size,
            sets,
            exact,
        }
    }

    fn by_racks(&self, group: u32, budget: &mut Budget) -> Weakness<'a> {
        // Per group above: its racks with how many of its nodes they hold, most first.
        let mut ways = Vec::new();
        for one in above(self.site, group) {
            let Some(need) = self.missing[one as usize] else {
                continue;
            };
            let mut held: FxHashMap<u32, u64> = FxHashMap::default();
            for node in &self.whole[one as usize] {
                if let Some(rack) = self.rack_of[*node as usize] {
                    *held.entry(rack).or_default() += 1;
                }
            }
            let mut held: Vec<(u64, u32)> = held.into_iter().map(|(rack, n)| (n, rack)).collect();
            held.sort_unstable_by_key(|(nodes, rack)| (std::cmp::Reverse(*nodes), *rack));
            let sum = |size: usize| held[..size].iter().map(|(nodes, _)| nodes).sum::<u64>();
            if let Some(size) = first(held.len(), |size| sum(size) >= need as u64) {
                ways.push((size, need as u64, held));
            }
        }
        let size = ways.iter().map(|(size, ..)| *size).min();
        let mut sets = Vec::new();
        let mut exact = true;
        for (_, need, held) in ways.iter().filter(|(one, ..)| Some(*one) == size) {
            let size = size.unwrap_or_default();
            let weights: Vec<u64> = held.iter().map(|(nodes, _)| *nodes).collect();
            combinations(&weights, size, *need, |picks| {
                exact = budget.set(size);
                if exact {
                    let mut set: Vec<u32> = picks.iter().map(|at| held[*at].1).collect();
                    set.sort_unstable();
                    sets.push(set);
                }
                exact
            });
        }
        sets.sort_unstable();
        sets.dedup();
        let name = |rack: u32| self.racks[rack as usize].0;
        let sets = sets
            .into_iter()
            .map(|set| set.into_iter().map(name).collect())
            .collect();
        Weakness {
            group,
            by: By::Racks,
            size,
            sets,
            exact,
        }
    }
}

/// The first number up to `most` from which on something holds.
fn first(most: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
    if !holds(most) {
        return None;
    }
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

/// Visits every choice of `size` positions whose weights (in falling order) sum up to `need`
/// or more, until the visitor returns false.
fn combinations(weights: &[u64], size: usize, need: u64, mut visit: impl FnMut(&[usize]) -> bool) {
    let mut sums = vec![0; weights.len() + 1];
    for (at, weight) in weights.iter().enumerate() {
        sums[at + 1] = sums[at] + weight;
    }
    let (mut picks, mut sum, mut from) = (Vec::with_capacity(size), 0, 0);
    loop {
        let left = size - picks.len();
        if left == 0 {
            if !visit(&picks) {
                return;
            }
        } else if from + left <= weights.len() && sum + sums[from + left] - sums[from] >= need {
            picks.push(from);
            sum += weights[from];
            from += 1;
            continue;
        }
        let Some(last) = picks.pop() else { return };
        sum -= weights[last];
        from = last + 1;
    }
}

/// Things that can fail, each the nodes that fail with it, those of one kind together.
type Kinds = Vec<Vec<(u32, Vec<u32>)>>;

/// What a run can tell of a node: its groups, and where it stands in the faults.
type Mark = (Vec<u32>, Vec<bool>);

/// The answer by simulated runs: all numbers of failures of each kind, fewest first.
fn search<'a>(
    site: &Site<'a>,
    plan: &Deployment,
    faults: &Faults,
    reading: Reading,
    racks: &[(&'a str, Vec<u32>)],
    by: By,
    mut budget: Budget,
) -> Vec<Weakness<'a>> {
    let kinds: Kinds = match by {
        By::Nodes => kinds_of_nodes(site, plan, faults),
        By::Racks => (0..)
            .zip(racks)
            .map(|(number, (_, nodes))| vec![(number, nodes.clone())])
            .collect(),
    };
    let critical = || {
        site.groups
            .iter()
            .zip(0..)
            .filter(|(group, _)| group.critical)
    };
    let mut open: Vec<(u32, Vec<Vec<usize>>)> =
        critical().map(|(_, group)| (group, Vec::new())).collect();
    let mut done: FxHashMap<u32, (usize, Vec<Vec<usize>>)> = FxHashMap::default();
    // A run costs what there is to walk; the bound holds for sites of a thousand nodes.
    let cost = plan.members.iter().map(Vec::len).sum::<usize>() as u64;
    budget.runs = budget.runs.min(2_000_000_000 / (cost + 1));
    let mut machine = Machine::new(site, plan, reading);
    let all: usize = kinds.iter().map(Vec::len).sum();
    let mut exact = true;
    for size in 0..=all {
        exact = counts(&kinds, size, |numbers| {
            if budget.runs == 0 {
                return false;
            }
            budget.runs -= 1;
            let mut faults = faults.clone();
            faults.prepare.grow(site.nodes.len());
            for (kind, number) in kinds.iter().zip(numbers) {
                for node in kind[..*number].iter().flat_map(|(_, nodes)| nodes) {
                    faults.prepare.insert(*node as usize);
                }
            }
            machine.run(&faults, None);
            for (group, found) in &mut open {
                if !machine.succeeded[*group as usize] {
                    found.push(numbers.to_vec());
                }
            }
            true
        });
        open.retain_mut(|(group, found)| {
            let found = std::mem::take(found);
            let keep = found.is_empty();
            if !keep {
                done.insert(*group, (size, found));
            }
            keep
        });
        if open.is_empty() || !exact {
            break;
        }
    }
    let name = |number: u32| match by {
        By::Nodes => site.nodes[number as usize].name.text,
        By::Racks => racks[number as usize].0,
    };
    let answer = |(_, group): (_, u32)| {
        let Some((size, found)) = done.get(&group) else {
            return Weakness {
                group,
                by,
                size: None,
                sets: Vec::new(),
                exact,
            };
        };
        let mut sets = Vec::new();
        let listed = found.iter().all(|numbers| {
            products(&kinds, numbers, |set| {
                let enough = budget.set(*size);
                if enough {
                    sets.push(set);
                }
                enough
            })
        });
        sets.sort_unstable();
        let sets = sets
            .into_iter()
            .map(|set| set.into_iter().map(name).collect())
            .collect();
        // A level that was not finished may hide sets of the size found in it.
        let finished = exact || open.is_empty();
        Weakness {
            group,
            by,
            size: Some(*size),
            sets,
            exact: finished && listed && exact,
        }
    };
    critical().map(answer).collect()
}

/// The nodes of the plan by what the run can tell apart: their groups and their faults.
fn kinds_of_nodes(site: &Site<'_>, plan: &Deployment, faults: &Faults) -> Kinds {
    let mut marks = vec![Vec::new(); site.nodes.len()];
    for (members, group) in plan.members.iter().zip(0..) {
        for node in members {
            marks[*node as usize].push(group);
        }
    }
    let mut steps: Vec<_> = faults.steps.iter().collect();
    steps.sort_unstable_by_key(|(step, _)| **step);
    let mut kinds: indexmap::IndexMap<Mark, Vec<(u32, Vec<u32>)>> = indexmap::IndexMap::new();
    for (groups, node) in marks.into_iter().zip(0..) {
        let at = node as usize;
        if groups.is_empty() || faults.prepare.contains(at) {
            continue;
        }
        let mut flags = vec![faults.deploy.contains(at), faults.join.contains(at)];
        for (_, fault) in &steps {
            flags.extend([fault.fail.contains(at), fault.done.contains(at)]);
        }
        kinds
            .entry((groups, flags))
            .or_default()
            .push((node, vec![node]));
    }
    kinds.into_values().collect()
}

/// Visits every way to take `size` things, as numbers per kind; false when the visitor
/// stopped.
fn counts(kinds: &Kinds, size: usize, mut visit: impl FnMut(&[usize]) -> bool) -> bool {
    let mut numbers = vec![0; kinds.len()];
    let (mut picks, mut from) = (Vec::with_capacity(size), 0);
    loop {
        if picks.len() == size {
            if !visit(&numbers) {
                return false;
            }
        } else if from < kinds.len() {
            if numbers[from] < kinds[from].len() {
                numbers[from] += 1;
                picks.push(from);
            } else {
                from += 1;
            }
            continue;
        }
        let Some(last) = picks.pop() else { return true };
        numbers[last] -= 1;
        from = last + 1;
    }
}

/// Visits every set with these numbers of each kind; false when the visitor stopped.
fn products(kinds: &Kinds, numbers: &[usize], mut visit: impl FnMut(Vec<u32>) -> bool) -> bool {
    let mut choices: Vec<Vec<usize>> = numbers
        .iter()
        .map(|number| (0..*number).collect())
        .collect();
    loop {
        let mut set = Vec::new();
        for (kind, picks) in kinds.iter().zip(&choices) {
            set.extend(picks.iter().map(|at| kind[*at].0));
        }
        set.sort_unstable();
        if !visit(set) {
            return false;
        }
        // The next choice, as an odometer over the kinds.
        let mut turned = false;
        for (kind, picks) in kinds.iter().zip(&mut choices) {
            if next_choice(picks, kind.len()) {
                turned = true;
                break;
            }
            *picks = (0..picks.len()).collect();
        }
        if !turned {
            return true;
        }
    }
}

/// The next choice of as many positions below `len`, in order; false after the last.
fn next_choice(picks: &mut [usize], len: usize) -> bool {
    let size = picks.len();
    let Some(at) = (0..size).rev().find(|at| picks[*at] < len - size + *at) else {
        return false;
    };
    let first = picks[at] + 1;
    for (pick, value) in picks[at..].iter_mut().zip(first..) {
        *pick = value;
    }
    true
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
        site.nodes = NAMES.iter().zip(racks).map(one).collect();
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
            let racks = super::racks(&site, &plan);
            for answer in weakest(&site, &plan, &faults, reading, 1_000_000) {
                let things = if answer.by == By::Nodes { &nodes } else { &racks };
                let (size, sets) = by_force(&site, &plan, &faults, reading, things, answer.group);
                prop_assert!(answer.exact);
                prop_assert_eq!((answer.size, answer.sets), (size, sets));
            }
        }
    }

    #[test]
    fn a_bound_ends_the_list() {
        let mut site = site();
        site.nodes = NAMES.map(|name| host(name, &[], &[], None)).to_vec();
        let criteria = Criteria {
            minimum: Some(5),
            ..Criteria::default()
        };
        site.groups = vec![group("g", true, &[], &NAMES, criteria)];
        let plan = plan(&site, Reading::Statement, GroupOrder::Waves);
        let faults = Faults::default();
        let all = weakest(&site, &plan, &faults, Reading::Statement, 100);
        assert_eq!(
            (all[0].size, all[0].sets.len(), all[0].exact),
            (Some(3), 35, true)
        );
        assert_eq!((all[1].size, all[1].exact), (None, true));
        for reading in [Reading::Statement, Reading::Upstream] {
            let some = weakest(&site, &plan, &faults, reading, 20);
            assert!(!some[0].exact && some[0].size == Some(3) && some[0].sets.len() <= 20);
        }
    }
}
