//! The five systems behind one trait.

#[doc(hidden)]
pub mod airship;
pub mod asked;
#[doc(hidden)]
pub mod delivery;
#[doc(hidden)]
pub mod hybrid;
mod kind;
#[doc(hidden)]
pub mod ocm;
#[doc(hidden)]
pub mod ogc;
pub mod outcome;
#[doc(hidden)]
pub mod senlin;
mod shown;
mod subject;

pub use asked::{Lost, Moving, Numbered, PlacementSystem, Rival, WhyQuestion};
pub use kind::Kind;
pub use shown::{Shown, View};
pub use subject::{Asked, Is, Meaning, NoAnswer};

use std::ptr;

use self::airship::Airship;
use self::hybrid::Hybrid;
use self::ocm::Ocm;
use self::ogc::Ogc;
use self::senlin::Senlin;
use crate::diagnostic::Sink;
use crate::document::System;
use crate::plan::Plan;
use crate::plan::row::{self, Rows};
use crate::plan::stake::Stake;
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
    let whole = plan.complete && !alternatives;
    if whole || plan.site.settings.validating {
        // Documents of hubs bear on few placements each; whose answers hang on them is known.
        let told = |system: System| whole || system == System::Ocm;
        for system in all().into_iter().filter(|one| told(one.profile().system)) {
            system.unplaceable(plan, &mut sink);
        }
        if let Some(hub) = &plan.site.hub {
            sink.diagnostics.retain(|found| !found.is_in(hub.source));
        }
    }
    sink
}

/// The rows of a plan, in the order in which a site comes up.
#[must_use]
pub fn rows<'p>(plan: &'p Plan<'_, '_>) -> Rows<'p> {
    Box::new(all().into_iter().flat_map(|system| system.rows(plan)))
}

/// All kinds of items, in page order.
pub fn kinds() -> impl Iterator<Item = &'static Kind> {
    System::ALL
        .into_iter()
        .flat_map(|system| of(system).profile().kinds)
}

/// The subjects that cannot be placed, each once.
pub fn failed(plan: &Plan<'_, '_>) -> impl Iterator<Item = (System, String)> {
    row::failed(rows(plan))
}

/// The changes that a plan puts at stake.
#[must_use]
pub fn stake(plan: &Plan<'_, '_>) -> Stake {
    let model = &plan.site.ogc;
    let packages = plan.applications.as_ref();
    let packages = packages.map_or(0, |outcome| outcome.packages.len());
    // If only some Packages are planned, the Clusters of the others are unknown.
    let whole = packages >= model.packages.len();
    let clusters = model.clusters.iter().filter(|_| whole);
    Stake::of(rows(plan), clusters.map(|cluster| cluster.name))
}
