//! `planner test`: expectations beside a site, and what is said of those that cannot be tried.

use std::fs;
use std::path::Path;

use crate::support::{self, Answer, Folder, site};
use serde_json::Value;

fn test(name: &str, spec: &str) -> String {
    format!(
        "---\napiVersion: planner/v1\nkind: PlanTest\nmetadata: {{name: {name}}}\nspec:\n{spec}"
    )
}

fn expecting(expectation: &str) -> String {
    test("it", &format!("  expect:\n  - {expectation}\n"))
}

/// A site and a test beside it, tried.
fn tried(site: &str, test: &str) -> Answer {
    let folder = Folder::of(&[("site/site.yaml", site), ("site/tests.yaml", test)]);
    folder.at(&["test", "site", "-o", "json"])
}

/// What was found instead, of the only expectation.
#[track_caller]
fn found(answer: &Answer) -> Value {
    answer.json()["tests"][0]["expectations"][0]["found"].clone()
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name);
    fs::read_to_string(path).expect("a fixture")
}

#[test]
fn an_application_is_where_it_is_expected_or_the_test_fails() {
    let site = site();
    let holds = tried(&site, &expecting("{application: shop/web, cluster: oslo}"));
    assert_eq!(holds.ends(0).json()["passed"], 1);
    let fails = tried(&site, &expecting("{application: shop/web, cluster: lyon}"));
    assert_eq!(found(fails.ends(1)), "it is on `oslo`");
    let nowhere = tried(&site, &expecting("{application: shop/web, cluster: null}"));
    assert_eq!(found(nowhere.ends(1)), "it is on `oslo`");
    let near = tried(&site, &expecting("{application: shop/wbe, cluster: oslo}"));
    let words = found(near.ends(1));
    assert_eq!(
        words,
        "there is no such application; did you mean `shop/web`?"
    );
    let large = support::too_large();
    tried(&large, &expecting("{application: shop/web, cluster: null}")).ends(0);
    let large = tried(&large, &expecting("{application: shop/web, cluster: lyon}"));
    assert_eq!(found(large.ends(1)), "it is on no cluster");
}

#[test]
fn values_are_set_for_one_test_alone() {
    let tests = [
        test(
            "oslo-down",
            "  set:\n  - {kind: Cluster, name: oslo, pointer: /status/phase, value: Down}\n  \
             expect:\n  - {application: shop/web, cluster: lyon}\n",
        ),
        test(
            "lyon-cheap",
            "  set:\n  - {kind: Cluster, name: lyon, pointer: /metadata/labels/cost, value: \"3\"}\n  \
             expect:\n  - {application: shop/web, cluster: lyon}\n",
        ),
        test("as-it-is", "  expect:\n  - {application: shop/web, cluster: oslo}\n"),
        test(
            "whole-list",
            "  set:\n  - kind: Package\n    name: shop\n    pointer: /spec/rules/0\n    value: {key: \
             cost, operator: MaxOf}\n  expect:\n  - {application: shop/web, cluster: lyon}\n",
        ),
        test(
            "refused",
            "  set:\n  - {kind: Package, name: shop, pointer: /spec/project, value: nobody}\n  \
             expect:\n  - {application: shop/web, cluster: lyon}\n",
        ),
    ]
    .concat();
    let answer = tried(&site(), &tests);
    let results: Vec<Value> = answer.json()["tests"]
        .as_array()
        .expect("tests")
        .iter()
        .map(|test| test["result"].clone())
        .collect();
    assert_eq!(
        results,
        ["passed", "passed", "passed", "passed", "failed"],
        "{answer:#?}"
    );
    assert_eq!(answer.status, 1);
}

#[test]
fn a_refusal_can_be_expected() {
    let site = site();
    let set = |value: &str, expect: &str| {
        test(
            "it",
            &format!(
                "  set:\n  - {{kind: Package, name: shop, pointer: /spec/rules/0/operator, \
                 value: {value}}}\n  expect:\n  - {{invalid: \"{expect}\"}}\n"
            ),
        )
    };
    tried(&site, &set("Cheapest", "planner::schema::value")).ends(0);
    tried(&site, &set("Cheapest", "schema::value")).ends(0);
    let other = tried(&site, &set("Cheapest", "schema::type"));
    assert_eq!(
        found(other.ends(1)),
        "documents are refused for schema::value"
    );
    let nothing = tried(&site, &set("MaxOf", "schema::value"));
    assert_eq!(found(nothing.ends(1)), "nothing is refused");
}

#[test]
fn placements_groups_and_verdicts() {
    let strategy = fixture("corpus/airship/seed-example-1-all-succeed.yaml");
    let wanted: Value = serde_json::from_str(&fixture(
        "corpus/airship/seed-example-1-all-succeed.expected.json",
    ))
    .expect("JSON");
    tried(&strategy, &expecting("{verdict: success}")).ends(0);
    let faults = "  faults:\n    prepare: {fail: [ntp01]}\n  expect:\n  - {verdict: failed}\n";
    tried(&strategy, &test("ntp", faults)).ends(0);
    let faults = "  faults:\n    prepare: {fail: [npt01]}\n  expect:\n  - {verdict: success}\n";
    let misspelt = tried(&strategy, &test("ntp", faults));
    assert_eq!(
        misspelt.ends(1).codes(),
        ["planner::airship::unknown_fault"]
    );
    let plan = Folder::of(&[("s.yaml", &strategy)])
        .at(&["plan", "s.yaml", "-o", "json"])
        .json();
    let order: Vec<&str> = plan["deploymentStrategy"]["order"]
        .as_array()
        .expect("an order")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(
        order.len(),
        wanted["order"].as_array().expect("an order").len()
    );
    tried(
        &strategy,
        &expecting(&format!("{{groupOrder: [{}]}}", order.join(", "))),
    )
    .ends(0);
    let wrong = tried(
        &strategy,
        &expecting(&format!("{{groupOrder: [{}]}}", order[1])),
    );
    assert_eq!(
        found(wrong.ends(1)),
        format!("the order is {}", order.join(", "))
    );
    let none = tried(&site(), &expecting("{verdict: success}"));
    assert_eq!(found(none.ends(1)), "there is no deployment strategy");

    let rule = ["answers", "clusters", "policy", "rule"]
        .map(|name| format!("---\n{}", fixture(&format!("hybrid/board/{name}.yaml"))))
        .concat();
    let plan = Folder::of(&[("s.yaml", &rule)])
        .at(&["plan", "s.yaml", "-o", "json"])
        .json();
    let decided = plan["placementRules"][0]["decisions"]
        .as_array()
        .expect("decisions")
        .clone();
    let names: Vec<&str> = decided.iter().filter_map(Value::as_str).collect();
    let short: Vec<&str> = names
        .iter()
        .rev()
        .filter_map(|n| n.rsplit('/').next())
        .collect();
    for list in [names.join(", "), short.join(", ")] {
        let wanted = format!("{{placement: shop/checkout, decisions: [{list}]}}");
        tried(&rule, &expecting(&wanted)).ends(0);
    }
    let wrong = tried(
        &rule,
        &expecting("{placement: shop/checkout, decisions: []}"),
    );
    assert!(
        found(wrong.ends(1))
            .as_str()
            .expect("text")
            .starts_with("the decisions are ")
    );
}

#[test]
fn a_test_may_read_other_documents() {
    let folder = Folder::of(&[
        (
            "tests/t.yaml",
            &test(
                "it",
                "  given: [../site]\n  expect:\n  - {application: shop/web, cluster: oslo}\n",
            ),
        ),
        ("site/site.yaml", &site()),
    ]);
    folder.at(&["test", "tests"]).ends(0);
    folder.write(
        "tests/t.yaml",
        test(
            "it",
            "  given: [../siet]\n  expect:\n  - {verdict: failed}\n",
        ),
    );
    let missing = folder.at(&["test", "tests", "-o", "json"]);
    assert_eq!(missing.ends(1).codes(), ["planner::io::not_found"]);
    assert_eq!(missing.json()["broken"], 1);
}

#[test]
fn tests_at_fault_are_findings_with_places() {
    let set = |fields: &str| {
        let expect = "  expect:\n  - {application: shop/web, cluster: oslo}\n";
        test("it", &format!("  set:\n  - {{{fields}}}\n{expect}"))
    };
    let cases = [
        (
            set("kind: Cluster, name: olso, pointer: /status/phase, value: Down"),
            "test::unknown_document",
        ),
        (
            set("kind: Cluser, name: oslo, pointer: /status/phase, value: Down"),
            "test::unknown_document",
        ),
        (
            set("kind: Cluster, name: oslo, pointer: /status/state, value: Down"),
            "test::unknown_pointer",
        ),
        (
            set("kind: Cluster, name: oslo, pointer: /spec/nodes/7, value: Down"),
            "test::unknown_pointer",
        ),
        (
            set("kind: Cluster, name: oslo, pointer: /spec/nodes/+0, value: Down"),
            "test::unknown_pointer",
        ),
        (
            set("kind: Cluster, name: oslo, pointer: /spec/nodes/00, value: Down"),
            "test::unknown_pointer",
        ),
        (
            set("kind: Cluster, name: oslo, pointer: status, value: Down"),
            "schema::pattern",
        ),
        (
            set("kind: Cluster, name: oslo, pointer: /status/phase"),
            "schema::required",
        ),
        (expecting("{invalid: schema::vlaue}"), "test::unknown_code"),
        (expecting("{application: shop/web}"), "schema::required"),
        (
            expecting("{application: web, cluster: oslo}"),
            "schema::pattern",
        ),
        (
            expecting("{application: shop/web, cluster: oslo, verdict: failed}"),
            "schema::combination",
        ),
        (expecting("{verdict: maybe}"), "schema::value"),
        (test("it", "  expect: []\n"), "schema::range"),
    ];
    for (text, code) in cases {
        let folder = Folder::of(&[("site/site.yaml", &site()), ("site/tests.yaml", &text)]);
        let answer = folder.at(&["test", "site", "-o", "json"]);
        let full = format!("planner::{code}");
        assert_eq!(answer.ends(1).codes(), [full.as_str()], "{text}");
        let at = &answer.json()["diagnostics"][0]["primary"];
        assert_eq!(at["path"], "site/tests.yaml");
        assert!(at["line"].as_u64().expect("a line") > 1);
        assert_eq!(answer.json()["broken"], 1, "{text}");
        // `validate` says the same; a plan is made all the same.
        let validated = folder.at(&["validate", "site", "-o", "json"]);
        assert_eq!(validated.ends(1).codes(), [full.as_str()], "{text}");
        folder.at(&["plan", "site", "--no-input"]).ends(0);
    }
    let two = [
        support::application("web", "1", false),
        support::application("web", "1", false).replace("shop", "blog"),
        set("kind: Application, name: web, pointer: /spec/package, value: shop"),
    ]
    .concat();
    let folder = Folder::of(&[("a.yaml", &two)]);
    let answer = folder.at(&["test", "a.yaml", "-o", "json"]);
    assert_eq!(
        answer.ends(1).codes(),
        ["planner::test::ambiguous_document"]
    );
}

#[test]
fn tests_are_no_part_of_a_plan() {
    let folder = Folder::of(&[
        ("site/site.yaml", &site()),
        (
            "site/tests.yaml",
            &expecting("{application: shop/web, cluster: lyon}"),
        ),
    ]);
    let plan = folder.at(&["plan", "site", "-o", "json"]);
    assert_eq!(plan.ends(0).json()["documents"]["notOurs"], 1);
    folder.at(&["validate", "site"]).ends(0);
    let alone = Folder::of(&[("site.yaml", &site())]);
    alone
        .at(&["test", "site.yaml"])
        .ends(66)
        .says("no PlanTest was found");
    alone.at(&["test", "missing"]).ends(66);
}

#[test]
fn the_report_as_a_runner_prints_it_and_as_junit() {
    let tests = [
        test("web-is-cheap", "  expect:\n  - {application: shop/web, cluster: oslo}\n"),
        test("<web> & \"co\"", "  expect:\n  - {application: shop/web, cluster: lyon}\n"),
        test("olso", "  set:\n  - {kind: Cluster, name: olso, pointer: /a, value: 1}\n  expect:\n  - {verdict: failed}\n"),
    ]
    .concat()
    .replace("{name: <web> & \"co\"}", "{name: '<web> & \"co\"'}");
    let folder = Folder::of(&[("site/site.yaml", &site()), ("site/tests.yaml", &tests)]);
    let text = folder.at(&["test", "site", "-o", "junit=report.xml"]);
    insta::assert_snapshot!("report-text", text.ends(1).out);
    insta::assert_snapshot!("report-junit", folder.read("report.xml"));
    let quiet = folder.at(&["test", "site", "--quiet"]);
    assert!(!quiet.out.contains("web-is-cheap"), "{quiet:?}");
    let one = folder.at(&["test", "site", "-o", "json", "--jobs", "1"]);
    assert_eq!(
        one.out,
        folder
            .at(&["test", "site", "-o", "json", "--jobs", "5"])
            .out
    );
}
