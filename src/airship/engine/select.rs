//! Selectors to nodes, by an index of the values the selectors ask for.
//! See "Which nodes" in planner-placement(7).

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::inherit::{self, Effective};
use crate::airship::model::{Host, Reading, Selector, Site};

/// The nodes of each group: sorted indices into [`Site::nodes`], groups in document order.
#[must_use]
pub fn members(site: &Site<'_>, reading: Reading) -> Vec<Vec<u32>> {
    let index = Index::new(site);
    site.groups
        .iter()
        .map(|group| index.group(&group.selectors, reading))
        .collect()
}

/// The values that some selector asks for, each with the sorted list of its nodes. Nothing is
/// kept for values that no selector uses, so that the work grows with what is asked.
struct Index<'a> {
    all: u32,
    /// A name has one node at most.
    names: FxHashMap<&'a str, Option<u32>>,
    tags: FxHashMap<&'a str, usize>,
    racks: FxHashMap<&'a str, usize>,
    labels: FxHashMap<(&'a str, &'a str), usize>,
    lists: Vec<Vec<u32>>,
}

impl<'a> Index<'a> {
    fn new(site: &Site<'a>) -> Self {
        let mut index = Self {
            all: u32::try_from(site.nodes.len()).unwrap_or(u32::MAX),
            names: FxHashMap::default(),
            tags: FxHashMap::default(),
            racks: FxHashMap::default(),
            labels: FxHashMap::default(),
            lists: Vec::new(),
        };
        let mut keys: FxHashMap<&'a str, usize> = FxHashMap::default();
        for selector in site.groups.iter().flat_map(|group| &group.selectors) {
            index
                .names
                .extend(selector.names.iter().map(|name| (*name, None)));
            let lists = &mut index.lists;
            let mut list = || {
                lists.push(Vec::new());
                lists.len() - 1
            };
            for tag in &selector.tags {
                index.tags.entry(tag).or_insert_with(&mut list);
            }
            for rack in &selector.racks {
                index.racks.entry(rack).or_insert_with(&mut list);
            }
            for label in &selector.labels {
                index.labels.entry(*label).or_insert_with(&mut list);
                let number = keys.len();
                keys.entry(label.0).or_insert(number);
            }
        }
        index.fill(site, &keys);
        index
    }

    /// Goes once over the nodes, in order, so that every list comes out sorted.
    fn fill(&mut self, site: &Site<'a>, keys: &FxHashMap<&'a str, usize>) {
        let profiles = inherit::profiles(site);
        let asked: Vec<SelectedValues<'a>> = profiles
            .iter()
            .map(|profile| self.asked(profile, keys))
            .collect();
        let mut seen = Seen {
            lists: vec![0; self.lists.len()],
            keys: vec![0; keys.len()],
            gone: vec![0; self.lists.len()],
        };
        for (node, stamp) in site.nodes.iter().zip(1..) {
            self.node(node, &asked, keys, &mut seen, stamp);
        }
    }

    fn asked(
        &self,
        profile: &Effective<'a>,
        keys: &FxHashMap<&'a str, usize>,
    ) -> SelectedValues<'a> {
        let tags = profile
            .tags
            .iter()
            .filter_map(|tag| self.tags.get(tag.text).copied());
        let labels = profile.labels.iter().filter_map(|label| {
            let key = *keys.get(label.key)?;
            Some((key, self.labels.get(&(label.key, label.value)).copied()))
        });
        let rack = profile.rack.map(|rack| rack.text);
        SelectedValues {
            tags: tags.collect(),
            labels: labels.collect(),
            rack,
        }
    }

    fn put(&mut self, list: usize, node: u32) {
        let list = &mut self.lists[list];
        if list.last() != Some(&node) {
            list.push(node);
        }
    }

    fn node(
        &mut self,
        node: &Host<'a>,
        asked: &[SelectedValues<'a>],
        keys: &FxHashMap<&'a str, usize>,
        seen: &mut Seen,
        stamp: u32,
    ) {
        let id = stamp - 1;
        if let Some(named) = self.names.get_mut(node.name.text) {
            *named = Some(id);
        }
        let parent = node.parent.map(|parent| &asked[parent as usize]);
        for tag in &node.tags {
            match tag.text.strip_prefix('!').filter(|_| parent.is_some()) {
                Some(removed) => {
                    if let Some(list) = self.tags.get(removed) {
                        seen.gone[*list] = stamp;
                    }
                }
                None => {
                    if let Some(list) = self.tags.get(tag.text).copied() {
                        seen.lists[list] = stamp;
                        self.put(list, id);
                    }
                }
            }
        }
        for label in &node.labels {
            let removed = label.key.strip_prefix('!').filter(|_| parent.is_some());
            if let Some(key) = keys.get(removed.unwrap_or(label.key)) {
                seen.keys[*key] = stamp;
            }
            if removed.is_none()
                && let Some(list) = self.labels.get(&(label.key, label.value)).copied()
            {
                self.put(list, id);
            }
        }
        let own_rack = node.rack.map(|rack| rack.text);
        let rack = match (own_rack, parent) {
            (Some("!"), Some(_)) => None,
            (Some(rack), _) => Some(rack),
            (None, parent) => parent.and_then(|parent| parent.rack),
        };
        if let Some(list) = rack.and_then(|rack| self.racks.get(rack)).copied() {
            self.put(list, id);
        }
        let Some(parent) = parent else { return };
        for list in &parent.tags {
            if seen.gone[*list] != stamp && seen.lists[*list] != stamp {
                self.put(*list, id);
            }
        }
        for (key, list) in &parent.labels {
            if let Some(list) = list.filter(|_| seen.keys[*key] != stamp) {
                self.put(list, id);
            }
        }
    }

    fn everything(&self) -> Vec<u32> {
        (0..self.all).collect()
    }

    /// Union over selectors. The code drops selectors without criteria when another one has
    /// some (tag `empty-selector-in-union`).
    fn group(&self, selectors: &[Selector<'a>], reading: Reading) -> Vec<u32> {
        let empty = selectors
            .iter()
            .filter(|selector| selector.is_empty())
            .count();
        let all = match reading {
            Reading::Statement => empty > 0,
            Reading::Upstream => empty == selectors.len(),
        };
        if all || selectors.is_empty() {
            return self.everything();
        }
        let mut found: Vec<u32> = Vec::new();
        let some = selectors.iter().filter(|selector| !selector.is_empty());
        for (number, selector) in some.enumerate() {
            let nodes = self.selector(selector, reading);
            if number == 0 {
                found = nodes.into_owned();
            } else {
                found.extend_from_slice(&nodes);
            }
        }
        tidy(&mut found);
        found
    }

    /// Intersection over the criteria that have values.
    fn selector(&self, selector: &Selector<'a>, reading: Reading) -> Cow<'_, [u32]> {
        let mut lists: Vec<Cow<'_, [u32]>> = Vec::with_capacity(4);
        if !selector.names.is_empty() {
            let named = selector.names.iter().filter_map(|name| self.names[name]);
            let mut named: Vec<u32> = named.collect();
            tidy(&mut named);
            lists.push(Cow::Owned(named));
        }
        if !selector.tags.is_empty() {
            lists.push(self.union(selector.tags.iter().map(|tag| self.tags[tag])));
        }
        if !selector.racks.is_empty() {
            lists.push(self.union(selector.racks.iter().map(|rack| self.racks[rack])));
        }
        if !selector.labels.is_empty() {
            // The code turns the pairs into a mapping: the last value of a key counts (tag
            // `repeated-label-key`).
            let last = |at: usize| {
                let rest = &selector.labels[at + 1..];
                reading == Reading::Statement
                    || rest.iter().all(|(key, _)| *key != selector.labels[at].0)
            };
            let pairs = selector
                .labels
                .iter()
                .enumerate()
                .filter(|(at, _)| last(*at));
            lists.push(self.union(pairs.map(|(_, pair)| self.labels[pair])));
        }
        lists.sort_by_key(|list| list.len());
        let mut lists = lists.into_iter();
        let first = lists.next().unwrap_or_default();
        lists.fold(first, |found, list| Cow::Owned(common(&found, &list)))
    }

    fn union(&self, lists: impl Iterator<Item = usize>) -> Cow<'_, [u32]> {
        let mut lists: Vec<usize> = lists.collect();
        lists.sort_unstable();
        lists.dedup();
        match lists.as_slice() {
            [one] => Cow::Borrowed(&self.lists[*one]),
            many => {
                let mut found: Vec<u32> = many
                    .iter()
                    .flat_map(|list| self.lists[*list].iter().copied())
                    .collect();
                tidy(&mut found);
                Cow::Owned(found)
            }
        }
    }
}

/// A profile's values as far as a selector asks for them.
struct SelectedValues<'a> {
    tags: Vec<usize>,
    labels: Vec<(usize, Option<usize>)>,
    rack: Option<&'a str>,
}

/// Marks what the present node has already contributed: a slot with its stamp is taken.
struct Seen {
    lists: Vec<u32>,
    keys: Vec<u32>,
    gone: Vec<u32>,
}

fn tidy(nodes: &mut Vec<u32>) {
    if !nodes.is_sorted_by(|a, b| a < b) {
        nodes.sort_unstable();
        nodes.dedup();
    }
}

/// The common part of two sorted lists, the first the shorter one.
fn common(short: &[u32], long: &[u32]) -> Vec<u32> {
    if short.len() * 16 < long.len() {
        return short
            .iter()
            .copied()
            .filter(|node| long.binary_search(node).is_ok())
            .collect();
    }
    let mut found = Vec::with_capacity(short.len());
    let mut rest = long.iter().copied().peekable();
    for node in short {
        while rest.next_if(|other| other < node).is_some() {}
        if rest.peek() == Some(node) {
            found.push(*node);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::airship::engine::testing::{host, site};
    use crate::airship::model::Group;
    use proptest::prelude::*;

    fn selects(selector: &Selector<'_>, site: &Site<'_>, node: u32) -> bool {
        let is = inherit::effective(site, node);
        let name = site.nodes[node as usize].name.text;
        (selector.names.is_empty() || selector.names.contains(&name))
            && (selector.tags.is_empty()
                || is.tags.iter().any(|tag| selector.tags.contains(&tag.text)))
            && (selector.racks.is_empty()
                || is
                    .rack
                    .is_some_and(|rack| selector.racks.contains(&rack.text)))
            && (selector.labels.is_empty()
                || is
                    .labels
                    .iter()
                    .any(|l| selector.labels.contains(&(l.key, l.value))))
    }

    const TAGS: [&str; 4] = ["a", "b", "!a", "!b"];
    const KEYS: [&str; 4] = ["k", "l", "!k", "!l"];
    const RACKS: [Option<&str>; 4] = [None, Some("r1"), Some("r2"), Some("!")];

    fn any_host() -> impl Strategy<Value = Host<'static>> {
        let label = (0usize..4, prop::sample::select(vec!["1", "2"]));
        let tags = prop::collection::vec(0usize..4, 0..3);
        (
            tags,
            prop::collection::vec(label, 0..3),
            0usize..4,
            prop::option::of(0u32..3),
        )
            .prop_map(|(tags, mut labels, rack, parent)| {
                labels.sort_by_key(|label| label.0);
                labels.dedup_by_key(|label| label.0);
                let tags: Vec<&str> = tags.into_iter().map(|tag| TAGS[tag]).collect();
                let labels: Vec<_> = labels.into_iter().map(|(k, v)| (KEYS[k], v)).collect();
                Host {
                    parent,
                    ..host("", &tags, &labels, RACKS[rack])
                }
            })
    }

    proptest! {
        #[test]
        fn the_index_agrees_with_the_definition(
            hosts in prop::collection::vec(any_host(), 1..12),
            mut profiles in prop::collection::vec(any_host(), 3),
            picks in prop::collection::vec((0usize..3, 0usize..4, 0usize..3, 0usize..4), 0..3),
        ) {
            const NAMES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "B"];
            for (at, profile) in profiles.iter_mut().enumerate() {
                profile.parent = profile.parent.filter(|parent| (*parent as usize) < at);
            }
            let mut site = site();
            let mut hosts = hosts;
            for (node, name) in hosts.iter_mut().zip(NAMES) {
                node.name.text = name;
            }
            site.profiles = profiles.into();
            site.nodes = hosts.into();
            let pick = |(names, tags, racks, labels): &(usize, usize, usize, usize)| Selector {
                place: crate::source::Place::default(),
                names: NAMES[..*names * 2].to_vec(),
                tags: TAGS[..*tags].to_vec(),
                racks: vec!["r1", "!"][..*racks].to_vec(),
                labels: vec![("k", "1"), ("k", "2"), ("l", "2"), ("!k", "1")][..*labels].to_vec(),
            };
            let selectors: Vec<_> = picks.iter().map(pick).collect();
            let group = Group { selectors, ..Site::all_at_once() };
            site.groups = vec![group.clone()];
            let expected: Vec<u32> = (0..u32::try_from(site.nodes.len()).unwrap())
                .filter(|node| {
                    group.selectors.is_empty()
                        || group.selectors.iter().any(|one| selects(one, &site, *node))
                })
                .collect();
            prop_assert_eq!(&members(&site, Reading::Statement)[0], &expected);
        }
    }

    #[test]
    fn the_code_drops_empty_selectors_and_earlier_values_of_a_key() {
        let mut site = site();
        site.nodes = vec![
            host("n1", &[], &[("zone", "a")], None),
            host("n2", &[], &[("zone", "b")], None),
            host("n3", &[], &[], None),
        ]
        .into();
        let labels = Selector {
            labels: vec![("zone", "a"), ("zone", "b")],
            ..Selector::default()
        };
        site.groups = vec![Group {
            selectors: vec![labels, Selector::default()],
            ..Site::all_at_once()
        }];
        assert_eq!(members(&site, Reading::Statement)[0], [0, 1, 2]);
        assert_eq!(members(&site, Reading::Upstream)[0], [1]);
        site.groups[0].selectors.pop();
        assert_eq!(members(&site, Reading::Statement)[0], [0, 1]);
        site.groups[0].selectors = vec![Selector::default()];
        assert_eq!(members(&site, Reading::Upstream)[0], [0, 1, 2]);
    }
}
