//! `planner why`: what would have to change, and the names that it understands.

use std::process::Command;

use serde_json::Value;

use crate::support::{Folder, answer, application, cluster, site, too_large};

fn why(folder: &Folder, more: &[&str]) -> Value {
    let mut args = vec!["why"];
    args.extend(more);
    args.extend(["--in", "s", "-o", "json"]);
    folder.at(&args).json()
}

fn edits(candidate: &Value) -> Vec<&Value> {
    let sets = candidate["changes"].as_array().unwrap().iter();
    sets.flat_map(|set| set["edits"].as_array().unwrap())
        .collect()
}

#[test]
fn an_answer_for_one_candidate_ends_with_proven_changes() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let answer = why(&folder, &["shop/web", "lyon"]);
    let lyon = &answer["candidates"][0];
    assert_eq!(lyon["name"], "lyon");
    assert_eq!(lyon["noneUpTo"], Value::Null);
    assert_eq!(lyon["stopped"], false);
    assert!(lyon["plans"].as_u64().unwrap() > 0);
    assert_eq!(lyon.get("obstacles"), None);
    let sets = lyon["changes"].as_array().unwrap();
    assert!((1..=5).contains(&sets.len()), "{sets:#?}");
    for set in sets {
        assert_eq!(set["proven"], true);
        assert_eq!(set["cost"], 1, "{sets:#?}");
    }
    let label = edits(lyon)
        .into_iter()
        .find(|edit| edit["object"]["kind"] == "Cluster")
        .unwrap();
    let expected = serde_json::json!({
        "object": {"kind": "Cluster", "name": "lyon"},
        "path": "s/a.yaml", "line": 20, "pointer": "/metadata/labels/cost",
        "op": "set", "before": "7", "after": "5",
    });
    assert_eq!(label, &expected);
    // What stood before is gone where something is removed; nothing comes after.
    let removed = edits(lyon).into_iter().find(|edit| edit["op"] == "remove");
    let removed = removed.unwrap();
    assert!(removed.get("before").is_some() && removed.get("after").is_none());
    // The one that is chosen needs none.
    let oslo = &why(&folder, &["shop/web", "oslo"])["candidates"][0];
    assert_eq!(oslo["chosen"], true);
    assert_eq!(oslo.get("changes"), None);
}

#[test]
fn changes_are_left_out_where_nobody_asks_for_them() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let has = |answer: &Value| {
        let all = answer["candidates"].as_array().unwrap().iter();
        all.filter(|one| one.get("changes").is_some()).count()
    };
    assert_eq!(has(&why(&folder, &["shop/web"])), 0);
    assert_eq!(has(&why(&folder, &["shop/web", "--changes", "1"])), 1);
    let none = why(&folder, &["shop/web", "lyon", "--changes", "0"]);
    assert_eq!(has(&none), 0);
    folder
        .at(&["why", "shop/web", "lyon", "--in", "s", "--write"])
        .ends(64);
}

/// What came next, and the number that separates it; whoever asks for more is told that instead.
#[test]
fn the_answer_ends_with_the_runner_up() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let answer = why(&folder, &["shop/web"]);
    let next = &answer["runnerUp"];
    assert_eq!(next["candidate"], "lyon");
    assert_eq!(
        (&next["proven"], &next["bound"]),
        (&true.into(), &"orLess".into())
    );
    assert_eq!(next["edits"][0]["pointer"], "/metadata/labels/cost");
    let page = folder.at(&["why", "shop/web", "--in", "s"]);
    let last = page.out.trim_end().lines().next_back();
    assert_eq!(
        last,
        Some("lyon would be chosen if its cost were 5 or less (it is 7).")
    );
    for more in [&["shop/web", "lyon"][..], &["shop/web", "--changes", "1"]] {
        assert_eq!(why(&folder, more).get("runnerUp"), None);
    }
    let sets = why(&folder, &["shop/web", "lyon"]);
    let sets = sets["candidates"][0]["changes"].as_array().unwrap();
    let moves = sets
        .iter()
        .map(|set| set["alsoMoves"].as_u64().unwrap() > 0);
    assert!(moves.clone().is_sorted() && moves.clone().any(|one| one));
}

/// The Placement of a consumer moves with it; what else reads that Placement counts.
#[test]
fn the_placement_of_a_consumer_is_no_other() {
    let fleet = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/deliveries/fleet.yaml"
    );
    let ask = [
        "why",
        "Policy/gov/quotas",
        "riga",
        "--in",
        fleet,
        "-o",
        "json",
    ];
    let answer = Folder::new().run(&ask).json();
    let sets = answer["candidates"][0]["changes"].as_array().unwrap();
    let label = sets
        .iter()
        .find(|set| set["edits"][0]["pointer"] == "/metadata/labels/env");
    assert_eq!(label.unwrap()["alsoMoves"], 1, "{sets:#?}");
    // With oslo given up.
    let selector = sets.iter().find(|set| set["edits"][0]["after"] == "dev");
    assert_eq!(selector.unwrap()["alsoMoves"], 2, "{sets:#?}");
}

/// A PlacementRule that gets the cluster, too, is counted.
#[test]
fn rules_that_move_along_are_counted() {
    let cluster = |name: &str, stage: &str| {
        format!(
            "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
             metadata: {{name: {name}, labels: {{stage: {stage}}}}}\n---\n"
        )
    };
    let text = [
        cluster("bergen", "live"),
        cluster("turku", "test"),
        "apiVersion: cluster.open-cluster-management.io/v1beta2\n\
         kind: ManagedClusterSetBinding\nmetadata: {name: global, namespace: wiki}\n\
         spec: {clusterSet: global}\n---\n\
         apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
         metadata: {name: web, namespace: wiki}\nspec:\n  predicates:\n  \
         - requiredClusterSelector: {labelSelector: {matchLabels: {stage: live}}}\n---\n\
         apiVersion: apps.open-cluster-management.io/v1\nkind: PlacementRule\n\
         metadata: {name: old, namespace: wiki}\n\
         spec: {clusterSelector: {matchLabels: {stage: live}}}\n"
            .to_owned(),
    ];
    let folder = Folder::of(&[("s/a.yaml", &text.concat())]);
    let answer = why(&folder, &["wiki/web", "turku"]);
    let sets = answer["candidates"][0]["changes"].as_array().unwrap();
    let moved = |pointer: &str| {
        let set = sets
            .iter()
            .find(|set| set["edits"][0]["pointer"] == pointer);
        set.unwrap()["alsoMoves"].clone()
    };
    assert_eq!(moved("/metadata/labels/stage"), 1, "{answer:#}");
    assert_eq!(moved("/spec/predicates/-"), 0, "{answer:#}");
}

/// Names of Applications are unique in a Package alone.
#[test]
fn an_application_is_told_with_its_package() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let answer = why(&folder, &["shop/web", "lyon", "--may", "subject"]);
    let objects = edits(&answer["candidates"][0]).into_iter();
    let mut objects = objects.map(|edit| edit["object"].clone());
    let own = objects
        .find(|object| object["kind"] == "Application")
        .unwrap();
    assert_eq!(own["package"], "shop");
    let page = folder.at(&["why", "shop/web", "lyon", "--may", "subject", "--in", "s"]);
    assert!(page.out.contains("Application shop/web: "), "{}", page.out);
}

#[test]
fn only_the_documents_that_may_change_do() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let kinds = |may: &str| {
        let answer = why(&folder, &["shop/web", "lyon", "--may", may]);
        let kinds = edits(&answer["candidates"][0])
            .into_iter()
            .map(|edit| edit["object"]["kind"].as_str().unwrap().to_owned());
        kinds.collect::<Vec<_>>()
    };
    let candidate = kinds("candidate");
    assert!(!candidate.is_empty() && candidate.iter().all(|kind| kind == "Cluster"));
    let subject = kinds("subject");
    assert!(!subject.is_empty() && subject.iter().all(|kind| kind != "Cluster"));
    let answer = why(&folder, &["shop/web", "lyon", "--may", "both"]);
    let both = answer["candidates"][0]["changes"].as_array().unwrap();
    assert_eq!(both.len(), (candidate.len() + subject.len()).min(5));
}

#[test]
fn where_nothing_helps_the_obstacles_are_said() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let text = "\
---
apiVersion: planner/v1
kind: Deployment
metadata: {name: shop-1, creationTimestamp: \"2024-07-01T12:00:00Z\"}
spec: {package: shop}
status:
  phase: Running
  workloads:
  - application: db
    cluster: oslo
    persistentResources:
    - {kind: PersistentVolumeClaim, name: data-db-0, storageRequest: data}
";
    folder.write("s/b.yaml", text);
    let answer = why(
        &folder,
        &["shop/db", "lyon", "--changes", "1", "--may", "candidate"],
    );
    let lyon = &answer["candidates"][0];
    assert_eq!(lyon["changes"], serde_json::json!([]));
    assert_eq!(lyon["noneUpTo"], 1);
    let obstacles = lyon["obstacles"].as_array().unwrap();
    assert_eq!(obstacles[0]["stage"], "Extant Resources", "{lyon:#}");
    assert!(obstacles[0]["needs"].is_string());
    let asked = [
        "why",
        "shop/db",
        "lyon",
        "--changes",
        "1",
        "--may",
        "candidate",
    ];
    let page = folder
        .at(&[&asked[..], &["--in", "s"]].concat())
        .out
        .clone();
    let said = "No single change selects lyon (the one edit that planner knows does not help). It";
    assert!(page.contains(said), "{page}");
    let page = folder.at(&["why", "shop/db", "lyon", "--may", "candidate", "--in", "s"]);
    let said = "No set of up to 3 changes selects lyon (";
    assert!(page.out.contains(said), "{}", page.out);
}

#[test]
fn the_difference_applies_and_gets_the_candidate_chosen() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    for may in ["candidate", "subject"] {
        folder.write("s/a.yaml", site());
        let ask = [
            "why", "shop/web", "lyon", "--in", "s", "--diff", "--may", may,
        ];
        let shown = folder.at(&ask);
        shown.ends(0).says("selects lyon; nothing was written");
        let told = why(&folder, &["shop/web", "lyon", "--may", may]);
        let told = told["candidates"][0]["changes"][0]["alsoMoves"].as_u64();
        assert_eq!(folder.read("s/a.yaml"), site());
        let patch = folder.write("change.patch", &shown.out);
        let mut git = Command::new("git");
        git.args(["apply", "--verbose"]).arg(patch);
        answer(git.current_dir(folder.path())).ends(0);
        assert_ne!(folder.read("s/a.yaml"), site());
        let now = why(&folder, &["shop/web", "lyon"]);
        assert_eq!(now["candidates"][0]["chosen"], true, "{may}");
        folder.write("old/a.yaml", site());
        let moved = folder.at(&["plan", "--against", "old", "s", "-o", "json", "--no-input"]);
        let moved = moved.json()["moves"].as_array().unwrap().len() as u64;
        assert_eq!(told, Some(moved - 1), "{may}");
    }
}

#[test]
fn pointers_start_at_the_item_of_a_list() {
    let items: Vec<Value> = documents(&site());
    let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items});
    let folder = Folder::of(&[("s/list.json", &list.to_string())]);
    let answer = why(&folder, &["shop/web", "lyon", "--may", "candidate"]);
    let lyon = &answer["candidates"][0];
    assert_eq!(edits(lyon)[0]["pointer"], "/metadata/labels/cost");
}

/// The documents of a text.
fn documents(text: &str) -> Vec<Value> {
    text.split("---\n")
        .map(|one| serde_yaml::from_str(one).unwrap())
        .collect()
}

#[test]
fn a_name_like_no_other_leads_to_the_list_of_names() {
    let folder = Folder::of(&[("s/a.yaml", &too_large())]);
    let asked = folder.at(&["why", "nothing-like-it", "--in", "s"]);
    asked.ends(64);
    let told = "named \"nothing-like-it\"; without a name, `planner why` lists all names";
    assert!(asked.err.contains(told), "{asked:#?}");
    for slip in ["shop/wep", "wbe"] {
        let near = folder.at(&["why", slip, "--in", "s"]);
        assert!(near.err.contains("did you mean shop/web?"), "{near:#?}");
    }
}

#[test]
fn failures_say_what_would_place_them_at_trace() {
    let folder = Folder::of(&[("s/a.yaml", &too_large())]);
    let plain = folder.at(&["plan", "s"]);
    assert!(!plain.out.contains("placeable with"), "{plain:#?}");
    let traced = folder.at(&["plan", "s", "--trace"]);
    traced.ends(3);
    let line = "    placeable with: Application shop/web: set spec.containers[main].requests.cpu to 8 (was 100)";
    assert!(traced.out.contains(line), "{}", traced.out);
    let asked = folder.at(&["why", "shop/web", "--in", "s"]);
    asked.ends(3);
    assert!(
        asked
            .out
            .contains("set spec.nodes[n1].allocatable.cpu to 100")
    );
}

const GROW: &str = "\
type: senlin.policy.region_placement
version: 1.0
properties:
  regions:
  - {name: north, weight: 30}
  - {name: south, weight: 10}
---
type: senlin.cluster
version: 1.0
properties: {name: frontend, node_counts: {north: 1}}
---
type: senlin.action
version: 1.0
properties: {action: CLUSTER_SCALE_OUT, inputs: {count: 3}}
";

#[test]
fn what_a_person_types_is_understood() {
    let folder = Folder::of(&[("s/a.yaml", &site()), ("s/deep/grow.yaml", GROW)]);
    let subject = |typed: &str| why(&folder, &[typed])["subject"].clone();
    assert_eq!(subject("db"), "shop/db");
    assert_eq!(subject("ogc:db"), "shop/db");
    assert_eq!(subject("grow.yaml"), "s/deep/grow.yaml");
    assert_eq!(subject("deep/grow.yaml"), "s/deep/grow.yaml");
    assert_eq!(subject("frontend"), "s/deep/grow.yaml");
    // What is placed on it, from the other side.
    let oslo = why(&folder, &["oslo"]);
    assert_eq!(oslo["subject"], "oslo");
    assert_eq!(
        oslo["decidedBy"]["reason"],
        "chosen for 2 of 2 Applications"
    );
    assert_eq!(oslo["candidates"][0]["name"], "shop/db");
    assert_eq!(oslo["candidates"][0]["chosen"], true);
    let north = why(&folder, &["north"]);
    assert_eq!(north["candidates"][0]["name"], "s/deep/grow.yaml");
    let answer = folder.at(&["why", "lyon", "--in", "s"]);
    answer.ends(0);
    assert!(
        answer.out.contains("shop/web  not chosen"),
        "{}",
        answer.out
    );
    assert!(
        answer.out.contains("planned on oslo: lowest cost"),
        "{}",
        answer.out
    );
    // Several meanings are listed, a path and a near name are offered.
    folder.write("s/b.yaml", GROW.replace("frontend", "web"));
    let answer = folder.at(&["why", "web", "--in", "s"]);
    answer.ends(64).says("ogc:shop/web, senlin:s/b.yaml");
    folder.at(&["why", "north", "--in", "s"]).ends(0);
    folder
        .at(&["why", "s/a.yaml", "--in", "s"])
        .ends(64)
        .says("did you mean --in s/a.yaml?");
    folder
        .at(&["why", "osol", "--in", "s"])
        .ends(64)
        .says("did you mean oslo?");
}

#[test]
fn an_application_that_is_withdrawn_is_known() {
    let text = "\
---
apiVersion: planner/v1
kind: Deployment
metadata: {name: shop-1, creationTimestamp: \"2024-07-01T12:00:00Z\"}
spec: {package: shop}
status:
  phase: Running
  workloads:
  - {application: old, cluster: lyon}
";
    let site = [
        crate::support::PACKAGE.to_owned(),
        cluster("lyon", 2021, 7, "Up"),
        application("web", "1", false),
        text.to_owned(),
    ]
    .concat();
    let folder = Folder::of(&[("s/a.yaml", &site)]);
    for typed in ["shop/old", "old"] {
        let answer = folder.at(&["why", typed, "--in", "s"]);
        answer.ends(0);
        assert!(
            answer
                .out
                .contains("withdrawn: Package shop no longer has it"),
            "{answer:#?}"
        );
        assert!(
            answer.out.contains("it is on lyon, by Deployment shop-1"),
            "{answer:#?}"
        );
    }
}

/// The answers that the help shows are those that the program gives.
#[test]
fn the_screens_of_the_help_are_real() {
    let help = include_str!("../../../src/cli/why.txt");
    let mut shown: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in help.lines() {
        if let Some((_, command)) = line.split_once(": planner why ") {
            shown.push((command, Vec::new()));
        } else if let Some((_, lines)) = shown.last_mut() {
            lines.push(line);
        }
    }
    assert_eq!(shown.len(), 5);
    for (command, lines) in shown {
        let mut program = Command::new(crate::support::PLANNER);
        program.arg("why").args(command.split(' '));
        program.args(["--now", crate::support::NOW]);
        let answer = answer(program.current_dir(env!("CARGO_MANIFEST_DIR")));
        let whole = lines.iter().take_while(|line| line.trim() != "…");
        let whole: Vec<&str> = whole
            .map(|line| line.strip_prefix("    ").unwrap_or(""))
            .collect();
        let wanted = whole.join("\n");
        assert!(
            answer.out.contains(wanted.trim()),
            "{command}\n{}",
            answer.out
        );
    }
}

/// Where there are several sites to choose from, the one whose path is given is read.
#[test]
fn a_path_is_read_before_sites_are_offered() {
    let folder = Folder::of(&[]);
    for (root, site) in [("one", "north"), ("two", "north"), ("two", "south")] {
        folder.write(
            &format!("{root}/site/{site}/site-definition.yaml"),
            format!(
                "schema: pegleg/SiteDefinition/v1\n\
                 metadata: {{schema: metadata/Document/v1, name: {site}, storagePolicy: cleartext,\n  \
                 layeringDefinition: {{abstract: false, layer: site}}}}\n\
                 data: {{site_type: small}}\n"
            ),
        );
    }
    let answer = folder.at(&["why", "web", "one"]);
    answer.ends(1).says("one/site/north/site-definition.yaml");
    let answer = folder.at(&["why", "web", "nowhere"]);
    answer
        .ends(64)
        .says("3 sites in 2 repositories; give the path of one");
    assert!(!answer.err.contains("did you mean"), "{}", answer.err);
}

/// What is refused elsewhere has nothing to do with it.
#[test]
fn a_refused_document_beside_hides_no_change() {
    let refused = "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
                   metadata: {name: bad, namespace: own}\nspec: {numberOfClusters: -1}\n";
    let folder = Folder::of(&[("s/a.yaml", &site()), ("s/bad.yaml", refused)]);
    let ask = [
        "why",
        "shop/web",
        "lyon",
        "--in",
        "s",
        "--keep-going",
        "-o",
        "json",
    ];
    let with = folder.at(&ask).json()["candidates"][0]["changes"].clone();
    std::fs::remove_file(folder.path().join("s/bad.yaml")).unwrap();
    let without = folder.at(&ask).json()["candidates"][0]["changes"].clone();
    assert_ne!(without, serde_json::json!([]));
    assert_eq!(with, without);
}
