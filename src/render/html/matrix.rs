//! Which items are on which clusters: rows and columns, what matters most first.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::kit::plural::plural;
use crate::plan::{Answer, Mark};

use super::item::Section;
use super::page::{ALL, Page};

/// Rows and columns of a matrix.
const ROWS: usize = 200;
const COLUMNS: usize = 60;
/// Rows of the table of counts.
const COUNTS: usize = 2000;

/// The clusters of an item.
struct Held {
    now: BTreeSet<String>,
    /// The clusters it had, where that is known.
    was: Option<BTreeSet<String>>,
}

/// How many items a cluster has and had.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    now: usize,
    was: usize,
}

/// The matrix of a section; nothing where its items have no clusters.
pub(super) fn write(page: &mut Page<'_>, section: &Section<'_>, order: &[usize]) {
    if !section.kind.is_matrix {
        return;
    }
    let names = |answer: Option<Answer<'_>>| -> BTreeSet<String> {
        let names = answer.iter().flat_map(Answer::names);
        names.map(|name| name.to_string()).collect()
    };
    let held: Vec<Held> = section
        .rows
        .iter()
        .map(|row| Held {
            now: names(row.facts.now()),
            was: row.facts.was().map(|was| names(Some(was))),
        })
        .collect();
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for held in &held {
        for name in &held.now {
            counts.entry(name).or_default().now += 1;
        }
        for name in held.was.iter().flatten() {
            counts.entry(name).or_default().was += 1;
        }
    }
    if counts.is_empty() {
        return;
    }
    let mut columns: Vec<(&str, Count)> = counts.into_iter().collect();
    columns.sort_by_key(|(name, count)| (std::cmp::Reverse(count.now.max(count.was)), *name));
    let (all, rows) = (columns.len(), section.rows.len());
    let shown = &columns[..all.min(COLUMNS)];
    let label = format!("{} by cluster", section.kind.title);
    page.markup(
        "<details class=\"matrix\" open=\"\"><summary><span class=\"name\">By cluster</span> ",
    );
    page.markup("<span class=\"why\" data-of=\"\">")
        .text(&plural(rows, section.kind.noun))
        .markup(" on ");
    page.text(&plural(all, "cluster"));
    page.markup("; = stays, + is added, \u{2212} is removed</span></summary>");
    page.wide(&label, |page| table(page, section, &held, order, shown));
    if all > COLUMNS || rows > ROWS {
        page.markup("<p class=\"more\">");
        page.text(&plural(rows.min(ROWS), "row")).markup(" and ");
        page.text(&plural(all.min(COLUMNS), "column"))
            .markup(" of ");
        page.number(rows).markup(" × ").number(all);
        page.markup("; <code>planner plan -o json</code> lists all of them.</p>");
        page.markup("<details data-all=\"\"><summary>Counts of each cluster</summary>");
        let mut left = 0;
        page.table(
            &format!("{label}: counts"),
            &["Cluster", "#Was", "#Will be"],
            |page| {
                left = page.rows(columns.iter(), COUNTS, |page, (name, count)| {
                    page.markup("<tr>")
                        .head(name)
                        .figure(&count.was.to_string());
                    page.figure(&count.now.to_string()).markup("</tr>\n");
                });
            },
        );
        page.left_out(left, "cluster", ALL);
        page.markup("</details>");
    }
    page.markup("</details>\n");
}

/// A row for each item, a column for each cluster.
fn table(
    page: &mut Page<'_>,
    section: &Section<'_>,
    held: &[Held],
    order: &[usize],
    shown: &[(&str, Count)],
) {
    page.markup("<table><thead><tr><td></td>");
    for (name, _) in shown {
        page.markup("<th scope=\"col\"><span>")
            .text(name)
            .markup("</span></th>");
    }
    page.markup("</tr></thead><tbody>\n");
    for at in order.iter().take(ROWS) {
        let Held { now, was } = &held[*at];
        let mark = section.rows[*at].mark;
        let line = section.line(*at, &Value::Null);
        page.markup("<tr").marked(mark).markup(">").head(&line.name);
        for (name, _) in shown {
            let had = was.as_ref().map(|was| was.contains(*name));
            page.markup(match (now.contains(*name), had) {
                (true, Some(true)) => "<td>=</td>",
                (true, None) if mark != Mark::New => "<td>=</td>",
                (true, _) => "<td class=\"new\">+</td>",
                (false, Some(true)) => "<td class=\"gone\">\u{2212}</td>",
                (false, _) => "<td></td>",
            });
        }
        page.markup("</tr>\n");
    }
    page.markup("</tbody></table>");
}
