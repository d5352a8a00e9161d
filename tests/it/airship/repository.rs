//! A site repository: which files are read, what is rendered, whose place a finding names;
//! and the statuses of the commands.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use planner::diagnostic::Diagnostic;
use planner::load::Request;
use serde_json::{Value, json};

use planner::options::Options;

use super::{fixture, settings, simulate};

fn site(root: &Path, name: &str) -> (Value, Vec<Diagnostic>) {
    let mut request = Request::of(vec![root.to_path_buf()]);
    request.site = vec![name.to_owned()];
    simulate(&request, None, (&settings(), &Options::default()))
}

#[test]
fn only_the_files_of_the_site_are_read_and_only_what_bears_on_it_is_rendered() {
    let (got, found) = site(&fixture("airship/repository"), "north");
    let groups = &got["deploymentStrategy"]["groups"];
    assert_eq!(groups[0]["nodes"], json!(["n1"]));
    assert_eq!(groups[1]["nodes"], json!(["n2", "n3", "n4"]));
    let mut codes: Vec<&str> = found.iter().map(|one| one.rule.code).collect();
    codes.sort_unstable();
    let wanted = ["left_out", "remote_repository", "substitution_skipped"];
    assert_eq!(
        codes,
        wanted.map(|code| format!("planner::airship::{code}"))
    );
    let (got, _) = site(&fixture("airship/repository"), "south");
    assert_eq!(got["deploymentStrategy"]["groups"][1]["nodes"], json!([]));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::write(&to, fs::read(entry.path()).expect("a file")).expect("written");
        }
    }
}

/// A copy of the repository in which one file was changed.
fn changed(file: &str, from: &str, to: &str) -> tempfile::TempDir {
    let copied = tempfile::tempdir().expect("a directory");
    copy(&fixture("airship/repository"), copied.path());
    let path = copied.path().join(file);
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.contains(from), "{file} holds no {from}");
    fs::write(&path, text.replacen(from, to, 1)).expect("written");
    copied
}

#[test]
fn a_finding_about_a_merged_value_points_at_the_file_that_wrote_it() {
    let copied = changed(
        "type/small/profiles.yaml",
        "tags: [workers]",
        "tags: [workers, 1]",
    );
    let (got, _) = site(copied.path(), "north");
    assert_eq!(got["result"], "invalid");
    let all = got["diagnostics"].as_array().expect("a list");
    let error = all
        .iter()
        .find(|one| one["severity"] == "error")
        .expect("an error");
    assert_eq!(error["upstream"], "InvalidDocumentFormat");
    let primary = &error["primary"];
    let path = primary["path"].as_str().expect("a path");
    assert!(path.ends_with("type/small/profiles.yaml"), "{path}");
    assert_eq!(
        (&primary["line"], &primary["column"]),
        (&json!(26), &json!(21))
    );
}

#[test]
fn without_a_policy_nothing_is_rendered() {
    let policy = "deckhand/LayeringPolicy/v1";
    let copied = changed("global/common.yaml", policy, "site/Other/v1");
    let (got, _) = site(copied.path(), "north");
    assert!(
        got["diagnostics"]
            .to_string()
            .contains("LayeringPolicyNotFound"),
        "{got:#}"
    );
}

#[test]
fn a_missing_source_is_fatal_only_where_it_decides() {
    let copied = changed("global/profiles.yaml", ".oob.credential", ".metadata.rack");
    let (got, _) = site(copied.path(), "north");
    assert!(
        got["diagnostics"]
            .to_string()
            .contains("SubstitutionSourceNotFound"),
        "{got:#}"
    );
}

fn planner(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_planner"));
    command.args(arguments).current_dir(fixture(""));
    command.output().expect("the program")
}

#[test]
fn statuses_of_the_commands() {
    let repository = "airship/repository";
    let example = "corpus/airship/seed-example-1-all-succeed.yaml";
    let faults = "corpus/airship/seed-example-2-ntp-prepare-fails.faults.yaml";
    let cases: &[(i32, &[&str])] = &[
        (0, &["simulate", example]),
        (3, &["simulate", example, "--faults", faults]),
        (3, &["simulate", example, "--fail", "ntp01"]),
        (
            3,
            &["simulate", example, "--fail-rack", "rack03", "-o", "json"],
        ),
        (64, &["simulate", example, "--fail", "nobody"]),
        (
            0,
            &[
                "simulate",
                example,
                "--weakest",
                "--bound",
                "10",
                "-o",
                "yaml",
            ],
        ),
        (1, &["simulate", example, "--faults", "missing.yaml"]),
        (1, &["simulate", example, "--faults", example]),
        (1, &["simulate", "corpus/airship/invalid-cycle.yaml"]),
        (64, &["simulate", repository]),
        (64, &["simulate", repository, "--site", "east"]),
        (0, &["simulate", repository, "--site", "south"]),
        (66, &["simulate", "retail"]),
        (0, &["graph", example, "--format", "mermaid"]),
        (1, &["graph", "corpus/airship/invalid-cycle.yaml"]),
        (66, &["graph", "retail"]),
        (0, &["plan", example, "--no-input", "--detailed-exitcode"]),
        (
            1,
            &["plan", "corpus/airship/invalid-cycle.yaml", "--no-input"],
        ),
        (0, &["why", "ntp-node", "ntp01", "--in", example]),
        (0, &["why", "airship:ntp01", "--in", example]),
        (64, &["why", "ntp-nods", "--in", example]),
    ];
    for (status, arguments) in cases {
        let output = planner(arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(*status), "{arguments:?}: {told}");
    }
}

#[test]
fn what_breaks_the_site_is_listed_as_data() {
    let example = "corpus/airship/seed-example-1-all-succeed.yaml";
    let output = planner(&["simulate", example, "--weakest", "-o", "json"]);
    let got: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let ntp = json!({
        "group": "ntp-node", "by": "nodes", "size": 1, "sets": [["ntp01"]], "exact": true,
    });
    assert_eq!(got["weakest"][2], ntp);
    let down = json!({"group": "compute-nodes-1", "by": ["control-nodes", "ntp-node"]});
    assert_eq!(got["takenDown"][0], down);
}
