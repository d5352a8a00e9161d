//! What a reviewer has to know of a move besides where it goes: volumes left behind, and why
//! there is no answer.

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
        if let Some(outcome) = &plan.applications {
            for item in &outcome.items {
                let name = format!("{}/{}", item.package, item.application);
                let Some(at) = wanted.get(&(System::Ogc, name)) else {
                    continue;
                };
                let moved = &mut self.moves[*at];
                let volumes = item.out_of_bounds.iter();
                moved.volumes_left = volumes
                    .map(|volume| format!("{} {} on {}", volume.kind, volume.name, volume.cluster))
                    .collect();
            }
        }
        for row in &systems::ROWS {
            for (name, error) in (row.errors)(plan) {
                if let Some(at) = wanted.get(&(row.system, name)) {
                    self.moves[*at].error = error;
                }
            }
        }
    }
}
