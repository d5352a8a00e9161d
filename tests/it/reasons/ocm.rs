//! Placements and clusters, as planner-placement(7) describes them.

use std::collections::{BTreeMap, BTreeSet};

use planner::ocm::engine::place::Detail;
use planner::plan::again;
use planner::why::{Candidate, Verdict};
use serde_json::{Value, json};

use super::{Fates, Reasons, at, keyed, list, of_kind, pairs, unmet};
use crate::support::random::Dice;
use crate::support::{self};

const OCM: &str = "cluster.open-cluster-management.io";
const CLUSTERS: [&str; 5] = ["c0", "c1", "c2", "c3", "c4"];

fn sometimes(dice: &mut Dice, one_in: u64) -> bool {
    dice.roll(one_in) == 0
}

fn requirement(dice: &mut Dice) -> Value {
    let key = dice.of(&["env", "tier"]);
    match dice.of(&["In", "In", "NotIn", "Exists", "DoesNotExist"]) {
        operator @ ("In" | "NotIn") => {
            json!({"key": key, "operator": operator, "values": [dice.of(&["a", "b"])]})
        }
        operator => json!({"key": key, "operator": operator}),
    }
}

fn broken() -> Value {
    json!({"key": "env", "operator": "Near", "values": ["a"]})
}

fn predicate(dice: &mut Dice) -> Value {
    let mut labels = json!({"matchExpressions": [requirement(dice)]});
    if sometimes(dice, 3) {
        labels["matchLabels"] = json!({dice.of(&["env", "tier"]): dice.of(&["a", "b"])});
    }
    if sometimes(dice, 14) {
        labels = json!({"matchExpressions": [broken()]});
    }
    let mut selector = json!({"labelSelector": labels});
    if sometimes(dice, 3) {
        let claims = [json!({"key": "zone", "operator": "In", "values": [dice.of(&["z1", "z2"])]})];
        selector["claimSelector"] = json!({"matchExpressions": claims});
    }
    json!({"requiredClusterSelector": selector})
}

fn configuration(dice: &mut Dice) -> Value {
    let weight = dice.roll(6) as i64 - 2;
    match dice.roll(5) {
        0 => json!({"scoreCoordinate": {"type": "AddOn",
            "addOn": {"resourceName": "usage", "scoreName": "free"}}, "weight": weight}),
        1 if sometimes(dice, 3) => {
            json!({"scoreCoordinate": {"builtIn": "Spread"}, "weight": weight})
        }
        _ => {
            let name = dice.of(&[
                "ResourceAllocatableCPU",
                "ResourceAllocatableMemory",
                "Balance",
                "Steady",
            ]);
            json!({"scoreCoordinate": {"type": "BuiltIn", "builtIn": name}, "weight": weight})
        }
    }
}

fn placement(dice: &mut Dice) -> Value {
    let mut spec = json!({});
    if dice.roll(4) > 0 {
        spec["numberOfClusters"] = json!(dice.roll(4));
    }
    if sometimes(dice, 4) {
        spec["clusterSets"] = json!([dice.of(&["s", "t", "u"]), "s"]);
    }
    let predicates: Vec<Value> = (0..dice.roll(3)).map(|_| predicate(dice)).collect();
    spec["predicates"] = json!(predicates);
    let mut tolerations = Vec::new();
    for _ in 0..dice.roll(3) {
        let mut one = match dice.roll(4) {
            0 => json!({"key": "k", "operator": "Exists"}),
            1 => json!({"key": dice.of(&["k", "l"]), "value": "x"}),
            2 => json!({"operator": "Exists", "effect": dice.of(&["NoSelect", "NoSelectIfNew"])}),
            _ => json!({"key": "l", "operator": "Equal", "value": dice.of(&["x", "w"])}),
        };
        if sometimes(dice, 4) {
            one["tolerationSeconds"] = json!(dice.roll(2) * 10_000);
        }
        if sometimes(dice, 12) {
            one = json!({"key": "k", "operator": "Exists", "value": "x"});
        }
        tolerations.push(one);
    }
    spec["tolerations"] = json!(tolerations);
    if dice.roll(3) > 0 {
        let some: Vec<Value> = (0..dice.roll(3)).map(|_| configuration(dice)).collect();
        let mode = if sometimes(dice, 12) {
            "Other"
        } else {
            dice.of(&["Additive", "Exact"])
        };
        spec["prioritizerPolicy"] = json!({"mode": mode, "configurations": some});
    }
    if sometimes(dice, 6) {
        let mut first = json!({"matchLabels": {"env": "a"}});
        if sometimes(dice, 2) {
            first = json!({"matchExpressions": [broken()]});
        }
        let group = |name: &str, labels: Value| json!({"groupName": name, "groupClusterSelector": {"labelSelector": labels}});
        let groups = [
            group("g0", json!({"matchLabels": {"tier": "a"}})),
            group("g1", first),
        ];
        spec["decisionStrategy"] = json!({"groupStrategy": {"decisionGroups": groups,
            "clustersPerDecisionGroup": dice.of(&["100%", "50%"])}});
    }
    let mut metadata = json!({"name": "p", "namespace": "ns"});
    if sometimes(dice, 16) {
        metadata["annotations"] = json!({format!("{OCM}/experimental-scheduling-disable"): "true"});
    }
    if sometimes(dice, 16) {
        metadata["deletionTimestamp"] = json!("2025-12-31T00:00:00Z");
    }
    json!({"apiVersion": format!("{OCM}/v1beta1"), "kind": "Placement", "metadata": metadata, "spec": spec})
}

fn cluster(dice: &mut Dice, name: &str) -> Value {
    let mut labels = json!({});
    if dice.roll(6) > 0 {
        labels[format!("{OCM}/clusterset")] = json!(dice.of(&["s", "s", "s", "t"]));
    }
    for key in ["env", "tier"] {
        if dice.roll(3) > 0 {
            labels[key] = json!(dice.of(&["a", "b"]));
        }
    }
    let mut metadata = json!({"name": name, "labels": labels});
    if sometimes(dice, 8) {
        metadata["deletionTimestamp"] = json!("2025-12-31T00:00:00Z");
    }
    let mut taints = Vec::new();
    for key in ["k", "l"] {
        if sometimes(dice, 3) {
            let effect = dice.of(&["NoSelect", "NoSelectIfNew", "PreferNoSelect"]);
            let mut taint = json!({"key": key, "value": dice.of(&["x", "w"]), "effect": effect});
            if sometimes(dice, 2) {
                taint["timeAdded"] = json!("2025-12-31T23:00:00Z");
            }
            taints.push(taint);
        }
    }
    let mut status = json!({});
    for (key, unit) in [("cpu", ""), ("memory", "Gi")] {
        if dice.roll(5) > 0 {
            let figure = json!(format!("{}{unit}", dice.roll(5) + 1));
            status["allocatable"][key] = figure.clone();
            if dice.roll(6) > 0 {
                status["capacity"][key] = figure;
            }
        }
    }
    if dice.roll(2) > 0 {
        status["clusterClaims"] = json!([{"name": "zone", "value": dice.of(&["z1", "z2"])}]);
    }
    json!({"apiVersion": format!("{OCM}/v1"), "kind": "ManagedCluster", "metadata": metadata,
        "spec": {"taints": taints}, "status": status})
}

fn site(dice: &mut Dice) -> Vec<Value> {
    let set = |name: &str, spec: Value| {
        json!({"apiVersion": format!("{OCM}/v1beta2"),
        "kind": "ManagedClusterSet", "metadata": {"name": name}, "spec": spec})
    };
    let by_label = match dice.roll(5) {
        0 => json!({"selectorType": "LabelSelector"}),
        1 => {
            json!({"selectorType": "LabelSelector", "labelSelector": {"matchExpressions": [broken()]}})
        }
        2 => json!({"selectorType": "LabelSelector", "labelSelector": {}}),
        _ => {
            json!({"selectorType": "LabelSelector", "labelSelector": {"matchLabels": {"env": "a"}}})
        }
    };
    let mut documents = vec![
        set("s", json!({})),
        set("t", json!({})),
        set("u", json!({"clusterSelector": by_label})),
    ];
    for (name, one_in) in [("s", 8), ("t", 3), ("u", 4), ("gone", 8)] {
        let there = match name {
            "s" => dice.roll(one_in) > 0,
            _ => sometimes(dice, one_in),
        };
        if there {
            documents.push(
                json!({"apiVersion": format!("{OCM}/v1beta2"), "kind": "ManagedClusterSetBinding",
                "metadata": {"name": name, "namespace": "ns"}, "spec": {"clusterSet": name}}),
            );
        }
    }
    documents.push(placement(dice));
    for name in CLUSTERS {
        documents.push(cluster(dice, name));
        if sometimes(dice, 3) {
            let until = dice.of(&["2025-12-31T00:00:00Z", "2027-01-01T00:00:00Z"]);
            documents.push(
                json!({"apiVersion": format!("{OCM}/v1alpha1"), "kind": "AddOnPlacementScore",
                "metadata": {"name": "usage", "namespace": name}, "status": {"validUntil": until,
                "scores": [{"name": "free", "value": dice.roll(200) as i64 - 100}]}}),
            );
        }
    }
    for (name, namespace) in [("p", "ns"), ("q", "ns"), ("p", "other")] {
        if sometimes(dice, 2) {
            let some: Vec<Value> = CLUSTERS
                .iter()
                .filter(|_| sometimes(dice, 3))
                .map(|name| json!({"clusterName": name, "reason": ""}))
                .collect();
            documents.push(
                json!({"apiVersion": format!("{OCM}/v1beta1"), "kind": "PlacementDecision",
                "metadata": {"name": format!("{name}-decision-1"), "namespace": namespace,
                    "labels": {format!("{OCM}/placement"): name}},
                "status": {"decisions": some}}),
            );
        }
    }
    documents
}

fn seconds(time: &str) -> i64 {
    time.parse::<jiff::Timestamp>().unwrap().as_second()
}

/// One placement over the documents.
struct Oracle<'d> {
    documents: &'d [Value],
    placement: &'d Value,
    clusters: Vec<&'d Value>,
    /// Names of the placement's decided clusters.
    decided: BTreeSet<&'d str>,
    now: i64,
}

fn name(document: &Value) -> &str {
    at(document, "/metadata/name")
}

impl<'d> Oracle<'d> {
    fn new(documents: &'d [Value]) -> Self {
        let placement = of_kind(documents, "Placement").next().unwrap();
        let own = of_kind(documents, "PlacementDecision").filter(|decision| {
            at(decision, "/metadata/namespace") == "ns"
                && pairs(decision, "/metadata/labels")[&*format!("{OCM}/placement")] == "p"
        });
        Self {
            documents,
            placement,
            clusters: of_kind(documents, "ManagedCluster").collect(),
            decided: own
                .flat_map(|decision| list(decision, "/status/decisions"))
                .map(|one| at(one, "/clusterName"))
                .collect(),
            now: seconds(support::NOW),
        }
    }

    /// Which clusters are available.
    fn eligible(&self) -> Vec<&'d Value> {
        let asked = list(self.placement, "/spec/clusterSets");
        let bound = |set: &&Value| {
            let mut bindings = of_kind(self.documents, "ManagedClusterSetBinding");
            bindings.any(|binding| {
                at(binding, "/metadata/namespace") == "ns" && name(binding) == name(set)
            })
        };
        of_kind(self.documents, "ManagedClusterSet")
            .filter(bound)
            .filter(|set| asked.is_empty() || asked.iter().any(|one| one == name(set)))
            .collect()
    }

    fn is_member(set: &Value, cluster: &Value) -> Result<bool, ()> {
        let labels = pairs(cluster, "/metadata/labels");
        if at(set, "/spec/clusterSelector/selectorType") != "LabelSelector" {
            let own = labels.get(&*format!("{OCM}/clusterset"));
            return Ok(own == Some(&name(set)));
        }
        match set.pointer("/spec/clusterSelector/labelSelector") {
            None => Ok(false),
            Some(selector) => unmet(selector, &labels).map(|unmet| unmet.is_empty()),
        }
    }

    /// Whether the selector of an eligible set cannot be parsed, which stops everything.
    fn is_unreadable(&self) -> bool {
        let mut sets = self.eligible().into_iter();
        sets.any(|set| Self::is_member(set, self.clusters[0]).is_err())
    }

    fn terminating(cluster: &Value) -> bool {
        cluster.pointer("/metadata/deletionTimestamp").is_some()
    }

    fn of_set(&self, cluster: &Value) -> Reasons {
        let mut against = Reasons::new();
        if Self::terminating(cluster) {
            against.insert("cluster set: deleted".to_owned());
        }
        let eligible = self.eligible();
        let mut member = false;
        let mut unreadable = false;
        for set in eligible {
            match Self::is_member(set, cluster) {
                Ok(is) => member |= is,
                Err(()) => {
                    unreadable = true;
                    against.insert(format!("cluster set: unreadable {}", name(set)));
                }
            }
        }
        if !member && !unreadable {
            against.insert("cluster set: member of none".to_owned());
        }
        against
    }

    /// What a predicate asks for in vain, and whether a part of it cannot be parsed.
    fn unmet_of(predicate: &Value, cluster: &Value) -> (Vec<String>, bool) {
        const SELECTOR: &str = "/requiredClusterSelector";
        let null = Value::Null;
        let part = |name: &str| {
            let pointer = format!("{SELECTOR}/{name}");
            predicate.pointer(&pointer).unwrap_or(&null)
        };
        let labels = unmet(part("labelSelector"), &pairs(cluster, "/metadata/labels"));
        let claims = list(cluster, "/status/clusterClaims").iter();
        let claims = claims.map(|claim| (at(claim, "/name"), at(claim, "/value")));
        let claims = unmet(part("claimSelector"), &claims.collect());
        let broken = labels.is_err() || claims.is_err();
        let all = [labels, claims].into_iter().flatten().flatten();
        (all.collect(), broken)
    }

    /// The predicates.
    fn of_predicates(&self, cluster: &Value) -> Reasons {
        let mut against = Reasons::new();
        let predicates = list(self.placement, "/spec/predicates");
        let several = predicates.len() > 1;
        let judged: Vec<_> = predicates
            .iter()
            .map(|predicate| Self::unmet_of(predicate, cluster))
            .collect();
        let broken = judged.iter().any(|one| one.1);
        let any = judged.iter().any(|one| one.0.is_empty() && !one.1);
        let whole = if several { "predicates" } else { "predicate" };
        if broken {
            against.insert(format!("{whole}: misconfigured"));
        } else if several && !any {
            against.insert("predicates: none".to_owned());
        }
        for ((unmet, broken_here), number) in judged.iter().zip(1..) {
            let stage = if several {
                format!("predicate {number}")
            } else {
                "predicate".to_owned()
            };
            let idle = if any && !broken { " (idle)" } else { "" };
            if *broken_here {
                against.insert(format!("{stage}: misconfigured"));
            }
            for asked in unmet {
                against.insert(format!("{stage}: {asked}{idle}"));
            }
        }
        against
    }

    /// Taints and tolerations.
    fn tolerated(&self, cluster: &str, taint: &Value) -> bool {
        let effect = at(taint, "/effect");
        if effect == "PreferNoSelect"
            || (effect == "NoSelectIfNew" && self.decided.contains(cluster))
        {
            return true;
        }
        list(self.placement, "/spec/tolerations").iter().any(|one| {
            let key = at(one, "/key");
            let meant = ["", effect].contains(&at(one, "/effect"))
                && ["", at(taint, "/key")].contains(&key)
                && match at(one, "/operator") {
                    "Exists" => true,
                    "Equal" | "" => at(one, "/value") == at(taint, "/value"),
                    _ => false,
                };
            let lasts = match one.pointer("/tolerationSeconds").and_then(Value::as_i64) {
                None => true,
                Some(length) => match at(taint, "/timeAdded") {
                    "" => false,
                    added => self.now < seconds(added) + length,
                },
            };
            meant && lasts
        })
    }

    fn faulty_toleration(&self) -> bool {
        let mut all = list(self.placement, "/spec/tolerations").iter();
        all.any(|one| {
            let exists = at(one, "/operator") == "Exists";
            (at(one, "/key").is_empty() && !exists) || (exists && !at(one, "/value").is_empty())
        })
    }

    fn of_taints(&self, cluster: &Value) -> Reasons {
        let mut against = Reasons::new();
        if self.faulty_toleration() {
            against.insert("taints: misconfigured".to_owned());
        }
        let taints = list(cluster, "/spec/taints").iter();
        for taint in taints.filter(|taint| !self.tolerated(name(cluster), taint)) {
            let (key, value) = (at(taint, "/key"), at(taint, "/value"));
            against.insert(format!("taints: {key}={value}:{}", at(taint, "/effect")));
        }
        against
    }

    /// The prioritizers: names with weights; an error where something is misconfigured.
    fn prioritizers(&self) -> Result<Vec<(String, i64)>, ()> {
        const POLICY: &str = "/spec/prioritizerPolicy";
        let mut all: Vec<(String, i64)> = match at(self.placement, &format!("{POLICY}/mode")) {
            "Additive" | "" => vec![("Balance".to_owned(), 1), ("Steady".to_owned(), 1)],
            "Exact" => Vec::new(),
            _ => return Err(()),
        };
        for one in list(self.placement, &format!("{POLICY}/configurations")) {
            let weight = one["weight"].as_i64().unwrap_or(1);
            let is_add_on = at(one, "/scoreCoordinate/type") == "AddOn";
            let name = if is_add_on {
                "AddOn"
            } else {
                at(one, "/scoreCoordinate/builtIn")
            };
            match all.iter_mut().find(|known| known.0 == name && !is_add_on) {
                Some(known) => known.1 = weight,
                None => all.push((name.to_owned(), weight)),
            }
        }
        all.retain(|one| one.1 != 0);
        let known = [
            "AddOn",
            "Balance",
            "Steady",
            "ResourceAllocatableCPU",
            "ResourceAllocatableMemory",
        ];
        if all.iter().all(|one| known.contains(&&*one.0)) {
            Ok(all)
        } else {
            Err(())
        }
    }

    fn resource(cluster: &Value, key: &str) -> Option<f64> {
        let figure = |from: &str| {
            let text = cluster
                .pointer(&format!("/status/{from}/{key}"))?
                .as_str()?;
            let number = text.trim_end_matches("Gi").parse::<f64>().ok()?;
            Some(if text.ends_with("Gi") {
                number * 1_073_741_824.0
            } else {
                number
            })
        };
        figure("capacity")?;
        figure("allocatable")
    }

    /// The scores, among these clusters.
    fn score(&self, prioritizer: &str, cluster: &Value, among: &[&Value]) -> i64 {
        match prioritizer {
            "Balance" => {
                let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
                for decision in of_kind(self.documents, "PlacementDecision") {
                    let own = at(decision, "/metadata/namespace") == "ns"
                        && pairs(decision, "/metadata/labels")[&*format!("{OCM}/placement")] == "p";
                    for one in list(decision, "/status/decisions").iter().filter(|_| !own) {
                        *counts.entry(at(one, "/clusterName")).or_default() += 1;
                    }
                }
                let max = counts.values().max().copied().unwrap_or(0);
                match counts.get(name(cluster)) {
                    None => 100,
                    Some(count) => {
                        let used = f64::from(*count) / f64::from(max);
                        2 * (100.0 * (0.5 - used)).trunc() as i64
                    }
                }
            }
            "Steady" => 100 * i64::from(self.decided.contains(name(cluster))),
            "AddOn" => {
                let mut all = of_kind(self.documents, "AddOnPlacementScore");
                let own = all.find(|one| at(one, "/metadata/namespace") == name(cluster));
                let Some(own) = own else { return 0 };
                let until = at(own, "/status/validUntil");
                if self.now > seconds(until) {
                    0
                } else {
                    own.pointer("/status/scores/0/value")
                        .and_then(Value::as_i64)
                        .unwrap()
                }
            }
            resource => {
                let key = match resource {
                    "ResourceAllocatableCPU" => "cpu",
                    _ => "memory",
                };
                let values: Vec<f64> = among
                    .iter()
                    .filter_map(|one| Self::resource(one, key))
                    .collect();
                let Some(own) = Self::resource(cluster, key) else {
                    return 0;
                };
                let low = values.iter().copied().fold(f64::INFINITY, f64::min);
                let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                if high - low == 0.0 {
                    return 100;
                }
                let part = (own - low) / (high - low);
                (((part - 0.5) * 2.0) * 100.0).trunc() as i64
            }
        }
    }

    fn passes(&self, cluster: &Value) -> bool {
        let predicates = self.of_predicates(cluster);
        self.of_set(cluster).is_empty()
            && predicates.iter().all(|reason| reason.ends_with("(idle)"))
            && self.of_taints(cluster).is_empty()
    }

    /// The selection, as if the cluster had passed the filters.
    fn of_selection(&self, cluster: &'d Value) -> Reasons {
        let Some(wanted) = self.placement.pointer("/spec/numberOfClusters") else {
            return Reasons::new();
        };
        let wanted = wanted.as_u64().unwrap() as usize;
        let broken = self.of_predicates(cluster);
        let stopped = self.is_unreadable()
            || broken.iter().any(|one| one.ends_with("misconfigured"))
            || self.faulty_toleration();
        let prioritizers = self.prioritizers();
        let Some(prioritizers) = prioritizers.ok().filter(|_| !stopped) else {
            return match wanted {
                0 => Reasons::from(["selection: selects no cluster".to_owned()]),
                _ => Reasons::new(),
            };
        };
        let mut among: Vec<&Value> = self.clusters.clone();
        among.retain(|one| self.passes(one) || name(one) == name(cluster));
        let total = |one: &Value| -> i64 {
            let all = prioritizers.iter();
            all.map(|(name, weight)| weight * self.score(name, one, &among))
                .sum()
        };
        let mut order: Vec<(i64, &str)> =
            among.iter().map(|one| (-total(one), name(one))).collect();
        order.sort_unstable();
        let place = order.iter().position(|one| one.1 == name(cluster)).unwrap();
        if place < wanted {
            return Reasons::new();
        }
        let own = -order[place].0;
        let why = match wanted {
            0 => "selects no cluster".to_owned(),
            _ => {
                let (lowest, last) = order[wanted - 1];
                let (lowest, of) = (-lowest, order.len());
                let less = match lowest - own {
                    0 => format!("the same total as {last}, whose name comes first"),
                    less => format!("{less} less than {last}, the last one selected"),
                };
                let place = place + 1;
                format!("total {own}, place {place} of {of}, {wanted} are selected: {less}")
            }
        };
        Reasons::from([format!("selection: {why}")])
    }

    /// Decision groups: those before one that cannot be read are published.
    fn of_groups(&self, cluster: &Value) -> Reasons {
        const GROUPS: &str = "/spec/decisionStrategy/groupStrategy/decisionGroups";
        let labels = pairs(cluster, "/metadata/labels");
        for group in list(self.placement, GROUPS) {
            match unmet(&group["groupClusterSelector"]["labelSelector"], &labels) {
                Err(()) => return Reasons::from(["decision groups".to_owned()]),
                Ok(unmet) if unmet.is_empty() => {
                    // It is in this group; one that cannot be read comes later, if at all.
                    return Reasons::new();
                }
                Ok(_) => {}
            }
        }
        Reasons::new()
    }

    fn fates(&self) -> Fates {
        const DISABLED: &str = "experimental-scheduling-disable";
        let annotations = pairs(self.placement, "/metadata/annotations");
        let skipped = self
            .placement
            .pointer("/metadata/deletionTimestamp")
            .is_some()
            || annotations.contains_key(&*format!("{OCM}/{DISABLED}"));
        let unreadable = self.is_unreadable();
        let fate = |cluster: &&'d Value| {
            let mut against = Reasons::new();
            if skipped || unreadable {
                against.insert("placement".to_owned());
            }
            against.extend(self.of_set(cluster));
            against.extend(self.of_predicates(cluster));
            against.extend(self.of_taints(cluster));
            if self.prioritizers().is_err() {
                against.insert("prioritizers".to_owned());
            }
            against.extend(self.of_selection(cluster));
            against.extend(self.of_groups(cluster));
            let lost = against.iter().any(|reason| !reason.ends_with("(idle)"));
            (name(cluster).to_owned(), lost.then_some(against))
        };
        self.clusters.iter().map(fate).collect()
    }
}

fn word(candidate: &Candidate, verdict: &Verdict) -> String {
    let reason = verdict.reason.as_str();
    let has = |text: &str| reason.contains(text);
    let stage = verdict.stage.as_str();
    let about = match stage {
        "cluster set" if has("being deleted") => "deleted".to_owned(),
        "cluster set"
            if has("member of none of the eligible sets") || has("its sets are not bound") =>
        {
            "member of none".to_owned()
        }
        "cluster set" if has("cannot be read") => {
            let name = reason.split(' ').nth(3).unwrap();
            format!("unreadable {name}")
        }
        "predicates" if has("none of them matches") => "none".to_owned(),
        "selection" if has("selects no cluster") => "selects no cluster".to_owned(),
        "selection" => reason.to_owned(),
        "taints" if has("operator") => "misconfigured".to_owned(),
        "taints" => {
            let text = reason.trim_start_matches("the toleration of ");
            text.split(' ').next().unwrap().to_owned()
        }
        "prioritizers" | "placement" | "decision groups" => String::new(),
        _ if has("misconfigured") => "misconfigured".to_owned(),
        _ => match &verdict.asked {
            Some(asked) => asked.clone(),
            None if has("not a valid label selector operator") => "misconfigured".to_owned(),
            None => panic!("{}: {verdict:?}", candidate.name),
        },
    };
    keyed(verdict, &about)
}

#[test]
fn clusters_lose_for_what_the_specification_says() {
    let mut lost = 0;
    for seed in 0..120 {
        let documents = site(&mut Dice(seed));
        let oracle = Oracle::new(&documents);
        let found = super::with_plan(&documents, |plan| {
            let study = again::placement(&plan.site.ocm, plan.now, "ns/p", Detail::All);
            let why = planner::ocm::why::why(&study.unwrap(), None);
            super::hold_all(&documents, &why, &oracle.fates(), word)
        });
        lost += found.unwrap_or(0);
    }
    assert!(lost > 250, "{lost}");
}

/// Nothing is ranked then, and still every cluster is a candidate with the reason.
#[test]
fn every_cluster_is_a_candidate_of_a_misconfigured_placement() {
    let mut documents: Vec<Value> = ["a", "b"]
        .map(|name| {
            json!({"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster",
                "metadata": {"name": name,
                    "labels": {"cluster.open-cluster-management.io/clusterset": "s"}}})
        })
        .to_vec();
    let hub = "cluster.open-cluster-management.io/v1beta2";
    documents.extend([
        json!({"apiVersion": hub, "kind": "ManagedClusterSet", "metadata": {"name": "s"}}),
        json!({"apiVersion": hub, "kind": "ManagedClusterSetBinding",
            "metadata": {"name": "s", "namespace": "ns"}, "spec": {"clusterSet": "s"}}),
        json!({"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
            "metadata": {"name": "p", "namespace": "ns"},
            "spec": {"prioritizerPolicy": {"configurations": [
                {"scoreCoordinate": {"type": "BuiltIn", "builtIn": "Nope"}, "weight": 1}]}}}),
    ]);
    let found = super::with_plan(&documents, |plan| {
        let study = again::placement(&plan.site.ocm, plan.now, "ns/p", Detail::All).unwrap();
        planner::ocm::why::why(&study, None)
    });
    let candidates = found.unwrap().candidates;
    let names: Vec<&str> = candidates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    for candidate in candidates {
        let mut against = candidate.verdicts.iter().filter(|verdict| !verdict.passes);
        let says = |verdict: &planner::why::Verdict| verdict.reason.contains("Nope");
        assert!(against.any(says), "{}", candidate.name);
    }
}
