//! The rows of the screen: losses with the same impact share one.

use std::hash::Hash;

use indexmap::IndexMap;

use super::impact::{Impact, NAMES, counted, names};
use super::{NO_REMEDY, delivers, failed_already, remedy};
use crate::kit::plural::plural;
use crate::render::text::Screen;
use crate::risk::{Class, Loss, Risk};

/// The least number of losses with the same impact that share a row.
const ALIKE: usize = 3;

/// Rows beyond which a terminal is shown groups of them, and the worst.
const ROWS: usize = 50;

/// A row of a screen, with what can be done about the losses.
pub(super) struct Shown<'l> {
    impacts: Vec<(Impact<'l>, Option<String>)>,
    cells: Vec<String>,
}

impl Shown<'_> {
    pub(super) fn mark(&self) -> char {
        self.impacts[0].0.mark()
    }

    /// All cells. The first says what is lost.
    pub(super) fn row(&self, with_kind: bool) -> Vec<String> {
        let mut lost = self.impacts[0].0.lost(with_kind);
        if let more @ 1.. = self.impacts.len() - 1 {
            lost.push_str(&format!(" and {more} more"));
        }
        [lost]
            .into_iter()
            .chain(self.cells.iter().cloned())
            .collect()
    }

    /// The remedy: the same for all, or for how many there is one.
    pub(super) fn note(&self) -> Option<String> {
        let mut notes = self.impacts.iter().map(|(_, note)| note.as_ref());
        let first = self.impacts[0].1.clone();
        if notes.all(|note| note == first.as_ref()) {
            return first;
        }
        let notes = self.impacts.iter().filter_map(|(_, note)| note.as_ref());
        let helped = notes.filter(|note| !note.starts_with(NO_REMEDY)).count();
        let all = self.impacts.len();
        Some(format!(
            "a remedy for {helped} of {all}; --trace lists each"
        ))
    }
}

/// The rows of losses that have an impact. Losses that differ only in their name share a row. If a
/// terminal would still get too many rows, losses with equally large impacts share one, too, and
/// only the worst rows are shown. The second part of the result says so.
pub(super) fn shown<'l>(risk: &'l Risk, screen: &Screen) -> (Vec<Shown<'l>>, Option<String>) {
    let delivers = delivers(risk);
    let already = failed_already(risk).next().is_some();
    let most = if screen.trace { usize::MAX } else { NAMES };
    let all = risk.losses.iter().filter(|loss| loss.class != Class::None);
    let row = |loss: &'l Loss| {
        let impact = Impact::of(loss).after(already);
        let cells = impact.cells(delivers, |named| names(named, most));
        let impacts = vec![(impact, remedy(loss))];
        Shown { impacts, cells }
    };
    let rows: Vec<Shown<'_>> = all.map(row).collect();
    if screen.trace {
        return (rows, None);
    }
    let mut rows = put_together(rows, ALIKE, |row| {
        let (impact, note) = &row.impacts[0];
        let cells = row.cells.clone();
        (
            impact.loss.class,
            impact.loss.kind.clone(),
            cells,
            note.clone(),
        )
    });
    if screen.width.is_none() || rows.len() <= ROWS {
        return (rows, None);
    }
    for row in &mut rows {
        row.cells = row.impacts[0].0.cells(delivers, counted);
    }
    rows = put_together(rows, 2, |row| {
        let loss = row.impacts[0].0.loss;
        (loss.class, loss.kind.clone(), row.cells.clone())
    });
    let mut left = 0;
    for row in rows.split_off(rows.len().min(ROWS)) {
        left += row.impacts.len();
    }
    let left = match left {
        0 => String::new(),
        _ => format!("{} with no more impact. ", plural(left, "more loss")),
    };
    (
        rows,
        Some(format!(
            "{left}In groups; --trace lists each loss, -o json has them all."
        )),
    )
}

/// Merges rows that share a key into the first of them, if there are at least `enough`.
fn put_together<'l, K: Hash + Eq>(
    rows: Vec<Shown<'l>>,
    enough: usize,
    key: impl Fn(&Shown<'l>) -> K,
) -> Vec<Shown<'l>> {
    let mut groups: IndexMap<K, Vec<(usize, Shown<'l>)>> = IndexMap::new();
    for (at, row) in rows.into_iter().enumerate() {
        groups.entry(key(&row)).or_default().push((at, row));
    }
    let mut all = Vec::new();
    for mut group in groups.into_values() {
        if group.len() >= enough {
            let others = group.split_off(1);
            let others = others.into_iter().flat_map(|(_, row)| row.impacts);
            group[0].1.impacts.extend(others);
        }
        all.extend(group);
    }
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, row)| row).collect()
}
