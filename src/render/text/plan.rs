//! A whole plan as text: the sections in the order in which a site comes up.

use crate::diagnostic::{Severity, Sink};
use crate::kit::plural::plural;
use crate::plan::{Plan, Quality};
use crate::systems;
use crate::why::Ways;

use super::totals::Totals;
use super::{Page, Screen, Tone, airship, delivery, hybrid, ocm, ogc, regions};

/// The plan, or one section of it: the sections, one line of totals, what will be stopped; with the
/// ways to place what could not be placed.
#[must_use]
pub fn plan(plan: &Plan<'_, '_>, ways: &Ways, screen: &Screen, section: Option<&str>) -> Page {
    let wanted = |name: &str| section.is_none_or(|section| section == name);
    let mut page = Page::new();
    if let Some(strategy) = &plan.strategy
        && wanted("deploymentStrategy")
    {
        add(&mut page, airship::strategy(strategy, screen));
    }
    if !plan.regions.planned.is_empty() && wanted("regionPlacements") {
        add(&mut page, regions(&plan.regions, ways, screen));
    }
    if let Some(outcome) = &plan.placements
        && wanted("placements")
    {
        let (model, now) = (&plan.site.ocm, plan.now);
        add(
            &mut page,
            ocm::placements(model, outcome, now, ways, screen),
        );
        add(&mut page, ocm::expired_scores(model, now, screen));
    }
    if plan.without_hub > 0 && wanted("placements") {
        add(&mut page, ocm::without_hub(plan.without_hub, screen));
    }
    if let Some(deliveries) = plan.followed()
        && wanted("deliveries")
    {
        add(
            &mut page,
            delivery::deliveries(deliveries, &plan.site.delivery, screen),
        );
    }
    if let Some(outcome) = &plan.placement_rules
        && wanted("placementRules")
    {
        let rules = hybrid::placement_rules(&plan.site.hybrid, outcome, ways, screen);
        add(&mut page, rules);
    }
    if let Some(outcome) = &plan.applications
        && wanted("applications")
    {
        let page_of = ogc::applications(&plan.site.ogc, outcome, ways, screen);
        add(&mut page, page_of);
    }
    if let Some(outcome) = &plan.placements
        && (wanted("rollouts") || wanted("rolloutWaves"))
    {
        add(&mut page, ocm::rollouts(&plan.site.ocm, outcome, screen));
    }
    let totals = Totals::of(plan, wanted);
    if !page.is_empty() && !totals.is_still() {
        page.gap();
        page.prose(screen, Tone::Plain, &totals.line(), 0);
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
        failed(&mut page, plan, screen, wanted);
    }
    page
}

/// What failed in sections that are not shown, and whom to ask.
fn failed(page: &mut Page, plan: &Plan<'_, '_>, screen: &Screen, wanted: impl Fn(&str) -> bool) {
    // Waves are shown with their rollouts.
    let shown = |name: &str| wanted(name) || (name == "rollouts" && wanted("rolloutWaves"));
    let hidden = Totals::of(plan, |name| !shown(name)).failures();
    if !hidden.is_empty() {
        let text = format!("In other sections: {}.", hidden.join(", "));
        page.prose(screen, Tone::Plain, &text, 4);
    }
    let text = "Error: planning failed, nothing can be deployed.";
    page.prose(screen, Tone::Failed, text, 0);
    let mut failed = systems::all().into_iter().flat_map(|one| one.failed(plan));
    if let Some(first) = failed.next() {
        let text = format!("Reasons, and what would help: planner why {first}");
        page.prose(screen, Tone::Plain, &text, 0);
    }
}

fn add(page: &mut Page, section: Page) {
    if !section.is_empty() {
        page.gap();
        page.append(section);
    }
}

/// Shown instead of a plan when documents were refused.
#[must_use]
pub fn invalid(sink: &Sink, screen: &Screen) -> Page {
    refused(sink.count(Severity::Error), screen)
}

/// The same by the number of errors.
#[must_use]
pub fn refused(errors: usize, screen: &Screen) -> Page {
    let mut page = Page::new();
    let errors = plural(errors, "error");
    let text = format!("No plan: documents were refused ({errors}).");
    page.prose(screen, Tone::Failed, &text, 0);
    page
}
