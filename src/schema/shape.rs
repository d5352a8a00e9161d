//! The features by which a schema can tell documents apart, so that those alike in them are checked
//! once.
//!
//! Ten thousand nodes of a site differ in their names and addresses, of which a schema says no
//! more than that they are texts. The *shape* of a document is its keys, its containers, the
//! types of its scalars, and the texts of those scalars that a keyword such as `pattern` looks
//! at. Documents of one shape are valid together or not at all.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use crate::yaml::{Dialect, Kind, Node, Scalar};

/// Bytes of a shape beyond which a document is rather checked at once.
const LONGEST: usize = 1 << 13;

/// Shapes remembered of a schema; sites have a few dozen.
const MOST: usize = 1 << 10;

/// Keywords that look at no more than keys, types and counts.
const STRUCTURAL: &[&str] = &[
    "$defs",
    "$id",
    "$schema",
    "default",
    "dependentRequired",
    "description",
    "examples",
    "markdownDescription",
    "maxItems",
    "maxProperties",
    "minItems",
    "minProperties",
    "propertyNames",
    "required",
    "title",
    "type",
];

/// Keywords that look at a scalar's value.
const OF_VALUES: &[&str] = &[
    "const",
    "enum",
    "format",
    "maxLength",
    "maximum",
    "minLength",
    "minimum",
    "pattern",
];

/// The part of a scalar's text that its schema may look at.
#[derive(Debug, Clone)]
enum Look {
    /// Whether it matches. The first text that does is kept: most documents say the same.
    Pattern(Regex, OnceLock<Box<str>>),
    /// Whether it has more characters than these.
    Longer(u64),
    /// All of it.
    Text,
}

impl Look {
    fn of(keyword: &str, value: &Value) -> Self {
        let longer = |than: Option<u64>| than.map_or(Self::Text, Self::Longer);
        match keyword {
            "maxLength" => longer(value.as_u64()),
            "minLength" => longer(value.as_u64().and_then(|least| least.checked_sub(1))),
            "pattern" => {
                // Classes such as `\\s` are others in JSON Schema.
                let plain = |pattern: &&str| {
                    let mut escaped = pattern.split('\\').skip(1);
                    !escaped.any(|after| after.starts_with(char::is_alphanumeric))
                };
                let pattern = value.as_str().filter(plain).map(Regex::new);
                let pattern = pattern.and_then(Result::ok);
                pattern.map_or(Self::Text, |pattern| {
                    Self::Pattern(pattern, OnceLock::new())
                })
            }
            _ => Self::Text,
        }
    }

    fn write(&self, text: &str, shape: &mut Vec<u8>) {
        match self {
            Self::Pattern(pattern, first) => {
                let known = first.get().is_some_and(|first| **first == *text);
                let matches = known || pattern.is_match(text);
                if matches && !known {
                    first.get_or_init(|| text.into());
                }
                shape.push(matches.into());
            }
            Self::Longer(than) => {
                let longer = text.len() as u64 > *than && text.chars().count() as u64 > *than;
                shape.push(longer.into());
            }
            Self::Text => write_text(text, shape),
        }
    }
}

fn write_text(text: &str, shape: &mut Vec<u8>) {
    shape.extend_from_slice(&text.len().to_le_bytes());
    shape.extend_from_slice(text.as_bytes());
}

/// Which scalars a part of a schema judges: the value of a property, or what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Via {
    Value,
    /// The items of its list, and of lists in it.
    Item,
    /// The values of its mapping, whatever their keys.
    Member,
}

/// The parts that a schema looks at under one property.
#[derive(Debug, Clone, Default)]
struct Looks {
    value: Vec<Look>,
    items: Vec<Look>,
    members: Vec<Look>,
}

/// A property at which nothing is looked.
static NONE: Looks = Looks {
    value: Vec::new(),
    items: Vec::new(),
    members: Vec::new(),
};

/// The parts of scalars that a schema looks at, by property: a name counts wherever it is.
#[derive(Debug, Clone, Default)]
pub(super) struct Sensitive {
    looks: FxHashMap<String, Looks>,
    /// Every value may matter: the schema uses keywords that are not known here.
    pub(super) all: bool,
}

/// The property that a part of a schema is under, and how.
type Under<'s> = Option<(Via, &'s str)>;

impl Sensitive {
    /// Of a bundled schema.
    pub(super) fn of(schema: &Value) -> Self {
        let mut found = Self::default();
        found.collect(schema, schema, None, &mut BTreeSet::new());
        found
    }

    /// Looks at the part of a schema that judges the values under a property.
    fn collect<'s>(
        &mut self,
        root: &'s Value,
        part: &'s Value,
        under: Under<'s>,
        followed: &mut BTreeSet<(&'s str, Under<'s>)>,
    ) {
        let Value::Object(part) = part else {
            return;
        };
        for (keyword, value) in part {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, part) in properties {
                        self.collect(root, part, Some((Via::Value, name)), followed);
                    }
                }
                ("patternProperties", Value::Object(parts)) => {
                    for part in parts.values() {
                        self.enter(root, part, under, Via::Member, followed);
                    }
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                    for part in parts {
                        self.collect(root, part, under, followed);
                    }
                }
                ("else" | "if" | "not" | "then", part) => {
                    self.collect(root, part, under, followed);
                }
                ("additionalProperties", part) => {
                    self.enter(root, part, under, Via::Member, followed);
                }
                ("items", part) => self.enter(root, part, under, Via::Item, followed),
                ("$ref", Value::String(reference)) => {
                    let target = reference.strip_prefix('#').and_then(|at| root.pointer(at));
                    match target {
                        Some(target) if followed.insert((reference, under)) => {
                            self.collect(root, target, under, followed);
                        }
                        Some(_) => {}
                        None => self.all = true,
                    }
                }
                (name, value) if OF_VALUES.contains(&name) => match under {
                    Some((via, under)) => {
                        let looks = self.looks.entry(under.to_owned()).or_default();
                        let looks = match via {
                            Via::Value => &mut looks.value,
                            Via::Item => &mut looks.items,
                            Via::Member => &mut looks.members,
                        };
                        looks.push(Look::of(name, value));
                    }
                    None => self.all = true,
                },
                (name, _) if STRUCTURAL.contains(&name) || name.starts_with("x-") => {}
                _ => self.all = true,
            }
        }
    }

    /// Continues with the value of a property.
    fn enter<'s>(
        &mut self,
        root: &'s Value,
        part: &'s Value,
        under: Under<'s>,
        via: Via,
        followed: &mut BTreeSet<(&'s str, Under<'s>)>,
    ) {
        let within = match (under, via) {
            (Some((Via::Value, name)), via) => Some((via, name)),
            (Some((Via::Item, name)), Via::Item) => Some((Via::Item, name)),
            // Keywords that judge values of an unknown property make every value matter.
            _ => None,
        };
        self.collect(root, part, within, followed);
    }

    /// The shape of a document; `None` if it is too long to be worth remembering.
    pub(super) fn shape(&self, node: Node<'_>, dialect: Dialect) -> Option<Vec<u8>> {
        if self.all {
            return None;
        }
        let mut shape = Vec::with_capacity(512);
        self.write(node, dialect, (&[], &NONE), &mut shape)?;
        Some(shape)
    }

    /// Writes the shape of a value: what is looked at in it if it is a scalar, and under the
    /// property that it belongs to. Recursion is bounded by the reader's depth limit.
    fn write(
        &self,
        node: Node<'_>,
        dialect: Dialect,
        (looks, property): (&[Look], &Looks),
        shape: &mut Vec<u8>,
    ) -> Option<()> {
        if shape.len() > LONGEST {
            return None;
        }
        match node.kind() {
            Kind::Mapping => {
                shape.push(b'{');
                for (key, value) in node.entries() {
                    let key = key.text()?;
                    write_text(key, shape);
                    if !property.members.is_empty() && value.is_scalar() {
                        let text = value.text()?;
                        property
                            .members
                            .iter()
                            .for_each(|look| look.write(text, shape));
                    }
                    let looks = self.looks.get(key).unwrap_or(&NONE);
                    self.write(value, dialect, (&looks.value, looks), shape)?;
                }
                shape.push(b'}');
            }
            Kind::Sequence => {
                shape.push(b'[');
                for item in node.items() {
                    // A mapping in a list is judged by the names in it alone.
                    let within = if item.is_sequence() { property } else { &NONE };
                    self.write(item, dialect, (&property.items, within), shape)?;
                }
                shape.push(b']');
            }
            Kind::Scalar => {
                let (kind, whole) = match node.scalar(dialect)? {
                    Scalar::Null => (b'n', false),
                    Scalar::Bool(_) => (b'b', false),
                    Scalar::Int(_) | Scalar::BigInt(_) => (b'i', false),
                    // Whether it may stand for a whole number hangs on its value.
                    Scalar::Float(_) => (b'f', true),
                    Scalar::Time(_) => (b't', false),
                    Scalar::Text(_) => (b's', false),
                };
                shape.push(kind);
                if whole || !looks.is_empty() {
                    let text = node.text()?;
                    looks.iter().for_each(|look| look.write(text, shape));
                    if whole {
                        write_text(text, shape);
                    }
                }
            }
        }
        Some(())
    }
}

/// The shapes of documents that were found to be valid.
#[derive(Debug, Default)]
pub(super) struct ValidShapes(FxHashSet<Vec<u8>>);

impl ValidShapes {
    pub(super) fn has(&self, shape: &[u8]) -> bool {
        self.0.contains(shape)
    }

    pub(super) fn add(&mut self, shape: Vec<u8>) {
        if self.0.len() < MOST {
            self.0.insert(shape);
        }
    }
}
