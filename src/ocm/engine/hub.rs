//! The hub data that all placements need, computed once: labels, sets, resources, add-on scores.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use fixedbitset::FixedBitSet;
use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::feasible::Feasible;
use super::memo::Memo;
use super::resource::{Resource, allocatable};
use crate::kit::labels::LabelIndex;
use crate::kit::selector::{LabelSelector, SelectorError};
use crate::ocm::model::{
    AddOnPlacementScore, CLUSTER_SET_LABEL, ClusterSelector, DEFAULT_SET, Effect, GLOBAL_SET,
    Model, SetSelector, Taint, is_built_in,
};

/// Sets of feasible clusters are kept for so many clusters in all, but always a few of them.
const KEPT: usize = 1 << 21;
const FEW: usize = 16;
/// Answers to selectors are kept for so many clusters in all, a bit for each.
const ANSWERED: usize = 1 << 26;

/// A set of clusters by their place in [`Model::clusters`].
pub type Clusters = Arc<FixedBitSet>;

/// The members of a set, or why its selector cannot be parsed.
type Members = Result<Clusters, SelectorError>;

/// Whether a selector applies to labels or to claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Over {
    /// `metadata.labels`.
    Labels,
    /// `status.clusterClaims`, the later entry of a name counting.
    Claims,
}

/// The values of one add-on score, by cluster.
#[derive(Debug)]
pub struct AddOnValues {
    /// The value that counts, 0 where there is none.
    pub values: Vec<i64>,
    /// Clusters whose score has expired.
    pub expired: FixedBitSet,
}

/// The hub with its indexes; the model does not change while it lives.
#[derive(Debug)]
pub struct Hub<'m, 'a> {
    /// The documents.
    pub model: &'m Model<'a>,
    /// The instant at which everything is judged.
    pub now: Timestamp,
    /// Clusters not being deleted.
    alive: FixedBitSet,
    /// Clusters with a taint that can keep them out.
    pub tainted: FixedBitSet,
    /// The taints that can keep clusters out, times left aside, each with the clusters that have
    /// it: many clusters have few different ones.
    pub taints: Vec<(&'m Taint<'a>, Vec<u32>)>,
    labels: Selection<'a>,
    claims: Selection<'a>,
    sets: BTreeMap<&'a str, usize>,
    members: Memo<usize, Members>,
    unions: Memo<Vec<&'a str>, Members>,
    feasible: Memo<Clusters, Arc<Feasible>>,
    /// The clusters that selectors leave. Many placements select the same ones; each set is kept
    /// once.
    selected: Memo<Clusters, Clusters>,
    cpu: OnceLock<Vec<Option<f64>>>,
    memory: OnceLock<Vec<Option<f64>>>,
    scores: FxHashMap<(&'a str, &'a str), usize>,
    add_ons: Memo<(&'a str, &'a str), Arc<AddOnValues>>,
}

/// Selectors over labels or over claims: the index, and the answers so far.
#[derive(Debug)]
struct Selection<'a> {
    index: OnceLock<LabelIndex<'a>>,
    answers: Memo<LabelSelector<'a>, Members>,
}

impl Selection<'_> {
    /// Over so many clusters; nothing is asked yet.
    fn over(clusters: usize) -> Self {
        Self {
            index: OnceLock::new(),
            answers: Memo::of((ANSWERED / clusters.max(1)).max(FEW)),
        }
    }
}

impl<'m, 'a> Hub<'m, 'a> {
    /// Indexes a model for questions at an instant.
    #[must_use]
    pub fn new(model: &'m Model<'a>, now: Timestamp) -> Self {
        let count = model.clusters.len();
        let mut alive = FixedBitSet::with_capacity(count);
        let mut tainted = FixedBitSet::with_capacity(count);
        for (id, cluster) in model.clusters.iter().enumerate() {
            alive.set(id, !cluster.terminating);
        }
        let mut kinds: FxHashMap<(&str, &str, Effect), usize> = FxHashMap::default();
        let mut taints: Vec<(&'m Taint<'a>, Vec<u32>)> = Vec::new();
        for (cluster, id) in model.clusters.iter().zip(0..) {
            let matter = |taint: &&Taint<'_>| taint.effect != Effect::PreferNoSelect;
            for taint in cluster.taints.iter().filter(matter) {
                let kind = (taint.key, taint.value, taint.effect);
                let at = *kinds.entry(kind).or_insert(taints.len());
                if at == taints.len() {
                    taints.push((taint, Vec::new()));
                }
                taints[at].1.push(id);
                tainted.insert(id as usize);
            }
        }
        let mut sets = BTreeMap::new();
        for (index, set) in model.sets.iter().enumerate() {
            sets.entry(set.name).or_insert(index);
        }
        let mut scores = FxHashMap::default();
        scores.reserve(model.scores.len());
        for (index, score) in model.scores.iter().enumerate() {
            scores.entry((score.name, score.cluster)).or_insert(index);
        }
        Self {
            model,
            now,
            alive,
            tainted,
            taints,
            labels: Selection::over(count),
            claims: Selection::over(count),
            sets,
            members: Memo::default(),
            unions: Memo::default(),
            feasible: Memo::of((KEPT / count.max(1)).max(FEW)),
            selected: Memo::of((ANSWERED / count.max(1)).max(FEW)),
            cpu: OnceLock::new(),
            memory: OnceLock::new(),
            scores,
            add_ons: Memo::default(),
        }
    }

    /// How many clusters there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.model.clusters.len()
    }

    /// Whether there is no cluster.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.model.clusters.is_empty()
    }

    fn selection(&self, over: Over) -> &Selection<'a> {
        match over {
            Over::Labels => &self.labels,
            Over::Claims => &self.claims,
        }
    }

    fn index(&self, over: Over) -> &LabelIndex<'a> {
        self.selection(over).index.get_or_init(|| {
            let clusters = self.model.clusters.iter();
            match over {
                Over::Labels => LabelIndex::new(clusters.map(|c| c.labels.iter().copied())),
                Over::Claims => LabelIndex::new(clusters.map(|c| {
                    let last: BTreeMap<&str, &str> = c.claims.iter().copied().collect();
                    last
                })),
            }
        })
    }

    /// All clusters that match a selector, terminating ones too.
    ///
    /// # Errors
    /// The selector cannot be parsed.
    pub fn matching(&self, over: Over, selector: &LabelSelector<'a>) -> Members {
        let answer = || {
            let parsed = selector.compile()?;
            let mut kept = FixedBitSet::with_capacity(self.len());
            kept.insert_range(..);
            for requirement in &parsed.requirements {
                self.index(over).apply(requirement, &mut kept);
            }
            Ok(Arc::new(kept))
        };
        self.selection(over).answers.get(selector, answer)
    }

    /// All clusters that match both selectors.
    ///
    /// # Errors
    /// A selector cannot be parsed; that of the labels is tried first.
    pub fn matching_both(&self, selector: &ClusterSelector<'a>) -> Members {
        let labels = self.matching(Over::Labels, &selector.labels)?;
        if selector.claims.is_empty() {
            return Ok(labels);
        }
        let claims = self.matching(Over::Claims, &selector.claims)?;
        let mut both = FixedBitSet::clone(&labels);
        both.intersect_with(&claims);
        Ok(Arc::new(both))
    }

    /// Whether a set of this name exists.
    #[must_use]
    pub fn has_set(&self, name: &str) -> bool {
        self.sets.contains_key(name) || is_built_in(name)
    }

    /// The members of a set without a document. The hub's admission puts a cluster that names no
    /// set into `default` (the API's defaults and validation).
    fn built_in(&self, name: &str) -> FixedBitSet {
        let mut members = FixedBitSet::with_capacity(self.len());
        for (id, cluster) in self.model.clusters.iter().enumerate() {
            let mut labels = cluster.labels.iter();
            let set = labels.find(|(key, _)| *key == CLUSTER_SET_LABEL);
            let default = matches!(set, None | Some((_, "" | DEFAULT_SET)));
            members.set(id, name == GLOBAL_SET || name == DEFAULT_SET && default);
        }
        members
    }

    /// The members of a set, terminating ones too (upstream `scheduling/scheduling_controller.go`).
    ///
    /// # Errors
    /// The set's selector cannot be parsed.
    pub fn members(&self, name: &str) -> Members {
        let Some(index) = self.sets.get(name).copied() else {
            return Ok(Arc::new(self.built_in(name)));
        };
        let set = &self.model.sets[index];
        self.members.get(&index, || match &set.selector {
            SetSelector::Exclusive => self
                .matching(
                    Over::Labels,
                    &LabelSelector {
                        match_labels: vec![(CLUSTER_SET_LABEL, set.name)],
                        match_expressions: Vec::new(),
                    },
                )
                // A set's name of more than 63 bytes is not a label value: no cluster can have it
                // as a label.
                .or_else(|_| Ok(Arc::new(FixedBitSet::with_capacity(self.len())))),
            SetSelector::Labels(None, _) => Ok(Arc::new(FixedBitSet::with_capacity(self.len()))),
            SetSelector::Labels(Some(selector), _) => self.matching(Over::Labels, selector),
        })
    }

    /// The union of the members of some sets, without terminating clusters.
    ///
    /// # Errors
    /// The selector of one of the sets cannot be parsed.
    pub fn available(&self, sets: &[&'a str]) -> Members {
        self.unions.get(sets, || {
            let mut union = FixedBitSet::with_capacity(self.len());
            for set in sets {
                union.union_with(&*self.members(set)?);
            }
            union.intersect_with(&self.alive);
            Ok(Arc::new(union))
        })
    }

    /// The figures of a set of feasible clusters, cached.
    pub fn feasible(&self, clusters: &Clusters) -> Arc<Feasible> {
        let feasible = || Arc::new(Feasible::new(clusters));
        self.feasible.get(clusters, feasible)
    }

    /// The first set that equals this one, so that equal ones share memory.
    pub fn shared(&self, clusters: Clusters) -> Clusters {
        self.selected.get(&clusters, || Arc::clone(&clusters))
    }

    /// The amount of a resource on each cluster, `None` where it takes no part (upstream
    /// `plugins/resource`).
    pub fn resource(&self, resource: Resource) -> &[Option<f64>] {
        let cell = match resource {
            Resource::Cpu => &self.cpu,
            Resource::Memory => &self.memory,
        };
        cell.get_or_init(|| {
            let read = |cluster: &crate::ocm::model::ManagedCluster<'_>| {
                let (have, cap) = match resource {
                    Resource::Cpu => (&cluster.allocatable.cpu, &cluster.capacity.cpu),
                    Resource::Memory => (&cluster.allocatable.memory, &cluster.capacity.memory),
                };
                cap.as_ref().and(have.as_deref()).and_then(allocatable)
            };
            self.model.clusters.iter().map(read).collect()
        })
    }

    /// The score object of a resource name for a cluster.
    #[must_use]
    pub fn score_object(
        &self,
        resource: &str,
        cluster: &str,
    ) -> Option<&'m AddOnPlacementScore<'a>> {
        self.scores
            .get(&(resource, cluster))
            .map(|index| &self.model.scores[*index])
    }

    /// The values of an add-on score for all clusters (upstream `plugins/addon`).
    pub fn add_on(&self, resource: &'a str, score: &'a str) -> Arc<AddOnValues> {
        self.add_ons.get(&(resource, score), || {
            let mut expired = FixedBitSet::with_capacity(self.len());
            let mut values = vec![0; self.len()];
            for (cluster, id) in self.model.clusters.iter().zip(0..) {
                let Some(object) = self.score_object(resource, cluster.name) else {
                    continue;
                };
                if object.valid_until.is_some_and(|until| self.now > until) {
                    expired.insert(id);
                    continue;
                }
                let value = object.scores.iter().find(|(name, _)| *name == score);
                values[id] = value.map_or(0, |(_, value)| *value);
            }
            Arc::new(AddOnValues { values, expired })
        })
    }
}
