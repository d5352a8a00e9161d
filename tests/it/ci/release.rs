//! The release workflow: which commit a program names, and which wheel is pinned.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::REPOSITORY;
use crate::support::Folder;

fn git(folder: &Folder, args: &[&str]) -> String {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(args)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{args:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// A repository at the commit that pins the wheel of 1.2.3.
fn released() -> Folder {
    let folder = Folder::of(&[("Cargo.toml", "[package]\nversion = \"1.2.3\"\n")]);
    fs::create_dir_all(folder.path().join("packaging/ci")).unwrap();
    let script = "packaging/ci/release";
    fs::copy(
        Path::new(REPOSITORY).join(script),
        folder.path().join(script),
    )
    .unwrap();
    git(&folder, &["init", "--quiet"]);
    for (file, said) in [("a", "Release 1.2.3"), ("b", "Pin the wheel of 1.2.3")] {
        drop(folder.write(file, said));
        git(&folder, &["add", "."]);
        git(&folder, &["commit", "--quiet", "--message", said]);
    }
    folder
}

fn step(folder: &Folder, name: &str, variables: &[(&str, &str)]) -> Output {
    Command::new("bash")
        .args(["packaging/ci/release", name])
        .env_remove("GITHUB_REF_TYPE")
        .envs(variables.iter().copied())
        .current_dir(folder.path())
        .output()
        .unwrap()
}

#[test]
fn a_tag_names_the_commit_before_the_one_that_pins_the_wheel() {
    let folder = released();
    let commit = |variables: &[(&str, &str)]| {
        let done = step(&folder, "commit", variables);
        assert!(done.status.success(), "{done:?}");
        let said = String::from_utf8(done.stdout).unwrap();
        let line = said.lines().next().unwrap();
        line.strip_prefix("PLANNER_COMMIT=").unwrap().to_owned()
    };
    assert_eq!(commit(&[]), git(&folder, &["rev-parse", "HEAD"]));
    let tag = |name| [("GITHUB_REF_TYPE", "tag"), ("GITHUB_REF_NAME", name)];
    assert_eq!(
        commit(&tag("v1.2.3")),
        git(&folder, &["rev-parse", "HEAD^"])
    );
    let other = step(&folder, "commit", &tag("v1.2.4"));
    assert_eq!(other.status.code(), Some(1), "{other:?}");
}

#[test]
fn a_wheel_that_is_not_pinned_is_not_published() {
    let folder = released();
    let built = "site-planner==1.2.3 --hash=sha256:aa\n";
    drop(folder.write(
        "target/packages/requirements.txt",
        format!("# Written.\n{built}"),
    ));
    for (pinned, status) in [
        (built, 0),
        ("site-planner==1.2.3 --hash=sha256:ab\n", 1),
        ("site-planner==1.2.3 --hash=sha256:aaa\n", 1),
        ("# None yet.\n", 1),
    ] {
        drop(folder.write("packaging/requirements.txt", pinned));
        let done = step(&folder, "pinned", &[]);
        assert_eq!(done.status.code(), Some(status), "{pinned}: {done:?}");
    }
}

/// Every system that is promised is built, by programs that are there and actions that are pinned.
#[test]
fn a_tag_builds_for_every_system() {
    let root = Path::new(REPOSITORY);
    let text = fs::read_to_string(root.join(".github/workflows/release.yml")).unwrap();
    let workflow: Value = serde_yaml::from_str(&text).unwrap();
    let jobs = workflow["jobs"].as_object().unwrap();
    let mut runners = BTreeSet::new();
    for job in jobs.values() {
        let matrix = job["strategy"]["matrix"]["include"].as_array();
        let names = matrix.into_iter().flatten().map(|one| &one["runner"]);
        runners.extend(names.map(|name| name.as_str().unwrap()));
        for step in job["steps"].as_array().unwrap() {
            if let Some(action) = step["uses"].as_str() {
                let (_, commit) = action.split_once('@').unwrap();
                let is_hex = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(is_hex && commit.len() == 40, "{action}");
            }
            let run = step["run"].as_str().unwrap_or_default();
            let program = run.split(' ').next().unwrap();
            if program.starts_with("packaging/") {
                assert!(root.join(program).is_file(), "{program}");
            }
        }
    }
    let systems = [
        "macos-15",
        "macos-15-intel",
        "ubuntu-24.04",
        "ubuntu-24.04-arm",
        "windows-2025",
    ];
    assert_eq!(runners, BTreeSet::from(systems));
    let publish = &jobs["publish"];
    assert_eq!(publish["if"], "github.ref_type == 'tag'");
    assert_eq!(publish["permissions"]["attestations"], "write");
}
