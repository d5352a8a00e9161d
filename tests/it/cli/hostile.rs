//! Limits of the system and inputs that are hard to read: each ends with words, and leaves nothing.
#![cfg(unix)]

use std::process::Command;

use crate::support::{Folder, NOW, PLANNER, answer, site};

/// The program in a folder, under limits of the shell.
fn limited(folder: &Folder, limits: &str, args: &str) -> Command {
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            &format!("{limits}; exec {PLANNER} {args} --now {NOW}"),
        ])
        .current_dir(folder.path());
    command
}

#[test]
fn a_small_stack_aborts_nothing() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    for limits in ["ulimit -s 256", "export RUST_MIN_STACK=1"] {
        let done = answer(&mut limited(&folder, limits, "plan . --no-input --jobs 2"));
        done.ends(0);
    }
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_leaves_nothing() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let done = answer(&mut limited(
        &folder,
        "ulimit -f 1",
        "report . -o page.html",
    ));
    done.ends(1)
        .says("cannot write")
        .says("page.html: File too large");
    assert_eq!(folder.files(), ["a.yaml"]);
}

#[test]
fn the_last_moment_of_the_calendar_is_a_time() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    for now in ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.9+01:00"] {
        folder.run(&["validate", ".", "--now", now]).ends(0);
    }
    for now in [
        "9999-12-32T23:59:59Z",
        "9999-12-31T23:59:59",
        "99999-12-31T23:59:59Z",
    ] {
        folder.run(&["validate", ".", "--now", now]).ends(64);
    }
}

#[test]
fn nothing_to_report_is_said() {
    let folder = Folder::of(&[("a.yaml", "a: 1\n")]);
    let done = folder.at(&["report", ".", "-o", "page.html"]);
    done.ends(66).says("nothing to plan");
}

#[test]
fn a_file_that_waits_for_the_system_is_refused() {
    let folder = Folder::new();
    if std::fs::File::open("/proc/kmsg").is_err() {
        // Not everybody may read it.
        return;
    }
    let done = folder.at(&["validate", "/proc/kmsg"]);
    done.ends(66);
    assert!(done.out.contains("it is a device"), "{done:?}");
}
