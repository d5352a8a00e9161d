//! The simulated prepare/deploy run. See "The run" in planner-placement(7).

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::Deployment;
use crate::airship::model::{Criteria, Reading, Site};

/// The two steps of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Prepare the nodes.
    Prepare,
    /// Deploy the prepared nodes.
    Deploy,
}

/// The faults of one step of one group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepFaults {
    /// Nodes that fail in it.
    pub fail: FixedBitSet,
    /// The task never ends.
    pub timeout: bool,
    /// The task takes that many seconds.
    pub seconds: Option<i64>,
    /// Nodes that have finished when it times out.
    pub done: FixedBitSet,
}

/// The faults of a run; nodes by index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    /// Nodes that fail in prepare, whichever group sends them.
    pub prepare: FixedBitSet,
    /// Nodes that fail in deploy.
    pub deploy: FixedBitSet,
    /// Nodes that are deployed but never join Kubernetes: a deploy failure.
    pub join: FixedBitSet,
    /// Faults of one step of one group.
    pub steps: FxHashMap<(u32, Action), StepFaults>,
}

/// How far a node has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Never sent to prepare.
    NotStarted,
    /// Prepared, not deployed.
    Prepared,
    /// Deployed.
    Success,
    /// Failed in prepare or deploy.
    Failure,
}

/// Why a step failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A group it depends on did not succeed.
    Dependency,
    /// Its group failed in prepare.
    PrepareFailed,
    /// A criterion does not hold.
    Criteria,
    /// The task timed out.
    Timeout,
}

/// A success criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// `percent_successful_nodes`.
    Percent,
    /// `minimum_successful_nodes`.
    Minimum,
    /// `maximum_failed_nodes`.
    MaximumFailed,
}

/// One step of one group, as it went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which step.
    pub action: Action,
    /// The group.
    pub group: u32,
    /// The nodes sent, sorted.
    pub sent: Vec<u32>,
    /// The nodes that succeeded.
    pub succeeded: Vec<u32>,
    /// The nodes that failed.
    pub failed: Vec<u32>,
    /// Why the step failed; `None` when it succeeded.
    pub reason: Option<Reason>,
    /// Whether the task timed out.
    pub timed_out: bool,
    /// The criteria that did not hold.
    pub criteria_failed: Vec<Criterion>,
}

/// How the whole run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeploymentVerdict {
    /// Every group and every node in a group succeeded.
    Success,
    /// No critical group failed, but some group or node did.
    Partial,
    /// A critical group failed.
    Failed,
}

impl DeploymentVerdict {
    /// The word used in every output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Failed => "failed",
        }
    }
}

/// A run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeploymentRun {
    /// Two steps for each group, in order.
    pub steps: Vec<Step>,
    /// Whether each group succeeded, in document order.
    pub succeeded: Vec<bool>,
    /// The status of each node; `None` for those in no group.
    pub nodes: Vec<Option<Status>>,
    /// The verdict.
    pub verdict: DeploymentVerdict,
}

/// The criteria that `successes` out of `nodes` do not meet.
///
/// [`Reading::Upstream`] judges nothing for an empty
/// group (tag `zero-node-criteria`) and divides in floating point (tag `float-percent`).
#[must_use]
pub fn failed_criteria(
    criteria: &Criteria,
    nodes: usize,
    successes: usize,
    reading: Reading,
) -> Vec<Criterion> {
    if reading == Reading::Upstream && nodes == 0 {
        return Vec::new();
    }
    let (all, good) = (nodes as u64, successes as u64);
    let percent_missed = |percent: u64| match reading {
        Reading::Statement => u128::from(good) * 100 < u128::from(percent) * u128::from(all),
        Reading::Upstream => upstream_percent(all, good) < percent as f64,
    };
    let checks = [
        (
            Criterion::Percent,
            criteria.percent.is_some_and(percent_missed),
        ),
        (
            Criterion::Minimum,
            criteria.minimum.is_some_and(|least| good < least),
        ),
        (
            Criterion::MaximumFailed,
            criteria
                .maximum_failed
                .is_some_and(|most| all - good > most),
        ),
    ];
    checks
        .into_iter()
        .filter(|(_, missed)| *missed)
        .map(|(criterion, _)| criterion)
        .collect()
}

/// The original's percentage, in its own binary arithmetic: `(successes / nodes) * 100`.
///
/// Shipyard, `deployment_group.py`, `get_failed_success_criteria`.
fn upstream_percent(nodes: u64, successes: u64) -> f64 {
    (successes as f64 / nodes as f64) * 100.0
}

/// Runs a plan with faults; every node and task without one succeeds at once.
#[must_use]
pub fn run(site: &Site<'_>, plan: &Deployment, faults: &Faults, reading: Reading) -> DeploymentRun {
    let mut machine = Machine::new(site, plan, reading);
    let mut steps = Vec::with_capacity(2 * plan.order.len());
    machine.run(faults, Some(&mut steps));
    let mut nodes: Vec<_> = machine.status.iter().copied().map(Some).collect();
    for node in &plan.unassigned {
        nodes[*node as usize] = None;
    }
    let verdict = machine.verdict();
    DeploymentRun {
        steps,
        succeeded: machine.succeeded,
        nodes,
        verdict,
    }
}

/// The state of a run; it can be run again and again.
pub(crate) struct Machine<'s, 'a> {
    site: &'s Site<'a>,
    plan: &'s Deployment,
    reading: Reading,
    limits: [i64; 2],
    status: Vec<Status>,
    /// The code gives each node for good to the first group in the order that holds it.
    owner: Vec<u32>,
    pub(crate) succeeded: Vec<bool>,
}

impl<'s, 'a> Machine<'s, 'a> {
    pub(crate) fn new(site: &'s Site<'a>, plan: &'s Deployment, reading: Reading) -> Self {
        let mut owner = Vec::new();
        if reading == Reading::Upstream {
            owner.resize(site.nodes.len(), u32::MAX);
            for group in &plan.order {
                for node in &plan.members[*group as usize] {
                    let owner = &mut owner[*node as usize];
                    *owner = if *owner == u32::MAX { *group } else { *owner };
                }
            }
        }
        Self {
            site,
            plan,
            reading,
            limits: [site.timing.prepare_limit(), site.timing.deploy_limit()],
            status: vec![Status::NotStarted; site.nodes.len()],
            owner,
            succeeded: vec![false; site.groups.len()],
        }
    }

    /// Runs all groups in order; `steps` records how.
    pub(crate) fn run(&mut self, faults: &Faults, mut steps: Option<&mut Vec<Step>>) {
        self.status.fill(Status::NotStarted);
        self.succeeded.fill(false);
        let plan = self.plan;
        for group in &plan.order {
            let needs = &self.site.groups[*group as usize].depends_on;
            let met = needs
                .iter()
                .filter_map(|need| need.group)
                .all(|need| self.succeeded[need as usize]);
            if !met {
                if let Some(steps) = steps.as_deref_mut() {
                    steps.extend(skipped(*group, &[Action::Prepare, Action::Deploy]));
                }
                continue;
            }
            let prepared = self.step(*group, Action::Prepare, faults, steps.as_deref_mut());
            if prepared {
                let done = self.step(*group, Action::Deploy, faults, steps.as_deref_mut());
                self.succeeded[*group as usize] = done;
            } else if let Some(steps) = steps.as_deref_mut() {
                steps.extend(skipped(*group, &[Action::Deploy]).map(|step| Step {
                    reason: Some(Reason::PrepareFailed),
                    ..step
                }));
            }
        }
    }

    /// Runs one step of one group: the nodes that are sent, those that succeed, and the criteria.
    fn step(
        &mut self,
        group: u32,
        action: Action,
        faults: &Faults,
        steps: Option<&mut Vec<Step>>,
    ) -> bool {
        let plan = self.plan;
        let members = &plan.members[group as usize];
        let fault = faults.steps.get(&(group, action));
        let (from, to, limit) = match action {
            Action::Prepare => (Status::NotStarted, Status::Prepared, self.limits[0]),
            Action::Deploy => (Status::Prepared, Status::Success, self.limits[1]),
        };
        let late = fault.is_some_and(|fault| {
            fault.timeout || fault.seconds.is_some_and(|seconds| seconds > limit)
        });
        let fails = |node: usize| {
            let always = match action {
                Action::Prepare => faults.prepare.contains(node),
                Action::Deploy => faults.deploy.contains(node) || faults.join.contains(node),
            };
            let here = |fault: &StepFaults| {
                fault.fail.contains(node) || (late && !fault.done.contains(node))
            };
            always || fault.is_some_and(here)
        };
        let mut record = steps.is_some().then(Vec::new);
        let (mut good, mut sent) = (0, false);
        for node in members {
            let at = *node as usize;
            let mine = self.reading == Reading::Statement || self.owner[at] == group;
            if self.status[at] == from && mine {
                sent = true;
                self.status[at] = if fails(at) { Status::Failure } else { to };
                if let Some(record) = record.as_mut() {
                    record.push(*node);
                }
            }
            good += usize::from(match action {
                Action::Prepare => matches!(self.status[at], Status::Prepared | Status::Success),
                Action::Deploy => self.status[at] == Status::Success,
            });
        }
        let criteria = self.site.groups[group as usize].criteria.as_ref();
        let criteria_failed = criteria.map_or_else(Vec::new, |criteria| {
            failed_criteria(criteria, members.len(), good, self.reading)
        });
        // Nothing sent, no task: there is nothing that could time out.
        let timed_out = sent && late;
        let reason = if !criteria_failed.is_empty() {
            Some(Reason::Criteria)
        } else if timed_out && self.reading == Reading::Statement {
            Some(Reason::Timeout)
        } else {
            None
        };
        if let (Some(steps), Some(sent)) = (steps, record) {
            let (succeeded, failed) = sent
                .iter()
                .partition(|node| self.status[**node as usize] == to);
            steps.push(Step {
                action,
                group,
                sent,
                succeeded,
                failed,
                reason,
                timed_out,
                criteria_failed,
            });
        }
        reason.is_none()
    }

    fn verdict(&self) -> DeploymentVerdict {
        let groups = || self.site.groups.iter().zip(&self.succeeded);
        if groups().any(|(group, succeeded)| group.critical && !succeeded) {
            return DeploymentVerdict::Failed;
        }
        let all = groups().all(|(_, succeeded)| *succeeded);
        let failed = self.status.contains(&Status::Failure);
        if all && !failed {
            DeploymentVerdict::Success
        } else {
            DeploymentVerdict::Partial
        }
    }
}

fn skipped(group: u32, actions: &'static [Action]) -> impl Iterator<Item = Step> {
    actions.iter().map(move |action| Step {
        action: *action,
        group,
        sent: Vec::new(),
        succeeded: Vec::new(),
        failed: Vec::new(),
        reason: Some(Reason::Dependency),
        timed_out: false,
        criteria_failed: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::airship::engine::testing::{group, host, site};
    use crate::airship::engine::{Deployment, plan};
    use crate::airship::model::{GroupOrder, Timing};

    fn set(nodes: &[usize]) -> FixedBitSet {
        nodes.iter().copied().collect()
    }

    fn least(minimum: u64) -> Criteria {
        Criteria {
            minimum: Some(minimum),
            ..Criteria::default()
        }
    }

    fn planned<'a>(site: &Site<'a>) -> Deployment {
        plan(site, Reading::Statement, GroupOrder::Waves)
    }

    #[test]
    fn percentages_are_whole_numbers() {
        let percent = |p| Criteria {
            percent: Some(p),
            ..Criteria::default()
        };
        let missed = |p, n, s, reading| !failed_criteria(&percent(p), n, s, reading).is_empty();
        assert!(!missed(58, 50, 29, Reading::Statement));
        assert!(missed(58, 50, 29, Reading::Upstream));
        assert!(!missed(75, 4, 3, Reading::Statement) && missed(76, 4, 3, Reading::Statement));
        assert!(!missed(100, 0, 0, Reading::Statement));
        let none = failed_criteria(&least(1), 0, 0, Reading::Statement);
        assert_eq!(none, [Criterion::Minimum]);
        assert!(failed_criteria(&least(1), 0, 0, Reading::Upstream).is_empty());
    }

    #[test]
    fn a_prepared_node_is_taken_up_by_a_later_group() {
        let mut site = site();
        site.nodes = ["n1", "n2", "n3"]
            .map(|name| host(name, &[], &[], None))
            .to_vec()
            .into();
        site.groups = vec![
            group("first", false, &[], &["n1", "n2"], least(2)),
            group("second", false, &[], &["n2", "n3"], least(2)),
        ];
        let faults = Faults {
            prepare: set(&[0]),
            ..Faults::default()
        };
        let seed = run(&site, &planned(&site), &faults, Reading::Statement);
        assert_eq!(seed.succeeded, [false, true]);
        assert_eq!(seed.steps[3].sent, [1, 2]);
        assert_eq!(seed.verdict, DeploymentVerdict::Partial);
        let code = run(&site, &planned(&site), &faults, Reading::Upstream);
        assert_eq!(code.succeeded, [false, false]);
        assert_eq!(code.nodes[1], Some(Status::Prepared));
    }

    #[test]
    fn a_timeout_needs_a_task_and_a_full_limit() {
        let mut site = site();
        site.timing = Timing {
            prepare_timeout: 100,
            prepare_interval: 40,
            ..Timing::default()
        };
        site.nodes = ["n1", "n2"]
            .map(|name| host(name, &[], &[], None))
            .to_vec()
            .into();
        site.groups = vec![
            group("a", false, &[], &["n1", "n2"], Criteria::default()),
            group("b", true, &[], &["n1", "n2"], Criteria::default()),
        ];
        let slow = |seconds, done: &[usize]| StepFaults {
            seconds: Some(seconds),
            done: set(done),
            ..StepFaults::default()
        };
        let steps = [
            ((0, Action::Prepare), slow(81, &[0])),
            (
                (1, Action::Prepare),
                StepFaults {
                    timeout: true,
                    ..StepFaults::default()
                },
            ),
        ];
        let faults = Faults {
            steps: steps.into_iter().collect(),
            ..Faults::default()
        };
        let seed = run(&site, &planned(&site), &faults, Reading::Statement);
        assert_eq!(seed.steps[0].reason, Some(Reason::Timeout));
        assert_eq!(
            (&seed.steps[0].succeeded, &seed.steps[0].failed),
            (&vec![0], &vec![1])
        );
        assert_eq!(seed.steps[1].reason, Some(Reason::PrepareFailed));
        // The second group sends nothing to prepare, so its endless task never begins.
        assert!(!seed.steps[2].timed_out && seed.succeeded[1]);
        let code = run(&site, &planned(&site), &faults, Reading::Upstream);
        assert!(code.steps[0].timed_out && code.succeeded[0]);
        let exact = [((0, Action::Prepare), slow(80, &[]))];
        let faults = Faults {
            steps: exact.into_iter().collect(),
            ..Faults::default()
        };
        let run = run(&site, &planned(&site), &faults, Reading::Statement);
        assert_eq!(run.verdict, DeploymentVerdict::Success);
    }
}
