//! `planner test` as data.

use serde::Serialize;
use serde_json::{Value, json};

use crate::diagnostic::Sink;
use crate::expect::{Ending, Expected, TestResult};
use crate::render::diagnostics::{self, JsonDiagnostics};
use crate::source::Sources;

use super::envelope::Head;

/// The whole answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestReport<'a> {
    #[serde(flatten)]
    head: Head,
    tests: Vec<Value>,
    passed: usize,
    failed: usize,
    broken: usize,
    diagnostics: JsonDiagnostics<'a>,
}

impl<'a> TestReport<'a> {
    /// The answer over these reports.
    #[must_use]
    pub fn new(
        now: jiff::Timestamp,
        reports: &[TestResult],
        sink: &'a Sink,
        sources: &'a Sources,
    ) -> Self {
        let count = |ending| {
            reports
                .iter()
                .filter(|report| report.ending() == ending)
                .count()
        };
        Self {
            head: Head::of("TestReport", now),
            tests: reports.iter().map(|report| test(report, sources)).collect(),
            passed: count(Ending::Passed),
            failed: count(Ending::Failed),
            broken: count(Ending::Broken),
            diagnostics: diagnostics::json(sink, sources),
        }
    }
}

fn test(report: &TestResult, sources: &Sources) -> Value {
    let source = sources.get(report.place.source);
    let result = match report.ending() {
        Ending::Passed => "passed",
        Ending::Failed => "failed",
        Ending::Broken => "broken",
    };
    let all = report.expectations.iter().flatten();
    let expected = |one: &Expected| {
        let source = sources.get(one.place.source);
        json!({
            "expected": one.text,
            "passed": one.found.is_none(),
            "found": one.found,
            "line": source.position(one.place.span.start).line,
        })
    };
    json!({
        "name": report.name,
        "path": source.name,
        "line": source.position(report.place.span.start).line,
        "result": result,
        "expectations": all.map(expected).collect::<Vec<_>>(),
    })
}
