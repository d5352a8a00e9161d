//! Values during rendering: nodes of documents as written, changed by layering and substitution.
//! Unchanged parts are shared, so a copy is cheap.

use std::rc::Rc;

use crate::source::Place;
use crate::yaml::{Dialect, Kind, Node, Scalar, TreeBuilder};

/// A value: a node as written, or something made.
#[derive(Debug, Clone)]
pub(crate) enum Value<'a> {
    /// As written.
    Node(Node<'a>),
    /// A mapping or list of which some part was changed.
    Made(Rc<Made<'a>>),
    /// Text that a pattern made; the place is that of the text it was made from.
    Text(Rc<str>, Place),
    /// Nothing, where a source had nothing.
    Null(Place),
}

/// A key of a mapping.
#[derive(Debug, Clone)]
pub(crate) enum Key<'a> {
    /// As written.
    Node(Node<'a>),
    /// From a path.
    Text(Rc<str>, Place),
}

impl Key<'_> {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Node(node) => node.text().unwrap_or(""),
            Self::Text(text, _) => text,
        }
    }
}

/// The entries of a mapping or the items of a list.
#[derive(Debug, Clone)]
pub(crate) enum Body<'a> {
    Mapping(Vec<(Key<'a>, Value<'a>)>),
    Sequence(Vec<Value<'a>>),
}

/// A container with its size, kept up to date so that limits cost nothing to check.
#[derive(Debug, Clone)]
pub(crate) struct Made<'a> {
    pub(crate) place: Place,
    pub(crate) body: Body<'a>,
    weight: u64,
    depth: u32,
}

impl<'a> Value<'a> {
    /// A container of these parts.
    pub(crate) fn made(body: Body<'a>, place: Place) -> Self {
        let mut made = Made {
            place,
            body,
            weight: 0,
            depth: 0,
        };
        made.measure();
        Self::Made(Rc::new(made))
    }

    /// An empty mapping.
    pub(crate) fn empty(place: Place) -> Self {
        Self::made(Body::Mapping(Vec::new()), place)
    }

    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Node(node) => node.place(),
            Self::Made(made) => made.place,
            Self::Text(_, place) | Self::Null(place) => *place,
        }
    }

    /// How many nodes it has.
    pub(crate) fn weight(&self) -> u64 {
        match self {
            Self::Node(node) => node.size() as u64,
            Self::Made(made) => made.weight,
            _ => 1,
        }
    }

    /// How deep the made part is.
    pub(crate) fn depth(&self) -> u32 {
        match self {
            Self::Made(made) => made.depth,
            _ => 0,
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Node(node) => node.kind(),
            Self::Made(made) => match made.body {
                Body::Mapping(_) => Kind::Mapping,
                Body::Sequence(_) => Kind::Sequence,
            },
            _ => Kind::Scalar,
        }
    }

    pub(crate) fn is_mapping(&self) -> bool {
        self.kind() == Kind::Mapping
    }

    pub(crate) fn is_null(&self) -> bool {
        match self {
            Self::Node(node) => node.is_null(),
            Self::Null(_) => true,
            _ => false,
        }
    }

    /// A scalar with its type; `None` for containers.
    pub(crate) fn scalar(&self) -> Option<Scalar<'_>> {
        match self {
            Self::Node(node) => node.scalar(Dialect::PyYaml),
            Self::Made(_) => None,
            Self::Text(text, _) => Some(Scalar::Text(text)),
            Self::Null(_) => Some(Scalar::Null),
        }
    }

    /// The entries of a mapping; none for other values.
    pub(crate) fn entries(&self) -> Vec<(Key<'a>, Self)> {
        match self {
            Self::Node(node) => node
                .entries()
                .map(|(key, value)| (Key::Node(key), Self::Node(value)))
                .collect(),
            Self::Made(made) => match &made.body {
                Body::Mapping(entries) => entries.clone(),
                Body::Sequence(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The items of a list; none for other values.
    pub(crate) fn items(&self) -> Vec<Self> {
        match self {
            Self::Node(node) => node.items().map(Self::Node).collect(),
            Self::Made(made) => match &made.body {
                Body::Sequence(items) => items.clone(),
                Body::Mapping(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        match self {
            Self::Node(node) => node.get(key).map(Self::Node),
            Self::Made(made) => match &made.body {
                Body::Mapping(entries) => entries
                    .iter()
                    .find(|(name, _)| name.text() == key)
                    .map(|(_, v)| v.clone()),
                Body::Sequence(_) => None,
            },
            _ => None,
        }
    }

    /// The item at an index.
    pub(crate) fn item(&self, index: usize) -> Option<Self> {
        match self {
            Self::Node(node) => node.items().nth(index).map(Self::Node),
            Self::Made(made) => match &made.body {
                Body::Sequence(items) => items.get(index).cloned(),
                Body::Mapping(_) => None,
            },
            _ => None,
        }
    }

    /// The container to change: a copy of one level where it was shared or as written.
    /// `None` for scalars. The caller that changes it calls [`Made::measure`].
    pub(crate) fn open(&mut self) -> Option<&mut Made<'a>> {
        if let Self::Node(node) = *self {
            let body = match node.kind() {
                Kind::Mapping => Body::Mapping(self.entries()),
                Kind::Sequence => Body::Sequence(self.items()),
                Kind::Scalar => return None,
            };
            *self = Self::made(body, node.place());
        }
        match self {
            Self::Made(made) => Some(Rc::make_mut(made)),
            _ => None,
        }
    }

    /// Equality of values, as the original compares them: mappings whatever their order.
    ///
    /// Recursion is bounded by [`super::MOST_DEPTH`] and the reader's own limit.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        if let (Self::Made(one), Self::Made(two)) = (self, other)
            && Rc::ptr_eq(one, two)
        {
            return true;
        }
        if self.weight() != other.weight() || self.kind() != other.kind() {
            return false;
        }
        match self.kind() {
            Kind::Scalar => match (self.scalar(), other.scalar()) {
                (Some(one), Some(two)) => one == two,
                _ => false,
            },
            Kind::Sequence => {
                let (one, two) = (self.items(), other.items());
                one.len() == two.len() && one.iter().zip(&two).all(|(one, two)| one.equals(two))
            }
            Kind::Mapping => {
                let (one, two) = (self.entries(), other.entries());
                one.len() == two.len()
                    && one.iter().all(|(key, value)| {
                        other
                            .get(key.text())
                            .is_some_and(|other| value.equals(&other))
                    })
            }
        }
    }

    /// Writes the value into a tree. Recursion bounded as for [`Value::equals`].
    pub(crate) fn write(&self, builder: &mut TreeBuilder) {
        match self {
            Self::Node(node) => builder.copy(*node),
            Self::Text(text, place) => builder.scalar(text, false, *place),
            Self::Null(place) => builder.scalar("", true, *place),
            Self::Made(made) => {
                builder.begin(self.kind(), made.place);
                match &made.body {
                    Body::Mapping(entries) => {
                        for (key, value) in entries {
                            match key {
                                Key::Node(node) => builder.copy(*node),
                                Key::Text(text, place) => builder.scalar(text, false, *place),
                            }
                            value.write(builder);
                        }
                    }
                    Body::Sequence(items) => items.iter().for_each(|item| item.write(builder)),
                }
                builder.end();
            }
        }
    }
}

impl<'a> Made<'a> {
    /// Counts again after a change.
    pub(crate) fn measure(&mut self) {
        let (mut weight, mut depth) = (1u64, 0);
        let mut add = |value: &Value<'a>, more: u64| {
            weight = weight.saturating_add(value.weight()).saturating_add(more);
            depth = depth.max(value.depth());
        };
        match &self.body {
            Body::Mapping(entries) => entries.iter().for_each(|(_, value)| add(value, 1)),
            Body::Sequence(items) => items.iter().for_each(|item| add(item, 0)),
        }
        self.weight = weight;
        self.depth = depth + 1;
    }

    /// Puts a value under a key, whatever was there.
    pub(crate) fn put(&mut self, key: &Key<'a>, value: Value<'a>) {
        if let Body::Mapping(entries) = &mut self.body {
            match entries
                .iter_mut()
                .find(|(name, _)| name.text() == key.text())
            {
                Some(entry) => entry.1 = value,
                None => entries.push((key.clone(), value)),
            }
        }
        self.measure();
    }
}

/// Lays one mapping over another: keys of the upper one win, mappings merge, anything else is
/// replaced; lists are never joined. Recursion bounded as for [`Value::equals`].
pub(crate) fn merge<'a>(lower: &Value<'a>, upper: &Value<'a>) -> Value<'a> {
    if !lower.is_mapping() || !upper.is_mapping() {
        return upper.clone();
    }
    let mut entries = lower.entries();
    let mut at: rustc_hash::FxHashMap<String, usize> = rustc_hash::FxHashMap::default();
    for (number, (key, _)) in entries.iter().enumerate() {
        at.insert(key.text().to_owned(), number);
    }
    for (key, value) in upper.entries() {
        match at.get(key.text()) {
            Some(number) => {
                let merged = merge(&entries[*number].1, &value);
                entries[*number] = (key, merged);
            }
            None => entries.push((key, value)),
        }
    }
    Value::made(Body::Mapping(entries), upper.place())
}

/// Removes the first value, depth first and in order, that equals `target`; its place, or
/// `None` when the whole value equals it or nothing does.
///
/// As Deckhand's `deep_delete`.
pub(crate) fn delete_first<'a>(value: &mut Value<'a>, target: &Value<'a>) -> Option<Place> {
    let heavy = |part: &Value<'a>| part.weight() > target.weight();
    let position = match value.kind() {
        Kind::Scalar => return None,
        Kind::Mapping => value
            .entries()
            .iter()
            .position(|(_, part)| part.equals(target)),
        Kind::Sequence => value.items().iter().position(|part| part.equals(target)),
    };
    // A container's own entry is met when the walk reaches it, which is after all that lies
    // below the entries before it.
    let parts: Vec<Value<'a>> = match value.kind() {
        Kind::Mapping => value.entries().into_iter().map(|(_, part)| part).collect(),
        _ => value.items(),
    };
    let before = position.unwrap_or(parts.len());
    for (number, mut part) in parts.into_iter().enumerate().take(before) {
        if !heavy(&part) {
            continue;
        }
        if let Some(place) = delete_first(&mut part, target) {
            let made = value.open()?;
            match &mut made.body {
                Body::Mapping(entries) => entries[number].1 = part,
                Body::Sequence(items) => items[number] = part,
            }
            made.measure();
            return Some(place);
        }
    }
    let at = position?;
    let made = value.open()?;
    let removed = match &mut made.body {
        Body::Mapping(entries) => entries.remove(at).1,
        Body::Sequence(items) => items.remove(at),
    };
    made.measure();
    Some(removed.place())
}
