//! A handle on one node of a tree.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use crate::source::{Place, SourceId, Span};

use super::scalar::{Dialect, Scalar, is_null_text, resolve, tagged_float};
use super::tree::{Position, Raw, Tree};

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text, number, boolean, null.
    Scalar,
    /// Keys and values.
    Mapping,
    /// Items.
    Sequence,
}

/// A node of a tree; a handle that is free to copy.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    tree: &'a Tree,
    text: &'a str,
    position: Position,
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:?}#{} {:?}",
            self.kind(),
            self.position.at,
            self.text()
        )
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.position == other.position
    }
}

impl Tree {
    /// The node at a position of this tree; `text` is the text of the tree's file.
    #[must_use]
    pub fn node<'a>(&'a self, text: &'a str, position: Position) -> Node<'a> {
        Node::new(self, text, position)
    }

    /// The root of the first document.
    #[must_use]
    pub fn root<'a>(&'a self, text: &'a str) -> Node<'a> {
        self.node(text, self.begin(0, 0))
    }
}

impl<'a> Node<'a> {
    pub(crate) fn new(tree: &'a Tree, text: &'a str, position: Position) -> Self {
        Self {
            tree,
            text,
            position,
        }
    }

    pub(crate) fn flags(self) -> u32 {
        self.tree.flags(self.position.at)
    }

    /// The node's number in its tree, by which a patch names it.
    #[must_use]
    pub fn number(self) -> u32 {
        self.position.at
    }

    /// The node's tree, and the offsets of the node in it and of what follows all below it.
    pub(super) fn stored(self) -> (&'a Tree, u32, u32) {
        let at = self.position.at;
        (self.tree, at, self.tree.after(at))
    }

    /// The root of a tree that was made like this node's document, to take its place.
    #[must_use]
    pub fn instead(self, tree: &'a Tree) -> Self {
        tree.root(self.text)
    }

    /// The file of its document.
    #[must_use]
    pub fn file(self) -> SourceId {
        self.tree.source
    }

    /// Where the node is, to come back to it.
    #[must_use]
    pub fn position(self) -> Position {
        self.position
    }

    pub(crate) fn address(self) -> usize {
        std::ptr::from_ref(self.tree) as usize
    }

    fn end(self) -> u32 {
        self.position.start + self.tree.length(self.position.at).0
    }

    /// The kind of the node.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.flags() & Raw::KIND {
            Raw::MAPPING => Kind::Mapping,
            Raw::SEQUENCE => Kind::Sequence,
            _ => Kind::Scalar,
        }
    }

    /// Whether it is a mapping.
    #[must_use]
    pub fn is_mapping(self) -> bool {
        self.kind() == Kind::Mapping
    }

    /// Whether it is a sequence.
    #[must_use]
    pub fn is_sequence(self) -> bool {
        self.kind() == Kind::Sequence
    }

    /// Whether it is a scalar.
    #[must_use]
    pub fn is_scalar(self) -> bool {
        self.kind() == Kind::Scalar
    }

    /// Whether it is a value that a build copied out of a Secret.
    #[must_use]
    pub fn is_secret(self) -> bool {
        let flags = Raw::OWNED | Raw::SECRET;
        self.is_scalar() && self.flags() & flags == flags
    }

    /// Whether it holds such a value.
    #[must_use]
    pub fn holds_secret(self) -> bool {
        self.tree.made
            && (self.is_secret()
                || self.items().any(Self::holds_secret)
                || self.entries().any(|(_, value)| value.holds_secret()))
    }

    /// Whether it is a container written in brackets.
    #[must_use]
    pub fn is_flow(self) -> bool {
        !self.tree.made && self.flags() & Raw::FLOW != 0
    }

    /// Where the node is, in bytes of its file.
    #[must_use]
    pub fn span(self) -> Span {
        Span {
            start: self.position.start,
            end: self.end(),
        }
    }

    /// Where the node is, file included.
    #[must_use]
    pub fn place(self) -> Place {
        Place {
            source: self.tree.origin(self.position.at),
            span: self.span(),
        }
    }

    /// How many entries or items a container has; 0 for scalars.
    #[must_use]
    pub fn len(self) -> usize {
        match self.kind() {
            Kind::Scalar => 0,
            Kind::Mapping => self.entries().count(),
            Kind::Sequence => self.items().count(),
        }
    }

    /// Whether a container has no entries; true for scalars.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.children().is_none_or(|(first, after)| first == after)
    }

    /// How many nodes the subtree has, itself included.
    #[must_use]
    pub fn size(self) -> usize {
        let below = self.children();
        1 + below.map_or(0, |(first, after)| self.tree.count(first, after))
    }

    fn children(self) -> Option<(u32, u32)> {
        (!self.is_scalar()).then(|| self.tree.children(self.position.at))
    }

    /// Iterates over the content of a container; empty if it is of another kind.
    fn walk(self, kind: Kind) -> Walk<'a> {
        let (next, after) = match self.children() {
            Some(children) if self.kind() == kind => children,
            _ => (0, 0),
        };
        Walk {
            tree: self.tree,
            text: self.text,
            base: self.position.start,
            next,
            after,
        }
    }

    /// The keys and values of a mapping, in order; nothing for other nodes.
    pub fn entries(self) -> Entries<'a> {
        Entries(self.walk(Kind::Mapping))
    }

    /// The items of a sequence, in order; nothing for other nodes.
    pub fn items(self) -> Items<'a> {
        Items(self.walk(Kind::Sequence))
    }

    /// The key node and value of a key; `None` where there is none.
    #[must_use]
    pub fn entry(self, key: &str) -> Option<(Self, Self)> {
        let mut walk = self.walk(Kind::Mapping);
        loop {
            let name = walk.step()?;
            let found = self.tree.is_text(name.position, walk.base, self.text, key);
            let value = walk.step()?;
            if found {
                return Some((name, value));
            }
        }
    }

    /// The value of a key; `None` where there is none.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Follows keys downwards.
    #[must_use]
    pub fn at(self, path: &[&str]) -> Option<Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Follows a JSON Pointer: keys of mappings, indexes of sequences.
    #[must_use]
    pub fn pointer(self, pointer: &str) -> Option<Self> {
        pointer.split('/').skip(1).try_fold(self, |node, part| {
            let part = part.replace("~1", "/").replace("~0", "~");
            match node.kind() {
                Kind::Mapping => node.get(&part),
                Kind::Sequence => node.items().nth(index(&part)?),
                Kind::Scalar => None,
            }
        })
    }

    /// A scalar's text after unquoting, whatever its type; `None` for containers.
    #[must_use]
    pub fn text(self) -> Option<&'a str> {
        self.tree.text(self.position, self.text)
    }

    /// Whether it is a scalar without quotes and not a block of text.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.flags() & (Raw::PLAIN | Raw::KIND) == Raw::PLAIN
    }

    /// Whether quotes, a block or the tag `!!str` make a scalar text, whatever it says.
    #[must_use]
    pub fn is_text_by_style(self) -> bool {
        let tag = self.flags() & Raw::FLOAT_TAG;
        match tag {
            0 => !self.is_plain(),
            tag => tag == Raw::STRING_TAG,
        }
    }

    /// Whether it is a `|` or `>` scalar.
    #[must_use]
    pub fn is_block_text(self) -> bool {
        self.flags() & (Raw::BLOCK | Raw::KIND) == Raw::BLOCK
    }

    /// Whether it is a `>` scalar: its header ends the line before its text.
    #[must_use]
    pub fn is_folded(self) -> bool {
        let before = self.text.get(..self.position.start as usize);
        let header = before.filter(|_| self.is_block_text() && !self.tree.made);
        let line = header.and_then(|text| text.trim_end().lines().next_back());
        let line = line.map(|line| line.split(" #").next().unwrap_or(line));
        let word = line.and_then(|line| line.split_whitespace().next_back());
        word.is_some_and(|word| word.starts_with('>'))
    }

    /// Whether it is null: empty, `~` or `null` without quotes.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.is_plain()
            && self.flags() & Raw::STRING_TAG == 0
            && self.text().is_some_and(is_null_text)
    }

    /// The scalar as its family of documents reads it; `None` for containers.
    #[must_use]
    pub fn scalar(self, dialect: Dialect) -> Option<Scalar<'a>> {
        let text = self.text()?;
        let flags = self.flags();
        Some(match flags & Raw::FLOAT_TAG {
            Raw::FLOAT_TAG => tagged_float(text, dialect),
            Raw::STRING_TAG => Scalar::Text(text),
            Raw::CORE_TAG => resolve(text, dialect),
            _ if flags & Raw::PLAIN != 0 => resolve(text, dialect),
            _ => Scalar::Text(text),
        })
    }

    /// A scalar's text; of a whole number its decimal digits, however it is written, as JSON has
    /// them.
    #[must_use]
    pub fn digits(self, dialect: Dialect) -> Option<Cow<'a, str>> {
        let text = self.text()?;
        let usual = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        if usual || !self.is_plain() {
            return Some(text.into());
        }
        Some(match self.scalar(dialect)? {
            Scalar::Int(value) => value.to_string().into(),
            Scalar::Float(value) if value.fract() == 0.0 => format!("{value:.0}").into(),
            _ => text.into(),
        })
    }

    /// Another text written as this scalar is: in the same quotes, if it has any.
    #[must_use]
    pub fn spelled(self, text: &str) -> String {
        match self.source_text().chars().next() {
            Some('"') => format!("{text:?}"),
            Some('\'') => format!("'{}'", text.replace('\'', "''")),
            _ => text.to_owned(),
        }
    }

    /// Whether a plain scalar may be written in quotes instead: there is something to quote, and
    /// no tag says what it is.
    #[must_use]
    pub fn can_be_quoted(self) -> bool {
        let tagged = self.flags() & (Raw::CORE_TAG | Raw::STRING_TAG) != 0;
        let text = self.source_text();
        self.is_plain() && !tagged && !text.is_empty() && !text.starts_with(['!', '&', '*'])
    }

    /// The value that `make` derives from this node alone: computed once and kept with the tree.
    #[must_use]
    pub fn derived<T: Any + Send + Sync>(self, make: impl FnOnce(Self) -> T) -> Arc<T> {
        self.tree.derived(self.position.at, || make(self))
    }

    /// The node's own source text (of the file it was read from); empty in a tree that was made.
    #[must_use]
    pub fn source_text(self) -> &'a str {
        if self.tree.made {
            return "";
        }
        let span = self.span();
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }
}

/// The children of a container, one after another.
#[derive(Clone)]
struct Walk<'a> {
    tree: &'a Tree,
    text: &'a str,
    /// Where the node before the next one ends.
    base: u32,
    next: u32,
    after: u32,
}

/// The index that a step of a JSON Pointer names: digits alone, without zeros before them.
pub(crate) fn index(step: &str) -> Option<usize> {
    let plain = step == "0" || step.starts_with(|first: char| matches!(first, '1'..='9'));
    step.parse().ok().filter(|_| plain)
}

impl<'a> Walk<'a> {
    #[inline]
    fn step(&mut self) -> Option<Node<'a>> {
        if self.next >= self.after {
            return None;
        }
        let (position, end, next) = self.tree.step(self.next, self.base);
        (self.next, self.base) = (next, end);
        Some(Node::new(self.tree, self.text, position))
    }
}

/// The entries of a mapping.
#[derive(Clone)]
pub struct Entries<'a>(Walk<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = (Node<'a>, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.step()?, self.0.step()?))
    }
}

/// The items of a sequence.
#[derive(Clone)]
pub struct Items<'a>(Walk<'a>);

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.step()
    }
}
