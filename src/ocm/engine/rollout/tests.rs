//! Rollouts over three groups.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::proptest;

use super::*;
use crate::ocm::model::IntOrText;

/// The waves by taking every step.
fn stepwise<'a>(groups: &Groups<'a>, strategy: &Strategy<'_>) -> Vec<Vec<&'a str>> {
    let mut known: Vec<State<'a>> = Vec::new();
    let mut waves = Vec::new();
    loop {
        let step = step(groups, strategy, &known, 0).unwrap();
        let wave: Vec<&str> = step.starting().collect();
        if wave.is_empty() {
            return waves;
        }
        known.extend(wave.iter().map(|cluster| State {
            cluster,
            status: Status::Succeeded,
            since: Some(-1_000_000),
            recheck: None,
        }));
        waves.push(wave);
    }
}

fn three_groups() -> Groups<'static> {
    [
        ((0, "canary"), BTreeSet::from(["c1", "c7"])),
        ((1, ""), BTreeSet::from(["c2", "c3", "c4"])),
        ((2, ""), BTreeSet::from(["c5", "c6"])),
    ]
    .into()
}

#[test]
fn waves_are_what_the_steps_give() {
    let groups = three_groups();
    for kind in [
        StrategyKind::All,
        StrategyKind::Progressive,
        StrategyKind::ProgressivePerGroup,
    ] {
        for mandatory in [
            vec![],
            vec![MandatoryGroup {
                name: "canary",
                index: 0,
            }],
            vec![
                MandatoryGroup { name: "", index: 2 },
                MandatoryGroup {
                    name: "nope",
                    index: 0,
                },
            ],
        ] {
            for max_concurrency in [None, Some(IntOrText::Int(2)), Some(IntOrText::Text("25%"))] {
                let strategy = Strategy {
                    kind,
                    max_concurrency,
                    mandatory: mandatory.clone(),
                    min_success_nanos: 1_000,
                    ..Strategy::default()
                };
                assert_eq!(waves(&groups, &strategy), Ok(stepwise(&groups, &strategy)));
            }
        }
    }
}

#[test]
fn runs_end() {
    let groups = three_groups();
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let strategy = |max_failures, deadline| Strategy {
        kind: StrategyKind::Progressive,
        max_concurrency: Some(IntOrText::Int(2)),
        max_failures,
        progress_deadline: deadline,
        min_success_nanos: 60_000_000_000,
        ..Strategy::default()
    };
    let ending = |strategy: &Strategy<'_>, failing: &[&str], hanging: &[&str]| {
        let faults = Faults {
            failing: failing.iter().copied().collect(),
            hanging: hanging.iter().copied().collect(),
        };
        let begin = Beginning::default();
        let run = run(&groups, strategy, begin, now, &faults);
        run.unwrap().ending
    };
    assert_eq!(ending(&strategy(None, ""), &[], &[]), Ending::Completed);
    assert_eq!(ending(&strategy(None, ""), &["c3"], &[]), Ending::Breached);
    let one = Some(IntOrText::Int(1));
    assert_eq!(
        ending(&strategy(one, "10m"), &["c3"], &[]),
        Ending::Completed
    );
    assert_eq!(ending(&strategy(one, ""), &["c3"], &["c4"]), Ending::Stuck);
    assert_eq!(
        ending(&strategy(one, "10m"), &["c3"], &["c4"]),
        Ending::Breached
    );
}

/// A run whose every step is told everything: the states after each step, from a clean start.
fn told_everything<'a>(
    groups: &Groups<'a>,
    strategy: &Strategy<'_>,
    steps: &[RunStep<'a>],
    status: impl Fn(&str) -> Status,
) {
    let mut known: Vec<State<'a>> = Vec::new();
    for taken in steps {
        let answer = step(groups, strategy, &known, taken.now).unwrap();
        assert_eq!(answer, taken.step, "{strategy:?} {known:?}");
        let started: Vec<&str> = answer.starting().collect();
        assert_eq!(started, taken.started);
        for cluster in started {
            if known.iter().all(|state| state.cluster != cluster) {
                known.push(State {
                    cluster,
                    status: status(cluster),
                    since: Some(taken.now),
                    recheck: None,
                });
            }
        }
    }
}

const NAMES: [&str; 8] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

proptest! {
    #[test]
    fn steps_of_a_run_leave_out_nothing(
        (of_group, gap, kind, window) in (vec(0..4usize, 8), 0..3i64, 0..3usize, 0..4i64),
        (failures, soak, deadline, first) in (0..3i64, 0..3usize, 0..2usize, 0..6i64),
        fate in vec(0..4usize, 8),
    ) {
        let mut groups = Groups::new();
        for (cluster, group) in NAMES.into_iter().zip(&of_group) {
            let index = *group as i64 + i64::from(*group as i64 >= gap && gap > 0);
            let group: &mut BTreeSet<&str> = groups.entry((index, "")).or_default();
            group.insert(cluster);
        }
        let of = |number: i64| (number > 0).then_some(IntOrText::Int(number));
        let kinds = [
            StrategyKind::All,
            StrategyKind::Progressive,
            StrategyKind::ProgressivePerGroup,
        ];
        let first = (first < 3).then_some(MandatoryGroup { name: "", index: first });
        let strategy = Strategy {
            kind: kinds[kind],
            max_concurrency: of(window),
            max_failures: of(failures),
            min_success_nanos: [0, 60_000_000_000, i64::MAX][soak],
            progress_deadline: ["", "2m"][deadline],
            mandatory: first.into_iter().collect(),
            ..Strategy::default()
        };
        let those = |fated: usize| -> BTreeSet<&str> {
            let with = NAMES.into_iter().zip(&fate);
            with.filter(|(_, fate)| **fate == fated).map(|(name, _)| name).collect()
        };
        let (failing, hanging) = (those(0), those(1));
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let faults = Faults { failing, hanging };
        let begin = Beginning::default();
        if let Ok(run) = run(&groups, &strategy, begin, now, &faults) {
            let Faults { failing, hanging } = &faults;
            told_everything(&groups, &strategy, &run.steps, |cluster| {
                match (failing.contains(cluster), hanging.contains(cluster)) {
                    (true, _) => Status::Failed,
                    (_, true) => Status::Progressing,
                    _ => Status::Succeeded,
                }
            });
        }
    }
}

/// A decision group 1 without a group 0 is behind a gap: no cluster of it is ever known.
#[test]
fn a_mandatory_group_behind_a_gap_gets_stuck() {
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let groups: Groups<'_> = [((1, "late"), BTreeSet::from(["c1", "c2"]))].into();
    for kind in [StrategyKind::Progressive, StrategyKind::ProgressivePerGroup] {
        for (name, soak) in [("late", 0), ("", 60_000_000_000)] {
            let strategy = Strategy {
                kind,
                mandatory: vec![MandatoryGroup { name, index: 1 }],
                min_success_nanos: soak,
                ..Strategy::default()
            };
            let (begin, none) = (Beginning::default(), Faults::default());
            let run = run(&groups, &strategy, begin, now, &none).unwrap();
            assert_eq!(run.ending, Ending::Stuck);
            assert_eq!(run.steps.len(), 2, "{run:#?}");
        }
    }
}

/// Clusters taken by other placements come last in the window, and hold the group they are in.
#[test]
fn silent_clusters_are_started_last_and_hold_their_group() {
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let groups: Groups<'_> = [
        ((0, ""), BTreeSet::from(["c1", "c2", "c3"])),
        ((1, ""), BTreeSet::from(["c4"])),
    ]
    .into();
    let begin = || Beginning {
        known: Vec::new(),
        silent: BTreeSet::from(["c1"]),
    };
    let run = |kind| {
        let strategy = Strategy {
            kind,
            max_concurrency: Some(IntOrText::Int(2)),
            ..Strategy::default()
        };
        run(&groups, &strategy, begin(), now, &Faults::default()).unwrap()
    };
    let started = |run: &SimulatedRollout<'static>| -> Vec<Vec<&str>> {
        let steps = run.steps.iter().map(|step| step.started.clone());
        steps.filter(|started| !started.is_empty()).collect()
    };
    let progressive = run(StrategyKind::Progressive);
    assert_eq!(started(&progressive), [vec!["c2", "c3"], vec!["c4"]]);
    assert_eq!(progressive.ending, Ending::Completed);
    let per_group = run(StrategyKind::ProgressivePerGroup);
    assert_eq!(started(&per_group), [vec!["c2", "c3"]]);
    assert_eq!(per_group.ending, Ending::Stuck);
}

/// Without a time, success soaks for ever: it takes a place in the window, and the run ends.
#[test]
fn success_without_a_time_soaks_for_ever() {
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let groups: Groups<'_> = [((0, ""), BTreeSet::from(["c1", "c2", "c3"]))].into();
    let state = |cluster, status| State {
        cluster,
        status,
        since: None,
        recheck: None,
    };
    let begin = Beginning {
        known: vec![
            state("c1", Status::Succeeded),
            state("c2", Status::ToApply),
            state("c3", Status::ToApply),
        ],
        silent: BTreeSet::new(),
    };
    let ending = |concurrency| {
        let strategy = Strategy {
            kind: StrategyKind::Progressive,
            max_concurrency: Some(IntOrText::Int(concurrency)),
            min_success_nanos: 60_000_000_000,
            ..Strategy::default()
        };
        let run = run(&groups, &strategy, begin.clone(), now, &Faults::default());
        run.unwrap().ending
    };
    assert_eq!(ending(1), Ending::Stuck);
    assert_eq!(ending(2), Ending::Completed);
}
