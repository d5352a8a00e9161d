//! Files that are made from the program: stale ones fail, `PLANNER_UPDATE=1` writes them anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::support::Folder;

fn check(path: &str, text: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("PLANNER_UPDATE").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
    }
    let there = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        there == text,
        "{path} is stale: run `PLANNER_UPDATE=1 cargo test --test it generated::`"
    );
}

/// `planner man DIRECTORY` writes a page for each command and the three that are about all of them,
/// each with its title, and every code has its section.
#[test]
fn the_manual_has_every_command_and_every_code() {
    let folder = Folder::new();
    folder.run(&["man", "man"]).ends(0);
    let help = folder.run(&["--help"]).out;
    let (_, commands) = help.split_once("Look:\n").unwrap();
    let (commands, _) = commands.split_once("`planner COMMAND").unwrap();
    let commands = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let mut wanted: Vec<String> = commands
        .map(|command| format!("man/planner-{command}.1"))
        .collect();
    assert!(wanted.len() > 10, "{help}");
    for page in [
        "planner.1",
        "planner.toml.5",
        "planner-diagnostics.7",
        "planner-placement.7",
    ] {
        wanted.push(format!("man/{page}"));
    }
    wanted.sort();
    assert_eq!(folder.files(), wanted);
    for page in &wanted {
        let text = folder.read(page);
        let titles = text.lines().filter(|line| line.starts_with(".TH "));
        assert_eq!(titles.count(), 1, "{page}");
    }
    let codes = folder.read("man/planner-diagnostics.7");
    let mut lines = codes.lines().map(|line| line.replace("\\-", "-"));
    let mut headings = BTreeSet::new();
    while let Some(line) = lines.next() {
        if line == ".SH" {
            headings.extend(lines.next().map(|line| line.to_uppercase()));
        }
    }
    for rule in planner::rules::all() {
        let heading = rule.code.trim_start_matches("planner::").to_uppercase();
        assert!(headings.contains(&heading), "{}: no section", rule.code);
    }
}

#[test]
fn the_dispatching_schema_is_up_to_date() {
    let schema = planner::schema::site_schema();
    check(
        "schemas/site.schema.json",
        &(serde_json::to_string_pretty(&schema).unwrap() + "\n"),
    );
}

#[test]
fn every_schema_file_is_embedded() {
    use planner::schema::{FILES, OUTPUTS};
    let embedded = FILES.iter().chain(OUTPUTS).map(|(stem, _)| *stem);
    let known: Vec<&str> = embedded.chain(["site"]).collect();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schemas");
    for directory in ["", "output"] {
        for entry in fs::read_dir(root.join(directory)).unwrap().flatten() {
            let path = entry.path();
            if path.is_file() {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
                let stem = name.strip_suffix(".schema.json").unwrap();
                assert!(known.contains(&stem), "{name} is not embedded");
            }
        }
    }
}

/// The chapters of planner-placement(7) that the rule pages name are there.
#[test]
fn the_chapters_that_rule_pages_name_are_there() {
    let pages = planner::cli::pages();
    let manual = pages.iter().find(|page| page.0 == "planner-placement.7");
    let manual = manual.unwrap().1.to_lowercase();
    for rule in planner::rules::all() {
        let named = rule.docs.split("`planner-placement(7)`, \"").skip(1);
        for chapter in named.filter_map(|rest| rest.split('"').next()) {
            let heading = chapter.to_lowercase().replace('-', "\\-");
            let headings = [".SH", ".SS"].map(|name| format!("{name}\n{heading}").to_lowercase());
            let there = headings.iter().any(|heading| manual.contains(heading));
            assert!(there, "{}: no chapter \"{chapter}\"", rule.code);
        }
    }
}
