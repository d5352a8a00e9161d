//! Objects of a kustomization read into typed fields, as strictly as Kustomize reads them.

use std::borrow::Cow;
use std::sync::Arc;

use crate::kit::nearest::{did_you_mean, nearest};
use crate::source::{Place, Span};
use crate::yaml::{Dialect, Node, Scalar};

use super::fault::Fault;
use super::read::Lines;
use super::rules;

/// A text and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: Arc<str>,
    pub(super) place: Place,
    /// Where its lines are written, if it is a block.
    pub(super) lines: Option<Arc<Lines>>,
}

impl Text {
    /// Where a part of the text is written.
    pub(super) fn part(&self, span: Span) -> Place {
        match &self.lines {
            Some(lines) => lines.place(span),
            None => self.place,
        }
    }
}

/// The keys and values of a map of texts, sorted by key.
pub(super) type Pairs = Vec<(Text, Text)>;

/// How objects are read: which faults were found, and whether unknown fields are among them.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) faults: Vec<Fault>,
    pub(super) strict: bool,
}

/// The fields of an object; the last of a name counts.
pub(super) struct Fields<'n, 'r> {
    found: Vec<(&'static str, Node<'n>)>,
    pub(super) place: Place,
    reader: &'r mut Reader,
}

impl Reader {
    /// The fields of an object; none where there is no object.
    pub(super) fn object<'n>(
        &mut self,
        node: Node<'n>,
        known: &[&'static str],
    ) -> Option<Fields<'n, '_>> {
        if node.is_null() {
            return None;
        }
        if !node.is_mapping() {
            self.wrong(node, "a mapping");
            return None;
        }
        let mut found: Vec<(&'static str, Node<'n>)> = Vec::new();
        for (key, value) in node.entries() {
            let name = key.text().unwrap_or_default();
            let same = |field: &&&'static str| field.eq_ignore_ascii_case(name);
            match known.iter().find(same) {
                Some(field) => {
                    found.retain(|(other, _)| other != field);
                    found.push((field, value));
                }
                None if self.strict => {
                    let fault = Fault::new(
                        &rules::UNKNOWN_FIELD,
                        format!("there is no field `{name}` here"),
                        key.place(),
                    );
                    let near = nearest(name, known.iter().copied());
                    self.faults.push(fault.help(match near {
                        Some(near) => did_you_mean(near),
                        None => format!("remove `{name}`"),
                    }));
                }
                None => {}
            }
        }
        Some(Fields {
            found,
            place: node.place(),
            reader: self,
        })
    }

    /// A value of another type than wanted.
    fn wrong(&mut self, node: Node<'_>, wanted: &str) {
        let is = match node.scalar(Dialect::Kubernetes) {
            _ if node.is_mapping() => "a mapping",
            None => "a list",
            Some(Scalar::Bool(_)) => "a boolean",
            Some(Scalar::Int(_) | Scalar::BigInt(_) | Scalar::Float(_)) => "a number",
            Some(_) => "a text",
        };
        let fault = Fault::new(
            &rules::UNREADABLE,
            format!("this is {is}, not {wanted}"),
            node.place(),
        );
        let quoted = node.is_scalar() && wanted == "a text";
        self.faults.push(if quoted {
            fault.help(format!("put it in quotes: '{}'", node.text().unwrap_or("")))
        } else {
            fault.help(format!("write {wanted}"))
        });
    }

    pub(super) fn text(&mut self, node: Node<'_>) -> Option<Text> {
        if node.is_null() {
            return None;
        }
        match node.scalar(Dialect::Kubernetes) {
            Some(Scalar::Text(text) | Scalar::Time(text)) => Some(Text {
                text: text.into(),
                place: node.place(),
                lines: Lines::of(node).map(Arc::new),
            }),
            _ => {
                self.wrong(node, "a text");
                None
            }
        }
    }

    /// The items of a list of texts; null is the empty text.
    pub(super) fn texts(&mut self, node: Node<'_>) -> Vec<Text> {
        if !self.is_list(node) {
            return Vec::new();
        }
        let items = node.items();
        items
            .filter_map(|item| {
                if item.is_null() {
                    Some(Text {
                        text: "".into(),
                        place: item.place(),
                        lines: None,
                    })
                } else {
                    self.text(item)
                }
            })
            .collect()
    }

    fn is_list(&mut self, node: Node<'_>) -> bool {
        if !node.is_null() && !node.is_sequence() {
            self.wrong(node, "a list");
        }
        node.is_sequence()
    }
}

/// A key as JSON has it.
fn key(node: Node<'_>) -> Cow<'_, str> {
    let text = node.text().unwrap_or_default();
    match node.scalar(Dialect::Kubernetes) {
        Some(Scalar::Bool(truth)) => if truth { "true" } else { "false" }.into(),
        Some(Scalar::Int(number)) => number.to_string().into(),
        _ => text.into(),
    }
}

impl<'n> Fields<'n, '_> {
    pub(super) fn node(&self, name: &str) -> Option<Node<'n>> {
        let found = self.found.iter().find(|(field, _)| *field == name);
        found.map(|(_, node)| *node).filter(|node| !node.is_null())
    }

    pub(super) fn text(&mut self, name: &str) -> Option<Text> {
        let node = self.node(name)?;
        self.reader.text(node)
    }

    /// A text that is not empty.
    pub(super) fn filled(&mut self, name: &str) -> Option<Text> {
        self.text(name).filter(|text| !text.text.is_empty())
    }

    pub(super) fn flag(&mut self, name: &str) -> bool {
        let Some(node) = self.node(name) else {
            return false;
        };
        match node.scalar(Dialect::Kubernetes) {
            Some(Scalar::Bool(truth)) => truth,
            _ => {
                self.reader.wrong(node, "true or false");
                false
            }
        }
    }

    pub(super) fn number(&mut self, name: &str) -> Option<(i64, Place)> {
        let node = self.node(name)?;
        match node.scalar(Dialect::Kubernetes) {
            Some(Scalar::Int(number)) => Some((i64::try_from(number).ok()?, node.place())),
            _ => {
                self.reader.wrong(node, "a whole number");
                None
            }
        }
    }

    pub(super) fn texts(&mut self, name: &str) -> Vec<Text> {
        let node = self.node(name);
        node.map_or_else(Vec::new, |node| self.reader.texts(node))
    }

    pub(super) fn pairs(&mut self, name: &str) -> Pairs {
        let Some(node) = self.node(name) else {
            return Vec::new();
        };
        if !node.is_mapping() {
            self.reader.wrong(node, "a mapping");
        }
        let mut pairs: Pairs = Vec::new();
        for (name, value) in node.entries() {
            let name = Text {
                text: key(name).into(),
                place: name.place(),
                lines: None,
            };
            let empty = Text {
                text: "".into(),
                place: value.place(),
                lines: None,
            };
            let value = if value.is_null() {
                Some(empty)
            } else {
                self.reader.text(value)
            };
            let Some(value) = value else { continue };
            pairs.retain(|(other, _)| other.text != name.text);
            pairs.push((name, value));
        }
        pairs.sort_by(|(one, _), (two, _)| one.text.cmp(&two.text));
        pairs
    }

    pub(super) fn object<T>(
        &mut self,
        name: &str,
        known: &[&'static str],
        read: impl FnOnce(&mut Fields<'n, '_>) -> T,
    ) -> Option<T> {
        let node = self.node(name)?;
        let mut fields = self.reader.object(node, known)?;
        Some(read(&mut fields))
    }

    pub(super) fn objects<T>(
        &mut self,
        name: &str,
        known: &[&'static str],
        mut read: impl FnMut(&mut Fields<'n, '_>) -> T,
    ) -> Vec<T> {
        let Some(node) = self.node(name) else {
            return Vec::new();
        };
        if !self.reader.is_list(node) {
            return Vec::new();
        }
        let mut all = Vec::new();
        for item in node.items() {
            if let Some(mut fields) = self.reader.object(item, known) {
                all.push(read(&mut fields));
            }
        }
        all
    }
}
