//! The five systems behind one trait.

pub mod asked;
pub mod outcome;
mod subject;

pub use asked::{Failure, Moving, Numbered, PlacementSystem, Rival, WhyQuestion};
pub use subject::{Asked, Is, Meaning, NoAnswer};

use std::ptr;

use crate::airship::system::Airship;
use crate::diagnostic::Sink;
use crate::document::System;
use crate::hybrid::system::Hybrid;
use crate::ocm::system::Ocm;
use crate::ogc::system::Ogc;
use crate::plan::Plan;
use crate::plan::stake::Stake;
use crate::senlin::system::Senlin;
use crate::site::{Checked, is_alternative};

/// A system.
#[must_use]
pub fn of(system: System) -> &'static dyn PlacementSystem {
    match system {
        System::Airship => &Airship,
        System::Hybrid => &Hybrid,
        System::Ocm => &Ocm,
        System::Ogc => &Ogc,
        System::Senlin => &Senlin,
    }
}

/// All systems, in the order in which a site comes up.
#[must_use]
pub fn all() -> [&'static dyn PlacementSystem; System::ALL.len()] {
    let mut all = System::ALL;
    all.sort_by_key(|system| system.rank());
    all.map(of)
}

/// The systems that read something else in a site than in the one from which it was made: models
/// that were kept are the same ones.
#[must_use]
pub fn read_anew(site: &Checked<'_>, before: &Checked<'_>) -> Vec<System> {
    let same = |system: &System| {
        let answers = of(*system);
        let pairs = answers.models(site).into_iter().zip(answers.models(before));
        pairs.into_iter().all(|(now, was)| ptr::addr_eq(now, was))
    };
    let systems = System::ALL.into_iter();
    systems.filter(|system| !same(system)).collect()
}

/// The warnings about what cannot be placed: `planner validate` gives them, since it shows no
/// plan. Nothing is said where documents hold alternatives, which `planner plan` does not plan
/// together.
#[must_use]
pub fn unplaceable(plan: &Plan<'_, '_>) -> Sink {
    let mut sink = Sink::default();
    let alternatives = plan.site.findings.diagnostics.iter().any(is_alternative);
    if plan.complete && !alternatives {
        for system in all() {
            system.unplaceable(plan, &mut sink);
        }
        if let Some(hub) = &plan.site.hub {
            sink.diagnostics.retain(|found| !found.is_in(hub.source));
        }
    }
    sink
}

/// What is at stake in a plan.
#[must_use]
pub fn stake(plan: &Plan<'_, '_>) -> Stake {
    /// Clusters that are named.
    const FEW: usize = 3;
    let mut stake = Stake::default();
    for system in all() {
        system.stake(plan, &mut stake);
    }
    if let Some(all) = &plan.deliveries {
        for row in &all.rows {
            let (kind, name) = (row.id.kind, row.id.name);
            let name = match row.id.namespace {
                "" => format!("{kind} {name}"),
                namespace => format!("{kind} {namespace}/{name}"),
            };
            let (_, removed) = row.moved();
            match removed.count_ones(..) {
                _ if row.is_emptied() => stake.unreached.push(name),
                0 => {}
                1..=FEW => {
                    let clusters = all.ground.names.of(&removed).join(", ");
                    stake.leaving.push(format!("{name} ({clusters})"));
                }
                many => stake.leaving.push(format!("{name} ({many} clusters)")),
            }
        }
    }
    stake
}
