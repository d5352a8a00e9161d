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

/// One node of the arena, 12 bytes; made by [`Tree::append`] from a [`Raw`].
///
/// `x` is a scalar's length, or the index after a container's subtree. The low byte of `y`
/// holds the flags; above it stand, for scalars, how much of the span lies before and after the
/// text (12 bits each), for containers how far their end lies behind that of their last leaf.
/// What does not fit has a place in a side table, whose index takes the place of the figure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed {
    start: u32,
    x: u32,
    y: u32,
}

/// A container whose end does not follow from its last leaf (`Raw::BLOCK` means nothing else
/// for containers).
const WIDE: u32 = Raw::BLOCK;
const FLAGS: u32 = 0xff;
const MARGIN: u32 = 0xfff;

impl Packed {
    fn flags(self) -> u32 {
        self.y & FLAGS
    }

    fn is_scalar(self) -> bool {
        self.y & Raw::KIND == 0
    }
}

/// A scalar whose text does not stand in the file as it is.
#[derive(Debug, Clone, Copy)]
struct Owned {
    end: u32,
    text_start: u32,
    text_end: u32,
}

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
    /// A `|` or `>` scalar.
    pub(crate) const BLOCK: u32 = 32;
    /// The scalar carries the tag `!!str`.
    pub(crate) const STRING_TAG: u32 = 64;
    /// The scalar carries another of YAML's own tags.
    pub(crate) const CORE_TAG: u32 = 128;

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

/// The nodes of one piece of a file, or of a document made from several.
#[derive(Debug, Default)]
pub struct Tree {
    pub(crate) source: SourceId,
    pub(crate) nodes: Vec<Packed>,
    own_text: String,
    owned: Vec<Owned>,
    /// Ends of containers that do not follow from their last leaf.
    ends: Vec<u32>,
    /// In a tree made from several files: the file of each node.
    pub(crate) origins: Vec<SourceId>,
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
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
        let quoted = |node: &Packed| node.flags() & (Raw::KIND | Raw::PLAIN) == 0;
        let indexes = (0..number(self.nodes.len())).zip(&self.nodes);
        indexes
            .filter(move |(_, node)| quoted(node))
            .map(|(index, _)| self.span(index))
    }

    /// The first node of a tree that holds one document.
    #[must_use]
    pub fn root<'a>(&'a self, text: &'a str) -> Node<'a> {
        self.node(text, 0)
    }

    /// Takes a finished document and gives the index of its root.
    pub(crate) fn append(&mut self, draft: &Draft) -> u32 {
        let base = number(self.nodes.len());
        let own_base = number(self.own_text.len());
        self.own_text.push_str(&draft.own_text);
        self.nodes.reserve(draft.nodes.len());
        for raw in &draft.nodes {
            let packed = if raw.is_scalar() {
                self.scalar(raw, own_base)
            } else {
                // The end follows when all leaves are packed.
                Packed {
                    start: raw.start,
                    x: base + raw.a,
                    y: raw.flags & FLAGS & !WIDE,
                }
            };
            self.nodes.push(packed);
        }
        // From the end, because a container's last leaf may be an empty container.
        let indexes = (base..number(self.nodes.len())).rev();
        for (raw, index) in draft.nodes.iter().rev().zip(indexes) {
            if !raw.is_scalar() {
                self.set_end(index, raw.end);
            }
        }
        base
    }

    fn scalar(&mut self, raw: &Raw, own_base: u32) -> Packed {
        let (start, flags) = (raw.start, raw.flags & FLAGS);
        if flags & Raw::OWNED == 0 {
            let lead = raw.a.wrapping_sub(start);
            let trail = raw.end.wrapping_sub(raw.b);
            if lead <= MARGIN && trail <= MARGIN {
                return Packed {
                    start,
                    x: raw.end - start,
                    y: flags | lead << 8 | trail << 20,
                };
            }
        }
        let shift = if flags & Raw::OWNED == 0 { 0 } else { own_base };
        let owned = number(self.owned.len());
        self.owned.push(Owned {
            end: raw.end,
            text_start: raw.a + shift,
            text_end: raw.b + shift,
        });
        // A margin that no text has tells text of the file at an odd place from own text.
        let y = flags
            | Raw::OWNED
            | if flags & Raw::OWNED == 0 {
                MARGIN << 8
            } else {
                0
            };
        Packed { start, x: owned, y }
    }

    fn set_end(&mut self, index: u32, end: u32) {
        let behind = end
            .checked_sub(self.last_end(index))
            .filter(|behind| *behind < 1 << 24);
        let high = match behind {
            Some(behind) => behind << 8,
            None => {
                let at = number(self.ends.len());
                self.ends.push(end);
                at << 8 | WIDE
            }
        };
        self.nodes[index as usize].y |= high;
    }

    /// The end of a container's last leaf; of an empty container its start.
    fn last_end(&self, index: u32) -> u32 {
        let last = self.nodes[index as usize].x - 1;
        if last == index {
            return self.nodes[index as usize].start;
        }
        self.span(last).end
    }

    fn span(&self, index: u32) -> Span {
        let node = self.nodes[index as usize];
        let end = if node.is_scalar() {
            match node.y & Raw::OWNED {
                0 => node.start + node.x,
                _ => self.owned[node.x as usize].end,
            }
        } else if node.y & WIDE != 0 {
            self.ends[(node.y >> 8) as usize]
        } else {
            self.last_end(index) + (node.y >> 8)
        };
        Span {
            start: node.start,
            end,
        }
    }

    fn text<'a>(&'a self, index: u32, file: &'a str) -> Option<&'a str> {
        let node = self.nodes[index as usize];
        if !node.is_scalar() {
            return None;
        }
        if node.y & Raw::OWNED == 0 {
            let lead = node.y >> 8 & MARGIN;
            let trail = node.y >> 20;
            return Some(
                &file[(node.start + lead) as usize..(node.start + node.x - trail) as usize],
            );
        }
        let owned = self.owned[node.x as usize];
        let text = if node.y >> 8 & MARGIN == MARGIN {
            file
        } else {
            &self.own_text
        };
        Some(&text[owned.text_start as usize..owned.text_end as usize])
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
    fn packed(self) -> Packed {
        self.tree.nodes[self.index as usize]
    }

    pub(crate) fn flags(self) -> u32 {
        self.packed().flags()
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
        let node = self.packed();
        if node.is_scalar() {
            self.index + 1
        } else {
            node.x
        }
    }

    /// What the node is.
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

    /// Whether it is a container written in brackets.
    #[must_use]
    pub fn is_flow(self) -> bool {
        self.flags() & Raw::FLOW != 0
    }

    /// Where the node stands, in bytes of its file.
    #[must_use]
    pub fn span(self) -> Span {
        self.tree.span(self.index)
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
        match self.kind() {
            Kind::Scalar => 0,
            Kind::Mapping => self.entries().count(),
            Kind::Sequence => self.items().count(),
        }
    }

    /// Whether a container has no entries; true for scalars.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.size() == 1
    }

    /// How many nodes the subtree has, itself included.
    #[must_use]
    pub fn size(self) -> usize {
        (self.after() - self.index) as usize
    }

    /// The keys and values of a mapping, in order; nothing for other nodes.
    pub fn entries(self) -> Entries<'a> {
        let end = if self.is_mapping() {
            self.after()
        } else {
            self.index + 1
        };
        Entries {
            next: self.sibling(self.index + 1),
            end,
        }
    }

    /// The items of a sequence, in order; nothing for other nodes.
    pub fn items(self) -> Items<'a> {
        let end = if self.is_sequence() {
            self.after()
        } else {
            self.index + 1
        };
        Items {
            next: self.sibling(self.index + 1),
            end,
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
        self.tree.text(self.index, self.text)
    }

    /// Whether it is a scalar without quotes and not a block of text.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.flags() & (Raw::PLAIN | Raw::KIND) == Raw::PLAIN
    }

    /// Whether it is a `|` or `>` scalar.
    #[must_use]
    pub fn is_block_text(self) -> bool {
        self.flags() & (Raw::BLOCK | Raw::KIND) == Raw::BLOCK
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
    end: u32,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Node<'a>, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next.index >= self.end {
            return None;
        }
        let key = self.next;
        let value = key.sibling(key.after());
        self.next = value.sibling(value.after());
        Some((key, value))
    }
}

/// The items of a sequence.
#[derive(Clone)]
pub struct Items<'a> {
    next: Node<'a>,
    end: u32,
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next.index >= self.end {
            return None;
        }
        let item = self.next;
        self.next = item.sibling(item.after());
        Some(item)
    }
}
