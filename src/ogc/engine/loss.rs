//! Where Applications go if Clusters or Nodes are lost. Only Applications on those Clusters are
//! planned again.
//!
//! A Cluster that did not win takes nothing with it: without it the least figure, the oldest
//! Cluster and the holder of the volumes among those left are the same. A Cluster that loses a Node
//! without labels offers less room and is otherwise the same: what still fits stays, and for what
//! does not the Cluster is as good as lost.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::{Item, Question, Settings, Walk};
use crate::ogc::model::{Application, Model, Node};

/// Clusters and Nodes that are lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost<'l> {
    /// Clusters by number.
    pub clusters: BTreeSet<u32>,
    /// Of other Clusters the Nodes that are lost, by name.
    pub nodes: BTreeMap<u32, BTreeSet<&'l str>>,
}

impl Lost<'_> {
    /// Whether a Cluster is gone or has lost a Node.
    #[must_use]
    pub fn touches(&self, cluster: u32) -> bool {
        self.clusters.contains(&cluster) || self.nodes.contains_key(&cluster)
    }

    /// Whether a lost Node has labels: without them its Cluster may comply with other rules.
    #[must_use]
    pub fn has_labels(&self, model: &Model<'_>) -> bool {
        self.nodes.iter().any(|(cluster, lost)| {
            let mut nodes = model.clusters[*cluster as usize].nodes.iter();
            nodes.any(|node| lost.contains(node.name) && !node.labels.is_empty())
        })
    }
}

/// The filters, ready to be run with Clusters missing.
pub struct Losses<'m, 'a> {
    pub(super) walk: Walk<'m, 'a>,
}

impl<'m, 'a> Losses<'m, 'a> {
    /// Indexes the model once for all losses.
    #[must_use]
    pub fn new(model: &'m Model<'a>, settings: &Settings<'m>) -> Self {
        Self {
            walk: Walk::new(model, settings),
        }
    }

    /// The Cluster of each of these items after the loss; `None` for items that are gone already.
    pub fn of(&mut self, items: &[&Item<'a>], lost: &Lost<'_>) -> Vec<Option<u32>> {
        // Items for which the same Clusters are lost are asked together.
        let mut groups: BTreeMap<BTreeSet<u32>, Vec<usize>> = BTreeMap::new();
        for (item, at) in items.iter().zip(0..) {
            let mut gone = lost.clusters.clone();
            let shrunk = lost.nodes.keys();
            gone.extend(shrunk.filter(|cluster| !self.fits(item, **cluster, lost)));
            groups.entry(gone).or_default().push(at);
        }
        let mut found = vec![None; items.len()];
        for (gone, group) in groups {
            let asked: Vec<&Item<'a>> = group.iter().map(|at| items[*at]).collect();
            for (at, cluster) in group.into_iter().zip(self.without(&asked, &gone)) {
                found[at] = cluster;
            }
        }
        found
    }

    /// Whether a Cluster that loses Nodes still has room for an item.
    fn fits(&self, item: &Item<'a>, cluster: u32, lost: &Lost<'_>) -> bool {
        let model = self.walk.model;
        let Some(application) = item.of(model) else {
            return false;
        };
        let gone = lost.nodes.get(&cluster);
        let stays = |node: &&Node<'_>| gone.is_none_or(|gone| !gone.contains(node.name));
        let nodes = model.clusters[cluster as usize].nodes.iter().filter(stays);
        has_room(application, self.walk.settings.same_node, nodes)
    }

    /// The Cluster of each of these items if the lost ones were not there.
    pub(super) fn without(
        &mut self,
        items: &[&Item<'a>],
        lost: &BTreeSet<u32>,
    ) -> Vec<Option<u32>> {
        let walk = &mut self.walk;
        walk.lost = FixedBitSet::with_capacity(walk.clusters.len());
        walk.lost
            .extend(lost.iter().map(|cluster| *cluster as usize));
        let mut questions: Vec<(Question, usize)> = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            if let Some(application) = item.of(walk.model) {
                questions.push((walk.question(application, item.was.as_deref()), at));
            }
        }
        questions.sort_unstable();
        let mut found = vec![None; items.len()];
        let mut previous = None;
        for (question, at) in questions {
            let Some(application) = items[at].of(walk.model) else {
                continue;
            };
            walk.advance(previous, question, application);
            previous = Some(question);
            let last = walk.left.len() - 1;
            if walk.left[last] > 0 {
                found[at] = walk.lists[last].minimum().map(|cluster| cluster as u32);
            }
        }
        found
    }
}

/// Whether these Nodes have room for an Application, on one of them or for each resource on any.
fn has_room<'n>(
    application: &Application<'_>,
    same_node: bool,
    nodes: impl Iterator<Item = &'n Node<'n>> + Clone,
) -> bool {
    let (cpu, memory) = (application.cpu.amount, application.memory.amount);
    let mut both = nodes.clone();
    if same_node {
        both.any(|node| node.cpu >= cpu && node.memory >= memory)
    } else {
        let mut other = nodes;
        both.any(|node| node.cpu >= cpu) && other.any(|node| node.memory >= memory)
    }
}
