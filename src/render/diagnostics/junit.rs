//! `junit`: one suite for each file, one case for each document, passing ones too.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::diagnostic::{Diagnostic, short_code};
use crate::document::DocumentKind;
use crate::render::clean;
use crate::source::SourceId;

use super::{Findings, words};

/// What is found about a document, or about its file as a whole.
#[derive(Default)]
struct Case<'f> {
    name: String,
    found: Vec<&'f Diagnostic>,
    foreign: bool,
}

struct Suite<'f> {
    name: String,
    cases: Vec<Case<'f>>,
}

/// The whole report.
#[must_use]
pub fn junit(findings: Findings<'_, '_>) -> String {
    let suites = suites(findings);
    let fails = |case: &&Case<'_>| failed(findings, case).next().is_some();
    let mut body = String::new();
    let (mut tests, mut failures, mut skips) = (0, 0, 0);
    for suite in &suites {
        let failed = suite.cases.iter().filter(fails).count();
        let skipped = suite.cases.iter().filter(|case| is_skipped(case)).count();
        let name = escape(&clean(&suite.name));
        let _ = writeln!(
            body,
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failed}\" errors=\"0\" \
             skipped=\"{skipped}\" time=\"0\">",
            suite.cases.len()
        );
        for case in &suite.cases {
            write_case(findings, &name, case, &mut body);
        }
        body.push_str("  </testsuite>\n");
        tests += suite.cases.len();
        failures += failed;
        skips += skipped;
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"planner validate\" \
         tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skips}\" \
         time=\"0\">\n{body}</testsuites>\n"
    )
}

/// A document that is not ours is skipped, and the report says so.
fn is_skipped(case: &Case<'_>) -> bool {
    case.foreign && case.found.is_empty()
}

fn failed<'c, 'f>(
    findings: Findings<'_, '_>,
    case: &'c Case<'f>,
) -> impl Iterator<Item = &'f Diagnostic> + use<'c, 'f> {
    let least = findings.fails;
    let found = case.found.iter().copied();
    found.filter(move |found| found.severity >= least)
}

fn suites<'f>(findings: Findings<'f, '_>) -> Vec<Suite<'f>> {
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
    let mut cases: BTreeMap<SourceId, Vec<Case<'_>>> = BTreeMap::new();
    let mut counted: Option<(SourceId, usize)> = None;
    for (at, document) in documents.all.iter().enumerate() {
        let number = match counted {
            Some((source, count)) if source == document.source => count + 1,
            _ => 1,
        };
        counted = Some((document.source, number));
        let text = |node: crate::yaml::Node<'_>| node.text().unwrap_or("").to_owned();
        let name = format!(
            "{number}: {} {}",
            text(document.head()),
            document.name().unwrap_or("")
        );
        cases.entry(document.source).or_default().push(Case {
            name: name.trim_end().to_owned(),
            found: at_document.remove(&at).unwrap_or_default(),
            foreign: document.kind == DocumentKind::Foreign,
        });
    }
    let mut suites = Vec::new();
    if !nowhere.is_empty() {
        suites.push(Suite {
            name: "site".into(),
            cases: vec![Case {
                name: "site".into(),
                found: nowhere,
                foreign: false,
            }],
        });
    }
    for (id, source) in (0..).map(SourceId).zip(&findings.sources().files) {
        let mut all = cases.remove(&id).unwrap_or_default();
        let found = at_file.remove(&id).unwrap_or_default();
        if all.is_empty() || !found.is_empty() {
            let case = Case {
                name: "file".into(),
                found,
                foreign: false,
            };
            all.insert(0, case);
        }
        suites.push(Suite {
            name: findings.path(&source.name),
            cases: all,
        });
    }
    suites
}

fn write_case(findings: Findings<'_, '_>, suite: &str, case: &Case<'_>, out: &mut String) {
    let name = escape(&clean(&case.name));
    let _ = write!(
        out,
        "    <testcase classname=\"{suite}\" name=\"{name}\" file=\"{suite}\" time=\"0\""
    );
    if is_skipped(case) {
        out.push_str("><skipped message=\"not recognised\"/></testcase>\n");
        return;
    }
    if case.found.is_empty() {
        out.push_str("/>\n");
        return;
    }
    out.push_str(">\n");
    let lines = |found: &mut dyn Iterator<Item = &Diagnostic>| -> String {
        found
            .map(|found| escape(&line(findings, found)) + "\n")
            .collect()
    };
    if let Some(first) = failed(findings, case).next() {
        let _ = writeln!(
            out,
            "      <failure message=\"{}\" type=\"{}\">{}</failure>",
            escape(&clean(&first.message)),
            first.rule.code,
            lines(&mut failed(findings, case))
        );
    }
    let least = findings.fails;
    let mut others = case.found.iter().copied().filter(|f| f.severity < least);
    let others = lines(&mut others);
    if !others.is_empty() {
        let _ = writeln!(out, "      <system-out>{others}</system-out>");
    }
    out.push_str("    </testcase>\n");
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

/// Text of an attribute or element; characters that XML 1.0 forbids become U+FFFD.
pub(in crate::render) fn escape(text: &str) -> String {
    // Nearly every text is plain; the two lead bytes begin the characters that XML forbids.
    let special = |b: u8| matches!(b, b'&' | b'<' | b'>' | b'"' | 0..=0x1f | 0x7f | 0xc2 | 0xef);
    if !text.bytes().any(special) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}
