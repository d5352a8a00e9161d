//! The obstacles between a cluster and an add-on or a replica set of works.

use super::{ObstacleFinder, Way, any};
use crate::delivery::follow::Row;
use crate::delivery::follow::addon::About as AddOn;
use crate::delivery::follow::work::About as Works;
use crate::delivery::read::policy::Selects;
use crate::document::DocumentKind;
use crate::repair::Obstacle;

const LIFECYCLE: &str = "/metadata/annotations/addon.open-cluster-management.io~1lifecycle";
const STRATEGY: &str = "/spec/installStrategy";

impl<'a> ObstacleFinder<'_, 'a> {
    pub(super) fn addon(&self, about: &AddOn<'a>) -> Vec<Obstacle> {
        let addon = &self.site.model.addons[about.addon];
        let kind = DocumentKind::ClusterManagementAddOn;
        let target = self.target(kind, "", addon.id.name);
        let mut found = Vec::new();
        if addon.own.is_some() {
            let needs = "an add-on that the hub installs";
            let mut obstacle = Obstacle::new("lifecycle", needs);
            obstacle.one(target.and_then(|target| target.remove(LIFECYCLE)));
            found.push(obstacle);
        }
        if !addon.follows {
            let needs = "an add-on that follows its placements, or a ManagedClusterAddOn there";
            let mut obstacle = Obstacle::new("install strategy", needs);
            let target = target.filter(|target| {
                let placements = format!("{STRATEGY}/placements");
                target.node.pointer(&placements).is_some()
            });
            let pointer = format!("{STRATEGY}/type");
            obstacle.one(target.and_then(|target| target.set(pointer, "Placements")));
            found.push(obstacle);
            return found;
        }
        if !self
            .site
            .deliveries
            .ground
            .hub
            .contains(self.number as usize)
        {
            let needs = format!("a ManagedCluster {}", self.name);
            found.push(Obstacle::new("cluster", needs));
            return found;
        }
        let install = |(at, install): (usize, &crate::delivery::read::addon::Install<'a>)| -> Way {
            let (namespace, name) = (install.namespace, install.name.text);
            if about.missing.contains(&at) {
                let pointer = format!("{STRATEGY}/placements/{at}/name");
                return vec![self.renamed(target, &pointer, namespace, name)];
            }
            self.placement(namespace, name)
        };
        let ways: Vec<Way> = addon.installs.iter().enumerate().map(install).collect();
        if ways.is_empty() {
            found.push(Obstacle::new("install strategy", "a placement"));
        }
        found.extend(any(
            "placement",
            "one of its placements to select the cluster",
            ways,
        ));
        found
    }

    pub(super) fn works(&self, about: &Works<'a>, row: &Row<'a>) -> Vec<Obstacle> {
        let set = &self.site.hub.replica_sets[about.set];
        if about.bad_name {
            let needs = "a name that, with its namespace, is a label value";
            return vec![Obstacle::new("name", needs)];
        }
        let kind = DocumentKind::ManifestWorkReplicaSet;
        let target = self.target(kind, set.namespace, set.name);
        let mut ways: Vec<Way> = Vec::new();
        let mut stopped: Option<Obstacle> = None;
        for (at, reference) in set.placements.iter().enumerate() {
            let pointer = format!("/spec/placementRefs/{at}");
            let name = reference.name.text;
            // Entries after a placement that does not exist wait for it.
            if about.missing == Some(at) {
                let field = format!("{pointer}/name");
                let mut obstacle = self.renamed(target, &field, set.namespace, name);
                obstacle.one(target.and_then(|target| target.remove(pointer.clone())));
                stopped = Some(obstacle.clone());
                ways.push(vec![obstacle]);
                continue;
            }
            let mut way: Way = stopped.iter().cloned().collect();
            let (mut lacks, via) = (Vec::new(), row.via.get(at));
            if !via.is_some_and(|via| via.clusters.contains(self.number as usize)) {
                lacks = self.selecting(set.namespace, name);
            }
            if lacks.is_empty() && stopped.is_none() {
                let needs = format!("a rollout over Placement {name} that reaches it");
                let mut obstacle = Obstacle::new("rollout", needs);
                let strategy = format!("{pointer}/rolloutStrategy");
                obstacle.blunt(target.and_then(|target| target.remove(strategy)));
                lacks.push(obstacle);
            }
            way.extend(lacks);
            ways.push(way);
        }
        any(
            "placement",
            "one of its placements to select the cluster",
            ways,
        )
    }

    /// The obstacles in a Placement that does not select the cluster yet.
    fn selecting(&self, namespace: &str, name: &str) -> Way {
        let ground = &self.site.deliveries.ground;
        match ground.chosen(Selects::Placement, namespace, name) {
            Some(chosen) if chosen.planned.contains(self.number as usize) => Vec::new(),
            _ => self.placement(namespace, name),
        }
    }
}
