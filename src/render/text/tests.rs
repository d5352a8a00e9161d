//! `planner test` as text, as test runners report.

use crate::expect::{Ending, TestResult};
use crate::kit::plural::plural;
use crate::source::Sources;

use super::{Page, Tone};

/// The report; passing tests are left to the count with `--quiet`.
#[must_use]
pub fn tests(reports: &[TestResult], sources: &Sources, quiet: bool) -> Page {
    let mut page = Page::new();
    for report in reports {
        let (tone, word) = match report.ending() {
            Ending::Passed if quiet => continue,
            Ending::Passed => (Tone::Good, "ok    "),
            Ending::Failed => (Tone::Failed, "FAIL  "),
            Ending::Broken => (Tone::Failed, "ERROR "),
        };
        let source = sources.get(report.place.source);
        page.pieces(vec![
            (tone, word.to_owned()),
            (Tone::Plain, format!("{}  ", report.name)),
            (Tone::Dim, source.name.clone()),
        ]);
        for one in report.expectations.iter().flatten() {
            if let Some(found) = &one.found {
                let at = sources.describe(one.place);
                page.line(format!("      {at}: expected: {}; but {found}", one.text));
            }
        }
        if report.ending() == Ending::Broken {
            page.line("      the test itself is at fault and was not run");
        }
    }
    page.gap();
    page.line(summary(reports));
    page
}

fn summary(reports: &[TestResult]) -> String {
    let count = |ending| {
        reports
            .iter()
            .filter(|report| report.ending() == ending)
            .count()
    };
    let mut parts = vec![format!("{} passed", count(Ending::Passed))];
    for (ending, word) in [(Ending::Failed, "failed"), (Ending::Broken, "at fault")] {
        if count(ending) > 0 {
            parts.push(format!("{} {word}", count(ending)));
        }
    }
    format!("{}: {}.", plural(reports.len(), "test"), parts.join(", "))
}
