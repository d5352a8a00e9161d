//! The obstacles between a cluster and an add-on.

use super::about::About;
use super::read::Install;
use crate::delivery::repair::finder::{ObstacleFinder, Way, any};
use crate::document::DocumentKind;
use crate::repair::Obstacle;

const LIFECYCLE: &str = "/metadata/annotations/addon.open-cluster-management.io~1lifecycle";
const STRATEGY: &str = "/spec/installStrategy";

impl<'a> ObstacleFinder<'_, 'a> {
    pub(in crate::delivery) fn addon(&self, about: &About<'a>) -> Vec<Obstacle> {
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
        let install = |(at, install): (usize, &Install<'a>)| -> Way {
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
}
