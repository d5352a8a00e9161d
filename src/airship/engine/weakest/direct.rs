//! The answer without a search: by the specification every group fails on its own.

use std::cell::OnceCell;
use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::{Budget, By, Weakness, above};
use crate::airship::engine::Deployment;
use crate::airship::engine::run::{Faults, failed_criteria};
use crate::airship::model::{Reading, Site};

/// How failures of nodes and racks fail each group by itself, without its dependencies.
pub(super) struct Direct<'s, 'a> {
    site: &'s Site<'a>,
    racks: &'s [(&'a str, Vec<u32>)],
    rack_of: Vec<Option<u32>>,
    /// The nodes of each group that have not failed anyway.
    whole: Vec<Vec<u32>>,
    /// How many more of them must fail to fail the group by itself.
    missing: Vec<Option<usize>>,
    /// How racks fail each group by itself; found when first asked for.
    ways: Vec<OnceCell<Option<Way>>>,
}

/// How racks fail a group by itself.
struct Way {
    /// How many racks it takes.
    size: usize,
    /// How many nodes.
    need: u64,
    /// The racks with how many of its nodes they hold, most first.
    held: Vec<(u64, u32)>,
}

impl<'s, 'a> Direct<'s, 'a> {
    pub(super) fn new(
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
        let ways = missing.iter().map(|_| OnceCell::new()).collect();
        Self {
            site,
            racks,
            rack_of,
            whole,
            missing,
            ways,
        }
    }

    fn way(&self, group: u32) -> Option<&Way> {
        let group = group as usize;
        let way = || {
            let need = self.missing[group]? as u64;
            let mut held: FxHashMap<u32, u64> = FxHashMap::default();
            for node in &self.whole[group] {
                if let Some(rack) = self.rack_of[*node as usize] {
                    *held.entry(rack).or_default() += 1;
                }
            }
            let mut held: Vec<(u64, u32)> = held.into_iter().map(|(rack, n)| (n, rack)).collect();
            held.sort_unstable_by_key(|(nodes, rack)| (Reverse(*nodes), *rack));
            let sum = |size: usize| held[..size].iter().map(|(nodes, _)| nodes).sum::<u64>();
            let size = first(held.len(), |size| sum(size) >= need)?;
            Some(Way { size, need, held })
        };
        self.ways[group].get_or_init(way).as_ref()
    }

    /// The answer for each critical group, in document order.
    pub(super) fn answers(&self, by: By, mut budget: Budget<'_>) -> Vec<Weakness<'a>> {
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

    fn by_nodes(&self, group: u32, budget: &mut Budget<'_>) -> Weakness<'a> {
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
        let name = |node: u32| self.site.nodes[node as usize].name.text;
        weakness(group, By::Nodes, size, exact, sets, name)
    }

    fn by_racks(&self, group: u32, budget: &mut Budget<'_>) -> Weakness<'a> {
        let above = above(self.site, group);
        let ways = || above.iter().filter_map(|one| self.way(*one));
        let size = ways().map(|way| way.size).min();
        let mut sets = Vec::new();
        let mut exact = true;
        for way in ways().filter(|way| Some(way.size) == size) {
            let weights: Vec<u64> = way.held.iter().map(|(nodes, _)| *nodes).collect();
            combinations(&weights, way.size, way.need, |picks| {
                exact = budget.set(way.size);
                if exact {
                    let mut set: Vec<u32> = picks.iter().map(|at| way.held[*at].1).collect();
                    set.sort_unstable();
                    sets.push(set);
                }
                exact
            });
        }
        let name = |rack: u32| self.racks[rack as usize].0;
        weakness(group, By::Racks, size, exact, sets, name)
    }
}

/// The answer for a group: each set once, in order, its members by name.
fn weakness<'a>(
    group: u32,
    by: By,
    size: Option<usize>,
    exact: bool,
    mut sets: Vec<Vec<u32>>,
    name: impl Fn(u32) -> &'a str,
) -> Weakness<'a> {
    sets.sort_unstable();
    sets.dedup();
    Weakness {
        group,
        by,
        size,
        sets: sets
            .into_iter()
            .map(|set| set.into_iter().map(&name).collect())
            .collect(),
        exact,
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
