//! Resources: the documents of a text, read as Kustomize reads them.

use std::sync::Arc;

use crate::kit::nearest::{did_you_mean, nearest};
use crate::source::{Place, SourceId, Span};
use crate::yaml::{self, FaultKind, Limits, QuirkKind};

use super::node::{Entry, Node, Value};
use super::scalar::{Scalar, Tag, resolve};

/// Why a text has no documents.
#[derive(Debug, Clone)]
pub(super) struct Unreadable {
    pub(super) message: String,
    pub(super) place: Place,
    /// Whether a limit was reached.
    pub(super) limit: bool,
    pub(super) help: Option<String>,
}

impl Unreadable {
    fn new(message: impl Into<String>, place: Place) -> Self {
        Self {
            message: message.into(),
            place,
            limit: false,
            help: None,
        }
    }

    /// A fault of a text.
    pub(super) fn of(fault: &yaml::Fault, text: &str, at: Where<'_>) -> Self {
        let limits = [
            FaultKind::TooDeep,
            FaultKind::TooManyNodes,
            FaultKind::TooManyAliases,
        ];
        let FaultKind::Syntax(reason) = fault.kind else {
            return Self {
                limit: limits.contains(&fault.kind),
                ..Self::new(said(&fault.kind), at(fault.span))
            };
        };
        let place = Place {
            source: SourceId(0),
            span: fault.span,
        };
        let broken = yaml::syntax(reason, text, place);
        Self {
            help: broken.help.map(str::to_owned),
            ..Self::new(
                format!("this is no YAML: {}", broken.message),
                at(broken.place.span),
            )
        }
    }

    /// A missing text of an object. The place is that of the key with the nearest name, or of the
    /// deepest part of the path that exists.
    fn lacking(node: &Node, path: &[&str]) -> Self {
        let mut lacking = Self::new(
            format!("this object has no `{}`", path.join(".")),
            node.place,
        );
        let mut above = node;
        for key in path {
            let Some(value) = above.get(key) else {
                let keys = above.entries().iter().map(|entry| &*entry.key);
                let near = nearest(key, keys).and_then(|near| above.entry(near));
                if let Some(near) = near {
                    lacking.place = near.place;
                    lacking.help = Some(did_you_mean(key));
                }
                break;
            };
            lacking.place = value.place;
            above = value;
        }
        lacking
    }
}

/// Where the bytes of a text are written.
pub(super) type Where<'w> = &'w dyn Fn(Span) -> Place;

/// The documents of a text, empty ones left out.
pub(super) fn documents(
    text: &str,
    limits: Limits,
    at: Where<'_>,
) -> Result<Vec<Arc<Node>>, Unreadable> {
    let parsed = yaml::parse(SourceId(0), text, 0..text.len(), limits);
    let mut faults: Vec<Unreadable> = Vec::new();
    for fault in &parsed.faults {
        faults.push(Unreadable::of(fault, text, at));
    }
    for quirk in &parsed.quirks {
        if let QuirkKind::RepeatedKey(_) = quirk.kind {
            faults.push(Unreadable::new("the key was there before", at(quirk.span)));
        }
    }
    if let Some(first) = faults.into_iter().min_by_key(|fault| fault.place.span) {
        return Err(first);
    }
    let roots = parsed.documents.iter();
    let nodes = roots.map(|root| node(parsed.tree.node(text, *root), at));
    let nodes: Result<Vec<_>, _> = nodes.collect();
    let there = |node: &Arc<Node>| !node.is_nothing();
    Ok(nodes?.into_iter().filter(there).collect())
}

/// The objects of documents: lists are unpacked, and each has a kind and a name.
pub(super) fn objects(documents: Vec<Arc<Node>>) -> Result<Vec<Arc<Node>>, Unreadable> {
    let mut objects = Vec::new();
    let mut open: std::collections::VecDeque<Arc<Node>> = documents.into();
    while let Some(node) = open.pop_front() {
        let filled = |path: &[&str]| {
            let node = node.at(path).filter(|node| !node.is_nothing());
            node.and_then(|node| node.as_text())
        };
        let Some(kind) = filled(&["kind"]) else {
            return Err(Unreadable::lacking(&node, &["kind"]));
        };
        if !kind.ends_with("List") {
            if filled(&["metadata", "name"]).is_none() {
                return Err(Unreadable::lacking(&node, &["metadata", "name"]));
            }
            objects.push(node);
            continue;
        }
        match node.get("items") {
            None => objects.push(node),
            Some(items) if items.is_null() => {}
            Some(items) => match &items.value {
                Value::List(items) => {
                    open.extend(items.iter().filter(|item| !item.is_nothing()).cloned());
                }
                _ => return Err(Unreadable::new("`items` is no list", items.place)),
            },
        }
    }
    Ok(objects)
}

/// The message of a fault of reading.
fn said(kind: &FaultKind) -> String {
    match kind {
        FaultKind::Syntax(why) => format!("this is no YAML: {why}"),
        FaultKind::TooDeep => "the nesting is deeper than the limit".to_owned(),
        FaultKind::TooManyNodes => "the file has more nodes than the limit".to_owned(),
        FaultKind::TooManyAliases => "the aliases expand beyond the limit".to_owned(),
        FaultKind::UndefinedAlias(name) => format!("no anchor `{name}` stands before this alias"),
        FaultKind::RecursiveAlias(name) => format!("the alias `{name}` is inside of its anchor"),
        FaultKind::CollectionKey => {
            "a mapping or list as a key; a template is filled in by another tool".to_owned()
        }
        FaultKind::BadMerge => "a merge key takes a mapping or a list of mappings".to_owned(),
    }
}

/// A node of a parsed text.
fn node(from: yaml::Node<'_>, at: Where<'_>) -> Result<Arc<Node>, Unreadable> {
    let place = at(from.span());
    let value = match from.kind() {
        yaml::Kind::Scalar => Value::Scalar(scalar(from)),
        yaml::Kind::Sequence => {
            let items = from.items().map(|item| node(item, at));
            Value::List(items.collect::<Result<_, _>>()?)
        }
        yaml::Kind::Mapping => {
            let mut entries = Vec::new();
            for (key, value) in from.entries() {
                let text = key.text().unwrap_or_default();
                if scalar(key).kind() != Tag::Text {
                    let message = format!("the key `{text}` is no text: put it in quotes");
                    return Err(Unreadable::new(message, at(key.span())));
                }
                entries.push(Entry {
                    key: text.into(),
                    place: at(key.span()),
                    value: node(value, at)?,
                });
            }
            Value::Map(entries)
        }
    };
    Ok(Node::new(value, place))
}

fn scalar(node: yaml::Node<'_>) -> Scalar {
    let text = node.text().unwrap_or_default();
    match node.is_text_by_style() {
        true if node.is_folded() => Scalar::text(folded(text)),
        true => Scalar::text(text),
        false => match resolve(text) {
            Tag::Text => Scalar {
                tag: Tag::Text,
                text: text.into(),
                quoted: false,
            },
            tag => Scalar::plain(tag, text),
        },
    }
}

/// A folded text as Kustomize has it in the end: it writes such a text out and reads it again, and
/// its writer puts a line break too many before a line that begins with a space. It writes a text
/// with a space at the end of a line in quotes, and so keeps it.
fn folded(text: &str) -> String {
    let blank = |line: &str| line.starts_with([' ', '\t']);
    let unprintable = |sign: char| sign.is_control() && !matches!(sign, '\n' | '\t');
    if text.ends_with(' ') || text.contains(" \n") || text.contains(unprintable) {
        return text.to_owned();
    }
    let start = text.trim_start_matches('\n');
    let extra = !start.is_empty() && !blank(start);
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\n') {
        let line = &rest[..at];
        made.push_str(line);
        let run = rest[at..].len() - rest[at..].trim_start_matches('\n').len();
        rest = &rest[at + run..];
        let first = made.is_empty();
        let before = if first { "" } else { line };
        let written = run + usize::from(!first && !blank(before) && extra);
        let breaks = match rest.is_empty() {
            true if run == 1 => 1,
            true => written,
            false if first || blank(before) || blank(rest) => written,
            false if written == 1 => 0,
            false => written - 1,
        };
        match breaks {
            0 => made.push(' '),
            count => made.extend(std::iter::repeat_n('\n', count)),
        }
    }
    made.push_str(rest);
    made
}

/// Where the parts of a block text are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lines {
    /// The lines of the text and the bytes at which each is written.
    lines: Vec<(u32, u32)>,
    whole: Place,
}

impl Lines {
    /// The lines of a scalar; none where its text is not written line by line.
    pub(super) fn of(node: yaml::Node<'_>) -> Option<Self> {
        let (whole, text) = (node.place(), node.text().unwrap_or_default());
        if !node.is_block_text() || node.is_folded() || node.source_text().is_empty() {
            return None;
        }
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let mut rows = node.source_text().split_inclusive('\n');
        // The scalar begins with the first line that is not empty.
        let said = text.trim_start_matches('\n');
        let (mut offset, mut at) = (count(text.len() - said.len()), whole.span.start);
        let mut lines = Vec::new();
        for line in said.split_inclusive('\n') {
            let row = rows.next()?;
            let bare = line.trim_end_matches('\n');
            let indent = row.find(bare).filter(|_| !bare.is_empty()).unwrap_or(0);
            lines.push((offset, at + count(indent)));
            offset += count(line.len());
            at += count(row.len());
        }
        Some(Self { lines, whole })
    }

    /// Where a part of the text is written.
    pub(super) fn place(&self, span: Span) -> Place {
        let point = |offset: u32| {
            let line = self.lines.partition_point(|(start, _)| *start <= offset);
            let (start, at) = *self.lines.get(line.checked_sub(1)?)?;
            Some((at + (offset - start)).min(self.whole.span.end))
        };
        match (point(span.start), point(span.end)) {
            (Some(start), Some(end)) => Place {
                source: self.whole.source,
                span: Span {
                    start,
                    end: end.max(start),
                },
            },
            _ => self.whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn folded_texts_get_a_break_before_lines_with_a_space() {
        assert_eq!(folded("a\n  b\nc\n"), "a\n\n  b\nc\n");
        assert_eq!(folded("a\nb\n\nc\n"), "a\nb\n\nc\n");
        assert_eq!(folded("a b"), "a b");
        assert_eq!(folded("a \n  b\nc\n"), "a \n  b\nc\n");
    }
}
