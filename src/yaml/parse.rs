//! Documents in, trees out: by the quick reader where it is sure, by events where it is not.

mod compose;
mod originals;
mod repeated;
mod safe;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::source::{SourceId, Span};

use super::cut::has_directive;
use super::events::{Events, Grammar};
use super::fast;
use super::fault::{Fault, FaultKind};
use super::limits::Limits;
use super::node::Node;
use super::scalar::Dialect;
use super::tree::{Draft, Position, Tree};

/// Something that families of documents judge differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuirkKind {
    /// The key was there before; the place of the first.
    RepeatedKey(Span),
    /// A merge key overrides a key before it, whose place this is.
    LateMerge(Span),
    /// A tag that is not YAML's own.
    ForeignTag,
    /// A plain `=` that is not a key.
    EqualsSign,
    /// A tab where PyYAML takes none.
    Tab,
    /// Another construct that PyYAML's safe reader refuses, though YAML allows it; and why.
    Refused(&'static str),
    /// A value that the reader of Kubernetes' API server cannot turn into JSON; and why.
    NoJson(&'static str),
}

/// A quirk and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quirk {
    /// The kind of quirk.
    pub kind: QuirkKind,
    /// Where.
    pub span: Span,
    /// The document, as an index into [`Parsed::documents`].
    pub document: u32,
}

/// A parsed piece of a file.
#[derive(Debug, Default)]
pub struct Parsed {
    /// All nodes.
    pub tree: Tree,
    /// The roots of the documents that could be read and are not empty, in order.
    pub documents: Vec<Position>,
    /// The documents that could not.
    pub faults: Vec<Fault>,
    /// The quirks that each family judges by its own rules.
    pub quirks: Vec<Quirk>,
    /// How many documents the quick reader left to the parser.
    pub slow: usize,
    /// The nodes of the documents that could be read.
    pub nodes: usize,
    /// The places of anchored nodes that aliases name, in the order of the documents.
    pub shared: Vec<Span>,
}

/// The reader that a document is for, by its root; none if there is none.
pub type Family<'f> = &'f dyn Fn(Node<'_>) -> Option<Dialect>;

struct Open {
    index: u32,
    /// Entries so far; for mappings keys and values both count.
    children: u32,
    last_end: u32,
    mapping: bool,
    merges: bool,
}

struct Driver<'t, 'f> {
    text: &'t str,
    piece: Range<usize>,
    family: Family<'f>,
    limits: Limits,
    /// The YAML library whose rules hold.
    grammar: Grammar,
    /// Whether the other ones may give another tree.
    differs: bool,
    parsed: Parsed,
    /// The document being read.
    draft: Draft,
    open: Vec<Open>,
    /// The last node of each anchor's name.
    anchors: FxHashMap<&'t str, u32>,
    /// Mappings with merge keys or repeated keys, inner before outer.
    irregular: Vec<u32>,
    /// The nodes that aliases name.
    named: Vec<u32>,
    /// Nodes of the documents before.
    nodes: usize,
    broken: Option<Fault>,
    /// How many quirks there were before the document.
    first_quirk: usize,
}

/// The most bytes a thread's scratch may hold.
const SCRATCH: usize = 1 << 22;

thread_local! {
    /// Where the nodes of a piece grow. Trees are copied from it at their exact size: grown and
    /// cut in place, each would leave a hole behind it that nothing fills.
    static NODES: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Parses one piece of a file into a tree; a broken document never hides the others. Every
/// document is read as the reader of Kubernetes' API server does.
#[must_use]
pub fn parse(source: SourceId, text: &str, piece: Range<usize>, limits: Limits) -> Parsed {
    parse_as(source, text, piece, limits, &|_| Some(Dialect::Kubernetes))
}

/// The same, every document as the reader of its family does.
#[must_use]
pub fn parse_as(
    source: SourceId,
    text: &str,
    piece: Range<usize>,
    limits: Limits,
    family: Family<'_>,
) -> Parsed {
    read(source, text, piece, limits, family, true)
}

/// The same without the fast reader, for comparison with it.
#[must_use]
pub fn parse_by_events(
    source: SourceId,
    text: &str,
    piece: Range<usize>,
    limits: Limits,
    family: Family<'_>,
) -> Parsed {
    read(source, text, piece, limits, family, false)
}

/// Counts the events of a text and keeps nothing: what the speed of reading is measured against.
#[must_use]
pub fn count_events(text: &str) -> usize {
    let mut events = Events::new(text, 0, text.len(), Grammar::Go);
    let mut count = 0;
    loop {
        match events.next() {
            Ok(Some(_)) => count += 1,
            Ok(None) => return count,
            Err(_) if !events.recover(Grammar::Go) => return count,
            Err(_) => {}
        }
    }
}

fn read(
    source: SourceId,
    text: &str,
    piece: Range<usize>,
    limits: Limits,
    family: Family<'_>,
    quick: bool,
) -> Parsed {
    let size = piece.len();
    let mut driver = Driver {
        text,
        piece,
        family,
        limits,
        grammar: Grammar::Go,
        differs: false,
        parsed: Parsed::default(),
        draft: Draft::default(),
        open: Vec::new(),
        anchors: FxHashMap::default(),
        irregular: Vec::new(),
        named: Vec::new(),
        nodes: 0,
        broken: None,
        first_quirk: 0,
    };
    driver.parsed.tree.source = source;
    driver.parsed.tree.bytes = NODES.take();
    driver.parsed.tree.bytes.reserve(size / 4);
    driver.pieces(quick);
    driver.parsed.nodes = driver.nodes;
    let bytes = &mut driver.parsed.tree.bytes;
    if bytes.capacity() > SCRATCH {
        bytes.shrink_to_fit();
    } else {
        let exact = bytes.as_slice().to_vec();
        let mut scratch = std::mem::replace(bytes, exact);
        scratch.clear();
        NODES.set(scratch);
    }
    driver.parsed
}

fn offset(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

impl Driver<'_, '_> {
    /// Reads the piece document by document, each the quick way if that is sure of it.
    fn pieces(&mut self, quick: bool) {
        let piece = self.piece.clone();
        let mut reader = fast::Reader::new(self.text, piece.clone(), self.limits);
        let mut at = piece.start;
        while at < piece.end {
            reader.tree = std::mem::take(&mut self.parsed.tree);
            let read = if quick {
                reader.document(at, self.limits.nodes.saturating_sub(self.nodes))
            } else {
                Err(fast::Doubt)
            };
            self.parsed.tree = std::mem::take(&mut reader.tree);
            match read {
                Ok(document) => {
                    self.nodes += document.nodes;
                    if let Some(tab) = document.tab.filter(|_| document.root.is_some()) {
                        self.quirk(QuirkKind::Tab, tab);
                    }
                    self.parsed.documents.extend(document.root);
                    at = document.next;
                }
                Err(fast::Doubt) => {
                    let mut next = reader.next_document(at);
                    // A directive belongs to the document after it.
                    let mut from = at;
                    while next < piece.end && has_directive(&self.text[from..next]) {
                        from = next;
                        next = reader.next_document(next);
                    }
                    // The next mark says that something ends there, which the end of a file
                    // would not.
                    self.piece = at..(next + "---".len()).min(piece.end);
                    self.original();
                    self.parsed.slow += 1;
                    let last = self.parsed.faults.last();
                    if last.is_some_and(|fault| fault.kind == FaultKind::TooManyNodes) {
                        return;
                    }
                    at = next;
                }
            }
        }
    }

    fn drop_document(&mut self, fault: Option<Fault>) {
        self.parsed.quirks.truncate(self.first_quirk);
        self.parsed.faults.extend(fault);
        self.reset();
    }

    fn reset(&mut self) {
        self.open.clear();
        self.anchors.clear();
        self.irregular.clear();
        self.named.clear();
        self.draft.clear();
        self.broken = None;
    }

    /// The index that the document being read gets.
    fn document(&self) -> u32 {
        offset(self.parsed.documents.len())
    }

    fn quirk(&mut self, kind: QuirkKind, span: Span) {
        let document = self.document();
        self.parsed.quirks.push(Quirk {
            kind,
            span,
            document,
        });
    }

    /// Whether PyYAML's rules hold, asked where go-yaml's are others.
    fn is_python(&mut self) -> bool {
        self.differs = true;
        self.grammar == Grammar::Python
    }

    /// How the grammar's reader types scalars.
    fn dialect(&self) -> Dialect {
        match self.grammar {
            Grammar::Go => Dialect::Kubernetes,
            Grammar::Python => Dialect::PyYaml,
        }
    }
}
