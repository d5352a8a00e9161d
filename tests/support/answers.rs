//! Answers of commands as JSON are held against the schemas that the program prints of them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use planner::data::Rows;
use serde_json::Value;

/// The kinds of answers, and their schemas.
const SCHEMAS: &[(&str, &str)] = &[
    ("Drift", "output/drift"),
    ("Graph", "output/graph"),
    ("Migration", "output/migrate"),
    ("Plan", "output/plan"),
    ("PlanDiff", "output/diff"),
    ("Result", "output/result"),
    ("Risk", "output/risk"),
    ("RiskPart", "output/risk-part"),
    ("SavedPlan", "output/saved"),
    ("Simulation", "output/simulate"),
    ("TestReport", "output/test"),
    ("Validation", "output/validate"),
    ("Why", "output/why"),
];

static VALIDATORS: LazyLock<BTreeMap<&str, Validator>> = LazyLock::new(|| {
    let validator = |stem| {
        let schema = planner::schema::bundled(stem).unwrap();
        jsonschema::options().offline().build(&schema).unwrap()
    };
    let all = SCHEMAS.iter();
    all.map(|(kind, stem)| (*kind, validator(stem))).collect()
});

/// The answer, which is as its schema says; other JSON passes.
#[track_caller]
pub(crate) fn as_described(answer: Value) -> Value {
    let ours = answer["apiVersion"] == "planner/v1" && answer.get("formatVersion").is_some();
    let kind = answer["kind"].as_str().unwrap_or_default();
    if let Some(validator) = VALIDATORS.get(kind).filter(|_| ours) {
        let faults = validator.iter_errors(&answer);
        let faults: Vec<String> = faults
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{kind}: {}", faults.join("\n"));
    }
    answer
}

/// A list of a plan as data.
pub(crate) fn list(rows: &impl Rows) -> Value {
    let row = |at| serde_json::to_value(rows.row(at)).expect("JSON");
    (0..rows.count()).map(row).collect()
}
