//! Why something reaches a cluster or not: every link from a consumer down to its placements.

mod applications;
mod hub;
mod policy;
mod rule;

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::follow::policy::Bound;
use super::follow::{Deliveries, Extra, Row, Via};
use super::read::policy::Policy;
use super::read::{Id, Model};
use crate::document::System;
use crate::kit::named::Name;
use crate::kit::plural::plural;
use crate::ocm::model::Model as Hub;
use crate::why::{Candidate, DecidedBy, Verdict, Why};

/// A site whose deliveries are explained.
pub struct Study<'q, 'a> {
    /// The consumers.
    pub model: &'q Model<'a>,
    /// The placements and clusters.
    pub hub: &'q Hub<'a>,
    /// The clusters of the consumers.
    pub deliveries: &'q Deliveries<'a>,
    /// The reasons of a Placement for one cluster.
    pub placement: &'q dyn Fn(&str, &str) -> Option<Why>,
}

/// How a consumer is named: `KIND/NAMESPACE/NAME`, or `KIND/NAME` where it has no namespace.
#[must_use]
pub fn subject(id: &Id<'_>) -> String {
    format!("{}/{}", id.kind, id.full_name())
}

/// Every consumer that can be asked about.
fn all<'q, 'a>(model: &'q Model<'a>, hub: &'q Hub<'a>) -> impl Iterator<Item = Id<'a>> + 'q {
    let works = hub.replica_sets.iter().map(|set| Id {
        kind: "ManifestWorkReplicaSet",
        namespace: set.namespace,
        name: set.name,
        place: set.place,
    });
    let ids = model.policies.iter().map(|one| one.id);
    ids.chain(model.application_sets.iter().map(|one| one.id))
        .chain(model.gitops.iter().map(|one| one.id))
        .chain(model.subscriptions.iter().map(|one| one.id))
        .chain(model.controls.iter().map(|one| one.id))
        .chain(model.addons.iter().map(|one| one.id))
        .chain(works)
}

/// Whether there is a consumer of that kind and name.
#[must_use]
pub fn is_known(model: &Model<'_>, hub: &Hub<'_>, written: &str) -> bool {
    let named = written.split_once('/');
    named.is_some_and(|(kind, rest)| {
        all(model, hub).any(|id| is_kind(&id, kind) && id.full_name().to_string() == rest)
    })
}

/// The consumers that are called so without their kind or their namespace.
#[must_use]
pub fn called(model: &Model<'_>, hub: &Hub<'_>, written: &str) -> Vec<String> {
    let is_called = |id: &Id<'_>| {
        let of_kind = written
            .split_once('/')
            .filter(|(kind, _)| is_kind(id, kind));
        let rest = of_kind.map_or(written, |(_, rest)| rest);
        rest == id.name || rest == id.full_name().to_string()
    };
    let ids = all(model, hub).filter(is_called);
    ids.map(|id| subject(&id)).collect()
}

pub(super) fn is_kind(id: &Id<'_>, written: &str) -> bool {
    id.kind.eq_ignore_ascii_case(written)
}

/// The facts that are worked out once for all clusters.
enum Shared<'q, 'a> {
    Policy(&'q Policy<'a>, Bound<'q, 'a>),
    /// The names of the Applications on each cluster.
    Applications(BTreeMap<u32, Vec<String>>),
    Nothing,
}

impl<'q, 'a> Study<'q, 'a> {
    /// Every reason for and against each cluster; nothing if there is no such consumer. With one
    /// cluster asked about, what its placements say of it as well.
    #[must_use]
    pub fn why(&self, written: &str, asked: Option<&str>) -> Option<Why> {
        let (kind, rest) = written.split_once('/')?;
        let mut rows = self.deliveries.rows.iter();
        let row =
            rows.find(|row| is_kind(&row.id, kind) && row.id.full_name().to_string() == rest)?;
        let names = &self.deliveries.ground.names;
        let mut all = self.deliveries.ground.hub.clone();
        all.union_with(&row.clusters);
        all.union_with(row.was.as_deref().unwrap_or(&FixedBitSet::new()));
        for via in &row.via {
            all.union_with(&via.clusters);
        }
        let last = |text: &str| text.rsplit('/').next().map(str::to_owned);
        let wanted = asked.and_then(last);
        let mut numbers: Vec<usize> = all.ones().collect();
        if let Some(wanted) = wanted.and_then(|name| names.find(&name)) {
            numbers.retain(|at| *at == wanted as usize);
        }
        let known = self.known(row);
        let mut candidates: Vec<Candidate> = numbers
            .iter()
            .filter_map(|at| u32::try_from(*at).ok())
            .map(|number| self.candidate(row, &known, number, asked.is_some()))
            .collect();
        candidates.sort_by(|a, b| a.name.cmp(&b.name));
        let count = row.clusters.count_ones(..);
        let reason = match &row.error {
            Some(error) => error.clone(),
            None => format!("reaches {}", plural(count, "cluster")),
        };
        Some(Why {
            steps: self.steps(row),
            candidates,
            decided_by: Some(DecidedBy {
                stage: "delivery".to_owned(),
                reason,
            }),
            placed: count > 0,
            ..Why::new(System::Ocm, subject(&row.id))
        })
    }

    fn known(&self, row: &Row<'a>) -> Shared<'q, 'a> {
        match &row.extra {
            Extra::Policy(about) => {
                Shared::Policy(&self.model.policies[about.policy], Bound::new(self.model))
            }
            Extra::ApplicationSet(about) => {
                let set = &self.model.application_sets[about.set];
                let (view, names) = (&self.deliveries.view, &self.deliveries.ground.names);
                let mut all: BTreeMap<u32, Vec<String>> = BTreeMap::new();
                for one in view.applications(set, self.model, names, false) {
                    if let Some(cluster) = one.cluster {
                        let name = one.name.unwrap_or_else(|| "an unknown name".to_owned());
                        all.entry(cluster).or_default().push(name);
                    }
                }
                Shared::Applications(all)
            }
            _ => Shared::Nothing,
        }
    }

    /// The clusters that each way gives, and what changes.
    fn steps(&self, row: &Row<'a>) -> Vec<String> {
        let names = &self.deliveries.ground.names;
        let mut steps: Vec<String> = row
            .via
            .iter()
            .map(|via| {
                let clusters = plural(via.clusters.count_ones(..), "cluster");
                let only = if via.restricted { " (restricted)" } else { "" };
                format!("{}{only}: {clusters}", way(via))
            })
            .collect();
        let Some(was) = &row.was else {
            return steps;
        };
        let (added, removed) = row.moved();
        let mut step = format!("before: {}", plural(was.count_ones(..), "cluster"));
        for (word, set) in [("added", &added), ("removed", &removed)] {
            if !set.is_clear() {
                step = format!("{step}; {word}: {}", names.of(set).join(", "));
            }
        }
        steps.push(step);
        steps
    }

    fn candidate(
        &self,
        row: &Row<'a>,
        known: &Shared<'q, 'a>,
        number: u32,
        deep: bool,
    ) -> Candidate {
        let name = self.deliveries.ground.names.name(number);
        let chosen = row.clusters.contains(number as usize);
        let mut verdicts = self.links(row, known, number, chosen);
        if deep {
            for (namespace, placement) in self.deciding(row, number, chosen) {
                verdicts.extend(self.of_placement(namespace, placement, name));
            }
            verdicts.extend(self.of_rules(row, number, chosen));
        }
        Candidate::new(name, chosen, verdicts)
    }

    /// The verdicts of a Placement itself on a cluster.
    fn of_placement(&self, namespace: &str, placement: &str, cluster: &str) -> Vec<Verdict> {
        let subject = Name::new(namespace, placement).to_string();
        let why = (self.placement)(&subject, cluster);
        let candidates = why.into_iter().flat_map(|why| why.candidates);
        let own = candidates.filter(|one| one.name == cluster);
        own.flat_map(|one| one.verdicts)
            .map(|verdict| Verdict {
                stage: format!("Placement {subject}, {}", verdict.stage),
                ..verdict
            })
            .collect()
    }

    fn links(
        &self,
        row: &Row<'a>,
        known: &Shared<'q, 'a>,
        number: u32,
        chosen: bool,
    ) -> Vec<Verdict> {
        match (&row.extra, known) {
            (_, Shared::Policy(policy, bound)) => self.policy(policy, bound, row, number, chosen),
            (Extra::ApplicationSet(about), Shared::Applications(applications)) => {
                let made = applications.get(&number).map_or(&[][..], Vec::as_slice);
                self.application_set(about, row, number, made)
            }
            (Extra::AddOn(about), _) => self.addon(about, row, number, chosen),
            (Extra::Works(about), _) => self.works(about, row, number, chosen),
            _ => self.reader(row, number, chosen),
        }
    }

    /// The Placements whose own answers are told: those that give what is asked about, each once,
    /// and those of what would register the cluster.
    fn deciding(&self, row: &Row<'a>, number: u32, chosen: bool) -> Vec<(&'a str, &'a str)> {
        let ways = row.via.iter();
        let ways = ways.filter(|via| !via.restricted && via.placement.0 == "Placement");
        let ways = ways.filter(|via| via.clusters.contains(number as usize) == chosen);
        let ways = ways.map(|via| (via.placement.1, via.placement.2));
        let mut all: Vec<(&str, &str)> = Vec::new();
        for one in ways.chain(self.registering(row, number)) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }

    /// One verdict for each placement that is read: one that gives the cluster is enough.
    fn ways(&self, row: &Row<'a>, number: u32, given: bool) -> Vec<Verdict> {
        let verdict = |via: &Via<'a>| {
            let gives = via.clusters.contains(number as usize);
            let reason = match (gives, self.object(row, via, number)) {
                (true, Some(object)) => {
                    format!("selects the cluster: PlacementDecision {object} has it")
                }
                (true, None) => "selects the cluster".to_owned(),
                (false, _) => "does not select the cluster".to_owned(),
            };
            let mut verdict = Verdict::new(way(via), gives, reason);
            verdict.idle = !gives && given;
            verdict
        };
        row.via.iter().map(verdict).collect()
    }

    /// The PlacementDecision by which a reader of decisions comes to a cluster.
    fn object(&self, row: &Row<'a>, via: &Via<'a>, number: u32) -> Option<String> {
        let reads = ["ApplicationSet", "GitOpsCluster", "Subscription"];
        let (kind, namespace, name) = via.placement;
        if !reads.contains(&row.id.kind) {
            return None;
        }
        let objects = &self.deliveries.view.decided.planned;
        let own = match kind {
            "Placement" => objects.of_placement(namespace, name),
            "PlacementRule" => objects.of_rule(namespace, name),
            _ => return None,
        };
        let mut own = own.iter().map(|at| objects.get(*at));
        let holds = own.find(|object| object.clusters().any(|one| one == number))?;
        Some(holds.name.to_string())
    }
}

/// A way in words.
fn way(via: &Via<'_>) -> String {
    let (kind, namespace, name) = via.placement;
    let placement = format!("{kind} {}", Name::new(namespace, name));
    match (&via.binding, via.set) {
        (Some(binding), Some(set)) => {
            format!("binding {}, set {set}, {placement}", binding.name)
        }
        (Some(binding), None) => format!("binding {}, {placement}", binding.name),
        _ => placement,
    }
}
