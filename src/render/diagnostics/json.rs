//! Findings as JSON.

use serde::{Serialize, Serializer};

use crate::diagnostic::{Diagnostic, Label, Sink};
use crate::source::Sources;

/// A place, by line and column from 1; columns count characters.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLabel<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    label: &'a str,
}

#[derive(Debug, Serialize)]
struct JsonObject<'a> {
    kind: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
}

/// The kustomizations that have a value, and the line that it comes from.
#[derive(Debug, Serialize)]
struct JsonOrigin<'a> {
    root: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    others: &'a [String],
    path: &'a str,
    line: usize,
    column: usize,
}

/// One finding.
#[derive(Debug, Serialize)]
struct JsonDiagnostic<'a> {
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream: Option<&'a str>,
    primary: Option<JsonLabel<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<JsonOrigin<'a>>,
    related: Vec<JsonLabel<'a>>,
    object: Option<JsonObject<'a>>,
}

fn label<'a>(label: &'a Label, sources: &'a Sources) -> JsonLabel<'a> {
    let source = sources.get(label.place.source);
    let start = source.position(label.place.span.start);
    let end = source.position(label.place.span.end);
    JsonLabel {
        path: &source.name,
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        label: &label.text,
    }
}

fn origin<'a>(found: &'a Diagnostic, sources: &'a Sources) -> Option<JsonOrigin<'a>> {
    let (root, others) = found.roots.split_first()?;
    let place = found.primary.as_ref()?.place;
    let source = sources.get(place.source);
    let start = source.position(place.span.start);
    Some(JsonOrigin {
        root,
        others,
        path: &source.name,
        line: start.line,
        column: start.column,
    })
}

fn one<'a>(found: &'a Diagnostic, sources: &'a Sources) -> JsonDiagnostic<'a> {
    JsonDiagnostic {
        origin: origin(found, sources),
        code: found.rule.code,
        severity: found.severity.word(),
        message: &found.message,
        help: found.help.as_deref(),
        upstream: found.upstream.as_deref(),
        primary: found
            .primary
            .as_ref()
            .map(|primary| label(primary, sources)),
        related: found
            .related
            .iter()
            .map(|related| label(related, sources))
            .collect(),
        object: found.object.as_ref().map(|object| JsonObject {
            kind: &object.kind,
            name: &object.name,
            package: object.package.as_deref(),
            cluster: object.cluster.as_deref(),
            namespace: object.namespace.as_deref(),
            field: object.field.as_deref(),
            rule: object.rule.as_deref(),
        }),
    }
}

/// Findings in their order, each made when it is written.
#[derive(Debug, Default)]
pub struct JsonDiagnostics<'a>(Vec<(&'a Sink, &'a Sources)>);

impl JsonDiagnostics<'_> {
    /// These findings, then those.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }
}

impl Serialize for JsonDiagnostics<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let all = self.0.iter().flat_map(|(sink, sources)| {
            let found = sink.diagnostics.iter();
            found.map(|found| one(found, sources))
        });
        to.collect_seq(all)
    }
}

/// One finding.
#[must_use]
pub fn finding(found: &Diagnostic, sources: &Sources) -> serde_json::Value {
    serde_json::to_value(one(found, sources)).unwrap_or_default()
}

/// All findings, in their order.
#[must_use]
pub fn json<'a>(sink: &'a Sink, sources: &'a Sources) -> JsonDiagnostics<'a> {
    JsonDiagnostics(vec![(sink, sources)])
}
