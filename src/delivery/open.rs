//! Questions that documents leave open: whether something that they name may exist although no
//! document defines it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::id::Id;
use crate::document::{Document, DocumentKind, Documents, info_of};
use crate::source::SourceId;

/// The facts about the objects of a site that its documents leave open.
#[derive(Debug, Default)]
pub struct Open<'a> {
    /// The namespaces in which generators make what is not known; the empty one where it may be
    /// any.
    generated: BTreeSet<&'a str>,
    /// Objects without a namespace, by kind and name: `kubectl -n` or Kustomize gives them one.
    unplaced: FxHashSet<(&'static str, &'a str)>,
    /// The kinds among templates, by the files beside them: they have no names yet.
    templates: FxHashMap<SourceId, BTreeSet<&'static str>>,
    /// Files of consumers that have no Placement in their neighbourhood.
    apart: FxHashSet<SourceId>,
}

impl<'a> Open<'a> {
    pub(in crate::delivery) fn of(documents: &Documents<'a>, generated: BTreeSet<&'a str>) -> Self {
        let all = documents.all.iter();
        let named = all.filter(|document| {
            document.kind == DocumentKind::Placement || document.kind.is_consumer()
        });
        let unplaced = named.filter(|document| {
            let none = document.namespace().is_none_or(str::is_empty);
            none && !document.kind.is_cluster_scoped()
        });
        let identity =
            |document: &Document<'a>| Some((info_of(document.kind)?.name, document.name()?));
        Self {
            generated,
            unplaced: unplaced.filter_map(identity).collect(),
            templates: beside_templates(documents),
            apart: apart(documents),
        }
    }

    /// Whether there may be more in a namespace than the documents say.
    #[must_use]
    pub fn has_more_in(&self, namespace: &str) -> bool {
        self.generated.contains("") || self.generated.contains(namespace)
    }

    /// Whether an object that `from` names may be in its namespace all the same; `elsewhere` says
    /// that one of that name is in another namespace.
    #[must_use]
    pub fn may_hold(&self, from: &Id<'a>, kind: &'static str, name: &str, elsewhere: bool) -> bool {
        let beside = self.templates.get(&from.place.source);
        self.has_more_in(from.namespace)
            || self.unplaced.contains(&(kind, name))
            || (elsewhere && self.is_unplaced(from))
            || beside.is_some_and(|kinds| kinds.contains(kind))
    }

    /// The object without a namespace that may be why `from` does not find the object that it
    /// names: that object, or `from` itself.
    #[must_use]
    pub fn lacking(&self, from: &Id<'a>, kind: &'static str, name: &str) -> Option<String> {
        if self.unplaced.contains(&(kind, name)) {
            return Some(format!("{kind} `{name}`"));
        }
        let of_from = || format!("{} `{}`", from.kind, from.name);
        self.is_unplaced(from).then(of_from)
    }

    /// Whether no Placement or rule is in the directory of a file, in the one above, or anywhere
    /// below that.
    #[must_use]
    pub fn is_apart(&self, file: SourceId) -> bool {
        self.apart.contains(&file)
    }

    /// Whether who applies an object says where it lies.
    #[must_use]
    pub fn is_unplaced(&self, id: &Id<'a>) -> bool {
        self.unplaced.contains(&(id.kind, id.name))
    }
}

/// Files of consumers that have no Placement in their neighbourhood.
fn apart(documents: &Documents<'_>) -> FxHashSet<SourceId> {
    let directory = |source: SourceId| documents.sources.directory(source);
    let selects = |kind| matches!(kind, DocumentKind::Placement | DocumentKind::LegacyRule);
    let all = documents.all.iter();
    let (own, others): (Vec<&Document<'_>>, Vec<&Document<'_>>) = all
        .filter(|one| selects(one.kind) || is_reader(one.kind))
        .partition(|one| selects(one.kind));
    let own: BTreeSet<&str> = own
        .iter()
        .map(|document| directory(document.node.place().source))
        .collect();
    let mut known: FxHashMap<SourceId, bool> = FxHashMap::default();
    for document in others {
        let source = document.node.place().source;
        known.entry(source).or_insert_with(|| {
            let here = directory(source).trim_end_matches('/');
            let above = here.rsplit_once('/').map_or("", |(above, _)| above);
            let within = |one: &&str| {
                let rest = one.strip_prefix(above);
                rest.is_some_and(|rest| {
                    above.is_empty() || rest.is_empty() || rest.starts_with('/')
                })
            };
            own.range(above..)
                .take_while(|one| one.starts_with(above))
                .any(within)
        });
    }
    let apart = known.into_iter().filter(|(_, near)| !near);
    apart.map(|(source, _)| source).collect()
}

/// Whether documents of a kind name Placements.
fn is_reader(kind: DocumentKind) -> bool {
    kind.is_consumer() || kind == DocumentKind::ManifestWorkReplicaSet
}

/// The kinds among the templates of each directory, for its files.
fn beside_templates(documents: &Documents<'_>) -> FxHashMap<SourceId, BTreeSet<&'static str>> {
    if documents.templates.is_empty() {
        return FxHashMap::default();
    }
    let directory = |source: SourceId| documents.sources.directory(source);
    let mut kinds: BTreeMap<&str, BTreeSet<&'static str>> = BTreeMap::new();
    for (source, kind) in &documents.templates {
        kinds.entry(directory(*source)).or_default().insert(kind);
    }
    let files = (0..).map(SourceId).take(documents.sources.files.len());
    let beside = files.filter_map(|file| Some((file, kinds.get(directory(file))?.clone())));
    beside.collect()
}
