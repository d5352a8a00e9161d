//! `rdjson`: reviewdog's diagnostic format, one object with ranges and suggestions.
//!
//! Columns count bytes of UTF-8, as its definition says (reviewdog,
//! `proto/rdf/reviewdog.proto`).

use std::io::{self, Write};

use serde::Serialize;

use crate::diagnostic::{Diagnostic, Severity};
use crate::render::{clean, json};
use crate::source::Place;

use super::{Findings, words};

#[derive(Serialize)]
struct Document<D> {
    source: Tool,
    severity: &'static str,
    diagnostics: D,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
}

#[derive(Serialize)]
struct Item {
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    severity: &'static str,
    code: Code,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<Suggestion>,
    #[serde(rename = "relatedLocations", skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related>,
}

#[derive(Serialize)]
struct Code {
    value: &'static str,
}

#[derive(Serialize)]
struct Location {
    path: String,
    range: Range,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Suggestion {
    range: Range,
    text: String,
}

#[derive(Serialize)]
struct Related {
    message: String,
    location: Location,
}

/// The whole report.
///
/// # Errors
/// Any error from the writer.
pub fn rdjson(findings: Findings<'_, '_>, to: &mut dyn Write) -> io::Result<()> {
    let all = &findings.sink.diagnostics;
    let worst = all.iter().map(|found| found.severity).max();
    let document = Document {
        source: Tool { name: "planner" },
        severity: severity(worst.unwrap_or(Severity::Note)),
        diagnostics: json::Each(|| all.iter().map(|found| item(findings, found))),
    };
    json::write_json(&document, to)
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "ERROR",
        Severity::Warning => "WARNING",
        Severity::Note => "INFO",
    }
}

fn item(findings: Findings<'_, '_>, found: &Diagnostic) -> Item {
    let here = found.primary.as_ref().map(|label| label.place.source);
    let suggestions = found.fix.iter().flat_map(|fix| &fix.edits);
    Item {
        message: words(found),
        location: found
            .primary
            .as_ref()
            .map(|label| location(findings, label.place)),
        severity: severity(found.severity),
        code: Code {
            value: found.rule.code,
        },
        // A suggestion has no path of its own.
        suggestions: suggestions
            .filter(|edit| Some(edit.place.source) == here)
            .map(|edit| Suggestion {
                range: location(findings, edit.place).range,
                text: edit.text.clone(),
            })
            .collect(),
        related: found
            .related
            .iter()
            .map(|label| Related {
                message: clean(&label.text).into_owned(),
                location: location(findings, label.place),
            })
            .collect(),
    }
}

fn location(findings: Findings<'_, '_>, place: Place) -> Location {
    let source = findings.sources().get(place.source);
    let position = |offset| Position {
        line: source.position(offset).line,
        column: source.byte_column(offset),
    };
    Location {
        path: clean(&findings.path(&source.name)).into_owned(),
        range: Range {
            start: position(place.span.start),
            end: position(place.span.end),
        },
    }
}
