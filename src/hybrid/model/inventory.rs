//! The inventory: its objects in order, and the lookups that rules need.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Object, ObjectId, Reference};
use crate::kit::labels::LabelIndex;
use crate::kit::lists::{Collector, List, Lists};
use crate::kit::name::first_bytes;

/// All objects that hybrid placement may look at, in canonical order.
#[derive(Debug, Default)]
pub struct Inventory<'a> {
    objects: Vec<Object<'a>>,
    /// Ids by name, then namespace: the order of the alphabet advisor.
    by_name: Vec<ObjectId>,
    labels: Lists<(&'a str, &'a str)>,
    amounts: Lists<(&'a str, Cow<'a, str>)>,
    index: LabelIndex<'a>,
}

/// The objects of an inventory as they come.
#[derive(Debug, Default)]
pub struct Stock<'a> {
    objects: Vec<Object<'a>>,
    labels: Collector<(&'a str, &'a str)>,
    amounts: Collector<(&'a str, Cow<'a, str>)>,
}

impl<'a> Stock<'a> {
    /// With room for so many objects.
    #[must_use]
    pub fn with_room(objects: usize) -> Self {
        Self {
            objects: Vec::with_capacity(objects),
            ..Self::default()
        }
    }

    /// Whether there is no object.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Adds an object with its labels in the order written, and its amounts as written
    /// (Kubernetes quantities), whole numbers as JSON has them.
    pub fn add(
        &mut self,
        object: Object<'a>,
        labels: impl IntoIterator<Item = (&'a str, &'a str)>,
        amounts: impl IntoIterator<Item = (&'a str, Cow<'a, str>)>,
    ) {
        self.objects.push(Object {
            labels: self.labels.add(labels),
            amounts: self.amounts.add(amounts),
            ..object
        });
    }

    /// Orders the objects and indexes them by name and label; of two with one identity the
    /// first counts.
    #[must_use]
    pub fn inventory(mut self) -> Inventory<'a> {
        let mut objects = std::mem::take(&mut self.objects);
        // Namespaces are few, and what a name begins with settles most comparisons: neither needs
        // a look at the text.
        let namespaces: FxHashSet<&str> = objects.iter().map(|object| object.namespace).collect();
        let namespaces: BTreeSet<&str> = namespaces.into_iter().collect();
        let ranks: FxHashMap<&str, u32> = namespaces.into_iter().zip(0..).collect();
        // Few objects share a name, so the rest of their order is no part of these large keys.
        objects.sort_by_cached_key(|object| {
            let (namespace, name, ..) = object.order();
            (ranks[namespace], first_bytes(name), name)
        });
        let are_alike =
            |a: &Object<'_>, b: &Object<'_>| (a.name, a.namespace) == (b.name, b.namespace);
        for alike in objects.chunk_by_mut(are_alike) {
            alike.sort_by(|a, b| a.order().cmp(&b.order()));
        }
        objects.dedup_by(|later, first| later.order() == first.order());
        Self { objects, ..self }.in_order()
    }

    /// The inventory of objects in canonical order, each once.
    fn in_order(self) -> Inventory<'a> {
        let objects = self.objects;
        let mut by_name: Vec<ObjectId> = (0..).take(objects.len()).collect();
        // Objects of one name stay in their order.
        by_name.sort_by_cached_key(|&id| {
            let name = objects[id as usize].name;
            (first_bytes(name), name)
        });
        let labels = self.labels.lists();
        Inventory {
            index: LabelIndex::of(&labels, || objects.iter().map(|object| object.labels)),
            labels,
            amounts: self.amounts.lists(),
            objects,
            by_name,
        }
    }
}

impl<'a> Inventory<'a> {
    /// These few objects and those of another inventory that are not among them.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut stock = Stock {
            objects: Vec::with_capacity(self.objects.len() + other.objects.len()),
            labels: Collector::more(other.labels.clone()),
            amounts: Collector::more(other.amounts.clone()),
        };
        let mut rest = other.objects.as_slice();
        for object in &self.objects {
            let (before, from) =
                rest.split_at(rest.partition_point(|other| other.order() < object.order()));
            let same = from.first().filter(|other| other.order() == object.order());
            rest = &from[usize::from(same.is_some())..];
            stock.objects.extend_from_slice(before);
            let labels = self.labels.items(object.labels).copied();
            let amounts = self.amounts.items(object.amounts).cloned();
            stock.add(object.clone(), labels, amounts);
        }
        stock.objects.extend_from_slice(rest);
        stock.in_order()
    }

    /// The objects in canonical order.
    #[must_use]
    pub fn objects(&self) -> &[Object<'a>] {
        &self.objects
    }

    /// The object of this id.
    #[must_use]
    pub fn object(&self, id: ObjectId) -> &Object<'a> {
        &self.objects[id as usize]
    }

    /// All ids by name, then namespace, by bytes.
    #[must_use]
    pub fn alphabet(&self) -> &[ObjectId] {
        &self.by_name
    }

    /// The ids of the objects of this name, in canonical order.
    #[must_use]
    pub fn named(&self, name: &str) -> &[ObjectId] {
        let from = self
            .by_name
            .partition_point(|&id| self.object(id).name < name);
        let len = self.by_name[from..].partition_point(|&id| self.object(id).name == name);
        &self.by_name[from..from + len]
    }

    /// The ids of the objects a reference fits, in canonical order.
    pub fn fitting<'i>(&'i self, reference: &'i Reference<'_>) -> impl Iterator<Item = ObjectId> {
        let (named, all): (&[ObjectId], _) = if reference.name.is_empty() {
            (&[], self.objects.len())
        } else {
            (self.named(reference.name), 0)
        };
        let ids = named.iter().copied().chain((0..).take(all));
        ids.filter(|&id| reference.fits(self.object(id)))
    }

    /// The value of a label of an object.
    #[must_use]
    pub fn label(&self, id: ObjectId, key: &str) -> Option<&'a str> {
        let mut labels = self.labels_of(id);
        labels.find_map(|(name, value)| (name == key).then_some(value))
    }

    /// The labels of an object in the order written.
    pub fn labels_of(&self, id: ObjectId) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.labels.items(self.object(id).labels).copied()
    }

    /// The text of an allocatable resource of an object.
    #[must_use]
    pub fn resource(&self, id: ObjectId, name: &str) -> Option<&str> {
        let mut amounts = self.amounts_of(id);
        amounts.find_map(|(key, value)| (key == name).then_some(value))
    }

    /// The allocatable resources of an object in the order written.
    pub fn amounts_of(&self, id: ObjectId) -> impl Iterator<Item = (&'a str, &str)> {
        let amounts = self.amounts.items(self.object(id).amounts);
        amounts.map(|(key, value)| (*key, &**value))
    }

    /// For each object what `read` makes of a label; each different label is read once.
    pub fn by_label<T: Copy>(&self, key: &str, read: impl Fn(&str) -> T) -> Vec<Option<T>> {
        let lists = self.objects.iter().map(|object| object.labels);
        by_key(&self.labels, lists, |label| {
            (label.0 == key).then(|| read(label.1))
        })
    }

    /// For each object what `read` makes of a resource; each different amount is read once.
    pub fn by_resource<T: Copy>(&self, name: &str, read: impl Fn(&str) -> T) -> Vec<Option<T>> {
        let lists = self.objects.iter().map(|object| object.amounts);
        by_key(&self.amounts, lists, |amount| {
            (amount.0 == name).then(|| read(&amount.1))
        })
    }

    /// Which objects have which labels.
    #[must_use]
    pub fn labels(&self) -> &LabelIndex<'a> {
        &self.index
    }
}

/// For each list the value read from its first item that has one.
fn by_key<I, T: Copy>(
    lists: &Lists<I>,
    things: impl Iterator<Item = List>,
    read: impl Fn(&I) -> Option<T>,
) -> Vec<Option<T>> {
    let read: Vec<Option<T>> = lists.all().iter().map(read).collect();
    let first = |list| {
        let mut numbers = lists.numbers(list).iter();
        numbers.find_map(|&number| read[number as usize])
    };
    things.map(first).collect()
}
