//! Placement rules as data: `placementRules` of the contract.

use serde::ser::{SerializeMap as _, SerializeSeq as _, SerializeStruct as _};
use serde::{Serialize, Serializer};

use crate::hybrid::engine::{Decision, Finding, Outcome, Round, RuleOutcome, Vote};
use crate::hybrid::model::{
    CLUSTER_API, CLUSTER_KIND, HUB, Model, Object, ObjectId, PlacementRule,
};
use crate::hybrid::rules::warning;

/// All rules of a plan; the rounds are those that were kept.
pub struct PlacementRules<'r, 'a> {
    model: &'r Model<'a>,
    outcome: &'r Outcome,
    /// The text key of each object.
    keys: Vec<String>,
}

impl<'r, 'a> PlacementRules<'r, 'a> {
    /// The rules of a model and what became of them.
    #[must_use]
    pub fn new(model: &'r Model<'a>, outcome: &'r Outcome) -> Self {
        let objects = model.inventory.objects().iter();
        Self {
            model,
            outcome,
            keys: objects.map(Object::key).collect(),
        }
    }
}

impl Serialize for PlacementRules<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let pairs = self.model.rules.iter().zip(&self.outcome.rules);
        to.collect_seq(pairs.map(|(rule, ended)| Rule {
            all: self,
            rule,
            ended,
        }))
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
        let rounds = ended.rounds.iter().map(|round| RoundForm {
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

/// The text key of a decision.
#[must_use]
pub fn decision(model: &Model<'_>, rule: &PlacementRule<'_>, decision: Decision) -> String {
    match decision {
        Decision::Object(id) => model.inventory.object(id).key(),
        Decision::Hub => format!("{CLUSTER_KIND}/{HUB}/{HUB}"),
        Decision::Unknown(index) => format!("Unknown/{}", rule.decisions[index].name),
    }
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
struct Keys<'k>(&'k [ObjectId], &'k [String]);

impl Serialize for Keys<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(|&id| &self.1[id as usize]))
    }
}

struct RoundForm<'k, 'a> {
    keys: &'k [String],
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

struct Votes<'k>(&'k [Vote], &'k [String]);

impl Serialize for Votes<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'k> {
            target: &'k str,
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

struct Ratings<'k>(&'k [(ObjectId, i64)], &'k [String]);

impl Serialize for Ratings<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let pairs = self.0.iter();
        to.collect_map(pairs.map(|&(id, rating)| (&self.1[id as usize], Rating(rating))))
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
