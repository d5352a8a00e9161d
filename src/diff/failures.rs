//! What a reviewer needs to know about a move besides its target: volumes left behind, and why
//! something cannot be placed.

use std::collections::BTreeMap;

use crate::document::System;
use crate::plan::Plan;
use crate::systems;

use super::Diff;

impl Diff {
    /// Adds what the later plan says of the moves.
    pub fn add_failures(&mut self, plan: &Plan<'_, '_>) {
        let mut wanted: BTreeMap<(System, String), usize> = BTreeMap::new();
        for (moved, at) in self.moves.iter().zip(0..) {
            wanted.insert((moved.subject.system, moved.subject.name.clone()), at);
        }
        for system in systems::all() {
            let at = |name: String| wanted.get(&(system.system(), name)).copied();
            for (name, volumes) in system.left_behind(plan) {
                if let Some(at) = at(name) {
                    self.moves[at].volumes_left = volumes;
                }
            }
            for (name, error) in system.errors(plan) {
                if let Some(at) = at(name) {
                    self.moves[at].error = error;
                }
            }
        }
    }
}
