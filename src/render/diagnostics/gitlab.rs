//! `gitlab`: the report of GitLab's code quality widget (a subset of Code Climate's form).

use serde::Serialize;

use crate::diagnostic::{Diagnostic, Severity, short_code};
use crate::render::{clean, json};

use super::{Findings, words};

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    positions: Positions,
}

#[derive(Serialize)]
struct Positions {
    begin: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: usize,
    column: usize,
}

/// A flat list; the code is in the description too, because the widget shows no other
/// field.
#[must_use]
pub fn gitlab(findings: Findings<'_, '_>) -> String {
    let issues: Vec<Issue> = findings
        .sink
        .diagnostics
        .iter()
        .zip(findings.fingerprints())
        .map(|(found, fingerprint)| Issue {
            description: format!("{}: {}", short_code(found.rule.code), words(found)),
            check_name: found.rule.code,
            fingerprint,
            severity: match found.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
                Severity::Note => "info",
            },
            location: location(findings, found),
        })
        .collect();
    json::text(&issues)
}

fn location(findings: Findings<'_, '_>, found: &Diagnostic) -> Location {
    let Some(label) = &found.primary else {
        // The widget drops what has no path.
        let position = || Position { line: 1, column: 1 };
        return Location {
            path: ".".into(),
            positions: Positions {
                begin: position(),
                end: position(),
            },
        };
    };
    let source = findings.sources().get(label.place.source);
    let position = |offset| {
        let at = source.position(offset);
        Position {
            line: at.line,
            column: at.column,
        }
    };
    Location {
        path: clean(&findings.path(&source.name)).into_owned(),
        positions: Positions {
            begin: position(label.place.span.start),
            end: position(label.place.span.end),
        },
    }
}
