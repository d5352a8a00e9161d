//! The records to write: the status of each rule whose decisions change.

use serde::Serialize;
use serde_json::{Value, json};

use super::engine::{Decision, Outcome, RuleOutcome};
use super::model::{CLUSTER_API, CLUSTER_KIND, HUB, Model, ObjectId, PlacementRule};
use crate::document::record;

/// The records of all rules whose decisions change.
pub fn records<'r>(
    model: &'r Model<'_>,
    outcome: &'r Outcome,
    number: &'r str,
) -> impl Iterator<Item = Value> {
    let pairs = model.placement_rules.iter().zip(&outcome.ended);
    let changed = pairs.filter(|(_, ended)| ended.changed);
    changed.map(move |(rule, ended)| document(model, rule, ended, number))
}

/// The record of a rule: its status as a document. Needs the last round; without a time, so that it
/// can be made again.
#[must_use]
pub fn document(
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
    metadata["annotations"] = json!({record::ANNOTATION: number});
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
