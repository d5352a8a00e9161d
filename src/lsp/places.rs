//! Where documents give and use names: the only list of such places.

/// The scopes of names: names of one class and scope are of one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The site.
    Site,
    /// The namespace of the document.
    Namespace,
    /// The Package that the document is of.
    Package,
    /// The namespace beside the name, else that of the document.
    Beside,
    /// The document.
    Document,
}

/// Where documents of a kind give or use names.
pub(super) struct Row {
    /// The kind of the documents; `*` for all.
    pub(super) kind: &'static str,
    /// Keys from the root; `*` is each item, `~` each key, `**` any depth.
    pub(super) path: &'static str,
    /// The kind of thing that the name is of.
    pub(super) class: &'static str,
    /// Where it is unique.
    pub(super) scope: Scope,
    /// Whether the thing has its name from here.
    pub(super) gives: bool,
}

const fn gives(kind: &'static str, path: &'static str, class: &'static str, scope: Scope) -> Row {
    Row {
        kind,
        path,
        class,
        scope,
        gives: true,
    }
}

const fn uses(kind: &'static str, path: &'static str, class: &'static str, scope: Scope) -> Row {
    Row {
        kind,
        path,
        class,
        scope,
        gives: false,
    }
}

/// The class of label keys.
pub(super) const LABEL: &str = "label";
/// The class of what the kind beside the name says.
pub(super) const BESIDE: &str = "";
const NAME: &str = "metadata/name";

use Scope::{Beside, Document as InDocument, Namespace, Package, Site};

/// Every place of a name.
pub(super) const ROWS: &[Row] = &[
    gives("Project", NAME, "Project", Site),
    gives("Cluster", NAME, "Cluster", Site),
    gives("Cluster", "metadata/labels/~", LABEL, Site),
    gives("Cluster", "spec/nodes/*/labels/~", LABEL, Site),
    uses("Cluster", "spec/projects/*", "Project", Site),
    gives("Node", NAME, "Node", Site),
    gives("Node", "metadata/labels/~", LABEL, Site),
    uses("Node", "spec/cluster", "Cluster", Site),
    gives("Package", NAME, "Package", Site),
    gives(
        "Package",
        "spec/storageRequests/*/name",
        "StorageRequest",
        Package,
    ),
    uses("Package", "spec/project", "Project", Site),
    uses("Package", "spec/rules/*/key", LABEL, Site),
    gives("Application", NAME, "Application", Package),
    uses("Application", "spec/package", "Package", Site),
    uses("Application", "spec/rules/*/key", LABEL, Site),
    uses(
        "Application",
        "spec/containers/*/mounts/*/storageRequest",
        "StorageRequest",
        Package,
    ),
    gives("Deployment", NAME, "Deployment", Site),
    uses("Deployment", "spec/package", "Package", Site),
    uses(
        "Deployment",
        "spec/workloads/*/application",
        "Application",
        Package,
    ),
    uses("Deployment", "spec/workloads/*/cluster", "Cluster", Site),
    gives("ManagedCluster", NAME, "ManagedCluster", Site),
    gives("ManagedCluster", "metadata/labels/~", LABEL, Site),
    uses(
        "ManagedCluster",
        "metadata/labels/cluster.open-cluster-management.io|clusterset",
        "ManagedClusterSet",
        Site,
    ),
    gives("ManagedClusterSet", NAME, "ManagedClusterSet", Site),
    uses("ManagedClusterSet", "spec/**/matchLabels/~", LABEL, Site),
    uses(
        "ManagedClusterSet",
        "spec/**/matchExpressions/*/key",
        LABEL,
        Site,
    ),
    uses(
        "ManagedClusterSetBinding",
        "spec/clusterSet",
        "ManagedClusterSet",
        Site,
    ),
    gives("Placement", NAME, "Placement", Namespace),
    uses("Placement", "spec/clusterSets/*", "ManagedClusterSet", Site),
    uses("Placement", "spec/**/matchLabels/~", LABEL, Site),
    uses("Placement", "spec/**/matchExpressions/*/key", LABEL, Site),
    uses(
        "PlacementDecision",
        "metadata/labels/cluster.open-cluster-management.io|placement",
        "Placement",
        Namespace,
    ),
    uses(
        "PlacementDecision",
        "status/decisions/*/clusterName",
        "ManagedCluster",
        Site,
    ),
    gives(
        "ManifestWorkReplicaSet",
        NAME,
        "ManifestWorkReplicaSet",
        Namespace,
    ),
    uses(
        "ManifestWorkReplicaSet",
        "spec/placementRefs/*/name",
        "Placement",
        Namespace,
    ),
    uses("RolloutStep", "spec/placement", "Placement", Namespace),
    uses(
        "RolloutStep",
        "spec/manifestWorkReplicaSet",
        "ManifestWorkReplicaSet",
        Namespace,
    ),
    uses(
        "RolloutStep",
        "spec/clusters/*/clusterName",
        "ManagedCluster",
        Site,
    ),
    gives("PlacementRule", NAME, "PlacementRule", Namespace),
    uses("PlacementRule", "spec/**/matchLabels/~", LABEL, Site),
    uses(
        "PlacementRule",
        "spec/**/matchExpressions/*/key",
        LABEL,
        Site,
    ),
    uses(
        "PlacementRule",
        "status/decisions/*/clusterName",
        "ManagedCluster",
        Site,
    ),
    uses(
        "AdvisorAnswers",
        "spec/placementRule/name",
        "PlacementRule",
        Beside,
    ),
    gives("Policy", NAME, "Policy", Namespace),
    gives("PolicySet", NAME, "PolicySet", Namespace),
    uses("PolicySet", "spec/policies/*", "Policy", Namespace),
    gives("PlacementBinding", NAME, "PlacementBinding", Namespace),
    uses("PlacementBinding", "placementRef/name", BESIDE, Namespace),
    uses("PlacementBinding", "subjects/*/name", BESIDE, Namespace),
    gives("ConfigMap", NAME, "ConfigMap", Namespace),
    gives("ApplicationSet", NAME, "ApplicationSet", Namespace),
    uses(
        "ApplicationSet",
        "spec/**/clusterDecisionResource/configMapRef",
        "ConfigMap",
        Namespace,
    ),
    uses(
        "ApplicationSet",
        "spec/**/matchLabels/cluster.open-cluster-management.io|placement",
        "Placement",
        Namespace,
    ),
    gives("GitOpsCluster", NAME, "GitOpsCluster", Namespace),
    uses(
        "GitOpsCluster",
        "spec/placementRef/name",
        "Placement",
        Namespace,
    ),
    gives("Subscription", NAME, "Subscription", Namespace),
    uses(
        "Subscription",
        "spec/placement/placementRef/name",
        BESIDE,
        Namespace,
    ),
    gives("DRPlacementControl", NAME, "DRPlacementControl", Namespace),
    gives("DRPolicy", NAME, "DRPolicy", Site),
    uses(
        "DRPlacementControl",
        "spec/placementRef/name",
        "Placement",
        Beside,
    ),
    uses(
        "DRPlacementControl",
        "spec/drPolicyRef/name",
        "DRPolicy",
        Site,
    ),
    uses("DRPolicy", "spec/drClusters/*", "ManagedCluster", Site),
    gives(
        "ClusterManagementAddOn",
        NAME,
        "ClusterManagementAddOn",
        Site,
    ),
    uses(
        "ClusterManagementAddOn",
        "spec/installStrategy/placements/*/name",
        "Placement",
        Beside,
    ),
    gives("DeploymentStrategy", NAME, "DeploymentStrategy", Site),
    uses(
        "DeploymentConfiguration",
        "data/physical_provisioner/deployment_strategy",
        "DeploymentStrategy",
        Site,
    ),
    gives(
        "DeploymentStrategy",
        "data/groups/*/name",
        "group",
        InDocument,
    ),
    uses(
        "DeploymentStrategy",
        "data/groups/*/depends_on/*",
        "group",
        InDocument,
    ),
    uses(
        "DeploymentStrategy",
        "data/groups/*/selectors/*/node_names/*",
        "BaremetalNode",
        Site,
    ),
    uses(
        "DeploymentStrategy",
        "data/groups/*/selectors/*/rack_names/*",
        "Rack",
        Site,
    ),
    gives("BaremetalNode", NAME, "BaremetalNode", Site),
    uses("BaremetalNode", "data/host_profile", "HostProfile", Site),
    uses("BaremetalNode", "data/metadata/rack", "Rack", Site),
    gives("HostProfile", NAME, "HostProfile", Site),
    uses("HostProfile", "data/host_profile", "HostProfile", Site),
    uses(
        "HostProfile",
        "data/hardware_profile",
        "HardwareProfile",
        Site,
    ),
    gives("HardwareProfile", NAME, "HardwareProfile", Site),
    gives("Rack", NAME, "Rack", Site),
    uses("*", "metadata/substitutions/*/src/name", BESIDE, Site),
    gives(
        "senlin.policy.region_placement",
        "properties/regions/*/name",
        "region",
        Site,
    ),
    uses(
        "senlin.cluster",
        "properties/known_regions/*",
        "region",
        Site,
    ),
    uses("senlin.cluster", "properties/node_counts/~", "region", Site),
    uses("PlanTest", "spec/expect/*/cluster", "Cluster", Site),
];
