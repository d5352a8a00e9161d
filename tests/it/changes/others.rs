//! How many other decisions a set moves is what planning all of the changed site says, however
//! little of it was planned to know.

use std::collections::BTreeSet;

use planner::changes::{Question, Today};
use planner::diff::{Decisions, Subject, between, decisions};
use planner::document::System;
use planner::options::Options;
use planner::plan::{self, Assignment};
use planner::repair::May;
use planner::systems::{self, Rival};
use serde_json::{Value, json};

use super::{text, with_base};
use crate::support::altered::apply;
use crate::support::random::{Dice, hub, packages, rules, strategy};

/// What a site decides in all, read from scratch.
fn decided(documents: &[Value]) -> Decisions {
    with_base(documents, |base| {
        let plan = plan::make(base.site, &Options::default());
        assert!(!plan.refused(), "{}", text(documents));
        decisions(&plan)
    })
}

/// How many decisions are others, but for the subject's; of those, how many clusters it gives up.
fn moved(before: &Decisions, after: &Decisions, system: System, rival: Rival<'_>) -> usize {
    let is_subject = |one: &Subject| one.system() == system && one.name == rival.subject;
    let clusters = |all: &Decisions| -> BTreeSet<String> {
        let own = all.iter().filter(|(one, _)| is_subject(one));
        let placed = own.filter(|(_, answer)| matches!(answer, Assignment::Decisions(_)));
        let names = placed.flat_map(|(_, answer)| answer.names());
        names.map(ToString::to_string).collect()
    };
    let lost = clusters(before).difference(&clusters(after)).count();
    let is_part = |name: &str| systems::of(system).is_part(name, rival);
    let moves = between(before, after).moves.into_iter();
    let others = moves.filter(|one| one.subject.system() != system || !is_part(&one.subject.name));
    lost + others.count()
}

/// Holds the count of every set for every candidate; gives how many sets move something.
fn held(documents: &[Value], system: System, subject: &str, candidates: &[&str]) -> usize {
    let before = decided(documents);
    with_base(documents, |base| {
        let plan = plan::make(base.site, base.options);
        let today = Today::of(&plan);
        let mut moving = 0;
        for candidate in candidates {
            let question = Question {
                system,
                subject,
                candidate,
                edits: 2,
                may: May::Both,
            };
            let Some(found) = base.calm_changes(&question, &today) else {
                continue;
            };
            for (set, moves) in found.sets.iter().zip(&found.also_moves) {
                let mut changed = documents.to_vec();
                set.iter().for_each(|change| apply(&mut changed, change));
                let rival = Rival { subject, candidate };
                let all = moved(&before, &decided(&changed), system, rival);
                assert_eq!(
                    *moves,
                    all,
                    "{subject} {candidate}: {set:#?}\n{}",
                    text(documents)
                );
                moving += usize::from(all > 0);
            }
        }
        moving
    })
}

const CLUSTERS: [&str; 4] = ["c0", "c1", "c2", "c3"];

/// Some of these: each of them one time out of so many.
fn some(dice: &mut Dice, out_of: u64, all: Vec<Value>) -> Vec<Value> {
    let all = all.into_iter();
    all.filter(|_| dice.roll(out_of) == 0).collect()
}

/// A rule that looks at clusters in one of the ways there are.
fn rule(dice: &mut Dice, name: &str, namespace: &str) -> Value {
    let key = dice.of(&["env", "tier"]);
    let value = dice.of(&["a", "b"]);
    let advisors = vec![
        json!({"name": "labels", "type": dice.of(&["predicate", "priority"]),
            "rules": {"matchLabels": {key: value}}}),
        json!({"name": "cost", "weight": dice.roll(90), "rules": {"cost":
            {"order": dice.of(&["asc", "desc"]), "scored": dice.roll(2) == 0}}}),
        json!({"name": "hint", "rules": {"resourceHint":
            {"type": "cpu", "order": dice.of(&["asc", "desc"]), "scored": dice.roll(2) == 0}}}),
        json!({"name": "policy", "type": "predicate",
            "rules": {"policies": [{"name": dice.of(&["seal", "lock"])}]}}),
        json!({"name": "veto", "type": "predicate",
            "rules": {"resources": [{"name": dice.of(&CLUSTERS)}]}}),
        json!({"name": "alphabet", "rules": {}}),
        json!({"name": "said", "rules": {}}),
    ];
    let mut spec = json!({"replicas": 1 + dice.roll(3), "decisionWeight": dice.roll(40),
        "advisors": some(dice, 3, advisors)});
    match dice.roll(4) {
        0 => spec["targetLabels"] = json!({"matchLabels": {key: dice.of(&["a", "b"])}}),
        1 => {
            spec["targetLabels"] = json!({"matchExpressions":
                [{"key": key, "operator": dice.of(&["NotIn"]), "values": [value]}]});
        }
        2 => spec["targets"] = json!([{"name": dice.of(&CLUSTERS)}, {"name": dice.of(&CLUSTERS)}]),
        _ => {}
    }
    if dice.roll(3) == 0 {
        spec["deployerType"] = json!(dice.of(&["kubernetes", "all", "ibminfra"]));
    }
    let mut rule = json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
        "metadata": {"name": name, "namespace": namespace}, "spec": spec});
    if dice.roll(2) == 0 {
        rule["status"] =
            json!({"decisions": [{"kind": "ManagedCluster", "name": dice.of(&CLUSTERS)}]});
    }
    rule
}

/// Rules that look at the same clusters: of the subject's name elsewhere, for policies with a
/// document and without, for given answers.
fn beside_rules(seed: u64) -> Vec<Value> {
    let mut dice = Dice(seed + 900);
    let mut documents = rules(&mut Dice(seed));
    for cluster in documents.iter_mut().skip(1) {
        for policy in ["seal", "lock"] {
            let word = dice.of(&["compliant", "not"]);
            cluster["metadata"]["labels"][format!("policy.planner/{policy}")] = json!(word);
        }
    }
    if dice.roll(3) == 0 {
        let policy = json!({"name": "policy", "type": "predicate",
            "rules": {"policies": [{"name": "seal"}]}});
        let advisors = &mut documents[0]["spec"]["advisors"];
        advisors.as_array_mut().unwrap().push(policy);
    }
    documents.push(rule(&mut dice, "app", "elsewhere"));
    for name in ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"] {
        documents.push(rule(&mut dice, name, "ns"));
    }
    let status = json!({"status": [{"clustername": "c1", "compliant": "Compliant"}]});
    documents.push(
        json!({"apiVersion": "policy.open-cluster-management.io/v1", "kind": "Policy",
            "metadata": {"name": "lock", "namespace": "ns"}, "status": status}),
    );
    let said = json!([{"name": "c2", "score": 70}, {"name": "c0", "score": 20}]);
    documents.push(
        json!({"apiVersion": "planner/v1", "kind": "AdvisorAnswers", "metadata": {"name": "said"},
            "spec": {"advisors": [{"name": "said", "recommendations": said}]}}),
    );
    documents
}

#[test]
fn rules_that_see_something_else_of_a_cluster_are_counted() {
    let mut moving = 0;
    for seed in 0..24 {
        moving += held(&beside_rules(seed), System::Hybrid, "app", &CLUSTERS);
    }
    assert!(moving > 60, "{moving}");
}

/// A placement that could select clusters in one of the ways there are.
fn placement(dice: &mut Dice, name: &str) -> Value {
    let mut spec = json!({"numberOfClusters": 1 + dice.roll(3)});
    let labels = json!({"matchLabels": {dice.of(&["env", "tier"]): dice.of(&["a", "b"])}});
    if dice.roll(3) > 0 {
        spec["predicates"] = json!([{"requiredClusterSelector": {"labelSelector": labels}}]);
    }
    if dice.roll(2) == 0 {
        spec["tolerations"] = json!([{"key": dice.of(&["k", "l"]), "operator": "Exists"}]);
    }
    if dice.roll(2) == 0 {
        spec["prioritizerPolicy"] = json!({"mode": "Exact", "configurations": [{"weight": 1,
            "scoreCoordinate": {"type": "BuiltIn", "builtIn": "ResourceAllocatableCPU"}}]});
    }
    json!({"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
        "metadata": {"name": name, "namespace": "ns"}, "spec": spec})
}

#[test]
fn placements_that_could_select_a_cluster_are_counted() {
    let mut moving = 0;
    for seed in 0..14 {
        let mut dice = Dice(seed + 900);
        let mut documents = hub(&mut Dice(seed));
        for name in ["q0", "q1", "q2", "q3", "q4"] {
            documents.push(placement(&mut dice, name));
        }
        // Placement rules look at the clusters as well.
        let beside = dice.roll(2) == 0;
        for name in ["r0", "r1", "r2", "r3"].into_iter().filter(|_| beside) {
            documents.push(rule(&mut dice, name, "ns"));
        }
        if beside {
            moving += held(&documents, System::Hybrid, "ns/r0", &CLUSTERS);
        }
        moving += held(&documents, System::Ocm, "ns/p", &CLUSTERS);
    }
    assert!(moving > 30, "{moving}");
}

/// Applications of the same Package and of others, some of which are deployed and hold volumes.
fn beside_applications(seed: u64) -> Vec<Value> {
    let mut dice = Dice(seed + 900);
    let mut documents = packages(&mut Dice(seed));
    let planner = "planner/v1";
    for (package, project) in [("o", "q"), ("s", "r"), ("t", "r")] {
        let mut rules = vec![json!({"key": dice.of(&["cost", "rank"]),
            "operator": dice.of(&["MinOf", "MaxOf", "Exists", "NotExists"])})];
        if dice.roll(2) == 0 {
            rules.push(
                json!({"key": "tier", "operator": dice.of(&["In", "NotIn"]), "values": ["a"]}),
            );
        }
        documents.push(
            json!({"apiVersion": planner, "kind": "Package", "metadata": {"name": package},
            "spec": {"project": project, "rules": rules, "storageRequests":
                [{"name": "d", "type": "StandardSSD", "capacity": "1Gi"}]}}),
        );
    }
    let mut workloads = Vec::new();
    for (package, name) in [
        ("p", "b"),
        ("p", "c"),
        ("o", "a"),
        ("s", "a"),
        ("s", "b"),
        ("t", "a"),
        ("t", "b"),
        ("t", "c"),
    ] {
        let mut container = json!({"name": "c", "image": "i", "requests":
            {"cpu": (dice.roll(5) + 1).to_string(), "memory": format!("{}Gi", dice.roll(4) + 1)}});
        if dice.roll(3) == 0 {
            container["mounts"] =
                json!([{"path": "/d", "storageRequest": "d", "accessMode": "ReadWriteOnce"}]);
        }
        let mut spec = json!({"package": package, "containers": [container]});
        if dice.roll(2) == 0 {
            spec["rules"] = json!([{"key": "region", "operator": dice.of(&["Equals", "NotEquals"]),
                "values": [dice.of(&["a", "b"])]}]);
        }
        documents.push(json!({"apiVersion": planner, "kind": "Application",
            "metadata": {"name": name}, "spec": spec}));
        if package == "t" {
            workloads.push(json!({"application": name, "cluster": dice.of(&CLUSTERS),
                "persistentResources": some(&mut dice, 2, vec![json!({"kind": "PersistentVolumeClaim",
                    "name": "v", "storageRequest": "d"})])}));
        }
    }
    documents.push(
        json!({"apiVersion": planner, "kind": "Deployment", "metadata":
            {"name": "t-1", "creationTimestamp": "2024-05-01T00:00:00Z"},
        "spec": {"package": "t"}, "status": {"phase": "Running", "workloads": workloads}}),
    );
    if dice.roll(2) == 0 {
        documents.push(json!({"apiVersion": planner, "kind": "Node",
            "metadata": {"name": "extra", "labels": {"region": "b", "rank": "3"}},
            "spec": {"cluster": dice.of(&CLUSTERS)},
            "status": {"allocatable": {"cpu": "2", "memory": "2Gi"}}}));
    }
    documents
}

#[test]
fn applications_that_go_elsewhere_are_counted() {
    let mut moving = 0;
    for seed in 0..14 {
        moving += held(&beside_applications(seed), System::Ogc, "p/a", &CLUSTERS);
    }
    assert!(moving > 60, "{moving}");
}

/// The same site with layers: each node is the parent of the next one.
fn layered(mut documents: Vec<Value>) -> Vec<Value> {
    let policy = json!({"schema": "metadata/Control/v1", "name": "layering-policy"});
    documents.push(
        json!({"schema": "deckhand/LayeringPolicy/v1", "metadata": policy,
            "data": {"layerOrder": ["global", "type", "site"]}}),
    );
    let merged = json!([{"method": "merge", "path": "."}]);
    for (name, layer, parent) in [
        ("n0", "global", None),
        ("n1", "type", Some("n0")),
        ("n2", "site", Some("n1")),
    ] {
        let mut nodes = documents.iter_mut();
        let node = nodes.find(|one| one["metadata"]["name"] == name).unwrap();
        let metadata = &mut node["metadata"];
        metadata["layeringDefinition"]["layer"] = json!(layer);
        if layer != "site" {
            metadata["labels"] = json!({"kin": name});
        }
        if let Some(parent) = parent {
            metadata["layeringDefinition"]["parentSelector"] = json!({"kin": parent});
            metadata["layeringDefinition"]["actions"] = merged.clone();
            let own: &[&str] = match layer {
                "type" => &["tags", "owner_data"],
                _ => &["owner_data"],
            };
            let all = node["data"]["metadata"].as_object_mut().unwrap();
            all.retain(|key, _| own.contains(&key.as_str()));
        }
    }
    documents
}

/// Groups of every kind of selector, in an order; nodes inherit from two profiles.
fn beside_groups(seed: u64) -> Vec<Value> {
    let mut dice = Dice(seed + 900);
    let mut documents = strategy(&mut Dice(seed));
    let mut parent = documents[3].clone();
    parent["metadata"]["name"] = json!("rack");
    parent["data"]["metadata"] =
        json!({"rack": "r1", "tags": ["x"], "owner_data": {"zone": "b", "row": "1"}});
    documents.push(parent);
    for node in documents.iter_mut().skip(4).take(3) {
        if dice.roll(2) == 0 {
            node["data"]["host_profile"] = json!("rack");
            let own = node["data"]["metadata"].as_object_mut().unwrap();
            own.retain(|_, _| dice.roll(3) > 0);
        }
    }
    let groups = documents[1]["data"]["groups"].as_array_mut().unwrap();
    for (name, at) in ["h", "i", "j", "k", "l"].into_iter().zip(0..) {
        let selectors = match dice.roll(6) {
            0 => json!([{"node_tags": [dice.of(&["x", "w"])]}]),
            1 => json!([{"rack_names": [dice.of(&["r1", "r2"])], "node_tags": ["x", "y"]}]),
            2 => json!([{"node_labels": ["zone: a"]}, {"rack_names": ["r2"]}]),
            3 => json!([{"node_names": [dice.of(&["n0", "n1", "n2"])]}]),
            4 => json!([{"node_labels": ["row: 1"]}]),
            _ => json!([]),
        };
        let needs: Vec<&str> = ["g", "h", "i", "j", "k"][..=at]
            .iter()
            .copied()
            .filter(|_| dice.roll(3) == 0)
            .collect();
        groups.push(json!({"name": name, "critical": dice.roll(2) == 0, "depends_on": needs,
            "selectors": selectors, "success_criteria": {"minimum_successful_nodes": dice.roll(3)}}));
    }
    documents
}

#[test]
fn groups_that_get_or_lose_a_node_are_counted() {
    let mut moving = 0;
    for seed in 0..30 {
        let documents = match seed % 3 {
            0 => layered(beside_groups(seed)),
            _ => beside_groups(seed),
        };
        moving += held(&documents, System::Airship, "g", &["n0", "n1", "n2"]);
        // A node can be asked about, too: its candidates are the groups.
        moving += held(&documents, System::Airship, "n1", &["g", "h", "j"]);
    }
    assert!(moving > 30, "{moving}");
}
