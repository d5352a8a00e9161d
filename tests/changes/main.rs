//! What `why` says would have to change: applied to the documents it does get the candidate chosen,
//! and nothing smaller of what was offered does.
#![allow(clippy::unwrap_used, reason = "what a test prepares must be there")]

mod cases;
mod smallest;
#[path = "../support/mod.rs"]
mod support;

use planner::changes::{Base, Question, texts};
use planner::document::System;
use planner::load;
use planner::options::{CheckOptions, Options};
use planner::plan;
use planner::render::json as written;
use planner::repair::May;
use planner::site;
use serde_json::{Value, json};
use support::altered::apply;
use support::random::{Dice, hub, packages, rules, strategy};
use support::whole::piped;

pub(crate) fn text(documents: &[Value]) -> String {
    let yaml = |document: &Value| serde_yaml::to_string(document).unwrap();
    let all: Vec<String> = documents.iter().map(yaml).collect();
    all.join("---\n")
}

fn plan_of(documents: &[Value]) -> Option<Value> {
    plan_of_text(&text(documents))
}

fn plan_of_text(text: &str) -> Option<Value> {
    let loaded = load::open(&piped(text)).unwrap();
    let settings = CheckOptions::at(support::NOW.parse().unwrap());
    let checked = site::check(&loaded, &settings);
    let options = Options::default();
    let plan = plan::make(&checked, &options);
    if plan.refused() {
        return None;
    }
    let found = checked.report(&[&plan.findings]);
    let answer = written::PlanAnswer::new(&plan, &found, &loaded.sources);
    serde_json::to_value(answer).ok()
}

/// Whether the plan's JSON has the candidate chosen.
pub(crate) fn is_chosen(plan: &Value, system: System, subject: &str, candidate: &str) -> bool {
    let holds = |list: &Value, name: &str| {
        list.as_array()
            .is_some_and(|list| list.iter().any(|one| one == name))
    };
    let (first, second) = subject.split_once('/').unwrap_or((subject, ""));
    let mut items = match system {
        System::Ocm => plan["placements"].as_array(),
        System::Ogc => plan["applications"].as_array(),
        System::Hybrid => plan["placementRules"].as_array(),
        System::Airship => plan["deploymentStrategy"]["groups"].as_array(),
        System::Senlin => plan["regionPlacements"].as_array(),
    }
    .into_iter()
    .flatten();
    items.any(|item| match system {
        System::Ocm => {
            item["namespace"] == first
                && item["name"] == second
                && holds(&item["decisions"], candidate)
        }
        System::Ogc => {
            item["package"] == first
                && item["application"] == second
                && item["cluster"] == candidate
        }
        System::Hybrid => {
            item["name"] == subject
                && holds(&item["decisions"], &format!("ManagedCluster/{candidate}"))
        }
        System::Airship => item["name"] == subject && holds(&item["nodes"], candidate),
        System::Senlin => {
            let data = &item["data"];
            let regions = |entry: &str| data[entry]["regions"].get(candidate).is_some();
            data["status"] == "OK" && (regions("creation") || regions("deletion"))
        }
    })
}

/// A site of these documents, to ask about.
fn with_base<R>(documents: &[Value], ask: impl FnOnce(&Base<'_, '_>) -> R) -> R {
    let loaded = load::open(&piped(text(documents))).unwrap();
    let settings = CheckOptions::at(support::NOW.parse().unwrap());
    let site = site::check(&loaded, &settings);
    let options = Options::default();
    ask(&Base {
        site: &site,
        options: &options,
    })
}

/// Asks about every candidate of a subject; gives how many sets were told.
fn hold(documents: &[Value], system: System, subject: &str, candidates: &[&str]) -> usize {
    with_base(documents, |base| {
        held(base, documents, system, subject, candidates)
    })
}

fn held(
    base: &Base<'_, '_>,
    documents: &[Value],
    system: System,
    subject: &str,
    candidates: &[&str],
) -> usize {
    let checked = base.site;
    assert!(!checked.findings.refused(), "{}", text(documents));
    let before = plan_of(documents).unwrap();
    let mut told = 0;
    for candidate in candidates {
        let question = Question {
            system,
            subject: if system == System::Senlin {
                "<stdin>"
            } else {
                subject
            },
            candidate,
            edits: 2,
            may: May::Both,
        };
        let was = is_chosen(&before, system, subject, candidate);
        let Some(found) = base.changes(&question) else {
            assert!(was, "{subject} {candidate}: {}", text(documents));
            continue;
        };
        assert!(!was, "{subject} {candidate}: {}", text(documents));
        assert!(!found.stopped);
        assert_eq!(found.sets.is_empty(), found.none_up_to.is_some());
        for set in &found.sets {
            told += 1;
            let mut changed = documents.to_vec();
            set.iter().for_each(|change| apply(&mut changed, change));
            let after = plan_of(&changed);
            let chosen = after.is_some_and(|plan| is_chosen(&plan, system, subject, candidate));
            assert!(
                chosen,
                "{subject} {candidate}: {set:#?}\n{}",
                text(documents)
            );
            // The same holds of the file with the difference that is shown.
            if let Some(files) = texts(checked, set) {
                let [(_, _, after)] = files.try_into().unwrap();
                let chosen = plan_of_text(&after)
                    .is_some_and(|plan| is_chosen(&plan, system, subject, candidate));
                assert!(chosen, "{subject} {candidate}: {set:#?}\n{after}");
            }
            // No part of a set is enough.
            for left in set.iter().filter(|_| set.len() > 1) {
                let mut changed = documents.to_vec();
                let rest = set.iter().filter(|one| *one != left);
                rest.for_each(|change| apply(&mut changed, change));
                let after = plan_of(&changed);
                let chosen = after.is_some_and(|plan| is_chosen(&plan, system, subject, candidate));
                assert!(
                    !chosen,
                    "{subject} {candidate}: {set:#?}\n{}",
                    text(documents)
                );
            }
        }
    }
    told
}

#[test]
fn clusters_are_decided_with_the_changes() {
    let mut told = 0;
    for seed in 0..25 {
        let documents = hub(&mut Dice(seed));
        told += hold(&documents, System::Ocm, "ns/p", &["c0", "c1", "c2", "c3"]);
    }
    assert!(told > 40, "{told}");
}

#[test]
fn applications_go_there_with_the_changes() {
    let mut told = 0;
    for seed in 0..25 {
        let documents = packages(&mut Dice(seed));
        told += hold(&documents, System::Ogc, "p/a", &["c0", "c1", "c2", "c3"]);
    }
    assert!(told > 40, "{told}");
}

#[test]
fn objects_are_decided_with_the_changes() {
    let mut told = 0;
    for seed in 0..25 {
        let documents = rules(&mut Dice(seed));
        told += hold(&documents, System::Hybrid, "app", &["c0", "c1", "c2", "c3"]);
    }
    assert!(told > 40, "{told}");
}

#[test]
fn nodes_are_in_the_group_with_the_changes() {
    let mut told = 0;
    for seed in 0..20 {
        let documents = strategy(&mut Dice(seed));
        told += hold(&documents, System::Airship, "g", &["n0", "n1", "n2"]);
    }
    assert!(told > 20, "{told}");
}

pub(crate) fn regions(dice: &mut Dice) -> Vec<Value> {
    let mut list = Vec::new();
    for name in ["A", "B", "C"] {
        let mut region = json!({"name": name, "weight": dice.roll(5) * 10 + 1});
        if dice.roll(2) == 0 {
            region["cap"] = json!(dice.roll(4));
        }
        list.push(region);
    }
    let mut known = vec!["A", "B"];
    if dice.roll(2) == 0 {
        known.push("C");
    }
    let action = match dice.roll(3) {
        0 => json!({"action": "CLUSTER_SCALE_OUT", "inputs": {"count": dice.roll(4)}}),
        1 => json!({"action": "CLUSTER_SCALE_IN", "inputs": {"count": dice.roll(4)}}),
        _ => json!({"action": "CLUSTER_RESIZE", "inputs":
            {"adjustment_type": "CHANGE_IN_CAPACITY", "number": dice.roll(5)}}),
    };
    vec![
        json!({"type": "senlin.policy.region_placement", "version": "1.0", "properties": {"regions": list}}),
        json!({"type": "senlin.cluster", "version": "1.0", "properties": {"name": "c", "max_size": 8,
            "known_regions": known, "node_counts": {"A": dice.roll(4), "B": dice.roll(4)}}}),
        json!({"type": "senlin.action", "version": "1.0", "properties": action}),
    ]
}

#[test]
fn regions_get_nodes_with_the_changes() {
    let mut told = 0;
    for seed in 0..25 {
        let documents = regions(&mut Dice(seed));
        told += hold(&documents, System::Senlin, "<stdin>", &["A", "B", "C"]);
    }
    assert!(told > 20, "{told}");
}
