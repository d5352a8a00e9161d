//! Nothing smaller does: every single edit of a menu made here, without a look at the program's, is
//! planned; none of them is enough where the program says that it takes two or more. Where it says
//! that it takes three, pairs of them are planned as well: all of them for as many candidates as
//! `PLANNER_PAIRS` says, of each system.

use planner::changes::Question;
use planner::document::System;
use planner::options::Options;
use planner::plan;
use planner::render::json as written;
use planner::repair::May;
use planner::site::{Changes, Checked, Patch};
use planner::yaml::Op;
use serde_json::{Value, json};

use super::{is_chosen, regions, text, with_base};
use crate::support::random::{Dice, hub, packages, rules, strategy};

/// Edits to try, as a person who knows the documents would think of them.
#[derive(Default)]
struct Menu(Vec<Patch>);

impl Menu {
    fn add(&mut self, document: u32, pointer: &str, op: Op) {
        let pointer = pointer.to_owned();
        self.0.push(Patch {
            document,
            pointer,
            op,
        });
    }

    fn set(&mut self, document: u32, pointer: &str, values: &[Value]) {
        for value in values {
            self.add(document, pointer, Op::Set(value.clone()));
        }
    }

    fn remove(&mut self, document: u32, pointer: &str) {
        self.add(document, pointer, Op::Remove);
    }

    fn append(&mut self, document: u32, list: &str, values: &[Value]) {
        for value in values {
            self.add(document, &format!("{list}/-"), Op::Insert(value.clone()));
        }
    }

    /// Every item of a list: taken out, and whatever `more` says.
    fn each(&mut self, document: &Value, at: u32, list: &str, more: impl Fn(&mut Self, &str)) {
        let items = document.pointer(list).and_then(Value::as_array);
        for number in 0..items.map_or(0, Vec::len) {
            let own = format!("{list}/{number}");
            self.remove(at, &own);
            more(self, &own);
        }
    }
}

fn words(all: &[&str]) -> Vec<Value> {
    all.iter().map(|word| json!(word)).collect()
}

fn position(documents: &[Value], kind: &str, name: &str) -> (u32, Value) {
    let named = |one: &Value| {
        let schema = one["schema"].as_str().unwrap_or("");
        (one["kind"] == kind || schema.split('/').nth(1) == Some(kind))
            && one["metadata"]["name"] == name
    };
    let at = documents.iter().position(named).unwrap();
    (at as u32, documents[at].clone())
}

fn of_applications(documents: &[Value], cluster: &str) -> Menu {
    let mut menu = Menu::default();
    let (at, _) = position(documents, "Cluster", cluster);
    for key in ["region", "tier"] {
        let own = format!("/metadata/labels/{key}");
        menu.set(at, &own, &words(&["a", "b", "c"]));
        menu.remove(at, &own);
    }
    menu.set(at, "/metadata/labels/cost", &words(&["0", "2", "9"]));
    menu.remove(at, "/metadata/labels/cost");
    let early = words(&["2020-01-01T00:00:00Z"]);
    menu.set(at, "/metadata/creationTimestamp", &early);
    menu.set(at, "/status/phase", &words(&["Up"]));
    menu.append(at, "/spec/projects", &words(&["r"]));
    menu.set(at, "/spec/nodes/0/allocatable/cpu", &words(&["9"]));
    let node = json!({"name": "n9", "allocatable": {"cpu": "9", "memory": "9Gi"}});
    menu.append(at, "/spec/nodes", &[node]);
    let provider = "/spec/volumeProviders/0";
    menu.set(at, &format!("{provider}/type"), &words(&["StandardSSD"]));
    menu.set(at, &format!("{provider}/maxVolume"), &words(&["9Ti"]));
    menu.remove(at, &format!("{provider}/accessModes"));
    menu.append(
        at,
        "/spec/volumeProviders",
        &[json!({"name": "w", "type": "StandardSSD"})],
    );
    let (package, own) = position(documents, "Package", "p");
    menu.each(&own, package, "/spec/rules", |menu, rule| {
        menu.set(package, &format!("{rule}/values/0"), &words(&["a", "b"]));
        menu.append(package, &format!("{rule}/values"), &words(&["a", "b"]));
        menu.set(
            package,
            &format!("{rule}/operator"),
            &words(&["MinOf", "MaxOf", "NotIn", "In"]),
        );
    });
    let request = "/spec/storageRequests/0";
    menu.set(
        package,
        &format!("{request}/type"),
        &words(&["StandardHDD"]),
    );
    menu.set(package, &format!("{request}/capacity"), &words(&["1Gi"]));
    menu.set(
        package,
        &format!("{request}/persistence"),
        &words(&["EmptyDirEphemeral"]),
    );
    menu.set(package, "/spec/project", &words(&["q"]));
    let (application, _) = position(documents, "Application", "a");
    let container = "/spec/containers/0";
    menu.set(
        application,
        &format!("{container}/requests/cpu"),
        &words(&["0"]),
    );
    menu.set(
        application,
        &format!("{container}/requests/memory"),
        &words(&["0"]),
    );
    menu.remove(application, &format!("{container}/mounts/0"));
    menu.remove(application, &format!("{container}/mounts/0/accessMode"));
    for key in ["region", "tier", "cost"] {
        for operator in ["Exists", "NotExists"] {
            let rule = json!({"key": key, "operator": operator});
            menu.append(application, "/spec/rules", &[rule]);
        }
        for value in ["a", "b", "0", "1", "2", "3", "4"] {
            let rule = |operator| json!({"key": key, "operator": operator, "values": [value]});
            menu.append(application, "/spec/rules", &[rule("In"), rule("NotIn")]);
        }
    }
    menu
}

fn of_placements(documents: &[Value], cluster: &str) -> Menu {
    const OCM: &str = "cluster.open-cluster-management.io";
    let mut menu = Menu::default();
    let (at, own) = position(documents, "ManagedCluster", cluster);
    let set = format!("/metadata/labels/{OCM}~1clusterset");
    menu.set(at, &set, &words(&["s", "t"]));
    for key in ["env", "tier"] {
        let own = format!("/metadata/labels/{key}");
        menu.set(at, &own, &words(&["a", "b"]));
        menu.remove(at, &own);
    }
    menu.each(&own, at, "/spec/taints", |menu, taint| {
        menu.set(at, &format!("{taint}/effect"), &words(&["PreferNoSelect"]));
    });
    let figures = words(&["0", "1", "2", "3", "9"]);
    menu.set(at, "/status/allocatable/cpu", &figures);
    let (placement, own) = position(documents, "Placement", "p");
    let numbers = [json!(1), json!(2), json!(3), json!(4)];
    menu.set(placement, "/spec/numberOfClusters", &numbers);
    menu.remove(placement, "/spec/numberOfClusters");
    menu.append(placement, "/spec/predicates", &[json!({})]);
    menu.each(&own, placement, "/spec/predicates", |menu, predicate| {
        let list = format!("{predicate}/requiredClusterSelector/labelSelector/matchExpressions");
        for number in 0..2 {
            let one = format!("{list}/{number}");
            menu.remove(placement, &one);
            menu.append(placement, &format!("{one}/values"), &words(&["a", "b"]));
            menu.set(placement, &format!("{one}/values/0"), &words(&["a", "b"]));
            menu.set(
                placement,
                &format!("{one}/operator"),
                &words(&["In", "NotIn"]),
            );
        }
    });
    for key in ["k", "l"] {
        let exists = json!({"key": key, "operator": "Exists"});
        menu.append(placement, "/spec/tolerations", &[exists]);
    }
    menu.append(
        placement,
        "/spec/tolerations",
        &[json!({"operator": "Exists"})],
    );
    menu.set(placement, "/spec/tolerations/0/value", &words(&["x", "w"]));
    menu.set(placement, "/spec/tolerations/0/key", &words(&["k", "l"]));
    let configuration = "/spec/prioritizerPolicy/configurations/0";
    let weights: Vec<Value> = (-10..=10).map(|weight| json!(weight)).collect();
    menu.set(placement, &format!("{configuration}/weight"), &weights);
    menu.remove(placement, configuration);
    menu.set(
        placement,
        "/spec/prioritizerPolicy/mode",
        &words(&["Exact", "Additive"]),
    );
    menu
}

fn of_rules(documents: &[Value], cluster: &str) -> Menu {
    let mut menu = Menu::default();
    let (at, _) = position(documents, "ManagedCluster", cluster);
    for key in ["env", "tier"] {
        menu.set(at, &format!("/metadata/labels/{key}"), &words(&["a", "b"]));
    }
    menu.set(at, "/metadata/labels/cost", &words(&["-1", "0", "1", "9"]));
    menu.set(at, "/status/allocatable/cpu", &words(&["0", "1", "5", "9"]));
    let (rule, own) = position(documents, "PlacementRule", "app");
    let numbers = [json!(1), json!(2), json!(3), json!(4)];
    menu.set(rule, "/spec/replicas", &numbers);
    menu.remove(rule, "/spec/replicas");
    menu.remove(rule, "/spec/targetLabels");
    menu.set(
        rule,
        "/spec/targetLabels/matchLabels/tier",
        &words(&["a", "b"]),
    );
    let target = json!({"kind": "ManagedCluster", "name": cluster});
    menu.append(rule, "/spec/targets", &[target]);
    menu.each(&own, rule, "/spec/advisors", |menu, advisor| {
        menu.set(rule, &format!("{advisor}/type"), &words(&["priority"]));
        let weights = [0, 10, 30, 60, 100, 200].map(|weight| json!(weight));
        menu.set(rule, &format!("{advisor}/weight"), &weights);
        let label = format!("{advisor}/rules/matchLabels/env");
        // On another advisor the key would make it one that judges labels.
        if own.pointer(&label).is_some() {
            menu.set(rule, &label, &words(&["a", "b"]));
        }
        menu.remove(rule, &format!("{advisor}/rules/resources/0"));
    });
    menu
}

fn of_groups(documents: &[Value], node: &str) -> Menu {
    let mut menu = Menu::default();
    let (at, _) = position(documents, "BaremetalNode", node);
    menu.append(at, "/data/metadata/tags", &words(&["x", "w"]));
    menu.set(at, "/data/metadata/rack", &words(&["r1", "r2"]));
    menu.set(at, "/data/metadata/owner_data/zone", &words(&["a", "b"]));
    menu
}

fn of_regions(documents: &[Value], region: &str) -> Menu {
    let mut menu = Menu::default();
    let regions = documents[0]["properties"]["regions"].as_array().unwrap();
    let at = regions.iter().position(|one| one["name"] == region);
    let own = format!("/properties/regions/{}", at.unwrap());
    let weights = [0, 1, 5, 20, 50, 100, 500].map(|weight| json!(weight));
    menu.set(0, &format!("{own}/weight"), &weights);
    let caps = [1, 3, 8, 20].map(|cap| json!(cap));
    menu.set(0, &format!("{own}/cap"), &caps);
    menu.remove(0, &format!("{own}/cap"));
    menu.append(1, "/properties/known_regions", &words(&[region]));
    let numbers = [1, 2, 3, 5, 8, 13].map(|number| json!(number));
    menu.set(2, "/properties/inputs/count", &numbers);
    menu.set(2, "/properties/inputs/number", &numbers);
    let sizes = [10, 20, 50].map(|size| json!(size));
    menu.set(1, "/properties/max_size", &sizes);
    menu
}

/// Whether the candidate is chosen with some edits; the direction of a region's nodes counts too.
fn wins(
    base: &Checked<'_>,
    edits: &[&Patch],
    system: System,
    subject: &str,
    candidate: &str,
) -> bool {
    let changes = Changes {
        patches: edits.iter().copied().cloned().collect(),
        ..Changes::default()
    };
    let Ok(changed) = base.changed(changes) else {
        return false;
    };
    let checked = changed.check();
    let options = Options::default();
    let plan = plan::make(&checked, &options);
    if plan.refused() {
        return false;
    }
    let found = checked.report(&[&plan.findings]);
    let answer = written::PlanAnswer::new(&plan, &found, checked.documents.sources);
    let plan = serde_json::to_value(answer).unwrap();
    is_chosen(&plan, system, subject, candidate)
}

fn hold(
    system: System,
    subject: &str,
    candidates: &[&str],
    site: impl Fn(&mut Dice) -> Vec<Value>,
    menu: impl Fn(&[Value], &str) -> Menu,
) {
    // A group takes any node by name: only what the node itself can do is worth a look.
    let may = match system {
        System::Airship => May::Candidate,
        _ => May::Both,
    };
    let mut dear = 0;
    let wanted = std::env::var("PLANNER_PAIRS").ok();
    let mut pairs: usize = wanted.and_then(|count| count.parse().ok()).unwrap_or(1);
    let seeds = SEEDS.start..SEEDS.end.max(pairs as u64);
    for seed in seeds {
        let documents = site(&mut Dice(seed));
        with_base(&documents, |base| {
            for candidate in candidates {
                let question = Question {
                    system,
                    subject,
                    candidate,
                    edits: 3,
                    may,
                };
                let Some(found) = base.changes(&question) else {
                    continue;
                };
                // Larger sets come first where the smallest change what is observed.
                let cost = found.sets.iter().map(Vec::len).min().unwrap_or(4);
                if cost == 1 {
                    continue;
                }
                dear += 1;
                let fails = |edits: &[&Patch]| {
                    assert!(
                        !wins(base.site, edits, system, subject, candidate),
                        "{seed}: {candidate} takes {cost} edits, but fewer are enough: {edits:?}\n\
                         {:#?} {} {}\n{}",
                        found.sets.first(),
                        found.plans,
                        found.stopped,
                        text(&documents)
                    );
                };
                let menu = menu(&documents, candidate).0;
                menu.iter().for_each(|edit| fails(&[edit]));
                if cost > 2 && pairs > 0 {
                    pairs -= 1;
                    for (at, first) in menu.iter().enumerate() {
                        let rest = menu[at + 1..].iter();
                        rest.for_each(|second| fails(&[first, second]));
                    }
                }
            }
        });
    }
    assert!(dear > 0, "nothing was tried");
}

#[test]
fn one_edit_of_applications_is_found() {
    let names = ["c0", "c1", "c2", "c3"];
    hold(System::Ogc, "p/a", &names, packages, of_applications);
}

#[test]
fn one_edit_of_placements_is_found() {
    let names = ["c0", "c1", "c2", "c3"];
    hold(System::Ocm, "ns/p", &names, hub, of_placements);
}

#[test]
fn one_edit_of_rules_is_found() {
    let names = ["c0", "c1", "c2", "c3"];
    hold(System::Hybrid, "app", &names, rules, of_rules);
}

#[test]
fn one_edit_of_groups_is_found() {
    let names = ["n0", "n1", "n2"];
    hold(System::Airship, "g", &names, strategy, of_groups);
}

#[test]
fn one_edit_of_regions_is_found() {
    let names = ["A", "B", "C"];
    hold(System::Senlin, "<stdin>", &names, regions, of_regions);
}

/// Sites that are tried.
const SEEDS: std::ops::Range<u64> = 0..10;
