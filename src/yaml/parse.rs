//! Parser events in, arena out: the only file that knows the parser.

mod adapted;
mod repeated;
mod safe;
#[cfg(test)]
mod tests;
mod tries;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle};
use rustc_hash::FxHashMap;

use crate::source::{SourceId, Span};

use adapted::Adapted;
use safe::Shape;

use super::cut::has_directive;
use super::expand;
use super::fast;
use super::fault::{Fault, FaultKind};
use super::limits::Limits;
use super::tree::{Draft, Position, Raw, Tree};

pub use adapted::has_old_breaks;

/// Something that families of documents judge differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuirkKind {
    /// The key was there before; the place of the first.
    RepeatedKey(Span),
    /// A tag that is not YAML's own.
    ForeignTag,
    /// A plain `=` that is not a key.
    EqualsSign,
    /// What else PyYAML's safe reader refuses, though YAML allows it; and why.
    Refused(&'static str),
}

/// A quirk and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quirk {
    /// What it is.
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
    /// What the families judge.
    pub quirks: Vec<Quirk>,
    /// How many documents the quick reader left to the parser.
    pub slow: usize,
    /// The nodes of the documents that could be read.
    pub nodes: usize,
}

fn options() -> granit_parser::Options {
    granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        flow_nesting_limit: 2 * Limits::MAX_DEPTH,
        block_nesting_limit: 2 * Limits::MAX_DEPTH,
    }
}

/// Counts the parser's events over a text and keeps nothing: what the speed of reading is
/// measured against.
#[must_use]
pub fn count_events(text: &str) -> usize {
    let mut parser = Parser::new_from_str_with_options(text, options());
    let mut count = 0;
    while let Some(event) = parser.next_event() {
        count += 1;
        if event.is_err() && !parser.proceed_next_document().unwrap_or(false) {
            break;
        }
    }
    count
}

struct Open {
    index: u32,
    /// Entries so far; for mappings keys and values both count.
    children: u32,
    last_end: u32,
    mapping: bool,
    merges: bool,
}

struct Driver<'t> {
    text: &'t str,
    piece: Range<usize>,
    /// What is read instead of the piece.
    adapted: Option<Rc<Adapted>>,
    /// Where what the parser reads is in memory.
    read: Range<usize>,
    limits: Limits,
    parsed: Parsed,
    /// The document being read.
    draft: Draft,
    open: Vec<Open>,
    anchors: FxHashMap<usize, u32>,
    /// The anchors of the document so far.
    names: BTreeSet<&'t str>,
    /// Whether the piece has begun a document.
    begun: bool,
    /// Mappings with merge keys or repeated keys, inner before outer.
    irregular: Vec<u32>,
    aliases: bool,
    /// Nodes of the documents before.
    nodes: usize,
    broken: Option<Fault>,
}

/// The most bytes a thread's scratch may hold.
const SCRATCH: usize = 1 << 22;

thread_local! {
    /// Where the nodes of a piece grow. Trees are copied from it at their exact size: grown and
    /// cut in place, each would leave a hole behind it that nothing fills.
    static NODES: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Parses one piece of a file into a tree; a broken document never hides the others.
#[must_use]
pub fn parse(source: SourceId, text: &str, piece: Range<usize>, limits: Limits) -> Parsed {
    read(source, text, piece, limits, Driver::pieces)
}

/// The same by the parser alone: what the quick reader is held against.
#[must_use]
pub fn parse_by_events(
    source: SourceId,
    text: &str,
    piece: Range<usize>,
    limits: Limits,
) -> Parsed {
    read(source, text, piece, limits, Driver::whole)
}

/// The same by the parser alone, where NEL, LS and PS end lines as in YAML 1.1.
#[must_use]
pub fn parse_with_old_breaks(
    source: SourceId,
    text: &str,
    piece: Range<usize>,
    limits: Limits,
) -> Parsed {
    read(source, text, piece, limits, |driver| {
        let piece = driver.piece.clone();
        driver.adapted = Some(Rc::new(Adapted::with_breaks(
            &text[piece.clone()],
            piece.start,
        )));
        driver.whole();
    })
}

fn read<'t>(
    source: SourceId,
    text: &'t str,
    piece: Range<usize>,
    limits: Limits,
    run: impl FnOnce(&mut Driver<'t>),
) -> Parsed {
    let size = piece.len();
    let mut driver = Driver {
        text,
        piece,
        adapted: None,
        read: 0..0,
        limits,
        parsed: Parsed::default(),
        draft: Draft::default(),
        open: Vec::new(),
        anchors: FxHashMap::default(),
        names: BTreeSet::new(),
        begun: false,
        irregular: Vec::new(),
        aliases: false,
        nodes: 0,
        broken: None,
    };
    driver.parsed.tree.source = source;
    driver.parsed.tree.bytes = NODES.take();
    driver.parsed.tree.bytes.reserve(size / 4);
    run(&mut driver);
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

impl Driver<'_> {
    /// Reads the piece document by document, each the quick way if that is sure of it.
    fn pieces(&mut self) {
        let piece = self.piece.clone();
        let mut reader = fast::Reader::new(self.text, piece.clone(), self.limits);
        let mut at = piece.start;
        while at < piece.end {
            reader.tree = std::mem::take(&mut self.parsed.tree);
            let read = reader.document(at, self.limits.nodes.saturating_sub(self.nodes));
            self.parsed.tree = std::mem::take(&mut reader.tree);
            match read {
                Ok(document) => {
                    self.nodes += document.nodes;
                    self.parsed.documents.extend(document.root);
                    at = document.next;
                }
                Err(fast::Doubt) => {
                    let next = reader.next_document(at);
                    if !self.document_between(at, next, piece.end) {
                        self.drop_all();
                        self.piece = piece;
                        self.whole();
                        return;
                    }
                    at = next;
                }
            }
        }
    }

    /// Lets the parser read what stands between two marks; false if more has to be known: a
    /// directive belongs to the document after it, and a limit ends the whole piece.
    fn document_between(&mut self, at: usize, next: usize, end: usize) -> bool {
        if has_directive(&self.text[at..next]) {
            return false;
        }
        // The next mark says that something ends there, which the end of a file would not.
        self.piece = at..(next + "---".len()).min(end);
        self.events();
        self.parsed.slow += 1;
        let last = self.parsed.faults.last();
        last.is_none_or(|fault| fault.kind != FaultKind::TooManyNodes)
    }

    fn drop_all(&mut self) {
        self.reset();
        self.parsed.tree.clear();
        self.parsed.documents.clear();
        self.parsed.faults.clear();
        self.parsed.quirks.clear();
        self.parsed.slow = 0;
        self.begun = false;
        self.nodes = 0;
    }

    /// Reads the piece by the parser alone.
    fn whole(&mut self) {
        self.events();
        let parsed = &mut self.parsed;
        parsed.slow = (parsed.documents.len() + parsed.faults.len()).max(1);
    }

    fn span(&self, span: &granit_parser::Span) -> Span {
        let start = self.place(span.start.byte_offset());
        let end = self.place(span.end.byte_offset());
        Span {
            start: offset(start),
            end: offset(end.max(start)),
        }
    }

    fn drop_document(&mut self, fault: Option<Fault>) {
        let document = self.document();
        self.parsed
            .quirks
            .retain(|quirk| quirk.document != document);
        self.parsed.faults.extend(fault);
        self.reset();
    }

    fn reset(&mut self) {
        self.open.clear();
        self.anchors.clear();
        self.names.clear();
        self.irregular.clear();
        self.aliases = false;
        self.draft.clear();
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

    fn event(&mut self, event: Event<'_>, at: &granit_parser::Span) {
        match event {
            Event::DocumentStart(marked, _) => {
                self.reset();
                if self.begun && !marked {
                    let why = "a document follows `...` without `---`";
                    self.quirk(QuirkKind::Refused(why), self.span(at));
                }
                self.begun = true;
            }
            Event::Anchor(..) => self.anchor(self.span(at)),
            Event::DocumentEnd => self.end_document(),
            Event::Scalar(value, style, anchor, tag) => {
                let mut span = self.span(at);
                let mut flags = match style {
                    ScalarStyle::Plain => Raw::PLAIN,
                    ScalarStyle::Literal | ScalarStyle::Folded => Raw::BLOCK,
                    _ => 0,
                };
                let implicit = span.start == span.end && style == ScalarStyle::Plain;
                if implicit && anchor == 0 && tag.is_none() {
                    self.missing_key(span);
                }
                if let Some(tag) = tag.as_deref() {
                    flags |= self.tag(tag, span, Shape::Scalar(&value));
                } else if style == ScalarStyle::Plain && !implicit {
                    self.plain(&value, span);
                }
                let (a, b, owned) = self.place_text(&value, implicit, span);
                flags |= owned;
                if style != ScalarStyle::Plain && span.end <= span.start {
                    span.end = span.start;
                }
                let index = self.push(Raw {
                    start: span.start,
                    end: span.end,
                    a,
                    b,
                    flags,
                });
                if anchor != 0 {
                    self.anchors.insert(anchor, index);
                }
                let merge = style == ScalarStyle::Plain && value.as_ref() == "<<";
                self.child(span, false, merge);
            }
            Event::MappingStart(style, anchor, tag) => {
                self.start(Raw::MAPPING, style, anchor, at);
                if let Some(tag) = tag.as_deref() {
                    let span = self.span(at);
                    self.tag(tag, span, Shape::Mapping);
                }
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.start(Raw::SEQUENCE, style, anchor, at);
                if let Some(tag) = tag.as_deref() {
                    let span = self.span(at);
                    self.tag(tag, span, Shape::Sequence);
                }
            }
            Event::MappingEnd | Event::SequenceEnd => self.end(at),
            Event::Alias(anchor) => {
                let span = self.span(at);
                let name = || self.text[span.start as usize..span.end as usize].to_owned();
                let Some(target) = self.anchors.get(&anchor).copied() else {
                    let kind = FaultKind::UndefinedAlias(name());
                    self.broken = Some(Fault { kind, span });
                    return;
                };
                if self.open.iter().any(|open| open.index == target) {
                    let kind = FaultKind::RecursiveAlias(name());
                    self.broken = Some(Fault { kind, span });
                    return;
                }
                self.aliases = true;
                self.push(Raw {
                    start: span.start,
                    end: span.end,
                    a: target,
                    b: 0,
                    flags: expand::ALIAS,
                });
                self.child(span, false, false);
            }
            Event::UnresolvedAlias(name) => {
                let kind = FaultKind::UndefinedAlias(format!("*{name}"));
                self.broken = Some(Fault {
                    kind,
                    span: self.span(at),
                });
            }
            _ => {}
        }
    }

    /// The place of a scalar's text: in the file where it is there unchanged.
    fn place_text(&mut self, value: &str, implicit: bool, span: Span) -> (u32, u32, u32) {
        if implicit {
            return (span.start, span.start, 0);
        }
        let at = (value.as_ptr() as usize).wrapping_sub(self.read.start);
        if at <= self.read.len() && at + value.len() <= self.read.len() {
            let start = self.place(Some(at));
            let end = start + value.len();
            if self.adapted.is_none() || self.text.get(start..end) == Some(value) {
                return (offset(start), offset(end), 0);
            }
        }
        let own = &mut self.draft.own_text;
        let start = own.len();
        own.push_str(value);
        (offset(start), offset(own.len()), Raw::OWNED)
    }

    /// A key that is not there, as in `: value`: YAML 1.2 makes a null of it, the original readers
    /// take one behind `?` alone.
    fn missing_key(&mut self, span: Span) {
        let Some(open) = self.open.last().filter(|open| open.mapping) else {
            return;
        };
        if open.children % 2 != 0 || self.broken.is_some() {
            return;
        }
        let before = self.text.get(open.last_end as usize..span.start as usize);
        let words = before.into_iter().flat_map(str::lines);
        let mut words = words.map(|line| line.split_once('#').map_or(line, |(words, _)| words));
        if !words.any(|words| words.contains('?')) {
            let kind = FaultKind::Syntax("a key is missing before `:`".into());
            self.broken = Some(Fault { kind, span });
        }
    }

    fn push(&mut self, raw: Raw) -> u32 {
        let nodes = &mut self.draft.nodes;
        let count = self.nodes + nodes.len();
        if count >= self.limits.nodes && self.broken.is_none() {
            let span = Span {
                start: raw.start,
                end: raw.end,
            };
            self.broken = Some(Fault {
                kind: FaultKind::TooManyNodes,
                span,
            });
        }
        nodes.push(raw);
        offset(nodes.len() - 1)
    }

    /// Counts a finished child in its parent.
    fn child(&mut self, span: Span, container: bool, merge: bool) {
        let Some(parent) = self.open.last_mut() else {
            return;
        };
        let key = parent.mapping && parent.children % 2 == 0;
        parent.children += 1;
        parent.last_end = parent.last_end.max(span.end);
        if key && merge {
            parent.merges = true;
        }
        if key && container && self.broken.is_none() {
            self.broken = Some(Fault {
                kind: FaultKind::CollectionKey,
                span,
            });
        }
    }

    fn start(&mut self, kind: u32, style: StructureStyle, anchor: usize, at: &granit_parser::Span) {
        let span = self.span(at);
        let flow = if style == StructureStyle::Flow {
            Raw::FLOW
        } else {
            0
        };
        let index = self.push(Raw {
            start: span.start,
            end: span.end,
            a: 0,
            b: 0,
            flags: kind | flow,
        });
        if anchor != 0 {
            self.anchors.insert(anchor, index);
        }
        self.open.push(Open {
            index,
            children: 0,
            last_end: span.start,
            mapping: kind == Raw::MAPPING,
            merges: false,
        });
        if self.open.len() > self.limits.depth && self.broken.is_none() {
            self.broken = Some(Fault {
                kind: FaultKind::TooDeep,
                span,
            });
        }
    }

    fn end(&mut self, at: &granit_parser::Span) {
        let Some(open) = self.open.pop() else { return };
        let end_of_event = self.span(at).end;
        let after = offset(self.draft.nodes.len());
        let raw = &mut self.draft.nodes[open.index as usize];
        raw.a = after;
        raw.b = if open.mapping {
            open.children / 2
        } else {
            open.children
        };
        raw.end = if raw.flags & Raw::FLOW != 0 {
            end_of_event
        } else {
            open.last_end
        };
        let span = Span {
            start: raw.start,
            end: raw.end,
        };
        let count = raw.b;
        if open.mapping {
            let repeated = count > 1 && self.repeated_keys(open.index, count);
            if repeated || open.merges {
                self.irregular.push(open.index);
            }
        }
        self.child(span, true, false);
    }

    fn end_document(&mut self) {
        let nodes = &self.draft.nodes;
        let Some(root) = nodes.first() else {
            return self.reset();
        };
        let empty = root.flags & Raw::KIND == 0 && root.flags & Raw::PLAIN != 0 && root.a == root.b;
        if empty && root.flags & expand::ALIAS == 0 {
            return self.drop_document(None);
        }
        if self.aliases || !self.irregular.is_empty() {
            let limits = self.limits;
            let irregular = std::mem::take(&mut self.irregular);
            let expanded = expand::expand(&self.draft, self.text, &irregular, &limits);
            match expanded {
                Ok(nodes) => {
                    self.draft.nodes = nodes;
                }
                Err(fault) => return self.drop_document(Some(fault)),
            }
        }
        let root = self.parsed.tree.append(&self.draft);
        self.nodes += self.draft.nodes.len();
        self.parsed.documents.push(root);
        self.reset();
    }
}
