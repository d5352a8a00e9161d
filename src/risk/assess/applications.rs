//! Applications and their volumes by the Cluster they are on.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Document, DocumentKind};
use crate::loss::{Loss, MovedApplication, Volume};
use crate::ogc::engine::{Item, Losses, Lost, Outcome};
use crate::ogc::model::{DeploymentPhase, Model, PersistentResource};
use crate::site::Thing;

use super::clusters;

/// A planned site of Packages, indexed to find the items on each Cluster.
pub(super) struct Applications<'p, 's, 'a> {
    model: &'s Model<'a>,
    outcome: &'p Outcome<'a>,
    /// Clusters by name.
    numbers: BTreeMap<&'a str, u32>,
    /// The items planned on each Cluster.
    on: Vec<Vec<u32>>,
    /// The volumes that earlier Deployments left on each Cluster, by its name: the item, the
    /// resource.
    left: BTreeMap<&'a str, Vec<(u32, &'s PersistentResource<'a>)>>,
}

impl<'p, 's, 'a> Applications<'p, 's, 'a> {
    pub(super) fn of(model: &'s Model<'a>, outcome: &'p Outcome<'a>) -> Self {
        let mut on = vec![Vec::new(); model.clusters.len()];
        let mut placed: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        for (item, at) in outcome.items.iter().zip(0..) {
            if let Some(cluster) = item.cluster {
                on[cluster as usize].push(at);
                placed.insert((item.package, item.application), at);
            }
        }
        let mut left: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        let deployments = model.deployments.iter();
        for deployment in deployments.filter(|one| one.phase != DeploymentPhase::Planned) {
            for workload in &deployment.workloads {
                if let Some(item) = placed.get(&(deployment.package, workload.application)) {
                    let resources = workload.resources.iter().map(|one| (*item, one));
                    left.entry(workload.cluster).or_default().extend(resources);
                }
            }
        }
        let clusters = model.clusters.iter().zip(0..);
        Self {
            model,
            outcome,
            numbers: clusters.map(|(cluster, at)| (cluster.name, at)).collect(),
            on,
            left,
        }
    }

    /// The Clusters and Nodes among the things that are lost.
    pub(super) fn lost<'l>(
        &self,
        things: &'l [Thing],
        touched: &[(&Document<'a>, bool)],
    ) -> Lost<'l>
    where
        'a: 'l,
        's: 'l,
    {
        let mut lost = Lost::default();
        let numbers = clusters(things).filter_map(|name| self.numbers.get(name));
        lost.clusters.extend(numbers);
        let of = |document: &&Document<'a>| match document.kind {
            DocumentKind::Cluster => document.name(),
            DocumentKind::Node => document.node.at(&["spec", "cluster"])?.text(),
            _ => None,
        };
        let named = touched.iter().filter_map(|(document, _)| of(document));
        let shrunk: BTreeSet<u32> = named
            .filter_map(|name| self.numbers.get(name).copied())
            .filter(|cluster| !lost.clusters.contains(cluster))
            .collect();
        for at in shrunk {
            let cluster = &self.model.clusters[at as usize];
            let is_lost = |node: &&str| {
                things.iter().any(|thing| match thing {
                    Thing::Node(name) => {
                        name == node || name.split_once('/') == Some((cluster.name, *node))
                    }
                    _ => false,
                })
            };
            let names = cluster.nodes.iter().map(|node| node.name);
            lost.nodes.insert(at, names.filter(is_lost).collect());
        }
        lost
    }

    /// Adds the effect on the items that run on lost Clusters and Nodes, and on their volumes.
    pub(super) fn lose(&self, lost: &Lost<'_>, losses: &mut Losses<'_, 'a>, loss: &mut Loss) {
        let touched: BTreeSet<u32> = lost
            .clusters
            .iter()
            .chain(lost.nodes.keys())
            .copied()
            .collect();
        let on = touched
            .iter()
            .flat_map(|cluster| &self.on[*cluster as usize]);
        let on: Vec<u32> = on.copied().collect();
        let items: Vec<&Item<'a>> = on
            .iter()
            .map(|at| &self.outcome.items[*at as usize])
            .collect();
        let found = losses.of(&items, lost);
        let name = |at: u32| self.model.clusters[at as usize].name;
        // Where the items are that do not stay.
        let mut moved: BTreeMap<u32, Option<u32>> = BTreeMap::new();
        for ((item, at), to) in items.iter().zip(on).zip(found) {
            if item.cluster != to {
                moved.insert(at, to);
                loss.applications.push(MovedApplication {
                    package: item.package.to_owned(),
                    application: item.application.to_owned(),
                    from: item.cluster.map(|at| name(at).to_owned()),
                    to: to.map(|at| name(at).to_owned()),
                });
            }
        }
        for cluster in touched {
            let gone = lost.clusters.contains(&cluster);
            for (at, resource) in self.left.get(name(cluster)).into_iter().flatten() {
                let item = &self.outcome.items[*at as usize];
                let left_behind = match moved.get(at) {
                    Some(None) => false,
                    Some(Some(_)) => gone || item.cluster == Some(cluster),
                    None => gone,
                };
                if left_behind {
                    loss.volumes.push(Volume {
                        cluster: name(cluster).to_owned(),
                        kind: resource.kind.to_owned(),
                        name: resource.name.to_owned(),
                        application: item.full_name().to_string(),
                    });
                }
            }
        }
    }
}
