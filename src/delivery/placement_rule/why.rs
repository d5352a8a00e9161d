//! Why a PlacementRule selects a cluster or not.

use super::follow::{NAME_LABEL, matching, passing};
use crate::delivery::policy::read::Selects;
use crate::delivery::row::Row;
use crate::delivery::why::study::Study;
use crate::why::Verdict;

impl<'a> Study<'_, 'a> {
    /// The verdict of each bound rule on a cluster.
    pub(in crate::delivery) fn of_rules(
        &self,
        row: &Row<'a>,
        number: u32,
        chosen: bool,
    ) -> Vec<Verdict> {
        let ways = row.via.iter();
        let ways = ways.filter(|via| !via.restricted && via.placement.0 == "PlacementRule");
        let ways = ways.filter(|via| via.clusters.contains(number as usize) == chosen);
        let mut told: Vec<(&str, &str)> = Vec::new();
        for via in ways {
            let one = (via.placement.1, via.placement.2);
            if !told.contains(&one) {
                told.push(one);
            }
        }
        let verdict = |(namespace, name)| self.of_rule(namespace, name, number);
        told.into_iter().filter_map(verdict).collect()
    }

    fn of_rule(&self, namespace: &str, name: &str, number: u32) -> Option<Verdict> {
        let mut rules = self.model.rules.iter();
        let rule = rules.find(|one| (one.id.namespace, one.id.name) == (namespace, name))?;
        let cluster = self.deliveries.ground.names.name(number);
        let has = |all: &[&crate::ocm::model::ManagedCluster<'a>]| {
            all.iter().any(|one| one.name == cluster)
        };
        let chosen = self
            .deliveries
            .ground
            .chosen(Selects::Rule, namespace, name)?;
        let decided = chosen.planned.contains(number as usize);
        let stage = |stage: &str| format!("PlacementRule {namespace}/{name}, {stage}");
        let verdict = |link: &str, reason: String| Verdict::new(stage(link), decided, reason);
        if rule.left_alone() {
            let reason = format!("`{}` decides, not the hub", rule.scheduler.text);
            return Some(verdict("scheduler", reason).at(rule.scheduler.place, ""));
        }
        let (Ok(matching), Ok(passing)) = (
            matching(rule, self.hub),
            passing(rule, self.hub, &self.model.hub),
        ) else {
            let reason = "cannot be read: the earlier decisions stay".to_owned();
            return Some(verdict("selector", reason).at(rule.selector_place, ""));
        };
        let place = rule
            .clusters
            .first()
            .map_or(rule.selector_place, |one| one.place);
        Some(match () {
            () if !has(&matching) => {
                let reason = if rule.clusters.is_empty() {
                    "the labels of the cluster do not match".to_owned()
                } else {
                    format!("`clusters` does not have its label `{NAME_LABEL}`")
                };
                verdict("selector", reason).at(place, "")
            }
            () if !has(&passing) => {
                let reason = "its conditions differ, or the author of the rule may not see it";
                verdict("conditions", reason.to_owned()).at(rule.id.place, "")
            }
            () => {
                let (wanted, all) = (rule.replicas, passing.len());
                let reason = match wanted {
                    Some(wanted) => format!("takes {wanted} of the {all} that match"),
                    None => "takes all that match".to_owned(),
                };
                verdict("replicas", reason).at(rule.id.place, "")
            }
        })
    }
}
