//! Rollout: which clusters a step holds active, who has timed out, and runs made of steps.
//!
//! Rule by rule as upstream's `sdk-go/pkg/apis/cluster/v1alpha1/rollout.go`.

mod judge;
mod limits;
mod rest;
mod run;
mod waiting;
mod waves;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use self::judge::Judge;
use self::limits::size;
use self::waiting::Waiting;
use crate::ocm::model::{MandatoryGroup, Model, Status, Strategy, StrategyKind};

pub use self::limits::deadline;
pub use self::rest::{Reached, first, reached};
pub use self::run::{Beginning, Ending, Faults, RunStep, SimulatedRollout, run};
pub use self::waves::waves;

/// An instant, in nanoseconds since 1970.
pub type Instant = i128;

/// The decision groups of a placement: by index, then name, the clusters by name.
pub type Groups<'a> = BTreeMap<(i64, &'a str), BTreeSet<&'a str>>;

/// The status of one cluster, and when to look at it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State<'a> {
    /// The cluster.
    pub cluster: &'a str,
    /// Its status.
    pub status: Status,
    /// When it came into that status.
    pub since: Option<Instant>,
    /// The end of its soak or of its deadline.
    pub recheck: Option<Instant>,
}

/// The answer of one step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step<'a> {
    /// The clusters held active, in significant order.
    pub rollout: Vec<State<'a>>,
    /// The clusters that have timed out.
    pub timed_out: Vec<State<'a>>,
    /// Known clusters that are in no group any more.
    pub removed: Vec<State<'a>>,
    /// Whether more clusters failed than tolerated.
    pub breach: bool,
    /// Nanoseconds until the next look.
    pub recheck_after: Option<i64>,
}

impl<'a> Step<'a> {
    /// The clusters that the step starts.
    fn starting(&self) -> impl Iterator<Item = &'a str> + '_ {
        let new = self.rollout.iter().filter(|s| s.status == Status::ToApply);
        new.map(|s| s.cluster)
    }
}

/// The decision groups of a placement from the documents (upstream
/// `sdk-go/pkg/apis/cluster/v1alpha1/rollout.go`).
///
/// # Errors
/// A `PlacementDecision` of the placement whose index label is missing or no number.
pub fn groups_of<'a>(
    model: &Model<'a>,
    namespace: &str,
    placement: &str,
) -> Result<Groups<'a>, String> {
    let mut groups = Groups::new();
    for decision in &model.decisions {
        if decision.namespace != namespace || decision.placement != Some(placement) {
            continue;
        }
        let index = decision.group_index.unwrap_or("");
        let number = index
            .parse::<i64>()
            .map_err(|_| format!("incorrect group index: {index:?}"))?;
        let group = groups
            .entry((number, decision.group_name.unwrap_or("")))
            .or_default();
        group.extend(&decision.clusters);
    }
    Ok(groups)
}

/// One step of a rollout.
///
/// # Errors
/// The text of upstream: a deadline or a threshold that cannot be read.
pub fn step<'a>(
    groups: &Groups<'a>,
    strategy: &Strategy<'_>,
    known: &[State<'a>],
    now: Instant,
) -> Result<Step<'a>, String> {
    let nobody = BTreeSet::new();
    Steps::of(groups, strategy, &nobody)?.step(known, &nobody, now)
}

/// The settings that all steps of one rollout share.
struct Steps<'g, 's, 'a> {
    strategy: &'s Strategy<'s>,
    deadline: Option<i64>,
    /// The clusters of all groups that it sees.
    all: BTreeSet<&'a str>,
    /// The groups that come first.
    mandatory: Waiting<'g, 'a>,
    rest: Waiting<'g, 'a>,
}

impl<'g, 's, 'a> Steps<'g, 's, 'a> {
    /// Clusters that are `silent` never report a status.
    fn of(
        groups: &'g Groups<'a>,
        strategy: &'s Strategy<'s>,
        silent: &'g BTreeSet<&'a str>,
    ) -> Result<Self, String> {
        let deadline = deadline(strategy.progress_deadline)?;
        if strategy.kind == StrategyKind::ProgressivePerGroup {
            size(strategy.max_failures, 0, 0).map_err(no_threshold)?;
        }
        let visible = visible(groups);
        let mandatory = match strategy.kind {
            StrategyKind::All => BTreeSet::new(),
            _ => mandatory(groups, &strategy.mandatory),
        };
        let first = mandatory.iter().filter_map(|key| groups.get(key));
        let rest = visible.iter().filter(|(key, _)| !mandatory.contains(key));
        Ok(Self {
            strategy,
            deadline,
            all: visible
                .iter()
                .flat_map(|(_, group)| *group)
                .copied()
                .collect(),
            mandatory: Waiting::of(first.collect(), silent),
            rest: Waiting::of(rest.map(|(_, group)| *group).collect(), silent),
        })
    }

    /// One step. Of clusters that are `over` nothing is to be said any more; they are not among
    /// the others that are known.
    fn step(
        &mut self,
        known: &[State<'a>],
        over: &BTreeSet<&'a str>,
        now: Instant,
    ) -> Result<Step<'a>, String> {
        let (current, removed): (Vec<State<'a>>, Vec<State<'a>>) = known
            .iter()
            .partition(|state| self.all.contains(state.cluster));
        let mut step = self.judged(&current, over, now)?;
        step.removed = removed;
        step.recheck_after = recheck_after(step.rollout.iter(), now);
        Ok(step)
    }

    fn judged(
        &mut self,
        current: &[State<'a>],
        over: &BTreeSet<&'a str>,
        now: Instant,
    ) -> Result<Step<'a>, String> {
        let strategy = self.strategy;
        let all = self.all.len();
        let judge = Judge {
            now,
            deadline: self.deadline,
            soak: match strategy.kind {
                StrategyKind::All => 0,
                _ => strategy.min_success_nanos,
            },
        };
        if strategy.kind == StrategyKind::All {
            return Ok(judge.per_cluster(&mut self.rest, all, all, current, over));
        }
        let per_group = strategy.kind == StrategyKind::ProgressivePerGroup;
        let allowed = if per_group {
            0
        } else {
            size(strategy.max_failures, all, 0).map_err(no_threshold)?
        };
        if !self.mandatory.is_empty() {
            let step = judge.per_group(&mut self.mandatory, None, current, over);
            if !step.rollout.is_empty() || !step.timed_out.is_empty() {
                return Ok(step);
            }
        }
        if per_group {
            return Ok(judge.per_group(&mut self.rest, strategy.max_failures, current, over));
        }
        let members = self.rest.members().len();
        let window = size(strategy.max_concurrency, members, members)
            .map_err(|fault| format!("failed to parse the provided maxConcurrency: {fault}"))?;
        Ok(judge.per_cluster(&mut self.rest, window, allowed, current, over))
    }
}

fn no_threshold(fault: String) -> String {
    format!("failed to parse the provided maxFailures: {fault}")
}

/// How many clusters may fail before a rollout stops: of all of them, or of the group that bears
/// the fewest where each is judged for itself. None where no failure stops it.
#[must_use]
pub fn tolerated(groups: &Groups<'_>, strategy: &Strategy<'_>) -> Option<usize> {
    let visible = visible(groups);
    let most = |total: usize| size(strategy.max_failures, total, 0).ok();
    match strategy.kind {
        StrategyKind::All => None,
        StrategyKind::ProgressivePerGroup => {
            let mandatory = mandatory(groups, &strategy.mandatory);
            let each = visible.iter().map(|(key, group)| {
                if mandatory.contains(key) {
                    Some(0)
                } else {
                    most(group.len())
                }
            });
            each.min().flatten()
        }
        StrategyKind::Progressive => {
            let all: BTreeSet<&str> = visible
                .iter()
                .flat_map(|(_, group)| group.iter().copied())
                .collect();
            most(all.len())
        }
    }
}

/// The clusters of the groups that a rollout sees.
#[must_use]
pub fn members<'a>(groups: &Groups<'a>) -> BTreeSet<&'a str> {
    let visible = visible(groups);
    visible
        .iter()
        .flat_map(|(_, group)| group.iter().copied())
        .collect()
}

/// The groups 0, 1, … up to the number of different indexes; behind a gap none is seen.
fn visible<'g, 'a>(groups: &'g Groups<'a>) -> Vec<((i64, &'a str), &'g BTreeSet<&'a str>)> {
    let indexes: BTreeSet<i64> = groups.keys().map(|(index, _)| *index).collect();
    let count = i64::try_from(indexes.len()).unwrap_or(i64::MAX);
    groups
        .iter()
        .filter(|((index, _), _)| (0..count).contains(index))
        .map(|(key, group)| (*key, group))
        .collect()
}

/// The keys of the mandatory groups (upstream `sdk-go/pkg/apis/cluster/v1alpha1/rollout.go`).
pub(crate) fn mandatory<'a>(
    groups: &Groups<'a>,
    mandatory: &[MandatoryGroup<'_>],
) -> BTreeSet<(i64, &'a str)> {
    let asked = |key: &&(i64, &str)| {
        mandatory.iter().any(|entry| match entry.name {
            "" => key.0 == entry.index,
            name => key.1 == name,
        })
    };
    groups.keys().filter(asked).copied().collect()
}

fn recheck_after<'s, 'a: 's>(
    states: impl Iterator<Item = &'s State<'a>>,
    now: Instant,
) -> Option<i64> {
    let rechecks = states.filter_map(|state| state.recheck);
    rechecks
        .map(|end| end - now)
        .filter(|left| *left > 0)
        .min()
        .and_then(|n| i64::try_from(n).ok())
}
