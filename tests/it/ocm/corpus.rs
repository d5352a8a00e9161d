//! Every case of the corpus, compared as its README says.

use std::collections::BTreeSet;

use planner::diagnostic::Severity;
use planner::load::Request;
use planner::options::CheckOptions;
use serde_json::{Value, json};

use super::run;
use crate::support::corpus;

/// Messages that quote Kubernetes or CEL are compared up to the quotation.
fn head(message: &str) -> &str {
    for cut in ["Invalid value:", "compilation failed:"] {
        if let Some(at) = message.find(cut) {
            return &message[..at + cut.len()];
        }
    }
    message
}

fn conditions(placement: &Value) -> BTreeSet<Vec<String>> {
    let conditions = placement["conditions"].as_array().expect("conditions");
    let text = |condition: &Value, key: &str| condition[key].as_str().unwrap_or("").to_owned();
    let one = |condition: &Value| {
        let mut fields: Vec<String> = ["type", "status", "reason"]
            .map(|key| text(condition, key))
            .into();
        fields.push(head(&text(condition, "message")).to_owned());
        fields
    };
    conditions.iter().map(one).collect()
}

fn without(list: &Value, key: &str) -> Value {
    let mut list = list.clone();
    for entry in list.as_array_mut().into_iter().flatten() {
        entry.as_object_mut().expect("an object").remove(key);
    }
    list
}

#[test]
fn the_corpus_agrees() {
    let cases = corpus("ocm");
    assert_eq!(cases.len(), 43);
    for (path, name, wanted) in cases {
        let settings = CheckOptions::at(
            wanted["now"]
                .as_str()
                .and_then(|now| now.parse().ok())
                .expect("a time"),
        );
        let (got, found) = run(&Request::of(vec![path]), &settings);
        for refused in wanted["rejected"].as_array().into_iter().flatten() {
            let fields: Vec<&str> = refused["errors"]
                .as_array()
                .expect("errors")
                .iter()
                .filter_map(|error| error["field"].as_str())
                .collect();
            let told = found
                .iter()
                .filter(|f| f.severity == Severity::Error)
                .any(|found| {
                    found.object.as_ref().is_some_and(|object| {
                        Some(object.kind.as_str()) == refused["kind"].as_str()
                            && Some(object.name.as_str()) == refused["name"].as_str()
                            && object
                                .field
                                .as_deref()
                                .is_some_and(|field| fields.contains(&field))
                    })
                });
            assert!(told, "{name}: {refused} in {found:?}");
        }
        for placement in wanted["placements"].as_array().into_iter().flatten() {
            let same = |other: &&Value| {
                other["namespace"] == placement["namespace"] && other["name"] == placement["name"]
            };
            let all = got["placements"].as_array().expect("placements");
            let got = all
                .iter()
                .find(same)
                .unwrap_or_else(|| panic!("{name}: {placement}"));
            if placement.get("skipped").is_some() {
                assert_eq!(got["skipped"], placement["skipped"]);
                continue;
            }
            for key in [
                "eligibleClusterSets",
                "availableClusters",
                "totals",
                "selected",
                "decisions",
                "prioritizers",
                "decisionGroups",
                "placementDecisions",
                "deletedPlacementDecisions",
                "numberOfSelectedClusters",
                "unscheduled",
            ] {
                assert_eq!(got[key], placement[key], "{name}: {key}");
            }
            assert_eq!(
                got.get("requeueTime"),
                placement.get("requeueTime"),
                "{name}"
            );
            assert_eq!(
                without(&got["filters"], "left"),
                placement["filters"],
                "{name}"
            );
            assert_eq!(conditions(got), conditions(placement), "{name}");
        }
        if let Some(sequential) = wanted.get("sequential") {
            assert_eq!(&got["sequential"], sequential, "{name}");
        }
        let empty = json!([]);
        let rollouts = wanted.get("rollouts").unwrap_or(&empty);
        let pairs = got["rollouts"].as_array().expect("rollouts").iter();
        for (got, rollout) in pairs.zip(rollouts.as_array().expect("rollouts")) {
            assert_eq!(got["name"], rollout["name"], "{name}");
            if rollout.get("error").is_some() {
                assert!(got.get("error").is_some(), "{name}: {rollout}");
            } else {
                assert_eq!(got, rollout, "{name}");
            }
        }
    }
}
