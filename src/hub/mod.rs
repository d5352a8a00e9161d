//! The hub's snapshot merged with the documents: objects merged as the next apply would, objects
//! that it deletes, and objects that exist only on the hub.

pub mod defaults;
pub mod fields;
pub mod merge;
mod origin;
pub mod owners;
pub mod rules;
pub mod values;
pub mod versions;

pub use origin::origin;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::document::{Document, DocumentKind, Documents, info_of};
use crate::kit::plural::{first_names, plural};
use crate::load::{Hub, HubKey, key_of};
use crate::source::{Place, SourceId, Span};
use crate::yaml::{Node, Tree};

use merge::{Merger, Stated};

/// Kinds that a hub writes by itself: what documents say of them takes no part beside it.
const OBSERVED: [DocumentKind; 3] = [
    DocumentKind::PlacementDecision,
    DocumentKind::AddOnPlacementScore,
    DocumentKind::ManifestWork,
];

/// An object of a hub: its kind, namespace and name.
pub type Key<'a> = (DocumentKind, &'a str, &'a str);

/// An object that the next apply deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    /// The object.
    pub object: Object,
    /// Where it stands in the snapshot.
    pub place: Place,
    /// The tool that deletes it: `Argo CD application fleet`.
    pub by: String,
}

impl Gone {
    /// The message of the finding.
    #[must_use]
    pub fn message(&self) -> String {
        let (name, by) = (called(&self.object), &self.by);
        format!("{name} is no longer in these documents; {by} would delete it")
    }
}

/// A snapshot merged with the documents.
#[derive(Debug, Default)]
pub struct Merged {
    /// The snapshot's file.
    pub source: SourceId,
    /// When it was taken, if it says so.
    pub taken: Option<Timestamp>,
    /// The newest time in it.
    pub newest: Option<Timestamp>,
    /// How many objects it has, by kind.
    pub objects: BTreeMap<&'static str, usize>,
    /// How many objects are in both.
    pub both: usize,
    /// Objects of the documents that the hub does not have.
    pub fresh: Vec<(Object, Place)>,
    /// Objects of the documents whose kinds the snapshot holds none of: whether the hub has them is
    /// not known.
    pub unknown: Vec<(Object, Place)>,
    /// Objects that the next apply deletes.
    pub gone: Vec<Gone>,
    /// How many objects are on the hub alone and stay, by kind.
    pub only: BTreeMap<&'static str, usize>,
}

impl Merged {
    /// The kinds of the documents that the snapshot holds none of, by name, and how many documents
    /// each has.
    #[must_use]
    pub fn left_out(&self) -> BTreeMap<&str, usize> {
        let mut kinds = BTreeMap::new();
        for (object, _) in &self.unknown {
            *kinds.entry(object.kind.as_str()).or_default() += 1;
        }
        kinds
    }

    /// Whether the snapshot holds what its decisions follow from.
    #[must_use]
    pub fn tells_decisions(&self) -> bool {
        let decide = [
            DocumentKind::ManagedCluster,
            DocumentKind::ManagedClusterSet,
            DocumentKind::ManagedClusterSetBinding,
        ];
        let kinds = self.left_out();
        !decide
            .into_iter()
            .any(|kind| kinds.contains_key(kind_name(kind)))
    }
}

/// The name of a kind.
#[must_use]
pub fn kind_name(kind: DocumentKind) -> &'static str {
    info_of(kind).map_or("", |info| info.name)
}

/// An object as findings name it.
#[must_use]
pub fn object_of((kind, namespace, name): Key<'_>) -> Object {
    let object = Object::new(kind_name(kind), name);
    match namespace {
        "" => object,
        namespace => object.in_namespace(namespace),
    }
}

/// An object in words: `Placement web/old`.
#[must_use]
pub fn called(object: &Object) -> String {
    match &object.namespace {
        Some(namespace) => format!("{} {namespace}/{}", object.kind, object.name),
        None => format!("{} {}", object.kind, object.name),
    }
}

/// Documents and objects, told apart.
pub struct Compared<'a> {
    /// In both: the document's number, and both sides.
    pub both: Vec<(usize, Merger<'a>)>,
    /// In the documents alone.
    pub fresh: Vec<usize>,
    /// In the documents, and of kinds that the snapshot holds none of.
    pub unknown: Vec<usize>,
    /// On the hub alone, to be deleted: its number there, and by whom.
    pub gone: Vec<(usize, String)>,
    /// On the hub alone.
    pub only: Vec<usize>,
    /// Documents of kinds that the hub writes by itself, and records.
    pub aside: Vec<usize>,
}

/// Distinguishes the objects of the documents from those of a hub. Ignores documents of other
/// systems.
#[must_use]
pub fn compare<'a>(hub: &Hub, git: &[Document<'a>], there: &[Document<'a>]) -> Compared<'a> {
    let objects: FxHashMap<Key<'a>, usize> = there
        .iter()
        .zip(0..)
        .map(|(object, at)| (key_of(object.kind, object.node), at))
        .collect();
    let held: BTreeSet<DocumentKind> = there.iter().map(|object| object.kind).collect();
    let mut found = Compared {
        both: Vec::new(),
        fresh: Vec::new(),
        unknown: Vec::new(),
        gone: Vec::new(),
        only: Vec::new(),
        aside: Vec::new(),
    };
    let mut matched = vec![false; there.len()];
    for (document, at) in git.iter().zip(0..) {
        let observed = OBSERVED.contains(&document.kind);
        if document.record().is_some() || (observed && held.contains(&document.kind)) {
            found.aside.push(at);
            continue;
        }
        if observed || !crate::load::is_of_a_hub(document.kind) {
            continue;
        }
        match objects.get(&key_of(document.kind, document.node)) {
            Some(other) => {
                matched[*other] = true;
                let merger = Merger::new(document.kind, document.node, there[*other].node);
                found.both.push((at, merger));
            }
            None if held.contains(&document.kind) => found.fresh.push(at),
            None => found.unknown.push(at),
        }
    }
    let mut stated = Stated::default();
    for (_, merger) in &found.both {
        merger.count(&mut stated);
    }
    for (_, merger) in &mut found.both {
        merger.find_manager(&stated);
    }
    let marks: BTreeSet<String> = there
        .iter()
        .zip(&matched)
        .filter(|(_, matched)| **matched)
        .flat_map(|(object, _)| marks(object.node))
        .collect();
    let before: BTreeSet<(DocumentKind, &str, &str)> = hub
        .before
        .iter()
        .map(|(kind, namespace, name)| (*kind, namespace.as_str(), name.as_str()))
        .collect();
    for (object, at) in there.iter().zip(0..) {
        if matched[at] {
            continue;
        }
        let by = if OBSERVED.contains(&object.kind) || hub.no_prune {
            None
        } else {
            self::marks(object.node)
                .into_iter()
                .find(|mark| marks.contains(mark))
                .or_else(|| {
                    let before = before.contains(&key_of(object.kind, object.node));
                    before.then(|| "this change".to_owned())
                })
        };
        match by {
            Some(by) => found.gone.push((at, by)),
            None => found.only.push(at),
        }
    }
    found
}

/// The tools that apply an object, by the marks of those that delete what they no longer apply.
fn marks(object: Node<'_>) -> Vec<String> {
    let text = |part: &str, key: &str| {
        let value = object.at(&["metadata", part, key]).and_then(Node::text);
        value.filter(|value| !value.is_empty())
    };
    let mut found = Vec::new();
    if let Some(tracking) = text("annotations", "argocd.argoproj.io/tracking-id") {
        let application = tracking.split(':').next().unwrap_or(tracking);
        found.push(format!("Argo CD application {application}"));
    }
    let flux = |key: &str| text("labels", &format!("kustomize.toolkit.fluxcd.io/{key}"));
    if let (Some(name), Some(namespace)) = (flux("name"), flux("namespace")) {
        found.push(format!("Flux Kustomization {namespace}/{name}"));
    }
    if let Some(set) = text("labels", "applyset.kubernetes.io/part-of") {
        found.push(format!("apply set {set}"));
    }
    found
}

/// Puts the hub into the documents of a site: objects of both as the next apply makes them, those
/// of the hub alone behind them. `made` is the room for merged objects.
pub fn merge<'a>(
    hub: &'a Hub,
    made: &'a std::sync::OnceLock<Vec<Tree>>,
    documents: &mut Documents<'a>,
    now: Timestamp,
    sink: &mut Sink,
) -> Arc<Merged> {
    let text = documents.sources.get(hub.source).text.as_str();
    let there: Vec<Document<'a>> = hub.documents(text).collect();
    let compared = compare(hub, &documents.all, &there);
    let mut merged = Merged {
        source: hub.source,
        taken: hub.taken,
        newest: hub.newest,
        both: compared.both.len(),
        ..Merged::default()
    };
    for object in &there {
        *merged.objects.entry(kind_name(object.kind)).or_default() += 1;
    }
    let own = |at: &&usize| !OBSERVED.contains(&there[**at].kind);
    for at in compared.only.iter().filter(own) {
        *merged.only.entry(kind_name(there[*at].kind)).or_default() += 1;
    }
    let objects = |numbers: &[usize]| -> Vec<(Object, Place)> {
        let own = numbers.iter().map(|at| &documents.all[*at]);
        own.map(|one| (object_of(key_of(one.kind, one.node)), one.head().place()))
            .collect()
    };
    merged.fresh = objects(&compared.fresh);
    merged.unknown = objects(&compared.unknown);
    for (at, by) in &compared.gone {
        let object = &there[*at];
        merged.gone.push(Gone {
            object: object_of(key_of(object.kind, object.node)),
            place: object.head().place(),
            by: by.clone(),
        });
    }
    say(hub, &merged, &compared, documents, now, sink);
    let trees = made.get_or_init(|| {
        let both = compared.both.iter();
        both.map(|(_, merger)| merger.tree(None)).collect()
    });
    for ((at, _), tree) in compared.both.iter().zip(trees) {
        documents.all[*at].node = tree.root("");
    }
    let mut aside = compared.aside.iter().copied().peekable();
    let mut at = 0;
    documents.all.retain(|_| {
        let stays = aside.next_if_eq(&at).is_none();
        at += 1;
        stays
    });
    documents
        .all
        .extend(compared.only.iter().map(|at| there[*at]));
    for (document, index) in documents.all.iter_mut().zip(0..) {
        document.index = index;
    }
    Arc::new(merged)
}

/// Reports the findings about a snapshot.
fn say(
    hub: &Hub,
    merged: &Merged,
    compared: &Compared<'_>,
    documents: &Documents<'_>,
    now: Timestamp,
    sink: &mut Sink,
) {
    sink.diagnostics.extend(stale(merged, now, hub.max_age));
    let top = Place {
        source: hub.source,
        span: Span::default(),
    };
    for gone in &merged.gone {
        sink.push(
            Diagnostic::new(&rules::HUB_PRUNE, gone.message())
                .at(gone.place, "on the hub")
                .help("add it again, or pass --no-prune if nothing deletes it")
                .object(gone.object.clone()),
        );
    }
    observed(compared, documents, sink);
    if hub.secrets > 0 {
        let message = format!(
            "the snapshot contains {}, which planner did not read",
            plural(hub.secrets, "Secret")
        );
        sink.push(
            Diagnostic::new(&rules::HUB_SECRET, message)
                .at(top, "")
                .help("export only the kinds that planner reads; delete this file"),
        );
    }
    left_out(hub, top, sink);
}

/// Kinds of documents that the hub writes itself and that count as it has them.
fn observed(compared: &Compared<'_>, documents: &Documents<'_>, sink: &mut Sink) {
    let aside = compared.aside.iter().map(|at| &documents.all[*at]);
    let mut first: BTreeMap<DocumentKind, &Document<'_>> = BTreeMap::new();
    for document in aside.filter(|document| document.record().is_none()) {
        first.entry(document.kind).or_insert(document);
    }
    for (kind, first) in first {
        let name = kind_name(kind);
        let message = format!("{name}s in these documents are ignored; those on the hub count");
        sink.push(
            Diagnostic::new(&rules::HUB_OBSERVED, message)
                .at(first.head().place(), "the first of them")
                .help("the hub writes them itself; leave them out of the repository"),
        );
    }
}

/// Objects of the snapshot that do not count.
fn left_out(hub: &Hub, top: Place, sink: &mut Sink) {
    let (unreadable, doubled) = (hub.unreadable.len(), hub.doubled());
    if unreadable + doubled > 0 {
        let mut parts = Vec::new();
        if unreadable > 0 {
            parts.push(format!(
                "{} of the hub cannot be read and {} left out: {}",
                plural(unreadable, "object"),
                if unreadable == 1 { "is" } else { "are" },
                first_names(hub.unreadable.iter(), 5)
            ));
        }
        if doubled > 0 {
            parts.push(format!(
                "{} of the hub {} in the snapshot twice; the last one counts",
                plural(doubled, "object"),
                if doubled == 1 { "is" } else { "are" },
            ));
        }
        sink.push(
            Diagnostic::new(&rules::HUB_UNREADABLE, parts.join("; "))
                .at(top, "")
                .help("export the hub once, with the command that `planner init` prints"),
        );
    }
}

/// The finding for a snapshot that is older than it may be; the limit is in seconds.
#[must_use]
pub fn stale(merged: &Merged, now: Timestamp, most: i64) -> Option<Diagnostic> {
    let since = merged.taken.or(merged.newest)?;
    let age = now.as_second() - since.as_second();
    (age > most).then(|| {
        let message = format!(
            "the snapshot of the hub is {} old, more than {}",
            age_text(age),
            age_text(most)
        );
        Diagnostic::new(&rules::HUB_STALE, message)
            .at(
                Place {
                    source: merged.source,
                    span: Span::default(),
                },
                "",
            )
            .help("export the hub again, or raise `hub-max-age` in planner.toml")
    })
}

/// An age in words: its largest unit.
#[must_use]
pub fn age_text(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86400),
    }
}

/// The keys of the objects in the documents, to find removed objects later.
#[must_use]
pub fn keys(documents: &Documents<'_>) -> Vec<HubKey> {
    let own = documents.all.iter();
    let own = own.filter(|document| crate::load::is_of_a_hub(document.kind));
    own.map(|document| {
        let (kind, namespace, name) = key_of(document.kind, document.node);
        (kind, namespace.to_owned(), name.to_owned())
    })
    .collect()
}
