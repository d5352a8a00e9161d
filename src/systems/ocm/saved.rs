//! Placements, rollouts and what reads placements, of a saved plan.

use serde_json::{Value, json};

use crate::systems::asked::Essence;
use crate::systems::delivery;
use crate::systems::outcome::{Outcome, list, names, spaced, text};

/// The essence kind of a placement.
pub(super) const PLACEMENT: &str = "placement";

pub(super) fn essence(outcome: &dyn Outcome) -> Vec<Essence> {
    let mut all = Vec::new();
    for placement in outcome.items("placements") {
        let groups = list(&placement, "decisionGroups").iter();
        let groups = groups.map(|group| json!([group["name"], names(group, "clusters")]));
        let value = json!({
            "skipped": placement.get("skipped"),
            "decisions": names(&placement, "decisions"),
            "groups": groups.collect::<Vec<_>>(),
        });
        all.push((PLACEMENT, spaced(&placement), value));
    }
    all.extend(delivery::essence(outcome));
    for (rollout, number) in outcome.items("rollouts").zip(1..) {
        let name = format!("{number} {}", text(&rollout, "name"));
        all.push(("rollout", name, step(&rollout)));
    }
    for waves in outcome.items("rolloutWaves") {
        let set = text(&waves, "manifestWorkReplicaSet");
        let name = format!(
            "{}/{set} to {}",
            text(&waves, "namespace"),
            text(&waves, "placement")
        );
        all.push(("rollout waves", name, waves["waves"].clone()));
    }
    all
}

/// A step of a rollout without the times at which to look again, which pass by themselves.
fn step(rollout: &Value) -> Value {
    let clusters = |key: &str| {
        let all = list(rollout, key).iter();
        json!(
            all.map(|one| json!([one["clusterName"], one["status"]]))
                .collect::<Vec<_>>()
        )
    };
    json!({
        "set": rollout["manifestWorkReplicaSet"],
        "placement": rollout["placement"],
        "rollout": clusters("clustersToRollout"),
        "timeOut": clusters("clustersTimeOut"),
        "removed": clusters("clustersRemoved"),
        "breach": rollout["maxFailureBreach"],
        "failed": rollout.get("error").is_some(),
    })
}
