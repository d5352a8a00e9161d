//! The differences between two sets of documents, field by field.
//!
//! Documents are matched by what they are called, items of lists by their name or key, so that
//! neither files nor order nor layout count as a change.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::diagnostic::Object;
use crate::document::{Document, DocumentKind, Documents, secret};
use crate::yaml::{Dialect, Kind, Node};

use super::items::{Lookup, Match, equal, is_another, pairs};
use super::path;

/// Fields that a hub writes and no decision reads.
const NOISE: &[&str] = &[
    "/metadata/generation",
    "/metadata/managedFields",
    "/metadata/resourceVersion",
    "/metadata/uid",
];

/// Identifies a document among all others of its side.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Identity<'a> {
    kind: &'a str,
    namespace: &'a str,
    package: &'a str,
    cluster: &'a str,
    layer: &'a str,
    name: &'a str,
    /// The file, for documents that only it tells apart.
    file: &'a str,
    record: Option<u64>,
    /// The number among documents that agree in all of the above.
    again: u32,
}

impl<'a> Identity<'a> {
    fn of(document: &Document<'a>, documents: &Documents<'a>) -> Self {
        let node = document.node;
        let text = |path: &[&str]| node.at(path).and_then(Node::text).unwrap_or_default();
        let spec = |kind, key| {
            if document.kind == kind {
                text(&["spec", key])
            } else {
                ""
            }
        };
        let kind = ["kind", "schema", "type"].map(|key| text(&[key]));
        let name = text(&["metadata", "name"]);
        let file = if document.kind.is_of_its_file() || name.is_empty() {
            documents.sources.get(document.source()).name.as_str()
        } else {
            ""
        };
        Self {
            kind: kind.into_iter().find(|kind| !kind.is_empty()).unwrap_or(""),
            namespace: text(&["metadata", "namespace"]),
            package: spec(DocumentKind::Application, "package"),
            cluster: spec(DocumentKind::Node, "cluster"),
            layer: text(&["metadata", "layeringDefinition", "layer"]),
            name,
            file,
            record: document.record(),
            again: 0,
        }
    }

    fn object(&self) -> Object {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let airship = self.kind.split('/').nth(1);
        Object {
            package: some(self.package),
            cluster: some(self.cluster),
            namespace: some(self.namespace),
            ..Object::new(
                airship.unwrap_or(self.kind),
                if self.name.is_empty() {
                    self.file
                } else {
                    self.name
                },
            )
        }
    }
}

/// A difference between two documents, or a document that only one side has.
#[derive(Debug, Clone)]
pub(crate) struct Change<'o, 'n> {
    /// The document.
    pub(crate) object: Object,
    /// JSON Pointer, in the later document where the value is in it.
    pub(crate) pointer: String,
    /// The pointer as people read it, list items by name.
    pub(crate) path: String,
    /// Whether its values are those of a Secret.
    pub(crate) secret: bool,
    /// How its scalars are read.
    pub(crate) dialect: Dialect,
    /// Where the earlier and the later document is: its index on its side.
    pub(crate) documents: (Option<u32>, Option<u32>),
    /// The change.
    pub(crate) event: Event<'o, 'n>,
}

/// The change of a value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event<'o, 'n> {
    /// The whole document came or went.
    Document,
    /// A value took the place of another.
    Changed(Node<'o>, Node<'n>),
    /// A value went: it, its key, the container it is missed in and how many of its children
    /// come before it there.
    Gone {
        value: Node<'o>,
        key: Option<Node<'o>>,
        position: usize,
        from: Node<'n>,
    },
    /// A value came: likewise.
    Come {
        value: Node<'n>,
        key: Option<Node<'n>>,
        position: usize,
        into: Node<'o>,
    },
    /// The same items in another order.
    Order(Node<'o>, Node<'n>),
}

impl<'o, 'n> Event<'o, 'n> {
    /// The change in the other direction: an addition becomes a removal.
    pub(super) fn mirrored(self) -> Event<'n, 'o> {
        match self {
            Self::Document => Event::Document,
            Self::Changed(before, after) => Event::Changed(after, before),
            Self::Gone {
                value,
                key,
                position,
                from,
            } => Event::Come {
                value,
                key,
                position,
                into: from,
            },
            Self::Come {
                value,
                key,
                position,
                into,
            } => Event::Gone {
                value,
                key,
                position,
                from: into,
            },
            Self::Order(before, after) => Event::Order(after, before),
        }
    }
}

/// The documents by identity; repeated ones are numbered.
fn by_identity<'a>(documents: &Documents<'a>) -> FxHashMap<Identity<'a>, Document<'a>> {
    let mut known: FxHashMap<Identity<'a>, Document<'a>> = FxHashMap::default();
    let mut repeated: FxHashMap<Identity<'a>, u32> = FxHashMap::default();
    known.reserve(documents.all.len());
    for document in &documents.all {
        if document.kind == DocumentKind::PlanTest {
            continue;
        }
        let mut identity = Identity::of(document, documents);
        if known.contains_key(&identity) {
            let again = repeated.entry(identity.clone()).or_default();
            *again += 1;
            identity.again = *again;
        }
        known.insert(identity, *document);
    }
    known
}

/// Every difference, by document, then by place in it.
pub(crate) fn changes<'o, 'n>(old: &Documents<'o>, new: &Documents<'n>) -> Vec<Change<'o, 'n>> {
    let (before, after) = (by_identity(old), by_identity(new));
    let gone = before.iter().filter(|(identity, _)| {
        let still: &Identity<'_> = identity;
        !after.contains_key(still)
    });
    let gone = gone.map(|(identity, document)| (identity.clone(), Some(document), None));
    let there = after.iter().map(|(identity, document)| {
        let known: &Identity<'_> = identity;
        (identity.clone(), before.get(known), Some(document))
    });
    let same = |old: &Document<'_>, new: &Document<'_>| {
        let text = old.node.source_text();
        !text.is_empty() && text == new.node.source_text()
    };
    let mut differing: Vec<_> = gone
        .chain(there)
        .filter(|(_, old, new)| old.zip(*new).is_none_or(|(old, new)| !same(old, new)))
        .collect();
    differing.sort_unstable_by(|(a, ..), (b, ..)| a.cmp(b));
    let mut found = Vec::new();
    for (identity, old, new) in differing {
        let any = new.map_or_else(|| old.map(|old| old.kind), |new| Some(new.kind));
        let dialect = any.unwrap_or(DocumentKind::Foreign).dialect();
        let mut reader = Reader {
            object: identity.object(),
            documents: (old.map(|old| old.index), new.map(|new| new.index)),
            dialect,
            pointer: String::new(),
            path: String::new(),
            secret: false,
            found: &mut found,
        };
        match (old, new) {
            (Some(old), Some(new)) => reader.compare(old.node, new.node),
            _ => reader.push(Event::Document),
        }
    }
    found
}

/// Whether items of two lists are written alike, in a way that says the same wherever it stands.
fn alike<'o, 'n>(old: Node<'o>, new: Node<'n>) -> impl Fn(Node<'o>, Node<'n>) -> bool {
    // An alias says what its anchor says, and a block what its indentation makes of it.
    let moves = |text: &str| ['*', '|', '>'].iter().any(|sign| text.contains(*sign));
    let plain = !moves(old.source_text()) && !moves(new.source_text());
    move |old, new| {
        let text = old.source_text();
        plain && !text.is_empty() && text == new.source_text()
    }
}

struct Reader<'r, 'o, 'n> {
    object: Object,
    documents: (Option<u32>, Option<u32>),
    dialect: Dialect,
    pointer: String,
    path: String,
    secret: bool,
    found: &'r mut Vec<Change<'o, 'n>>,
}

impl<'o, 'n> Reader<'_, 'o, 'n> {
    fn push(&mut self, event: Event<'o, 'n>) {
        if NOISE.contains(&self.pointer.as_str()) {
            return;
        }
        self.found.push(Change {
            object: self.object.clone(),
            pointer: self.pointer.clone(),
            path: self.path.clone(),
            secret: self.secret,
            dialect: self.dialect,
            documents: self.documents,
            event,
        });
    }

    /// `work` one step further down.
    fn below(&mut self, part: &str, shown: &str, work: impl FnOnce(&mut Self)) {
        let (pointer, path) = (self.pointer.len(), self.path.len());
        self.pointer.push('/');
        self.pointer
            .push_str(&part.replace('~', "~0").replace('/', "~1"));
        self.path.push_str(shown);
        work(self);
        self.pointer.truncate(pointer);
        self.path.truncate(path);
    }

    fn key(&mut self, key: &str, work: impl FnOnce(&mut Self)) {
        let shown = path::key(key, self.path.is_empty());
        self.below(key, &shown, work);
    }

    /// `work` on a value of two mappings.
    fn value(&mut self, of: (Node<'o>, Node<'n>), key: &str, work: impl FnOnce(&mut Self)) {
        let outside = self.secret;
        self.secret |= secret::is_hidden_in(of.0, key) || secret::is_hidden_in(of.1, key);
        self.key(key, work);
        self.secret = outside;
    }

    fn item(&mut self, at: usize, by: &Match, item: Node<'_>, work: impl FnOnce(&mut Self)) {
        let part = at.to_string();
        self.below(&part, &by.shown(&part, item), work);
    }

    /// Depth is bounded by the loader's limit.
    fn compare(&mut self, old: Node<'o>, new: Node<'n>) {
        match (old.kind(), new.kind()) {
            (Kind::Mapping, Kind::Mapping) => self.mappings(old, new),
            (Kind::Sequence, Kind::Sequence) => self.sequences(old, new),
            (Kind::Scalar, Kind::Scalar) if equal(old, new, self.dialect) => {}
            _ => self.push(Event::Changed(old, new)),
        }
    }

    fn mappings(&mut self, old: Node<'o>, new: Node<'n>) {
        let after = Lookup::new(new, |key| key.text().unwrap_or_default());
        let before = Lookup::new(old, |key| key.text().unwrap_or_default());
        for ((key, value), position) in old.entries().zip(0..) {
            let name = key.text().unwrap_or_default();
            let other = after.find(name);
            self.value((old, new), name, |reader| match other {
                Some(other) => reader.compare(value, other),
                None => reader.push(Event::Gone {
                    value,
                    key: Some(key),
                    position,
                    from: new,
                }),
            });
        }
        for ((key, value), position) in new.entries().zip(0..) {
            let name = key.text().unwrap_or_default();
            if before.find(name).is_none() {
                self.value((old, new), name, |reader| {
                    reader.push(Event::Come {
                        value,
                        key: Some(key),
                        position,
                        into: old,
                    });
                });
            }
        }
    }

    fn sequences(&mut self, old: Node<'o>, new: Node<'n>) {
        let (before, after): (Vec<_>, Vec<_>) = (old.items().collect(), new.items().collect());
        // Most of a long list is written as it was.
        let alike = alike(old, new);
        let shorter = before.len().min(after.len());
        let front = (0..shorter)
            .take_while(|at| alike(before[*at], after[*at]))
            .count();
        let (olds, news) = (&before[front..], &after[front..]);
        let back = |at: &usize| alike(olds[olds.len() - 1 - at], news[news.len() - 1 - at]);
        let back = (0..olds.len().min(news.len())).take_while(back).count();
        if before.len() == after.len() && front + back == shorter {
            return;
        }
        let (olds, news) = (&olds[..olds.len() - back], &news[..news.len() - back]);
        let by = Match::of(&before, front..before.len() - back, news);
        let pairs = pairs(&by, olds, news, self.dialect);
        let mut matched = vec![None; news.len()];
        // Where an item that is missed on the other side belongs there: behind its neighbour.
        let mut next = front;
        for ((value, pair), position) in olds.iter().zip(&pairs).zip(front..) {
            let value = *value;
            if let Some(at) = *pair {
                next = front + at + 1;
                matched[at] = Some(position);
                let other = news[at];
                if alike(value, other) {
                    continue;
                }
                let another = match by {
                    Match::Position => is_another(value, other, self.dialect),
                    _ => by.name(value) != by.name(other),
                };
                self.item(front + at, &by, value, |reader| {
                    if another {
                        reader.push(Event::Changed(value, other));
                    } else {
                        reader.compare(value, other);
                    }
                });
                continue;
            }
            self.item(position, &by, value, |reader| {
                reader.push(Event::Gone {
                    value,
                    key: None,
                    position: next,
                    from: new,
                });
            });
        }
        let mut next = front;
        for ((value, pair), position) in news.iter().zip(&matched).zip(front..) {
            if let Some(at) = pair {
                next = at + 1;
                continue;
            }
            let value = *value;
            self.item(position, &by, value, |reader| {
                reader.push(Event::Come {
                    value,
                    key: None,
                    position: next,
                    into: old,
                });
            });
        }
        if !pairs.iter().flatten().is_sorted() {
            self.push(Event::Order(old, new));
        }
    }
}

/// The items of a list by what they are matched by.
pub(crate) fn ranks(original: Node<'_>, other: Node<'_>) -> BTreeMap<u32, usize> {
    let (olds, news): (Vec<_>, Vec<_>) = (original.items().collect(), other.items().collect());
    let by = Match::of(&olds, 0..olds.len(), &news);
    let wanted: FxHashMap<String, usize> = other
        .items()
        .zip(0..)
        .map(|(item, at)| (by.name(item).to_owned(), at))
        .collect();
    let mut last = 0;
    let items = original.items();
    let rank = |item: Node<'_>| {
        last = wanted.get(by.name(item)).copied().unwrap_or(last);
        (item.number(), last)
    };
    items.map(rank).collect()
}
