//! JUnit XML, and `planner test` in it: one suite for each file, one case for each PlanTest.

use std::fmt::Write as _;

use crate::expect::{Ending, TestResult};
use crate::render::clean;
use crate::source::{SourceId, Sources};

/// The cases of one file.
#[derive(Debug)]
pub(super) struct Suite {
    /// The file.
    pub(super) name: String,
    /// Its cases, in order.
    pub(super) cases: Vec<Case>,
}

/// A file or document that was checked, and its findings.
#[derive(Debug, Default)]
pub(super) struct Case {
    /// The name of the test case.
    pub(super) name: String,
    /// Its line.
    pub(super) line: Option<usize>,
    /// Nothing for a case that passes.
    pub(super) said: Vec<Said>,
}

/// An element of a case. Lines are harmless already; they are only escaped.
#[derive(Debug)]
pub(super) enum Said {
    /// It was not looked at.
    Skipped(&'static str),
    /// It could not be run.
    Error(&'static str),
    /// It fails: what is said first, the kind of failure, and the whole text.
    Failure(String, Option<&'static str>, Vec<String>),
    /// Lines that do not make it fail.
    Output(Vec<String>),
}

impl Case {
    fn has(&self, of: fn(&Said) -> bool) -> bool {
        self.said.iter().any(of)
    }

    fn write(&self, suite: &str, out: &mut String) {
        let name = text(&self.name);
        let line = self.line.map(|line| format!(" line=\"{line}\""));
        let _ = write!(
            out,
            "    <testcase classname=\"{suite}\" name=\"{name}\" file=\"{suite}\"{} time=\"0\"",
            line.unwrap_or_default()
        );
        if self.said.is_empty() {
            out.push_str("/>\n");
            return;
        }
        out.push_str(">\n");
        for said in &self.said {
            let _ = match said {
                Said::Skipped(why) => writeln!(out, "      <skipped message=\"{why}\"/>"),
                Said::Error(why) => writeln!(out, "      <error message=\"{why}\"/>"),
                Said::Failure(message, kind, lines) => {
                    let kind = kind.map(|kind| format!(" type=\"{kind}\""));
                    let (message, kind) = (text(message), kind.unwrap_or_default());
                    let lines = written(lines);
                    writeln!(
                        out,
                        "      <failure message=\"{message}\"{kind}>{lines}</failure>"
                    )
                }
                Said::Output(lines) => {
                    writeln!(out, "      <system-out>{}</system-out>", written(lines))
                }
            };
        }
        out.push_str("    </testcase>\n");
    }
}

/// Lines as the text of an element.
fn written(lines: &[String]) -> String {
    lines.iter().map(|line| escape(line) + "\n").collect()
}

/// A whole report.
pub(super) fn report(name: &str, suites: &[Suite]) -> String {
    let counts = |suites: &[Suite]| {
        let count = |of: fn(&Said) -> bool| {
            let cases = suites.iter().flat_map(|suite| &suite.cases);
            cases.filter(|case| case.has(of)).count()
        };
        format!(
            "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"",
            suites.iter().map(|suite| suite.cases.len()).sum::<usize>(),
            count(|said| matches!(said, Said::Failure(..))),
            count(|said| matches!(said, Said::Error(_))),
            count(|said| matches!(said, Said::Skipped(_))),
        )
    };
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{name}\" {}>\n",
        counts(suites)
    );
    for suite in suites {
        let name = text(&suite.name);
        let counts = counts(std::slice::from_ref(suite));
        let _ = writeln!(out, "  <testsuite name=\"{name}\" {counts}>");
        for case in &suite.cases {
            case.write(&name, &mut out);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// The report of PlanTests; `results` are in the order of their files.
#[must_use]
pub fn tests(results: &[TestResult], sources: &Sources) -> String {
    let mut suites: Vec<(SourceId, Suite)> = Vec::new();
    for result in results {
        let source = result.place.source;
        if suites.last().is_none_or(|(last, _)| *last != source) {
            let name = sources.get(source).name.clone();
            let cases = Vec::new();
            suites.push((source, Suite { name, cases }));
        }
        if let Some((_, suite)) = suites.last_mut() {
            suite.cases.push(case(result, sources));
        }
    }
    let suites: Vec<Suite> = suites.into_iter().map(|(_, suite)| suite).collect();
    report("planner test", &suites)
}

fn case(result: &TestResult, sources: &Sources) -> Case {
    let source = sources.get(result.place.source);
    let failures = result.expectations.iter().flatten().filter_map(|one| {
        let message = format!("expected: {}; but {}", one.text, one.found.as_ref()?);
        let at = clean(&sources.describe(one.place)).into_owned();
        Some(Said::Failure(message, None, vec![at]))
    });
    Case {
        name: result.name.clone(),
        line: Some(source.position(result.place.span.start).line),
        said: match result.ending() {
            Ending::Passed => Vec::new(),
            Ending::Broken => vec![Said::Error("the test itself has an error and was not run")],
            Ending::Failed => failures.collect(),
        },
    }
}

fn text(text: &str) -> String {
    escape(&clean(text))
}

/// Text of an attribute or element; characters that XML 1.0 forbids become U+FFFD.
fn escape(text: &str) -> String {
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
