//! The obstacles between a cluster and a Subscription.

use serde_json::json;

use super::follow::Why;
use super::read::{Placement, Subscription};
use crate::delivery::placement_rule::follow::NAME_LABEL;
use crate::delivery::policy::read::Selects;
use crate::delivery::repair::finder::{NAMES, ObstacleFinder, PLACEMENT_API, Way};
use crate::document::DocumentKind;
use crate::kit::named::Name;
use crate::repair::selector::{Asking, label, unmet};
use crate::repair::{Obstacle, Target};

const PLACEMENT: &str = "/spec/placement";

impl<'a> ObstacleFinder<'_, 'a> {
    pub(in crate::delivery) fn subscription(&self, at: usize) -> Vec<Obstacle> {
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
                for channel in self.site.model.channels.iter().take(NAMES) {
                    let name = Name::new(channel.namespace.text, channel.name.text);
                    obstacle.one(target.set("/spec/channel", name.to_string()));
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
            for name in wanted.iter().take(NAMES) {
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
