//! A site with changes is the site that is read from documents changed in the same way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::Folder;
use crate::support::altered::{Data, compare, data, lost, racks, read, settings};
use planner::document::DocumentKind;
use planner::load::{self, Request};
use planner::site::{self, Changes, Checked, Patch, Thing, Unchangeable};
use planner::yaml::Op;
use serde_json::{Value, json};

/// The sites that are changed, below `fixtures/`.
const SITES: &[&str] = &[
    "site",
    "retail",
    "ocm/hub",
    "corpus/airship/seed-example-1-all-succeed.yaml",
];

/// A site of the fixtures, written once as data, so that both sides are read from the same form.
fn fixture(name: &str) -> Data {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name);
    let request = Request {
        directory: if path.is_dir() {
            path.clone()
        } else {
            path.parent().map(PathBuf::from).unwrap()
        },
        records: Some(path.join("planner-records")),
        ..Request::of(vec![path])
    };
    let loaded = load::open(&request).unwrap();
    let settings = settings();
    data(&site::check(&loaded, &settings))
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
        let settings = settings();
        let base = site::check(&loaded, &settings);
        let before = data(&base);
        let all = &base.documents.all;
        for round in 0..12 {
            let mut expected = before.clone();
            let mut changes = Changes::default();
            for _ in 0..=round % 3 {
                let document = dice.below(before.len());
                if all[document].record().is_some() {
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

#[test]
fn a_lost_thing_is_what_documents_without_it_would_be() {
    for name in SITES {
        let (_folder, loaded) = read(&fixture(name));
        let settings = settings();
        let base = site::check(&loaded, &settings);
        let before = data(&base);
        let racks = racks(&base);
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
    let settings = settings();
    let base = site::check(&loaded, &settings);
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
    let settings = settings();
    let checked = site::check(&loaded, &settings);
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

#[test]
fn what_deployers_place_on_is_read_again_where_it_changes() {
    let deployer = json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "Deployer",
        "metadata": {"name": "d", "namespace": "n"},
        "spec": {"type": "fleet", "placementTarget":
            {"group": "planner", "version": "v1", "resource": "clusters"}}});
    let rule = json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
        "metadata": {"name": "app", "namespace": "n"}, "spec": {"deployerType": "fleet"}});
    let cluster = |name: &str| {
        json!({"apiVersion": "planner/v1", "kind": "Cluster",
        "metadata": {"name": name}, "spec": {"projects": ["p"]}})
    };
    let all = [deployer, rule, cluster("a"), cluster("b")];
    let site: Data = all.map(|one| ("site.yaml".to_owned(), one)).into();
    let (_folder, loaded) = read(&site);
    let settings = settings();
    let base = site::check(&loaded, &settings);
    let mut objects = base.hybrid.inventory.objects().iter();
    assert!(objects.any(|object| object.key() == "Cluster/a"));
    let thing = Thing::Cluster("a".to_owned());
    let expected = lost(&site, &thing, &BTreeMap::new());
    compare(&base, Changes::without(vec![thing]), &expected, "without a");
}
