//! Host-profile inheritance: what a node's tags, labels and rack are in effect, and which
//! document gave each. Source: Drydock, `doc/source/topology.rst`.

use rustc_hash::FxHashSet;

use crate::airship::model::{Host, Label, Site, Text};

/// A node's or profile's values after inheritance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effective<'a> {
    /// The tags: first its own, then the inherited ones.
    pub tags: Vec<Text<'a>>,
    /// The labels: inherited keys first, in the parent's order, then new ones.
    pub labels: Vec<Label<'a>>,
    /// The rack.
    pub rack: Option<Text<'a>>,
    /// The hardware profile.
    pub hardware_profile: Option<Text<'a>>,
}

fn written<'a>(host: &Host<'a>) -> Effective<'a> {
    Effective {
        tags: host.tags.clone(),
        labels: host.labels.clone(),
        rack: host.rack,
        hardware_profile: host.hardware_profile,
    }
}

fn over<'a>(own: Option<Text<'a>>, parent: Option<Text<'a>>) -> Option<Text<'a>> {
    match own {
        Some(word) if word.text == "!" => None,
        Some(word) => Some(word),
        None => parent,
    }
}

/// A host's values over those of its (resolved) parent.
pub(crate) fn over_parent<'a>(host: &Host<'a>, parent: &Effective<'a>) -> Effective<'a> {
    let removed: FxHashSet<&str> = host
        .tags
        .iter()
        .filter_map(|tag| tag.text.strip_prefix('!'))
        .collect();
    let mut tags: Vec<_> = host
        .tags
        .iter()
        .filter(|tag| !tag.text.starts_with('!'))
        .copied()
        .collect();
    let mut there: FxHashSet<&str> = tags.iter().map(|tag| tag.text).collect();
    for tag in &parent.tags {
        if !removed.contains(tag.text) && there.insert(tag.text) {
            tags.push(*tag);
        }
    }
    let own = |label: &&Label<'a>| !label.key.starts_with('!');
    let gone: FxHashSet<&str> = host
        .labels
        .iter()
        .map(|label| label.key.strip_prefix('!').unwrap_or(label.key))
        .collect();
    let mut labels: Vec<_> = parent
        .labels
        .iter()
        .filter(|label| !gone.contains(label.key))
        .copied()
        .collect();
    labels.extend(host.labels.iter().filter(own));
    Effective {
        tags,
        labels,
        rack: over(host.rack, parent.rack),
        hardware_profile: over(host.hardware_profile, parent.hardware_profile),
    }
}

/// The values of every profile, in the order of [`Site::profiles`].
///
/// A cycle of profiles (which lowering refuses) ends where it closes.
#[must_use]
pub fn profiles<'a>(site: &Site<'a>) -> Vec<Effective<'a>> {
    let mut done: Vec<Option<Effective<'a>>> = vec![None; site.profiles.len()];
    let mut chain = Vec::new();
    for start in 0..site.profiles.len() {
        let mut next = Some(start);
        let mut seen = FxHashSet::default();
        while let Some(at) = next.filter(|at| done[*at].is_none() && seen.insert(*at)) {
            chain.push(at);
            next = site.profiles[at].parent.map(|parent| parent as usize);
        }
        while let Some(at) = chain.pop() {
            let host = &site.profiles[at];
            let parent = host
                .parent
                .and_then(|parent| done[parent as usize].as_ref());
            let value = parent.map_or_else(|| written(host), |parent| over_parent(host, parent));
            done[at] = Some(value);
        }
    }
    done.into_iter().map(Option::unwrap_or_default).collect()
}

/// The values of one node.
#[must_use]
pub fn effective<'a>(site: &Site<'a>, node: u32) -> Effective<'a> {
    let host = &site.nodes[node as usize];
    let mut chain = Vec::new();
    let mut seen = FxHashSet::default();
    let mut next = host.parent;
    while let Some(at) = next.filter(|at| seen.insert(*at)) {
        chain.push(&site.profiles[at as usize]);
        next = site.profiles[at as usize].parent;
    }
    let mut value: Option<Effective<'a>> = None;
    for host in chain.into_iter().rev().chain([host]) {
        let over_it = value.as_ref().map(|parent| over_parent(host, parent));
        value = Some(over_it.unwrap_or_else(|| written(host)));
    }
    value.unwrap_or_default()
}
