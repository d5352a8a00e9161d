//! From decisions to what reaches which cluster: the ground that all consumers stand on, and a file
//! for each kind of them.
//!
//! Clusters are numbers; a set of them is bits, made once for each placement and shared.

pub mod addon;
pub mod applicationset;
pub mod decided;
pub mod disaster;
pub mod gitops;
mod groups;
pub mod pages;
pub mod policy;
pub mod rollout;
pub mod rule;
pub mod subscription;
pub mod work;

use std::borrow::Cow;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use self::groups::Placements;
use super::argo::hub::{IN_CLUSTER, Objects};
use super::names::Names;
use super::read::policy::Selects;
use super::read::{Id, Model};
use crate::ocm;
use crate::ocm::model::{ManagedCluster, Model as Hub};

/// A set of clusters by number, shared where it is the same.
pub type Clusters = Arc<FixedBitSet>;

/// The clusters that one placement or rule selects: planned, and as the documents hold them.
#[derive(Debug, Clone, Default)]
pub struct Chosen {
    /// The planned clusters.
    pub planned: Clusters,
    /// The clusters in the documents; `None` where they hold no decision of it.
    pub held: Option<Clusters>,
    /// Whether it has clusters to choose from: a Placement of a namespace without sets, or with
    /// empty ones, belongs to a hub that is not among the documents.
    pub has_candidates: bool,
    /// Whether the hub leaves its decisions as they are, whatever they are.
    pub keeps: bool,
}

/// The decisions, as consumers ask for them.
#[derive(Debug, Default)]
pub struct Ground<'a> {
    /// The clusters.
    pub names: Names<'a>,
    /// The clusters of the hub.
    pub hub: FixedBitSet,
    /// The selection of each placement, by kind, namespace and name. A missing one
    /// does not exist.
    pub chosen: FxHashMap<(Selects, &'a str, &'a str), Chosen>,
    /// The decisions in the documents, by placement, also of placements that no document has.
    held: FxHashMap<(&'a str, &'a str), Clusters>,
    /// The decision of each PlacementRule, in the order of the documents.
    pub rules: Vec<rule::Decided<'a>>,
}

impl<'a> Ground<'a> {
    /// The ground of a site, `decided` being its planned placements.
    #[must_use]
    pub fn new(model: &Model<'a>, hub: &Hub<'a>, decided: Option<&ocm::Outcome<'a>>) -> Self {
        let mut ground = Self::default();
        let placements = decided.map(|outcome| &outcome.placements);
        for name in placements.into_iter().flat_map(|all| &all.names) {
            ground.names.number(name);
        }
        let clusters = hub.clusters.iter().map(|cluster| cluster.name);
        ground.hub = ground.names.set(clusters);
        let mut held: FxHashMap<(&str, &str), FixedBitSet> = FxHashMap::default();
        for decision in &hub.decisions {
            let Some(placement) = decision.placement else {
                continue;
            };
            let set = ground.names.set(decision.clusters.iter().copied());
            let held = held.entry((decision.namespace, placement));
            held.or_default().union_with(&set);
        }
        let held: FxHashMap<(&str, &str), Clusters> = held
            .into_iter()
            .map(|(key, set)| (key, Arc::new(set)))
            .collect();
        for placed in placements.into_iter().flat_map(|all| &all.placed) {
            let placement = &hub.placements[placed.placement];
            let held = held.get(&(placement.namespace, placement.name)).cloned();
            let planned = if placed.skipped.is_some() || placed.keeps() {
                held.clone().unwrap_or_default()
            } else {
                let mut set = FixedBitSet::with_capacity(ground.names.len());
                set.extend(placed.decided().map(|id| id as usize));
                Arc::new(set)
            };
            let key = (Selects::Placement, placement.namespace, placement.name);
            let has_candidates = !placed.available.is_clear();
            let chosen = Chosen {
                planned,
                held,
                has_candidates,
                keeps: placed.keeps(),
            };
            ground.chosen.insert(key, chosen);
        }
        ground.held = held;
        for name in model.clusters() {
            ground.names.number(name);
        }
        for rule in &model.rules {
            let decided = rule::decide(rule, hub, &model.hub);
            let chosen = Chosen {
                planned: Arc::new(ground.names.set(decided.clusters.iter().copied())),
                held: rule
                    .held
                    .as_ref()
                    .map(|held| Arc::new(ground.names.set(held.iter().copied()))),
                has_candidates: true,
                keeps: decided.stays(),
            };
            let key = (Selects::Rule, rule.id.namespace, rule.id.name);
            ground.chosen.insert(key, chosen);
            ground.rules.push(decided);
        }
        ground
    }

    /// The selection of a placement or rule, if it exists.
    #[must_use]
    pub fn chosen<'b>(
        &'b self,
        what: Selects,
        namespace: &'b str,
        name: &'b str,
    ) -> Option<&'b Chosen> {
        self.chosen.get(&(what, namespace, name))
    }

    /// The clusters that the documents hold for a placement, if they hold a decision of it.
    #[must_use]
    pub fn held(&self, namespace: &'a str, name: &'a str) -> Option<&Clusters> {
        self.held.get(&(namespace, name))
    }

    /// Whether there is a ManagedCluster of that name.
    #[must_use]
    pub fn has_cluster(&self, name: &str) -> bool {
        let number = self.names.find(name);
        number.is_some_and(|number| self.hub.contains(number as usize))
    }
}

/// One way by which a consumer reaches clusters.
#[derive(Debug, Clone)]
pub struct Via<'a> {
    /// The binding of policies that leads there.
    pub binding: Option<Id<'a>>,
    /// The set of policies that leads there.
    pub set: Option<&'a str>,
    /// The placement or rule: kind, namespace and name.
    pub placement: (&'static str, &'a str, &'a str),
    /// The clusters that it gives; of a restricted one those that are reached anyhow.
    pub clusters: Clusters,
    /// Whether it places nothing (`subFilter: restricted`).
    pub restricted: bool,
}

/// The fields that only one kind of consumer has.
#[derive(Debug, Clone, Default)]
pub enum Extra<'a> {
    /// Nothing more.
    #[default]
    None,
    /// A policy.
    Policy(policy::About<'a>),
    /// An ApplicationSet.
    ApplicationSet(Box<applicationset::About>),
    /// An add-on.
    AddOn(Box<addon::About<'a>>),
    /// A replica set of works.
    Works(Box<work::About<'a>>),
}

/// One consumer and the clusters that it reaches.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    /// The consumer.
    pub id: Id<'a>,
    /// The ways, in the order in which they are shown.
    pub via: Vec<Via<'a>>,
    /// The clusters that it will reach.
    pub clusters: Clusters,
    /// The clusters that it reaches by what the documents hold; `None` where they hold nothing.
    pub was: Option<Clusters>,
    /// Why it fails, if it does.
    pub error: Option<String>,
    /// More of it, by its kind.
    pub extra: Extra<'a>,
}

impl Row<'_> {
    /// The clusters that come, and those that go; where nothing is held all come.
    #[must_use]
    pub fn moved(&self) -> (FixedBitSet, FixedBitSet) {
        let Some(was) = &self.was else {
            return (FixedBitSet::clone(&self.clusters), FixedBitSet::new());
        };
        let less = |of: &FixedBitSet, other: &FixedBitSet| {
            let mut rest = of.clone();
            rest.difference_with(other);
            rest
        };
        (less(&self.clusters, was), less(was, &self.clusters))
    }

    /// Whether it reaches what it reached.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        let Some(had) = self.was.as_deref() else {
            return self.clusters.is_clear();
        };
        let both = had.intersection_count(&self.clusters);
        had.count_ones(..) == both && self.clusters.count_ones(..) == both
    }

    /// Whether it reached clusters and reaches none any more.
    #[must_use]
    pub fn is_emptied(&self) -> bool {
        let had = self.was.as_ref().is_some_and(|was| !was.is_clear());
        had && self.clusters.is_clear()
    }
}

/// The consumers, and the clusters that each reaches.
#[derive(Debug, Default)]
pub struct Deliveries<'a> {
    /// The decisions.
    pub ground: Ground<'a>,
    /// The consumers, by kind, namespace and name.
    pub rows: Vec<Row<'a>>,
    /// Placements some of whose clusters are in no page for a moment, by namespace and name.
    pub gaps: Vec<pages::Gap<'a>>,
    /// The clusters that Argo CD sees.
    pub view: applicationset::View<'a>,
    /// The result of each DRPlacementControl, in document order.
    pub controls: Vec<disaster::Answer<'a>>,
    /// The clusters that each GitOpsCluster registers, in document order.
    pub gitops: Vec<gitops::Answer>,
    /// Why Subscriptions are left as they are, in document order.
    pub subscriptions: Vec<Option<subscription::Refused>>,
}

impl Deliveries<'_> {
    /// Whether every consumer reaches what it reached.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.rows.iter().all(Row::is_unchanged)
    }
}

/// Follows what was decided to every consumer: a line for each kind.
#[must_use]
pub(super) fn follow<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    decided: Option<&ocm::Outcome<'a>>,
    ground: Ground<'a>,
) -> Deliveries<'a> {
    let mut found = Deliveries {
        rows: policy::follow(model, &ground),
        ground,
        ..Deliveries::default()
    };
    let placements = Placements::new(hub, decided);
    let ground = &found.ground;
    let mut rows = addon::follow(model, &placements, ground);
    rows.extend(work::follow(model, hub, &placements, ground));
    found.rows.extend(rows);
    if model.reads_decisions() {
        applications(model, hub, decided, &mut found);
    }
    found
        .rows
        .sort_by_key(|row| (row.id.kind, row.id.namespace, row.id.name));
    found.gaps = pages::gaps(hub, decided, &found.ground, &found.rows);
    found
}

/// The consumers that read decisions themselves.
fn applications<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    outcome: Option<&ocm::Outcome<'a>>,
    found: &mut Deliveries<'a>,
) {
    let ground = &mut found.ground;
    let (names, rules) = (&mut ground.names, &ground.rules);
    let in_cluster = names.number(IN_CLUSTER);
    for secret in &model.foreign.secrets {
        if let Cow::Borrowed(name) = secret.cluster {
            names.number(name);
        }
    }
    let held = decided::held(hub, model, names);
    let (mut planned, scheduled) = decided::planned((hub, model), outcome, &held, rules, names);
    found.controls = disaster::decide(model, hub, &held, &mut planned, names);
    let view = &mut found.view;
    view.decided = decided::Decided {
        held: Objects::new(held),
        planned: Objects::new(planned),
        scheduled,
    };
    view.managed = ground.hub.clone();
    let mut locals = hub.clusters.iter().filter(|cluster| is_local(cluster));
    let local = match (locals.next(), locals.next()) {
        (Some(local), None) => names.find(local.name),
        _ => None,
    };
    view.here = (in_cluster, local.unwrap_or(in_cluster));
    if model
        .application_sets
        .iter()
        .any(|set| set.set.reads_clusters())
    {
        let labels = |cluster: &ManagedCluster<'a>| {
            Some((names.find(cluster.name)?, cluster.labels.clone()))
        };
        view.labels = hub.clusters.iter().filter_map(labels).collect();
    }
    found.gitops = gitops::answer(model, hub, &view.decided, &view.managed);
    view.registered = gitops::registered(model, &found.gitops, names);
    let rows = &mut found.rows;
    rows.extend(disaster::follow(
        model,
        &found.controls,
        &view.decided.held,
        names,
    ));
    rows.extend(gitops::follow(model, &found.gitops, &view.decided));
    rows.extend(applicationset::follow(model, view, names));
    let (more, refused) = subscription::follow(model, hub, &view.decided, names, local);
    rows.extend(more);
    found.subscriptions = refused;
}

/// Whether a cluster is the hub itself.
pub(super) fn is_local(cluster: &ManagedCluster<'_>) -> bool {
    let mut labels = cluster.labels.iter();
    labels.any(|(key, value)| *key == "local-cluster" && value.eq_ignore_ascii_case("true"))
}
