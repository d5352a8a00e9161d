//! Who can be chosen at all: deployer types, targets and labels (section 3).

use std::collections::BTreeMap;
use std::rc::Rc;

use fixedbitset::FixedBitSet;

use super::super::model::{
    CLUSTER_API, CLUSTER_KIND, Inventory, KUBERNETES, Model, ObjectId, PlacementRule, Types,
};
use crate::kit::selector::{Selector, Test};

/// How an object fares on its way to the candidates of a rule (section 3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Eligibility {
    /// It is in the base list of the deployer type.
    pub of_type: bool,
    /// A target that names it wholly adds it.
    pub added: bool,
    /// Index of the first target that fits it.
    pub target: Option<usize>,
    /// Its labels match.
    pub labelled: bool,
}

/// Answers that many rules ask for, each found once.
pub(super) struct Finder<'m, 'a> {
    model: &'m Model<'a>,
    bases: BTreeMap<&'m Types<'a>, Rc<[ObjectId]>>,
    selections: BTreeMap<&'m Selector<'a>, Rc<FixedBitSet>>,
}

impl<'m, 'a> Finder<'m, 'a> {
    pub(super) fn new(model: &'m Model<'a>) -> Self {
        Self {
            model,
            bases: BTreeMap::new(),
            selections: BTreeMap::new(),
        }
    }

    /// The objects whose labels match.
    pub(super) fn select(&mut self, selector: &'m Selector<'a>) -> Rc<FixedBitSet> {
        let found = self.selections.entry(selector);
        Rc::clone(found.or_insert_with(|| Rc::new(select(&self.model.inventory, selector))))
    }

    /// The candidates of a rule before the first round, in order.
    pub(super) fn candidates(&mut self, rule: &'m PlacementRule<'a>) -> Vec<ObjectId> {
        if self.model.candidates_from_status {
            return rule.candidates.clone();
        }
        let inventory = &self.model.inventory;
        let base = self.base(&rule.types);
        let labelled = rule.labels.as_ref().map(|labels| self.select(labels));
        let matches = |id: ObjectId| {
            let labelled = labelled.as_ref();
            labelled.is_none_or(|bits| bits.contains(id as usize))
        };
        if rule.targets.is_empty() {
            return base.iter().copied().filter(|&id| matches(id)).collect();
        }
        let mut named = FixedBitSet::with_capacity(inventory.objects().len());
        for target in &rule.targets {
            named.extend(inventory.fitting(target).map(|id| id as usize));
        }
        let wanted = |&id: &ObjectId| named.contains(id as usize) && matches(id);
        let mut candidates: Vec<ObjectId> = base.iter().copied().filter(wanted).collect();
        // Section 3.3: targets outside the base list join it.
        let mut known = FixedBitSet::with_capacity(inventory.objects().len());
        known.extend(base.iter().map(|&id| id as usize));
        for target in &rule.targets {
            if target.kind.is_empty() || target.name.is_empty() {
                continue;
            }
            for id in inventory.fitting(target) {
                let new = !known.put(id as usize);
                if new && matches(id) && !inventory.object(id).is_hub() {
                    candidates.push(id);
                }
            }
        }
        candidates
    }

    /// How each object of the inventory fares on its way to the candidates.
    pub(super) fn eligibility(&mut self, rule: &'m PlacementRule<'a>) -> Vec<Eligibility> {
        let inventory = &self.model.inventory;
        let mut all = vec![Eligibility::default(); inventory.objects().len()];
        if self.model.candidates_from_status {
            for &id in &rule.candidates {
                all[id as usize].of_type = true;
                all[id as usize].labelled = true;
            }
            return all;
        }
        for &id in &*self.base(&rule.types) {
            all[id as usize].of_type = true;
        }
        for (index, target) in rule.targets.iter().enumerate() {
            for id in inventory.fitting(target) {
                let one = &mut all[id as usize];
                one.target.get_or_insert(index);
                let whole = !target.kind.is_empty() && !target.name.is_empty();
                one.added |= whole && !one.of_type && !inventory.object(id).is_hub();
            }
        }
        let labelled = rule.labels.as_ref().map(|labels| self.select(labels));
        for (id, one) in all.iter_mut().enumerate() {
            one.labelled = labelled.as_ref().is_none_or(|bits| bits.contains(id));
        }
        all
    }

    /// The base list of section 3.1.
    fn base(&mut self, types: &'m Types<'a>) -> Rc<[ObjectId]> {
        let inventory = &self.model.inventory;
        let found = self.bases.entry(types);
        Rc::clone(found.or_insert_with(|| match types {
            Types::Clusters => clusters(inventory).collect(),
            Types::Named(types) => merged(inventory, types),
            Types::All => {
                let deployers = inventory.objects().iter().filter_map(|o| o.deployer);
                let mut types: Vec<&str> = deployers.map(|deployer| deployer.kind).collect();
                types.retain(|kind| *kind != KUBERNETES);
                types.sort_unstable();
                types.dedup();
                types.insert(0, KUBERNETES);
                merged(inventory, &types)
            }
        }))
    }
}

fn ids(inventory: &Inventory<'_>) -> impl Iterator<Item = ObjectId> {
    (0..).take(inventory.objects().len())
}

fn clusters(inventory: &Inventory<'_>) -> impl Iterator<Item = ObjectId> {
    ids(inventory).filter(|&id| {
        let object = inventory.object(id);
        object.kind == CLUSTER_KIND && object.api_version == CLUSTER_API && !object.is_hub()
    })
}

/// The base lists of several types, in their order, without repetition.
fn merged(inventory: &Inventory<'_>, types: &[&str]) -> Rc<[ObjectId]> {
    let mut known = FixedBitSet::with_capacity(inventory.objects().len());
    let all = types.iter().flat_map(|kind| of_type(inventory, kind));
    all.filter(|&id| !known.put(id as usize)).collect()
}

fn of_type(inventory: &Inventory<'_>, kind: &str) -> Vec<ObjectId> {
    let deployers: Vec<_> = ids(inventory)
        .filter_map(|id| Some((id, inventory.object(id).deployer?)))
        .filter(|(_, deployer)| deployer.kind == kind)
        .collect();
    match deployers.first() {
        None if kind == KUBERNETES => clusters(inventory).collect(),
        None => Vec::new(),
        Some((_, first)) => match first.target {
            None => deployers.iter().map(|&(id, _)| id).collect(),
            Some(target) => ids(inventory)
                .filter(|&id| {
                    let object = inventory.object(id);
                    target.takes(object.api_version, object.kind) && !object.is_hub()
                })
                .collect(),
        },
    }
}

/// Kubernetes' matching, answered from the index of labels.
fn select(inventory: &Inventory<'_>, selector: &Selector<'_>) -> FixedBitSet {
    let mut matching = FixedBitSet::with_capacity(inventory.objects().len());
    matching.insert_range(..);
    for requirement in &selector.requirements {
        let mut bits = FixedBitSet::with_capacity(matching.len());
        let key = requirement.key;
        let negated = match &requirement.test {
            Test::In(values) | Test::NotIn(values) => {
                for value in values {
                    bits.extend(inventory.with_label(key, value).map(|id| id as usize));
                }
                matches!(requirement.test, Test::NotIn(_))
            }
            Test::Exists | Test::DoesNotExist => {
                bits.extend(inventory.with_key(key).map(|id| id as usize));
                matches!(requirement.test, Test::DoesNotExist)
            }
        };
        if negated {
            matching.difference_with(&bits);
        } else {
            matching.intersect_with(&bits);
        }
    }
    matching
}
