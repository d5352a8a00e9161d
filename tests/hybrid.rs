//! Hybrid placement rules: the corpus, the surprising cases of the spec, faults and commands.

use std::path::{Path, PathBuf};

use planner::diagnostic::{Diagnostic, Severity, short_code};
use planner::hybrid;
use planner::hybrid::engine::Keep;
use planner::load::{Request, load};
use planner::options::Options;
use planner::render::json::hybrid::PlacementRules;
use serde_json::{Value, json};

/// `placementRules` of the documents with every round, and what was found.
fn run(request: &Request, options: &Options) -> (Value, Vec<Diagnostic>) {
    let mut loaded = load(request).expect("a request");
    let mut sink = std::mem::take(&mut loaded.sink);
    let documents = loaded.documents();
    let model = hybrid::lower(&documents, options, &mut sink);
    let outcome = hybrid::plan(&model, &loaded.sources, options, Keep::All, &mut sink);
    let rules = serde_json::to_value(PlacementRules::new(&model, &outcome)).expect("JSON");
    sink.sort(&loaded.sources);
    (rules, sink.diagnostics)
}

fn options() -> Options {
    Options::at("2026-01-01T00:00:00Z".parse().expect("a time"))
}

#[allow(dead_code)]
fn text(text: &str) -> (Value, Vec<Diagnostic>) {
    let mut request = Request::of(vec![PathBuf::from("-")]);
    request.stdin = Some(text.as_bytes().to_vec());
    run(&request, &options())
}

#[allow(dead_code)]
fn codes(found: &[Diagnostic]) -> Vec<&str> {
    let codes = found.iter().map(|found| short_code(found.rule.code));
    codes.collect()
}

/// Recommendations in an order of their own: their order in an answer means nothing.
fn sorted(mut rule: Value) -> Value {
    for round in rule["rounds"].as_array_mut().into_iter().flatten() {
        let answers = round["recommendations"].as_object_mut();
        for (_, list) in answers.into_iter().flatten() {
            let list = list.as_array_mut().expect("a list");
            list.sort_by_key(Value::to_string);
        }
    }
    rule
}

#[test]
fn the_corpus_agrees() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus/ibm");
    let mut cases = 0;
    for entry in std::fs::read_dir(&folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "yaml") {
            continue;
        }
        cases += 1;
        let wanted = std::fs::read_to_string(path.with_extension("json")).expect("a result");
        let wanted: Value = serde_json::from_str(&wanted).expect("JSON");
        let (got, found) = run(&Request::of(vec![path.clone()]), &options());
        let errors = found
            .iter()
            .filter(|found| found.severity == Severity::Error);
        assert_eq!(errors.count(), 0, "{}: {found:?}", path.display());
        let mut got = sorted(got[0].clone());
        let got = got.as_object_mut().expect("a rule");
        let mut expected = sorted(wanted["expected"].clone());
        expected["namespace"] = Value::Null;
        expected["name"] = json!("app");
        let expected = expected.as_object().expect("a result");
        for (key, value) in expected {
            assert_eq!(got.get(key), Some(value), "{}: {key}", path.display());
        }
        assert_eq!(got.len(), expected.len(), "{}", path.display());
    }
    assert_eq!(cases, 44);
}
