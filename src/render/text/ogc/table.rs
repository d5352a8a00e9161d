//! The table of one Package: a mark in column one, the last column wraps under itself.

use crate::ogc::describe;
use crate::ogc::engine::{Change, Filter, Item, Outcome};
use crate::ogc::model::Model;
use crate::render::text::{Page, Screen, Tone, columns, wrap};

/// From this width on the Clusters left after each filter are shown.
const WIDE: usize = 100;
/// Below this width every field has a line of its own.
const NARROW: usize = 60;
/// Least room for the last column; with less every field has a line of its own.
const LAST: usize = 16;

/// The filters that have a column, with their heads; the Tiebreaker always leaves one.
const COUNTED: [(Filter, &str); 7] = [
    (Filter::Available, "Up"),
    (Filter::Compute, "Cpu"),
    (Filter::Memory, "Mem"),
    (Filter::Storage, "Vol"),
    (Filter::Labels, "Lab"),
    (Filter::Extant, "Ext"),
    (Filter::Extremum, "M/M"),
];

pub(super) fn is_wide(screen: &Screen) -> bool {
    screen.width.is_none_or(|width| width >= WIDE)
}

pub(super) fn is_narrow(screen: &Screen) -> bool {
    screen.width.is_some_and(|width| width < NARROW)
}

/// A line as it is if it fits, else filled like prose.
pub(super) fn fit(page: &mut Page, screen: &Screen, text: &str, indent: usize) {
    if screen.width.is_some_and(|width| columns(text) > width) {
        page.prose(screen, Tone::Plain, text, indent);
    } else {
        page.line(text);
    }
}

struct Row {
    mark: &'static str,
    tone: Tone,
    cells: [String; 3],
    counts: Vec<String>,
    decided: String,
}

const HEADS: [&str; 4] = ["Application", "Was", "Cluster", "Decided by"];

/// The items in the order of the screen: what stays first, what fails last.
pub(super) fn write<'a>(
    page: &mut Page,
    model: &Model<'a>,
    outcome: &Outcome<'a>,
    items: &[&Item<'a>],
    screen: &Screen,
) {
    let wide = is_wide(screen);
    let rows: Vec<Row> = items
        .iter()
        .map(|item| row(model, outcome, item, wide))
        .collect();
    let mut widths = [0; 3];
    for (width, at) in widths.iter_mut().zip(0..) {
        let cells = rows.iter().map(|row| columns(&row.cells[at]));
        *width = cells.chain([columns(HEADS[at])]).max().unwrap_or(0);
    }
    let heads: Vec<&str> = if wide {
        std::iter::once("All")
            .chain(COUNTED.map(|(_, head)| head))
            .collect()
    } else {
        Vec::new()
    };
    let counts: Vec<usize> = heads
        .iter()
        .zip(0..)
        .map(|(head, at)| {
            let cells = rows
                .iter()
                .filter_map(|row| row.counts.get(at))
                .map(|cell| cell.len());
            cells.chain([head.len()]).max().unwrap_or(0)
        })
        .collect();
    let before = 2 + widths.iter().map(|width| width + 2).sum::<usize>();
    let last = before + counts.iter().map(|width| width + 2).sum::<usize>() + usize::from(wide);
    if is_narrow(screen) || screen.width.is_some_and(|width| last + LAST > width) {
        for row in &rows {
            fields(page, row, screen);
        }
        return;
    }
    if wide {
        let indent = before + counts[0] + 2;
        page.toned(
            Tone::Dim,
            format!("{}Clusters left after", " ".repeat(indent)),
        );
    }
    let line = |mark: &str, cells: [&str; 3], numbers: &[&str]| {
        let mut line = format!("{mark} ");
        for (cell, width) in cells.iter().zip(widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width + 2 - columns(cell)));
        }
        for (at, width) in counts.iter().enumerate() {
            let cell = numbers.get(at).copied().unwrap_or_default();
            line.push_str(&format!("{cell:>width$}  "));
        }
        if wide {
            line.push(' ');
        }
        line
    };
    let [first, was, cluster, decided] = HEADS;
    let head = line(" ", [first, was, cluster], &heads);
    page.toned(Tone::Dim, format!("{head}{decided}"));
    for row in &rows {
        let cells = [0, 1, 2].map(|at| row.cells[at].as_str());
        let numbers: Vec<&str> = row.counts.iter().map(String::as_str).collect();
        let room = screen.width.map(|width| width - last);
        let mut wrapped = wrap(&row.decided, room, 0).into_iter();
        let first = wrapped.next().unwrap_or_default();
        page.toned(row.tone, line(row.mark, cells, &numbers) + &first);
        for more in wrapped {
            page.toned(row.tone, format!("{}{more}", " ".repeat(last)));
        }
    }
}

fn fields(page: &mut Page, row: &Row, screen: &Screen) {
    page.toned(row.tone, format!("{} {}", row.mark, row.cells[0]));
    let [_, was, cluster, decided] = HEADS;
    let values = [
        (was, &row.cells[1]),
        (cluster, &row.cells[2]),
        (decided, &row.decided),
    ];
    for (head, value) in values {
        for line in wrap(&format!("    {head}: {value}"), screen.width, 8) {
            page.line(line);
        }
    }
}

fn row<'a>(model: &Model<'a>, outcome: &Outcome<'a>, item: &Item<'a>, wide: bool) -> Row {
    let (mark, tone) = match item.change {
        Change::Unchanged => ("=", Tone::Dim),
        Change::Place => ("+", Tone::Good),
        Change::Move => ("~", Tone::Change),
        Change::Withdraw => ("-", Tone::Bad),
        Change::Unplaceable => ("!", Tone::Failed),
    };
    let run = outcome.run_of(item);
    let cluster = item.cluster.map(|at| model.clusters[at as usize].name);
    let decided = match run {
        None if item.project.is_none() => "the Package is gone".to_owned(),
        None => "no longer in the Package".to_owned(),
        Some(run) => match run.failed() {
            Some((filter, _)) => format!("{} left no Cluster", filter.name()),
            None => describe::decision(model, item, run).unwrap_or_default(),
        },
    };
    let mut counts = Vec::new();
    if let Some(run) = run.filter(|_| wide) {
        counts.push(run.all.to_string());
        let left = COUNTED.iter().map(|(filter, _)| run.left(*filter));
        counts.extend(left.map(|left| left.map_or_else(String::new, |left| left.to_string())));
    }
    let or_dash = |name: Option<&str>| name.unwrap_or("-").to_owned();
    Row {
        mark,
        tone,
        cells: [
            item.application.to_owned(),
            or_dash(item.was.as_ref().map(|was| was.cluster)),
            or_dash(cluster),
        ],
        counts,
        decided,
    }
}
