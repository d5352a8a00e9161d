//! Findings as diagnostics of an editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types::{
    Code, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    DiagnosticTag, Uri,
};
use serde_json::json;

use crate::diagnostic::rules::{EXPIRED, UNUSED};
use crate::diagnostic::{Diagnostic as Finding, Severity, short_code};
use crate::kit::safe::{clean, clean_lines};
use crate::render::diagnostics::{self, Findings};
use crate::source::{SourceId, Span};
use crate::workspace::Fault;

use super::position::{Encoding, Lines};
use super::view::{ByUri, OfFile, Open, View, uri_of};

/// The diagnostics of all files, and the findings that are in none.
pub(super) fn of_site(view: &View) -> (ByUri, Vec<String>) {
    let findings = &view.snapshot.findings;
    let of = Findings {
        sink: findings,
        documents: &view.snapshot.checked().documents,
        prefix: "",
        fails: Severity::Error,
    };
    let prints: Vec<String> = of.fingerprints().collect();
    let mut by_file: BTreeMap<SourceId, Vec<(&Finding, &str)>> = BTreeMap::new();
    let mut nowhere = Vec::new();
    for (finding, print) in findings.diagnostics.iter().zip(&prints) {
        match &finding.primary {
            Some(primary) => {
                let of_file = by_file.entry(primary.place.source).or_default();
                of_file.push((finding, print));
            }
            None => nowhere.push(message(finding)),
        }
    }
    let mut by_uri = ByUri::new();
    for (source, findings) in by_file {
        let Some((uri, version)) = view.uri(source) else {
            nowhere.extend(findings.into_iter().map(|(finding, _)| message(finding)));
            continue;
        };
        let lines = view.lines(source);
        let shown = |(finding, print)| diagnostic(view, &lines, finding, print);
        let diagnostics: Vec<Diagnostic> = findings.into_iter().filter_map(shown).collect();
        by_uri.insert(
            uri.0,
            OfFile {
                version,
                diagnostics: Arc::new(diagnostics),
            },
        );
    }
    (by_uri, nowhere)
}

/// A finding at a place of a file.
pub(super) fn diagnostic(
    view: &View,
    lines: &Lines<'_>,
    finding: &Finding,
    print: &str,
) -> Option<Diagnostic> {
    let primary = finding.primary.as_ref()?;
    let related = finding.related.iter().filter_map(|label| {
        let text = if label.text.is_empty() {
            "related"
        } else {
            &label.text
        };
        let location = view.location(label.place)?;
        let text = clean(text).into_owned();
        Some(DiagnosticRelatedInformation::new(location, text))
    });
    let related: Vec<_> = related.collect();
    Some(Diagnostic {
        related_information: (!related.is_empty()).then_some(related),
        data: Some(json!({"fingerprint": print})),
        ..plain(lines, finding, primary.place.span)
    })
}

/// A finding at a place, without what is elsewhere.
fn plain(lines: &Lines<'_>, finding: &Finding, span: Span) -> Diagnostic {
    let code = finding.rule.code;
    let is_idle = [&UNUSED, &EXPIRED].iter().any(|rule| rule.code == code);
    Diagnostic {
        range: lines.range(span),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
            Severity::Note => DiagnosticSeverity::Information,
        }),
        code: Some(Code::String(short_code(code).to_owned())),
        code_description: Some(CodeDescription::new(Uri(diagnostics::page(finding.rule)))),
        source: Some("planner".to_owned()),
        message: message(finding).into(),
        tags: is_idle.then(|| vec![DiagnosticTag::Unnecessary]),
        related_information: None,
        data: None,
    }
}

/// The fault and its remedy, each on a line.
fn message(finding: &Finding) -> String {
    let message = clean(&finding.message);
    match &finding.help {
        Some(help) => format!("{message}\nhelp: {}", clean(help)),
        None => message.into_owned(),
    }
}

/// Leaves only what is wrong with the form of files: a file alone is no site.
pub(super) fn keep_structure(by_uri: &mut ByUri) {
    let is_structure = |found: &Diagnostic| match &found.code {
        Some(Code::String(code)) => ["io::", "yaml::", "schema::"]
            .iter()
            .any(|area| code.starts_with(area)),
        _ => false,
    };
    for of_file in by_uri.values_mut() {
        Arc::make_mut(&mut of_file.diagnostics).retain(is_structure);
    }
    by_uri.retain(|_, of_file| !of_file.diagnostics.is_empty());
}

/// The fault that keeps a site from being read: diagnostics of its configuration, and a sentence.
pub(super) fn of_fault(
    fault: &Fault,
    root: &Path,
    open: &BTreeMap<PathBuf, Open>,
    encoding: Encoding,
) -> (ByUri, String) {
    let mut by_uri = ByUri::new();
    if let Fault::Config(sink, sources) = fault {
        for finding in &sink.diagnostics {
            let Some(primary) = &finding.primary else {
                continue;
            };
            let source = sources.get(primary.place.source);
            let (uri, version) = uri_of(open, &root.join(&source.name));
            let lines = Lines::new(source, encoding, version.is_some());
            let of_file = by_uri.entry(uri.0).or_default();
            of_file.version = version;
            let diagnostic = plain(&lines, finding, primary.place.span);
            Arc::make_mut(&mut of_file.diagnostics).push(diagnostic);
        }
    }
    (by_uri, clean_lines(&fault.to_string()).into_owned())
}
