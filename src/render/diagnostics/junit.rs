//! `junit`: one suite for each file, one case for each document, passing ones too.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, short_code};
use crate::document::DocumentKind;
use crate::render::clean;
use crate::render::junit::{Case, Said, Suite, report};
use crate::source::SourceId;

use super::{Findings, words};

/// The findings about a document, or about its file as a whole.
#[derive(Default)]
struct FileFindings<'f> {
    name: String,
    found: Vec<&'f Diagnostic>,
    foreign: bool,
}

/// The whole report.
///
/// # Errors
/// Any error from the writer.
pub fn junit(findings: Findings<'_, '_>, to: &mut dyn Write) -> io::Result<()> {
    let suites = suites(findings).into_iter().map(|(name, cases)| Suite {
        name,
        cases: cases.iter().map(|case| written(findings, case)).collect(),
    });
    let text = report("planner validate", &suites.collect::<Vec<_>>());
    to.write_all(text.as_bytes())
}

fn written(findings: Findings<'_, '_>, case: &FileFindings<'_>) -> Case {
    let all = case.found.iter().copied();
    let (failed, others): (Vec<_>, Vec<_>) = all.partition(|one| one.severity >= findings.fails);
    let lines = |found: &[&Diagnostic]| -> Vec<String> {
        found.iter().map(|found| line(findings, found)).collect()
    };
    let mut said = Vec::new();
    // A document that is not ours is skipped, and the report says so.
    if case.foreign && case.found.is_empty() {
        said.push(Said::Skipped("not recognised"));
    }
    if let Some(first) = failed.first() {
        let (message, code) = (first.message.clone(), first.rule.code);
        said.push(Said::Failure(message, Some(code), lines(&failed)));
    }
    if !others.is_empty() {
        said.push(Said::Output(lines(&others)));
    }
    Case {
        name: case.name.clone(),
        line: None,
        said,
    }
}

/// The files, each with its cases.
fn suites<'f>(findings: Findings<'f, '_>) -> Vec<(String, Vec<FileFindings<'f>>)> {
    let documents = findings.documents;
    let mut at_document: BTreeMap<usize, Vec<&Diagnostic>> = BTreeMap::new();
    let mut at_file: BTreeMap<SourceId, Vec<&Diagnostic>> = BTreeMap::new();
    let mut nowhere = Vec::new();
    for found in &findings.sink.diagnostics {
        let Some(place) = found.primary.as_ref().map(|label| label.place) else {
            nowhere.push(found);
            continue;
        };
        match documents.holding(place) {
            Some(document) => at_document.entry(document).or_default().push(found),
            None => at_file.entry(place.source).or_default().push(found),
        }
    }
    let mut cases: BTreeMap<SourceId, Vec<FileFindings<'_>>> = BTreeMap::new();
    let mut counted: Option<(SourceId, usize)> = None;
    for (at, document) in documents.all.iter().enumerate() {
        let number = match counted {
            Some((source, count)) if source == document.source() => count + 1,
            _ => 1,
        };
        counted = Some((document.source(), number));
        let text = |node: crate::yaml::Node<'_>| node.text().unwrap_or("").to_owned();
        let name = format!(
            "{number}: {} {}",
            text(document.head()),
            document.name().unwrap_or("")
        );
        cases
            .entry(document.source())
            .or_default()
            .push(FileFindings {
                name: name.trim_end().to_owned(),
                found: at_document.remove(&at).unwrap_or_default(),
                foreign: document.kind == DocumentKind::Foreign,
            });
    }
    let mut suites = Vec::new();
    if !nowhere.is_empty() {
        let case = FileFindings {
            name: "site".into(),
            found: nowhere,
            foreign: false,
        };
        suites.push(("site".into(), vec![case]));
    }
    for (id, source) in (0..).map(SourceId).zip(&findings.sources().files) {
        let mut all = cases.remove(&id).unwrap_or_default();
        let found = at_file.remove(&id).unwrap_or_default();
        if all.is_empty() || !found.is_empty() {
            let case = FileFindings {
                name: "file".into(),
                found,
                foreign: false,
            };
            all.insert(0, case);
        }
        suites.push((findings.path(&source.name), all));
    }
    suites
}

fn line(findings: Findings<'_, '_>, found: &Diagnostic) -> String {
    let place = found.primary.as_ref().map_or(String::new(), |label| {
        let source = findings.sources().get(label.place.source);
        let at = source.position(label.place.span.start);
        let path = findings.path(&source.name);
        format!("{}:{}:{}: ", clean(&path), at.line, at.column)
    });
    let code = short_code(found.rule.code);
    format!("{place}{}[{code}] {}", found.severity.word(), words(found))
}
