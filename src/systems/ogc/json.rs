//! The `applications` section of a plan.

use std::borrow::Cow;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::ogc::describe;
use crate::ogc::engine::{self, Decision, Failure, FilterRun, Item, Outcome};
use crate::ogc::inheritance::effective_sorted;
use crate::ogc::model::Model;
use crate::ogc::sums;

use crate::data::Rows;

/// The `applications` of a plan, by Package, then by Application.
#[derive(Debug)]
pub struct Applications<'m, 'a> {
    model: &'m Model<'a>,
    outcome: &'m Outcome<'a>,
    trace: bool,
    /// The message that no Cluster is Up, by run: made once, for it names Clusters and depends on
    /// no amount.
    not_up: FxHashMap<u32, String>,
    /// The counts left by each filter, by run, where no Clusters are listed.
    filters: Vec<OnceLock<Option<Box<RawValue>>>>,
}

impl<'m, 'a> Applications<'m, 'a> {
    /// The Applications; with `trace` every filter names the Clusters it left.
    #[must_use]
    pub fn new(model: &'m Model<'a>, outcome: &'m Outcome<'a>, trace: bool) -> Self {
        let mut not_up = FxHashMap::default();
        for item in &outcome.items {
            let Some((at, run)) = item.run.zip(outcome.run_of(item)) else {
                continue;
            };
            if let Some((_, Failure::Available)) = run.failed() {
                let say = || describe::failure(model, item, run).unwrap_or_default();
                not_up.entry(at).or_insert_with(say);
            }
        }
        Self {
            model,
            outcome,
            trace,
            not_up,
            filters: outcome.runs.iter().map(|_| OnceLock::new()).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Application<'m> {
    project: Option<&'m str>,
    package: &'m str,
    application: &'m str,
    cluster: Option<&'m str>,
    was: Option<&'m str>,
    change: &'static str,
    effective_rules: Vec<Rule<'m>>,
    filters: Filters<'m>,
    decided_by: Option<DecidedBy>,
    error: Option<Error<'m>>,
    out_of_bounds: Vec<OutOfBounds<'m>>,
}

/// The `clusters` of a plan: what is planned on each, by name.
#[must_use]
pub fn clusters<'m>(model: &'m Model<'_>, outcome: &Outcome<'_>) -> Vec<ClusterSums<'m>> {
    let amounts = |amounts: sums::Amounts| Amounts {
        cpu: amounts.cpu.decimal(),
        memory: amounts.memory.binary(),
    };
    let form = |sum: &sums::ClusterSum| ClusterSums {
        name: model.clusters[sum.cluster as usize].name,
        requested: amounts(sum.requested),
        allocatable: amounts(sum.allocatable),
        applications: sum.applications,
    };
    sums::sums(model, outcome).iter().map(form).collect()
}

/// The resources planned on one Cluster.
#[derive(Debug, Serialize)]
pub struct ClusterSums<'m> {
    name: &'m str,
    requested: Amounts,
    allocatable: Amounts,
    applications: usize,
}

#[derive(Debug, Serialize)]
struct Amounts {
    cpu: String,
    memory: String,
}

#[derive(Serialize)]
struct Rule<'m> {
    key: &'m str,
    operator: &'static str,
    values: &'m [&'m str],
    origin: &'static str,
}

#[derive(Serialize)]
struct Filter<'m> {
    name: &'static str,
    left: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<Vec<&'m str>>,
}

/// The Clusters left by each filter: written once per run, or with every Cluster.
#[derive(Serialize)]
#[serde(untagged)]
enum Filters<'m> {
    Written(&'m RawValue),
    Listed(Vec<Filter<'m>>),
}

#[derive(Serialize)]
struct DecidedBy {
    filter: Option<&'static str>,
    reason: String,
}

#[derive(Serialize)]
struct Error<'m> {
    filter: &'static str,
    message: Cow<'m, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OutOfBounds<'m> {
    cluster: &'m str,
    kind: &'m str,
    name: &'m str,
    removed_by: &'static str,
}

impl Rows for Applications<'_, '_> {
    fn count(&self) -> usize {
        self.outcome.items.len()
    }

    fn row(&self, at: usize) -> impl Serialize {
        let item = &self.outcome.items[at];
        let run = self.outcome.run_of(item);
        let known = item.run.and_then(|at| self.not_up.get(&at));
        let message = match (known, run) {
            (Some(known), _) => Some(Cow::Borrowed(known.as_str())),
            (None, Some(run)) => describe::failure(self.model, item, run).map(Cow::Owned),
            (None, None) => None,
        };
        self.application(item, run, message)
    }
}

impl<'m, 'a> Applications<'m, 'a> {
    fn filters(&'m self, item: &Item<'a>, run: Option<&'m FilterRun<'a>>) -> Filters<'m> {
        let cluster = |at: &u32| self.model.clusters[*at as usize].name;
        let list = || -> Vec<Filter<'m>> {
            let filters = run.into_iter().flat_map(FilterRun::filters).zip(0..);
            let filter = |((filter, left), at): ((engine::Filter, u32), usize)| Filter {
                name: filter.name(),
                left,
                clusters: run.filter(|_| self.trace).map(|run| {
                    let list = run.lists.get(at).map_or(&[][..], |list| list);
                    list.iter().map(cluster).collect()
                }),
            };
            filters.map(filter).collect()
        };
        let of_run = item.run.filter(|_| !self.trace);
        let slot = of_run.and_then(|run| self.filters.get(run as usize));
        let written =
            slot.and_then(|slot| slot.get_or_init(|| to_raw_value(&list()).ok()).as_deref());
        written.map_or_else(|| Filters::Listed(list()), Filters::Written)
    }

    fn application(
        &'m self,
        item: &'m Item<'a>,
        run: Option<&'m FilterRun<'a>>,
        message: Option<Cow<'m, str>>,
    ) -> Application<'m> {
        let model = self.model;
        let cluster = |at: u32| model.clusters[at as usize].name;
        let rules = item
            .of(model)
            .map(|application| effective_sorted(model, application));
        let rule = |(rule, origin): (&'m crate::ogc::model::Rule<'a>, _)| Rule {
            key: rule.key,
            operator: rule.operator.word(),
            values: &rule.values,
            origin: crate::ogc::inheritance::Origin::word(origin),
        };
        let filter = |run: &FilterRun<'_>| match run.decision? {
            Decision::OnlyCluster => None,
            Decision::Filter { filter, .. } => Some(filter.name()),
        };
        let decided_by = run.and_then(|run| {
            Some(DecidedBy {
                filter: filter(run),
                reason: describe::decision(model, item, run)?,
            })
        });
        let failed = run.and_then(FilterRun::failed);
        Application {
            project: item.project,
            package: item.package,
            application: item.application,
            cluster: item.cluster.map(cluster),
            was: item.was.as_ref().map(|was| was.cluster),
            change: item.change.word(),
            effective_rules: rules.into_iter().flatten().map(rule).collect(),
            filters: self.filters(item, run),
            decided_by,
            error: failed.zip(message).map(|((filter, _), message)| Error {
                filter: filter.name(),
                message,
            }),
            out_of_bounds: item
                .out_of_bounds
                .iter()
                .map(|volume| OutOfBounds {
                    cluster: volume.cluster,
                    kind: volume.kind,
                    name: volume.name,
                    removed_by: volume.removed_by.word(),
                })
                .collect(),
        }
    }
}
