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

/// The site of the ways with one text in place of another.
fn ways_with(from: &str, to: &str) -> String {
    let text = include_str!("../../../fixtures/deliveries/ways.yaml");
    assert!(text.contains(from));
    text.replace(from, to)
}

#[test]
fn a_changed_binding_is_a_move_with_its_cause() {
    let folder = crate::support::Folder::new();
    let text = include_str!("../../../fixtures/deliveries/ways.yaml");
    folder.write("old/ways.yaml", text);
    let dev = "metadata: {name: dev, namespace: gov}\nplacementRef: \
               {apiGroup: cluster.open-cluster-management.io, kind: Placement, name: dev}";
    let prod = dev.replace("name: dev}", "name: prod}");
    folder.write("new/ways.yaml", ways_with(dev, &prod));
    let words = [
        "plan",
        "new",
        "--against",
        "old",
        "--now",
        crate::support::NOW,
    ];
    let answer = folder.run(&[&words[..], &["-o", "json"]].concat());
    let moves = answer.json()["moves"].clone();
    let quotas = moves.as_array().unwrap().iter();
    let mut quotas = quotas.filter(|one| one["subject"] == "Policy/gov/quotas");
    let moved = quotas.next().unwrap_or_else(|| panic!("{moves:#}"));
    assert_eq!(moved["confirmed"], true, "{moved:#}");
    assert!(moved.to_string().contains("PlacementBinding"), "{moved:#}");
    let page = folder.run(&[&words[..], &["-o", "markdown"]].concat());
    assert!(
        page.out.contains("| | What reaches which cluster |"),
        "{}",
        page.out
    );
}

#[test]
fn expectations_say_what_is_to_reach_which_cluster() {
    let folder = crate::support::Folder::new();
    folder.write(
        "ways.yaml",
        include_str!("../../../fixtures/deliveries/ways.yaml"),
    );
    let test = |claim: &str| {
        let text = format!(
            "apiVersion: planner/v1\nkind: PlanTest\nmetadata: {{name: ways}}\nspec:\n  expect:\n  - \
             deliveries:\n    - {{kind: Policy, namespace: gov, name: quotas, {claim}}}\n"
        );
        folder.write("ways.test.yaml", text);
        folder.run(&["test", "."])
    };
    test("clusters: [lyon, bern], contains: [bern], not: [oslo]").ends(0);
    let all = test("clusters: [lyon]");
    assert!(all.out.contains("it reaches bern, lyon"), "{all:#?}");
    let contains = test("contains: [oslo]");
    assert!(
        contains.out.contains("it does not reach `oslo`"),
        "{contains:#?}"
    );
    let not = test("not: [lyon]");
    assert!(not.out.contains("it reaches `lyon`"), "{not:#?}");
}

#[test]
fn ways_are_told_with_what_each_gives() {
    let text = include_str!("../../../fixtures/deliveries/ways.yaml");
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
