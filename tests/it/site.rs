//! `fixtures/site`: five systems in one site, as an operator would keep it.

use std::path::Path;

use crate::support::{Answer, Folder};
use serde_json::Value;

/// A copy of the site, which a test may change, in a folder of its own.
fn site() -> Folder {
    let folder = Folder::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/site");
    folder.copy(&from, "site");
    folder
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
    let stays = |application: &&Value| application["change"] != "withdraw";
    assert_eq!(planned.iter().filter(stays).count(), 25);
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

/// The ties that `plan` and `validate` find after an edit: code, place, the other place.
#[track_caller]
fn tied(folder: &Folder, wanted: (&str, &str, &str)) {
    for command in ["plan", "validate"] {
        let answer = folder.at(&[command, "site", "-o", "json"]).json();
        let found = answer["diagnostics"].as_array().unwrap().iter();
        let place = |found: &Value| {
            (
                found["code"].as_str().unwrap().to_owned(),
                found["primary"]["path"].as_str().unwrap().to_owned(),
                found["related"][0]["path"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
            )
        };
        let found: Vec<_> = found
            .map(place)
            .filter(|one| one.0.starts_with("planner::site::"))
            .collect();
        let (code, path, other) = wanted;
        let wanted = (
            format!("planner::site::{code}"),
            format!("site/{path}"),
            format!("site/{other}"),
        );
        assert!(
            found.contains(&wanted),
            "{command}: {wanted:?} is not in {found:?}"
        );
    }
}

fn edited(name: &str, from: &str, to: &str) -> Folder {
    let folder = site();
    let text = folder.read(name);
    assert!(text.contains(from), "{name}");
    folder.write(name, text.replace(from, to));
    folder
}

#[test]
fn what_ties_the_systems_is_told_with_both_places() {
    let placements = "hub/placements.yaml";
    let down = edited("site/clusters/torvik.yaml", "phase: Up", "phase: Down");
    tied(&down, ("twin_not_up", placements, "clusters/torvik.yaml"));
    let bare = edited("site/clusters/torvik.yaml", "name: torvik-", "name: other-");
    tied(
        &bare,
        ("twin_not_deployed", placements, "clusters/torvik.yaml"),
    );
    let outside = edited(
        "site/packages/shop.yaml",
        "metadata: {name: shop}",
        "metadata: {name: shop, annotations: {planner/placement: platform/collectors}}",
    );
    tied(
        &outside,
        ("outside_placement", "packages/shop.yaml", placements),
    );
    let idle = edited(
        "site/hub/placements.yaml",
        "numberOfClusters: 5",
        "numberOfClusters: 1",
    );
    tied(
        &idle,
        (
            "idle_cluster",
            "machines/strategy.yaml",
            "clusters/myrdal.yaml",
        ),
    );
    let region = edited("site/regions/edge-cache.yaml", "south", "suoth");
    tied(
        &region,
        (
            "unlabelled_region",
            "regions/edge-cache.yaml",
            "clusters/solano.yaml",
        ),
    );
}

#[test]
fn without_everything_every_system_says_what_is_left() {
    let folder = site();
    let text = folder.read("site/regions/edge-cache.yaml");
    assert!(text.contains("name: west"));
    let mut arguments = vec!["plan".to_owned(), "site".to_owned()];
    let risk = folder.at(&["risk", "site", "-o", "json"]).json();
    for loss in risk["losses"].as_array().unwrap() {
        let (kind, name) = (
            loss["kind"].as_str().unwrap(),
            loss["name"].as_str().unwrap(),
        );
        arguments.extend(["--without".to_owned(), format!("{kind}/{name}")]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = folder.at(&arguments);
    for left in [
        "No Cluster left.",
        "No ManagedCluster left.",
        "No node left.",
        "No region left.",
    ] {
        assert!(answer.ends(3).out.contains(left), "{left}: {answer:#?}");
    }
}
