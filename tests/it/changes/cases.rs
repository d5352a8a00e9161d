//! Single questions whose answer is known.

use planner::changes::{Question, Today};
use planner::document::System;
use planner::plan;
use planner::repair::May;
use planner::why::{Bound, Change, Changes};
use planner::yaml::Op;
use serde_json::{Value, json};

use super::{next, separated, with_base};
use crate::support::random::{Dice, strategy};

/// The changes for a candidate.
fn changes(documents: &[Value], system: System, of: (&str, &str), may: May) -> Changes {
    let question = Question {
        system,
        subject: of.0,
        candidate: of.1,
        edits: 3,
        may,
    };
    with_base(documents, |base| base.changes(&question).unwrap())
}

/// The sets for a candidate, each as a list of operation and pointer.
fn sets(documents: &[Value], system: System, of: (&str, &str), may: May) -> Vec<Vec<String>> {
    let found = changes(documents, system, of, may);
    let edit = |change: &Change| format!("{} {}", change.op.word(), change.pointer);
    let sets = found.sets.iter();
    sets.map(|set| set.iter().map(edit).collect()).collect()
}

fn cluster(name: &str) -> Value {
    json!({"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster",
        "metadata": {"name": name}})
}

/// An advisor that has no answer once a cluster is gone is not asked where none has to go.
#[test]
fn more_replicas_save_a_rule_from_asking_again() {
    let advisor = json!({"name": "p", "perCandidates": [{"candidates": ["a", "b", "c"],
        "recommendations": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}]});
    let documents = [
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
            "metadata": {"name": "app"},
            "spec": {"replicas": 1, "advisors": [{"name": "p", "type": "predicate"}]}}),
        cluster("a"),
        cluster("b"),
        cluster("c"),
        json!({"apiVersion": "planner/v1", "kind": "AdvisorAnswers",
            "metadata": {"name": "answers"}, "spec": {"advisors": [advisor]}}),
    ];
    let of = |name| sets(&documents, System::Hybrid, ("app", name), May::Both);
    assert!(of("b").contains(&vec!["set /spec/replicas".to_owned()]));
    assert!(of("c").contains(&vec!["set /spec/replicas".to_owned()]));
}

/// Where the candidate's own documents alone may change, its numbers are tried together although
/// the request could be changed with one edit.
#[test]
fn a_region_gets_nodes_by_weight_and_cap_together() {
    let documents = [
        json!({"type": "senlin.policy.region_placement", "version": "1.0", "properties":
            {"regions": [{"name": "A", "weight": 50, "cap": 5}, {"name": "B", "weight": 100, "cap": 0}]}}),
        json!({"type": "senlin.cluster", "version": "1.0", "properties": {"name": "c",
            "known_regions": ["A", "B"], "node_counts": {"A": 0, "B": 1}, "max_size": 5}}),
        json!({"type": "senlin.action", "version": "1.0", "properties":
            {"action": "CLUSTER_SCALE_OUT", "inputs": {"count": 7}}}),
    ];
    let of = |may| sets(&documents, System::Senlin, ("<stdin>", "A"), may);
    assert_eq!(of(May::Both)[0].len(), 1);
    let own = [
        "set /properties/regions/0/weight",
        "remove /properties/regions/0/cap",
    ];
    assert_eq!(of(May::Candidate), [own]);
}

/// A rule that takes candidate after candidate out of thousands is not planned to prove a change.
#[test]
fn what_takes_too_long_to_prove_is_left_out() {
    let mut documents: Vec<Value> = (0..5000).map(|at| cluster(&format!("c{at}"))).collect();
    for document in &mut documents[..3] {
        document["metadata"]["labels"] = json!({"pool": "a"});
    }
    documents.push(
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
        "metadata": {"name": "app"},
        "spec": {"replicas": 1, "targetLabels": {"matchLabels": {"pool": "a"}}}}),
    );
    let of = |may| changes(&documents, System::Hybrid, ("app", "c4999"), may);
    let found = of(May::Subject);
    assert!(found.sets.is_empty() && found.none_up_to.is_none());
    assert!(found.stopped);
    let found = of(May::Both);
    assert!(!found.sets.is_empty() && !found.stopped);
}

/// Nodes that a decision in the data counts come with another count.
#[test]
fn a_count_in_the_data_of_an_action_is_on_offer() {
    let documents = |data: Value| {
        [
            json!({"type": "senlin.policy.region_placement", "version": "1.0", "properties":
                {"regions": [{"name": "A", "weight": 100}, {"name": "B", "weight": 100}]}}),
            json!({"type": "senlin.cluster", "version": "1.0", "properties": {"name": "c",
                "known_regions": ["A", "B"], "node_counts": {"A": 2, "B": 2}}}),
            json!({"type": "senlin.action", "version": "1.0", "properties": data}),
        ]
    };
    for (action, side) in [
        ("CLUSTER_SCALE_IN", "deletion"),
        ("CLUSTER_SCALE_OUT", "creation"),
    ] {
        let documents = documents(json!({"action": action, "data": {side: {"count": 0}}}));
        let found = sets(&documents, System::Senlin, ("<stdin>", "B"), May::Subject);
        let count = vec![format!("set /properties/data/{side}/count")];
        assert!(found.contains(&count), "{found:?}");
    }
    let resize = documents(json!({"action": "CLUSTER_RESIZE",
        "inputs": {"adjustment_type": "CHANGE_IN_CAPACITY", "number": 3, "max_size": 4}}));
    let found = sets(&resize, System::Senlin, ("<stdin>", "B"), May::Subject);
    let most = vec!["set /properties/inputs/max_size".to_owned()];
    assert!(found.contains(&most), "{found:?}");
    // Who asks for more nodes is not told to ask for fewer.
    let documents = documents(json!({"action": "CLUSTER_RESIZE",
        "inputs": {"adjustment_type": "EXACT_CAPACITY", "number": 6, "max_size": 4}}));
    let found = sets(&documents, System::Senlin, ("<stdin>", "B"), May::Subject);
    let number = |set: &Vec<String>| set.contains(&"set /properties/inputs/number".to_owned());
    assert!(
        !found.iter().any(number) && found.contains(&most),
        "{found:?}"
    );
}

/// An action that names no number of nodes is offered one, with the type that makes it count.
#[test]
fn a_resize_without_a_number_is_offered_one() {
    for (inputs, edits) in [
        (Value::Null, &["set /properties/inputs"][..]),
        (
            json!({"strict": true}),
            &[
                "set /properties/inputs/adjustment_type",
                "set /properties/inputs/number",
            ],
        ),
        (
            json!({"number": 2}),
            &["set /properties/inputs/adjustment_type"],
        ),
    ] {
        let mut action = json!({"type": "senlin.action", "version": "1.0",
            "properties": {"action": "CLUSTER_RESIZE"}});
        if !inputs.is_null() {
            action["properties"]["inputs"] = inputs;
        }
        let documents = [
            json!({"type": "senlin.policy.region_placement", "version": "1.0", "properties":
                {"regions": [{"name": "A", "weight": 100}, {"name": "B", "weight": 100}]}}),
            json!({"type": "senlin.cluster", "version": "1.0", "properties": {"name": "c",
                "known_regions": ["A", "B"], "node_counts": {"A": 2, "B": 2}}}),
            action,
        ];
        let found = sets(&documents, System::Senlin, ("<stdin>", "B"), May::Subject);
        let edits: Vec<String> = edits.iter().map(|edit| (*edit).to_owned()).collect();
        assert!(found.contains(&edits), "{edits:?}: {found:?}");
    }
}

/// What is declared is offered before facts, and no place twice.
#[test]
fn what_a_person_declares_comes_first() {
    let mut other = cluster("b");
    other["metadata"]["labels"] = json!({"cost": "9"});
    other["status"] = json!({"allocatable": {"cpu": "1"}});
    let mut best = cluster("a");
    best["metadata"]["labels"] = json!({"cost": "1"});
    best["status"] = json!({"allocatable": {"cpu": "64"}});
    let documents = [
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
            "metadata": {"name": "app"},
            "spec": {"replicas": 1, "advisors": [{"name": "hint",
                "rules": {"resourceHint": {"type": "cpu", "order": "desc", "scored": true}}}]}}),
        best,
        other,
    ];
    let found = |may| changes(&documents, System::Hybrid, ("app", "b"), may);
    let observed = |found: &Changes| -> Vec<bool> {
        let sets = found.sets.iter();
        sets.map(|set| set.iter().any(|change| change.observed))
            .collect()
    };
    assert_eq!(observed(&found(May::Candidate)), [true]);
    let found = found(May::Both);
    let facts = observed(&found);
    assert!(!facts[0] && facts.is_sorted(), "{facts:?}");
    let places = found.sets.iter().map(|set| {
        let place = |change: &Change| (change.document, change.pointer.clone());
        set.iter().map(place).collect::<Vec<_>>()
    });
    let places: Vec<_> = places.collect();
    for (at, place) in places.iter().enumerate() {
        assert!(!places[at + 1..].contains(place), "{places:?}");
    }
    assert!(found.offered >= found.sets.len());
}

/// A rule that is to decide nothing decides as soon as it may: what is to be decided is no reason
/// of its own.
#[test]
fn a_rule_without_replicas_takes_one() {
    let mut chosen = cluster("a");
    chosen["metadata"]["labels"] = json!({"cloud": "IBM"});
    let documents = [
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
            "metadata": {"name": "app"},
            "spec": {"replicas": 0, "targetLabels": {"matchLabels": {"cloud": "IBM"}}}}),
        chosen,
    ];
    let found = changes(&documents, System::Hybrid, ("app", "a"), May::Both);
    let [set] = found.sets.as_slice() else {
        panic!("{found:#?}")
    };
    assert_eq!(set[0].pointer, "/spec/replicas");
    assert_eq!(set[0].op.value(), Some(&json!(1)));
}

/// One edit that removes what two edits would mend is smaller, and comes alone.
#[test]
fn advisors_go_at_once_where_two_are_in_the_way() {
    let mut other = cluster("a");
    other["metadata"]["labels"] = json!({"cloud": "AWS", "tier": "tin"});
    let predicate = |name: &str, value: &str| json!({"name": name, "type": "predicate", "rules": {"matchLabels": {name: value}}});
    let documents = [
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
            "metadata": {"name": "app"},
            "spec": {"advisors": [predicate("cloud", "IBM"), predicate("tier", "gold")]}}),
        other,
    ];
    let found = sets(&documents, System::Hybrid, ("app", "a"), May::Both);
    assert_eq!(found, [["remove /spec/advisors"]]);
}

/// More clusters are asked for before a prioritizer is switched off, and any cluster is let in
/// last.
#[test]
fn what_is_blunt_comes_last() {
    let hub = |name: &str, cpu: &str, env: &str| {
        let mut one = cluster(name);
        one["metadata"]["labels"] = json!({"env": env});
        one["status"] = json!({"allocatable": {"cpu": cpu}, "capacity": {"cpu": "9"}});
        one
    };
    let documents = [
        hub("a", "1", "prod"),
        hub("b", "9", "prod"),
        hub("aa", "9", "dev"),
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta2",
            "kind": "ManagedClusterSetBinding", "metadata": {"name": "global", "namespace": "ns"},
            "spec": {"clusterSet": "global"}}),
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
            "metadata": {"name": "p", "namespace": "ns"},
            "spec": {"numberOfClusters": 1,
                "predicates": [{"requiredClusterSelector": {"labelSelector":
                    {"matchLabels": {"env": "prod"}}}}],
                "prioritizerPolicy": {"mode": "Exact", "configurations": [{"weight": 1,
                    "scoreCoordinate": {"builtIn": "ResourceAllocatableCPU"}}]}}}),
    ];
    let of = |name| sets(&documents, System::Ocm, ("ns/p", name), May::Subject);
    let place = |sets: &[Vec<String>], end: &str| {
        let mut singles = sets.iter().filter(|set| set.len() == 1);
        singles.position(|set| set[0].ends_with(end))
    };
    let ranked = of("a");
    let (more, weight) = (
        place(&ranked, "/spec/numberOfClusters"),
        place(&ranked, "/configurations/0/weight"),
    );
    assert!(more.is_some() && weight > more, "{ranked:?}");
    let filtered = of("aa");
    let any = filtered
        .iter()
        .position(|set| set[0].starts_with("insert /spec/predicates/"));
    assert_eq!(any, Some(filtered.len() - 1), "{filtered:?}");
}

/// A cluster that goes over to a placement is missed by the placement and the rule that had it, as
/// its labels of today show, and comes to another one as well; a placement that never sees it stays
/// where it is.
#[test]
fn who_loses_the_cluster_is_counted() {
    let mut went = cluster("a");
    went["metadata"]["labels"] = json!({"zone": "old"});
    let placement = |name: &str, zone: &str| {
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
            "metadata": {"name": name, "namespace": "ns"}, "spec": {"predicates": [
                {"requiredClusterSelector": {"labelSelector": {"matchLabels": {"zone": zone}}}}]}})
    };
    let documents = [
        went,
        cluster("b"),
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta2",
            "kind": "ManagedClusterSetBinding", "metadata": {"name": "global", "namespace": "ns"},
            "spec": {"clusterSet": "global"}}),
        placement("p", "new"),
        placement("q", "old"),
        placement("r", "none"),
        placement("s", "new"),
        json!({"apiVersion": "apps.open-cluster-management.io/v1", "kind": "PlacementRule",
            "metadata": {"name": "t", "namespace": "ns"},
            "spec": {"clusterSelector": {"matchLabels": {"zone": "old"}}}}),
    ];
    let question = Question {
        system: System::Ocm,
        subject: "ns/p",
        candidate: "a",
        edits: 1,
        may: May::Candidate,
    };
    let found = with_base(&documents, |base| {
        let plan = plan::make(base.site, base.options);
        base.calm_changes(&question, &Today::of(&plan)).unwrap()
    });
    let [set] = found.sets.as_slice() else {
        panic!("{found:#?}")
    };
    assert_eq!(set[0].pointer, "/metadata/labels/zone");
    assert_eq!(found.also_moves, [3]);
}

/// Where no set helps, all systems say so with what was tried: nothing is left unanswered.
#[test]
fn a_negative_answer_is_an_answer_of_every_system() {
    let of_applications = |name: &str, resources: Value| {
        json!({"apiVersion": "planner/v1", "kind": "Deployment",
            "metadata": {"name": name, "creationTimestamp": "2024-07-01T12:00:00Z"},
            "spec": {"package": "shop"},
            "status": {"phase": "Running", "workloads": [{"application": "db",
                "cluster": "oslo", "persistentResources": resources}]}})
    };
    let place = |name: &str| {
        json!({"apiVersion": "planner/v1", "kind": "Cluster", "metadata": {"name": name},
            "spec": {"projects": ["r"], "nodes": [{"name": "n",
                "allocatable": {"cpu": "4", "memory": "8Gi"}}],
                "volumeProviders": [{"name": "g", "type": "StandardSSD",
                    "accessModes": ["ReadWriteOnce"], "maxVolume": "9Ti"}]},
            "status": {"phase": "Up"}})
    };
    let volume = json!([{"kind": "PersistentVolumeClaim", "name": "data-db-0",
        "storageRequest": "data"}]);
    let applications = [
        json!({"apiVersion": "planner/v1", "kind": "Project", "metadata": {"name": "r"}}),
        place("oslo"),
        place("lyon"),
        json!({"apiVersion": "planner/v1", "kind": "Package", "metadata": {"name": "shop"},
            "spec": {"project": "r", "storageRequests": [
                {"name": "data", "type": "StandardSSD", "capacity": "1Gi"}]}}),
        json!({"apiVersion": "planner/v1", "kind": "Application", "metadata": {"name": "db"},
            "spec": {"package": "shop", "replicas": 1, "containers": [{"name": "main",
                "image": "r.example/db:1", "requests": {"cpu": "1", "memory": "1Gi"},
                "mounts": [{"path": "/d", "storageRequest": "data",
                    "accessMode": "ReadWriteOnce"}]}]}}),
        of_applications("shop-1", volume),
    ];
    let mut tainted = cluster("a");
    tainted["spec"] = json!({"taints": [{"key": "off", "effect": "NoSelect"}]});
    tainted["metadata"]["labels"] = json!({"zone": "b", "cloud": "AWS", "tier": "tin"});
    let placements = [
        tainted.clone(),
        cluster("b"),
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta2",
            "kind": "ManagedClusterSetBinding", "metadata": {"name": "global", "namespace": "ns"},
            "spec": {"clusterSet": "global"}}),
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
            "metadata": {"name": "p", "namespace": "ns"}, "spec": {"predicates": [
                {"requiredClusterSelector": {"labelSelector":
                    {"matchLabels": {"zone": "a"}}}}]}}),
    ];
    let predicate = |name: &str, value: &str| json!({"name": name, "type": "predicate", "rules": {"matchLabels": {name: value}}});
    let rules = [
        tainted,
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
            "metadata": {"name": "app"},
            "spec": {"advisors": [predicate("cloud", "IBM"), predicate("tier", "gold")]}}),
    ];
    let regions = [
        json!({"type": "senlin.policy.region_placement", "version": "1.0", "properties":
            {"regions": [{"name": "A", "weight": 100, "cap": 0}, {"name": "B", "weight": 0, "cap": 0}]}}),
        json!({"type": "senlin.cluster", "version": "1.0", "properties": {"name": "c",
            "known_regions": ["A"], "node_counts": {"A": 2}}}),
        json!({"type": "senlin.action", "version": "1.0", "properties":
            {"action": "CLUSTER_SCALE_OUT", "inputs": {"count": 1}}}),
    ];
    let ours = |schema: &str, name: &str, data: Value| {
        json!({"schema": schema, "metadata": {"schema": "metadata/Document/v1", "name": name,
            "storagePolicy": "cleartext",
            "layeringDefinition": {"abstract": false, "layer": "site"}}, "data": data})
    };
    let group = json!({"name": "g", "critical": false, "depends_on": [],
        "selectors": [{"node_tags": ["x"], "rack_names": ["r1"]}]});
    let nodes = [
        ours(
            "shipyard/DeploymentConfiguration/v1",
            "deployment-configuration",
            json!({"physical_provisioner": {"deployment_strategy": "ds"},
                "armada": {"manifest": "full-site"}}),
        ),
        ours(
            "shipyard/DeploymentStrategy/v1",
            "ds",
            json!({"groups": [group]}),
        ),
        ours(
            "drydock/HardwareProfile/v1",
            "hw",
            json!({"vendor": "Generic", "boot_mode": "bios", "bootstrap_protocol": "pxe",
                "pxe_interface": 0}),
        ),
        ours(
            "drydock/BaremetalNode/v1",
            "n",
            json!({"hardware_profile": "hw", "metadata": {"tags": ["y"], "rack": "r2"},
                "addressing": [{"network": "oob", "address": "10.0.0.2"}]}),
        ),
    ];
    // Where nothing can be edited, no edit was tried.
    for (documents, system, of, none_up_to) in [
        (&applications[..], System::Ogc, ("shop/db", "lyon"), None),
        (&nodes[..], System::Airship, ("g", "n"), None),
        (&placements[..], System::Ocm, ("ns/p", "a"), Some(1)),
        (&rules[..], System::Hybrid, ("app", "a"), Some(1)),
        (&regions[..], System::Senlin, ("<stdin>", "B"), Some(1)),
    ] {
        let question = Question {
            system,
            subject: of.0,
            candidate: of.1,
            edits: 1,
            may: May::Candidate,
        };
        let found = with_base(documents, |base| {
            assert!(!base.site.findings.refused(), "{of:?}");
            base.changes(&question)
        });
        let found = found.unwrap_or_else(|| panic!("{of:?} has no answer"));
        assert!(found.sets.is_empty(), "{of:?}: {found:#?}");
        assert_eq!(found.none_up_to, none_up_to, "{of:?}: {found:#?}");
        assert!(!found.obstacles.is_empty(), "{of:?}: {found:#?}");
    }
}

/// No set makes a document one that is refused: a binding gets no name that another one has.
#[test]
fn a_set_that_refuses_a_document_is_none() {
    let binding = |name: &str, set: &str| {
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta2",
            "kind": "ManagedClusterSetBinding", "metadata": {"name": name, "namespace": "ns"},
            "spec": {"clusterSet": set}})
    };
    let set = |name: &str| {
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta2",
            "kind": "ManagedClusterSet", "metadata": {"name": name}})
    };
    let mut member = cluster("a");
    member["metadata"]["labels"] = json!({"cluster.open-cluster-management.io/clusterset": "t"});
    let mut documents = vec![
        set("s"),
        set("t"),
        binding("s", "s"),
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
            "metadata": {"name": "p", "namespace": "ns"}, "spec": {}}),
        member,
    ];
    let of =
        |documents: &[Value]| changes(documents, System::Ocm, ("ns/p", "a"), May::Subject).sets;
    let found = of(&documents);
    let [renamed] = found.as_slice() else {
        panic!("{found:#?}")
    };
    assert!(renamed.iter().any(|edit| edit.pointer == "/metadata/name"));
    // It is refused itself, for its name is not that of its set.
    documents.push(binding("t", "u"));
    let found = of(&documents);
    assert!(found.is_empty(), "{found:#?}");
}

/// Beyond a larger weight there is a still larger one with which the nodes find no room: a number
/// is told, and no bound.
#[test]
fn a_number_that_may_not_grow_on_is_no_bound() {
    let documents = [
        json!({"type": "senlin.policy.region_placement", "version": "1.0", "properties":
            {"regions": [{"name": "A", "weight": 100}, {"name": "B", "weight": 1, "cap": 1}]}}),
        json!({"type": "senlin.cluster", "version": "1.0", "properties": {"name": "c",
            "known_regions": ["A", "B"], "node_counts": {"A": 0, "B": 0}}}),
        json!({"type": "senlin.action", "version": "1.0", "properties":
            {"action": "CLUSTER_SCALE_OUT", "inputs": {"count": 4}}}),
    ];
    let next = next(&documents, System::Senlin, "<stdin>").unwrap();
    let set = next.changes.iter();
    let set: Vec<_> = set.map(|one| (&*one.pointer, one.op.value())).collect();
    assert_eq!(set, [("/properties/regions/1/weight", Some(&json!(34)))]);
    assert_eq!((&*next.candidate, next.bound), ("B", None));
}

/// A node that takes a value of another one is read together with that one.
#[test]
fn a_value_of_another_node_counts() {
    let mut documents = strategy(&mut Dice(1));
    documents.push(
        json!({"schema": "deckhand/LayeringPolicy/v1", "data": {"layerOrder": ["global", "site"]},
            "metadata": {"schema": "metadata/Control/v1", "name": "layering-policy"}}),
    );
    documents[1]["data"]["groups"][0]["selectors"] = json!([{"rack_names": ["r9"]}]);
    let source =
        json!({"schema": "drydock/BaremetalNode/v1", "name": "n2", "path": ".metadata.rack"});
    let taken = json!([{"src": source, "dest": {"path": ".metadata.rack"}}]);
    for node in &mut documents {
        match node["metadata"]["name"].as_str() {
            Some("n1") => node["metadata"]["substitutions"] = taken.clone(),
            Some("n2") => node["data"]["metadata"]["rack"] = json!("r7"),
            _ => {}
        }
    }
    let found = changes(&documents, System::Airship, ("g", "n1"), May::Both);
    let taken = |set: &Vec<Change>| set[0].op == Op::Insert(json!("r7"));
    assert!(found.sets.iter().any(taken), "{found:#?}");
}

/// A placement of so many clusters, ranked by CPU, over clusters of this CPU and of pool `in`, but
/// for those that are said to be elsewhere or tainted.
fn ranked(number: u32, clusters: &[(&str, &str, &str)]) -> Vec<Value> {
    let mut documents = vec![
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta2",
            "kind": "ManagedClusterSetBinding", "metadata": {"name": "global", "namespace": "ns"},
            "spec": {"clusterSet": "global"}}),
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
            "metadata": {"name": "p", "namespace": "ns"},
            "spec": {"numberOfClusters": number,
                "predicates": [{"requiredClusterSelector": {"labelSelector":
                    {"matchLabels": {"pool": "in"}}}}],
                "prioritizerPolicy": {"mode": "Exact", "configurations": [{"weight": 1,
                    "scoreCoordinate": {"builtIn": "ResourceAllocatableCPU"}}]}}}),
    ];
    for (name, cpu, fault) in clusters {
        let mut one = cluster(name);
        let pool = if *fault == "elsewhere" { "out" } else { "in" };
        one["metadata"]["labels"] = json!({"pool": pool});
        one["status"] = json!({"allocatable": {"cpu": cpu}, "capacity": {"cpu": "9"}});
        if *fault == "tainted" {
            one["spec"] = json!({"taints": [{"key": "off", "effect": "NoSelect"}]});
        }
        documents.push(one);
    }
    documents
}

/// The next in the ranking; else what comes furthest through the stages.
#[test]
fn the_runner_up_is_the_nearest() {
    let next_of = |number, clusters: &[(&str, &str, &str)]| {
        let documents = ranked(number, clusters);
        next(&documents, System::Ocm, "ns/p").map(|next| next.candidate)
    };
    let by_place = next_of(1, &[("a", "1", ""), ("b", "5", ""), ("c", "9", "")]);
    assert_eq!(by_place.as_deref(), Some("b"));
    let by_stage = next_of(
        1,
        &[
            ("a", "9", "elsewhere"),
            ("b", "1", "tainted"),
            ("c", "1", ""),
        ],
    );
    assert_eq!(by_stage.as_deref(), Some("b"));
    // Nobody competes for what is not to be decided, or for what has too little.
    assert_eq!(next_of(0, &[("a", "1", ""), ("b", "5", "")]), None);
    assert_eq!(next_of(3, &[("a", "1", ""), ("b", "5", "tainted")]), None);
    let nothing = [
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
            "metadata": {"name": "app"}, "spec": {"replicas": 0}}),
        cluster("a"),
    ];
    assert_eq!(next(&nothing, System::Hybrid, "app"), None);
    // Groups take every node that fits.
    for seed in 0..8 {
        let documents = strategy(&mut Dice(seed));
        assert_eq!(next(&documents, System::Airship, "g"), None);
    }
}

/// Of those that fail at the same stage the one that lacks least is the nearest.
#[test]
fn the_runner_up_lacks_least() {
    let planner = "planner/v1";
    let place = |name: &str, cpu: &str| {
        json!({"apiVersion": planner, "kind": "Cluster", "metadata": {"name": name},
            "spec": {"projects": ["r"], "nodes": [{"name": "n1",
                "allocatable": {"cpu": cpu, "memory": "8Gi"}}]},
            "status": {"phase": "Up"}})
    };
    let documents = [
        json!({"apiVersion": planner, "kind": "Project", "metadata": {"name": "r"}}),
        json!({"apiVersion": planner, "kind": "Package", "metadata": {"name": "shop"},
            "spec": {"project": "r"}}),
        json!({"apiVersion": planner, "kind": "Application", "metadata": {"name": "web"},
            "spec": {"package": "shop", "containers": [{"name": "main",
                "image": "r.example/web:1", "requests": {"cpu": "4", "memory": "1Gi"}}]}}),
        place("a", "1"),
        place("b", "3"),
        place("c", "4"),
    ];
    let next = next(&documents, System::Ogc, "shop/web").unwrap();
    assert_eq!(next.candidate, "b");
}

/// Where no single change selects the runner-up, several do.
#[test]
fn several_changes_may_separate_the_runner_up() {
    let mut documents = ranked(1, &[("a", "9", ""), ("b", "9", "elsewhere")]);
    documents[3]["spec"] = json!({"taints": [{"key": "off", "effect": "NoSelect"}]});
    let next = next(&documents, System::Ocm, "ns/p").unwrap();
    assert!(next.changes.len() > 1, "{next:#?}");
    assert_eq!(next.bound, None);
}

/// Not the best figure is told, but the least that is enough.
#[test]
fn the_least_number_separates_the_runner_up() {
    let node = |name: &str, cpu: &str| {
        let mut one = cluster(name);
        one["status"] = json!({"allocatable": {"cpu": cpu}});
        one
    };
    let documents = [
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
            "metadata": {"name": "app"},
            "spec": {"replicas": 2, "advisors": [{"name": "hint",
                "rules": {"resourceHint": {"type": "cpu", "order": "desc", "scored": true}}}]}}),
        node("a", "90"),
        node("b", "41"),
        node("c", "1"),
    ];
    let bound = with_base(&documents, |base| {
        separated(base, &documents, System::Hybrid, "app")
    });
    assert_eq!(bound, 1);
}

/// A score ends at 100: what is beyond is no argument against a bound.
#[test]
fn what_is_refused_is_within_no_bound() {
    let score = |name: &str, value: i64| {
        json!({"apiVersion": "cluster.open-cluster-management.io/v1alpha1",
            "kind": "AddOnPlacementScore", "metadata": {"name": "r", "namespace": name},
            "status": {"scores": [{"name": "s", "value": value}]}})
    };
    let mut documents = ranked(1, &[("a", "9", ""), ("b", "9", "")]);
    documents[1]["spec"]["prioritizerPolicy"]["configurations"][0]["scoreCoordinate"] =
        json!({"type": "AddOn", "addOn": {"resourceName": "r", "scoreName": "s"}});
    documents.extend([score("a", 50), score("b", 20)]);
    let next = next(&documents, System::Ocm, "ns/p").unwrap();
    let set: Vec<_> = next.changes.iter().map(|one| one.op.value()).collect();
    assert_eq!(set, [Some(&json!(51))]);
    assert_eq!(next.bound, Some(Bound::OrMore));
}
