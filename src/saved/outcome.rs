//! What a plan decides, taken from its JSON form: the part that a saved plan is compared by.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::diff::{Decisions, Subject};
use crate::document::System;
use crate::plan::Assignment;
use crate::systems;
use crate::systems::outcome::{Outcome, names, text};

use super::sections::Sections;

/// The decisions of a plan, subject by subject, from its sections.
#[must_use]
pub fn decisions(outcome: &Sections) -> Decisions {
    let mut all = Decisions::new();
    for system in systems::all() {
        let subject = |name| Subject::new(system.system(), name);
        let decided = system.saved(outcome).into_iter();
        all.extend(decided.map(|(name, answer)| (subject(name), answer)));
    }
    for row in outcome.rows("deliveries") {
        let answer = Assignment::Decisions(names(&row, "clusters"));
        let (kind, namespace) = (text(&row, "kind"), text(&row, "namespace"));
        all.insert(
            Subject::delivery(kind, namespace, text(&row, "name")),
            answer,
        );
    }
    all
}

/// What is decided about each thing, by what it is and its name, and whose it is: two plans with
/// the same essence do the same.
#[must_use]
pub fn essence(outcome: &Sections) -> BTreeMap<(&'static str, String), (System, Value)> {
    let mut all = BTreeMap::new();
    for system in systems::all() {
        for (what, name, value) in system.essence(outcome) {
            all.insert((what, name), (system.system(), value));
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
