//! Ori Global Cloud as one of the systems.

mod details;
#[doc(hidden)]
pub mod json;
mod loss;
mod rows;
mod saved;
#[doc(hidden)]
pub mod text;

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde_json::Value;

use super::asked::{Essence, Lost, Moving, Numbered, PlacementSystem, Profile, Rival, WhyQuestion};
use super::outcome::Outcome;
use super::shown::{Shown, View};
use crate::data::Part;
use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, System};
use crate::kit::named::Name;
use crate::loss::Loss;
use crate::options::Options;
use crate::plan::row::Rows;
use crate::plan::{Plan, Section, again};
use crate::repair::Trial;
use crate::site::{Checked, Thing};
use crate::why::placed::{Entry, Placed};
use crate::why::{DecidedBy, Why};

use crate::ogc::engine::{Change, Changed, Item};
use crate::ogc::{describe, records, repair, rules, why};

/// Ori Global Cloud.
#[derive(Debug)]
pub(super) struct Ogc;

fn name(item: &Item<'_>) -> String {
    item.full_name().to_string()
}

impl PlacementSystem for Ogc {
    fn profile(&self) -> &'static Profile {
        const {
            &Profile {
                system: System::Ogc,
                chapter: include_str!("../ogc/placement.md"),
                rules: rules::RULES,
                differences: Some("Packages and Applications"),
                parts: &["applications", "clusters"],
                last: &[],
                kinds: details::KINDS,
                heads: ("Application", "Cluster"),
                unplaced: ("Application", ["has no Cluster", "have no Cluster"]),
                selects: false,
                ranks: true,
            }
        }
    }

    fn models<'m>(&self, site: &'m Checked<'_>) -> Vec<&'m dyn Debug> {
        vec![&*site.ogc]
    }

    fn answer<'p>(&self, plan: &'p Plan<'_, '_>) -> &'p dyn Debug {
        &plan.applications
    }

    fn rows<'p>(&self, plan: &'p Plan<'_, '_>) -> Rows<'p> {
        rows::rows(plan)
    }

    fn data<'p>(&self, plan: &'p Plan<'_, '_>) -> Vec<Part<'p>> {
        let Some(outcome) = &plan.applications else {
            return Vec::new();
        };
        let model = &plan.site.ogc;
        let applications = json::Applications::new(model, outcome, plan.trace);
        vec![
            Part::rows(Section::Applications.key(), applications),
            Part::whole("clusters", json::clusters(model, outcome)),
        ]
    }

    fn text(&self, plan: &Plan<'_, '_>, view: View<'_>) -> Shown {
        let outcome = plan.applications.as_ref();
        let Some(outcome) = outcome.filter(|_| view.has(Section::Applications.key())) else {
            return Shown::default();
        };
        let model = &plan.site.ogc;
        Shown {
            sections: vec![text::applications(model, outcome, view.ways, view.screen)],
            end: text::stops(outcome, view.screen),
            ..Shown::default()
        }
    }

    fn essence(&self, outcome: &dyn Outcome) -> Vec<Essence> {
        saved::essence(outcome)
    }

    fn recorded<'p>(&self, plan: &'p Plan<'_, '_>) -> (usize, Option<&'p str>) {
        let mut packages = plan
            .applications
            .as_deref()
            .into_iter()
            .flat_map(records::recorded);
        let first = packages.next().map(|package| package.name);
        (packages.count() + usize::from(first.is_some()), first)
    }

    fn records(&self, plan: &Plan<'_, '_>, record: Numbered<'_>) -> Vec<Value> {
        let (model, outcome) = (&plan.site.ogc, plan.applications.as_ref());
        outcome.map_or(Vec::new(), |outcome| {
            records::records(model, outcome, plan.now, record.number)
        })
    }

    /// All Clusters.
    fn things(&self, plan: &Plan<'_, '_>, things: &mut BTreeSet<Thing>) {
        let clusters = plan.site.ogc.clusters.iter();
        things.extend(clusters.map(|cluster| Thing::Cluster(cluster.name.to_owned())));
    }

    fn lose(&self, lost: &Lost<'_, '_, '_>, into: &mut Loss) {
        loss::applications(lost.before, lost.after, into);
        loss::volumes(lost.before, lost.after, into);
    }

    fn unplaceable(&self, plan: &Plan<'_, '_>, sink: &mut Sink) {
        if let Some(outcome) = &plan.applications {
            rules::unplaceable(&plan.site.ogc, outcome, sink);
        }
    }

    fn subjects(&self, plan: &Plan<'_, '_>) -> Vec<String> {
        let model = &plan.site.ogc;
        let package = |a| model.package_of(a).name;
        let applications = model.applications.iter();
        applications
            .map(|a| Name::new(package(a), a.name).to_string())
            .collect()
    }

    fn why(&self, asked: &WhyQuestion<'_, '_, '_>) -> Option<Why> {
        let model = &asked.plan.site.ogc;
        let (package, application) = asked.subject.split_once('/')?;
        let same_node = asked.options.same_node;
        let outcome = again::application(model, package, application, same_node)?;
        let found = why::why(model, package, application, outcome, asked.candidate)?;
        Some(found.common(model, asked.candidate))
    }

    /// The Applications that run and that their Packages no longer have.
    fn withdrawn(&self, plan: &Plan<'_, '_>) -> Vec<String> {
        let model = &plan.site.ogc;
        // Without a Deployment there is nothing to withdraw.
        if model.deployments.is_empty() {
            return Vec::new();
        }
        let outcome = again::packages(model);
        let items = outcome.items.iter();
        let gone = items.filter(|item| item.change == Change::Withdraw);
        gone.map(|item| name(item)).collect()
    }

    fn why_withdrawn(&self, plan: &Plan<'_, '_>, name: &str) -> Option<Why> {
        let (package, application) = name.split_once('/').unwrap_or((name, ""));
        let model = &plan.site.ogc;
        let there = model.packages.iter().any(|one| one.name == package);
        let reason = if there {
            format!("withdrawn: Package {package} no longer has it")
        } else {
            format!("withdrawn: Package {package} is gone")
        };
        let deployments = model.deployments.iter().rev();
        let mut own = deployments.filter(|one| one.package == package);
        let step = own.find_map(|deployment| {
            let mut workloads = deployment.workloads.iter();
            let workload = workloads.find(|one| one.application == application)?;
            let (cluster, name) = (workload.cluster, deployment.name);
            Some(format!("it is on {cluster}, by Deployment {name}"))
        });
        Some(Why {
            steps: step.into_iter().collect(),
            decided_by: Some(DecidedBy {
                stage: "Package".to_owned(),
                reason,
            }),
            placed: true,
            ..Why::new(System::Ogc, name)
        })
    }

    /// The Clusters that Applications can be placed on.
    fn places(&self, plan: &Plan<'_, '_>) -> Vec<String> {
        let model = &plan.site.ogc;
        let clusters = model.clusters.iter();
        let names = clusters.map(|cluster| cluster.name.to_owned());
        names.filter(|_| !model.applications.is_empty()).collect()
    }

    /// The Applications of the Projects that a Cluster is assigned to.
    fn placed_on(&self, plan: &Plan<'_, '_>, name: &str) -> Option<Placed> {
        let model = &plan.site.ogc;
        let at = model.clusters.iter().position(|one| one.name == name)?;
        let projects = &model.clusters[at].projects;
        let outcome = plan.applications.as_ref()?;
        let of_project = |item: &&Item<'_>| {
            let application = item.of(model);
            let project = application.map(|own| model.package_of(own).project);
            project.is_some_and(|project| projects.contains(&project))
        };
        let found = |item: &Item<'_>| {
            let cluster = item.cluster.map(|at| model.clusters[at as usize].name);
            let decided = || {
                let run = outcome.run_of(item)?;
                describe::decision(model, item, run)
            };
            Entry {
                subject: item.full_name().to_string(),
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
            ..Placed::default()
        })
    }

    fn trial(&self, site: &Checked<'_>, options: &Options, rival: Rival<'_>, _: &mut u64) -> Trial {
        let (model, documents) = (&site.ogc, &site.documents);
        let found = rival.subject.split_once('/').and_then(|subject| {
            let (package, application) = subject;
            let outcome = again::application(model, package, application, options.same_node)?;
            repair::obstacles(model, documents, subject, outcome, rival.candidate)
        });
        found.into()
    }

    fn needs(&self, _: &Checked<'_>, document: &Document<'_>, rival: Rival<'_>) -> bool {
        repair::needs(document, rival.subject, rival.candidate)
    }

    /// Applications share nothing but the Clusters.
    fn is_own(&self, site: &Checked<'_>, document: &Document<'_>, rival: Rival<'_>) -> bool {
        document.kind == DocumentKind::Application && self.needs(site, document, rival)
    }

    /// Packages share nothing but the Clusters and Projects.
    fn part<'a>(&self, document: &Document<'a>) -> Option<&'a str> {
        repair::package(document)
    }

    /// Clusters affect all Applications.
    fn moved(&self, asked: &Moving<'_, '_, '_>) -> Option<Vec<String>> {
        let site = asked.today.site;
        let mut changed = Changed::default();
        for at in asked.documents {
            let document = &site.documents.all[*at as usize];
            match document.kind {
                DocumentKind::Cluster | DocumentKind::Node
                    if self.needs(site, document, asked.rival) =>
                {
                    changed.clusters = true;
                }
                _ => {
                    changed.packages.insert(self.part(document)?);
                }
            }
        }
        let models = (&*site.ogc, &*asked.after.ogc);
        let moved = again::moved_applications(models, &changed, asked.options).into_iter();
        let name = |(package, application)| format!("{package}/{application}");
        Some(moved.map(name).collect())
    }
}
