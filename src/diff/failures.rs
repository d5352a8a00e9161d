//! The details of a move that a reviewer needs besides its target: volumes left behind, and why
//! something cannot be placed.

use std::collections::BTreeMap;

use crate::plan::Plan;
use crate::systems;

use super::{Diff, Subject};

impl Diff {
    /// Adds the details that the later plan has for the moves.
    pub fn add_failures(&mut self, plan: &Plan<'_, '_>) {
        let subjects = self.moves.iter().map(|moved| moved.subject.clone());
        let wanted: BTreeMap<Subject, usize> = subjects.zip(0..).collect();
        for row in systems::rows(plan).filter(|_| !wanted.is_empty()) {
            if let Some(at) = wanted.get(&Subject::of(&row)) {
                let left = row.facts.left();
                self.moves[*at].volumes_left = left.iter().map(ToString::to_string).collect();
                self.moves[*at].error = row.facts.failure();
            }
        }
    }
}
