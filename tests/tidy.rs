//! The crate's own shape: module walls, line lengths, banned words.
#![allow(clippy::unwrap_used, reason = "what a test prepares must be there")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut open = vec![directory.to_path_buf()];
    let mut found = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// `src/ocm/engine/score.rs` as `ocm::engine::score`.
fn module(path: &Path) -> String {
    let inside = path
        .strip_prefix(root().join("src"))
        .unwrap()
        .with_extension("");
    let parts: Vec<String> = inside
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let parts: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| *part != "mod")
        .collect();
    parts.join("::")
}

/// The modules of this crate that a file names by `crate::…`, tests left out.
fn uses(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let mut found = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
    {
        for part in line.split("crate::").skip(1) {
            let name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let path: String = part.chars().take_while(|c| name(*c)).collect();
            found.push(path.trim_end_matches(':').to_owned());
        }
    }
    found
}

const SYSTEMS: [&str; 5] = ["airship", "hybrid", "ocm", "ogc", "senlin"];

/// Whether the module may name the other one (ARCHITECTURE.md, the table of walls).
fn allowed(module: &str, other: &str) -> bool {
    let top = |path: &str| path.split("::").next().unwrap_or_default().to_owned();
    let (from, to) = (top(module), top(other));
    let inside = |part: &str| module.split("::").any(|name| name == part);
    if from == to && !SYSTEMS.contains(&from.as_str()) {
        return true;
    }
    let plain = ["kit", "source"];
    let below = [
        "kit",
        "source",
        "yaml",
        "diagnostic",
        "document",
        "schema",
        "options",
    ];
    match from.as_str() {
        "kit" | "source" | "parallel" => false,
        "options" => ["diagnostic", "document"].contains(&to.as_str()),
        "yaml" => to == "source",
        "diagnostic" => plain.contains(&to.as_str()),
        "document" => ["yaml", "source", "diagnostic", "kit"].contains(&to.as_str()),
        "schema" => ["document", "yaml", "diagnostic", "source", "kit"].contains(&to.as_str()),
        system if SYSTEMS.contains(&system) => {
            if SYSTEMS.contains(&to.as_str()) && to != from {
                return false;
            }
            if inside("engine") {
                let model = other == format!("{from}::model")
                    || other.starts_with(&format!("{from}::model::"))
                    || other.starts_with(&format!("{from}::engine"));
                return model || plain.contains(&to.as_str()) || to == from;
            }
            if inside("model") && to != from {
                return plain.contains(&to.as_str()) || to == "yaml";
            }
            to == from
                || below.contains(&to.as_str())
                || ["why", "repair", "parallel", "render"].contains(&to.as_str())
        }
        "repair" => ["document", "kit", "source", "yaml"].contains(&to.as_str()),
        "site" => to != "cli" && to != "render" && to != "expect",
        "render" | "plan" | "records" => to != "cli" && to != "load",
        _ => true,
    }
}

#[test]
fn modules_keep_to_their_walls() {
    let mut broken = Vec::new();
    for path in files(&root().join("src"), "rs") {
        let module = module(&path);
        for other in uses(&fs::read_to_string(&path).unwrap()) {
            if !allowed(&module, &other) {
                broken.push(format!("{module} names {other}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn only_the_command_line_reads_the_environment_and_the_clock() {
    for path in files(&root().join("src"), "rs") {
        let module = module(&path);
        if module.starts_with("cli") || module == "main" {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for banned in [
            "Timestamp::now",
            "std::env::var",
            "env::args",
            "io::stdin",
            "io::stdout",
        ] {
            assert!(!code.contains(banned), "{module} names {banned}");
        }
    }
}

#[test]
fn every_source_file_is_tidy() {
    let mut wrong = Vec::new();
    let all = ["src", "tests", "benches"]
        .iter()
        .flat_map(|part| files(&root().join(part), "rs"));
    for path in all {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        if !text.starts_with("//!") {
            wrong.push(format!("{name}: does not begin with what it is for"));
        }
        if !text.ends_with('\n') || text.ends_with("\n\n") {
            wrong.push(format!("{name}: does not end with one line break"));
        }
        for (number, line) in text.lines().enumerate() {
            // Documents in tests and benches may be wide.
            if name.starts_with("src") && line.chars().count() > 100 {
                wrong.push(format!("{name}:{}: over 100 columns", number + 1));
            }
            let banned = ["FIX", "ME"].concat();
            if line.contains(&banned) {
                wrong.push(format!("{name}:{}: {banned}", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_page_belongs_to_a_rule() {
    let known: Vec<&str> = planner::rules::all().iter().map(|rule| rule.docs).collect();
    for path in files(&root().join("src"), "md") {
        let inside = path.components().any(|part| part.as_os_str() == "rules");
        let text = fs::read_to_string(&path).unwrap();
        if inside {
            assert!(
                known.contains(&text.as_str()),
                "{} is nobody's page",
                path.display()
            );
        }
    }
}
