//! A site with changes is the site that is read from documents changed in the same way.
#![allow(clippy::unwrap_used, reason = "what a test prepares must be there")]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planner::document::DocumentKind;
use planner::load::{self, Loaded, Request};
use planner::options::{Options, Rules};
use planner::plan;
use planner::render::json;
use planner::site::{self, Changes, Checked, Op, Patch, Thing, Unchangeable};
use planner::yaml;
use serde_json::Value;
use support::{Folder, NOW};

/// The sites that are changed, below `fixtures/`.
const SITES: &[&str] = &[
    "site",
    "retail",
    "ocm/hub",
    "corpus/airship/seed-example-1-all-succeed.yaml",
];

fn rules() -> Rules {
    Rules::at(NOW.parse().unwrap())
}

/// What a site comes to: its plan without places, and what was found.
fn answer(site: &Checked<'_>) -> (Value, Vec<String>) {
    let options = Options {
        keep_going: true,
        trace: true,
        ..Options::default()
    };
    let plan = plan::make(site, &options);
    let found = site.report(&[&plan.findings]);
    let answer = json::PlanAnswer::new(&plan, &found, site.documents.sources);
    let mut answer = serde_json::to_value(answer).unwrap();
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
            map.values_mut().for_each(without_places);
        }
        Value::Array(items) => items.iter_mut().for_each(without_places),
        _ => {}
    }
}

/// The documents of a site as data, each with its file.
type Data = Vec<(String, Value)>;

fn data(site: &Checked<'_>) -> Data {
    let documents = site.documents.all.iter();
    let data = documents.map(|document| {
        let name = &site.documents.sources.get(document.source).name;
        let value = yaml::json(document.node, document.kind.dialect());
        (name.clone(), value)
    });
    data.collect()
}

/// Reads documents from files of these names.
fn read(data: &Data) -> (Folder, Loaded) {
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

/// A site of the fixtures, written once as data, so that both sides are read from the same form.
fn fixture(name: &str) -> Data {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name);
    let request = Request {
        directory: match path.is_dir() {
            true => path.clone(),
            false => path.parent().map(PathBuf::from).unwrap(),
        },
        records: Some(path.join("planner-records")),
        ..Request::of(vec![path])
    };
    let loaded = load::open(&request).unwrap();
    let rules = rules();
    data(&site::check(&loaded, &rules))
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }
}

/// Where two answers first differ.
fn difference(found: &Value, wanted: &Value, at: &str) -> Option<String> {
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
fn compare(base: &Checked<'_>, changes: Changes, expected: &Data, what: &str) {
    let changed = base.changed(changes).unwrap();
    let site = changed.check();
    let (_folder, loaded) = read(expected);
    let rules = rules();
    let other = site::check(&loaded, &rules);
    let list = |site: &Checked<'_>| serde_json::to_value(data(site)).unwrap();
    assert_eq!(difference(&list(&site), &list(&other), ""), None, "{what}");
    let (found, wanted) = (answer(&site), answer(&other));
    assert_eq!(found.1, wanted.1, "{what}");
    assert_eq!(difference(&found.0, &wanted.0, ""), None, "{what}");
}

/// Every pointer of a document that leads to something.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    let below = |key: &str| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                all.push(below(key));
                pointers(value, &below(key), all);
            }
        }
        Value::Array(items) => {
            for (item, number) in items.iter().zip(0..) {
                all.push(format!("{at}/{number}"));
                pointers(item, &format!("{at}/{number}"), all);
            }
        }
        _ => {}
    }
}

#[test]
fn patches_are_what_files_with_them_would_be() {
    let mut dice = Dice(7);
    for name in SITES {
        let (_folder, loaded) = read(&fixture(name));
        let rules = rules();
        let base = site::check(&loaded, &rules);
        let before = data(&base);
        let all = &base.documents.all;
        for round in 0..12 {
            let mut expected = before.clone();
            let mut changes = Changes::default();
            for _ in 0..=round % 3 {
                let document = dice.below(before.len());
                if all[document].record.is_some() {
                    continue;
                }
                let value = &mut expected[document].1;
                let mut places = Vec::new();
                pointers(value, "", &mut places);
                let pointer = places[dice.below(places.len())].clone();
                let other = match dice.below(5) {
                    0 => Value::from(dice.below(9)),
                    1 => Value::from("other"),
                    2 => Value::Null,
                    3 => serde_json::json!({"a": [1, {"b": "c"}]}),
                    _ => value
                        .pointer(&places[dice.below(places.len())])
                        .unwrap()
                        .clone(),
                };
                let op = if dice.below(3) == 0 {
                    let (parent, last) = pointer.rsplit_once('/').unwrap();
                    match value.pointer_mut(parent).unwrap() {
                        Value::Object(map) => {
                            let key = last.replace("~1", "/").replace("~0", "~");
                            // The order of what is left is that of the document.
                            map.shift_remove(&key);
                        }
                        Value::Array(items) => drop(items.remove(last.parse().unwrap())),
                        _ => unreachable!("only containers have parts"),
                    }
                    Op::Remove
                } else {
                    *value.pointer_mut(&pointer).unwrap() = other.clone();
                    Op::Set(other)
                };
                changes.patches.push(Patch {
                    document: u32::try_from(document).unwrap(),
                    pointer,
                    op,
                });
            }
            let what = format!("{name}: {:?}", changes.patches);
            compare(&base, changes, &expected, &what);
        }
    }
}

/// The documents without a thing, found by their data alone.
fn lost(data: &Data, thing: &Thing, racks: &BTreeMap<String, String>) -> Data {
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

#[test]
fn a_lost_thing_is_what_documents_without_it_would_be() {
    for name in SITES {
        let (_folder, loaded) = read(&fixture(name));
        let rules = rules();
        let base = site::check(&loaded, &rules);
        let before = data(&base);
        let machines = planner::airship::machines(&base.documents, &base.airship);
        let racks = machines
            .iter()
            .filter_map(|machine| Some((machine.name.to_owned(), machine.rack?.to_owned())))
            .collect();
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for thing in base.things() {
            let count = seen.entry(thing.kind()).or_default();
            *count += 1;
            // The first ones of each kind, then fewer and fewer.
            if *count > 4 && !count.is_power_of_two() {
                continue;
            }
            let expected = lost(&before, thing, &racks);
            assert_ne!(expected, before, "{name}: {thing}");
            let changes = Changes::without(vec![thing.clone()]);
            compare(&base, changes, &expected, &format!("{name}: {thing}"));
        }
        assert!(!seen.is_empty(), "{name}");
    }
}

#[test]
fn what_cannot_be_changed_says_why() {
    let (_folder, loaded) = read(&fixture("retail"));
    let rules = rules();
    let base = site::check(&loaded, &rules);
    let without = |thing: Thing| match base.changed(Changes::without(vec![thing])) {
        Ok(_) => panic!("it is there"),
        Err(why) => why.to_string(),
    };
    assert_eq!(
        without(Thing::parse("cluster/olso").unwrap()),
        "there is no cluster/olso; did you mean cluster/oslo?"
    );
    assert_eq!(
        without(Thing::parse("rack/r1").unwrap()),
        "there is no rack/r1"
    );
    let patch = Patch {
        document: 0,
        pointer: "/spec/nothing/here".into(),
        op: Op::Remove,
    };
    let changes = Changes {
        patches: vec![patch],
        ..Changes::default()
    };
    assert!(matches!(
        base.changed(changes),
        Err(Unchangeable::Patch(0, _))
    ));
    for wrong in ["oslo", "clutser/oslo", "cluster/", "/x"] {
        assert!(Thing::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_profile_is_recognised_by_what_its_file_becomes() {
    let folder = Folder::of(&[(
        "senlin.yaml",
        "type: other\nversion: 1.0\n---\ntype: senlin.kubernetes.master\nversion: 1.0\nproperties: {}\n",
    )]);
    let loaded = load::open(&Request::of(vec![folder.path().into()])).unwrap();
    let rules = rules();
    let checked = site::check(&loaded, &rules);
    let kinds = |site: &Checked<'_>| -> Vec<DocumentKind> {
        site.documents.all.iter().map(|one| one.kind).collect()
    };
    assert_eq!(kinds(&checked), [DocumentKind::Foreign; 2]);
    let changes = Changes {
        patches: vec![Patch {
            document: 0,
            pointer: "/type".into(),
            op: Op::Set("senlin.action".into()),
        }],
        ..Changes::default()
    };
    let changed = checked.changed(changes).unwrap();
    assert_eq!(kinds(&changed.check()), [DocumentKind::Senlin; 2]);
}
