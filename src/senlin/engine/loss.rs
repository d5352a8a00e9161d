//! What the policy check answers if regions are lost: the policy and the cluster without them,
//! counted from the model alone.

use super::Check;
use crate::senlin::model::{Cluster, DocumentSet, Policy};

/// A policy and a cluster without some regions.
#[derive(Debug, Clone)]
pub struct Without<'a> {
    policy: Policy<'a>,
    cluster: Cluster<'a>,
}

impl<'a> Without<'a> {
    /// The set without these regions and the nodes in them; none if it is not whole, or its policy
    /// does not name one of them: the nodes of such a region are not counted apart.
    #[must_use]
    pub fn of(set: &DocumentSet<'a>, lost: &[&str]) -> Option<Self> {
        let check = Check::of(set)?;
        let (all, cluster) = (&check.policy.regions, check.cluster);
        let named = |name: &&str| all.iter().any(|region| region.name == *name);
        if !lost.iter().all(named) {
            return None;
        }
        let stays: Vec<bool> = all
            .iter()
            .map(|region| !lost.contains(&&*region.name))
            .collect();
        let gone = stays
            .iter()
            .zip(&cluster.nodes)
            .filter(|(stays, _)| !**stays);
        let gone: i128 = gone.map(|(_, nodes)| nodes).sum();
        Some(Self {
            policy: Policy {
                regions: kept(all, &stays),
                ..*check.policy
            },
            cluster: Cluster {
                size: cluster.size - gone,
                nodes: kept(&cluster.nodes, &stays),
                known: kept(&cluster.known, &stays),
                name: cluster.name.clone(),
                ..*cluster
            },
        })
    }

    /// The check without the regions; `set` is the one it was made of.
    #[must_use]
    pub fn check<'w>(&'w self, set: &'w DocumentSet<'a>) -> Option<Check<'w, 'a>> {
        Some(Check {
            policy: &self.policy,
            cluster: &self.cluster,
            ..Check::of(set)?
        })
    }
}

fn kept<T: Clone>(all: &[T], stays: &[bool]) -> Vec<T> {
    let pairs = all.iter().zip(stays).filter(|(_, stays)| **stays);
    pairs.map(|(one, _)| one.clone()).collect()
}
