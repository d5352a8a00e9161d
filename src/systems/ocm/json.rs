//! Placements and rollouts as data: `placements`, `sequential`, `rollouts`, `rolloutWaves`.

use crate::kit::named::Name;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::kit::time::{format_go_duration, format_seconds};
use crate::ocm::Outcome;
use crate::ocm::engine::hub::Clusters;
use crate::ocm::engine::place::{Condition, Placed, Row};
use crate::ocm::engine::rollout::{Instant, RunStep, State, Step};
use crate::ocm::engine::{self, RolledOut, Rollout, Waves};
use crate::ocm::model::{Model, Placement, Status};
use crate::ocm::records::Labels;
use crate::ocm::simulate::RolloutRun;
use crate::plan::Partial;

use crate::data::{Marked, Pairs, Rows};

/// The model and outcome that all placements are written from.
#[derive(Clone, Copy)]
struct Context<'p, 'a> {
    model: &'p Model<'a>,
    outcome: &'p Outcome<'a>,
    trace: bool,
    hub: bool,
}

impl<'p, 'a> Context<'p, 'a> {
    fn placement(self, placed: &Placed<'a>) -> &'p Placement<'a> {
        &self.model.placements[placed.placement]
    }

    fn names(self, clusters: &'p [u32]) -> Names<'p, 'a> {
        Names {
            names: &self.outcome.placements.names,
            ids: Ids::List(clusters),
        }
    }

    fn set(self, clusters: Clusters) -> Names<'p, 'a> {
        Names {
            names: &self.outcome.placements.names,
            ids: Ids::Set(clusters),
        }
    }
}

/// The names of clusters, as a list.
struct Names<'p, 'a> {
    names: &'p [&'a str],
    ids: Ids<'p>,
}

enum Ids<'p> {
    List(&'p [u32]),
    Set(Clusters),
}

impl Serialize for Names<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.ids {
            Ids::List(ids) => to.collect_seq(ids.iter().map(|id| self.names[*id as usize])),
            Ids::Set(ids) => to.collect_seq(ids.ones().map(|id| self.names[id])),
        }
    }
}

/// `placements[]`.
pub struct Placements<'p, 'a>(Context<'p, 'a>, Option<&'p Partial>);

impl<'p, 'a> Placements<'p, 'a> {
    /// The placements of a plan; full lists only with a trace.
    #[must_use]
    pub fn new(model: &'p Model<'a>, outcome: &'p Outcome<'a>, trace: bool) -> Self {
        let context = Context {
            model,
            outcome,
            trace,
            hub: false,
        };
        Self(context, None)
    }

    /// Each with what is missing for it.
    #[must_use]
    pub fn without(self, partial: Option<&'p Partial>) -> Self {
        Self(self.0, partial)
    }

    /// Made with the snapshot of a hub: what is left alone has the decisions that the hub holds,
    /// and decisions are sorted by name, as those of the hub are compared.
    #[must_use]
    pub fn of_hub(self, hub: bool) -> Self {
        Self(Context { hub, ..self.0 }, self.1)
    }
}

impl Rows for Placements<'_, '_> {
    fn count(&self) -> usize {
        self.0.outcome.placements.placed.len()
    }

    fn row(&self, at: usize) -> impl Serialize {
        let placed = &self.0.outcome.placements.placed[at];
        let placement = self.0.placement(placed);
        let without = self
            .1
            .map(|all| all.without(placement.namespace, placement.name));
        Marked {
            row: Form::new(self.0, placed),
            without: without.unwrap_or_default(),
        }
    }
}

/// An entry of `placements[]`.
#[derive(Serialize)]
#[serde(untagged)]
enum Form<'p, 'a> {
    Skipped {
        namespace: &'p str,
        name: &'p str,
        skipped: &'static str,
    },
    Kept {
        namespace: &'p str,
        name: &'p str,
        kept: &'static str,
        decisions: Vec<&'a str>,
    },
    Placed(Box<PlacedForm<'p, 'a>>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlacedForm<'p, 'a> {
    namespace: &'p str,
    name: &'p str,
    eligible_cluster_sets: &'p [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    available_clusters: Option<Names<'p, 'a>>,
    filters: Vec<FilterForm<'p, 'a>>,
    prioritizers: Vec<PrioritizerForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    totals: Option<Pairs<&'a str, i64>>,
    selected: Names<'p, 'a>,
    decisions: Vec<&'a str>,
    decision_groups: Vec<GroupForm<'p, 'a>>,
    placement_decisions: Vec<PageForm<'p, 'a>>,
    deleted_placement_decisions: &'p [String],
    conditions: Vec<Value>,
    number_of_selected_clusters: usize,
    unscheduled: usize,
    /// Absent where it is: the decision comes to rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    stable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requeue_time: Option<String>,
}

#[derive(Serialize)]
struct FilterForm<'p, 'a> {
    name: &'static str,
    left: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<Names<'p, 'a>>,
}

#[derive(Serialize)]
struct PrioritizerForm<'a> {
    name: String,
    weight: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Pairs<&'a str, i64>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GroupForm<'p, 'a> {
    index: usize,
    name: &'p str,
    cluster_count: usize,
    clusters: Names<'p, 'a>,
    placement_decisions: Vec<&'p str>,
}

#[derive(Serialize)]
struct PageForm<'p, 'a> {
    name: &'p str,
    labels: Labels<'p>,
    clusters: Names<'p, 'a>,
}

impl<'p, 'a> Form<'p, 'a> {
    fn new(context: Context<'p, 'a>, placed: &'p Placed<'a>) -> Self {
        let Placement {
            namespace, name, ..
        } = *context.placement(placed);
        match placed.skipped {
            Some(skipped) if context.hub => Self::Kept {
                namespace,
                name,
                kept: skipped.word(),
                decisions: held(context.model, namespace, name),
            },
            Some(skipped) => Self::Skipped {
                namespace,
                name,
                skipped: skipped.word(),
            },
            None => Self::Placed(Box::new(PlacedForm::new(context, placed))),
        }
    }
}

/// The clusters that the documents hold as decided by a placement, by name.
fn held<'a>(model: &Model<'a>, namespace: &str, name: &str) -> Vec<&'a str> {
    let own = model.decisions.iter();
    let own = own.filter(|one| one.namespace == namespace && one.placement == Some(name));
    let mut clusters: Vec<&str> = own.flat_map(|one| one.clusters.iter().copied()).collect();
    clusters.sort_unstable();
    clusters.dedup();
    clusters
}

impl<'p, 'a> PlacedForm<'p, 'a> {
    fn new(context: Context<'p, 'a>, placed: &'p Placed<'a>) -> Self {
        let placement = context.placement(placed);
        let trace = context.trace;
        let name = |id: u32| context.outcome.placements.names[id as usize];
        // By cluster, hence by name.
        let mut rows: Vec<&Row> = placed.rows.iter().collect();
        rows.sort_by_key(|row| row.cluster);
        let totals = || rows.iter().map(|row| (name(row.cluster), row.total));
        let filters = placed.filters.iter().map(|filter| FilterForm {
            name: filter.name,
            left: filter.clusters.count(),
            clusters: trace.then(|| context.set(filter.clusters.set())),
        });
        let scores = |index: usize| {
            let scores = rows.iter();
            let scores = scores.filter_map(|row| Some((name(row.cluster), row.scores[index]?)));
            Pairs(scores.collect())
        };
        let prioritizers = placed.prioritizers.iter().enumerate();
        let prioritizers = prioritizers.map(|(index, weighted)| PrioritizerForm {
            name: weighted.prioritizer.name(),
            weight: weighted.weight,
            scores: trace.then(|| scores(index)),
        });
        let groups = placed.groups.iter().enumerate();
        let groups = groups.map(|(index, group)| {
            let pages = placed.pages.iter().filter(|page| page.group == index);
            GroupForm {
                index,
                name: group.name,
                cluster_count: group.clusters.len(),
                clusters: context.names(&group.clusters),
                placement_decisions: pages.map(|page| page.name.as_str()).collect(),
            }
        });
        let pages = placed.pages.iter().map(|page| PageForm {
            name: &page.name,
            labels: Labels::of(placed, page, placement),
            clusters: context.names(&page.clusters),
        });
        let mut decisions: Vec<&'a str> = placed.decided().map(name).collect();
        if context.hub {
            decisions.sort_unstable();
        }
        Self {
            namespace: placement.namespace,
            name: placement.name,
            eligible_cluster_sets: &placed.eligible,
            available_clusters: trace.then(|| context.set(Arc::clone(&placed.available))),
            filters: filters.collect(),
            prioritizers: prioritizers.collect(),
            totals: trace.then(|| Pairs(totals().collect())),
            selected: context.names(&placed.selected),
            decisions,
            decision_groups: groups.collect(),
            placement_decisions: pages.collect(),
            deleted_placement_decisions: &placed.deleted,
            conditions: conditions(placement, placed),
            number_of_selected_clusters: match placed.fault {
                Some(_) => 0,
                None => placed.selected.len(),
            },
            unscheduled: placed.unscheduled,
            stable: placed.flips.map(|_| false),
            requeue_time: placed.requeue.map(format_seconds),
        }
    }
}

/// The conditions of the status: those that stand keep their place, other controllers' stay.
fn conditions(placement: &Placement<'_>, placed: &Placed<'_>) -> Vec<Value> {
    fn one(kind: &str, status: &str, reason: &str, message: &str) -> Value {
        json!({"type": kind, "status": status, "reason": reason, "message": message})
    }
    let own = |condition: &Condition| {
        let status = if condition.status { "True" } else { "False" };
        one(condition.kind, status, condition.reason, &condition.message)
    };
    if placed.conditions.is_empty() {
        return Vec::new();
    }
    let kept = placement
        .conditions
        .iter()
        .map(|[kind, status, reason, message]| {
            match placed
                .conditions
                .iter()
                .find(|condition| condition.kind == *kind)
            {
                Some(condition) => own(condition),
                None => one(kind, status, reason, message),
            }
        });
    let is_kept = |condition: &&Condition| {
        placement
            .conditions
            .iter()
            .any(|[kind, ..]| *kind == condition.kind)
    };
    let new = placed
        .conditions
        .iter()
        .filter(|condition| !is_kept(condition))
        .map(own);
    kept.chain(new).collect()
}

/// `sequential[]`: one pass in document order.
pub struct Sequential<'p, 'a>(&'p Model<'a>, &'p engine::Placements<'a>);

impl<'p, 'a> Sequential<'p, 'a> {
    /// The pass of a plan; `None` where there is but one placement.
    #[must_use]
    pub fn new(model: &'p Model<'a>, outcome: &'p Outcome<'a>) -> Option<Self> {
        let placements = &outcome.placements;
        (!placements.sequential.is_empty()).then_some(Self(model, placements))
    }
}

impl Rows for Sequential<'_, '_> {
    fn count(&self) -> usize {
        self.1.sequential.len()
    }

    fn row(&self, at: usize) -> impl Serialize {
        #[derive(Serialize)]
        struct Pass<'p, 'a> {
            namespace: &'p str,
            name: &'p str,
            decisions: Names<'p, 'a>,
        }
        let (index, clusters) = &self.1.sequential[at];
        let placement = &self.0.placements[*index];
        Pass {
            namespace: placement.namespace,
            name: placement.name,
            decisions: Names {
                names: &self.1.names,
                ids: Ids::List(clusters),
            },
        }
    }
}

fn time(instant: Instant) -> String {
    let time = jiff::Timestamp::from_nanosecond(instant);
    format_seconds(time.unwrap_or(jiff::Timestamp::MAX))
}

fn states(states: &[State<'_>]) -> Value {
    let state = |state: &State<'_>| {
        let mut entry = json!({"clusterName": state.cluster, "status": state.status.word()});
        if let Some(recheck) = state.recheck {
            entry["recheckTime"] = time(recheck).into();
        }
        entry
    };
    states.iter().map(state).collect()
}

/// The fields of one step's answer.
fn step(entry: &mut Value, step: &Step<'_>) {
    entry["clustersToRollout"] = states(&step.rollout);
    entry["clustersTimeOut"] = states(&step.timed_out);
    entry["clustersRemoved"] = states(&step.removed);
    entry["maxFailureBreach"] = step.breach.into();
    if let Some(nanos) = step.recheck_after {
        entry["recheckAfter"] = format_go_duration(nanos).into();
    }
}

/// `rollouts[]`: the next step of each question, in document order.
#[must_use]
pub fn rollouts(model: &Model<'_>, outcome: &Outcome<'_>) -> Vec<Value> {
    let entry = |rollout: &Rollout<'_>| {
        let asked = &model.rollout_steps[rollout.step];
        let mut entry = json!({
            "name": asked.name,
            "now": rollout.now.to_string(),
            "manifestWorkReplicaSet": asked.replica_set.text,
            "placement": asked.placement.text,
        });
        match (&rollout.answer, rollout.kind) {
            (Ok(answer), kind) => {
                entry["strategyType"] = kind.map_or(Value::Null, |kind| kind.word().into());
                step(&mut entry, answer);
            }
            (Err(error), _) => entry["error"] = error.as_str().into(),
        }
        entry
    };
    outcome.rollouts.iter().map(entry).collect()
}

/// Which rollout an entry is of.
fn rolled_out(of: RolledOut<'_>) -> Value {
    match of {
        RolledOut::Works {
            namespace,
            name,
            placement,
        } => json!({
            "namespace": namespace, "manifestWorkReplicaSet": name, "placement": placement,
        }),
        RolledOut::AddOn {
            name,
            placement: (namespace, placement),
        } => json!({
            "clusterManagementAddOn": name,
            "placement": Name::new(namespace, placement).to_string(),
        }),
    }
}

/// `rolloutWaves[]`: every rollout from a clean start.
#[must_use]
pub fn rollout_waves(outcome: &Outcome<'_>) -> Vec<Value> {
    let entry = |waves: &Waves<'_>| {
        let wave = |(index, clusters)| json!({"index": index, "clusters": clusters});
        let mut entry = rolled_out(waves.of);
        entry["waves"] = waves.waves.iter().enumerate().map(wave).collect();
        entry
    };
    outcome.waves.iter().map(entry).collect()
}

/// `rolloutRuns[]` of a simulation.
#[must_use]
pub fn rollout_runs(runs: &[RolloutRun<'_>]) -> Value {
    let entry = |run: &RolloutRun<'_>| {
        let mut entry = rolled_out(run.of);
        if !run.blocked.is_empty() {
            entry["blocked"] = run.blocked.clone().into();
        }
        let statuses = |all: &BTreeMap<&str, Status>| -> Value {
            let all = all.iter();
            all.map(|(name, status)| ((*name).to_owned(), Value::from(status.word())))
                .collect()
        };
        if !run.before.is_empty() {
            entry["clusterStatusBefore"] = statuses(&run.before);
        }
        match &run.run {
            Ok(run) => {
                let one = |taken: &RunStep<'_>| {
                    let mut entry = json!({"now": time(taken.now), "started": taken.started});
                    step(&mut entry, &taken.step);
                    entry
                };
                entry["steps"] = run.steps.iter().map(one).collect();
                entry["clusterStatus"] = statuses(&run.states);
                entry["outcome"] = run.ending.word().into();
            }
            Err(error) => {
                entry["steps"] = json!([]);
                entry["outcome"] = "error".into();
                entry["error"] = error.as_str().into();
            }
        }
        entry
    };
    runs.iter().map(entry).collect()
}
