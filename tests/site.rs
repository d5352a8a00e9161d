//! `fixtures/site`: five systems in one site, as an operator would keep it.
#![allow(
    clippy::unwrap_used,
    reason = "a test says no more than that it failed"
)]

mod support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::{Answer, Folder};

/// A copy of the site, which a test may change, in a folder of its own.
fn site() -> Folder {
    let folder = Folder::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/site");
    copy(&folder, &from, "site");
    folder
}

fn copy(folder: &Folder, from: &Path, name: &str) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{name}/{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            copy(folder, &path, &name);
        } else {
            folder.write(&name, fs::read(&path).unwrap());
        }
    }
}

fn plan(folder: &Folder) -> Value {
    let answer: Answer = folder.at(&["plan", "site", "-o", "json"]);
    answer.ends(0);
    answer.json()
}

#[test]
fn the_site_is_as_large_as_it_says_and_sound() {
    let folder = site();
    folder.at(&["validate", "site"]).ends(0).says("no findings");
    let plan = plan(&folder);
    assert_eq!(plan["result"], "ready");
    let keys: Vec<&String> = plan.as_object().unwrap().keys().collect();
    let sections = [
        "deploymentStrategy",
        "regionPlacements",
        "placements",
        "placementRules",
        "applications",
        "rollouts",
    ];
    let at = |name: &str| keys.iter().position(|key| *key == name).unwrap();
    assert!(sections.windows(2).all(|pair| at(pair[0]) < at(pair[1])));
    let groups = plan["deploymentStrategy"]["groups"].as_array().unwrap();
    let nodes = groups
        .iter()
        .map(|group| group["nodes"].as_array().unwrap().len());
    assert_eq!(nodes.sum::<usize>(), 60);
    assert_eq!(
        plan["regionPlacements"][0]["regions"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let planned = plan["applications"].as_array().unwrap();
    let standing = |application: &&Value| application["change"] != "withdraw";
    assert_eq!(planned.iter().filter(standing).count(), 25);
    for change in ["unchanged", "place", "move", "withdraw"] {
        assert!(
            planned.iter().any(|one| one["change"] == change),
            "{change}"
        );
    }
}

#[test]
fn its_tests_pass() {
    let folder = site();
    let answer = folder.at(&["test", "site"]);
    assert!(
        answer.ends(0).out.contains("5 tests: 5 passed."),
        "{answer:?}"
    );
}

#[test]
fn once_recorded_nothing_moves_again() {
    let folder = site();
    let answer = folder.at(&["plan", "site", "--yes"]);
    answer
        .ends(0)
        .says("Wrote site/planner-records/0003-site.yaml");
    let plan = plan(&folder);
    let mut applications = plan["applications"].as_array().unwrap().iter();
    assert!(applications.all(|one| one["change"] == "unchanged"));
    let mut placements = plan["placements"].as_array().unwrap().iter();
    assert!(placements.all(|one| one["deletedPlacementDecisions"] == Value::Array(Vec::new())));
}
