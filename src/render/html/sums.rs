//! The resources planned on each cluster, against its capacity.

use serde_json::Value;

use crate::kit::quantity::Quantity;
use crate::page::layout::Mark;
use crate::systems::outcome::{figure, text};

use super::page::{ALL, Page};

/// Rows of the table.
const ROWS: usize = 2000;

/// Bars of what is planned on each cluster against what it has.
pub(super) fn write(page: &mut Page<'_>, sums: &[Value]) {
    if sums.is_empty() {
        return;
    }
    page.markup("<section id=\"clusters\" class=\"full\" data-system=\"applications\">");
    page.markup("<h2>Planned on each Cluster</h2>");
    page.markup(
        "<p>Requests of the Applications planned on each Cluster, and its capacity. Filters check ",
    );
    page.markup("one Application at a time, so the sum may exceed the capacity.</p>\n");
    let heads = [
        "@Overcommitted",
        "Cluster",
        "#Applications",
        "#CPU",
        "#of",
        "@Share of the CPU",
        "#Memory",
        "#of",
        "@Share of the memory",
    ];
    let mut left = 0;
    page.table("Planned on each Cluster", &heads, |page| {
        left = page.rows(sums.iter(), ROWS, |page, row| {
            let over = is_over(row);
            let sign = if over { Mark::Failed } else { Mark::Same };
            page.markup("<tr").marked(sign).markup("><td class=\"m\">");
            if over {
                page.markup("<b class=\"k failed\">!<span class=\"say\"> ");
                page.markup("overcommitted</span></b>");
            }
            page.markup("</td>").head(text(row, "name"));
            page.figure(&figure(row, "applications"));
            for key in ["cpu", "memory"] {
                page.figure(&shown(&row["requested"], key));
                page.figure(&shown(&row["allocatable"], key))
                    .markup("<td class=\"b\">");
                page.bar(
                    amount(row, "requested", key),
                    amount(row, "allocatable", key),
                    None,
                );
                page.markup("</td>");
            }
            page.markup("</tr>\n");
        });
    });
    page.left_out(left, "Cluster", ALL);
    page.markup("</section>\n");
}

/// An amount for people.
fn shown(amounts: &Value, key: &str) -> String {
    let written = text(amounts, key);
    match Quantity::parse(written) {
        Ok(amount) if key == "cpu" => amount.plain(),
        Ok(amount) => amount.rounded(),
        Err(_) => written.to_owned(),
    }
}

/// An amount as a whole number, for the length of a bar.
fn amount(row: &Value, field: &str, key: &str) -> u64 {
    let quantity = Quantity::parse(text(&row[field], key));
    let milli = quantity.map_or(0, Quantity::milli_value);
    u64::try_from(milli).unwrap_or_default()
}

/// Whether more is asked for than there is.
pub(super) fn is_over(row: &Value) -> bool {
    let over = |key| amount(row, "requested", key) > amount(row, "allocatable", key);
    ["cpu", "memory"].into_iter().any(over)
}
