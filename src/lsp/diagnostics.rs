//! Findings as diagnostics of an editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

/// The diagnostics of all files, and the findings that are in none. A file alone is no site: only
/// what is wrong with its form is of interest.
pub(super) fn of_site(view: &View, is_file: bool) -> (ByUri, Vec<String>) {
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
        let findings = findings.into_iter();
        let counts = |(finding, _): &(&Finding, _)| !is_file || is_of_form(finding);
        let shown = |(finding, print)| diagnostic(view, &lines, finding, print);
        let list: Vec<Diagnostic> = findings.filter(counts).filter_map(shown).collect();
        if !list.is_empty() {
            by_uri.insert(uri.0, OfFile::of(version, &list));
        }
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

/// Whether a finding is about the form of a file.
fn is_of_form(finding: &Finding) -> bool {
    let code = short_code(finding.rule.code);
    ["io::", "yaml::", "schema::"]
        .iter()
        .any(|area| code.starts_with(area))
}

/// The fault that keeps a site from being read: diagnostics of its configuration, and a sentence.
pub(super) fn of_fault(
    fault: &Fault,
    root: &Path,
    open: &BTreeMap<PathBuf, Open>,
    encoding: Encoding,
) -> (ByUri, String) {
    let mut lists: BTreeMap<String, (Option<i32>, Vec<Diagnostic>)> = BTreeMap::new();
    if let Fault::Config(sink, sources) = fault {
        for finding in &sink.diagnostics {
            let Some(primary) = &finding.primary else {
                continue;
            };
            let source = sources.get(primary.place.source);
            let (uri, version) = uri_of(open, &root.join(&source.name));
            let lines = Lines::new(source, encoding, version.is_some());
            let (of, list) = lists.entry(uri.0).or_default();
            *of = version;
            list.push(plain(&lines, finding, primary.place.span));
        }
    }
    let lists = lists.into_iter();
    let by_uri = lists.map(|(uri, (version, list))| (uri, OfFile::of(version, &list)));
    (
        by_uri.collect(),
        clean_lines(&fault.to_string()).into_owned(),
    )
}
