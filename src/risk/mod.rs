//! What is lost if one thing is gone: each cluster, node of a group, rack and region in turn. Data
//! only.

mod effect;
mod margin;

pub use effect::{
    Class, GroupsLost, Loss, MovedApplication, PlacementLost, RegionLost, RuleLost, Volume,
};
pub use margin::{Margin, margins};

use std::collections::BTreeSet;

use crate::airship;
use crate::document::System;
use crate::ocm::engine::cel::Evaluator;
use crate::ocm::engine::loss as ocm_loss;
use crate::ogc::engine::{Item, Losses, Settings};
use crate::options::Options;
use crate::parallel;
use crate::plan::{self, Plan};
use crate::site::{Changes, Checked, Thing};

/// Things of which pairs can be lost, at most.
pub const PAIRS: usize = 200;

/// All losses, the worst first, and what each thing can still bear.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Risk {
    /// By class, count and name.
    pub losses: Vec<Loss>,
    /// By system and subject.
    pub margins: Vec<Margin>,
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
    let runs = parallel::map_runs(options.jobs, &together, |run| {
        let mut assessor = Assessor::of(&base);
        run.iter()
            .map(|lost| {
                let loss = assessor.lose(lost);
                done();
                loss
            })
            .collect::<Vec<Loss>>()
    });
    let mut losses: Vec<Loss> = runs.into_iter().flatten().collect();
    losses.sort_by(Loss::by_weight);
    Risk {
        losses,
        margins: margins(plan),
    }
}

/// What one loss does, found by planning all of the site without it: the slow way, which says what
/// is right.
#[must_use]
pub fn by_planning(plan: &Plan<'_, '_>, lost: &[Thing], options: &Options) -> Loss {
    let mut loss = Loss::of(lost);
    let base = Base::of(plan, options);
    replan(&base, &mut loss, lost, &System::ALL);
    loss.classify();
    loss
}

/// The plan of the whole site, and what is asked of it again and again.
struct Base<'p, 's, 'a> {
    plan: &'p Plan<'s, 'a>,
    site: &'s Checked<'a>,
    options: Options,
    run: Option<airship::engine::run::DeploymentRun>,
    placements: Option<ocm_loss::Losses<'s, 'a>>,
}

impl<'p, 's, 'a> Base<'p, 's, 'a> {
    fn of(plan: &'p Plan<'s, 'a>, options: &Options) -> Self {
        let any = plan.placements.is_some();
        Self {
            plan,
            site: plan.site,
            options: Options {
                jobs: 1,
                trace: false,
                screen: false,
                ..options.clone()
            },
            run: effect::run(plan),
            placements: any.then(|| ocm_loss::Losses::new(&plan.site.ocm, plan.now)),
        }
    }
}

/// One thread's tools.
struct Assessor<'b, 'p, 's, 'a> {
    base: &'b Base<'p, 's, 'a>,
    applications: Option<Losses<'s, 'a>>,
    cel: Evaluator<'a>,
}

impl<'b, 'p, 's, 'a> Assessor<'b, 'p, 's, 'a>
where
    'b: 's,
{
    fn of(base: &'b Base<'p, 's, 'a>) -> Self {
        let any = base.plan.applications.is_some();
        let settings = Settings {
            packages: &base.options.packages,
            same_node: base.options.same_node,
            trace: false,
            jobs: 1,
        };
        Self {
            base,
            applications: any.then(|| Losses::new(&base.site.ogc, &settings)),
            cel: Evaluator::default(),
        }
    }

    /// Plans again what the loss touches, and nothing else.
    fn lose(&mut self, lost: &[Thing]) -> Loss {
        let mut loss = Loss::of(lost);
        let clusters: Option<Vec<&str>> = lost
            .iter()
            .map(|thing| match thing {
                Thing::Cluster(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        match clusters {
            Some(names) => {
                self.applications(&mut loss, &names);
                self.placements(&mut loss, &names);
                if self.is_candidate(&names) {
                    replan(self.base, &mut loss, lost, &[System::Hybrid]);
                }
            }
            None => replan(self.base, &mut loss, lost, &System::ALL),
        }
        loss.classify();
        loss
    }

    fn applications(&mut self, loss: &mut Loss, names: &[&str]) {
        let base = self.base;
        let (Some(outcome), Some(losses)) = (&base.plan.applications, &mut self.applications)
        else {
            return;
        };
        let clusters = &base.site.ogc.clusters;
        let ids: Vec<u32> = clusters
            .iter()
            .zip(0..)
            .filter(|(cluster, _)| names.contains(&cluster.name))
            .map(|(_, at)| at)
            .collect();
        if ids.is_empty() {
            return;
        }
        let on = |item: &&Item<'_>| item.cluster.is_some_and(|at| ids.contains(&at));
        let items: Vec<&Item<'a>> = outcome.items.iter().filter(on).collect();
        let found = losses.clusters(&items, &ids);
        let name = |at: u32| clusters[at as usize].name.to_owned();
        for (item, to) in items.iter().zip(&found) {
            loss.applications.push(MovedApplication {
                package: item.package.to_owned(),
                application: item.application.to_owned(),
                from: item.cluster.map(name),
                to: to.map(name),
            });
        }
        let mut placed: Vec<(&Item<'a>, bool)> = items
            .iter()
            .zip(&found)
            .map(|(item, to)| (*item, to.is_some()))
            .collect();
        let stays = |item: &&Item<'_>| item.cluster.is_some_and(|at| !ids.contains(&at));
        placed.extend(outcome.items.iter().filter(stays).map(|item| (item, true)));
        effect::volumes_lost(base.site, &placed, names, &mut loss.volumes);
    }

    fn placements(&self, loss: &mut Loss, names: &[&str]) {
        let base = self.base;
        let (Some(outcome), Some(losses)) = (&base.plan.placements, &base.placements) else {
            return;
        };
        let model = &base.site.ocm;
        let ids: Vec<u32> = names
            .iter()
            .filter_map(|name| {
                model
                    .clusters
                    .binary_search_by(|one| one.name.cmp(name))
                    .ok()
            })
            .filter_map(|at| u32::try_from(at).ok())
            .collect();
        if ids.is_empty() {
            return;
        }
        let all = &outcome.placements;
        for placed in &all.placed {
            let Some(lost) = losses.of(placed, &ids, &self.cel) else {
                continue;
            };
            let name = |id: &u32| all.names[*id as usize].to_owned();
            let placement = &model.placements[placed.placement];
            let was: Vec<String> = ocm_loss::decided(placed).iter().map(name).collect();
            let now: Vec<String> = lost.clusters.iter().map(name).collect();
            loss.placements.extend(PlacementLost::between(
                (placement.namespace, placement.name),
                (&was, placed.is_satisfied()),
                (&now, lost.satisfied),
            ));
        }
    }

    /// Whether a placement rule could have decided for one of these clusters.
    fn is_candidate(&self, names: &[&str]) -> bool {
        let model = &self.base.site.hybrid;
        let objects = model.inventory.objects().iter();
        self.base.plan.rules.is_some()
            && objects
                .filter(|object| object.kind == "ManagedCluster")
                .any(|object| names.contains(&object.name))
    }
}

/// Plans these systems of the site without the things, and takes down what is different.
fn replan(base: &Base<'_, '_, '_>, loss: &mut Loss, lost: &[Thing], systems: &[System]) {
    let Ok(changed) = base.site.changed(Changes::without(lost.to_vec())) else {
        return;
    };
    let site = changed.check();
    let options = Options {
        systems: systems.to_vec(),
        ..base.options.clone()
    };
    let after = plan::make(&site, &options);
    effect::compare(base.plan, base.run.as_ref(), &after, systems, loss);
}
