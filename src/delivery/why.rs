//! Why something reaches a cluster or not: every link from a consumer down to its placements.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::argo::destination::Dropped;
use super::follow::addon::About as AddOn;
use super::follow::applicationset::About as ApplicationSet;
use super::follow::policy::{Bound, Path};
use super::follow::work::About as Works;
use super::follow::{Deliveries, Extra, Row, Via};
use super::read::policy::Policy;
use super::read::{Id, Model};
use crate::diagnostic::Label;
use crate::document::System;
use crate::kit::plural::plural;
use crate::ocm::model::Model as Hub;
use crate::why::{Candidate, DecidedBy, Verdict, Why};

/// A site whose deliveries are asked about.
pub struct Study<'q, 'a> {
    /// The consumers.
    pub model: &'q Model<'a>,
    /// The placements and clusters.
    pub hub: &'q Hub<'a>,
    /// What the consumers reach.
    pub deliveries: &'q Deliveries<'a>,
    /// The reasons of a Placement for one cluster.
    pub placement: &'q dyn Fn(&str, &str) -> Option<Why>,
}

/// How a consumer is asked for: `KIND/NAMESPACE/NAME`, or `KIND/NAME` where it has no namespace.
#[must_use]
pub fn subject(id: &Id<'_>) -> String {
    format!("{}/{}", id.kind, full_name(id))
}

fn full_name(id: &Id<'_>) -> String {
    match id.namespace {
        "" => id.name.to_owned(),
        namespace => format!("{namespace}/{}", id.name),
    }
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
        all(model, hub).any(|id| is_kind(&id, kind) && full_name(&id) == rest)
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
        rest == id.name || rest == full_name(id)
    };
    let ids = all(model, hub).filter(is_called);
    ids.map(|id| subject(&id)).collect()
}

fn is_kind(id: &Id<'_>, written: &str) -> bool {
    id.kind.eq_ignore_ascii_case(written)
}

/// What is worked out once for all clusters.
enum Known<'q, 'a> {
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
        let row = rows.find(|row| is_kind(&row.id, kind) && full_name(&row.id) == rest)?;
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

    fn known(&self, row: &Row<'a>) -> Known<'q, 'a> {
        match &row.extra {
            Extra::Policy(about) => {
                Known::Policy(&self.model.policies[about.policy], Bound::new(self.model))
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
                Known::Applications(all)
            }
            _ => Known::Nothing,
        }
    }

    /// What each way gives, and what changes.
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
        known: &Known<'q, 'a>,
        number: u32,
        deep: bool,
    ) -> Candidate {
        let name = self.deliveries.ground.names.name(number);
        let chosen = row.clusters.contains(number as usize);
        let mut verdicts = self.links(row, known, number, chosen);
        let mut links = verdicts.iter();
        let whole = links.all(|link| link.passes || is_way(&link.stage));
        let open: Vec<&Via<'a>> = row
            .via
            .iter()
            .filter(|via| !via.restricted && via.placement.0 == "Placement")
            .filter(|via| via.clusters.contains(number as usize) == chosen)
            .collect();
        if deep {
            let mut told: Vec<(&str, &str)> = Vec::new();
            for via in &open {
                let (_, namespace, placement) = via.placement;
                if told.contains(&(namespace, placement)) {
                    continue;
                }
                told.push((namespace, placement));
                verdicts.extend(self.of_placement(namespace, placement, name));
            }
        }
        let mut candidate = Candidate::new(name, chosen, verdicts);
        if !chosen && whole {
            candidate.follows = self.waits_for(row, known, &open, number);
        }
        candidate
    }

    /// What a Placement itself says of a cluster.
    fn of_placement(&self, namespace: &str, placement: &str, cluster: &str) -> Vec<Verdict> {
        let subject = format!("{namespace}/{placement}");
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

    /// The Placement that alone keeps a cluster out.
    fn waits_for(
        &self,
        row: &Row<'a>,
        known: &Known<'q, 'a>,
        open: &[&Via<'a>],
        number: u32,
    ) -> Option<String> {
        let cluster = self.deliveries.ground.names.name(number);
        let excluded = |via: &Via<'a>| match known {
            Known::Policy(policy, bound) => bound
                .paths(policy)
                .iter()
                .any(|path| is_same(via, path) && excludes(path, policy.id.name, cluster)),
            _ => false,
        };
        let exists = |via: &&&Via<'a>| {
            let (_, namespace, name) = via.placement;
            let mut all = self.hub.placements.iter();
            all.any(|one| (one.namespace, one.name) == (namespace, name))
        };
        if row.error.is_some() {
            return None;
        }
        let mut open = open.iter().filter(exists);
        let via = open.find(|via| !excluded(via) && self.would_register(row, via, number))?;
        Some(format!("{}/{}", via.placement.1, via.placement.2))
    }

    /// Whether Argo CD knows a cluster as soon as the Placement of a way selects it.
    fn would_register(&self, row: &Row<'a>, via: &Via<'a>, number: u32) -> bool {
        if !matches!(row.extra, Extra::ApplicationSet(_)) {
            return true;
        }
        let (_, namespace, name) = via.placement;
        let mut gitops = self.model.gitops.iter();
        let registers = gitops.any(|one| {
            one.argo.text == row.id.namespace
                && (one.id.namespace, one.placement.name.text) == (namespace, name)
        });
        registers || self.registration(row.id.namespace, number).passes
    }

    fn links(
        &self,
        row: &Row<'a>,
        known: &Known<'q, 'a>,
        number: u32,
        chosen: bool,
    ) -> Vec<Verdict> {
        match (&row.extra, known) {
            (_, Known::Policy(policy, bound)) => self.policy(policy, bound, row, number, chosen),
            (Extra::ApplicationSet(about), Known::Applications(applications)) => {
                let made = applications.get(&number).map_or(&[][..], Vec::as_slice);
                self.application_set(about, row, number, made)
            }
            (Extra::AddOn(about), _) => self.addon(about, row, number, chosen),
            (Extra::Works(about), _) => self.works(about, row, number, chosen),
            _ => {
                let mut verdicts: Vec<Verdict> = Vec::new();
                if let Some(error) = &row.error {
                    verdicts.push(Verdict::new("reference", false, error).at(row.id.place, ""));
                }
                verdicts.extend(self.ways(row, number, chosen));
                if verdicts.is_empty() {
                    let reason = match chosen {
                        true => "selected by the document itself",
                        false => "not selected by the document itself",
                    };
                    verdicts.push(Verdict::new("selector", chosen, reason).at(row.id.place, ""));
                }
                verdicts
            }
        }
    }

    /// One verdict for each placement that is read: one that gives the cluster is enough.
    fn ways(&self, row: &Row<'a>, number: u32, given: bool) -> Vec<Verdict> {
        let verdict = |via: &Via<'a>| {
            let gives = via.clusters.contains(number as usize);
            let selects = if gives { "selects" } else { "does not select" };
            let mut verdict = Verdict::new(way(via), gives, format!("{selects} the cluster"));
            verdict.idle = !gives && given;
            verdict
        };
        row.via.iter().map(verdict).collect()
    }

    fn policy(
        &self,
        policy: &Policy<'a>,
        bound: &Bound<'q, 'a>,
        row: &Row<'a>,
        number: u32,
        chosen: bool,
    ) -> Vec<Verdict> {
        let cluster = self.deliveries.ground.names.name(number);
        if let Some(error) = &row.error {
            return vec![Verdict::new("policy", false, error).at(policy.id.place, "")];
        }
        let mut verdicts = Vec::new();
        if policy.disabled {
            verdicts.push(Verdict::new("policy", false, "is disabled").at(policy.id.place, ""));
        }
        let paths = bound.paths(policy);
        if paths.is_empty() {
            let reason = "no PlacementBinding names it or a PolicySet that lists it";
            verdicts.push(Verdict::new("binding", false, reason).at(policy.id.place, ""));
        }
        for path in paths {
            let binding = path.binding;
            let what = binding.placement.kind();
            let placement = format!(
                "{what} {}/{}",
                binding.id.namespace, binding.placement_name.text
            );
            let place = binding.placement_name.place;
            let mut verdict = match path.chosen(&self.deliveries.ground) {
                None => Verdict::new(stage(path), false, format!("there is no {placement}")),
                Some(selected) if !selected.planned.contains(number as usize) => {
                    let reason = format!("{placement} does not select the cluster");
                    Verdict::new(stage(path), false, reason)
                }
                Some(_) if excludes(path, policy.id.name, cluster) => {
                    let exclusion = path.exclusion(policy.id.name);
                    let reason = match exclusion.map_or("", |exclusion| exclusion.reason) {
                        "" => "the set excludes the cluster".to_owned(),
                        reason => format!("the set excludes the cluster: {reason}"),
                    };
                    let written = exclusion.into_iter().flat_map(|one| &one.clusters);
                    let mut written = written.filter(|one| one.text == cluster);
                    let verdict = Verdict::new(stage(path), false, reason);
                    match written.next() {
                        Some(written) => verdict.at(written.place, "excluded here"),
                        None => verdict,
                    }
                }
                Some(_) if binding.restricted.is_some() => {
                    let reason = "places nothing (`subFilter: restricted`)";
                    Verdict::new(stage(path), false, reason)
                }
                Some(_) => Verdict::new(
                    stage(path),
                    true,
                    format!("{placement} selects the cluster"),
                ),
            };
            if verdict.at.is_empty() {
                verdict = verdict.at(place, "");
            }
            verdict.idle = !verdict.passes && (chosen || binding.restricted.is_some());
            verdicts.push(verdict);
        }
        verdicts
    }

    fn application_set(
        &self,
        about: &ApplicationSet,
        row: &Row<'a>,
        number: u32,
        made: &[String],
    ) -> Vec<Verdict> {
        if let Some(failure) = &about.failure {
            let verdict = Verdict::new("generators", false, &failure.message);
            return vec![verdict.at(failure.place, "")];
        }
        let given = row
            .via
            .iter()
            .any(|via| via.clusters.contains(number as usize));
        let mut verdicts = self.ways(row, number, given || !made.is_empty());
        if given {
            verdicts.push(self.registration(row.id.namespace, number));
        }
        if let [first, more @ ..] = made {
            let more = match more.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let reason = format!("Application `{first}`{more} goes there");
            verdicts.push(Verdict::new("application", true, reason));
        } else if let Some(left) = about.left.iter().find(|left| left.own == Some(number)) {
            let reason = match &left.why {
                Dropped::Name(name) => format!("`{name}` is not a valid name"),
                Dropped::Twice(name) => {
                    format!("several clusters give Application `{name}`: none is created")
                }
                _ => "Argo CD refuses the destination".to_owned(),
            };
            verdicts.push(Verdict::new("application", false, reason).at(left.place, ""));
        } else if verdicts.iter().all(|verdict| verdict.passes) {
            verdicts.push(Verdict::new(
                "application",
                false,
                "no Application goes there",
            ));
        }
        verdicts
    }

    /// Whether the Argo CD of a namespace knows a cluster.
    fn registration(&self, namespace: &str, number: u32) -> Verdict {
        let view = &self.deliveries.view;
        let known = view.registered.get(namespace).map(|both| &both[0]);
        let Some(known) = known.filter(|known| known.known) else {
            let reason = "no GitOpsCluster fills this Argo CD: every cluster counts as registered";
            return Verdict::new("registration", true, reason);
        };
        if number == view.here.0 || known.clusters.contains(number as usize) {
            return Verdict::new("registration", true, "Argo CD knows the cluster");
        }
        let verdict = Verdict::new("registration", false, "Argo CD does not know the cluster");
        let mut gitops = self.model.gitops.iter();
        match gitops.find(|one| one.argo.text == namespace) {
            Some(one) => verdict.at(one.id.place, "does not register it"),
            None => verdict,
        }
    }

    fn addon(&self, about: &AddOn<'a>, row: &Row<'a>, number: u32, chosen: bool) -> Vec<Verdict> {
        let addon = &self.model.addons[about.addon];
        let cluster = self.deliveries.ground.names.name(number);
        let mut verdicts = Vec::new();
        if let Some(place) = addon.own {
            let reason = "installs itself: its ManagedClusterAddOns say where it is";
            verdicts.push(Verdict::new("lifecycle", chosen, reason).at(place, ""));
        } else if !addon.follows {
            let reason = "`Manual`: its ManagedClusterAddOns say where it is";
            verdicts.push(Verdict::new("install strategy", chosen, reason).at(addon.id.place, ""));
        }
        let mut ways = self.ways(row, number, chosen);
        for (install, verdict) in addon.installs.iter().zip(&mut ways) {
            verdict.at.push(Label {
                place: install.name.place,
                text: String::new(),
            });
        }
        for at in &about.missing {
            if let Some(verdict) = ways.get_mut(*at) {
                "the Placement does not exist".clone_into(&mut verdict.reason);
            }
        }
        let given = ways.iter().any(|way| way.passes);
        verdicts.append(&mut ways);
        if given && !chosen {
            let reason = "there is no ManagedCluster of that name";
            verdicts.push(Verdict::new("cluster", false, reason));
        }
        if chosen && addon.own.is_none() {
            let configs = about.configs.iter().find(|(name, _)| *name == cluster);
            let configs = configs.map_or(&[][..], |(_, configs)| configs.as_slice());
            let names: Vec<String> = configs
                .iter()
                .map(|one| match one.namespace {
                    "" => format!("{} {}", one.resource, one.name),
                    namespace => format!("{} {namespace}/{}", one.resource, one.name),
                })
                .collect();
            let reason = match (row.error.is_some(), names.is_empty()) {
                (true, _) => "no configuration goes out while a placement is at fault".to_owned(),
                (_, true) => "none".to_owned(),
                _ => names.join(", "),
            };
            let mut verdict = Verdict::new("configuration", row.error.is_none(), reason);
            verdict.idle = row.error.is_some();
            for config in configs {
                verdict = verdict.at(config.place, "");
            }
            verdicts.push(verdict);
        }
        verdicts
    }

    fn works(&self, about: &Works<'a>, row: &Row<'a>, number: u32, chosen: bool) -> Vec<Verdict> {
        if about.bad_name {
            let reason = "namespace and name are not a label value: nothing is delivered";
            return vec![Verdict::new("name", false, reason).at(row.id.place, "")];
        }
        let set = &self.hub.replica_sets[about.set];
        let mut ways = self.ways(row, number, chosen);
        for (at, (reference, verdict)) in set.placements.iter().zip(&mut ways).enumerate() {
            if about.missing == Some(at) {
                "the Placement does not exist: nothing from here on is delivered"
                    .clone_into(&mut verdict.reason);
            }
            verdict.at.push(Label {
                place: reference.name.place,
                text: String::new(),
            });
        }
        if chosen {
            let removal = match about.orphan {
                true => "stays on the cluster when its work goes (Orphan)",
                false => "is deleted on the cluster when its work goes",
            };
            ways.push(Verdict::new("removal", true, removal));
        }
        ways
    }
}

/// Whether a stage is a way to clusters: another way may give what it does not.
fn is_way(stage: &str) -> bool {
    stage.starts_with("Placement") || stage.starts_with("binding")
}

/// A way in words.
fn way(via: &Via<'_>) -> String {
    let (kind, namespace, name) = via.placement;
    let placement = match namespace {
        "" => format!("{kind} {name}"),
        namespace => format!("{kind} {namespace}/{name}"),
    };
    match (&via.binding, via.set) {
        (Some(binding), Some(set)) => {
            format!("binding {}, set {set}, {placement}", binding.name)
        }
        (Some(binding), None) => format!("binding {}, {placement}", binding.name),
        _ => placement,
    }
}

fn stage(path: &Path<'_, '_>) -> String {
    match path.set {
        Some(set) => format!("binding {}, set {}", path.binding.id.name, set.id.name),
        None => format!("binding {}", path.binding.id.name),
    }
}

fn is_same(via: &Via<'_>, path: &Path<'_, '_>) -> bool {
    let binding = via.binding.as_ref().map(|binding| binding.name);
    binding == Some(path.binding.id.name) && via.set == path.set.map(|set| set.id.name)
}

fn excludes(path: &Path<'_, '_>, policy: &str, cluster: &str) -> bool {
    let exclusion = path.exclusion(policy).into_iter();
    let mut clusters = exclusion.flat_map(|exclusion| &exclusion.clusters);
    clusters.any(|one| one.text == cluster)
}
