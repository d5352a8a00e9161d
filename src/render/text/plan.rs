//! A whole plan as text: the sections in the order in which a site comes up.

use crate::diagnostic::{Severity, Sink};
use crate::plan::{Plan, Quality};

use super::{Page, Screen, Tone, airship, hybrid, ocm, ogc, senlin};

/// Codes of findings that the screen itself shows.
pub const ON_SCREEN: &[&str] = &[
    "planner::airship::empty_group",
    "planner::airship::no_criteria",
    "planner::airship::unassigned_nodes",
    "planner::airship::uncovered_rack",
    "planner::hybrid::ambiguous_recommendation",
    "planner::hybrid::not_a_candidate",
    "planner::ogc::no_single_node",
    "planner::ogc::volume_out_of_bounds",
    "planner::senlin::overdraft",
];

/// The plan, or one section of it.
#[must_use]
pub fn plan(plan: &Plan<'_, '_>, screen: &Screen, section: Option<&str>) -> Page {
    let wanted = |name: &str| section.is_none_or(|section| section == name);
    let mut page = Page::new();
    if wanted("deploymentStrategy") {
        add(&mut page, airship::strategy(&plan.site.airship, screen));
    }
    if plan.regions && wanted("regionPlacements") {
        add(&mut page, senlin::regions(&plan.site.senlin, screen));
    }
    if let Some(outcome) = &plan.placements
        && wanted("placements")
    {
        add(&mut page, ocm::placements(&plan.site.ocm, outcome, screen));
    }
    if let Some(outcome) = &plan.rules
        && wanted("placementRules")
    {
        let rules = hybrid::placement_rules(&plan.site.hybrid, outcome, screen);
        add(&mut page, rules);
    }
    if let Some(outcome) = &plan.applications
        && wanted("applications")
    {
        add(
            &mut page,
            ogc::applications(&plan.site.ogc, outcome, screen),
        );
        add(&mut page, ogc::closing(outcome, screen));
    }
    if let Some(outcome) = &plan.placements
        && (wanted("rollouts") || wanted("rolloutWaves"))
    {
        add(&mut page, ocm::rollouts(&plan.site.ocm, outcome, screen));
    }
    if plan.quality == Quality::Unplaceable {
        page.toned(
            Tone::Failed,
            "Error: planning failed, nothing can be deployed.",
        );
    }
    page
}

fn add(page: &mut Page, section: Page) {
    if !section.is_empty() {
        page.gap();
        page.append(section);
    }
}

/// What stands in place of a plan when documents were refused.
#[must_use]
pub fn invalid(sink: &Sink, screen: &Screen) -> Page {
    refused(sink.count(Severity::Error), screen)
}

/// The same by the number of errors.
#[must_use]
pub fn refused(errors: usize, screen: &Screen) -> Page {
    let mut page = Page::new();
    let plural = if errors == 1 { "" } else { "s" };
    let text = format!("No plan: documents were refused ({errors} error{plural}).");
    page.prose(screen, Tone::Failed, &text, 0);
    page
}
