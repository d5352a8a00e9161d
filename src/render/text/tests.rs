//! `planner test` as text, as test runners report.

use crate::expect::{Ending, TestResult};
use crate::kit::plural::plural;
use crate::source::Sources;

use super::{Page, Screen, Tone, columns};

/// The report; passing tests are left to the count with `--quiet`.
#[must_use]
pub fn tests(reports: &[TestResult], sources: &Sources, quiet: bool, screen: &Screen) -> Page {
    let mut page = Page::new();
    for report in reports {
        let (tone, word) = match report.ending() {
            Ending::Passed if quiet => continue,
            Ending::Passed => (Tone::Good, "ok    "),
            Ending::Failed => (Tone::Failed, "FAIL  "),
            Ending::Broken => (Tone::Failed, "ERROR "),
        };
        let source = sources.get(report.place.source);
        let all = word.len() + columns(&report.name) + 2 + columns(&source.name);
        if screen.width.is_none_or(|width| all <= width) {
            page.pieces(vec![
                (tone, word.to_owned()),
                (Tone::Plain, format!("{}  ", report.name)),
                (Tone::Dim, source.name.clone()),
            ]);
        } else {
            page.lead((tone, word), &report.name, word.len(), screen.width);
            page.toned(Tone::Dim, format!("      {}", source.name));
        }
        for one in report.expectations.iter().flatten() {
            if let Some(found) = &one.found {
                let at = sources.describe(one.place);
                let text = format!("      {at}: expected: {}; but {found}", one.text);
                page.prose(screen, Tone::Plain, &text, 10);
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
