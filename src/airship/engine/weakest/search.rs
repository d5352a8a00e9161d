//! The answer by simulated runs, for cases where it matters which group handles a node.

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::{Budget, By, Weakness};
use crate::airship::engine::Deployment;
use crate::airship::engine::run::{Faults, Machine};
use crate::airship::model::{Reading, Site};

/// Things that can fail, each the nodes that fail with it, those of one kind together.
type Kinds = Vec<Vec<(u32, Vec<u32>)>>;

/// By group: the fewest failures with which it fails, and how many of each kind they are.
type Fewest = FxHashMap<u32, (usize, Vec<Vec<usize>>)>;

/// Nodes with equal marks are alike to a run: the groups of a node, and where it is in the faults.
type Mark = (Vec<u32>, Vec<bool>);

/// The answer for each critical group, in document order, by all numbers of failures of each
/// kind, fewest first.
pub(super) fn search<'a>(
    site: &Site<'a>,
    plan: &Deployment,
    faults: &Faults,
    reading: Reading,
    racks: &[(&'a str, Vec<u32>)],
    by: By,
    mut budget: Budget<'_>,
) -> Vec<Weakness<'a>> {
    let kinds: Kinds = match by {
        By::Nodes => kinds_of_nodes(site, plan, faults),
        By::Racks => (0..)
            .zip(racks)
            .map(|(number, (_, nodes))| vec![(number, nodes.clone())])
            .collect(),
    };
    let critical = site.groups.iter().zip(0..);
    let critical = critical.filter(|(group, _)| group.critical);
    let critical: Vec<u32> = critical.map(|(_, group)| group).collect();
    let runs = (site, plan, faults, reading);
    let (done, exact) = smallest(runs, &kinds, &critical, &mut budget);
    let name = |number: u32| match by {
        By::Nodes => site.nodes[number as usize].name.text,
        By::Racks => racks[number as usize].0,
    };
    let answer = |group: &u32| {
        let group = *group;
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
        Weakness {
            group,
            by,
            size: Some(*size),
            sets,
            exact: listed && exact,
        }
    };
    critical.iter().map(answer).collect()
}

/// The answer for each of these groups that can fail, and whether all numbers up to there were
/// tried.
fn smallest<'a>(
    (site, plan, faults, reading): (&Site<'a>, &Deployment, &Faults, Reading),
    kinds: &Kinds,
    critical: &[u32],
    budget: &mut Budget<'_>,
) -> (Fewest, bool) {
    let mut open: Vec<(u32, Vec<Vec<usize>>)> =
        critical.iter().map(|group| (*group, Vec::new())).collect();
    let mut done = FxHashMap::default();
    // A run costs what there is to walk; the bound holds for sites of a thousand nodes.
    let cost = plan.members.iter().map(Vec::len).sum::<usize>() as u64;
    let most = 2_000_000_000 / (cost + 1);
    budget.limit(most);
    let mut machine = Machine::new(site, plan, reading);
    let all: usize = kinds.iter().map(Vec::len).sum();
    let mut exact = true;
    for size in 0..=all {
        exact = counts(kinds, size, |numbers| {
            if budget.runs == 0 {
                return false;
            }
            budget.spend(1);
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
    (done, exact)
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
    let mut kinds: IndexMap<Mark, Vec<(u32, Vec<u32>)>> = IndexMap::new();
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
