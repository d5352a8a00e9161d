//! Records: where they lie, that they are read back, that nothing is ever written over.

use std::fs;

use crate::support::{Folder, application, cluster, site};

#[test]
fn they_lie_beside_or_inside_the_first_path() {
    let folder = Folder::of(&[("s/a.yaml", &site()), ("one.yaml", &site())]);
    folder
        .at(&["plan", "s", "--yes"])
        .says("Wrote s/planner-records/0001-shop.yaml");
    folder
        .at(&["plan", "one.yaml", "--yes"])
        .says("Wrote one.records/0001-shop.yaml");
    let args = ["plan", "one.yaml", "--yes", "--records", "elsewhere/deep"];
    folder.at(&args).says("Wrote elsewhere/deep/0001-shop.yaml");
    let args = ["plan", "-", "--yes", "--records", "piped"];
    folder
        .piped(&args, site())
        .says("Wrote piped/0001-shop.yaml");
    assert!(folder.has("piped/0001-shop.yaml"));
}

#[test]
fn a_record_says_where_it_comes_from_and_is_marked() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    folder.at(&["plan", "s", "--yes"]).ends(0);
    let text = folder.read("s/planner-records/0001-shop.yaml");
    assert!(text.starts_with("# "), "{text}");
    let first = text.lines().next().unwrap();
    assert!(
        first.contains(" s ") && first.contains("2026-01-01T00:00:00Z"),
        "{first}"
    );
    assert!(text.contains("planner/record: \"0001\""), "{text}");
    assert!(
        text.contains("name: shop-1") && text.contains("data-db-0"),
        "{text}"
    );
    let found = folder.at(&["validate", "s", "-o", "json"]);
    assert!(
        found.ends(0).codes().is_empty(),
        "a record is sound: {found:#?}"
    );
}

#[test]
fn they_are_read_by_every_command_whatever_is_ignored() {
    let folder = Folder::of(&[
        ("s/a.yaml", &site()),
        (".gitignore", "planner-records/\n.records/\n"),
        (
            "planner.toml",
            "exclude = [\"**/planner-records/**\"]\ninclude = [\"s/a.yaml\"]\n",
        ),
    ]);
    folder.at(&["plan", "s", "--yes"]).ends(0);
    let unchanged = folder.at(&["plan", "s", "-o", "json"]).json();
    assert_eq!(unchanged["result"], "unchanged");
    assert_eq!(unchanged["documents"]["read"], 7);
    folder.at(&["validate", "s"]).says("7 documents in 2 files");
    let why = folder.at(&["why", "shop/db", "--in", "s"]);
    assert!(why.out.contains("0001-shop.yaml"), "{why:#?}");
    // A hidden folder is one when it is named.
    folder
        .at(&["plan", "s/a.yaml", "--records", ".records", "--yes"])
        .ends(0);
    let args = ["plan", "s/a.yaml", "--records", ".records", "-o", "json"];
    assert_eq!(folder.at(&args).json()["result"], "unchanged");
    // A folder that is both among the PATHs and the records' is read once.
    let args = [
        "plan",
        "s",
        "s/planner-records",
        "--records",
        "s/planner-records",
        "-o",
        "json",
    ];
    assert_eq!(folder.at(&args).json()["documents"]["read"], 7);
}

#[test]
fn numbers_go_on_and_nothing_is_written_over() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    folder.at(&["plan", "s", "--yes"]).ends(0);
    let first = folder.read("s/planner-records/0001-shop.yaml");
    folder.at(&["plan", "s", "--yes"]).ends(0);
    assert_eq!(folder.files().len(), 2, "nothing changed, nothing recorded");
    folder.write("s/b.yaml", application("cache", "1", false));
    folder.at(&["plan", "s", "--yes"]).ends(0);
    folder.write("s/planner-records/0041-note.yaml", "# by hand\n");
    folder.write("s/c.yaml", application("more", "1", false));
    folder.at(&["plan", "s", "--yes"]).ends(0);
    let files = folder.files();
    assert!(
        files.contains(&"s/planner-records/0002-shop.yaml".to_owned()),
        "{files:?}"
    );
    assert!(
        files.contains(&"s/planner-records/0042-shop.yaml".to_owned()),
        "{files:?}"
    );
    assert_eq!(folder.read("s/planner-records/0001-shop.yaml"), first);
    assert!(!files.iter().any(|name| name.contains("/.")), "{files:?}");
}

#[test]
fn a_record_is_never_a_duplicate_and_the_newest_counts() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    for cost in [5, 9, 4, 11] {
        let clusters = [
            cluster("lyon", 2021, 7, "Up"),
            cluster("oslo", 2022, cost, "Up"),
        ]
        .concat();
        let rest = [application("db", "1", true), application("web", "1", false)].concat();
        let text = [crate::support::PACKAGE, &clusters, &rest].concat();
        folder.write("s/a.yaml", &text);
        folder.at(&["plan", "s", "--yes"]).ends(0);
        let found = folder.at(&["validate", "s", "-o", "json"]);
        assert!(found.ends(0).codes().is_empty(), "{found:#?}");
        let plan = folder.at(&["plan", "s", "-o", "json"]).json();
        assert_eq!(plan["result"], "unchanged", "{plan:#}");
    }
    assert_eq!(folder.files().len(), 5);
}

#[test]
fn a_volume_keeps_its_application_where_it_is() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    folder.at(&["plan", "s", "--yes"]).ends(0);
    // lyon becomes cheaper: web moves, db stays with its volume, three times over.
    for (name, cost) in [("lyon", 3), ("turin", 2), ("wien", 1)] {
        let cheaper = cluster(name, 2023, cost, "Up");
        let text = match name {
            "lyon" => site().replace("cost: \"7\"", "cost: \"3\""),
            _ => folder.read("s/a.yaml") + &cheaper,
        };
        folder.write("s/a.yaml", text);
        let plan = folder.at(&["plan", "s", "--yes", "-o", "json"]).json();
        let apps = plan["applications"].as_array().unwrap();
        assert_eq!(
            (&apps[0]["cluster"], &apps[0]["change"]),
            (&"oslo".into(), &"unchanged".into())
        );
        assert_eq!(
            (&apps[1]["cluster"], &apps[1]["change"]),
            (&name.into(), &"move".into())
        );
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_1_and_leaves_nothing() {
    let folder = Folder::of(&[("a.yaml", &site()), ("a.records", "a file\n")]);
    folder
        .at(&["plan", "a.yaml", "--yes"])
        .ends(1)
        .says("a.records");
    assert_eq!(folder.files(), ["a.records", "a.yaml"]);
    let args = ["plan", "a.yaml", "--yes", "--records", "a.records/deep"];
    folder.at(&args).ends(1).says("a.records");
    assert_eq!(folder.read("a.records"), "a file\n");
}

#[test]
fn previews_write_nothing() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    let mut tries: Vec<Vec<&str>> = vec![vec![]];
    tries.extend([
        vec!["--no-input"],
        vec!["-o", "json"],
        vec!["-o", "yaml"],
        vec!["--quiet"],
    ]);
    for more in tries {
        let args = [&["plan", "s"][..], &more].concat();
        folder.at(&args).ends(0);
        folder.piped(&args, "proceed\nproceed\n").ends(0);
        assert_eq!(folder.files(), ["s/a.yaml"], "{more:?}");
    }
    fs::remove_file(folder.path().join("s/a.yaml")).unwrap();
}

#[test]
fn records_alone_are_refused_with_the_command_that_was_meant() {
    let folder = Folder::of(&[("s/a.yaml", &site())]);
    folder.at(&["plan", "s", "--yes"]).ends(0);
    let record = "s/planner-records/0001-shop.yaml";
    folder.write("copies/b.yaml", folder.read(record));
    for command in ["plan", "risk", "graph"] {
        for path in [record, "s/planner-records"] {
            let refused = folder.at(&[command, path]);
            refused.ends(64).says("is a record that planner wrote");
            refused.says("run `planner plan s`");
            assert_eq!(refused.out, "");
        }
    }
    let copied = folder.at(&["plan", "copies"]);
    copied.ends(64).says("`planner plan SITE --records DIR`");
    // Beside a site it is the state before, and a site may come to its end.
    folder.at(&["plan", "s/a.yaml", record]).ends(0);
    folder.at(&["validate", record]).ends(0);
    folder.write("s/a.yaml", "");
    let ended = folder.at(&["plan", "s", "--no-input"]);
    assert!(ended.out.contains("to withdraw"), "{ended:#?}");
}
