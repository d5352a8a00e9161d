//! The decisions, as consumers ask for them. Clusters are numbers; a set of them is bits, made once
//! for each placement and shared.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::model::Model;
use super::names::{Clusters, Names};
use super::placement_rule::follow::{Decided, decide};
use super::policy::read::Selects;
use crate::ocm;
use crate::ocm::model::Model as Hub;

/// The clusters that one placement or rule selects: planned, and as the documents hold them.
#[derive(Debug, Clone, Default)]
pub struct Chosen {
    /// The planned clusters.
    pub planned: Clusters,
    /// The clusters in the documents; `None` where they hold no decision of it.
    pub held: Option<Clusters>,
    /// Whether it has clusters to choose from: a Placement of a namespace without sets, or with
    /// empty ones, belongs to a hub that is not among the documents.
    pub has_candidates: bool,
    /// Whether the hub leaves its decisions unchanged.
    pub keeps: bool,
}

/// The decisions, as consumers ask for them.
#[derive(Debug, Default)]
pub struct Ground<'a> {
    /// The clusters.
    pub names: Names<'a>,
    /// The clusters of the hub.
    pub hub: FixedBitSet,
    /// The selection of each placement, by kind, namespace and name. A placement that is not here
    /// does not exist.
    pub chosen: FxHashMap<(Selects, &'a str, &'a str), Chosen>,
    /// The decisions in the documents, by placement, also of placements that no document has.
    held: FxHashMap<(&'a str, &'a str), Clusters>,
    /// The decision of each PlacementRule, in the order of the documents.
    pub rules: Vec<Decided<'a>>,
}

impl<'a> Ground<'a> {
    /// The ground of a site, `decided` being its planned placements.
    #[must_use]
    pub fn new(model: &Model<'a>, hub: &Hub<'a>, decided: Option<&ocm::Outcome<'a>>) -> Self {
        let mut ground = Self::default();
        let placements = decided.map(|outcome| &outcome.placements);
        for name in placements.into_iter().flat_map(|all| &all.names) {
            ground.names.number(name);
        }
        let clusters = hub.clusters.iter().map(|cluster| cluster.name);
        ground.hub = ground.names.set(clusters);
        let mut held: FxHashMap<(&str, &str), FixedBitSet> = FxHashMap::default();
        for decision in &hub.decisions {
            let Some(placement) = decision.placement else {
                continue;
            };
            let set = ground.names.set(decision.clusters.iter().copied());
            let held = held.entry((decision.namespace, placement));
            held.or_default().union_with(&set);
        }
        let held: FxHashMap<(&str, &str), Clusters> = held
            .into_iter()
            .map(|(key, set)| (key, Arc::new(set)))
            .collect();
        for placed in placements.into_iter().flat_map(|all| &all.placed) {
            let placement = &hub.placements[placed.placement];
            let held = held.get(&(placement.namespace, placement.name)).cloned();
            let planned = if placed.skipped.is_some() || placed.keeps() {
                held.clone().unwrap_or_default()
            } else {
                let mut set = FixedBitSet::with_capacity(ground.names.len());
                set.extend(placed.decided().map(|id| id as usize));
                Arc::new(set)
            };
            let key = (Selects::Placement, placement.namespace, placement.name);
            let has_candidates = !placed.available.is_clear();
            let chosen = Chosen {
                planned,
                held,
                has_candidates,
                keeps: placed.keeps(),
            };
            ground.chosen.insert(key, chosen);
        }
        ground.held = held;
        for name in model.clusters() {
            ground.names.number(name);
        }
        for rule in &model.rules {
            let decided = decide(rule, hub, &model.hub);
            let chosen = Chosen {
                planned: Arc::new(ground.names.set(decided.clusters.iter().copied())),
                held: rule
                    .held
                    .as_ref()
                    .map(|held| Arc::new(ground.names.set(held.iter().copied()))),
                has_candidates: true,
                keeps: decided.stays(),
            };
            let key = (Selects::Rule, rule.id.namespace, rule.id.name);
            ground.chosen.insert(key, chosen);
            ground.rules.push(decided);
        }
        ground
    }

    /// The selection of a placement or rule, if it exists.
    #[must_use]
    pub fn chosen<'b>(
        &'b self,
        what: Selects,
        namespace: &'b str,
        name: &'b str,
    ) -> Option<&'b Chosen> {
        self.chosen.get(&(what, namespace, name))
    }

    /// The clusters that the documents hold for a placement, if they hold a decision of it.
    #[must_use]
    pub fn held(&self, namespace: &'a str, name: &'a str) -> Option<&Clusters> {
        self.held.get(&(namespace, name))
    }

    /// Whether there is a ManagedCluster of that name.
    #[must_use]
    pub fn has_cluster(&self, name: &str) -> bool {
        let number = self.names.find(name);
        number.is_some_and(|number| self.hub.contains(number as usize))
    }
}
