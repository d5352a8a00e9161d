//! Roots that make the same objects differently, and the sets of them to choose from.

use std::collections::BTreeSet;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kustomize::build::Built;
use crate::kustomize::digest::{self, Digests};
use crate::kustomize::resource::group;
use crate::source::Place;

use super::{Alternative, Choice, Named, Ours, Root};

/// The objects of ours that a root makes: hashes of their identities on a hub (group, kind,
/// namespace, name) and of their data.
pub(super) type Made = FxHashMap<u128, u128>;

/// The objects of ours that a root makes.
pub(super) fn made(built: &Built, ours: &Ours<'_>, digests: &mut Digests) -> Made {
    let mut all = Made::default();
    for document in &built.documents {
        let group = group(document.text(&["apiVersion"]));
        let kind = document.text(&["kind"]);
        let Some(namespaced) = ours(group, kind) else {
            continue;
        };
        let (namespace, digest) = if namespaced {
            let namespace = document.text(&["metadata", "namespace"]);
            (namespace, digests.of(&document.node))
        } else {
            ("", digests.without_namespace(&document.node))
        };
        let name = document.text(&["metadata", "name"]);
        all.insert(digest::identity([group, kind, namespace, name]), digest);
    }
    all
}

/// The pairs of roots that make an object differently.
fn conflicts(makes: &[Made]) -> FxHashSet<(usize, usize)> {
    let all = makes.iter().zip(0..);
    let all = all.flat_map(|(made, root): (_, usize)| {
        made.iter().map(move |(key, data)| (*key, *data, root))
    });
    let mut all: Vec<(u128, u128, usize)> = all.collect();
    all.sort_unstable();
    let mut conflicts = FxHashSet::default();
    let mut seen: FxHashSet<Vec<Vec<usize>>> = FxHashSet::default();
    for makers in all.chunk_by(|(one, ..), (other, ..)| one == other) {
        let alike = makers.chunk_by(|(_, one, _), (_, other, _)| one == other);
        let alike = alike.map(|makers| makers.iter().map(|(.., root)| *root).collect());
        let mut alike: Vec<Vec<usize>> = alike.collect();
        alike.sort_unstable();
        if alike.len() == 1 || seen.contains(&alike) {
            continue;
        }
        for (at, ones) in alike.iter().enumerate() {
            for two in alike[at + 1..].iter().flatten() {
                conflicts.extend(ones.iter().map(|one| (*one.min(two), *one.max(two))));
            }
        }
        seen.insert(alike);
    }
    conflicts
}

/// Gathers numbers that belong together.
fn gather(members: &[usize], joined: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = members.to_vec();
    let mut sets = Vec::new();
    while !left.is_empty() {
        let mut set = vec![left.remove(0)];
        let mut at = 0;
        while let Some(one) = set.get(at).copied() {
            let (more, rest) = left.into_iter().partition(|other| joined(one, *other));
            left = rest;
            let more: Vec<usize> = more;
            set.extend(more);
            at += 1;
        }
        set.sort_unstable();
        sets.push(set);
    }
    sets
}

pub(super) fn choices(roots: &[Root], makes: &[Made], named: &[Named]) -> Vec<Choice> {
    let conflicts = conflicts(makes);
    let touched = conflicts.iter().flat_map(|(one, two)| [*one, *two]);
    let touched: BTreeSet<usize> = touched.collect();
    let differ = |one: usize, two: usize| conflicts.contains(&(one.min(two), one.max(two)));
    let members: Vec<usize> = touched.into_iter().collect();
    let mut choices = Vec::new();
    for set in gather(&members, differ) {
        let mut alike = gather(&set, |one, two| !differ(one, two));
        let clean = |set: &Vec<usize>| {
            set.iter()
                .all(|one| set.iter().all(|two| one == two || !differ(*one, *two)))
        };
        if !alike.iter().all(clean) {
            alike = set.iter().map(|one| vec![*one]).collect();
        }
        let names = names(&alike, roots);
        let mut alternatives: Vec<Alternative> = alike
            .into_iter()
            .zip(names)
            .map(|(roots, name)| Alternative { name, roots })
            .collect();
        alternatives.sort_by_key(|one| one.roots[0]);
        choices.push(Choice {
            chosen: chosen(&alternatives, roots, named),
            alternatives,
        });
    }
    choices
}

/// The one alternative that is named from outside of the choice.
fn chosen(alternatives: &[Alternative], roots: &[Root], named: &[Named]) -> Option<(usize, Place)> {
    let all = alternatives.iter().flat_map(|one| &one.roots);
    let homes: Vec<&Path> = all
        .map(|root| roots[*root].built.directory.as_path())
        .collect();
    let outside = |one: &&Named| !homes.iter().any(|home| one.file.starts_with(home));
    let line = |alternative: &Alternative| {
        let mut lines = named.iter().filter(outside);
        let own = |line: &&Named| {
            alternative
                .roots
                .iter()
                .any(|root| roots[*root].built.directory == line.directory)
        };
        lines.find(own).map(|line| line.place)
    };
    let mut found = alternatives.iter().enumerate();
    let mut found = found
        .by_ref()
        .filter_map(|(at, one)| Some((at, line(one)?)));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// A name for each set: the last parts of the path of its first root, as many as it takes.
fn names(sets: &[Vec<usize>], roots: &[Root]) -> Vec<String> {
    let parts: Vec<Vec<String>> = sets
        .iter()
        .map(|set| {
            let path = &roots[set[0]].built.directory;
            path.iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect()
        })
        .collect();
    let name =
        |parts: &[String], count: usize| parts[parts.len().saturating_sub(count)..].join("/");
    let one = |own: &Vec<String>| {
        let counts = 1..=own.len();
        let unique = |count: &usize| {
            let alike = parts
                .iter()
                .filter(|other| name(other, *count) == name(own, *count));
            alike.count() == 1
        };
        name(own, counts.into_iter().find(unique).unwrap_or(own.len()))
    };
    parts.iter().map(one).collect()
}
