//! The one line of totals over everything that is planned.

use std::collections::{BTreeMap, BTreeSet};

use crate::ogc::engine::Counts;
use crate::plan::row::Moved;
use crate::plan::section::{Form, Info};
use crate::plan::{Answer, Mark, Plan, Row, Section};
use crate::systems;

use crate::page::layout::count;

/// The totals of a plan, over the sections that are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Totals {
    /// The subjects that go to one place each.
    placed: BTreeMap<Section, Counts>,
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
        if wanted(Section::Groups.key()) {
            totals.groups(plan);
        }
        if wanted(Section::Applications.key()) && plan.applications.is_some() {
            totals
                .placed
                .insert(Section::Applications, Counts::default());
        }
        // The regions of a file fail together.
        let mut failed: BTreeMap<Section, BTreeSet<String>> = BTreeMap::new();
        for row in systems::rows(plan).filter(|row| wanted(row.section.key())) {
            totals.add(&row, plan);
            if row.fails && row.section.info().failing.is_some() {
                failed.entry(row.section).or_default().insert(row.asked());
            }
        }
        for section in Section::ALL {
            if let Some(noun) = section.info().failing {
                totals.fail(failed.get(&section).map_or(0, BTreeSet::len), noun);
            }
            if section == Section::Placements && wanted("rollouts") {
                let rollouts = plan.placements.iter().flat_map(|outcome| &outcome.rollouts);
                let failed = rollouts.filter(|one| one.answer.is_err());
                totals.fail(failed.count(), "rollout");
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

    fn add(&mut self, row: &Row<'_>, plan: &Plan<'_, '_>) {
        match row.section.info().form {
            Form::Count => {
                let (created, deleted, unchanged) = self.regions.get_or_insert_default();
                if let (Some(Answer::Count(was)), Some(Answer::Count(now))) =
                    (row.facts.was(), row.facts.now())
                {
                    *created += (now - was).max(0);
                    *deleted += (was - now).max(0);
                    *unchanged += usize::from(now == was);
                }
            }
            Form::Places if row.section == Section::Deliveries => {
                if plan.followed().is_none() {
                    return;
                }
                let (changed, emptied, rest) = self.deliveries.get_or_insert_default();
                *match row.mark {
                    Mark::New | Mark::Changed => changed,
                    Mark::Gone => emptied,
                    Mark::Failed if !row.is_unchanged() => emptied,
                    Mark::Same | Mark::Failed => rest,
                } += 1;
            }
            // Deliveries already count the clusters of these rules.
            Form::Places if row.section == Section::LegacyRules => {}
            // A cluster counts once for each placement that selects it.
            Form::Places => {
                let Moved {
                    added,
                    removed,
                    kept,
                } = row.moved;
                let sums = self.decisions.get_or_insert_default().iter_mut();
                sums.zip([added, removed, kept])
                    .for_each(|(sum, more)| *sum += more);
            }
            Form::Place => {
                let counts = self.placed.entry(row.section).or_default();
                *match row.mark {
                    Mark::Same => &mut counts.unchanged,
                    Mark::New => &mut counts.place,
                    Mark::Changed => &mut counts.moved,
                    Mark::Gone => &mut counts.withdraw,
                    Mark::Failed => &mut counts.unplaceable,
                } += 1;
                let left = row.facts.left().into_iter();
                self.volumes += left.filter(|volume| volume.held).count();
            }
            // Groups are counted with their nodes.
            Form::Group => {}
        }
    }

    fn fail(&mut self, number: usize, noun: &'static str) {
        if number > 0 {
            self.failed.push((number, noun));
        }
    }

    /// Whether nothing is planned but subjects that go to one place each, and all of them stay.
    pub(super) fn is_still(&self) -> bool {
        let only = Self {
            placed: self.placed.clone(),
            ..Self::default()
        };
        *self == only && self.placed.values().all(Counts::is_unchanged)
    }

    fn unanswered(&self) -> impl Iterator<Item = String> {
        let failed = self.failed.iter();
        failed.map(|(number, noun)| format!("{} failed", count(*number, noun)))
    }

    /// The counts of subjects without a place.
    pub(super) fn failures(&self) -> Vec<String> {
        let mut parts = Vec::new();
        for (section, counts) in &self.placed {
            if counts.unplaceable > 0 {
                let subjects = count(counts.unplaceable, section.info().noun);
                parts.push(format!("{subjects} without a {}", section.info().place));
            }
        }
        parts.extend(self.unanswered());
        parts
    }

    /// The line: a part for each kind of thing that is counted; empty where nothing is.
    pub(super) fn line(&self) -> String {
        let kinds = [
            self.decisions.is_some(),
            self.regions.is_some(),
            self.groups.is_some(),
        ];
        let kinds = self.placed.len() + kinds.iter().filter(|there| **there).count();
        let is_alone = kinds == 1;
        let mut parts = Vec::new();
        for (section, counts) in &self.placed {
            parts.push(placed(section.info(), counts, is_alone));
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
        if parts.is_empty() {
            return String::new();
        }
        let mut line = format!("{}.", parts.join("; "));
        if self.volumes > 0 {
            let volumes = count(self.volumes, "volume");
            line.push_str(&format!(" {volumes} left behind."));
        }
        line
    }
}

/// The changes of what goes to one place each; beside other kinds the noun is said.
fn placed(info: &Info, counts: &Counts, is_alone: bool) -> String {
    if !is_alone && counts.is_unchanged() {
        return format!("{} unchanged", count(counts.unchanged, info.noun));
    }
    let place = if is_alone {
        counts.place.to_string()
    } else {
        count(counts.place, info.noun)
    };
    let mut text = format!(
        "{place} to place, {} to move, {} to withdraw, {} unchanged",
        counts.moved, counts.withdraw, counts.unchanged
    );
    if counts.unplaceable > 0 {
        let without = format!(", {} without a {}", counts.unplaceable, info.place);
        text.push_str(&without);
    }
    text
}
