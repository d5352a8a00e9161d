//! `plan --fail-on`: what is refused, by what it is compared with, and that nothing is written.

use serde_json::Value;

use super::{BINDING, cluster, decision, placement, stream};
use crate::support::Folder;

/// A Placement that takes clusters of a region.
fn by_region(name: &str, region: &str) -> String {
    let spec = format!(
        "{{predicates: [{{requiredClusterSelector: {{labelSelector: {{matchLabels: {{region: \
         {region}}}}}}}}}]}}"
    );
    placement(name, &spec)
}

/// Two clusters in the north, one in the south, and a Placement.
fn site(region: &str) -> String {
    stream(&[
        BINDING,
        &by_region("web", region),
        &cluster("lyon", "region: south"),
        &cluster("oslo", "region: north"),
        &cluster("riga", "region: north"),
    ])
}

fn states(new: &str) -> Folder {
    Folder::of(&[("old/a.yaml", site("north").as_str()), ("new/a.yaml", new)])
}

/// The status of a plan against the state before, under a condition.
fn status(folder: &Folder, condition: &str) -> i32 {
    folder
        .at(&["plan", "new", "--against", "old", "--fail-on", condition])
        .status
}

#[test]
fn each_condition_is_reached_where_it_says() {
    let emptied = states(&site("nort"));
    let moved = states(&site("south"));
    let fewer =
        states(&site("north").replace("name: riga\n  labels: {region: north}", "name: riga"));
    let deleted = states(&stream(&[BINDING, &cluster("oslo", "region: north")]));
    let rows = [
        ("emptied", [3, 0, 0, 3]),
        ("deleted", [0, 0, 0, 3]),
        ("removed", [3, 3, 3, 3]),
        ("removed=2", [3, 3, 0, 3]),
        ("removed=3", [0, 0, 0, 0]),
        ("removed=51%", [3, 3, 0, 3]),
        ("removed=50%", [3, 3, 3, 3]),
        ("removed-each=100%", [3, 3, 0, 3]),
        ("removed-cluster=100%", [3, 3, 3, 3]),
        ("removed-cluster=2", [0, 0, 0, 0]),
        ("unplaceable", [3, 0, 0, 0]),
        ("none", [0, 0, 0, 0]),
    ];
    for (condition, wanted) in rows {
        let found = [&emptied, &moved, &fewer, &deleted].map(|folder| status(folder, condition));
        // Something that cannot be placed has that status too, unless nothing is to fail.
        let unplaceable = match condition {
            "none" => [0; 4],
            _ => [3, 0, 0, 0],
        };
        let wanted: Vec<i32> = wanted
            .iter()
            .zip(unplaceable)
            .map(|(a, b)| *a.max(&b))
            .collect();
        assert_eq!(found.to_vec(), wanted, "{condition}");
    }
}

/// The plan of the new state, held against the old one.
const AGAINST: [&str; 4] = ["plan", "new", "--against", "old"];

#[test]
fn the_refusal_names_its_cause_and_the_way_through() {
    let folder = states(&site("nort"));
    let words = [&AGAINST[..], &["--fail-on", "emptied,removed=5%"]].concat();
    let screen = folder.at(&words).out;
    for words in [
        "Refused by --fail-on emptied: Placement shop/web loses all 2 clusters\n",
        "Refused by --fail-on removed=5%: 2 of 2 deliveries would be removed (100%)\n",
        "\nPlan against old\n",
        "If this is intended: --fail-on none\n",
    ] {
        assert!(screen.contains(words), "no {words:?} in {screen}");
    }
    let comment = folder.at(&[&words[..], &["-o", "markdown"]].concat()).out;
    assert!(
        comment.starts_with("### Refused by --fail-on: 2 of 2 conditions\n"),
        "{comment}"
    );
    let data = folder.at(&[&words[..], &["-o", "json"]].concat());
    let guard = data.json()["guard"].clone();
    assert_eq!(guard["held"], false);
    assert_eq!(guard["before"], "old");
    let subject = &guard["conditions"][0]["subjects"][0];
    assert_eq!(subject["name"], "web");
    assert_eq!(subject["was"], 2);
    assert_eq!(subject["removed"], serde_json::json!(["oslo", "riga"]));
    assert!(data.codes().contains(&"planner::ocm::guard".to_owned()));
}

#[test]
fn what_holds_is_said_as_well() {
    let folder = states(&site("north"));
    let words = ["plan", "new", "--against", "old", "--fail-on", "emptied"];
    let answer = folder.at(&words);
    answer.ends(0);
    assert!(
        answer
            .out
            .contains("Allowed by --fail-on: 1 condition checked"),
        "{answer:?}"
    );
}

#[test]
fn the_hub_is_what_it_is_compared_with() {
    let git = stream(&[BINDING, &by_region("web", "south")]);
    let hub = stream(&[
        &by_region("web", "north"),
        &cluster("lyon", "region: south"),
        &cluster("oslo", "region: north"),
        &decision("web", &["oslo"]),
    ]);
    let folder = Folder::of(&[("git.yaml", git.as_str()), ("hub.yaml", &hub)]);
    let plan = ["plan", "git.yaml", "--hub", "hub.yaml"];
    let answer = folder.at(&[&plan[..], &["--fail-on", "removed", "--yes"]].concat());
    answer.ends(3);
    assert_eq!(folder.files(), ["git.yaml", "hub.yaml"]);
    folder
        .at(&[&plan[..], &["--fail-on", "emptied"]].concat())
        .ends(0);
    folder.write("planner.toml", "fail-on-plan = [\"removed-each=1\"]\n");
    folder.at(&plan).ends(3);
    folder
        .at(&[&plan[..], &["--fail-on", "none"]].concat())
        .ends(0);
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let folder = states(&site("north"));
    let with = |more: &[&str]| folder.at(&[&["plan", "new"], more].concat());
    with(&["--fail-on", "emptied"])
        .ends(64)
        .says("nothing to compare with");
    with(&["--against", "old", "--fail-on", "emptyed"])
        .ends(64)
        .says("did you mean");
    with(&["--against", "old", "--fail-on", "warning"])
        .ends(64)
        .says("planner validate");
    // Without clusters on either side nothing could ever be lost, however it is changed.
    let hubless = |state: &str, spec: &str| {
        let file = format!("{state}/fleet.yaml");
        folder.write(&file, stream(&[BINDING, &placement("web", spec)]));
    };
    hubless("less", "{}");
    hubless("more", "{numberOfClusters: 0}");
    let lacks =
        |condition: &str| folder.at(&["plan", "more", "--against", "less", "--fail-on", condition]);
    lacks("emptied,deleted")
        .ends(64)
        .says("no document contains a ManagedCluster; pass --hub");
    lacks("deleted").ends(0);
    folder.write("new/planner.toml", "fail-on-plan = [\"removed=0\"]\n");
    with(&["--against", "old"]).ends(78).says("fail-on-plan");
}

#[test]
fn nothing_is_recorded_of_what_is_refused() {
    let held = stream(&[&site("south"), &decision("web", &["oslo", "riga"])]);
    let folder = Folder::of(&[("a.yaml", held.as_str())]);
    folder
        .at(&["plan", "a.yaml", "--yes", "--fail-on", "removed"])
        .ends(3);
    assert_eq!(folder.files(), ["a.yaml"]);
    folder
        .at(&["plan", "a.yaml", "--out", "p.json", "--fail-on", "removed"])
        .ends(3);
    assert_eq!(folder.files(), ["a.yaml"]);
    folder.at(&["plan", "a.yaml", "--yes"]).ends(0);
    assert_eq!(folder.files().len(), 2);
}

#[test]
fn in_the_tools_of_reviews_it_stands_at_its_cause() {
    let folder = states(&site("nort"));
    let against = [&AGAINST[..], &["--fail-on", "emptied", "-o"]].concat();
    let line = folder.read("new/a.yaml");
    let line = line
        .lines()
        .position(|line| line.contains("region: nort}"))
        .unwrap()
        + 1;
    let sarif: Value =
        serde_json::from_str(&folder.at(&[&against[..], &["sarif"]].concat()).ends(3).out).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap().clone();
    let own = results
        .iter()
        .find(|one| one["ruleId"] == "planner::ocm::guard")
        .unwrap();
    assert_eq!(own["level"], "error");
    let place = &own["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "new/a.yaml");
    assert_eq!(place["region"]["startLine"], line);
    let github = folder
        .at(&[&against[..], &["github"]].concat())
        .ends(3)
        .out
        .clone();
    let row = github
        .lines()
        .find(|row| row.contains("refused by --fail-on emptied"));
    let wanted = format!("::error file=new/a.yaml,line={line},");
    assert!(row.is_some_and(|row| row.starts_with(&wanted)), "{github}");
    // A plan alone has its findings there as well, what could not be placed among them.
    let github = folder
        .at(&["plan", "new", "-o", "github", "--no-input"])
        .ends(3)
        .out
        .clone();
    assert!(github.contains("shop/web"), "{github}");
    let sarif = folder.at(&["plan", "new", "-o", "sarif", "--no-input"]).out;
    serde_json::from_str::<Value>(&sarif).unwrap();
}

/// What reaches clusters by a plan: consumers and Placements, and how many clusters each has.
fn reach(plan: &Value) -> Vec<(String, usize)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let rows = |key: &str| plan[key].as_array().cloned().unwrap_or_default();
    let count = |row: &Value, key: &str| row[key].as_array().map_or(0, Vec::len);
    let mut found = Vec::new();
    for row in rows("deliveries") {
        let name = format!(
            "{} {}/{}",
            text(&row, "kind"),
            text(&row, "namespace"),
            text(&row, "name")
        );
        // What fails keeps all that it has.
        let kinds = ["ApplicationSet", "Subscription", "DRPlacementControl"];
        let keeps = row.get("error").is_some() && kinds.contains(&&*text(&row, "kind"));
        let has = if keeps {
            usize::MAX
        } else {
            count(&row, "clusters")
        };
        found.push((name, has));
    }
    found
}

/// Edits one line after the other and holds the guard against the plans of both states. Gives how
/// many edits emptied something that is delivered.
fn single_edits(files: &[(String, String)], keys: &[&str]) -> usize {
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(&format!("old/{name}"), text);
        folder.write(&format!("new/{name}"), text);
    }
    let plan = |state: &str| {
        let words = ["plan", state, "-o", "json", "--no-input", "--keep-going"];
        folder.at(&words).json()
    };
    let before = reach(&plan("old"));
    let mut caught = 0;
    for (name, text) in files {
        for (at, line) in text.lines().enumerate() {
            if !keys.iter().any(|key| line.contains(key)) {
                continue;
            }
            let lines = text.lines().enumerate();
            let lines: Vec<String> = lines
                .map(|(other, line)| {
                    if other == at {
                        edited(line)
                    } else {
                        line.to_owned()
                    }
                })
                .collect();
            let file = format!("new/{name}");
            folder.write(&file, lines.join("\n") + "\n");
            let after = plan("new");
            if after["result"] != "invalid" {
                let whole = format!("{name}:{}: {line}", at + 1);
                caught += usize::from(is_caught(&folder, &before, &after, &whole));
            }
            folder.write(&file, text);
        }
    }
    caught
}

/// Whether an edit emptied something; then the guard has to say so, and else not.
fn is_caught(folder: &Folder, before: &[(String, usize)], after: &Value, whole: &str) -> bool {
    let now = reach(after);
    let has = |name: &str| {
        let mut now = now.iter();
        now.find(|(other, _)| other == name)
            .map_or(0, |(_, has)| *has)
    };
    let emptied = before.iter().any(|(name, had)| *had > 0 && has(name) == 0);
    let words = [
        "plan",
        "new",
        "--against",
        "old",
        "--fail-on",
        "emptied",
        "-o",
        "json",
    ];
    let guard = folder.at(&words).json()["guard"].clone();
    let subjects = guard["conditions"][0]["subjects"].as_array().cloned();
    let of_deliveries =
        subjects.is_some_and(|all| all.iter().any(|one| one["kind"] != "Placement"));
    let refused = guard["held"] == false && of_deliveries;
    assert_eq!(emptied, refused, "{whole}: {guard}");
    emptied
}

#[test]
fn every_edit_that_empties_a_delivery_is_caught() {
    let fleet = include_str!("../../../fixtures/deliveries/fleet.yaml").to_owned();
    let keys = [
        "env:",
        "region:",
        "clusterset",
        "name:",
        "clusterSet:",
        "key:",
    ];
    let caught = single_edits(&[("fleet.yaml".to_owned(), fleet)], &keys);
    assert!(caught >= 3, "{caught}");
}

#[test]
fn every_edit_of_a_fleet_that_empties_a_delivery_is_caught() {
    let home = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ocm/fleet");
    let mut files = Vec::new();
    let mut open = vec![home.clone()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path
                .strip_prefix(&home)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            files.push((name, std::fs::read_to_string(path).unwrap()));
        }
    }
    files.sort();
    // What clusters are and hold is not for a review to empty.
    let keys = [
        "matchLabels:",
        "values:",
        "clusterSet:",
        "clusterSets:",
        "numberOfClusters:",
        "placementRef",
        "key:",
        "operator:",
    ];
    let caught = single_edits(&files, &keys);
    assert!(caught >= 7, "{caught}");
}

/// A line whose last word is another one.
fn edited(line: &str) -> String {
    let end = line
        .rfind(|c: char| c.is_ascii_alphanumeric())
        .map_or(line.len(), |at| at + 1);
    format!("{}x{}", &line[..end], &line[end..])
}

/// Two Subscriptions that read a Placement or a PlacementRule of that name.
fn reader(kind: &str) -> String {
    format!(
        "apiVersion: apps.open-cluster-management.io/v1\nkind: Subscription\nmetadata: {{name: mail, \
         namespace: shop}}\nspec:\n  channel: chan/git\n  placement: {{placementRef: {{kind: {kind}, \
         name: web}}}}\n"
    )
}

const RULE: &str = "apiVersion: apps.open-cluster-management.io/v1\nkind: PlacementRule\nmetadata: \
                    {name: web, namespace: shop}\nspec: {clusterSelector: {matchLabels: {region: \
                    north}}}\n";

#[test]
fn what_decides_is_deleted_also_where_something_reads_it() {
    let clusters = [BINDING, &cluster("oslo", "region: north")];
    for (kind, decider) in [
        ("Placement", by_region("web", "north")),
        ("PlacementRule", RULE.to_owned()),
    ] {
        for reader in [Some(reader(kind)), None] {
            let rest: Vec<&str> = clusters.into_iter().chain(reader.as_deref()).collect();
            let old = stream(&[&rest[..], &[decider.as_str()]].concat());
            let folder = Folder::of(&[("old/a.yaml", &old), ("new/a.yaml", &stream(&rest))]);
            let words = ["plan", "new", "--against", "old", "--fail-on", "deleted"];
            let answer = folder.at(&words);
            answer.ends(3);
            let said = format!("Refused by --fail-on deleted: {kind} shop/web is deleted");
            assert!(answer.out.contains(&said), "{answer:?}");
            folder
                .at(&["plan", "old", "--against", "old", "--fail-on", "deleted"])
                .ends(0);
        }
    }
}

/// A Package whose only Application runs where its Cluster is cheapest.
fn package(cost: u32) -> String {
    let mut all = crate::support::PACKAGE.to_owned();
    all.push_str(&crate::support::cluster("oslo", 2024, 5, "Up"));
    all.push_str(&crate::support::cluster("riga", 2023, cost, "Up"));
    all.push_str(&crate::support::application("web", "1", false));
    all
}

#[test]
fn applications_that_lose_their_cluster_count() {
    let status = |old: &str, new: &str, condition: &str| {
        let folder = Folder::of(&[("old/a.yaml", old), ("new/a.yaml", new)]);
        let words = ["plan", "new", "--against", "old", "--fail-on", condition];
        folder.at(&words)
    };
    let here = package(7);
    let moved = here.replace("name: oslo", "name: rome");
    let down = here.replace("phase: Up", "phase: Down");
    for (new, rows) in [
        (&here, [("removed", 0), ("emptied", 0), ("deleted", 0)]),
        (&moved, [("removed", 3), ("emptied", 0), ("deleted", 0)]),
    ] {
        for (condition, wanted) in rows {
            let answer = status(&here, new, condition);
            assert_eq!(answer.status, wanted, "{condition}: {answer:?}");
        }
    }
    let said = status(&here, &moved, "removed");
    assert!(
        said.out
            .contains("Refused by --fail-on removed: 1 of 1 Application would be removed"),
        "{said:?}"
    );
    status(&here, &down, "unplaceable").ends(3);
    let lifted = status(&here, &down, "none");
    lifted.ends(0);
    let alone = Folder::of(&[("a.yaml", &down)]);
    alone.at(&["plan", "a.yaml"]).ends(3);
    alone.at(&["plan", "a.yaml", "--fail-on", "none"]).ends(0);
    let refused = alone.at(&["plan", "a.yaml", "--fail-on", "unplaceable"]);
    refused.ends(3);
    assert!(
        refused.out.contains("! unplaceable: shop/web has no place"),
        "{refused:?}"
    );
}
