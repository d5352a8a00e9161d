//! System calls that fail. `strace` has them fail; without it these tests say that they are left
//! out.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{self, Write as _};
use std::process::Command;

use super::writing::FIXABLE;
use crate::support::{Answer, Folder, NOW, PLANNER, answer, site};

/// Runs the program with a fault; `tracing` are the arguments of `strace`.
fn faulty(folder: &Folder, tracing: &[&str], args: &[&str]) -> Option<Answer> {
    let works = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .status();
    if !works.is_ok_and(|status| status.success()) {
        let _ = writeln!(io::stderr(), "left out: strace cannot be run here");
        return None;
    }
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null"]).args(tracing);
    command.arg(PLANNER).args(args).args(["--now", NOW]);
    Some(answer(command.current_dir(folder.path())))
}

#[test]
fn a_path_that_cannot_be_looked_at_is_not_taken_for_a_file() {
    let mut refused = 0;
    // Whichever of the looks fails.
    for look in 1..8 {
        let folder = Folder::of(&[("site/a.yaml", &site())]);
        let fault = format!("inject=statx,?newfstatat,?stat:error=EIO:when={look}");
        let tracing = ["-P", "site", "-e", &fault];
        let Some(answer) = faulty(&folder, &tracing, &["plan", "site", "--yes"]) else {
            return;
        };
        let files = folder.files();
        match answer.status {
            0 => assert!(
                folder.has("site/planner-records/0001-shop.yaml"),
                "{files:?}"
            ),
            _ => {
                assert!([1, 66].contains(&answer.status), "{answer:#?}");
                assert_eq!(files, ["site/a.yaml"]);
                refused += usize::from(answer.err.contains("io::unreadable"));
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn what_has_its_name_is_not_called_unwritten() {
    let baseline = ["validate", ".", "--update-baseline", "--grow"];
    for (args, written) in [
        (&["plan", "a.yaml", "--yes"][..], "a.records/0001-shop.yaml"),
        (&["plan", "a.yaml", "--out", "shop.plan"], "shop.plan"),
        (&["plan", "a.yaml", "-o", "json=out.json"], "out.json"),
        (&["validate", "--fix", "f.yaml"], "f.yaml"),
        (&baseline, "planner-baseline.json"),
    ] {
        // The first is that of the file, the second that of its directory.
        for (call, there) in [(1, false), (2, true)] {
            let folder = Folder::of(&[("a.yaml", &site()), ("f.yaml", FIXABLE)]);
            fs::create_dir(folder.path().join("a.records")).unwrap();
            let fault = format!("inject=fsync:error=EIO:when={call}");
            let Some(answer) = faulty(&folder, &["-e", &fault], args) else {
                return;
            };
            assert_eq!(answer.status, 1, "{args:?} {call}: {answer:#?}");
            let words = "was written, but may not be on the disk yet";
            assert_eq!(answer.err.contains(words), there, "{args:?}: {answer:#?}");
            assert_eq!(answer.err.contains("cannot write"), !there, "{answer:#?}");
            let is_there = folder.has(written) && folder.read(written) != FIXABLE;
            assert_eq!(is_there, there, "{args:?}: {:?}", folder.files());
        }
    }
}

#[test]
fn what_cannot_be_closed_ends_no_program() {
    // The first are those of the system, which loads the program.
    let folder = Folder::of(&[("s/a.yaml", &site()), ("s/deep/planner.txt", "")]);
    for args in [
        &["validate", "s"][..],
        &["plan", "s", "--yes", "-o", "json=out.json"],
        &["plan", "s", "--out", "shop.plan"],
        &["show", "shop.plan", "s"],
    ] {
        let Some(answer) = faulty(&folder, &["-e", "inject=close:error=EIO:when=12+"], args) else {
            return;
        };
        answer.ends(0);
    }
}
