//! What a person may mean by the SUBJECT of `planner why`: a name without what is before it,
//! a file, what is deployed there, or what things are placed on.

use crate::document::System;
use crate::plan::Plan;
use crate::systems;

/// Something that a written name may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) system: System,
    /// Its full name.
    pub(super) name: String,
    pub(super) is: Is,
}

/// What kind of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Is {
    /// It is placed.
    Subject,
    /// Things are placed on it.
    Place,
    /// It is an Application that its Package no longer has.
    Withdrawn,
}

impl Meaning {
    /// As it can be written so that nothing else is meant.
    pub(super) fn written(&self) -> String {
        format!("{}:{}", self.system.name(), self.name)
    }
}

/// All that a name of no subject may mean in a system; `subjects` are its subjects.
pub(super) fn meanings(
    plan: &Plan<'_, '_>,
    system: System,
    subjects: Vec<String>,
    written: &str,
) -> Vec<Meaning> {
    let mut all: Vec<Meaning> = Vec::new();
    let mut add = |name: String, is: Is| {
        let meaning = Meaning { system, name, is };
        if !all.contains(&meaning) {
            all.push(meaning);
        }
    };
    for name in subjects {
        if name.rsplit('/').next() == Some(written) {
            add(name, Is::Subject);
        }
    }
    for name in systems::of(system).also_called(plan, written) {
        add(name, Is::Subject);
    }
    for name in systems::of(system).withdrawn(plan) {
        if name == written || name.rsplit('/').next() == Some(written) {
            add(name, Is::Withdrawn);
        }
    }
    for name in systems::of(system).places(plan) {
        if name == written {
            add(name, Is::Place);
        }
    }
    all
}
