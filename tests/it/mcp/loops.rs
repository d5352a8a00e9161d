//! What an agent does with the tools: it proves an edit before it is written.

use serde_json::{Value, json};

use super::{Server, edited};
use crate::support::{self, Folder};

/// Files that stay as they are while an agent works.
fn unchanged(folder: &Folder, work: impl FnOnce(&mut Server)) {
    let texts = || {
        let files = folder.files();
        let read = |name: &String| folder.read(name);
        files
            .iter()
            .map(read)
            .zip(files.clone())
            .collect::<Vec<_>>()
    };
    let before = texts();
    let mut server = Server::over(folder.path());
    work(&mut server);
    assert_eq!(server.end().0, 0);
    assert_eq!(texts(), before, "something was written");
}

#[test]
fn a_broken_site_is_mended_and_proven_without_writing() {
    // As it was meant, and with three slips in two files.
    let package = support::PACKAGE.replace("operator: MinOf", "operater: Minof");
    let broken = format!("{package}{}", support::application("web", "1", false));
    let clusters = [
        support::cluster("lyon", 2021, 7, "Up"),
        support::cluster("oslo", 2022, 5, "Up").replace("projects: [retail]", "project: [retail]"),
    ];
    let folder = Folder::of(&[
        ("shop.yaml", &broken),
        ("clusters.yaml", &clusters.concat()),
    ]);
    unchanged(&folder, |server| {
        let mut overlay = json!({});
        let mut rounds = 0;
        loop {
            let answer = server.call("validate", json!({"overlay": overlay}));
            if answer["result"] == "clean" {
                break;
            }
            assert_eq!(answer["result"], "refused", "{answer}");
            assert!(answer["callAgain"].is_string(), "{answer}");
            rounds += 1;
            assert!(rounds < 5, "{answer}");
            let findings = answer["findings"].as_array().unwrap();
            let edits = findings
                .iter()
                .flat_map(|one| one["fix"]["edits"].as_array());
            let edits: Vec<Value> = edits.flatten().cloned().collect();
            assert!(!edits.is_empty(), "{answer}");
            for file in ["shop.yaml", "clusters.yaml"] {
                let own = edits.iter().filter(|edit| edit["path"] == file).cloned();
                let own: Vec<Value> = own.collect();
                let text = overlay[file]
                    .as_str()
                    .map_or_else(|| folder.read(file), str::to_owned);
                overlay[file] = edited(&text, &own).into();
            }
        }
        let moved = server.call("diff", json!({"overlay": overlay}));
        assert_eq!(moved["findings"]["new"], 0, "{moved}");
        let plan = server.call("plan", json!({"overlay": overlay}));
        assert_eq!(
            (&plan["result"], &plan["counts"]["error"]),
            (&json!("ready"), &json!(0))
        );
        let rows = plan["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 1, "{plan}");
        assert_eq!(
            (&rows[0]["name"], &rows[0]["now"]),
            (&json!("web"), &json!("oslo"))
        );
        // The files themselves are as broken as before.
        assert_eq!(server.call("plan", json!({}))["result"], "invalid");
    });
}

fn cluster(name: &str, stage: &str) -> String {
    format!(
        "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
         metadata:\n  name: {name}\n  labels:\n    stage: {stage}\n    \
         cluster.open-cluster-management.io/clusterset: shops\nspec:\n  hubAcceptsClient: true\n\
         status:\n  conditions:\n  - {{type: ManagedClusterConditionAvailable, status: \"True\", \
         reason: x, message: x, lastTransitionTime: \"2026-01-01T00:00:00Z\"}}\n"
    )
}

const PLACEMENT: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSet
metadata: {name: shops}
spec: {clusterSelector: {selectorType: ExclusiveClusterSetLabel}}
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSetBinding
metadata: {name: shops, namespace: shop}
spec: {clusterSet: shops}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: web, namespace: shop}
spec:
  clusterSets: [shops]
  predicates:
  - requiredClusterSelector:
      labelSelector:
        matchExpressions:
        - {key: stage, operator: In, values: [live]}
";

#[test]
fn place_web_on_oslo_too() {
    let clusters = [
        cluster("lyon", "live"),
        cluster("oslo", "trial"),
        cluster("porto", "trial"),
    ];
    let folder = Folder::of(&[
        ("web.yaml", PLACEMENT),
        ("clusters.yaml", &clusters.concat()),
    ]);
    unchanged(&folder, |server| {
        let why = server.call("why", json!({"subject": "shop/web", "candidate": "oslo"}));
        let oslo = &why["candidates"][0];
        assert_eq!(
            (&oslo["name"], &oslo["chosen"]),
            (&json!("oslo"), &json!(false))
        );
        let failed = oslo["verdicts"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["passes"] == false);
        assert_eq!(failed.unwrap()["at"][0]["path"], "web.yaml");
        let sets = oslo["changes"].as_array().unwrap();
        assert!(!sets.is_empty(), "{why}");
        let mut too = false;
        for set in sets {
            let edits = set["textEdits"].as_array().unwrap();
            let mut overlay = json!({});
            for edit in edits {
                let file = edit["path"].as_str().unwrap();
                overlay[file] = edited(&folder.read(file), std::slice::from_ref(edit)).into();
            }
            let diff = server.call("diff", json!({"overlay": overlay}));
            assert_eq!(
                (&diff["result"], &diff["moved"]),
                (&json!("ready"), &json!(1)),
                "{diff}"
            );
            let moved = &diff["moves"][0];
            assert_eq!(moved["subject"], "shop/web");
            assert_eq!(moved["from"], json!(["lyon"]));
            let to = moved["to"].as_array().unwrap();
            assert!(to.contains(&json!("oslo")), "{moved}");
            too |= *to == [json!("lyon"), json!("oslo")];
            // The cause is the edit.
            assert_eq!(moved["because"][0]["path"], edits[0]["path"], "{moved}");
        }
        assert!(too, "no edit leaves lyon where it is");
    });
}

#[test]
fn which_racks_can_we_lose() {
    let folder = Folder::new();
    let site = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/site");
    folder.copy(&site, ".");
    unchanged(&folder, |server| {
        let risk = server.call("risk", json!({"kind": "rack", "top": 50}));
        let all = folder
            .run(&["risk", "-o", "json", "--now", support::NOW])
            .json();
        let racks = all["losses"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["kind"] == "rack");
        let wanted: Vec<_> = racks.map(|one| (&one["name"], &one["class"])).collect();
        let lost = risk["lost"].as_array().unwrap();
        let told: Vec<_> = lost
            .iter()
            .map(|one| (&one["name"], &one["class"]))
            .collect();
        assert_eq!(told, wanted);
        let survived = lost.iter().filter(|one| one["class"] == "none").count();
        let names = risk["canBeLost"].as_array().unwrap();
        assert!(
            names.len() >= survived
                && names
                    .iter()
                    .all(|name| { name.as_str().unwrap().starts_with("rack") }),
            "{names:?}"
        );
    });
}

#[test]
fn new_and_deleted_files_count_and_no_call_sees_the_edits_of_another() {
    let folder = Folder::of(&[
        ("clusters.yaml", &support::cluster("lyon", 2021, 7, "Up")),
        (
            "shop.yaml",
            &format!(
                "{}{}",
                support::PACKAGE,
                support::application("web", "1", false)
            ),
        ),
    ]);
    unchanged(&folder, |server| {
        let now = |plan: &Value| plan["rows"][0]["now"].clone();
        assert_eq!(now(&server.call("plan", json!({}))), "lyon");
        let oslo = support::cluster("oslo", 2022, 5, "Up");
        let overlay = json!({"more/oslo.yaml": oslo, "clusters.yaml": null});
        assert_eq!(
            now(&server.call("plan", json!({"overlay": overlay}))),
            "oslo"
        );
        let moved = server.call("diff", json!({"overlay": overlay}));
        assert_eq!(moved["moves"][0]["to"], "oslo", "{moved}");
        assert_eq!(now(&server.call("plan", json!({}))), "lyon");
        let none = server.call("plan", json!({"overlay": {"clusters.yaml": null}}));
        assert_eq!(none["result"], "unplaceable");
        // A file alone, a directory in an edit alone, and a configuration.
        let alone = server.call("plan", json!({"path": "more", "overlay": overlay}));
        assert_eq!(alone["documents"]["read"], 1);
        let shop = server.call("validate", json!({"path": "shop.yaml"}));
        assert_eq!(shop["documents"]["read"], 3);
        let settings = json!({"planner.toml": "exclude = [\"clusters.yaml\"]\n"});
        let without = server.call("plan", json!({"overlay": settings}));
        assert_eq!(without["result"], "unplaceable");
    });
}

#[test]
fn several_directories_are_sites_of_their_own() {
    let package = format!(
        "{}{}",
        support::PACKAGE,
        support::application("web", "1", false)
    );
    let folder = Folder::of(&[
        ("north/shop.yaml", &package),
        (
            "north/clusters.yaml",
            &support::cluster("oslo", 2021, 7, "Up"),
        ),
        ("south/deep/shop.yaml", &package),
        (
            "south/deep/clusters.yaml",
            &support::cluster("porto", 2021, 7, "Up"),
        ),
        ("planner.toml", "exclude = [\"**/shop.yaml\"]\n"),
        ("own.toml", "exclude = [\"**/clusters.yaml\"]\n"),
    ]);
    let now = |plan: &Value| plan["rows"][0]["now"].clone();
    let mut server = Server::with(folder.path(), &["north", "south"]);
    assert_eq!(now(&server.call("plan", json!({}))), "oslo");
    let south = server.call("plan", json!({"path": "deep"}));
    assert_eq!(now(&south), "porto");
    // Names in an edit are those of the answer.
    assert_eq!(south["rows"][0]["path"], "deep/shop.yaml");
    let lyon = support::cluster("lyon", 2021, 7, "Up");
    let overlay = json!({"deep/clusters.yaml": lyon});
    let moved = server.call("diff", json!({"path": "deep", "overlay": overlay}));
    assert_eq!(moved["moves"][0]["to"], "lyon", "{moved}");
    // A configuration that was named counts wherever it is, one above the directories does not.
    let mut server = Server::with(folder.path(), &["north", "--config", "own.toml"]);
    assert_eq!(server.call("plan", json!({}))["result"], "unplaceable");
}

#[test]
fn a_revision_is_compared_with_edits() {
    let folder = Folder::of(&[("site.yaml", &support::site())]);
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        let git = git.args(["-c", "user.name=x", "-c", "user.email=x@example.com"]);
        let done = git.args(args).current_dir(folder.path()).status();
        assert!(done.unwrap().success());
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A", "-f"]);
    git(&["commit", "-q", "-m", "x"]);
    let mut server = Server::over(folder.path());
    let same = server.call("diff", json!({"against": "HEAD"}));
    assert_eq!(
        (&same["result"], &same["moved"]),
        (&json!("unchanged"), &json!(0))
    );
    let text = support::site().replace("cost: \"5\"", "cost: \"50\"");
    let moved = server.call(
        "diff",
        json!({"against": "HEAD", "overlay": {"site.yaml": text}}),
    );
    assert_eq!(moved["moved"], 2, "{moved}");
    let cause = &moved["moves"][0]["because"][0];
    assert_eq!(
        (&cause["before"], &cause["after"]),
        (&json!("5"), &json!("50")),
        "{cause}"
    );
    // What is written counts as well.
    folder.write("site.yaml", &text);
    assert_eq!(server.call("diff", json!({"against": "main"}))["moved"], 2);
}
