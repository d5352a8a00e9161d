//! Rollout: which clusters a step holds active, who has timed out, and runs made of steps.
//!
//! Rule by rule "OCM placement, section 9", upstream `sdk-go/pkg/apis/cluster/v1alpha1/rollout.go`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::groups::{percent_of, percentage};
use crate::kit::time::parse_go_duration;
use crate::ocm::model::{IntOrText, MandatoryGroup, Model, Status, Strategy, StrategyKind};

/// An instant, in nanoseconds since 1970.
pub type Instant = i128;

/// The decision groups of a placement: by index, then name, the clusters by name.
pub type Groups<'a> = BTreeMap<(i64, &'a str), BTreeSet<&'a str>>;

/// What is known of one cluster, and when to look at it again.
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

/// The decision groups of a placement from the documents ("OCM placement, section 9.1").
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

/// The length of time after which a cluster counts as timed out; `None` is never.
///
/// # Errors
/// The text of upstream's `parseTimeout` or of Go's `time.ParseDuration`.
pub fn deadline(text: &str) -> Result<Option<i64>, String> {
    if matches!(text, "None" | "") {
        return Ok(None);
    }
    if !deadline_form(text) {
        return Err("invalid timeout format".to_owned());
    }
    parse_go_duration(text).map(|nanos| Some(nanos).filter(|nanos| *nanos != i64::MAX))
}

/// Upstream's pattern `^(([0-9])+[h|m|s])|None$`, anchored only half, as admission tests it.
#[must_use]
pub fn deadline_form(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    text.ends_with("None") || rest.len() < text.len() && rest.starts_with(['h', 'm', 's', '|'])
}

/// A threshold of a total; what is not above 0 or is above the total is the default.
fn size(written: Option<IntOrText<'_>>, total: usize, default: usize) -> Result<usize, String> {
    let size = match written {
        None => 0,
        Some(IntOrText::Int(size)) => size,
        Some(IntOrText::Text(text)) if !text.ends_with('%') => {
            return Err(format!(
                "'{text}' is an invalid maximum threshold value: string is not a percentage"
            ));
        }
        Some(IntOrText::Text(text)) => percentage(percent_of(text)?, total),
    };
    Ok(usize::try_from(size)
        .ok()
        .filter(|size| (1..=total).contains(size))
        .unwrap_or(default))
}

/// What every part of a step needs.
struct Judge {
    now: Instant,
    deadline: Option<i64>,
    soak: i64,
}

impl Judge {
    /// Judges a known cluster ("OCM placement, section 9.4"); its status afterwards.
    fn judge<'a>(&self, mut state: State<'a>, step: &mut Step<'a>) -> Status {
        let start = state.since.unwrap_or(self.now);
        match state.status {
            Status::ToApply => step.rollout.push(state),
            Status::Succeeded => {
                let end = start + Instant::from(self.soak);
                if self.soak != i64::MAX && self.now < end {
                    state.recheck = Some(end);
                    step.rollout.push(state);
                }
            }
            Status::TimeOut | Status::Skip => {}
            Status::Progressing | Status::Failed => {
                state.recheck = self.deadline.map(|length| start + Instant::from(length));
                if state.recheck.is_none_or(|end| self.now < end) {
                    step.rollout.push(state);
                } else {
                    state.status = Status::TimeOut;
                    step.timed_out.push(state);
                }
            }
        }
        state.status
    }

    /// Section 9.5.
    fn per_cluster<'a>(
        &self,
        groups: &[&BTreeSet<&'a str>],
        window: usize,
        max_failures: usize,
        current: &[State<'a>],
    ) -> Step<'a> {
        let mut step = Step::default();
        let mut sorted = current.to_vec();
        sorted.sort_by_key(|state| state.cluster);
        let mut known = BTreeSet::new();
        let mut failures = 0;
        for state in sorted {
            known.insert(state.cluster);
            let mut status = state.status;
            if !step.breach || status != Status::ToApply {
                status = self.judge(state, &mut step);
            }
            if matches!(status, Status::TimeOut | Status::Failed) {
                failures += 1;
                step.breach = failures > max_failures;
            }
            if step.rollout.len() >= window {
                return step;
            }
        }
        if step.breach {
            return step;
        }
        let members: BTreeSet<&'a str> = groups
            .iter()
            .flat_map(|group| group.iter().copied())
            .collect();
        for cluster in members.difference(&known) {
            step.rollout.push(to_apply(cluster));
            if step.rollout.len() >= window {
                break;
            }
        }
        step
    }

    /// Section 9.6, its odd subtraction included.
    fn per_group<'a>(
        &self,
        groups: &[&BTreeSet<&'a str>],
        max_failures: Option<IntOrText<'_>>,
        current: &[State<'a>],
    ) -> Step<'a> {
        let mut step = Step::default();
        let mut known: BTreeMap<&str, Status> = BTreeMap::new();
        for state in current {
            if state.status != Status::ToApply {
                known.insert(state.cluster, self.judge(*state, &mut step));
            }
        }
        let mut failures = 0;
        for group in groups {
            let allowed = size(max_failures, group.len(), 0).unwrap_or(0);
            let mut here = 0;
            for cluster in *group {
                match known.get(cluster) {
                    Some(Status::TimeOut | Status::Failed) => {
                        here += 1;
                        step.breach = here > allowed;
                    }
                    Some(_) => {}
                    None => step.rollout.push(to_apply(cluster)),
                }
            }
            failures += here;
            if step.rollout.len() > failures || step.breach {
                break;
            }
        }
        step
    }
}

fn to_apply(cluster: &str) -> State<'_> {
    State {
        cluster,
        status: Status::ToApply,
        since: None,
        recheck: None,
    }
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
    let deadline = deadline(strategy.progress_deadline)?;
    let per_group = strategy.kind == StrategyKind::ProgressivePerGroup;
    let threshold = |fault| format!("failed to parse the provided maxFailures: {fault}");
    if per_group {
        size(strategy.max_failures, 0, 0).map_err(threshold)?;
    }
    let visible = visible(groups);
    let all: BTreeSet<&str> = visible
        .iter()
        .flat_map(|(_, group)| group.iter().copied())
        .collect();
    let (current, removed): (Vec<State<'a>>, Vec<State<'a>>) =
        known.iter().partition(|state| all.contains(state.cluster));
    let judge = Judge {
        now,
        deadline,
        soak: strategy.min_success_nanos,
    };
    let finish = |mut step: Step<'a>| {
        step.removed = removed.clone();
        step.recheck_after = recheck_after(&step, now);
        step
    };
    let sets = |keys: &[(i64, &'a str)]| -> Vec<&BTreeSet<&'a str>> {
        keys.iter().filter_map(|key| groups.get(key)).collect()
    };
    let every: Vec<(i64, &'a str)> = visible.iter().map(|(key, _)| *key).collect();
    if strategy.kind == StrategyKind::All {
        let judge = Judge { soak: 0, ..judge };
        return Ok(finish(judge.per_cluster(
            &sets(&every),
            all.len(),
            all.len(),
            &current,
        )));
    }
    let allowed = match per_group {
        true => 0,
        false => size(strategy.max_failures, all.len(), 0).map_err(threshold)?,
    };
    let mandatory = mandatory(groups, &strategy.mandatory);
    if !mandatory.is_empty() {
        let keys: Vec<(i64, &'a str)> = mandatory.iter().copied().collect();
        let step = judge.per_group(&sets(&keys), None, &current);
        if !step.rollout.is_empty() || !step.timed_out.is_empty() {
            return Ok(finish(step));
        }
    }
    let rest: Vec<(i64, &'a str)> = every
        .into_iter()
        .filter(|key| !mandatory.contains(key))
        .collect();
    let rest = sets(&rest);
    if per_group {
        return Ok(finish(judge.per_group(
            &rest,
            strategy.max_failures,
            &current,
        )));
    }
    let members: BTreeSet<&str> = rest
        .iter()
        .flat_map(|group| group.iter().copied())
        .collect();
    let window = size(strategy.max_concurrency, members.len(), members.len())
        .map_err(|fault| format!("failed to parse the provided maxConcurrency: {fault}"))?;
    Ok(finish(judge.per_cluster(&rest, window, allowed, &current)))
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

/// The keys of the mandatory groups ("OCM placement, section 9.8").
fn mandatory<'a>(
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

fn recheck_after(step: &Step<'_>, now: Instant) -> Option<i64> {
    let rechecks = step.rollout.iter().filter_map(|state| state.recheck);
    rechecks
        .map(|end| end - now)
        .filter(|left| *left > 0)
        .min()
        .and_then(|n| i64::try_from(n).ok())
}

/// The waves of a rollout from a clean start, every cluster taken to succeed and to soak before
/// the next step: what [`step`] gives one after the other, without taking the steps.
///
/// # Errors
/// As [`step`].
pub fn waves<'a>(
    groups: &Groups<'a>,
    strategy: &Strategy<'_>,
) -> Result<Vec<Vec<&'a str>>, String> {
    step(groups, strategy, &[], 0)?;
    let visible = visible(groups);
    let mut waves = Vec::new();
    let mut started = BTreeSet::new();
    let mut start = |clusters: &mut dyn Iterator<Item = &'a str>| {
        let wave: Vec<&'a str> = clusters
            .filter(|cluster| started.insert(*cluster))
            .collect();
        if !wave.is_empty() {
            waves.push(wave);
        }
    };
    let mandatory = match strategy.kind {
        StrategyKind::All => BTreeSet::new(),
        _ => mandatory(groups, &strategy.mandatory),
    };
    for group in mandatory.iter().filter_map(|key| groups.get(key)) {
        start(&mut group.iter().copied());
    }
    let rest = || {
        visible
            .iter()
            .filter(|(key, _)| !mandatory.contains(key))
            .map(|(_, group)| group)
    };
    if strategy.kind == StrategyKind::ProgressivePerGroup {
        for group in rest() {
            start(&mut group.iter().copied());
        }
        return Ok(waves);
    }
    let members: BTreeSet<&'a str> = rest().flat_map(|group| group.iter().copied()).collect();
    let window = match strategy.kind {
        StrategyKind::All => members.len(),
        _ => size(strategy.max_concurrency, members.len(), members.len())
            .map_err(|fault| format!("failed to parse the provided maxConcurrency: {fault}"))?,
    };
    let members: Vec<&'a str> = members.into_iter().collect();
    for wave in members.chunks(window.max(1)) {
        start(&mut wave.iter().copied());
    }
    Ok(waves)
}

fn starting<'s, 'a>(step: &'s Step<'a>) -> impl Iterator<Item = &'a str> + 's {
    step.rollout
        .iter()
        .filter(|s| s.status == Status::ToApply)
        .map(|s| s.cluster)
}

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

/// A rollout from a clean start to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run<'a> {
    /// The steps.
    pub steps: Vec<RunStep<'a>>,
    /// How it ended.
    pub ending: Ending,
    /// The last status of each cluster, by name.
    pub states: BTreeMap<&'a str, Status>,
}

/// Runs a rollout from a clean start: what is started succeeds at once, but the clusters of
/// `failing` fail and those of `hanging` never get beyond Progressing. Time goes on from one
/// recheck to the next.
///
/// # Errors
/// As [`step`].
pub fn run<'a>(
    groups: &Groups<'a>,
    strategy: &Strategy<'_>,
    start: Timestamp,
    failing: &BTreeSet<&str>,
    hanging: &BTreeSet<&str>,
) -> Result<Run<'a>, String> {
    let mut now = start.as_nanosecond();
    let mut known: Vec<State<'a>> = Vec::new();
    let mut steps = Vec::new();
    let members: BTreeSet<&str> = visible(groups)
        .iter()
        .flat_map(|(_, group)| group.iter().copied())
        .collect();
    loop {
        let step = step(groups, strategy, &known, now)?;
        let started: Vec<&'a str> = starting(&step).collect();
        let (breach, recheck) = (step.breach, step.recheck_after);
        let timed_out: Vec<&str> = step.timed_out.iter().map(|state| state.cluster).collect();
        for cluster in &started {
            let status = if failing.contains(cluster) {
                Status::Failed
            } else if hanging.contains(cluster) {
                Status::Progressing
            } else {
                Status::Succeeded
            };
            known.push(State {
                cluster,
                status,
                since: Some(now),
                recheck: None,
            });
        }
        let idle = started.is_empty();
        steps.push(RunStep { now, started, step });
        match recheck {
            _ if !idle => {}
            Some(nanos) => now += Instant::from(nanos),
            None => {
                let mut states: BTreeMap<&'a str, Status> = known
                    .iter()
                    .map(|state| (state.cluster, state.status))
                    .collect();
                for cluster in timed_out {
                    if let Some(status) = states.get_mut(cluster) {
                        *status = Status::TimeOut;
                    }
                }
                let left = members.iter().any(|cluster| !states.contains_key(cluster));
                let hangs = states.values().any(|status| *status == Status::Progressing);
                let ending = match (breach, left || hangs) {
                    (true, _) => Ending::Breached,
                    (false, true) => Ending::Stuck,
                    (false, false) => Ending::Completed,
                };
                return Ok(Run {
                    steps,
                    ending,
                    states,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The waves by taking every step.
    fn stepwise<'a>(groups: &Groups<'a>, strategy: &Strategy<'_>) -> Vec<Vec<&'a str>> {
        let mut known: Vec<State<'a>> = Vec::new();
        let mut waves = Vec::new();
        loop {
            let step = step(groups, strategy, &known, 0).unwrap();
            let wave: Vec<&str> = starting(&step).collect();
            if wave.is_empty() {
                return waves;
            }
            known.extend(wave.iter().map(|cluster| State {
                cluster,
                status: Status::Succeeded,
                since: Some(-1_000_000),
                recheck: None,
            }));
            waves.push(wave);
        }
    }

    fn three_groups() -> Groups<'static> {
        [
            ((0, "canary"), BTreeSet::from(["c1", "c7"])),
            ((1, ""), BTreeSet::from(["c2", "c3", "c4"])),
            ((2, ""), BTreeSet::from(["c5", "c6"])),
        ]
        .into()
    }

    #[test]
    fn waves_are_what_the_steps_give() {
        let groups = three_groups();
        for kind in [
            StrategyKind::All,
            StrategyKind::Progressive,
            StrategyKind::ProgressivePerGroup,
        ] {
            for mandatory in [
                vec![],
                vec![MandatoryGroup {
                    name: "canary",
                    index: 0,
                }],
                vec![
                    MandatoryGroup { name: "", index: 2 },
                    MandatoryGroup {
                        name: "nope",
                        index: 0,
                    },
                ],
            ] {
                for max_concurrency in [None, Some(IntOrText::Int(2)), Some(IntOrText::Text("25%"))]
                {
                    let strategy = Strategy {
                        kind,
                        max_concurrency,
                        mandatory: mandatory.clone(),
                        min_success_nanos: 1_000,
                        ..Strategy::default()
                    };
                    assert_eq!(waves(&groups, &strategy), Ok(stepwise(&groups, &strategy)));
                }
            }
        }
    }

    #[test]
    fn deadlines() {
        assert_eq!(deadline("None"), Ok(None));
        assert_eq!(deadline(""), Ok(None));
        assert_eq!(deadline("1h30m"), Ok(Some(5_400_000_000_000)));
        assert_eq!(deadline("0s"), Ok(Some(0)));
        for passes_and_fails in ["10mx", "2h|", "xNone"] {
            assert!(deadline_form(passes_and_fails));
            assert!(deadline(passes_and_fails).is_err());
        }
        for refused in ["1d", "10", "abc", "h"] {
            assert!(!deadline_form(refused));
        }
    }

    #[test]
    fn runs_end() {
        let groups = three_groups();
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let strategy = |max_failures, deadline| Strategy {
            kind: StrategyKind::Progressive,
            max_concurrency: Some(IntOrText::Int(2)),
            max_failures,
            progress_deadline: deadline,
            min_success_nanos: 60_000_000_000,
            ..Strategy::default()
        };
        let ending = |strategy: &Strategy<'_>, failing: &[&str], hanging: &[&str]| {
            let (failing, hanging) = (
                failing.iter().copied().collect(),
                hanging.iter().copied().collect(),
            );
            run(&groups, strategy, now, &failing, &hanging)
                .unwrap()
                .ending
        };
        assert_eq!(ending(&strategy(None, ""), &[], &[]), Ending::Completed);
        assert_eq!(ending(&strategy(None, ""), &["c3"], &[]), Ending::Breached);
        let one = Some(IntOrText::Int(1));
        assert_eq!(
            ending(&strategy(one, "10m"), &["c3"], &[]),
            Ending::Completed
        );
        assert_eq!(ending(&strategy(one, ""), &["c3"], &["c4"]), Ending::Stuck);
        assert_eq!(
            ending(&strategy(one, "10m"), &["c3"], &["c4"]),
            Ending::Breached
        );
    }
}
