//! Revisions of git: nothing that a repository names is run, and none of them is too large.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::support::{Answer, Folder, NOW, PLANNER, answer, site};

/// Runs git without anybody's settings, and gives what it writes.
#[track_caller]
fn git(folder: &Folder, directory: &str, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command
        .args(["-c", "user.name=x", "-c", "user.email=x@example.com"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder.path().join(directory))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    let done = answer(&mut command);
    assert_eq!(done.status, 0, "{arguments:?}: {done:#?}");
    done.out.trim().to_owned()
}

fn commit(folder: &Folder, directory: &str) {
    git(folder, directory, &["add", "--all"]);
    let arguments = ["commit", "--quiet", "--allow-empty", "--message", "one"];
    git(folder, directory, &arguments);
}

/// A repository with a site.
fn repository() -> Folder {
    let folder = Folder::of(&[("site/a.yaml", &site())]);
    git(&folder, ".", &["init", "--quiet"]);
    commit(&folder, ".");
    folder
}

/// A program that leaves a file beside it when it is run.
fn program(folder: &Folder, name: &str) -> String {
    let path = folder.write(name, "#!/bin/sh\n: > \"$0.was-run\"\nexec cat\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_string_lossy().into_owned()
}

#[test]
fn programs_that_a_repository_names_are_not_run() {
    let folder = repository();
    let part = Folder::of(&[("b.yaml", "a: 1\n")]);
    git(&part, ".", &["init", "--quiet"]);
    commit(&part, ".");
    let from = part.path().to_string_lossy().into_owned();
    git(
        &folder,
        ".",
        &["submodule", "--quiet", "add", &from, "site/part"],
    );
    folder.write(".gitattributes", "*.yaml filter=own\n");
    commit(&folder, ".");

    let named = program(&folder, "named");
    for key in [
        "core.fsmonitor",
        "filter.own.process",
        "filter.own.clean",
        "filter.own.smudge",
    ] {
        git(&folder, ".", &["config", key, &named]);
        git(&folder, "site/part", &["config", key, &named]);
    }
    let hook = program(&folder, "hook");
    for hooks in [".git/hooks", ".git/modules/site/part/hooks"] {
        folder.write(&format!("{hooks}/none"), "");
        let own = folder.path().join(hooks).join("post-index-change");
        fs::copy(&hook, own).unwrap();
    }
    // Changed and not: git has to look into the first, and writes its index for the second.
    folder.write("site/a.yaml", site() + "# changed\n");
    folder.write("site/part/b.yaml", "a: 2\n");
    for name in ["dirty.plan", "clean.plan"] {
        folder.at(&["plan", "site", "--out", name]).ends(0);
        folder.at(&["plan", "site", "--against", "HEAD"]).ends(0);
        folder.write("site/a.yaml", site());
    }
    let run = folder.files();
    let run: Vec<_> = run
        .iter()
        .filter(|name| name.ends_with(".was-run"))
        .collect();
    assert!(run.is_empty(), "{run:?}");
}

#[test]
fn a_plan_names_the_commit_that_holds_its_documents() {
    let folder = repository();
    let revision = |folder: &Folder| {
        folder.at(&["plan", "site", "--out", "shop.plan"]).ends(0);
        let plan: serde_json::Value = serde_json::from_str(&folder.read("shop.plan")).unwrap();
        plan["revision"].clone()
    };
    let head = git(&folder, ".", &["rev-parse", "HEAD"]);
    assert_eq!(revision(&folder), head);
    // What is no document of the site says nothing about it.
    folder.write("site/notes.txt", "mine");
    assert_eq!(revision(&folder), head);
    folder.write("site/b.yaml", "a: 1\n");
    assert!(revision(&folder).is_null());
    fs::remove_file(folder.path().join("site/b.yaml")).unwrap();
    folder.write("site/a.yaml", site() + "# changed\n");
    assert!(revision(&folder).is_null());
}

#[test]
fn links_of_a_revision_lead_as_far_as_those_on_the_disk() {
    let folder = Folder::of(&[
        ("s/a.yaml", &site()),
        ("base/b.yaml", "kind: Placement\na: [\n"),
    ]);
    std::os::unix::fs::symlink("../base/b.yaml", folder.path().join("s/b.yaml")).unwrap();
    git(&folder, ".", &["init", "--quiet"]);
    commit(&folder, ".");
    let against = ["plan", "s", "--against", "HEAD"];
    folder.at(&against).ends(0);
    folder.write("planner.toml", "follow-links = true\n");
    folder.at(&against).ends(1).says("HEAD:s/b.yaml");
}

#[test]
fn the_repository_is_that_of_the_site_whatever_the_environment_says() {
    let folder = repository();
    let other = Folder::of(&[("none.yaml", "a: 1\n")]);
    git(&other, ".", &["init", "--quiet"]);
    let git_directory = other.path().join(".git");
    for name in [
        "GIT_DIR",
        "GIT_COMMON_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_WORK_TREE",
    ] {
        let mut command = folder.command(&["plan", "site", "--against", "HEAD", "--now", NOW]);
        answer(command.env(name, &git_directory)).ends(0);
    }
}

#[test]
fn a_repository_of_another_user_is_called_that() {
    let folder = repository();
    let mut command = folder.command(&["plan", "site", "--against", "HEAD", "--now", NOW]);
    command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    answer(&mut command)
        .ends(64)
        .says("belongs to another user");
}

/// Plans against a revision with 512 MiB of memory.
fn against(folder: &Folder, revision: &str) -> Answer {
    let script = "ulimit -v 524288; exec \"$0\" plan site --against \"$1\" --now \"$2\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, PLANNER, revision, NOW]);
    answer(command.current_dir(folder.path()))
}

#[test]
fn a_revision_too_large_to_be_read_is_refused() {
    let folder = repository();
    let blob = git(&folder, ".", &["hash-object", "-w", "site/a.yaml"]);
    let mut entry = format!("100644 blob {blob}");
    for _ in 0..7 {
        // Ten names for the same thing, seven times over.
        let names: Vec<String> = (0..10).map(|at| format!("{entry}\t{at}.yaml\n")).collect();
        folder.write("listing", names.concat());
        let mut make = Command::new("sh");
        make.args(["-c", "git mktree < listing"])
            .current_dir(folder.path());
        entry = format!("040000 tree {}", answer(&mut make).ends(0).out.trim());
    }
    let tree = entry.rsplit(' ').next().unwrap().to_owned();
    for revision in [format!("{tree}:0.yaml"), tree] {
        against(&folder, &revision).ends(1).says("too many files");
    }
    against(&folder, "HEAD").ends(0);
}
