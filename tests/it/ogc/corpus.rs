//! The readable cases that were derived from the specification.

use std::collections::BTreeMap;

use planner::load::Request;
use serde_json::{Value, json};

use super::{options, refused, run};
use crate::support::{corpus, corpus_folder};

fn by_name(plan: &Value) -> BTreeMap<(String, String), Value> {
    let name = |item: &Value, key: &str| item[key].as_str().expect("a name").to_owned();
    let items = plan.as_array().expect("a list").iter();
    items
        .map(|item| {
            (
                (name(item, "package"), name(item, "application")),
                item.clone(),
            )
        })
        .collect()
}

/// Rules in a fixed order, by the corpus' names of the fields.
fn rules(rules: &Value) -> Vec<String> {
    let text = |rule: &Value| {
        let fields = ["key", "operator", "values", "origin"].map(|key| rule[key].to_string());
        fields.join(" ")
    };
    let mut rules: Vec<String> = rules.as_array().expect("rules").iter().map(text).collect();
    rules.sort();
    rules
}

#[test]
fn the_corpus_agrees() {
    let volumes = corpus_folder("ogc").join("out-of-bounds.json");
    let volumes = std::fs::read_to_string(volumes).expect("a file");
    let volumes: Value = serde_json::from_str(&volumes).expect("JSON");
    let cases = corpus("ogc");
    assert_eq!(cases.len(), 75);
    for (path, name, wanted) in cases {
        let wanted_plan = wanted["plan"].as_array().expect("a plan");
        let (plan, found) = run(&Request::of(vec![path.clone()]), &options());
        let refusal =
            |entry: &Value| !entry["error"].is_null() && entry["error"]["filter"].is_null();
        if wanted_plan.iter().any(refusal) {
            assert!(refused(&found), "{name} should be refused");
            continue;
        }
        assert!(!refused(&found), "{name}: {found:?}");
        let planned = by_name(&plan);
        assert_eq!(planned.len(), wanted_plan.len(), "{name}");
        let mut left = Vec::new();
        for (key, wanted) in by_name(&wanted["plan"]) {
            let item = &planned[&key];
            assert_eq!(item["cluster"], wanted["cluster"], "{name} {key:?}");
            let lists = |filters: &Value| -> Vec<Value> {
                let filters = filters.as_array().expect("filters").iter();
                filters
                    .map(|filter| json!([filter["name"], filter["clusters"]]))
                    .collect()
            };
            assert_eq!(
                lists(&item["filters"]),
                lists(&wanted["filters"]),
                "{name} {key:?}"
            );
            assert_eq!(
                rules(&item["effectiveRules"]),
                rules(&wanted["effective_rules"]),
                "{name} {key:?}"
            );
            let filter = |error: &Value| error.get("filter").cloned().unwrap_or(Value::Null);
            assert_eq!(
                filter(&item["error"]),
                filter(&wanted["error"]),
                "{name} {key:?}"
            );
            for volume in item["outOfBounds"].as_array().expect("volumes") {
                left.push(json!({
                    "package": key.0, "application": key.1, "cluster": volume["cluster"],
                    "kind": volume["kind"], "name": volume["name"],
                }));
            }
        }
        let wanted = volumes.get(&name).cloned().unwrap_or(json!([]));
        assert_eq!(json!(left), wanted, "{name}");
    }
}
