//! Labels and claims that a hub itself sets and documents rarely contain. Selectors that use them
//! cannot be checked against documents without them.

use std::collections::BTreeSet;

use super::{ClusterSelector, Model, Placement};
use crate::kit::selector::LabelSelector;

/// Labels of the add-ons that run on a cluster.
const FEATURES: &str = "feature.open-cluster-management.io/";
/// The label of the hub's own cluster, which is also the value of its label `name`.
const LOCAL: &str = "local-cluster";
/// The value that a hub replaces with what it detects.
const DETECTED: &str = "auto-detect";

/// Values that wait to be replaced by real ones.
const PLACEHOLDERS: [&str; 6] = [
    "change-me",
    "changeme",
    "replace-me",
    "replaceme",
    "tbd",
    "to-be-replaced",
];

/// The hub-written data that the documents' clusters contain.
#[derive(Debug, Default)]
pub struct Observed<'a> {
    features: bool,
    claims: bool,
    local: bool,
    /// Labels whose values are still to be found out.
    detected: BTreeSet<&'a str>,
}

impl<'a> Observed<'a> {
    /// Of the clusters of a model.
    #[must_use]
    pub fn of(model: &Model<'a>) -> Self {
        let mut found = Self::default();
        for cluster in &model.clusters {
            found.claims |= !cluster.claims.is_empty();
            for (key, value) in &cluster.labels {
                found.features |= key.starts_with(FEATURES);
                found.local |= *key == LOCAL || (*key == "name" && *value == LOCAL);
                if *value == DETECTED {
                    found.detected.insert(key);
                }
            }
        }
        found
    }

    /// Whether a selector asks for something that only the hub knows, or nobody yet.
    #[must_use]
    pub fn lacks(&self, selector: &LabelSelector<'_>) -> bool {
        let exact = selector.match_labels.iter();
        let exact = exact.map(|(key, value)| (*key, std::slice::from_ref(value)));
        let wanted = |operator: &str| matches!(operator, "In" | "Exists");
        let others = selector.match_expressions.iter();
        let others = others
            .filter(|one| wanted(one.operator))
            .map(|one| (one.key, one.values.as_slice()));
        exact.chain(others).any(|(key, values)| {
            let local = key == LOCAL || (key == "name" && values.contains(&LOCAL));
            !self.features && key.starts_with(FEATURES)
                || !self.local && local
                || self.detected.contains(key)
                || values.iter().any(|value| is_placeholder(value))
        })
    }

    /// Whether a predicate asks for something that only the hub knows.
    #[must_use]
    pub fn lacks_any(&self, selector: &ClusterSelector<'_>) -> bool {
        let claims = &selector.claims;
        let asks = !claims.match_labels.is_empty() || !claims.match_expressions.is_empty();
        self.lacks(&selector.labels) || (asks && !self.claims)
    }

    /// Whether a placement does.
    #[must_use]
    pub fn leaves_open(&self, placement: &Placement<'_>) -> bool {
        let mut predicates = placement.predicates.iter();
        predicates.any(|predicate| self.lacks_any(&predicate.selector))
    }
}

fn is_placeholder(value: &str) -> bool {
    PLACEHOLDERS
        .iter()
        .any(|one| one.eq_ignore_ascii_case(value))
}
