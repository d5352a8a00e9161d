//! What comes of losing each thing.

use crate::render::text::layout::Mark;
use crate::render::text::risk::{headings, headline, remedies, rows};
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
    if !rows.is_empty() {
        page.wide("What comes of each loss", |page| {
            page.markup(
                "<table><thead><tr><th scope=\"col\"><span class=\"say\">Class</span></th>",
            );
            for head in headings(risk).into_iter().chain(more) {
                page.markup("<th scope=\"col\">").text(head).markup("</th>");
            }
            page.markup("</tr></thead><tbody>\n");
            let rows = rows.iter().zip(&remedies);
            left = page.rows(rows, ROWS, |page, ((sign, cells), remedy)| {
                let mark = match sign {
                    '!' => Mark::Failed,
                    '~' => Mark::Changed,
                    _ => Mark::Same,
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
    page.markup("</section>\n");
}
