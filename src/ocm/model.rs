//! The objects of Open Cluster Management as the planner sees them, defaults already set.
//!
//! Strings are slices of the documents. Objects that were refused are not here.

mod observed;
mod rollout;

pub use observed::Observed;
pub use rollout::{
    ClusterStatus, MandatoryGroup, PlacementRef, ReplicaSet, RolloutStep, Status, Strategy,
    StrategyKind,
};

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::kit::named::Name;
use crate::kit::selector::LabelSelector;
pub use crate::source::Text;

use crate::source::{Place, Sources};

/// The prefix of OCM's own label keys.
pub const GROUP: &str = "cluster.open-cluster-management.io";
/// The label that puts a cluster into an exclusive set.
pub const CLUSTER_SET_LABEL: &str = "cluster.open-cluster-management.io/clusterset";
/// The label of a `PlacementDecision` that names its placement.
pub const PLACEMENT_LABEL: &str = "cluster.open-cluster-management.io/placement";
/// The label of a `PlacementDecision` that names its decision group.
pub const GROUP_NAME_LABEL: &str = "cluster.open-cluster-management.io/decision-group-name";
/// The label of a `PlacementDecision` with the index of its decision group.
pub const GROUP_INDEX_LABEL: &str = "cluster.open-cluster-management.io/decision-group-index";

/// Everything that OCM's part of a site holds.
#[derive(Debug, Default)]
pub struct Model<'a> {
    /// Whether clusters that admission would refuse take part anyway.
    pub lenient: bool,
    /// Clusters, by name; no name twice.
    pub clusters: Vec<ManagedCluster<'a>>,
    /// Sets, in document order.
    pub sets: Vec<ManagedClusterSet<'a>>,
    /// Bindings, in document order.
    pub bindings: Vec<Binding<'a>>,
    /// Placements, in document order.
    pub placements: Vec<Placement<'a>>,
    /// Decisions as the documents hold them, in document order.
    pub decisions: Vec<PlacementDecision<'a>>,
    /// Scores of add-ons, in document order.
    pub scores: Vec<AddOnPlacementScore<'a>>,
    /// The rollout strategies of `ManifestWorkReplicaSet`s, in document order.
    pub replica_sets: Vec<ReplicaSet<'a>>,
    /// Questions to the rollout, in document order.
    pub rollout_steps: Vec<RolloutStep<'a>>,
    /// Names of sets whose documents were refused: they exist, but take no part.
    pub refused_sets: Vec<&'a str>,
    /// Placements that were refused: only their other faults are of interest.
    pub refused_placements: Vec<Placement<'a>>,
    /// Whether there is a document of a cluster, be it refused or not.
    pub holds_clusters: bool,
    /// Whether the clusters are examples, and the fleet is elsewhere.
    pub is_sample: bool,
}

/// Directories that hold examples.
const EXAMPLES: [&str; 6] = ["demo", "demos", "example", "examples", "sample", "samples"];

impl<'a> Model<'a> {
    /// The names of all clusters that documents define or decide, some of them twice.
    pub fn known_clusters(&self) -> impl Iterator<Item = &'a str> {
        let decided = self.decisions.iter().flat_map(|one| &one.clusters);
        let defined = self.clusters.iter().map(|cluster| cluster.name);
        defined.chain(decided.copied())
    }

    /// Whether the clusters look like examples: there are fewer than the sets that placements ask
    /// for, or all lie in a directory of examples that has not all placements.
    #[must_use]
    pub fn looks_like_sample(&self, sources: &Sources) -> bool {
        if self.clusters.is_empty() {
            return false;
        }
        let bound = self.bindings.iter().map(|binding| binding.name);
        let named = self.placements.iter().flat_map(|one| &one.cluster_sets);
        let sets: BTreeSet<&str> = bound.chain(named.map(|set| set.text)).collect();
        // The set `global` has every cluster.
        let deciding = sets.iter().filter(|name| **name != "global").count();
        let is_example = |place: &Place| {
            let mut directories = sources.get(place.source).name.split(['/', '\\']);
            directories.any(|name| EXAMPLES.contains(&name))
        };
        let mut clusters = self.clusters.iter();
        let mut placements = self.placements.iter();
        self.clusters.len() < deciding
            || (clusters.all(|one| is_example(&one.place))
                && placements.any(|one| !is_example(&one.place)))
    }

    /// Takes over the clusters and scores of another model that this one lacks, and its decisions.
    pub fn take_over(&mut self, other: &Self) {
        let own: Vec<ManagedCluster<'a>> = std::mem::take(&mut self.clusters);
        let names: BTreeSet<&str> = own.iter().map(|cluster| cluster.name).collect();
        let lacks = |cluster: &&ManagedCluster<'a>| !names.contains(cluster.name);
        self.clusters.reserve(other.clusters.len() + own.len());
        self.clusters
            .extend(other.clusters.iter().filter(lacks).cloned());
        // The others are in order already; own ones are few.
        for cluster in own {
            let at = self
                .clusters
                .partition_point(|other| other.name <= cluster.name);
            self.clusters.insert(at, cluster);
        }
        let key = |score: &AddOnPlacementScore<'a>| (score.cluster, score.name);
        let own: BTreeSet<_> = self.scores.iter().map(key).collect();
        let more = other
            .scores
            .iter()
            .filter(|score| !own.contains(&key(score)));
        self.scores.extend(more.cloned());
        self.decisions.clone_from(&other.decisions);
        self.holds_clusters = other.holds_clusters;
    }
}

/// A cluster of the hub.
#[derive(Debug, Clone, Default)]
pub struct ManagedCluster<'a> {
    /// `metadata.name`.
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
    /// `metadata.labels`.
    pub labels: Vec<(&'a str, &'a str)>,
    /// Labels that stand in another file than the object: a patch sets them, or a kustomization.
    pub set_elsewhere: Vec<(&'a str, Place)>,
    /// Whether `metadata.deletionTimestamp` is there.
    pub terminating: bool,
    /// `spec.taints`.
    pub taints: Vec<Taint<'a>>,
    /// `status.allocatable` of CPU and memory, as written.
    pub allocatable: Resources<'a>,
    /// `status.capacity` of CPU and memory, as written.
    pub capacity: Resources<'a>,
    /// `status.clusterClaims` as name and value, in document order; names may repeat.
    pub claims: Vec<(&'a str, &'a str)>,
    /// The cluster's JSON form for CEL; built only where some placement asks in CEL.
    pub data: Option<Data<'a>>,
}

/// Quantities as written; whole numbers as JSON has them.
#[derive(Debug, Clone, Default)]
pub struct Resources<'a> {
    /// CPU cores.
    pub cpu: Option<Cow<'a, str>>,
    /// Bytes of memory.
    pub memory: Option<Cow<'a, str>>,
}

/// A value in the form of JSON, with integers and floats apart.
#[derive(Debug, Clone, PartialEq)]
pub enum Data<'a> {
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Any other number.
    Double(f64),
    /// Text.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Self>),
    /// A mapping, in the order written, no key twice.
    Map(Vec<(Cow<'a, str>, Self)>),
}

/// The effect of a taint on placements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// The cluster is not selected unless tolerated.
    NoSelect,
    /// Nothing; upstream has it only in its API.
    PreferNoSelect,
    /// As `NoSelect`, but for clusters that are decided already.
    NoSelectIfNew,
}

impl Effect {
    /// The API's word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NoSelect => "NoSelect",
            Self::PreferNoSelect => "PreferNoSelect",
            Self::NoSelectIfNew => "NoSelectIfNew",
        }
    }

    /// Reads the API's word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::NoSelect, Self::PreferNoSelect, Self::NoSelectIfNew]
            .into_iter()
            .find(|effect| effect.word() == word)
    }
}

/// One entry of `spec.taints`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taint<'a> {
    /// The key.
    pub key: &'a str,
    /// The value, empty when absent.
    pub value: &'a str,
    /// Its effect on placements.
    pub effect: Effect,
    /// When it was added; `None` is the year 1.
    pub time_added: Option<Timestamp>,
    /// Where the taint is.
    pub place: Place,
}

/// A set of clusters.
#[derive(Debug)]
pub struct ManagedClusterSet<'a> {
    /// `metadata.name`.
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
    /// The rule for its members.
    pub selector: SetSelector<'a>,
    /// A `labelSelector` that the type of its selector leaves unread.
    pub ignored: Option<Place>,
}

/// The sets that a hub makes by itself (upstream `scheduling/scheduling_controller.go`): clusters
/// in no other set, and all clusters.
pub const DEFAULT_SET: &str = "default";
/// See [`DEFAULT_SET`].
pub const GLOBAL_SET: &str = "global";

/// Whether every hub has a set of this name, be there a document or not.
#[must_use]
pub fn is_built_in(set: &str) -> bool {
    matches!(set, DEFAULT_SET | GLOBAL_SET)
}

/// The rule for the members of a set.
#[derive(Debug)]
pub enum SetSelector<'a> {
    /// Clusters whose set label names the set.
    Exclusive,
    /// Clusters that match; without a selector none.
    Labels(Option<LabelSelector<'a>>, Place),
}

/// A `ManagedClusterSetBinding`.
#[derive(Debug)]
pub struct Binding<'a> {
    /// The namespace that may use the set.
    pub namespace: &'a str,
    /// `metadata.name`: the name of the set (upstream `scheduling/scheduling_controller.go`).
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
}

/// A `PlacementDecision` as a document holds it.
#[derive(Debug, Clone)]
pub struct PlacementDecision<'a> {
    /// `metadata.namespace`.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
    /// The label that names the placement.
    pub placement: Option<&'a str>,
    /// The label with the group's name.
    pub group_name: Option<&'a str>,
    /// The label with the group's index.
    pub group_index: Option<&'a str>,
    /// The cluster names of `status.decisions`, in order, repetitions kept.
    pub clusters: Vec<&'a str>,
}

/// An `AddOnPlacementScore`.
#[derive(Debug, Clone)]
pub struct AddOnPlacementScore<'a> {
    /// The cluster: `metadata.namespace`.
    pub cluster: &'a str,
    /// `metadata.name`, the resource name of the prioritizer.
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
    /// `status.scores`.
    pub scores: Vec<(&'a str, i64)>,
    /// `status.validUntil`; `None` is for ever.
    pub valid_until: Option<Timestamp>,
    /// Where `validUntil` is.
    pub valid_until_place: Place,
}

/// Why a placement is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// It has a deletion timestamp.
    Deleting,
    /// The annotation that switches scheduling off.
    SchedulingDisabled,
}

impl Skipped {
    /// The word of the JSON form.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Deleting => "Deleting",
            Self::SchedulingDisabled => "SchedulingDisabled",
        }
    }
}

/// A `Placement`, defaults of admission already set.
#[derive(Debug, Default)]
pub struct Placement<'a> {
    /// `metadata.namespace`.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
    /// Why it is left alone, if it is.
    pub skipped: Option<Skipped>,
    /// `spec.clusterSets` as written.
    pub cluster_sets: Vec<Text<'a>>,
    /// `spec.numberOfClusters`; `None` is all.
    pub number_of_clusters: Option<u32>,
    /// Where `numberOfClusters` is.
    pub number_place: Place,
    /// `spec.predicates`: alternatives.
    pub predicates: Vec<Predicate<'a>>,
    /// `spec.prioritizerPolicy.mode`, empty when there is no policy.
    pub mode: Text<'a>,
    /// `spec.prioritizerPolicy.configurations`.
    pub configurations: Vec<Configuration<'a>>,
    /// `spec.tolerations`.
    pub tolerations: Vec<Toleration<'a>>,
    /// `clustersPerDecisionGroup`, if the group strategy is there.
    pub cap: Option<(IntOrText<'a>, Place)>,
    /// `decisionGroups`.
    pub groups: Vec<NamedGroup<'a>>,
    /// `status.conditions` as they stand: type, status, reason, message.
    pub conditions: Vec<[&'a str; 4]>,
    /// Fields that have another than their default value and no effect.
    pub ignored: Vec<(&'static str, Place)>,
}

impl<'a> Placement<'a> {
    /// `namespace/name`.
    #[must_use]
    pub const fn full_name(&self) -> Name<'a> {
        Name::new(self.namespace, self.name)
    }
}

/// An integer or a text, as Kubernetes' `IntOrString`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntOrText<'a> {
    /// A number.
    Int(i64),
    /// A text, percentage or not.
    Text(&'a str),
}

/// A selector over labels and claims, as written.
#[derive(Debug, Clone, Default)]
pub struct ClusterSelector<'a> {
    /// `labelSelector`.
    pub labels: LabelSelector<'a>,
    /// `claimSelector`.
    pub claims: LabelSelector<'a>,
    /// Where each requirement of the labels is: `matchLabels` first.
    pub label_places: Vec<Place>,
    /// Where each requirement of the claims is.
    pub claim_places: Vec<Place>,
}

/// One of the alternatives of a placement.
#[derive(Debug, Clone, Default)]
pub struct Predicate<'a> {
    /// Labels and claims.
    pub selector: ClusterSelector<'a>,
    /// `celExpressions`, all of which must hold.
    pub cel: Vec<Text<'a>>,
    /// The expressions that do not compile: their places in `cel`, and the messages.
    pub cel_faults: Vec<(usize, String)>,
    /// Where the predicate is.
    pub place: Place,
}

/// One entry of `prioritizerPolicy.configurations`.
#[derive(Debug, Clone)]
pub struct Configuration<'a> {
    /// Which score.
    pub coordinate: Coordinate<'a>,
    /// Its weight, 1 when absent (the API's defaults and validation).
    pub weight: i64,
    /// Where the coordinate is.
    pub place: Place,
}

/// A `scoreCoordinate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coordinate<'a> {
    /// Whether the type is `AddOn`; else it is `BuiltIn`.
    pub kind: CoordinateKind,
    /// `builtIn`, empty when absent.
    pub built_in: &'a str,
    /// `addOn`: resource name and score name.
    pub add_on: Option<(&'a str, &'a str)>,
}

/// The type of a score coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoordinateKind {
    /// One of the scheduler's own scores.
    BuiltIn,
    /// A score that an add-on writes.
    AddOn,
}

/// One entry of `spec.tolerations`.
#[derive(Debug, Clone, Copy)]
pub struct Toleration<'a> {
    /// The key, empty when absent.
    pub key: &'a str,
    /// The operator, unchecked; `Equal` when absent.
    pub operator: &'a str,
    /// The value, empty when absent.
    pub value: &'a str,
    /// The effect; `None` is any.
    pub effect: Option<Effect>,
    /// `tolerationSeconds`; `None` is for ever.
    pub seconds: Option<i64>,
    /// Where the toleration is.
    pub place: Place,
}

/// One entry of `decisionGroups`.
#[derive(Debug, Clone)]
pub struct NamedGroup<'a> {
    /// `groupName`.
    pub name: &'a str,
    /// `groupClusterSelector`.
    pub selector: ClusterSelector<'a>,
    /// Where the entry is.
    pub place: Place,
}
