//! Tells the program which build it is (`planner --version` says version, commit and profile), and
//! lists the schema files that are embedded in it.
#![allow(
    clippy::disallowed_macros,
    reason = "a build script answers on its standard output"
)]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PLANNER_COMMIT");
    let profile = profile();
    // A development build changes with every edit: its commit would say little, and looking it up
    // would compile the crate anew after each commit.
    let commit = match profile.as_str() {
        "debug" => None,
        _ => given().or_else(published).or_else(checked_out),
    };
    let built = match commit {
        Some(commit) => format!("{commit}, {profile}"),
        None => profile,
    };
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    println!("cargo::rustc-env=PLANNER_BUILD={version} ({built})");
    println!("cargo::rerun-if-changed=schemas");
    schemas();
}

/// Writes the tables of `schemas/`, by stem: the documents, and the answers of commands. The schema
/// that dispatches among documents is made from the table of kinds.
fn schemas() {
    let documents = stems("schemas", "").filter(|stem| stem != "site");
    let tables = [
        ("FILES", documents.collect::<BTreeSet<String>>()),
        ("OUTPUTS", stems("schemas/output", "output/").collect()),
    ];
    let root = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let mut text = String::new();
    for (name, stems) in tables {
        text.push_str(&format!(
            "/// Stem and text, by stem.\npub static {name}: &[(&str, &str)] = &[\n"
        ));
        for stem in stems {
            let path = format!("{root}/schemas/{stem}.schema.json");
            text.push_str(&format!("    ({stem:?}, include_str!({path:?})),\n"));
        }
        text.push_str("];\n");
    }
    let out = env::var("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&out).join("schemas.rs"), text).expect("the schemas' table is written");
}

/// The stems of the schema files of a directory.
fn stems(directory: &str, before: &'static str) -> impl Iterator<Item = String> {
    let files = fs::read_dir(directory).into_iter().flatten().flatten();
    files.filter_map(move |file| {
        let name = file.file_name().into_string().ok()?;
        let stem = name.strip_suffix(".schema.json")?;
        Some(format!("{before}{stem}"))
    })
}

/// The profile's name. Cargo's own `PROFILE` knows only `debug` and `release`, so it is read from
/// the path `…/PROFILE/build/PACKAGE-HASH/out`.
fn profile() -> String {
    let out = env::var("OUT_DIR").unwrap_or_default();
    let name = Path::new(&out).ancestors().nth(3);
    let name = name.and_then(Path::file_name);
    name.map_or_else(
        || "release".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// What the packaging script found.
fn given() -> Option<String> {
    env::var("PLANNER_COMMIT").ok().as_deref().and_then(short)
}

/// The commit that Cargo writes into a published package.
fn published() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    short(rest.trim_start_matches([':', ' ', '"']))
}

fn checked_out() -> Option<String> {
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).is_file() {
        println!("cargo::rerun-if-changed={log}");
    }
    // Only this package's own checkout counts, not one that it is vendored into.
    let prefix = git(&["rev-parse", "--show-prefix"])?;
    if !prefix.is_empty() {
        return None;
    }
    short(&git(&["rev-parse", "HEAD"])?)
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn short(commit: &str) -> Option<String> {
    let hex = commit.chars().take_while(char::is_ascii_hexdigit);
    let short: String = hex.take(9).collect();
    (short.len() == 9).then_some(short)
}
