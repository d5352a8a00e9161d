//! What a plan decides, taken from its form as data: the part of it that a saved plan is held to.
//! Reasons, counts, findings and places are left out, so that a comment or an unused label changes
//! nothing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::diff::{Decisions, Subject};
use crate::document::System;
use crate::plan::Assignment;

use super::sections::Sections;

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    let items = value.get(key).and_then(Value::as_array);
    items.map_or(&[], Vec::as_slice)
}

fn names(value: &Value, key: &str) -> Vec<String> {
    let named = items(value, key).iter().filter_map(Value::as_str);
    let mut names: Vec<String> = named.map(str::to_owned).collect();
    names.sort();
    names
}

/// `namespace/name`, or the name alone.
fn spaced(value: &Value) -> String {
    match value.get("namespace").and_then(Value::as_str) {
        Some(namespace) => format!("{namespace}/{}", text(value, "name")),
        None => text(value, "name").to_owned(),
    }
}

/// The decisions of a plan, subject by subject, from its sections.
#[must_use]
pub fn decisions(outcome: &Sections) -> Decisions {
    let mut all = Decisions::new();
    if let Some(strategy) = outcome.get("deploymentStrategy") {
        groups(&strategy, &mut all);
    }
    for set in outcome.rows("regionPlacements") {
        for region in items(&set, "regions") {
            let name = format!("{}/{}", text(&set, "path"), text(region, "name"));
            let after = count(region.get("after"));
            all.insert(Subject::new(System::Senlin, name), Assignment::Count(after));
        }
    }
    for placement in outcome.rows("placements") {
        if placement.get("skipped").is_none() {
            let answer = Assignment::Decisions(names(&placement, "decisions"));
            all.insert(Subject::new(System::Ocm, spaced(&placement)), answer);
        }
    }
    for row in outcome.rows("deliveries") {
        let answer = Assignment::Decisions(names(&row, "clusters"));
        let (kind, namespace) = (text(&row, "kind"), text(&row, "namespace"));
        all.insert(
            Subject::delivery(kind, namespace, text(&row, "name")),
            answer,
        );
    }
    for rule in outcome.rows("placementRules") {
        let answer = Assignment::Decisions(names(&rule, "decisions"));
        all.insert(Subject::new(System::Hybrid, spaced(&rule)), answer);
    }
    for application in outcome.rows("applications") {
        if text(&application, "change") != "withdraw" {
            let cluster = application.get("cluster").and_then(Value::as_str);
            let answer = Assignment::Cluster(cluster.map(str::to_owned));
            all.insert(Subject::new(System::Ogc, named(&application)), answer);
        }
    }
    all
}

fn named(application: &Value) -> String {
    format!(
        "{}/{}",
        text(application, "package"),
        text(application, "application")
    )
}

fn groups(strategy: &Value, all: &mut Decisions) {
    let order = items(strategy, "order").iter().filter_map(Value::as_str);
    let positions: BTreeMap<&str, usize> = order.zip(1..).collect();
    for group in items(strategy, "groups") {
        let name = text(group, "name");
        let answer = Assignment::Group {
            position: positions.get(name).copied().unwrap_or_default(),
            nodes: names(group, "nodes"),
            terms: Vec::new(),
        };
        all.insert(Subject::new(System::Airship, name), answer);
    }
}

fn count(value: Option<&Value>) -> i128 {
    match value {
        Some(Value::Number(number)) => number.as_i128().unwrap_or_default(),
        Some(Value::String(digits)) => digits.parse().unwrap_or_default(),
        _ => 0,
    }
}

/// What is decided about each thing, by its section and name: two plans with the same essence do
/// the same.
#[must_use]
pub fn essence(outcome: &Sections) -> BTreeMap<(&'static str, String), Value> {
    let mut all = BTreeMap::new();
    if let Some(strategy) = outcome.get("deploymentStrategy") {
        all.insert(("group order", String::new()), strategy["order"].clone());
        for group in items(&strategy, "groups") {
            all.insert(
                ("group", text(group, "name").to_owned()),
                json!(names(group, "nodes")),
            );
        }
    }
    for set in outcome.rows("regionPlacements") {
        all.insert(
            ("region placement", text(&set, "path").to_owned()),
            region_set(&set),
        );
    }
    for placement in outcome.rows("placements") {
        let groups = items(&placement, "decisionGroups").iter();
        let groups = groups.map(|group| json!([group["name"], names(group, "clusters")]));
        let value = json!({
            "skipped": placement.get("skipped"),
            "decisions": names(&placement, "decisions"),
            "groups": groups.collect::<Vec<_>>(),
        });
        all.insert(("placement", spaced(&placement)), value);
    }
    for row in outcome.rows("deliveries") {
        let name = format!("{} {}", text(&row, "kind"), spaced(&row));
        let value = json!([names(&row, "clusters"), row.get("remediation")]);
        all.insert(("delivery", name), value);
    }
    for rule in outcome.rows("legacyRules") {
        all.insert(
            ("legacy rule", spaced(&rule)),
            json!(names(&rule, "decisions")),
        );
    }
    for rule in outcome.rows("placementRules") {
        all.insert(
            ("placement rule", spaced(&rule)),
            json!(names(&rule, "decisions")),
        );
    }
    for application in outcome.rows("applications") {
        all.insert(("application", named(&application)), placed(&application));
    }
    for (at, rollout) in outcome.rows("rollouts").enumerate() {
        let name = format!("{} {}", at + 1, text(&rollout, "name"));
        all.insert(("rollout", name), step(&rollout));
    }
    for waves in outcome.rows("rolloutWaves") {
        let set = text(&waves, "manifestWorkReplicaSet");
        let name = format!(
            "{}/{set} to {}",
            text(&waves, "namespace"),
            text(&waves, "placement")
        );
        all.insert(("rollout waves", name), waves["waves"].clone());
    }
    all
}

fn region_set(set: &Value) -> Value {
    let regions = items(set, "regions").iter();
    let regions = regions.map(|region| json!([region["name"], region["change"], region["after"]]));
    json!({
        "cluster": set["cluster"],
        "action": set["action"],
        "regions": regions.collect::<Vec<_>>(),
        "data": set["data"],
    })
}

fn placed(application: &Value) -> Value {
    let left = items(application, "outOfBounds").iter();
    let left = left.map(|one| json!([one["cluster"], one["kind"], one["name"]]));
    json!({
        "cluster": application["cluster"],
        "withdrawn": text(application, "change") == "withdraw",
        "volumesLeft": left.collect::<Vec<_>>(),
    })
}

/// A step of a rollout without the times at which to look again, which pass by themselves.
fn step(rollout: &Value) -> Value {
    let clusters = |key: &str| {
        let all = items(rollout, key).iter();
        json!(
            all.map(|one| json!([one["clusterName"], one["status"]]))
                .collect::<Vec<_>>()
        )
    };
    json!({
        "set": rollout["manifestWorkReplicaSet"],
        "placement": rollout["placement"],
        "rollout": clusters("clustersToRollout"),
        "timeOut": clusters("clustersTimeOut"),
        "removed": clusters("clustersRemoved"),
        "breach": rollout["maxFailureBreach"],
        "failed": rollout.get("error").is_some(),
    })
}
