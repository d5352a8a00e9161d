//! The store of a tree: its nodes one after another in document order, a few bytes each.
//!
//! A node is written as
//!
//! * the way from the end of the node before it, or from the start of its container, to its
//!   start;
//! * a byte of flags, whose place is the node's number;
//! * a scalar: how long it is and, unless that follows from its style, where its text is;
//! * a container: how long it is, how many bytes its children take, and then the children.
//!
//! Sites are mostly short scalars in short mappings, so most figures fit into one byte.

mod derived;
mod write;

use std::any::Any;
use std::sync::Arc;

use crate::source::{SourceId, Span};

use derived::Derived;

pub(super) use write::Mark;

/// A node in the making. Scalars: `a..b` is their text, in the file or in the document's own
/// text. Containers: `a` is the index after the subtree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) flags: u32,
}

impl Raw {
    pub(crate) const MAPPING: u32 = 1;
    pub(crate) const SEQUENCE: u32 = 2;
    pub(crate) const KIND: u32 = 3;
    /// The scalar's text lies in the tree's own text.
    pub(crate) const OWNED: u32 = 4;
    /// A scalar without quotes.
    pub(crate) const PLAIN: u32 = 8;
    /// A container in brackets.
    pub(crate) const FLOW: u32 = 16;
    /// A scalar whose text is in the file, but not where its style says.
    const ASIDE: u32 = 16;
    /// A scalar whose text is the tree's own and the value of a Secret.
    pub(crate) const SECRET: u32 = 16;
    /// A `|` or `>` scalar.
    pub(crate) const BLOCK: u32 = 32;
    /// The scalar carries the tag `!!str`.
    pub(crate) const STRING_TAG: u32 = 64;
    /// The scalar carries another of YAML's own tags.
    pub(crate) const CORE_TAG: u32 = 128;
    /// The scalar carries the tag `!!float`.
    pub(crate) const FLOAT_TAG: u32 = Self::STRING_TAG | Self::CORE_TAG;

    pub(crate) fn is_scalar(&self) -> bool {
        self.flags & Self::KIND == 0
    }
}

/// One document in the making; indexes count from its root.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) nodes: Vec<Raw>,
    pub(crate) own_text: String,
}

impl Draft {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.own_text.clear();
    }

    /// The index after a node and all below it.
    pub(crate) fn next(&self, index: u32) -> u32 {
        let raw = &self.nodes[index as usize];
        if raw.is_scalar() { index + 1 } else { raw.a }
    }

    /// A scalar's text; `file` is the text of its file.
    pub(crate) fn text<'t>(&'t self, raw: &Raw, file: &'t str) -> &'t str {
        let text = if raw.flags & Raw::OWNED == 0 {
            file
        } else {
            self.own_text.as_str()
        };
        &text[raw.a as usize..raw.b as usize]
    }
}

/// Where a node is: its number in the tree, and its first byte in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    pub(crate) at: u32,
    pub(crate) start: u32,
}

/// The nodes of one piece of a file, or of a document made from several.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub(crate) source: SourceId,
    pub(crate) bytes: Vec<u8>,
    own_text: String,
    /// The nodes that come from other files than `source`, by their numbers.
    origins: Vec<(u32, SourceId)>,
    /// Whether it was made of other trees: its nodes have no source text.
    pub(crate) made: bool,
    derived: Derived,
}

impl Tree {
    /// The same nodes, read from another file of the site. Not for a tree built from several files.
    #[must_use]
    pub(crate) fn in_file(&self, source: SourceId) -> Self {
        Self {
            source,
            bytes: self.bytes.clone(),
            own_text: self.own_text.clone(),
            origins: Vec::new(),
            made: self.made,
            derived: Derived::default(),
        }
    }

    /// How much memory it takes, about.
    pub(crate) fn weight(&self) -> usize {
        let origins = self.origins.len() * size_of::<(u32, SourceId)>();
        self.bytes.len() + self.own_text.len() + origins
    }

    /// A value computed from a node alone, and only once.
    pub(super) fn derived<T: Any + Send + Sync>(
        &self,
        number: u32,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        self.derived.get(number, make)
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The position of the node that begins at an offset, after a node that ends at `base`.
    #[inline]
    pub(super) fn begin(&self, mut offset: u32, base: u32) -> Position {
        let way = signed(take(&self.bytes, &mut offset));
        Position {
            at: offset,
            start: (i64::from(base) + way) as u32,
        }
    }

    /// The same, with the node's end and the offset of what follows it and all below it.
    #[inline]
    pub(crate) fn step(&self, offset: u32, base: u32) -> (Position, u32, u32) {
        // Nearly every node is a short scalar near the one before it.
        if let Some(&[way, flags, length]) = self.bytes[offset as usize..].first_chunk()
            && (way | length) < MORE
            && u32::from(flags) & (Raw::KIND | Raw::OWNED | Raw::ASIDE) == 0
        {
            let start = (i64::from(base) + signed(u64::from(way))) as u32;
            let at = offset + 1;
            let end = start.wrapping_add(u32::from(length));
            return (Position { at, start }, end, at + 2);
        }
        self.step_far(offset, base)
    }

    fn step_far(&self, offset: u32, base: u32) -> (Position, u32, u32) {
        let position = self.begin(offset, base);
        let flags = self.flags(position.at);
        let mut offset = position.at + 1;
        // Nodes of a tree made from another may begin before their neighbours, and `count` steps
        // without a base: only differences matter there.
        let end = position
            .start
            .wrapping_add(take(&self.bytes, &mut offset) as u32);
        if flags & Raw::KIND != 0 {
            let size = take(&self.bytes, &mut offset) as u32;
            offset += size;
        } else if flags & (Raw::OWNED | Raw::ASIDE) != 0 {
            take(&self.bytes, &mut offset);
            take(&self.bytes, &mut offset);
        }
        (position, end, offset)
    }

    #[inline]
    pub(crate) fn flags(&self, at: u32) -> u32 {
        u32::from(self.bytes[at as usize])
    }

    /// How long a node is in its file, and the offset of what follows that figure.
    #[inline]
    pub(crate) fn length(&self, at: u32) -> (u32, u32) {
        let mut offset = at + 1;
        (take(&self.bytes, &mut offset) as u32, offset)
    }

    /// The offsets of a container's first child and of what follows its last one.
    #[inline]
    pub(crate) fn children(&self, at: u32) -> (u32, u32) {
        let (_, mut offset) = self.length(at);
        let size = take(&self.bytes, &mut offset) as u32;
        (offset, offset + size)
    }

    /// The offset after a node and everything below it.
    pub(crate) fn after(&self, at: u32) -> u32 {
        if self.flags(at) & Raw::KIND != 0 {
            return self.children(at).1;
        }
        let (_, mut offset) = self.length(at);
        if self.flags(at) & (Raw::OWNED | Raw::ASIDE) != 0 {
            take(&self.bytes, &mut offset);
            take(&self.bytes, &mut offset);
        }
        offset
    }

    /// Whether a node that ends at `end` is a scalar with this text.
    #[inline]
    pub(crate) fn is_text(&self, position: Position, end: u32, file: &str, wanted: &str) -> bool {
        let flags = self.flags(position.at);
        if flags & (Raw::KIND | Raw::OWNED | Raw::ASIDE) != 0 {
            return self.text(position, file) == Some(wanted);
        }
        let quote = usual_margin(flags);
        let text = (position.start + quote) as usize..(end - quote) as usize;
        text.len() == wanted.len() && file.as_bytes()[text] == *wanted.as_bytes()
    }

    /// A scalar's text; `None` for containers.
    #[inline]
    pub(crate) fn text<'a>(
        &'a self,
        Position { at, start }: Position,
        file: &'a str,
    ) -> Option<&'a str> {
        let flags = self.flags(at);
        if flags & Raw::KIND != 0 {
            return None;
        }
        let (length, mut offset) = self.length(at);
        if flags & (Raw::OWNED | Raw::ASIDE) == 0 {
            let quote = usual_margin(flags);
            return Some(&file[(start + quote) as usize..(start + length - quote) as usize]);
        }
        let from = take(&self.bytes, &mut offset) as u32;
        let length = take(&self.bytes, &mut offset) as u32;
        let (text, from) = if flags & Raw::OWNED != 0 {
            (self.own_text.as_str(), from)
        } else {
            (file, from.wrapping_add(start))
        };
        Some(&text[from as usize..(from + length) as usize])
    }

    /// The file a node comes from.
    pub(crate) fn origin(&self, at: u32) -> SourceId {
        match self.origins.binary_search_by_key(&at, |(at, _)| *at) {
            Ok(found) => self.origins[found].1,
            Err(_) => self.source,
        }
    }

    /// Where the quoted and block scalars stand.
    pub(crate) fn quoted_spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        self.scan(|Position { at, start }, flags| {
            if flags & (Raw::KIND | Raw::PLAIN) == 0 {
                let end = start + self.length(at).0;
                spans.push(Span { start, end });
            }
        });
        spans
    }

    /// Visits all nodes in document order.
    fn scan(&self, mut visit: impl FnMut(Position, u32)) {
        let (mut offset, mut base) = (0, 0);
        let mut open: Vec<(u32, u32)> = Vec::new();
        while (offset as usize) < self.bytes.len() {
            let (position, end, after) = self.step(offset, base);
            let flags = self.flags(position.at);
            visit(position, flags);
            if flags & Raw::KIND == 0 {
                (offset, base) = (after, end);
            } else {
                open.push((after, end));
                (offset, base) = (self.children(position.at).0, position.start);
            }
            while let Some((_, end)) = open.pop_if(|(after, _)| *after == offset) {
                base = end;
            }
            if open.is_empty() {
                base = 0;
            }
        }
    }

    /// How many nodes there are between two offsets of whole nodes.
    pub(crate) fn count(&self, mut offset: u32, end: u32) -> usize {
        let mut count = 0;
        while offset < end {
            let (Position { at, .. }, _, after) = self.step(offset, 0);
            offset = match self.flags(at) & Raw::KIND {
                0 => after,
                _ => self.children(at).0,
            };
            count += 1;
        }
        count
    }
}

/// A way from its figure, whose lowest bit is the sign.
#[inline]
fn signed(figure: u64) -> i64 {
    (figure >> 1) as i64 ^ -((figure & 1) as i64)
}

/// How far a scalar's text usually lies inside the scalar.
fn usual_margin(flags: u32) -> u32 {
    u32::from(flags & Raw::PLAIN == 0)
}

/// The bit of a byte that says that more bytes of a figure follow.
const MORE: u8 = 0x80;

/// Reads a figure and steps behind it.
#[inline]
fn take(bytes: &[u8], offset: &mut u32) -> u64 {
    let first = bytes[*offset as usize];
    *offset += 1;
    if first < MORE {
        return u64::from(first);
    }
    take_long(bytes, offset, u64::from(first & !MORE))
}

#[cold]
fn take_long(bytes: &[u8], offset: &mut u32, mut figure: u64) -> u64 {
    for shift in (7..).step_by(7) {
        let byte = bytes[*offset as usize];
        *offset += 1;
        figure |= u64::from(byte & !MORE) << shift;
        if byte < MORE {
            break;
        }
    }
    figure
}

#[cfg(test)]
mod tests {
    use crate::source::SourceId;
    use crate::yaml::{Limits, Node, parse};

    /// Every scalar's text and source text, keys and values alike.
    fn leaves(node: Node<'_>, into: &mut Vec<(String, String)>) {
        for (key, value) in node.entries() {
            leaves(key, into);
            leaves(value, into);
        }
        node.items().for_each(|item| leaves(item, into));
        if let Some(text) = node.text() {
            into.push((text.to_owned(), node.source_text().to_owned()));
        }
    }

    #[test]
    fn figures_of_any_size_are_read_back() {
        for length in [0, 1, 60, 127, 128, 129, 16_383, 16_384, 20_000] {
            let long = "x".repeat(length);
            let items = "- {a: b}\n".repeat(length);
            let gap = "\n".repeat(length);
            let text = format!(
                "long: '{long}'\n{gap}after: \"\\t{long}\"\nanchor: &a {{k: v}}\nalias: *a\n"
            ) + &format!("block: |\n  {long}y\nitems:\n{items}end: z\n");
            let parsed = parse(SourceId(0), &text, 0..text.len(), Limits::default());
            assert_eq!(parsed.faults, [], "{length}");
            let root = parsed.tree.root(&text);
            let mut found = Vec::new();
            leaves(root, &mut found);
            let mut wanted = Vec::new();
            let mut pair = |text: &str, source: &str| wanted.push((text.into(), source.into()));
            pair("long", "long");
            pair(&long, &format!("'{long}'"));
            pair("after", "after");
            pair(&format!("\t{long}"), &format!("\"\\t{long}\""));
            for name in ["anchor", "alias"] {
                pair(name, name);
                pair("k", "k");
                pair("v", "v");
            }
            pair("block", "block");
            let block = root.get("block").map_or("", Node::source_text);
            pair(&format!("{long}y\n"), block);
            pair("items", "items");
            for _ in 0..length {
                pair("a", "a");
                pair("b", "b");
            }
            if length == 0 {
                pair("", "");
            }
            pair("end", "end");
            pair("z", "z");
            assert!(found == wanted, "{length}");
            // Beside keys and values: the root, two mappings and the list with its own.
            let lists = usize::from(length > 0) + length;
            assert_eq!(root.size(), found.len() + 3 + lists);
            let quoted = parsed.tree.quoted_spans();
            let block = root.get("block").map(Node::span);
            assert_eq!(quoted.last().copied(), block);
            assert_eq!(quoted.len(), 3);
        }
    }
}
