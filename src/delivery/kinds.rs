//! The kinds of consumers.

use super::addon::consumer::AddOns;
use super::application_set::consumer::ApplicationSets;
use super::consumer::Consumer;
use super::disaster_recovery::consumer::Controls;
use super::gitops::consumer::GitOpsClusters;
use super::policy::consumer::Policies;
use super::subscription::consumer::Subscriptions;
use super::work::consumer::ReplicaSets;

/// All kinds.
pub(super) static KINDS: [&dyn Consumer; 7] = [
    &Policies,
    &ApplicationSets,
    &GitOpsClusters,
    &Subscriptions,
    &Controls,
    &AddOns,
    &ReplicaSets,
];

/// The kind of a name, as documents write it.
pub(super) fn of(name: &str) -> Option<&'static dyn Consumer> {
    let mut kinds = KINDS.into_iter();
    kinds.find(|consumer| consumer.kind() == name)
}
