//! Edits as changes of a file's text, for people to look at.

use std::ops::Range;

use serde_json::{Map, Value};

use super::Edit;
use crate::yaml::{Node, Op};

/// A part of a text and what takes its place.
pub type Replacement = (Range<usize>, String);

/// The text with these replacements; they do not overlap.
#[must_use]
pub fn replaced(text: &str, mut all: Vec<Replacement>) -> Option<String> {
    all.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in &all {
        out.push_str(text.get(at..range.start)?);
        out.push_str(new);
        at = range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Where and how a file changes by an edit of a document in it.
#[must_use]
pub fn replacement(text: &str, root: Node<'_>, edit: &Edit) -> Option<Replacement> {
    let steps: Vec<String> = edit
        .pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
        .collect();
    let writer = Writer { text };
    match &edit.op {
        Op::Remove => writer.remove(root, &steps),
        Op::Set(value) => writer.set(root, None, &steps, value, false),
        Op::Insert(value) => writer.set(root, None, &steps, value, true),
    }
}

struct Writer<'t> {
    text: &'t str,
}

impl Writer<'_> {
    fn span(node: Node<'_>) -> Range<usize> {
        node.span().start as usize..node.span().end as usize
    }

    /// The columns before an offset, as blanks.
    fn indent(&self, at: usize) -> String {
        let line = self.text[..at].rfind('\n').map_or(0, |cut| cut + 1);
        " ".repeat(self.text[line..at].chars().count())
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |cut| cut + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        self.text[at..]
            .find('\n')
            .map_or(self.text.len(), |cut| at + cut)
    }

    /// The end of a node without the blanks behind it.
    fn end(&self, node: Node<'_>) -> usize {
        let span = Self::span(node);
        span.start + self.text[span].trim_end().len()
    }

    fn set(
        &self,
        node: Node<'_>,
        key: Option<Node<'_>>,
        steps: &[String],
        value: &Value,
        insert: bool,
    ) -> Option<Replacement> {
        let Some((step, rest)) = steps.split_first() else {
            return Some(self.whole(node, key, value));
        };
        if node.is_mapping() {
            return match node.entry(step) {
                Some((key, below)) if !(insert && rest.is_empty()) => {
                    self.set(below, Some(key), rest, value, insert)
                }
                _ => self.entry(node, key, step, &nested(rest, value, insert)),
            };
        }
        if node.is_sequence() {
            let items: Vec<Node<'_>> = node.items().collect();
            let at = step.parse::<usize>().ok();
            return match at.and_then(|at| items.get(at)) {
                Some(item) if !(insert && rest.is_empty()) => {
                    self.set(*item, None, rest, value, insert)
                }
                _ => self.append(node, key, items.last().copied(), value),
            };
        }
        let made = nested(steps, value, insert);
        Some(self.whole(node, key, &made))
    }

    /// A value in the place of another.
    fn whole(&self, node: Node<'_>, key: Option<Node<'_>>, value: &Value) -> Replacement {
        let block = !node.is_scalar() && !node.is_flow();
        let span = Self::span(node);
        match key {
            Some(key) if block || span.is_empty() => {
                let from = Self::span(key).end + 1;
                let to = if span.is_empty() {
                    from
                } else {
                    self.end(node)
                };
                (from..to, format!(" {}", written(value)))
            }
            _ => (span.start..self.end(node), written(value)),
        }
    }

    fn entry(
        &self,
        node: Node<'_>,
        key: Option<Node<'_>>,
        name: &str,
        value: &Value,
    ) -> Option<Replacement> {
        let entry = format!("{}: {}", word(name), written(value));
        let Some((first, _)) = node.entries().next() else {
            let mut map = Map::new();
            map.insert(name.to_owned(), value.clone());
            return Some(self.whole(node, key, &Value::Object(map)));
        };
        let last = node.entries().last().map(|(_, value)| self.end(value))?;
        if node.is_flow() {
            return Some((last..last, format!(", {entry}")));
        }
        let at = Self::span(first).start;
        Some((at..at, format!("{entry}\n{}", self.indent(at))))
    }

    fn append(
        &self,
        node: Node<'_>,
        key: Option<Node<'_>>,
        last: Option<Node<'_>>,
        value: &Value,
    ) -> Option<Replacement> {
        let Some(last) = last else {
            return Some(self.whole(node, key, &Value::Array(vec![value.clone()])));
        };
        let end = self.end(last);
        if node.is_flow() {
            return Some((end..end, format!(", {}", written(value))));
        }
        let dash = self.dash(node.items().next()?)?;
        let at = self.line_end(end);
        Some((
            at..at,
            format!("\n{}- {}", self.indent(dash), written(value)),
        ))
    }

    /// Where the dash of a block item is.
    fn dash(&self, item: Node<'_>) -> Option<usize> {
        self.text[..Self::span(item).start].rfind('-')
    }

    fn remove(&self, root: Node<'_>, steps: &[String]) -> Option<Replacement> {
        let (last, way) = steps.split_last()?;
        let mut key = None;
        let mut node = root;
        for step in way {
            if node.is_mapping() {
                let (name, value) = node.entry(step)?;
                (key, node) = (Some(name), value);
            } else {
                (key, node) = (None, node.items().nth(step.parse().ok()?)?);
            }
        }
        let parts: Vec<Range<usize>> = if node.is_mapping() {
            let part = |(key, value): (Node<'_>, Node<'_>)| {
                Self::span(key).start..self.end(value).max(Self::span(key).end)
            };
            node.entries().map(part).collect()
        } else {
            let part = |item: Node<'_>| {
                let start = if node.is_flow() {
                    Some(Self::span(item).start)
                } else {
                    self.dash(item)
                };
                Some(start?..self.end(item))
            };
            node.items().map(part).collect::<Option<_>>()?
        };
        let at = if node.is_mapping() {
            node.entries()
                .position(|(name, _)| name.text() == Some(last))?
        } else {
            last.parse().ok()?
        };
        let own = parts.get(at)?.clone();
        if parts.len() == 1 {
            let empty = if node.is_mapping() {
                Value::Object(Map::new())
            } else {
                Value::Array(Vec::new())
            };
            return Some(self.whole(node, key, &empty));
        }
        let range = match (parts.get(at + 1), node.is_flow()) {
            (Some(next), _) => own.start..next.start,
            (None, true) => parts[at - 1].end..own.end,
            (None, false) => {
                let end = self.line_end(own.end);
                self.line_start(own.start)..(end + 1).min(self.text.len())
            }
        };
        Some((range, String::new()))
    }
}

/// The containers that lead to a value, with the value in them.
fn nested(steps: &[String], value: &Value, insert: bool) -> Value {
    let Some((step, rest)) = steps.split_first() else {
        return value.clone();
    };
    if step == "-" || (insert && rest.is_empty()) {
        return Value::Array(vec![nested(rest, value, insert)]);
    }
    let mut map = Map::new();
    map.insert(step.clone(), nested(rest, value, insert));
    Value::Object(map)
}

/// A value in flow style.
#[must_use]
pub fn written(value: &Value) -> String {
    match value {
        Value::String(text) => word(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(written).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let entry =
                |(key, value): (&String, &Value)| format!("{}: {}", word(key), written(value));
            let entries: Vec<String> = map.iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

/// A text, in quotes unless it is plainly one.
fn word(text: &str) -> String {
    const OTHER: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
        && !OTHER.contains(&text.to_ascii_lowercase().as_str());
    if plain {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}
