//! `deploymentStrategy` of a plan, and what a simulated run adds.

use serde::Serialize;

use crate::airship::Strategy;
use crate::airship::engine::run::{Action, Criterion, DeploymentRun, Reason, Status};
use crate::airship::engine::weakest::{By, TakenDown, Weakness};
use crate::airship::model::{Criteria, Site};
use crate::airship::ran::Ran;

use crate::data::Pairs;

/// The strategy: groups, order, nodes in no group, worst-case duration.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeploymentStrategy<'m> {
    name: Option<&'m str>,
    groups: Vec<GroupForm<'m>>,
    order: Vec<&'m str>,
    unassigned_nodes: Vec<&'m str>,
    duration: Duration,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Duration {
    limit_seconds: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GroupForm<'m> {
    name: &'m str,
    critical: bool,
    depends_on: Vec<&'m str>,
    nodes: Vec<&'m str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success_criteria: Option<CriteriaForm>,
}

/// Keys as in the documents.
#[derive(Serialize)]
struct CriteriaForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    percent_successful_nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum_successful_nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum_failed_nodes: Option<u64>,
}

impl From<Criteria> for CriteriaForm {
    fn from(criteria: Criteria) -> Self {
        Self {
            percent_successful_nodes: criteria.percent,
            minimum_successful_nodes: criteria.minimum,
            maximum_failed_nodes: criteria.maximum_failed,
        }
    }
}

fn nodes<'m>(site: &'m Site<'_>, numbers: &[u32]) -> Vec<&'m str> {
    let name = |number: &u32| site.nodes[*number as usize].name.text;
    numbers.iter().map(name).collect()
}

fn groups<'m>(site: &'m Site<'_>, numbers: &[u32]) -> Vec<&'m str> {
    let name = |number: &u32| site.groups[*number as usize].name.text;
    numbers.iter().map(name).collect()
}

impl<'m> DeploymentStrategy<'m> {
    /// The section of a planned strategy.
    #[must_use]
    pub fn new(strategy: &'m Strategy<'_, '_>) -> Self {
        let (site, plan) = (strategy.site, &strategy.deployment);
        let pairs = site.groups.iter().zip(&plan.members);
        let form = pairs.map(|(group, members)| GroupForm {
            name: group.name.text,
            critical: group.critical,
            depends_on: group.depends_on.iter().map(|need| need.name.text).collect(),
            nodes: nodes(site, members),
            success_criteria: group.criteria.map(CriteriaForm::from),
        });
        Self {
            name: site.strategy.map(|name| name.text),
            groups: form.collect(),
            order: groups(site, &plan.order),
            unassigned_nodes: nodes(site, &plan.unassigned),
            duration: Duration {
                limit_seconds: plan.limit_seconds,
            },
        }
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

fn reason_word(reason: Reason) -> &'static str {
    match reason {
        Reason::Dependency => "dependency",
        Reason::PrepareFailed => "prepare failed",
        Reason::Criteria => "criteria",
        Reason::Timeout => "timeout",
    }
}

/// The fields that a simulated run adds to the answer, in order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunForm<'m> {
    steps: Vec<StepForm<'m>>,
    group_status: Pairs<&'m str, &'static str>,
    node_status: Pairs<&'m str, &'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepForm<'m> {
    action: &'static str,
    group: &'m str,
    nodes: Vec<&'m str>,
    succeeded: Vec<&'m str>,
    failed: Vec<&'m str>,
    result: &'static str,
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    timed_out: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria_failed: Vec<&'static str>,
}

impl<'m> RunForm<'m> {
    /// The form of a run over a site.
    #[must_use]
    pub fn new(site: &'m Site<'_>, run: &DeploymentRun) -> Self {
        let steps = run.steps.iter().map(|step| StepForm {
            action: action_word(step.action),
            group: site.groups[step.group as usize].name.text,
            nodes: nodes(site, &step.sent),
            succeeded: nodes(site, &step.succeeded),
            failed: nodes(site, &step.failed),
            result: match step.reason {
                None => "SUCCESS",
                Some(_) => "FAILED",
            },
            reason: step.reason.map(reason_word),
            timed_out: step.timed_out,
            criteria_failed: step
                .criteria_failed
                .iter()
                .copied()
                .map(criterion_word)
                .collect(),
        });
        let groups = site.groups.iter().zip(&run.succeeded);
        let groups = groups.map(|(group, succeeded)| {
            let word = if *succeeded { "success" } else { "failed" };
            (group.name.text, word)
        });
        let nodes = site.nodes.iter().zip(&run.nodes);
        let nodes =
            nodes.filter_map(|(node, status)| Some((node.name.text, status_word((*status)?))));
        Self {
            steps: steps.collect(),
            group_status: Pairs(groups.collect()),
            node_status: Pairs(nodes.collect()),
            verdict: Some(run.verdict.word()),
        }
    }
}

impl<'m> RunForm<'m> {
    /// The form of what an engine ran: without a verdict until it has ended.
    #[must_use]
    pub fn ran(site: &'m Site<'_>, ran: &Ran) -> Self {
        let word = |ended: &Option<bool>| match ended {
            Some(true) => "success",
            Some(false) => "failed",
            None => "not run",
        };
        let groups = site.groups.iter().zip(&ran.ended);
        let groups = groups.map(|(group, ended)| (group.name.text, word(ended)));
        let form = Self::new(site, &ran.run);
        Self {
            group_status: Pairs(groups.collect()),
            verdict: form.verdict.filter(|_| ran.complete),
            ..form
        }
    }
}

/// An entry of `weakest[]`.
#[derive(Serialize)]
pub struct WeaknessForm<'m> {
    group: &'m str,
    by: &'static str,
    size: Option<usize>,
    sets: &'m [Vec<&'m str>],
    exact: bool,
}

/// `weakest[]`.
#[must_use]
pub fn weakest<'m>(site: &'m Site<'_>, all: &'m [Weakness<'_>]) -> Vec<WeaknessForm<'m>> {
    let form = |one: &'m Weakness<'_>| WeaknessForm {
        group: site.groups[one.group as usize].name.text,
        by: match one.by {
            By::Nodes => "nodes",
            By::Racks => "racks",
        },
        size: one.size,
        sets: &one.sets,
        exact: one.exact,
    };
    all.iter().map(form).collect()
}

/// An entry of `takenDown[]`.
#[derive(Serialize)]
pub struct TakenDownForm<'m> {
    group: &'m str,
    by: Vec<&'m str>,
}

/// `takenDown[]`.
#[must_use]
pub fn taken_down<'m>(site: &'m Site<'_>, all: &[TakenDown]) -> Vec<TakenDownForm<'m>> {
    let form = |one: &TakenDown| TakenDownForm {
        group: site.groups[one.group as usize].name.text,
        by: groups(site, &one.by),
    };
    all.iter().map(form).collect()
}
