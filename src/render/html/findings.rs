//! Findings, each with the lines it is about.

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::kit::plural::plural;
use crate::render::diagnostics::{self, Look};
use crate::source::Sources;

use super::page::Page;

/// Findings that are listed, and that are shown with their lines.
const ALL: usize = 2000;
const OPENED: usize = 300;

/// The section.
pub(super) fn write(page: &mut Page<'_>, sink: &Sink, sources: &Sources) {
    let all = &sink.diagnostics;
    if all.is_empty() {
        return;
    }
    let mut order: Vec<&Diagnostic> = all.iter().collect();
    order.sort_by_key(|found| match found.severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Note => 2,
    });
    page.markup(
        "<section id=\"findings\" data-system=\"findings\"><h2>Findings <small data-of=\"\">",
    );
    page.text(&counts(sink)).markup("</small></h2>\n");
    let left = page.rows(order.into_iter().enumerate(), ALL, |page, (at, found)| {
        one(page, found, sources, at < OPENED);
    });
    page.left_out(left, "finding", "planner validate");
    page.markup("</section>\n");
}

/// The words for severities.
const WORDS: [(Severity, &str); 3] = [
    (Severity::Error, "error"),
    (Severity::Warning, "warning"),
    (Severity::Note, "note"),
];

/// The mark by which the filters know findings of a severity.
pub(super) const fn mark(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "failed",
        Severity::Warning => "changed",
        Severity::Note => "note",
    }
}

/// `1 error, 2 warnings`
pub(super) fn serious(sink: &Sink) -> String {
    numbers(sink, &WORDS[..2])
}

/// `1 error, 2 warnings, 1 note`
pub(super) fn counts(sink: &Sink) -> String {
    numbers(sink, &WORDS)
}

fn numbers(sink: &Sink, words: &[(Severity, &str)]) -> String {
    let parts = words
        .iter()
        .map(|(severity, noun)| (sink.count(*severity), *noun));
    let parts = parts.filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts.map(|(number, noun)| plural(number, noun)).collect();
    parts.join(", ")
}

fn one(page: &mut Page<'_>, found: &Diagnostic, sources: &Sources, open: bool) {
    let place = found.primary.as_ref().map(|label| {
        let source = sources.get(label.place.source);
        (
            source.name.as_str(),
            source.position(label.place.span.start).line,
        )
    });
    let named = format!(
        "{} {} {:?}",
        found.rule.code,
        found.message,
        place.map(|(path, _)| path)
    );
    let id = page.anchor("finding", &named);
    page.markup("<details").attribute("id", &id);
    page.markup(match found.severity {
        Severity::Error => " data-mark=\"failed\"><summary><b class=\"failed\">! error</b> ",
        Severity::Warning => {
            " data-mark=\"changed\"><summary><b class=\"changed\">\u{26a0} warning</b> "
        }
        Severity::Note => " data-mark=\"note\"><summary><b class=\"same\">note</b> ",
    });
    page.markup("<span class=\"name\">")
        .prose(&found.message)
        .markup("</span>");
    if let Some((path, line)) = place {
        let place = format!("{path}:{line}");
        page.markup(" <span class=\"at\">").text(&place);
        page.markup("</span>");
    }
    page.markup("</summary><div class=\"in\"><p><code>");
    let place = place.map(|(path, line)| (path, Some(line)));
    page.text(found.rule.code).markup("</code>").place(place);
    page.markup("</p>");
    if open && found.primary.is_some() {
        let look = Look {
            width: 110,
            screen: None,
            color: false,
            unicode: true,
            links: false,
        };
        let mut alone = Sink::default();
        alone.push(found.clone());
        page.wide(&format!("Lines of {}", found.message), |page| {
            page.markup("<pre>")
                .lines(diagnostics::full(&alone, sources, look).trim_matches('\n'));
            page.markup("</pre>");
        });
    } else if let Some(help) = &found.help {
        page.markup("<p>").text(help).markup("</p>");
    }
    page.markup("</div></details>\n");
}
