//! What a schema can tell documents apart by, so that documents alike in it are checked once.
//!
//! Ten thousand nodes of a site differ in their names and addresses, of which a schema says no
//! more than that they are texts. The *shape* of a document is its keys, its containers, the
//! types of its scalars, and the texts of those scalars that a keyword such as `pattern` looks
//! at. Documents of one shape are valid together or not at all.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::yaml::{Dialect, Node, Scalar};

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

/// The properties of a schema whose values matter, and not only their types.
#[derive(Debug, Default)]
pub(super) struct Sensitive {
    names: BTreeSet<String>,
    /// Every value may matter: the schema uses keywords that are not known here.
    pub(super) all: bool,
}

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
        under: Option<&'s str>,
        followed: &mut BTreeSet<(&'s str, Option<&'s str>)>,
    ) {
        let Value::Object(part) = part else {
            return;
        };
        for (keyword, value) in part {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, part) in properties {
                        self.collect(root, part, Some(name), followed);
                    }
                }
                ("patternProperties", Value::Object(parts)) => {
                    for part in parts.values() {
                        self.collect(root, part, under, followed);
                    }
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                    for part in parts {
                        self.collect(root, part, under, followed);
                    }
                }
                ("additionalProperties" | "else" | "if" | "items" | "not" | "then", part) => {
                    self.collect(root, part, under, followed);
                }
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
                (name, _) if OF_VALUES.contains(&name) => match under {
                    Some(under) => _ = self.names.insert(under.to_owned()),
                    None => self.all = true,
                },
                (name, _) if STRUCTURAL.contains(&name) || name.starts_with("x-") => {}
                _ => self.all = true,
            }
        }
    }

    /// The shape of a document; `None` if it is too long to be worth remembering.
    pub(super) fn shape(&self, node: Node<'_>, dialect: Dialect) -> Option<Vec<u8>> {
        let mut shape = Vec::with_capacity(256);
        self.write(node, dialect, self.all, &mut shape)?;
        Some(shape)
    }

    /// Recursion is bounded by the reader's depth limit.
    fn write(
        &self,
        node: Node<'_>,
        dialect: Dialect,
        matters: bool,
        shape: &mut Vec<u8>,
    ) -> Option<()> {
        if shape.len() > LONGEST {
            return None;
        }
        let text = |shape: &mut Vec<u8>, text: &str| {
            shape.extend_from_slice(&text.len().to_le_bytes());
            shape.extend_from_slice(text.as_bytes());
        };
        if node.is_mapping() {
            shape.push(b'{');
            for (key, value) in node.entries() {
                let key = key.text()?;
                text(shape, key);
                self.write(value, dialect, matters || self.names.contains(key), shape)?;
            }
            shape.push(b'}');
        } else if node.is_sequence() {
            shape.push(b'[');
            for item in node.items() {
                self.write(item, dialect, matters, shape)?;
            }
            shape.push(b']');
        } else {
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
            if matters || whole {
                text(shape, node.text()?);
            }
        }
        Some(())
    }
}

/// The shapes of documents that were found to be valid.
#[derive(Debug, Default)]
pub(super) struct Known(BTreeSet<Vec<u8>>);

impl Known {
    pub(super) fn has(&self, shape: &[u8]) -> bool {
        self.0.contains(shape)
    }

    pub(super) fn add(&mut self, shape: Vec<u8>) {
        if self.0.len() < MOST {
            self.0.insert(shape);
        }
    }
}
