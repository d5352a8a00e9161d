//! Why a placement selects a cluster or not: every reason, and what would have to change.

use crate::document::System;
use crate::kit::selector::{LabelSelector, Requirement, Test};
use crate::options::Options;
use crate::source::Place;
use crate::why::{Candidate, Decided, Verdict, Why};

use super::engine::cel::{Evaluation, explain};
use super::engine::decisions::Decisions;
use super::engine::hub::{Hub, Over, Resource};
use super::engine::place::{Detail, Placed, SATISFIED, bound_sets, place};
use super::engine::score::{Prioritizer, Raw, Scores, Weighted};
use super::engine::select::{self, judge, tolerates};
use super::model::{ClusterSelector, Effect, ManagedCluster, Model, Placement, Predicate};

/// The subjects that can be asked about: `namespace/name` of every placement.
pub fn subjects<'m>(model: &'m Model<'_>) -> impl Iterator<Item = String> + 'm {
    let name = |placement: &Placement<'_>| format!("{}/{}", placement.namespace, placement.name);
    model.placements.iter().map(name)
}

/// The reasons for one placement; `None` for an unknown one.
#[must_use]
pub fn why(model: &Model<'_>, subject: &str, options: &Options) -> Option<Why> {
    let (namespace, name) = subject.split_once('/')?;
    let named =
        |placement: &Placement<'_>| placement.namespace == namespace && placement.name == name;
    let index = model.placements.iter().position(named)?;
    let hub = Hub::new(model, options.now);
    let decisions = Decisions::new(model);
    let bound = bound_sets(&hub, namespace);
    let cel = super::engine::cel::Evaluator::default();
    let placed = place(&hub, &decisions, &cel, &bound, index, Detail::All);
    let explainer = Explainer {
        hub: &hub,
        decisions: &decisions,
        placement: &model.placements[index],
        placed,
    };
    Some(explainer.why(subject))
}

struct Explainer<'h, 'm, 'a> {
    hub: &'h Hub<'m, 'a>,
    decisions: &'h Decisions<'a>,
    placement: &'m Placement<'a>,
    placed: Placed<'a>,
}

fn sentence(passes: bool, stage: &str, reason: impl Into<String>) -> Verdict {
    Verdict::new(stage, passes, reason)
}

impl<'a> Explainer<'_, '_, 'a> {
    fn why(&self, subject: &str) -> Why {
        let model = self.hub.model;
        let mut steps = Vec::new();
        let placed = &self.placed;
        if let Some(skipped) = placed.skipped {
            steps.push(format!("left alone: {}", skipped.word()));
        }
        if placed.skipped.is_none() {
            steps.push(format!(
                "eligible cluster sets: {}",
                listed(&placed.eligible)
            ));
            steps.push(format!(
                "available clusters: {}",
                placed.available.count_ones(..)
            ));
            for filter in &placed.filters {
                steps.push(format!(
                    "{}: {} left",
                    filter.name,
                    filter.clusters.count_ones(..)
                ));
            }
            for condition in &placed.conditions {
                let status = if condition.status { "True" } else { "False" };
                let (kind, message) = (condition.kind, &condition.message);
                steps.push(format!("{kind} {status}: {message}"));
            }
            if let Some(fault) = &placed.fault {
                steps.push(format!("the hub writes no status: {fault}"));
            }
            if let Some(last) = placed.selected.last().and_then(|last| self.total(*last)) {
                steps.push(format!("lowest total selected: {last}"));
            }
        }
        // Ranked clusters first, then the others by name.
        let ranked: Vec<u32> = placed.rows.iter().map(|row| row.cluster).collect();
        let rest = (0..model.clusters.len()).filter_map(|id| u32::try_from(id).ok());
        let rest = rest.filter(|id| {
            !placed
                .filters
                .get(1)
                .is_some_and(|last| last.clusters.contains(*id as usize))
        });
        let order: Vec<u32> = ranked.iter().copied().chain(rest).collect();
        let candidates = order.into_iter().map(|id| self.candidate(id)).collect();
        let satisfied = placed.conditions.iter().find(|c| c.kind == SATISFIED);
        let decided_by = satisfied.map(|condition| Decided {
            stage: condition.reason.to_owned(),
            reason: condition.message.clone(),
        });
        Why {
            subject: subject.to_owned(),
            system: System::Ocm,
            steps,
            candidates,
            decided_by,
            placed: placed.is_satisfied(),
        }
    }

    fn total(&self, cluster: u32) -> Option<i64> {
        self.placed
            .rows
            .iter()
            .find(|row| row.cluster == cluster)
            .map(|row| row.total)
    }

    fn candidate(&self, id: u32) -> Candidate {
        let cluster = &self.hub.model.clusters[id as usize];
        let mut verdicts = vec![self.set(id, cluster)];
        verdicts.extend(self.predicates(id, cluster));
        verdicts.extend(self.taints(id, cluster));
        verdicts.extend(self.scores(id));
        verdicts.extend(self.rank(id));
        Candidate {
            name: cluster.name.to_owned(),
            chosen: self.placed.selected.contains(&id),
            verdicts,
        }
    }

    fn set(&self, id: u32, cluster: &ManagedCluster<'_>) -> Verdict {
        const STAGE: &str = "cluster set";
        if cluster.terminating {
            return sentence(false, STAGE, "it is being deleted").at(cluster.place, "this cluster");
        }
        let holds = |set: &&&str| {
            self.hub
                .members(set)
                .is_ok_and(|members| members.contains(id as usize))
        };
        match self.placed.eligible.iter().find(holds) {
            Some(set) => sentence(true, STAGE, format!("a member of {set}")),
            None => {
                let sets = listed(&self.placed.eligible);
                let reason = format!("a member of none of the eligible sets ({sets})");
                sentence(false, STAGE, reason).at(cluster.place, "this cluster")
            }
        }
    }

    /// Every predicate that excludes the cluster, with each requirement that fails.
    fn predicates(&self, id: u32, cluster: &ManagedCluster<'_>) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        let several = self.placement.predicates.len() > 1;
        let mut any = false;
        for (index, predicate) in self.placement.predicates.iter().enumerate() {
            let stage = if several {
                format!("predicate {}", index + 1)
            } else {
                "predicate".to_owned()
            };
            let failures = self.predicate(&stage, id, cluster, predicate);
            if failures.is_empty() {
                any = true;
                let verdict = sentence(true, &stage, "everything asked for holds");
                verdicts.push(verdict.at(predicate.place, ""));
            }
            verdicts.extend(failures);
        }
        if several {
            let reason = match any {
                true => "one of them is enough",
                false => "none of them holds; one would be enough",
            };
            verdicts.push(sentence(any, "predicates", reason));
        }
        verdicts
    }

    fn predicate(
        &self,
        stage: &str,
        id: u32,
        cluster: &ManagedCluster<'_>,
        predicate: &Predicate<'a>,
    ) -> Vec<Verdict> {
        let mut failures = requirements(stage, cluster, &predicate.selector, predicate.place);
        for expression in &predicate.cel {
            let reason = match explain(self.hub.model, expression.text, id as usize) {
                Evaluation::Holds => continue,
                Evaluation::DoesNotHold => "the expression gives false".to_owned(),
                Evaluation::NotBoolean(kind) => {
                    format!("the expression gives a {kind}, which is not a boolean: no match")
                }
                Evaluation::Error(error) => format!("the expression fails ({error}): no match"),
            };
            failures.push(sentence(false, stage, reason).at(expression.place, "this expression"));
        }
        failures
    }

    fn taints(&self, id: u32, cluster: &ManagedCluster<'_>) -> Vec<Verdict> {
        const STAGE: &str = "taints";
        if let Some((index, fault)) = select::toleration_fault(&self.placement.tolerations) {
            let place = self.placement.tolerations[index].place;
            return vec![sentence(false, STAGE, fault).at(place, "this toleration")];
        }
        let decided = self
            .decisions
            .decided(self.placement.namespace, self.placement.name);
        let is_decided = decided.count(id) > 0;
        let mut failures = Vec::new();
        for taint in &cluster.taints {
            let alone = ManagedCluster {
                taints: vec![taint.clone()],
                ..ManagedCluster::default()
            };
            if judge(&alone, self.placement, is_decided, self.hub.now).is_ok() {
                continue;
            }
            let value = if taint.value.is_empty() {
                String::new()
            } else {
                format!("={}", taint.value)
            };
            let name = format!("{}{value}:{}", taint.key, taint.effect.word());
            let meant = self
                .placement
                .tolerations
                .iter()
                .find(|t| tolerates(t, taint));
            let mut verdict = match meant {
                Some(toleration) => {
                    let reason = format!("the toleration of {name} has run out");
                    sentence(false, STAGE, reason).at(toleration.place, "this toleration")
                }
                None => {
                    let new = match taint.effect {
                        Effect::NoSelectIfNew => ", and the cluster is not decided yet",
                        _ => "",
                    };
                    let reason = format!("{name} is not tolerated{new}");
                    sentence(false, STAGE, reason)
                }
            };
            verdict = verdict.at(taint.place, "this taint");
            failures.push(verdict);
        }
        if failures.is_empty() {
            let reason = match cluster.taints.len() {
                0 => "it has none",
                _ => "all of them are tolerated or keep nothing out",
            };
            failures.push(sentence(true, STAGE, reason));
        }
        failures
    }

    fn scores(&self, id: u32) -> Vec<Verdict> {
        let placed = &self.placed;
        let Some(row) = placed.rows.iter().find(|row| row.cluster == id) else {
            return Vec::new();
        };
        let Some(feasible) = placed.filters.get(1) else {
            return Vec::new();
        };
        let feasible = self.hub.feasible(&feasible.clusters);
        let own = self
            .decisions
            .decided(self.placement.namespace, self.placement.name);
        let one = |(weighted, score): (&Weighted<'a>, &Option<i64>)| {
            let prioritizer = weighted.prioritizer;
            let scores = Scores::new(self.hub, self.decisions, &own, prioritizer, &feasible);
            let raw = self.raw(id, prioritizer, scores.raw(id));
            let (weight, given) = (weighted.weight, score.unwrap_or(0));
            let shown = score.map_or("no score, which counts as 0".to_owned(), |s| s.to_string());
            let reason = format!("{shown} × {weight} = {}; {raw}", given * weight);
            sentence(true, &prioritizer.name(), reason)
        };
        placed
            .prioritizers
            .iter()
            .zip(&row.scores)
            .map(one)
            .collect()
    }

    fn raw(&self, id: u32, prioritizer: Prioritizer<'_>, raw: Raw) -> String {
        let cluster = &self.hub.model.clusters[id as usize];
        match raw {
            Raw::Balance { count, max } => {
                format!(
                    "decided {count} times by other placements, the busiest cluster {max} times"
                )
            }
            Raw::Steady { decided: true } => "decided already".to_owned(),
            Raw::Steady { decided: false } => "not decided yet".to_owned(),
            Raw::Resource { value: None, .. } => {
                "status.allocatable or status.capacity lacks the resource".to_owned()
            }
            Raw::Resource {
                value: Some(value),
                lo,
                hi,
            } => {
                let written = match prioritizer {
                    Prioritizer::Resource(Resource::Memory) => cluster.allocatable.memory,
                    _ => cluster.allocatable.cpu,
                };
                let written = written.unwrap_or("");
                format!("allocatable {written} = {value}, between {lo} and {hi}")
            }
            Raw::AddOn { expired: true } => "the add-on's score has expired".to_owned(),
            Raw::AddOn { expired: false } => "as the add-on wrote it".to_owned(),
        }
    }

    /// The place among the feasible clusters, and what is missing for a better one.
    fn rank(&self, id: u32) -> Option<Verdict> {
        const STAGE: &str = "selection";
        let placed = &self.placed;
        let at = placed.rows.iter().position(|row| row.cluster == id)?;
        let total = placed.rows[at].total;
        let (rank, all) = (at + 1, placed.rows.len());
        if placed.selected.contains(&id) {
            let reason = format!("total {total}, place {rank} of {all}");
            return Some(sentence(true, STAGE, reason));
        }
        let wanted = placed.selected.len();
        let reason = match placed
            .selected
            .last()
            .and_then(|last| Some((last, self.total(*last)?)))
        {
            None => format!("total {total}; the placement selects no cluster"),
            Some((last, lowest)) => {
                let name = self.hub.model.clusters[*last as usize].name;
                let missing = lowest - total;
                let what = match missing {
                    0 => format!("the same total as {name}, whose name comes first"),
                    _ => format!("{missing} less than {name}, the last one selected"),
                };
                format!("total {total}, place {rank} of {all}, {wanted} are selected: {what}")
            }
        };
        let mut verdict = sentence(false, STAGE, reason);
        if self.placement.number_of_clusters.is_some() {
            verdict = verdict.at(self.placement.number_place, "so many are wanted");
        }
        Some(verdict)
    }
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// The requirements of labels and claims that a cluster does not meet.
fn requirements(
    stage: &str,
    cluster: &ManagedCluster<'_>,
    selector: &ClusterSelector<'_>,
    whole: Place,
) -> Vec<Verdict> {
    let mut failures = Vec::new();
    for (over, asked, places) in [
        (Over::Labels, &selector.labels, &selector.label_places),
        (Over::Claims, &selector.claims, &selector.claim_places),
    ] {
        failures.extend(unmet(stage, cluster, over, asked, places, whole));
    }
    failures
}

fn unmet(
    stage: &str,
    cluster: &ManagedCluster<'_>,
    over: Over,
    selector: &LabelSelector<'_>,
    places: &[Place],
    whole: Place,
) -> Vec<Verdict> {
    let compiled = match selector.compile() {
        Ok(compiled) => compiled,
        Err(error) => return vec![sentence(false, stage, error.message).at(whole, "")],
    };
    let (what, pairs) = match over {
        Over::Labels => ("label", &cluster.labels),
        Over::Claims => ("claim", &cluster.claims),
    };
    let mut failures = Vec::new();
    for (index, requirement) in compiled.requirements.iter().enumerate() {
        let found = pairs.iter().rev().find(|(key, _)| *key == requirement.key);
        let found = found.map(|(_, value)| *value);
        if requirement.matches(found) {
            continue;
        }
        let key = requirement.key;
        let reason = match found {
            None => format!("the cluster has no {what} {key}"),
            Some(value) => format!("the {what} {key} is {value:?}"),
        };
        let place = places.get(index).copied().unwrap_or(whole);
        let verdict = sentence(false, stage, reason);
        let shown = found.map_or("nothing".to_owned(), |value| format!("{value:?}"));
        failures.push(
            verdict
                .compared(asked(requirement), shown)
                .at(place, "asked here"),
        );
    }
    failures
}

fn asked(requirement: &Requirement<'_>) -> String {
    let key = requirement.key;
    match &requirement.test {
        Test::In(values) => format!("{key} in ({})", values.join(", ")),
        Test::NotIn(values) => format!("{key} not in ({})", values.join(", ")),
        Test::Exists => format!("{key} to be there"),
        Test::DoesNotExist => format!("{key} not to be there"),
    }
}
