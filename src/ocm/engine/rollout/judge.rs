//! How a step treats the known clusters, cluster by cluster or group by group.

use std::collections::{BTreeMap, BTreeSet};

use super::limits::size;
use super::waiting::Waiting;
use super::{Instant, State, Step};
use crate::ocm::model::{IntOrText, Status};

/// The settings that every part of a step needs.
pub(super) struct Judge {
    pub(super) now: Instant,
    pub(super) deadline: Option<i64>,
    pub(super) soak: i64,
}

impl Judge {
    /// Judges a known cluster (upstream `sdk-go/pkg/apis/cluster/v1alpha1/rollout.go`); its status
    /// afterwards.
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

    /// Judges clusters one by one.
    pub(super) fn per_cluster<'a>(
        &self,
        waiting: &mut Waiting<'_, 'a>,
        window: usize,
        max_failures: usize,
        current: &[State<'a>],
        over: &BTreeSet<&'a str>,
    ) -> Step<'a> {
        let mut step = Step::default();
        // An empty window is full as soon as any status is known.
        let first = over.first().filter(|_| window == 0);
        let mut sorted = current.to_vec();
        sorted.sort_by_key(|state| state.cluster);
        let mut known = BTreeSet::new();
        let mut failures = 0;
        for state in sorted {
            if first.is_some_and(|first| *first < state.cluster) {
                return step;
            }
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
        if step.breach || first.is_some() {
            return step;
        }
        let is_known = |cluster: &'a str| known.contains(cluster) || over.contains(cluster);
        for cluster in waiting.unknown(is_known) {
            step.rollout.push(to_apply(cluster));
            if step.rollout.len() >= window {
                break;
            }
        }
        step
    }

    /// Judges clusters by group, with upstream's odd subtraction.
    pub(super) fn per_group<'a>(
        &self,
        waiting: &mut Waiting<'_, 'a>,
        max_failures: Option<IntOrText<'_>>,
        current: &[State<'a>],
        over: &BTreeSet<&'a str>,
    ) -> Step<'a> {
        let mut step = Step::default();
        let mut known: BTreeMap<&str, Status> = BTreeMap::new();
        for state in current {
            if state.status != Status::ToApply {
                known.insert(state.cluster, self.judge(*state, &mut step));
            }
        }
        let mut failures = 0;
        for (number, group) in waiting.open(over) {
            // Behind each group it is asked whether to go on.
            if number > 0 && (step.rollout.len() > failures || step.breach) {
                break;
            }
            let allowed = size(max_failures, group.len(), 0).unwrap_or(0);
            let mut here = 0;
            for cluster in group {
                match known.get(cluster) {
                    Some(Status::TimeOut | Status::Failed) => {
                        here += 1;
                        step.breach = here > allowed;
                    }
                    Some(_) => {}
                    None if over.contains(cluster) => {}
                    None => step.rollout.push(to_apply(cluster)),
                }
            }
            failures += here;
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
