//! What `plan --against` names as the causes of a move: taken back in the later documents they give
//! the earlier answer.

use crate::support;
use crate::support::random::{Dice, hub, packages, rules, strategy};
use crate::support::whole::piped;
use planner::diff::{self, Cause, Decisions, Diff, Move, State};
use planner::load;
use planner::options::{CheckOptions, Options};
use planner::plan;
use planner::site;
use serde_json::{Value, json};

fn text(documents: &[Value]) -> String {
    let yaml = |document: &Value| serde_yaml::to_string(document).unwrap();
    let all: Vec<String> = documents.iter().map(yaml).collect();
    all.join("---\n")
}

/// What moves between two sites, and what is decided in the first.
fn compare(old: &[Value], new: &[Value]) -> Option<(Diff, Decisions)> {
    compared(old, new, false)
}

/// The same; refused documents are left out where `keep_going` says so.
fn compared(old: &[Value], new: &[Value], keep_going: bool) -> Option<(Diff, Decisions)> {
    let loaded = [old, new].map(|site| load::open(&piped(text(site))).unwrap());
    let settings = CheckOptions::at(support::NOW.parse().unwrap());
    let checked = [&loaded[0], &loaded[1]].map(|loaded| site::check(loaded, &settings));
    let options = Options {
        keep_going,
        ..Options::default()
    };
    let plans = [&checked[0], &checked[1]].map(|checked| plan::make(checked, &options));
    if !keep_going && plans.iter().any(planner::plan::Plan::refused) {
        return None;
    }
    let [old, new] = [&plans[0], &plans[1]].map(State::of);
    Some((diff::compare(&old, &new, &options), old.decisions))
}

fn kind_and_name(document: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = text(&document["kind"]);
    let schema = text(&document["schema"]);
    let kind = if kind.is_empty() {
        schema.split('/').nth(1).unwrap_or_default().to_owned()
    } else {
        kind
    };
    (kind, text(&document["metadata"]["name"]))
}

/// The documents with the causes taken back: values first, then what came from the back, then what
/// went from the front, so that every index still means what it meant.
fn taken_back(documents: &[Value], old: &[Value], causes: &[&Cause]) -> Vec<Value> {
    let mut documents = documents.to_vec();
    let of = |cause: &Cause| (cause.object.kind.clone(), cause.object.name.clone());
    let mut order: Vec<(u8, &Cause)> = Vec::new();
    for cause in causes {
        let names = matches!((&cause.before, &cause.after), (Some(Value::Array(a)), Some(Value::Array(b)))
            if a.len() == b.len() && a != b && a.iter().all(|one| b.contains(one)));
        assert!(!names, "nothing is reordered here: {cause:?}");
        let step = match (&cause.before, &cause.after) {
            (Some(_), Some(_)) => 0,
            (None, _) => 1,
            (_, None) => 2,
        };
        order.push((step, cause));
    }
    let came = order.iter().filter(|one| one.0 == 1).rev();
    let rest = |step| order.iter().filter(move |one| one.0 == step);
    for (_, cause) in rest(0).chain(came).chain(rest(2)) {
        if cause.pointer.is_empty() {
            match &cause.before {
                None => documents.retain(|document| kind_and_name(document) != of(cause)),
                Some(_) => {
                    let was = old.iter().find(|one| kind_and_name(one) == of(cause));
                    documents.push(was.unwrap().clone());
                }
            }
            continue;
        }
        let document = documents.iter_mut();
        let document = document
            .into_iter()
            .find(|one| kind_and_name(one) == of(cause));
        let (way, last) = cause.pointer.rsplit_once('/').unwrap();
        let container = document.unwrap().pointer_mut(way).unwrap();
        let last = last.replace("~1", "/").replace("~0", "~");
        match (container, &cause.before) {
            (Value::Object(map), Some(before)) => drop(map.insert(last, before.clone())),
            (Value::Object(map), None) => drop(map.shift_remove(&last).unwrap()),
            (Value::Array(list), Some(before)) => {
                let at: usize = last.parse().unwrap();
                if cause.after.is_some() {
                    list[at] = before.clone();
                } else {
                    list.insert(at.min(list.len()), before.clone());
                }
            }
            (Value::Array(list), None) => drop(list.remove(last.parse().unwrap())),
            (other, _) => panic!("{cause:?} in {other}"),
        }
    }
    documents
}

fn causes<'d>(diff: &'d Diff, moved: &Move) -> Vec<&'d Cause> {
    moved.because.iter().map(|at| &diff.causes[*at]).collect()
}

/// Holds random pairs of sites; gives how many moves there were, and how many were confirmed.
fn hold(site: impl Fn(&mut Dice) -> Vec<Value>, pairs: u64) -> (usize, usize) {
    let (mut all, mut confirmed) = (0, 0);
    for seed in 0..pairs {
        let (old, other) = (site(&mut Dice(seed)), site(&mut Dice(seed + 1000)));
        // Some documents are another site's, and one of them may be missing on either side.
        let mut dice = Dice(seed + 2000);
        let mixed = old.iter().zip(other);
        let mut new: Vec<Value> = mixed
            .map(|(old, other)| {
                if dice.roll(2) == 0 {
                    old.clone()
                } else {
                    other
                }
            })
            .collect();
        let mut old = old;
        match dice.roll(4) {
            0 => drop(new.pop()),
            1 => drop(old.pop()),
            _ => {}
        }
        let Some((diff, decided)) = compare(&old, &new) else {
            continue;
        };
        for moved in &diff.moves {
            all += 1;
            if !moved.confirmed {
                continue;
            }
            confirmed += 1;
            let causes = causes(&diff, moved);
            let back = taken_back(&new, &old, &causes);
            let (_, now) = compare(&back, &old).unwrap();
            assert_eq!(
                now.get(&moved.subject),
                decided.get(&moved.subject),
                "{seed}: {causes:#?}\n{}\nagainst\n{}",
                text(&new),
                text(&old)
            );
        }
    }
    (all, confirmed)
}

#[test]
fn applications_are_back_without_the_causes() {
    let (all, confirmed) = hold(packages, 60);
    assert!(all > 10 && confirmed == all, "{confirmed} of {all}");
}

#[test]
fn placements_are_back_without_the_causes() {
    let (all, confirmed) = hold(hub, 60);
    assert!(all > 10 && confirmed == all, "{confirmed} of {all}");
}

#[test]
fn rules_are_back_without_the_causes() {
    let (all, confirmed) = hold(rules, 60);
    assert!(all > 10 && confirmed == all, "{confirmed} of {all}");
}

#[test]
fn groups_are_back_without_the_causes() {
    let (all, confirmed) = hold(strategy, 60);
    assert!(all > 10 && confirmed == all, "{confirmed} of {all}");
}

/// Two Clusters, and a Package with these rules.
fn ruled(rules: &Value) -> Vec<Value> {
    let planner = "planner/v1";
    let cluster = |name: &str, region: &str, cost: &str| {
        json!({"apiVersion": planner, "kind": "Cluster",
            "metadata": {"name": name, "creationTimestamp": "2024-01-01T00:00:00Z",
                "labels": {"region": region, "cost": cost}},
            "spec": {"projects": ["r"], "nodes": [{"name": "n1", "allocatable": {"cpu": "4", "memory": "4Gi"}}]},
            "status": {"phase": "Up"}})
    };
    vec![
        json!({"apiVersion": planner, "kind": "Project", "metadata": {"name": "r"}}),
        json!({"apiVersion": planner, "kind": "Package", "metadata": {"name": "p"},
            "spec": {"project": "r", "rules": rules}}),
        json!({"apiVersion": planner, "kind": "Application", "metadata": {"name": "a"},
            "spec": {"package": "p", "containers": [{"name": "c", "image": "i",
                "requests": {"cpu": "1", "memory": "1Gi"}}]}}),
        cluster("c0", "a", "1"),
        cluster("c1", "b", "2"),
    ]
}

#[test]
fn a_replaced_item_is_one_cause_and_a_shifted_one_is_none() {
    let rule = |key: &str, operator: &str, value: &str| json!({"key": key, "operator": operator, "values": [value]});
    let cheap = json!({"key": "cost", "operator": "MinOf"});
    let cases = [
        // Items told apart by their key: one took the other's place.
        (
            json!([cheap]),
            json!([rule("region", "Equals", "b")]),
            "/spec/rules/0",
        ),
        // Two of one key have no names: a new one in front shifts the others.
        (
            json!([rule("cost", "NotEquals", "3"), cheap]),
            json!([
                rule("region", "In", "b"),
                rule("cost", "NotEquals", "3"),
                cheap
            ]),
            "/spec/rules/0",
        ),
        (
            json!([
                rule("cost", "NotEquals", "3"),
                rule("cost", "In", "1"),
                cheap
            ]),
            json!([
                rule("cost", "NotEquals", "3"),
                rule("region", "Equals", "b"),
                cheap
            ]),
            "/spec/rules/1",
        ),
    ];
    for (before, after, pointer) in cases {
        let (diff, _) = compare(&ruled(&before), &ruled(&after)).unwrap();
        assert_eq!(diff.moves.len(), 1, "{after}");
        assert!(diff.moves[0].confirmed);
        let found: Vec<&str> = diff.causes.iter().map(|one| one.pointer.as_str()).collect();
        assert_eq!(found, [pointer], "{after}: {:#?}", diff.causes);
    }
}

/// Three groups, one after the other; `change` changes them.
fn groups(change: impl Fn(&mut Value)) -> Vec<Value> {
    let mut documents = strategy(&mut Dice(0));
    let group = |name: &str, after: &[&str], nodes: &[&str]| {
        json!({"name": name, "critical": true, "depends_on": after,
            "selectors": [{"node_names": nodes}],
            "success_criteria": {"minimum_successful_nodes": 1}})
    };
    let mut all = json!([
        group("a", &[], &["n0"]),
        group("b", &["a"], &["n1"]),
        group("c", &["b"], &["n2"]),
    ]);
    change(&mut all);
    documents[1]["data"]["groups"] = all;
    documents
}

/// What moves a group, by the path of each cause.
fn moved(change: impl Fn(&mut Value)) -> Vec<(String, Vec<String>)> {
    let (diff, _) = compare(&groups(|_| {}), &groups(change)).unwrap();
    let row = |one: &Move| {
        assert!(one.confirmed, "{one:#?}");
        let paths = causes(&diff, one)
            .into_iter()
            .map(|cause| cause.path.clone());
        (one.subject.name.clone(), paths.collect())
    };
    diff.moves.iter().map(row).collect()
}

#[test]
fn what_a_group_is_judged_by_is_a_move() {
    let one = |name: &str, path: &str| vec![(name.to_owned(), vec![path.to_owned()])];
    let found = moved(|groups| groups[1]["critical"] = json!(false));
    assert_eq!(found, one("b", "data.groups[b].critical"));
    let criteria =
        |value: Value| move |groups: &mut Value| groups[2]["success_criteria"] = value.clone();
    let found = moved(criteria(json!({"minimum_successful_nodes": 0})));
    let minimum = "data.groups[c].success_criteria.minimum_successful_nodes";
    assert_eq!(found, one("c", minimum));
    // It fails whatever succeeds, and so does all that waits for it.
    let found =
        moved(|groups| groups[0]["success_criteria"]["minimum_successful_nodes"] = json!(2));
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    // The order stays, and yet it waits for something else.
    let found = moved(|groups| groups[2]["depends_on"] = json!(["b", "a"]));
    assert_eq!((found.len(), found[0].0.as_str()), (1, "c"));
    assert!(found[0].1.iter().all(|path| path.contains("depends_on")));
}

#[test]
fn nodes_and_place_of_a_group_have_a_cause_each() {
    let found = moved(|groups| {
        groups[2]["depends_on"] = json!([]);
        groups[0]["depends_on"] = json!(["c"]);
        groups[2]["selectors"][0]["node_names"] = json!(["n0", "n2"]);
    });
    let own = found.iter().find(|(name, _)| name == "c");
    let (_, paths) = own.unwrap();
    let has = |part: &str| paths.iter().any(|path| path.contains(part));
    assert!(has("depends_on") && has("node_names"), "{paths:?}");
}

/// The same where another group is the one that leaves its place: the number of the place is shown.
#[test]
fn nodes_and_number_of_a_group_have_a_cause_each() {
    let loose = |groups: &mut Value| groups[2]["depends_on"] = json!(["a"]);
    let (before, after) = (
        groups(loose),
        groups(|groups| {
            loose(groups);
            groups[2]["selectors"][0]["node_names"] = json!(["n0", "n2"]);
            groups.as_array_mut().unwrap().swap(1, 2);
        }),
    );
    let (diff, _) = compare(&before, &after).unwrap();
    let own = diff.moves.iter().find(|one| one.subject.name == "c");
    let because = causes(&diff, own.unwrap());
    let paths: Vec<&str> = because.iter().map(|cause| cause.path.as_str()).collect();
    assert_eq!(
        paths,
        ["data.groups[c].selectors[0].node_names[n0]", "data.groups"]
    );
}

/// A cause that changes nothing in either direction is none, though without it alone the decision
/// would be a third one.
#[test]
fn what_nobody_would_miss_is_no_cause() {
    let site = |a: &str, d: (&str, &str)| {
        let rules = json!([{"key": "region", "operator": "Equals", "values": ["eu"]},
            {"key": "cost", "operator": "MinOf"}]);
        let mut documents = ruled(&rules);
        documents.truncate(3);
        for (name, region, cost) in [("a", "eu", a), ("b", "eu", "5"), ("d", d.0, d.1)] {
            let mut own = ruled(&rules).pop().unwrap();
            own["metadata"]["name"] = json!(name);
            own["metadata"]["labels"] = json!({"region": region, "cost": cost});
            documents.push(own);
        }
        documents
    };
    let (diff, _) = compare(&site("1", ("eu", "8")), &site("9", ("us", "2"))).unwrap();
    let because = causes(&diff, &diff.moves[0]);
    let names: Vec<&str> = because.iter().map(|one| one.object.name.as_str()).collect();
    assert_eq!(
        (names, diff.moves[0].confirmed),
        (vec!["a"], true),
        "{diff:#?}"
    );
}

/// Documents that are refused on either side or both, when they are read or when they are planned,
/// do not make causes untrue.
#[test]
fn a_refused_document_beside_changes_no_cause() {
    let wrong = json!({"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "Placement",
        "metadata": {"name": "refused", "namespace": "ns"}, "spec": {"numberOfClusters": -1}});
    let weightless = [
        json!({"type": "senlin.policy.region_placement", "version": "1.0",
            "properties": {"regions": [{"name": "A", "weight": 0}]}}),
        json!({"type": "senlin.cluster", "version": "1.0",
            "properties": {"name": "c", "known_regions": ["A"], "node_counts": {"A": 1}}}),
        json!({"type": "senlin.action", "version": "1.0",
            "properties": {"action": "CLUSTER_SCALE_OUT", "inputs": {"count": 1}}}),
    ];
    for (site, seeds) in [
        (hub as fn(&mut Dice) -> Vec<Value>, 20),
        (packages, 20),
        (rules, 20),
    ] {
        let mut moves = 0;
        for seed in 0..seeds {
            let sides = [site(&mut Dice(seed)), site(&mut Dice(seed + 1000))];
            let (sound, _) = compare(&sides[0], &sides[1]).unwrap();
            let none: &[Value] = &[];
            let wrong = std::slice::from_ref(&wrong);
            let sides_of = [
                [wrong, wrong],
                [wrong, none],
                [none, wrong],
                [&weightless, &weightless],
                [&weightless, none],
                [none, &weightless],
            ];
            // Two of them for each site.
            for refused in sides_of.iter().skip(seed as usize % 3).step_by(3) {
                let old = [&sides[0], refused[0]].concat();
                let new = [&sides[1], refused[1]].concat();
                assert!(compare(&old, &new).is_none());
                let (beside, _) = compared(&old, &new, true).unwrap();
                assert_eq!(sound.moves, beside.moves);
                assert_eq!(sound.causes, beside.causes);
                assert!(beside.moves.iter().all(|one| one.confirmed), "{beside:#?}");
            }
            moves += sound.moves.len();
        }
        assert!(moves > 5, "{moves}");
    }
}

/// Clusters by name, each with its cost, its phase and the CPU of its Nodes.
fn priced(clusters: &[(&str, &str, &str, &[&str])]) -> Vec<Value> {
    let mut documents = ruled(&json!([{"key": "cost", "operator": "MinOf"}]));
    let cluster = documents.pop().unwrap();
    documents.pop();
    for (name, cost, phase, nodes) in clusters {
        let mut cluster = cluster.clone();
        cluster["metadata"]["name"] = json!(name);
        cluster["metadata"]["labels"]["cost"] = json!(cost);
        cluster["status"]["phase"] = json!(phase);
        let node = |(cpu, at): (&&str, usize)| json!({"name": format!("n{at}"), "allocatable": {"cpu": cpu, "memory": "4Gi"}});
        cluster["spec"]["nodes"] = nodes.iter().zip(1..).map(node).collect();
        documents.push(cluster);
    }
    documents
}

/// What is defined twice is refused, and nothing goes there: that undoes no move. The causes can be
/// taken back as they are told.
#[test]
fn causes_taken_back_leave_no_document_refused() {
    let clusters = |cost, nodes| {
        priced(&[
            ("c0", "5", "Up", &["4"]),
            ("c1", cost, "Up", &["4"]),
            ("d", "1", "Up", nodes),
        ])
    };
    let old = clusters("9", &["500m"]);
    // The Node is a document of its own now, and large enough.
    let mut new = clusters("0", &[]);
    new.push(
        json!({"apiVersion": "planner/v1", "kind": "Node", "metadata": {"name": "n1"},
        "spec": {"cluster": "d"}, "status": {"allocatable": {"cpu": "4", "memory": "4Gi"}}}),
    );
    let (diff, decided) = compare(&old, &new).unwrap();
    let [moved] = diff.moves.as_slice() else {
        panic!("{diff:#?}")
    };
    assert!(moved.confirmed);
    let back = taken_back(&new, &old, &causes(&diff, moved));
    let (_, now) = compare(&back, &old).expect("nothing is refused");
    assert_eq!(now.get(&moved.subject), decided.get(&moved.subject));
}

/// What was taken back first of several changes is no cause where the others do without it.
#[test]
fn what_others_make_needless_is_no_cause() {
    let old = priced(&[
        ("a", "3", "Up", &["4"]),
        ("b", "2", "Down", &["4"]),
        ("c", "1", "Down", &["500m", "500m"]),
    ]);
    let new = priced(&[
        ("a", "3", "Down", &["4"]),
        ("b", "4", "Up", &["4"]),
        ("c", "1", "Up", &["4", "4"]),
    ]);
    let (diff, _) = compare(&old, &new).unwrap();
    let [moved] = diff.moves.as_slice() else {
        panic!("{diff:#?}")
    };
    let because = causes(&diff, moved).into_iter();
    let because: Vec<_> = because
        .map(|one| (&*one.object.name, &*one.pointer))
        .collect();
    assert_eq!(because, [("a", "/status/phase"), ("c", "/status/phase")]);
}

/// A rule in part as it was is refused, and with it the Package: that the Application is gone then
/// makes the rule no cause.
#[test]
fn what_vanishes_among_refusals_names_no_cause() {
    let clusters = |cost| priced(&[("c0", "5", "Up", &["4"]), ("c1", cost, "Up", &["4"])]);
    let with_rule = |mut documents: Vec<Value>, rule: Value| {
        let rules = documents[1]["spec"]["rules"].as_array_mut().unwrap();
        rules.insert(0, rule);
        documents
    };
    let not_in = json!({"key": "tier", "operator": "NotIn", "values": ["z"]});
    let old = with_rule(clusters("9"), not_in);
    let new = with_rule(
        clusters("0"),
        json!({"key": "tier", "operator": "NotExists"}),
    );
    let (diff, _) = compare(&old, &new).unwrap();
    let because = causes(&diff, &diff.moves[0]).into_iter();
    let because: Vec<&str> = because.map(|one| &*one.pointer).collect();
    assert_eq!(
        (because, diff.moves[0].confirmed),
        (vec!["/metadata/labels/cost"], true)
    );
}

/// Programs are not asked again: what is named are the changes of what moves.
#[test]
fn with_commands_the_changes_of_what_moves_are_named() {
    let clusters = |cost, other| {
        priced(&[
            ("c0", "5", "Up", &["4"]),
            ("c1", cost, "Up", &["4"]),
            ("d", other, "Up", &["4"]),
        ])
    };
    let (old, new) = (clusters("9", "9"), clusters("0", "8"));
    let loaded = [&old, &new].map(|site| load::open(&piped(text(site))).unwrap());
    let settings = CheckOptions::at(support::NOW.parse().unwrap());
    let checked = [&loaded[0], &loaded[1]].map(|loaded| site::check(loaded, &settings));
    let options = Options {
        allow_commands: true,
        ..Options::default()
    };
    let plans = [&checked[0], &checked[1]].map(|checked| plan::make(checked, &options));
    let [old, new] = [&plans[0], &plans[1]].map(State::of);
    let diff = diff::compare(&old, &new, &options);
    let because = causes(&diff, &diff.moves[0]).into_iter();
    let because: Vec<&str> = because.map(|one| &*one.object.name).collect();
    assert_eq!((because, diff.moves[0].confirmed), (vec!["c1"], false));
}
