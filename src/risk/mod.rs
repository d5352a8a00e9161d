//! The impact of losing one thing: each cluster, node of a group, rack and region in turn. Data
//! only.

mod assess;
mod deliveries;
mod harms;
mod margin;
pub mod part;
mod senlin;
mod sets;
mod today;

pub use harms::{harms, hurt, today};
pub use margin::{Margin, margins};
pub use sets::{AtATime, Costs, Sets, Shard};
pub use today::Today;

pub use crate::loss::{
    Class, DeliveriesLost, Delivery, GroupsLost, Harm, Loss, MovedApplication, PlacementLost,
    RegionLost, Remedies, Remedy, RuleLost, Together, Volume,
};

use std::collections::BTreeSet;

use crate::document::System;
use crate::options::Options;
use crate::parallel;
use crate::plan::Plan;
use crate::site::Thing;
use crate::systems;

use assess::{Assessor, Base};

/// All losses, the worst first, and how much each subject can still lose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Risk {
    /// By class, count and name.
    pub losses: Vec<Loss>,
    /// By system and subject.
    pub margins: Vec<Margin>,
    /// The subjects that have no place before any loss.
    pub today: Vec<Today>,
    /// For each kind, the edits with which no loss leaves anything unplaced, if requested.
    pub together: Vec<Together>,
}

/// The things that are lost in turn: clusters, nodes of deployment groups and their racks, regions.
#[must_use]
pub fn things(plan: &Plan<'_, '_>) -> Vec<Thing> {
    let site = plan.site;
    let mut things: BTreeSet<Thing> = BTreeSet::new();
    for system in systems::all() {
        system.things(plan, &mut things);
    }
    things.retain(|thing| site.has(thing).is_ok());
    things.into_iter().collect()
}

/// Loses each of the things in turn, or each two or three of them; `done` is called after each.
#[must_use]
pub fn assess(
    plan: &Plan<'_, '_>,
    things: &[Thing],
    at_a_time: AtATime,
    options: &Options,
    done: &(dyn Fn() + Sync),
) -> Risk {
    sweep(plan, things, &at_a_time.sets(things.len()), options, done)
}

/// Loses these sets of the things, one after the other; `done` is called after each.
#[must_use]
pub fn sweep(
    plan: &Plan<'_, '_>,
    things: &[Thing],
    sets: &Sets,
    options: &Options,
    done: &(dyn Fn() + Sync),
) -> Risk {
    let base = Base::of(plan, sets.len(), options);
    let runs = parallel::map_runs(options.jobs, sets.all(), |run| {
        let mut assessor = Assessor::of(&base);
        let lose = |set: &[u32; 3]| {
            let lost = set[..sets.size()].iter();
            let lost: Vec<Thing> = lost.map(|at| things[*at as usize].clone()).collect();
            let loss = assessor.lose(&lost);
            done();
            loss
        };
        run.iter().map(lose).collect()
    });
    let mut losses = parallel::join(runs);
    losses.sort_by(Loss::by_weight);
    Risk {
        losses,
        margins: margins(plan),
        today: today(plan),
        together: Vec::new(),
    }
}

/// The effect of losing these things.
#[must_use]
pub fn lose(plan: &Plan<'_, '_>, lost: &[Thing], options: &Options) -> Loss {
    Assessor::of(&Base::of(plan, 1, options)).lose(lost)
}

/// The effects of these losses, in their order.
#[must_use]
pub fn lose_each(plan: &Plan<'_, '_>, lost: &[Vec<Thing>], options: &Options) -> Vec<Loss> {
    let base = Base::of(plan, lost.len(), options);
    let runs = parallel::map_runs(options.jobs, lost, |run| {
        let mut assessor = Assessor::of(&base);
        run.iter().map(|lost| assessor.lose(lost)).collect()
    });
    parallel::join(runs)
}

/// The cost of losing each thing: loses it once and counts what that touches. Nothing is timed, so
/// that the result is the same on every machine.
#[must_use]
pub fn costs(plan: &Plan<'_, '_>, things: &[Thing], options: &Options) -> Costs {
    let base = Base::of(plan, things.len(), options);
    let runs = parallel::map_runs(options.jobs, things, |run| {
        let mut assessor = Assessor::of(&base);
        let cost = |thing: &Thing| {
            let before = assessor.replanned;
            let loss = assessor.lose(std::slice::from_ref(thing));
            (1 + loss.touched() as u64, assessor.replanned > before)
        };
        run.iter().map(cost).collect()
    });
    Costs {
        things: parallel::join(runs),
        again: plan.site.documents.all.len() as u64,
    }
}

/// The effect of one loss, found by planning the whole site without the lost things: slow, but the
/// reference for the other ways.
#[must_use]
pub fn by_planning(plan: &Plan<'_, '_>, lost: &[Thing], options: &Options) -> Loss {
    let mut loss = Loss::of(lost);
    let base = Base::of(plan, 1, options);
    base.replan(&mut loss, lost, &System::ALL);
    loss.classify();
    loss
}
