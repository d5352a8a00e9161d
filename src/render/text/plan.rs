//! A whole plan as text: the sections in the order in which a site comes up.

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::kit::plural::{listed, plural};
use crate::kit::safe::{clean, shell_word};
use crate::plan::{Plan, Quality};
use crate::site;
use crate::systems::{self, View};
use crate::why::Ways;

use super::totals::Totals;
use super::{Page, Screen, Tone, changes, partial};

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
        add(&mut page, changes::changes(plan, screen));
    }
    let view = View {
        screen,
        ways,
        section,
    };
    let (mut below, mut end) = (Vec::new(), Page::new());
    for system in systems::all() {
        let shown = system.text(plan, view);
        for section in shown.sections {
            add(&mut page, section);
        }
        below.extend(shown.below);
        end.append(shown.end);
    }
    for part in below {
        add(&mut page, part);
    }
    let totals = Totals::of(plan, wanted);
    let line = totals.line();
    if !page.is_empty() && !totals.is_still() && !line.is_empty() {
        page.gap();
        page.prose(screen, Tone::Plain, &line, 0);
    }
    page.append(end);
    if plan.quality == Quality::Ready && !plan.recordable && section.is_none() {
        page.gap();
        page.prose(screen, Tone::Plain, unrecorded(plan), 0);
    }
    if plan.quality == Quality::Unplaceable {
        failed(&mut page, plan, screen, wanted, within);
    }
    page
}

/// Why Proceed has nothing to record.
#[must_use]
pub fn unrecorded(plan: &Plan<'_, '_>) -> &'static str {
    let follows = plan.followed().is_some_and(|all| !all.is_unchanged());
    if plan.quality == Quality::Unchanged {
        "No changes: there is nothing to record."
    } else if plan.site.hub.is_some() {
        "Nothing to record: the hub writes PlacementDecisions itself."
    } else if plan.strategy.is_some() {
        "Nothing to record: deployment groups are planned again each time."
    } else if follows {
        "Nothing to record: what reaches which cluster follows from the decisions."
    } else {
        "There is nothing to record."
    }
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

fn add(page: &mut Page, section: Page) {
    if !section.is_empty() {
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
