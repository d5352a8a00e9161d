//! The resources of Clusters: the largest Node of each, and the storage that they serve.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::outcome::Demand;
use super::ranked::Ranked;
use crate::kit::quantity::Quantity;
use crate::ogc::model::{AccessMode, Application, Cluster, Model, Node, StorageRequest};

/// A volume no provider limits.
const UNLIMITED: Quantity = Quantity::from_nano(i128::MAX);

/// Clusters by the largest Node each has of a resource.
pub(super) fn largest(
    clusters: &[Cluster<'_>],
    amount: impl Fn(&Node<'_>) -> Quantity,
) -> Ranked<Quantity> {
    let largest = |cluster: &Cluster<'_>| cluster.nodes.iter().map(&amount).max();
    ranked(clusters, largest)
}

fn ranked(
    clusters: &[Cluster<'_>],
    amount: impl Fn(&Cluster<'_>) -> Option<Quantity>,
) -> Ranked<Quantity> {
    let entries = clusters.iter().zip(0_u32..);
    let entries = entries.filter_map(|(cluster, at)| Some((amount(cluster)?, at)));
    let mut entries: Vec<_> = entries.collect();
    entries.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    Ranked::new(clusters.len(), entries)
}

/// Whether a Cluster has one Node with enough of both.
pub(super) fn has_both(cluster: &Cluster<'_>, cpu: Quantity, memory: Quantity) -> bool {
    cluster
        .nodes
        .iter()
        .any(|node| node.cpu >= cpu && node.memory >= memory)
}

/// The Clusters that serve each demand for storage; each distinct set of demands is numbered.
#[derive(Debug, Default)]
pub(super) struct Storage {
    classes: Vec<(Demand, Ranked<Quantity>)>,
    sets: Vec<Vec<(u32, u32)>>,
    by_set: FxHashMap<Vec<(u32, u32)>, u32>,
}

impl Storage {
    /// The number of the set of demands an Application's mounts make: for each distinct kind of
    /// storage how many Clusters, best first, serve the size.
    pub(super) fn set_of(
        &mut self,
        model: &Model<'_>,
        clusters: &[Cluster<'_>],
        application: &Application<'_>,
    ) -> u32 {
        let mut set = Vec::new();
        for (request, mount) in model.provided_mounts(application) {
            set.push(self.demand(clusters, request, mount.access_mode));
        }
        set.sort_unstable();
        set.dedup();
        let next = self.sets.len() as u32;
        *self.by_set.entry(set).or_insert_with_key(|set| {
            self.sets.push(set.clone());
            next
        })
    }

    fn demand(
        &mut self,
        clusters: &[Cluster<'_>],
        request: &StorageRequest<'_>,
        access: Option<AccessMode>,
    ) -> (u32, u32) {
        let class = Demand {
            storage: request.storage,
            mode: request.mode,
            access_mode: access,
        };
        let known = self.classes.iter().position(|(known, _)| *known == class);
        let at = known.unwrap_or_else(|| {
            self.classes.push((class, serving(clusters, class)));
            self.classes.len() - 1
        });
        let rank = self.classes[at].1.rank(|most| most >= request.capacity);
        (at as u32, rank)
    }

    /// Leaves in `list` only the Clusters that serve every demand of a set.
    pub(super) fn keep_serving(&self, set: u32, list: &mut FixedBitSet) {
        for &(class, rank) in &self.sets[set as usize] {
            self.classes[class as usize].1.keep_first(rank, list);
        }
    }

    /// The first demand of a set that no Cluster of `list` serves.
    pub(super) fn unserved(&self, set: u32, list: &FixedBitSet) -> Option<Demand> {
        self.sets[set as usize].iter().find_map(|&(class, rank)| {
            let (demand, ranked) = &self.classes[class as usize];
            let mut left = list.clone();
            ranked.keep_first(rank, &mut left);
            left.is_clear().then_some(*demand)
        })
    }
}

/// Clusters by the largest volume their providers make of a kind of storage.
fn serving(clusters: &[Cluster<'_>], demand: Demand) -> Ranked<Quantity> {
    ranked(clusters, |cluster| {
        let sizes = cluster.providers.iter().filter(|provider| {
            provider.storage == demand.storage
                && provider
                    .modes
                    .as_ref()
                    .is_none_or(|modes| modes.contains(&demand.mode))
                && demand
                    .access_mode
                    .is_none_or(|access| provider.allows(access))
        });
        sizes
            .map(|provider| provider.max_volume.unwrap_or(UNLIMITED))
            .max()
    })
}
