//! The clusters of one consumer, a row each.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use crate::delivery::describe::{Cells, NOTHING};
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::row::Row;
use crate::kit::plural::plural;
use crate::page::layout::{Grid, Mark, headline};
use crate::page::{Page, Screen};

/// Tables of ApplicationSets, add-ons and works, cluster by cluster.
pub(super) fn tables<'a>(deliveries: &Deliveries<'a>, model: &Model<'a>, screen: &Screen) -> Page {
    let mut page = Page::new();
    for row in &deliveries.rows {
        if let Some(cells) = row.describe().cells(row, deliveries, model) {
            page.gap();
            page.append(table(row, &cells, deliveries, screen));
        }
    }
    page
}

fn table(row: &Row<'_>, cells: &Cells, deliveries: &Deliveries<'_>, screen: &Screen) -> Page {
    let names = &deliveries.ground.names;
    let none = FixedBitSet::new();
    let was = row.was.as_deref().unwrap_or(&none);
    let (added, removed) = (count(&row.clusters, was), count(was, &row.clusters));
    let name = row.describe().title(row);
    let reached = plural(row.clusters.count_ones(..), "cluster");
    let mut summary = format!(": {reached}");
    for (number, what) in [(added, "added"), (removed, "removed")] {
        if number > 0 {
            summary.push_str(&format!(", {number} {what}"));
        }
    }
    let mut page = Page::new();
    headline(&mut page, &name, &summary, screen);
    let all = row.clusters.ones().chain(was.ones());
    let all = all.filter_map(|at| u32::try_from(at).ok());
    let all: BTreeSet<u32> = all.chain(cells.here.keys().copied()).collect();
    let mut all: Vec<(&str, u32)> = all.into_iter().map(|at| (names.name(at), at)).collect();
    all.sort_unstable();
    let line = |(name, at): (&str, u32)| {
        let had = was.contains(at as usize);
        let has = row.clusters.contains(at as usize);
        let mark = match (had, has) {
            (true, true) => Mark::Same.sign(),
            (false, true) => Mark::New.sign(),
            (true, false) => Mark::Gone.sign(),
            (false, false) => " ",
        };
        let gone = || [NOTHING.to_owned(), cells.gone.clone()];
        let [third, last] = cells.here.get(&at).cloned().unwrap_or_else(gone);
        let was = if had { name } else { NOTHING };
        vec![
            mark.to_owned(),
            name.to_owned(),
            was.to_owned(),
            third,
            last,
        ]
    };
    let [third, last] = cells.heads;
    let grid = Grid {
        heads: ["", "Cluster", "Was", third, last]
            .map(str::to_owned)
            .to_vec(),
        rows: all.into_iter().map(line).collect(),
        right: 4..4,
        ..Grid::default()
    };
    if !grid.rows.is_empty() {
        grid.write(&mut page, screen);
    }
    page
}

/// How many are in the first set alone.
fn count(one: &FixedBitSet, other: &FixedBitSet) -> usize {
    one.difference(other).count()
}
