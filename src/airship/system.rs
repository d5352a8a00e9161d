//! Airship as one of the systems.

use crate::diagnostic::{Rule, Sink};
use crate::document::{Document, System};
use crate::options::Options;
use crate::plan::{Assignment, Plan, again};
use crate::repair::{Obstacle, Trial};
use crate::site::Checked;
use crate::systems::asked::{Failure, PlacementSystem, Rival, WhyQuestion};
use crate::why::Why;
use crate::why::placed::Placed;

use super::engine::run::Faults;
use super::{node_declared, repair, rules, terms, why};

/// Airship.
#[derive(Debug)]
pub struct Airship;

impl PlacementSystem for Airship {
    fn system(&self) -> System {
        System::Airship
    }

    fn chapter(&self) -> &'static str {
        include_str!("placement.md")
    }

    fn rules(&self) -> &'static [&'static Rule] {
        rules::RULES
    }

    fn differences(&self) -> Option<&'static str> {
        None
    }

    fn heads(&self) -> (&'static str, &'static str) {
        ("Group", "Position")
    }

    fn decided(&self, plan: &Plan<'_, '_>) -> Vec<(String, Assignment)> {
        let Some(strategy) = &plan.strategy else {
            return Vec::new();
        };
        let (site, planned) = (strategy.site, &strategy.deployment);
        let run = again::run(strategy, &Faults::default());
        let group = |(group, position): (&u32, usize)| {
            let members = planned.members[*group as usize].iter();
            let name = |node: &u32| site.nodes[*node as usize].name.text.to_owned();
            let mut nodes: Vec<String> = members.map(name).collect();
            nodes.sort();
            let group = *group as usize;
            let terms = terms::of(&site.groups[group], run.succeeded[group]);
            let name = site.groups[group].name.text.to_owned();
            let decided = Assignment::Group {
                position,
                nodes,
                terms,
            };
            (name, decided)
        };
        planned.order.iter().zip(1..).map(group).collect()
    }

    /// A strategy deploys every group.
    fn unplaceable(&self, _: &Plan<'_, '_>, _: &mut Sink) {}

    fn failed(&self, _: &Plan<'_, '_>) -> Vec<String> {
        Vec::new()
    }

    fn errors(&self, _: &Plan<'_, '_>) -> Vec<(String, Failure)> {
        Vec::new()
    }

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

    /// The groups of a node are what a node is asked about.
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

    /// A node is asked about with a group as its candidate, too.
    fn is_part(&self, decided: &str, rival: Rival<'_>) -> bool {
        decided == rival.subject || decided == rival.candidate
    }

    /// A group has the nodes that it selects.
    fn ranks(&self) -> bool {
        false
    }

    fn renders(&self) -> bool {
        true
    }
}
