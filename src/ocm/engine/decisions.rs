//! The current decisions on the hub: which placement selects which cluster, and how often each is
//! selected.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::levels::Levels;
use crate::ocm::model::Model;

/// The clusters a placement has decided: ids, ascending, with how often each appears.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecidedClusters(Vec<(u32, u32)>);

impl DecidedClusters {
    pub(super) fn new(mut clusters: Vec<u32>) -> Self {
        clusters.sort_unstable();
        let mut counted: Vec<(u32, u32)> = Vec::new();
        for cluster in clusters {
            match counted.last_mut() {
                Some((last, count)) if *last == cluster => *count += 1,
                _ => counted.push((cluster, 1)),
            }
        }
        Self(counted)
    }

    /// How often a cluster appears in the decisions.
    #[must_use]
    pub fn count(&self, cluster: u32) -> u32 {
        self.0
            .binary_search_by_key(&cluster, |(id, _)| *id)
            .map_or(0, |at| self.0[at].1)
    }

    /// The clusters, ascending, with how often each appears.
    pub(super) fn counted(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().copied()
    }

    /// The clusters, ascending.
    pub fn clusters(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().map(|(cluster, _)| *cluster)
    }
}

/// A `PlacementDecision` as it is.
#[derive(Debug, Clone)]
pub struct ExistingDecision<'a> {
    /// The label that names the placement.
    pub placement: Option<Cow<'a, str>>,
    /// The labels with the group's name and index.
    pub group: (Option<Cow<'a, str>>, Option<Cow<'a, str>>),
    /// The clusters by id, in order.
    pub clusters: Vec<u32>,
}

/// All decisions of the hub. Names of clusters that do not exist have ids behind the others.
#[derive(Debug, Clone)]
pub struct Decisions<'a> {
    names: Vec<&'a str>,
    objects: BTreeMap<&'a str, BTreeMap<Cow<'a, str>, ExistingDecision<'a>>>,
    labelled: BTreeMap<&'a str, BTreeMap<Cow<'a, str>, BTreeSet<Cow<'a, str>>>>,
    levels: Levels,
}

impl<'a> Decisions<'a> {
    /// The decisions as the documents hold them.
    #[must_use]
    pub fn new(model: &Model<'a>) -> Self {
        let mut names: Vec<&'a str> = model.clusters.iter().map(|cluster| cluster.name).collect();
        let mut ids: FxHashMap<&'a str, u32> = if model.decisions.is_empty() {
            FxHashMap::default()
        } else {
            names.iter().copied().zip(0..).collect()
        };
        let mut decisions = Self {
            names: Vec::new(),
            objects: BTreeMap::new(),
            labelled: BTreeMap::new(),
            levels: Levels::default(),
        };
        for decision in &model.decisions {
            let mut clusters = Vec::with_capacity(decision.clusters.len());
            for name in &decision.clusters {
                let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
                let id = *ids.entry(name).or_insert(next);
                if id == next {
                    names.push(name);
                }
                clusters.push(id);
            }
            decisions.levels.resize(names.len());
            let existing = ExistingDecision {
                placement: decision.placement.map(Cow::Borrowed),
                group: (
                    decision.group_name.map(Cow::Borrowed),
                    decision.group_index.map(Cow::Borrowed),
                ),
                clusters,
            };
            decisions.put(decision.namespace, Cow::Borrowed(decision.name), existing);
        }
        decisions.levels.resize(names.len());
        decisions.names = names;
        decisions
    }

    /// The names by id: clusters of the model first.
    #[must_use]
    pub fn names(&self) -> &[&'a str] {
        &self.names
    }

    /// How often each name is decided.
    #[must_use]
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    fn count(&mut self, clusters: &[u32], by: i32) {
        for cluster in clusters {
            self.levels.change(*cluster, by);
        }
    }

    /// Puts an object in the place of whatever has its name.
    pub fn put(&mut self, namespace: &'a str, name: Cow<'a, str>, existing: ExistingDecision<'a>) {
        self.remove(namespace, &name);
        self.count(&existing.clusters, 1);
        if let Some(placement) = &existing.placement {
            let labelled = self.labelled.entry(namespace).or_default();
            labelled
                .entry(placement.clone())
                .or_default()
                .insert(name.clone());
        }
        self.objects
            .entry(namespace)
            .or_default()
            .insert(name, existing);
    }

    /// Takes an object away, if it is there.
    pub fn remove(&mut self, namespace: &str, name: &str) {
        let Some(old) = self
            .objects
            .get_mut(namespace)
            .and_then(|ns| ns.remove(name))
        else {
            return;
        };
        if let Some(placement) = &old.placement
            && let Some(labelled) = self.labelled.get_mut(namespace)
            && let Some(names) = labelled.get_mut(placement)
        {
            names.remove(name);
        }
        self.count(&old.clusters, -1);
    }

    /// The object of this name.
    #[must_use]
    pub fn get(&self, namespace: &str, name: &str) -> Option<&ExistingDecision<'a>> {
        self.objects.get(namespace)?.get(name)
    }

    /// The names of the objects with a placement's label, ascending.
    pub fn of_placement<'w>(
        &'w self,
        namespace: &str,
        placement: &str,
    ) -> impl Iterator<Item = &'w Cow<'a, str>> + 'w {
        let names = self
            .labelled
            .get(namespace)
            .and_then(|ns| ns.get(placement));
        names.into_iter().flatten()
    }

    /// The decided clusters of a placement.
    #[must_use]
    pub fn decided(&self, namespace: &str, placement: &str) -> DecidedClusters {
        let mut clusters = Vec::new();
        for name in self.of_placement(namespace, placement) {
            if let Some(existing) = self.get(namespace, name) {
                clusters.extend_from_slice(&existing.clusters);
            }
        }
        DecidedClusters::new(clusters)
    }
}
