//! A whole plan as text: the sections in the order in which a site comes up.

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::document::System;
use crate::kit::plural::{listed, plural};
use crate::kit::safe::{clean, shell_word};
use crate::plan::{Plan, Quality};
use crate::site;
use crate::systems;
use crate::why::Ways;

use super::totals::Totals;
use super::{Page, Screen, Tone, airship, changes, delivery, hybrid, ocm, ogc, partial, regions};

/// The plan, or one section of it: the sections, one line of totals, what will be stopped; with the
/// ways to place what could not be placed. `within` are the options with which `planner why` finds
/// the same site.
#[must_use]
pub fn plan(
    plan: &Plan<'_, '_>,
    ways: &Ways,
    screen: &Screen,
    section: Option<&str>,
    within: &str,
) -> Page {
    let wanted = |name: &str| section.is_none_or(|section| section == name);
    let mut page = partial::partial(plan, screen);
    if section.is_none() {
        add(&mut page, Some(changes::changes(plan, screen)));
    }
    for system in systems::all() {
        match system.profile().system {
            System::Airship if wanted("deploymentStrategy") => {
                let strategy = plan.strategy.as_ref();
                let groups = strategy.map(|strategy| airship::strategy(strategy, screen));
                add(&mut page, groups);
            }
            System::Senlin if wanted("regionPlacements") => {
                let planned = !plan.regions.planned.is_empty();
                let section = planned.then(|| regions(plan, ways, screen));
                add(&mut page, section);
            }
            System::Ocm => {
                if wanted("placements") {
                    placements(&mut page, plan, ways, screen);
                }
                if wanted("deliveries") {
                    let followed = plan.followed();
                    let rows = followed.map(|all| delivery::deliveries(plan, all, screen));
                    add(&mut page, rows);
                }
            }
            System::Hybrid if wanted("placementRules") => {
                let (model, outcome) = (&plan.site.hybrid, plan.placement_rules.as_ref());
                let rules =
                    outcome.map(|outcome| hybrid::placement_rules(model, outcome, ways, screen));
                add(&mut page, rules);
            }
            System::Ogc if wanted("applications") => {
                let (model, outcome) = (&plan.site.ogc, plan.applications.as_ref());
                let placed = outcome.map(|outcome| ogc::applications(model, outcome, ways, screen));
                add(&mut page, placed);
            }
            System::Airship | System::Senlin | System::Hybrid | System::Ogc => {}
        }
    }
    if let Some(outcome) = &plan.placements
        && (wanted("rollouts") || wanted("rolloutWaves"))
    {
        let rollouts = ocm::rollouts(&plan.site.ocm, outcome, screen);
        add(&mut page, Some(rollouts));
    }
    let totals = Totals::of(plan, wanted);
    let line = totals.line();
    if !page.is_empty() && !totals.is_still() && !line.is_empty() {
        page.gap();
        page.prose(screen, Tone::Plain, &line, 0);
    }
    if let Some(outcome) = &plan.applications
        && wanted("applications")
    {
        page.append(ogc::stops(outcome, screen));
    }
    let of_hub = plan.site.hub.is_some();
    if plan.quality == Quality::Ready && !plan.recordable && section.is_none() {
        page.gap();
        let text = match &plan.strategy {
            _ if of_hub => "Nothing to record: the hub writes PlacementDecisions itself.",
            Some(_) => "Nothing to record: deployment groups are planned again each time.",
            None => "Nothing to record: what reaches which cluster follows from the decisions.",
        };
        page.prose(screen, Tone::Plain, text, 0);
    }
    if plan.quality == Quality::Unplaceable {
        failed(&mut page, plan, screen, wanted, within);
    }
    page
}

/// The failures of sections that are not shown, and the command that explains them.
fn failed(
    page: &mut Page,
    plan: &Plan<'_, '_>,
    screen: &Screen,
    wanted: impl Fn(&str) -> bool,
    within: &str,
) {
    // Waves are shown with their rollouts.
    let shown = |name: &str| wanted(name) || (name == "rollouts" && wanted("rolloutWaves"));
    let hidden = Totals::of(plan, |name| !shown(name)).failures();
    if !hidden.is_empty() {
        let text = format!("In other sections: {}.", hidden.join(", "));
        page.prose(screen, Tone::Plain, &text, 4);
    }
    let text = "Error: planning failed, nothing can be deployed.";
    page.prose(screen, Tone::Failed, text, 0);
    if let Some((_, first)) = systems::failed(plan).next() {
        let first = shell_word(&first);
        let text = format!("Reasons, and what would help: planner why {first}{within}");
        page.prose(screen, Tone::Plain, &text, 0);
    }
}

fn placements(page: &mut Page, plan: &Plan<'_, '_>, ways: &Ways, screen: &Screen) {
    if let Some(outcome) = &plan.placements {
        let (model, now) = (&plan.site.ocm, plan.now);
        let placed = ocm::placements(model, outcome, now, ways, screen);
        add(page, Some(placed));
        add(page, Some(ocm::expired_scores(model, now, screen)));
    }
    if !plan.without_hub.is_empty() {
        add(page, Some(ocm::without_hub(&plan.without_hub, screen)));
    }
}

fn add(page: &mut Page, section: Option<Page>) {
    if let Some(section) = section.filter(|section| !section.is_empty()) {
        page.gap();
        page.append(section);
    }
}

/// Shown instead of a plan: why nothing is planned, as far as the plan knows.
#[must_use]
pub fn unplanned(plan: &Plan<'_, '_>, sink: &Sink, screen: &Screen) -> Page {
    let mut page = match partial::obstacle(plan) {
        Some(why) => no_plan(&why, sink.count(Severity::Error), screen),
        None => invalid(sink, screen),
    };
    let twins = site::twins(sink, plan.site.documents.sources);
    if let Some(first) = twins.first() {
        let (names, first) = (listed(&twins), shell_word(first));
        let text = format!("{names} define the same objects: plan one, `planner plan {first}`.");
        page.prose(screen, Tone::Plain, &clean(&text), 4);
    }
    page
}

/// Shown instead of a plan when documents were refused, or when kustomizations are not built and
/// nothing else is there to plan.
#[must_use]
pub fn invalid(sink: &Sink, screen: &Screen) -> Page {
    let mut errors = sink.diagnostics.iter();
    let of_builds = |found: &Diagnostic| {
        found.severity != Severity::Error || found.rule.code.starts_with("planner::kustomize::")
    };
    let why = if errors.all(of_builds) {
        "kustomizations are not built"
    } else {
        "documents were refused"
    };
    no_plan(why, sink.count(Severity::Error), screen)
}

/// Shown instead of a plan when documents were refused, by the number of errors and under a
/// headline.
#[must_use]
pub fn refused_as(errors: usize, title: &str, screen: &Screen) -> Page {
    let mut page = Page::new();
    page.toned(Tone::Strong, title);
    page.append(refused(errors, screen));
    page
}

/// Shown instead of a plan when documents were refused, by the number of errors.
#[must_use]
pub fn refused(errors: usize, screen: &Screen) -> Page {
    no_plan("documents were refused", errors, screen)
}

fn no_plan(why: &str, errors: usize, screen: &Screen) -> Page {
    let mut page = Page::new();
    let text = format!("No plan: {why} ({}).", plural(errors, "error"));
    page.prose(screen, Tone::Failed, &text, 0);
    page
}
