//! `planner simulate` as data.

use serde::{Serialize, Serializer};

use crate::airship::Strategy;
use crate::airship::engine::run::DeploymentRun;
use crate::airship::engine::weakest::{TakenDown, Weakness};
use crate::diagnostic::Sink;
use crate::render::diagnostics::{self, JsonDiagnostics};
use crate::site::Counts;
use crate::source::Sources;

use super::envelope::{DocumentCounts, Head};
use crate::systems::airship::json::{
    self as airship, DeploymentStrategy, RunForm, TakenDownForm, WeaknessForm,
};

/// A simulated run of the deployment strategy.
#[derive(Debug)]
pub struct StrategyRun<'a> {
    /// The run.
    pub run: DeploymentRun,
    /// `--weakest`: what breaks the site, and what a failure takes down.
    pub weakest: Option<(Vec<Weakness<'a>>, Vec<TakenDown>)>,
}

/// The whole answer; keys in their documented order.
pub struct Simulation<'p, 'a> {
    /// The instant everything was judged at.
    pub now: jiff::Timestamp,
    /// How documents were counted.
    pub counts: Counts,
    /// The strategy and its run; `None` when documents were refused or there is none.
    pub strategy: Option<(&'p Strategy<'p, 'a>, &'p StrategyRun<'a>)>,
    /// Runs of rollouts, each an entry of `rolloutRuns`.
    pub rollout_runs: Option<serde_json::Value>,
    /// Rollouts of Applications, each an entry of `applicationRollouts`.
    pub application_rollouts: Option<serde_json::Value>,
    /// Whether documents were refused.
    pub invalid: bool,
    /// The findings.
    pub sink: &'p Sink,
    /// The files they point into.
    pub sources: &'p Sources,
}

/// Its form; keys in their documented order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Form<'p> {
    #[serde(flatten)]
    head: Head,
    documents: DocumentCounts,
    result: &'static str,
    #[serde(flatten)]
    strategy: Option<StrategyForm<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rollout_runs: Option<&'p serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    application_rollouts: Option<&'p serde_json::Value>,
    diagnostics: JsonDiagnostics<'p>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StrategyForm<'p> {
    deployment_strategy: DeploymentStrategy<'p>,
    #[serde(flatten)]
    run: RunForm<'p>,
    #[serde(flatten)]
    weakest: Option<WeakestForm<'p>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WeakestForm<'p> {
    weakest: Vec<WeaknessForm<'p>>,
    taken_down: Vec<TakenDownForm<'p>>,
}

impl Serialize for Simulation<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let strategy = self.strategy.map(|(strategy, simulated)| {
            let site = strategy.site;
            let weakest = simulated.weakest.as_ref();
            StrategyForm {
                deployment_strategy: DeploymentStrategy::new(strategy),
                run: RunForm::new(site, &simulated.run),
                weakest: weakest.map(|(weakest, taken_down)| WeakestForm {
                    weakest: airship::weakest(site, weakest),
                    taken_down: airship::taken_down(site, taken_down),
                }),
            }
        });
        let form = Form {
            head: Head::of("Simulation", self.now),
            documents: self.counts.into(),
            result: if self.invalid { "invalid" } else { "ready" },
            strategy,
            rollout_runs: self.rollout_runs.as_ref(),
            application_rollouts: self.application_rollouts.as_ref(),
            diagnostics: diagnostics::json(self.sink, self.sources),
        };
        form.serialize(serializer)
    }
}
