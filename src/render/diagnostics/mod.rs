//! Findings in every format, one file each.

mod concise;
mod excerpt;
mod fold;
mod full;
mod github;
mod gitlab;
mod json;
mod junit;
mod rdjson;
mod sarif;
mod summary;

pub use concise::{concise, write_concise};
pub use full::{full, is_missing_path, page, write_full};
pub use github::github;
pub use gitlab::gitlab;
pub use json::{JsonDiagnostics, finding, json};
pub use junit::junit;
pub use rdjson::rdjson;
pub use sarif::sarif;
pub use summary::{FilesRead, head, others, summary};

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, Fingerprint, Severity, Sink};
use crate::document::{Documents, identities};
use crate::kit::plural::plural;
use crate::render::clean;
use crate::source::Sources;

/// How findings are shown on a screen.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Columns that prose takes.
    pub width: usize,
    /// Columns of the terminal, for source lines; `None` elsewhere: lines are not cut.
    pub screen: Option<usize>,
    /// Whether colour is wanted.
    pub color: bool,
    /// Whether the screen takes characters beyond ASCII.
    pub unicode: bool,
    /// Whether codes are links to their pages.
    pub links: bool,
}

/// The input of the output formats for other programs.
#[derive(Debug, Clone, Copy)]
pub struct Findings<'f, 'a> {
    /// The findings, those covered by ignores and the baseline too.
    pub sink: &'f Sink,
    /// The documents they were found in.
    pub documents: &'f Documents<'a>,
    /// The prefix that makes relative paths start at the root of the repository.
    pub prefix: &'f str,
    /// The lowest severity that fails.
    pub fails: Severity,
}

impl<'f> Findings<'f, '_> {
    fn sources(&self) -> &'f Sources {
        self.documents.sources
    }

    /// A file's name from the root of the repository on.
    fn path(&self, name: &str) -> String {
        if self.prefix.is_empty() || is_absolute(name) {
            name.to_owned()
        } else {
            format!("{}{name}", self.prefix)
        }
    }

    /// Reported findings, then suppressed ones.
    fn all(&self) -> Vec<&'f Diagnostic> {
        let suppressed = self.sink.suppressed.iter().map(|found| &found.diagnostic);
        self.sink.diagnostics.iter().chain(suppressed).collect()
    }

    /// A fingerprint for each finding, reported ones before suppressed ones; all are different.
    pub fn fingerprints(&self) -> impl Iterator<Item = String> {
        let all = self.all();
        let mut equals: FxHashMap<Fingerprint, usize> = FxHashMap::default();
        let prints = identities(self.documents, &all, |name| self.path(name));
        let prints: Vec<Fingerprint> = prints.map(|identity| identity.fingerprint()).collect();
        prints.into_iter().map(move |print| {
            let equal = equals.entry(print).or_default();
            *equal += 1;
            print.of_equal(*equal)
        })
    }
}

/// The written bytes as text.
fn as_text(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = write(&mut text);
    String::from_utf8(text).unwrap_or_default()
}

fn is_absolute(name: &str) -> bool {
    name.starts_with('/') || name.as_bytes().get(1) == Some(&b':')
}

/// Message and help in one line without control characters.
fn words(found: &Diagnostic) -> String {
    match &found.help {
        Some(help) => format!("{} ({})", clean(&found.message), clean(help)),
        None => clean(&found.message).into_owned(),
    }
}

/// `2 errors, 1 warning`; empty when there is nothing.
#[must_use]
pub fn counts(sink: &Sink) -> String {
    let part = |severity: Severity| {
        let count = sink.count(severity);
        (count > 0).then(|| plural(count, severity.word()))
    };
    let parts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(part)
        .collect();
    parts.join(", ")
}
