//! Placement rules and objects, as planner-placement(7) describes them.

use std::collections::{BTreeMap, BTreeSet};

use planner::hybrid::engine::NoCommands;
use planner::plan::again;
use planner::why::{Candidate, Verdict};
use serde_json::{Value, json};

use super::{Fates, Reasons, at, keyed, list, of_kind, pairs, unmet};
use crate::support::random::Dice;

const CLUSTERS: [&str; 5] = ["c0", "c1", "c2", "c3", "c4"];
const API: &str = "core.hybridapp.io/v1alpha1";

fn advisor(dice: &mut Dice, number: u64) -> Value {
    let order = dice.of(&["asc", "desc"]);
    let scored = dice.roll(2) == 0;
    let mut name = format!("v{number}");
    let mut own = json!({"type": dice.of(&["predicate", "priority", "priority"])});
    match dice.roll(6) {
        0 => {
            own["rules"] = json!({"matchLabels": {"env": dice.of(&["a", "b"])}});
        }
        1 => {
            own["rules"] = json!({"cost": {"label": "cost", "order": order, "scored": scored}});
        }
        2 => {
            own["rules"] =
                json!({"resourceHint": {"type": "cpu", "order": order, "scored": scored}});
        }
        3 => {
            name = "veto".to_owned();
            own["rules"] =
                json!({"resources": [{"name": dice.of(&CLUSTERS)}, {"name": dice.of(&CLUSTERS)}]});
        }
        4 => name = "alphabet".to_owned(),
        // Its answers are written down, or missing.
        _ => {}
    }
    own["name"] = json!(name);
    if dice.roll(2) == 0 {
        own["weight"] = json!(dice.roll(9) as i64 * 20 - 40);
    }
    own
}

fn site(dice: &mut Dice) -> Vec<Value> {
    let mut advisors: Vec<Value> = (0..dice.roll(4)).map(|n| advisor(dice, n)).collect();
    let mut names = BTreeSet::new();
    advisors.retain(|one| names.insert(at(one, "/name").to_owned()));
    let mut spec = json!({"advisors": advisors});
    if dice.roll(5) > 0 {
        spec["replicas"] = json!(dice.roll(4));
    }
    if dice.roll(3) == 0 {
        spec["decisionWeight"] = json!(dice.roll(6) as i64 * 20 - 20);
    }
    if dice.roll(4) == 0 {
        spec["targetLabels"] = json!({"matchLabels": {"tier": dice.of(&["a", "b"])}});
    }
    if dice.roll(4) == 0 {
        let target = |name: &str| json!({"kind": "ManagedCluster", "name": name});
        spec["targets"] = json!([target(dice.of(&CLUSTERS)), target(dice.of(&CLUSTERS)),
            {"kind": "Deployer", "name": "d0"}]);
    }
    if dice.roll(5) == 0 {
        spec["deployerType"] = json!(dice.of(&["kubernetes", "ibm"]));
    }
    let mut status = json!({});
    if dice.roll(2) == 0 {
        let decision = |name: &str| {
            json!({"apiVersion": "cluster.open-cluster-management.io/v1",
            "kind": "ManagedCluster", "name": name})
        };
        status["decisions"] = json!([decision(dice.of(&CLUSTERS))]);
    }
    let mut documents = vec![
        json!({"apiVersion": API, "kind": "PlacementRule", "metadata": {"name": "app"},
            "spec": spec, "status": status}),
        json!({"apiVersion": API, "kind": "Deployer", "metadata": {"name": "d0", "namespace": "hub",
            "labels": {"tier": "a", "env": "a"}}, "spec": {"type": "ibm"}}),
    ];
    let mut answers = Vec::new();
    for one in &advisors {
        let written = list(one, "/rules").is_empty() && at(one, "/name").starts_with('v');
        if written && one.get("rules").is_none() && at(one, "/name") != "veto" && dice.roll(8) > 0 {
            let mut some = Vec::new();
            for name in CLUSTERS {
                if dice.roll(3) > 0 {
                    let mut vote = json!({"kind": "ManagedCluster", "name": name});
                    if dice.roll(2) == 0 {
                        vote["score"] = json!(dice.roll(5) * 20);
                    }
                    some.push(vote);
                }
            }
            answers.push(json!({"name": one["name"], "recommendations": some}));
        }
    }
    if !answers.is_empty() {
        documents.push(json!({"apiVersion": "planner/v1", "kind": "AdvisorAnswers",
            "metadata": {"name": "answers"}, "spec": {"advisors": answers}}));
    }
    for name in CLUSTERS {
        let mut labels = json!({"env": dice.of(&["a", "b"]), "tier": dice.of(&["a", "a", "b"])});
        if dice.roll(5) > 0 {
            labels["cost"] = json!((dice.roll(5) + 1).to_string());
        }
        let mut document = json!({"apiVersion": "cluster.open-cluster-management.io/v1",
            "kind": "ManagedCluster", "metadata": {"name": name, "labels": labels}});
        if dice.roll(5) > 0 {
            document["status"] = json!({"allocatable": {"cpu": (dice.roll(4) + 1).to_string()}});
        }
        documents.push(document);
    }
    documents
}

/// Votes by object, each with hundredths of the weight.
type Answer = Vec<(usize, i64)>;

struct Round {
    number: usize,
    candidates: Vec<usize>,
    /// By advisor; nothing where it does not answer.
    answers: Vec<Option<Answer>>,
    vetoed: Vec<usize>,
    recommended: Vec<usize>,
    /// By candidate, 100 times the rating.
    ratings: Vec<(usize, i64)>,
    removed: Vec<usize>,
}

struct Oracle<'d> {
    rule: &'d Value,
    documents: &'d [Value],
    /// In canonical order.
    objects: Vec<&'d Value>,
    advisors: &'d [Value],
}

fn name(document: &Value) -> &str {
    at(document, "/metadata/name")
}

impl<'d> Oracle<'d> {
    fn new(documents: &'d [Value]) -> Self {
        let rule = of_kind(documents, "PlacementRule").next().unwrap();
        let clusters = of_kind(documents, "ManagedCluster");
        let mut objects: Vec<&Value> = clusters.chain(of_kind(documents, "Deployer")).collect();
        objects.sort_by_key(|one| (at(one, "/metadata/namespace"), name(one)));
        Self {
            rule,
            documents,
            objects,
            advisors: list(rule, "/spec/advisors"),
        }
    }

    fn is_predicate(advisor: &Value) -> bool {
        at(advisor, "/type") == "predicate"
    }

    fn fits(reference: &Value, object: &Value) -> bool {
        let same = |key: &str, own: &str| {
            let asked = at(reference, key);
            asked.is_empty() || asked == own
        };
        same("/kind", at(object, "/kind"))
            && same("/name", name(object))
            && same("/namespace", at(object, "/metadata/namespace"))
    }

    /// What keeps an object from being a candidate.
    fn of_candidacy(&self, object: &Value) -> Reasons {
        let mut against = Reasons::new();
        let base = match at(self.rule, "/spec/deployerType") {
            "ibm" => "Deployer",
            _ => "ManagedCluster",
        };
        let targets = list(self.rule, "/spec/targets");
        let targeted = targets.iter().any(|target| Self::fits(target, object));
        if at(object, "/kind") != base && !targeted {
            against.insert("Deployer Type".to_owned());
        }
        if !targets.is_empty() && !targeted {
            against.insert("Targets".to_owned());
        }
        if let Some(selector) = self.rule.pointer("/spec/targetLabels") {
            let labels = pairs(object, "/metadata/labels");
            if !unmet(selector, &labels).unwrap().is_empty() {
                against.insert("Target Labels".to_owned());
            }
        }
        against
    }

    fn replicas(&self) -> Option<usize> {
        let replicas = self.rule.pointer("/spec/replicas")?;
        Some(replicas.as_u64().unwrap() as usize)
    }

    fn label(&self, object: usize, key: &str) -> Option<i64> {
        let labels = pairs(self.objects[object], "/metadata/labels");
        labels.get(key)?.parse().ok()
    }

    /// The first `replicas` by a figure, or all with scores.
    fn ranked(
        &self,
        figures: Vec<(usize, i64)>,
        rank: &Value,
        descending: bool,
        best: usize,
    ) -> Answer {
        let mut figures = figures;
        figures.sort_by_key(|(object, figure)| {
            if descending {
                (-figure, *object)
            } else {
                (*figure, *object)
            }
        });
        if rank["scored"] != true {
            return figures
                .into_iter()
                .take(best)
                .map(|one| (one.0, 100))
                .collect();
        }
        let most = figures.iter().map(|one| one.1).max().unwrap_or(0);
        let least = figures.iter().map(|one| one.1).min().unwrap_or(0);
        let score = |value: i64| match descending {
            true if most <= 0 => 100,
            true => 100 * value / most,
            false if value <= 0 => 100,
            false => 100 * least / value,
        };
        figures
            .into_iter()
            .map(|one| (one.0, score(one.1)))
            .collect()
    }

    fn answer(&self, advisor: &Value, candidates: &[usize]) -> Option<Answer> {
        let own = at(advisor, "/name");
        let mut written = of_kind(self.documents, "AdvisorAnswers")
            .flat_map(|answers| list(answers, "/spec/advisors"));
        if let Some(answer) = written.find(|answer| at(answer, "/name") == own) {
            let votes = list(answer, "/recommendations").iter();
            let vote = |vote: &Value| {
                let hit = candidates
                    .iter()
                    .find(|one| Self::fits(vote, self.objects[**one]));
                Some((*hit?, vote["score"].as_i64().unwrap_or(100)))
            };
            return Some(votes.filter_map(vote).collect());
        }
        let best = self.replicas().unwrap_or(candidates.len());
        let rules = &advisor["rules"];
        if let Some(rank) = rules.get("resourceHint") {
            let cpu = |object: usize| {
                let text = at(self.objects[object], "/status/allocatable/cpu");
                text.parse().unwrap_or(0)
            };
            let figures = candidates.iter().map(|one| (*one, cpu(*one))).collect();
            return Some(self.ranked(figures, rank, at(rank, "/order") != "asc", best));
        }
        if let Some(rank) = rules.get("cost") {
            let figures = candidates.iter();
            let figures = figures.filter_map(|one| Some((*one, self.label(*one, "cost")?)));
            return Some(self.ranked(figures.collect(), rank, at(rank, "/order") == "desc", best));
        }
        let all = |keeps: &dyn Fn(&Value) -> bool| {
            let kept = candidates.iter().filter(|one| keeps(self.objects[**one]));
            Some(kept.map(|one| (*one, 100)).collect())
        };
        if rules.get("matchLabels").is_some() {
            return all(&|object| {
                unmet(rules, &pairs(object, "/metadata/labels"))
                    .unwrap()
                    .is_empty()
            });
        }
        match own {
            "alphabet" => {
                let mut sorted = candidates.to_vec();
                sorted.sort_by_key(|one| {
                    let object = self.objects[*one];
                    (name(object), at(object, "/metadata/namespace"))
                });
                Some(
                    sorted
                        .into_iter()
                        .take(best)
                        .map(|one| (one, 100))
                        .collect(),
                )
            }
            "veto" => all(&|object| {
                let mut hits = list(rules, "/resources").iter();
                !hits.any(|one| at(one, "/name") == name(object))
            }),
            _ => None,
        }
    }

    /// The rounds; a spared candidate takes part in every round and stays.
    fn rounds(&self, spared: Option<usize>) -> Vec<Round> {
        let is_candidate = |one: &usize| self.of_candidacy(self.objects[*one]).is_empty();
        let all = 0..self.objects.len();
        let mut candidates: Vec<usize> = all.filter(is_candidate).collect();
        // What only a target adds comes after the others.
        let base = match at(self.rule, "/spec/deployerType") {
            "ibm" => "Deployer",
            _ => "ManagedCluster",
        };
        candidates.sort_by_key(|one| at(self.objects[*one], "/kind") != base);
        if let Some(spared) = spared.filter(|spared| !candidates.contains(spared)) {
            let behind = candidates.iter().position(|one| *one > spared);
            candidates.insert(behind.unwrap_or(candidates.len()), spared);
        }
        let decided: Vec<usize> = list(self.rule, "/status/decisions")
            .iter()
            .filter_map(|one| {
                self.objects
                    .iter()
                    .position(|object| Self::fits(one, object))
            })
            .collect();
        let bonus = self.rule.pointer("/spec/decisionWeight");
        let bonus = bonus.and_then(Value::as_i64).unwrap_or(0);
        let mut rounds = Vec::new();
        while !candidates.is_empty() {
            let answers: Vec<Option<Answer>> = self
                .advisors
                .iter()
                .map(|advisor| self.answer(advisor, &candidates))
                .collect();
            let mut round = Round {
                number: rounds.len() + 1,
                candidates: candidates.clone(),
                answers,
                vetoed: Vec::new(),
                recommended: Vec::new(),
                ratings: Vec::new(),
                removed: Vec::new(),
            };
            if round.answers.iter().any(Option::is_none) {
                rounds.push(round);
                break;
            }
            let votes = |advisor: usize, one: usize| {
                let votes = round.answers[advisor].iter().flatten();
                votes.filter(move |vote| vote.0 == one).map(|vote| vote.1)
            };
            let names = |advisor: usize, one: usize| votes(advisor, one).next().is_some();
            let advisors = 0..self.advisors.len();
            let vetoes = |one: &&usize| {
                let mut all = advisors.clone();
                all.any(|at| Self::is_predicate(&self.advisors[at]) && !names(at, **one))
            };
            let vetoed: Vec<usize> = candidates.iter().filter(vetoes).copied().collect();
            let heard = |one: &&usize| {
                let mut all = advisors.clone();
                self.advisors.is_empty() || all.any(|at| names(at, **one))
            };
            let mut recommended: Vec<usize> = candidates.iter().filter(heard).copied().collect();
            recommended.retain(|one| !vetoed.contains(one));
            let weight = |at: usize| self.advisors[at]["weight"].as_i64().unwrap_or(100);
            let rating = |one: usize| {
                let mut sum: i64 = advisors
                    .clone()
                    .map(|at| weight(at) * votes(at, one).sum::<i64>())
                    .sum();
                // Who is spared is taken to be recommended by the predicates.
                for at in advisors.clone().filter(|_| spared == Some(one)) {
                    if Self::is_predicate(&self.advisors[at]) && !names(at, one) {
                        sum += 100 * weight(at);
                    }
                }
                sum + if decided.contains(&one) {
                    100 * bonus
                } else {
                    0
                }
            };
            let ratings: Vec<(usize, i64)> =
                candidates.iter().map(|one| (*one, rating(*one))).collect();
            let mut counted = recommended.len();
            if let Some(spared) = spared
                && !recommended.contains(&spared)
            {
                counted += 1;
            }
            let done = self.replicas().is_none_or(|most| counted <= most)
                || (spared.is_some() && candidates.len() == 1);
            round.vetoed.clone_from(&vetoed);
            round.recommended = recommended;
            if done {
                rounds.push(round);
                break;
            }
            round.ratings.clone_from(&ratings);
            let mut out = vetoed;
            out.retain(|one| spared != Some(*one));
            if out.is_empty() {
                // The lowest rating.
                let rating = |one: usize| {
                    if spared == Some(one) {
                        i64::MAX
                    } else {
                        ratings.iter().find(|entry| entry.0 == one).unwrap().1
                    }
                };
                let mut slot = candidates[0];
                let mut order = Vec::new();
                for one in &candidates[1..] {
                    if rating(slot) > rating(*one) || spared == Some(slot) {
                        order.push(slot);
                        slot = *one;
                    } else {
                        order.push(*one);
                    }
                }
                out = vec![slot];
                candidates = order;
            } else {
                candidates.retain(|one| !out.contains(one));
            }
            round.removed = out;
            rounds.push(round);
        }
        rounds
    }

    fn names_it(round: &Round, advisor: usize, one: usize) -> bool {
        let votes = round.answers[advisor].iter().flatten();
        votes.into_iter().any(|vote| vote.0 == one)
    }

    fn hundredths(figure: i64) -> String {
        let sign = if figure < 0 { "-" } else { "" };
        match (figure.abs() / 100, figure.abs() % 100) {
            (whole, 0) => format!("{sign}{whole}"),
            (whole, rest) => format!("{sign}{whole}.{rest:02}"),
        }
    }

    /// If the round, as far as the others go, would remove it for its rating: what it needs.
    fn needed(round: &Round, one: usize) -> Option<String> {
        if round.vetoed.iter().any(|vetoed| *vetoed != one) {
            return None;
        }
        let own = round.ratings.iter().find(|entry| entry.0 == one)?.1;
        let others = || round.ratings.iter().filter(|entry| entry.0 != one);
        let least = others().map(|entry| entry.1).min()?;
        let place = round
            .ratings
            .iter()
            .position(|entry| entry.0 == one)
            .unwrap();
        let before = round.ratings[..place].iter().any(|entry| entry.1 == least);
        let figure = Self::hundredths(least);
        if before {
            (own < least).then(|| format!("at least {figure}"))
        } else {
            (own <= least).then(|| format!("more than {figure}"))
        }
    }

    fn fates(&self) -> Fates {
        let rounds = self.rounds(None);
        let waiting = rounds
            .last()
            .is_some_and(|last| last.answers.contains(&None));
        let end = rounds.last();
        let mut fates = Fates::new();
        for (object, one) in self.objects.iter().zip(0..) {
            let own = match at(object, "/metadata/namespace") {
                "" => name(object).to_owned(),
                namespace => format!("{}/{namespace}/{}", at(object, "/kind"), name(object)),
            };
            let mut against = self.of_candidacy(object);
            let seen = rounds
                .iter()
                .rev()
                .find(|round| round.candidates.contains(&one));
            let removed = rounds.iter().find(|round| round.removed.contains(&one));
            let mut vetoed_by: BTreeSet<usize> = BTreeSet::new();
            if let Some(round) = seen {
                for (advisor, number) in self.advisors.iter().zip(0..) {
                    let stage = format!("Advisor {}", at(advisor, "/name"));
                    if round.answers[number].is_none() {
                        against.insert(stage);
                    } else if !Self::names_it(round, number, one) {
                        against.insert(format!("{stage} (round {})", round.number));
                        if Self::is_predicate(advisor) && removed.is_some() {
                            vetoed_by.insert(number);
                        }
                    }
                }
            }
            if let Some(round) = removed {
                match (round.vetoed.contains(&one), Self::needed(round, one)) {
                    (true, _) => against.insert("Rounds: vetoed".to_owned()),
                    (false, Some(needed)) => against.insert(format!("Rounds: {needed}")),
                    (false, None) => against.insert("Rounds".to_owned()),
                };
            }
            if self.replicas() == Some(0) {
                against.insert("Replicas".to_owned());
            }
            let chosen = !waiting
                && end.is_some_and(|end| end.removed.is_empty() && end.recommended.contains(&one));
            if !chosen && !waiting && (seen.is_none() || removed.is_some()) {
                against.extend(self.later(one, removed, &mut vetoed_by));
            }
            match (seen, waiting) {
                (None, _) | (_, true) => {
                    against.insert("Decision (idle)".to_owned());
                }
                _ if chosen => {}
                _ if removed.is_some() => {
                    against.insert("Decision (idle)".to_owned());
                }
                _ => {
                    against.insert("Decision".to_owned());
                }
            }
            fates.insert(own, (!chosen).then_some(against));
        }
        fates
    }

    /// What the rounds from the one that removed it would hold against it, had it stayed.
    fn later(&self, one: usize, removed: Option<&Round>, said: &mut BTreeSet<usize>) -> Reasons {
        let mut against = Reasons::new();
        let rounds = self.rounds(Some(one));
        let from = removed.map_or(1, |removed| removed.number);
        for round in rounds.iter().filter(|round| round.number >= from) {
            let mut silent = false;
            for (advisor, number) in self.advisors.iter().zip(0..) {
                let stage = format!("Advisor {} (round {})", at(advisor, "/name"), round.number);
                if round.answers[number].is_none() {
                    silent = true;
                    against.insert(stage);
                } else if Self::is_predicate(advisor)
                    && !Self::names_it(round, number, one)
                    && !round.answers.contains(&None)
                    && said.insert(number)
                {
                    against.insert(stage);
                }
            }
            if silent {
                return against;
            }
            let rated_out = removed
                .is_some_and(|removed| removed.number == round.number && round.vetoed.is_empty());
            if let Some(needed) = Self::needed(round, one).filter(|_| !rated_out) {
                against.insert(format!("Rounds: {needed}"));
            }
        }
        let priorities = !self.advisors.is_empty() && !self.advisors.iter().any(Self::is_predicate);
        let unheard = |round: &Round| {
            (0..self.advisors.len()).all(|number| !Self::names_it(round, number, one))
        };
        if priorities && rounds.last().is_some_and(unheard) {
            against.insert("Decision".to_owned());
        }
        against
    }
}

fn word(_: &Candidate, verdict: &Verdict) -> String {
    let asked = verdict.asked.as_deref().unwrap_or("");
    match verdict.stage.as_str() {
        "Rounds" if verdict.reason.starts_with("vetoed") => keyed(verdict, "vetoed"),
        "Rounds" => keyed(verdict, asked),
        _ => keyed(verdict, ""),
    }
}

#[test]
fn objects_lose_for_what_the_specification_says() {
    let mut lost = 0;
    let mut states: BTreeMap<bool, usize> = BTreeMap::new();
    for seed in 0..200 {
        let documents = site(&mut Dice(seed));
        let fates = Oracle::new(&documents).fates();
        let found = super::with_plan(&documents, |plan| {
            let trials = again::trials_of_rules(&plan.site.hybrid);
            let runner = &mut NoCommands;
            let why = planner::hybrid::why::why(&trials, "app", None, runner).unwrap();
            *states.entry(why.placed).or_default() += 1;
            super::hold_all(&documents, &why, &fates, word)
        });
        lost += found.unwrap_or(0);
    }
    assert!(lost > 400 && states.len() == 2, "{lost} {states:?}");
}
