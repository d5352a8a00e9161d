//! The obstacles between a cluster and a GitOpsCluster.

use super::follow::Refused;
use crate::delivery::repair::finder::{ObstacleFinder, PLACEMENT_API};
use crate::document::DocumentKind;
use crate::repair::Obstacle;

const REFERENCE: &str = "/spec/placementRef";

impl ObstacleFinder<'_, '_> {
    pub(in crate::delivery) fn gitops(&self, at: usize) -> Vec<Obstacle> {
        let gitops = &self.site.model.gitops[at];
        let (namespace, name) = (gitops.id.namespace, gitops.placement.name.text);
        let target = self.target(DocumentKind::GitOpsCluster, namespace, gitops.id.name);
        let on = |pointer: &str, value: &str| {
            target.and_then(|target| target.set(format!("{REFERENCE}{pointer}"), value))
        };
        let mut found = Vec::new();
        match self.site.deliveries.gitops[at].planned.as_ref().err() {
            Some(Refused::Kind) => {
                let mut obstacle = Obstacle::new("reference", "a reference to a Placement");
                obstacle.one(on("/kind", "Placement"));
                found.push(obstacle);
            }
            Some(Refused::Version) => {
                let needs = "a reference with the apiVersion of Placements";
                let mut obstacle = Obstacle::new("reference", needs);
                obstacle.one(on("/apiVersion", PLACEMENT_API));
                found.push(obstacle);
            }
            Some(Refused::Missing) => {
                let pointer = format!("{REFERENCE}/name");
                found.push(self.renamed(target, &pointer, namespace, name));
                return found;
            }
            Some(Refused::Undecided) | None => {}
        }
        found.extend(self.decided(namespace, name));
        found
    }
}
