//! Why a placement selects a cluster or not: every reason, and what would have to change.

use std::sync::Arc;

use crate::document::System;
use crate::kit::plural::plural;
use crate::kit::selector::{LabelSelector, Requirement, Test};
use crate::source::Place;
use crate::why::{self, Candidate, DecidedBy, Verdict, Why};

use super::engine::cel::{Evaluation, explain};
use super::engine::contest::{Contest, Ranking};
use super::engine::feasible::Feasible;
use super::engine::hub::Over;
use super::engine::place::SATISFIED;
use super::engine::resource::Resource;
use super::engine::score::{Prioritizer, Raw, Weighted, prioritizers};
use super::engine::select::{self, Cel, judge, tolerates};
use super::model::{
    ClusterSelector, Configuration, Effect, ManagedCluster, Model, Placement, Predicate, Skipped,
};
use super::study::Study;

/// The subjects that can be asked about: `namespace/name` of every placement.
pub fn subjects<'m>(model: &'m Model<'_>) -> impl Iterator<Item = String> + 'm {
    let name = |placement: &Placement<'_>| placement.full_name().to_string();
    model.placements.iter().map(name)
}

/// The reasons for one placement; if the question names one cluster, only that cluster is checked.
#[must_use]
pub fn why(study: &Study<'_, '_>, asked: Option<&str>) -> Why {
    let placement = study.placement;
    let faults = Faults::of(&study.cel, placement);
    let feasible = feasible(study);
    let weighted = prioritizers(placement).unwrap_or_default();
    let contest = feasible.as_ref().filter(|_| faults.none()).map(|feasible| {
        let wanted = placement.number_of_clusters.map(|number| number as usize);
        let (hub, decisions, own) = (&study.hub, &study.decisions, &study.own);
        Contest::new(hub, decisions, own, &weighted, feasible, wanted)
    });
    let explainer = Explainer {
        study,
        faults,
        contest,
    };
    let mut clusters = study.hub.model.clusters.iter();
    let asked = asked.and_then(|name| clusters.position(|one| one.name == name));
    explainer.why(asked.and_then(|id| u32::try_from(id).ok()))
}

/// The faults of a placement as a whole: it selects nothing, whatever the clusters are.
struct Faults {
    predicates: Option<String>,
    prioritizers: Option<String>,
    tolerations: Option<(usize, &'static str)>,
}

impl Faults {
    fn of<'a>(cel: &dyn Cel<'a>, placement: &Placement<'a>) -> Self {
        let fault = |predicate: &Predicate<'a>| {
            let selectors = [&predicate.selector.labels, &predicate.selector.claims];
            let unreadable = selectors
                .into_iter()
                .find_map(|selector| selector.compile().err());
            let unreadable = unreadable.map(|error| error.message);
            let expressions = || predicate.cel.iter();
            unreadable.or_else(|| expressions().find_map(|text| cel.check(text.text).err()))
        };
        Self {
            predicates: placement.predicates.iter().find_map(fault),
            prioritizers: prioritizers(placement).err(),
            tolerations: select::toleration_fault(&placement.tolerations),
        }
    }

    fn none(&self) -> bool {
        self.predicates.is_none() && self.prioritizers.is_none() && self.tolerations.is_none()
    }
}

/// The clusters that pass every filter, also where the placement is left alone; none where a
/// fault keeps them from being found.
fn feasible(study: &Study<'_, '_>) -> Option<Arc<Feasible>> {
    let (hub, placement) = (&study.hub, study.placement);
    let available = hub.available(&study.eligible).ok()?;
    let clusters = select::predicates(hub, &study.cel, placement, &available).ok()?;
    let clusters = select::tolerated(hub, placement, &study.own, &clusters).ok()?;
    Some(hub.feasible(&clusters))
}

struct Explainer<'h, 'm, 'a> {
    study: &'h Study<'m, 'a>,
    faults: Faults,
    /// The clusters by score; none where something is wrong with the placement.
    contest: Option<Contest<'h, 'a>>,
}

/// The stage of the place among the feasible clusters.
const SELECTION: &str = "selection";

fn sentence(passes: bool, stage: &str, reason: impl Into<String>) -> Verdict {
    Verdict::new(stage, passes, reason)
}

impl<'a> Explainer<'_, '_, 'a> {
    fn why(&self, asked: Option<u32>) -> Why {
        let model = self.study.hub.model;
        let mut steps = Vec::new();
        let (placement, placed) = (self.study.placement, &self.study.placed);
        if let Some(skipped) = placed.skipped {
            steps.push(format!("not scheduled: {}", skipped.word()));
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
                steps.push(format!("{}: {} left", filter.name, filter.clusters.count()));
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
        // Nothing is ranked where the placement is misconfigured, whatever the filters leave.
        let nothing_ranked = ranked.is_empty();
        let rest = rest.filter(|id| {
            let last = placed.filters.get(1);
            nothing_ranked || !last.is_some_and(|last| last.clusters.contains(*id))
        });
        let order = ranked.into_iter().chain(rest);
        let order = order.filter(|id| asked.is_none_or(|asked| *id == asked));
        let candidates = order.map(|id| self.candidate(id)).collect();
        let satisfied = placed.conditions.iter().find(|c| c.kind == SATISFIED);
        let decided_by = satisfied.map(|condition| DecidedBy {
            stage: condition.reason.to_owned(),
            reason: condition.message.to_string(),
        });
        Why {
            steps,
            candidates,
            decided_by,
            placed: placed.is_satisfied(),
            ..Why::new(System::Ocm, placement.full_name().to_string())
        }
    }

    fn total(&self, cluster: u32) -> Option<i64> {
        self.study
            .placed
            .rows
            .iter()
            .find(|row| row.cluster == cluster)
            .map(|row| row.total)
    }

    fn candidate(&self, id: u32) -> Candidate {
        let cluster = &self.study.hub.model.clusters[id as usize];
        let mut verdicts: Vec<Verdict> = self.whole().into_iter().collect();
        verdicts.extend(self.set(id, cluster));
        verdicts.extend(self.predicates(id, cluster));
        verdicts.extend(self.taints(id, cluster));
        if let Some(fault) = &self.faults.prioritizers {
            verdicts.push(self.misconfigured(fault));
        }
        let contest = self.contest.as_ref();
        let ranking = contest.map(|contest| (contest, contest.ranking(id)));
        // Of several predicates one is enough: none of them removes a cluster by itself.
        let alternatives = self.study.placement.predicates.len() > 1;
        let removes = |verdict: &&Verdict| {
            !(verdict.passes || alternatives && verdict.stage.starts_with("predicate "))
        };
        if let Some((contest, ranking)) = &ranking {
            let is_in = !verdicts.iter().any(|verdict| removes(&verdict));
            verdicts.extend(self.scores(contest, id, ranking));
            verdicts.push(self.rank(ranking, is_in));
        } else if self.study.placement.number_of_clusters == Some(0) {
            let verdict = sentence(false, SELECTION, "the placement selects no cluster");
            verdicts.push(verdict.at(
                self.study.placement.number_place,
                "the number that is wanted",
            ));
        }
        verdicts.extend(self.groups(id));
        let published = |group: &super::engine::groups::Group<'_>| group.clusters.contains(&id);
        let chosen = self.study.placed.groups.iter().any(published);
        let mut candidate = Candidate::new(cluster.name, chosen, verdicts);
        let removed = candidate.verdicts.iter().find(removes);
        candidate.removed_by = removed
            .filter(|_| !chosen)
            .map(|verdict| verdict.stage.clone());
        let ranked = chosen || candidate.removed_by.as_deref() == Some(SELECTION);
        let ranking = ranking.filter(|_| ranked);
        candidate.ranking = ranking.map(|(_, ranking)| why::Ranking {
            place: ranking.place,
            score: ranking.total.to_string(),
        });
        candidate
    }

    /// The obstacle that keeps every cluster out: a placement that is left alone, or gets no
    /// status.
    fn whole(&self) -> Option<Verdict> {
        const STAGE: &str = "placement";
        if let Some(skipped) = self.study.placed.skipped {
            let reason = match skipped {
                Skipped::Deleting => "it is being deleted, so the hub decides nothing",
                Skipped::SchedulingDisabled => {
                    "its scheduling is disabled, so the hub decides \
                     nothing"
                }
            };
            return Some(
                sentence(false, STAGE, reason).at(self.study.placement.place, "this placement"),
            );
        }
        let fault = self.study.placed.fault.as_ref()?;
        let reason = format!("the hub writes no status: {fault}");
        Some(sentence(false, STAGE, reason).at(self.study.placement.place, "this placement"))
    }

    /// Whether it is a member of an eligible set, and whether it is being deleted.
    fn set(&self, id: u32, cluster: &ManagedCluster<'_>) -> Vec<Verdict> {
        const STAGE: &str = "cluster set";
        let mut verdicts = Vec::new();
        if cluster.terminating {
            let verdict = sentence(false, STAGE, "it is being deleted");
            verdicts.push(verdict.at(cluster.place, "this cluster"));
        }
        let mut member = None;
        let mut unreadable = false;
        for set in &self.study.eligible {
            match self.study.hub.members(set) {
                Ok(members) if members.contains(id as usize) => {
                    member = member.or(Some(set));
                }
                Ok(_) => {}
                Err(error) => {
                    unreadable = true;
                    let reason = format!("the selector of {set} cannot be read: {}", error.message);
                    verdicts.push(sentence(false, STAGE, reason));
                }
            }
        }
        match member {
            Some(set) => verdicts.push(sentence(true, STAGE, format!("a member of {set}"))),
            None if unreadable => {}
            None => {
                let sets = listed(&self.study.eligible);
                let reason = if self.study.eligible.is_empty() {
                    "its sets are not bound in the namespace of the placement".to_owned()
                } else {
                    format!("a member of none of the eligible sets ({sets})")
                };
                let verdict = sentence(false, STAGE, reason);
                verdicts.push(verdict.at(cluster.place, "this cluster"));
            }
        }
        verdicts
    }

    /// A prioritizer that the placement does not spell out as the hub expects.
    fn misconfigured(&self, fault: &str) -> Verdict {
        let reason = format!("misconfigured, so nothing is selected: {fault}");
        let mut verdict = sentence(false, "prioritizers", reason);
        let wrong = |configuration: &&Configuration<'_>| {
            configuration.weight != 0
                && super::engine::score::resolve(&configuration.coordinate).is_err()
        };
        if let Some(configuration) = self.study.placement.configurations.iter().find(wrong) {
            verdict = verdict.at(configuration.place, "this configuration");
        }
        verdict
    }

    /// Where the decision groups are at fault: whether the cluster's group is published.
    fn groups(&self, id: u32) -> Option<Verdict> {
        const STAGE: &str = "decision groups";
        let placed = &self.study.placed;
        let (_, fault) =
            super::engine::groups::divide(&self.study.hub, self.study.placement, &placed.selected);
        let fault = fault?;
        let earlier = self.study.placement.groups.iter().map(|group| {
            let matching = self.study.hub.matching_both(&group.selector);
            matching.map(|matching| matching.contains(id as usize))
        });
        let capped = super::engine::groups::cap(
            self.study.placement.cap.map(|(cap, _)| cap),
            placed.selected.len(),
        );
        let in_earlier = earlier.map_while(Result::ok).any(|matches| matches);
        if capped.is_ok() && in_earlier {
            let reason = "in a group before the one that cannot be read";
            return Some(sentence(true, STAGE, reason));
        }
        let reason = format!("misconfigured, so its group is not published: {fault}");
        Some(sentence(false, STAGE, reason))
    }

    /// Every predicate that excludes the cluster, with each requirement that fails.
    fn predicates(&self, id: u32, cluster: &ManagedCluster<'_>) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        let several = self.study.placement.predicates.len() > 1;
        let mut any = false;
        for (index, predicate) in self.study.placement.predicates.iter().enumerate() {
            let stage = if several {
                format!("predicate {}", index + 1)
            } else {
                "predicate".to_owned()
            };
            let failures = self.predicate(&stage, id, cluster, predicate);
            if failures.is_empty() {
                any = true;
                let verdict = sentence(true, &stage, "every requirement is met");
                verdicts.push(verdict.at(predicate.place, ""));
            }
            verdicts.extend(failures);
        }
        let whole = if several { "predicates" } else { "predicate" };
        if any && self.faults.predicates.is_none() {
            // One alternative holds: what the others ask for does not matter.
            for verdict in verdicts.iter_mut().filter(|verdict| !verdict.passes) {
                verdict.idle = true;
            }
        }
        match &self.faults.predicates {
            Some(fault) => {
                let reason = format!("misconfigured, so nothing is selected: {fault}");
                verdicts.push(sentence(false, whole, reason));
            }
            None if several => {
                let reason = if any {
                    "one match is enough"
                } else {
                    "none of them matches; one would be enough"
                };
                verdicts.push(sentence(any, whole, reason));
            }
            None => {}
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
            let reason = match explain(self.study.hub.model, expression.text, id as usize) {
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
        let mut failures = Vec::new();
        if let Some((index, fault)) = self.faults.tolerations {
            let place = self.study.placement.tolerations[index].place;
            failures.push(sentence(false, STAGE, fault).at(place, "this toleration"));
        }
        let is_decided = self.study.own.count(id) > 0;
        for taint in &cluster.taints {
            let alone = ManagedCluster {
                taints: vec![taint.clone()],
                ..ManagedCluster::default()
            };
            if judge(&alone, self.study.placement, is_decided, self.study.hub.now).is_ok() {
                continue;
            }
            let value = if taint.value.is_empty() {
                String::new()
            } else {
                format!("={}", taint.value)
            };
            let name = format!("{}{value}:{}", taint.key, taint.effect.word());
            let meant = self
                .study
                .placement
                .tolerations
                .iter()
                .find(|t| tolerates(t, taint));
            let mut verdict = match meant {
                Some(toleration) => {
                    let reason = format!("the toleration of {name} has expired");
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
                _ => "all of them are tolerated or have no effect",
            };
            failures.push(sentence(true, STAGE, reason));
        }
        failures
    }

    /// The word of every prioritizer, also on a cluster that a filter removed.
    fn scores(&self, contest: &Contest<'_, 'a>, id: u32, ranking: &Ranking) -> Vec<Verdict> {
        let one = |((weighted, raw), score): ((Weighted<'a>, Raw), &Option<i64>)| {
            let prioritizer = weighted.prioritizer;
            let raw = self.raw(id, prioritizer, raw);
            let (weight, given) = (weighted.weight, score.unwrap_or(0));
            let shown = score.map_or("no score, which counts as 0".to_owned(), |s| s.to_string());
            let reason = format!("{shown} × {weight} = {}; {raw}", given * weight);
            sentence(true, &prioritizer.name(), reason)
        };
        contest.raw(id).zip(&ranking.scores).map(one).collect()
    }

    fn raw(&self, id: u32, prioritizer: Prioritizer<'_>, raw: Raw) -> String {
        let cluster = &self.study.hub.model.clusters[id as usize];
        match raw {
            Raw::Balance { count, max } => {
                let (count, max) = (plural(count, "time"), plural(max, "time"));
                format!("decided {count} by other placements, the busiest cluster {max}")
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
                    Prioritizer::Resource(Resource::Memory) => &cluster.allocatable.memory,
                    _ => &cluster.allocatable.cpu,
                };
                let written = written.as_deref().unwrap_or("");
                format!("allocatable {written} = {value}, between {lo} and {hi}")
            }
            Raw::AddOn { expired: true } => "the add-on's score has expired".to_owned(),
            Raw::AddOn { expired: false } => "the add-on's score".to_owned(),
        }
    }

    /// The place among the feasible clusters, and what is missing for a better one; for a cluster
    /// that a filter removed, as if it had passed.
    /// The word on a cluster's place; one that is out already is compared all the same.
    fn rank(&self, ranking: &Ranking, is_in: bool) -> Verdict {
        let Ranking {
            total,
            place,
            of,
            selected,
            ..
        } = ranking;
        if ranking.is_selected() {
            let would = if is_in { "" } else { "would be selected: " };
            let reason = format!("{would}total {total}, place {place} of {of}");
            return sentence(true, SELECTION, reason);
        }
        let reason = match ranking.last {
            None => format!("total {total}; the placement selects no cluster"),
            Some((last, lowest)) => {
                let name = self.study.hub.model.clusters[last as usize].name;
                let what = match lowest - total {
                    0 => format!("the same total as {name}, whose name comes first"),
                    missing => format!("{missing} less than {name}, the last one selected"),
                };
                format!("total {total}, place {place} of {of}, {selected} are selected: {what}")
            }
        };
        let mut verdict = sentence(false, SELECTION, reason);
        if self.study.placement.number_of_clusters.is_some() {
            verdict = verdict.at(
                self.study.placement.number_place,
                "the number that is wanted",
            );
        }
        verdict
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
pub(super) fn requirements(
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
        let verdict = verdict
            .compared(asked(requirement), shown)
            .at(place, "required here");
        let mut elsewhere = cluster.set_elsewhere.iter();
        let set = elsewhere.find(|(known, _)| what == "label" && *known == key);
        failures.push(match set {
            Some((_, place)) => verdict.at(*place, "set here"),
            None => verdict,
        });
    }
    failures
}

fn asked(requirement: &Requirement<'_>) -> String {
    let key = requirement.key;
    match &requirement.test {
        Test::In(values) => format!("{key} in ({})", values.join(", ")),
        Test::NotIn(values) => format!("{key} not in ({})", values.join(", ")),
        Test::Exists => format!("{key} to exist"),
        Test::DoesNotExist => format!("{key} not to exist"),
    }
}
