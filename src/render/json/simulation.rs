//! `planner simulate` as data (contract, section 3).

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::airship::Strategy;
use crate::airship::engine::run::DeploymentRun;
use crate::airship::engine::weakest::{TakenDown, Weakness};
use crate::diagnostic::Sink;
use crate::render::diagnostics;
use crate::site::Counts;
use crate::source::Sources;

use super::airship::{DeploymentStrategy, RunForm, TakenDownForm, WeakestForm};
use super::envelope::{DocumentCounts, FORMAT_VERSION};

/// What was simulated of the deployment strategy.
#[derive(Debug)]
pub struct StrategyRun<'a> {
    /// The run.
    pub run: DeploymentRun,
    /// `--weakest`: what breaks the site, and what a failure takes down.
    pub weakest: Option<(Vec<Weakness<'a>>, Vec<TakenDown>)>,
}

/// The whole answer; keys in the contract's order.
pub struct Simulation<'p, 'a> {
    /// The instant everything was judged at.
    pub now: jiff::Timestamp,
    /// How documents were counted.
    pub counts: Counts,
    /// The strategy and its run; `None` when documents were refused or there is none.
    pub strategy: Option<(&'p Strategy<'p, 'a>, &'p StrategyRun<'a>)>,
    /// Runs of rollouts, each an entry of `rolloutRuns`.
    pub rollout_runs: Option<serde_json::Value>,
    /// Whether documents were refused.
    pub invalid: bool,
    /// The findings.
    pub sink: &'p Sink,
    /// The files they point into.
    pub sources: &'p Sources,
}

impl Serialize for Simulation<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("apiVersion", "planner/v1")?;
        map.serialize_entry("kind", "Simulation")?;
        map.serialize_entry("formatVersion", FORMAT_VERSION)?;
        map.serialize_entry("now", &self.now.to_string())?;
        map.serialize_entry("documents", &DocumentCounts::from(self.counts))?;
        map.serialize_entry("result", if self.invalid { "invalid" } else { "ready" })?;
        if let Some((strategy, simulated)) = self.strategy {
            let site = strategy.site;
            map.serialize_entry("deploymentStrategy", &DeploymentStrategy(strategy))?;
            RunForm::new(site, &simulated.run).entries(&mut map)?;
            if let Some((weakest, taken_down)) = &simulated.weakest {
                map.serialize_entry("weakest", &WeakestForm(site, weakest))?;
                map.serialize_entry("takenDown", &TakenDownForm(site, taken_down))?;
            }
        }
        if let Some(runs) = &self.rollout_runs {
            map.serialize_entry("rolloutRuns", runs)?;
        }
        map.serialize_entry("diagnostics", &diagnostics::json(self.sink, self.sources))?;
        map.end()
    }
}
