//! Drift as Markdown, for a comment or a job summary.

use std::fmt::Write as _;

use crate::drift::Drift;
use crate::hub::called;
use crate::kit::named::Name;

use super::drift as words;
use super::markdown::code;
use super::text;

/// Rows of a table; more are counted.
const ROWS: usize = 100;

/// The drift, a table for each part; `head` says which snapshot.
#[must_use]
pub fn drift(drift: &Drift, head: &str) -> String {
    let mut out = format!(
        "### Drift: {}\n\n{}\n",
        text::drift_summary(drift),
        code(head)
    );
    let fields = drift.fields.iter().map(|(object, field)| {
        let [git, hub] = words::values(field);
        vec![
            code(&called(object)),
            code(&field.name()),
            code(&git),
            code(&hub),
            code(&words::by(field)),
        ]
    });
    table(
        &mut out,
        &["Object", "Field", "Git", "Hub", "By"],
        fields.collect(),
    );
    let missing = drift
        .missing
        .iter()
        .map(|(object, _)| vec![code(&called(object)), "not on the hub".to_owned()]);
    let extra = drift.extra.iter().map(|gone| {
        vec![
            code(&called(&gone.object)),
            format!("{} would delete it", code(&gone.by)),
        ]
    });
    table(&mut out, &["Object", ""], missing.chain(extra).collect());
    let decisions = drift.decisions.iter().map(|one| {
        vec![
            code(&Name::new(&one.namespace, &one.placement).to_string()),
            code(&words::moves(&one.added, &one.removed)),
            code(&words::why(one)),
        ]
    });
    table(
        &mut out,
        &["Placement", "Would be", "Because"],
        decisions.collect(),
    );
    let next = drift.next.iter().map(|one| {
        vec![
            code(&Name::new(&one.namespace, &one.placement).to_string()),
            code(&words::moves(&one.added, &one.removed)),
            code(&words::causes(one)),
        ]
    });
    table(
        &mut out,
        &["Placement", "At the next sync", "Because"],
        next.collect(),
    );
    out
}

fn table(out: &mut String, heads: &[&str], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n| {} |\n|{}",
        heads.join(" | "),
        "---|".repeat(heads.len())
    );
    for row in rows.iter().take(ROWS) {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    if rows.len() > ROWS {
        let _ = writeln!(out, "\nand {} more", rows.len() - ROWS);
    }
}
