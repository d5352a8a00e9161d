//! The differences between two plans, recorded as the effects of a loss.

use std::collections::{BTreeMap, BTreeSet};

use crate::airship::engine::loss as airship;
use crate::airship::engine::run::{DeploymentRun, DeploymentVerdict};
use crate::airship::node_declared;
use crate::diff::{Decisions, Subject, decisions};
use crate::document::{Document, DocumentKind, System};
use crate::hybrid;
use crate::hybrid::engine::State;
use crate::kit::named::Name;
use crate::plan::{Answer, Plan, Section, again};
use crate::systems;

use super::class::Class;
use super::loss::{Harm, Loss, MovedApplication, PlacementLost, RuleLost, Volume};
use super::senlin;
use super::today::Today;

/// Volumes out of bounds and why, by kind and name.
fn volumes_of(plan: &Plan<'_, '_>) -> BTreeMap<Volume, &'static str> {
    let items = plan.applications.iter().flat_map(|outcome| &outcome.items);
    let mut all = BTreeMap::new();
    for item in items {
        for volume in &item.out_of_bounds {
            let key = Volume {
                cluster: volume.cluster.to_owned(),
                kind: volume.kind.to_owned(),
                name: volume.name.to_owned(),
                application: item.full_name().to_string(),
            };
            all.insert(key, volume.removed_by.word());
        }
    }
    all
}

/// The systems that a loss moves something of.
#[must_use]
pub fn hurt(loss: &Loss) -> Vec<System> {
    let moved = [
        (
            System::Ogc,
            !loss.applications.is_empty() || !loss.volumes.is_empty(),
        ),
        (System::Ocm, !loss.placements.is_empty()),
        (System::Hybrid, !loss.rules.is_empty()),
    ];
    let moved = moved.into_iter().filter(|(_, moved)| *moved);
    moved.map(|(system, _)| system).collect()
}

/// The subjects that a loss leaves unplaced; if there are none, those whose volumes it leaves
/// behind.
#[must_use]
pub fn harms(loss: &Loss) -> BTreeSet<Harm> {
    let harm = |system, subject| Harm {
        system,
        subject,
        place: None,
    };
    let mut harms = BTreeSet::new();
    let lost = |one: &&PlacementLost| one.is_unplaced();
    // Consumers that reach no cluster although each placement is satisfied are helped by one more
    // cluster.
    let undelivered =
        !loss.deliveries.unreached.is_empty() && !loss.placements.iter().any(|one| lost(&one));
    for one in loss.applications.iter().filter(|one| one.to.is_none()) {
        let name = Name::new(&one.package, &one.application).to_string();
        harms.insert(harm(System::Ogc, name));
    }
    for one in &loss.placements {
        if lost(&one) || (undelivered && !one.removed.is_empty()) {
            let name = Name::new(&one.namespace, &one.name).to_string();
            harms.insert(harm(System::Ocm, name));
        }
    }
    for one in loss.rules.iter().filter(|one| one.is_unplaced()) {
        let namespace = one.namespace.as_deref().unwrap_or_default();
        let name = Name::new(namespace, &one.name).to_string();
        harms.insert(harm(System::Hybrid, name));
    }
    for one in loss.regions.iter().filter(|one| one.failed) {
        harms.insert(harm(System::Senlin, one.path.clone()));
    }
    for volume in loss.volumes.iter().filter(|_| loss.class == Class::Volumes) {
        harms.insert(Harm {
            place: Some(volume.cluster.clone()),
            ..harm(System::Ogc, volume.application.clone())
        });
    }
    harms
}

/// The subjects without a place before any loss, system by system.
#[must_use]
pub fn today(plan: &Plan<'_, '_>) -> Vec<Today> {
    let mut all = Vec::new();
    let mut add = |system: System, subjects: Vec<String>| {
        if !subjects.is_empty() {
            let system = system.name().into();
            all.push(Today { system, subjects });
        }
    };
    if let Some(strategy) = &plan.strategy {
        let losses = again::losses_of_groups(strategy);
        let groups = strategy.site.groups.iter().zip(&losses.base().succeeded);
        let failed = groups.filter(|(_, succeeded)| !**succeeded);
        let failed = failed.map(|(group, _)| group.name.text.to_owned());
        add(System::Airship, failed.collect());
    }
    let failed: Vec<(System, String)> = systems::failed(plan).collect();
    for of_system in failed.chunk_by(|one, other| one.0 == other.0) {
        let subjects = of_system.iter().map(|(_, subject)| subject.clone());
        add(of_system[0].0, subjects.collect());
    }
    all
}

/// Records what two plans decide differently, and what fails where the lost nodes fail.
pub(super) fn compare(
    before: &Plan<'_, '_>,
    base: Option<&DeploymentRun>,
    after: &Plan<'_, '_>,
    lost: &BTreeSet<u32>,
    systems: &[System],
    loss: &mut Loss,
) {
    let (old, new) = (decisions(before), decisions(after));
    for system in systems {
        match system {
            System::Ogc => {
                applications(&old, &new, loss);
                volumes(before, after, loss);
            }
            System::Ocm => {
                placements(before, after, &old, &new, loss);
                loss.deliveries = super::deliveries::compare(before, after);
            }
            System::Hybrid => rules(before, after, &old, &new, loss),
            System::Senlin => senlin::compare(before, after, loss),
            System::Airship => groups(before, base, lost, loss),
        }
    }
}

fn volumes(before: &Plan<'_, '_>, after: &Plan<'_, '_>, loss: &mut Loss) {
    let known = volumes_of(before);
    for (volume, why) in volumes_of(after) {
        let had = known.get(&volume);
        if had.is_none() || why == "gone" && had != Some(&why) {
            loss.volumes.push(volume);
        }
    }
}

fn applications(old: &Decisions, new: &Decisions, loss: &mut Loss) {
    for (subject, answer) in old {
        let (Answer::Cluster(from), Some(Answer::Cluster(to))) = (answer, new.get(subject)) else {
            continue;
        };
        if from == to {
            continue;
        }
        let (package, application) = subject.name.split_once('/').unwrap_or(("", &subject.name));
        loss.applications.push(MovedApplication {
            package: package.to_owned(),
            application: application.to_owned(),
            from: from.as_deref().map(str::to_owned),
            to: to.as_deref().map(str::to_owned),
        });
    }
}

fn placements(
    before: &Plan<'_, '_>,
    after: &Plan<'_, '_>,
    old: &Decisions,
    new: &Decisions,
    loss: &mut Loss,
) {
    let satisfied = |plan: &Plan<'_, '_>| -> BTreeMap<(String, String), bool> {
        let placed = plan
            .placements
            .iter()
            .flat_map(|outcome| &outcome.placements.placed);
        placed
            .map(|placed| {
                let placement = &plan.site.ocm.placements[placed.placement];
                let key = (placement.namespace.to_owned(), placement.name.to_owned());
                (key, placed.is_satisfied())
            })
            .collect()
    };
    let was = satisfied(before);
    for ((namespace, name), now) in satisfied(after) {
        let subject = Subject::new(
            Section::Placements,
            Name::new(&namespace, &name).to_string(),
        );
        let names = |all: &Decisions| match all.get(&subject) {
            Some(answer) => answer.names().iter().map(ToString::to_string).collect(),
            None => Vec::new(),
        };
        let was = was
            .get(&(namespace.clone(), name.clone()))
            .copied()
            .unwrap_or_default();
        loss.placements.extend(PlacementLost::between(
            (&namespace, &name),
            (&names(old), was),
            (&names(new), now),
        ));
    }
}

fn rules(
    before: &Plan<'_, '_>,
    after: &Plan<'_, '_>,
    old: &Decisions,
    new: &Decisions,
    loss: &mut Loss,
) {
    let states = |plan: &Plan<'_, '_>| -> BTreeMap<String, State> {
        let ended = plan
            .placement_rules
            .iter()
            .flat_map(|outcome| &outcome.ended);
        let names = plan.site.hybrid.placement_rules.iter().map(hybrid::subject);
        names.zip(ended.map(|rule| rule.state)).collect()
    };
    let (was, now) = (states(before), states(after));
    for rule in &after.site.hybrid.placement_rules {
        let name = hybrid::subject(rule);
        let (Some(state), Some(was_state)) = (now.get(&name), was.get(&name)) else {
            continue;
        };
        let subject = Subject::new(Section::Rules, name);
        let names = |all: &Decisions| match all.get(&subject) {
            Some(answer) => answer.names().iter().map(ToString::to_string).collect(),
            None => Vec::new(),
        };
        loss.rules.extend(RuleLost::between(
            (rule.namespace, rule.name),
            (&names(old), *was_state),
            (&names(new), *state),
        ));
    }
}

/// The names of the groups that fail, and the verdict if it changes.
pub(super) fn failing(
    lost: &airship::Lost,
    groups: &[crate::airship::model::Group<'_>],
    loss: &mut Loss,
) {
    let all = lost.failed.iter().chain(&lost.by_dependency);
    let mut groups_lost = all.map(|group| &groups[*group as usize]);
    loss.groups.critical = groups_lost.any(|group| group.critical);
    let name = |group: &u32| groups[*group as usize].name.text.to_owned();
    loss.groups.failed = lost.failed.iter().map(name).collect();
    loss.groups.by_dependency = lost.by_dependency.iter().map(name).collect();
    loss.verdict = lost.verdict.map(|verdict| {
        let word = match verdict {
            DeploymentVerdict::Success => "success",
            DeploymentVerdict::Partial => "partial",
            DeploymentVerdict::Failed => "failed",
        };
        word.into()
    });
}

/// The nodes of the deployment among documents.
pub(super) fn nodes<'d>(
    plan: &Plan<'_, '_>,
    touched: impl Iterator<Item = &'d Document<'d>>,
) -> BTreeSet<u32> {
    let site = plan.strategy.as_ref().map(|strategy| strategy.site);
    let ours = touched.filter(|document| document.kind == DocumentKind::Airship);
    let named = ours.filter_map(node_declared);
    named.filter_map(|name| site?.node(name)).collect()
}

fn groups(
    before: &Plan<'_, '_>,
    base: Option<&DeploymentRun>,
    nodes: &BTreeSet<u32>,
    loss: &mut Loss,
) {
    let (Some(base), Some(strategy)) = (base, &before.strategy) else {
        return;
    };
    let run = again::run(strategy, &airship::failing(strategy.site, nodes));
    failing(
        &airship::difference(base, &run),
        &strategy.site.groups,
        loss,
    );
}
