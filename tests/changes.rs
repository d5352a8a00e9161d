//! What `why` says would have to change: applied to the documents it does get the candidate chosen,
//! and nothing smaller of what was offered does.
#![allow(clippy::unwrap_used, reason = "what a test prepares must be there")]

mod support;

use planner::changes::{Base, Question, texts};
use planner::document::System;
use planner::load;
use planner::options::{Options, Rules};
use planner::plan;
use planner::render::json as written;
use planner::repair::May;
use planner::site;
use planner::why::Change;
use serde_json::{Value, json};
use support::whole::piped;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.roll(all.len() as u64) as usize]
    }
}

fn text(documents: &[Value]) -> String {
    let yaml = |document: &Value| serde_yaml::to_string(document).unwrap();
    let all: Vec<String> = documents.iter().map(yaml).collect();
    all.join("---\n")
}

fn plan_of(documents: &[Value]) -> Option<Value> {
    plan_of_text(&text(documents))
}

fn plan_of_text(text: &str) -> Option<Value> {
    let loaded = load::open(&piped(text)).unwrap();
    let rules = Rules::at(support::NOW.parse().unwrap());
    let checked = site::check(&loaded, &rules);
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
fn is_chosen(plan: &Value, system: System, subject: &str, candidate: &str) -> bool {
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

/// A change applied to the documents as JSON.
fn apply(documents: &mut [Value], change: &Change) {
    let mut at = &mut documents[change.document as usize];
    let steps: Vec<String> = change
        .pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
        .collect();
    let (last, way) = steps.split_last().unwrap();
    for (step, next) in way.iter().zip(&steps[1..]) {
        if at.is_array() {
            at = &mut at[step.parse::<usize>().unwrap()];
            continue;
        }
        let map = at.as_object_mut().unwrap();
        let below = map.entry(step.clone()).or_insert(Value::Null);
        if below.is_null() {
            *below = if next == "-" { json!([]) } else { json!({}) };
        }
        at = below;
    }
    let after = change.after.clone();
    match (change.op, at) {
        ("set", Value::Object(map)) => drop(map.insert(last.clone(), after.unwrap())),
        ("set", Value::Array(list)) => list[last.parse::<usize>().unwrap()] = after.unwrap(),
        ("insert", Value::Array(list)) => {
            let at = last.parse().unwrap_or(list.len());
            list.insert(at, after.unwrap());
        }
        ("remove", Value::Object(map)) => drop(map.shift_remove(last).unwrap()),
        ("remove", Value::Array(list)) => drop(list.remove(last.parse().unwrap())),
        (op, at) => panic!("{op} {} in {at}", change.pointer),
    }
}

/// Asks about every candidate of a subject; gives how many sets were told.
fn hold(documents: &[Value], system: System, subject: &str, candidates: &[&str]) -> usize {
    let loaded = load::open(&piped(text(documents))).unwrap();
    let rules = Rules::at(support::NOW.parse().unwrap());
    let checked = site::check(&loaded, &rules);
    let options = Options::default();
    assert!(!checked.findings.refused(), "{}", text(documents));
    let before = plan_of(documents).unwrap();
    let base = Base {
        site: &checked,
        options: &options,
    };
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
            if let Some(files) = texts(&checked, set) {
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

const OCM: &str = "cluster.open-cluster-management.io";

fn hub(dice: &mut Dice) -> Vec<Value> {
    let mut documents = vec![
        json!({"apiVersion": format!("{OCM}/v1beta2"), "kind": "ManagedClusterSet", "metadata": {"name": "s"}}),
        json!({"apiVersion": format!("{OCM}/v1beta2"), "kind": "ManagedClusterSet", "metadata": {"name": "t"}}),
        json!({"apiVersion": format!("{OCM}/v1beta2"), "kind": "ManagedClusterSetBinding",
            "metadata": {"name": "s", "namespace": "ns"}, "spec": {"clusterSet": "s"}}),
    ];
    let mut spec = json!({});
    if dice.roll(3) > 0 {
        spec["numberOfClusters"] = json!(dice.roll(3));
    }
    let requirement = |dice: &mut Dice| {
        let key = dice.of(&["env", "tier"]);
        let operator = dice.of(&["In", "NotIn", "Exists", "DoesNotExist"]);
        match operator {
            "In" | "NotIn" => {
                json!({"key": key, "operator": operator, "values": [dice.of(&["a", "b"])]})
            }
            _ => json!({"key": key, "operator": operator}),
        }
    };
    let mut predicates = Vec::new();
    for _ in 0..dice.roll(3) {
        let all = [requirement(dice), requirement(dice)];
        let some = &all[..=dice.roll(2) as usize];
        predicates.push(
            json!({"requiredClusterSelector": {"labelSelector": {"matchExpressions": some}}}),
        );
    }
    spec["predicates"] = json!(predicates);
    if dice.roll(2) == 0 {
        spec["tolerations"] =
            json!([{"key": "k", "operator": "Equal", "value": dice.of(&["", "x"])}]);
    }
    if dice.roll(2) == 0 {
        let builtin = dice.of(&["ResourceAllocatableCPU", "Balance", "Steady"]);
        spec["prioritizerPolicy"] = json!({"mode": dice.of(&["Additive", "Exact"]), "configurations":
            [{"scoreCoordinate": {"type": "BuiltIn", "builtIn": builtin}, "weight": dice.roll(4) as i64 - 1}]});
    }
    documents.push(
        json!({"apiVersion": format!("{OCM}/v1beta1"), "kind": "Placement",
        "metadata": {"name": "p", "namespace": "ns"}, "spec": spec}),
    );
    for name in ["c0", "c1", "c2", "c3"] {
        let mut labels = json!({});
        labels[format!("{OCM}/clusterset")] = json!(dice.of(&["s", "s", "t"]));
        for key in ["env", "tier"] {
            if dice.roll(3) > 0 {
                labels[key] = json!(dice.of(&["a", "b"]));
            }
        }
        let mut taints = Vec::new();
        for key in ["k", "l"] {
            if dice.roll(4) == 0 {
                let effect = dice.of(&["NoSelect", "NoSelectIfNew", "PreferNoSelect"]);
                taints.push(json!({"key": key, "value": dice.of(&["x", "w"]), "effect": effect}));
            }
        }
        let cpu = dice.roll(4).to_string();
        documents.push(
            json!({"apiVersion": format!("{OCM}/v1"), "kind": "ManagedCluster",
            "metadata": {"name": name, "labels": labels}, "spec": {"taints": taints},
            "status": {"allocatable": {"cpu": cpu}, "capacity": {"cpu": cpu}}}),
        );
    }
    documents
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

fn packages(dice: &mut Dice) -> Vec<Value> {
    let planner = "planner/v1";
    let mut documents = vec![
        json!({"apiVersion": planner, "kind": "Project", "metadata": {"name": "r"}}),
        json!({"apiVersion": planner, "kind": "Project", "metadata": {"name": "q"}}),
    ];
    let rule = |dice: &mut Dice| {
        let operator = dice.of(&["Equals", "In", "NotEquals", "NotIn", "Exists", "NotExists"]);
        let key = dice.of(&["region", "tier"]);
        match operator {
            "Exists" | "NotExists" => json!({"key": key, "operator": operator}),
            _ => json!({"key": key, "operator": operator, "values": [dice.of(&["a", "b"])]}),
        }
    };
    let mut rules = vec![rule(dice)];
    if dice.roll(2) == 0 {
        rules.push(json!({"key": "cost", "operator": dice.of(&["MinOf", "MaxOf"])}));
    }
    documents.push(
        json!({"apiVersion": planner, "kind": "Package", "metadata": {"name": "p"},
        "spec": {"project": "r", "rules": rules,
            "storageRequests": [{"name": "d", "type": "StandardSSD", "capacity": "10Gi"}]}}),
    );
    let mut container = json!({"name": "c", "image": "i",
        "requests": {"cpu": (dice.roll(4) + 1).to_string(), "memory": format!("{}Gi", dice.roll(4) + 1)}});
    if dice.roll(2) == 0 {
        container["mounts"] =
            json!([{"path": "/d", "storageRequest": "d", "accessMode": "ReadWriteOnce"}]);
    }
    documents.push(
        json!({"apiVersion": planner, "kind": "Application", "metadata": {"name": "a"},
        "spec": {"package": "p", "containers": [container]}}),
    );
    for (name, day) in [("c0", 1), ("c1", 2), ("c2", 3), ("c3", 4)] {
        let mut labels = json!({});
        for key in ["region", "tier"] {
            if dice.roll(3) > 0 {
                labels[key] = json!(dice.of(&["a", "b"]));
            }
        }
        if dice.roll(4) > 0 {
            labels["cost"] = json!(dice.roll(5).to_string());
        }
        let provider = json!({"name": "v", "type": dice.of(&["StandardSSD", "StandardHDD"]),
            "accessModes": [dice.of(&["ReadWriteOnce", "ReadOnlyMany"])], "maxVolume": dice.of(&["5Gi", "1Ti"])});
        documents.push(json!({"apiVersion": planner, "kind": "Cluster",
            "metadata": {"name": name, "creationTimestamp": format!("2024-01-0{day}T00:00:00Z"), "labels": labels},
            "spec": {"projects": [dice.of(&["r", "r", "r", "q"])], "volumeProviders": [provider],
                "nodes": [{"name": "n1", "allocatable": {"cpu": (dice.roll(5) + 1).to_string(), "memory": "4Gi"}}]},
            "status": {"phase": dice.of(&["Up", "Up", "Up", "Down"])}}));
    }
    documents
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

fn rules(dice: &mut Dice) -> Vec<Value> {
    let mut advisors = Vec::new();
    if dice.roll(2) == 0 {
        let rules = json!({"matchLabels": {"env": dice.of(&["a", "b"])}});
        advisors.push(json!({"name": "l", "type": "predicate", "rules": rules}));
    }
    if dice.roll(2) == 0 {
        let rules =
            json!({"cost": {"order": dice.of(&["asc", "desc"]), "scored": dice.roll(2) == 0}});
        advisors.push(json!({"name": "cost", "weight": dice.roll(90), "rules": rules}));
    }
    if dice.roll(2) == 0 {
        let rules = json!({"resources": [{"name": dice.of(&["c0", "c1"])}]});
        advisors.push(json!({"name": "veto", "type": "predicate", "rules": rules}));
    }
    if dice.roll(2) == 0 {
        let rules = json!({"resourceHint": {"type": "cpu", "order": "desc", "scored": true}});
        advisors.push(json!({"name": "cpu", "weight": dice.roll(90), "rules": rules}));
    }
    let mut spec = json!({"replicas": dice.roll(3), "advisors": advisors});
    if dice.roll(2) == 0 {
        spec["targetLabels"] = json!({"matchLabels": {"tier": dice.of(&["a", "b"])}});
    }
    let mut documents = vec![
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
        "metadata": {"name": "app"}, "spec": spec}),
    ];
    for name in ["c0", "c1", "c2", "c3"] {
        let labels = json!({"env": dice.of(&["a", "b"]), "tier": dice.of(&["a", "b"]),
            "cost": dice.roll(5).to_string()});
        documents.push(
            json!({"apiVersion": format!("{OCM}/v1"), "kind": "ManagedCluster",
            "metadata": {"name": name, "labels": labels},
            "status": {"allocatable": {"cpu": (dice.roll(5) + 1).to_string()}}}),
        );
    }
    documents
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

fn strategy(dice: &mut Dice) -> Vec<Value> {
    let metadata = |name: &str| {
        json!({"schema": "metadata/Document/v1", "name": name, "storagePolicy": "cleartext",
            "layeringDefinition": {"abstract": false, "layer": "site"}})
    };
    let selector = |dice: &mut Dice| {
        let mut selector = json!({});
        if dice.roll(2) == 0 {
            selector["node_tags"] = json!([dice.of(&["x", "w"])]);
        }
        if dice.roll(2) == 0 {
            selector["rack_names"] = json!([dice.of(&["r1", "r2"])]);
        }
        if dice.roll(2) == 0 || selector.as_object().unwrap().is_empty() {
            selector["node_labels"] = json!([dice.of(&["zone: a", "zone: b"])]);
        }
        selector
    };
    let selectors = [selector(dice), selector(dice)];
    let some = &selectors[..=dice.roll(2) as usize];
    let mut documents = vec![
        json!({"schema": "shipyard/DeploymentConfiguration/v1", "metadata": metadata("deployment-configuration"),
            "data": {"physical_provisioner": {"deployment_strategy": "ds"}, "armada": {"manifest": "full-site"}}}),
        json!({"schema": "shipyard/DeploymentStrategy/v1", "metadata": metadata("ds"),
            "data": {"groups": [{"name": "g", "critical": false, "depends_on": [], "selectors": some}]}}),
        json!({"schema": "drydock/HardwareProfile/v1", "metadata": metadata("hw"),
            "data": {"vendor": "Generic", "boot_mode": "bios", "bootstrap_protocol": "pxe", "pxe_interface": 0}}),
        json!({"schema": "drydock/HostProfile/v1", "metadata": metadata("server"), "data": {"hardware_profile": "hw"}}),
    ];
    for (name, address) in [("n0", "10.0.0.2"), ("n1", "10.0.0.3"), ("n2", "10.0.0.4")] {
        documents.push(json!({"schema": "drydock/BaremetalNode/v1", "metadata": metadata(name),
            "data": {"host_profile": "server", "addressing": [{"network": "oob", "address": address}],
                "metadata": {"rack": dice.of(&["r1", "r2"]), "tags": [dice.of(&["x", "y", "z"])],
                    "owner_data": {"zone": dice.of(&["a", "b"])}}}}));
    }
    documents
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

fn regions(dice: &mut Dice) -> Vec<Value> {
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
