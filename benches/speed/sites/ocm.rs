//! A hub: clusters in one set, placements with a selector that a tenth of them match. A cluster
//! has about 680 bytes, as where the original was measured.

use std::fmt::Write as _;

use super::{Dice, Edited, Site};

/// A set that is bound in the namespace of all placements.
pub const SET: &str = "apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: \
     ManagedClusterSet\nmetadata: {name: prod}\n---\n\
     apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: ManagedClusterSetBinding\n\
     metadata: {name: prod, namespace: default}\nspec: {clusterSet: prod}\n";

/// A placement with its `spec`, in flow style or from the next line on.
pub fn placement(name: usize, spec: &str, text: &mut String) {
    write!(
        text,
        "---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
         metadata: {{name: p{name}, namespace: default}}\nspec: {spec}\n"
    )
    .unwrap();
}

/// One more placement.
pub const ONE: Edited = (
    "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: \
     one, namespace: default}\nspec:\n  numberOfClusters: 5\n",
    "numberOfClusters: 5",
    "numberOfClusters: 6",
);

pub fn site(clusters: usize, placements: usize) -> Site {
    let mut dice = Dice::new(5);
    let mut text = String::from(SET);
    for cluster in 0..clusters {
        let (cpu, used) = (8 + dice.roll(120), dice.roll(8));
        write!(
            text,
            "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
             metadata:\n  name: cluster{cluster}\n  labels:\n    \
             cluster.open-cluster-management.io/clusterset: prod\n    zone: z{}\n    vendor: {}\n\
             spec: {{hubAcceptsClient: true}}\nstatus:\n  allocatable: {{cpu: \"{}\", memory: \
             {}Gi}}\n  capacity: {{cpu: \"{cpu}\", memory: {}Gi}}\n  version: {{kubernetes: \
             v1.30.2}}\n  clusterClaims:\n  - {{name: id.k8s.io, value: cluster{cluster}}}\n  - {{name: \
             kubeversion.open-cluster-management.io, value: v1.30.2}}\n  - {{name: platform, value: \
             AWS}}\n  conditions:\n  - \
             {{type: ManagedClusterConditionAvailable, status: \"True\", reason: Available, \
             message: up, lastTransitionTime: \"2025-01-01T00:00:00Z\"}}\n",
            dice.roll(10),
            dice.one(&["OpenShift", "AKS", "EKS", "GKE"]),
            cpu - used,
            (cpu - used) * 4,
            cpu * 4
        )
        .unwrap();
    }
    for placement in 0..placements {
        let spec = format!(
            "\n  numberOfClusters: 50\n  predicates:\n  - requiredClusterSelector:\n      \
             labelSelector:\n        matchLabels: {{zone: z{}}}\n  prioritizerPolicy:\n    mode: \
             Exact\n    configurations:",
            dice.roll(10)
        );
        self::placement(placement, &spec, &mut text);
        for prioritizer in [
            "Balance",
            "Steady",
            "ResourceAllocatableCPU",
            "ResourceAllocatableMemory",
        ] {
            let weight = 1 + dice.roll(3);
            writeln!(
                text,
                "    - {{scoreCoordinate: {{type: BuiltIn, builtIn: {prioritizer}}}, weight: \
                 {weight}}}"
            )
            .unwrap();
        }
    }
    Site::of(&format!("ocm-{placements}"), &[("hub.yaml".into(), text)])
}
