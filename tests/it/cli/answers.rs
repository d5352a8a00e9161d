//! A machine format is written for every status but 64 and 130: each command, each format, each
//! way not to get as far as an answer.

use serde_json::Value;

use crate::support::{Answer, BROKEN, FOREIGN, Folder, NOW, site};

/// A command, the `kind` of its answer, and its formats for programs.
type Row = (
    &'static [&'static str],
    &'static str,
    &'static [&'static str],
);

const DATA: &[&str] = &["json", "yaml"];

/// Commands over the PATH `site`.
const COMMANDS: &[Row] = &[
    (&["plan", "site"], "Plan", DATA),
    (&["plan", "site", "--out", "new.json"], "Plan", DATA),
    (&["plan", "site", "--against", "old"], "PlanDiff", DATA),
    (&["plan", "site", "--without", "cluster/oslo"], "Plan", DATA),
    (
        &["validate", "site"],
        "Validation",
        &["json", "sarif", "github", "gitlab", "junit", "rdjson"],
    ),
    (&["simulate", "site"], "Simulation", DATA),
    (&["why", "shop/web", "--in", "site"], "Why", DATA),
    (&["test", "site"], "TestReport", &["json", "junit"]),
    (&["risk", "site"], "Risk", DATA),
    (&["graph", "site"], "Graph", &["json"]),
    (&["diff", "saved.json", "site"], "PlanDiff", DATA),
];

/// Commands that plan the site a saved plan was made of.
const SAVED: &[Row] = &[
    (&["show", "saved.json", "site"], "Plan", DATA),
    (&["proceed", "saved.json"], "Plan", DATA),
];

fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::of(&[("site/a.yaml", &site()), ("old/a.yaml", &site())]);
    folder.at(&["plan", "site", "--out", "saved.json"]).ends(0);
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

/// Each command in each format, as `(command, format, answer)`, where the answer on standard
/// output and in a file are the same.
fn answers(folder: &Folder, rows: &[&[Row]]) -> Vec<(String, &'static str, &'static str, Answer)> {
    let mut all = Vec::new();
    for (command, kind, formats) in rows.iter().flat_map(|rows| rows.iter()) {
        for format in *formats {
            let file = format!("{format}=answer");
            let mut words = command.to_vec();
            words.extend(["--now", NOW, "-o", format, "-o", &file]);
            let answer = folder.run(&words);
            assert_eq!(folder.read("answer"), answer.out, "{words:?}");
            std::fs::remove_file(folder.path().join("answer")).unwrap();
            all.push((command.join(" "), *kind, *format, answer));
        }
    }
    all
}

/// Whether an answer is whole, and holds a code.
fn holds(format: &str, kind: &str, text: &str, code: &str) -> Result<(), String> {
    let data: Value = match format {
        "json" | "sarif" | "gitlab" | "rdjson" => {
            serde_json::from_str(text).map_err(|error| error.to_string())?
        }
        "yaml" => serde_yaml::from_str(text).map_err(|error| error.to_string())?,
        "junit" => {
            roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
            Value::Null
        }
        _ => Value::Null,
    };
    if matches!(format, "json" | "yaml") && data["kind"] != kind {
        return Err(format!("the kind is {}", data["kind"]));
    }
    // Annotations of GitHub escape the colons.
    let code = match format {
        "github" => code.rsplit("::").next().unwrap_or_default(),
        _ => code,
    };
    if text.contains(code) {
        Ok(())
    } else {
        Err(format!("no {code}"))
    }
}

fn check(folder: &Folder, rows: &[&[Row]], status: i32, code: &str, result: Option<&str>) {
    let mut wrong = Vec::new();
    for (command, kind, format, answer) in answers(folder, rows) {
        let mut fault = holds(format, kind, &answer.out, code);
        if answer.status != status {
            fault = Err(format!("status {}", answer.status));
        }
        if format == "json"
            && let Some(result) = result
            && answer.json()["result"] != result
        {
            fault = Err(format!("result {}", answer.json()["result"]));
        }
        if let Err(fault) = fault {
            wrong.push(format!("{command} -o {format}: {fault}: {answer:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_bad_configuration_is_in_every_format() {
    for (text, code) in [
        ("limits = 3\n", "config::value"),
        ("exclude = [\"a{\"]\n", "config::value"),
        ("excluded = []\n", "config::unknown_key"),
    ] {
        let folder = folder(&[("planner.toml", text)]);
        check(&folder, &[COMMANDS, SAVED], 78, code, Some("invalid"));
        assert_eq!(folder.read("planner.toml"), text);
    }
}

#[test]
fn a_baseline_that_cannot_be_used_is_in_every_format() {
    let folder = folder(&[("planner-baseline.json", "[]")]);
    let validate = &COMMANDS[4..5];
    check(
        &folder,
        &[validate],
        78,
        "config::unusable",
        Some("invalid"),
    );
}

#[test]
fn nothing_of_ours_is_an_answer_without_findings() {
    let folder = folder(&[("site/a.yaml", FOREIGN)]);
    let but_diff = &COMMANDS[..COMMANDS.len() - 1];
    let but_against: Vec<Row> = but_diff
        .iter()
        .filter(|(command, ..)| !command.iter().any(|word| word.starts_with("--")))
        .copied()
        .collect();
    check(&folder, &[&but_against], 66, "", None);
}

#[test]
fn refused_documents_are_in_every_format() {
    let folder = folder(&[("site/b.yaml", BROKEN)]);
    let refused: Vec<Row> = COMMANDS
        .iter()
        .filter(|(command, ..)| !matches!(command[0], "test" | "diff"))
        .copied()
        .collect();
    check(&folder, &[&refused, &SAVED[1..]], 1, "planner", None);
}

#[test]
fn a_test_that_cannot_be_read_is_in_every_format() {
    let folder = Folder::of(&[("site/t.yaml", "kind: PlanTest\n  broken: [\n")]);
    let test: Vec<Row> = COMMANDS
        .iter()
        .filter(|(command, ..)| command[0] == "test")
        .copied()
        .collect();
    check(&folder, &[&test], 1, "yaml::syntax", None);
}

#[test]
fn a_saved_plan_that_cannot_be_read_is_in_every_format() {
    let commands: &[Row] = &[
        (&["show", "saved.json"], "Plan", DATA),
        (&["proceed", "saved.json"], "Plan", DATA),
        (&["diff", "saved.json", "site"], "PlanDiff", DATA),
    ];
    let folder = folder(&[("saved.json", "nonsense")]);
    check(&folder, &[commands], 1, "io::failed", Some("invalid"));
    let folder = Folder::of(&[("site/a.yaml", &site())]);
    check(&folder, &[commands], 66, "io::not_found", Some("invalid"));
}

#[test]
fn what_may_be_an_input_is_not_written_over() {
    let bad = "limits = 3\n";
    let folder = folder(&[("planner.toml", bad), ("site/plan.json", "[]")]);
    for file in [
        "planner.toml",
        "site/a.yaml",
        "site/plan.json",
        "site/../site/a.yaml",
    ] {
        let before = folder.read(file);
        let output = format!("json={file}");
        let answer = folder.at(&["plan", "site", "-o", &output]);
        answer.ends(78).says("it may be one of the inputs");
        assert_eq!(folder.read(file), before);
    }
    // An answer of an earlier run is none.
    folder.write("plan.json", "before");
    folder
        .at(&["plan", "site", "-o", "json=plan.json"])
        .ends(78);
    assert!(folder.read("plan.json").contains("config::value"));
    let earlier = folder.read("plan.json");
    folder.write("site/plan.json", earlier.replace("invalid", "ready"));
    folder
        .at(&["plan", "site", "-o", "json=site/plan.json"])
        .ends(78);
    assert_eq!(folder.read("site/plan.json"), earlier);
}

/// The pass over the placements in document order is in every plan as data, whoever writes it.
#[test]
fn every_plan_as_data_has_the_pass_in_document_order() {
    let group = "cluster.open-cluster-management.io";
    let placement = |name: &str| {
        format!(
            "---\napiVersion: {group}/v1beta1\nkind: Placement\n\
             metadata: {{name: {name}, namespace: ns}}\nspec: {{}}\n"
        )
    };
    let hub = format!(
        "apiVersion: {group}/v1\nkind: ManagedCluster\n\
         metadata: {{name: a, labels: {{{group}/clusterset: all}}}}\n---\n\
         apiVersion: {group}/v1beta2\nkind: ManagedClusterSet\nmetadata: {{name: all}}\n---\n\
         apiVersion: {group}/v1beta2\nkind: ManagedClusterSetBinding\n\
         metadata: {{name: all, namespace: ns}}\nspec: {{clusterSet: all}}\n{}{}",
        placement("p"),
        placement("q")
    );
    let folder = folder(&[("hub/hub.yaml", hub.as_str())]);
    let plan = |more: &[&str]| {
        let args = [&["plan", "hub", "--no-input"], more].concat();
        folder.at(&args)
    };
    for more in [
        &["-o", "json"][..],
        &["--without", "cluster/a", "-o", "json"],
    ] {
        let passes = plan(more).json()["sequential"].as_array().map(Vec::len);
        assert_eq!(passes, Some(2), "{more:?}");
    }
    plan(&["-o", "text", "-o", "json=plan.json"]);
    plan(&["--out", "saved.json"]);
    for file in ["plan.json", "saved.json"] {
        assert!(folder.read(file).contains("\"sequential\""), "{file}");
    }
}
