//! Policies, their sets and bindings, PlacementRules.

use serde_json::Value;

use super::{plan, same_rows};
use crate::support::corpus;

#[test]
fn the_corpus_agrees() {
    let cases = corpus("policies");
    assert!(cases.len() >= 20, "{}", cases.len());
    for (path, case, wanted) in cases {
        let got = plan(&path);
        let fields = ["clusters", "was", "disabled", "remediation", "after"];
        same_rows(&case, &got["deliveries"], &wanted["deliveries"], &fields);
        let none = Value::Array(Vec::new());
        let rules = wanted.get("placementRules").unwrap_or(&none);
        let of_both = ["decisions", "arbitrary"];
        if !rules.as_array().unwrap().is_empty() {
            same_rows(&case, &got["legacyRules"], rules, &of_both);
        }
        let planned = got["placements"].as_array().cloned().unwrap_or_default();
        for made in wanted["generated"].as_array().into_iter().flatten() {
            let same = |placement: &Value| {
                placement["namespace"] == made["namespace"] && placement["name"] == made["name"]
            };
            if made["kind"] == "Placement" {
                assert!(planned.iter().any(same), "{case}: {made}");
            }
        }
        let found = got["diagnostics"].as_array().unwrap();
        if wanted.get("generatorError").is_some() {
            let stops = |found: &Value| found["code"] == "planner::ocm::generator_refused";
            assert!(found.iter().any(stops), "{case}: {found:#?}");
        }
        for refused in wanted["rejected"].as_array().into_iter().flatten() {
            let told = found.iter().any(|found| {
                let object = &found["object"];
                found["severity"] == "error"
                    && object["kind"] == refused["kind"]
                    && object["name"] == refused["name"]
            });
            assert!(told, "{case}: {refused} in {found:#?}");
        }
    }
}

#[test]
fn ways_are_told_with_what_each_gives() {
    let text = include_str!("../../fixtures/deliveries/ways.yaml");
    let folder = crate::support::Folder::new();
    folder.write("ways.yaml", text);
    let answer = folder.run(&["plan", "-o", "json", "--no-input", "ways.yaml"]);
    let rows = answer.json()["deliveries"].clone();
    let row = |name: &str| {
        let mut rows = rows.as_array().unwrap().iter();
        rows.find(|row| row["name"] == name).unwrap().clone()
    };
    let quotas = row("quotas");
    let way = |at: usize| {
        let way = &quotas["via"][at];
        let text = |key: &str| way[key].as_str().unwrap_or("-").to_owned();
        (text("binding"), text("set"), way["clusters"].clone())
    };
    let names = |names: &[&str]| Value::from(names.to_vec());
    assert_eq!(way(0), ("all".into(), "base".into(), names(&["lyon"])));
    assert_eq!(way(1), ("dev".into(), "-".into(), names(&["bern"])));
    assert_eq!(quotas["via"][2]["restricted"], true);
    assert_eq!(quotas["clusters"], names(&["bern", "lyon"]));
    assert_eq!(quotas["added"], names(&["bern"]));
    assert_eq!(quotas["removed"], names(&["oslo"]));
    assert_eq!(quotas["line"], 60);
    let screen = folder.run(&["plan", "--no-input", "ways.yaml", "--section", "deliveries"]);
    insta::assert_snapshot!(screen.out);
}
