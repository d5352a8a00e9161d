//! The conditions of a placement's status.

use std::borrow::Cow;

use fixedbitset::FixedBitSet;

use crate::ocm::model::Placement;

/// The condition that says whether the placement can be understood.
pub const MISCONFIGURED: &str = "PlacementMisconfigured";
/// The condition that says whether all wanted clusters were found.
pub const SATISFIED: &str = "PlacementSatisfied";

/// One condition of the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// `PlacementMisconfigured` or `PlacementSatisfied`.
    pub kind: &'static str,
    /// `True` or `False`.
    pub status: bool,
    /// The reason, one word.
    pub reason: &'static str,
    /// The message.
    pub message: Cow<'static, str>,
}

/// The conditions of the status (upstream `scheduling/scheduling_controller.go`).
pub(super) fn conditions<'a>(
    placement: &Placement<'a>,
    bound: &[&'a str],
    misconfigured: Option<String>,
    (eligible, available): (&[&'a str], &FixedBitSet),
    (selected, unscheduled): (usize, usize),
) -> Vec<Condition> {
    let understood = match misconfigured {
        Some(message) => Condition {
            kind: MISCONFIGURED,
            status: true,
            reason: "Misconfigured",
            message: message.into(),
        },
        None => Condition {
            kind: MISCONFIGURED,
            status: false,
            reason: "Succeedconfigured",
            message: "Placement configurations check pass".into(),
        },
    };
    let no = |reason, message: Cow<'static, str>| Condition {
        kind: SATISFIED,
        status: false,
        reason,
        message,
    };
    let satisfied = if bound.is_empty() {
        no(
            "NoManagedClusterSetBindings",
            "No valid ManagedClusterSetBindings found in placement namespace".into(),
        )
    } else if eligible.is_empty() {
        let sets: Vec<&str> = placement.cluster_sets.iter().map(|set| set.text).collect();
        no(
            "NoIntersection",
            format!(
                "None of ManagedClusterSets [{}] is bound to placement namespace",
                sets.join(",")
            )
            .into(),
        )
    } else if available.is_clear() {
        no(
            "AllManagedClusterSetsEmpty",
            format!(
                "All ManagedClusterSets [{}] have no member ManagedCluster",
                eligible.join(",")
            )
            .into(),
        )
    } else if selected == 0 {
        no(
            "NoManagedClusterMatched",
            "No ManagedCluster matches any of the cluster predicate".into(),
        )
    } else if unscheduled == 0 {
        Condition {
            kind: SATISFIED,
            status: true,
            reason: "AllDecisionsScheduled",
            message: "All cluster decisions scheduled".into(),
        }
    } else {
        no(
            "NotAllDecisionsScheduled",
            format!("{unscheduled} cluster decisions unscheduled").into(),
        )
    };
    vec![understood, satisfied]
}
