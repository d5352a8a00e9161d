//! Applications and Clusters, as planner-placement(7) describes them.

use std::collections::BTreeSet;

use planner::plan::again;
use planner::why::{Candidate, Verdict};
use serde_json::{Value, json};

use super::{Fates, Reasons, at, keyed, list, of_kind, pairs};
use crate::support::random::Dice;

const CLUSTERS: [&str; 5] = ["c0", "c1", "c2", "c3", "c4"];
const API: &str = "planner/v1";

fn rule(dice: &mut Dice) -> Value {
    let key = dice.of(&["region", "tier", "disk"]);
    match dice.of(&["Equals", "In", "NotEquals", "NotIn", "Exists", "NotExists"]) {
        operator @ ("Exists" | "NotExists") => json!({"key": key, "operator": operator}),
        operator => json!({"key": key, "operator": operator, "values": [dice.of(&["a", "b"])]}),
    }
}

fn rules(dice: &mut Dice, most: u64) -> Vec<Value> {
    let mut rules: Vec<Value> = (0..dice.roll(most)).map(|_| rule(dice)).collect();
    rules.dedup();
    if dice.roll(3) == 0 {
        rules.push(
            json!({"key": dice.of(&["cost", "speed"]), "operator": dice.of(&["MinOf", "MaxOf"])}),
        );
    }
    rules
}

fn labels(dice: &mut Dice, one_in: u64) -> Value {
    let mut labels = json!({});
    for key in ["region", "tier", "disk"] {
        if dice.roll(one_in) > 0 {
            labels[key] = json!(dice.of(&["a", "b", "c"]));
        }
    }
    for key in ["cost", "speed"] {
        if dice.roll(one_in) > 0 {
            labels[key] = json!(dice.of(&["1", "2", "02", "3", "-4", "x"]));
        }
    }
    labels
}

fn cluster(dice: &mut Dice, name: &str) -> Value {
    let nodes: Vec<Value> = (0..dice.roll(3))
        .map(|at| {
            let labels = match dice.roll(3) {
                0 => labels(dice, 2),
                _ => json!({}),
            };
            json!({"name": format!("n{at}"), "labels": labels, "allocatable":
                {"cpu": (dice.roll(4) + 1).to_string(), "memory": format!("{}Gi", dice.roll(4) + 1)}})
        })
        .collect();
    let mut provider =
        json!({"name": "v", "type": dice.of(&["StandardSSD", "StandardSSD", "StandardHDD"])});
    if dice.roll(2) == 0 {
        provider["accessModes"] = json!([dice.of(&["ReadWriteOnce", "ReadOnlyMany"])]);
    }
    if dice.roll(2) == 0 {
        provider["maxVolume"] = json!(dice.of(&["5Gi", "10Gi"]));
    }
    let projects = match dice.roll(6) {
        0 => json!(["q"]),
        1 => json!([]),
        _ => json!(["r"]),
    };
    let mut metadata = json!({"name": name, "labels": labels(dice, 4)});
    if dice.roll(6) > 0 {
        metadata["creationTimestamp"] = json!(format!("2024-01-0{}T00:00:00Z", dice.roll(3) + 1));
    }
    json!({"apiVersion": API, "kind": "Cluster", "metadata": metadata,
        "spec": {"projects": projects, "volumeProviders": [provider], "nodes": nodes},
        "status": {"phase": dice.of(&["Up", "Up", "Up", "Up", "Down"])}})
}

fn site(dice: &mut Dice) -> Vec<Value> {
    let mut container = json!({"name": "c", "image": "i", "requests": {"cpu": (dice.roll(3) + 1).to_string(),
        "memory": format!("{}Gi", dice.roll(3) + 1)}});
    if dice.roll(2) == 0 {
        let mut mount = json!({"path": "/d", "storageRequest": dice.of(&["d", "d", "e"])});
        if dice.roll(2) == 0 {
            mount["accessMode"] = json!("ReadWriteOnce");
        }
        container["mounts"] = json!([mount]);
    }
    let requests = [
        json!({"name": "d", "type": "StandardSSD", "capacity": "10Gi"}),
        json!({"name": "e", "type": "ExtremeSSD", "capacity": "1Gi", "persistence": "EmptyDirEphemeral"}),
    ];
    let mut documents = vec![
        json!({"apiVersion": API, "kind": "Project", "metadata": {"name": "r"}}),
        json!({"apiVersion": API, "kind": "Project", "metadata": {"name": "q"}}),
        json!({"apiVersion": API, "kind": "Package", "metadata": {"name": "p"},
            "spec": {"project": "r", "rules": rules(dice, 3), "storageRequests": requests}}),
        json!({"apiVersion": API, "kind": "Application", "metadata": {"name": "a"},
            "spec": {"package": "p", "rules": rules(dice, 2), "containers": [container]}}),
    ];
    for name in CLUSTERS {
        documents.push(cluster(dice, name));
    }
    for number in 1..=dice.roll(3) {
        let resources = match dice.roll(3) {
            0 => json!([]),
            _ => json!([{"kind": "PersistentVolumeClaim", "name": "d-a-0", "storageRequest": "d"}]),
        };
        let phase = dice.of(&["Running", "Stopped", "Planned", "Failed"]);
        let mut workloads = Vec::new();
        if dice.roll(5) > 0 {
            workloads.push(json!({"application": "a", "cluster": dice.of(&CLUSTERS),
                "persistentResources": resources}));
        }
        documents.push(json!({"apiVersion": API, "kind": "Deployment",
            "metadata": {"name": format!("p-{number}"), "creationTimestamp": format!("2025-01-0{number}T00:00:00Z")},
            "spec": {"package": "p"}, "status": {"phase": phase, "workloads": workloads}}));
    }
    documents
}

/// A number with an optional `Gi`, in units of one.
fn amount(text: &str) -> u64 {
    match text.strip_suffix("Gi") {
        Some(number) => number.parse::<u64>().unwrap() << 30,
        None => text.parse().unwrap(),
    }
}

struct Oracle<'d> {
    package: &'d Value,
    application: &'d Value,
    /// Oldest first.
    clusters: Vec<&'d Value>,
    deployments: Vec<&'d Value>,
}

fn name(document: &Value) -> &str {
    at(document, "/metadata/name")
}

/// Digits and nothing else.
fn integer(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap())
}

fn is_extremum(rule: &Value) -> bool {
    ["MinOf", "MaxOf"].contains(&at(rule, "/operator"))
}

impl<'d> Oracle<'d> {
    fn new(documents: &'d [Value]) -> Self {
        let mut clusters: Vec<&Value> = of_kind(documents, "Cluster").collect();
        clusters.sort_by_key(|cluster| {
            let created = at(cluster, "/metadata/creationTimestamp");
            (created.is_empty(), created, name(cluster))
        });
        Self {
            package: of_kind(documents, "Package").next().unwrap(),
            application: of_kind(documents, "Application").next().unwrap(),
            clusters,
            deployments: of_kind(documents, "Deployment").collect(),
        }
    }

    /// Inheritance.
    fn rules(&self) -> Vec<&'d Value> {
        let own = list(self.application, "/spec/rules");
        let keys: BTreeSet<&str> = own.iter().map(|rule| at(rule, "/key")).collect();
        let extremum = own.iter().any(is_extremum);
        let package = list(self.package, "/spec/rules").iter();
        let inherited = package
            .filter(|rule| !(keys.contains(at(rule, "/key")) || extremum && is_extremum(rule)));
        own.iter().chain(inherited).collect()
    }

    /// The labels that stand for a key.
    fn values(cluster: &'d Value, key: &str, integers: bool) -> Vec<&'d str> {
        let kept = |value: &&str| !integers || integer(value).is_some();
        let nodes = list(cluster, "/spec/nodes").iter();
        let values = nodes.filter_map(|node| pairs(node, "/labels").get(key).copied());
        let values: Vec<&str> = values.filter(kept).collect();
        if !values.is_empty() {
            return values;
        }
        let own = pairs(cluster, "/metadata/labels").get(key).copied();
        own.into_iter().filter(kept).collect()
    }

    fn complies(cluster: &'d Value, rule: &Value) -> bool {
        let there = Self::values(cluster, at(rule, "/key"), is_extremum(rule));
        let asked = list(rule, "/values");
        let meets = there
            .iter()
            .any(|value| asked.iter().any(|one| one == value));
        match at(rule, "/operator") {
            "Exists" | "MinOf" | "MaxOf" => !there.is_empty(),
            "NotExists" => there.is_empty(),
            "NotEquals" | "NotIn" => !meets,
            _ => meets,
        }
    }

    fn figure(cluster: &'d Value, rule: &Value) -> Option<u64> {
        let values = Self::values(cluster, at(rule, "/key"), true).into_iter();
        let numbers = values.filter_map(integer);
        match at(rule, "/operator") {
            "MinOf" => numbers.min(),
            _ => numbers.max(),
        }
    }

    /// The first five filters that remove a Cluster.
    fn single(&self, cluster: &'d Value) -> Vec<&'static str> {
        let mut out = Vec::new();
        if at(cluster, "/status/phase") != "Up" {
            out.push("Cluster Available");
        }
        let container = &list(self.application, "/spec/containers")[0];
        let nodes = list(cluster, "/spec/nodes");
        for (filter, key) in [
            ("Compute Sufficient", "cpu"),
            ("Memory Sufficient", "memory"),
        ] {
            let asked = amount(at(container, &format!("/requests/{key}")));
            let has = |node: &Value| amount(at(node, &format!("/allocatable/{key}"))) >= asked;
            if !nodes.iter().any(has) {
                out.push(filter);
            }
        }
        // Only `d` needs a provider: `e` is ephemeral.
        for mount in list(container, "/mounts")
            .iter()
            .filter(|mount| at(mount, "/storageRequest") == "d")
        {
            let serves = |provider: &Value| {
                let modes = list(provider, "/accessModes");
                let mode = at(mount, "/accessMode");
                let most = at(provider, "/maxVolume");
                at(provider, "/type") == "StandardSSD"
                    && (mode.is_empty() || modes.is_empty() || modes.iter().any(|own| own == mode))
                    && (most.is_empty() || amount(most) >= amount("10Gi"))
            };
            if !list(cluster, "/spec/volumeProviders").iter().any(serves) {
                out.push("Storage Sufficient");
            }
        }
        if !self
            .rules()
            .iter()
            .all(|rule| Self::complies(cluster, rule))
        {
            out.push("General Label Compliance");
        }
        out
    }

    fn assigned(cluster: &Value) -> bool {
        list(cluster, "/spec/projects").iter().any(|one| one == "r")
    }

    /// Persistent resources: the Cluster of the newest Deployment beyond Planned that has the Application,
    /// if resources of its are there.
    fn holder(&self) -> Option<&'d str> {
        let mut newest_first = self.deployments.iter().rev();
        let workload = newest_first.find_map(|deployment| {
            let planned = at(deployment, "/status/phase") == "Planned";
            let mut own = list(deployment, "/status/workloads").iter();
            own.find(|one| !planned && at(one, "/application") == "a")
        })?;
        let resources = list(workload, "/persistentResources");
        (!resources.is_empty()).then(|| at(workload, "/cluster"))
    }

    fn fates(&self) -> Fates {
        let extremum = self.rules().into_iter().find(|rule| is_extremum(rule));
        let figure = |cluster: &'d Value| extremum.and_then(|rule| Self::figure(cluster, rule));
        let better = |a: u64, b: u64| match extremum.map(|rule| at(rule, "/operator")) {
            Some("MinOf") => a < b,
            _ => a > b,
        };
        let mut complying = self.clusters.clone();
        complying.retain(|one| Self::assigned(one) && self.single(one).is_empty());
        let holder = self.holder();
        let held = holder.filter(|holder| complying.iter().any(|one| name(one) == *holder));
        let mut extant = complying.clone();
        extant.retain(|one| held.is_none_or(|held| held == name(one)));
        let beaten = |cluster: &'d Value| {
            let own = figure(cluster);
            let mut others = extant.iter().filter_map(|one| figure(one));
            extremum.is_some() && own.is_none_or(|own| others.any(|other| better(other, own)))
        };
        let best: Vec<&Value> = extant.iter().copied().filter(|one| !beaten(one)).collect();
        let age = |cluster: &Value| {
            let mut all = self.clusters.iter();
            all.position(|one| name(one) == name(cluster)).unwrap()
        };
        let mut fates = Fates::new();
        for cluster in &self.clusters {
            let mut against = Reasons::new();
            if !Self::assigned(cluster) {
                against.insert("Project: not assigned to Project r".to_owned());
            }
            against.extend(self.single(cluster).into_iter().map(str::to_owned));
            let keeps = holder == Some(name(cluster));
            if held.is_some() && !keeps {
                against.insert("Extant Resources".to_owned());
            }
            let idle = |idle: bool| if idle { " (idle)" } else { "" };
            if beaten(cluster) {
                against.insert(format!("Min/Max Label Compliance{}", idle(keeps)));
            }
            if best.iter().any(|one| age(one) < age(cluster)) {
                let mut others = extant.iter().filter(|one| name(one) != name(cluster));
                let alone = figure(cluster).is_some_and(|own| {
                    others.all(|other| figure(other).is_none_or(|other| better(own, other)))
                });
                against.insert(format!("Tiebreaker{}", idle(keeps || alone)));
            }
            let chosen = best.first().is_some_and(|one| name(one) == name(cluster));
            fates.insert(name(cluster).to_owned(), (!chosen).then_some(against));
        }
        fates
    }
}

fn word(_: &Candidate, verdict: &Verdict) -> String {
    match verdict.stage.as_str() {
        "Project" => keyed(verdict, &verdict.reason),
        _ => keyed(verdict, ""),
    }
}

#[test]
fn clusters_are_removed_for_what_the_specification_says() {
    let mut lost = 0;
    for seed in 0..150 {
        let documents = site(&mut Dice(seed));
        let fates = Oracle::new(&documents).fates();
        let found = super::with_plan(&documents, |plan| {
            let model = &plan.site.ogc;
            let why = |asked| {
                let outcome = again::application(model, "p", "a", false).unwrap();
                let found = planner::ogc::why::why(model, "p", "a", outcome, asked);
                found.unwrap().common(model, asked)
            };
            // Those of the Project at once, and each by itself, one outside of it included.
            let all = super::hold(&documents, &why(None), &fates, word);
            let each = CLUSTERS.iter().map(|name| {
                let mut one = why(Some(name));
                one.candidates.retain(|candidate| candidate.name == *name);
                assert_eq!(one.candidates.len(), usize::from(fates.contains_key(*name)));
                super::hold(&documents, &one, &fates, word)
            });
            all + each.sum::<usize>()
        });
        lost += found.unwrap_or(0);
    }
    assert!(lost > 700, "{lost}");
}
