//! Replica sets of works, the strategies by which they are rolled out, and how far a rollout is.

use jiff::Timestamp;

use super::{IntOrText, Text};
use crate::source::Place;

/// A `ManifestWorkReplicaSet`: only what bears on the rollout.
#[derive(Debug)]
pub struct ReplicaSet<'a> {
    /// `metadata.namespace`.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
    /// `spec.placementRefs`: the placement's name and the strategy for it.
    pub placements: Vec<PlacementRef<'a>>,
}

/// One entry of `placementRefs`.
#[derive(Debug)]
pub struct PlacementRef<'a> {
    /// The placement's name, in the namespace of the replica set.
    pub name: Text<'a>,
    /// How changes are rolled out to its clusters.
    pub strategy: Strategy<'a>,
}

/// Which of the three ways of rolling out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StrategyKind {
    /// All clusters at once.
    #[default]
    All,
    /// Cluster by cluster.
    Progressive,
    /// Decision group by decision group.
    ProgressivePerGroup,
}

impl StrategyKind {
    /// The API's word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::Progressive => "Progressive",
            Self::ProgressivePerGroup => "ProgressivePerGroup",
        }
    }
}

/// A `rolloutStrategy`: the section of its type, empty texts where nothing is.
#[derive(Debug, Clone, Default)]
pub struct Strategy<'a> {
    /// The type.
    pub kind: StrategyKind,
    /// `maxFailures`.
    pub max_failures: Option<IntOrText<'a>>,
    /// `minSuccessTime`, a Go duration in nanoseconds.
    pub min_success_nanos: i64,
    /// `progressDeadline` as written.
    pub progress_deadline: &'a str,
    /// `maxConcurrency`.
    pub max_concurrency: Option<IntOrText<'a>>,
    /// `mandatoryDecisionGroups`.
    pub mandatory: Vec<MandatoryGroup<'a>>,
    /// Where the strategy is.
    pub place: Place,
}

/// One entry of `mandatoryDecisionGroups`.
#[derive(Debug, Clone, Copy)]
pub struct MandatoryGroup<'a> {
    /// `groupName`, empty when absent.
    pub name: &'a str,
    /// `groupIndex`, 0 when absent.
    pub index: i64,
}

/// One question to the rollout.
#[derive(Debug)]
pub struct RolloutStep<'a> {
    /// `metadata.namespace`.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
    /// `spec.manifestWorkReplicaSet`.
    pub replica_set: Text<'a>,
    /// `spec.placement`.
    pub placement: Text<'a>,
    /// `spec.now`.
    pub now: Option<Timestamp>,
    /// `spec.clusters`: what is known, in significant order.
    pub clusters: Vec<ClusterStatus<'a>>,
    /// A field that does not serve; the step is answered with this error.
    pub fault: Option<String>,
}

/// The state of a rollout on one cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Not applied yet.
    ToApply,
    /// Under way.
    Progressing,
    /// Done.
    Succeeded,
    /// Failed.
    Failed,
    /// Given up.
    TimeOut,
    /// Left out.
    Skip,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::ToApply,
        Self::Progressing,
        Self::Succeeded,
        Self::Failed,
        Self::TimeOut,
        Self::Skip,
    ];

    /// The API's word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ToApply => "ToApply",
            Self::Progressing => "Progressing",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::TimeOut => "TimeOut",
            Self::Skip => "Skip",
        }
    }

    /// Reads the API's word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }
}

/// The status of a rollout on one cluster.
#[derive(Debug, Clone, Copy)]
pub struct ClusterStatus<'a> {
    /// The cluster's name.
    pub cluster: &'a str,
    /// Its state.
    pub status: Status,
    /// When it came into that state.
    pub since: Option<Timestamp>,
}
