//! What is lost if one thing is gone: each cluster, node of a group, rack and region in turn. Data
//! only.

mod assess;
mod class;
mod compare;
mod deliveries;
mod loss;
mod margin;
mod regions;
mod remedy;

pub use class::Class;
pub use compare::{harms, hurt};
pub use deliveries::{DeliveriesLost, Delivery};
pub use loss::{
    GroupsLost, Harm, Loss, MovedApplication, PlacementLost, RegionLost, RuleLost, Volume,
};
pub use margin::{Margin, margins};
pub use remedy::{Remedies, Remedy, Together};

use std::collections::BTreeSet;

use crate::document::System;
use crate::options::Options;
use crate::parallel;
use crate::plan::Plan;
use crate::site::Thing;

use assess::{Assessor, Base};

/// Things of which pairs can be lost, at most.
pub const PAIRS: usize = 200;

/// All losses, the worst first, and what each thing can still bear.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Risk {
    /// By class, count and name.
    pub losses: Vec<Loss>,
    /// By system and subject.
    pub margins: Vec<Margin>,
    /// Kind by kind, the edits with which no loss leaves anything without a place, where that was
    /// asked for.
    pub together: Vec<Together>,
}

/// What is lost in turn: clusters, nodes of deployment groups and their racks, regions.
#[must_use]
pub fn things(plan: &Plan<'_, '_>) -> Vec<Thing> {
    let site = plan.site;
    let mut things: BTreeSet<Thing> = BTreeSet::new();
    let own = site.ogc.clusters.iter().map(|cluster| cluster.name);
    let managed = site.ocm.clusters.iter().map(|cluster| cluster.name);
    let objects = site.hybrid.inventory.objects().iter();
    let candidates = objects.filter(|object| object.kind == "ManagedCluster");
    let all = own
        .chain(managed)
        .chain(candidates.map(|object| object.name));
    things.extend(all.map(|name| Thing::Cluster(name.to_owned())));
    if let Some(strategy) = &plan.strategy {
        for node in strategy.deployment.members.iter().flatten() {
            let node = &strategy.site.nodes[*node as usize];
            things.insert(Thing::Node(node.name.text.to_owned()));
            if let Some(rack) = &node.rack {
                things.insert(Thing::Rack(rack.text.to_owned()));
            }
        }
    }
    let sets = plan.regions.planned.iter();
    let regions = sets.flat_map(|set| &set.check.policy.regions);
    things.extend(regions.map(|region| Thing::Region(region.name.to_string())));
    things.retain(|thing| site.has(thing).is_ok());
    things.into_iter().collect()
}

/// Loses each of the things in turn, or each two of them; `done` is called after each.
#[must_use]
pub fn assess(
    plan: &Plan<'_, '_>,
    things: &[Thing],
    pairs: bool,
    options: &Options,
    done: &(dyn Fn() + Sync),
) -> Risk {
    let together: Vec<Vec<Thing>> = match pairs {
        false => things.iter().map(|thing| vec![thing.clone()]).collect(),
        true => things
            .iter()
            .enumerate()
            .flat_map(|(at, one)| {
                things[at + 1..]
                    .iter()
                    .map(|other| vec![one.clone(), other.clone()])
            })
            .collect(),
    };
    let base = Base::of(plan, options);
    let mut losses = each(&base, &together, options.jobs, done);
    losses.sort_by(Loss::by_weight);
    Risk {
        losses,
        margins: margins(plan),
        together: Vec::new(),
    }
}

fn each(
    base: &Base<'_, '_, '_>,
    lost: &[Vec<Thing>],
    jobs: usize,
    done: &(dyn Fn() + Sync),
) -> Vec<Loss> {
    let runs = parallel::map_runs(jobs, lost, |run| {
        let mut assessor = Assessor::of(base);
        let lose = |lost: &Vec<Thing>| {
            let loss = assessor.lose(lost);
            done();
            loss
        };
        run.iter().map(lose).collect::<Vec<Loss>>()
    });
    parallel::join(runs)
}

/// What the loss of these things does.
#[must_use]
pub fn lose(plan: &Plan<'_, '_>, lost: &[Thing], options: &Options) -> Loss {
    Assessor::of(&Base::of(plan, options)).lose(lost)
}

/// What each of these losses does, in their order.
#[must_use]
pub fn lose_each(plan: &Plan<'_, '_>, lost: &[Vec<Thing>], options: &Options) -> Vec<Loss> {
    each(&Base::of(plan, options), lost, options.jobs, &|| ())
}

/// What one loss does, found by planning all of the site without it: the slow way, which says what
/// is right.
#[must_use]
pub fn by_planning(plan: &Plan<'_, '_>, lost: &[Thing], options: &Options) -> Loss {
    let mut loss = Loss::of(lost);
    let base = Base::of(plan, options);
    base.replan(&mut loss, lost, &System::ALL);
    loss.classify();
    loss
}
