//! What comes of losing each thing.

use crate::render::text::layout::Mark;
use crate::render::text::risk::{HEADINGS, headline, rows};
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
    let mut left = 0;
    if !rows.is_empty() {
        page.wide("What comes of each loss", |page| {
            page.markup(
                "<table><thead><tr><th scope=\"col\"><span class=\"say\">Class</span></th>",
            );
            for head in HEADINGS {
                page.markup("<th scope=\"col\">").text(head).markup("</th>");
            }
            page.markup("</tr></thead><tbody>\n");
            left = page.rows(rows.iter(), ROWS, |page, (sign, [lost, cells @ ..])| {
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
                page.head(lost);
                for cell in cells {
                    page.cell(cell);
                }
                page.markup("</tr>\n");
            });
            page.markup("</tbody></table>");
        });
    }
    page.left_out(left, "row", "planner risk");
    page.markup("</section>\n");
}
