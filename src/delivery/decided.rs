//! The PlacementDecisions that consumers read: the current ones in the documents, and the planned
//! ones.

use std::borrow::Cow;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::application_set::argo::hub::{Decision, Object, Objects, RULE_LABEL, Status};
use super::id::Id;
use super::model::Model;
use super::names::{Clusters, Names};
use super::placement_rule::follow as rule;
use super::row::Via;
use crate::ocm;
use crate::ocm::engine::groups::PAGE;
use crate::ocm::model::{GROUP_INDEX_LABEL, GROUP_NAME_LABEL, Model as Hub, PLACEMENT_LABEL};

/// The decisions at two times.
#[derive(Debug, Default)]
pub struct Decided<'a> {
    /// As the documents hold them.
    pub held: Objects<'a>,
    /// As they will be.
    pub planned: Objects<'a>,
    /// The Placements that the hub schedules, by namespace and name.
    pub scheduled: FxHashSet<(&'a str, &'a str)>,
}

/// The objects that the documents hold, and those of PlacementRules of which they hold only the
/// status.
pub(super) fn held<'a>(hub: &Hub<'a>, model: &Model<'a>, names: &mut Names<'a>) -> Vec<Object<'a>> {
    let mut objects = Vec::with_capacity(hub.decisions.len());
    for decision in &hub.decisions {
        let Some(own) = model.decisions.get(&decision.place) else {
            continue;
        };
        let labels = own.labels.iter();
        let status = match &own.decisions {
            None => Status::None,
            Some(decisions) => {
                let mut one = |decision: &super::decision::Decision<'a>| Decision {
                    cluster: decision.cluster.map(|name| (names.number(name), name)),
                    reason: decision.reason,
                    more: decision.more.clone(),
                };
                Status::Held(decisions.iter().map(&mut one).collect())
            }
        };
        objects.push(Object {
            namespace: decision.namespace,
            name: Cow::Borrowed(decision.name),
            labels: labels
                .map(|(key, value)| (*key, Cow::Borrowed(*value)))
                .collect(),
            status,
        });
    }
    let written = of_rules(&objects);
    for rule in &model.rules {
        if let Some(held) = &rule.held
            && !written.contains(&(rule.id.namespace, rule.id.name))
        {
            objects.extend(pages(rule.id, held, names));
        }
    }
    objects
}

/// The PlacementRules that objects were made for, by namespace and name.
fn of_rules<'a>(objects: &[Object<'a>]) -> FxHashSet<(&'a str, &'a str)> {
    let of = |object: &Object<'a>| Some((object.namespace, text_of(object, RULE_LABEL)?));
    objects.iter().filter_map(of).collect()
}

/// The objects that the subscription operator writes for a PlacementRule: none where it decides
/// for no cluster.
fn pages<'a>(id: Id<'a>, clusters: &[&'a str], names: &mut Names<'a>) -> Vec<Object<'a>> {
    let mut pages = Vec::new();
    for (clusters, number) in clusters.chunks(PAGE).zip(1..) {
        let clusters = clusters.iter().map(|name| names.number(name));
        pages.push(Object {
            namespace: id.namespace,
            name: Cow::Owned(format!("{}-decision-{number}", id.name)),
            labels: vec![(RULE_LABEL, Cow::Borrowed(id.name))],
            status: Status::Planned(clusters.collect()),
        });
    }
    pages
}

/// The objects that there will be, and the Placements that they are planned for.
pub(super) fn planned<'a>(
    (hub, model): (&Hub<'a>, &Model<'a>),
    outcome: Option<&ocm::Outcome<'a>>,
    held: &[Object<'a>],
    rules: &[rule::Decided<'a>],
    names: &mut Names<'a>,
) -> (Vec<Object<'a>>, FxHashSet<(&'a str, &'a str)>) {
    let placed = outcome
        .into_iter()
        .flat_map(|outcome| &outcome.placements.placed);
    let placed = placed.filter(|placed| placed.skipped.is_none() && !placed.keeps());
    let mut objects = Vec::new();
    let mut scheduled = FxHashSet::default();
    let mut taken: FxHashSet<(&str, String)> = FxHashSet::default();
    for placed in placed {
        let placement = &hub.placements[placed.placement];
        let namespace = placement.namespace;
        scheduled.insert((namespace, placement.name));
        for page in &placed.pages {
            taken.insert((namespace, page.name.clone()));
            objects.push(Object {
                namespace,
                name: Cow::Owned(page.name.clone()),
                labels: vec![
                    (PLACEMENT_LABEL, Cow::Borrowed(placement.name)),
                    (GROUP_INDEX_LABEL, Cow::Owned(page.group.to_string())),
                    (
                        GROUP_NAME_LABEL,
                        Cow::Borrowed(placed.groups[page.group].name),
                    ),
                ],
                status: Status::Planned(page.clusters.clone()),
            });
        }
        let deleted = placed.deleted.iter();
        taken.extend(deleted.map(|name| (namespace, name.clone())));
    }
    let mut ruled: FxHashSet<(&str, &str)> = FxHashSet::default();
    let written = of_rules(held);
    for decided in rules.iter().filter(|one| !one.stays()) {
        let key = (decided.id.namespace, decided.id.name);
        // The operator copies the status of a rule into its objects. Objects of a rule without a
        // status that do not say that they are the operator's are somebody else's.
        let foreign = decided.was.is_none() && !model.ruled.contains(&key);
        if foreign && written.contains(&key) {
            continue;
        }
        ruled.insert(key);
        for page in pages(decided.id, &decided.clusters, names) {
            if taken.insert((page.namespace, page.name.to_string())) {
                objects.push(page);
            }
        }
    }
    let stays = |object: &&Object<'a>| {
        let of_rule = text_of(object, RULE_LABEL).map(|rule| (object.namespace, rule));
        if of_rule.is_some_and(|rule| ruled.contains(&rule)) {
            return false;
        }
        let placement = object.label(PLACEMENT_LABEL);
        let planned = placement.is_some_and(|name| scheduled.contains(&(object.namespace, name)));
        !planned && !taken.contains(&(object.namespace, object.name.to_string()))
    };
    objects.extend(held.iter().filter(stays).cloned());
    (objects, scheduled)
}

/// A label of an object that stands in a document.
fn text_of<'a>(object: &Object<'a>, key: &str) -> Option<&'a str> {
    let found = object.labels.iter().find(|(name, _)| *name == key);
    match found {
        Some((_, Cow::Borrowed(value))) => Some(*value),
        _ => None,
    }
}

/// The placement or rule that an object was made for: its kind and name.
pub fn made_for<'a>(object: &Object<'a>) -> Option<(&'static str, &'a str)> {
    let placement = text_of(object, PLACEMENT_LABEL).map(|name| ("Placement", name));
    placement.or_else(|| text_of(object, RULE_LABEL).map(|name| ("PlacementRule", name)))
}

/// The ways to clusters by these objects, one for each thing that they were made for.
pub(super) fn ways<'a>(
    objects: &Objects<'a>,
    numbers: impl Iterator<Item = usize>,
) -> Vec<Via<'a>> {
    let mut found: FxHashMap<(&'static str, &'a str, &'a str), FixedBitSet> = FxHashMap::default();
    for at in numbers {
        let object = objects.get(at);
        let (kind, name) = match made_for(object) {
            Some(made_for) => made_for,
            None => ("PlacementDecision", own_name(object)),
        };
        let clusters = found.entry((kind, object.namespace, name)).or_default();
        add(clusters, object.clusters());
    }
    let mut ways: Vec<Via<'a>> = found
        .into_iter()
        .map(|(placement, clusters)| Via {
            binding: None,
            set: None,
            placement,
            clusters: Arc::new(clusters),
            restricted: false,
        })
        .collect();
    ways.sort_by_key(|way| way.placement);
    ways
}

fn own_name<'a>(object: &Object<'a>) -> &'a str {
    match object.name {
        Cow::Borrowed(name) => name,
        Cow::Owned(_) => "",
    }
}

/// The clusters of objects.
pub(super) fn clusters(objects: &Objects<'_>, numbers: &[usize]) -> Clusters {
    let mut found = FixedBitSet::new();
    for at in numbers {
        add(&mut found, objects.get(*at).clusters());
    }
    Arc::new(found)
}

fn add(set: &mut FixedBitSet, clusters: impl Iterator<Item = u32>) {
    for cluster in clusters {
        set.grow_and_insert(cluster as usize);
    }
}
