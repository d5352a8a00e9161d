//! What reaches which cluster: a table for each kind of consumer, in the layout of all plan
//! screens. What a row of one kind says is in a file for each kind.

mod applicationset;
mod clusters;
mod policy;
mod rollout;

pub use rollout::rollout;

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use crate::delivery::{Deliveries, Extra, Model, Row};
use crate::kit::plural::plural;
use crate::render::text::layout::{Block, Heads, Mark, Row as Line, Together, Words, section};
use crate::render::text::{Page, Screen, Tone};

/// Clusters that come or go and are named in a row; more of them are counted.
const NAMED: usize = 5;
/// Ways to clusters that are named in a row.
const WAYS: usize = 2;

/// The consumers of a plan, grouped by kind; with a trace the clusters of each, too.
#[must_use]
pub fn deliveries(deliveries: &Deliveries<'_>, model: &Model<'_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    let mut blocks = Vec::new();
    let mut rest = deliveries.rows.as_slice();
    while let Some(first) = rest.first() {
        let end = rest.partition_point(|row| row.id.kind <= first.id.kind);
        let (of_kind, others) = rest.split_at(end);
        blocks.push(block(of_kind, deliveries, screen));
        rest = others;
    }
    if blocks.is_empty() {
        return page;
    }
    page.toned(Tone::Strong, TITLE);
    page.gap();
    let together = Together {
        title: TITLE,
        summary: "",
        noun: "kind",
    };
    let blocks = section(blocks, together, screen);
    page.append(blocks);
    let tables = match screen.trace {
        true => clusters::tables(deliveries, model, screen),
        false => Page::new(),
    };
    if !tables.is_empty() {
        page.gap();
        page.append(tables);
    }
    page
}

const TITLE: &str = "What reaches which cluster";

/// How many consumers reach more clusters, fewer, and what they reached.
pub(in crate::render::text) fn moved(deliveries: &Deliveries<'_>) -> (usize, usize, usize) {
    let mut sums = (0, 0, 0);
    for row in &deliveries.rows {
        match mark(row) {
            Mark::New | Mark::Changed => sums.0 += 1,
            Mark::Gone => sums.1 += 1,
            Mark::Failed if !row.is_unchanged() => sums.1 += 1,
            Mark::Same | Mark::Failed => sums.2 += 1,
        }
    }
    sums
}

/// The table of one kind.
fn block(rows: &[Row<'_>], deliveries: &Deliveries<'_>, screen: &Screen) -> Block {
    let kind = rows[0].id.kind;
    let mut reached = FixedBitSet::new();
    let mut reaching = 0;
    for row in rows {
        reached.union_with(&row.clusters);
        reaching += usize::from(!row.clusters.is_clear());
    }
    let clusters = plural(reached.count_ones(..), "cluster");
    let title = plural(2usize, kind);
    let title = title.trim_start_matches("2 ").to_owned();
    let all = rows.len();
    let summary = match reaching {
        0 => format!(": none of {all} reaches a cluster"),
        1 => format!(": 1 of {all} reaches {clusters}"),
        some => format!(": {some} of {all} reach {clusters}"),
    };
    let shown = |row: &&Row<'_>| screen.trace || mark(row) != Mark::Same;
    let lines: Vec<Line> = rows
        .iter()
        .filter(shown)
        .map(|row| line(row, deliveries))
        .collect();
    let mut below = Page::new();
    let same = rows.len() - lines.len();
    if same > 0 {
        below.toned(Tone::Dim, format!("  {same} unchanged."));
    }
    Block {
        still: lines
            .is_empty()
            .then(|| format!("{title}{summary}, no changes.")),
        title,
        summary,
        heads: Heads {
            subject: kind,
            now: "Clusters",
            because: Some("By"),
            numbers: true,
            ..Heads::default()
        },
        rows: lines,
        below,
        ..Block::default()
    }
}

/// What happens to a consumer.
pub(in crate::render) fn mark(row: &Row<'_>) -> Mark {
    let had = row.was.as_ref().is_some_and(|was| !was.is_clear());
    match () {
        () if row.error.is_some() || row.is_emptied() || is_stuck(row) => Mark::Failed,
        () if row.is_unchanged() => Mark::Same,
        () if !had => Mark::New,
        () => Mark::Changed,
    }
}

/// Whether it should reach clusters and does not: a line for each kind.
fn is_stuck(row: &Row<'_>) -> bool {
    match &row.extra {
        Extra::None => row.clusters.is_clear(),
        Extra::ApplicationSet(about) => applicationset::is_stuck(row, about),
        Extra::AddOn(_) | Extra::Works(_) => false,
        Extra::Policy(about) => policy::is_stuck(row, about),
    }
}

fn line(row: &Row<'_>, deliveries: &Deliveries<'_>) -> Line {
    let subject = match row.id.namespace {
        "" => row.id.name.to_owned(),
        namespace => format!("{namespace}/{}", row.id.name),
    };
    let number = |set: Option<&FixedBitSet>| match set.map_or(0, |set| set.count_ones(..)) {
        0 => "-".to_owned(),
        many => many.to_string(),
    };
    let kind = row.error.clone().unwrap_or_else(|| by(row));
    let mut because = kind.clone();
    if row.error.is_none() {
        let moves = moves(row, deliveries);
        if !moves.is_empty() {
            because.push_str(&format!(": {moves}"));
        }
        because.push_str(&more(row));
    }
    Line {
        mark: mark(row),
        subject,
        within: Words::default(),
        was: number(row.was.as_deref()).into(),
        now: number(Some(&row.clusters)).into(),
        figures: Arc::default(),
        because: because.into(),
        kind: kind.into(),
    }
}

/// By what a consumer comes to its clusters: a line for each kind.
fn by(row: &Row<'_>) -> String {
    match &row.extra {
        Extra::None if row.via.is_empty() => "the labels of clusters".to_owned(),
        Extra::None | Extra::ApplicationSet(_) | Extra::AddOn(_) | Extra::Works(_) => {
            ways(row, |via| {
                let (kind, namespace, name) = via.placement;
                format!("{kind} {namespace}/{name}")
            })
        }
        Extra::Policy(about) => policy::by(row, about),
    }
}

/// What is said after that: a line for each kind.
fn more(row: &Row<'_>) -> String {
    match &row.extra {
        Extra::None | Extra::AddOn(_) | Extra::Works(_) => String::new(),
        Extra::ApplicationSet(about) => applicationset::more(about),
        Extra::Policy(about) => policy::more(about),
    }
}

/// The first ways that give clusters, or the first ones at all.
fn ways<'r, 'a>(row: &'r Row<'a>, name: impl Fn(&'r crate::delivery::Via<'a>) -> String) -> String {
    let giving: Vec<_> = row
        .via
        .iter()
        .filter(|via| !via.restricted && !via.clusters.is_clear())
        .collect();
    let all: Vec<_> = match giving.is_empty() {
        true => row.via.iter().collect(),
        false => giving,
    };
    let mut text = all
        .iter()
        .take(WAYS)
        .map(|via| name(via))
        .collect::<Vec<_>>()
        .join("; ");
    if all.len() > WAYS {
        text.push_str(&format!(" and {} more", all.len() - WAYS));
    }
    text
}

/// The clusters that come and go: `+ oslo, - bern`.
fn moves(row: &Row<'_>, deliveries: &Deliveries<'_>) -> String {
    let (added, removed) = row.moved();
    let part = |sign: &str, set: &FixedBitSet| match set.count_ones(..) {
        0 => None,
        few if few <= NAMED => {
            let names = deliveries.ground.names.of(set);
            Some(format!("{sign} {}", names.join(", ")))
        }
        many => Some(format!("{sign} {}", plural(many, "cluster"))),
    };
    let parts = [part("+", &added), part("-", &removed)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
