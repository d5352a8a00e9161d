//! The five systems where all of them answer the same question: a row for each.

use std::cell::RefCell;

use crate::diagnostic::Sink;
use crate::document::{Document, System};
use crate::hybrid::command::Commands;
use crate::ocm::engine::place::{Detail, Placed as Placement};
use crate::ogc::engine::{Change, Item};
use crate::options::Options;
use crate::placed::{self, Placed};
use crate::plan::{self, Assignment, Plan, again};
use crate::repair::Trial;
use crate::site::{Checked, is_alternative};
use crate::why::Why;
use crate::{airship, hybrid, ocm, ogc, senlin};

/// A question about one subject of a plan.
#[derive(Debug, Clone, Copy)]
pub struct WhyQuestion<'q, 's, 'a> {
    /// The plan.
    pub plan: &'q Plan<'s, 'a>,
    /// How it was made.
    pub options: &'q Options,
    /// The subject.
    pub subject: &'q str,
    /// The only candidate of interest.
    pub candidate: Option<&'q str>,
    /// What went wrong with commands of advisors.
    pub said: &'q RefCell<Sink>,
}

/// Why there is no answer, or not all of one.
pub type Failure = Option<String>;

/// What a system gives where every system is asked.
#[derive(Debug)]
pub struct Answers {
    /// The system.
    pub system: System,
    /// Its chapter of planner-placement(7).
    pub chapter: &'static str,
    /// Where its specification says how statement and original code differ, if only the statement
    /// is followed.
    pub differences: Option<&'static str>,
    /// What it decided about each of its subjects.
    pub decided: fn(&Plan<'_, '_>) -> Vec<(String, Assignment)>,
    /// What it could not place, as findings.
    pub unplaceable: fn(&Plan<'_, '_>, &mut Sink),
    /// What can be asked about.
    pub subjects: fn(&Plan<'_, '_>) -> Vec<String>,
    /// Every reason for and against; nothing if it does not know the subject.
    pub why: fn(&WhyQuestion<'_, '_, '_>) -> Option<Why>,
    /// What stands in the way of a candidate: the site, how it is planned, the subject, the
    /// candidate, and how many steps may still be taken where they grow faster than the site.
    pub trial: fn(&Checked<'_>, &Options, &str, &str, &mut u64) -> Trial,
    /// Whether what stands in the way of a candidate hangs on a document: the site, the document,
    /// the subject, the candidate.
    pub needs: fn(&Checked<'_>, &Document<'_>, &str, &str) -> bool,
    /// The subjects that could not be placed.
    pub failed: fn(&Plan<'_, '_>) -> Vec<String>,
    /// Why there is no answer, or not all of one, by what was decided about.
    pub errors: fn(&Plan<'_, '_>) -> Vec<(String, Failure)>,
    /// The subjects that are also called so.
    pub also_called: fn(&Plan<'_, '_>, &str) -> Vec<String>,
    /// The names that things can be placed on.
    pub places: fn(&Plan<'_, '_>) -> Vec<String>,
    /// What is placed there; nothing for an unknown name.
    pub placed_on: fn(&Plan<'_, '_>, &str) -> Option<Placed>,
    /// What is decided about, and what about it, in a word each.
    pub heads: (&'static str, &'static str),
}

/// The systems.
pub static ROWS: [Answers; 5] = [
    Answers {
        system: System::Airship,
        chapter: include_str!("airship/placement.md"),
        differences: None,
        decided: groups,
        unplaceable: |_, _| {},
        subjects: |plan| {
            let strategy = plan.strategy.iter();
            strategy
                .flat_map(|strategy| airship::why::subjects(strategy.site))
                .collect()
        },
        why: |asked| {
            airship::why::why(
                asked.plan.strategy.as_ref()?,
                asked.subject,
                asked.candidate,
            )
        },
        trial: |site, options, subject, candidate, _| {
            let strategy = again::strategy(&site.airship, options.order);
            let found = strategy.and_then(|strategy| {
                airship::repair::obstacles(&strategy, &site.documents, subject, candidate)
            });
            found.into()
        },
        needs: |_, document, subject, candidate| {
            airship::repair::needs(document, subject, candidate)
        },
        failed: |_| Vec::new(),
        errors: |_| Vec::new(),
        also_called: |_, _| Vec::new(),
        // The groups of a node are what a node is asked about.
        places: |_| Vec::new(),
        placed_on: |_, _| None,
        heads: ("Group", "Position"),
    },
    Answers {
        system: System::Ocm,
        chapter: include_str!("ocm/placement.md"),
        differences: Some("OCM placement, section 10"),
        decided: placements,
        unplaceable: |plan, sink| {
            if let Some(outcome) = &plan.placements {
                ocm::rules::unsatisfied(&plan.site.ocm, outcome, sink);
            }
        },
        subjects: |plan| ocm::why::subjects(&plan.site.ocm).collect(),
        why: |asked| {
            let (model, now) = (&asked.plan.site.ocm, asked.plan.now);
            let study = again::placement(model, now, asked.subject, Detail::All)?;
            Some(ocm::why::why(&study, asked.candidate))
        },
        trial: |site, _, subject, candidate, _| {
            let (model, now) = (&site.ocm, site.rules.now);
            let study = again::placement(model, now, subject, Detail::Selection);
            let found =
                study.and_then(|study| ocm::repair::obstacles(&study, &site.documents, candidate));
            found.into()
        },
        needs: |_, document, subject, candidate| ocm::repair::needs(document, subject, candidate),
        failed: |plan| {
            let placed = plan.placements.iter();
            let placed = placed.flat_map(|outcome| &outcome.placements.placed);
            let failed = placed.filter(|placed| !placed.is_satisfied());
            failed.map(|placed| placement(plan, placed)).collect()
        },
        errors: |plan| {
            let placed = plan.placements.iter();
            let placed = placed.flat_map(|outcome| &outcome.placements.placed);
            let error = |placed: &Placement<'_>| (placement(plan, placed), placed.failure());
            placed.map(error).collect()
        },
        also_called: |_, _| Vec::new(),
        places: placed::managed_clusters,
        placed_on: placed::placements,
        heads: ("Placement", "Decision"),
    },
    Answers {
        system: System::Hybrid,
        chapter: include_str!("hybrid/placement.md"),
        differences: Some("hybrid placement rules, section 10"),
        decided: rules,
        unplaceable: |plan, sink| {
            if let Some(outcome) = &plan.rules {
                hybrid::rules::unplaceable(&plan.site.hybrid, outcome, sink);
            }
        },
        subjects: |plan| hybrid::why::subjects(&plan.site.hybrid).collect(),
        why: |asked| {
            let site = asked.plan.site;
            let mut commands = Commands::new(site.documents.sources, asked.options);
            let (subject, candidate) = (asked.subject, asked.candidate);
            let trials = again::trials_of_rules(&site.hybrid);
            let why = hybrid::why::why(&trials, subject, candidate, &mut commands);
            commands.report(&mut asked.said.borrow_mut());
            why
        },
        trial: |site, _, subject, candidate, steps| {
            let trials = again::trials_of_rules(&site.hybrid);
            let Some(left) = steps.checked_sub(hybrid::repair::work(&trials, subject)) else {
                return Trial::TooLong;
            };
            *steps = left;
            hybrid::repair::obstacles(&trials, &site.documents, subject, candidate).into()
        },
        needs: |site, document, subject, candidate| {
            site.hybrid.candidates_from_status
                || hybrid::repair::needs(document, subject, candidate)
        },
        failed: |plan| {
            let ended = plan.rules.iter().flat_map(|outcome| &outcome.rules);
            let rules = plan.site.hybrid.rules.iter().zip(ended);
            let failed = rules.filter(|(_, ended)| ended.state.is_unplaced());
            failed.map(|(rule, _)| hybrid::subject(rule)).collect()
        },
        errors: |plan| {
            let ended = plan.rules.iter().flat_map(|outcome| &outcome.rules);
            let rules = plan.site.hybrid.rules.iter().zip(ended);
            let errors =
                rules.map(|(rule, ended)| (hybrid::subject(rule), hybrid::failure(rule, ended)));
            errors.collect()
        },
        also_called: |_, _| Vec::new(),
        places: placed::objects,
        placed_on: placed::rules,
        heads: ("PlacementRule", "Decision"),
    },
    Answers {
        system: System::Ogc,
        chapter: include_str!("ogc/placement.md"),
        differences: Some("OGC deployment planning, section 8"),
        decided: applications,
        unplaceable: |plan, sink| {
            if let Some(outcome) = &plan.applications {
                ogc::rules::unplaceable(&plan.site.ogc, outcome, sink);
            }
        },
        subjects: |plan| {
            let model = &plan.site.ogc;
            let package = |a| model.package_of(a).name;
            let applications = model.applications.iter();
            applications
                .map(|a| format!("{}/{}", package(a), a.name))
                .collect()
        },
        why: |asked| {
            let model = &asked.plan.site.ogc;
            let (package, application) = asked.subject.split_once('/')?;
            let same_node = asked.options.same_node;
            let outcome = again::application(model, package, application, same_node)?;
            let found = ogc::why::why(model, package, application, outcome, asked.candidate)?;
            Some(found.common(model))
        },
        trial: |site, options, subject, candidate, _| {
            let (model, documents) = (&site.ogc, &site.documents);
            let found = subject.split_once('/').and_then(|subject| {
                let (package, application) = subject;
                let outcome = again::application(model, package, application, options.same_node)?;
                ogc::repair::obstacles(model, documents, subject, outcome, candidate)
            });
            found.into()
        },
        needs: |_, document, subject, candidate| ogc::repair::needs(document, subject, candidate),
        failed: |plan| {
            let items = plan.applications.iter().flat_map(|outcome| &outcome.items);
            let failed = items.filter(|item| item.change == Change::Unplaceable);
            failed.map(application).collect()
        },
        errors: |plan| {
            let Some(outcome) = &plan.applications else {
                return Vec::new();
            };
            let error = |item: &Item<'_>| {
                let run = outcome.run_of(item)?;
                ogc::describe::failure(&plan.site.ogc, item, run)
            };
            let items = outcome.items.iter();
            items.map(|item| (application(item), error(item))).collect()
        },
        also_called: |_, _| Vec::new(),
        places: placed::clusters,
        placed_on: placed::applications,
        heads: ("Application", "Cluster"),
    },
    Answers {
        system: System::Senlin,
        chapter: include_str!("senlin/placement.md"),
        differences: Some("Senlin region placement, section 11"),
        decided: regions,
        unplaceable: |plan, sink| senlin::rules::unplaceable(&plan.regions, sink),
        subjects: |plan| senlin::subjects(&plan.regions).map(str::to_owned).collect(),
        why: |asked| {
            senlin::why(
                &asked.plan.regions,
                asked.subject,
                asked.candidate,
                plan::regions,
            )
        },
        trial: |site, _, subject, candidate, _| {
            let (model, documents) = (&site.senlin, &site.documents);
            senlin::repair::obstacles(model, documents, subject, candidate, plan::regions).into()
        },
        needs: |site, document, subject, _| {
            site.documents.sources.get(document.source).name == subject
        },
        failed: |plan| {
            let failed = plan.regions.planned.iter().filter(|one| one.fails());
            failed.map(|one| one.set.path.to_owned()).collect()
        },
        errors: |plan| senlin::errors(&plan.regions),
        also_called: |plan, name| senlin::called(&plan.regions, name),
        places: placed::regions,
        placed_on: |plan, name| Some(placed::actions(plan, name)),
        heads: ("Region", "Number"),
    },
];

/// The row of a system.
#[must_use]
pub fn of(system: System) -> &'static Answers {
    let mut rows = ROWS.iter();
    // There is a row for each; a test sees to it.
    rows.find(|row| row.system == system).unwrap_or(&ROWS[0])
}

/// The warnings about what cannot be placed: `planner validate` gives them, since it shows no
/// plan. Nothing is said where documents hold alternatives, which `planner plan` does not plan
/// together.
#[must_use]
pub fn unplaceable(plan: &Plan<'_, '_>) -> Sink {
    let mut sink = Sink::default();
    let alternatives = plan.site.findings.diagnostics.iter().any(is_alternative);
    if plan.complete && !alternatives {
        for row in &ROWS {
            (row.unplaceable)(plan, &mut sink);
        }
    }
    sink
}

fn set(names: impl Iterator<Item = String>) -> Assignment {
    let mut names: Vec<String> = names.collect();
    names.sort();
    Assignment::Decisions(names)
}

fn groups(plan: &Plan<'_, '_>) -> Vec<(String, Assignment)> {
    let Some(strategy) = &plan.strategy else {
        return Vec::new();
    };
    let (site, planned) = (strategy.site, &strategy.deployment);
    let group = |(group, position): (&u32, usize)| {
        let members = planned.members[*group as usize].iter();
        let name = |node: &u32| site.nodes[*node as usize].name.text.to_owned();
        let mut nodes: Vec<String> = members.map(name).collect();
        nodes.sort();
        let name = site.groups[*group as usize].name.text.to_owned();
        (name, Assignment::Group { position, nodes })
    };
    planned.order.iter().zip(1..).map(group).collect()
}

fn placement(plan: &Plan<'_, '_>, placed: &Placement<'_>) -> String {
    let placement = &plan.site.ocm.placements[placed.placement];
    format!("{}/{}", placement.namespace, placement.name)
}

fn application(item: &Item<'_>) -> String {
    format!("{}/{}", item.package, item.application)
}

fn placements(plan: &Plan<'_, '_>) -> Vec<(String, Assignment)> {
    let Some(outcome) = &plan.placements else {
        return Vec::new();
    };
    let names = &outcome.placements.names;
    let placed = outcome.placements.placed.iter();
    let placed = placed.filter(|placed| placed.skipped.is_none());
    let decided = placed.map(|placed| {
        let chosen = placed.pages.iter().flat_map(|page| &page.clusters);
        let chosen = chosen.map(|id| names[*id as usize].to_owned());
        (placement(plan, placed), set(chosen))
    });
    decided.collect()
}

fn rules(plan: &Plan<'_, '_>) -> Vec<(String, Assignment)> {
    let Some(outcome) = &plan.rules else {
        return Vec::new();
    };
    let model = &plan.site.hybrid;
    let rules = model.rules.iter().zip(&outcome.rules);
    let decided = rules.map(|(rule, ended)| {
        let ended = ended.decisions.iter();
        let names = ended.map(|one| hybrid::decision(model, rule, *one));
        (hybrid::subject(rule), set(names))
    });
    decided.collect()
}

fn applications(plan: &Plan<'_, '_>) -> Vec<(String, Assignment)> {
    let Some(outcome) = &plan.applications else {
        return Vec::new();
    };
    let there = outcome.items.iter();
    let there = there.filter(|item| item.change != Change::Withdraw);
    let decided = there.map(|item| {
        let cluster = |at: u32| plan.site.ogc.clusters[at as usize].name.to_owned();
        (
            application(item),
            Assignment::Cluster(item.cluster.map(cluster)),
        )
    });
    decided.collect()
}

fn regions(plan: &Plan<'_, '_>) -> Vec<(String, Assignment)> {
    let counts = plan.regions.counts();
    counts
        .map(|(name, count)| (name, Assignment::Count(count)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_has_its_row() {
        for system in System::ALL {
            assert_eq!(of(system).system, system);
        }
    }
}
