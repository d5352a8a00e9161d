//! The moves between two states of a site, and their causes.

use crate::diff::Diff;
use crate::render::phrase::{self, Review, plain};

use super::page::Page;

/// Rows of the table, and findings of each list.
const ROWS: usize = 2000;
const FINDINGS: usize = 200;

/// Causes that are listed.
const CAUSES: usize = 50;

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
    let caused = by_cause(page, diff);
    if !diff.moves.is_empty() {
        if caused {
            page.markup("<details data-list=\"\"><summary>Each move</summary>\n");
        }
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
        if caused {
            page.markup("</details>\n");
        }
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

/// The causes that several moves have in common, each with its effects; whether there are any.
fn by_cause(page: &mut Page<'_>, diff: &Diff) -> bool {
    let (caused, _) = diff.by_cause();
    page.rows(caused.iter(), CAUSES, |page, one| {
        for (place, changed) in phrase::causes(diff, one) {
            page.markup("<p class=\"cause\">");
            if let Some(place) = place {
                page.markup("<code>").text(&place).markup("</code> ");
            }
            page.text(&plain(changed)).markup("</p>\n");
        }
        page.markup("<ul class=\"safe\">\n");
        for (mark, line) in one
            .effects
            .iter()
            .flat_map(|one| phrase::effect(one, false))
        {
            page.markup("<li>").mark(mark).markup("<span>");
            page.text(&plain(line)).markup("</span></li>\n");
        }
        page.markup("</ul>\n");
    });
    !caused.is_empty()
}
