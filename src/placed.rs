//! The answers of a plan from the other side: what is placed on a cluster, an object or a region,
//! and what is withdrawn.

use crate::document::System;
use crate::hybrid::engine::Decision;
use crate::hybrid::why::name_of;
use crate::kit::plural::plural;
use crate::plan::{Plan, again};
use crate::why::{Candidate, DecidedBy, Verdict, Why};
use crate::{hybrid, ogc};

/// The Clusters that Applications can be placed on.
#[must_use]
pub fn clusters(plan: &Plan<'_, '_>) -> Vec<String> {
    let model = &plan.site.ogc;
    let clusters = model.clusters.iter();
    let names = clusters.map(|cluster| cluster.name.to_owned());
    names.filter(|_| !model.applications.is_empty()).collect()
}

/// The clusters that placements can choose.
#[must_use]
pub fn managed_clusters(plan: &Plan<'_, '_>) -> Vec<String> {
    let model = &plan.site.ocm;
    let clusters = model.clusters.iter();
    let names = clusters.map(|cluster| cluster.name.to_owned());
    names.filter(|_| !model.placements.is_empty()).collect()
}

/// The objects that rules can choose.
#[must_use]
pub fn objects(plan: &Plan<'_, '_>) -> Vec<String> {
    let model = &plan.site.hybrid;
    if model.rules.is_empty() {
        return Vec::new();
    }
    let objects = (0..).zip(model.inventory.objects());
    objects.map(|(id, _)| name_of(model, id)).collect()
}

/// The regions of all policies.
#[must_use]
pub fn regions(plan: &Plan<'_, '_>) -> Vec<String> {
    let planned = plan.regions.planned.iter();
    let regions = planned.flat_map(|planned| &planned.check.policy.regions);
    let mut names: Vec<String> = regions.map(|region| region.name.to_string()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What is placed somewhere, of all that could be.
#[derive(Debug)]
pub struct Placed {
    /// What one of them is.
    what: &'static str,
    found: Vec<Entry>,
}

impl Placed {
    /// The answer about a name that things are placed on.
    #[must_use]
    pub fn why(self, system: System, name: &str) -> Why {
        let found = self.found;
        let (all, here) = (found.len(), found.iter().filter(|one| one.here).count());
        let mut candidates: Vec<Candidate> = found.into_iter().map(Entry::candidate).collect();
        candidates.sort_by(|a, b| (!a.chosen, &a.name).cmp(&(!b.chosen, &b.name)));
        Why {
            subject: name.to_owned(),
            system,
            steps: Vec::new(),
            candidates,
            decided_by: Some(DecidedBy {
                stage: PLAN.to_owned(),
                reason: format!("chosen for {here} of {}", plural(all, self.what)),
            }),
            placed: true,
        }
    }
}

/// The stage of what a whole plan says.
const PLAN: &str = "Plan";

/// A subject, whether it is placed there, and what the plan says of it.
#[derive(Debug)]
struct Entry {
    subject: String,
    here: bool,
    reason: String,
}

impl Entry {
    fn candidate(self) -> Candidate {
        let verdict = Verdict::new(PLAN, self.here, self.reason);
        Candidate::new(self.subject, self.here, vec![verdict])
    }
}

/// The Applications of the Projects that a Cluster is assigned to.
#[must_use]
pub fn applications(plan: &Plan<'_, '_>, name: &str) -> Option<Placed> {
    let model = &plan.site.ogc;
    let at = model.clusters.iter().position(|one| one.name == name)?;
    let projects = &model.clusters[at].projects;
    let outcome = plan.applications.as_ref()?;
    let of_project = |item: &&ogc::engine::Item<'_>| {
        let application = item.of(model);
        let project = application.map(|own| model.package_of(own).project);
        project.is_some_and(|project| projects.contains(&project))
    };
    let found = |item: &ogc::engine::Item<'_>| {
        let cluster = item.cluster.map(|at| model.clusters[at as usize].name);
        let decided = || {
            let run = outcome.run_of(item)?;
            ogc::describe::decision(model, item, run)
        };
        Entry {
            subject: format!("{}/{}", item.package, item.application),
            here: cluster == Some(name),
            reason: match cluster {
                None => "cannot be placed".to_owned(),
                Some(cluster) => match decided() {
                    Some(decided) => format!("planned on {cluster}: {decided}"),
                    None => format!("planned on {cluster}"),
                },
            },
        }
    };
    let items = outcome.items.iter().filter(of_project);
    Some(Placed {
        what: "Application",
        found: items.map(found).collect(),
    })
}

/// The placements, and whether they choose a cluster.
#[must_use]
pub fn placements(plan: &Plan<'_, '_>, name: &str) -> Option<Placed> {
    let model = &plan.site.ocm;
    let at = model.clusters.iter().position(|one| one.name == name)?;
    let at = u32::try_from(at).ok()?;
    let placed = &plan.placements.as_ref()?.placements.placed;
    let found = placed.iter().map(|placed| {
        let placement = &model.placements[placed.placement];
        let here = placed
            .groups
            .iter()
            .any(|group| group.clusters.contains(&at));
        let selected = plural(placed.selected.len(), "cluster");
        Entry {
            subject: format!("{}/{}", placement.namespace, placement.name),
            here,
            reason: match (placed.skipped, here) {
                (Some(skipped), _) => format!("left alone: {}", skipped.word()),
                (None, true) => format!("decided, one of {selected}"),
                (None, false) => format!("not among the {selected} selected"),
            },
        }
    });
    Some(Placed {
        what: "Placement",
        found: found.collect(),
    })
}

/// The rules, and whether they choose an object.
#[must_use]
pub fn rules(plan: &Plan<'_, '_>, name: &str) -> Option<Placed> {
    let model = &plan.site.hybrid;
    let count = u32::try_from(model.inventory.objects().len()).ok()?;
    let id = (0..count).find(|id| name_of(model, *id) == name)?;
    let outcome = plan.rules.as_ref()?;
    let found = model.rules.iter().zip(&outcome.rules).map(|(rule, ended)| {
        let here = ended.decisions.contains(&Decision::Object(id));
        let decisions = plural(ended.decisions.len(), "decision");
        Entry {
            subject: hybrid::subject(rule),
            here,
            reason: match here {
                true => format!("decided, one of {decisions}"),
                false => format!("not among {decisions} ({})", ended.state.word()),
            },
        }
    });
    Some(Placed {
        what: "PlacementRule",
        found: found.collect(),
    })
}

/// The actions whose policies name a region.
#[must_use]
pub fn actions(plan: &Plan<'_, '_>, name: &str) -> Placed {
    let mut all = Vec::new();
    for planned in &plan.regions.planned {
        let regions = &planned.check.policy.regions;
        let Some(position) = regions.iter().position(|region| region.name == name) else {
            continue;
        };
        let mut usable = planned.outcome.usable.iter();
        let at = usable.position(|usable| *usable as usize == position);
        let change = at.map_or(0, |at| planned.outcome.change(at));
        all.push(Entry {
            subject: planned.set.path.to_owned(),
            here: change != 0,
            reason: match change {
                0 => "no node is created or deleted there".to_owned(),
                created if created > 0 => format!("creates {}", nodes(created)),
                deleted => format!("deletes {}", nodes(-deleted)),
            },
        });
    }
    Placed {
        what: "action",
        found: all,
    }
}

fn nodes(number: i128) -> String {
    plural(usize::try_from(number).unwrap_or(usize::MAX), "node")
}

/// The Applications that run and that their Packages no longer have.
#[must_use]
pub fn withdrawn(plan: &Plan<'_, '_>) -> Vec<String> {
    let model = &plan.site.ogc;
    // Without a Deployment there is nothing to withdraw.
    if model.deployments.is_empty() {
        return Vec::new();
    }
    let outcome = again::packages(model);
    let items = outcome.items.iter();
    let gone = items.filter(|item| item.change == ogc::engine::Change::Withdraw);
    gone.map(|item| format!("{}/{}", item.package, item.application))
        .collect()
}

/// Why an Application is withdrawn.
#[must_use]
pub fn why_withdrawn(plan: &Plan<'_, '_>, name: &str) -> Why {
    let (package, application) = name.split_once('/').unwrap_or((name, ""));
    let model = &plan.site.ogc;
    let there = model.packages.iter().any(|one| one.name == package);
    let reason = match there {
        true => format!("withdrawn: Package {package} no longer has it"),
        false => format!("withdrawn: Package {package} is gone"),
    };
    let deployments = model.deployments.iter().rev();
    let mut own = deployments.filter(|one| one.package == package);
    let step = own.find_map(|deployment| {
        let mut workloads = deployment.workloads.iter();
        let workload = workloads.find(|one| one.application == application)?;
        let (cluster, name) = (workload.cluster, deployment.name);
        Some(format!("it is on {cluster}, by Deployment {name}"))
    });
    Why {
        subject: name.to_owned(),
        system: System::Ogc,
        steps: step.into_iter().collect(),
        candidates: Vec::new(),
        decided_by: Some(DecidedBy {
            stage: "Package".to_owned(),
            reason,
        }),
        placed: true,
    }
}
