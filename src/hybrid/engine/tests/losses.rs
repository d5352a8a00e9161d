//! A predicted loss equals a plan of the rule without the lost objects.

use super::*;
use crate::hybrid::engine::rounds::Fate;

/// An advisor with given answers: one list, none, or a list for each set of candidates.
fn some_given(
    kind: u8,
    predicate: bool,
    weight: i64,
    votes: &[(u8, Option<i64>)],
    names: &'static [String],
) -> Advisor<'static> {
    // A reference without a name fits all.
    let name = |at: u8| names.get(usize::from(at)).map_or("", |name| &**name);
    let votes: Vec<_> = votes
        .iter()
        .map(|(at, score)| (name(*at), *score))
        .collect();
    let role = if predicate {
        Role::Predicate
    } else {
        Role::Priority
    };
    let (name, source) = match kind {
        0 => ("list", Source::Status(list(&votes))),
        1 => ("silent", Source::Silent),
        _ => ("cases", Source::Entry(0)),
    };
    advisor(name, role, weight, source)
}

/// How a rule ends without some objects: its decisions in order, each once.
fn ends_without(model: &Model<'_>, lost: &[ObjectId]) -> (State, Vec<Decision>) {
    let mut planner = super::rounds::Planner::new(model);
    planner.lost.grow(model.inventory.objects().len());
    planner.lost.extend(lost.iter().map(|id| *id as usize));
    let rule = &model.placement_rules[0];
    let anew = planner.plan(rule, Keep::Last, &mut NoCommands, None, None);
    (anew.state, in_order(anew.decisions))
}

fn in_order(mut decisions: Vec<Decision>) -> Vec<Decision> {
    decisions.sort_unstable();
    decisions.dedup();
    decisions
}

/// The same result put together from what a loss reports. A rule without moves has no state.
fn told(was: &RuleOutcome, moved: &[(usize, Moved)]) -> (Option<State>, Vec<Decision>) {
    let [(_, moved)] = moved else {
        assert!(moved.is_empty());
        return (None, in_order(was.decisions.clone()));
    };
    let kept = was
        .decisions
        .iter()
        .filter(|one| !moved.removed.contains(one));
    let now: Vec<Decision> = kept.chain(&moved.added).copied().collect();
    assert_eq!(moved.emptied, now.is_empty() && !was.decisions.is_empty());
    (Some(moved.state), in_order(now))
}

/// Every loss is reported as planning anew has it, with and without single losses known beforehand.
fn loses_exactly(model: &Model<'_>, sets: &[Vec<ObjectId>]) {
    let progress = Progress::default();
    let rules = &model.placement_rules;
    let outcome = plan(model, rules, Keep::Last, &mut NoCommands, &progress);
    let mut losses = Losses::new(model, &outcome);
    for alone in [true, false] {
        let touched = Touched::new(model, &outcome, 0..1, alone);
        for lost in sets {
            let moved = losses.of(&touched, lost);
            let (state, decisions) = told(&outcome[0], &moved);
            let (right, decided) = ends_without(model, lost);
            assert_eq!(decisions, decided, "{lost:?}, {alone}");
            match state {
                Some(state) => assert_eq!(state, right, "{lost:?}, {alone}"),
                None => assert!(outcome[0].state.is_unplaced() || !right.is_unplaced()),
            }
        }
    }
}

proptest! {
    #[test]
    fn without_some_of_its_candidates_a_rule_ends_as_planned_anew(
        advisors in prop::collection::vec(some_built_in(), 0..4),
        given in prop::option::weighted(0.3, (
            0_u8..8, any::<bool>(), -1_i64..4,
            prop::collection::vec((0_u8..81, prop::option::of(0_i64..100)), 0..20),
        )),
        otherwise in any::<bool>(),
        clusters in prop::collection::vec((0_u32..40, 0_u32..9, any::<bool>()), 1..80),
        coarse in 1_u32..20,
        replicas in prop::option::weighted(0.9, 0_u32..12),
        decision_weight in 0_i64..3,
        decided in prop::collection::vec(0..81_usize, 0..6),
        others in prop::collection::vec((0_u32..80, 0_u32..80), 20),
    ) {
        static NAMES: LazyLock<Vec<String>> =
            LazyLock::new(|| (0..80).map(|number| format!("c{number}")).collect());
        let names = &*NAMES;
        let texts: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        let clusters: Vec<_> = clusters
            .iter()
            .map(|(cost, cpu, odd)| (cost / coarse * coarse, *cpu, *odd))
            .collect();
        let given = given.map(|(kind, predicate, weight, votes)| {
            some_given(kind.saturating_sub(5), predicate, weight, &votes, names)
        });
        let mut rule = PlacementRule {
            replicas,
            advisors,
            decision_weight,
            ..PlacementRule::default()
        };
        rule.advisors.extend(given);
        let earlier = |at: &usize| names.get(*at).map_or(Reference::default(), |name| named(name));
        rule.decisions = decided.iter().map(earlier).collect();
        let mut model = with_labels(&clusters, names, &texts, rule);
        let case = (names[..clusters.len()].iter().map(String::as_str), list(&[("c0", None)]));
        let mut case: (Vec<&str>, _) = (case.0.collect(), case.1);
        case.0.sort_unstable();
        model.answers.push(Entry {
            advisor: "cases",
            rule: None,
            place: Place::default(),
            answer: AnswerForm::PerCandidates {
                cases: vec![case],
                otherwise: otherwise.then(|| list(&[("c1", Some(3)), ("c5", None)])),
            },
        });
        let objects = u32::try_from(clusters.len()).unwrap();
        let mut sets: Vec<Vec<ObjectId>> = (0..objects).map(|lost| vec![lost]).collect();
        for (one, other) in others {
            let mut pair = vec![one % objects, other % objects];
            pair.sort_unstable();
            pair.dedup();
            sets.push(pair);
        }
        sets.push((0..objects).collect());
        loses_exactly(&model, &sets);
    }
}
proptest! {
    #[test]
    fn without_one_of_the_best_the_next_has_its_place(
        weights in prop::collection::vec(-1_i64..5, 3),
        descending in any::<bool>(),
        clusters in prop::collection::vec((1_u32..40, 1_u32..40, any::<bool>()), 40..80),
        replicas in 1_u32..5,
    ) {
        let texts: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        let names: Vec<String> = (0..80).map(|number| format!("c{number}")).collect();
        let rank = Rank { descending, scored: false };
        let lists = [
            BuiltIn::Cost { label: "cost", rank },
            BuiltIn::ResourceHint { resource: "cpu", rank },
            BuiltIn::Alphabet,
        ];
        let lists = lists.into_iter().zip(["cost", "cpu", "alphabet"]).zip(weights);
        let rule = PlacementRule {
            replicas: Some(replicas),
            advisors: lists
                .map(|((list, name), weight)| {
                    advisor(name, Role::Priority, weight, Source::BuiltIn(list))
                })
                .collect(),
            ..PlacementRule::default()
        };
        let model = with_labels(&clusters, &names, &texts, rule);
        let objects = u32::try_from(clusters.len()).unwrap();
        let sets: Vec<Vec<ObjectId>> = (0..objects).map(|lost| vec![lost]).collect();
        loses_exactly(&model, &sets);
    }
}

proptest! {
    #[test]
    fn without_one_that_advisors_score_a_rule_ends_as_planned_anew(
        weights in prop::collection::vec(-1_i64..5, 3),
        scores in prop::collection::vec(prop::collection::vec(prop::option::of(0_i64..6), 80), 3),
        left_out in prop::collection::vec(0_usize..80, 0..6),
        twice in 0_usize..80,
        of_all in prop::bool::weighted(0.1),
        predicate in any::<bool>(),
        count in 40_usize..80,
        replicas in 1_u32..5,
        decided in prop::collection::vec(0..80_usize, 0..3),
    ) {
        let names: Vec<String> = (0..80).map(|number| format!("c{number}")).collect();
        let lists = scores.iter().zip(["a", "b", "c"]).zip(weights);
        let advisors = lists.map(|((scores, advised), weight)| {
            let own = names.iter().map(String::as_str).zip(scores.iter().copied());
            let mut votes: Vec<(&str, Option<i64>)> = own.collect();
            votes.push(votes[twice]);
            if advised == "b" {
                let mut at = 0;
                votes.retain(|_| {
                    at += 1;
                    !left_out.contains(&(at - 1))
                });
                if of_all {
                    // It fits every one of them.
                    votes.push(("", None));
                }
            }
            let role = if predicate && advised == "b" { Role::Predicate } else { Role::Priority };
            advisor(advised, role, weight, Source::Status(list(&votes)))
        });
        let rule = PlacementRule {
            replicas: Some(replicas),
            advisors: advisors.collect(),
            decisions: decided.iter().map(|at| named(&names[*at])).collect(),
            ..PlacementRule::default()
        };
        let clusters: Vec<&str> = names[..count].iter().map(String::as_str).collect();
        let model = model(&clusters, rule);
        let objects = u32::try_from(count).unwrap();
        let sets: Vec<Vec<ObjectId>> = (0..objects).map(|lost| vec![lost]).collect();
        loses_exactly(&model, &sets);
    }
}

/// How many of some clusters a rule can lose without being planned anew.
fn lost_at_ease(advisors: Vec<Advisor<'_>>) -> usize {
    let texts: Vec<String> = (0..400).map(|number| number.to_string()).collect();
    let names: Vec<String> = (0..400).map(|number| format!("c{number:03}")).collect();
    let mut stock = Stock::default();
    for (at, name) in names.iter().enumerate() {
        let cost = ("cost", &*texts[1 + at * 97 % 399]);
        stock.add(
            cluster(name),
            [cost],
            [("cpu", Cow::from(&*texts[at * 61 % 80]))],
        );
    }
    let rule = PlacementRule {
        replicas: Some(3),
        advisors,
        ..PlacementRule::default()
    };
    let model = Model {
        inventory: stock.inventory(),
        placement_rules: vec![rule],
        ..Model::default()
    };
    let mut planner = super::rounds::Planner::new(&model);
    let rule = &model.placement_rules[0];
    let each = planner.each(rule);
    let course = planner.course(rule);
    let alike = |lost: ObjectId| course.as_ref().is_some_and(|one| one.kind(lost).is_some());
    let fates = each.initial.iter().zip(&each.fates);
    let at_ease = fates.filter(|(lost, fate)| match fate {
        Fate::Other { late } => *late && alike(**lost),
        Fate::Open | Fate::Same | Fate::Ends(_) => true,
    });
    at_ease.count()
}

#[test]
fn most_losses_do_not_have_a_rule_planned_anew() {
    let built_in = |scored| {
        let rank = |descending| Rank { descending, scored };
        let cost = BuiltIn::Cost {
            label: "cost",
            rank: rank(false),
        };
        let hint = BuiltIn::ResourceHint {
            resource: "cpu",
            rank: rank(true),
        };
        vec![
            advisor("cost", Role::Priority, 100, Source::BuiltIn(cost)),
            advisor("hint", Role::Priority, 50, Source::BuiltIn(hint)),
        ]
    };
    let names: Vec<String> = (0..400).map(|number| format!("c{number:03}")).collect();
    // Very many have the same scores.
    let scored = |name: &'static str, scale: i64| {
        let scores = (0..400).map(|at| Some(at % scale));
        let votes: Vec<_> = names.iter().map(String::as_str).zip(scores).collect();
        advisor(name, Role::Priority, 1, Source::Status(list(&votes)))
    };
    let scored = vec![scored("a", 7), scored("b", 11), scored("c", 13)];
    for advisors in [built_in(true), built_in(false), Vec::new(), scored] {
        let at_ease = lost_at_ease(advisors);
        assert!(at_ease >= 390, "{at_ease}");
    }
}
