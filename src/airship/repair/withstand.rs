//! Edits that let a deployment withstand the failure of nodes: other success criteria, more nodes
//! in a group, and last, groups that are no longer critical or depended on.

use std::collections::BTreeSet;

use serde_json::json;

use crate::airship::Strategy;
use crate::airship::engine::run::{Criterion, failed_criteria};
use crate::airship::model::{Criteria, Group};
use crate::document::Documents;
use crate::repair::{Edit, Obstacle, Side, Target};

/// Nodes that are added to a group, at most.
const ADDED: usize = 8;

/// Where the critical groups that fail with these nodes can be helped; nothing if none fails.
#[must_use]
pub fn withstand(
    strategy: &Strategy<'_, '_>,
    documents: &Documents<'_>,
    lost: &BTreeSet<u32>,
) -> Vec<Obstacle> {
    let finder = LossObstacles {
        strategy,
        documents,
        lost,
    };
    finder.all()
}

struct LossObstacles<'f, 'm, 'a> {
    strategy: &'f Strategy<'m, 'a>,
    documents: &'f Documents<'a>,
    lost: &'f BTreeSet<u32>,
}

/// The document of a group and the pointer to it.
struct At<'a> {
    target: Target<'a>,
    group: String,
}

impl<'a> LossObstacles<'_, '_, 'a> {
    fn all(&self) -> Vec<Obstacle> {
        let groups = &self.strategy.site.groups;
        let numbers = (0..).take(groups.len());
        let failing: BTreeSet<u32> = numbers.filter(|at| !self.missed(*at).is_empty()).collect();
        let mut found = Vec::new();
        for at in &failing {
            let behind = self.critical_behind(*at);
            if behind.is_empty() {
                continue;
            }
            let group = &groups[*at as usize];
            let (nodes, good) = self.count(*at);
            let needs = format!(
                "the criteria of {} to hold with {good} of {nodes}",
                group.name.text
            );
            let mut obstacle = Obstacle::new("success criteria", needs);
            self.relax(*at, &mut obstacle);
            self.more_nodes(*at, &mut obstacle);
            self.let_go(*at, &behind, &mut obstacle);
            found.push(obstacle);
        }
        found
    }

    fn group(&self, at: u32) -> &Group<'a> {
        &self.strategy.site.groups[at as usize]
    }

    /// The nodes of a group, and how many of them are left.
    fn count(&self, at: u32) -> (usize, usize) {
        let members = &self.strategy.deployment.members[at as usize];
        let lost = members.iter().filter(|node| self.lost.contains(node));
        (members.len(), members.len() - lost.count())
    }

    /// The criteria that a group misses.
    fn missed(&self, at: u32) -> Vec<Criterion> {
        let (nodes, good) = self.count(at);
        let criteria = self.group(at).criteria.as_ref();
        let missed = |criteria| failed_criteria(criteria, nodes, good, self.strategy.reading);
        criteria.map(missed).unwrap_or_default()
    }

    /// The critical groups that fail with a group: itself, and what depends on it.
    fn critical_behind(&self, at: u32) -> Vec<u32> {
        let groups = &self.strategy.site.groups;
        let mut behind = BTreeSet::from([at]);
        let mut open = vec![at];
        while let Some(group) = open.pop() {
            for (other, number) in groups.iter().zip(0..) {
                let mut needs = other.depends_on.iter();
                if needs.any(|need| need.group == Some(group)) && behind.insert(number) {
                    open.push(number);
                }
            }
        }
        behind.retain(|at| self.group(*at).critical);
        behind.into_iter().collect()
    }

    fn at(&self, at: u32) -> Option<At<'a>> {
        let name = self.group(at).name.place;
        let target = Target::holding(self.documents, name, Side::Subject)?;
        let pointer = target.pointer_to(name)?;
        let group = pointer.strip_suffix("/name")?.to_owned();
        Some(At { target, group })
    }

    /// Criteria that hold with the nodes that are left.
    fn relax(&self, group: u32, obstacle: &mut Obstacle) {
        let (Some(at), Some(criteria)) = (self.at(group), &self.group(group).criteria) else {
            return;
        };
        let (nodes, good) = self.count(group);
        let holds = |criteria: Criteria| {
            failed_criteria(&criteria, nodes, good, self.strategy.reading).is_empty()
        };
        let percent = || {
            let most = criteria.percent.unwrap_or(100);
            let percent = |percent: &u64| {
                holds(Criteria {
                    percent: Some(*percent),
                    ..Criteria::default()
                })
            };
            (0..=most).rev().find(percent)
        };
        let list = format!("{}/success_criteria", at.group);
        let mut less: Vec<Edit> = Vec::new();
        for missed in self.missed(group) {
            let (key, value) = match missed {
                Criterion::Percent => ("percent_successful_nodes", percent().unwrap_or(0)),
                Criterion::Minimum => ("minimum_successful_nodes", good as u64),
                Criterion::MaximumFailed => ("maximum_failed_nodes", (nodes - good) as u64),
            };
            less.extend(at.target.set(format!("{list}/{key}"), value));
        }
        // With no node left the group succeeds whatever happens.
        obstacle.way(less, good == 0);
    }

    /// So many more nodes that the criteria hold without the lost ones.
    fn more_nodes(&self, group: u32, obstacle: &mut Obstacle) {
        let (Some(at), Some(criteria)) = (self.at(group), &self.group(group).criteria) else {
            return;
        };
        let (nodes, good) = self.count(group);
        let enough = |more: &usize| {
            let reading = self.strategy.reading;
            failed_criteria(criteria, nodes + more, good + more, reading).is_empty()
        };
        let members = &self.strategy.deployment.members;
        let own = &members[group as usize];
        let all = (0..).zip(self.strategy.site.nodes.iter());
        let free =
            all.filter(|(node, _)| !self.lost.contains(node) && own.binary_search(node).is_err());
        // Nodes that are in no group first.
        let busy = |node: u32| {
            let holds = |members: &&Vec<u32>| members.binary_search(&node).is_ok();
            members.iter().filter(holds).count()
        };
        let mut free: Vec<(usize, &str)> = free
            .map(|(node, host)| (busy(node), host.name.text))
            .collect();
        free.sort_unstable();
        let most = free.len().min(ADDED);
        if let Some(more) = (1..=most).find(enough) {
            let names: Vec<&str> = free[..more].iter().map(|(_, name)| *name).collect();
            let list = format!("{}/selectors", at.group);
            let selector = json!({"node_names": names});
            obstacle.one(at.target.append(&list, selector));
        }
    }

    /// Adds the edits that let the group fail: no longer critical, or no longer depended on.
    fn let_go(&self, group: u32, behind: &[u32], obstacle: &mut Obstacle) {
        let harmless = |at: &u32| {
            let at = self.at(*at)?;
            at.target.set(format!("{}/critical", at.group), false)
        };
        let all: Option<Vec<Edit>> = behind.iter().map(harmless).collect();
        obstacle.way(all.unwrap_or_default(), true);
        for other in behind.iter().filter(|other| **other != group) {
            let needs = self.group(*other).depends_on.iter();
            let mut needs = needs.filter(|need| need.group == Some(group));
            if let (Some(need), None, Some(at)) = (needs.next(), needs.next(), self.at(*other)) {
                let pointer = at.target.pointer_to(need.name.place);
                obstacle.blunt(pointer.and_then(|pointer| at.target.remove(pointer)));
            }
        }
    }
}
