//! Many short lists, such as the labels of clusters: each different item is held once.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// One of the lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct List {
    start: u32,
    len: u32,
}

/// The lists and their items.
#[derive(Debug, Clone)]
pub struct Lists<T> {
    /// Each different item, in the order in which they came.
    all: Vec<T>,
    /// The items of all lists by number.
    numbers: Vec<u32>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            numbers: Vec::new(),
        }
    }
}

impl<T> Lists<T> {
    /// Each different item; its number is its place.
    #[must_use]
    pub fn all(&self) -> &[T] {
        &self.all
    }

    /// The numbers of the items of a list, in its order.
    #[must_use]
    pub fn numbers(&self, list: List) -> &[u32] {
        let start = list.start as usize;
        &self.numbers[start..start + list.len as usize]
    }

    /// The items of a list, in its order.
    pub fn items(&self, list: List) -> impl Iterator<Item = &T> {
        let numbers = self.numbers(list).iter();
        numbers.map(|&number| &self.all[number as usize])
    }
}

/// Takes lists one by one.
#[derive(Debug)]
pub struct Collector<T> {
    lists: Lists<T>,
    known: FxHashMap<T, u32>,
}

impl<T> Default for Collector<T> {
    fn default() -> Self {
        Self {
            lists: Lists::default(),
            known: FxHashMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Collector<T> {
    /// Continues where lists were left.
    #[must_use]
    pub fn more(lists: Lists<T>) -> Self {
        let known = lists.all.iter().cloned().zip(0..).collect();
        Self { lists, known }
    }

    /// Adds a list.
    pub fn add(&mut self, items: impl IntoIterator<Item = T>) -> List {
        let Lists { all, numbers } = &mut self.lists;
        let start = numbers.len();
        for item in items {
            let number = self.known.entry(item).or_insert_with_key(|item| {
                all.push(item.clone());
                (all.len() - 1) as u32
            });
            numbers.push(*number);
        }
        List {
            start: start as u32,
            len: (numbers.len() - start) as u32,
        }
    }

    /// The lists that were added.
    #[must_use]
    pub fn lists(self) -> Lists<T> {
        let mut lists = self.lists;
        lists.all.shrink_to_fit();
        lists.numbers.shrink_to_fit();
        lists
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_held_once_and_lists_come_back() {
        let mut collector = Collector::default();
        let first = collector.add(["b", "a", "b"]);
        let none = collector.add([]);
        let mut collector = Collector::more(collector.lists());
        let second = collector.add(["c", "a"]);
        let lists = collector.lists();
        assert_eq!(lists.all(), ["b", "a", "c"]);
        assert_eq!(lists.items(first).collect::<Vec<_>>(), [&"b", &"a", &"b"]);
        assert_eq!(lists.items(none).count(), 0);
        assert_eq!(lists.numbers(second), [2, 1]);
    }
}
