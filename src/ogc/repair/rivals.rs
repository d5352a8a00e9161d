//! The filters that compare Clusters: MinOf, MaxOf and the tiebreaker.

use serde_json::{Value, json};

use super::super::engine::Filter;
use super::super::inheritance::{Origin, effective_sorted};
use super::super::labels::{Integer, figure, labels_for};
use super::super::model::{Cluster, Operator, Rule};
use super::ObstacleFinder;
use crate::repair::Obstacle;

impl<'a> ObstacleFinder<'_, 'a> {
    /// The Clusters, this one apart, that reach a filter.
    pub(super) fn rivals(&self, filter: Filter) -> Vec<usize> {
        let lists = self.run.map_or(&[][..], |run| &run.lists);
        let list = (filter as usize)
            .checked_sub(1)
            .and_then(|at| lists.get(at));
        let list = list.into_iter().flat_map(|list| list.iter());
        list.map(|at| *at as usize)
            .filter(|at| *at != self.at)
            .collect()
    }

    /// The figure with which the Cluster would be the best under a rule, and older than equals.
    pub(super) fn best(&self, rule: &Rule<'a>) -> Option<String> {
        let rivals = self.rivals(Filter::Extremum);
        let number = |at: &usize| {
            let cluster = &self.model.clusters[*at];
            let (integer, _) = figure(rule, &labels_for(cluster, rule.key, rule.operator))?;
            Some((integer.digits().parse::<u128>().ok()?, *at))
        };
        let figures: Vec<(u128, usize)> = rivals.iter().filter_map(number).collect();
        let all = figures.iter().map(|(figure, _)| *figure);
        let best = match rule.operator {
            Operator::MinOf => all.min(),
            _ => all.max(),
        }?;
        let older = figures
            .iter()
            .any(|(figure, at)| *figure == best && *at < self.at);
        let wanted = match rule.operator {
            _ if !older => best,
            Operator::MinOf => best.checked_sub(1)?,
            _ => best.checked_add(1)?,
        };
        Some(wanted.to_string())
    }

    pub(super) fn extremum(&self) -> Option<Obstacle> {
        let rules = effective_sorted(self.model, self.application);
        let (rule, origin) = rules
            .into_iter()
            .find(|(rule, _)| rule.operator.is_extremum())?;
        let there = labels_for(self.cluster, rule.key, rule.operator);
        let best = self.best(rule);
        let needs = match &best {
            Some(best) => format!("{} {best}", rule.key),
            None => super::super::describe::rule_text(rule),
        };
        let mut obstacle = Obstacle::new(Filter::Extremum.name(), needs);
        let single = there
            .iter()
            .filter(|label| Integer::parse(label.value).is_some());
        if let Some(best) = &best {
            if single.count() <= 1 {
                obstacle.one(self.set_label(rule.key, best));
            } else {
                // The Cluster's figure is the best of its labels: any of them will do.
                obstacle.one(self.set_label(rule.key, best));
            }
        }
        if let Some((target, own)) = self.rule(rule, origin) {
            let other = match rule.operator {
                Operator::MinOf => "MaxOf",
                _ => "MinOf",
            };
            obstacle.one(target.set(format!("{own}/operator"), other));
            obstacle.one(target.remove(own));
        }
        if origin == Origin::Package {
            let own = json!({"key": rule.key, "operator": "Exists"});
            obstacle.one(self.on_application.append("/spec/rules", own));
        }
        self.single_out(Filter::Extremum, &mut obstacle);
        Some(obstacle)
    }

    pub(super) fn oldest(&self) -> Obstacle {
        let rivals = self.rivals(Filter::Tiebreaker);
        let rivals = rivals.iter().map(|at| &self.model.clusters[*at]);
        let oldest = rivals.min_by_key(|cluster| {
            cluster
                .created
                .map_or(i128::MAX, jiff::Timestamp::as_nanosecond)
        });
        let name = oldest.map_or("any", |cluster| cluster.name);
        let mut obstacle = Obstacle::new(Filter::Tiebreaker.name(), format!("older than {name}"));
        let before = oldest.and_then(|cluster| cluster.created);
        let before = before.and_then(|time| {
            let earlier = time.as_second().checked_sub(1)?;
            jiff::Timestamp::from_second(earlier).ok()
        });
        let before = before.map_or_else(
            || "2000-01-01T00:00:00Z".to_owned(),
            |time| time.to_string(),
        );
        obstacle.one(self.on_cluster.set("/metadata/creationTimestamp", before));
        self.single_out(Filter::Tiebreaker, &mut obstacle);
        obstacle
    }

    /// Rules for labels that this Cluster has and no rival has.
    pub(super) fn single_out(&self, filter: Filter, obstacle: &mut Obstacle) {
        let rivals = self.rivals(filter);
        let keys = self.cluster.nodes.iter().flat_map(|node| &node.labels);
        let keys = keys.chain(&self.cluster.labels).map(|label| label.key);
        let mut keys: Vec<&str> = keys.collect();
        keys.sort_unstable();
        keys.dedup();
        let own: Vec<&str> = self.application.rules.iter().map(|rule| rule.key).collect();
        for key in keys.into_iter().filter(|key| !own.contains(key)) {
            let has = |cluster: &Cluster<'a>, value: &str| {
                let there = labels_for(cluster, key, Operator::Exists);
                there.iter().any(|label| label.value == value)
            };
            let there = labels_for(self.cluster, key, Operator::Exists);
            let alone = there.iter().find(|label| {
                let mut rivals = rivals.iter();
                !rivals.any(|at| has(&self.model.clusters[*at], label.value))
            });
            if let Some(label) = alone {
                let rule: Value = json!({"key": key, "operator": "In", "values": [label.value]});
                obstacle.one(self.on_application.append("/spec/rules", rule));
            }
        }
    }
}
