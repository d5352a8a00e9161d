//! ApplicationSets, GitOpsClusters, Subscriptions, DRPlacementControls.

use serde_json::{Value, json};

use super::{plan, same_rows};
use crate::support::{Folder, corpus};

#[test]
fn the_corpus_agrees() {
    let cases = corpus("applications");
    assert!(cases.len() >= 20, "{}", cases.len());
    for (path, case, wanted) in cases {
        let got = plan(&path);
        let fields = ["clusters", "was", "applications"];
        same_rows(&case, &got["deliveries"], &wanted["deliveries"], &fields);
        let Some(wanted) = wanted["rollouts"].as_array() else {
            continue;
        };
        let path = path.to_str().unwrap();
        let simulated = Folder::new().run(&["simulate", "-o", "json", "--keep-going", path]);
        let rollouts = simulated.json()["applicationRollouts"].clone();
        for want in wanted {
            let mut all = rollouts.as_array().unwrap().iter();
            let same = |one: &&Value| {
                ["namespace", "name"]
                    .iter()
                    .all(|key| one[key] == want[key])
            };
            let got = all.find(same).unwrap();
            assert_eq!(got["never"], want["never"], "{case}");
            let steps = want["steps"].as_array().unwrap();
            assert_eq!(
                got["steps"].as_array().unwrap().len(),
                steps.len(),
                "{case}"
            );
            for (at, step) in steps.iter().enumerate() {
                for (key, value) in step.as_object().unwrap() {
                    assert_eq!(&got["steps"][at][key], value, "{case}: {key} of step {at}");
                }
            }
        }
    }
}

fn folder() -> Folder {
    let folder = Folder::new();
    let text = include_str!("../../../fixtures/deliveries/applications.yaml");
    folder.write("site.yaml", text);
    folder
}

fn row(rows: &Value, kind: &str, name: &str) -> Value {
    let mut rows = rows.as_array().unwrap().iter();
    let found = rows.find(|row| row["kind"] == kind && row["name"] == name);
    found.unwrap().clone()
}

#[test]
fn rows_say_by_what_and_what_moves() {
    let answer = folder().run(&["plan", "-o", "json", "--no-input", "site.yaml"]);
    let rows = answer.json()["deliveries"].clone();
    let web = row(&rows, "ApplicationSet", "web");
    assert_eq!(web["via"][0]["placement"]["name"], "web");
    assert_eq!(web["via"][0]["clusters"], json!(["lyon", "oslo", "riga"]));
    assert_eq!(
        web["clusters"],
        json!(["oslo", "riga"]),
        "lyon is not registered"
    );
    assert_eq!(web["was"], json!(["oslo"]));
    assert_eq!(
        (&web["added"], &web["removed"]),
        (&json!(["riga"]), &json!([]))
    );
    assert_eq!(web["path"], "site.yaml");
    // The workload moves, and who reads its Placement moves with it.
    assert_eq!(
        row(&rows, "DRPlacementControl", "db")["clusters"],
        json!(["riga"])
    );
    assert_eq!(
        row(&rows, "Subscription", "db")["clusters"],
        json!(["riga"])
    );
    assert_eq!(row(&rows, "Subscription", "db")["removed"], json!(["oslo"]));
    // What fails keeps what it has; a GitOpsCluster does not.
    let api = row(&rows, "ApplicationSet", "api");
    assert!(
        api["error"]
            .as_str()
            .unwrap()
            .contains("no PlacementDecision")
    );
    assert_eq!(api["applications"], Value::Null);
    let lost = row(&rows, "GitOpsCluster", "lost");
    assert!(lost["error"].is_string());
    assert_eq!(lost["clusters"], json!([]));
}

#[test]
fn screens() {
    let folder = folder();
    let screen = folder.run(&["plan", "--no-input", "site.yaml", "--section", "deliveries"]);
    insta::assert_snapshot!("applications-plan", screen.out);
    let traced = [
        "plan",
        "--no-input",
        "--trace",
        "site.yaml",
        "--section",
        "deliveries",
    ];
    insta::assert_snapshot!("applications-trace", folder.run(&traced).out);
    let screen = folder.run(&["simulate", "site.yaml"]);
    insta::assert_snapshot!("applications-simulate", screen.out);
    let failing = folder.run(&["simulate", "--fail", "web-oslo", "site.yaml"]);
    insta::assert_snapshot!("applications-fail", failing.out);
    let by_cluster = folder.run(&["simulate", "--fail", "oslo", "site.yaml"]);
    assert_eq!(by_cluster.out, failing.out);
    let unknown = folder.run(&["simulate", "--fail", "web-osol", "site.yaml"]);
    assert!(
        unknown.err.contains("did you mean `web-oslo`"),
        "{}",
        unknown.err
    );
}

#[test]
fn text_of_documents_stays_harmless() {
    let folder = Folder::new();
    let text = include_str!("../../../fixtures/deliveries/applications.yaml");
    let text = text.replace("'web-{{name}}'", "\"\\e[31m{{name}}\\u202e\"");
    let text = text.replace("name: wbe", "name: \"w\\e]8;;x\\abe\"");
    folder.write("site.yaml", &text);
    for words in [
        &["plan", "--no-input", "site.yaml"][..],
        &["simulate", "site.yaml"],
        &["validate", "site.yaml"],
        &["plan", "-o", "json", "--no-input", "site.yaml"],
    ] {
        let answer = folder.run(words);
        for shown in [&answer.out, &answer.err] {
            let bad = |c: char| matches!(c, '\u{1b}' | '\u{202e}' | '\u{7}');
            assert!(!shown.contains(bad), "{words:?}: {shown}");
        }
    }
}

#[test]
fn a_faulty_reader_changes_no_placement() {
    let folder = folder();
    let all = folder
        .run(&["plan", "-o", "json", "--no-input", "site.yaml"])
        .json();
    let text = include_str!("../../../fixtures/deliveries/applications.yaml");
    let text = text.replace("'web-{{name}}'", "'web-{{name}}-{{'");
    folder.write("site.yaml", &text);
    let faulty = folder
        .run(&["plan", "-o", "json", "--no-input", "site.yaml"])
        .json();
    assert_eq!(all["placements"], faulty["placements"]);
    let web = row(&faulty["deliveries"], "ApplicationSet", "web");
    // The same fault hides what was.
    assert_eq!(web["was"], Value::Null);
    assert!(web["error"].as_str().unwrap().contains("unclosed"));
}
