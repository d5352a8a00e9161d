//! Suggestions over many names, each distinct name asked once and only so many in all.

use rustc_hash::FxHashMap;

use crate::kit::nearest::nearest;

/// How many distinct names are looked for: beyond that the findings speak for themselves, and
/// comparing every unknown name with every known one would take longer than all else.
const MOST: usize = 20;

/// Known names and the answers so far.
pub(super) struct Near<'a> {
    known: Vec<&'a str>,
    asked: FxHashMap<&'a str, Option<&'a str>>,
}

impl<'a> Near<'a> {
    pub(super) fn new(known: impl Iterator<Item = &'a str>) -> Self {
        Self {
            known: known.collect(),
            asked: FxHashMap::default(),
        }
    }

    /// The nearest known name.
    pub(super) fn nearest(&mut self, name: &'a str) -> Option<&'a str> {
        let full = self.asked.len() >= MOST;
        let known = &self.known;
        match self.asked.get(name) {
            Some(found) => *found,
            None if full => None,
            None => {
                let found = nearest(name, known.iter().copied());
                self.asked.insert(name, found);
                found
            }
        }
    }
}
