//! The rows of the screen: losses with the same impact share one.

use std::hash::Hash;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::impact::{Impact, NAMES, counted, names};
use super::{REMEDY, Row, delivers, failed_already, has_kinds, remedy};
use crate::kit::plural::{first_names, plural};
use crate::render::text::Screen;
use crate::risk::{Class, Risk};

/// Lost things that share a row and are all named; of more the first is.
const LOST: usize = 2;

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

    /// All cells. The first says what is lost, with so many names.
    pub(super) fn row(&self, with_kind: bool, most: usize) -> Vec<String> {
        let names = self.impacts.iter().enumerate();
        let names = names.map(|(at, (impact, _))| impact.lost(with_kind && at == 0));
        [first_names(names, most)]
            .into_iter()
            .chain(self.cells.iter().cloned())
            .collect()
    }

    /// The lost things that a screen names.
    pub(super) fn named(&self) -> usize {
        match self.impacts.len() {
            ..=LOST => LOST,
            _ => 1,
        }
    }

    /// The remedy: the same for all, or for how many there is one.
    pub(super) fn note(&self) -> Option<String> {
        let mut notes = self.impacts.iter().map(|(_, note)| note.as_ref());
        let first = self.impacts[0].1.clone();
        if notes.all(|note| note == first.as_ref()) {
            return first;
        }
        let notes = self.impacts.iter().filter_map(|(_, note)| note.as_ref());
        let helped = notes.filter(|note| note.starts_with(REMEDY)).count();
        let all = self.impacts.len();
        Some(format!(
            "a remedy for {helped} of {all}; --trace lists each"
        ))
    }
}

/// The rows of losses that have an impact, the worst first. Equal losses share one, which names so
/// many of what is lost.
#[must_use]
pub fn rows(risk: &Risk, most: usize) -> Vec<Row> {
    let with_kind = has_kinds(risk);
    let row = |shown: Shown<'_>| Row {
        mark: shown.mark(),
        cells: shown.row(with_kind, most),
        remedy: shown.note(),
    };
    equal(risk, NAMES).into_iter().map(row).collect()
}

/// The rows of losses that have an impact; those that differ only in their name share one.
fn equal(risk: &Risk, most: usize) -> Vec<Shown<'_>> {
    put_together(each(risk, most), |row| {
        let (impact, note) = &row.impacts[0];
        let cells = row.cells.clone();
        (
            impact.loss.class,
            impact.loss.kind.clone(),
            cells,
            note.clone(),
        )
    })
}

/// A row for each loss that has an impact.
fn each(risk: &Risk, most: usize) -> Vec<Shown<'_>> {
    let delivers = delivers(risk);
    let already = failed_already(risk).next().is_some();
    let all = risk.losses.iter().filter(|loss| loss.class != Class::None);
    let row = |loss| {
        let impact = Impact::of(loss).after(already);
        let cells = impact.cells(delivers, |named| names(named, most));
        let impacts = vec![(impact, remedy(loss))];
        Shown { impacts, cells }
    };
    all.map(row).collect()
}

/// The rows of losses that have an impact. Losses that differ only in their name share a row. If a
/// terminal would still get too many rows, losses with equally large impacts share one, too, and
/// only the worst rows are shown. The second part of the result says so.
pub(super) fn shown<'l>(risk: &'l Risk, screen: &Screen) -> (Vec<Shown<'l>>, Option<String>) {
    if screen.trace {
        return (each(risk, usize::MAX), None);
    }
    let mut rows = equal(risk, NAMES);
    if screen.width.is_none() || rows.len() <= ROWS {
        return (rows, None);
    }
    for row in &mut rows {
        row.cells = row.impacts[0].0.cells(delivers(risk), counted);
    }
    rows = put_together(rows, |row| {
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

/// Merges rows that share a key into the first of them.
fn put_together<'l, K: Hash + Eq>(
    rows: Vec<Shown<'l>>,
    key: impl Fn(&Shown<'l>) -> K,
) -> Vec<Shown<'l>> {
    let mut groups: IndexMap<K, Shown<'l>> = IndexMap::new();
    for row in rows {
        match groups.entry(key(&row)) {
            Entry::Occupied(first) => first.into_mut().impacts.extend(row.impacts),
            Entry::Vacant(place) => {
                place.insert(row);
            }
        }
    }
    groups.into_values().collect()
}
