//! The engine against small cases and against a plain restatement of it.

mod losses;

use std::borrow::Cow;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::super::model::*;
use super::*;
use crate::kit::selector::{LabelSelector, Requirement, Selector, Test};

fn cluster(name: &str) -> Object<'_> {
    Object {
        api_version: CLUSTER_API,
        kind: CLUSTER_KIND,
        name,
        ..Object::default()
    }
}

fn inventory<'a>(objects: impl IntoIterator<Item = Object<'a>>) -> Inventory<'a> {
    let mut stock = Stock::default();
    for object in objects {
        stock.add(object, [], []);
    }
    stock.inventory()
}

fn named(name: &str) -> Reference<'_> {
    Reference {
        name,
        ..Reference::default()
    }
}

fn list<'a>(votes: &[(&'a str, Option<i64>)]) -> Vec<Recommendation<'a>> {
    let entries = votes.iter().map(|&(name, score)| Recommendation {
        target: named(name),
        score,
    });
    entries.collect()
}

fn advisor<'a>(name: &'a str, role: Role, weight: i64, source: Source<'a>) -> Advisor<'a> {
    Advisor {
        name,
        role,
        weight,
        source,
        rules_json: String::new(),
        place: Place::default(),
    }
}

fn planned(model: &Model<'_>) -> RuleOutcome {
    plan(
        model,
        &model.placement_rules,
        Keep::All,
        &mut NoCommands,
        &Progress::default(),
    )
    .remove(0)
}

fn names<'a>(model: &Model<'a>, ids: &[ObjectId]) -> Vec<&'a str> {
    ids.iter()
        .map(|&id| model.inventory.object(id).name)
        .collect()
}

fn model<'a>(names: &[&'a str], rule: PlacementRule<'a>) -> Model<'a> {
    Model {
        inventory: inventory(names.iter().map(|name| cluster(name))),
        placement_rules: vec![rule],
        ..Model::default()
    }
}

#[test]
fn the_example_of_the_specification_rates_52() {
    let a = Source::Status(list(&[("a", Some(20)), ("b", Some(90))]));
    let b = Source::Status(list(&[("a", Some(80))]));
    let rule = PlacementRule {
        replicas: Some(1),
        advisors: vec![
            advisor("advisor-a", Role::Priority, 60, a),
            advisor("advisor-b", Role::Priority, 50, b),
        ],
        ..PlacementRule::default()
    };
    let outcome = planned(&model(&["a", "b"], rule));
    assert_eq!(outcome.rounds[0].ratings, [(0, 5200), (1, 5400)]);
    assert_eq!(outcome.rounds[0].removed, [0]);
    assert_eq!(outcome.decisions, [Decision::Object(1)]);
}

#[test]
fn a_removal_moves_who_lost_the_slot() {
    let votes = [
        ("a", Some(5)),
        ("b", Some(3)),
        ("c", Some(3)),
        ("d", Some(1)),
    ];
    let rule = PlacementRule {
        replicas: Some(2),
        advisors: vec![advisor(
            "s",
            Role::Priority,
            100,
            Source::Status(list(&votes)),
        )],
        ..PlacementRule::default()
    };
    let model = model(&["a", "b", "c", "d"], rule);
    let outcome = planned(&model);
    assert_eq!(
        names(&model, &outcome.rounds[1].candidates),
        ["a", "c", "b"]
    );
    assert_eq!(names(&model, &outcome.eliminators), ["d", "c"]);
    assert_eq!(names(&model, &outcome.candidates), ["a", "b"]);
}

#[test]
fn advisors_of_one_name_share_an_answer_and_each_counts() {
    let answer = Source::Status(list(&[("b", Some(50))]));
    let rule = PlacementRule {
        replicas: Some(0),
        advisors: vec![
            advisor("s", Role::Priority, 60, answer),
            advisor("s", Role::Predicate, 40, Source::Silent),
        ],
        ..PlacementRule::default()
    };
    let outcome = planned(&model(&["a", "b"], rule));
    assert_eq!(outcome.rounds[0].ratings, [(0, 0), (1, 5000)]);
    assert_eq!(outcome.rounds[0].vetoed, [0]);
    assert_eq!(outcome.rounds[0].recommendations.len(), 1);
}

#[test]
fn an_answer_that_fits_several_candidates_is_none() {
    let mut twin = cluster("a");
    twin.namespace = "n";
    twin.kind = "VirtualMachine";
    let rule = PlacementRule {
        advisors: vec![advisor(
            "s",
            Role::Priority,
            1,
            Source::Status(list(&[("a", None)])),
        )],
        candidates: vec![0, 1],
        ..PlacementRule::default()
    };
    let model = Model {
        inventory: inventory([twin, cluster("a")]),
        candidates_from_status: true,
        placement_rules: vec![rule],
        ..Model::default()
    };
    let outcome = planned(&model);
    assert_eq!(outcome.state, State::Waiting);
    assert_eq!(outcome.rounds[0].waiting_for, [0]);
    assert!(matches!(&outcome.findings[..], [Finding::Ambiguous { fits, .. }] if fits.len() == 2));
}

#[test]
fn of_many_rounds_the_ends_are_kept() {
    let clusters: Vec<String> = (0..14).map(|n| format!("c{n:02}")).collect();
    let clusters: Vec<&str> = clusters.iter().map(String::as_str).collect();
    let rule = PlacementRule {
        replicas: Some(1),
        ..PlacementRule::default()
    };
    let model = model(&clusters, rule);
    let kept = |keep| {
        let outcome = plan(
            &model,
            &model.placement_rules,
            keep,
            &mut NoCommands,
            &Progress::default(),
        )
        .remove(0);
        assert_eq!(outcome.round_count, 14);
        let numbers = outcome.rounds.iter().map(|round| round.number);
        numbers.collect::<Vec<_>>()
    };
    assert_eq!(kept(Keep::Last), [14]);
    assert_eq!(kept(Keep::Ends), [1, 2, 3, 12, 13, 14]);
    assert_eq!(kept(Keep::All), (1..15).collect::<Vec<_>>());
}

#[test]
fn an_equal_set_keeps_the_old_order() {
    let rule = PlacementRule {
        decisions: vec![named("b"), named("a")],
        ..PlacementRule::default()
    };
    let outcome = planned(&model(&["a", "b"], rule));
    assert!(!outcome.changed);
    assert_eq!(
        outcome.decisions,
        [Decision::Object(1), Decision::Object(0)]
    );
}

#[test]
fn the_hub_stands_in_only_where_nothing_is_asked() {
    let outcome = planned(&model(&[], PlacementRule::default()));
    assert_eq!(outcome.state, State::HubDefault);
    assert!(outcome.changed);
    let again = PlacementRule {
        decisions: vec![named(HUB)],
        ..PlacementRule::default()
    };
    assert!(!planned(&model(&[], again)).changed);
    let asked = PlacementRule {
        targets: vec![named("x")],
        decisions: vec![named("gone")],
        ..PlacementRule::default()
    };
    let outcome = planned(&model(&[], asked));
    assert_eq!(outcome.state, State::NoCandidates);
    assert!(outcome.changed && outcome.decisions.is_empty());
}

#[test]
fn labels_are_matched_from_the_index() {
    let expressions = [("env", "NotIn", vec!["prod"]), ("zone", "Exists", vec![])];
    let selector = LabelSelector {
        match_labels: Vec::new(),
        match_expressions: expressions
            .into_iter()
            .map(|(key, operator, values)| crate::kit::selector::Expression {
                key,
                operator,
                values,
            })
            .collect(),
    };
    let clusters = [
        ("a", vec![("env", "prod"), ("zone", "1")]),
        ("b", vec![("zone", "2")]),
        ("c", vec![("env", "dev")]),
        ("d", vec![("env", "dev"), ("zone", "")]),
    ];
    let mut stock = Stock::default();
    for (name, labels) in clusters {
        stock.add(cluster(name), labels, []);
    }
    let model = Model {
        inventory: stock.inventory(),
        placement_rules: vec![PlacementRule {
            labels: Some(selector.compile().unwrap()),
            ..PlacementRule::default()
        }],
        ..Model::default()
    };
    let outcome = planned(&model);
    assert_eq!(names(&model, &outcome.candidates), ["b", "d"]);
}

fn answer<'r, 'a>(advisor: &'r Advisor<'a>) -> &'r [Recommendation<'a>] {
    match &advisor.source {
        Source::Status(list) => list,
        _ => unreachable!(),
    }
}

/// Rounds, ratings and removal restated simply, over names and static answers.
fn oracle(rule: &PlacementRule<'_>, mut candidates: Vec<String>) -> (Vec<String>, Vec<String>) {
    let existing: Vec<&str> = rule.decisions.iter().map(|d| d.name).collect();
    let mut eliminators = Vec::new();
    loop {
        let says = |a: &Advisor<'_>, c: &str| answer(a).iter().any(|r| r.target.name == c);
        let vetoed = |c: &&String| {
            let mut predicates = rule.advisors.iter().filter(|a| a.role == Role::Predicate);
            predicates.any(|a| !says(a, c))
        };
        let recommended = |c: &&String| {
            let anybody = rule.advisors.is_empty() || rule.advisors.iter().any(|a| says(a, c));
            anybody && !vetoed(c)
        };
        let chosen: Vec<String> = candidates.iter().filter(recommended).cloned().collect();
        if rule.replicas.is_none_or(|k| chosen.len() <= k as usize) {
            return (chosen, eliminators);
        }
        let rating = |c: &str| -> i64 {
            let votes = rule.advisors.iter().flat_map(|a| {
                let list = answer(a).iter().filter(|r| r.target.name == c);
                list.map(|r| r.score.unwrap_or(100) * a.weight)
                    .collect::<Vec<_>>()
            });
            votes.sum::<i64>() + i64::from(existing.contains(&c)) * 100 * rule.decision_weight
        };
        let out: Vec<String> = candidates.iter().filter(vetoed).cloned().collect();
        if !out.is_empty() {
            candidates.retain(|c| !out.contains(c));
            eliminators.extend(out);
            continue;
        }
        let mut slot = candidates.remove(0);
        for candidate in &mut candidates {
            if rating(&slot) > rating(candidate) {
                std::mem::swap(&mut slot, candidate);
            }
        }
        eliminators.push(slot);
    }
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

prop_compose! {
    fn some_advisor()(
        predicate in prop::bool::weighted(0.3),
        weight in -3_i64..4,
        votes in prop::collection::vec((0_usize..6, prop::option::of(0_i64..101)), 0..8),
    ) -> (bool, i64, Vec<(usize, Option<i64>)>) {
        (predicate, weight, votes)
    }
}

proptest! {
    #[test]
    fn static_answers_end_as_the_spec_says(
        advisors in prop::collection::vec(some_advisor(), 0..4),
        replicas in prop::option::of(0_u32..4),
        decision_weight in -2_i64..5,
        existing in prop::collection::vec(0_usize..6, 0..3),
    ) {
        let advisors: Vec<_> = advisors
            .iter()
            .zip(["p", "q", "r", "s"])
            .map(|((predicate, weight, votes), name)| {
                let votes: Vec<_> = votes.iter().map(|&(n, score)| (NAMES[n], score)).collect();
                let role = if *predicate { Role::Predicate } else { Role::Priority };
                advisor(name, role, *weight, Source::Status(list(&votes)))
            })
            .collect();
        let rule = PlacementRule {
            replicas,
            advisors,
            decision_weight,
            decisions: existing.iter().map(|&n| named(NAMES[n])).collect(),
            ..PlacementRule::default()
        };
        let all = NAMES.iter().map(|name| (*name).to_owned()).collect();
        let (chosen, eliminators) = oracle(&rule, all);
        let model = model(&NAMES, rule);
        let outcome = planned(&model);
        prop_assert_eq!(names(&model, &outcome.eliminators), eliminators);
        let decided = outcome.decisions.iter().filter_map(|d| match d {
            Decision::Object(id) => Some(model.inventory.object(*id).name),
            Decision::Hub | Decision::Unknown(_) => None,
        });
        let mut decided: Vec<_> = decided.collect();
        let mut chosen: Vec<_> = chosen.iter().map(String::as_str).collect();
        if !outcome.changed {
            decided.sort_unstable();
            decided.dedup();
            chosen.sort_unstable();
        }
        prop_assert_eq!(decided, chosen);
    }
}

prop_compose! {
    fn some_built_in()(
        kind in 0..5,
        predicate in prop::bool::weighted(0.3),
        weight in -2_i64..4,
        descending in any::<bool>(),
        scored in prop::bool::weighted(0.8),
    ) -> Advisor<'static> {
        let rank = Rank { descending, scored };
        let odd = Requirement { key: "odd", test: Test::Exists };
        let built_in = match kind {
            0 => BuiltIn::Cost { label: "cost", rank },
            1 => BuiltIn::ResourceHint { resource: "cpu", rank },
            2 => BuiltIn::Labels(Selector { requirements: vec![odd] }),
            3 => BuiltIn::Veto(vec![named("c1")]),
            _ => BuiltIn::Alphabet,
        };
        let role = if predicate { Role::Predicate } else { Role::Priority };
        let name = ["cost", "cpu", "odd", "veto", "alphabet"][kind as usize];
        advisor(name, role, weight, Source::BuiltIn(built_in))
    }
}

/// The figures of a round, computed from the whole round.
fn same(round: &Round, spared: Option<ObjectId>) -> Same {
    let rating = |id| round.ratings.iter().find(|one| one.0 == id).unwrap().1;
    let lowest = rating(round.removed[0]);
    let standing = |id| {
        let mut before = round.ratings.iter().take_while(|one| one.0 != id);
        (rating(id), before.any(|one| one.1 == lowest))
    };
    Same {
        number: round.number,
        candidates: round.candidates.len(),
        recommended: round.recommended.len(),
        removed: round.removed[0],
        lowest,
        spared: spared.map(standing),
    }
}

/// A model of clusters, each with its cost, processors and whether it is odd; nothing where 0.
fn with_labels<'t>(
    clusters: &[(u32, u32, bool)],
    names: &'t [String],
    texts: &'t [String],
    rule: PlacementRule<'t>,
) -> Model<'t> {
    let mut stock = Stock::default();
    for (&(cost, cpu, odd), name) in clusters.iter().zip(names) {
        let cost = (cost > 0).then(|| ("cost", &*texts[cost as usize]));
        let odd = odd.then_some(("odd", ""));
        let cpu = (cpu > 0).then(|| ("cpu", Cow::from(&*texts[cpu as usize])));
        stock.add(cluster(name), cost.into_iter().chain(odd), cpu);
    }
    Model {
        inventory: stock.inventory(),
        placement_rules: vec![rule],
        ..Model::default()
    }
}

proptest! {
    #[test]
    fn rounds_end_alike_whichever_are_kept(
        advisors in prop::collection::vec(some_built_in(), 1..4),
        clusters in prop::collection::vec((0_u32..6, 0_u32..4, any::<bool>()), 1..40),
        replicas in 0_u32..5,
        decision_weight in 0_i64..3,
        at_random in any::<u32>(),
    ) {
        let texts: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        let names: Vec<String> = (0..40).map(|number| format!("c{number}")).collect();
        let rule = PlacementRule {
            replicas: Some(replicas),
            advisors,
            decision_weight,
            decisions: vec![named("c0")],
            ..PlacementRule::default()
        };
        let model = with_labels(&clusters, &names, &texts, rule);
        let trials = Trials::new(&model);
        for spared in [None, Some(0), Some(at_random % clusters.len() as u32)] {
            let rule = &model.placement_rules[0];
            let mut whole = Vec::new();
            let outcome = trials.follow(rule, &mut NoCommands, spared, &|_| true, &mut |seen| {
                if let Seen::Whole(round) = seen {
                    whole.push(round.clone());
                }
            });
            let mut numbers = 1..;
            let brief = trials.follow(rule, &mut NoCommands, spared, &|_| false, &mut |seen| {
                let round = &whole[numbers.next().unwrap() - 1];
                match seen {
                    Seen::Whole(seen) => assert_eq!(seen, round),
                    Seen::Same(seen) => assert_eq!(seen, same(round, spared)),
                }
            });
            prop_assert_eq!(numbers.next(), Some(whole.len() + 1));
            prop_assert_eq!(brief, outcome);
        }
        let progress = Progress::default();
        let kept = |keep| {
            plan(&model, &model.placement_rules, keep, &mut NoCommands, &progress).remove(0)
        };
        let all = kept(Keep::All);
        let count = all.rounds.len();
        let ends = match count {
            ..=10 => all.rounds.clone(),
            _ => [&all.rounds[..3], &all.rounds[count - 3..]].concat(),
        };
        let without = |outcome: &RuleOutcome| RuleOutcome { rounds: Vec::new(), ..outcome.clone() };
        for keep in [Keep::Last, Keep::Ends] {
            let outcome = kept(keep);
            prop_assert_eq!(without(&outcome), without(&all));
            if keep == Keep::Ends {
                prop_assert_eq!(outcome.rounds, ends.clone());
            } else if let (Some(own), Some(last)) = (outcome.rounds.last(), all.rounds.last()) {
                prop_assert_eq!(own, last);
            }
        }
    }
}
