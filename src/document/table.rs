//! The kinds that are recognised by `apiVersion` and `kind`.

use super::kind::DocumentKind;
use super::system::System;

/// A kind that is recognised by `apiVersion` and `kind`.
#[derive(Debug)]
pub struct KindInfo {
    /// The kind.
    pub kind: DocumentKind,
    /// The system that owns it.
    pub system: System,
    /// `apiVersion`, the one that is served.
    pub api_version: &'static str,
    /// `kind`.
    pub name: &'static str,
    /// Stem of its schema file, `schemas/STEM.schema.json`.
    pub schema: &'static str,
}

const OURS: &str = "planner/v1";
const OCM_V1BETA1: &str = "cluster.open-cluster-management.io/v1beta1";
const OCM_V1BETA2: &str = "cluster.open-cluster-management.io/v1beta2";
const APPS_V1: &str = "apps.open-cluster-management.io/v1";
const ADDON_V1ALPHA1: &str = "addon.open-cluster-management.io/v1alpha1";
const ADDON_V1BETA1: &str = "addon.open-cluster-management.io/v1beta1";
const RAMEN: &str = "ramendr.openshift.io/v1alpha1";
const POLICY_V1: &str = "policy.open-cluster-management.io/v1";
const POLICY_V1BETA1: &str = "policy.open-cluster-management.io/v1beta1";
const HYBRID: &str = "core.hybridapp.io/v1alpha1";

const fn info(
    kind: DocumentKind,
    system: System,
    api_version: &'static str,
    name: &'static str,
    schema: &'static str,
) -> KindInfo {
    KindInfo {
        kind,
        system,
        api_version,
        name,
        schema,
    }
}

/// Every kind recognised by `apiVersion` and `kind`.
pub static KINDS: &[KindInfo] = &[
    info(
        DocumentKind::Project,
        System::Ogc,
        OURS,
        "Project",
        "ogc-project",
    ),
    info(
        DocumentKind::Cluster,
        System::Ogc,
        OURS,
        "Cluster",
        "ogc-cluster",
    ),
    info(DocumentKind::Node, System::Ogc, OURS, "Node", "ogc-node"),
    info(
        DocumentKind::Package,
        System::Ogc,
        OURS,
        "Package",
        "ogc-package",
    ),
    info(
        DocumentKind::Application,
        System::Ogc,
        OURS,
        "Application",
        "ogc-application",
    ),
    info(
        DocumentKind::Deployment,
        System::Ogc,
        OURS,
        "Deployment",
        "ogc-deployment",
    ),
    info(
        DocumentKind::ManagedCluster,
        System::Ocm,
        "cluster.open-cluster-management.io/v1",
        "ManagedCluster",
        "ocm-managedcluster",
    ),
    info(
        DocumentKind::ManagedClusterSet,
        System::Ocm,
        OCM_V1BETA2,
        "ManagedClusterSet",
        "ocm-managedclusterset",
    ),
    info(
        DocumentKind::ManagedClusterSetBinding,
        System::Ocm,
        OCM_V1BETA2,
        "ManagedClusterSetBinding",
        "ocm-managedclustersetbinding",
    ),
    info(
        DocumentKind::Placement,
        System::Ocm,
        OCM_V1BETA1,
        "Placement",
        "ocm-placement",
    ),
    info(
        DocumentKind::PlacementDecision,
        System::Ocm,
        OCM_V1BETA1,
        "PlacementDecision",
        "ocm-placementdecision",
    ),
    info(
        DocumentKind::AddOnPlacementScore,
        System::Ocm,
        "cluster.open-cluster-management.io/v1alpha1",
        "AddOnPlacementScore",
        "ocm-addonplacementscore",
    ),
    info(
        DocumentKind::ManifestWorkReplicaSet,
        System::Ocm,
        "work.open-cluster-management.io/v1alpha1",
        "ManifestWorkReplicaSet",
        "ocm-manifestworkreplicaset",
    ),
    info(
        DocumentKind::RolloutStep,
        System::Ocm,
        OURS,
        "RolloutStep",
        "ocm-rolloutstep",
    ),
    info(
        DocumentKind::RolloutStep,
        System::Ocm,
        "corpus.example.com/v1",
        "RolloutStep",
        "ocm-rolloutstep",
    ),
    info(
        DocumentKind::PlacementRule,
        System::Hybrid,
        HYBRID,
        "PlacementRule",
        "hybrid-placementrule",
    ),
    info(
        DocumentKind::Deployer,
        System::Hybrid,
        HYBRID,
        "Deployer",
        "hybrid-deployer",
    ),
    info(
        DocumentKind::AdvisorAnswers,
        System::Hybrid,
        OURS,
        "AdvisorAnswers",
        "hybrid-advisoranswers",
    ),
    info(
        DocumentKind::PlanTest,
        System::Ogc,
        OURS,
        "PlanTest",
        "plantest",
    ),
    info(
        DocumentKind::Policy,
        System::Ocm,
        POLICY_V1,
        "Policy",
        "ocm-policy",
    ),
    info(
        DocumentKind::PolicySet,
        System::Ocm,
        POLICY_V1BETA1,
        "PolicySet",
        "ocm-policyset",
    ),
    info(
        DocumentKind::PlacementBinding,
        System::Ocm,
        POLICY_V1,
        "PlacementBinding",
        "ocm-placementbinding",
    ),
    info(
        DocumentKind::LegacyRule,
        System::Ocm,
        "apps.open-cluster-management.io/v1",
        "PlacementRule",
        "ocm-placementrule",
    ),
    info(
        DocumentKind::PolicyGenerator,
        System::Ocm,
        POLICY_V1,
        "PolicyGenerator",
        "ocm-policygenerator",
    ),
    info(
        DocumentKind::ConfigurationPolicy,
        System::Ocm,
        POLICY_V1,
        "ConfigurationPolicy",
        "ocm-configurationpolicy",
    ),
    info(
        DocumentKind::OperatorPolicy,
        System::Ocm,
        POLICY_V1BETA1,
        "OperatorPolicy",
        "ocm-operatorpolicy",
    ),
    info(
        DocumentKind::CertificatePolicy,
        System::Ocm,
        POLICY_V1,
        "CertificatePolicy",
        "ocm-certificatepolicy",
    ),
    info(
        DocumentKind::ApplicationSet,
        System::Ocm,
        "argoproj.io/v1alpha1",
        "ApplicationSet",
        "ocm-applicationset",
    ),
    info(
        DocumentKind::GitOpsCluster,
        System::Ocm,
        "apps.open-cluster-management.io/v1beta1",
        "GitOpsCluster",
        "ocm-gitopscluster",
    ),
    info(
        DocumentKind::Subscription,
        System::Ocm,
        APPS_V1,
        "Subscription",
        "ocm-subscription",
    ),
    info(
        DocumentKind::Channel,
        System::Ocm,
        APPS_V1,
        "Channel",
        "ocm-channel",
    ),
    info(
        DocumentKind::DrPlacementControl,
        System::Ocm,
        RAMEN,
        "DRPlacementControl",
        "ocm-drplacementcontrol",
    ),
    info(
        DocumentKind::DrPolicy,
        System::Ocm,
        RAMEN,
        "DRPolicy",
        "ocm-drpolicy",
    ),
    info(
        DocumentKind::ClusterManagementAddOn,
        System::Ocm,
        ADDON_V1ALPHA1,
        "ClusterManagementAddOn",
        "ocm-clustermanagementaddon",
    ),
    info(
        DocumentKind::ClusterManagementAddOn,
        System::Ocm,
        ADDON_V1BETA1,
        "ClusterManagementAddOn",
        "ocm-clustermanagementaddon",
    ),
    info(
        DocumentKind::ManagedClusterAddOn,
        System::Ocm,
        ADDON_V1ALPHA1,
        "ManagedClusterAddOn",
        "ocm-managedclusteraddon",
    ),
    info(
        DocumentKind::ManagedClusterAddOn,
        System::Ocm,
        ADDON_V1BETA1,
        "ManagedClusterAddOn",
        "ocm-managedclusteraddon",
    ),
    info(
        DocumentKind::AddOnDeploymentConfig,
        System::Ocm,
        ADDON_V1ALPHA1,
        "AddOnDeploymentConfig",
        "ocm-addondeploymentconfig",
    ),
    info(
        DocumentKind::AddOnDeploymentConfig,
        System::Ocm,
        ADDON_V1BETA1,
        "AddOnDeploymentConfig",
        "ocm-addondeploymentconfig",
    ),
    info(
        DocumentKind::AddOnTemplate,
        System::Ocm,
        ADDON_V1ALPHA1,
        "AddOnTemplate",
        "ocm-addontemplate",
    ),
    info(
        DocumentKind::AddOnTemplate,
        System::Ocm,
        ADDON_V1BETA1,
        "AddOnTemplate",
        "ocm-addontemplate",
    ),
    info(
        DocumentKind::ManifestWork,
        System::Ocm,
        "work.open-cluster-management.io/v1",
        "ManifestWork",
        "ocm-manifestwork",
    ),
    info(
        DocumentKind::SigDecision,
        System::Ocm,
        "multicluster.x-k8s.io/v1alpha1",
        "PlacementDecision",
        "ocm-sigplacementdecision",
    ),
];

/// Kinds that `planner` itself prints; never read as input.
pub const OUTPUTS: &[&str] = &[
    "Baseline",
    "Plan",
    "Risk",
    "RiskPart",
    "SavedPlan",
    "Validation",
    "Simulation",
    "Result",
    "Why",
    "PlanDiff",
    "Drift",
    "Migration",
    "Rendered",
    "Roots",
    "TestReport",
];

/// The table row of a kind.
#[must_use]
pub fn info_of(kind: DocumentKind) -> Option<&'static KindInfo> {
    KINDS.iter().find(|info| info.kind == kind)
}

impl DocumentKind {
    /// The system that owns the kind; `None` for foreign kinds and for PlanTests.
    #[must_use]
    pub fn system(self) -> Option<System> {
        match self {
            Self::Airship => Some(System::Airship),
            Self::Senlin => Some(System::Senlin),
            Self::Foreign | Self::PlanTest => None,
            kind => info_of(kind).map(|info| info.system),
        }
    }
}
