//! What is at stake when a plan is proceeded with: what moves, what goes, what is lost.

use std::collections::BTreeSet;

use crate::ogc::engine::Change;

use super::Plan;

/// What a plan changes that is there already, by name, in the order of the plan.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stake {
    /// Applications that go to another Cluster.
    pub moved: Vec<String>,
    /// Applications that are in their Package no longer.
    pub withdrawn: Vec<String>,
    /// Clusters that a Placement selects no longer, with the Placement.
    pub deselected: Vec<String>,
    /// PlacementRules that take back decisions.
    pub taken_back: Vec<String>,
    /// Clusters that lose their last Application.
    pub emptied: Vec<String>,
    /// Consumers of placements that reach no cluster any more.
    pub unreached: Vec<String>,
    /// Regions that lose nodes, with their number.
    pub shrunk: Vec<String>,
    /// How many nodes these are.
    pub deleted: i128,
    /// Volumes that stay on a Cluster that their Application leaves.
    pub left_behind: Vec<String>,
}

impl Stake {
    /// What this plan puts at stake.
    #[must_use]
    pub fn of(plan: &Plan<'_, '_>) -> Self {
        let mut stake = Self::default();
        stake.applications(plan);
        stake.placements(plan);
        stake.rules(plan);
        stake.regions(plan);
        let rows = plan.deliveries.iter().flat_map(|all| &all.rows);
        for row in rows.filter(|row| row.is_emptied()) {
            let name = qualified(row.id.namespace, row.id.name);
            stake.unreached.push(format!("{} {name}", row.id.kind));
        }
        stake
    }

    /// Whether something is lost that planning again does not bring back.
    #[must_use]
    pub fn loses(&self) -> bool {
        self.deleted > 0
            || ![&self.withdrawn, &self.unreached, &self.left_behind]
                .iter()
                .all(|names| names.is_empty())
    }

    fn applications(&mut self, plan: &Plan<'_, '_>) {
        let Some(outcome) = &plan.applications else {
            return;
        };
        let clusters = &plan.site.ogc.clusters;
        let (mut left, mut used) = (BTreeSet::new(), BTreeSet::new());
        for item in &outcome.items {
            let name = || format!("{}/{}", item.package, item.application);
            match item.change {
                Change::Move => self.moved.push(name()),
                Change::Withdraw => self.withdrawn.push(name()),
                Change::Unchanged | Change::Place | Change::Unplaceable => {}
            }
            used.extend(item.cluster.map(|at| clusters[at as usize].name));
            left.extend(item.was.as_ref().map(|was| was.cluster));
            for volume in item.out_of_bounds.iter().filter(|volume| volume.held) {
                let (kind, volume, cluster) = (volume.kind, volume.name, volume.cluster);
                self.left_behind
                    .push(format!("{kind} {volume} of {} on {cluster}", name()));
            }
        }
        // Of some Packages alone nothing is known of the others' Clusters.
        if outcome.packages.len() >= plan.site.ogc.packages.len() {
            let there = clusters.iter().map(|cluster| cluster.name);
            let emptied = there.filter(|name| left.contains(name) && !used.contains(name));
            self.emptied = emptied.map(str::to_owned).collect();
        }
    }

    fn placements(&mut self, plan: &Plan<'_, '_>) {
        let Some(outcome) = &plan.placements else {
            return;
        };
        let (model, names) = (&plan.site.ocm, &outcome.placements.names);
        let placed = outcome.placements.placed.iter();
        for placed in placed.filter(|placed| placed.skipped.is_none()) {
            let pages = placed.pages.iter();
            let chosen: BTreeSet<u32> = pages.flat_map(|page| page.clusters.clone()).collect();
            let placement = &model.placements[placed.placement];
            for gone in placed.was.iter().filter(|was| !chosen.contains(was)) {
                let placement = qualified(placement.namespace, placement.name);
                let cluster = names[*gone as usize];
                self.deselected.push(format!("{cluster} ({placement})"));
            }
        }
    }

    fn rules(&mut self, plan: &Plan<'_, '_>) {
        let ended = plan.placement_rules.iter().flat_map(|all| &all.ended);
        for (rule, ended) in plan.site.hybrid.placement_rules.iter().zip(ended) {
            let mut before = ended.previous.iter();
            if before.any(|decision| !ended.decisions.contains(decision)) {
                self.taken_back.push(qualified(rule.namespace, rule.name));
            }
        }
    }

    fn regions(&mut self, plan: &Plan<'_, '_>) {
        for planned in &plan.regions.planned {
            let (check, outcome) = (planned.check, &planned.outcome);
            for (at, region) in outcome.usable.iter().enumerate() {
                let fewer = -outcome.change(at);
                if fewer > 0 {
                    let region = &check.policy.regions[*region as usize].name;
                    self.deleted += fewer;
                    self.shrunk.push(format!("{fewer} in {region}"));
                }
            }
        }
    }
}

fn qualified(namespace: &str, name: &str) -> String {
    match namespace {
        "" => name.to_owned(),
        namespace => format!("{namespace}/{name}"),
    }
}
