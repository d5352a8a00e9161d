//! The objects of hybrid placement: rules, possible targets, advisors and their answers.
//!
//! Texts are borrowed from the documents. Source of all rules: "Hybrid placement rules".

mod inventory;

use crate::kit::lists::List;
use crate::kit::selector::Selector;
pub use crate::source::Place;
pub use inventory::{Inventory, Stock};

/// `apiVersion` of a cluster, also the default for references without one.
pub const CLUSTER_API: &str = "cluster.open-cluster-management.io/v1";
/// `kind` of a cluster.
pub const CLUSTER_KIND: &str = "ManagedCluster";
/// Name and namespace of the hub's own cluster.
pub const HUB: &str = "local-cluster";
/// The deployer type that stands for clusters.
pub const KUBERNETES: &str = "kubernetes";

/// Index of an object in its [`Inventory`]; ids follow the canonical order.
pub type ObjectId = u32;

/// A possible target, or any object of the inventory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object<'a> {
    /// `apiVersion`.
    pub api_version: &'a str,
    /// `kind`.
    pub kind: &'a str,
    /// `metadata.namespace`, empty without one.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// `metadata.labels`: [`Inventory::label`] reads them.
    pub labels: List,
    /// `status.allocatable`: [`Inventory::resource`] reads it.
    pub amounts: List,
    /// Its deployer data, if it is a deployer; few objects are.
    pub deployer: Option<Box<Deployer<'a>>>,
    /// Where its name is written.
    pub place: Place,
}

impl<'a> Object<'a> {
    /// Whether this is the hub's own cluster, which is never a candidate.
    #[must_use]
    pub fn is_hub(&self) -> bool {
        self.kind == CLUSTER_KIND && self.name == HUB && self.namespace == HUB
    }

    /// The text key: `Kind/name`, or `Kind/namespace/name`.
    #[must_use]
    pub fn key(&self) -> String {
        match self.namespace {
            "" => format!("{}/{}", self.kind, self.name),
            namespace => format!("{}/{namespace}/{}", self.kind, self.name),
        }
    }

    /// Whether both have one identity: kind, namespace and name.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> bool {
        (self.kind, self.namespace, self.name) == (other.kind, other.namespace, other.name)
    }

    /// The canonical order: namespace, name, and for equals kind and version.
    fn order(&self) -> (&'a str, &'a str, &'a str, &'a str) {
        (self.namespace, self.name, self.kind, self.api_version)
    }
}

/// The fields of a `Deployer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deployer<'a> {
    /// `spec.type`.
    pub kind: &'a str,
    /// `spec.placementTarget`, unless it names deployers.
    pub target: Option<PlacementTarget<'a>>,
}

/// The kind of object a deployer deploys to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacementTarget<'a> {
    /// API group, empty for the core group.
    pub group: &'a str,
    /// API version.
    pub version: &'a str,
    /// The kind in lower case plus `s`.
    pub resource: &'a str,
}

impl PlacementTarget<'_> {
    /// Whether objects of this `apiVersion` and `kind` are meant.
    #[must_use]
    pub fn takes(&self, api_version: &str, kind: &str) -> bool {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let Some(singular) = self.resource.strip_suffix('s') else {
            return false;
        };
        group == self.group && version == self.version && kind.to_lowercase() == singular
    }
}

/// A reference to an object as written; an empty part fits anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reference<'a> {
    /// `apiVersion`.
    pub api_version: &'a str,
    /// `kind`.
    pub kind: &'a str,
    /// `namespace`.
    pub namespace: &'a str,
    /// `name`.
    pub name: &'a str,
    /// Where it is written.
    pub place: Place,
}

impl Reference<'_> {
    /// Whether every given one of `name`, `namespace`, `kind` equals the object's.
    #[must_use]
    pub fn fits(&self, object: &Object<'_>) -> bool {
        (self.name.is_empty() || self.name == object.name)
            && (self.namespace.is_empty() || self.namespace == object.namespace)
            && (self.kind.is_empty() || self.kind == object.kind)
    }

    /// Whether it says nothing; such a target is ignored.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.name.is_empty() && self.namespace.is_empty() && self.kind.is_empty()
    }
}

/// Which kinds of target a rule takes.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Types<'a> {
    /// Not given: the clusters.
    #[default]
    Clusters,
    /// The types named, in this order.
    Named(Vec<&'a str>),
    /// The word `all`.
    All,
}

impl Types<'_> {
    /// Whether the rule uses only defaults, so that it may fall back to the hub cluster.
    #[must_use]
    pub fn is_default(&self) -> bool {
        match self {
            Self::Clusters => true,
            Self::Named(types) => types.as_slice() == [KUBERNETES],
            Self::All => false,
        }
    }
}

/// A `PlacementRule`.
#[derive(Debug, Clone, Default)]
pub struct PlacementRule<'a> {
    /// `metadata.namespace`, empty without one.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// Where the name is written.
    pub place: Place,
    /// `metadata.generation` as written.
    pub generation: Option<&'a str>,
    /// `spec.deployerType`.
    pub types: Types<'a>,
    /// `spec.replicas`; none means no limit.
    pub replicas: Option<u32>,
    /// `spec.targets` without the blank ones.
    pub targets: Vec<Reference<'a>>,
    /// `spec.targetLabels`; none if absent or empty.
    pub labels: Option<Selector<'a>>,
    /// `spec.advisors` in order.
    pub advisors: Vec<Advisor<'a>>,
    /// `spec.decisionWeight`: bonus of the existing decisions.
    pub decision_weight: i64,
    /// The candidates of `status`, where the site has no inventory.
    pub candidates: Vec<ObjectId>,
    /// The existing decisions.
    pub decisions: Vec<Reference<'a>>,
    /// `metadata` and `spec` as JSON, for the commands it asks; empty if it asks none.
    pub json: RuleJson,
}

/// The rule as a command receives it, as JSON texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleJson {
    /// `metadata`.
    pub metadata: String,
    /// `spec`.
    pub spec: String,
}

/// Whether an advisor may veto.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// It vetoes the candidates that it does not recommend.
    Predicate,
    /// It adds to the rating only.
    #[default]
    Priority,
}

impl Role {
    /// The word of `spec.advisors[].type`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Predicate => "predicate",
            Self::Priority => "priority",
        }
    }
}

/// An advisor of a rule.
#[derive(Debug, Clone)]
pub struct Advisor<'a> {
    /// Key of its recommendations.
    pub name: &'a str,
    /// `type`.
    pub role: Role,
    /// `weight`, 100 if not given.
    pub weight: i64,
    /// Where its answers come from.
    pub source: Source<'a>,
    /// `rules` as JSON, for a command; empty if it is none.
    pub rules_json: String,
    /// Where its name is written.
    pub place: Place,
}

/// Where an advisor's answers come from.
#[derive(Debug, Clone, Default)]
pub enum Source<'a> {
    /// Nowhere: the rule waits.
    #[default]
    Silent,
    /// An entry of an `AdvisorAnswers` document: an index into [`Model::answers`].
    Entry(usize),
    /// `status.recommendations` of the rule: the same list in every round.
    Status(Vec<Recommendation<'a>>),
    /// An advisor of ours.
    BuiltIn(BuiltIn<'a>),
}

/// One recommendation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recommendation<'a> {
    /// The object that is recommended.
    pub target: Reference<'a>,
    /// 0 to 100; counts as 100 if not given.
    pub score: Option<i64>,
}

/// An advisor of ours with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuiltIn<'a> {
    /// The best by an allocatable resource.
    ResourceHint {
        /// Name of the resource.
        resource: &'a str,
        /// How they are ranked.
        rank: Rank,
    },
    /// The best by a label read as a decimal number.
    Cost {
        /// The label's key.
        label: &'a str,
        /// How they are ranked.
        rank: Rank,
    },
    /// The objects that comply with all these policies.
    Policies(Vec<&'a str>),
    /// The objects whose labels match.
    Labels(Selector<'a>),
    /// The first by name, then namespace.
    Alphabet,
    /// The objects that none of these names and namespaces hits.
    Veto(Vec<Reference<'a>>),
}

/// How the best are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// The largest first.
    pub descending: bool,
    /// All are recommended, each with a score, instead of the best without.
    pub scored: bool,
}

/// An entry of an `AdvisorAnswers` document.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// The advisor it answers for.
    pub advisor: &'a str,
    /// The rule it answers, none for every rule.
    pub rule: Option<Reference<'a>>,
    /// Its form.
    pub answer: AnswerForm<'a>,
    /// Where the advisor's name is written.
    pub place: Place,
}

/// The form of an answer.
#[derive(Debug, Clone)]
pub enum AnswerForm<'a> {
    /// The same list in every round.
    Static(Vec<Recommendation<'a>>),
    /// By the names of the remaining candidates.
    PerCandidates {
        /// Sorted names and the list for them, in the order written.
        cases: Vec<(Vec<&'a str>, Vec<Recommendation<'a>>)>,
        /// The list for all other names.
        otherwise: Option<Vec<Recommendation<'a>>>,
    },
    /// An advisor of ours, by its word; its options are the advisor's `rules`.
    BuiltIn(&'a str),
    /// A program.
    Command(Command<'a>),
}

/// A program that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command<'a> {
    /// Program and arguments; never empty.
    pub argv: Vec<&'a str>,
    /// How long it may take, in seconds.
    pub timeout_seconds: u64,
    /// Where it is written; its directory is that of this file.
    pub place: Place,
}

/// The compliance of the clusters by a `Policy` document.
#[derive(Debug, Clone)]
pub struct Policy<'a> {
    /// `metadata.name`.
    pub name: &'a str,
    /// Cluster names with whether all of `status.status[]` on it is compliant, sorted.
    pub clusters: Vec<(&'a str, bool)>,
}

impl<'a> Model<'a> {
    /// Takes over the objects of another model's inventory that this one lacks.
    pub fn take_over(&mut self, other: &Self) {
        self.inventory = self.inventory.with(&other.inventory);
    }
}

/// Everything hybrid placement works with.
#[derive(Debug, Default)]
pub struct Model<'a> {
    /// The possible targets.
    pub inventory: Inventory<'a>,
    /// Whether the inventory came from the rules' `status.candidates`.
    pub candidates_from_status: bool,
    /// The rules, by namespace and name.
    pub placement_rules: Vec<PlacementRule<'a>>,
    /// All entries of `AdvisorAnswers` documents, in document order.
    pub answers: Vec<Entry<'a>>,
    /// The policies the advisors ask for.
    pub policies: Vec<Policy<'a>>,
    /// Whether documents were refused, so that what seems to be missing may only be at fault.
    pub incomplete: bool,
    /// Documents of other systems, or of none, that belong to the inventory: their index.
    pub claimed: Vec<u32>,
}
