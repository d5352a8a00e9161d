//! What a reviewer has to know of a move besides where it goes: volumes left behind, and why
//! there is no answer.

use std::collections::BTreeMap;

use crate::document::System;
use crate::hybrid;
use crate::ocm::engine::place::SATISFIED;
use crate::ogc::describe;
use crate::plan::Plan;
use crate::senlin::engine::CheckStatus;

use super::Diff;

impl Diff {
    /// Adds what the later plan says of the moves.
    pub fn tell(&mut self, plan: &Plan<'_, '_>) {
        let mut wanted: BTreeMap<(System, String), usize> = BTreeMap::new();
        for (moved, at) in self.moves.iter().zip(0..) {
            wanted.insert((moved.subject.system, moved.subject.name.clone()), at);
        }
        if let Some(outcome) = &plan.applications {
            let model = &plan.site.ogc;
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
                let run = outcome.run_of(item);
                moved.error = run.and_then(|run| describe::failure(model, item, run));
            }
        }
        for placed in plan
            .placements
            .iter()
            .flat_map(|outcome| &outcome.placements.placed)
        {
            let placement = &plan.site.ocm.placements[placed.placement];
            let name = format!("{}/{}", placement.namespace, placement.name);
            let Some(at) = wanted.get(&(System::Ocm, name)) else {
                continue;
            };
            let failed = placed
                .conditions
                .iter()
                .find(|one| one.kind == SATISFIED && !one.status);
            self.moves[*at].error = placed
                .fault
                .clone()
                .or_else(|| failed.map(|condition| condition.message.clone()));
        }
        if let Some(outcome) = &plan.rules {
            let rules = &plan.site.hybrid.rules;
            for (rule, ended) in rules.iter().zip(&outcome.rules) {
                if let Some(at) = wanted.get(&(System::Hybrid, hybrid::subject(rule))) {
                    self.moves[*at].error = hybrid::failure(rule, ended);
                }
            }
        }
        for planned in &plan.regions.planned {
            let CheckStatus::Error(reason) = &planned.outcome.answer else {
                continue;
            };
            for region in &planned.check.policy.regions {
                let name = format!("{}/{}", planned.set.path, region.name);
                if let Some(at) = wanted.get(&(System::Senlin, name)) {
                    self.moves[*at].error = Some(reason.clone());
                }
            }
        }
    }
}
