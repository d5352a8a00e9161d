//! Placement rules as data: `placementRules` of a plan.

use std::sync::OnceLock;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::hybrid::decision;
use crate::hybrid::engine::{Finding, Keep, Outcome, Round, RuleOutcome, Vote};
use crate::hybrid::model::{Model, Object, ObjectId, PlacementRule};
use crate::hybrid::records::Reference;
use crate::hybrid::rules::warning;

use crate::data::{Pairs, Rows};

/// All rules of a plan.
pub struct PlacementRules<'r, 'a> {
    model: &'r Model<'a>,
    outcome: &'r Outcome,
    rounds: Keep,
    /// The text key of each object that the output names.
    keys: Vec<OnceLock<Key>>,
}

/// An object's text key, and the same as JSON: large plans name each object in every rule.
struct Key {
    text: String,
    json: Option<Box<RawValue>>,
}

impl Key {
    fn of(object: &Object<'_>) -> Self {
        let text = object.key();
        Self {
            json: to_raw_value(&text).ok(),
            text,
        }
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.json {
            Some(json) => json.serialize(to),
            None => to.serialize_str(&self.text),
        }
    }
}

impl<'r, 'a> PlacementRules<'r, 'a> {
    /// The rules of a model and what became of them: of the rounds that were kept, the last
    /// one or all.
    #[must_use]
    pub fn new(model: &'r Model<'a>, outcome: &'r Outcome, rounds: Keep) -> Self {
        let objects = model.inventory.objects().iter();
        Self {
            model,
            outcome,
            rounds,
            keys: objects.map(|_| OnceLock::new()).collect(),
        }
    }

    fn key(&self, id: ObjectId) -> &Key {
        self.keys[id as usize].get_or_init(|| Key::of(self.model.inventory.object(id)))
    }

    fn keys(&self, ids: &[ObjectId]) -> Vec<&Key> {
        ids.iter().map(|&id| self.key(id)).collect()
    }
}

impl Rows for PlacementRules<'_, '_> {
    fn count(&self) -> usize {
        self.outcome.ended.len()
    }

    fn row(&self, at: usize) -> impl Serialize {
        Rule::new(
            self,
            &self.model.placement_rules[at],
            &self.outcome.ended[at],
        )
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'s> {
    namespace: Option<&'s str>,
    name: &'s str,
    state: &'static str,
    rounds: Vec<RoundForm<'s>>,
    candidates: Vec<&'s Key>,
    eliminators: Vec<&'s Key>,
    decisions: Vec<String>,
    decision_refs: Vec<Option<Reference<'s>>>,
    changed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl<'s> Rule<'s> {
    fn new(
        all: &'s PlacementRules<'_, '_>,
        rule: &'s PlacementRule<'_>,
        ended: &'s RuleOutcome,
    ) -> Self {
        let rounds = match (all.rounds, ended.rounds.len()) {
            (Keep::Last, 1..) => &ended.rounds[ended.rounds.len() - 1..],
            _ => &ended.rounds[..],
        };
        let decisions = ended.decisions.iter();
        let ghosts = ended.findings.iter();
        let ghosts = ghosts.filter(|found| matches!(found, Finding::NotACandidate { .. }));
        Self {
            namespace: Some(rule.namespace).filter(|namespace| !namespace.is_empty()),
            name: rule.name,
            state: ended.state.word(),
            rounds: rounds
                .iter()
                .map(|round| RoundForm::new(all, rule, round))
                .collect(),
            candidates: all.keys(&ended.candidates),
            eliminators: all.keys(&ended.eliminators),
            decisions: decisions
                .clone()
                .map(|one| decision(all.model, rule, *one))
                .collect(),
            decision_refs: decisions
                .map(|one| Reference::of(all.model, *one))
                .collect(),
            changed: ended.changed,
            warnings: ghosts.map(|found| warning(rule, found)).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RoundForm<'s> {
    round: usize,
    candidates: Vec<&'s Key>,
    recommendations: Pairs<&'s str, Vec<VoteForm<'s>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting_for: Vec<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vetoed: Option<Vec<&'s Key>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recommended: Option<Vec<&'s Key>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratings: Option<Pairs<&'s str, Rating>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<Vec<&'s Key>>,
}

#[derive(Serialize)]
struct VoteForm<'s> {
    target: &'s Key,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<i64>,
}

impl<'s> RoundForm<'s> {
    fn new(all: &'s PlacementRules<'_, '_>, rule: &'s PlacementRule<'_>, round: &'s Round) -> Self {
        let vote = |&(id, score): &Vote| VoteForm {
            target: all.key(id),
            score,
        };
        let recommendations = round.recommendations.iter().map(|(advisor, votes)| {
            let name = rule.advisors[*advisor].name;
            (name, votes.iter().map(vote).collect())
        });
        let waiting = round.waiting_for.iter().map(|&at| rule.advisors[at].name);
        let answered = round.waiting_for.is_empty();
        let removing = answered && !round.removed.is_empty();
        let ratings = || {
            let pairs = round.ratings.iter();
            let pairs = pairs.map(|&(id, sum)| (all.key(id).text.as_str(), Rating(sum)));
            Pairs(pairs.collect())
        };
        Self {
            round: round.number,
            candidates: all.keys(&round.candidates),
            recommendations: Pairs(recommendations.collect()),
            waiting_for: waiting.collect(),
            vetoed: answered.then(|| all.keys(&round.vetoed)),
            recommended: answered.then(|| all.keys(&round.recommended)),
            ratings: removing.then(ratings),
            removed: removing.then(|| all.keys(&round.removed)),
        }
    }
}

/// Hundredths as a number.
struct Rating(i64);

impl Serialize for Rating {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.0 % 100 == 0 {
            to.serialize_i64(self.0 / 100)
        } else {
            // For writing alone: the nearest number prints with the same two decimals.
            to.serialize_f64(self.0 as f64 / 100.0)
        }
    }
}
