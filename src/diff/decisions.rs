//! What a plan decides, subject by subject: the one place outside of the plan itself that knows
//! all systems.

use std::collections::BTreeMap;

use crate::document::System;
use crate::hybrid;
use crate::ogc::engine::Change;
use crate::plan::Plan;

/// Something that a plan decides about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Whose it is.
    pub system: System,
    /// `package/application`, `namespace/name` of a placement or rule, a group's name,
    /// `path/region` of a region.
    pub name: String,
}

impl Subject {
    /// The subject of this name.
    #[must_use]
    pub fn new(system: System, name: impl Into<String>) -> Self {
        Self {
            system,
            name: name.into(),
        }
    }

    /// The order in which a site comes up (design decision 10).
    fn rank(&self) -> u8 {
        match self.system {
            System::Airship => 0,
            System::Senlin => 1,
            System::Ocm => 2,
            System::Hybrid => 3,
            System::Ogc => 4,
        }
    }
}

impl Ord for Subject {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.rank(), &self.name).cmp(&(other.rank(), &other.name))
    }
}

impl PartialOrd for Subject {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// What is decided about a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// An application's cluster, if there is one for it.
    Cluster(Option<String>),
    /// The decisions of a placement or rule, as a set, sorted.
    Decisions(Vec<String>),
    /// A deployment group.
    Group {
        /// Its position in the order, from 1.
        position: usize,
        /// Its nodes, sorted.
        nodes: Vec<String>,
    },
    /// How many nodes a region has afterwards.
    Count(i128),
}

/// All decisions of a plan.
pub type Decisions = BTreeMap<Subject, Answer>;

/// The decisions of a plan.
#[must_use]
pub fn decisions(plan: &Plan<'_, '_>) -> Decisions {
    let mut all = Decisions::new();
    groups(plan, &mut all);
    regions(plan, &mut all);
    if let Some(outcome) = &plan.placements {
        let all_names = &outcome.placements.names;
        let planned = outcome.placements.placed.iter();
        for placed in planned.filter(|placed| placed.skipped.is_none()) {
            let placement = &plan.site.ocm.placements[placed.placement];
            let name = format!("{}/{}", placement.namespace, placement.name);
            let chosen = placed.pages.iter().flat_map(|page| &page.clusters);
            let answer = set(chosen.map(|id| all_names[*id as usize].to_owned()));
            all.insert(Subject::new(System::Ocm, name), answer);
        }
    }
    if let Some(outcome) = &plan.rules {
        let model = &plan.site.hybrid;
        for (rule, ended) in model.rules.iter().zip(&outcome.rules) {
            let ended = ended.decisions.iter();
            let name = |one: &hybrid::engine::Decision| hybrid::decision(model, rule, *one);
            let answer = set(ended.map(name));
            all.insert(Subject::new(System::Hybrid, hybrid::subject(rule)), answer);
        }
    }
    if let Some(outcome) = &plan.applications {
        let there = |item: &&crate::ogc::engine::Item<'_>| item.change != Change::Withdraw;
        for item in outcome.items.iter().filter(there) {
            let name = format!("{}/{}", item.package, item.application);
            let cluster = |at: u32| plan.site.ogc.clusters[at as usize].name.to_owned();
            let answer = Answer::Cluster(item.cluster.map(cluster));
            all.insert(Subject::new(System::Ogc, name), answer);
        }
    }
    all
}

fn set(names: impl Iterator<Item = String>) -> Answer {
    let mut names: Vec<String> = names.collect();
    names.sort();
    Answer::Decisions(names)
}

fn groups(plan: &Plan<'_, '_>, all: &mut Decisions) {
    let Some(strategy) = &plan.strategy else {
        return;
    };
    let (site, planned) = (strategy.site, &strategy.deployment);
    for (group, position) in planned.order.iter().zip(1..) {
        let members = planned.members[*group as usize].iter();
        let name = |node: &u32| site.nodes[*node as usize].name.text.to_owned();
        let mut nodes: Vec<String> = members.map(name).collect();
        nodes.sort();
        let subject = Subject::new(System::Airship, site.groups[*group as usize].name.text);
        all.insert(subject, Answer::Group { position, nodes });
    }
}

fn regions(plan: &Plan<'_, '_>, all: &mut Decisions) {
    for planned in &plan.regions.planned {
        let (check, outcome) = (planned.check, &planned.outcome);
        for (position, at) in outcome.usable.iter().zip(0..) {
            let region = &check.policy.regions[*position as usize];
            let nodes = check.cluster.nodes[*position as usize] + outcome.change(at);
            let name = format!("{}/{}", planned.set.path, region.name);
            all.insert(Subject::new(System::Senlin, name), Answer::Count(nodes));
        }
    }
}
