//! The obstacles between a cluster and a PlacementRule.

use super::read::Rule;
use serde_json::json;

use super::follow::{NAME_LABEL, passing};
use crate::delivery::repair::finder::{ObstacleFinder, Way};
use crate::document::DocumentKind;
use crate::repair::selector::{Asking, label, unmet};
use crate::repair::{Obstacle, Target};

/// Labels by which a cluster may be named that are offered, at most.
const OFFERED: usize = 3;

impl<'a> ObstacleFinder<'_, 'a> {
    pub(in crate::delivery) fn rule(&self, namespace: &str, name: &str) -> Way {
        let mut rules = self.site.model.rules.iter();
        let found = rules.find(|one| (one.id.namespace, one.id.name) == (namespace, name));
        let target = self.target(DocumentKind::LegacyRule, namespace, name);
        let (Some(rule), Some(on_rule), Some(cluster)) = (found, target, self.cluster) else {
            let needs = format!("PlacementRule {namespace}/{name} to select the cluster");
            return vec![Obstacle::new("placement rule", needs)];
        };
        let on_cluster = self.on_cluster();
        let mut way = Vec::new();
        if rule.left_alone() {
            let mut obstacle = Obstacle::new("placement rule", "a rule that the hub decides");
            obstacle.blunt(on_rule.remove("/spec/schedulerName"));
            way.push(obstacle);
        }
        if cluster.terminating {
            let mut obstacle = Obstacle::new("cluster", "not being deleted");
            let edit = |target: Target<'a>| target.remove("/metadata/deletionTimestamp");
            obstacle.one(on_cluster.and_then(edit));
            way.push(obstacle);
        }
        way.extend(self.named(rule, &on_rule, on_cluster));
        let conditions = self.site.model.hub.conditions.get(cluster.name);
        let reported = conditions.into_iter().flatten();
        for (kind, status) in reported {
            // Of one type the last counts.
            let asked = rule.conditions.iter().rposition(|(own, _)| own == kind);
            let Some(at) = asked.filter(|at| rule.conditions[*at].1 != *status) else {
                continue;
            };
            let wanted = rule.conditions[at].1;
            let mut obstacle = Obstacle::new("condition", format!("{kind} to be {wanted}"));
            let listed = on_cluster.and_then(|target| {
                let conditions = target.node.pointer("/status/conditions")?;
                let mut all = conditions.items();
                let number = all.position(|one| {
                    one.get("type").and_then(crate::yaml::Node::text) == Some(*kind)
                })?;
                target.set(format!("/status/conditions/{number}/status"), wanted)
            });
            obstacle.one(listed);
            obstacle.one(on_rule.remove(format!("/spec/clusterConditions/{at}")));
            way.push(obstacle);
        }
        let author = rule.author.as_ref().filter(|author| !author.sees_all());
        if let Some(author) = author {
            let seen = self.site.model.hub.seen_by(author);
            if seen.is_some_and(|seen| !seen.contains(&cluster.name)) {
                let needs = "a cluster that the author of the rule may see";
                way.push(Obstacle::new("author", needs));
            }
        }
        if way.is_empty() {
            let all = passing(rule, self.site.hub, &self.site.model.hub);
            let all = all.map_or(0, |all| all.len());
            let mut obstacle = Obstacle::new("replicas", format!("clusterReplicas of {all}"));
            obstacle.one(on_rule.set("/spec/clusterReplicas", all));
            obstacle.blunt(on_rule.remove("/spec/clusterReplicas"));
            way.push(obstacle);
        }
        way
    }

    /// The names or labels that a rule asks for.
    fn named(&self, rule: &Rule<'a>, on_rule: &Target<'a>, on_cluster: Option<Target<'a>>) -> Way {
        let change = |key: &str, value: Option<&str>| label(&on_cluster?, key, value);
        let own = self.label(NAME_LABEL);
        if !rule.clusters.is_empty() {
            if rule.clusters.iter().any(|one| Some(one.text) == own) {
                return Vec::new();
            }
            let needs = "the label `name` to be one of `clusters`";
            let mut obstacle = Obstacle::new("clusters", needs);
            for name in rule.clusters.iter().take(OFFERED) {
                obstacle.one(change(NAME_LABEL, Some(name.text)));
            }
            if let Some(own) = own {
                obstacle.one(on_rule.append("/spec/clusters", json!({"name": own})));
            }
            return vec![obstacle];
        }
        let Some(selector) = &rule.selector else {
            return Vec::new();
        };
        let asking = Asking {
            target: on_rule,
            at: "/spec/clusterSelector",
        };
        let ways = unmet(selector, Some(asking), &|key| self.label(key), &change);
        ways.into_iter()
            .map(|(needs, remedies)| Obstacle {
                stage: "selector".to_owned(),
                needs,
                remedies,
            })
            .collect()
    }
}
