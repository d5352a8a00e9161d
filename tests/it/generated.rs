//! Files that are made from the program: stale ones fail, `PLANNER_UPDATE=1` writes them anew.

use std::fs;
use std::path::PathBuf;

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

#[test]
fn manual_pages_are_up_to_date() {
    let pages = planner::cli::pages();
    for (name, text) in &pages {
        check(&format!("man/{name}"), text);
    }
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("man");
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        assert!(
            pages.iter().any(|(page, _)| *page == name),
            "man/{name} is nobody's page"
        );
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
