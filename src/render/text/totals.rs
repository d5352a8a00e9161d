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
    /// Clusters of placements and decisions of rules: added and removed, if there are any.
    clusters: Option<(usize, usize)>,
    decisions: Option<(usize, usize)>,
    /// Consumers of placements: those that reach other clusters, those that reach none any more,
    /// the rest.
    deliveries: Option<(usize, usize, usize)>,
    created: i128,
    deleted: i128,
    groups: Option<(usize, usize)>,
    unchanged: i128,
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
            self.decisions = Some(self.add(outcome.ended.iter().map(hybrid::moved)));
            let ended = outcome.ended.iter();
            let failed = ended.filter(|rule| hybrid::fails(rule.state));
            self.fail(failed.count(), "PlacementRule");
        }
    }

    fn applications(&mut self, plan: &Plan<'_, '_>) {
        if let Some(outcome) = &plan.applications {
            let counts = Counts::of(&outcome.items);
            self.unchanged += counts.unchanged as i128;
            self.applications = Some(counts);
        }
    }

    fn regions(&mut self, plan: &Plan<'_, '_>) {
        for planned in &plan.regions.planned {
            let outcome = &planned.outcome;
            for at in 0..outcome.usable.len() {
                match outcome.change(at) {
                    0 => self.unchanged += 1,
                    more @ 1.. => self.created += more,
                    fewer => self.deleted -= fewer,
                }
            }
        }
        let failed = plan
            .regions
            .planned
            .iter()
            .filter(|planned| planned.fails());
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
        self.clusters = Some(self.add(placed.iter().map(ocm::moved)));
        let failed = placed.iter().filter(|placed| !placed.is_satisfied());
        self.fail(failed.count(), "Placement");
    }

    /// Sums of (added, removed, kept); the kept ones go to the unchanged.
    fn add(&mut self, moved: impl Iterator<Item = (usize, usize, usize)>) -> (usize, usize) {
        let mut sums = (0, 0);
        for (added, removed, kept) in moved {
            sums.0 += added;
            sums.1 += removed;
            self.unchanged += kept as i128;
        }
        sums
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
            unchanged: self.unchanged,
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

    /// The line.
    pub(super) fn line(&self) -> String {
        let mut parts = Vec::new();
        if let Some(counts) = &self.applications {
            parts.push(format!("{} to place", counts.place));
            parts.push(format!("{} to move", counts.moved));
            parts.push(format!("{} to withdraw", counts.withdraw));
        }
        // Of several sections those without a change only make the line longer.
        let alone = [
            self.applications.is_some(),
            self.clusters.is_some(),
            self.decisions.is_some(),
        ];
        let alone = alone.iter().filter(|there| **there).count() == 1;
        for (moved, noun) in [(self.clusters, "cluster"), (self.decisions, "decision")] {
            if let Some((added, removed)) = moved.filter(|moved| alone || *moved != (0, 0)) {
                parts.push(format!("{} added, {removed} removed", count(added, noun)));
            }
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
        let nodes = |number: i128, verb| match number {
            1 => format!("1 node to {verb}"),
            many => format!("{many} nodes to {verb}"),
        };
        if self.created > 0 {
            parts.push(nodes(self.created, "create"));
        }
        if self.deleted > 0 {
            parts.push(nodes(self.deleted, "delete"));
        }
        if let Some((groups, members)) = self.groups {
            let groups = count(groups, "group");
            parts.push(format!(
                "{groups} with {} to deploy",
                count(members, "node")
            ));
        }
        let only_groups = self.groups.is_some() && parts.len() == 1;
        if !only_groups || self.unchanged > 0 {
            parts.push(format!("{} unchanged", self.unchanged));
        }
        let failed = self.applications.map_or(0, |counts| counts.unplaceable);
        if failed > 0 {
            parts.push(format!("{failed} without a Cluster"));
        }
        parts.extend(self.unanswered());
        let mut line = format!("{}.", parts.join(", "));
        let volumes = self.applications.map_or(0, |counts| counts.out_of_bounds);
        if volumes > 0 {
            line.push_str(&format!(" {} left behind.", count(volumes, "volume")));
        }
        line
    }
}
