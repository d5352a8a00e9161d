//! The details of an item as markup.

use crate::plan::detail::{Cell, Detail, Said};

use super::page::{ALL, Page};

/// Writes the details of the item of this name.
pub(super) fn write(page: &mut Page<'_>, name: &str, details: &[Detail<'_>]) {
    for detail in details {
        match detail {
            Detail::Fields(fields) => {
                page.markup("<dl>");
                let says = |text: &Said<'_>| !text.text.is_empty() || text.at.is_some();
                for (label, text) in fields.iter().filter(|(_, text)| says(text)) {
                    page.markup("<dt>").text(label).markup("</dt><dd>");
                    said(page, text).markup("</dd>");
                }
                page.markup("</dl>");
            }
            Detail::Note(text) => {
                page.markup("<p>");
                said(page, text).markup("</p>");
            }
            Detail::Table(table) if table.rows.is_empty() => {}
            Detail::Table(table) => {
                let label = table.title.replace("{}", name);
                page.table(&label, &table.heads, |page| {
                    for row in &table.rows {
                        page.markup("<tr>");
                        row.iter().for_each(|one| cell(page, one));
                        page.markup("</tr>");
                    }
                });
                page.left_out(table.left_out, table.noun, ALL);
            }
        }
    }
}

fn said<'p, 'l>(page: &'p mut Page<'l>, said: &Said<'_>) -> &'p mut Page<'l> {
    page.text(&said.text).place(said.at)
}

fn cell(page: &mut Page<'_>, cell: &Cell<'_>) {
    match cell {
        Cell::Mark(mark) => page.markup("<td class=\"m\">").mark(*mark),
        Cell::Name(name) => {
            page.head(name);
            return;
        }
        Cell::Text(text) => said(page.markup("<td>"), text),
        Cell::Failed(why) => page.markup("<td class=\"failed\">! ").text(why),
        Cell::Figure(figure) => page.markup("<td class=\"n\">").text(figure),
        Cell::Bar(part, whole, cap) => page.markup("<td class=\"b\">").bar(*part, *whole, *cap),
    };
    page.markup("</td>");
}
