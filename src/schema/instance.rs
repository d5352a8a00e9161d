//! Our tree as the schema library sees it, without a copy.

use std::borrow::Cow;
use std::cell::Cell;

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node as JsonNode, NodeIdentity, Object};
use serde_json::{Number, Value};

use crate::yaml::{Dialect, Kind, Node, Scalar};

/// The representation, for the library's type parameters.
pub(crate) struct Spanned;

/// How the nodes of one document are seen.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// The YAML dialect of its scalars.
    dialect: Dialect,
    /// Kubernetes readers drop keys without a value before they check: here is noted that there
    /// was one. Without it such keys are shown.
    dropped: Option<&'a Cell<bool>>,
}

impl<'a> View<'a> {
    /// As the readers of the dialect see it; `dropped` is set when a key without a value is met.
    pub(crate) fn as_read(dialect: Dialect, dropped: &'a Cell<bool>) -> Self {
        let dropped = (dialect != Dialect::PyYaml).then_some(dropped);
        Self { dialect, dropped }
    }

    /// With every key.
    pub(crate) fn whole(dialect: Dialect) -> Self {
        let dropped = None;
        Self { dialect, dropped }
    }

    fn hides(&self, value: Node<'_>) -> bool {
        match self.dropped {
            Some(dropped) if value.is_null() => {
                dropped.set(true);
                true
            }
            _ => false,
        }
    }
}

/// A node, or a bare text (a property name).
#[derive(Clone, Copy)]
pub(crate) enum Instance<'a> {
    /// A node of a document.
    Node(Node<'a>, View<'a>),
    /// A text.
    Text(&'a str),
}

impl<'a> Instance<'a> {
    /// PyYAML makes a date of what looks like one, which is neither text nor any other JSON type
    /// either.
    fn is_date(&self) -> bool {
        matches!(self, Self::Node(_, view) if view.dialect == Dialect::PyYaml)
            && matches!(self.scalar(), Some(Scalar::Time(_)))
    }

    fn scalar(&self) -> Option<Scalar<'a>> {
        match self {
            Self::Node(node, view) => node.scalar(view.dialect),
            Self::Text(text) => Some(Scalar::Text(text)),
        }
    }
}

impl Json for Spanned {
    type Node<'a> = Instance<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    /// A look-up walks over the members too: one walk for many keys is never the longer way.
    const KEYS_PER_LOOKUP: usize = 1 << 24;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(_: &mut (), string: &str, f: impl FnOnce(Instance<'_>) -> T) -> T {
        f(Instance::Text(string))
    }
}

pub(crate) enum Figure {
    Int(i128),
    Big(String),
    /// The value, and whether it may stand for a whole number (Kubernetes: `3.0` may).
    Float(f64, bool),
}

impl JsonNumber for Figure {
    fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Int(value) => u64::try_from(*value).ok(),
            _ => None,
        }
    }

    fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(value) => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "bounds are small; no decision is made here"
    )]
    fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value, _) => Some(*value),
            Self::Big(text) => text.parse().ok(),
        }
    }

    fn as_str(&self) -> Cow<'_, str> {
        match self {
            Self::Int(value) => Cow::Owned(value.to_string()),
            Self::Big(text) => Cow::Borrowed(text),
            Self::Float(value, _) => Cow::Owned(value.to_string()),
        }
    }

    fn to_number(&self) -> Cow<'_, Number> {
        let number = match self {
            Self::Int(value) => Number::from_i128(*value),
            _ => None,
        };
        let float = || self.as_f64().and_then(Number::from_f64);
        Cow::Owned(number.or_else(float).unwrap_or_else(|| Number::from(0)))
    }

    fn is_integer(&self) -> bool {
        match self {
            Self::Int(_) | Self::Big(_) => true,
            Self::Float(value, whole) => *whole && value.fract() == 0.0,
        }
    }
}

impl<'a> JsonNode<'a, Spanned> for Instance<'a> {
    type Object = ObjectView<'a>;
    type Array = ArrayView<'a>;
    type Number = Figure;

    fn as_object(&self) -> Option<ObjectView<'a>> {
        match self {
            Self::Node(node, view) if node.is_mapping() => Some(ObjectView {
                node: *node,
                view: *view,
            }),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<ArrayView<'a>> {
        match self {
            Self::Node(node, view) if node.is_sequence() => Some(ArrayView {
                node: *node,
                view: *view,
            }),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        match self.scalar()? {
            Scalar::Text(text) => Some(Cow::Borrowed(text)),
            Scalar::Time(text) if !self.is_date() => Some(Cow::Borrowed(text)),
            _ => None,
        }
    }

    fn as_number(&self) -> Option<Figure> {
        let whole = matches!(self, Self::Node(_, view) if view.dialect != Dialect::PyYaml);
        match self.scalar()? {
            Scalar::Int(value) => Some(Figure::Int(value)),
            Scalar::BigInt(text) => Some(Figure::Big(text.replace(['_', '+'], ""))),
            Scalar::Float(value) => Some(Figure::Float(value, whole)),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self.scalar()? {
            Scalar::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.scalar(), Some(Scalar::Null))
    }

    fn json_type(&self) -> JsonType {
        match self {
            Self::Node(node, _) if node.kind() == Kind::Mapping => JsonType::Object,
            Self::Node(node, _) if node.kind() == Kind::Sequence => JsonType::Array,
            _ => match self.scalar() {
                Some(Scalar::Time(_)) if self.is_date() => JsonType::Null,
                Some(Scalar::Null) | None => JsonType::Null,
                Some(Scalar::Bool(_)) => JsonType::Boolean,
                Some(Scalar::Int(_) | Scalar::BigInt(_) | Scalar::Float(_)) => JsonType::Number,
                Some(Scalar::Time(_) | Scalar::Text(_)) => JsonType::String,
            },
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        jsonschema::json::cmp::equal(&whole_value(self), expected)
    }

    /// Containers are `null` here: the library copies the instance into every error, and
    /// our messages read the tree instead.
    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(scalar_value(self))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        match self {
            Self::Node(node, _) => Some(NodeIdentity::tagged(node.address(), node.number())),
            Self::Text(_) => None,
        }
    }
}

fn scalar_value(instance: &Instance<'_>) -> Value {
    match instance.scalar() {
        Some(Scalar::Bool(value)) => Value::Bool(value),
        Some(Scalar::Text(text) | Scalar::Time(text)) => Value::String(text.to_owned()),
        Some(_) => instance.as_number().map_or(Value::Null, |number| {
            Value::Number(number.to_number().into_owned())
        }),
        None => Value::Null,
    }
}

/// Recursion is bounded by the reader's depth limit.
fn whole_value(instance: &Instance<'_>) -> Value {
    if let Some(object) = instance.as_object() {
        let members = object.members();
        return members
            .map(|(key, value)| (key.to_owned(), whole_value(&value)))
            .collect();
    }
    if let Some(array) = instance.as_array() {
        return array.elements().map(|value| whole_value(&value)).collect();
    }
    scalar_value(instance)
}

pub(crate) struct ObjectView<'a> {
    node: Node<'a>,
    view: View<'a>,
}

impl<'a> Object<'a, Spanned> for ObjectView<'a> {
    type Node = Instance<'a>;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        if self.view.dropped.is_none() {
            return self.node.len();
        }
        self.node
            .entries()
            .filter(|(_, value)| !self.view.hides(*value))
            .count()
    }

    fn get(&self, key: &String) -> Option<Instance<'a>> {
        let value = self.node.get(key)?;
        (!self.view.hides(value)).then_some(Instance::Node(value, self.view))
    }

    fn members(&self) -> Members<'a> {
        Members {
            entries: self.node.entries(),
            view: self.view,
        }
    }
}

pub(crate) struct Members<'a> {
    entries: crate::yaml::Entries<'a>,
    view: View<'a>,
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, Instance<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (key, value) = self.entries.next()?;
            if !self.view.hides(value) {
                return Some((key.text().unwrap_or(""), Instance::Node(value, self.view)));
            }
        }
    }
}

pub(crate) struct ArrayView<'a> {
    node: Node<'a>,
    view: View<'a>,
}

impl<'a> Array<'a, Spanned> for ArrayView<'a> {
    type Node = Instance<'a>;
    type ElementsIter = Elements<'a>;

    fn len(&self) -> usize {
        self.node.len()
    }

    fn elements(&self) -> Elements<'a> {
        Elements {
            items: self.node.items(),
            view: self.view,
        }
    }

    fn is_unique(&self) -> bool {
        let values: Vec<Cow<'_, Value>> = self
            .elements()
            .map(|element| Cow::Owned(whole_value(&element)))
            .collect();
        jsonschema::json::unique::is_unique(&values)
    }
}

pub(crate) struct Elements<'a> {
    items: crate::yaml::Items<'a>,
    view: View<'a>,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Instance<'a>;

    fn next(&mut self) -> Option<Instance<'a>> {
        self.items
            .next()
            .map(|item| Instance::Node(item, self.view))
    }
}
