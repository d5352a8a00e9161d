//! The counts of documents read and of findings, in one line.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::diagnostic::Sink;
use crate::kit::plural::plural;
use crate::render::clean;
use crate::render::text::wrap;
use crate::site::Counts;
use crate::source::Sources;

use super::{counts as counts_of, is_missing_path};

/// Findings that need no count in front of them, at most.
const FEW: usize = 20;
/// Files with the most findings that are named.
const WORST: usize = 3;

/// How many files were read.
#[derive(Debug, Clone, Copy)]
pub struct FilesRead {
    /// Files whose text was taken.
    pub files: usize,
    /// Files that were found.
    pub files_read: usize,
    /// Documents that could not be read.
    pub unreadable: usize,
    /// Files that could not be opened.
    pub closed: usize,
}

/// The count of many findings, and the files with the most of them; empty where they are few.
#[must_use]
pub fn head(sink: &Sink, sources: &Sources, width: usize) -> String {
    if sink.diagnostics.len() <= FEW {
        return String::new();
    }
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for found in &sink.diagnostics {
        if let Some(primary) = &found.primary {
            let name = &sources.get(primary.place.source).name;
            *files.entry(name).or_default() += 1;
        }
    }
    let count = counts_of(sink);
    if let (1, Some(only)) = (files.len(), files.keys().next()) {
        return wrap(&format!("{count} in {}", clean(only)), Some(width), 4).join("\n") + "\n\n";
    }
    let all = plural(files.len(), "file");
    let mut files: Vec<(&str, usize)> = files.into_iter().collect();
    files.sort_by_key(|(_, count)| Reverse(*count));
    let worst = files.iter().take(WORST);
    let worst: Vec<String> = worst
        .map(|(name, count)| format!("{} ({count})", clean(name)))
        .collect();
    let text = format!("{count} in {all}, most in {}", worst.join(", "));
    wrap(&text, Some(width), 4).join("\n") + "\n\n"
}

/// Nothing is skipped silently: one line that counts everything.
#[must_use]
pub fn summary(loaded: FilesRead, counts: Counts, sink: &Sink) -> String {
    if counts.read == 0 && loaded.files_read == 0 && sink.diagnostics.is_empty() {
        return "Nothing to check: no .yaml, .yml or .json file was found.\n".into();
    }
    let all = &sink.diagnostics;
    if counts.read == 0 && !all.is_empty() && all.iter().all(is_missing_path) {
        return String::new();
    }
    let mut findings = vec![match counts_of(sink) {
        text if text.is_empty() => "no findings".to_owned(),
        text => text,
    }];
    if counts.read == 0 && loaded.files_read == 0 {
        return format!("Nothing was read; {}.\n", findings.join(", "));
    }
    let unreadable = loaded.unreadable;
    let refused = counts.read - counts.planned - counts.not_ours - counts.templates - unreadable;
    let mut parts = vec![match counts.left_out {
        0 => format!("{} checked", counts.planned),
        aside => {
            let are = |count| if count == 1 { "is" } else { "are" };
            let part = counts.planned.saturating_sub(aside);
            let takes = if part == 1 { "takes" } else { "take" };
            format!(
                "{} checked ({part} {takes} part in the plan, {aside} {} left out)",
                counts.planned,
                are(aside)
            )
        }
    }];
    let templates = match counts.templates {
        1 => "template",
        _ => "templates",
    };
    for (count, word) in [
        (counts.not_ours, "not recognised"),
        (counts.templates, templates),
        (refused, "refused"),
        (unreadable, "unreadable"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    for (count, word) in [(sink.ignored(), "ignored"), (sink.baselined(), "baselined")] {
        if count > 0 {
            findings.push(format!("{count} {word}"));
        }
    }
    let mut files = plural(loaded.files, "file");
    if loaded.closed > 0 {
        files.push_str(&format!(" ({} of them could not be read)", loaded.closed));
    }
    let read = plural(counts.read, "document");
    let (parts, findings) = (parts.join(", "), findings.join(", "));
    format!("{read} in {files}: {parts}; {findings}.\n")
}

/// Kinds that are listed without `--verbose`.
const LISTED: usize = 5;

/// The kinds that planner does not recognise.
#[must_use]
pub fn others(kinds: &[(String, usize)], verbose: bool) -> String {
    if kinds.is_empty() {
        return String::new();
    }
    let most = if verbose { kinds.len() } else { LISTED };
    let named = kinds.iter().take(most);
    let mut parts: Vec<String> = named
        .map(|(kind, count)| format!("{count} {}", clean(kind)))
        .collect();
    let rest = kinds.len().saturating_sub(most);
    if rest > 0 {
        parts.push(format!(
            "and {} (--verbose lists them)",
            plural(rest, "more kind")
        ));
    }
    format!("Not recognised: {}.\n", parts.join(", "))
}
