//! The obstacles between a cluster and a replica set of works.

use super::about::About;
use crate::delivery::policy::read::Selects;
use crate::delivery::repair::finder::{ObstacleFinder, Way, any};
use crate::delivery::row::Row;
use crate::document::DocumentKind;
use crate::repair::Obstacle;

impl<'a> ObstacleFinder<'_, 'a> {
    pub(in crate::delivery) fn works(&self, about: &About<'a>, row: &Row<'a>) -> Vec<Obstacle> {
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
