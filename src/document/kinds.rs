//! The systems and the kinds of documents: a row each, and what follows from it.

use crate::yaml::Dialect;

/// Makes [`System`] of a row for each system: its place in the order in which the systems of a site
/// are deployed, its name, its name for people, whose YAML rules hold for its documents, and the
/// field in which they name their kind.
macro_rules! systems {
    ($(
        $(#[$about:meta])*
        $system:ident $rank:literal $name:literal $title:literal $dialect:ident $field:literal;
    )*) => {
        /// The five systems.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum System {
            $($(#[$about])* $system,)*
        }

        impl System {
            /// All of them, in the order in which a name is looked up.
            pub const ALL: [Self; [$($rank),*].len()] = [$(Self::$system),*];

            /// Its place in the order in which the systems of a site are deployed.
            #[must_use]
            pub fn rank(self) -> u8 {
                match self { $(Self::$system => $rank,)* }
            }

            /// The name used in code, areas of diagnostics and prefixes of subjects.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$system => $name,)* }
            }

            /// Its name for people.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$system => $title,)* }
            }

            /// The YAML dialect of its documents.
            fn dialect(self) -> Dialect {
                match self { $(Self::$system => Dialect::$dialect,)* }
            }

            /// The field in which its documents name their kind.
            fn names_kinds(self) -> &'static str {
                match self { $(Self::$system => $field,)* }
            }
        }
    };
}

systems! {
    /// Ori Global Cloud packages and applications.
    Ogc 4 "ogc" "OGC packages and applications" Ogc "kind";
    /// Open Cluster Management placements.
    Ocm 2 "ocm" "Open Cluster Management" Kubernetes "kind";
    /// IBM hybrid placement rules.
    Hybrid 3 "hybrid" "hybrid placement rules" Kubernetes "kind";
    /// Airship deployment strategies.
    Airship 0 "airship" "Airship" PyYaml "schema";
    /// Senlin region placement.
    Senlin 1 "senlin" "Senlin" PyYaml "type";
}

/// A kind that is recognised by `apiVersion` and `kind`.
#[derive(Debug)]
pub struct KindInfo {
    /// The kind.
    pub kind: DocumentKind,
    /// `apiVersion`, the one that is served.
    pub api_version: &'static str,
    /// `kind`.
    pub name: &'static str,
    /// Stem of its schema file, `schemas/STEM.schema.json`.
    pub schema: &'static str,
}

/// A property that only some kinds have.
#[derive(PartialEq)]
enum Mark {
    /// Its objects are in no namespace.
    ClusterScoped,
    /// Policies carry it to clusters.
    PolicyTemplate,
    /// All values of its documents are for its system.
    ReadWhole,
    /// Its documents are told apart by their file alone.
    OfItsFile,
}

/// Makes [`DocumentKind`] and [`KINDS`] of a row for each kind: its system, its marks and, if it is
/// recognised by `apiVersion` and `kind`, its API versions, the stem of its schema and its `kind`
/// where that is not the name of the variant.
///
/// The rows are in the order of [`DocumentKind`]. Consumers have a block of their own: in [`KINDS`]
/// it comes last, so that a `kind` that is not theirs alone is looked up among the others first.
macro_rules! kinds {
    (
        kinds { $($(#[$about:meta])* $kind:ident $row:tt)* }
        consumers { $($(#[$about_consumer:meta])* $consumer:ident $row_of_consumer:tt)* }
        kinds { $($(#[$about_other:meta])* $other:ident $row_of_other:tt)* }
    ) => {
        /// The kind of a document.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DocumentKind {
            $($(#[$about])* $kind,)*
            $($(#[$about_consumer])* $consumer,)*
            $($(#[$about_other])* $other,)*
        }

        impl DocumentKind {
            /// Whether it consumes what placements decide (`delivery` reads it): nothing that is
            /// decided depends on it.
            #[must_use]
            pub fn is_consumer(self) -> bool {
                matches!(self, $(Self::$consumer)|*)
            }
        }

        kinds! { $($kind $row)* $($other $row_of_other)* $($consumer $row_of_consumer)* }
    };
    ($($kind:ident (
        $($system:ident)? $(, $mark:ident)*
        $(; [$($version:expr),+] $schema:literal $($name:literal)?)?
    ))*) => {
        /// Every kind recognised by `apiVersion` and `kind`.
        pub static KINDS: &[KindInfo] = &[$($($(
            KindInfo {
                kind: DocumentKind::$kind,
                api_version: $version,
                name: DocumentKind::$kind.name(),
                schema: $schema,
            },
        )+)?)*];

        impl DocumentKind {
            /// The system that owns the kind; `None` for foreign kinds and for PlanTests.
            #[must_use]
            pub fn system(self) -> Option<System> {
                match self { $(Self::$kind => [$(Some(System::$system),)? None][0],)* }
            }

            /// `kind`, where it is recognised by it.
            const fn name(self) -> &'static str {
                match self { $(Self::$kind => [$($($name,)?)? stringify!($kind)][0],)* }
            }

            fn is(self, mark: Mark) -> bool {
                let marks: &[Mark] = match self { $(Self::$kind => &[$(Mark::$mark),*],)* };
                marks.contains(&mark)
            }
        }
    };
}

const OURS: &str = "planner/v1";
const OCM_V1: &str = "cluster.open-cluster-management.io/v1";
const OCM_V1ALPHA1: &str = "cluster.open-cluster-management.io/v1alpha1";
const OCM_V1BETA1: &str = "cluster.open-cluster-management.io/v1beta1";
const OCM_V1BETA2: &str = "cluster.open-cluster-management.io/v1beta2";
const WORK_V1: &str = "work.open-cluster-management.io/v1";
const WORK_V1ALPHA1: &str = "work.open-cluster-management.io/v1alpha1";
const APPS_V1: &str = "apps.open-cluster-management.io/v1";
const APPS_V1BETA1: &str = "apps.open-cluster-management.io/v1beta1";
const ADDON_V1ALPHA1: &str = "addon.open-cluster-management.io/v1alpha1";
const ADDON_V1BETA1: &str = "addon.open-cluster-management.io/v1beta1";
const POLICY_V1: &str = "policy.open-cluster-management.io/v1";
const POLICY_V1BETA1: &str = "policy.open-cluster-management.io/v1beta1";
const ARGO: &str = "argoproj.io/v1alpha1";
const RAMEN: &str = "ramendr.openshift.io/v1alpha1";
const SIG: &str = "multicluster.x-k8s.io/v1alpha1";
const HYBRID: &str = "core.hybridapp.io/v1alpha1";

kinds! {
    kinds {
        /// ogc: a Project.
        Project(Ogc, ReadWhole; [OURS] "ogc-project")
        /// ogc: a Cluster.
        Cluster(Ogc, ReadWhole; [OURS] "ogc-cluster")
        /// ogc: a Node of a Cluster.
        Node(Ogc, ReadWhole; [OURS] "ogc-node")
        /// ogc: a Package.
        Package(Ogc, ReadWhole; [OURS] "ogc-package")
        /// ogc: an Application of a Package.
        Application(Ogc, ReadWhole; [OURS] "ogc-application")
        /// ogc: an earlier Deployment of a Package.
        Deployment(Ogc, ReadWhole; [OURS] "ogc-deployment")
        /// ocm and hybrid: a cluster.
        ManagedCluster(Ocm, ClusterScoped, ReadWhole; [OCM_V1] "ocm-managedcluster")
        /// ocm: a set of clusters.
        ManagedClusterSet(Ocm, ClusterScoped, ReadWhole; [OCM_V1BETA2] "ocm-managedclusterset")
        /// ocm: a set bound to a namespace.
        ManagedClusterSetBinding(Ocm, ReadWhole; [OCM_V1BETA2] "ocm-managedclustersetbinding")
        /// ocm: a placement.
        Placement(Ocm, ReadWhole; [OCM_V1BETA1] "ocm-placement")
        /// ocm: a page of decisions.
        PlacementDecision(Ocm, ReadWhole; [OCM_V1BETA1] "ocm-placementdecision")
        /// ocm: scores of one cluster.
        AddOnPlacementScore(Ocm, ReadWhole; [OCM_V1ALPHA1] "ocm-addonplacementscore")
        /// ocm: carries a rollout strategy.
        ManifestWorkReplicaSet(Ocm; [WORK_V1ALPHA1] "ocm-manifestworkreplicaset")
        /// ocm: one question to a rollout.
        RolloutStep(Ocm, ReadWhole; [OURS, "corpus.example.com/v1"] "ocm-rolloutstep")
    }
    consumers {
        /// ocm, a consumer of placements: a policy.
        Policy(Ocm; [POLICY_V1] "ocm-policy")
        /// ocm, a consumer of placements: a set of policies.
        PolicySet(Ocm, ReadWhole; [POLICY_V1BETA1] "ocm-policyset")
        /// ocm, a consumer of placements: binds policies to a placement.
        PlacementBinding(Ocm, ReadWhole; [POLICY_V1] "ocm-placementbinding")
        /// ocm, a consumer of clusters: the placement rule that Placement replaced.
        LegacyRule(Ocm, ReadWhole; [APPS_V1] "ocm-placementrule" "PlacementRule")
        /// ocm: makes policies, sets, placements and bindings.
        PolicyGenerator(Ocm; [POLICY_V1] "ocm-policygenerator")
        /// ocm, carried by policies: objects that must or must not be on a cluster.
        ConfigurationPolicy(Ocm, PolicyTemplate; [POLICY_V1] "ocm-configurationpolicy")
        /// ocm, carried by policies: an operator on a cluster.
        OperatorPolicy(Ocm, PolicyTemplate; [POLICY_V1BETA1] "ocm-operatorpolicy")
        /// ocm, carried by policies: the certificates on a cluster.
        CertificatePolicy(Ocm, PolicyTemplate; [POLICY_V1] "ocm-certificatepolicy")
        /// ocm, a consumer of placements: Applications of Argo CD, made from decisions.
        ApplicationSet(Ocm; [ARGO] "ocm-applicationset")
        /// ocm, a consumer of placements: makes clusters known to Argo CD.
        GitOpsCluster(Ocm; [APPS_V1BETA1] "ocm-gitopscluster")
        /// ocm, a consumer of placements: resources that clusters fetch from a Channel.
        Subscription(Ocm; [APPS_V1] "ocm-subscription")
        /// ocm: where a Subscription fetches from.
        Channel(Ocm; [APPS_V1] "ocm-channel")
        /// ocm, a consumer of placements: decides in the place of the hub.
        DrPlacementControl(Ocm; [RAMEN] "ocm-drplacementcontrol" "DRPlacementControl")
        /// ocm: the clusters of a DRPlacementControl.
        DrPolicy(Ocm, ClusterScoped; [RAMEN] "ocm-drpolicy" "DRPolicy")
        /// ocm, a consumer of placements: where an add-on is installed.
        ClusterManagementAddOn(Ocm, ClusterScoped;
            [ADDON_V1ALPHA1, ADDON_V1BETA1] "ocm-clustermanagementaddon")
        /// ocm: an add-on on one cluster.
        ManagedClusterAddOn(Ocm; [ADDON_V1ALPHA1, ADDON_V1BETA1] "ocm-managedclusteraddon")
        /// ocm: how add-ons run.
        AddOnDeploymentConfig(Ocm; [ADDON_V1ALPHA1, ADDON_V1BETA1] "ocm-addondeploymentconfig")
        /// ocm: what an add-on consists of.
        AddOnTemplate(Ocm, ClusterScoped; [ADDON_V1ALPHA1, ADDON_V1BETA1] "ocm-addontemplate")
        /// ocm: a ManifestWork that the hub made from a ManifestWorkReplicaSet for one cluster.
        ManifestWork(Ocm; [WORK_V1] "ocm-manifestwork")
        /// ocm: a decision in the form of the multicluster SIG, which nothing here reads.
        SigDecision(Ocm; [SIG] "ocm-sigplacementdecision" "PlacementDecision")
    }
    kinds {
        /// hybrid: a placement rule.
        PlacementRule(Hybrid, ReadWhole; [HYBRID] "hybrid-placementrule")
        /// hybrid: a deployer.
        Deployer(Hybrid, ReadWhole; [HYBRID] "hybrid-deployer")
        /// hybrid: answers of advisors.
        AdvisorAnswers(Hybrid, ReadWhole; [OURS] "hybrid-advisoranswers")
        /// airship: any document with Airship's envelope.
        Airship(Airship)
        /// senlin: any Senlin document; its lowering tells them apart.
        Senlin(Senlin, ReadWhole, OfItsFile)
        /// An expectation of the site's owner.
        PlanTest(; [OURS] "plantest")
        /// Not ours.
        Foreign()
    }
}

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

/// The first row of a kind in [`KINDS`].
#[must_use]
pub fn info_of(kind: DocumentKind) -> Option<&'static KindInfo> {
    KINDS.iter().find(|info| info.kind == kind)
}

impl DocumentKind {
    /// Whether an object of Open Cluster Management is in no namespace.
    #[must_use]
    pub fn is_cluster_scoped(self) -> bool {
        self.is(Mark::ClusterScoped)
    }

    /// Whether it is one of the kinds that a Policy carries to clusters.
    #[must_use]
    pub fn is_policy_template(self) -> bool {
        self.is(Mark::PolicyTemplate)
    }

    /// Whether all values of such a document are for its system, and none for another program.
    #[must_use]
    pub fn is_read_whole(self) -> bool {
        self.is(Mark::ReadWhole)
    }

    /// Whether documents of one kind are told apart by their file alone.
    #[must_use]
    pub fn is_of_its_file(self) -> bool {
        self.is(Mark::OfItsFile)
    }

    /// The field in which a document names its kind.
    #[must_use]
    pub fn names_itself(self) -> &'static str {
        self.system().map_or("kind", System::names_kinds)
    }

    /// The YAML dialect of the document.
    #[must_use]
    pub fn dialect(self) -> Dialect {
        match self {
            // It belongs to no system and follows the YAML rules of OGC.
            Self::PlanTest => Dialect::Ogc,
            kind => kind.system().map_or(Dialect::Kubernetes, System::dialect),
        }
    }
}
