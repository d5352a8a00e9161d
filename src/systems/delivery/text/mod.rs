//! The clusters of each consumer: a table for each kind, in the layout of all plan screens.

mod clusters;
mod rollout;

pub use rollout::rollout;

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use crate::delivery::follow::Deliveries;
use crate::delivery::row::Row;
use crate::document::System;
use crate::kit::plural::plural;
use crate::page::layout::{Block, Heads, Mark, Row as Line, Together, Words, section as blocks_of};
use crate::page::{Page, Screen, Tone};
use crate::plan::{Plan, Section};
use crate::systems;

/// Clusters that come or go and are named in a row; more of them are counted.
const NAMED: usize = 5;

/// The consumers of a plan, grouped by kind; with a trace the clusters of each, too.
#[must_use]
pub fn deliveries(plan: &Plan<'_, '_>, deliveries: &Deliveries<'_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    let rows = systems::of(System::Ocm).rows(plan);
    let marks = rows.filter(|row| row.section == Section::Deliveries);
    let rows = deliveries.rows.iter().zip(marks.map(|row| row.mark));
    let rows: Vec<Marked<'_, '_>> = rows.collect();
    let kinds = rows.chunk_by(|(one, _), (next, _)| one.id.kind == next.id.kind);
    let blocks: Vec<Block> = kinds.map(|rows| block(rows, deliveries, screen)).collect();
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
    let blocks = blocks_of(blocks, together, screen);
    page.append(blocks);
    let tables = if screen.trace {
        clusters::tables(deliveries, &plan.site.delivery, screen)
    } else {
        Page::new()
    };
    if !tables.is_empty() {
        page.gap();
        page.append(tables);
    }
    page
}

const TITLE: &str = "What reaches which cluster";

/// A consumer, and what happens to it.
type Marked<'r, 'a> = (&'r Row<'a>, Mark);

/// The table of one kind.
fn block(rows: &[Marked<'_, '_>], deliveries: &Deliveries<'_>, screen: &Screen) -> Block {
    let kind = rows[0].0.id.kind;
    let mut reached = FixedBitSet::new();
    let mut reaching = 0;
    for (row, _) in rows {
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
    let shown = |(_, mark): &&Marked<'_, '_>| screen.trace || *mark != Mark::Same;
    let lines: Vec<Line> = rows
        .iter()
        .filter(shown)
        .map(|(row, mark)| line(row, *mark, deliveries))
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

fn line(row: &Row<'_>, mark: Mark, deliveries: &Deliveries<'_>) -> Line {
    let number = |set: Option<&FixedBitSet>| match set.map_or(0, |set| set.count_ones(..)) {
        0 => "-".to_owned(),
        many => many.to_string(),
    };
    let kind = row.because();
    let mut because = kind.clone();
    if row.error.is_none() {
        let moves = moves(row, deliveries);
        if !moves.is_empty() {
            because.push_str(&format!(": {moves}"));
        }
        if let Some(more) = row.describe().more() {
            because.push_str(&format!("; {more}"));
        }
    }
    Line {
        mark,
        subject: row.id.full_name().to_string(),
        within: Words::default(),
        was: number(row.was.as_deref()).into(),
        now: number(Some(&row.clusters)).into(),
        figures: Arc::default(),
        because: because.into(),
        kind: kind.into(),
    }
}

/// The clusters that come and go: `+ oslo, - bern`.
fn moves(row: &Row<'_>, deliveries: &Deliveries<'_>) -> String {
    // Where nothing is known of before, all of them are new.
    if row.was.is_none() && !row.describe().is_held() {
        return String::new();
    }
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
