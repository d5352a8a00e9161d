//! Every reason that `why` gives for every candidate, held against oracles that follow the
//! specifications sentence by sentence over the documents as JSON and know nothing of the engines.

mod airship;
mod hybrid;
mod ocm;
mod ogc;
mod senlin;

use std::collections::{BTreeMap, BTreeSet};

use crate::support;
use crate::support::whole::piped;
use planner::load;
use planner::options::{CheckOptions, Options};
use planner::plan::{self, Plan};
use planner::site;
use planner::why::{Candidate, Verdict, Why};
use serde_json::Value;

/// What speaks against a candidate, each reason by its stage and the figures that decide.
pub(crate) type Reasons = BTreeSet<String>;

/// The reasons by candidate; nothing for one that is chosen.
pub(crate) type Fates = BTreeMap<String, Option<Reasons>>;

fn text(documents: &[Value]) -> String {
    let yaml = |document: &Value| serde_yaml::to_string(document).unwrap();
    let all: Vec<String> = documents.iter().map(yaml).collect();
    all.join("---\n")
}

/// Plans documents and asks something of the plan; nothing where documents are refused.
fn with_plan<T>(documents: &[Value], ask: impl FnOnce(&Plan<'_, '_>) -> T) -> Option<T> {
    let loaded = load::open(&piped(text(documents))).unwrap();
    let settings = CheckOptions::at(support::NOW.parse().unwrap());
    let checked = site::check(&loaded, &settings);
    let plan = plan::make(&checked, &Options::default());
    (!plan.refused()).then(|| ask(&plan))
}

/// Holds an answer against the oracle's; gives how many candidates lost.
fn hold(
    documents: &[Value],
    why: &Why,
    fates: &Fates,
    word: impl Fn(&Candidate, &Verdict) -> String,
) -> usize {
    let mut lost = 0;
    for candidate in &why.candidates {
        let name = &candidate.name;
        let Some(fate) = fates.get(name) else {
            panic!("{name} is not a candidate\n{}", text(documents));
        };
        assert_eq!(
            candidate.chosen,
            fate.is_none(),
            "{} {name}: {fate:?}\n{}",
            why.subject,
            text(documents)
        );
        let Some(reasons) = fate else { continue };
        lost += 1;
        let against = candidate.verdicts.iter().filter(|verdict| !verdict.passes);
        let said: Reasons = against.map(|verdict| word(candidate, verdict)).collect();
        assert!(
            &said == reasons,
            "{} {name}: only said {:?}, not said {:?}\n{}",
            why.subject,
            said.difference(reasons),
            reasons.difference(&said),
            text(documents)
        );
        let first = candidate.removed_by.as_deref();
        assert!(first.is_some(), "{} {name}", why.subject);
    }
    lost
}

/// As [`hold`], of answers that leave nobody out.
fn hold_all(
    documents: &[Value],
    why: &Why,
    fates: &Fates,
    word: impl Fn(&Candidate, &Verdict) -> String,
) -> usize {
    let silent = |name: &&String| why.candidates.iter().all(|one| one.name != **name);
    let silent: Vec<&String> = fates.keys().filter(silent).collect();
    assert!(
        silent.is_empty(),
        "nothing about {silent:?}\n{}",
        text(documents)
    );
    hold(documents, why, fates, word)
}

/// A stage with what the reason is about, and whether the reason is idle.
fn keyed(verdict: &Verdict, about: &str) -> String {
    let idle = if verdict.idle { " (idle)" } else { "" };
    match about {
        "" => format!("{}{idle}", verdict.stage),
        about => format!("{}: {about}{idle}", verdict.stage),
    }
}

/// The text at a path of keys, or nothing.
fn at<'v>(value: &'v Value, path: &str) -> &'v str {
    value.pointer(path).and_then(Value::as_str).unwrap_or("")
}

/// The items of a list at a path.
fn list<'v>(value: &'v Value, path: &str) -> &'v [Value] {
    let items = value.pointer(path).and_then(Value::as_array);
    items.map_or(&[], Vec::as_slice)
}

/// The documents of a kind.
fn of_kind<'d>(documents: &'d [Value], kind: &str) -> impl Iterator<Item = &'d Value> {
    documents
        .iter()
        .filter(move |document| document["kind"] == kind)
}

/// A mapping of texts at a path.
fn pairs<'v>(value: &'v Value, path: &str) -> BTreeMap<&'v str, &'v str> {
    let map = value.pointer(path).and_then(Value::as_object);
    let pairs = map.into_iter().flatten();
    pairs
        .map(|(key, value)| (key.as_str(), value.as_str().unwrap_or("")))
        .collect()
}

/// The requirements of a label selector that do not hold, as `KEY in (A, B)`; an error if it
/// cannot be parsed.
fn unmet(selector: &Value, labels: &BTreeMap<&str, &str>) -> Result<Vec<String>, ()> {
    let mut failing = Vec::new();
    for (key, value) in pairs(selector, "/matchLabels") {
        if labels.get(key) != Some(&value) {
            failing.push(format!("{key} in ({value})"));
        }
    }
    for expression in list(selector, "/matchExpressions") {
        let key = at(expression, "/key");
        let values = list(expression, "/values");
        let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        let found = labels.get(key);
        let among = found.is_some_and(|found| values.contains(found));
        let listed = values.join(", ");
        let (holds, asked, wants_values) = match at(expression, "/operator") {
            "In" => (among, format!("{key} in ({listed})"), true),
            "NotIn" => (!among, format!("{key} not in ({listed})"), true),
            "Exists" => (found.is_some(), format!("{key} to exist"), false),
            "DoesNotExist" => (found.is_none(), format!("{key} not to exist"), false),
            _ => return Err(()),
        };
        if values.is_empty() == wants_values {
            return Err(());
        }
        if !holds {
            failing.push(asked);
        }
    }
    Ok(failing)
}
