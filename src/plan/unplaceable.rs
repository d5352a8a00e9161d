//! What a plan cannot place, as findings: `planner validate` gives them, since it shows no plan.

use crate::diagnostic::Sink;
use crate::{hybrid, ocm, ogc, senlin};

use super::Plan;
use crate::site::is_alternative;

/// The warnings about what cannot be placed. Nothing is said where documents hold alternatives,
/// which `planner plan` does not plan together.
#[must_use]
pub fn unplaceable(plan: &Plan<'_, '_>) -> Sink {
    let mut sink = Sink::default();
    let site = plan.site;
    let alternatives = site.findings.diagnostics.iter().any(is_alternative);
    if !plan.complete || alternatives {
        return sink;
    }
    senlin::rules::unplaceable(&plan.regions, &mut sink);
    if let Some(outcome) = &plan.placements {
        ocm::rules::unsatisfied(&site.ocm, outcome, &mut sink);
    }
    if let Some(outcome) = &plan.rules {
        hybrid::rules::unplaceable(&site.hybrid, outcome, &mut sink);
    }
    if let Some(outcome) = &plan.applications {
        ogc::rules::unplaceable(&site.ogc, outcome, &mut sink);
    }
    sink
}
