//! `simulate` with a snapshot: rollouts go on from where the hub says that they are.

use serde_json::{Value, json};

use super::{BINDING, cluster, stream};
use crate::support::Folder;

const DECK: &str = include_str!("../../../fixtures/hub/rollouts.yaml");

/// What the fixture says: documents, the snapshot, the statuses that it comes to.
fn folder() -> Folder {
    let (git, hub) = DECK.split_once("# The snapshot\n").unwrap();
    Folder::of(&[("git.yaml", git), ("hub.yaml", hub)])
}

const SIMULATE: [&str; 4] = ["simulate", "git.yaml", "--hub", "hub.yaml"];

/// The run of a rollout over a placement.
#[track_caller]
fn run(folder: &Folder, more: &[&str], placement: &str) -> Value {
    let answer = folder.at(&[&SIMULATE[..], &["-o", "json"], more].concat());
    let runs = answer.json()["rolloutRuns"].clone();
    let mut runs = runs.as_array().unwrap().iter();
    let found = runs.find(|run| run["placement"] == placement);
    found.unwrap_or_else(|| panic!("{answer:#?}")).clone()
}

/// The comment `# expect: STATUS` behind the name of each cluster's object says what comes of its
/// conditions.
#[test]
fn conditions_are_read_as_the_controllers_read_them() {
    let expected = |part: &str| -> Value {
        let (_, part) = DECK.split_once(&format!("# {part}\n")).unwrap();
        let part = part.split("# End\n").next().unwrap();
        let pairs = part.lines().filter_map(|line| {
            let (object, status) = line.split_once("# expect: ")?;
            let cluster = object.split("namespace: ").nth(1)?;
            let cluster = cluster.split(['}', ',']).next()?;
            Some((cluster.trim().to_owned(), Value::from(status.trim())))
        });
        let all: serde_json::Map<String, Value> = pairs.collect();
        assert!(all.len() > 5, "{all:?}");
        Value::Object(all)
    };
    let folder = folder();
    let works = run(&folder, &[], "works");
    assert_eq!(works["clusterStatusBefore"], expected("Works"));
    let addons = run(&folder, &[], "shop/addons");
    assert_eq!(addons["clusterStatusBefore"], expected("Add-ons"));
}

#[test]
fn a_rollout_goes_on_from_there() {
    let folder = folder();
    insta::assert_snapshot!("rollouts", folder.at(&SIMULATE).ends(0).out);
    // Without a snapshot nothing is known, whatever the documents hold.
    let (git, hub) = DECK.split_once("# The snapshot\n").unwrap();
    let works = hub.split("# End").next().unwrap();
    folder.write("all.yaml", format!("{git}---\n{works}"));
    let alone = folder.at(&["simulate", "all.yaml", "-o", "json"]).json();
    for run in alone["rolloutRuns"].as_array().unwrap() {
        assert_eq!(run.get("clusterStatusBefore"), None, "{run:#}");
    }
}

/// One replica set over four clusters, one at a time; `riga` is under way since 23:00, `oslo` done.
fn one_at_a_time(strategy: &str, lyon: &str) -> Folder {
    let manifests = "{workload: {manifests: []}}";
    let set = format!(
        "apiVersion: work.open-cluster-management.io/v1alpha1\nkind: ManifestWorkReplicaSet\n\
         metadata: {{name: app, namespace: shop}}\nspec:\n  manifestWorkTemplate: {manifests}\n  \
         placementRefs:\n  - name: works\n    rolloutStrategy: {{type: Progressive, progressive: \
         {{maxConcurrency: 1{strategy}}}}}\n"
    );
    let work = |cluster: &str, progressing: &str| {
        format!(
            "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata:\n  \
             name: app-x\n  namespace: {cluster}\n  generation: 1\n  labels:\n    \
             work.open-cluster-management.io/manifestworkreplicaset: shop.app\n    \
             work.open-cluster-management.io/placementname: works\nspec: {manifests}\nstatus:\n  \
             conditions:\n  - {{type: Applied, status: 'True', observedGeneration: 1}}\n  - \
             {{type: Progressing, status: '{progressing}', observedGeneration: 1, \
             lastTransitionTime: '2025-12-31T23:00:00Z'}}\n"
        )
    };
    let clusters = ["lyon", "oslo", "riga", "turin"].map(|name| cluster(name, ""));
    let hub: Vec<&str> = clusters.iter().map(String::as_str).collect();
    let gone = work("away", "False");
    let (oslo, riga) = (work("oslo", "False"), work("riga", "True"));
    let hub = stream(&[&hub[..], &[&oslo, &riga, &gone, lyon]].concat());
    let git = stream(&[BINDING, &super::placement("works", "{}"), &set]);
    Folder::of(&[("git.yaml", git.as_str()), ("hub.yaml", &hub)])
}

#[test]
fn what_is_under_way_takes_its_place_and_ends_as_it_is_asked() {
    let folder = one_at_a_time("", "");
    let steps = |more: &[&str]| {
        let run = run(&folder, more, "works");
        let steps = run["steps"].as_array().unwrap().iter();
        let started: Vec<Value> = steps.map(|step| step["started"].clone()).collect();
        (
            started,
            run["outcome"].clone(),
            run["clusterStatus"].clone(),
        )
    };
    // The window of one is taken by riga, which ends first. What is elsewhere goes at once.
    let (started, outcome, states) = steps(&[]);
    assert_eq!(
        started,
        [json!([]), json!(["lyon"]), json!(["turin"]), json!([])]
    );
    assert_eq!(outcome, "completed");
    let done = json!({"lyon": "Succeeded", "oslo": "Succeeded", "riga": "Succeeded", "turin": "Succeeded"});
    assert_eq!(states, done);
    let removed = run(&folder, &[], "works")["steps"].clone();
    assert_eq!(removed[0]["clustersRemoved"][0]["clusterName"], "away");
    assert_eq!(removed[1]["clustersRemoved"], json!([]));
    // One that is done is not started, so it cannot fail.
    assert_eq!(steps(&["--fail", "oslo"]), steps(&[]));
    // One that is under way can.
    let (started, outcome, states) = steps(&["--fail", "riga"]);
    assert!(started.iter().all(|step| *step == json!([])), "{started:?}");
    assert_eq!(outcome, "breached");
    assert_eq!(states, json!({"oslo": "Succeeded", "riga": "Failed"}));
}

/// Deadlines and soaks count from the times of the conditions.
#[test]
fn times_count_from_the_conditions() {
    let late = one_at_a_time(", progressDeadline: 30m", "");
    let late = run(&late, &[], "works");
    assert_eq!(
        late["steps"][0]["clustersTimeOut"][0]["clusterName"],
        "riga"
    );
    assert_eq!(late["clusterStatus"]["riga"], "TimeOut");
    assert_eq!(late["outcome"], "breached");
    let soaking = one_at_a_time(", minSuccessTime: 90m", "");
    let soaking = run(&soaking, &[], "works");
    // oslo soaks until half past midnight, riga from midnight on.
    let starts: Vec<&Value> = soaking["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|step| step["started"] != json!([]))
        .collect();
    assert_eq!(starts[0]["now"], "2026-01-01T01:30:00Z", "{soaking:#}");
    assert_eq!(starts[0]["started"], json!(["lyon"]));
}
