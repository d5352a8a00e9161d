//! OGC planning: the corpus, the surprising cases of its specification, and what holds of every
//! plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planner::diagnostic::{Diagnostic, Severity};
use planner::load::{Request, load};
use planner::ogc;
use planner::options::Options;
use planner::render::json::ogc::applications;
use serde_json::{Value, json};

fn options() -> Options {
    let mut options = Options::at("2026-01-01T00:00:00Z".parse().expect("a time"));
    options.trace = true;
    options
}

/// The applications of the plan and what was found in the documents.
fn run(request: &Request, options: &Options) -> (Value, Vec<Diagnostic>) {
    let mut loaded = load(request).expect("a request");
    let mut sink = std::mem::take(&mut loaded.sink);
    let documents = loaded.documents();
    let model = ogc::lower(&documents, options, &mut sink);
    let outcome = ogc::plan(&model, options);
    sink.diagnostics
        .extend(ogc::rules::findings(&model, &outcome));
    let plan = serde_json::to_value(applications(&model, &outcome, options.trace));
    (plan.expect("JSON"), sink.diagnostics)
}

fn text(text: &str) -> (Value, Vec<Diagnostic>) {
    let mut request = Request::of(vec![PathBuf::from("-")]);
    request.stdin = Some(text.as_bytes().to_vec());
    run(&request, &options())
}

fn refused(found: &[Diagnostic]) -> bool {
    found.iter().any(|found| found.refuses)
}

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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus/ogc");
    let read = |path: &Path| -> Value {
        let text = std::fs::read_to_string(path).expect("a file");
        serde_json::from_str(&text).expect("JSON")
    };
    let volumes = read(&folder.join("out-of-bounds.json"));
    let mut cases = 0;
    for entry in std::fs::read_dir(&folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "yaml") {
            continue;
        }
        cases += 1;
        let name = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .expect("a name");
        let wanted = read(&path.with_extension("json"));
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
        let wanted = volumes.get(name).cloned().unwrap_or(json!([]));
        assert_eq!(json!(left), wanted, "{name}");
    }
    assert_eq!(cases, 75);
}

#[test]
fn no_finding_of_a_sound_case_is_an_error() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus/ogc");
    let path = folder.join("43-extant-beats-min-of.yaml");
    let (_, found) = run(&Request::of(vec![path]), &options());
    let errors = found
        .iter()
        .filter(|found| found.severity == Severity::Error);
    assert_eq!(errors.count(), 0, "{found:?}");
    let (plan, _) = text("");
    assert_eq!(plan, json!([]));
}

#[test]
fn the_example_of_every_page_triggers_its_rule_and_the_other_does_not() {
    for rule in ogc::rules::RULES {
        let mut blocks = rule.docs.split("```yaml\n").skip(1);
        let mut codes = || {
            let block = blocks.next().and_then(|rest| rest.split("```").next());
            let (_, found) = text(block.expect("a block"));
            found
                .iter()
                .map(|found| found.rule.code)
                .collect::<Vec<_>>()
        };
        let (example, instead) = (codes(), codes());
        assert!(example.contains(&rule.code), "{}: {example:?}", rule.code);
        assert!(!instead.contains(&rule.code), "{}: {instead:?}", rule.code);
    }
}
