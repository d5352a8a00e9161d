//! Parts of a plan, planned once more: a subject with every reason, what a loss touches, a
//! deployment with faults. Engines are called from here and from `plan::make` alone.
//!
//! Code that changes documents on trial receives a function from here: it does not plan by itself.

use std::collections::BTreeSet;
use std::ops::Range;

use jiff::Timestamp;

use crate::airship::engine::run::{DeploymentRun, Faults};
use crate::airship::engine::weakest::{TakenDown, Weakness};
pub use crate::delivery::application_set::rollout::ApplicationRollout;

use crate::delivery::application_set::rollout;
use crate::hybrid::engine::RuleOutcome;
use crate::kit::progress::Progress;
use crate::options::{Options, Order};
use crate::site::Checked;
use crate::{airship, delivery, hybrid, ocm, ogc, senlin};

use super::Plan;

/// The strategy of a site by itself.
#[must_use]
pub fn strategy<'m, 'a>(
    model: &'m airship::Model<'a>,
    order: Order,
) -> Option<airship::Strategy<'m, 'a>> {
    airship::plan(model, order)
}

/// The numbers of the groups whose nodes change, without the `own` ones. `after` may leave out the
/// nodes that did not change. `None` if only a plan of everything can tell.
#[must_use]
pub fn moved_groups(
    before: &airship::Strategy<'_, '_>,
    after: &airship::Strategy<'_, '_>,
    own: impl Fn(&str) -> bool,
) -> Option<Vec<u32>> {
    let (was, is) = (&before.deployment, &after.deployment);
    let own = |group: &airship::model::Group<'_>| own(group.name.text);
    airship::engine::moved::moved((before.site, was), (after.site, is), own)
}

/// The run of a deployment with faults.
#[must_use]
pub fn run(strategy: &airship::Strategy<'_, '_>, faults: &Faults) -> DeploymentRun {
    let deployment = &strategy.deployment;
    airship::engine::run::run(strategy.site, deployment, faults, strategy.reading)
}

/// The smallest sets of failures that break a deployment, and what a failing group takes down;
/// `bound` limits both.
#[must_use]
pub fn weakest<'a>(
    strategy: &airship::Strategy<'_, 'a>,
    faults: &Faults,
    bound: u64,
    progress: &Progress,
) -> (Vec<Weakness<'a>>, Vec<TakenDown>) {
    use airship::engine::weakest;
    let (site, deployment) = (strategy.site, &strategy.deployment);
    let sets = weakest::weakest(site, deployment, faults, strategy.reading, bound, progress);
    (sets, weakest::taken_down(site, bound))
}

/// Deployment groups, to be judged with nodes lost.
#[must_use]
pub fn losses_of_groups<'p, 'a>(
    strategy: &'p airship::Strategy<'_, 'a>,
) -> airship::engine::loss::Losses<'p, 'a> {
    let (site, deployment) = (strategy.site, &strategy.deployment);
    airship::engine::loss::Losses::new(site, deployment, strategy.reading)
}

/// One placement with all that it was decided by; none if there is no such placement.
#[must_use]
pub fn placement<'m, 'a>(
    model: &'m ocm::model::Model<'a>,
    now: Timestamp,
    subject: &str,
    detail: ocm::engine::place::Detail,
) -> Option<ocm::Study<'m, 'a>> {
    ocm::Study::of(model, now, subject, detail)
}

/// Placements, to be planned with clusters lost.
#[must_use]
pub fn losses_of_placements<'m, 'a>(
    model: &'m ocm::model::Model<'a>,
    now: Timestamp,
) -> ocm::engine::loss::Losses<'m, 'a> {
    ocm::engine::loss::Losses::new(model, now)
}

/// A check of regions, to be made with regions lost; none where it has to be planned as a whole.
#[must_use]
pub fn losses_of_regions<'p, 'a>(
    check: senlin::engine::Check<'p, 'a>,
    outcome: &'p senlin::engine::Outcome,
) -> Option<senlin::engine::loss::Losses<'p, 'a>> {
    senlin::engine::loss::Losses::new(check, outcome)
}

/// Runs the policy check of one file, or of one like it: for what changes documents on trial.
///
/// # Errors
///
/// If the check breaks: its documents are at fault.
pub fn regions(
    check: senlin::engine::Check<'_, '_>,
) -> Result<senlin::engine::Outcome, senlin::engine::Failure> {
    senlin::engine::plan(check)
}

/// The clusters that each consumer reaches, by a new plan of the site's placements.
#[must_use]
pub fn deliveries<'a>(site: &Checked<'a>, options: &Options) -> delivery::follow::Deliveries<'a> {
    let hub = &site.ocm;
    let outcome =
        ocm::has_plan(hub).then(|| ocm::plan(hub, Vec::new(), site.settings.now, options));
    delivery::reach(&site.delivery, hub, outcome.as_ref())
}

/// Every rollout over the planned placements: from where the snapshot of a hub says that it is,
/// otherwise from a clean start.
#[must_use]
pub fn rollouts<'a>(
    plan: &Plan<'_, 'a>,
    faults: &ocm::engine::rollout::Faults<'_>,
) -> Vec<ocm::simulate::RolloutRun<'a>> {
    let none = ocm::engine::Placements::default();
    let decided = plan.placements.as_ref();
    let placements = decided.map_or(&none, |outcome| &outcome.placements);
    let as_it_is = plan.site.hub.is_some();
    let begun = delivery::work::begun::Begun::new(&plan.site.delivery);
    let begin = |set: &_, placement: &_| {
        if as_it_is {
            begun.of(set, placement)
        } else {
            ocm::engine::rollout::Beginning::default()
        }
    };
    let mut runs = ocm::simulate::runs(&plan.site.ocm, placements, begin, plan.now, faults);
    let site = delivery::addon::follow::staged::Site {
        model: &plan.site.delivery,
        hub: &plan.site.ocm,
        decided,
        as_it_is,
    };
    if let Some(deliveries) = &plan.deliveries {
        runs.extend(delivery::addon::follow::staged::runs(
            site, deliveries, plan.now, faults,
        ));
    }
    runs
}

/// The rollout of every ApplicationSet; those that `fail` names, and those on clusters that it
/// names, never become healthy.
#[must_use]
pub fn application_rollouts<'p, 'a>(
    plan: &'p Plan<'_, 'a>,
    fail: &BTreeSet<&str>,
) -> Vec<ApplicationRollout<'p, 'a>> {
    let deliveries = plan.deliveries.as_deref().into_iter();
    let rollouts = |deliveries| rollout::rollouts(&plan.site.delivery, deliveries, fail);
    deliveries.flat_map(rollouts).collect()
}

/// The names that rollouts of Applications know: those of Applications and of their clusters.
#[must_use]
pub fn of_rollouts(
    plan: &Plan<'_, '_>,
    rollouts: &[ApplicationRollout<'_, '_>],
) -> BTreeSet<String> {
    let deliveries = plan.deliveries.as_ref();
    deliveries.map_or_else(BTreeSet::new, |deliveries| {
        rollout::names(rollouts, deliveries)
    })
}

/// Placement rules and rules like them, to be planned on trial.
#[must_use]
pub fn trials_of_rules<'m, 'a>(
    model: &'m hybrid::model::Model<'a>,
) -> hybrid::engine::Trials<'m, 'a> {
    hybrid::engine::Trials::new(model)
}

/// Placement rules, to be planned with objects lost.
#[must_use]
pub fn losses_of_rules<'m, 'a>(
    model: &'m hybrid::model::Model<'a>,
    planned: &'m [RuleOutcome],
) -> hybrid::engine::Losses<'m, 'a> {
    hybrid::engine::Losses::new(model, planned)
}

/// Which of these planned rules each object affects. With `alone`, also how the loss of that object
/// changes them.
#[must_use]
pub fn objects_of_rules(
    model: &hybrid::model::Model<'_>,
    planned: &[RuleOutcome],
    rules: Range<usize>,
    alone: bool,
) -> hybrid::engine::Touched {
    hybrid::engine::Touched::new(model, planned, rules, alone)
}

/// The Package of an Application with full lists; none if there is no such Application.
#[must_use]
pub fn application<'a>(
    model: &ogc::model::Model<'a>,
    package: &str,
    application: &str,
    same_node: bool,
) -> Option<ogc::engine::Outcome<'a>> {
    model.application(package, application)?;
    let packages = [package.to_owned()];
    let settings = ogc::engine::Settings {
        packages: &packages,
        same_node,
        trace: true,
        jobs: 1,
        progress: None,
    };
    Some(ogc::engine::plan(model, &settings))
}

/// All Packages, whichever the plan is limited to.
#[must_use]
pub fn packages<'a>(model: &ogc::model::Model<'a>) -> ogc::engine::Outcome<'a> {
    let settings = ogc::engine::Settings {
        jobs: 1,
        ..ogc::engine::Settings::default()
    };
    ogc::engine::plan(model, &settings)
}

/// Settings for placing Applications again and again: without a trace, on one thread.
fn settings(options: &Options) -> ogc::engine::Settings<'_> {
    ogc::engine::Settings {
        packages: &options.packages,
        same_node: options.same_node,
        trace: false,
        jobs: 1,
        progress: None,
    }
}

/// The Applications that move with the changes, by Package and name. Packages that did not change
/// only go through the filters again.
#[must_use]
pub fn moved_applications<'a>(
    models: (&ogc::model::Model<'a>, &ogc::model::Model<'a>),
    changed: &ogc::engine::Changed<'_>,
    options: &Options,
) -> Vec<(&'a str, &'a str)> {
    ogc::engine::moved(models, changed, &settings(options))
}

/// Applications, to be placed with Clusters or Nodes lost.
#[must_use]
pub fn losses_of_applications<'m, 'a>(
    model: &'m ogc::model::Model<'a>,
    options: &'m Options,
) -> ogc::engine::Losses<'m, 'a> {
    ogc::engine::Losses::new(model, &settings(options))
}
