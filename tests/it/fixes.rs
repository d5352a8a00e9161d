//! Fixes mend what they say and harm nothing: JSON stays JSON, plans stay plans, twice is once.

use crate::support::{Answer, Folder, PACKAGE, application, cluster, site};
use proptest::prelude::*;

const ALL: &[&str] = &["validate", ".", "--fix", "--unsafe-fixes"];

/// Fixes files and gives what was said; a second time changes nothing.
fn fixed(folder: &Folder, args: &[&str]) -> Answer {
    let answer = folder.at(args);
    let after: Vec<String> = folder
        .files()
        .iter()
        .map(|name| folder.read(name))
        .collect();
    folder.at(args).says("No edits to make.");
    let again: Vec<String> = folder
        .files()
        .iter()
        .map(|name| folder.read(name))
        .collect();
    assert_eq!(after, again);
    answer
}

#[test]
fn a_value_that_is_not_there_is_not_quoted() {
    for empty in ["gpu:\n", "gpu: # none\n", "gpu: ~\n", "gpu: null\n"] {
        let text = cluster("oslo", 2020, 1, "Up")
            .replace("labels: {cost: \"1\"}\n", &format!("labels:\n    {empty}"));
        let folder = Folder::of(&[("a.yaml", &text)]);
        fixed(&folder, &["validate", ".", "--fix"]);
        let after = folder.read("a.yaml");
        assert!(
            after.matches('"').count() <= text.matches('"').count() + 2,
            "{after}"
        );
        assert!(after.contains("gpu:"), "{after}");
    }
}

#[test]
fn a_key_of_json_keeps_its_quotes() {
    let text = "{\"apiVersion\":\"cluster.open-cluster-management.io/v1beta1\",\
                \"kind\":\"Placement\",\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\
                \"spec\":{\"numberOfCluster\":1}}\n";
    for name in ["a.json", "a.yaml"] {
        let folder = Folder::of(&[(name, text)]);
        folder.at(&["validate", ".", "--fix"]);
        assert_eq!(
            folder.read(name),
            text,
            "a field that was dropped would count"
        );
        fixed(&folder, ALL);
        assert_eq!(
            folder.read(name),
            text.replace("numberOfCluster", "numberOfClusters")
        );
    }
}

#[test]
fn a_value_shared_by_an_anchor_is_not_fixed_for_one_reader() {
    // A port is a number; shared with a label that must be text.
    let text = "apiVersion: planner/v1\nkind: Package\nmetadata:\n  name: shop\nspec:\n  \
                project: retail\n  replicas: &n 5.0\n---\n"
        .to_owned();
    let shared = cluster("oslo", 2020, 1, "Up")
        .replace("cost: \"1\"", "cost: &v yes, other: *v")
        .replace("projects: [retail]", "projects: [*v]");
    let folder = Folder::of(&[("a.yaml", &[text, shared.clone()].concat())]);
    let before = folder.at(&["validate", ".", "-o", "json"]).codes().len();
    fixed(&folder, ALL);
    let after = folder.at(&["validate", ".", "-o", "json"]).codes().len();
    assert!(after <= before, "{}", folder.read("a.yaml"));
}

#[test]
fn a_tag_keeps_its_value() {
    let text =
        cluster("oslo", 2020, 1, "Up").replace("cost: \"1\"", "cost: !!int 5, up: !!bool yes");
    let folder = Folder::of(&[("a.yaml", &text)]);
    fixed(&folder, ALL);
    assert_eq!(folder.read("a.yaml"), text);
}

#[test]
fn safe_fixes_change_no_plan() {
    let text = site().replace(
        "spec:\n  package: shop",
        "spec:\n  stategy: {}\n  package: shop",
    );
    let folder = Folder::of(&[("a.yaml", &text)]);
    fixed(&folder, &["validate", ".", "--fix"]);
    assert_eq!(folder.read("a.yaml"), text);
}

/// Words that a fix may be about, in many ways to write them.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "yes",
        "5",
        "1.5",
        "~",
        "",
        "'no'",
        "\"on\"",
        "&a yes",
        "!!int 5",
        "!!str yes",
        "a: b",
        "1e3",
        "2020-01-01",
        "[yes]",
        "{a: 1}",
        "*a",
        "é yes",
    ]);
    word.prop_map(str::to_owned)
}

fn keys() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "labels",
        "lables",
        "name",
        "nmae",
        "\"name\"",
        "'nmae'",
        "annotations",
        "generation",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fixes_are_idempotent_and_safe_ones_change_no_plan(
        fields in prop::collection::vec((keys(), words()), 1..4),
        labels in prop::collection::vec((prop::sample::select(vec!["a", "b", "\"c\""]), words()), 0..4),
        flow in any::<bool>(),
    ) {
        let map = |pairs: &[(&str, String)]| {
            let pairs: Vec<String> = pairs.iter().map(|(k, v)| format!("{k}: {v}")).collect();
            pairs
        };
        let labels = map(&labels);
        let fields = map(&fields);
        let text = if flow {
            format!(
                "---\napiVersion: planner/v1\nkind: Cluster\nmetadata: {{name: oslo, {}, labels: {{{}}}}}\n",
                fields.join(", "),
                labels.join(", ")
            )
        } else {
            let field = |field: &String| format!("  {field}\n");
            let label = |label: &String| format!("    {label}\n");
            format!(
                "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata:\n  name: oslo\n{}  labels:\n{}",
                fields.iter().map(field).collect::<String>(),
                labels.iter().map(label).collect::<String>()
            )
        };
        let whole = [PACKAGE, &cluster("lyon", 2021, 7, "Up"), &application("web", "1", false), &text].concat();
        let folder = Folder::of(&[("a.yaml", &whole)]);
        let plan = |folder: &Folder| folder.at(&["plan", ".", "-o", "json"]);
        let before = plan(&folder);
        fixed(&folder, &["validate", ".", "--fix"]);
        if before.status != 1 {
            let cut = |answer: &Answer| {
                let mut json = answer.json();
                json["diagnostics"] = serde_json::Value::Null;
                json
            };
            prop_assert_eq!(cut(&before), cut(&plan(&folder)), "{}", folder.read("a.yaml"));
        }
        fixed(&folder, ALL);
    }
}

#[test]
fn a_value_that_aliases_name_is_left_alone() {
    let text = "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
                metadata: {name: a, labels: {a: &x yes}}\nspec: {hubAcceptsClient: *x}\n";
    let folder = Folder::of(&[("a.yaml", text)]);
    let answer = fixed(&folder, &["validate", ".", "--fix"]);
    answer.says("aliases name the value");
    assert_eq!(folder.read("a.yaml"), text);
    let merged = text
        .replace("*x}", "true}")
        .replace("&x yes", "yes, b: &x no");
    let folder = Folder::of(&[("a.yaml", &merged)]);
    fixed(&folder, &["validate", ".", "--fix"]);
    assert_eq!(
        folder.read("a.yaml"),
        merged.replace("yes", "\"yes\"").replace("no}", "\"no\"}")
    );
}
