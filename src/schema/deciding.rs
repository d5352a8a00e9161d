//! The fields that a decision depends on.

/// Beginnings of the fields of a schema, by its stem, that change a decision when admission drops
/// them.
#[must_use]
pub fn deciding(stem: &str) -> &'static [&'static str] {
    match stem {
        "hybrid-deployer" => &["metadata.labels", "spec.type"],
        "hybrid-placementrule" | "ocm-managedclusterset" => &["spec."],
        "ocm-addonplacementscore" => &["status.scores", "status.validUntil"],
        "ocm-managedcluster" => &[
            "metadata.labels",
            "spec.taints",
            "status.allocatable",
            "status.capacity",
            "status.clusterClaims",
        ],
        "ocm-manifestworkreplicaset" => &["spec.placementRefs"],
        "ocm-placement" => &[
            "spec.clusterSets",
            "spec.decisionStrategy",
            "spec.numberOfClusters",
            "spec.predicates",
            "spec.prioritizerPolicy",
            "spec.tolerations",
        ],
        "ocm-placementdecision" => &["metadata.labels", "status.decisions"],
        _ => &[],
    }
}
