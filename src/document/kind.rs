//! The kinds of documents, and what follows from the kind alone.

use crate::yaml::Dialect;

/// The kind of a document.
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
    /// ocm, carried by policies: objects that must or must not be on a cluster.
    ConfigurationPolicy,
    /// ocm, carried by policies: an operator on a cluster.
    OperatorPolicy,
    /// ocm, carried by policies: the certificates on a cluster.
    CertificatePolicy,
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
    /// ocm: a ManifestWork that the hub made from a ManifestWorkReplicaSet for one cluster.
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

impl DocumentKind {
    /// Whether an object of Open Cluster Management is in no namespace.
    #[must_use]
    pub fn is_cluster_scoped(self) -> bool {
        matches!(
            self,
            Self::ManagedCluster
                | Self::ManagedClusterSet
                | Self::ClusterManagementAddOn
                | Self::AddOnTemplate
                | Self::DrPolicy
        )
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
                | Self::ConfigurationPolicy
                | Self::OperatorPolicy
                | Self::CertificatePolicy
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

    /// Whether it is one of the kinds that a Policy carries to clusters.
    #[must_use]
    pub fn is_policy_template(self) -> bool {
        matches!(
            self,
            Self::ConfigurationPolicy | Self::OperatorPolicy | Self::CertificatePolicy
        )
    }

    /// The field in which a document names its kind.
    #[must_use]
    pub fn names_itself(self) -> &'static str {
        match self {
            Self::Airship => "schema",
            Self::Senlin => "type",
            _ => "kind",
        }
    }

    /// Whether all values of such a document are for its system, and none for another program.
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
