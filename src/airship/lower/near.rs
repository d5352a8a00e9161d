//! Suggestions over many names, each distinct name asked once and only so many in all.

use rustc_hash::FxHashMap;

use crate::kit::nearest::nearest;

/// How many distinct names are looked for: beyond that the findings speak for themselves, and
/// comparing every unknown name with every known one would take longer than all else.
const MOST: usize = 20;

/// More names than these are not listed.
const LISTED: usize = 5;

/// The advice for an unknown name without a near match: add it, or use one that is there.
pub(super) fn add_or_name<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let add = format!("add a {kind} named `{name}`");
    match one_of(known) {
        Some(there) => format!("{add}, or name {there}"),
        None => add,
    }
}

/// A few names to choose from.
pub(super) fn one_of<'a>(known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let known: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
    match known.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        some => (some.len() <= LISTED).then(|| format!("one of {}", some.join(", "))),
    }
}

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

    /// The advice for a name without a near match.
    pub(super) fn otherwise(&self, kind: &str, name: &str) -> String {
        add_or_name(kind, name, self.known.iter().copied())
    }

    /// A few of the names to choose from.
    pub(super) fn one_of(&self) -> Option<String> {
        one_of(self.known.iter().copied())
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
