//! Documents: which kind each one is and which systems it belongs to.
//!
//! Knows the kinds' names and nothing of their fields.

mod classify;
mod locate;
mod reported;
pub mod rules;

pub(crate) use classify::object_of;
pub use classify::{Classified, classify, generates, kind_in_text, names_ours, not_a_mapping};
pub use locate::{Locator, identities};
pub(crate) use reported::Reported;

use std::sync::OnceLock;

use crate::diagnostic::Object;
use crate::source::{SourceId, Sources};
use crate::yaml::{Dialect, Node, Tree};

/// The five systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum System {
    /// Ori Global Cloud packages and applications.
    Ogc,
    /// Open Cluster Management placements.
    Ocm,
    /// IBM hybrid placement rules.
    Hybrid,
    /// Airship deployment strategies.
    Airship,
    /// Senlin region placement.
    Senlin,
}

impl System {
    /// All of them, in the order in which a name is looked up.
    pub const ALL: [Self; 5] = [
        Self::Ogc,
        Self::Ocm,
        Self::Hybrid,
        Self::Airship,
        Self::Senlin,
    ];

    /// Its place in the order in which a site comes up.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Airship => 0,
            Self::Senlin => 1,
            Self::Ocm => 2,
            Self::Hybrid => 3,
            Self::Ogc => 4,
        }
    }

    /// The name used in code, areas of diagnostics and prefixes of subjects.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ogc => "ogc",
            Self::Ocm => "ocm",
            Self::Hybrid => "hybrid",
            Self::Airship => "airship",
            Self::Senlin => "senlin",
        }
    }

    /// What people call it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Ogc => "OGC packages and applications",
            Self::Ocm => "Open Cluster Management",
            Self::Hybrid => "hybrid placement rules",
            Self::Airship => "Airship",
            Self::Senlin => "Senlin",
        }
    }
}

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKind {
    /// ogc: a Project.
    Project,
    /// ogc: a Cluster.
    Cluster,
    /// ogc: a Node of a Cluster.
    Node,
    /// ogc: a Package.
    Package,
    /// ogc: an Application of a Package.
    Application,
    /// ogc: an earlier Deployment of a Package.
    Deployment,
    /// ocm and hybrid: a cluster.
    ManagedCluster,
    /// ocm: a set of clusters.
    ManagedClusterSet,
    /// ocm: a set bound to a namespace.
    ManagedClusterSetBinding,
    /// ocm: a placement.
    Placement,
    /// ocm: a page of decisions.
    PlacementDecision,
    /// ocm: scores of one cluster.
    AddOnPlacementScore,
    /// ocm: carries a rollout strategy.
    ManifestWorkReplicaSet,
    /// ocm: one question to a rollout.
    RolloutStep,
    /// ocm, a consumer of placements: a policy.
    Policy,
    /// ocm, a consumer of placements: a set of policies.
    PolicySet,
    /// ocm, a consumer of placements: binds policies to a placement.
    PlacementBinding,
    /// ocm, a consumer of clusters: the placement rule that Placement replaced.
    LegacyRule,
    /// ocm: makes policies, sets, placements and bindings.
    PolicyGenerator,
    /// ocm, a consumer of placements: Applications of Argo CD, made from decisions.
    ApplicationSet,
    /// ocm, a consumer of placements: makes clusters known to Argo CD.
    GitOpsCluster,
    /// ocm, a consumer of placements: resources that clusters fetch from a Channel.
    Subscription,
    /// ocm: where a Subscription fetches from.
    Channel,
    /// ocm, a consumer of placements: decides in the place of the hub.
    DrPlacementControl,
    /// ocm: the clusters of a DRPlacementControl.
    DrPolicy,
    /// ocm, a consumer of placements: where an add-on is installed.
    ClusterManagementAddOn,
    /// ocm: an add-on on one cluster.
    ManagedClusterAddOn,
    /// ocm: how add-ons run.
    AddOnDeploymentConfig,
    /// ocm: what an add-on consists of.
    AddOnTemplate,
    /// ocm: what the hub made of a ManifestWorkReplicaSet for one cluster.
    ManifestWork,
    /// ocm: a decision in the form of the multicluster SIG, which nothing here reads.
    SigDecision,
    /// hybrid: a placement rule.
    PlacementRule,
    /// hybrid: a deployer.
    Deployer,
    /// hybrid: answers of advisors.
    AdvisorAnswers,
    /// airship: any document with Airship's envelope.
    Airship,
    /// senlin: any Senlin document; its lowering tells them apart.
    Senlin,
    /// An expectation of the site's owner.
    PlanTest,
    /// Not ours.
    Foreign,
}

/// A kind that is recognised by `apiVersion` and `kind`.
#[derive(Debug)]
pub struct KindInfo {
    /// What it is here.
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
        "policy.open-cluster-management.io/v1beta1",
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
    "SavedPlan",
    "Validation",
    "Simulation",
    "Why",
    "PlanDiff",
    "TestReport",
];

/// The table row of a kind.
#[must_use]
pub fn info_of(kind: DocumentKind) -> Option<&'static KindInfo> {
    KINDS.iter().find(|info| info.kind == kind)
}

impl DocumentKind {
    /// The system that owns the kind; `None` for what is not ours and for PlanTests.
    #[must_use]
    pub fn system(self) -> Option<System> {
        match self {
            Self::Airship => Some(System::Airship),
            Self::Senlin => Some(System::Senlin),
            Self::Foreign | Self::PlanTest => None,
            kind => info_of(kind).map(|info| info.system),
        }
    }

    /// Whether it consumes what placements decide (`delivery` reads it): nothing that is decided
    /// depends on it.
    #[must_use]
    pub fn is_consumer(self) -> bool {
        matches!(
            self,
            Self::Policy
                | Self::PolicySet
                | Self::PlacementBinding
                | Self::LegacyRule
                | Self::PolicyGenerator
                | Self::ApplicationSet
                | Self::GitOpsCluster
                | Self::Subscription
                | Self::Channel
                | Self::DrPlacementControl
                | Self::DrPolicy
                | Self::ClusterManagementAddOn
                | Self::ManagedClusterAddOn
                | Self::AddOnDeploymentConfig
                | Self::AddOnTemplate
                | Self::ManifestWork
                | Self::SigDecision
        )
    }

    /// The field in which a document says what it is.
    #[must_use]
    pub fn names_itself(self) -> &'static str {
        match self {
            Self::Airship => "schema",
            Self::Senlin => "type",
            _ => "kind",
        }
    }

    /// Whether every value of such a document is its system's to read, and none another program's.
    #[must_use]
    pub fn is_read_whole(self) -> bool {
        matches!(
            self,
            Self::Project
                | Self::Cluster
                | Self::Node
                | Self::Package
                | Self::Application
                | Self::Deployment
                | Self::ManagedCluster
                | Self::ManagedClusterSet
                | Self::ManagedClusterSetBinding
                | Self::Placement
                | Self::PlacementDecision
                | Self::AddOnPlacementScore
                | Self::RolloutStep
                | Self::PolicySet
                | Self::PlacementBinding
                | Self::LegacyRule
                | Self::PlacementRule
                | Self::Deployer
                | Self::AdvisorAnswers
                | Self::Senlin
        )
    }

    /// Whether documents of one kind are told apart by their file alone.
    #[must_use]
    pub fn is_of_its_file(self) -> bool {
        self == Self::Senlin
    }

    /// Whose YAML rules hold for the document.
    #[must_use]
    pub fn dialect(self) -> Dialect {
        match self {
            Self::Airship | Self::Senlin => Dialect::PyYaml,
            Self::Project
            | Self::Cluster
            | Self::Node
            | Self::Package
            | Self::Application
            | Self::Deployment
            | Self::PlanTest => Dialect::Ogc,
            _ => Dialect::Kubernetes,
        }
    }
}

/// One document of a run.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// What it is.
    pub kind: DocumentKind,
    /// Its root.
    pub node: Node<'a>,
    /// Its file.
    pub source: SourceId,
    /// Its number among all documents of the run, in order.
    pub index: u32,
    /// An error was found in it by the loader: its own system plans nothing of it.
    pub refused: bool,
    /// The record's number, when the document is one that Proceed wrote.
    pub record: Option<u64>,
    /// The name of the generator from an entry of which it was made: the entry is its place.
    pub generator: Option<&'a str>,
}

impl<'a> Document<'a> {
    /// `metadata.name`, as written.
    #[must_use]
    pub fn name(&self) -> Option<&'a str> {
        self.node.at(&["metadata", "name"])?.text()
    }

    /// `metadata.namespace`, as written; `None` when absent or null.
    #[must_use]
    pub fn namespace(&self) -> Option<&'a str> {
        let namespace = self.node.at(&["metadata", "namespace"])?;
        if namespace.is_null() {
            None
        } else {
            namespace.text()
        }
    }

    /// The object it holds, for findings about it.
    #[must_use]
    pub fn object(&self) -> Object {
        let kind = match info_of(self.kind) {
            Some(info) => info.name,
            None => self.node.get("kind").and_then(Node::text).unwrap_or(""),
        };
        object_of(self.node, kind)
    }

    /// The place to point at for the document as a whole: its `kind`, `schema` or `type`
    /// value, else its first key.
    #[must_use]
    pub fn head(&self) -> Node<'a> {
        ["kind", "schema", "type"]
            .iter()
            .find_map(|key| self.node.get(key))
            .or_else(|| self.node.entries().next().map(|(key, _)| key))
            .unwrap_or(self.node)
    }
}

/// An Airship repository among the PATHs and the site read from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Its root, as given.
    pub root: std::path::PathBuf,
    /// The root as messages call it.
    pub shown: String,
    /// The site.
    pub site: String,
    /// The site's type, where its definition names one.
    pub site_type: Option<String>,
    /// The files of the site, by path.
    pub files: Vec<std::path::PathBuf>,
    /// The number of the PATH that it is at or below.
    pub path: usize,
    /// Whether it lies below that PATH.
    pub below: bool,
}

/// All documents of a run.
#[derive(Debug)]
pub struct Documents<'a> {
    /// The files they come from.
    pub sources: &'a Sources,
    /// Room for trees made of several documents (Airship's merged ones), so that models can
    /// borrow from them as from a file; filled at most once.
    pub made: &'a OnceLock<Vec<Tree>>,
    /// Room for what generators make, each with the number of its generator's document.
    pub generated: &'a OnceLock<Vec<(u32, Tree)>>,
    /// The Airship repositories among the PATHs, each with the site that is read of it.
    pub repositories: Vec<&'a Repository>,
    /// The documents, by file and place.
    pub all: Vec<Document<'a>>,
}

impl<'a> Documents<'a> {
    /// The documents of a kind, in document order.
    pub fn of(&self, kind: DocumentKind) -> impl Iterator<Item = &Document<'a>> {
        self.all
            .iter()
            .filter(move |document| document.kind == kind)
    }

    /// Whether there is a document of the kind.
    #[must_use]
    pub fn has(&self, kind: DocumentKind) -> bool {
        self.of(kind).next().is_some()
    }
}
