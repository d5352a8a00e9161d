//! `deploymentStrategy` of a plan, and what a simulated run adds (contract, section 3).

use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use crate::airship::Strategy;
use crate::airship::engine::run::{
    Action, Criterion, DeploymentRun, DeploymentVerdict, Reason, Status, Step,
};
use crate::airship::engine::weakest::{By, TakenDown, Weakness};
use crate::airship::model::{Criteria, Group, Site};

/// Names of nodes or groups by their numbers.
struct Names<'m, 'a, 'n>(&'m Site<'a>, Which, &'n [u32]);

#[derive(Clone, Copy)]
enum Which {
    Nodes,
    Groups,
}

impl Serialize for Names<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.2.iter().map(|number| match self.1 {
            Which::Nodes => self.0.nodes[*number as usize].name.text,
            Which::Groups => group_name(self.0, *number),
        }))
    }
}

fn group_name<'a>(site: &Site<'a>, number: u32) -> &'a str {
    site.groups[number as usize].name.text
}

/// The strategy: groups, order, nodes in no group, worst-case duration.
pub struct DeploymentStrategy<'m, 'a>(pub &'m Strategy<'m, 'a>);

impl Serialize for DeploymentStrategy<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (site, plan) = (self.0.site, &self.0.deployment);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &site.strategy.map(|name| name.text))?;
        map.serialize_entry("groups", &Groups(site, &plan.members))?;
        map.serialize_entry("order", &Names(site, Which::Groups, &plan.order))?;
        map.serialize_entry(
            "unassignedNodes",
            &Names(site, Which::Nodes, &plan.unassigned),
        )?;
        map.serialize_entry("duration", &Duration(plan.limit_seconds))?;
        map.end()
    }
}

struct Duration(i64);

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("limitSeconds", &self.0)?;
        map.end()
    }
}

struct Groups<'m, 'a>(&'m Site<'a>, &'m [Vec<u32>]);

impl Serialize for Groups<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let groups = self.0.groups.iter().zip(self.1);
        serializer.collect_seq(groups.map(|(group, nodes)| GroupForm(self.0, group, nodes)))
    }
}

struct GroupForm<'m, 'a>(&'m Site<'a>, &'m Group<'a>, &'m [u32]);

impl Serialize for GroupForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(site, group, nodes) = self;
        let needs: Vec<&str> = group.depends_on.iter().map(|need| need.name.text).collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", group.name.text)?;
        map.serialize_entry("critical", &group.critical)?;
        map.serialize_entry("dependsOn", &needs)?;
        map.serialize_entry("nodes", &Names(site, Which::Nodes, nodes))?;
        if let Some(criteria) = &group.criteria {
            map.serialize_entry("successCriteria", &CriteriaForm(criteria))?;
        }
        map.end()
    }
}

struct CriteriaForm<'m>(&'m Criteria);

impl Serialize for CriteriaForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (criterion, value) in [
            (Criterion::Percent, self.0.percent),
            (Criterion::Minimum, self.0.minimum),
            (Criterion::MaximumFailed, self.0.maximum_failed),
        ] {
            if let Some(value) = value {
                map.serialize_entry(criterion_word(criterion), &value)?;
            }
        }
        map.end()
    }
}

/// The criterion's key, as in the documents.
#[must_use]
pub fn criterion_word(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Percent => "percent_successful_nodes",
        Criterion::Minimum => "minimum_successful_nodes",
        Criterion::MaximumFailed => "maximum_failed_nodes",
    }
}

/// The step's word, as in the corpus.
#[must_use]
pub fn action_word(action: Action) -> &'static str {
    match action {
        Action::Prepare => "prepare",
        Action::Deploy => "deploy",
    }
}

/// The status's word, as in the corpus.
#[must_use]
pub fn status_word(status: Status) -> &'static str {
    match status {
        Status::NotStarted => "not started",
        Status::Prepared => "prepared",
        Status::Success => "success",
        Status::Failure => "failure",
    }
}

/// The verdict's word.
#[must_use]
pub fn verdict_word(verdict: DeploymentVerdict) -> &'static str {
    match verdict {
        DeploymentVerdict::Success => "success",
        DeploymentVerdict::Partial => "partial",
        DeploymentVerdict::Failed => "failed",
    }
}

fn reason_word(reason: Reason) -> &'static str {
    match reason {
        Reason::Dependency => "dependency",
        Reason::PrepareFailed => "prepare failed",
        Reason::Criteria => "criteria",
        Reason::Timeout => "timeout",
    }
}

/// What a simulated run adds to the answer, keys in order.
pub struct RunForm<'m, 'a> {
    site: &'m Site<'a>,
    run: &'m DeploymentRun,
}

impl<'m, 'a> RunForm<'m, 'a> {
    /// The form of a run over a site.
    #[must_use]
    pub fn new(site: &'m Site<'a>, run: &'m DeploymentRun) -> Self {
        Self { site, run }
    }

    /// Writes `steps`, `groupStatus`, `nodeStatus` and `verdict`.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn entries<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("steps", &Steps(self.site, &self.run.steps))?;
        map.serialize_entry("groupStatus", &GroupStatus(self.site, self.run))?;
        map.serialize_entry("nodeStatus", &NodeStatus(self.site, self.run))?;
        map.serialize_entry("verdict", verdict_word(self.run.verdict))
    }
}

struct Steps<'m, 'a>(&'m Site<'a>, &'m [Step]);

impl Serialize for Steps<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|step| StepForm(self.0, step)))
    }
}

struct StepForm<'m, 'a>(&'m Site<'a>, &'m Step);

impl Serialize for StepForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(site, step) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("action", action_word(step.action))?;
        map.serialize_entry("group", group_name(site, step.group))?;
        for (key, nodes) in [
            ("nodes", &step.sent),
            ("succeeded", &step.succeeded),
            ("failed", &step.failed),
        ] {
            map.serialize_entry(key, &Names(site, Which::Nodes, nodes))?;
        }
        let result = if step.reason.is_none() {
            "SUCCESS"
        } else {
            "FAILED"
        };
        map.serialize_entry("result", result)?;
        map.serialize_entry("reason", &step.reason.map(reason_word))?;
        if step.timed_out {
            map.serialize_entry("timedOut", &true)?;
        }
        if !step.criteria_failed.is_empty() {
            let words: Vec<&str> = step
                .criteria_failed
                .iter()
                .map(|one| criterion_word(*one))
                .collect();
            map.serialize_entry("criteriaFailed", &words)?;
        }
        map.end()
    }
}

struct GroupStatus<'m, 'a>(&'m Site<'a>, &'m DeploymentRun);

impl Serialize for GroupStatus<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let groups = self.0.groups.iter().zip(&self.1.succeeded);
        serializer.collect_map(groups.map(|(group, succeeded)| {
            (
                group.name.text,
                if *succeeded { "success" } else { "failed" },
            )
        }))
    }
}

struct NodeStatus<'m, 'a>(&'m Site<'a>, &'m DeploymentRun);

impl Serialize for NodeStatus<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nodes = self.0.nodes.iter().zip(&self.1.nodes);
        serializer.collect_map(
            nodes.filter_map(|(node, status)| Some((node.name.text, status_word((*status)?)))),
        )
    }
}

/// `weakest[]`.
pub struct WeakestForm<'m, 'a>(pub &'m Site<'a>, pub &'m [Weakness<'a>]);

impl Serialize for WeakestForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.1.len()))?;
        for one in self.1 {
            list.serialize_element(&WeaknessForm(self.0, one))?;
        }
        list.end()
    }
}

struct WeaknessForm<'m, 'a>(&'m Site<'a>, &'m Weakness<'a>);

impl Serialize for WeaknessForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(site, one) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("group", group_name(site, one.group))?;
        let by = match one.by {
            By::Nodes => "nodes",
            By::Racks => "racks",
        };
        map.serialize_entry("by", by)?;
        map.serialize_entry("size", &one.size)?;
        map.serialize_entry("sets", &one.sets)?;
        map.serialize_entry("exact", &one.exact)?;
        map.end()
    }
}

/// `takenDown[]`.
pub struct TakenDownForm<'m, 'a>(pub &'m Site<'a>, pub &'m [TakenDown]);

impl Serialize for TakenDownForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.1.len()))?;
        for one in self.1 {
            let mut entry = serde_json::Map::new();
            let by: Vec<&str> = one.by.iter().map(|by| group_name(self.0, *by)).collect();
            entry.insert("group".into(), group_name(self.0, one.group).into());
            entry.insert("by".into(), by.into());
            list.serialize_element(&entry)?;
        }
        list.end()
    }
}
