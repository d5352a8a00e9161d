//! `sarif`: SARIF 2.1.0 for code scanning.
//!
//! URIs are relative to `%SRCROOT%`; fingerprints hold no line numbers, so that a finding
//! stays the same alert when lines above it come or go.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, Fix, Label, Suppression};
use crate::render::{clean, json};
use crate::source::Place;

use super::{Findings, is_absolute};

/// Where the schema of the form lies; nothing is fetched from there.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The name and version of our fingerprints.
const FINGERPRINT: &str = "planner/v1";

/// Writes the whole log, with the rules that found something.
///
/// # Errors
/// Any error from the writer.
pub fn sarif(findings: Findings<'_, '_>, to: &mut dyn Write) -> io::Result<()> {
    let all = findings.all();
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for found in &all {
        numbers.insert(found.rule.code, 0);
    }
    for (at, number) in numbers.values_mut().enumerate() {
        *number = at;
    }
    let mut rules: Vec<Value> = vec![Value::Null; numbers.len()];
    for found in &all {
        let slot = &mut rules[numbers[found.rule.code]];
        if slot.is_null() {
            *slot = rule(found);
        }
    }
    let reported = findings.sink.diagnostics.len();
    let one = |(at, (found, print)): (usize, (&&Diagnostic, String))| {
        let mut value = result(findings, found, numbers[found.rule.code], &print);
        let by = at
            .checked_sub(reported)
            .map(|at| &findings.sink.suppressed[at].by);
        value["suppressions"] = match by {
            None => json!([]),
            Some(by) => json!([suppression(findings, by)]),
        };
        value
    };
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: json!({"driver": {
                "name": "planner",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }}),
            column_kind: "unicodeCodePoints",
            original_uri_base_ids: json!({"%SRCROOT%": {
                "description": {"text": "the root of the repository"},
            }}),
            invocations: json!([{"executionSuccessful": true}]),
            results: json::Each(|| {
                let all = all.iter().zip(findings.fingerprints());
                all.enumerate().map(one)
            }),
        }],
    };
    json::write_json(&log, to)
}

#[derive(Serialize)]
struct Log<R> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<R>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<R> {
    tool: Value,
    column_kind: &'static str,
    original_uri_base_ids: Value,
    invocations: Value,
    results: R,
}

fn rule(found: &Diagnostic) -> Value {
    let rule = found.rule;
    json!({
        "id": rule.code,
        "name": rule.code.rsplit("::").next().unwrap_or(rule.code),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": checks(rule.docs).unwrap_or(rule.summary)},
        "help": {"text": rule.docs, "markdown": rule.docs},
        "defaultConfiguration": {"level": rule.severity.word()},
        "properties": {"tags": [rule.code.split("::").nth(1).unwrap_or("")]},
    })
}

/// The first paragraph of a page's `What it checks`.
fn checks(docs: &str) -> Option<&str> {
    let (_, rest) = docs.split_once("## What it checks\n")?;
    rest.trim_start().split("\n\n").next()
}

fn result(findings: Findings<'_, '_>, found: &Diagnostic, number: usize, print: &str) -> Value {
    let mut value = json!({
        "ruleId": found.rule.code,
        "ruleIndex": number,
        "level": found.severity.word(),
        "message": {"text": message(found)},
        "locations": [],
        "partialFingerprints": {FINGERPRINT: print},
    });
    if let Some(primary) = &found.primary {
        value["locations"] = json!([location(findings, primary)]);
    }
    if !found.related.is_empty() {
        let related = found.related.iter().enumerate().map(|(at, label)| {
            let mut value = location(findings, label);
            value["id"] = json!(at + 1);
            value
        });
        value["relatedLocations"] = related.collect();
    }
    if let Some(fix) = &found.fix {
        value["fixes"] = json!([self::fix(findings, fix)]);
    }
    value
}

/// A viewer reads `[text](target)` as a link; a document must not be able to make one.
fn plain(text: &str) -> String {
    let text = clean(text);
    if text.contains("](") {
        text.replace('[', "\\[").replace(']', "\\]")
    } else {
        text.into_owned()
    }
}

fn message(found: &Diagnostic) -> String {
    let mut text = plain(&found.message);
    if let Some(help) = &found.help {
        let _ = write!(text, "\n{}", plain(help));
    }
    text
}

fn location(findings: Findings<'_, '_>, label: &Label) -> Value {
    let mut value = json!({"physicalLocation": {
        "artifactLocation": artifact(findings, label.place),
        "region": region(findings, label.place),
    }});
    if !label.text.is_empty() {
        value["message"] = json!({"text": plain(&label.text)});
    }
    value
}

fn artifact(findings: Findings<'_, '_>, place: Place) -> Value {
    let name = findings.path(&findings.sources().get(place.source).name);
    if is_absolute(&name) {
        let slash = if name.starts_with('/') { "" } else { "/" };
        return json!({"uri": format!("file://{slash}{}", encode(&name))});
    }
    json!({"uri": encode(&name), "uriBaseId": "%SRCROOT%"})
}

fn region(findings: Findings<'_, '_>, place: Place) -> Value {
    let source = findings.sources().get(place.source);
    let start = source.position(place.span.start);
    let end = source.position(place.span.end.max(place.span.start));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

fn fix(findings: Findings<'_, '_>, fix: &Fix) -> Value {
    let mut files: BTreeMap<_, Vec<Value>> = BTreeMap::new();
    for edit in &fix.edits {
        files.entry(edit.place.source).or_default().push(json!({
            "deletedRegion": region(findings, edit.place),
            "insertedContent": {"text": edit.text},
        }));
    }
    let changes: Vec<Value> = files
        .into_iter()
        .map(|(source, replacements)| {
            let place = Place {
                source,
                ..Place::default()
            };
            json!({"artifactLocation": artifact(findings, place), "replacements": replacements})
        })
        .collect();
    json!({"description": {"text": plain(&fix.title)}, "artifactChanges": changes})
}

fn suppression(findings: Findings<'_, '_>, by: &Suppression) -> Value {
    match by {
        Suppression::Baseline => json!({
            "kind": "external",
            "status": "accepted",
            "justification": "in the baseline",
        }),
        Suppression::Ignore { reason, place } => {
            let comment = Label {
                place: *place,
                text: "".into(),
            };
            json!({
                "kind": "inSource",
                "status": "accepted",
                "justification": plain(reason.as_deref().unwrap_or("no reason given")),
                "location": location(findings, &comment),
            })
        }
    }
}

/// A path as a URI reference: everything but unreserved characters and `/` is encoded.
fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
