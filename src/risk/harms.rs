//! What a loss leaves unplaced, and what is unplaced before any loss.

use std::collections::BTreeSet;

use crate::document::System;
use crate::kit::named::Name;
use crate::plan::{Plan, again};
use crate::systems;

use super::today::Today;
use crate::loss::{Class, Harm, Loss, PlacementLost};

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
