//! The moves between two states of a site, and their causes.

use crate::diff::Diff;
use crate::render::phrase::{self, Review, plain};

use super::page::Page;

/// Rows of the table, and findings of each list.
const ROWS: usize = 2000;
const FINDINGS: usize = 200;

/// A comparison with another state.
pub struct Moves<'r> {
    /// The heading: `What moves against main`.
    pub title: String,
    /// The command that has all of it.
    pub command: &'static str,
    /// The moves.
    pub diff: &'r Diff,
    /// Findings that came and went.
    pub review: Review,
}

/// The section.
pub(super) fn write(page: &mut Page<'_>, moves: &Moves<'_>) {
    let diff = moves.diff;
    page.markup("<section id=\"moves\" class=\"full\"><h2>");
    page.text(&moves.title)
        .markup(" <small>")
        .text(&phrase::counts(diff));
    page.markup("</small></h2>\n");
    if !diff.moves.is_empty() {
        let heads = ["@Change", "What", "System", "Was", "Will be", "Because"];
        let mut left = 0;
        page.table("What moves", &heads, |page| {
            left = page.rows(diff.moves.iter(), ROWS, |page, one| {
                let mark = phrase::mark(one);
                let id = page.anchor("move", &one.subject.name);
                page.markup("<tr").attribute("id", &id);
                page.marked(mark)
                    .markup("><td class=\"m\">")
                    .mark(mark)
                    .markup("</td>");
                page.head(&one.subject.name)
                    .cell(one.subject.system().name());
                page.markup("<td class=\"was\">");
                page.text(&plain(phrase::before(one)));
                page.markup("</td>");
                page.cell(&plain(phrase::after(one)));
                page.markup("<td>").text(&plain(phrase::because(diff, one)));
                if let Some(what) = phrase::consequences(one) {
                    page.markup(" <b>").text(&what).markup("</b>");
                }
                page.markup("</td></tr>\n");
            });
        });
        page.left_out(left, "move", moves.command);
    }
    for (title, lines) in [
        ("New findings", &moves.review.new),
        ("Resolved findings", &moves.review.gone),
    ] {
        if !lines.is_empty() {
            page.markup("<h3>").text(title).markup("</h3><ul>");
            let left = page.rows(lines.iter(), FINDINGS, |page, line| {
                page.markup("<li>").lines(line).markup("</li>");
            });
            page.markup("</ul>");
            page.left_out(left, "finding", moves.command);
        }
    }
    page.markup("</section>\n");
}
