//! Streams: results on standard output, all else on standard error; colour and width.

use std::io::Read as _;
use std::process::Stdio;

use crate::support::{BROKEN, Folder, NOW, answer, site, too_large};

#[test]
fn a_machine_format_is_alone_on_standard_output() {
    for text in [site(), too_large(), BROKEN.to_owned()] {
        let folder = Folder::of(&[("a.yaml", &text)]);
        folder.at(&["plan", "a.yaml", "-o", "json"]).json();
        folder.at(&["plan", "a.yaml", "-o", "json", "--yes"]).json();
        folder.at(&["validate", "a.yaml", "-o", "json"]).json();
        let yaml = folder.at(&["plan", "a.yaml", "-o", "yaml"]);
        assert!(
            yaml.out.starts_with("apiVersion: planner/v1\nkind: Plan\n"),
            "{yaml:#?}"
        );
    }
    let folder = Folder::of(&[("a.yaml", &site())]);
    folder
        .at(&["why", "shop/db", "--in", "a.yaml", "-o", "json"])
        .json();
}

#[test]
fn the_plan_is_output_and_remarks_are_not() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let preview = folder.at(&["plan", "a.yaml"]);
    assert!(
        preview.out.starts_with("Plan for Package shop"),
        "{preview:#?}"
    );
    assert_eq!(preview.err.lines().count(), 1, "{preview:#?}");
    preview.says("--yes").says("othing was written");
    let done = folder.at(&["plan", "a.yaml", "--yes"]);
    assert_eq!(done.out, preview.out);
    assert_eq!(
        done.err,
        "Wrote a.records/0001-shop.yaml\nRecorded as 0001. Nothing is deployed.\n"
    );
    let refused = Folder::of(&[("a.yaml", BROKEN)]);
    let refused = refused.at(&["plan", "a.yaml"]);
    refused.says("Cheapest").says("a.yaml:11:27");
    assert!(!refused.out.contains("a.yaml:11"), "{refused:#?}");
}

#[test]
fn failures_on_the_screen_are_not_said_twice() {
    let folder = Folder::of(&[("a.yaml", &too_large())]);
    let answer = folder.at(&["plan", "a.yaml"]);
    assert!(answer.out.contains("web cannot be placed"), "{answer:#?}");
    assert_eq!(answer.err, "");
    let data = folder.at(&["plan", "a.yaml", "-o", "json"]);
    assert_eq!(data.err, "");
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let folder = Folder::new();
    let mut text = site();
    for number in 0..3000 {
        text.push_str(&crate::support::application(
            &format!("app-{number}"),
            "1",
            false,
        ));
    }
    folder.write("a.yaml", &text);
    let runs: &[&[&str]] = &[
        &["plan", "a.yaml", "-o", "json"],
        &["plan", "a.yaml", "-o", "yaml"],
        &["plan", "a.yaml"],
        &["explain"],
        &["completions", "bash"],
        &["schema", "site"],
        &["man"],
    ];
    for args in runs {
        let mut command = folder.command(args);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut some = [0; 10];
        let mut out = child.stdout.take().unwrap();
        let _ = out.read(&mut some).unwrap();
        drop(out);
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(0), "{args:?}: {said}");
        assert!(
            !said.contains("anic") && !said.contains("ipe"),
            "{args:?}: {said}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_1() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = folder.command(&["plan", "a.yaml", "-o", "json"]);
    answer(command.stdout(full)).ends(1).says("standard output");
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = folder.command(&["explain"]);
    answer(command.stdout(full)).ends(1).says("standard output");
    folder
        .at(&["plan", "a.yaml", "-o", "json=no/such/plan.json"])
        .ends(1)
        .says("no/such");
}

#[test]
fn quiet_leaves_results_and_faults() {
    let folder = Folder::of(&[("a.yaml", &site()), ("bad.yaml", BROKEN)]);
    let answer = folder.at(&["plan", "a.yaml", "--quiet"]);
    assert_eq!(answer.ends(0).err, "");
    assert!(!answer.out.is_empty());
    assert_eq!(
        folder.at(&["plan", "a.yaml", "-q", "--yes"]).ends(0).err,
        ""
    );
    assert!(folder.has("a.records/0001-shop.yaml"));
    assert_eq!(folder.at(&["validate", "a.yaml", "-q"]).ends(0).err, "");
    folder
        .at(&["plan", "bad.yaml", "-q"])
        .ends(1)
        .says("Cheapest");
}

#[test]
fn colour_is_asked_for_by_flag_or_environment() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let coloured = |variables: &[(&str, &str)], flags: &[&str]| {
        let mut args = vec!["plan", "a.yaml", "--now", NOW];
        args.extend(flags);
        let mut command = folder.command(&args);
        let answer = answer(command.envs(variables.iter().copied()));
        answer.ends(0).out.contains('\u{1b}')
    };
    assert!(!coloured(&[], &[]), "a pipe is not coloured");
    assert!(coloured(&[("CLICOLOR_FORCE", "1")], &[]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "0")], &[]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "")], &[]));
    assert!(!coloured(
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")],
        &[]
    ));
    assert!(coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")], &[]));
    assert!(coloured(&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], &[]));
    assert!(coloured(&[("NO_COLOR", "1")], &["--color", "always"]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1")], &["--color", "never"]));
}

#[test]
fn files_and_data_are_never_coloured() {
    let folder = Folder::of(&[("a.yaml", &site()), ("bad.yaml", BROKEN)]);
    let always = ["--color", "always"];
    let plan = [
        "plan",
        "a.yaml",
        "-o",
        "text=plan.txt",
        "-o",
        "json=plan.json",
        "-o",
        "yaml",
    ];
    let answer = folder.at(&[&plan[..], &always].concat());
    assert!(!answer.ends(0).out.contains('\u{1b}'));
    for file in ["plan.txt", "plan.json"] {
        assert!(!folder.read(file).contains('\u{1b}'), "{file}");
    }
    let found = [
        "validate",
        "bad.yaml",
        "-o",
        "full=found.txt",
        "-o",
        "concise",
    ];
    folder.at(&[&found[..], &always].concat()).ends(1);
    assert!(!folder.read("found.txt").contains('\u{1b}'));
    assert!(folder.read("found.txt").contains("Cheapest"));
}

#[test]
fn the_environment_does_not_change_data() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let plain = folder.at(&["plan", "a.yaml", "-o", "json"]);
    let variables = [
        ("CI", "true"),
        ("NO_COLOR", "1"),
        ("CLICOLOR_FORCE", "1"),
        ("COLUMNS", "20"),
        ("LANG", "de_DE.UTF-8"),
        ("TZ", "Asia/Tokyo"),
        ("TERM", "dumb"),
    ];
    let mut command = folder.command(&["plan", "a.yaml", "-o", "json", "--now", NOW]);
    assert_eq!(answer(command.envs(variables)).out, plain.out);
}

#[test]
fn compat_upstream_is_remarked_on_where_it_changes_nothing() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let plain = folder.at(&["plan", "a.yaml"]);
    let upstream = folder.at(&["plan", "a.yaml", "--compat", "upstream"]);
    assert_eq!(upstream.ends(0).out, plain.out);
    let more = upstream
        .err
        .lines()
        .filter(|line| line.contains("compat"))
        .count();
    assert_eq!(more, 1, "{upstream:#?}");
}
