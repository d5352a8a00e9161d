//! The crate's own shape: module walls, line lengths, banned words.

mod uses;
mod walls;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use planner::document::System;
use uses::Sources;
use walls::{PLANTED, rows, violations};

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

/// The texts of the crate by module.
fn sources() -> Sources {
    let paths = files(&root().join("src"), "rs");
    let text = |path: &PathBuf| (module(path), fs::read_to_string(path).unwrap());
    let mut sources: Sources = paths.iter().map(text).collect();
    if let Some(lib) = sources.remove("lib") {
        sources.insert(String::new(), lib);
    }
    sources
}

#[test]
fn modules_keep_to_their_walls() {
    let broken = violations(&sources());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_planted_violation_is_seen() {
    // All at once: reading the crate takes seconds, and each is told in words of its own.
    let mut sources = sources();
    for (module, text) in PLANTED.iter().flat_map(|(planted, _)| *planted) {
        let source = sources.entry((*module).to_owned()).or_default();
        source.insert_str(0, &format!("{text}\n"));
    }
    let found: BTreeSet<String> = violations(&sources).into_iter().collect();
    let wanted: BTreeSet<String> = PLANTED.iter().map(|(_, one)| (*one).to_owned()).collect();
    assert_eq!(wanted.len(), PLANTED.len());
    let unseen: Vec<&String> = wanted.difference(&found).collect();
    assert!(unseen.is_empty(), "{unseen:?}: {found:?}");
}

/// What the first cells of a table below a heading of ARCHITECTURE.md name.
fn named_in_table(heading: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, below) = text.split_once(heading).unwrap();
    let below = below.split("\n## ").next().unwrap();
    let table = below.lines().skip_while(|line| !line.starts_with("|---"));
    let rows = table.skip(1).take_while(|line| line.starts_with('|'));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_walls_are_those_that_architecture_lists() {
    let (modules, crates) = rows();
    let listed = named_in_table("## Modules and their walls");
    let missing = |from: &[&str], all: &[String]| {
        let missing = from.iter().filter(|one| !all.contains(&(**one).to_owned()));
        missing.copied().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(missing(&modules, &listed), "", "not in ARCHITECTURE.md");
    let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
    let modules: Vec<String> = modules.into_iter().map(str::to_owned).collect();
    assert_eq!(missing(&listed, &modules), "", "not in walls.rs");

    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let used = manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]");
    let used = used.take_while(|line| *line != "[dev-dependencies]");
    let used = used.filter(|line| line.contains(" = "));
    let used = used.filter_map(|line| line.split(' ').next());
    let used: Vec<String> = used.map(|name| name.replace('-', "_")).collect();
    let known: Vec<String> = crates.iter().map(|name| (*name).to_owned()).collect();
    let names: Vec<&str> = used.iter().map(String::as_str).collect();
    assert_eq!(missing(&names, &known), "", "no row in walls.rs");
    assert_eq!(missing(&crates, &used), "", "not in Cargo.toml");
    let listed = named_in_table("## Dependencies");
    let listed: Vec<String> = listed.iter().map(|name| name.replace('-', "_")).collect();
    assert_eq!(missing(&crates, &listed), "", "not in ARCHITECTURE.md");
}

#[test]
fn comments_texts_and_tests_name_nothing() {
    let text = "//! crate::load\n/* use crate::load; */\nconst A: &str = \"use crate::load;\";\n\
                const B: &str = r#\"crate::load::x\"#;\nconst C: char = '\"';\n\
                fn f<'a>(a: &'a str) { let _ = '\\''; }\n\
                #[cfg(test)]\nmod tests { use crate::load; fn g() { {} } }\n";
    let mut sources = sources();
    sources.insert("kit::planted".into(), text.into());
    assert_eq!(violations(&sources), Vec::<String>::new());
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

/// What no line holds, in two parts so that this file passes: notes to self, and references to
/// texts that a reader of the repository does not have.
const BANNED: [[&str; 2]; 6] = [
    ["FIX", "ME"],
    ["design deci", "sion"],
    ["contract, sec", "tion"],
    ["placement, sec", "tion"],
    ["planning, sec", "tion"],
    ["site documents, sec", "tion"],
];

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
            for [first, rest] in BANNED {
                if line.contains(&[first, rest].concat()) {
                    wrong.push(format!("{name}:{}: {first}{rest}", number + 1));
                }
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

/// Whether a file is outside of a system's folder, of what it answers to commands, and of the
/// folders beside it: the consumers of OCM's placements, and its hub.
fn is_outside(system: &str, module: &str) -> bool {
    let parts = uses::split(module);
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let beside = ["delivery", "drift", "guard", "hub", "migrate"];
    match parts.as_slice() {
        ["systems", part, ..] if *part == system => false,
        ["systems", "delivery", ..] => system != "ocm",
        [first, ..] => *first != system && !(system == "ocm" && beside.contains(first)),
        [] => true,
    }
}

/// The files outside of its folder that name a system, at most. What only one of the systems has
/// takes it further than ARCHITECTURE.md lists for a new one.
const NAMED_BY: [(&str, usize); 4] = [("airship", 28), ("hybrid", 16), ("ocm", 33), ("ogc", 25)];

#[test]
fn a_system_is_named_by_few_files_outside_its_folder() {
    let sources = sources();
    let needed = named_in_table(NEW_SYSTEM);
    let code = needed
        .iter()
        .filter(|file| file.ends_with(".rs") && !file.starts_with("tests/"));
    assert_eq!(code.count(), 5, "{needed:?}");
    let listed = needed.len() + named_in_table(SOME_SYSTEMS).len();
    let mut wrong = Vec::new();
    for system in System::ALL.map(System::name) {
        let own = NAMED_BY.iter().find(|(name, _)| *name == system);
        let most = own.map_or(listed, |(_, most)| *most);
        let naming = sources.iter().filter(|(module, text)| {
            is_outside(system, module) && uses::code(text).to_lowercase().contains(system)
        });
        let naming: Vec<&str> = naming.map(|(module, _)| module.as_str()).collect();
        if naming.len() > most {
            wrong.push(format!(
                "{system}: {} of {most}: {}",
                naming.len(),
                naming.join(" ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where ARCHITECTURE.md lists the files that a new system needs outside of its folder.
const NEW_SYSTEM: &str = "A new system is a new folder";
const SOME_SYSTEMS: &str = "A system may also need these files";

/// The least of the systems, and the words for what it alone has: its section of a plan, the same
/// as data and on a page, what can be lost of it and what that does.
const LEAST: &str = "senlin";
const WORDS: [&str; 6] = [
    "plan.regions",
    "Section::Regions",
    "regionPlacements",
    "RegionLost",
    "loss.regions",
    "Thing::Region",
];

#[test]
fn a_new_system_needs_the_files_that_architecture_lists() {
    let listed = [NEW_SYSTEM, SOME_SYSTEMS].into_iter();
    let listed = listed.flat_map(named_in_table);
    let listed = listed.filter(|file| !file.starts_with("tests/"));
    let listed: BTreeSet<String> = listed.map(|file| file.replace('X', LEAST)).collect();
    let mut needed = BTreeSet::new();
    for path in files(&root().join("src"), "rs") {
        let text = fs::read_to_string(&path).unwrap();
        let code = uses::code(&text);
        let tight: String = code.split_whitespace().collect::<Vec<_>>().join("");
        let plain = text.split("#[cfg(test)]").next().unwrap();
        let says = |word: &&str| tight.contains(&word.replace(' ', "")) || plain.contains(*word);
        let named = code.to_lowercase().contains(LEAST) || WORDS.iter().any(says);
        if named && is_outside(LEAST, &module(&path)) {
            let inside = path.strip_prefix(root().join("src")).unwrap();
            needed.insert(inside.display().to_string());
        }
    }
    for path in files(&root().join("schemas/output"), "json") {
        let text = fs::read_to_string(&path).unwrap();
        let names = text.contains(&format!("\"{LEAST}\""));
        if names || WORDS.iter().any(|word| text.contains(word)) {
            let inside = path.strip_prefix(root()).unwrap();
            needed.insert(inside.display().to_string());
        }
    }
    let missing: Vec<&String> = needed.difference(&listed).collect();
    assert!(missing.is_empty(), "not in ARCHITECTURE.md: {missing:?}");
    let idle: Vec<&String> = listed.difference(&needed).collect();
    assert!(idle.is_empty(), "listed and not needed: {idle:?}");
}
