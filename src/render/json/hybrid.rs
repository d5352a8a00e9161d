//! Placement rules as data: `placementRules` of the contract.

use serde::ser::{SerializeMap as _, SerializeSeq as _, SerializeStruct as _};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::hybrid::decision;
use crate::hybrid::engine::{Decision, Finding, Keep, Outcome, Round, RuleOutcome, Vote};
use crate::hybrid::model::{
    CLUSTER_API, CLUSTER_KIND, HUB, Model, Object, ObjectId, PlacementRule,
};
use crate::hybrid::rules::warning;

use super::rows::{List, Rows};

/// All rules of a plan.
pub struct PlacementRules<'r, 'a> {
    model: &'r Model<'a>,
    outcome: &'r Outcome,
    rounds: Keep,
    /// The text key of each object.
    keys: Vec<Key>,
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
            keys: objects.map(Key::of).collect(),
        }
    }
}

impl Serialize for PlacementRules<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        List(self).serialize(to)
    }
}

impl Rows for PlacementRules<'_, '_> {
    fn len(&self) -> usize {
        self.outcome.rules.len()
    }

    fn row(&self, at: usize) -> impl Serialize {
        Rule {
            all: self,
            rule: &self.model.rules[at],
            ended: &self.outcome.rules[at],
        }
    }
}

struct Rule<'s, 'r, 'a> {
    all: &'s PlacementRules<'r, 'a>,
    rule: &'r PlacementRule<'a>,
    ended: &'r RuleOutcome,
}

impl Serialize for Rule<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { all, rule, ended } = self;
        let keys = |ids| Keys(ids, &all.keys);
        let mut map = to.serialize_struct("PlacementRule", 11)?;
        let namespace = Some(rule.namespace).filter(|namespace| !namespace.is_empty());
        map.serialize_field("namespace", &namespace)?;
        map.serialize_field("name", rule.name)?;
        map.serialize_field("state", ended.state.word())?;
        let kept = match (all.rounds, ended.rounds.len()) {
            (Keep::Last, 1..) => &ended.rounds[ended.rounds.len() - 1..],
            _ => &ended.rounds[..],
        };
        let rounds = kept.iter().map(|round| RoundForm {
            keys: &all.keys,
            rule,
            round,
        });
        map.serialize_field("rounds", &rounds.collect::<Vec<_>>())?;
        map.serialize_field("candidates", &keys(&ended.candidates))?;
        map.serialize_field("eliminators", &keys(&ended.eliminators))?;
        let decisions = ended.decisions.iter();
        let names: Vec<String> = decisions
            .map(|one| decision(all.model, rule, *one))
            .collect();
        map.serialize_field("decisions", &names)?;
        let decisions = ended.decisions.iter();
        let refs = decisions.map(|one| Reference::of(all.model, *one));
        map.serialize_field("decisionRefs", &refs.collect::<Vec<_>>())?;
        map.serialize_field("changed", &ended.changed)?;
        let ghosts = ended.findings.iter();
        let ghosts = ghosts.filter(|found| matches!(found, Finding::NotACandidate { .. }));
        let warnings: Vec<String> = ghosts.map(|found| warning(rule, found)).collect();
        if !warnings.is_empty() {
            map.serialize_field("warnings", &warnings)?;
        }
        map.end()
    }
}

/// The records of all rules whose decisions change.
pub fn records<'r>(
    model: &'r Model<'_>,
    outcome: &'r Outcome,
    number: &'r str,
) -> impl Iterator<Item = Value> {
    let pairs = model.rules.iter().zip(&outcome.rules);
    let changed = pairs.filter(|(_, ended)| ended.changed);
    changed.map(move |(rule, ended)| record(model, rule, ended, number))
}

/// The record of a rule: its status as a document (contract, section 4; hybrid placement
/// rules, section 8). Needs the last round; without a time, so that it can be made again.
#[must_use]
pub fn record(
    model: &Model<'_>,
    rule: &PlacementRule<'_>,
    ended: &RuleOutcome,
    number: &str,
) -> Value {
    let referred = |id: &ObjectId| {
        let reference = Reference::of(model, Decision::Object(*id));
        serde_json::to_value(reference).unwrap_or_default()
    };
    let list = |ids: &[ObjectId]| ids.iter().map(referred).collect::<Value>();
    let mut metadata = json!({"name": rule.name});
    if !rule.namespace.is_empty() {
        metadata["namespace"] = rule.namespace.into();
    }
    metadata["annotations"] = json!({"planner/record": number});
    let mut status = json!({});
    if let Some(generation) = rule.generation {
        let count = generation.parse::<i64>();
        status["observedGeneration"] = count.map_or_else(|_| generation.into(), Value::from);
    }
    status["candidates"] = list(&ended.candidates);
    status["eliminators"] = list(&ended.eliminators);
    let mut answers = json!({});
    for (advisor, votes) in ended.rounds.last().iter().flat_map(|r| &r.recommendations) {
        let votes = votes.iter().map(|(id, score)| {
            let mut vote = referred(id);
            if let Some(score) = score {
                vote["score"] = (*score).into();
            }
            vote
        });
        answers[rule.advisors[*advisor].name] = votes.collect();
    }
    status["recommendations"] = answers;
    let decisions = ended.decisions.iter();
    let decisions = decisions.filter_map(|one| Reference::of(model, *one));
    status["decisions"] = decisions
        .map(|one| serde_json::to_value(one).unwrap_or_default())
        .collect();
    json!({
        "apiVersion": "core.hybridapp.io/v1alpha1",
        "kind": "PlacementRule",
        "metadata": metadata,
        "status": status,
    })
}

/// A decision as a reference.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reference<'a> {
    api_version: &'a str,
    kind: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
}

impl<'a> Reference<'a> {
    /// The reference; none for a decision that is found nowhere.
    #[must_use]
    pub fn of(model: &Model<'a>, decision: Decision) -> Option<Self> {
        match decision {
            Decision::Object(id) => {
                let object = model.inventory.object(id);
                Some(Self {
                    api_version: object.api_version,
                    kind: object.kind,
                    name: object.name,
                    namespace: object.namespace,
                })
            }
            Decision::Hub => Some(Self {
                api_version: CLUSTER_API,
                kind: CLUSTER_KIND,
                name: HUB,
                namespace: HUB,
            }),
            Decision::Unknown(_) => None,
        }
    }
}

/// Objects by their text keys.
struct Keys<'k>(&'k [ObjectId], &'k [Key]);

impl Serialize for Keys<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(|&id| &self.1[id as usize]))
    }
}

struct RoundForm<'k, 'a> {
    keys: &'k [Key],
    rule: &'k PlacementRule<'a>,
    round: &'k Round,
}

impl Serialize for RoundForm<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { keys, rule, round } = *self;
        let ids = |ids| Keys(ids, keys);
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("round", &round.number)?;
        map.serialize_entry("candidates", &ids(&round.candidates))?;
        map.serialize_entry("recommendations", &Recommendations(self))?;
        if !round.waiting_for.is_empty() {
            let names = round.waiting_for.iter();
            let names: Vec<&str> = names.map(|&index| rule.advisors[index].name).collect();
            map.serialize_entry("waitingFor", &names)?;
            return map.end();
        }
        map.serialize_entry("vetoed", &ids(&round.vetoed))?;
        map.serialize_entry("recommended", &ids(&round.recommended))?;
        if !round.removed.is_empty() {
            map.serialize_entry("ratings", &Ratings(&round.ratings, keys))?;
            map.serialize_entry("removed", &ids(&round.removed))?;
        }
        map.end()
    }
}

struct Recommendations<'f, 'k, 'a>(&'f RoundForm<'k, 'a>);

impl Serialize for Recommendations<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let RoundForm { keys, rule, round } = *self.0;
        let lists = round.recommendations.iter();
        to.collect_map(lists.map(|(index, votes)| (rule.advisors[*index].name, Votes(votes, keys))))
    }
}

struct Votes<'k>(&'k [Vote], &'k [Key]);

impl Serialize for Votes<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'k> {
            target: &'k Key,
            #[serde(skip_serializing_if = "Option::is_none")]
            score: Option<i64>,
        }
        let mut list = to.serialize_seq(Some(self.0.len()))?;
        for &(id, score) in self.0 {
            let target = &self.1[id as usize];
            list.serialize_element(&Form { target, score })?;
        }
        list.end()
    }
}

struct Ratings<'k>(&'k [(ObjectId, i64)], &'k [Key]);

impl Serialize for Ratings<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let pairs = self.0.iter();
        to.collect_map(pairs.map(|&(id, rating)| (&self.1[id as usize].text, Rating(rating))))
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
