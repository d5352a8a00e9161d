//! Placements and rollouts as data: `placements`, `sequential`, `rollouts`, `rolloutWaves`.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::kit::time::{format_go_duration, format_seconds};
use crate::ocm::Outcome;
use crate::ocm::engine::hub::Clusters;
use crate::ocm::engine::place::{Change, Condition, Page, Placed};
use crate::ocm::engine::rollout::{Instant, RunStep, State, Step};
use crate::ocm::engine::{self, Rollout, Waves};
use crate::ocm::model::{GROUP_INDEX_LABEL, GROUP_NAME_LABEL, Model, PLACEMENT_LABEL, Placement};
use crate::ocm::simulate::RolloutRun;

use super::rows::{List, Rows};

/// What all placements are written from.
#[derive(Clone, Copy)]
struct Context<'p, 'a> {
    model: &'p Model<'a>,
    outcome: &'p Outcome<'a>,
    trace: bool,
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

    fn set(self, clusters: &'p Clusters) -> Names<'p, 'a> {
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
    Set(&'p Clusters),
}

impl Serialize for Names<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.ids {
            Ids::List(ids) => to.collect_seq(ids.iter().map(|id| self.names[*id as usize])),
            Ids::Set(ids) => to.collect_seq(ids.ones().map(|id| self.names[id])),
        }
    }
}

/// `placements[]`.
pub struct Placements<'p, 'a>(Context<'p, 'a>);

impl<'p, 'a> Placements<'p, 'a> {
    /// The placements of a plan; full lists only with a trace.
    #[must_use]
    pub fn new(model: &'p Model<'a>, outcome: &'p Outcome<'a>, trace: bool) -> Self {
        Self(Context {
            model,
            outcome,
            trace,
        })
    }
}

impl Serialize for Placements<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        List(self).serialize(to)
    }
}

impl Rows for Placements<'_, '_> {
    fn len(&self) -> usize {
        self.0.outcome.placements.placed.len()
    }

    fn row(&self, at: usize) -> impl Serialize {
        One(self.0, &self.0.outcome.placements.placed[at])
    }
}

struct One<'p, 'a>(Context<'p, 'a>, &'p Placed<'a>);

impl Serialize for One<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self(context, placed) = self;
        let placement = context.placement(placed);
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("namespace", placement.namespace)?;
        map.serialize_entry("name", placement.name)?;
        if let Some(skipped) = placed.skipped {
            map.serialize_entry("skipped", skipped.word())?;
            return map.end();
        }
        map.serialize_entry("eligibleClusterSets", &placed.eligible)?;
        if context.trace {
            map.serialize_entry("availableClusters", &context.set(&placed.available))?;
        }
        map.serialize_entry("filters", &Filters(*context, placed))?;
        map.serialize_entry("prioritizers", &Prioritizers(*context, placed))?;
        if context.trace {
            map.serialize_entry("totals", &Totals(*context, placed))?;
        }
        map.serialize_entry("selected", &context.names(&placed.selected))?;
        map.serialize_entry("decisions", &Decisions(*context, placed))?;
        map.serialize_entry("decisionGroups", &Groups(*context, placed))?;
        map.serialize_entry("placementDecisions", &Pages(*context, placed))?;
        map.serialize_entry("deletedPlacementDecisions", &placed.deleted)?;
        map.serialize_entry("conditions", &conditions(placement, placed))?;
        let selected = if placed.fault.is_some() {
            0
        } else {
            placed.selected.len()
        };
        map.serialize_entry("numberOfSelectedClusters", &selected)?;
        map.serialize_entry("unscheduled", &placed.unscheduled)?;
        if let Some(time) = placed.requeue {
            map.serialize_entry("requeueTime", &format_seconds(time))?;
        }
        map.end()
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
    let standing = placement
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
    let stands = |condition: &&Condition| {
        placement
            .conditions
            .iter()
            .any(|[kind, ..]| *kind == condition.kind)
    };
    let new = placed
        .conditions
        .iter()
        .filter(|condition| !stands(condition))
        .map(own);
    standing.chain(new).collect()
}

struct Filters<'p, 'a>(Context<'p, 'a>, &'p Placed<'a>);

impl Serialize for Filters<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Filter<'p, 'a>(Context<'p, 'a>, &'p crate::ocm::engine::place::Filtered);
        impl Serialize for Filter<'_, '_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let mut map = to.serialize_map(None)?;
                map.serialize_entry("name", self.1.name)?;
                map.serialize_entry("left", &self.1.clusters.count_ones(..))?;
                if self.0.trace {
                    map.serialize_entry("clusters", &self.0.set(&self.1.clusters))?;
                }
                map.end()
            }
        }
        to.collect_seq(self.1.filters.iter().map(|filter| Filter(self.0, filter)))
    }
}

/// The rows by cluster, hence by name.
fn by_name<'p>(placed: &'p Placed<'_>) -> Vec<&'p crate::ocm::engine::place::Row> {
    let mut rows: Vec<_> = placed.rows.iter().collect();
    rows.sort_by_key(|row| row.cluster);
    rows
}

struct Prioritizers<'p, 'a>(Context<'p, 'a>, &'p Placed<'a>);

impl Serialize for Prioritizers<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Entry<'s, 'p, 'a>(&'s Prioritizers<'p, 'a>, usize);
        struct Scores<'s, 'p, 'a>(&'s Prioritizers<'p, 'a>, usize);
        impl Serialize for Scores<'_, '_, '_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let names = &self.0.0.outcome.placements.names;
                let rows = by_name(self.0.1).into_iter();
                to.collect_map(
                    rows.filter_map(|row| Some((names[row.cluster as usize], row.scores[self.1]?))),
                )
            }
        }
        impl Serialize for Entry<'_, '_, '_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let weighted = &self.0.1.prioritizers[self.1];
                let mut map = to.serialize_map(None)?;
                map.serialize_entry("name", &weighted.prioritizer.name())?;
                map.serialize_entry("weight", &weighted.weight)?;
                if self.0.0.trace {
                    map.serialize_entry("scores", &Scores(self.0, self.1))?;
                }
                map.end()
            }
        }
        to.collect_seq((0..self.1.prioritizers.len()).map(|index| Entry(self, index)))
    }
}

struct Totals<'p, 'a>(Context<'p, 'a>, &'p Placed<'a>);

impl Serialize for Totals<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let names = &self.0.outcome.placements.names;
        let rows = by_name(self.1).into_iter();
        to.collect_map(rows.map(|row| (names[row.cluster as usize], row.total)))
    }
}

struct Decisions<'p, 'a>(Context<'p, 'a>, &'p Placed<'a>);

impl Serialize for Decisions<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let names = &self.0.outcome.placements.names;
        let clusters = self.1.pages.iter().flat_map(|page| &page.clusters);
        to.collect_seq(clusters.map(|id| names[*id as usize]))
    }
}

struct Groups<'p, 'a>(Context<'p, 'a>, &'p Placed<'a>);

impl Serialize for Groups<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct Group<'s, 'p, 'a>(&'s Groups<'p, 'a>, usize);
        impl Serialize for Group<'_, '_, '_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let Groups(context, placed) = self.0;
                let group = &placed.groups[self.1];
                let pages = placed.pages.iter().filter(|page| page.group == self.1);
                let pages: Vec<&str> = pages.map(|page| page.name.as_str()).collect();
                let mut map = to.serialize_map(None)?;
                map.serialize_entry("index", &self.1)?;
                map.serialize_entry("name", group.name)?;
                map.serialize_entry("clusterCount", &group.clusters.len())?;
                map.serialize_entry("clusters", &context.names(&group.clusters))?;
                map.serialize_entry("placementDecisions", &pages)?;
                map.end()
            }
        }
        to.collect_seq((0..self.1.groups.len()).map(|index| Group(self, index)))
    }
}

/// The labels of a page: index, name, placement.
struct Labels<'p>(usize, &'p str, &'p str);

impl Serialize for Labels<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(3))?;
        map.serialize_entry(GROUP_INDEX_LABEL, &self.0.to_string())?;
        map.serialize_entry(GROUP_NAME_LABEL, self.1)?;
        map.serialize_entry(PLACEMENT_LABEL, self.2)?;
        map.end()
    }
}

struct Pages<'p, 'a>(Context<'p, 'a>, &'p Placed<'a>);

impl Serialize for Pages<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct OnePage<'s, 'p, 'a>(&'s Pages<'p, 'a>, &'p Page);
        impl Serialize for OnePage<'_, '_, '_> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let Self(Pages(context, placed), page) = self;
                let name = context.placement(placed).name;
                let group = placed.groups[page.group].name;
                let mut map = to.serialize_map(Some(3))?;
                map.serialize_entry("name", &page.name)?;
                map.serialize_entry("labels", &Labels(page.group, group, name))?;
                map.serialize_entry("clusters", &context.names(&page.clusters))?;
                map.end()
            }
        }
        to.collect_seq(self.1.pages.iter().map(|page| OnePage(self, page)))
    }
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

impl Serialize for Sequential<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        List(self).serialize(to)
    }
}

impl Rows for Sequential<'_, '_> {
    fn len(&self) -> usize {
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

/// `rolloutWaves[]`: every rollout from a clean start.
#[must_use]
pub fn rollout_waves(outcome: &Outcome<'_>) -> Vec<Value> {
    let entry = |waves: &Waves<'_>| {
        let wave = |(index, clusters)| json!({"index": index, "clusters": clusters});
        json!({
            "namespace": waves.namespace,
            "manifestWorkReplicaSet": waves.replica_set,
            "placement": waves.placement,
            "waves": waves.waves.iter().enumerate().map(wave).collect::<Vec<Value>>(),
        })
    };
    outcome.waves.iter().map(entry).collect()
}

/// A `PlacementDecision` as a hub would hold it.
fn document(model: &Model<'_>, outcome: &Outcome<'_>, placed: &Placed<'_>, page: &Page) -> Value {
    let placement = &model.placements[placed.placement];
    let group = placed.groups[page.group].name;
    let names = &outcome.placements.names;
    let decision = |id: &u32| json!({"clusterName": names[*id as usize], "reason": ""});
    json!({
        "apiVersion": "cluster.open-cluster-management.io/v1beta1",
        "kind": "PlacementDecision",
        "metadata": {
            "name": page.name,
            "namespace": placement.namespace,
            "labels": Labels(page.group, group, placement.name),
        },
        "status": {"decisions": page.clusters.iter().map(decision).collect::<Vec<Value>>()},
    })
}

/// All `PlacementDecision`s of a plan, by placement.
pub fn documents<'p>(
    model: &'p Model<'_>,
    outcome: &'p Outcome<'_>,
) -> impl Iterator<Item = Value> + 'p {
    outcome.placements.placed.iter().flat_map(move |placed| {
        placed
            .pages
            .iter()
            .map(move |page| document(model, outcome, placed, page))
    })
}

/// The records of a plan: every `PlacementDecision` that is made or altered, and for each that
/// goes one with a deletion timestamp (contract, section 4).
#[must_use]
pub fn records(
    model: &Model<'_>,
    outcome: &Outcome<'_>,
    number: &str,
    now: jiff::Timestamp,
) -> Vec<Value> {
    let mut records = Vec::new();
    for placed in &outcome.placements.placed {
        let placement = &model.placements[placed.placement];
        for page in placed
            .pages
            .iter()
            .filter(|page| page.change != Change::Unchanged)
        {
            let mut record = document(model, outcome, placed, page);
            record["metadata"]["annotations"] = json!({"planner/record": number});
            records.push(record);
        }
        for name in &placed.deleted {
            records.push(json!({
                "apiVersion": "cluster.open-cluster-management.io/v1beta1",
                "kind": "PlacementDecision",
                "metadata": {
                    "name": name,
                    "namespace": placement.namespace,
                    "labels": {PLACEMENT_LABEL: placement.name},
                    "annotations": {"planner/record": number},
                    "deletionTimestamp": format_seconds(now),
                },
                "status": {"decisions": []},
            }));
        }
    }
    records
}

/// `rolloutRuns[]` of a simulation.
#[must_use]
pub fn rollout_runs(runs: &[RolloutRun<'_>]) -> Value {
    let entry = |run: &RolloutRun<'_>| {
        let mut entry = json!({
            "namespace": run.namespace,
            "manifestWorkReplicaSet": run.replica_set,
            "placement": run.placement,
        });
        match &run.run {
            Ok(run) => {
                let one = |taken: &RunStep<'_>| {
                    let mut entry = json!({"now": time(taken.now), "started": taken.started});
                    step(&mut entry, &taken.step);
                    entry
                };
                let states = run.states.iter();
                entry["steps"] = run.steps.iter().map(one).collect();
                entry["clusterStatus"] = states
                    .map(|(name, status)| ((*name).to_owned(), Value::from(status.word())))
                    .collect();
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
