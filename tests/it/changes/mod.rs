//! What `why` says would have to change: applied to the documents it does get the candidate chosen,
//! and nothing smaller of what was offered does.

mod cases;
mod deliveries;
mod others;
mod smallest;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::support;
use crate::support::altered::apply;
use crate::support::random::{Dice, hub, packages, rules, strategy};
use crate::support::whole::piped;
use planner::changes::{Base, Question, Today, runner_up, texts};
use planner::document::System;
use planner::load;
use planner::options::{CheckOptions, Options};
use planner::plan;
use planner::render::json as written;
use planner::repair::May;
use planner::site;
use planner::systems::Asked;
use planner::why::{Bound, Change, RunnerUp, Why, value_text};
use planner::yaml::Op;
use serde_json::{Value, json};

/// As JSON, which is YAML too: a writer of YAML 1.2 leaves bare what YAML 1.1 reads as a time.
pub(crate) fn text(documents: &[Value]) -> String {
    let line = |document: &Value| format!("{document}\n");
    let all: Vec<String> = documents.iter().map(line).collect();
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

/// How many placements, Applications and rules but one are decided otherwise.
fn moved(before: &Value, after: &Value, subject: &str) -> usize {
    let decided = |plan: &Value| -> BTreeMap<String, Value> {
        let items = |section: &str| plan[section].as_array().cloned().unwrap_or_default();
        let name = |item: &Value, keys: &[&str]| {
            let parts = keys.iter().filter_map(|key| item[*key].as_str());
            parts.collect::<Vec<_>>().join("/")
        };
        let set = |list: &Value| {
            let mut names: Vec<String> = list
                .as_array()
                .unwrap()
                .iter()
                .map(Value::to_string)
                .collect();
            names.sort();
            json!(names)
        };
        let mut all = BTreeMap::new();
        for one in items("placements") {
            all.insert(name(&one, &["namespace", "name"]), set(&one["decisions"]));
        }
        for one in items("placementRules") {
            all.insert(name(&one, &["namespace", "name"]), set(&one["decisions"]));
        }
        for one in items("applications") {
            all.insert(
                name(&one, &["package", "application"]),
                one["cluster"].clone(),
            );
        }
        all
    };
    let (before, after) = (decided(before), decided(after));
    // What the subject gives up counts as well.
    let clusters = |plan: &BTreeMap<String, Value>| {
        let own = plan.get(subject).and_then(Value::as_array);
        own.cloned().unwrap_or_default()
    };
    let kept = clusters(&after);
    let had = clusters(&before);
    let lost = had.iter().filter(|one| !kept.contains(one)).count();
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let names = names.into_iter().filter(|name| *name != subject);
    let others = names.filter(|name| before.get(*name) != after.get(*name));
    lost + others.count()
}

/// The same site with two more of what is placed, each a little different.
fn company(mut documents: Vec<Value>, dice: &mut Dice) -> Vec<Value> {
    for copy in ["b", "c"] {
        let wanted = ["Application", "Placement", "PlacementRule"];
        let own = documents
            .iter()
            .find(|one| wanted.iter().any(|kind| one["kind"] == *kind));
        let mut other = own.unwrap().clone();
        other["metadata"]["name"] = json!(copy);
        match other["kind"].as_str().unwrap() {
            "Application" => {
                let rule =
                    json!({"key": "tier", "operator": "In", "values": [dice.of(&["a", "b"])]});
                other["spec"]["rules"] = json!([rule]);
            }
            "Placement" => other["spec"]["numberOfClusters"] = json!(1 + dice.roll(3)),
            _ => other["spec"]["replicas"] = json!(1 + dice.roll(3)),
        }
        documents.push(other);
    }
    documents
}

/// Others are there as well: each set says how many of them it moves.
#[test]
fn a_set_says_what_else_it_moves() {
    let mut told = 0;
    let names = ["c0", "c1", "c2", "c3"];
    for seed in 0..12 {
        let mut dice = Dice(seed + 500);
        let sites = [
            (System::Ocm, "ns/p", hub(&mut Dice(seed))),
            (System::Ogc, "p/a", packages(&mut Dice(seed))),
            (System::Hybrid, "app", rules(&mut Dice(seed))),
        ];
        for (system, subject, documents) in sites {
            told += hold(&company(documents, &mut dice), system, subject, &names);
        }
    }
    assert!(told > 100, "{told}");
}

/// A document that is refused anyhow changes no answer.
#[test]
fn a_refused_document_beside_changes_nothing() {
    let mut told = 0;
    for seed in 0..10 {
        let clusters = ["c0", "c1", "c2", "c3"].as_slice();
        let sites = [
            (System::Ocm, "ns/p", hub(&mut Dice(seed)), clusters),
            (System::Ogc, "p/a", packages(&mut Dice(seed)), clusters),
            (System::Hybrid, "app", rules(&mut Dice(seed)), clusters),
            (
                System::Airship,
                "g",
                strategy(&mut Dice(seed)),
                &["n0", "n1", "n2"],
            ),
            (
                System::Senlin,
                "<stdin>",
                regions(&mut Dice(seed)),
                &["A", "B", "C"],
            ),
        ];
        for (system, subject, documents, candidates) in sites {
            let answers = |documents: &[Value]| {
                with_base(documents, |base| {
                    let options = Options {
                        keep_going: true,
                        ..Options::default()
                    };
                    let base = Base {
                        options: &options,
                        ..*base
                    };
                    let plan = plan::make(base.site, base.options);
                    let today = Today::of(&plan);
                    let answer = |candidate: &&str| {
                        let question = Question {
                            system,
                            subject,
                            candidate,
                            edits: 2,
                            may: May::Both,
                        };
                        let found = base.calm_changes(&question, &today);
                        found.map(|found| (found.sets, found.also_moves, found.none_up_to))
                    };
                    candidates.iter().map(answer).collect::<Vec<_>>()
                })
            };
            let sound = answers(&documents);
            let refused = json!({"apiVersion": "cluster.open-cluster-management.io/v1beta1",
                "kind": "Placement", "metadata": {"name": "z", "namespace": "ns"},
                "spec": {"numberOfClusters": -1}});
            let mut beside = documents.clone();
            beside.push(refused);
            assert_eq!(sound, answers(&beside), "{}", text(&documents));
            told += sound
                .iter()
                .flatten()
                .map(|found| found.0.len())
                .sum::<usize>();
        }
    }
    assert!(told > 50, "{told}");
}

/// The runner-up is chosen with the changes that are told; of a number no smaller change is enough,
/// and what is beyond it is.
#[test]
fn the_runner_up_is_chosen_with_what_separates_it() {
    let mut bounds = 0;
    for seed in 0..20 {
        let sites = [
            (System::Ocm, "ns/p", hub(&mut Dice(seed))),
            (System::Ogc, "p/a", packages(&mut Dice(seed))),
            (System::Hybrid, "app", rules(&mut Dice(seed))),
            (System::Senlin, "<stdin>", regions(&mut Dice(seed))),
        ];
        for (system, subject, documents) in sites {
            bounds += with_base(&documents, |base| {
                separated(base, &documents, system, subject)
            });
        }
    }
    assert!(bounds > 15, "{bounds}");
}

/// The reasons for a subject.
fn reasons(base: &Base<'_, '_>, system: System, subject: &str) -> Why {
    let plan = plan::make(base.site, base.options);
    let asked = Asked {
        plan: &plan,
        options: base.options,
        candidate: None,
        said: RefCell::default(),
    };
    let name = format!("{}:{subject}", system.name());
    let (_, why) = asked.answer(&name).unwrap();
    why
}

/// The runner-up of a subject.
pub(crate) fn next(documents: &[Value], system: System, subject: &str) -> Option<RunnerUp> {
    with_base(documents, |base| {
        runner_up(base, &reasons(base, system, subject))
    })
}

/// Holds what separates the runner-up of a subject; gives whether it is a bound.
pub(crate) fn separated(
    base: &Base<'_, '_>,
    documents: &[Value],
    system: System,
    subject: &str,
) -> usize {
    let why = reasons(base, system, subject);
    let Some(next) = runner_up(base, &why) else {
        let lost = why.candidates.iter().any(|one| !one.chosen);
        let any = why.candidates.iter().any(|one| one.chosen);
        assert!(!why.placed || !lost || !any, "{}", text(documents));
        return 0;
    };
    let chosen = |set: &[Change]| {
        let mut changed = documents.to_vec();
        set.iter().for_each(|change| apply(&mut changed, change));
        let after = plan_of(&changed);
        after.is_some_and(|plan| is_chosen(&plan, system, subject, &next.candidate))
    };
    assert!(!chosen(&[]), "{next:#?}\n{}", text(documents));
    if next.changes.is_empty() {
        return 0;
    }
    assert!(chosen(&next.changes), "{next:#?}\n{}", text(documents));
    let Some(bound) = next.bound else {
        return 0;
    };
    let number = |value: &Value| -> i64 { value_text(value).parse().unwrap() };
    let with = |by: i64| {
        let mut change = next.changes[0].clone();
        let value = change.op.value().unwrap();
        let other = number(value) + by;
        let other = if value.is_string() {
            json!(other.to_string())
        } else {
            json!(other)
        };
        change.op = Op::Set(other);
        chosen(&[change])
    };
    let sign = match bound {
        Bound::OrMore => 1,
        Bound::OrLess => -1,
    };
    let told = (with(-sign), with(sign));
    assert_eq!(told, (false, true), "{next:#?}\n{}", text(documents));
    1
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
    let plan = plan::make(base.site, base.options);
    let today = Today::of(&plan);
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
        let Some(found) = base.calm_changes(&question, &today) else {
            assert!(was, "{subject} {candidate}: {}", text(documents));
            continue;
        };
        assert!(!was, "{subject} {candidate}: {}", text(documents));
        assert!(!found.stopped);
        assert_eq!(found.sets.is_empty(), found.none_up_to.is_some());
        assert_eq!(found.sets.len(), found.also_moves.len());
        let calm = found.also_moves.iter().map(|moves| *moves > 0);
        assert!(calm.is_sorted(), "{:?}", found.also_moves);
        for (set, moves) in found.sets.iter().zip(&found.also_moves) {
            told += 1;
            let mut changed = documents.to_vec();
            set.iter().for_each(|change| apply(&mut changed, change));
            let after = plan_of(&changed);
            let others = after.as_ref().map(|after| moved(&before, after, subject));
            assert_eq!(others, Some(*moves), "{set:#?}\n{}", text(documents));
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
