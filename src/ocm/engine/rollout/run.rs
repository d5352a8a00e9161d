//! Simulated rollouts: one step after another until nothing changes.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{Groups, Instant, State, Step, Steps, recheck_after};
use crate::ocm::model::{Status, Strategy, StrategyKind};

/// How a simulated rollout ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every cluster was rolled out; failures stayed within the tolerance.
    Completed,
    /// More clusters failed than tolerated.
    Breached,
    /// Clusters are left, and nothing will ever start them.
    Stuck,
}

impl Ending {
    /// The word of the JSON form.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Breached => "breached",
            Self::Stuck => "stuck",
        }
    }
}

/// One step of a simulated rollout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStep<'a> {
    /// When it was taken.
    pub now: Instant,
    /// The clusters that it started.
    pub started: Vec<&'a str>,
    /// The answer.
    pub step: Step<'a>,
}

/// A rollout to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedRollout<'a> {
    /// The steps.
    pub steps: Vec<RunStep<'a>>,
    /// How it ended.
    pub ending: Ending,
    /// The last status of each cluster, by name.
    pub states: BTreeMap<&'a str, Status>,
}

/// The state before the first step.
#[derive(Debug, Clone, Default)]
pub struct Beginning<'a> {
    /// The state of clusters. One that has no time soaks for ever.
    pub known: Vec<State<'a>>,
    /// Clusters that never report a status: starting them has no effect.
    pub silent: BTreeSet<&'a str>,
}

impl<'a> Beginning<'a> {
    /// The status of each cluster with a known status.
    #[must_use]
    pub fn statuses(&self) -> BTreeMap<&'a str, Status> {
        let known = self.known.iter();
        known.map(|one| (one.cluster, one.status)).collect()
    }
}

/// Clusters that do not succeed.
#[derive(Debug, Clone, Default)]
pub struct Faults<'f> {
    /// The clusters that fail.
    pub failing: BTreeSet<&'f str>,
    /// The clusters that never get beyond Progressing.
    pub hanging: BTreeSet<&'f str>,
}

impl Faults<'_> {
    /// The state of a cluster after its start.
    fn outcome<'a>(&self, cluster: &'a str, now: Instant) -> State<'a> {
        let status = if self.failing.contains(cluster) {
            Status::Failed
        } else if self.hanging.contains(cluster) {
            Status::Progressing
        } else {
            Status::Succeeded
        };
        State {
            cluster,
            status,
            since: Some(now),
            recheck: None,
        }
    }
}

/// Runs a rollout: what is started, or under way in time at the beginning, succeeds at once, where
/// it is not one of the faults. Time goes on from one recheck to the next.
///
/// Upstream starts a cluster of a mandatory group behind a gap in the indexes again at every look,
/// because it never counts such a cluster among those it knows: that rollout is stuck.
///
/// # Errors
/// As `step`, and a run that takes more steps than any rollout of these clusters needs.
pub fn run<'a>(
    groups: &Groups<'a>,
    strategy: &Strategy<'_>,
    begin: Beginning<'a>,
    start: Timestamp,
    faults: &Faults<'_>,
) -> Result<SimulatedRollout<'a>, String> {
    let mut now = start.as_nanosecond();
    let Beginning { mut known, silent } = begin;
    let mut ever: BTreeSet<&'a str> = BTreeSet::new();
    let mut steps = Vec::new();
    // Each cluster is started once, soaks or runs out of time once, and is looked at then.
    let limit = 3 * groups.values().map(BTreeSet::len).sum::<usize>() + 10;
    let waited = known.iter().any(|one| one.status == Status::ToApply);
    let mut common = Steps::of(groups, strategy, &silent)?;
    // Succeeded and soaked: time goes forward, so no step mentions these clusters again.
    let mut over: BTreeSet<&'a str> = BTreeSet::new();
    let mut succeeded: Vec<State<'a>> = Vec::new();
    loop {
        let soak = Instant::from(match strategy.kind {
            StrategyKind::All => 0,
            _ => strategy.min_success_nanos,
        });
        known.retain(|state| {
            let soaked = state.status == Status::Succeeded
                && common.all.contains(state.cluster)
                && (soak == Instant::from(i64::MAX) || now >= state.since.unwrap_or(now) + soak);
            if soaked {
                over.insert(state.cluster);
                succeeded.push(*state);
            }
            !soaked
        });
        let step = common.step(&known, &over, now)?;
        let starting = step.starting();
        let started: Vec<&'a str> = starting.filter(|one| !silent.contains(one)).collect();
        let (breach, recheck) = (step.breach, next_look(&step, now));
        let timed_out: BTreeSet<&str> = step.timed_out.iter().map(|state| state.cluster).collect();
        let again = !started.is_empty() && started.iter().all(|cluster| ever.contains(cluster));
        // The works that the step removes are deleted.
        known.retain(|state| common.all.contains(state.cluster));
        let mut moved = false;
        if steps.is_empty() {
            let in_time = |one: &State<'_>| {
                one.status == Status::Progressing
                    && !faults.hanging.contains(one.cluster)
                    && !timed_out.contains(&one.cluster)
            };
            for one in known.iter_mut().filter(|one| in_time(one)) {
                *one = faults.outcome(one.cluster, now);
                moved = true;
            }
        }
        let waiting: BTreeMap<&str, usize> = if waited {
            known.iter().map(|one| one.cluster).zip(0..).collect()
        } else {
            BTreeMap::new()
        };
        for cluster in &started {
            if !ever.insert(cluster) {
                continue;
            }
            let state = faults.outcome(cluster, now);
            match waiting.get(cluster) {
                Some(at) => known[*at] = state,
                None => known.push(state),
            }
        }
        if steps.len() == limit {
            return Err(format!("the rollout has not ended after {limit} steps"));
        }
        let idle = !moved && (started.is_empty() || again);
        steps.push(RunStep { now, started, step });
        match recheck {
            _ if !idle => {}
            Some(nanos) => now += Instant::from(nanos),
            None => {
                let mut states: BTreeMap<&'a str, Status> = known
                    .iter()
                    .chain(&succeeded)
                    .filter(|state| state.status != Status::ToApply)
                    .map(|state| (state.cluster, state.status))
                    .collect();
                for cluster in timed_out {
                    if let Some(status) = states.get_mut(cluster) {
                        *status = Status::TimeOut;
                    }
                }
                let mut all = common.all.iter();
                let left =
                    all.any(|cluster| !states.contains_key(cluster) && !silent.contains(cluster));
                return Ok(SimulatedRollout {
                    steps,
                    ending: ending(&states, breach, left || again),
                    states,
                });
            }
        }
    }
}

/// How a rollout ends whose state no longer changes.
fn ending(states: &BTreeMap<&str, Status>, breach: bool, left: bool) -> Ending {
    let hangs = || states.values().any(|status| *status == Status::Progressing);
    match breach {
        true => Ending::Breached,
        false if left || hangs() => Ending::Stuck,
        false => Ending::Completed,
    }
}

/// Nanoseconds until the next look that can change anything: what has no time soaks for ever.
fn next_look(step: &Step<'_>, now: Instant) -> Option<i64> {
    let dated = step.rollout.iter().filter(|state| state.since.is_some());
    recheck_after(dated, now)
}
