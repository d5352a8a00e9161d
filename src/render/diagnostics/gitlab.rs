//! `gitlab`: the report of GitLab's code quality widget (a subset of Code Climate's form).

use std::io::{self, Write};

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
///
/// # Errors
/// Any error from the writer.
pub fn gitlab(findings: Findings<'_, '_>, to: &mut dyn Write) -> io::Result<()> {
    let issues = json::Each(|| {
        let all = findings.sink.diagnostics.iter();
        let all = all.zip(findings.fingerprints());
        all.map(|(found, fingerprint)| Issue {
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
    });
    json::write_json(&issues, to)
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
