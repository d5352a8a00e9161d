//! The impact of each loss.

use crate::page::layout::Mark;
use crate::render::text::risk::{headings, headline, rows, without_impact};
use crate::risk::Risk;

use super::page::Page;

/// Rows of the table, and lost things in one of them.
const ROWS: usize = 2000;

/// The section.
pub(super) fn write(page: &mut Page<'_>, risk: &Risk) {
    let rows = rows(risk, ROWS);
    page.markup("<section id=\"risk\" class=\"full\"><h2>Risk</h2><p>")
        .text(&headline(risk));
    page.markup(".</p>\n");
    let is_asked = rows.iter().any(|row| row.remedy.is_some());
    let more = is_asked.then_some("Remedy");
    let mut left = 0;
    if !rows.is_empty() {
        page.wide("Impact of each loss", |page| {
            page.markup(
                "<table><thead><tr><th scope=\"col\"><span class=\"say\">Class</span></th>",
            );
            for head in headings(risk).into_iter().chain(more) {
                page.markup("<th scope=\"col\">").text(head).markup("</th>");
            }
            page.markup("</tr></thead><tbody>\n");
            left = page.rows(rows.iter(), ROWS, |page, row| {
                let mark = match row.mark {
                    '!' => Mark::Failed,
                    _ => Mark::Changed,
                };
                page.markup("<tr")
                    .marked(mark)
                    .markup("><td class=\"m\">")
                    .mark(mark)
                    .markup("</td>");
                for (at, cell) in row.cells.iter().enumerate() {
                    match at {
                        0 => page.head(cell),
                        _ => page.cell(cell),
                    };
                }
                if more.is_some() {
                    page.cell(row.remedy.as_deref().unwrap_or_default());
                }
                page.markup("</tr>\n");
            });
            page.markup("</tbody></table>");
        });
    }
    page.left_out(left, "row", "planner risk");
    idle(page, &without_impact(risk));
    page.markup("</section>\n");
}

/// The losses without impact: names alone.
fn idle(page: &mut Page<'_>, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let losses = if names.len() == 1 { " loss" } else { " losses" };
    page.markup("<details><summary>")
        .number(names.len())
        .markup(losses)
        .markup(" without impact</summary><p>");
    page.text(&names[..names.len().min(ROWS)].join(", "))
        .markup("</p></details>\n");
    page.left_out(names.len().saturating_sub(ROWS), "loss", "planner risk");
}
