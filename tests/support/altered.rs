//! Sites as data that a test changes: written, read again, and held against a site that was changed
//! without the disk.

use std::collections::BTreeMap;

use planner::load::{self, Loaded, Request};
use planner::options::{CheckOptions, Options};
use planner::plan;
use planner::render::json;
use planner::site::{self, Changes, Checked, Thing};
use planner::why::Change;
use planner::yaml::{self, Op};
use serde_json::{Value, json};

use super::answers::as_described;
use super::{Folder, NOW};

pub(crate) fn settings() -> CheckOptions {
    CheckOptions::at(NOW.parse().unwrap())
}

/// What a site comes to: its plan without places, and what was found.
pub(crate) fn answer(site: &Checked<'_>) -> (Value, Vec<String>) {
    let options = Options {
        keep_going: true,
        trace: true,
        ..Options::default()
    };
    let plan = plan::make(site, &options);
    let found = site.report(&[&plan.findings]);
    let answer = json::PlanAnswer::new(&plan, &found, site.documents.sources);
    let mut answer = as_described(serde_json::to_value(answer).unwrap());
    answer.as_object_mut().unwrap().remove("diagnostics");
    without_places(&mut answer);
    let told = found.diagnostics.iter();
    let mut told: Vec<String> = told
        .map(|found| format!("{} {} {}", found.rule.code, found.refuses, found.message))
        .collect();
    told.sort();
    (answer, told)
}

fn without_places(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("at");
            map.remove("line");
            map.values_mut().for_each(without_places);
        }
        Value::Array(items) => items.iter_mut().for_each(without_places),
        _ => {}
    }
}

/// The documents of a site as data, each with its file.
pub(crate) type Data = Vec<(String, Value)>;

pub(crate) fn data(site: &Checked<'_>) -> Data {
    let documents = site.documents.all.iter();
    let data = documents.map(|document| {
        let name = &site.documents.sources.get(document.source()).name;
        let value = yaml::json(document.node, document.kind.dialect());
        (name.clone(), value)
    });
    data.collect()
}

/// Reads documents from files of these names.
pub(crate) fn read(data: &Data) -> (Folder, Loaded) {
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in data {
        let text = files.entry(name).or_default();
        text.push_str(&format!("---\n{value}\n"));
    }
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(name, &text);
    }
    let request = Request {
        directory: folder.path().to_path_buf(),
        records: Some(folder.path().join("planner-records")),
        ..Request::of(vec![folder.path().to_path_buf()])
    };
    let loaded = load::open(&request).unwrap();
    (folder, loaded)
}

/// Where two answers first differ.
pub(crate) fn difference(found: &Value, wanted: &Value, at: &str) -> Option<String> {
    match (found, wanted) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => a
            .iter()
            .find_map(|(key, value)| difference(value, &b[key], &format!("{at}/{key}"))),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut items = a.iter().zip(b).zip(0..);
            items.find_map(|((a, b), number)| difference(a, b, &format!("{at}/{number}")))
        }
        (a, b) if a == b => None,
        (a, b) => Some(format!("{at}: {a} is not {b}")),
    }
}

/// Compares a changed site with the one that is read from documents changed in the same way.
#[track_caller]
pub(crate) fn compare(base: &Checked<'_>, changes: Changes, expected: &Data, what: &str) {
    let changed = base.changed(changes).unwrap();
    let site = changed.check();
    let (_folder, loaded) = read(expected);
    let settings = settings();
    let other = site::check(&loaded, &settings);
    let list = |site: &Checked<'_>| serde_json::to_value(data(site)).unwrap();
    assert_eq!(difference(&list(&site), &list(&other), ""), None, "{what}");
    let (found, wanted) = (answer(&site), answer(&other));
    assert_eq!(found.1, wanted.1, "{what}");
    assert_eq!(difference(&found.0, &wanted.0, ""), None, "{what}");
}

/// The documents without a thing, found by their data alone.
pub(crate) fn lost(data: &Data, thing: &Thing, racks: &BTreeMap<String, String>) -> Data {
    let text =
        |value: &Value, at: &str| value.pointer(at).and_then(Value::as_str).map(str::to_owned);
    let kept = |value: &Value| {
        let kind = text(value, "/kind").unwrap_or_default();
        let name = text(value, "/metadata/name").unwrap_or_default();
        let within = text(value, "/metadata/namespace").unwrap_or_default();
        let cluster = text(value, "/spec/cluster").unwrap_or_default();
        let bare = text(value, "/schema").is_some_and(|schema| schema.contains("BaremetalNode"));
        !match thing {
            Thing::Cluster(lost) => match kind.as_str() {
                "Cluster" | "ManagedCluster" => name == *lost,
                "Node" => cluster == *lost,
                "AddOnPlacementScore" => within == *lost,
                _ => false,
            },
            Thing::Node(lost) => {
                (kind == "Node" || bare) && (name == *lost || format!("{cluster}/{name}") == *lost)
            }
            Thing::Rack(lost) => bare && racks.get(&name) == Some(lost),
            Thing::Set(lost) => kind == "ManagedClusterSet" && name == *lost,
            Thing::Region(_) | Thing::Label(..) => false,
        }
    };
    let recorded = |value: &Value| {
        value
            .pointer("/metadata/annotations/planner~1record")
            .is_some()
            || text(value, "/kind").as_deref() == Some("Deployment")
    };
    let mut left: Data = data.clone();
    left.retain(|(_, value)| recorded(value) || kept(value));
    for (_, value) in left.iter_mut().filter(|(_, value)| !recorded(value)) {
        match thing {
            Thing::Region(lost) => {
                let of = |item: &Value| {
                    item.as_str() == Some(lost)
                        || item["name"].as_str() == Some(lost)
                        || item
                            .pointer("/data/placement/region_name")
                            .and_then(Value::as_str)
                            == Some(lost)
                };
                for list in ["regions", "known_regions", "nodes"] {
                    let list = value.pointer_mut(&format!("/properties/{list}"));
                    if let Some(Value::Array(items)) = list {
                        items.retain(|item| !of(item));
                    }
                }
                if let Some(Value::Object(counts)) = value.pointer_mut("/properties/node_counts") {
                    counts.shift_remove(lost);
                }
            }
            Thing::Label(key, wanted) if value.get("schema").is_none() => {
                let other = |name: &String, value: &mut Value| {
                    name != key
                        || wanted
                            .as_deref()
                            .is_some_and(|it| value.as_str() != Some(it))
                };
                if let Some(Value::Object(labels)) = value.pointer_mut("/metadata/labels") {
                    labels.retain(other);
                }
                if text(value, "/kind").as_deref() == Some("Cluster")
                    && let Some(Value::Array(nodes)) = value.pointer_mut("/spec/nodes")
                {
                    for node in nodes {
                        if let Some(Value::Object(labels)) = node.get_mut("labels") {
                            labels.retain(other);
                        }
                    }
                }
            }
            Thing::Node(lost) => {
                let cluster = text(value, "/metadata/name").unwrap_or_default();
                if text(value, "/kind").as_deref() == Some("Cluster")
                    && let Some(Value::Array(nodes)) = value.pointer_mut("/spec/nodes")
                {
                    nodes.retain(|node| {
                        let name = node["name"].as_str().unwrap_or_default();
                        name != lost && format!("{cluster}/{name}") != *lost
                    });
                }
            }
            _ => {}
        }
    }
    left
}

/// The rack of each machine, by its name.
pub(crate) fn racks(site: &Checked<'_>) -> BTreeMap<String, String> {
    let machines = planner::airship::machines(&site.documents, &site.airship);
    let racks = machines.iter();
    racks
        .filter_map(|machine| Some((machine.name.to_owned(), machine.rack?.to_owned())))
        .collect()
}

/// A change applied to the documents as JSON.
pub(crate) fn apply(documents: &mut [Value], change: &Change) {
    let mut at = &mut documents[change.document as usize];
    let steps: Vec<String> = change
        .pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
        .collect();
    let (last, way) = steps.split_last().unwrap();
    for (step, next) in way.iter().zip(&steps[1..]) {
        if at.is_array() {
            at = &mut at[step.parse::<usize>().unwrap()];
            continue;
        }
        let map = at.as_object_mut().unwrap();
        let below = map.entry(step.clone()).or_insert(Value::Null);
        if below.is_null() {
            *below = if next == "-" { json!([]) } else { json!({}) };
        }
        at = below;
    }
    match (change.op.clone(), at) {
        (Op::Set(after), Value::Object(map)) => drop(map.insert(last.clone(), after)),
        (Op::Set(after), Value::Array(list)) => list[last.parse::<usize>().unwrap()] = after,
        (Op::Insert(after), Value::Array(list)) => {
            let at = last.parse().unwrap_or(list.len());
            list.insert(at, after);
        }
        (Op::Remove, Value::Object(map)) => drop(map.shift_remove(last).unwrap()),
        (Op::Remove, Value::Array(list)) => drop(list.remove(last.parse().unwrap())),
        (op, at) => panic!("{op:?} {} in {at}", change.pointer),
    }
}
