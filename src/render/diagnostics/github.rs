//! `github`: workflow commands that become annotations on the changed lines.
//!
//! GitHub shows ten annotations of a level for each step and drops the rest silently
//! (actions/toolkit, issue 734), so the tenth says what does not fit.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use crate::diagnostic::{Diagnostic, Severity};
use crate::kit::plural::plural;

use super::{Findings, words};

/// Annotations of one level that are shown.
const BUDGET: usize = 10;
/// Files that the last annotation names.
const FILES: usize = 5;

/// Errors, then warnings, then notes, at most ten of each.
///
/// # Errors
/// Any error from the writer.
pub fn github(findings: Findings<'_, '_>, to: &mut dyn io::Write) -> io::Result<()> {
    let mut out = String::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let level: Vec<&Diagnostic> = findings
            .sink
            .diagnostics
            .iter()
            .filter(|found| found.severity == severity)
            .collect();
        for (at, found) in level.iter().take(BUDGET).enumerate() {
            let mut text = words(found);
            if at + 1 == BUDGET && level.len() > BUDGET {
                let _ = write!(text, "\n{}", rest(findings, severity, &level[BUDGET..]));
            }
            annotation(findings, found, &text, &mut out);
        }
    }
    to.write_all(out.as_bytes())
}

/// `3 more errors: a.yaml (2), b.yaml (1); planner validate lists all`.
fn rest(findings: Findings<'_, '_>, severity: Severity, left: &[&Diagnostic]) -> String {
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    for found in left {
        let name = match &found.primary {
            Some(label) => findings.path(&findings.sources().get(label.place.source).name),
            None => "the site".into(),
        };
        *files
            .entry(crate::render::clean(&name).into_owned())
            .or_default() += 1;
    }
    let more = plural(left.len(), &format!("more {}", severity.word()));
    let mut text = format!("... and {more}: ");
    let named: Vec<String> = files
        .iter()
        .take(FILES)
        .map(|(name, count)| format!("{name} ({count})"))
        .collect();
    text.push_str(&named.join(", "));
    if files.len() > FILES {
        let _ = write!(text, " and {} more files", files.len() - FILES);
    }
    text.push_str("; `planner validate` lists all of them");
    text
}

fn annotation(findings: Findings<'_, '_>, found: &Diagnostic, text: &str, out: &mut String) {
    let command = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let _ = write!(out, "::{command} ");
    if let Some(label) = &found.primary {
        let source = findings.sources().get(label.place.source);
        let path = findings.path(&source.name);
        let start = source.position(label.place.span.start);
        let end = source.position(label.place.span.end.max(label.place.span.start));
        let _ = write!(out, "file={},line={}", property(&path), start.line);
        // Columns of a span over several lines would be refused.
        if end.line == start.line {
            let (from, to) = (start.column, end.column);
            let _ = write!(out, ",endLine={},col={from},endColumn={to}", end.line);
        } else {
            let _ = write!(out, ",endLine={}", end.line);
        }
        out.push(',');
    }
    let _ = writeln!(out, "title={}::{}", property(found.rule.code), data(text));
}

/// A command's text: nothing in it ends the line.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A command's property: nothing in it ends the property or the command.
fn property(text: &str) -> String {
    data(&crate::render::clean(text))
        .replace(':', "%3A")
        .replace(',', "%2C")
}
