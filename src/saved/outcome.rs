//! The decisions of a plan, taken from its JSON form: the part that a saved plan is compared by.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::diff::{Decisions, keep, of_rows};
use crate::document::System;
use crate::systems;
use crate::systems::outcome::Outcome;

use super::rows::{SavedRow, rows, with_ways};
use super::sections::Sections;

/// The decisions of a plan, subject by subject, from its rows.
#[must_use]
pub fn decisions(outcome: &Sections) -> Decisions {
    let rows: Vec<SavedRow> = rows(outcome).collect();
    of_rows(Box::new(rows.iter().map(SavedRow::row)))
}

/// The decisions of a plan that comes after another one: what fails keeps what it had before.
#[must_use]
pub fn decisions_after(before: &Sections, outcome: &Sections) -> Decisions {
    let all: Vec<SavedRow> = rows(outcome).collect();
    let mut decided = of_rows(Box::new(all.iter().map(SavedRow::row)));
    if all.iter().any(SavedRow::keeps) {
        let earlier = with_ways(before);
        let later = Box::new(all.iter().map(SavedRow::row));
        keep(
            &mut decided,
            || Box::new(earlier.iter().map(SavedRow::row)),
            later,
        );
    }
    decided
}

/// The decision about each thing, by its kind and name, with its system: two plans with the same
/// essence do the same.
#[must_use]
pub fn essence(outcome: &Sections) -> BTreeMap<(&'static str, String), (System, Value)> {
    let mut all = BTreeMap::new();
    for system in systems::all() {
        for (what, name, value) in system.essence(outcome) {
            all.insert((what, name), (system.profile().system, value));
        }
    }
    all
}

impl Outcome for Sections {
    fn section(&self, name: &str) -> Option<Value> {
        self.get(name)
    }

    fn items(&self, section: &str) -> Box<dyn Iterator<Item = Value> + '_> {
        Box::new(self.rows(section))
    }
}
