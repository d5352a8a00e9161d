//! `planner plan` as data (contract, section 3).

use std::io;

use serde::Serialize;
use serde_json::Value;

use crate::diagnostic::Sink;
use crate::hybrid::engine::Keep;
use crate::plan::{Plan, Quality};
use crate::render::diagnostics::{self, JsonDiagnostic};
use crate::render::yaml;
use crate::site::Counts;
use crate::source::Sources;

use super::envelope::{DocumentCounts, FORMAT_VERSION};
use super::{airship, hybrid, ocm, ogc, senlin};

/// The names of the sections, in their order.
pub const SECTIONS: &[&str] = &[
    "deploymentStrategy",
    "regionPlacements",
    "placements",
    "sequential",
    "placementRules",
    "applications",
    "rollouts",
    "rolloutWaves",
];

/// The whole answer; keys in the contract's order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanAnswer<'p, 'a> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    now: String,
    documents: DocumentCounts,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    deployment_strategy: Option<airship::DeploymentStrategy<'p, 'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region_placements: Option<Vec<senlin::RegionPlacement<'p>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    placements: Option<ocm::Placements<'p, 'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sequential: Option<Vec<ocm::Sequential<'p>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    placement_rules: Option<hybrid::PlacementRules<'p, 'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    applications: Option<ogc::Applications<'p, 'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rollouts: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rollout_waves: Vec<Value>,
    diagnostics: Vec<JsonDiagnostic<'p>>,
}

impl<'p, 'a> PlanAnswer<'p, 'a> {
    /// The answer; without a plan (documents were refused) only its findings follow.
    #[must_use]
    pub fn new(
        plan: Option<&'p Plan<'_, 'a>>,
        now: jiff::Timestamp,
        counts: Counts,
        quality: Quality,
        sink: &'p Sink,
        sources: &'p Sources,
    ) -> Self {
        let ocm = plan.and_then(|plan| Some((&plan.site.ocm, plan.placements.as_ref()?)));
        Self {
            api_version: "planner/v1",
            kind: "Plan",
            format_version: FORMAT_VERSION,
            now: now.to_string(),
            documents: counts.into(),
            result: quality.word(),
            deployment_strategy: plan
                .and_then(|plan| airship::DeploymentStrategy::new(&plan.site.airship)),
            region_placements: plan
                .filter(|plan| plan.regions)
                .map(|plan| senlin::region_placements(&plan.site.senlin)),
            placements: ocm.filter(|(model, _)| !model.placements.is_empty()).map(
                |(model, outcome)| {
                    let trace = plan.is_some_and(|plan| plan.trace);
                    ocm::Placements::new(model, outcome, trace)
                },
            ),
            sequential: ocm.and_then(|(model, outcome)| ocm::sequential(model, outcome)),
            placement_rules: plan.and_then(|plan| {
                let rules = plan.rules.as_ref()?;
                Some(hybrid::PlacementRules::new(
                    &plan.site.hybrid,
                    rules,
                    if plan.trace { Keep::All } else { Keep::Last },
                ))
            }),
            applications: plan.and_then(|plan| {
                let outcome = plan.applications.as_ref()?;
                Some(ogc::applications(&plan.site.ogc, outcome, plan.trace))
            }),
            rollouts: ocm.map_or(Vec::new(), |(model, outcome)| ocm::rollouts(model, outcome)),
            rollout_waves: ocm.map_or(Vec::new(), |(_, outcome)| ocm::rollout_waves(outcome)),
            diagnostics: diagnostics::json(sink, sources),
        }
    }
}

/// Writes an answer as JSON, one item of a section a line.
///
/// # Errors
/// Those of the writer.
pub fn write_json(answer: &impl Serialize, mut out: impl io::Write) -> io::Result<()> {
    super::lines::write(answer, &mut out)?;
    out.write_all(b"\n")
}

/// Writes an answer as YAML.
///
/// # Errors
/// Those of the writer.
pub fn write_yaml(answer: &impl Serialize, mut out: impl io::Write) -> io::Result<()> {
    let value = serde_json::to_value(answer)?;
    out.write_all(yaml::document(&value).as_bytes())
}

/// Writes the `PlacementDecision`s of a plan as a hub would hold them.
///
/// # Errors
/// Those of the writer.
pub fn write_decisions(plan: Option<&Plan<'_, '_>>, mut out: impl io::Write) -> io::Result<()> {
    let planned = plan.and_then(|plan| Some((&plan.site.ocm, plan.placements.as_ref()?)));
    let documents = planned.map(|(model, outcome)| ocm::documents(model, outcome));
    for (index, document) in documents.into_iter().flatten().enumerate() {
        let mark = if index == 0 { "" } else { "---\n" };
        write!(out, "{mark}{}", yaml::document(&document))?;
    }
    Ok(())
}

/// One section of an answer alone, under its key.
///
/// # Errors
/// Those of the writer.
pub fn section(answer: &impl Serialize, name: &str) -> io::Result<serde_json::Value> {
    let mut value = serde_json::to_value(answer)?;
    let section = value
        .get_mut(name)
        .map_or(serde_json::json!([]), serde_json::Value::take);
    Ok(serde_json::json!({ name: section }))
}
