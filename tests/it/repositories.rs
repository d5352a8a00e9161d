//! Repositories as they are: each case is a directory and the commands that are run over it.
//!
//! `commands` holds one command line each; what they print stands in `expected`.
//! `PLANNER_UPDATE=1` writes the expectations anew.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support;

/// What the commands of a case print.
fn run(case: &Path) -> String {
    // Away from this repository, which would count as what lies above.
    let folder = support::Folder::new();
    let mut copy = Command::new("cp");
    let copied = copy.arg("-R").arg(case.join("files")).arg(folder.path());
    assert!(copied.status().unwrap().success());
    let mut text = String::new();
    for line in fs::read_to_string(case.join("commands")).unwrap().lines() {
        let answer = Command::new(env!("CARGO_BIN_EXE_planner"))
            .args(line.split_whitespace())
            .args(["--color", "never"])
            .env_clear()
            .current_dir(folder.path().join("files"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let status = answer.status.code().unwrap();
        writeln!(text, "$ planner {line}").unwrap();
        text += &String::from_utf8(answer.stdout).unwrap();
        text += &String::from_utf8(answer.stderr).unwrap();
        writeln!(text, "[{status}]\n").unwrap();
    }
    text
}

#[test]
fn every_repository_is_told_as_it_was() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repositories");
    let entries = fs::read_dir(home).unwrap().map(|entry| entry.unwrap());
    let mut cases: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    cases.retain(|case| case.is_dir());
    cases.sort();
    assert!(!cases.is_empty(), "no cases");
    let mut wrong = Vec::new();
    for case in cases {
        let expected = case.join("expected");
        let told = run(&case);
        if std::env::var_os("PLANNER_UPDATE").is_some() {
            fs::write(&expected, &told).unwrap();
        }
        let known = fs::read_to_string(&expected).unwrap_or_default();
        if known != told {
            wrong.push(format!("{}:\n{told}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_page_on_ci_shows_the_run_over_a_repository_with_a_chart() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(home.join("docs/ci.md")).unwrap();
    let told = run(&home.join("fixtures/repositories/ci"));
    let (told, _) = told.split_once("\n[").unwrap();
    assert!(page.contains(&format!("```console\n{told}\n```")), "{told}");
}
