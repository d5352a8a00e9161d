//! Kinds of Kubernetes and OpenShift by what is known of them.

/// Groups that no policy controller serves.
const BUILTIN: [&str; 10] = [
    "",
    "admissionregistration.k8s.io",
    "apps",
    "autoscaling",
    "batch",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
];

/// `apiVersion` and kinds whose objects are in namespaces.
const NAMESPACED: [(&str, &[&str]); 9] = [
    (
        "v1",
        &[
            "ConfigMap",
            "Secret",
            "Pod",
            "Service",
            "ServiceAccount",
            "PersistentVolumeClaim",
            "LimitRange",
            "ResourceQuota",
            "Endpoints",
            "ReplicationController",
        ],
    ),
    (
        "apps/v1",
        &["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"],
    ),
    ("batch/v1", &["Job", "CronJob"]),
    ("rbac.authorization.k8s.io/v1", &["Role", "RoleBinding"]),
    ("networking.k8s.io/v1", &["NetworkPolicy", "Ingress"]),
    ("policy/v1", &["PodDisruptionBudget"]),
    (
        "operators.coreos.com/v1alpha1",
        &[
            "Subscription",
            "ClusterServiceVersion",
            "CatalogSource",
            "InstallPlan",
        ],
    ),
    ("operators.coreos.com/v1", &["OperatorGroup"]),
    ("route.openshift.io/v1", &["Route"]),
];

/// `apiVersion` and kinds whose objects are in no namespace.
const CLUSTER_SCOPED: [(&str, &[&str]); 7] = [
    ("v1", &["Namespace", "Node", "PersistentVolume"]),
    (
        "rbac.authorization.k8s.io/v1",
        &["ClusterRole", "ClusterRoleBinding"],
    ),
    (
        "storage.k8s.io/v1",
        &["StorageClass", "CSIDriver", "CSINode", "VolumeAttachment"],
    ),
    ("apiextensions.k8s.io/v1", &["CustomResourceDefinition"]),
    (
        "cluster.open-cluster-management.io/v1beta2",
        &["ManagedClusterSet"],
    ),
    (
        "cluster.open-cluster-management.io/v1alpha1",
        &["ClusterClaim"],
    ),
    (
        "config.openshift.io/v1",
        &[
            "ClusterVersion",
            "Infrastructure",
            "Ingress",
            "DNS",
            "Network",
            "OAuth",
            "Proxy",
            "Scheduler",
            "Console",
            "APIServer",
            "Authentication",
            "Build",
            "FeatureGate",
            "Image",
            "OperatorHub",
            "Project",
            "ClusterOperator",
        ],
    ),
];

fn has(table: &[(&str, &[&str])], api: &str, kind: &str) -> bool {
    let mut rows = table.iter();
    rows.any(|(version, kinds)| *version == api && kinds.contains(&kind))
}

/// Whether a group belongs to Kubernetes itself.
pub(super) fn is_builtin(group: &str) -> bool {
    BUILTIN.contains(&group)
}

/// Whether objects of the kind are in namespaces, as far as known.
pub(super) fn is_namespaced(api: &str, kind: &str) -> bool {
    has(&NAMESPACED, api, kind)
}

/// Whether objects of the kind are in no namespace, as far as known.
pub(super) fn is_cluster_scoped(api: &str, kind: &str) -> bool {
    has(&CLUSTER_SCOPED, api, kind)
}
