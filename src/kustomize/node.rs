//! Documents while they are built: nodes that share what they have in common, each with the place
//! that it comes from.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::kit::secret;
use crate::source::Place;
use crate::yaml::{Kind, Tree, TreeBuilder};

use super::scalar::{Scalar, Tag};

/// A value and where it comes from.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) value: Value,
    /// The line to edit.
    pub(super) place: Place,
    /// The line that changed the value: a prefix, a replacement.
    pub(super) by: Option<Place>,
    /// A scalar that was copied out of a Secret.
    pub(super) secret: bool,
}

/// The value of a node: a scalar, a mapping or a list.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Scalar(Scalar),
    Map(Vec<Entry>),
    List(Vec<Arc<Node>>),
}

/// A key and its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: Arc<str>,
    pub(super) place: Place,
    pub(super) value: Arc<Node>,
}

/// A step of the path to a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(Arc<str>),
    Index(usize),
}

/// The weight that a document may reach while values are copied in it: a scalar weighs one, and
/// one more for each 16 bytes of it.
pub(super) const HEAVIEST: usize = 1_000_000;

/// The weight of values together, as if nothing in them were shared; counted no further than
/// `most`.
pub(super) fn weight<'n>(values: impl IntoIterator<Item = &'n Node>, most: usize) -> usize {
    let mut open: Vec<&Node> = values.into_iter().collect();
    let mut weight = 0;
    while let Some(node) = open.pop() {
        weight += 1;
        match &node.value {
            Value::Scalar(scalar) => weight += scalar.text.len() / 16,
            Value::Map(entries) => open.extend(entries.iter().map(|entry| &*entry.value)),
            Value::List(items) => open.extend(items.iter().map(|item| &**item)),
        }
        if weight >= most {
            return most;
        }
    }
    weight
}

impl Node {
    /// The weight of a value, as if nothing in it were shared; counted no further than `most`.
    pub(super) fn weight(&self, most: usize) -> usize {
        weight([self], most)
    }

    /// Whether it is too heavy to copy values in it again.
    pub(super) fn is_too_heavy(&self) -> bool {
        self.weight(HEAVIEST) == HEAVIEST
    }

    pub(super) fn new(value: Value, place: Place) -> Arc<Self> {
        Arc::new(Self {
            value,
            place,
            by: None,
            secret: false,
        })
    }

    pub(super) fn scalar(scalar: Scalar, place: Place) -> Arc<Self> {
        Self::new(Value::Scalar(scalar), place)
    }

    /// A text.
    pub(super) fn text(text: impl Into<Arc<str>>, place: Place) -> Arc<Self> {
        Self::scalar(Scalar::text(text), place)
    }

    pub(super) fn map(place: Place) -> Arc<Self> {
        Self::new(Value::Map(Vec::new()), place)
    }

    pub(super) fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The written text of a scalar that is not null.
    pub(super) fn as_text(&self) -> Option<&Arc<str>> {
        self.as_scalar()
            .filter(|scalar| scalar.tag != Tag::Null)
            .map(|scalar| &scalar.text)
    }

    pub(super) fn is_null(&self) -> bool {
        self.as_scalar()
            .is_some_and(|scalar| scalar.tag == Tag::Null)
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// Whether nothing stands there: null, an empty map, list or text.
    pub(super) fn is_nothing(&self) -> bool {
        match &self.value {
            Value::Scalar(scalar) => scalar.tag == Tag::Null || scalar.text.is_empty(),
            Value::Map(entries) => entries.is_empty(),
            Value::List(items) => items.is_empty(),
        }
    }

    pub(super) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> &[Arc<Self>] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Arc<Self>> {
        self.entry(key).map(|entry| &entry.value)
    }

    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| &*entry.key == key)
    }

    /// Follows keys downwards.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Arc<Self>> {
        let (first, rest) = path.split_first()?;
        let mut node = self.get(first)?;
        for key in rest {
            node = node.get(key)?;
        }
        Some(node)
    }

    /// The entries of a map, to change them; nothing for other nodes.
    pub(super) fn entries_mut(&mut self) -> Option<&mut Vec<Entry>> {
        match &mut self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Sets a key of a map, in its place or behind all others.
    pub(super) fn set(&mut self, key: &str, value: Arc<Self>) {
        self.set_named(key, value.place, value);
    }

    /// Puts a value under a key that is written elsewhere.
    pub(super) fn set_named(&mut self, key: &str, place: Place, value: Arc<Self>) {
        let Some(entries) = self.entries_mut() else {
            return;
        };
        match entries.iter_mut().find(|entry| &*entry.key == key) {
            Some(entry) => entry.value = value,
            None => entries.push(Entry {
                key: key.into(),
                place,
                value,
            }),
        }
    }

    /// Takes a key out of a map.
    pub(super) fn remove(&mut self, key: &str) -> Option<Arc<Self>> {
        let entries = self.entries_mut()?;
        let at = entries.iter().position(|entry| &*entry.key == key)?;
        Some(entries.remove(at).value)
    }

    /// Whether there is a value behind a path, lists included.
    pub(super) fn step(&self, step: &Step) -> Option<&Arc<Self>> {
        match step {
            Step::Key(key) => self.get(key),
            Step::Index(at) => self.items().get(*at),
        }
    }

    /// The node behind a path.
    pub(super) fn follow<'n>(self: &'n Arc<Self>, path: &[Step]) -> Option<&'n Arc<Self>> {
        let mut node = self;
        for step in path {
            node = node.step(step)?;
        }
        Some(node)
    }

    /// The node behind a path, to change it: everything on the way is no longer shared.
    pub(super) fn follow_mut<'n>(
        self: &'n mut Arc<Self>,
        path: &[Step],
    ) -> Option<&'n mut Arc<Self>> {
        let mut node = self;
        for step in path {
            node = match (&mut Arc::make_mut(node).value, step) {
                (Value::Map(entries), Step::Key(key)) => {
                    let mut entries = entries.iter_mut();
                    &mut entries.find(|entry| entry.key == *key)?.value
                }
                (Value::List(items), Step::Index(at)) => items.get_mut(*at)?,
                _ => return None,
            };
        }
        Some(node)
    }

    /// Whether two values are the same data.
    pub(super) fn same(&self, other: &Self) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        match (&self.value, &other.value) {
            (Value::Scalar(one), Value::Scalar(two)) => one.same(two),
            (Value::List(one), Value::List(two)) => {
                one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one.same(two))
            }
            (Value::Map(one), Value::Map(two)) => {
                let equal = |entry: &Entry| {
                    let other = other.get(&entry.key);
                    other.is_some_and(|other| entry.value.same(other))
                };
                one.len() == two.len() && one.iter().all(equal)
            }
            _ => false,
        }
    }

    /// Whether a key of it holds values of a Secret.
    pub(super) fn hides(&self, key: &str) -> bool {
        let kind = self.get("kind").and_then(|kind| kind.as_text());
        secret::is_hidden(kind.map(|kind| &**kind), key)
    }

    /// Marks the values of a Secret that has become something else.
    pub(super) fn keep_secret(self: &mut Arc<Self>, before: &Self) {
        for key in secret::VALUES.into_iter().filter(|key| before.hides(key)) {
            if let Some(value) = self.get(key).filter(|_| !self.hides(key)) {
                let value = value.as_secret();
                Arc::make_mut(self).set(key, value);
            }
        }
    }

    /// Whether the object is called by a value of a Secret, which would be shown with every name.
    pub(super) fn is_named_by_secret(&self) -> bool {
        let is_secret = |node: &Self, key: &str| node.get(key).is_some_and(|value| value.secret);
        let metadata = self.get("metadata");
        ["apiVersion", "kind"]
            .iter()
            .any(|key| is_secret(self, key))
            || ["name", "namespace"]
                .iter()
                .any(|key| metadata.is_some_and(|of| is_secret(of, key)))
    }

    /// The value with each scalar in it marked as that of a Secret.
    pub(super) fn as_secret(&self) -> Arc<Self> {
        let mut node = self.clone();
        match &mut node.value {
            Value::Scalar(_) => node.secret = true,
            Value::List(items) => items.iter_mut().for_each(|item| *item = item.as_secret()),
            Value::Map(entries) => {
                let values = entries.iter_mut().map(|entry| &mut entry.value);
                values.for_each(|value| *value = value.as_secret());
            }
        }
        Arc::new(node)
    }

    /// The value as JSON, with another one in place of each that was copied out of a Secret.
    pub(super) fn json(&self, hidden: Option<&str>) -> Json {
        match &self.value {
            Value::Scalar(scalar) => match hidden.filter(|_| self.secret) {
                Some(hidden) => hidden.into(),
                None => scalar.json(),
            },
            Value::List(items) => items.iter().map(|item| item.json(hidden)).collect(),
            Value::Map(entries) => {
                let pair = |entry: &Entry| (entry.key.to_string(), entry.value.json(hidden));
                Json::Object(entries.iter().map(pair).collect::<Map<_, _>>())
            }
        }
    }

    /// The document as a tree whose every node keeps its place.
    pub(super) fn tree(&self) -> Tree {
        fn push(node: &Node, builder: &mut TreeBuilder) {
            match &node.value {
                Value::Scalar(scalar) => {
                    let (text, plain) = scalar.written();
                    if node.secret {
                        builder.secret(&text, plain, node.place);
                    } else {
                        builder.scalar(&text, plain, node.place);
                    }
                }
                Value::List(items) => {
                    builder.begin(Kind::Sequence, node.place);
                    items.iter().for_each(|item| push(item, builder));
                    builder.end();
                }
                Value::Map(entries) => {
                    builder.begin(Kind::Mapping, node.place);
                    for entry in entries {
                        builder.scalar(&entry.key, false, entry.place);
                        push(&entry.value, builder);
                    }
                    builder.end();
                }
            }
        }
        let mut builder = TreeBuilder::new();
        push(self, &mut builder);
        builder.finish()
    }
}
