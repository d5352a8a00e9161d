//! Which objects can be chosen: deployer types, targets and labels.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::rc::Rc;

use fixedbitset::FixedBitSet;

use super::super::model::{
    CLUSTER_API, CLUSTER_KIND, Inventory, KUBERNETES, Model, ObjectId, PlacementRule, Types,
};
use crate::kit::selector::{Requirement, Selector, Test};

/// Up to this part of the inventory objects are few.
const FEW: usize = 32;

/// Whether an object becomes a candidate of a rule, and where it fails.
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

/// Some of the objects of the inventory; few of them, or all but a few, take little room.
#[derive(Debug)]
pub(super) enum Objects {
    /// These, in ascending order.
    Few(Vec<ObjectId>),
    /// All but these, in ascending order.
    AllBut(Vec<ObjectId>),
    Many(FixedBitSet),
}

impl Objects {
    pub(super) fn contains(&self, id: ObjectId) -> bool {
        match self {
            Self::Few(ids) => ids.binary_search(&id).is_ok(),
            Self::AllBut(ids) => ids.binary_search(&id).is_err(),
            Self::Many(bits) => bits.contains(id as usize),
        }
    }
}

/// A base list, and where each object of the inventory is in it.
struct Base {
    ids: Vec<ObjectId>,
    ranks: Vec<Option<NonZeroU32>>,
}

impl Base {
    fn new(ids: Vec<ObjectId>, objects: usize) -> Self {
        let mut ranks = vec![None; objects];
        for (&id, rank) in ids.iter().zip(1..) {
            ranks[id as usize] = NonZeroU32::new(rank);
        }
        Self { ids, ranks }
    }

    fn contains(&self, id: ObjectId) -> bool {
        self.ranks[id as usize].is_some()
    }

    /// The objects that are in the list, in its order.
    fn pick(&self, ids: impl Iterator<Item = ObjectId>) -> Vec<ObjectId> {
        let mut picked: Vec<ObjectId> = ids.filter(|&id| self.contains(id)).collect();
        picked.sort_unstable_by_key(|&id| self.ranks[id as usize]);
        picked
    }
}

/// Answers that many rules ask for, each found once.
pub(super) struct CandidateFinder<'m, 'a> {
    model: &'m Model<'a>,
    bases: BTreeMap<Types<'a>, Rc<Base>>,
    selections: BTreeMap<Selector<'a>, Rc<Objects>>,
}

impl<'m, 'a> CandidateFinder<'m, 'a> {
    pub(super) fn new(model: &'m Model<'a>) -> Self {
        Self {
            model,
            bases: BTreeMap::new(),
            selections: BTreeMap::new(),
        }
    }

    /// The objects whose labels match.
    pub(super) fn select(&mut self, selector: &Selector<'a>) -> Rc<Objects> {
        if let Some(found) = self.selections.get(selector) {
            return Rc::clone(found);
        }
        let found = Rc::new(select(&self.model.inventory, selector));
        self.selections.insert(selector.clone(), Rc::clone(&found));
        found
    }

    /// The candidates of a rule before the first round, in order.
    pub(super) fn candidates(&mut self, rule: &PlacementRule<'a>) -> Vec<ObjectId> {
        if self.model.candidates_from_status {
            return rule.candidates.clone();
        }
        let inventory = &self.model.inventory;
        let base = self.base(&rule.types);
        let labelled = rule.labels.as_ref().map(|labels| self.select(labels));
        let matches = |id: ObjectId| {
            let labelled = labelled.as_ref();
            labelled.is_none_or(|labelled| labelled.contains(id))
        };
        if rule.targets.is_empty() {
            // A rule for a few objects looks at them alone.
            return match labelled.as_deref() {
                Some(Objects::Few(ids)) => base.pick(ids.iter().copied()),
                _ => base.ids.iter().copied().filter(|&id| matches(id)).collect(),
            };
        }
        let fitting = rule
            .targets
            .iter()
            .flat_map(|target| inventory.fitting(target));
        let mut named: Vec<ObjectId> = fitting.filter(|&id| matches(id)).collect();
        named.sort_unstable();
        named.dedup();
        let mut candidates = base.pick(named.into_iter());
        // Targets outside the base list join it.
        let mut added = BTreeSet::new();
        for target in &rule.targets {
            if target.kind.is_empty() || target.name.is_empty() {
                continue;
            }
            for id in inventory.fitting(target) {
                let new = !base.contains(id) && added.insert(id);
                if new && matches(id) && !inventory.object(id).is_hub() {
                    candidates.push(id);
                }
            }
        }
        candidates
    }

    /// Whether an object is among the candidates of a rule.
    pub(super) fn takes(&mut self, rule: &PlacementRule<'a>, id: ObjectId) -> bool {
        if self.model.candidates_from_status {
            return rule.candidates.contains(&id);
        }
        let inventory = &self.model.inventory;
        let matches = |labels: &Selector<'a>| labels.matches(|key| inventory.label(id, key));
        if !rule.labels.as_ref().is_none_or(matches) {
            return false;
        }
        let object = inventory.object(id);
        let mut targets = rule.targets.iter().filter(|target| target.fits(object));
        if self.base(&rule.types).contains(id) {
            rule.targets.is_empty() || targets.next().is_some()
        } else {
            targets.any(|target| {
                !target.kind.is_empty() && !target.name.is_empty() && !object.is_hub()
            })
        }
    }

    /// How each object of the inventory fares on its way to the candidates.
    pub(super) fn eligibility(&mut self, rule: &PlacementRule<'a>) -> Vec<Eligibility> {
        let inventory = &self.model.inventory;
        let mut all = vec![Eligibility::default(); inventory.objects().len()];
        if self.model.candidates_from_status {
            for &id in &rule.candidates {
                all[id as usize].of_type = true;
                all[id as usize].labelled = true;
            }
            return all;
        }
        for &id in &self.base(&rule.types).ids {
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
        for (id, one) in (0..).zip(&mut all) {
            one.labelled = labelled
                .as_ref()
                .is_none_or(|labelled| labelled.contains(id));
        }
        all
    }

    /// The candidates by type, before targets and labels narrow them.
    fn base(&mut self, types: &Types<'a>) -> Rc<Base> {
        if let Some(found) = self.bases.get(types) {
            return Rc::clone(found);
        }
        let inventory = &self.model.inventory;
        let ids = base(inventory, types);
        let found = Rc::new(Base::new(ids, inventory.objects().len()));
        self.bases.insert(types.clone(), Rc::clone(&found));
        found
    }
}

fn base(inventory: &Inventory<'_>, types: &Types<'_>) -> Vec<ObjectId> {
    match types {
        Types::Clusters => clusters(inventory).collect(),
        Types::Named(types) => merged(inventory, types),
        Types::All => {
            let deployers = inventory
                .objects()
                .iter()
                .filter_map(|o| o.deployer.as_deref());
            let mut types: Vec<&str> = deployers.map(|deployer| deployer.kind).collect();
            types.retain(|kind| *kind != KUBERNETES);
            types.sort_unstable();
            types.dedup();
            types.insert(0, KUBERNETES);
            merged(inventory, &types)
        }
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
fn merged(inventory: &Inventory<'_>, types: &[&str]) -> Vec<ObjectId> {
    let mut known = FixedBitSet::with_capacity(inventory.objects().len());
    let all = types.iter().flat_map(|kind| of_type(inventory, kind));
    all.filter(|&id| !known.put(id as usize)).collect()
}

fn of_type(inventory: &Inventory<'_>, kind: &str) -> Vec<ObjectId> {
    let deployers: Vec<_> = ids(inventory)
        .filter_map(|id| Some((id, inventory.object(id).deployer.as_deref()?)))
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
fn select(inventory: &Inventory<'_>, selector: &Selector<'_>) -> Objects {
    let (objects, labels) = (inventory.objects(), inventory.labels());
    let count = |requirement: &Requirement<'_>| match &requirement.test {
        Test::In(values) => {
            let counts = values
                .iter()
                .map(|value| labels.with_label(requirement.key, value));
            Some(counts.map(|ids| ids.len()).sum::<usize>())
        }
        _ => None,
    };
    let counts = selector.requirements.iter().map(count).enumerate();
    let rarest = counts.filter_map(|(at, count)| Some((count?, at))).min();
    if let Some((count, at)) = rarest
        && count <= objects.len() / FEW
        && let Test::In(values) = &selector.requirements[at].test
    {
        let key = selector.requirements[at].key;
        let ids = values
            .iter()
            .flat_map(|value| labels.with_label(key, value));
        let ids = ids.copied();
        let matches = |id: &ObjectId| selector.matches(|key| inventory.label(*id, key));
        let mut ids: Vec<ObjectId> = ids.filter(matches).collect();
        ids.sort_unstable();
        return Objects::Few(ids);
    }
    let mut matching = FixedBitSet::with_capacity(objects.len());
    matching.insert_range(..);
    for requirement in &selector.requirements {
        labels.apply(requirement, &mut matching);
    }
    Objects::Many(matching)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hybrid::model::{Object, Stock};

    #[test]
    fn few_and_many_objects_are_selected_alike() {
        let pools: Vec<String> = (0..100).map(|pool| format!("p{pool:02}")).collect();
        let mut stock = Stock::default();
        for at in 0..400 {
            let object = Object {
                name: &pools[at % 100],
                namespace: &pools[at / 100],
                ..Object::default()
            };
            let odd = (at % 3 == 0).then_some(("odd", ""));
            let labels = [("pool", &*pools[at % 100])].into_iter().chain(odd);
            stock.add(object, labels, []);
        }
        let inventory = stock.inventory();
        let pool = |test| Requirement { key: "pool", test };
        let tests = [
            vec![pool(Test::In(vec!["p01"]))],
            vec![
                pool(Test::In(vec!["p01", "p09", "p20"])),
                Requirement {
                    key: "odd",
                    test: Test::Exists,
                },
            ],
            vec![
                pool(Test::In(vec!["p01", "p02"])),
                pool(Test::NotIn(vec!["p02"])),
            ],
            vec![pool(Test::In(
                pools[..50].iter().map(String::as_str).collect(),
            ))],
            vec![
                pool(Test::NotIn(vec!["p03"])),
                Requirement {
                    key: "odd",
                    test: Test::DoesNotExist,
                },
            ],
            vec![pool(Test::In(vec!["none"]))],
            Vec::new(),
        ];
        let mut few = 0;
        for requirements in tests {
            let selector = Selector { requirements };
            let found = select(&inventory, &selector);
            few += usize::from(matches!(found, Objects::Few(_)));
            for (object, id) in inventory.objects().iter().zip(0..) {
                let wanted = selector.matches(|key| inventory.label(id, key));
                assert_eq!(found.contains(id), wanted, "{selector:?} {object:?}");
            }
        }
        assert_eq!(few, 4);
    }
}
