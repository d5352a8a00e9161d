//! The regions of a plan as text: one table a file.

use crate::senlin::Model;
use crate::senlin::engine::allot::Direction;
use crate::senlin::engine::{Check, CheckStatus, Outcome};

use super::{Page, Screen, Tone, columns};

/// Rows of a table beyond which only changes are shown, unless all are asked for.
const ROWS: usize = 20;

/// The section, empty where no file holds a plan.
#[must_use]
pub fn regions(model: &Model<'_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    for checked in &model.sets {
        if let Some((check, outcome)) = checked.planned() {
            page.gap();
            headline(&mut page, checked.set.path, check, outcome);
            table(&mut page, check, outcome, screen);
            notes(&mut page, check, outcome, screen);
        }
    }
    page
}

fn headline(page: &mut Page, path: &str, check: Check<'_, '_>, outcome: &Outcome) {
    let cluster = match check.cluster.name.as_deref() {
        Some(name) => format!(" of {name}"),
        None => String::new(),
    };
    let asked = match outcome.number {
        _ if matches!(outcome.answer, CheckStatus::Error(_)) => "no plan".to_owned(),
        0 => "no node to create or delete".to_owned(),
        number => {
            let verb = match Direction::of(number) {
                Direction::Grow => "create",
                Direction::Shrink => "delete",
            };
            format!("{} to {verb}", nodes(number.abs()))
        }
    };
    page.pieces(vec![
        (
            Tone::Strong,
            format!("Regions  {}{cluster}", check.action.name),
        ),
        (Tone::Plain, format!(": {asked}  ")),
        (Tone::Dim, path.to_owned()),
    ]);
}

fn nodes(number: i128) -> String {
    if number == 1 {
        "1 node".to_owned()
    } else {
        format!("{number} nodes")
    }
}

fn table(page: &mut Page, check: Check<'_, '_>, outcome: &Outcome, screen: &Screen) {
    let all: Vec<usize> = (0..outcome.usable.len()).collect();
    let changed = || all.iter().copied().filter(|at| outcome.change(*at) != 0);
    let narrowed = screen.changes_only || (all.len() > ROWS && !screen.trace);
    let shown: Vec<usize> = match narrowed {
        true if screen.trace => changed().collect(),
        true => changed().take(ROWS).collect(),
        false => all.clone(),
    };
    if !shown.is_empty() {
        let head = [
            "", "region", "weight", "cap", "nodes", "share", "change", "after",
        ];
        let mut rows: Vec<(Tone, [String; 8])> = vec![(Tone::Dim, head.map(str::to_owned))];
        rows.extend(shown.iter().map(|at| row(check, outcome, *at)));
        write(page, &rows);
    }
    let left = all.len() - shown.len();
    if left > 0 {
        let more = changed().count() - shown.iter().filter(|at| outcome.change(**at) != 0).count();
        let plural = if left == 1 { "" } else { "s" };
        let more = match more {
            0 => "unchanged".to_owned(),
            more => format!("{more} of them changed; --trace shows all"),
        };
        page.toned(Tone::Dim, format!("  {left} more region{plural}, {more}"));
    }
}

fn row(check: Check<'_, '_>, outcome: &Outcome, at: usize) -> (Tone, [String; 8]) {
    let position = outcome.usable[at] as usize;
    let region = &check.policy.regions[position];
    let (now, change) = (check.cluster.nodes[position], outcome.change(at));
    let share = outcome
        .distribution
        .as_ref()
        .map(|found| found.allotments[at].quota);
    let (tone, mark, change_text) = match change {
        0 => (Tone::Plain, " ", "·".to_owned()),
        1.. => (Tone::Good, "+", format!("+{change}")),
        _ => (Tone::Bad, "-", change.to_string()),
    };
    let cells = [
        mark.to_owned(),
        region.name.to_string(),
        region.weight.to_string(),
        region
            .cap()
            .map_or("none".to_owned(), |cap| cap.to_string()),
        now.to_string(),
        share.map_or("·".to_owned(), |share| share.to_string()),
        change_text,
        (now + change).to_string(),
    ];
    (tone, cells)
}

/// Names to the left, numbers to the right.
fn write(page: &mut Page, rows: &[(Tone, [String; 8])]) {
    let width = |column: usize| {
        rows.iter()
            .map(|(_, cells)| columns(&cells[column]))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..8).map(width).collect();
    for (tone, cells) in rows {
        let mut line = String::from(" ");
        for (column, cell) in cells.iter().enumerate() {
            let pad = " ".repeat(widths[column] - columns(cell));
            line.push_str(if column < 2 { " " } else { "  " });
            if column < 2 {
                line.push_str(cell);
                line.push_str(&pad);
            } else {
                line.push_str(&pad);
                line.push_str(cell);
            }
        }
        page.toned(*tone, line);
    }
}

fn notes(page: &mut Page, check: Check<'_, '_>, outcome: &Outcome, screen: &Screen) {
    let unknown = check.policy.regions.len() - outcome.usable.len();
    if unknown > 0 {
        let verb = if unknown == 1 {
            "region does"
        } else {
            "regions do"
        };
        let text = format!("  {unknown} {verb} not exist and take no part");
        page.prose(screen, Tone::Plain, &text, 4);
    }
    let elsewhere = check.cluster.size
        - outcome
            .usable
            .iter()
            .map(|at| check.cluster.nodes[*at as usize])
            .sum::<i128>();
    if elsewhere > 0 {
        let verb = if elsewhere == 1 { "is" } else { "are" };
        let text = format!(
            "  {} {verb} in no usable region and not counted",
            nodes(elsewhere)
        );
        page.prose(screen, Tone::Plain, &text, 4);
    }
    if let CheckStatus::Error(reason) = &outcome.answer {
        page.prose(screen, Tone::Failed, &format!("  x {reason}"), 4);
    }
    let overdrafts: Vec<(usize, i128)> = outcome.overdrafts(check.cluster).collect();
    if !overdrafts.is_empty() {
        let over: i128 = overdrafts.iter().map(|(_, over)| over).sum();
        let many = match overdrafts.as_slice() {
            [(at, _)] => {
                let region = &check.policy.regions[outcome.usable[*at] as usize];
                format!("{} is", region.name)
            }
            many => format!("{} regions are", many.len()),
        };
        let text = format!(
            "  ! {many} asked for {over} more deletions than there are nodes; upstream calls \
             this plan fine"
        );
        page.prose(screen, Tone::Change, &text, 4);
    }
}
