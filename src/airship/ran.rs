//! The result of an exported plan that an engine ran: its result file, held against the plan.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::Strategy;
use super::engine::run::{
    Action, Criterion, DeploymentRun, DeploymentVerdict, Reason, Status, Step,
};

/// A run, finished or not.
#[derive(Debug)]
pub struct Ran {
    /// The engine, `ansible`, `airflow` or `argo`.
    pub engine: &'static str,
    /// The engine's name for the plan, if that is a plain name.
    pub name: Option<String>,
    /// Whether it has ended.
    pub complete: bool,
    /// The digest of the plan that was exported.
    pub plan: String,
    /// How it went, as far as it got. Without an end the verdict is what is certain by now.
    pub run: DeploymentRun,
    /// How each group ended, in document order; `None` if the run did not get that far.
    pub ended: Vec<Option<bool>>,
    /// Groups and nodes that the site does not have.
    pub unknown: Vec<String>,
    /// The remaining work, in the order of the plan.
    pub rest: Vec<Rest>,
}

/// A group that can be resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rest {
    /// The group.
    pub group: u32,
    /// Its nodes that are not deployed.
    pub nodes: Vec<u32>,
    /// The groups that have to succeed first.
    pub after: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    kind: String,
    engine: String,
    name: Option<String>,
    plan: String,
    complete: bool,
    steps: Vec<WrittenStep>,
    group_status: BTreeMap<String, String>,
    node_status: BTreeMap<String, String>,
    verdict: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenStep {
    action: String,
    group: String,
    nodes: Vec<String>,
    succeeded: Vec<String>,
    failed: Vec<String>,
    reason: Option<String>,
    #[serde(default)]
    timed_out: bool,
    #[serde(default)]
    criteria_failed: Vec<String>,
}

const ENGINES: [&str; 3] = ["ansible", "airflow", "argo"];

/// Names of the site, and those that it does not have.
struct Names<'s, 'a> {
    strategy: &'s Strategy<'s, 'a>,
    groups: FxHashMap<&'a str, u32>,
    unknown: BTreeSet<String>,
}

impl Names<'_, '_> {
    fn group(&mut self, name: &str) -> Option<u32> {
        let found = self.groups.get(name).copied();
        if found.is_none() {
            self.unknown.insert(name.to_owned());
        }
        found
    }

    fn nodes(&mut self, names: &[String]) -> Vec<u32> {
        let mut nodes: Vec<u32> = names.iter().filter_map(|name| self.node(name)).collect();
        nodes.sort_unstable();
        nodes
    }

    fn node(&mut self, name: &str) -> Option<u32> {
        let found = self.strategy.site.node(name);
        if found.is_none() {
            self.unknown.insert(name.to_owned());
        }
        found
    }

    fn step(&mut self, step: &WrittenStep) -> Result<Option<Step>, String> {
        let Some(group) = self.group(&step.group) else {
            return Ok(None);
        };
        let reason = step.reason.as_deref().map(reason).transpose()?;
        let criteria = step.criteria_failed.iter().map(|word| criterion(word));
        Ok(Some(Step {
            action: action(&step.action)?,
            group,
            sent: self.nodes(&step.nodes),
            succeeded: self.nodes(&step.succeeded),
            failed: self.nodes(&step.failed),
            reason,
            timed_out: step.timed_out,
            criteria_failed: criteria.collect::<Result<_, String>>()?,
        }))
    }
}

fn unknown_word(what: &str, word: &str) -> String {
    format!("{what} is {word:?}, which is not a value that a run writes")
}

fn action(word: &str) -> Result<Action, String> {
    match word {
        "prepare" => Ok(Action::Prepare),
        "deploy" => Ok(Action::Deploy),
        other => Err(unknown_word("the action of a step", other)),
    }
}

fn reason(word: &str) -> Result<Reason, String> {
    match word {
        "dependency" => Ok(Reason::Dependency),
        "prepare failed" => Ok(Reason::PrepareFailed),
        "criteria" => Ok(Reason::Criteria),
        "timeout" => Ok(Reason::Timeout),
        other => Err(unknown_word("the reason of a step", other)),
    }
}

fn criterion(word: &str) -> Result<Criterion, String> {
    match word {
        "percent_successful_nodes" => Ok(Criterion::Percent),
        "minimum_successful_nodes" => Ok(Criterion::Minimum),
        "maximum_failed_nodes" => Ok(Criterion::MaximumFailed),
        other => Err(unknown_word("a criterion", other)),
    }
}

fn status(word: &str) -> Result<Status, String> {
    match word {
        "not started" => Ok(Status::NotStarted),
        "prepared" => Ok(Status::Prepared),
        "success" => Ok(Status::Success),
        "failure" => Ok(Status::Failure),
        other => Err(unknown_word("the status of a node", other)),
    }
}

fn verdict(word: &str) -> Result<DeploymentVerdict, String> {
    match word {
        "success" => Ok(DeploymentVerdict::Success),
        "partial" => Ok(DeploymentVerdict::Partial),
        "failed" => Ok(DeploymentVerdict::Failed),
        other => Err(unknown_word("the verdict", other)),
    }
}

/// Reads a result file against the plan of a site.
///
/// # Errors
/// Why it is no result file. A site that has changed since is no error.
pub fn read(text: &[u8], strategy: &Strategy<'_, '_>) -> Result<Ran, String> {
    let written: Written = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if written.kind != "Result" {
        return Err(format!("its kind is {:?}, not \"Result\"", written.kind));
    }
    let engine = ENGINES.iter().find(|engine| **engine == written.engine);
    let engine = engine.ok_or_else(|| unknown_word("the engine", &written.engine))?;
    let (site, plan) = (strategy.site, &strategy.deployment);
    let mut names = Names {
        strategy,
        groups: site
            .groups
            .iter()
            .map(|group| group.name.text)
            .zip(0..)
            .collect(),
        unknown: BTreeSet::new(),
    };
    let mut steps = Vec::new();
    for step in &written.steps {
        steps.extend(names.step(step)?);
    }
    let mut place = vec![0; site.groups.len()];
    for (at, group) in plan.order.iter().enumerate() {
        place[*group as usize] = at;
    }
    steps.sort_by_key(|step| (place[step.group as usize], step.action));
    let mut ended = vec![None; site.groups.len()];
    for (name, word) in &written.group_status {
        if let Some(group) = names.group(name) {
            ended[group as usize] = Some(word == "success");
        }
    }
    let mut nodes = vec![Some(Status::NotStarted); site.nodes.len()];
    for (name, word) in &written.node_status {
        let status = status(word)?;
        if let Some(node) = names.node(name) {
            nodes[node as usize] = Some(status);
        }
    }
    for node in &plan.unassigned {
        nodes[*node as usize] = None;
    }
    let critical = site
        .groups
        .iter()
        .zip(&ended)
        .any(|(group, ended)| group.critical && *ended == Some(false));
    let so_far = if critical {
        DeploymentVerdict::Failed
    } else {
        DeploymentVerdict::Partial
    };
    let verdict = written.verdict.as_deref().map(verdict).transpose()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    Ok(Ran {
        engine,
        name: written.name.filter(|name| name.chars().all(is_plain)),
        complete: written.complete && verdict.is_some(),
        plan: written.plan,
        rest: rest(strategy, &ended, &nodes),
        run: DeploymentRun {
            steps,
            succeeded: ended.iter().map(|ended| *ended == Some(true)).collect(),
            nodes,
            verdict: verdict.unwrap_or(so_far),
        },
        ended,
        unknown: names.unknown.into_iter().collect(),
    })
}

/// The groups that did not succeed, and those that lack nodes.
fn rest(
    strategy: &Strategy<'_, '_>,
    ended: &[Option<bool>],
    nodes: &[Option<Status>],
) -> Vec<Rest> {
    let plan = &strategy.deployment;
    let of = |group: &u32| {
        let members = plan.members[*group as usize].iter().copied();
        let missing = members.filter(|node| nodes[*node as usize] != Some(Status::Success));
        let needs = strategy.site.groups[*group as usize].depends_on.iter();
        let needs = needs.filter_map(|need| need.group);
        let after: BTreeSet<u32> = needs
            .filter(|need| ended[*need as usize] != Some(true))
            .collect();
        Rest {
            group: *group,
            nodes: missing.collect(),
            after: after.into_iter().collect(),
        }
    };
    let all = plan.order.iter().map(of);
    all.filter(|rest| !rest.nodes.is_empty() || ended[rest.group as usize] != Some(true))
        .collect()
}
