//! `plan --fail-on`: what is refused, by what it is compared with, and that nothing is written.

use serde_json::Value;

use crate::support::Folder;
use crate::{BINDING, cluster, decision, placement, stream};

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
        ("none", [0, 0, 0, 0]),
    ];
    for (condition, wanted) in rows {
        let found = [&emptied, &moved, &fewer, &deleted].map(|folder| status(folder, condition));
        // Something that cannot be placed has that status anyway.
        let unplaceable = [3, 0, 0, 0];
        let wanted: Vec<i32> = wanted
            .iter()
            .zip(unplaceable)
            .map(|(a, b)| *a.max(&b))
            .collect();
        assert_eq!(found.to_vec(), wanted, "{condition}");
    }
}

#[test]
fn the_refusal_names_its_cause_and_the_way_through() {
    let folder = states(&site("nort"));
    let words = [
        "plan",
        "new",
        "--against",
        "old",
        "--fail-on",
        "emptied,removed=5%",
    ];
    let screen = folder.at(&words).out;
    for words in [
        "Refused by --fail-on: 2 of 2 conditions",
        "! emptied: Placement shop/web loses all 2 clusters",
        "! removed=5%: 2 of 2 deliveries would be removed",
        "--fail-on none lets it through",
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
            .contains("Allowed by --fail-on: 1 condition held"),
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
        found.push((name, count(&row, "clusters")));
    }
    found
}

/// Every single edit of a value that takes all clusters from a consumer is caught, and no other.
#[test]
fn every_edit_that_empties_a_delivery_is_caught() {
    let fleet = include_str!("../../fixtures/deliveries/fleet.yaml");
    let folder = Folder::of(&[("old/fleet.yaml", fleet)]);
    let plan = |state: &str| {
        let words = ["plan", state, "-o", "json", "--no-input", "--keep-going"];
        folder.at(&words).json()
    };
    let before = reach(&plan("old"));
    let mut caught = 0;
    for (at, line) in fleet.lines().enumerate() {
        let is_value = [
            "env:",
            "region:",
            "clusterset",
            "name:",
            "clusterSet:",
            "key:",
        ]
        .iter()
        .any(|key| line.contains(key));
        if !is_value {
            continue;
        }
        let lines: Vec<String> = fleet
            .lines()
            .enumerate()
            .map(|(other, line)| match other == at {
                true => edited(line),
                false => line.to_owned(),
            })
            .collect();
        folder.write("new/fleet.yaml", lines.join("\n") + "\n");
        let after = plan("new");
        if after["result"] == "invalid" {
            continue;
        }
        let now = reach(&after);
        let emptied = before.iter().any(|(name, had)| {
            let has = now
                .iter()
                .find(|(other, _)| other == name)
                .map_or(0, |(_, has)| *has);
            *had > 0 && has == 0
        });
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
        let refused = guard["held"] == false;
        let of_deliveries = guard["conditions"][0]["subjects"]
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one["kind"] != "Placement"));
        assert!(
            !emptied || (refused && of_deliveries),
            "line {}: {line}: {guard}",
            at + 1
        );
        assert!(
            emptied || !of_deliveries,
            "line {}: {line}: {guard}",
            at + 1
        );
        caught += usize::from(emptied);
    }
    assert!(caught >= 3, "{caught}");
}

/// A line whose last word is another one.
fn edited(line: &str) -> String {
    let end = line
        .rfind(|c: char| c.is_ascii_alphanumeric())
        .map_or(line.len(), |at| at + 1);
    format!("{}x{}", &line[..end], &line[end..])
}
