//! Whether the site begins above the directory that was read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Severity, Sink, short_code};
use crate::kit::plural::plural;
use crate::load::{has_known_ending, repository};
use crate::site;

use super::session::Session;

/// The codes of findings about names that lead nowhere.
const NAMES: [&str; 17] = [
    "airship::no_policy",
    "airship::substitution_skipped",
    "airship::unknown_hardware_profile",
    "airship::unknown_host_profile",
    "hybrid::no_inventory",
    "hybrid::unanswered_advisor",
    "hybrid::unknown_target",
    "ocm::decision_source",
    "ocm::no_hub",
    "ocm::unbound_namespace",
    "ocm::unknown_channel",
    "ocm::unknown_placement",
    "ocm::unknown_policy",
    "ocm::unknown_policy_set",
    "ocm::unknown_set",
    "ogc::unknown_reference",
    "site::unknown_placement",
];

/// A note for who has read a part of a site: documents name what is not there, and the site around
/// them, above in the repository or below a `planner.toml`, has no errors. Empty elsewhere.
pub(super) fn above(session: &Session, command: &str, found: &Sink) -> String {
    let codes = found.diagnostics.iter();
    let codes = codes.filter(|found| NAMES.contains(&short_code(found.rule.code)));
    let (missing, start) = match (codes.count(), start(session)) {
        (missing @ 1.., Some(start)) => (missing, start),
        _ => return String::new(),
    };
    let Some(begin) = begin(session, &start) else {
        return String::new();
    };
    if !is_sound(session, &begin) {
        return String::new();
    }
    let begin = shown(&begin, &session.request.directory);
    let refer = if missing == 1 { "refers" } else { "refer" };
    format!(
        "{} {refer} to objects outside the files that were read; did you mean \
         `planner {command} {begin}`?\n",
        plural(missing, "finding")
    )
}

/// Whether a directory, read like the PATHs, has no errors and nothing that is not there.
fn is_sound(session: &Session, directory: &Path) -> bool {
    let mut session = session.clone();
    session.request.paths = vec![directory.to_path_buf()];
    let Ok(loaded) = session.again(BTreeMap::new()) else {
        return false;
    };
    let checked = site::check(&loaded, &session.settings);
    let found = checked.report(&[]);
    let mut codes = found.diagnostics.iter().map(|found| found.rule.code);
    found.count(Severity::Error) == 0 && !codes.any(|code| NAMES.contains(&short_code(code)))
}

/// The one directory that was read.
fn start(session: &Session) -> Option<PathBuf> {
    let request = &session.request;
    let [path] = request.paths.as_slice() else {
        return None;
    };
    let path = request.directory.join(path).canonicalize().ok()?;
    if path.is_dir() {
        Some(path)
    } else {
        path.parent().map(Path::to_path_buf)
    }
}

/// The directory of `planner.toml` if it lies above; in a repository the nearest directory above
/// with documents of its own, else the root.
fn begin(session: &Session, start: &Path) -> Option<PathBuf> {
    if session.config.path.is_some() {
        let directory = session.config.directory();
        let directory = session
            .request
            .directory
            .join(directory)
            .canonicalize()
            .ok()?;
        return (directory != start && start.starts_with(&directory)).then_some(directory);
    }
    let root = repository(start)?;
    let levels = start.ancestors().skip(1);
    let above: Vec<&Path> = levels.take_while(|level| level.starts_with(root)).collect();
    let with_documents = above.iter().find(|level| has_documents(level));
    with_documents
        .or(above.last())
        .map(|level| level.to_path_buf())
}

fn has_documents(directory: &Path) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && has_known_ending(&path) && path.is_file()
    })
}

/// The directory as it would be typed.
fn shown(directory: &Path, from: &Path) -> String {
    let from = from.canonicalize().unwrap_or_else(|_| from.to_path_buf());
    if let Ok(below) = directory.strip_prefix(&from) {
        return if below.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            below.display().to_string()
        };
    }
    match from.strip_prefix(directory) {
        Ok(down) => vec![".."; down.components().count()].join("/"),
        Err(_) => directory.display().to_string(),
    }
}
