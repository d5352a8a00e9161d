//! The algorithm of Open Cluster Management's placement and rollout, free of files and clocks.

pub mod cel;
mod conditions;
pub mod contest;
pub mod decisions;
pub mod feasible;
pub mod fewest;
pub mod groups;
pub mod hub;
pub mod left;
pub mod levels;
pub mod loss;
pub mod memo;
pub mod place;
pub mod rank;
pub mod resource;
pub mod rollout;
pub mod score;
pub mod select;

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use crate::kit::join::join;
use crate::kit::progress::{Progress, UNIT};
use crate::ocm::model::{Model, ReplicaSet, RolloutStep, StrategyKind};
use decisions::Decisions;
use hub::Hub;
use place::{Detail, Placed, apply, bound_sets, place};
use rollout::{Groups, State, Step};

/// The answers for all placements.
#[derive(Debug, Default)]
pub struct Placements<'a> {
    /// The names of clusters by id; those of clusters that do not exist come last.
    pub names: Vec<&'a str>,
    /// Each placement for itself, by namespace and name.
    pub placed: Vec<Placed<'a>>,
    /// One pass in document order, where there are several: the placement's place in the model and
    /// its clusters in the order of its decisions.
    pub sequential: Vec<(usize, Vec<u32>)>,
}

impl<'a> Placements<'a> {
    /// The names of the clusters of all `PlacementDecision`s of a placement, in their order.
    pub fn decided(&self, placed: &Placed<'_>) -> impl Iterator<Item = &'a str> {
        placed.decided().map(|id| self.names[id as usize])
    }
}

/// How placements are planned.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'p> {
    /// The instant.
    pub now: Timestamp,
    /// How much of each outcome is kept.
    pub detail: Detail,
    /// Whether the pass in document order is wanted.
    pub sequential: bool,
    /// Threads, at most.
    pub jobs: usize,
    /// Told of each placement.
    pub progress: &'p Progress,
}

/// Plans all placements.
#[must_use]
pub fn plan_placements<'a>(
    model: &Model<'a>,
    settings: Settings<'_>,
    evaluator: &dyn select::Cel<'a>,
) -> Placements<'a> {
    let Settings {
        now,
        detail,
        sequential,
        jobs,
        progress,
    } = settings;
    let hub = Hub::new(model, now);
    let decisions = Decisions::new(model);
    let placements = model.placements.iter();
    let bound = bound_sets(&hub, placements.map(|placement| placement.namespace));
    let count = model.placements.len();
    let is_sequential = sequential && count > 1;
    let one = |decisions: &Decisions<'a>, index: usize, detail| {
        let bound = &bound[model.placements[index].namespace];
        let placed = place(&hub, decisions, evaluator, bound, index, detail);
        progress.add(UNIT);
        placed
    };
    let mut predicates = model.placements.iter().flat_map(|p| &p.predicates);
    let cel_asks = predicates.any(|predicate| !predicate.cel.is_empty());
    let all: Vec<usize> = (0..count).collect();
    let some = |indices: &[usize]| -> Vec<Placed<'a>> {
        let each = |index: &usize| one(&decisions, *index, detail);
        cel::together(cel_asks, || indices.iter().map(each).collect())
    };
    // Each thread hands over a few at a time, so that few are in memory twice.
    let many = |indices: &[usize]| {
        let placed = Mutex::new(Vec::with_capacity(indices.len()));
        let run = if cel_asks { count.max(1) } else { RUN };
        split(jobs, indices, &|part| {
            for part in part.chunks(run) {
                let made = some(part);
                let mut placed = placed.lock().unwrap_or_else(PoisonError::into_inner);
                placed.extend(made);
            }
        });
        placed.into_inner().unwrap_or_else(PoisonError::into_inner)
    };
    let in_sequence = || {
        let mut decisions = decisions.clone();
        let next = |index| {
            let placed = one(&decisions, index, Detail::Selection);
            apply(&mut decisions, &hub, &placed);
            let pages = placed.pages.into_iter();
            (index, pages.flat_map(|page| page.clusters).collect())
        };
        (0..count).map(next).collect()
    };
    let in_sequence = || cel::together(cel_asks, in_sequence);
    let (mut placed, sequential) = if is_sequential {
        join(jobs, || some(&all), in_sequence)
    } else {
        (many(&all), Vec::new())
    };
    // In place: a copy of all that was decided is large.
    placed.sort_unstable_by_key(|placed| {
        let placement = &model.placements[placed.placement];
        (placement.namespace, placement.name, placed.placement)
    });
    Placements {
        names: decisions.names().to_vec(),
        placed,
        sequential,
    }
}

/// Placements that a thread plans before it puts them with the others.
const RUN: usize = 256;

/// Applies `work` to the parts of a list with up to `jobs` threads: in few long runs, since each
/// run warms up by itself.
fn split(jobs: usize, all: &[usize], work: &(impl Fn(&[usize]) + Sync)) {
    if jobs < 2 || all.len() < 2 {
        return work(all);
    }
    let others = jobs / 2;
    let (first, second) = all.split_at(all.len() - all.len() * others / jobs);
    join(
        jobs,
        || split(jobs - others, first, work),
        || split(others, second, work),
    );
}

/// The answer to one question to a rollout.
#[derive(Debug)]
pub struct Rollout<'a> {
    /// The question's place in [`Model::rollout_steps`].
    pub step: usize,
    /// The instant it was judged at.
    pub now: Timestamp,
    /// The type of the strategy, where one was found.
    pub kind: Option<StrategyKind>,
    /// The answer, or why there is none.
    pub answer: Result<Step<'a>, String>,
}

/// The subject of a rollout, and the placement whose clusters it goes to. Sorted as they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RolledOut<'a> {
    /// The works of a replica set, to a placement of its namespace.
    Works {
        /// The replica set's namespace.
        namespace: &'a str,
        /// Its name.
        name: &'a str,
        /// The placement's name.
        placement: &'a str,
    },
    /// The configuration of an add-on.
    AddOn {
        /// The add-on's name.
        name: &'a str,
        /// The placement's namespace and name.
        placement: (&'a str, &'a str),
    },
}

/// The waves of one rollout from a clean start.
#[derive(Debug)]
pub struct Waves<'a> {
    /// Which rollout.
    pub of: RolledOut<'a>,
    /// The clusters of each wave.
    pub waves: Vec<Vec<&'a str>>,
}

/// Answers all questions to rollouts, over the decisions that the documents hold.
#[must_use]
pub fn plan_rollouts<'a>(model: &Model<'a>, now: Timestamp) -> Vec<Rollout<'a>> {
    let answer = |(index, step): (usize, &RolloutStep<'a>)| {
        let now = step.now.unwrap_or(now);
        let found = strategy_of(model, step);
        let kind = found.as_ref().ok().map(|strategy| strategy.kind);
        let answer = found.and_then(|strategy| {
            if let Some(fault) = &step.fault {
                return Err(fault.clone());
            }
            let exists = model.placements.iter().any(|placement| {
                placement.namespace == step.namespace && placement.name == step.placement.text
            });
            if !exists {
                return Err(format!("no placement `{}`", step.placement.text));
            }
            let groups = rollout::groups_of(model, step.namespace, step.placement.text)?;
            let known: Vec<State<'a>> = step
                .clusters
                .iter()
                .map(|known| State {
                    cluster: known.cluster,
                    status: known.status,
                    since: known.since.map(Timestamp::as_nanosecond),
                    recheck: None,
                })
                .collect();
            rollout::step(&groups, strategy, &known, now.as_nanosecond())
        });
        Rollout {
            step: index,
            now,
            kind,
            answer,
        }
    };
    model.rollout_steps.iter().enumerate().map(answer).collect()
}

fn strategy_of<'m, 'a>(
    model: &'m Model<'a>,
    step: &RolloutStep<'a>,
) -> Result<&'m crate::ocm::model::Strategy<'a>, String> {
    let named = |set: &&ReplicaSet<'a>| {
        set.namespace == step.namespace && set.name == step.replica_set.text
    };
    let set = model.replica_sets.iter().find(named);
    let references = set.into_iter().flat_map(|set| &set.placements);
    let mut named = references.filter(|reference| reference.name.text == step.placement.text);
    named
        .next()
        .map(|reference| &reference.strategy)
        .ok_or_else(|| {
            "no strategy: the ManifestWorkReplicaSet was rejected or does not name the placement"
                .to_owned()
        })
}

/// The planned groups of a placement, for its rollouts.
#[must_use]
pub fn planned_groups<'a>(
    model: &Model<'a>,
    placements: &Placements<'a>,
    namespace: &str,
    name: &str,
) -> Option<Groups<'a>> {
    let key = |placed: &&Placed<'a>| {
        let placement = &model.placements[placed.placement];
        placement.namespace == namespace && placement.name == name
    };
    let placed = placements.placed.iter().find(key)?;
    let groups = placed.groups.iter().zip(0..).map(|(group, index)| {
        let clusters = group
            .clusters
            .iter()
            .map(|id| placements.names[*id as usize])
            .collect();
        ((index, group.name), clusters)
    });
    Some(groups.collect())
}

/// The waves of every rollout over the planned groups, by namespace, replica set and placement.
/// A strategy whose steps fail has none.
#[must_use]
pub fn plan_waves<'a>(model: &Model<'a>, placements: &Placements<'a>) -> Vec<Waves<'a>> {
    let mut all = Vec::new();
    for set in &model.replica_sets {
        for reference in &set.placements {
            let placement = reference.name.text;
            let Some(groups) = planned_groups(model, placements, set.namespace, placement) else {
                continue;
            };
            if let Ok(waves) = rollout::waves(&groups, &reference.strategy) {
                let of = RolledOut::Works {
                    namespace: set.namespace,
                    name: set.name,
                    placement,
                };
                all.push(Waves { of, waves });
            }
        }
    }
    all.sort_by_key(|waves| waves.of);
    all
}
