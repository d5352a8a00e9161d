//! The sums of what is planned on each Cluster, against its capacity.
//!
//! The filters look at one Application and one Node at a time and subtract nothing, so these sums
//! decide nothing: they say where a plan asks for more than there is.

use crate::kit::quantity::Quantity;

use super::engine::Outcome;
use super::model::Model;

/// CPU and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amounts {
    /// In cores.
    pub cpu: Quantity,
    /// In bytes.
    pub memory: Quantity,
}

/// The sum of the Applications planned on one Cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterSum {
    /// The Cluster: an index of `Model::clusters`.
    pub cluster: u32,
    /// How many Applications are planned there.
    pub applications: usize,
    /// The requests of their Containers, times their replicas.
    pub requested: Amounts,
    /// The sum of its Nodes' allocatable amounts.
    pub allocatable: Amounts,
    /// The most that one Node has of each.
    pub largest: Amounts,
}

impl ClusterSum {
    /// Whether requests exceed the capacity.
    #[must_use]
    pub fn is_overcommitted(&self) -> bool {
        self.lacks_cpu() || self.lacks_memory()
    }

    /// Whether CPU requests exceed the capacity.
    #[must_use]
    pub fn lacks_cpu(&self) -> bool {
        self.requested.cpu > self.allocatable.cpu
    }

    /// Whether memory requests exceed the capacity.
    #[must_use]
    pub fn lacks_memory(&self) -> bool {
        self.requested.memory > self.allocatable.memory
    }

    /// How often what there is would be needed, in thousandths: the worse of CPU and memory.
    #[must_use]
    pub fn degree(&self) -> i128 {
        let times =
            |asks: Quantity, has: Quantity| asks.nano().saturating_mul(1000) / has.nano().max(1);
        let (asks, has) = (self.requested, self.allocatable);
        times(asks.cpu, has.cpu).max(times(asks.memory, has.memory))
    }

    /// The requests that exceed the capacity: `CPU 300 of 16 (largest Node 8)`.
    #[must_use]
    pub fn excess(&self) -> String {
        let (asks, has, most) = (self.requested, self.allocatable, self.largest);
        let mut parts = Vec::new();
        if self.lacks_cpu() {
            parts.push(format!(
                "CPU {} of {} (largest Node {})",
                asks.cpu.plain(),
                has.cpu.plain(),
                most.cpu.plain()
            ));
        }
        if self.lacks_memory() {
            parts.push(format!(
                "memory {} of {} (largest Node {})",
                asks.memory.rounded(),
                has.memory.rounded(),
                most.memory.rounded()
            ));
        }
        parts.join(" and ")
    }
}

/// The sums of every Cluster, by name.
#[must_use]
pub fn sums(model: &Model<'_>, outcome: &Outcome<'_>) -> Vec<ClusterSum> {
    let empty = |cluster: u32| {
        let nodes = &model.clusters[cluster as usize].nodes;
        let mut sum = ClusterSum {
            cluster,
            applications: 0,
            requested: Amounts::default(),
            allocatable: Amounts::default(),
            largest: Amounts::default(),
        };
        for node in nodes {
            sum.allocatable.cpu = sum.allocatable.cpu + node.cpu;
            sum.allocatable.memory = sum.allocatable.memory + node.memory;
            sum.largest.cpu = sum.largest.cpu.max(node.cpu);
            sum.largest.memory = sum.largest.memory.max(node.memory);
        }
        sum
    };
    let count = u32::try_from(model.clusters.len()).unwrap_or(u32::MAX);
    let mut sums: Vec<ClusterSum> = (0..count).map(empty).collect();
    for item in &outcome.items {
        let (Some(cluster), Some(application)) = (item.cluster, item.of(model)) else {
            continue;
        };
        let sum = &mut sums[cluster as usize];
        let times = |amount: Quantity| {
            let replicas = i128::from(application.replicas);
            Quantity::from_nano(amount.nano().saturating_mul(replicas))
        };
        sum.applications += 1;
        sum.requested.cpu = sum.requested.cpu + times(application.cpu.amount);
        sum.requested.memory = sum.requested.memory + times(application.memory.amount);
    }
    sums.sort_by_key(|sum| model.clusters[sum.cluster as usize].name);
    sums
}
