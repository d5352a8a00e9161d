//! Open Cluster Management: Placement, decisions, rollout.
//!
//! Rules and section numbers are those of "OCM placement", which describes upstream at commit
//! 00f84c32b0.

pub mod engine;
mod intake;
pub mod lost;
pub(crate) mod lower;
pub mod model;
pub mod records;
pub mod repair;
pub mod rules;
pub mod simulate;
mod study;
pub mod why;

use std::sync::Arc;

use jiff::Timestamp;

use crate::diagnostic::Sink;
use crate::document::Documents;
use crate::options::{CheckOptions, Options};
use engine::cel::Evaluator;
use engine::place::Detail;
use engine::{Placements, Rollout, Waves};
use model::Model;

pub use study::Study;

/// Exports what planning needs of a hub, of the kinds that it serves; Secrets and objects that
/// hold workloads are left out.
pub const EXPORT: &str = "{ date -u '+# planner-hub: %FT%TZ'; kubectl get \"$(kubectl \
                          api-resources --verbs=list -o name | grep -E '^(managedclusters|\
                          managedclustersets|managedclustersetbindings|placements|\
                          placementdecisions|addonplacementscores|clustermanagementaddons|\
                          managedclusteraddons|addondeploymentconfigs|addontemplates|\
                          manifestworkreplicasets|policies|policysets|placementbindings|\
                          placementrules|subscriptions|channels|gitopsclusters|\
                          applicationsets|drplacementcontrols|drpolicies)[.](((cluster|\
                          addon|work|policy|apps)[.]open-cluster-management|argoproj)[.]io|\
                          ramendr[.]openshift[.]io)$' | paste -sd, -)\" -A -o yaml \
                          --show-managed-fields; } > hub.yaml";

/// Gives findings of schemas about clusters the severity of the hub's admission; returns whether it
/// only warns.
pub(crate) fn admit(documents: &Documents<'_>, sink: &mut Sink) -> bool {
    let lenient = intake::lenient_admission(documents);
    intake::admit(lenient, sink);
    lenient
}

/// Makes and checks the model of a site's OCM documents; refused documents take no part.
pub fn check<'a>(documents: &Documents<'a>, settings: &CheckOptions, sink: &mut Sink) -> Model<'a> {
    let lenient = admit(documents, sink);
    check_admitted(documents, lenient, settings, sink)
}

/// The same after [`admit`].
pub(crate) fn check_admitted<'a>(
    documents: &Documents<'a>,
    lenient: bool,
    settings: &CheckOptions,
    sink: &mut Sink,
) -> Model<'a> {
    let model = lower::lower(documents, lenient, settings, sink);
    rules::check(&model, settings.now, sink);
    if settings.validating {
        rules::operators(&model, sink);
    }
    // A review of half a site would report findings that the other half resolves.
    if settings.validating && !sink.refused() {
        rules::review(&model, settings.now, sink);
    }
    model
}

/// The answers for placements and rollouts.
#[derive(Debug, Default)]
pub struct Outcome<'a> {
    /// The placements.
    pub placements: Arc<Placements<'a>>,
    /// The next steps of rollouts, in document order.
    pub rollouts: Vec<Rollout<'a>>,
    /// All waves of rollouts from a clean start.
    pub waves: Vec<Waves<'a>>,
}

impl Outcome<'_> {
    /// Rewrites what the status of each placement would say.
    pub fn hide(&mut self, hidden: &dyn Fn(&str) -> String) {
        let placements = Arc::get_mut(&mut self.placements);
        for placed in placements.into_iter().flat_map(|all| &mut all.placed) {
            for condition in &mut placed.conditions {
                condition.message = hidden(&condition.message).into();
            }
            placed.fault = placed.fault.take().map(|fault| hidden(&fault));
        }
    }
}

impl Outcome<'_> {
    /// Whether a placement lacks clusters or a rollout's question has no answer.
    #[must_use]
    pub fn is_unplaceable(&self) -> bool {
        self.placements
            .placed
            .iter()
            .any(|placed| !placed.is_satisfied())
            || self.rollouts.iter().any(|rollout| rollout.answer.is_err())
    }

    /// Whether no `PlacementDecision` is made, altered or deleted.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.placements
            .placed
            .iter()
            .all(engine::place::Placed::is_unchanged)
    }
}

/// Whether there is anything to plan.
#[must_use]
pub fn has_plan(model: &Model<'_>) -> bool {
    !model.placements.is_empty() || !model.rollout_steps.is_empty()
}

/// The next steps of rollouts, in document order.
#[must_use]
pub fn rollouts<'a>(model: &Model<'a>, now: Timestamp) -> Vec<Rollout<'a>> {
    engine::plan_rollouts(model, now)
}

/// Plans placements and the waves of rollouts; the rollouts' next steps are known already.
#[must_use]
pub fn plan<'a>(
    model: &Model<'a>,
    rollouts: Vec<Rollout<'a>>,
    now: Timestamp,
    options: &Options,
) -> Outcome<'a> {
    with_waves(model, Arc::new(placements(model, now, options)), rollouts)
}

/// Plans placements.
#[must_use]
pub fn placements<'a>(model: &Model<'a>, now: Timestamp, options: &Options) -> Placements<'a> {
    let detail = match () {
        () if options.trace => Detail::All,
        () if options.unscored => Detail::Selection,
        () => Detail::Chosen,
    };
    let cel = Evaluator::default();
    let settings = engine::Settings {
        now,
        detail,
        sequential: options.sequential,
        jobs: options.jobs,
        progress: &options.progress,
    };
    engine::plan_placements(model, settings, &cel)
}

/// Plans the waves of rollouts over planned placements.
#[must_use]
pub fn with_waves<'a>(
    model: &Model<'a>,
    placements: Arc<Placements<'a>>,
    rollouts: Vec<Rollout<'a>>,
) -> Outcome<'a> {
    Outcome {
        rollouts,
        waves: engine::plan_waves(model, &placements),
        placements,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_has_the_command_that_exports_a_hub() {
        assert!(include_str!("rules/no_hub.md").contains(super::EXPORT));
    }
}
