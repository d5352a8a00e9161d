//! Findings about a hub's snapshot and about drift: the table of codes.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "ocm" {
        DRIFT_DECISION Warning "drift_decision"
            "a decision that contradicts the hub's objects";
        DRIFT_EXTRA Warning "drift_extra" "an object on the hub that the next apply deletes";
        DRIFT_FIELD Warning "drift_field" "a field with a different value on the hub";
        DRIFT_MISSING Warning "drift_missing" "an object that is missing on the hub";
        DRIFT_NEXT Warning "drift_next" "a Placement whose decisions the next sync changes";
        GUARD Error "guard" "a plan that takes away more than --fail-on allows";
        HUB_OBSERVED Note "hub_observed" "documents of a kind that the hub itself writes";
        HUB_PRUNE Warning "hub_prune" "an object on the hub that is planned as deleted";
        HUB_SECRET Warning "hub_secret" "Secrets in a snapshot of a hub";
        HUB_STALE Warning "hub_stale" "a snapshot that is too old";
        HUB_UNREADABLE Note "hub_unreadable" "objects on a hub that cannot be read";
    }
}
