//! Which of many things carry a label, answered from an index.

use std::ops::Range;

use fixedbitset::FixedBitSet;

use super::lists::{Collector, List, Lists};
use super::selector::{Requirement, Test};

/// The number of a thing, in the order in which they were given.
pub type Id = u32;

/// Each label once, and the ids of all labels in one list.
#[derive(Debug, Default)]
pub struct LabelIndex<'a> {
    /// Key, value, and where the ids of the label end; sorted.
    labels: Vec<(&'a str, &'a str, usize)>,
    /// The ids label by label, ascending for each.
    ids: Vec<Id>,
}

impl<'a> LabelIndex<'a> {
    /// Indexes the labels of things, no key twice in one of them.
    pub fn new<L>(things: impl Iterator<Item = L>) -> Self
    where
        L: IntoIterator<Item = (&'a str, &'a str)>,
    {
        let mut collector = Collector::default();
        let things: Vec<List> = things.map(|labels| collector.add(labels)).collect();
        Self::of(&collector.lists(), || things.iter().copied())
    }

    /// Indexes the labels of things whose lists these are, no key twice in one of them.
    pub fn of<T: Iterator<Item = List>>(
        lists: &Lists<(&'a str, &'a str)>,
        things: impl Fn() -> T,
    ) -> Self {
        // Only different labels need sorting.
        let mut counts = vec![0; lists.all().len()];
        for &number in things().flat_map(|list| lists.numbers(list)) {
            counts[number as usize] += 1;
        }
        let all = lists.all().iter().zip(0..);
        let mut labels: Vec<(&str, &str, usize)> = all
            .map(|(&(key, value), number)| (key, value, number))
            .collect();
        labels.sort_unstable();
        let mut next = vec![0; counts.len()];
        let mut end = 0;
        for label in &mut labels {
            next[label.2] = end;
            end += counts[label.2];
            label.2 = end;
        }
        let mut ids = vec![0; end];
        for (list, id) in things().zip(0..) {
            for &number in lists.numbers(list) {
                let place = &mut next[number as usize];
                ids[*place] = id;
                *place += 1;
            }
        }
        Self { labels, ids }
    }

    /// Every label there is, by key and value.
    pub fn labels(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.labels.iter().map(|&(key, value, _)| (key, value))
    }

    /// The ids of a run of labels.
    fn ids(&self, run: Range<usize>) -> &[Id] {
        let end = |label: usize| label.checked_sub(1).map_or(0, |label| self.labels[label].2);
        &self.ids[end(run.start)..end(run.end)]
    }

    /// The things that have the key, in the order of its values.
    #[must_use]
    pub fn with_key(&self, key: &str) -> &[Id] {
        let from = self.labels.partition_point(|label| label.0 < key);
        let to = self.labels.partition_point(|label| label.0 <= key);
        self.ids(from..to)
    }

    /// The things that have the key with this value, ascending.
    #[must_use]
    pub fn with_label(&self, key: &str, value: &str) -> &[Id] {
        let before = |label: &(&str, &str, usize)| (label.0, label.1) < (key, value);
        let from = self.labels.partition_point(before);
        let found =
            matches!(self.labels.get(from), Some(label) if (label.0, label.1) == (key, value));
        self.ids(from..from + usize::from(found))
    }

    /// Takes out of `kept` the things that do not meet a requirement.
    pub fn apply(&self, requirement: &Requirement<'_>, kept: &mut FixedBitSet) {
        let key = requirement.key;
        let mut all_but = |ids: &[Id]| ids.iter().for_each(|&id| kept.set(id as usize, false));
        match &requirement.test {
            Test::NotIn(values) => {
                let values = values.iter();
                values.for_each(|value| all_but(self.with_label(key, value)));
            }
            Test::DoesNotExist => all_but(self.with_key(key)),
            Test::In(values) => {
                let these = values.iter().map(|value| self.with_label(key, value));
                kept.intersect_with(&set(kept.len(), these));
            }
            Test::Exists => {
                let these = std::iter::once(self.with_key(key));
                kept.intersect_with(&set(kept.len(), these));
            }
        }
    }
}

/// The things of these lists, of so many in all.
fn set<'i>(all: usize, lists: impl Iterator<Item = &'i [Id]>) -> FixedBitSet {
    let mut these = FixedBitSet::with_capacity(all);
    these.extend(lists.flatten().map(|&id| id as usize));
    these
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_found_by_key_and_by_label() {
        let things = [
            vec![("zone", "b"), ("tier", "gold")],
            vec![],
            vec![("zone", "a")],
            vec![("tier", "gold"), ("zone", "b")],
        ];
        let index = LabelIndex::new(things.into_iter());
        assert_eq!(index.with_label("zone", "b"), [0, 3]);
        assert_eq!(index.with_label("zone", "c"), [0; 0]);
        assert_eq!(index.with_label("zo", ""), [0; 0]);
        assert_eq!(index.with_key("zone"), [2, 0, 3]);
        assert_eq!(index.with_key("none"), [0; 0]);
        let labels: Vec<_> = index.labels().collect();
        assert_eq!(labels, [("tier", "gold"), ("zone", "a"), ("zone", "b")]);
    }
}
