//! The fields of custom resources that name other objects, for builds of Kustomize: its own table
//! has none of them.

use crate::kustomize::{Reference, Traps};

const RULES: &[&str] = &["Placement", "PlacementRule"];
const SET: &[&str] = &["ManagedClusterSet"];

const fn field(
    kind: &'static str,
    path: &'static [&'static str],
    to: &'static [&'static str],
) -> Reference {
    Reference {
        kind,
        path,
        to,
        anywhere: false,
    }
}

const fn anywhere(
    kind: &'static str,
    path: &'static [&'static str],
    to: &'static [&'static str],
) -> Reference {
    Reference {
        kind,
        path,
        to,
        anywhere: true,
    }
}

/// The label of an ApplicationSet's generator that names its Placement.
const DECISION: &str = "cluster.open-cluster-management.io/placement";

const REFERENCES: &[Reference] = &[
    field("PlacementBinding", &["placementRef", "name"], RULES),
    field(
        "PlacementBinding",
        &["subjects", "*", "name"],
        &["Policy", "PolicySet"],
    ),
    field("PolicySet", &["spec", "policies", "*"], &["Policy"]),
    field(
        "Policy",
        &["spec", "dependencies", "*", "name"],
        &["Policy", "PolicySet"],
    ),
    field(
        "Subscription",
        &["spec", "placement", "placementRef", "name"],
        RULES,
    ),
    anywhere("Subscription", &["spec", "channel"], &["Channel"]),
    field(
        "GitOpsCluster",
        &["spec", "placementRef", "name"],
        &["Placement"],
    ),
    anywhere(
        "ClusterManagementAddOn",
        &["spec", "installStrategy", "placements", "*", "name"],
        &["Placement"],
    ),
    field(
        "ManifestWorkReplicaSet",
        &["spec", "placementRefs", "*", "name"],
        &["Placement"],
    ),
    field(
        "DRPlacementControl",
        &["spec", "placementRef", "name"],
        RULES,
    ),
    field(
        "ApplicationSet",
        &[
            "spec",
            "generators",
            "*",
            "clusterDecisionResource",
            "labelSelector",
            "matchLabels",
            DECISION,
        ],
        &["Placement"],
    ),
    field(
        "ApplicationSet",
        &[
            "spec",
            "generators",
            "*",
            "clusterDecisionResource",
            "configMapRef",
        ],
        &["ConfigMap"],
    ),
    anywhere("ManagedClusterSetBinding", &["spec", "clusterSet"], SET),
    anywhere("Placement", &["spec", "clusterSets", "*"], SET),
    anywhere(
        "ManagedCluster",
        &[
            "metadata",
            "labels",
            "cluster.open-cluster-management.io/clusterset",
        ],
        SET,
    ),
];

/// The kinds of ours with traps.
pub static TRAPS: Traps = Traps {
    references: REFERENCES,
    labelled: &["ManagedCluster"],
    carriers: &[
        "Policy",
        "ConfigurationPolicy",
        "OperatorPolicy",
        "ManifestWork",
        "ManifestWorkReplicaSet",
    ],
};
