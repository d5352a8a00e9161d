//! The rest of each delivery when clusters are lost: the clusters that its placements still
//! select. A delivery that depends on more than that is followed again.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::follow::{Deliveries, is_local};
use super::model::Model;
use super::names::Clusters;
use super::placement_rule::follow::Decided;
use super::placement_rule::read::Rule;
use super::policy::follow::Bound;
use super::policy::read::{Path, Selects};
use super::row::{Extra, Row};
use super::work::read::Work;
use crate::ocm::model::Model as Hub;

/// The clusters that Placements select without the lost ones, by namespace and name; only of those
/// whose selection changes.
pub type Changed<'a> = FxHashMap<(&'a str, &'a str), Clusters>;

/// Deliveries, for computing what remains of them.
pub struct Losses<'p, 'a> {
    model: &'p Model<'a>,
    deliveries: &'p Deliveries<'a>,
    bound: Bound<'p, 'a>,
    /// Clusters that more depends on than what placements select: the hub itself, those whose
    /// namespace holds policies, and those with works that are out of date.
    tied: FxHashSet<&'a str>,
}

/// The clusters of a way without the lost ones.
enum Left<'c> {
    /// The same clusters as before.
    Same,
    /// Something else.
    Other(&'c Clusters),
    /// It is a PlacementRule that has lost clusters.
    Rule,
}

impl<'p, 'a> Losses<'p, 'a> {
    /// Reads the bindings once for all losses.
    #[must_use]
    pub fn new(model: &'p Model<'a>, hub: &'p Hub<'a>, deliveries: &'p Deliveries<'a>) -> Self {
        let locals = hub.clusters.iter().filter(|one| is_local(one));
        let mut tied: FxHashSet<&str> = locals.map(|one| one.name).collect();
        tied.extend(model.policies.iter().map(|policy| policy.id.namespace));
        let sets = hub.replica_sets.iter().filter_map(|set| {
            let template = model.templates.get(&set.place)?;
            Some((format!("{}.{}", set.namespace, set.name), template))
        });
        let templates: FxHashMap<String, _> = sets.collect();
        let is_current = |work: &&Work<'a>| {
            let template = work.replica_set.and_then(|set| templates.get(set));
            template.is_some_and(|template| work.is_current(template))
        };
        let stale = model.works.iter().filter(|work| !is_current(work));
        tied.extend(stale.map(|work| work.id.namespace));
        Self {
            bound: Bound::new(model),
            model,
            deliveries,
            tied,
        }
    }

    /// The rows that reach other clusters without `lost`, by their places, and which they reach
    /// then; none where they have to be followed again.
    #[must_use]
    pub fn of(&self, lost: &[u32], changed: &Changed<'a>) -> Option<Vec<(usize, FixedBitSet)>> {
        let names = &self.deliveries.ground.names;
        let mut names = lost.iter().map(|at| names.name(*at));
        if !self.rules_stand(lost) || names.any(|name| self.tied.contains(name)) {
            return None;
        }
        let mut found = Vec::new();
        for (at, row) in self.deliveries.rows.iter().enumerate() {
            let left = match &row.extra {
                Extra::Policy(about) => {
                    let policy = &self.model.policies[about.policy];
                    let paths = self.bound.paths(policy);
                    self.policy(row, (policy.id.name, paths), lost, changed)
                }
                _ => self.other(row, lost, changed)?,
            };
            let other = left.filter(|left| !is_same(left, &row.clusters));
            found.extend(other.map(|left| (at, left)));
        }
        Some(found)
    }

    /// Whether no PlacementRule takes other clusters for those that are lost.
    fn rules_stand(&self, lost: &[u32]) -> bool {
        let ground = &self.deliveries.ground;
        let stands = |(rule, decided): (&Rule<'a>, &Decided<'a>)| {
            let mut clusters = decided.clusters.iter();
            let has = |name: &&str| ground.names.find(name).is_some_and(|at| lost.contains(&at));
            rule.replicas.is_none() || decided.stays() || !clusters.any(has)
        };
        self.model.rules.iter().zip(&ground.rules).all(stands)
    }

    /// The clusters that a placement or rule selects without the lost ones.
    fn left<'c>(
        &'c self,
        (kind, namespace, name): (&str, &'a str, &'a str),
        lost: &[u32],
        changed: &'c Changed<'a>,
    ) -> Left<'c> {
        match kind {
            "Placement" => match changed.get(&(namespace, name)) {
                None => Left::Same,
                Some(clusters) => Left::Other(clusters),
            },
            "PlacementRule" => {
                let chosen = self
                    .deliveries
                    .ground
                    .chosen(Selects::Rule, namespace, name);
                match chosen {
                    Some(chosen) if holds(&chosen.planned, lost) => Left::Rule,
                    _ => Left::Same,
                }
            }
            _ => Left::Same,
        }
    }

    /// The clusters of a policy, where its placements select something else.
    fn policy(
        &self,
        row: &Row<'a>,
        (name, paths): (&str, &[Path<'_, 'a>]),
        lost: &[u32],
        changed: &Changed<'a>,
    ) -> Option<FixedBitSet> {
        let open = || row.via.iter().zip(paths).filter(|(via, _)| !via.restricted);
        let touched =
            open().any(|(via, _)| !matches!(self.left(via.placement, lost, changed), Left::Same));
        if row.clusters.is_clear() && row.error.is_some() || !touched {
            return None;
        }
        if matches!(&row.extra, Extra::Policy(about) if about.disabled) {
            return None;
        }
        let ground = &self.deliveries.ground;
        let mut all = FixedBitSet::new();
        for (via, path) in open() {
            match self.left(via.placement, lost, changed) {
                Left::Same => all.union_with(&via.clusters),
                Left::Other(clusters) => {
                    all.union_with(&path.without_excluded(clusters, name, ground));
                }
                Left::Rule => {
                    let id = (via.placement.1, via.placement.2);
                    let mut own = ground.rules.iter();
                    let own = own.find(|rule| (rule.id.namespace, rule.id.name) == id);
                    if own.is_some_and(Decided::stays) {
                        all.union_with(&via.clusters);
                    } else {
                        all.union_with(&without(&via.clusters, lost));
                    }
                }
            }
        }
        Some(all)
    }

    /// The clusters of any other consumer, where its placements select something else; none within
    /// where they do not, none at all where more than its placements decides.
    fn other(
        &self,
        row: &Row<'a>,
        lost: &[u32],
        changed: &Changed<'a>,
    ) -> Option<Option<FixedBitSet>> {
        if row.via.is_empty() {
            return match row.extra {
                // An add-on that is installed by hand stays in the documents.
                Extra::AddOn(_) => Some(None),
                _ if holds(&row.clusters, lost) => Some(Some(without(&row.clusters, lost))),
                _ => Some(None),
            };
        }
        let mut union = FixedBitSet::new();
        let mut all = FixedBitSet::new();
        let (mut touched, mut grows) = (false, false);
        for via in &row.via {
            union.union_with(&via.clusters);
            match self.left(via.placement, lost, changed) {
                Left::Same => all.union_with(&via.clusters),
                Left::Other(clusters) => {
                    let (kind, namespace, name) =
                        (Selects::Placement, via.placement.1, via.placement.2);
                    let planned = self.deliveries.ground.chosen(kind, namespace, name)?;
                    if !is_same(&planned.planned, &via.clusters) {
                        return None;
                    }
                    touched = true;
                    grows |= !clusters.is_subset(&planned.planned);
                    all.union_with(clusters);
                }
                Left::Rule => return None,
            }
        }
        // Argo CD knows no cluster that is gone, and no add-on comes there, whatever decisions and
        // addresses name it.
        let kinds = ["ApplicationSet", "ClusterManagementAddOn", "GitOpsCluster"];
        let needs_cluster = kinds.contains(&row.id.kind);
        if needs_cluster && holds(&row.clusters, lost) && (!touched || holds(&all, lost)) {
            return None;
        }
        if !touched {
            return Some(None);
        }
        let plain = match &row.extra {
            Extra::ApplicationSet(about) => {
                about.failure.is_none() && about.left.is_empty() && !grows
            }
            _ => row.error.is_none(),
        };
        (plain && is_same(&union, &row.clusters)).then_some(Some(all))
    }
}

fn holds(set: &FixedBitSet, lost: &[u32]) -> bool {
    lost.iter().any(|at| set.contains(*at as usize))
}

fn without(set: &FixedBitSet, lost: &[u32]) -> FixedBitSet {
    let mut left = set.clone();
    for at in lost.iter().filter(|at| set.contains(**at as usize)) {
        left.remove(*at as usize);
    }
    left
}

/// Whether two sets hold the same, whatever their capacity.
fn is_same(one: &FixedBitSet, other: &FixedBitSet) -> bool {
    one.is_subset(other) && other.is_subset(one)
}

/// A set of clusters.
#[must_use]
pub fn clusters(ids: &[u32]) -> Clusters {
    let mut set = FixedBitSet::new();
    for id in ids {
        set.grow_and_insert(*id as usize);
    }
    Arc::new(set)
}
