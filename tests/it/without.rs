//! `--without`: the site as if some of its things were not there.

use crate::support::{Folder, PACKAGE, cluster};
use serde_json::json;

fn site() -> Folder {
    let folder = Folder::new();
    let web = "---\napiVersion: planner/v1\nkind: Application\nmetadata: {name: web}\nspec: {package: shop}\n";
    folder.write("site/package.yaml", format!("{PACKAGE}{web}"));
    folder.write("site/oslo.yaml", cluster("oslo", 2024, 5, "Up"));
    folder.write("site/riga.yaml", cluster("riga", 2023, 7, "Up"));
    folder
}

#[test]
fn the_plan_is_that_of_the_site_without_it() {
    let folder = site();
    let answer = folder.at(&["plan", "site", "--without", "cluster/oslo", "-o", "json"]);
    let mut json = answer.ends(0).json();
    let (without, moves) = (json["without"].take(), json["moves"].take());
    assert_eq!(without, json!(["cluster/oslo"]));
    assert_eq!(
        (&moves[0]["from"], &moves[0]["to"]),
        (&json!("oslo"), &json!("riga"))
    );
    assert_eq!(moves[0]["because"][0]["before"], "oslo");
    std::fs::remove_file(folder.path().join("site/oslo.yaml")).unwrap();
    let really = folder.at(&["plan", "site", "-o", "json"]).json();
    for section in ["result", "documents", "applications", "diagnostics"] {
        assert_eq!(json[section], really[section], "{section}");
    }
}

#[test]
fn it_is_a_preview_whose_names_must_be_there() {
    let folder = site();
    let before = folder.files();
    let plan = |name: &str| folder.at(&["plan", "site", "--without", name]);
    plan("cluster/osol")
        .ends(64)
        .says("did you mean cluster/oslo?");
    plan("oslo").ends(64).says("cluster/NAME");
    plan("clutser/oslo").ends(64).says("cluster");
    plan("label/cost").ends(3);
    folder
        .at(&["plan", "site", "--without", "cluster/oslo", "--yes"])
        .ends(64);
    folder
        .at(&["plan", "site", "--without", "cluster/oslo", "--out", "p"])
        .ends(64);
    assert_eq!(folder.files(), before);
}

#[test]
fn without_everything_it_says_what_is_left() {
    let folder = site();
    let all = [
        "plan",
        "site",
        "--without",
        "cluster/oslo",
        "--without",
        "cluster/riga",
    ];
    let answer = folder.at(&all);
    assert!(
        answer.ends(3).out.contains("No Cluster left."),
        "{answer:?}"
    );
    assert!(answer.out.contains("oslo  nowhere"), "{answer:?}");
}

#[test]
fn other_commands_take_it_too() {
    let folder = site();
    let why = [
        "why",
        "shop/web",
        "--in",
        "site",
        "--without",
        "cluster/oslo",
        "-o",
        "json",
    ];
    let json = folder.at(&why).ends(0).json();
    assert!(!json.to_string().contains("oslo"), "{json}");
    folder.write(
        "site/test.yaml",
        "apiVersion: planner/v1\nkind: PlanTest\nmetadata: {name: t}\nspec:\n  expect:\n  \
         - {application: shop/web, cluster: riga}\n",
    );
    folder.at(&["test", "site"]).ends(1);
    folder
        .at(&["test", "site", "--without", "cluster/oslo"])
        .ends(0);
    let strategy =
        include_str!("../../fixtures/corpus/airship/seed-example-2-ntp-prepare-fails.yaml");
    folder.write("air/site.yaml", strategy);
    folder.at(&["simulate", "air"]).ends(0);
    folder
        .at(&["simulate", "air", "--without", "node/ntp01"])
        .ends(3);
}

#[test]
fn of_several_things_the_one_that_moves_it_is_named() {
    let folder = site();
    folder.write("site/lima.yaml", cluster("lima", 2022, 9, "Up"));
    let plan = |names: &[&str]| {
        let mut arguments = vec!["plan", "site", "-o", "json"];
        for name in names {
            arguments.extend(["--without", name]);
        }
        folder.at(&arguments).json()
    };
    let twice = plan(&["cluster/oslo", "cluster/oslo"]);
    assert_eq!(twice["without"], json!(["cluster/oslo", "cluster/oslo"]));
    assert_eq!(twice["moves"], plan(&["cluster/oslo"])["moves"]);
    // Without lima alone nothing moves.
    let other = plan(&["cluster/lima", "cluster/oslo"]);
    assert_eq!(other["moves"], twice["moves"]);
    assert_eq!(other["moves"][0]["confirmed"], true);
    // It goes to lima because both of the others are gone.
    let both = plan(&["cluster/oslo", "cluster/riga"]);
    assert_eq!(both["moves"][0]["to"], "lima");
    let because = both["moves"][0]["because"].as_array().unwrap();
    assert_eq!(because.len(), 1, "with oslo back it stays: {because:?}");
    let all = plan(&["cluster/oslo", "cluster/riga", "cluster/lima"]);
    assert_eq!(all["result"], "unplaceable");
    assert!(all["moves"][0]["error"].is_string(), "{all}");
}

#[test]
fn it_goes_with_other_options() {
    let folder = site();
    let gone = ["--without", "cluster/oslo"];
    let plan = |more: &[&str]| folder.at(&[&["plan", "site"], &gone[..], more].concat());
    plan(&["--package", "shop"]).ends(0);
    plan(&["--package", "shpo"]).ends(64).says("did you mean");
    plan(&["--against", "HEAD"]).ends(64);
    plan(&["--detailed-exitcode"]).ends(2);
    plan(&["--no-input"]).ends(0);
    assert!(plan(&["-o", "markdown"]).ends(0).out.contains("| `~` |"));
    folder
        .at(&["why", "shop/web", "oslo", "--in", "site", gone[0], gone[1]])
        .ends(64);
    folder
        .at(&["why", "shop/web", "--in", "site", gone[0], "cluster/osol"])
        .ends(64)
        .says("did you mean cluster/oslo?");
    // A slash in a name, an equals sign in a value.
    let labelled = cluster("lima", 2022, 9, "Up").replace("labels: {", "labels: {key: \"a=b\", ");
    folder.write("site/lima.yaml", labelled);
    folder
        .at(&["plan", "site", "--without", "label/key=a=b"])
        .ends(0);
    folder
        .at(&["plan", "site", "--without", "label/key=a"])
        .ends(64);
    folder
        .at(&["plan", "site", "--without", "node/lima/n1"])
        .ends(0);
    folder
        .at(&["plan", "site", "--without", "node/lima/n2"])
        .ends(64)
        .says("node/lima/n1");
}
