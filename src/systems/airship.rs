//! Airship as one of the systems.

#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod loss;
mod rows;
mod saved;
#[doc(hidden)]
pub mod text;

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde_json::Value;

use super::asked::{Essence, Lost, Moving, Numbered, PlacementSystem, Profile, Rival, WhyQuestion};
use super::outcome::Outcome;
use super::shown::{Shown, View};
use crate::data::Part;
use crate::diagnostic::Sink;
use crate::document::{Document, System};
use crate::loss::Loss;
use crate::options::Options;
use crate::plan::row::Rows;
use crate::plan::{Plan, Section, again};
use crate::repair::{Obstacle, Trial};
use crate::site::{Checked, Thing};
use crate::why::Why;
use crate::why::placed::Placed;

use crate::airship::{node_declared, repair, rules, why};

/// Airship.
#[derive(Debug)]
pub(super) struct Airship;

impl PlacementSystem for Airship {
    fn profile(&self) -> &'static Profile {
        const {
            &Profile {
                system: System::Airship,
                chapter: include_str!("../airship/placement.md"),
                rules: rules::RULES,
                differences: None,
                parts: &["deploymentStrategy"],
                last: &[],
                kinds: &[],
                heads: ("Group", "Position"),
                unplaced: ("group", ["fails", "fail"]),
                selects: false,
                ranks: false,
            }
        }
    }

    fn models<'m>(&self, site: &'m Checked<'_>) -> Vec<&'m dyn Debug> {
        vec![&*site.airship]
    }

    fn answer<'p>(&self, plan: &'p Plan<'_, '_>) -> &'p dyn Debug {
        &plan.strategy
    }

    fn rows<'p>(&self, plan: &'p Plan<'_, '_>) -> Rows<'p> {
        rows::rows(plan)
    }

    fn data<'p>(&self, plan: &'p Plan<'_, '_>) -> Vec<Part<'p>> {
        let strategy = plan.strategy.iter().map(json::DeploymentStrategy::new);
        strategy
            .map(|strategy| Part::whole(Section::Groups.key(), strategy))
            .collect()
    }

    fn text(&self, plan: &Plan<'_, '_>, view: View<'_>) -> Shown {
        let strategy = plan.strategy.as_ref();
        let strategy = strategy.filter(|_| view.has(Section::Groups.key()));
        Shown::section(strategy.map(|strategy| text::strategy(strategy, view.screen)))
    }

    fn essence(&self, outcome: &dyn Outcome) -> Vec<Essence> {
        saved::essence(outcome)
    }

    fn shows(&self, what: &str, name: &str, moved: &str) -> bool {
        what == saved::ORDER || name == moved
    }

    /// Groups are planned again each time.
    fn recorded<'p>(&self, _: &'p Plan<'_, '_>) -> (usize, Option<&'p str>) {
        (0, None)
    }

    fn records(&self, _: &Plan<'_, '_>, _: Numbered<'_>) -> Vec<Value> {
        Vec::new()
    }

    /// The nodes of groups and their racks.
    fn things(&self, plan: &Plan<'_, '_>, things: &mut BTreeSet<Thing>) {
        let Some(strategy) = &plan.strategy else {
            return;
        };
        for node in strategy.deployment.members.iter().flatten() {
            let node = &strategy.site.nodes[*node as usize];
            things.insert(Thing::Node(node.name.text.to_owned()));
            if let Some(rack) = &node.rack {
                things.insert(Thing::Rack(rack.text.to_owned()));
            }
        }
    }

    /// A strategy deploys every group.
    fn lose(&self, lost: &Lost<'_, '_, '_>, into: &mut Loss) {
        let nodes = loss::nodes(lost.before, lost.documents.iter().copied());
        loss::compare(lost.before, &nodes, into);
    }

    fn unplaceable(&self, _: &Plan<'_, '_>, _: &mut Sink) {}

    fn subjects(&self, plan: &Plan<'_, '_>) -> Vec<String> {
        let strategy = plan.strategy.iter();
        strategy
            .flat_map(|strategy| why::subjects(strategy.site))
            .collect()
    }

    fn why(&self, asked: &WhyQuestion<'_, '_, '_>) -> Option<Why> {
        let strategy = asked.plan.strategy.as_ref()?;
        why::why(strategy, asked.subject, asked.candidate)
    }

    /// Empty: a question about a node is one about its groups.
    fn places(&self, _: &Plan<'_, '_>) -> Vec<String> {
        Vec::new()
    }

    fn placed_on(&self, _: &Plan<'_, '_>, _: &str) -> Option<Placed> {
        None
    }

    fn trial(&self, site: &Checked<'_>, options: &Options, rival: Rival<'_>, _: &mut u64) -> Trial {
        let strategy = again::strategy(&site.airship, options.order);
        let found = strategy.and_then(|strategy| {
            repair::obstacles(&strategy, &site.documents, rival.subject, rival.candidate)
        });
        found.into()
    }

    fn withstand(&self, site: &Checked<'_>, options: &Options, documents: &[u32]) -> Vec<Obstacle> {
        let Some(strategy) = again::strategy(&site.airship, options.order) else {
            return Vec::new();
        };
        let all = &site.documents.all;
        let declared = documents.iter().map(|at| node_declared(&all[*at as usize]));
        let lost = declared.filter_map(|name| strategy.site.node(name?));
        repair::withstand(&strategy, &site.documents, &lost.collect())
    }

    fn needs(&self, _: &Checked<'_>, document: &Document<'_>, rival: Rival<'_>) -> bool {
        repair::needs(document, rival.subject, rival.candidate)
    }

    /// Only a node's own document decides which groups it is in.
    fn moved(&self, asked: &Moving<'_, '_, '_>) -> Option<Vec<String>> {
        let (before, after) = (&asked.today.site.airship, &asked.after.airship);
        if !before.is_as_written() || !after.is_as_written() {
            return None;
        }
        let before = asked.today.strategy.as_ref()?;
        let after = again::strategy(after, asked.options.order)?;
        let own = |group: &str| self.is_part(group, asked.rival);
        let moved = again::moved_groups(before, &after, own)?;
        let groups = &before.site.groups;
        let name = |group: u32| groups[group as usize].name.text.to_owned();
        Some(moved.into_iter().map(name).collect())
    }

    /// A node is asked about with a group as its candidate, too.
    fn is_part(&self, decided: &str, rival: Rival<'_>) -> bool {
        decided == rival.subject || decided == rival.candidate
    }

    fn renders(&self, site: &Checked<'_>) -> bool {
        !site.airship.is_as_written()
    }
}
