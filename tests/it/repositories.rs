//! Repositories as they are: each case is a directory and the commands that are run over it.
//!
//! `commands` holds one command line each; what they print stands in `expected`.
//! `PLANNER_UPDATE=1` writes the expectations anew.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support;
use crate::what_if::said;

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repositories")
}

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
    let entries = fs::read_dir(home()).unwrap().map(|entry| entry.unwrap());
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

/// The pages whose consoles are run here.
const RUN: [&str; 5] = [
    "README.md",
    "docs/ci.md",
    "docs/hub.md",
    "docs/repositories.md",
    "docs/systems.md",
];

/// A page with what the commands of its consoles say now, each in the repository of this directory
/// that the text before names, or with the file that the command names.
fn page_as_run(page: &str) -> String {
    let mut out = String::new();
    let mut repository = None;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if let Some((_, name)) = line.split_once("`fixtures/repositories/") {
            repository = name.split_once("/files`").map(|(name, _)| name);
        }
        if line != "```console" {
            continue;
        }
        let folder = support::Folder::new();
        for line in lines.by_ref().take_while(|line| *line != "```") {
            if line.starts_with("$ planner") {
                let root = Path::new(env!("CARGO_MANIFEST_DIR"));
                if let Some(file) = line.split(' ').find(|word| word.starts_with("fixtures/")) {
                    folder.write(file, fs::read(root.join(file)).unwrap());
                } else {
                    let name = repository.expect("the repository that a console is in");
                    folder.copy(&home().join(name).join("files"), ".");
                }
                out.push_str(&format!("{line}\n{}", said(&folder, line)));
            } else if line.starts_with("$ ") {
                out.push_str(&format!("{line}\n"));
            }
        }
        out.push_str("```\n");
    }
    out
}

#[test]
fn pages_show_what_is_said_of_these_repositories() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for page in RUN {
        let path = root.join(page);
        let page = fs::read_to_string(&path).unwrap();
        let now = page_as_run(&page);
        if std::env::var_os("PLANNER_UPDATE").is_some() {
            fs::write(&path, &now).unwrap();
        } else {
            assert!(now == page, "{}: {now}", path.display());
        }
    }
}

/// Consoles that nothing runs would show what planner said once.
#[test]
fn every_console_of_the_manual_is_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // `tutorial.rs` runs the plans of these pages, `what_if.rs` all of the others.
    let plans = ["README.md", "docs/systems.md", "docs/tutorial.md"];
    let consoles = ["docs/tutorial.md", "docs/what-if.md", "docs/fleet.md"];
    let docs = fs::read_dir(root.join("docs")).unwrap();
    let docs = docs.map(|entry| format!("docs/{}", entry.unwrap().file_name().display()));
    let pages = docs.filter(|name| name.ends_with(".md"));
    for page in pages.chain(["README.md".to_owned()]) {
        let text = fs::read_to_string(root.join(&page)).unwrap();
        for block in text.split("\n```").skip(1).step_by(2) {
            let (language, shown) = block.split_once('\n').unwrap_or_default();
            if !shown.starts_with("$ planner") {
                continue;
            }
            let is_run = match language {
                "console" => consoles.contains(&&*page) || RUN.contains(&&*page),
                "text" => shown.starts_with("$ planner plan ") && plans.contains(&&*page),
                _ => false,
            };
            assert!(is_run, "{page}: nothing runs\n{shown}");
        }
    }
}
