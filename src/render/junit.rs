//! `planner test` as JUnit XML: one suite for each file, one case for each PlanTest.

use std::fmt::Write as _;

use crate::expect::{Ending, TestResult};
use crate::render::clean;
use crate::render::diagnostics::escape;
use crate::source::{SourceId, Sources};

/// The report; `reports` are in the order of their files.
#[must_use]
pub fn tests(reports: &[TestResult], sources: &Sources) -> String {
    let count = |of: &[&TestResult], ending| of.iter().filter(|r| r.ending() == ending).count();
    let all: Vec<&TestResult> = reports.iter().collect();
    let counts = |of: &[&TestResult]| {
        format!(
            "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"0\"",
            of.len(),
            count(of, Ending::Failed),
            count(of, Ending::Broken)
        )
    };
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"planner test\" {}>\n",
        counts(&all)
    );
    let file = |report: &&TestResult| report.place.source;
    let mut rest = all.as_slice();
    while let Some(first) = rest.first() {
        let source: SourceId = file(first);
        let size = rest
            .iter()
            .take_while(|report| file(report) == source)
            .count();
        let (suite, others) = rest.split_at(size);
        let name = escape(&clean(&sources.get(source).name));
        let _ = writeln!(out, "  <testsuite name=\"{name}\" {}>", counts(suite));
        for report in suite {
            case(report, &name, sources, &mut out);
        }
        out.push_str("  </testsuite>\n");
        rest = others;
    }
    out.push_str("</testsuites>\n");
    out
}

fn case(report: &TestResult, file: &str, sources: &Sources, out: &mut String) {
    let name = escape(&clean(&report.name));
    let line = sources
        .get(report.place.source)
        .position(report.place.span.start)
        .line;
    let _ = write!(
        out,
        "    <testcase classname=\"{file}\" name=\"{name}\" file=\"{file}\" line=\"{line}\" \
         time=\"0\""
    );
    match report.ending() {
        Ending::Passed => out.push_str("/>\n"),
        Ending::Broken => out.push_str(
            ">\n      <error message=\"the test itself has an error and was not run\"/>\n    \
             </testcase>\n",
        ),
        Ending::Failed => {
            out.push_str(">\n");
            for one in report.expectations.iter().flatten() {
                let Some(found) = &one.found else { continue };
                let message = escape(&clean(&format!("expected: {}; but {found}", one.text)));
                let at = escape(&clean(&sources.describe(one.place)));
                let _ = writeln!(out, "      <failure message=\"{message}\">{at}</failure>");
            }
            out.push_str("    </testcase>\n");
        }
    }
}
