//! On which clusters a ManifestWorkReplicaSet has its works when its rollouts are at rest.
//!
//! Upstream: `manifestworkreplicaset_deploy_reconcile.go` of open-cluster-management.io/ocm.

use std::collections::BTreeSet;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::about::About;
use super::read::{Template, Work};
use crate::delivery::ground::Ground;
use crate::delivery::groups::Placements;
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::names::Clusters;
use crate::delivery::row::{Extra, Row, Via};
use crate::kit::name::label_value;
use crate::ocm::engine::rollout::{self, members, reached};
use crate::ocm::model::{Model as Hub, PlacementRef, ReplicaSet};

/// The row of every replica set.
pub(in crate::delivery) fn follow<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    placements: &Placements<'_, 'a>,
    ground: &Ground<'a>,
) -> Vec<Row<'a>> {
    let mut works: FxHashMap<&str, Vec<&Work<'a>>> = FxHashMap::default();
    for work in &model.works {
        if let Some(set) = work.replica_set {
            works.entry(set).or_default().push(work);
        }
    }
    let sets = hub.replica_sets.iter().enumerate();
    let row = |(at, set): (usize, &ReplicaSet<'a>)| {
        let name = format!("{}.{}", set.namespace, set.name);
        let works = works.get(name.as_str()).map_or(&[][..], Vec::as_slice);
        let one = Followed {
            set,
            template: model.templates.get(&set.place).copied(),
            works,
            placements,
            ground,
        };
        one.row(at, &name)
    };
    sets.map(row).collect()
}

struct Followed<'p, 'a> {
    set: &'p ReplicaSet<'a>,
    template: Option<Template<'a>>,
    works: &'p [&'p Work<'a>],
    placements: &'p Placements<'p, 'a>,
    ground: &'p Ground<'a>,
}

impl<'a> Followed<'_, 'a> {
    fn row(&self, at: usize, name: &str) -> Row<'a> {
        let set = self.set;
        let mut about = About {
            set: at,
            orphan: self.template.is_some_and(|template| template.orphan),
            bad_name: label_value(name).is_err(),
            ..About::default()
        };
        let terminating = self.template.is_some_and(|template| template.terminating);
        let mut errors = Vec::new();
        let mut was = self.was();
        if about.bad_name {
            errors.push(format!("{name:?} is not a label value"));
            was = Some(FixedBitSet::new());
        }
        // Works tell placements apart, not refs: what a ref makes is there for all of its name.
        let mut made: FxHashMap<&str, FixedBitSet> = FxHashMap::default();
        for (at, reference) in set.placements.iter().enumerate() {
            if about.bad_name || terminating {
                break;
            }
            match self.reach(at, reference, &mut about, &mut errors) {
                Some(clusters) => made
                    .entry(reference.name.text)
                    .or_default()
                    .union_with(&clusters),
                None => about.kept.push(at),
            }
        }
        about
            .kept
            .retain(|at| !made.contains_key(set.placements[*at].name.text));
        let mut all = FixedBitSet::new();
        let way = |reference: &PlacementRef<'a>| {
            let name = reference.name.text;
            let clusters = match made.get(name) {
                _ if about.bad_name || terminating => FixedBitSet::new(),
                Some(clusters) => clusters.clone(),
                None => self.as_it_is(name),
            };
            all.union_with(&clusters);
            Via {
                binding: None,
                set: None,
                placement: ("Placement", set.namespace, name),
                clusters: Arc::new(clusters),
                restricted: false,
            }
        };
        let via = set.placements.iter().map(way).collect();
        Row {
            id: Id {
                kind: "ManifestWorkReplicaSet",
                namespace: set.namespace,
                name: set.name,
                place: set.place,
            },
            via,
            clusters: Arc::new(all),
            was: was.map(Arc::new),
            error: (!errors.is_empty()).then(|| errors.join("; ")),
            extra: Extra::Works(Box::new(about)),
        }
    }

    /// The clusters that have it by what the documents hold.
    fn was(&self) -> Option<FixedBitSet> {
        if !self.works.is_empty() {
            return Some(self.on(|_| true));
        }
        let refs = self.set.placements.iter();
        let held = refs.filter_map(|one| self.ground.held(self.set.namespace, one.name.text));
        let held: Vec<&Clusters> = held.collect();
        let mut was = (!held.is_empty()).then(FixedBitSet::new)?;
        for held in held {
            was.union_with(held);
        }
        Some(was)
    }

    /// The clusters of some of its works.
    fn on(&self, counts: impl Fn(&Work<'a>) -> bool) -> FixedBitSet {
        let works = self.works.iter().filter(|work| counts(work));
        let mut set = FixedBitSet::new();
        for number in self
            .ground
            .names
            .numbers(works.map(|work| work.id.namespace))
        {
            set.grow_and_insert(number as usize);
        }
        set
    }

    /// The clusters of one ref as they are.
    fn as_it_is(&self, name: &'a str) -> FixedBitSet {
        if self.works.is_empty() {
            let held = self.ground.held(self.set.namespace, name);
            return held
                .map(|held| FixedBitSet::clone(held))
                .unwrap_or_default();
        }
        self.on(|work| work.placement == Some(name))
    }

    /// The clusters that one ref comes to; `None` where it stays as it is.
    fn reach(
        &self,
        at: usize,
        reference: &PlacementRef<'a>,
        about: &mut About<'a>,
        errors: &mut Vec<String>,
    ) -> Option<FixedBitSet> {
        let (namespace, name) = (self.set.namespace, reference.name.text);
        let who = format!("Placement {namespace}/{name}");
        // The first placement that does not exist stops all that come after it.
        if about.missing.is_some() {
            return None;
        }
        let groups = match self.placements.groups(namespace, name, self.ground) {
            None => {
                about.missing = Some(at);
                errors.push(format!("{who} does not exist"));
                return None;
            }
            Some(Err(why)) => {
                errors.push(format!("{who}: {why}"));
                return None;
            }
            Some(Ok(groups)) => groups,
        };
        let rolled = match reached(&groups, &reference.strategy) {
            Err(why) => {
                errors.push(format!("{who}: {why}"));
                return None;
            }
            Ok(rolled) => rolled,
        };
        let decided = members(&groups);
        let own = |work: &&&Work<'a>| work.placement == Some(name);
        let current = |work: &Work<'a>| self.template.is_some_and(|one| work.is_current(&one));
        let own: Vec<&Work<'a>> = self.works.iter().filter(own).copied().collect();
        let mut clusters: FxHashSet<&'a str> = rolled.clusters.iter().copied().collect();
        // While the groups that come first are not done, what is in no group is deleted.
        let mut deletes = true;
        if let Some(why) = rolled.stopped {
            errors.push(format!("{who}: {why}"));
            let done: BTreeSet<&str> = own
                .iter()
                .filter(|one| current(one))
                .map(|one| one.id.namespace)
                .collect();
            let first = rollout::first(&groups, &reference.strategy);
            deletes = first.iter().any(|cluster| !done.contains(cluster));
            clusters.extend(
                own.iter()
                    .map(|work| work.id.namespace)
                    .filter(|cluster| decided.contains(cluster)),
            );
        }
        for work in own {
            let cluster = work.id.namespace;
            if !decided.contains(cluster) && (!current(work) || !deletes) {
                clusters.insert(cluster);
                if !current(work) {
                    about.stays.push(work.id);
                }
            }
        }
        let mut set = FixedBitSet::new();
        for number in self.ground.names.numbers(clusters.into_iter()) {
            set.grow_and_insert(number as usize);
        }
        Some(set)
    }
}
