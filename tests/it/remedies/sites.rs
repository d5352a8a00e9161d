//! Random sites in which one loss leaves something without a place, for each system.

use serde_json::{Value, json};

use crate::support::random::Dice;

const OCM: &str = "cluster.open-cluster-management.io";
const PLANNER: &str = "planner/v1";

/// Packages of a few Applications, some of them with volumes.
pub(crate) fn packages(dice: &mut Dice) -> Vec<Value> {
    let mut all = vec![
        json!({"apiVersion": PLANNER, "kind": "Project", "metadata": {"name": "r"}}),
        json!({"apiVersion": PLANNER, "kind": "Package", "metadata": {"name": "p"},
            "spec": {"project": "r",
                "storageRequests": [{"name": "d", "type": "StandardSSD", "capacity": "10Gi"}]}}),
    ];
    let mut workloads = Vec::new();
    for name in ["a", "b", "c"] {
        let mut rules = Vec::new();
        for key in ["region", "tier"] {
            match dice.roll(4) {
                0 => rules.push(
                    json!({"key": key, "operator": "Equals", "values": [dice.of(&["a", "b"])]}),
                ),
                1 => rules.push(
                    json!({"key": key, "operator": "NotIn", "values": [dice.of(&["a", "b"])]}),
                ),
                _ => {}
            }
        }
        if dice.roll(3) == 0 {
            rules.push(json!({"key": "cost", "operator": dice.of(&["MinOf", "MaxOf"])}));
        }
        let mut container = json!({"name": "c", "image": "i:1",
            "requests": {"cpu": (dice.roll(5) + 1).to_string(), "memory": "1Gi"}});
        let mut workload = json!({"application": name, "cluster": dice.of(&["c0", "c1", "c2"])});
        if dice.roll(3) == 0 {
            container["mounts"] =
                json!([{"path": "/d", "storageRequest": "d", "accessMode": "ReadWriteOnce"}]);
            workload["persistentResources"] =
                json!([{"kind": "PersistentVolumeClaim", "name": "v", "storageRequest": "d"}]);
        }
        workloads.push(workload);
        all.push(
            json!({"apiVersion": PLANNER, "kind": "Application", "metadata": {"name": name},
            "spec": {"package": "p", "rules": rules, "containers": [container]}}),
        );
    }
    for (name, day) in [("c0", 1), ("c1", 2), ("c2", 3)] {
        let mut labels = json!({"cost": dice.roll(4).to_string()});
        for key in ["region", "tier"] {
            if dice.roll(3) > 0 {
                labels[key] = json!(dice.of(&["a", "b"]));
            }
        }
        let node = |name: &str, dice: &mut Dice| json!({"name": name, "allocatable": {"cpu": (dice.roll(6) + 1).to_string(), "memory": "4Gi"}});
        let nodes = [node("n1", dice), node("n2", dice)];
        all.push(json!({"apiVersion": PLANNER, "kind": "Cluster",
            "metadata": {"name": name, "creationTimestamp": format!("2024-01-0{day}T00:00:00Z"),
                "labels": labels},
            "spec": {"projects": ["r"], "nodes": nodes,
                "volumeProviders": [{"name": "v", "type": dice.of(&["StandardSSD", "StandardHDD"])}]},
            "status": {"phase": "Up"}}));
    }
    if dice.roll(2) == 0 {
        all.push(json!({"apiVersion": PLANNER, "kind": "Deployment",
            "metadata": {"name": "p-1", "creationTimestamp": "2025-01-01T00:00:00Z"},
            "spec": {"package": "p"}, "status": {"phase": "Running", "workloads": workloads}}));
    }
    all
}

fn managed(name: &str, dice: &mut Dice, labels: &mut Value) -> Value {
    for key in ["region", "tier"] {
        labels[key] = json!(dice.of(&["a", "b"]));
    }
    labels["cost"] = json!(dice.roll(4).to_string());
    let mut taints = json!([]);
    if dice.roll(4) == 0 {
        taints = json!([{"key": "gpu", "effect": "NoSelect"}]);
    }
    json!({"apiVersion": format!("{OCM}/v1"), "kind": "ManagedCluster",
        "metadata": {"name": name, "labels": labels},
        "spec": {"hubAcceptsClient": true, "taints": taints},
        "status": {"allocatable": {"cpu": (dice.roll(4) + 1).to_string()}}})
}

/// Placements of a hub.
pub(crate) fn hub(dice: &mut Dice) -> Vec<Value> {
    let mut all = vec![
        json!({"apiVersion": format!("{OCM}/v1beta2"), "kind": "ManagedClusterSet", "metadata": {"name": "s"}}),
        json!({"apiVersion": format!("{OCM}/v1beta2"), "kind": "ManagedClusterSetBinding",
            "metadata": {"name": "s", "namespace": "ns"}, "spec": {"clusterSet": "s"}}),
    ];
    for name in ["p", "q"] {
        let mut spec = json!({"predicates": [{"requiredClusterSelector": {"labelSelector":
            {"matchLabels": {dice.of(&["region", "tier"]): dice.of(&["a", "b"])}}}}]});
        if dice.roll(2) == 0 {
            spec["numberOfClusters"] = json!(dice.roll(2) + 1);
        }
        all.push(
            json!({"apiVersion": format!("{OCM}/v1beta1"), "kind": "Placement",
            "metadata": {"name": name, "namespace": "ns"}, "spec": spec}),
        );
    }
    for name in ["c0", "c1", "c2"] {
        let mut labels = json!({format!("{OCM}/clusterset"): dice.of(&["s", "s", "t"])});
        all.push(managed(name, dice, &mut labels));
    }
    all
}

/// Placement rules.
pub(crate) fn rules(dice: &mut Dice) -> Vec<Value> {
    let mut all = Vec::new();
    for name in ["app", "web"] {
        let mut advisors = Vec::new();
        if dice.roll(2) == 0 {
            let rules = json!({"matchLabels": {"region": dice.of(&["a", "b"])}});
            advisors.push(json!({"name": "l", "type": "predicate", "rules": rules}));
        }
        if dice.roll(3) == 0 {
            let rules = json!({"resources": [{"name": dice.of(&["c0", "c1"])}]});
            advisors.push(json!({"name": "veto", "type": "predicate", "rules": rules}));
        }
        let spec = json!({"replicas": 1, "advisors": advisors,
            "targetLabels": {"matchLabels": {"tier": dice.of(&["a", "b"])}}});
        all.push(
            json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
            "metadata": {"name": name}, "spec": spec}),
        );
    }
    for name in ["c0", "c1", "c2"] {
        all.push(managed(name, dice, &mut json!({})));
    }
    all
}

/// A deployment strategy of a few groups over two racks.
pub(crate) fn strategy(dice: &mut Dice) -> Vec<Value> {
    let metadata = |name: &str| {
        json!({"schema": "metadata/Document/v1", "name": name, "storagePolicy": "cleartext",
            "layeringDefinition": {"abstract": false, "layer": "site"}})
    };
    let mut groups = Vec::new();
    for (name, at) in [("g0", 0), ("g1", 1), ("g2", 2)] {
        let selector = match dice.roll(3) {
            0 => json!({"rack_names": [dice.of(&["r1", "r2"])]}),
            1 => json!({"node_tags": [dice.of(&["a", "b"])]}),
            _ => json!({"node_names": ["n0", "n2", "n4"]}),
        };
        let criteria = match dice.roll(4) {
            0 => json!({"percent_successful_nodes": 60 + dice.roll(5) * 10}),
            1 => json!({"minimum_successful_nodes": dice.roll(3) + 1}),
            2 => json!({"maximum_failed_nodes": dice.roll(2)}),
            _ => json!({"percent_successful_nodes": 90, "minimum_successful_nodes": 1}),
        };
        let needs: Vec<String> = (0..at)
            .filter(|_| dice.roll(2) == 0)
            .map(|at| format!("g{at}"))
            .collect();
        groups.push(
            json!({"name": name, "critical": dice.roll(2) == 0, "depends_on": needs,
            "selectors": [selector], "success_criteria": criteria}),
        );
    }
    let mut all = vec![
        json!({"schema": "shipyard/DeploymentConfiguration/v1", "metadata": metadata("deployment-configuration"),
            "data": {"physical_provisioner": {"deployment_strategy": "ds"}, "armada": {"manifest": "m"}}}),
        json!({"schema": "shipyard/DeploymentStrategy/v1", "metadata": metadata("ds"), "data": {"groups": groups}}),
        json!({"schema": "drydock/HardwareProfile/v1", "metadata": metadata("hw"),
            "data": {"vendor": "Generic", "boot_mode": "bios", "bootstrap_protocol": "pxe", "pxe_interface": 0}}),
    ];
    for name in ["n0", "n1", "n2", "n3", "n4"] {
        all.push(json!({"schema": "drydock/BaremetalNode/v1", "metadata": metadata(name),
            "data": {"hardware_profile": "hw", "addressing": [{"network": "oob", "address": "dhcp"}],
                "metadata": {"rack": dice.of(&["r1", "r2"]), "tags": [dice.of(&["a", "b"])]}}}));
    }
    all
}

/// Regions with hardly any room.
pub(crate) fn regions(dice: &mut Dice) -> Vec<Value> {
    let mut listed = Vec::new();
    let mut counts = json!({});
    for name in ["A", "B", "C"] {
        let nodes = dice.roll(3);
        listed.push(json!({"name": name, "weight": dice.roll(4) + 1, "cap": nodes + dice.roll(3)}));
        counts[name] = json!(nodes);
    }
    vec![
        json!({"type": "senlin.policy.region_placement", "version": "1.0", "properties": {"regions": listed}}),
        json!({"type": "senlin.cluster", "version": "1.0", "properties":
            {"name": "c", "known_regions": ["A", "B", "C"], "node_counts": counts}}),
        json!({"type": "senlin.action", "version": "1.0", "properties":
            {"action": "CLUSTER_SCALE_OUT", "inputs": {"count": dice.roll(3) + 1}}}),
    ]
}
