//! Why a placement rule ended where it did: every stage of every object of the inventory.

use super::engine::{self, Decision, Eligibility, Keep, NoCommands, Round, RuleOutcome, State};
use super::model::{CLUSTER_KIND, Model, ObjectId, PlacementRule, Role, Types};
use super::subject;
use crate::document::System;
use crate::kit::selector::{Requirement, Test};
use crate::why::{Candidate, Decided, Verdict, Why};

/// The subjects that can be asked about: `namespace/name`, or the name of a rule without
/// namespace.
pub fn subjects(model: &Model<'_>) -> impl Iterator<Item = String> {
    model.rules.iter().map(subject)
}

/// The reasons for a rule; none if there is no such rule. Runs no command.
#[must_use]
pub fn why(model: &Model<'_>, asked: &str) -> Option<Why> {
    let rule = model.rules.iter().find(|rule| subject(rule) == asked)?;
    let ended = engine::plan_one(model, rule, Keep::All, &mut NoCommands);
    let explainer = Explainer {
        model,
        rule,
        ended: &ended,
    };
    let eligibility = engine::eligibility(model, rule);
    let removals = explainer.removals();
    let last_rounds = explainer.last_rounds();
    let candidates = (0..).zip(&eligibility).map(|(id, eligible)| {
        let seen = last_rounds[id as usize].map(|at| &ended.rounds[at]);
        let removed = removals[id as usize].map(|at| &ended.rounds[at]);
        explainer.candidate(id, *eligible, seen, removed)
    });
    Some(Why {
        subject: asked.to_owned(),
        system: System::Hybrid,
        steps: ended
            .rounds
            .iter()
            .map(|round| explainer.step(round))
            .collect(),
        candidates: candidates.collect(),
        decided_by: explainer.decided_by(),
        placed: matches!(ended.state, State::Decided | State::HubDefault),
    })
}

/// How an object is called: clusters by name, others by key.
#[must_use]
pub fn name_of(model: &Model<'_>, id: ObjectId) -> String {
    let object = model.inventory.object(id);
    if object.kind == CLUSTER_KIND && object.namespace.is_empty() {
        object.name.to_owned()
    } else {
        object.key()
    }
}

/// Hundredths, without a fraction if whole (section 6).
#[must_use]
pub fn rating(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let size = hundredths.unsigned_abs();
    match (size / 100, size % 100) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, rest) => format!("{sign}{whole}.{rest:02}"),
    }
}

struct Explainer<'s, 'a> {
    model: &'s Model<'a>,
    rule: &'s PlacementRule<'a>,
    ended: &'s RuleOutcome,
}

impl Explainer<'_, '_> {
    /// For each object the round that removed it.
    fn removals(&self) -> Vec<Option<usize>> {
        let mut at = vec![None; self.model.inventory.objects().len()];
        for (index, round) in self.ended.rounds.iter().enumerate() {
            for &id in &round.removed {
                at[id as usize] = Some(index);
            }
        }
        at
    }

    /// For each object the last round it took part in.
    fn last_rounds(&self) -> Vec<Option<usize>> {
        let mut at = vec![None; self.model.inventory.objects().len()];
        for (index, round) in self.ended.rounds.iter().enumerate() {
            for &id in &round.candidates {
                at[id as usize] = Some(index);
            }
        }
        at
    }

    fn step(&self, round: &Round) -> String {
        let candidates = count(round.candidates.len(), "candidate");
        let head = format!("round {}: {candidates}", round.number);
        let names = |ids: &[usize]| {
            let names = ids.iter().map(|&index| self.rule.advisors[index].name);
            names.collect::<Vec<_>>().join(", ")
        };
        if !round.waiting_for.is_empty() {
            return format!("{head}, no answer from {}", names(&round.waiting_for));
        }
        let recommended = round.recommended.len();
        let limit = match self.rule.replicas {
            None => "no limit".to_owned(),
            Some(limit) if recommended <= limit as usize => format!("at most {limit} wanted"),
            Some(limit) => format!("more than {limit}"),
        };
        let Some(first) = round.removed.first() else {
            return format!("{head}, {recommended} recommended, {limit}: these are the decisions");
        };
        let name = name_of(self.model, *first);
        let removed = match (
            round.vetoed.len(),
            round.ratings.iter().find(|r| r.0 == *first),
        ) {
            (0, Some((_, lowest))) => {
                format!(
                    "{name} has the lowest rating, {}, and goes",
                    rating(*lowest)
                )
            }
            (1, _) => format!("{name} is vetoed and goes"),
            (vetoed, _) => {
                let others = count(vetoed - 1, "other");
                format!("{name} and {others} are vetoed and go")
            }
        };
        format!("{head}, {recommended} recommended, {limit}: {removed}")
    }

    fn decided_by(&self) -> Option<Decided> {
        let last = self.ended.rounds.last();
        let (stage, reason) = match (self.ended.state, last) {
            (State::HubDefault, _) => {
                let reason = "no cluster, no target, no label, no advisor: the hub stands in";
                ("Candidates".to_owned(), reason.to_owned())
            }
            (State::Decided, Some(round)) => {
                let count = round.recommended.len();
                let limit = match self.rule.replicas {
                    Some(limit) => format!("at most {limit} wanted"),
                    None => "no limit".to_owned(),
                };
                let reason = format!("{count} recommended and not vetoed, {limit}");
                (format!("Round {}", round.number), reason)
            }
            _ => return None,
        };
        Some(Decided { stage, reason })
    }

    fn candidate(
        &self,
        id: ObjectId,
        eligible: Eligibility,
        seen: Option<&Round>,
        removed: Option<&Round>,
    ) -> Candidate {
        let chosen = self.ended.state == State::Decided
            && self.ended.decisions.contains(&Decision::Object(id));
        let mut verdicts = self.eligible(id, eligible);
        if let Some(round) = seen {
            verdicts.extend(self.advice(id, round));
            verdicts.push(self.survival(id, removed));
        }
        let (passes, reason) = match (self.ended.state, seen) {
            (_, None) => (false, "it is not a candidate"),
            (State::Waiting, _) => (false, "nothing is decided while an advisor is waited for"),
            _ if chosen => (true, "recommended and not vetoed in the last round"),
            _ if removed.is_some() => (false, "it was removed"),
            _ => (false, "not recommended, or vetoed, in the last round"),
        };
        verdicts.push(Verdict::new("Decision", passes, reason));
        Candidate {
            name: name_of(self.model, id),
            chosen,
            verdicts,
        }
    }

    /// The verdicts of section 3.
    fn eligible(&self, id: ObjectId, eligible: Eligibility) -> Vec<Verdict> {
        let object = self.model.inventory.object(id);
        let mut verdicts = Vec::new();
        let wanted = match &self.rule.types {
            Types::Clusters => "clusters, as no type is given".to_owned(),
            Types::Named(types) => types.join(", "),
            Types::All => "all".to_owned(),
        };
        let found = match object.deployer {
            Some(deployer) => format!("a {} of type {}", object.kind, deployer.kind),
            None => format!("a {}", object.kind),
        };
        let reason = match (eligible.of_type, eligible.added) {
            (true, _) if self.model.candidates_from_status => "status.candidates name it",
            (true, _) => "the type takes it",
            (false, true) => "the type does not take it, but a target names it",
            (false, false) => "the type does not take it",
        };
        let passes = eligible.of_type || eligible.added;
        verdicts.push(
            Verdict::new("Deployer Type", passes, reason)
                .compared(wanted, found)
                .at(object.place, "this object"),
        );
        if self.model.candidates_from_status {
            return verdicts;
        }
        if !self.rule.targets.is_empty() {
            let verdict = match eligible.target {
                Some(index) => Verdict::new("Targets", true, "a target names it")
                    .at(self.rule.targets[index].place, "this target"),
                None => Verdict::new("Targets", false, "no target names it"),
            };
            verdicts.push(verdict);
        }
        let requirements = self
            .rule
            .labels
            .iter()
            .flat_map(|labels| &labels.requirements);
        for requirement in requirements {
            let value = object.label(requirement.key);
            let passes = requirement.matches(value);
            let reason = if passes { "matches" } else { "does not match" };
            let found = match value {
                Some(value) => format!("{}={value}", requirement.key),
                None => format!("no label {}", requirement.key),
            };
            let verdict = Verdict::new("Target Labels", passes, reason);
            verdicts.push(verdict.compared(said(requirement), found));
        }
        verdicts
    }

    /// What each advisor says in the last round the candidate took part in.
    fn advice(&self, id: ObjectId, round: &Round) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        for advisor in &self.rule.advisors {
            let same_name = |&&index: &&usize| self.rule.advisors[index].name == advisor.name;
            let stage = format!("Advisor {}", advisor.name);
            if round.waiting_for.iter().any(|index| same_name(&index)) {
                let verdict = Verdict::new(stage, false, "it has not answered");
                verdicts.push(verdict.at(advisor.place, "this advisor"));
                continue;
            }
            let lists = round.recommendations.iter();
            let votes = lists
                .filter(|(index, _)| same_name(&index))
                .flat_map(|list| &list.1);
            let points: Vec<i64> = votes
                .filter(|vote| vote.0 == id)
                .map(|vote| vote.1.unwrap_or(100).saturating_mul(advisor.weight))
                .collect();
            let sum = points.iter().fold(0_i64, |a, b| a.saturating_add(*b));
            let reason = match (points.is_empty(), advisor.role) {
                (true, Role::Predicate) => "does not recommend it: a veto".to_owned(),
                (true, Role::Priority) => "does not recommend it".to_owned(),
                (false, _) => format!("recommends it: {} points", rating(sum)),
            };
            let stage = format!("{stage} (round {})", round.number);
            let verdict = Verdict::new(stage, !points.is_empty(), reason);
            verdicts.push(verdict.at(advisor.place, "this advisor"));
        }
        if self.ended.previous.contains(&Decision::Object(id)) && self.rule.decision_weight != 0 {
            let points = self.rule.decision_weight;
            let reason = format!("it is a decision already: {points} points");
            verdicts.push(Verdict::new("Decision Weight", true, reason));
        }
        verdicts
    }

    fn survival(&self, id: ObjectId, removed: Option<&Round>) -> Verdict {
        let Some(round) = removed else {
            return Verdict::new("Rounds", true, "never removed");
        };
        if round.vetoed.contains(&id) {
            let reason = format!("vetoed, so removed in round {}", round.number);
            return Verdict::new("Rounds", false, reason);
        }
        let own = round.ratings.iter().find(|entry| entry.0 == id);
        let own = own.map_or(0, |entry| entry.1);
        let others = round.ratings.iter().filter(|entry| entry.0 != id);
        let next = others.map(|entry| entry.1).min();
        let tie = next == Some(own);
        let reason = match tie {
            true => format!(
                "removed in round {}: of the lowest, first in order",
                round.number
            ),
            false => format!("removed in round {}: the lowest rating", round.number),
        };
        let verdict = Verdict::new("Rounds", false, reason);
        match next {
            Some(next) if tie => {
                verdict.compared(format!("more than {}", rating(next)), rating(own))
            }
            Some(next) => verdict.compared(format!("at least {}", rating(next)), rating(own)),
            None => verdict,
        }
    }
}

fn count(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// A requirement as a person would write it.
fn said(requirement: &Requirement<'_>) -> String {
    let key = requirement.key;
    match &requirement.test {
        Test::In(values) => format!("{key} In [{}]", values.join(", ")),
        Test::NotIn(values) => format!("{key} NotIn [{}]", values.join(", ")),
        Test::Exists => format!("{key} Exists"),
        Test::DoesNotExist => format!("{key} DoesNotExist"),
    }
}
