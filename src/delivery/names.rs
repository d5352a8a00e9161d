//! The clusters of a site as numbers.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// A set of clusters by number, shared where it is the same.
pub type Clusters = Arc<FixedBitSet>;

/// The names of clusters and their numbers.
#[derive(Debug, Default)]
pub struct Names<'a> {
    all: Vec<&'a str>,
    numbers: FxHashMap<&'a str, u32>,
}

impl<'a> Names<'a> {
    /// The number of a name, a new one if need be.
    pub fn number(&mut self, name: &'a str) -> u32 {
        let all = &mut self.all;
        *self.numbers.entry(name).or_insert_with(|| {
            all.push(name);
            u32::try_from(all.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// The number of a name that is known.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The name of a number.
    #[must_use]
    pub fn name(&self, number: u32) -> &'a str {
        self.all.get(number as usize).copied().unwrap_or("")
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The numbers of those of these names that are known.
    pub fn numbers<'n>(&self, names: impl Iterator<Item = &'n str>) -> impl Iterator<Item = u32> {
        names.filter_map(|name| self.find(name))
    }

    /// The set of these names.
    pub fn set(&mut self, names: impl Iterator<Item = &'a str>) -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(self.all.len());
        for name in names {
            set.grow_and_insert(self.number(name) as usize);
        }
        set
    }

    /// The names of a set, in their own order.
    #[must_use]
    pub fn of(&self, set: &FixedBitSet) -> Vec<&'a str> {
        let mut names: Vec<&str> = set.ones().map(|at| self.all[at]).collect();
        names.sort_unstable();
        names
    }
}
