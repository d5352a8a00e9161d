//! The obstacles between a cluster and a GitOpsCluster, a Subscription or a DRPlacementControl.

use serde_json::json;

use super::{ObstacleFinder, Way};
use crate::delivery::follow::disaster::Refused as Undecided;
use crate::delivery::follow::gitops::Refused as Unregistered;
use crate::delivery::follow::rule::NAME_LABEL;
use crate::delivery::follow::subscription::Why;
use crate::delivery::read::disaster::DISABLE;
use crate::delivery::read::policy::Selects;
use crate::delivery::read::subscription::{Placement, Subscription};
use crate::document::DocumentKind;
use crate::kit::named::Name;
use crate::repair::selector::{Asking, label, unmet};
use crate::repair::{Obstacle, Target, step};

const REFERENCE: &str = "/spec/placementRef";
const PLACEMENT: &str = "/spec/placement";
const PLACEMENT_API: &str = "cluster.open-cluster-management.io/v1beta1";

impl<'a> ObstacleFinder<'_, 'a> {
    pub(super) fn gitops(&self, at: usize) -> Vec<Obstacle> {
        let gitops = &self.site.model.gitops[at];
        let (namespace, name) = (gitops.id.namespace, gitops.placement.name.text);
        let target = self.target(DocumentKind::GitOpsCluster, namespace, gitops.id.name);
        let on = |pointer: &str, value: &str| {
            target.and_then(|target| target.set(format!("{REFERENCE}{pointer}"), value))
        };
        let mut found = Vec::new();
        match self.site.deliveries.gitops[at].planned.as_ref().err() {
            Some(Unregistered::Kind) => {
                let mut obstacle = Obstacle::new("reference", "a reference to a Placement");
                obstacle.one(on("/kind", "Placement"));
                found.push(obstacle);
            }
            Some(Unregistered::Version) => {
                let needs = "a reference with the apiVersion of Placements";
                let mut obstacle = Obstacle::new("reference", needs);
                obstacle.one(on("/apiVersion", PLACEMENT_API));
                found.push(obstacle);
            }
            Some(Unregistered::Missing) => {
                let pointer = format!("{REFERENCE}/name");
                found.push(self.renamed(target, &pointer, namespace, name));
                return found;
            }
            Some(Unregistered::Undecided) | None => {}
        }
        found.extend(self.decided(namespace, name));
        found
    }

    pub(super) fn control(&self, at: usize) -> Vec<Obstacle> {
        let control = &self.site.model.controls[at];
        let (namespace, name) = (control.id.namespace, control.placement.name.text);
        let target = self.target(DocumentKind::DrPlacementControl, namespace, control.id.name);
        let set = |pointer: &str, value: &str| target.and_then(|on| on.set(pointer, value));
        let remove = |pointer: &str| target.and_then(|on| on.remove(pointer));
        let needs = |stage: &str, needs: &str| Obstacle::new(stage, needs);
        let mut found = Vec::new();
        if let Err(why) = self.site.deliveries.controls[at] {
            let mut obstacle = match why {
                Undecided::Missing => {
                    self.renamed(target, &format!("{REFERENCE}/name"), namespace, name)
                }
                Undecided::Decisions => needs("decision", "one decision of its Placement"),
                Undecided::Both => needs("placement", "either a Placement or a PlacementRule"),
                Undecided::Namespace => needs("reference", "a reference to its own namespace"),
                Undecided::Scheduled => needs("placement", "a Placement that Ramen decides"),
                Undecided::Preferred => needs("target", "a `preferredCluster`"),
                Undecided::DryRun => needs("target", "no `dryRun` without `action: Failover`"),
                Undecided::Failover => needs("target", "a `failoverCluster`"),
            };
            match why {
                Undecided::Namespace => obstacle.one(remove(&format!("{REFERENCE}/namespace"))),
                Undecided::Scheduled => {
                    let on = self.target(DocumentKind::Placement, namespace, name);
                    let pointer = format!("/metadata/annotations/{}", step(DISABLE));
                    obstacle.one(on.and_then(|on| on.set(pointer, "true")));
                }
                Undecided::Preferred => obstacle.one(set("/spec/preferredCluster", self.name)),
                Undecided::DryRun => obstacle.one(remove("/spec/dryRun")),
                Undecided::Failover => obstacle.one(set("/spec/failoverCluster", self.name)),
                Undecided::Missing | Undecided::Both | Undecided::Decisions => {}
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

    pub(super) fn subscription(&self, at: usize) -> Vec<Obstacle> {
        let subscription = &self.site.model.subscriptions[at];
        let namespace = subscription.id.namespace;
        let target = self.target(DocumentKind::Subscription, namespace, subscription.id.name);
        let Some(target) = target else {
            return Vec::new();
        };
        let mut found = Vec::new();
        if let Some(fault) = &self.site.deliveries.subscriptions[at] {
            found.push(self.refused(fault.why, subscription, &target));
        }
        let Some(placement) = &subscription.placement else {
            return found;
        };
        if placement.local {
            let mut obstacle = Obstacle::new("placement", "a placement that is not local");
            obstacle.blunt(target.remove(format!("{PLACEMENT}/local")));
            found.push(obstacle);
        }
        found.extend(self.selected(namespace, placement, &target));
        found
    }

    /// The obstacle that keeps a Subscription from being propagated at all.
    fn refused(&self, why: Why, subscription: &Subscription<'a>, target: &Target<'a>) -> Obstacle {
        match why {
            Why::Channel => {
                let needs = "a Channel that exists, as NAMESPACE/NAME";
                let mut obstacle = Obstacle::new("channel", needs);
                for (namespace, name) in self.site.model.channels.iter().take(super::NAMES) {
                    obstacle
                        .one(target.set("/spec/channel", Name::new(namespace, name).to_string()));
                }
                obstacle
            }
            Why::Placement if subscription.placement.is_some() => {
                let mut obstacle = Obstacle::new("placement", "either `local` or clusters");
                obstacle.one(target.remove(format!("{PLACEMENT}/local")));
                obstacle
            }
            Why::Placement => {
                let mut obstacle = Obstacle::new("placement", "a `placement`");
                for name in self.placements(subscription.id.namespace) {
                    let reference = json!({"placementRef": {"kind": "Placement", "name": name}});
                    obstacle.one(target.set(PLACEMENT, reference));
                }
                obstacle
            }
            Why::Reference => {
                let mut obstacle = Obstacle::new("reference", "a reference to a Placement");
                let reference = format!("{PLACEMENT}/placementRef");
                let own = subscription.placement.as_ref();
                let own = own.and_then(|placement| placement.reference);
                let kind = own.and_then(|own| own.kind).map_or("", |kind| kind.text);
                match kind {
                    "" | "Placement" | "PlacementRule" => {
                        obstacle.one(target.set(format!("{reference}/apiVersion"), PLACEMENT_API));
                    }
                    _ => obstacle.one(target.set(format!("{reference}/kind"), "Placement")),
                }
                obstacle
            }
            Why::Selector => {
                let mut obstacle = Obstacle::new("selector", "a selector that can be read");
                obstacle.blunt(target.set(format!("{PLACEMENT}/clusterSelector"), json!({})));
                obstacle
            }
        }
    }

    /// The obstacles between a cluster and a Subscription's selection.
    fn selected(&self, namespace: &str, placement: &Placement<'a>, target: &Target<'a>) -> Way {
        if let Some(reference) = &placement.reference {
            let name = reference.name.text;
            let there = |what| {
                let ground = &self.site.deliveries.ground;
                ground.chosen(what, namespace, name).is_some()
            };
            let what = reference.selects();
            let pointer = format!("{PLACEMENT}/placementRef");
            return match what {
                Selects::Placement if there(what) => self.decided(namespace, name),
                Selects::Rule if there(what) => self.rule(namespace, name),
                Selects::Placement => {
                    let pointer = format!("{pointer}/name");
                    vec![self.renamed(Some(*target), &pointer, namespace, name)]
                }
                Selects::Rule => {
                    let is_other = there(Selects::Placement);
                    let needs = format!("a PlacementRule {name} in namespace {namespace}");
                    let mut obstacle = Obstacle::new("placement", needs);
                    let edit = target.set(format!("{pointer}/kind"), "Placement");
                    obstacle.one(edit.filter(|_| is_other));
                    let mut way = vec![obstacle];
                    if is_other {
                        way.extend(self.decided(namespace, name));
                    }
                    way
                }
            };
        }
        let on_cluster = self.on_cluster();
        let change = |key: &str, value: Option<&str>| label(&on_cluster?, key, value);
        let wanted = placement
            .clusters
            .as_deref()
            .filter(|list| !list.is_empty());
        let own = self.label(NAME_LABEL);
        if let Some(wanted) = wanted {
            if wanted.iter().any(|one| Some(one.text) == own) {
                return Vec::new();
            }
            let needs = "the label `name` to be one of `clusters`";
            let mut obstacle = Obstacle::new("clusters", needs);
            for name in wanted.iter().take(super::NAMES) {
                obstacle.one(change(NAME_LABEL, Some(name.text)));
            }
            if let Some(own) = own {
                let list = format!("{PLACEMENT}/clusters");
                obstacle.one(target.append(&list, json!({"name": own})));
            }
            return vec![obstacle];
        }
        let at = format!("{PLACEMENT}/clusterSelector");
        if let Some((selector, _)) = &placement.selector {
            let asking = Asking { target, at: &at };
            let ways = unmet(selector, Some(asking), &|key| self.label(key), &change);
            let unmet = ways.into_iter().map(|(needs, remedies)| Obstacle {
                stage: "selector".to_owned(),
                needs,
                remedies,
            });
            return unmet.collect();
        }
        if placement.local || placement.clusters.is_some() {
            return Vec::new();
        }
        let mut obstacle = Obstacle::new("placement", "a placement that names clusters");
        for name in self.placements(namespace) {
            let reference = json!({"kind": "Placement", "name": name});
            obstacle.one(target.set(format!("{PLACEMENT}/placementRef"), reference));
        }
        vec![obstacle]
    }
}
