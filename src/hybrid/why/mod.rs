//! Why a placement rule ended where it did: every stage of every object of the inventory.

mod rounds;

pub use rounds::rating;

use super::engine::{Decision, Eligibility, NoCommands, RuleOutcome, Runner, Seen, State, Trials};
use super::model::{CLUSTER_KIND, Model, ObjectId, Role, Types};
use super::{rule_called, subject};
use crate::document::System;
use crate::kit::plural::plural;
use crate::kit::selector::{Requirement, Test};
use crate::why::{Candidate, DecidedBy, Verdict, Why};
use rounds::{Fate, Judge, Outvoted, lowest, too_low};

/// The subjects that can be asked about: `namespace/name`, or the name of a rule without
/// namespace.
pub fn subjects(model: &Model<'_>) -> impl Iterator<Item = String> {
    model.placement_rules.iter().map(subject)
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
    let rule = rule_called(model, subject_name)?;
    let eligibility = trials.eligibility(rule);
    let only: Vec<ObjectId> = asked
        .into_iter()
        .flat_map(|asked| called(model, asked))
        .collect();
    // All are named where there is none of that name.
    let of_interest = |id: ObjectId| only.is_empty() || only.contains(&id);
    let judge = Judge { model, rule };
    let mut fates: Vec<Option<Fate<'_>>> = Vec::new();
    fates.resize_with(eligibility.len(), || None);
    let mut steps = Vec::new();
    // The last round that rated and did not veto: it tells the places of those that stay.
    let mut rated: Vec<(ObjectId, i64)> = Vec::new();
    let mut see = |seen: Seen<'_>| {
        let round = match seen {
            Seen::Whole(round) => round,
            Seen::Same(same) => return steps.push(judge.same_step(&same)),
        };
        steps.push(judge.step(round));
        for &id in round.removed.iter().filter(|id| of_interest(**id)) {
            fates[id as usize] = Some(judge.fate(id, round, true));
        }
        if round.vetoed.is_empty() && !round.ratings.is_empty() {
            rated.clone_from(&round.ratings);
        }
    };
    let ended = trials.follow(rule, runner, None, &of_interest, &mut see);
    let left = ended.rounds.iter().flat_map(|last| {
        let stays = last.candidates.iter().filter(|id| of_interest(**id));
        stays.map(move |&id| (id, last))
    });
    for (id, last) in left {
        fates[id as usize].get_or_insert_with(|| judge.fate(id, last, false));
    }
    let explainer = Explainer {
        judge,
        ended: &ended,
        asked,
        judge_all: judges_all(model, &ended),
        rated: &rated,
        trials,
    };
    let candidates = (0..).zip(&eligibility).zip(fates);
    let candidates = candidates.filter(|((id, _), _)| of_interest(*id));
    let candidates =
        candidates.map(|((id, eligible), fate)| explainer.candidate(id, *eligible, fate));
    Some(Why {
        steps,
        candidates: candidates.collect(),
        decided_by: explainer.decided_by(),
        placed: matches!(ended.state, State::Decided | State::HubDefault),
        ..Why::new(System::Hybrid, subject_name)
    })
}

fn judges_all(model: &Model<'_>, ended: &RuleOutcome) -> bool {
    let objects = model.inventory.objects().len();
    let steps = ended.round_count.max(1).saturating_mul(objects);
    steps.saturating_mul(objects) <= WORK
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

/// The objects that are called so.
pub fn called<'n>(model: &'n Model<'_>, name: &'n str) -> impl Iterator<Item = ObjectId> + 'n {
    let ids = (0..).take(model.inventory.objects().len());
    ids.filter(move |id| name_of(model, *id) == name)
}

struct Explainer<'s, 'm, 'a> {
    judge: Judge<'s, 'a>,
    ended: &'s RuleOutcome,
    /// The candidate asked about.
    asked: Option<&'s str>,
    /// Whether the later rounds are judged for every candidate.
    judge_all: bool,
    /// The ratings of the last round that rated and did not veto.
    rated: &'s [(ObjectId, i64)],
    /// Plans the rule on trial.
    trials: &'s Trials<'m, 'a>,
}

impl Explainer<'_, '_, '_> {
    fn decided_by(&self) -> Option<DecidedBy> {
        let last = self.ended.rounds.last();
        let (stage, reason) = match (self.ended.state, last) {
            (State::HubDefault, _) => {
                let reason =
                    "no cluster, no target, no label, no advisor: falls back to the hub cluster";
                ("Candidates".to_owned(), reason.to_owned())
            }
            (State::Decided, Some(round)) => {
                let count = round.recommended.len();
                let limit = match self.judge.rule.replicas {
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

    fn candidate(&self, id: ObjectId, eligible: Eligibility, fate: Option<Fate<'_>>) -> Candidate {
        let Judge { model, rule } = self.judge;
        let name = name_of(model, id);
        let chosen = self.ended.state == State::Decided
            && self.ended.decisions.contains(&Decision::Object(id));
        let mut verdicts = self.eligible(id, eligible);
        let removed = fate.as_ref().is_some_and(|fate| fate.removed);
        let out = verdicts.iter().find(|verdict| !verdict.passes);
        let removed_by = match (out, removed) {
            _ if chosen => None,
            (Some(out), _) => Some(out.stage.clone()),
            (None, true) => Some("Rounds".to_owned()),
            (None, false) => Some("Decision".to_owned()),
        };
        let later = if !chosen && (self.judge_all || self.asked == Some(name.as_str())) {
            self.later(id, fate.as_ref())
        } else {
            Vec::new()
        };
        let seen = fate.is_some();
        let mut ranking = None;
        if let Some(fate) = fate {
            ranking = fate.ranking;
            verdicts.extend(fate.advice);
            if self.ended.previous.contains(&Decision::Object(id)) && rule.decision_weight != 0 {
                let points = rule.decision_weight;
                let reason = format!("it is a decision already: {}", plural(points, "point"));
                verdicts.push(Verdict::new("Decision Weight", true, reason));
            }
            verdicts.push(fate.survival);
        }
        if rule.replicas == Some(0) {
            let reason = "replicas is 0: the rule never decides anything";
            verdicts.push(Verdict::new("Replicas", false, reason));
        }
        verdicts.extend(later);
        let (passes, idle, reason) = match self.ended.state {
            _ if !seen => (false, true, "it is not a candidate"),
            State::Waiting => {
                let reason = "nothing is decided while the rule waits for an advisor";
                (false, true, reason)
            }
            _ if chosen => (true, false, "recommended and not vetoed in the last round"),
            _ if removed => (false, true, "it was removed"),
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
            ranking: if chosen {
                rounds::ranking(id, self.rated)
            } else {
                ranking
            },
            ..Candidate::new(name, chosen, verdicts)
        }
    }

    /// The further obstacles in the rounds after the one that removed a candidate, or in all rounds
    /// for an object that is no candidate: it takes part in all of them and stays, whatever the
    /// advisors answer.
    fn later(&self, id: ObjectId, fate: Option<&Fate<'_>>) -> Vec<Verdict> {
        let Judge { model, rule } = self.judge;
        if model.inventory.object(id).is_hub() || self.ended.state == State::Waiting {
            return Vec::new();
        }
        // It was there to the end: all has been said.
        if fate.is_some_and(|fate| !fate.removed) {
            return Vec::new();
        }
        let removed = fate.map(|fate| fate.number);
        let mut verdicts = Vec::new();
        let mut said: Vec<&str> = fate.map_or_else(Vec::new, |fate| fate.vetoing.clone());
        let mut unheard = false;
        let mut outvoted = Outvoted::default();
        let mut see = |seen: Seen<'_>| {
            let round = match seen {
                Seen::Whole(round) => round,
                Seen::Same(same) => {
                    let spared = same.spared.filter(|_| Some(same.number) > removed);
                    let standing =
                        spared.and_then(|(own, sheltered)| too_low(own, same.lowest, sheltered));
                    return verdicts.extend(outvoted.in_round(same.number, standing));
                }
            };
            let mut lists = round.recommendations.iter();
            unheard = round.waiting_for.is_empty()
                && !lists.any(|(_, votes)| votes.iter().any(|vote| vote.0 == id));
            if round.number < removed.unwrap_or(1) {
                return;
            }
            for &index in &round.waiting_for {
                let advisor = &rule.advisors[index];
                let stage = format!("Advisor {} (round {})", advisor.name, round.number);
                let verdict = Verdict::new(stage, false, "would not answer");
                verdicts.push(verdict.at(advisor.place, "this advisor"));
            }
            if !round.waiting_for.is_empty() {
                return;
            }
            for name in self.judge.vetoing(id, round) {
                if said.contains(&name) {
                    continue;
                }
                said.push(name);
                let stage = format!("Advisor {name} (round {})", round.number);
                let reason = "would not recommend it: a veto";
                let mut verdict = Verdict::new(stage, false, reason);
                if let Some(advisor) = rule.advisors.iter().find(|one| one.name == name) {
                    verdict = verdict.at(advisor.place, "this advisor");
                }
                verdicts.push(verdict);
            }
            let rated_out = removed == Some(round.number) && round.vetoed.is_empty();
            let standing = lowest(id, round).filter(|_| !rated_out);
            verdicts.extend(outvoted.in_round(round.number, standing));
        };
        let none = |_| false;
        let trials = self.trials;
        trials.follow(rule, &mut NoCommands, Some(id), &none, &mut see);
        verdicts.extend(outvoted.rest());
        let mut advisors = rule.advisors.iter();
        let priorities_only =
            !rule.advisors.is_empty() && advisors.all(|advisor| advisor.role == Role::Priority);
        if priorities_only && unheard {
            let reason = "no advisor would recommend it in the last round";
            verdicts.push(Verdict::new("Decision", false, reason));
        }
        verdicts
    }

    /// The verdicts about types, targets and labels.
    fn eligible(&self, id: ObjectId, eligible: Eligibility) -> Vec<Verdict> {
        let object = self.judge.model.inventory.object(id);
        let mut verdicts = Vec::new();
        let wanted = match &self.judge.rule.types {
            Types::Clusters => "clusters, because no type is given".to_owned(),
            Types::Named(types) => types.join(", "),
            Types::All => "all".to_owned(),
        };
        let found = match &object.deployer {
            Some(deployer) => format!("a {} of type {}", object.kind, deployer.kind),
            None => format!("a {}", object.kind),
        };
        let reason = match (eligible.of_type, eligible.added) {
            (true, _) if self.judge.model.candidates_from_status => "status.candidates name it",
            (true, _) => "the type includes it",
            (false, true) => "the type does not include it, but a target names it",
            (false, false) => "the type does not include it",
        };
        let passes = eligible.of_type || eligible.added;
        verdicts.push(
            Verdict::new("Deployer Type", passes, reason)
                .compared(wanted, found)
                .at(object.place, "this object"),
        );
        if self.judge.model.candidates_from_status {
            return verdicts;
        }
        if !self.judge.rule.targets.is_empty() {
            let verdict = match eligible.target {
                Some(index) => Verdict::new("Targets", true, "a target names it")
                    .at(self.judge.rule.targets[index].place, "this target"),
                None => Verdict::new("Targets", false, "no target names it"),
            };
            verdicts.push(verdict);
        }
        let requirements = self
            .judge
            .rule
            .labels
            .iter()
            .flat_map(|labels| &labels.requirements);
        for requirement in requirements {
            let value = self.judge.model.inventory.label(id, requirement.key);
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
