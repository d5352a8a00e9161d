//! A value that changes in any source of a kustomization: what moves names the line of that value.
//!
//! `PLANNER_MUTATIONS=200 cargo test --test it kustomize_lines::` tries more of them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::random::Dice;
use crate::support::{Folder, NOW};
use serde_json::Value;

/// The values that decide something: what comes before one, and those that may take its place.
const VALUES: [(&str, &[&str]); 4] = [
    ("region: ", &["north", "east", "south"]),
    ("numberOfClusters: ", &["1", "2", "3"]),
    ("\"value\": ", &["1", "2", "3"]),
    ("disabled: ", &["true", "false"]),
];

/// A value of a file.
struct Site {
    file: PathBuf,
    line: usize,
    at: usize,
    others: Vec<&'static str>,
    length: usize,
}

fn files(home: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(home).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, into);
        } else {
            into.push(path);
        }
    }
}

/// The values that can be changed, by file and line.
fn sites(home: &Path) -> Vec<Site> {
    let mut all = Vec::new();
    files(home, &mut all);
    all.sort();
    let mut sites = Vec::new();
    for file in all {
        let text = fs::read_to_string(&file).unwrap();
        for (before, values) in VALUES {
            for (found, _) in text.match_indices(before) {
                let at = found + before.len();
                let own = values.iter().find(|value| text[at..].starts_with(**value));
                let Some(own) = own else { continue };
                sites.push(Site {
                    file: file.strip_prefix(home).unwrap().to_path_buf(),
                    line: text[..at].matches('\n').count() + 1,
                    at,
                    others: values
                        .iter()
                        .filter(|value| *value != own)
                        .copied()
                        .collect(),
                    length: own.len(),
                });
            }
        }
    }
    sites
}

#[test]
fn what_moves_names_the_line_that_changed() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repositories/deployed/files");
    let mut all = Vec::new();
    files(&home, &mut all);
    let folder = Folder::new();
    for path in &all {
        let name = path.strip_prefix(&home).unwrap();
        for state in ["now", "was"] {
            let name = Path::new(state).join(name);
            folder.write(&name.to_string_lossy(), fs::read(path).unwrap());
        }
    }
    let sites = sites(&home);
    assert!(sites.len() >= 8, "{}", sites.len());
    let asked = std::env::var("PLANNER_MUTATIONS").ok();
    let count: usize = asked.and_then(|asked| asked.parse().ok()).unwrap_or(24);
    let mut dice = Dice(0x11ae5);
    let mut moved = 0;
    for _ in 0..count {
        let site = &sites[usize::try_from(dice.roll(sites.len() as u64)).unwrap()];
        let before = fs::read_to_string(home.join(&site.file)).unwrap();
        let value = dice.of(&site.others);
        let mut text = before.clone();
        text.replace_range(site.at..site.at + site.length, value);
        let name = format!("now/{}", site.file.display());
        folder.write(&name, &text);
        let answer = folder
            .run(&[
                "plan",
                "now",
                "--against",
                "was",
                "--now",
                NOW,
                "-o",
                "json",
            ])
            .json();
        folder.write(&name, &before);
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let states = list(&answer["sites"]);
        assert!(!states.is_empty(), "{answer}");
        for state in states {
            for one in list(&state["moves"]) {
                let names = list(&one["because"])
                    .into_iter()
                    .any(|cause| cause["path"] == name.as_str() && cause["line"] == site.line);
                let change = format!("{name}:{} to {value}", site.line);
                assert!(names, "{change} in {}: {one}", state["name"]);
                moved += 1;
            }
        }
    }
    assert!(moved >= count / 2, "{moved} moves of {count} changes");
}

#[test]
fn the_plan_of_a_build_is_that_of_what_it_prints() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repositories/deployed/files");
    let folder = Folder::new();
    let planner = |args: &[&str], input: &str| {
        folder.write("input.yaml", input);
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_planner"))
            .args(args)
            .current_dir(&home)
            .stdin(fs::File::open(folder.path().join("input.yaml")).unwrap())
            .output()
            .unwrap();
        String::from_utf8(run.stdout).unwrap()
    };
    for root in [
        "overlays/dev",
        "overlays/stage",
        "overlays/prod",
        "policies",
    ] {
        let printed = ["fleet", root].map(|root| planner(&["render", root], ""));
        let plan = |paths: &[&str], input: &str| -> Value {
            let options = ["-o", "json", "--no-input", "--now", NOW];
            let args: Vec<&str> = ["plan"]
                .iter()
                .chain(paths)
                .chain(&options)
                .copied()
                .collect();
            serde_json::from_str(&planner(&args, input)).unwrap()
        };
        let built = plan(&["fleet", root], "");
        let piped = plan(&["-"], &printed.join("---\n"));
        assert!(built["placements"].is_array(), "{root}: {built}");
        for section in ["result", "placements", "deliveries"] {
            let (mut one, mut other) = (built[section].clone(), piped[section].clone());
            without_places(&mut one);
            without_places(&mut other);
            assert_eq!(one, other, "{root}: {section}");
        }
    }
}

/// Takes out where a document is written, and what made it: what is printed does not say so.
fn without_places(data: &mut Value) {
    match data {
        Value::Object(fields) => {
            for key in ["path", "line", "column", "generatedBy"] {
                fields.remove(key);
            }
            fields.values_mut().for_each(without_places);
        }
        Value::Array(items) => items.iter_mut().for_each(without_places),
        _ => {}
    }
}
