//! Sites that look random and are the same every time.

use serde_json::{Value, json};

/// Numbers that look random and are the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    pub(crate) fn of<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.roll(all.len() as u64) as usize]
    }
}

const OCM: &str = "cluster.open-cluster-management.io";

/// A hub with one placement, `ns/p`.
pub(crate) fn hub(dice: &mut Dice) -> Vec<Value> {
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

/// A package with one application, `p/a`.
pub(crate) fn packages(dice: &mut Dice) -> Vec<Value> {
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

/// One placement rule, `app`.
pub(crate) fn rules(dice: &mut Dice) -> Vec<Value> {
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

/// A deployment strategy with one group, `g`.
pub(crate) fn strategy(dice: &mut Dice) -> Vec<Value> {
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
