//! `planner simulate --result` as data: a simulation that an engine ran.

use serde::Serialize;

use crate::airship::Strategy;
use crate::airship::ran::Ran;
use crate::diagnostic::Sink;
use crate::render::diagnostics::{self, JsonDiagnostics};
use crate::site::Counts;
use crate::source::Sources;

use super::envelope::{DocumentCounts, FORMAT_VERSION};
use crate::systems::airship::json::{DeploymentStrategy, RunForm};

/// The contents of the answer.
#[derive(Debug)]
pub struct EngineRun<'r, 's, 'a> {
    /// The instant everything was judged at.
    pub now: jiff::Timestamp,
    /// How documents were counted.
    pub counts: Counts,
    /// The strategy.
    pub strategy: &'r Strategy<'s, 'a>,
    /// The results of the run.
    pub ran: &'r Ran,
    /// Whether the site is the one that was exported.
    pub is_same: bool,
    /// The findings.
    pub sink: &'r Sink,
    /// The files they point into.
    pub sources: &'r Sources,
}

/// Its form; keys in their documented order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Form<'r> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    now: String,
    documents: DocumentCounts,
    result: &'static str,
    deployment_strategy: DeploymentStrategy<'r>,
    #[serde(flatten)]
    run: RunForm<'r>,
    ran: RanForm<'r>,
    resume: Vec<RestForm<'r>>,
    diagnostics: JsonDiagnostics<'r>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RanForm<'r> {
    engine: &'static str,
    complete: bool,
    same_plan: bool,
    unknown: &'r [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RestForm<'r> {
    group: &'r str,
    nodes: Vec<&'r str>,
    after: Vec<&'r str>,
}

/// The answer.
#[must_use]
pub fn engine_run<'r>(answer: &EngineRun<'r, '_, '_>) -> impl Serialize + use<'r> {
    let (ran, site) = (answer.ran, answer.strategy.site);
    let group = |number: u32| site.groups[number as usize].name.text;
    let rest = ran.rest.iter().map(|rest| RestForm {
        group: group(rest.group),
        nodes: rest
            .nodes
            .iter()
            .map(|node| site.nodes[*node as usize].name.text)
            .collect(),
        after: rest.after.iter().map(|need| group(*need)).collect(),
    });
    Form {
        api_version: "planner/v1",
        kind: "Simulation",
        format_version: FORMAT_VERSION,
        now: answer.now.to_string(),
        documents: answer.counts.into(),
        result: "ready",
        deployment_strategy: DeploymentStrategy::new(answer.strategy),
        run: RunForm::ran(site, ran),
        ran: RanForm {
            engine: ran.engine,
            complete: ran.complete,
            same_plan: answer.is_same,
            unknown: &ran.unknown,
        },
        resume: rest.collect(),
        diagnostics: diagnostics::json(answer.sink, answer.sources),
    }
}
