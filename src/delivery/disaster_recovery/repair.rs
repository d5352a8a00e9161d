//! The obstacles between a cluster and a DRPlacementControl.

use super::follow::Refused;
use super::read::DISABLE;
use crate::delivery::repair::finder::ObstacleFinder;
use crate::document::DocumentKind;
use crate::repair::{Obstacle, step};

const REFERENCE: &str = "/spec/placementRef";

impl ObstacleFinder<'_, '_> {
    pub(in crate::delivery) fn control(&self, at: usize) -> Vec<Obstacle> {
        let control = &self.site.model.controls[at];
        let (namespace, name) = (control.id.namespace, control.placement.name.text);
        let target = self.target(DocumentKind::DrPlacementControl, namespace, control.id.name);
        let set = |pointer: &str, value: &str| target.and_then(|on| on.set(pointer, value));
        let remove = |pointer: &str| target.and_then(|on| on.remove(pointer));
        let needs = |stage: &str, needs: &str| Obstacle::new(stage, needs);
        let mut found = Vec::new();
        if let Err(why) = self.site.deliveries.controls[at] {
            let mut obstacle = match why {
                Refused::Missing => {
                    self.renamed(target, &format!("{REFERENCE}/name"), namespace, name)
                }
                Refused::Decisions => needs("decision", "one decision of its Placement"),
                Refused::Both => needs("placement", "either a Placement or a PlacementRule"),
                Refused::Namespace => needs("reference", "a reference to its own namespace"),
                Refused::Scheduled => needs("placement", "a Placement that Ramen decides"),
                Refused::Preferred => needs("target", "a `preferredCluster`"),
                Refused::DryRun => needs("target", "no `dryRun` without `action: Failover`"),
                Refused::Failover => needs("target", "a `failoverCluster`"),
            };
            match why {
                Refused::Namespace => obstacle.one(remove(&format!("{REFERENCE}/namespace"))),
                Refused::Scheduled => {
                    let on = self.target(DocumentKind::Placement, namespace, name);
                    let pointer = format!("/metadata/annotations/{}", step(DISABLE));
                    obstacle.one(on.and_then(|on| on.set(pointer, "true")));
                }
                Refused::Preferred => obstacle.one(set("/spec/preferredCluster", self.name)),
                Refused::DryRun => obstacle.one(remove("/spec/dryRun")),
                Refused::Failover => obstacle.one(set("/spec/failoverCluster", self.name)),
                Refused::Missing | Refused::Both | Refused::Decisions => {}
            }
            found.push(obstacle);
        }
        let fails_over = control.action.text == "Failover";
        let (own, other) = if fails_over {
            (control.failover.text, control.preferred.text)
        } else {
            (control.preferred.text, control.failover.text)
        };
        if own != self.name && !own.is_empty() {
            let field = if fails_over {
                "failoverCluster"
            } else {
                "preferredCluster"
            };
            let mut obstacle = Obstacle::new("target", format!("the cluster as `{field}`"));
            if other == self.name {
                let action = if fails_over { "Relocate" } else { "Failover" };
                obstacle.one(set("/spec/action", action));
            }
            obstacle.one(set(&format!("/spec/{field}"), self.name));
            found.push(obstacle);
        }
        found
    }
}
