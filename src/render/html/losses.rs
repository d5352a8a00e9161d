//! The impact of each loss.

use crate::render::text::layout::Mark;
use crate::render::text::risk::{Row, headings, headline, remedies, rows};
use crate::risk::Risk;

use super::page::Page;

/// Rows of the table.
const ROWS: usize = 2000;

/// The section.
pub(super) fn write(page: &mut Page<'_>, risk: &Risk) {
    let rows = rows(risk);
    page.markup("<section id=\"risk\" class=\"full\"><h2>Risk</h2><p>")
        .text(&headline(risk));
    page.markup(".</p>\n");
    let remedies = remedies(risk);
    let more = remedies.iter().any(Option::is_some).then_some("Remedy");
    let mut left = 0;
    if rows.iter().any(|(sign, _)| *sign != ' ') {
        page.wide("Impact of each loss", |page| {
            page.markup(
                "<table><thead><tr><th scope=\"col\"><span class=\"say\">Class</span></th>",
            );
            for head in headings(risk).into_iter().chain(more) {
                page.markup("<th scope=\"col\">").text(head).markup("</th>");
            }
            page.markup("</tr></thead><tbody>\n");
            let rows = rows.iter().zip(&remedies);
            let rows = rows.filter(|((sign, _), _)| *sign != ' ');
            let rows: Vec<_> = rows.collect();
            left = page.rows(rows.into_iter(), ROWS, |page, ((sign, cells), remedy)| {
                let mark = match sign {
                    '!' => Mark::Failed,
                    _ => Mark::Changed,
                };
                page.markup("<tr")
                    .marked(mark)
                    .markup("><td class=\"m\">")
                    .mark(mark)
                    .markup("</td>");
                for (at, cell) in cells.iter().enumerate() {
                    match at {
                        0 => page.head(cell),
                        _ => page.cell(cell),
                    };
                }
                if more.is_some() {
                    page.cell(remedy.as_deref().unwrap_or_default());
                }
                page.markup("</tr>\n");
            });
            page.markup("</tbody></table>");
        });
    }
    page.left_out(left, "row", "planner risk");
    idle(page, &rows);
    page.markup("</section>\n");
}

/// The losses without impact: names alone.
fn idle(page: &mut Page<'_>, rows: &[Row]) {
    let idle = rows.iter().filter(|(sign, _)| *sign == ' ');
    let names: Vec<&str> = idle.map(|(_, cells)| cells[0].as_str()).collect();
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
