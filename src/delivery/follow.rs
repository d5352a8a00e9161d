//! From decisions to what reaches which cluster.

use std::borrow::Cow;

use super::application_set::argo::hub::{IN_CLUSTER, Objects};
use super::ground::Ground;
use super::groups::Placements;
use super::model::Model;
use super::row::Row;
use super::{
    addon, application_set, decided, disaster_recovery, gitops, pages, policy, subscription, work,
};
use crate::ocm;
use crate::ocm::model::{ManagedCluster, Model as Hub};

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
    pub view: application_set::follow::View<'a>,
    /// The result of each DRPlacementControl, in document order.
    pub controls: Vec<disaster_recovery::follow::Answer<'a>>,
    /// The clusters that each GitOpsCluster registers, in document order.
    pub gitops: Vec<gitops::follow::Answer>,
    /// Why Subscriptions are left as they are, in document order.
    pub subscriptions: Vec<Option<subscription::follow::Refused>>,
}

impl Deliveries<'_> {
    /// Whether every consumer reaches what it reached.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.rows.iter().all(Row::is_unchanged)
    }
}

/// Computes the clusters of every consumer.
#[must_use]
pub(super) fn follow<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    decided: Option<&ocm::Outcome<'a>>,
    ground: Ground<'a>,
) -> Deliveries<'a> {
    let mut found = Deliveries {
        rows: policy::follow::follow(model, &ground),
        ground,
        ..Deliveries::default()
    };
    let placements = Placements::new(hub, decided);
    let ground = &found.ground;
    let mut rows = addon::follow::follow(model, &placements, ground);
    rows.extend(work::follow::follow(model, hub, &placements, ground));
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
    found.controls = disaster_recovery::follow::decide(model, hub, &held, &mut planned, names);
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
    found.gitops = gitops::follow::answer(model, hub, &view.decided, &view.managed);
    view.registered = gitops::follow::registered(model, &found.gitops, names);
    let rows = &mut found.rows;
    rows.extend(disaster_recovery::follow::follow(
        model,
        &found.controls,
        &view.decided.held,
        names,
    ));
    rows.extend(gitops::follow::follow(model, &found.gitops, &view.decided));
    rows.extend(application_set::follow::follow(model, view, names));
    let (more, refused) = subscription::follow::follow(model, hub, &view.decided, names, local);
    rows.extend(more);
    found.subscriptions = refused;
}

/// Whether a cluster is the hub itself.
pub(super) fn is_local(cluster: &ManagedCluster<'_>) -> bool {
    let mut labels = cluster.labels.iter();
    labels.any(|(key, value)| *key == "local-cluster" && value.eq_ignore_ascii_case("true"))
}
