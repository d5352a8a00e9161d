//! The arena: one flat array of nodes in document order, and a handle that walks it.

use crate::source::{Place, SourceId, Span};

use super::scalar::{Dialect, Scalar, is_null_text, resolve};

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text, number, boolean, null.
    Scalar,
    /// Keys and values.
    Mapping,
    /// Items.
    Sequence,
}

/// One node of the arena, 20 bytes. Scalars: `a..b` is their text, in the file or in
/// the tree's own text. Containers: `a` is the index after the subtree, `b` the count.
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
    /// A `|` or `>` scalar.
    pub(crate) const BLOCK: u32 = 32;
    /// The scalar carries the tag `!!str`.
    pub(crate) const STRING_TAG: u32 = 64;
    /// The scalar carries another of YAML's own tags.
    pub(crate) const CORE_TAG: u32 = 128;
}

/// The nodes of one piece of a file, or of a document made from several.
#[derive(Debug, Default)]
pub struct Tree {
    pub(crate) source: SourceId,
    pub(crate) nodes: Vec<Raw>,
    pub(crate) own_text: String,
    /// In a tree made from several files: the file of each node.
    pub(crate) origins: Vec<SourceId>,
}

impl Tree {
    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node at an index; `text` is the text of the tree's file.
    #[must_use]
    pub fn node<'a>(&'a self, text: &'a str, index: u32) -> Node<'a> {
        Node {
            tree: self,
            text,
            index,
        }
    }

    /// Where the quoted and block scalars stand.
    pub(crate) fn quoted_spans(&self) -> impl Iterator<Item = Span> {
        let scalar = |raw: &&Raw| raw.flags & (Raw::KIND | Raw::PLAIN) == 0;
        let scalars = self.nodes.iter().filter(scalar);
        scalars.map(|raw| Span {
            start: raw.start,
            end: raw.end,
        })
    }

    /// The first node of a tree that holds one document.
    #[must_use]
    pub fn root<'a>(&'a self, text: &'a str) -> Node<'a> {
        self.node(text, 0)
    }
}

/// A node of a tree; a handle that is free to copy.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    tree: &'a Tree,
    text: &'a str,
    index: u32,
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}#{} {:?}", self.kind(), self.index, self.text())
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.index == other.index
    }
}

impl<'a> Node<'a> {
    pub(crate) fn raw(self) -> Raw {
        self.tree.nodes[self.index as usize]
    }

    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// The node's number in its tree, by which a patch names it.
    #[must_use]
    pub fn number(self) -> u32 {
        self.index
    }

    pub(crate) fn address(self) -> usize {
        std::ptr::from_ref(self.tree) as usize
    }

    fn sibling(self, index: u32) -> Self {
        Self { index, ..self }
    }

    fn after(self) -> u32 {
        let raw = self.raw();
        if raw.flags & Raw::KIND == 0 {
            self.index + 1
        } else {
            raw.a
        }
    }

    /// What the node is.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.raw().flags & Raw::KIND {
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

    /// Whether it is a container written in brackets.
    #[must_use]
    pub fn is_flow(self) -> bool {
        self.raw().flags & Raw::FLOW != 0
    }

    /// Where the node stands, in bytes of its file.
    #[must_use]
    pub fn span(self) -> Span {
        let raw = self.raw();
        Span {
            start: raw.start,
            end: raw.end,
        }
    }

    /// Where the node stands, file included.
    #[must_use]
    pub fn place(self) -> Place {
        let origin = self.tree.origins.get(self.index as usize);
        Place {
            source: origin.copied().unwrap_or(self.tree.source),
            span: self.span(),
        }
    }

    /// How many entries or items a container has; 0 for scalars.
    #[must_use]
    pub fn len(self) -> usize {
        let raw = self.raw();
        if raw.flags & Raw::KIND == 0 {
            0
        } else {
            raw.b as usize
        }
    }

    /// Whether a container has no entries; true for scalars.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// How many nodes the subtree has, itself included.
    #[must_use]
    pub fn size(self) -> usize {
        (self.after() - self.index) as usize
    }

    /// The keys and values of a mapping, in order; nothing for other nodes.
    pub fn entries(self) -> Entries<'a> {
        let left = if self.is_mapping() { self.len() } else { 0 };
        Entries {
            next: self.sibling(self.index + 1),
            left,
        }
    }

    /// The items of a sequence, in order; nothing for other nodes.
    pub fn items(self) -> Items<'a> {
        let left = if self.is_sequence() { self.len() } else { 0 };
        Items {
            next: self.sibling(self.index + 1),
            left,
        }
    }

    /// The key node and value of a key; `None` where there is none.
    #[must_use]
    pub fn entry(self, key: &str) -> Option<(Self, Self)> {
        self.entries().find(|(name, _)| name.text() == Some(key))
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
                Kind::Sequence => node.items().nth(part.parse().ok()?),
                Kind::Scalar => None,
            }
        })
    }

    /// A scalar's text after unquoting, whatever its type; `None` for containers.
    #[must_use]
    pub fn text(self) -> Option<&'a str> {
        let raw = self.raw();
        if raw.flags & Raw::KIND != 0 {
            return None;
        }
        let text = if raw.flags & Raw::OWNED == 0 {
            self.text
        } else {
            &self.tree.own_text
        };
        Some(&text[raw.a as usize..raw.b as usize])
    }

    /// Whether it is a scalar without quotes and not a block of text.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.raw().flags & (Raw::PLAIN | Raw::KIND) == Raw::PLAIN
    }

    /// Whether it is a `|` or `>` scalar.
    #[must_use]
    pub fn is_block_text(self) -> bool {
        self.raw().flags & Raw::BLOCK != 0
    }

    /// Whether it is null: empty, `~` or `null` without quotes.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.is_plain()
            && self.raw().flags & Raw::STRING_TAG == 0
            && self.text().is_some_and(is_null_text)
    }

    /// The scalar as its family of documents reads it; `None` for containers.
    #[must_use]
    pub fn scalar(self, dialect: Dialect) -> Option<Scalar<'a>> {
        let text = self.text()?;
        let flags = self.raw().flags;
        let typed = flags & (Raw::PLAIN | Raw::CORE_TAG) != 0 && flags & Raw::STRING_TAG == 0;
        Some(if typed {
            resolve(text, dialect)
        } else {
            Scalar::Text(text)
        })
    }

    /// The node's own source text (of the file it was read from).
    #[must_use]
    pub fn source_text(self) -> &'a str {
        let span = self.span();
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }
}

/// The entries of a mapping.
#[derive(Clone)]
pub struct Entries<'a> {
    next: Node<'a>,
    left: usize,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Node<'a>, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let key = self.next;
        let value = key.sibling(key.after());
        self.next = value.sibling(value.after());
        Some((key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Entries<'_> {}

/// The items of a sequence.
#[derive(Clone)]
pub struct Items<'a> {
    next: Node<'a>,
    left: usize,
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let item = self.next;
        self.next = item.sibling(item.after());
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Items<'_> {}
