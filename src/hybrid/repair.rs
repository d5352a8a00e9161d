//! The obstacles between an object and a placement rule, and the edits that would remove them.

mod touched;

pub use touched::touched;

use std::cell::Cell;

use serde_json::json;

use super::engine::{Decision, NoCommands, Round, RuleOutcome, Seen, State, Trials};
use super::model::{Advisor, BuiltIn, Model, ObjectId, PlacementRule, Rank, Role, Source};
use super::rule_called;
use super::why::called;
use crate::document::{Document, DocumentKind, Documents};
use crate::repair::selector::{Asking, label, read, unmet};
use crate::repair::{Obstacle, Side, Target};
use crate::yaml::Dialect;

/// Weights that are tried around the present one, at most.
const WEIGHTS: i64 = 200;

/// Replicas that are tried beyond those asked for, at most.
const REPLICAS: u32 = 64;

/// Rounds times candidates that are gone through to try other numbers, at most.
const WORK: usize = 200_000;

/// The obstacles that keep an object from being decided: empty if it is, `None` if either name is
/// unknown.
#[must_use]
pub fn obstacles<'a>(
    trials: &Trials<'_, 'a>,
    documents: &Documents<'a>,
    subject_name: &str,
    candidate: &str,
) -> Option<Vec<Obstacle>> {
    let model = trials.model;
    let rule = rule_called(model, subject_name)?;
    let id = called(model, candidate).next()?;
    let ended = trials.plan(rule);
    if decides(&ended, id) {
        return Some(Vec::new());
    }
    let object = model.inventory.object(id);
    let once = ended.round_count * (ended.eliminators.len() + ended.candidates.len()).max(1);
    let finder = ObstacleFinder {
        model,
        rule,
        trials,
        id,
        left: Cell::new((WORK / once.max(1)).max(2)),
        on_rule: Target::holding(documents, rule.place, Side::Subject)?,
        on_object: Target::holding(documents, object.place, Side::Candidate)?,
    };
    let mut found = finder.eligible();
    found.extend(finder.rounds(&ended));
    if found.is_empty() {
        found.push(finder.undecided(&ended));
    }
    Some(found)
}

/// How many steps planning a rule takes, about: its rounds times its candidates.
#[must_use]
pub fn work(trials: &Trials<'_, '_>, subject_name: &str) -> u64 {
    rule_called(trials.model, subject_name).map_or(0, |rule| trials.work(rule))
}

/// Whether the answer for an object depends on a document, the other clusters apart.
#[must_use]
pub fn needs(document: &Document<'_>, subject_name: &str, candidate: &str) -> bool {
    let own = candidate.rsplit('/').next();
    match document.kind {
        DocumentKind::PlacementRule => {
            let name = subject_name.rsplit('/').next();
            document.name() == name
        }
        DocumentKind::ManagedCluster => document.name() == own,
        // Sites and regions hold no candidates.
        kind => kind.dialect() != Dialect::PyYaml,
    }
}

/// Other weights than this one, the nearest first; none that turns a preference around.
fn other_weights(old: i64) -> impl Iterator<Item = i64> {
    let near = (1..=WEIGHTS).flat_map(move |by| [old + by, old - by]);
    let all = near.chain([1000, 10_000, 32_767, -1000, -32_768]);
    all.filter(move |weight| *weight <= 32_767 && *weight >= -32_768)
        .filter(move |weight| (old >= 0 && *weight >= 0) || (old <= 0 && *weight <= 0))
}

fn decides(outcome: &RuleOutcome, id: ObjectId) -> bool {
    outcome.state == State::Decided && outcome.decisions.contains(&Decision::Object(id))
}

struct ObstacleFinder<'t, 'm, 'a> {
    model: &'m Model<'a>,
    rule: &'m PlacementRule<'a>,
    trials: &'t Trials<'m, 'a>,
    id: ObjectId,
    /// Numbers that may still be tried.
    left: Cell<usize>,
    on_rule: Target<'a>,
    on_object: Target<'a>,
}

impl<'a> ObstacleFinder<'_, '_, 'a> {
    fn label(&self, key: &str) -> Option<&'a str> {
        self.model.inventory.label(self.id, key)
    }

    /// Type, targets and labels.
    fn eligible(&self) -> Vec<Obstacle> {
        let object = self.model.inventory.object(self.id);
        let mut found = Vec::new();
        if self.model.candidates_from_status {
            return found;
        }
        if object.is_hub() {
            found.push(Obstacle::new(
                "Deployer Type",
                "another object: the hub is never a candidate",
            ));
        }
        let eligible = self.trials.eligibility(self.rule)[self.id as usize];
        let mut target = json!({"kind": object.kind, "name": object.name});
        if !object.namespace.is_empty() {
            target["namespace"] = json!(object.namespace);
        }
        if !eligible.of_type && !eligible.added {
            let mut obstacle = Obstacle::new("Deployer Type", "a type that takes it, or a target");
            let append = self.on_rule.append("/spec/targets", target.clone());
            if self.rule.targets.is_empty() {
                obstacle.blunt(append);
            } else {
                obstacle.one(append);
            }
            if let Some(deployer) = &object.deployer {
                obstacle.one(self.on_rule.set("/spec/deployerType", deployer.kind));
            }
            obstacle.one(self.on_rule.set("/spec/deployerType", "kubernetes"));
            obstacle.blunt(self.on_rule.set("/spec/deployerType", "all"));
            found.push(obstacle);
        } else if !self.rule.targets.is_empty() && eligible.target.is_none() {
            let mut obstacle = Obstacle::new("Targets", "a target that names it");
            obstacle.one(self.on_rule.append("/spec/targets", target));
            obstacle.blunt(self.on_rule.remove("/spec/targets"));
            found.push(obstacle);
        }
        if !eligible.labelled {
            let mut missing = self.selector("Target Labels", "/spec/targetLabels");
            for obstacle in &mut missing {
                obstacle.blunt(self.on_rule.remove("/spec/targetLabels"));
            }
            found.extend(missing);
        }
        found
    }

    fn selector(&self, stage: &str, at: &str) -> Vec<Obstacle> {
        let Some(node) = self.on_rule.node.pointer(at) else {
            return Vec::new();
        };
        let asking = Asking {
            target: &self.on_rule,
            at,
        };
        let missing = unmet(
            &read(node),
            Some(asking),
            &|key| self.label(key),
            &|key, value| label(&self.on_object, key, value),
        );
        let obstacle = |(needs, remedies)| Obstacle {
            remedies,
            ..Obstacle::new(stage, needs)
        };
        missing.into_iter().map(obstacle).collect()
    }

    /// The rounds, with the object in all of them.
    fn rounds(&self, ended: &RuleOutcome) -> Vec<Obstacle> {
        if self.rule.replicas == Some(0) {
            let mut obstacle = Obstacle::new("Replicas", "replicas of at least 1");
            obstacle.one(self.on_rule.set("/spec/replicas", 1));
            obstacle.blunt(self.on_rule.remove("/spec/replicas"));
            return vec![obstacle];
        }
        let spared = (ended.state != State::Waiting).then_some(self.id);
        // Advisors against it, and whether they answer.
        let mut against: Vec<(usize, bool)> = Vec::new();
        let mut outvoted = false;
        let mut unheard = false;
        // How many are left where it is the lowest for the first time.
        let mut there = None;
        let mut see = |seen: Seen<'_>| {
            let round = match seen {
                Seen::Whole(round) => round,
                Seen::Same(same) => {
                    let lowest = |(own, sheltered): (i64, bool)| {
                        own < same.lowest || (own == same.lowest && !sheltered)
                    };
                    if same.spared.is_some_and(lowest) {
                        outvoted = true;
                        there.get_or_insert(same.recommended);
                    }
                    return;
                }
            };
            let answered = round.waiting_for.is_empty();
            let vetoes = |(_, advisor): &(usize, &Advisor<'a>)| {
                advisor.role == Role::Predicate && answered && !self.recommends(advisor, round)
            };
            let advisors = self.rule.advisors.iter().enumerate();
            let silent = round.waiting_for.iter().map(|&index| (index, false));
            let vetoing = advisors.filter(vetoes).map(|(index, _)| (index, true));
            for (index, answers) in silent.chain(vetoing) {
                if against.iter().all(|(known, _)| *known != index) {
                    against.push((index, answers));
                }
            }
            if self.is_lowest(round) {
                let others = round.vetoed.iter().any(|id| *id != self.id);
                outvoted |= !others;
                there.get_or_insert(round.recommended.len());
            }
            let mut advisors = self.rule.advisors.iter();
            unheard = answered
                && !self.rule.advisors.is_empty()
                && !advisors.any(|advisor| self.recommends(advisor, round));
        };
        let none = |_| false;
        self.trials
            .follow(self.rule, &mut NoCommands, spared, &none, &mut see);
        let mut found = Vec::new();
        for (index, answers) in against {
            if answers {
                found.extend(self.veto(index));
            } else {
                found.push(self.silent(index));
            }
        }
        let enough = if found.is_empty() && !outvoted {
            None
        } else {
            self.replicas(there.unwrap_or(0))
        };
        // Fewer candidates go, and so nothing is asked about those that would be left.
        if let Some(enough) = enough {
            for obstacle in &mut found {
                obstacle.one(self.on_rule.set("/spec/replicas", enough));
                obstacle.blunt(self.on_rule.remove("/spec/replicas"));
            }
        }
        if outvoted {
            found.push(self.outvoted(enough));
        } else if found.is_empty() && unheard {
            found.push(self.unheard());
        }
        found
    }

    fn recommends(&self, advisor: &Advisor<'a>, round: &Round) -> bool {
        let voice = |index: usize| self.rule.advisors[index].name == advisor.name;
        let mut lists = round.recommendations.iter();
        lists.any(|(index, votes)| voice(*index) && votes.iter().any(|vote| vote.0 == self.id))
    }

    /// Whether its rating in a round is the lowest, of equals the first.
    fn is_lowest(&self, round: &Round) -> bool {
        let Some(at) = round.ratings.iter().position(|entry| entry.0 == self.id) else {
            return false;
        };
        let own = round.ratings[at].1;
        let mut others = round
            .ratings
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at);
        others.all(|(other, (_, rating))| *rating > own || (*rating == own && other > at))
            && round.ratings.len() > 1
    }

    fn silent(&self, index: usize) -> Obstacle {
        let name = self.rule.advisors[index].name;
        let mut obstacle = Obstacle::new(format!("Advisor {name}"), "an answer");
        obstacle.one(self.on_rule.remove(format!("/spec/advisors/{index}")));
        obstacle.blunt(self.on_rule.remove("/spec/advisors"));
        obstacle
    }

    /// The obstacles behind a veto: edits that make the predicate recommend it or stop vetoing.
    fn veto(&self, index: usize) -> Vec<Obstacle> {
        let advisor = &self.rule.advisors[index];
        let stage = format!("Advisor {}", advisor.name);
        let base = format!("/spec/advisors/{index}");
        let mut found = Vec::new();
        if let Source::BuiltIn(BuiltIn::Labels(_)) = &advisor.source {
            found = self.selector(&stage, &format!("{base}/rules"));
        }
        if found.is_empty() {
            let mut obstacle = Obstacle::new(&stage, "its recommendation");
            self.persuade(advisor, &base, &mut obstacle);
            found.push(obstacle);
        }
        for obstacle in &mut found {
            obstacle.one(self.on_rule.set(format!("{base}/type"), "priority"));
            obstacle.one(self.on_rule.remove(&*base));
            obstacle.blunt(self.on_rule.remove("/spec/advisors"));
        }
        found
    }

    /// Edits with which an advisor of ours would recommend it.
    fn persuade(&self, advisor: &Advisor<'a>, base: &str, obstacle: &mut Obstacle) {
        let Source::BuiltIn(built_in) = &advisor.source else {
            return;
        };
        let inventory = &self.model.inventory;
        let object = inventory.object(self.id);
        match built_in {
            BuiltIn::Cost { label: key, rank } => {
                for value in self.best_label(key, *rank) {
                    obstacle.one(label(&self.on_object, key, Some(&value)));
                }
            }
            BuiltIn::ResourceHint { resource, rank } => {
                let value = if rank.descending { "1Ei" } else { "0" };
                let best = self.best_resource(resource, *rank);
                let pointer = format!("/status/allocatable/{resource}");
                let best = best.filter(|best| Some(*best) != inventory.resource(self.id, resource));
                obstacle.one(best.and_then(|best| self.on_object.set(&*pointer, best)));
                obstacle.blunt(self.on_object.set(pointer, value));
            }
            BuiltIn::Policies(names) => {
                for name in names {
                    let key = format!("policy.planner/{name}");
                    if self.label(&key) != Some("compliant") {
                        obstacle.one(label(&self.on_object, &key, Some("compliant")));
                    }
                }
                let list = self.on_rule.node.pointer(&format!("{base}/rules/policies"));
                let items = list.into_iter().flat_map(|list| list.items());
                for (_, at) in items.zip(0..) {
                    obstacle.one(self.on_rule.remove(format!("{base}/rules/policies/{at}")));
                }
            }
            BuiltIn::Veto(resources) => {
                let hits: Vec<_> = resources
                    .iter()
                    .enumerate()
                    .filter(|(_, resource)| !resource.is_blank() && resource.fits(object))
                    .filter_map(|(at, _)| {
                        self.on_rule.remove(format!("{base}/rules/resources/{at}"))
                    })
                    .collect();
                obstacle.way(hits, false);
            }
            BuiltIn::Labels(_) => {
                for (at, one) in self
                    .selector("", &format!("{base}/rules"))
                    .iter()
                    .enumerate()
                {
                    if at == 0 {
                        obstacle.remedies.extend(one.remedies.iter().cloned());
                    }
                }
            }
            BuiltIn::Alphabet => {}
        }
    }

    /// As good a figure as any, and a better one.
    fn best_label(&self, key: &str, rank: Rank) -> Vec<String> {
        let inventory = &self.model.inventory;
        let figures = inventory.by_label(key, |text| text.parse::<i64>().ok());
        let figures: Vec<i64> = figures.into_iter().flatten().flatten().collect();
        let best = if rank.descending {
            figures.iter().max()
        } else {
            figures.iter().min()
        };
        let Some(best) = best else {
            return vec!["1".to_owned()];
        };
        let better = if rank.descending {
            best.saturating_add(1)
        } else {
            best.saturating_sub(1)
        };
        vec![best.to_string(), better.to_string()]
    }

    fn best_resource(&self, name: &str, rank: Rank) -> Option<&str> {
        use crate::kit::quantity::Quantity;
        let inventory = &self.model.inventory;
        let figures = inventory.by_resource(name, |text| Quantity::parse(text).ok());
        let figures = figures.into_iter().zip(0..);
        let figures = figures.filter_map(|(figure, id)| Some((figure??, id)));
        let best = if rank.descending {
            figures.max_by_key(|figure| figure.0)
        } else {
            figures.min_by_key(|figure| figure.0)
        };
        inventory.resource(best?.1, name)
    }

    /// Whether it is decided with another rule; nothing is once enough have been tried.
    fn decided_with(&self, rule: &PlacementRule<'a>) -> bool {
        let Some(left) = self.left.get().checked_sub(1) else {
            return false;
        };
        self.left.set(left);
        decides(&self.trials.plan(rule), self.id)
    }

    /// The fewest replicas, more than asked for, with which it is decided; `there` are left where
    /// it is the lowest.
    fn replicas(&self, there: usize) -> Option<u32> {
        let asked = self.rule.replicas?;
        let enough = |wanted: &u32| {
            self.decided_with(&PlacementRule {
                replicas: Some(*wanted),
                ..self.rule.clone()
            })
        };
        let eligible = self.trials.eligibility(self.rule);
        let most = u32::try_from(eligible.len()).unwrap_or(u32::MAX);
        // Nobody goes in a round that leaves no more than are wanted. The advisors may say other
        // things when more are wanted, so the numbers before that are tried as well.
        let there = u32::try_from(there).unwrap_or(u32::MAX);
        let near = asked.saturating_add(1)..=most.min(asked.saturating_add(REPLICAS));
        let far = [there, most];
        let far = far.into_iter().filter(|wanted| !near.contains(wanted));
        let few = self.left.get() < 2 * REPLICAS as usize;
        let near = near.clone().filter(|wanted| !few || *wanted == there);
        near.chain(far).find(enough)
    }

    /// The nearest other weight of those tried with which it is decided.
    fn other_weight(&self, old: i64, decided: impl Fn(i64) -> bool) -> Option<i64> {
        let few = self.left.get() < 2 * WEIGHTS as usize;
        let mut weights =
            other_weights(old).filter(|weight| !few || old.abs_diff(*weight).is_power_of_two());
        weights.find(|weight| decided(*weight))
    }

    /// A rating that outlasts the others: more replicas, other weights, better figures.
    fn outvoted(&self, enough: Option<u32>) -> Obstacle {
        let mut obstacle = Obstacle::new("Rounds", "a higher rating, or more replicas");
        let replicas = self.rule.replicas.unwrap_or(0);
        for (index, advisor) in self.rule.advisors.iter().enumerate() {
            let base = format!("/spec/advisors/{index}");
            self.persuade(advisor, &base, &mut obstacle);
            let with = |weight: i64| {
                let mut rule = self.rule.clone();
                rule.advisors[index].weight = weight;
                self.decided_with(&rule)
            };
            if let Some(weight) = self.other_weight(advisor.weight, with) {
                obstacle.one(self.on_rule.set(format!("{base}/weight"), weight));
            }
            let mut rule = self.rule.clone();
            rule.advisors.remove(index);
            if self.decided_with(&rule) {
                obstacle.one(self.on_rule.remove(&*base));
            }
        }
        let with = |weight: i64| {
            let rule = PlacementRule {
                decision_weight: weight,
                ..self.rule.clone()
            };
            self.decided_with(&rule)
        };
        if let Some(weight) = self.other_weight(self.rule.decision_weight, with) {
            obstacle.one(self.on_rule.set("/spec/decisionWeight", weight));
        }
        match enough {
            Some(wanted) => obstacle.one(self.on_rule.set("/spec/replicas", wanted)),
            None => obstacle.one(
                self.on_rule
                    .set("/spec/replicas", replicas.saturating_add(1)),
            ),
        }
        obstacle.blunt(self.on_rule.remove("/spec/replicas"));
        obstacle.blunt(self.on_rule.remove("/spec/advisors"));
        let object = self.model.inventory.object(self.id);
        let mut target = json!({"kind": object.kind, "name": object.name});
        if !object.namespace.is_empty() {
            target["namespace"] = json!(object.namespace);
        }
        if self.rule.targets.is_empty() {
            obstacle.blunt(self.on_rule.append("/spec/targets", target));
        }
        obstacle
    }

    /// Nothing is held against it, and yet the rule does not decide for it: other numbers of
    /// replicas, and fewer advisors.
    fn undecided(&self, ended: &RuleOutcome) -> Obstacle {
        let mut obstacle = self.outvoted(self.replicas(0));
        "Decision".clone_into(&mut obstacle.stage);
        "to be decided".clone_into(&mut obstacle.needs);
        let all = ended.candidates.len() + ended.eliminators.len();
        let asked = self.rule.replicas.map_or(all, |asked| asked as usize);
        let fewer = (1..asked.min(all + 1)).rev();
        let fewer = fewer.filter_map(|wanted| u32::try_from(wanted).ok());
        let enough = |wanted: &u32| {
            self.decided_with(&PlacementRule {
                replicas: Some(*wanted),
                ..self.rule.clone()
            })
        };
        let wanted = fewer.take(REPLICAS as usize).find(enough);
        obstacle.one(wanted.and_then(|wanted| self.on_rule.set("/spec/replicas", wanted)));
        obstacle
    }

    /// No advisor recommends it.
    fn unheard(&self) -> Obstacle {
        let mut obstacle = Obstacle::new("Decision", "a recommendation of any advisor");
        for (index, advisor) in self.rule.advisors.iter().enumerate() {
            let base = format!("/spec/advisors/{index}");
            self.persuade(advisor, &base, &mut obstacle);
        }
        obstacle.blunt(self.on_rule.remove("/spec/advisors"));
        obstacle
    }
}
