//! Why a placement rule ended where it did: every stage of every object of the inventory.

use super::engine::{
    Decision, Eligibility, Keep, NoCommands, Round, RuleOutcome, Runner, State, Trials,
};
use super::model::{CLUSTER_KIND, Model, ObjectId, PlacementRule, Role, Types};
use super::subject;
use crate::document::System;
use crate::kit::plural::plural;
use crate::kit::selector::{Requirement, Test};
use crate::why::{Candidate, DecidedBy, Ranking, Verdict, Why};

/// The subjects that can be asked about: `namespace/name`, or the name of a rule without
/// namespace.
pub fn subjects(model: &Model<'_>) -> impl Iterator<Item = String> {
    model.rules.iter().map(subject)
}

/// Rounds times candidates up to which the later rounds are judged for every candidate.
const WORK: usize = 50_000_000;

/// The reasons for a rule; none if there is no such rule. In a large inventory the rounds after
/// the one that removed a candidate are judged for the one `asked` about only; the others are left
/// out if there is one.
#[must_use]
pub fn why(
    trials: &Trials<'_, '_>,
    subject_name: &str,
    asked: Option<&str>,
    runner: &mut dyn Runner,
) -> Option<Why> {
    let model = trials.model;
    let rule = model
        .rules
        .iter()
        .find(|rule| subject(rule) == subject_name)?;
    let ended = trials.plan(rule, Keep::All, runner, None);
    let explainer = Explainer {
        model,
        rule,
        ended: &ended,
        asked,
        judge_all: judges_all(model, &ended),
        trials,
    };
    let eligibility = trials.eligibility(rule);
    let removals = explainer.removals();
    let last_rounds = explainer.last_rounds();
    let is_asked = |id: ObjectId| asked.is_none_or(|asked| name_of(model, id) == asked);
    // All are named where there is none of that name.
    let all = !(0..).zip(&eligibility).any(|(id, _)| is_asked(id));
    let candidates = (0..).zip(&eligibility);
    let candidates = candidates.filter(|(id, _)| all || is_asked(*id));
    let candidates = candidates.map(|(id, eligible)| {
        let seen = last_rounds[id as usize].map(|at| &ended.rounds[at]);
        let removed = removals[id as usize].map(|at| &ended.rounds[at]);
        explainer.candidate(id, *eligible, seen, removed)
    });
    Some(Why {
        subject: subject_name.to_owned(),
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

fn judges_all(model: &Model<'_>, ended: &RuleOutcome) -> bool {
    let objects = model.inventory.objects().len();
    let rounds = ended.rounds.len().max(1);
    let steps = rounds.saturating_mul(objects).saturating_mul(objects);
    steps <= WORK
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

struct Explainer<'s, 'm, 'a> {
    model: &'s Model<'a>,
    rule: &'s PlacementRule<'a>,
    ended: &'s RuleOutcome,
    /// The candidate asked about.
    asked: Option<&'s str>,
    /// Whether the later rounds are judged for every candidate.
    judge_all: bool,
    trials: &'s Trials<'m, 'a>,
}

impl Explainer<'_, '_, '_> {
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
        let candidates = plural(round.candidates.len(), "candidate");
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
                let others = plural(vetoed - 1, "other");
                format!("{name} and {others} are vetoed and go")
            }
        };
        format!("{head}, {recommended} recommended, {limit}: {removed}")
    }

    fn decided_by(&self) -> Option<DecidedBy> {
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
        Some(DecidedBy { stage, reason })
    }

    fn candidate(
        &self,
        id: ObjectId,
        eligible: Eligibility,
        seen: Option<&Round>,
        removed: Option<&Round>,
    ) -> Candidate {
        let name = name_of(self.model, id);
        let chosen = self.ended.state == State::Decided
            && self.ended.decisions.contains(&Decision::Object(id));
        let mut verdicts = self.eligible(id, eligible);
        let out = verdicts.iter().find(|verdict| !verdict.passes);
        let removed_by = match (out, removed) {
            _ if chosen => None,
            (Some(out), _) => Some(out.stage.clone()),
            (None, Some(_)) => Some("Rounds".to_owned()),
            (None, None) => Some("Decision".to_owned()),
        };
        if let Some(round) = seen {
            verdicts.extend(self.advice(id, round));
            verdicts.push(self.survival(id, removed));
        }
        if self.rule.replicas == Some(0) {
            let reason = "replicas is 0: nothing is ever decided";
            verdicts.push(Verdict::new("Replicas", false, reason));
        }
        if !chosen && (self.judge_all || self.asked == Some(name.as_str())) {
            verdicts.extend(self.later(id, seen, removed));
        }
        let (passes, idle, reason) = match (self.ended.state, seen) {
            (_, None) => (false, true, "it is not a candidate"),
            (State::Waiting, _) => {
                let reason = "nothing is decided while an advisor is waited for";
                (false, true, reason)
            }
            _ if chosen => (true, false, "recommended and not vetoed in the last round"),
            _ if removed.is_some() => (false, true, "it was removed"),
            _ => (
                false,
                false,
                "not recommended, or vetoed, in the last round",
            ),
        };
        let decision = Verdict::new("Decision", passes, reason);
        verdicts.push(Verdict { idle, ..decision });
        Candidate {
            removed_by,
            ranking: self.ranking(id, chosen, removed),
            ..Candidate::new(name, chosen, verdicts)
        }
    }

    /// The rating that kept or removed a candidate, and its place by that; none where ratings had
    /// no say.
    fn ranking(&self, id: ObjectId, chosen: bool, removed: Option<&Round>) -> Option<Ranking> {
        let rated = |round: &&Round| round.vetoed.is_empty() && !round.ratings.is_empty();
        let kept = || self.ended.rounds.iter().rev().find(rated);
        let round = if chosen {
            kept()
        } else {
            removed.filter(rated)
        }?;
        let of = |one: &&(ObjectId, i64)| one.0 == id;
        let found = round.ratings.iter().find(of)?.1;
        let better = round.ratings.iter().filter(|one| one.1 > found).count();
        Some(Ranking {
            place: better + 1,
            score: rating(found),
        })
    }

    /// What else the rounds would hold against a candidate had it got through the one that
    /// removed it, or against an object had it been a candidate: it takes part in all of them
    /// and stays, whatever is said.
    fn later(&self, id: ObjectId, seen: Option<&Round>, removed: Option<&Round>) -> Vec<Verdict> {
        if self.model.inventory.object(id).is_hub() || self.ended.state == State::Waiting {
            return Vec::new();
        }
        let spared = self
            .trials
            .plan(self.rule, Keep::All, &mut NoCommands, Some(id));
        let from = match (seen, removed) {
            (None, _) => 1,
            (Some(_), Some(removed)) => removed.number,
            // It was there to the end: all has been said.
            (Some(_), None) => return Vec::new(),
        };
        let mut verdicts = Vec::new();
        let mut said: Vec<&str> = Vec::new();
        if let Some(removed) = removed {
            said.extend(self.vetoing(id, removed));
        }
        let known = |round: &Round| removed.is_some_and(|removed| removed.number == round.number);
        for round in spared.rounds.iter().filter(|round| round.number >= from) {
            for &index in &round.waiting_for {
                let advisor = &self.rule.advisors[index];
                let stage = format!("Advisor {} (round {})", advisor.name, round.number);
                let verdict = Verdict::new(stage, false, "it would not answer");
                verdicts.push(verdict.at(advisor.place, "this advisor"));
            }
            if !round.waiting_for.is_empty() {
                break;
            }
            for name in self.vetoing(id, round) {
                if said.contains(&name) {
                    continue;
                }
                said.push(name);
                let stage = format!("Advisor {name} (round {})", round.number);
                let reason = "would not recommend it: a veto";
                let mut verdict = Verdict::new(stage, false, reason);
                if let Some(advisor) = self.rule.advisors.iter().find(|one| one.name == name) {
                    verdict = verdict.at(advisor.place, "this advisor");
                }
                verdicts.push(verdict);
            }
            let rated_out = known(round) && round.vetoed.is_empty();
            if let Some((asked, found)) = lowest(id, round).filter(|_| !rated_out) {
                let reason = format!("the lowest rating in round {} too", round.number);
                let verdict = Verdict::new("Rounds", false, reason);
                verdicts.push(verdict.compared(asked, found));
            }
        }
        let last = spared.rounds.last();
        let voiceless = |round: &&Round| {
            let mut lists = round.recommendations.iter();
            round.waiting_for.is_empty()
                && !lists.any(|(_, votes)| votes.iter().any(|vote| vote.0 == id))
        };
        let priorities_only = !self.rule.advisors.is_empty()
            && self
                .rule
                .advisors
                .iter()
                .all(|advisor| advisor.role == Role::Priority);
        if priorities_only && last.filter(voiceless).is_some() {
            let reason = "no advisor would recommend it in the last round";
            verdicts.push(Verdict::new("Decision", false, reason));
        }
        verdicts
    }

    /// The predicate advisors that do not recommend a candidate in a round, each once.
    fn vetoing(&self, id: ObjectId, round: &Round) -> Vec<&str> {
        let predicates = self.rule.advisors.iter();
        let mut names: Vec<&str> = Vec::new();
        for advisor in predicates.filter(|advisor| advisor.role == Role::Predicate) {
            let voice = |index: usize| self.rule.advisors[index].name == advisor.name;
            let mut lists = round.recommendations.iter();
            let recommends =
                lists.any(|(index, votes)| voice(*index) && votes.iter().any(|vote| vote.0 == id));
            let answers = round.recommendations.iter().any(|(index, _)| voice(*index));
            if answers && !recommends && !names.contains(&advisor.name) {
                names.push(advisor.name);
            }
        }
        names
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
        let found = match &object.deployer {
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
            let value = self.model.inventory.label(id, requirement.key);
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
        let verdict = |reason: String| Verdict::new("Rounds", false, reason);
        let number = round.number;
        let Some((asked, found)) = lowest(id, round) else {
            return verdict(format!("removed in round {number}: the lowest rating"));
        };
        let first = ratings(id, round).is_some_and(|(own, next)| own == next);
        verdict(match first {
            true => format!("removed in round {number}: of the lowest, first in order"),
            false => format!("removed in round {number}: the lowest rating"),
        })
        .compared(asked, found)
    }
}

/// A candidate's rating in a round, and the lowest of the others.
fn ratings(id: ObjectId, round: &Round) -> Option<(i64, i64)> {
    let (_, own) = round.ratings.iter().find(|entry| entry.0 == id)?;
    let others = round.ratings.iter().filter(|entry| entry.0 != id);
    Some((*own, others.map(|entry| entry.1).min()?))
}

/// If a round that vetoes no other candidate would remove this one for its rating: what rating it
/// needs, and which it has. Of equals the first in order goes, so it needs more than the lowest
/// of the others unless one of those is before it.
fn lowest(id: ObjectId, round: &Round) -> Option<(String, String)> {
    if round.vetoed.iter().any(|&vetoed| vetoed != id) {
        return None;
    }
    let (own, next) = ratings(id, round)?;
    let mut before = round.ratings.iter().take_while(|entry| entry.0 != id);
    let sheltered = before.any(|entry| entry.1 == next);
    let stays = own > next || (own == next && sheltered);
    let asked = match sheltered {
        true => format!("at least {}", rating(next)),
        false => format!("more than {}", rating(next)),
    };
    (!stays).then(|| (asked, rating(own)))
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
