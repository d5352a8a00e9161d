//! Which groups fail if nodes are lost. Only the groups of those nodes and their dependents are
//! evaluated again.
//!
//! A lost node fails in prepare; it stays one of its group. Without a fault every node that is sent
//! succeeds. By the specification a group then fails for its own criteria or for a group it depends
//! on, and losing nodes never makes a failing group succeed. In the original's code nodes belong to
//! the first group that has them, so that one failing group may take nodes from the next: there the
//! whole run is made again.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::Deployment;
use super::run::{DeploymentRun, DeploymentVerdict, Faults, Reason, failed_criteria, run};
use crate::airship::model::{Reading, Site};

/// The run without a fault, ready to be asked with nodes that fail.
pub struct Losses<'s, 'a> {
    site: &'s Site<'a>,
    deployment: &'s Deployment,
    reading: Reading,
    base: DeploymentRun,
    /// The groups of each node.
    groups: Vec<Vec<u32>>,
    /// The groups that depend on each group.
    dependents: Vec<Vec<u32>>,
}

/// The groups that fail now and did not fail before, in document order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// Groups that fail for their own criteria.
    pub failed: Vec<u32>,
    /// Groups that fail for a group they depend on.
    pub by_dependency: Vec<u32>,
    /// The verdict, if it changes.
    pub verdict: Option<DeploymentVerdict>,
}

impl<'s, 'a> Losses<'s, 'a> {
    /// Runs the deployment once for all losses.
    #[must_use]
    pub fn new(site: &'s Site<'a>, deployment: &'s Deployment, reading: Reading) -> Self {
        let mut groups = vec![Vec::new(); site.nodes.len()];
        for (members, group) in deployment.members.iter().zip(0..) {
            for node in members {
                groups[*node as usize].push(group);
            }
        }
        let mut dependents = vec![Vec::new(); site.groups.len()];
        for (group, number) in site.groups.iter().zip(0..) {
            for need in group.depends_on.iter().filter_map(|need| need.group) {
                dependents[need as usize].push(number);
            }
        }
        Self {
            site,
            deployment,
            reading,
            base: run(site, deployment, &Faults::default(), reading),
            groups,
            dependents,
        }
    }

    /// The run with nothing lost.
    #[must_use]
    pub fn base(&self) -> &DeploymentRun {
        &self.base
    }

    /// The additional failures if these nodes fail.
    #[must_use]
    pub fn of(&self, lost: &BTreeSet<u32>) -> Lost {
        let touched: BTreeSet<u32> = lost
            .iter()
            .flat_map(|node| &self.groups[*node as usize])
            .copied()
            .collect();
        if touched.is_empty() {
            return Lost::default();
        }
        match self.reading {
            Reading::Statement => self.judged(lost, &touched),
            Reading::Upstream => self.run_again(lost),
        }
    }

    fn judged(&self, lost: &BTreeSet<u32>, touched: &BTreeSet<u32>) -> Lost {
        let fails = |group: &u32| {
            let at = *group as usize;
            let members = &self.deployment.members[at];
            let gone = lost
                .iter()
                .filter(|node| members.binary_search(node).is_ok());
            let left = members.len() - gone.count();
            let criteria = self.site.groups[at].criteria.as_ref();
            self.base.succeeded[at]
                && criteria.is_some_and(|criteria| {
                    !failed_criteria(criteria, members.len(), left, self.reading).is_empty()
                })
        };
        let own: BTreeSet<u32> = touched.iter().copied().filter(fails).collect();
        let mut behind = BTreeSet::new();
        let mut open: Vec<u32> = own.iter().copied().collect();
        while let Some(group) = open.pop() {
            for dependent in &self.dependents[group as usize] {
                if self.base.succeeded[*dependent as usize] && behind.insert(*dependent) {
                    open.push(*dependent);
                }
            }
        }
        let failed: Vec<u32> = own.difference(&behind).copied().collect();
        let by_dependency: Vec<u32> = behind.into_iter().collect();
        let critical = |group: &u32| self.site.groups[*group as usize].critical;
        let mut all = failed.iter().chain(&by_dependency);
        let verdict = match self.base.verdict {
            DeploymentVerdict::Failed => DeploymentVerdict::Failed,
            _ if all.any(critical) => DeploymentVerdict::Failed,
            // One of the nodes that are sent fails, if no group does.
            _ => DeploymentVerdict::Partial,
        };
        Lost {
            failed,
            by_dependency,
            verdict: (verdict != self.base.verdict).then_some(verdict),
        }
    }

    fn run_again(&self, lost: &BTreeSet<u32>) -> Lost {
        let run = run(
            self.site,
            self.deployment,
            &failing(self.site, lost),
            self.reading,
        );
        difference(&self.base, &run)
    }
}

/// These nodes fail in prepare.
#[must_use]
pub fn failing(site: &Site<'_>, nodes: &BTreeSet<u32>) -> Faults {
    let mut faults = Faults {
        prepare: FixedBitSet::with_capacity(site.nodes.len()),
        ..Faults::default()
    };
    let nodes = nodes.iter().map(|node| *node as usize);
    faults.prepare.extend(nodes);
    faults
}

/// The groups that fail in the later run and not in the earlier one; both have the same groups.
#[must_use]
pub fn difference(before: &DeploymentRun, after: &DeploymentRun) -> Lost {
    let mut lost = Lost::default();
    let steps = after.steps.iter();
    let skipped: BTreeSet<u32> = steps
        .filter(|step| step.reason == Some(Reason::Dependency))
        .map(|step| step.group)
        .collect();
    for ((was, is), group) in before.succeeded.iter().zip(&after.succeeded).zip(0..) {
        match (was, is) {
            (true, false) if skipped.contains(&group) => lost.by_dependency.push(group),
            (true, false) => lost.failed.push(group),
            _ => {}
        }
    }
    lost.verdict = (after.verdict != before.verdict).then_some(after.verdict);
    lost
}
