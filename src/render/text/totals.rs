//! The one line of totals over everything that is planned.

use crate::document::System;
use crate::ogc::engine::Counts;
use crate::plan::Plan;
use crate::systems;

use super::layout::count;
use super::{delivery, hybrid, ocm};

/// What a plan comes to, over the sections that are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Totals {
    applications: Option<Counts>,
    /// Volumes that this plan leaves behind; an earlier one may have left others.
    volumes: usize,
    /// Decisions of placements and rules: added, removed and kept.
    decisions: Option<[usize; 3]>,
    /// Consumers of placements: those that reach other clusters, those that reach none any more,
    /// the rest.
    deliveries: Option<(usize, usize, usize)>,
    /// Regions: nodes to create, nodes to delete, and how many Regions stay as they are.
    regions: Option<(i128, i128, usize)>,
    groups: Option<(usize, usize)>,
    failed: Vec<(usize, &'static str)>,
}

impl Totals {
    /// The totals of the sections that `wanted` names.
    pub(super) fn of(plan: &Plan<'_, '_>, wanted: impl Fn(&str) -> bool) -> Self {
        let mut totals = Self::default();
        for system in systems::all() {
            match system.system() {
                System::Airship if wanted("deploymentStrategy") => totals.groups(plan),
                System::Senlin if wanted("regionPlacements") => totals.regions(plan),
                System::Ocm => {
                    if wanted("placements") {
                        totals.placements(plan);
                    }
                    if wanted("rollouts") {
                        totals.rollouts(plan);
                    }
                    if wanted("deliveries") {
                        totals.deliveries(plan);
                    }
                }
                System::Hybrid if wanted("placementRules") => totals.rules(plan),
                System::Ogc if wanted("applications") => totals.applications(plan),
                System::Airship | System::Senlin | System::Hybrid | System::Ogc => {}
            }
        }
        totals
    }

    fn groups(&mut self, plan: &Plan<'_, '_>) {
        if let Some(strategy) = &plan.strategy {
            let members = &strategy.deployment.members;
            let groups = members.iter().filter(|nodes| !nodes.is_empty()).count();
            let deployed = strategy.site.nodes.len() - strategy.deployment.unassigned.len();
            self.groups = Some((groups, deployed));
        }
    }

    fn rollouts(&mut self, plan: &Plan<'_, '_>) {
        let rollouts = plan.placements.iter().flat_map(|outcome| &outcome.rollouts);
        let failed = rollouts.filter(|one| one.answer.is_err());
        self.fail(failed.count(), "rollout");
    }

    fn deliveries(&mut self, plan: &Plan<'_, '_>) {
        let deliveries = plan.followed().filter(|all| !all.rows.is_empty());
        self.deliveries = deliveries.map(delivery::moved);
    }

    fn rules(&mut self, plan: &Plan<'_, '_>) {
        if let Some(outcome) = &plan.placement_rules {
            self.decide(outcome.ended.iter().map(hybrid::moved));
            let ended = outcome.ended.iter();
            let failed = ended.filter(|rule| hybrid::fails(rule.state));
            self.fail(failed.count(), "PlacementRule");
        }
    }

    fn applications(&mut self, plan: &Plan<'_, '_>) {
        if let Some(outcome) = &plan.applications {
            self.applications = Some(Counts::of(&outcome.items));
            let left = outcome.items.iter().flat_map(|item| &item.out_of_bounds);
            self.volumes = left.filter(|volume| volume.held).count();
        }
    }

    fn regions(&mut self, plan: &Plan<'_, '_>) {
        let planned = &plan.regions.planned;
        if planned.is_empty() {
            return;
        }
        let (mut created, mut deleted, mut unchanged) = (0, 0, 0);
        for planned in planned {
            let outcome = &planned.outcome;
            for at in 0..outcome.usable.len() {
                match outcome.change(at) {
                    0 => unchanged += 1,
                    more @ 1.. => created += more,
                    fewer => deleted -= fewer,
                }
            }
        }
        self.regions = Some((created, deleted, unchanged));
        let failed = planned.iter().filter(|planned| planned.fails());
        self.fail(failed.count(), "action");
    }

    fn placements(&mut self, plan: &Plan<'_, '_>) {
        let Some(outcome) = &plan.placements else {
            return;
        };
        let placed = &outcome.placements.placed;
        if placed.is_empty() {
            return;
        }
        self.decide(placed.iter().map(ocm::moved));
        let failed = placed.iter().filter(|placed| !placed.is_satisfied());
        self.fail(failed.count(), "Placement");
    }

    /// Adds decisions: a cluster counts once for each placement that selects it.
    fn decide(&mut self, moved: impl Iterator<Item = (usize, usize, usize)>) {
        let sums = self.decisions.get_or_insert_default();
        for (added, removed, kept) in moved {
            for (sum, more) in sums.iter_mut().zip([added, removed, kept]) {
                *sum += more;
            }
        }
    }

    fn fail(&mut self, number: usize, noun: &'static str) {
        if number > 0 {
            self.failed.push((number, noun));
        }
    }

    /// Whether nothing but Applications is planned, and all of them stay.
    pub(super) fn is_still(&self) -> bool {
        let only = Self {
            applications: self.applications,
            ..Self::default()
        };
        *self == only && self.applications.is_none_or(|counts| counts.is_unchanged())
    }

    fn unanswered(&self) -> impl Iterator<Item = String> {
        let failed = self.failed.iter();
        failed.map(|(number, noun)| format!("{} failed", count(*number, noun)))
    }

    /// What could not be placed.
    pub(super) fn failures(&self) -> Vec<String> {
        let mut parts = Vec::new();
        let failed = self.applications.map_or(0, |counts| counts.unplaceable);
        if failed > 0 {
            let applications = count(failed, "Application");
            parts.push(format!("{applications} without a Cluster"));
        }
        parts.extend(self.unanswered());
        parts
    }

    /// The line: a part for each kind of thing that is counted.
    pub(super) fn line(&self) -> String {
        let kinds = [
            self.applications.is_some(),
            self.decisions.is_some(),
            self.regions.is_some(),
            self.groups.is_some(),
        ];
        let is_alone = kinds.iter().filter(|there| **there).count() == 1;
        let mut parts = Vec::new();
        if let Some(counts) = &self.applications {
            parts.push(placed(counts, is_alone));
        }
        if let Some([added, removed, kept]) = self.decisions {
            // Of several kinds those without a change only make the line longer.
            parts.push(match (added, removed) {
                (0, 0) if !is_alone => format!("{} unchanged", count(kept, "decision")),
                _ => {
                    let added = count(added, "decision");
                    format!("{added} added, {removed} removed, {kept} unchanged")
                }
            });
        }
        if let Some((changed, emptied, rest)) = self.deliveries
            && (changed, emptied) != (0, 0)
        {
            let all = count(changed + emptied + rest, "delivery");
            parts.push(match emptied {
                0 => format!("{changed} of {all} changed"),
                some => format!("{changed} of {all} changed, {some} emptied"),
            });
        }
        if let Some((created, deleted, unchanged)) = self.regions {
            let nodes = [(created, "create"), (deleted, "delete")].into_iter();
            let nodes = nodes.filter(|(number, _)| *number > 0);
            let nodes = nodes.map(|(number, verb)| format!("{} to {verb}", count(number, "node")));
            let mut all: Vec<String> = nodes.collect();
            if unchanged > 0 || all.is_empty() {
                all.push(format!("{} unchanged", count(unchanged, "Region")));
            }
            parts.push(all.join(", "));
        }
        if let Some((groups, members)) = self.groups {
            let (groups, nodes) = (count(groups, "group"), count(members, "node"));
            parts.push(format!("{groups} with {nodes} to deploy"));
        }
        parts.extend(self.unanswered());
        let mut line = format!("{}.", parts.join("; "));
        if self.volumes > 0 {
            let volumes = count(self.volumes, "volume");
            line.push_str(&format!(" {volumes} left behind."));
        }
        line
    }
}

/// What becomes of the Applications; beside other things they are called by their name.
fn placed(counts: &Counts, is_alone: bool) -> String {
    if !is_alone && counts.is_unchanged() {
        return format!("{} unchanged", count(counts.unchanged, "Application"));
    }
    let place = match is_alone {
        true => counts.place.to_string(),
        false => count(counts.place, "Application"),
    };
    let mut text = format!(
        "{place} to place, {} to move, {} to withdraw, {} unchanged",
        counts.moved, counts.withdraw, counts.unchanged
    );
    if counts.unplaceable > 0 {
        text.push_str(&format!(", {} without a Cluster", counts.unplaceable));
    }
    text
}
