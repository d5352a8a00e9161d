//! What `risk --remedies` says can be done: written into the documents it holds, moves what it says
//! today, and no part of it would do.

mod cases;
mod sites;

use std::collections::BTreeSet;

use crate::support::altered::{apply, settings};
use crate::support::random::Dice;
use crate::support::whole::piped;
use planner::diff::{Decisions, between, decisions};
use planner::options::Options;
use planner::plan::{self, Assignment, Plan};
use planner::risk::{self, Class, Loss, Risk};
use planner::why::Change;
use planner::{load, remedies, site};
use serde_json::Value;

fn text(documents: &[Value]) -> String {
    let all: Vec<String> = documents
        .iter()
        .map(|document| serde_yaml::to_string(document).unwrap())
        .collect();
    all.join("---\n")
}

/// Reads, checks and plans documents from nothing; nothing where they are refused.
fn planned<R>(documents: &[Value], ask: impl FnOnce(&Plan<'_, '_>) -> R) -> Option<R> {
    let loaded = load::open(&piped(text(documents))).unwrap();
    let settings = settings();
    let checked = site::check(&loaded, &settings);
    let plan = plan::make(&checked, &Options::default());
    (!plan.refused()).then(|| ask(&plan))
}

fn assessed(plan: &Plan<'_, '_>) -> Risk {
    let things = risk::things(plan);
    risk::assess(
        plan,
        &things,
        risk::AtATime::One,
        &Options::default(),
        &|| (),
    )
}

/// Every loss, what has no place before any, and every decision.
struct Told {
    risk: Risk,
    decisions: Decisions,
}

fn told(documents: &[Value]) -> Option<Told> {
    planned(documents, |plan| Told {
        risk: assessed(plan),
        decisions: decisions(plan),
    })
}

fn with(documents: &[Value], edits: &[Change]) -> Vec<Value> {
    let mut changed = documents.to_vec();
    edits.iter().for_each(|edit| apply(&mut changed, edit));
    changed
}

fn same<'r>(risk: &'r Risk, loss: &Loss) -> &'r Loss {
    let mut losses = risk.losses.iter();
    losses.find(|one| one.lost == loss.lost).unwrap()
}

/// Whether a loss is survived with edits, and nothing loses its place today.
fn holds(documents: &[Value], before: &Told, loss: &Loss, edits: &[Change]) -> bool {
    told(&with(documents, edits)).is_some_and(|after| {
        let least = match loss.class {
            Class::Fatal | Class::Unplaceable => Class::Volumes,
            _ => Class::Fewer,
        };
        let now = same(&after.risk, loss);
        is_calm(before, &after) && now.is_survived() && now.class >= least
    })
}

/// Whether nothing has lost its place.
fn is_calm(before: &Told, after: &Told) -> bool {
    let has = |decided: Option<&Assignment>| match decided {
        None | Some(Assignment::Cluster(None)) => false,
        Some(Assignment::Decisions(names)) => !names.is_empty(),
        Some(_) => true,
    };
    let mut placed = before.decisions.iter().filter(|(_, was)| has(Some(was)));
    let failed = |told: &Told| -> BTreeSet<(String, String)> {
        let named = |one: &risk::Today| {
            let names = one.subjects.iter().cloned();
            let names = names.map(|name| (one.system.to_string(), name));
            names.collect::<Vec<_>>()
        };
        told.risk.today.iter().flat_map(named).collect()
    };
    placed.all(|(subject, _)| has(after.decisions.get(subject)))
        && failed(after).is_subset(&failed(before))
}

/// What cannot be lost, by kind and name.
fn left(risk: &Risk) -> BTreeSet<(&str, &str)> {
    let left = risk.losses.iter().filter(|loss| !loss.is_survived());
    left.map(|loss| (&*loss.kind, &*loss.name)).collect()
}

/// How many losses leave something without a place, and for how many of them there is a remedy.
fn hold(documents: &[Value]) -> (usize, usize) {
    let before = told(documents).unwrap_or_else(|| panic!("refused: {}", text(documents)));
    let found = planned(documents, |plan| {
        let found = |jobs: usize| {
            let options = Options {
                jobs,
                ..Options::default()
            };
            let mut found = assessed(plan);
            remedies::find(plan, &mut found, &options, &|| ());
            remedies::together(plan, &mut found, &options);
            found
        };
        let one = found(1);
        assert_eq!(found(3), one);
        one
    });
    let found = found.unwrap();
    let (mut bad, mut helped) = (0, 0);
    for loss in &found.losses {
        assert_eq!(loss.hurts(), loss.remedies.is_some());
        let Some(remedies) = &loss.remedies else {
            continue;
        };
        if !loss.is_survived() {
            bad += 1;
            helped += usize::from(!remedies.sets.is_empty());
        }
        assert!(!remedies.stopped, "{loss:#?}");
        let order = remedies.sets.iter().map(|set| {
            let class = std::cmp::Reverse(set.class);
            (set.is_observed(), set.moves_today > 0, class)
        });
        assert!(order.is_sorted());
        for set in &remedies.sets {
            let say = || format!("{set:#?} of {loss:#?}\n{}", text(documents));
            assert!(holds(documents, &before, loss, &set.edits), "{}", say());
            let after = told(&with(documents, &set.edits)).unwrap();
            assert_eq!(same(&after.risk, loss).class, set.class, "{}", say());
            let moved = between(&before.decisions, &after.decisions).moves.len();
            assert_eq!(moved, set.moves_today, "{}", say());
            for left in set.edits.iter().filter(|_| set.edits.len() > 1) {
                let mut rest = set.edits.clone();
                rest.retain(|edit| edit != left);
                assert!(!holds(documents, &before, loss, &rest), "{}", say());
            }
        }
    }
    // All of them at once, kind by kind.
    let mut edits: Vec<Change> = Vec::new();
    for one in &found.together {
        let say = || format!("{one:#?}\n{}", text(documents));
        edits.extend(one.edits.iter().cloned());
        let after = told(&with(documents, &edits)).unwrap();
        assert!(is_calm(&before, &after), "{}", say());
        let left_with = left(&after.risk);
        let of_kind = left_with.iter().filter(|(kind, _)| *kind == one.kind);
        let names: BTreeSet<&str> = of_kind.map(|(_, name)| *name).collect();
        let said: BTreeSet<&str> = one.left.iter().map(String::as_str).collect();
        assert_eq!(names, said, "{}", say());
        let moved = between(&before.decisions, &after.decisions).moves.len();
        assert_eq!(moved, one.moves_today, "{}", say());
        // Each of them is needed.
        for edit in &one.edits {
            let mut fewer = edits.clone();
            fewer.retain(|other| other != edit);
            let enough = told(&with(documents, &fewer)).is_some_and(|fewer| {
                is_calm(&before, &fewer) && left(&fewer.risk).is_subset(&left_with)
            });
            assert!(!enough, "{edit:#?} of {}", say());
        }
    }
    (bad, helped)
}

/// All random sites of a system; at least six of ten losses that leave something without a place
/// have a remedy.
fn all(make: fn(&mut Dice) -> Vec<Value>, sites: u64, least: usize) {
    let (mut bad, mut helped) = (0, 0);
    for seed in 0..sites {
        let (more, with) = hold(&make(&mut Dice(seed)));
        bad += more;
        helped += with;
    }
    assert!(bad >= least, "{bad}");
    assert!(helped * 10 >= bad * 6, "{helped} of {bad}");
}

#[test]
fn applications_have_a_place_with_the_remedies() {
    all(sites::packages, 12, 10);
}

#[test]
fn placements_have_clusters_with_the_remedies() {
    all(sites::hub, 12, 10);
}

#[test]
fn rules_decide_with_the_remedies() {
    all(sites::rules, 24, 10);
}

#[test]
fn deployments_end_well_with_the_remedies() {
    all(sites::strategy, 12, 10);
    // What was chosen first for all losses is needless with what came later.
    hold(&sites::strategy(&mut Dice(58)));
}

#[test]
fn regions_have_room_with_the_remedies() {
    all(sites::regions, 40, 8);
}
