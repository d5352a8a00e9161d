//! Managed clusters as a hub prints them: what `kubectl get managedclusters -o yaml` holds beside
//! what a placement looks at.

use std::fmt::Write as _;

use super::Dice;

/// One cluster as a document of its own; `labels` are lines of their own indentation.
pub fn cluster(
    name: &str,
    labels: &str,
    cpu: usize,
    used: usize,
    dice: &mut Dice,
    text: &mut String,
) {
    let day = 1 + dice.roll(28);
    write!(
        text,
        "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata:\n  \
         annotations:\n    agent.open-cluster-management.io/klusterlet-version: v1.3.1\n    \
         open-cluster-management/created-via: other\n  \
         creationTimestamp: \"2025-03-{day:02}T08:00:00Z\"\n  finalizers:\n  \
         - cluster.open-cluster-management.io/api-resource-cleanup\n  generation: 3\n  labels:\n\
         {labels}    feature.open-cluster-management.io/addon-work-manager: available\n    \
         feature.open-cluster-management.io/addon-cluster-proxy: available\n  name: {name}\n  \
         resourceVersion: \"{}\"\n  uid: {:08x}-0000-4000-8000-{:012x}\nspec:\n  \
         hubAcceptsClient: true\n  leaseDurationSeconds: 60\n  managedClusterClientConfigs:\n  \
         - url: https://api.{name}.example.com:6443\nstatus:\n  allocatable:\n    cpu: \"{}\"\n    \
         ephemeral-storage: 98831908Ki\n    memory: {}Gi\n    pods: \"250\"\n  capacity:\n    \
         cpu: \"{cpu}\"\n    ephemeral-storage: 103078000Ki\n    memory: {}Gi\n    pods: \"250\"\n  \
         clusterClaims:\n  - name: id.k8s.io\n    value: {name}\n  \
         - name: kubeversion.open-cluster-management.io\n    value: v1.30.2\n  \
         - name: platform.open-cluster-management.io\n    value: AWS\n  \
         - name: region.open-cluster-management.io\n    value: eu-west-1\n  conditions:\n",
        dice.roll(1 << 20),
        dice.roll(1 << 30),
        dice.roll(1 << 40),
        cpu - used,
        (cpu - used) * 4,
        cpu * 4,
    )
    .unwrap();
    for (kind, reason, message) in [
        (
            "HubAcceptedManagedCluster",
            "HubClusterAdminAccepted",
            "Accepted by hub cluster admin",
        ),
        (
            "ManagedClusterJoined",
            "ManagedClusterJoined",
            "Managed cluster joined",
        ),
        (
            "ManagedClusterConditionAvailable",
            "ManagedClusterAvailable",
            "Managed cluster is available",
        ),
    ] {
        write!(
            text,
            "  - lastTransitionTime: \"2025-12-{day:02}T10:00:00Z\"\n    message: {message}\n    reason: \
             {reason}\n    status: \"True\"\n    type: {kind}\n"
        )
        .unwrap();
    }
    text.push_str("  version:\n    kubernetes: v1.30.2\n");
}
