//! The reader for the style that nearly all documents are written in.
//!
//! It writes the tree directly, line by line, many times faster than a parser that goes
//! through tokens and events. It reads one style only, and never decides that something is an
//! error: whatever it is not sure of is a [`Doubt`], and then the parser (`parse.rs`) reads the
//! document in its place. Both make the same tree, byte by byte; `tests/it/fast.rs` and a fuzz
//! target hold them against each other.
//!
//! # What it reads
//!
//! ```text
//! stream    = document, followed by documents that begin with a mark
//! mark      = "---" at the start of a line, alone but for blanks and a comment
//! document  = (nothing | block at any column | flow) ["..." before a mark or the end]
//! block     = entries | items, all at one column
//! entries   = (key ":" value)+           a key appears once in its mapping, and is not null
//! items     = ("-" item)+
//! key       = plain | quoted without escapes, on one line with its colon, under 1000 bytes
//! value     = nothing                    null, at the colon
//!           | scalar | flow              on the line of the key, or on a deeper line of its own
//!           | text                       whose header ends the line of the key
//!           | block                      on the next lines, deeper; items may stand at the
//!                                        column of the key
//! item      = the same, and a block may begin on the line of the "-"
//! scalar    = plain | quoted             quoted on one line; plain goes on in deeper lines
//! plain     = begins with no indicator, ends before ": ", " #" and the end of the line,
//!             holds no tab; is neither "=" nor "<<" nor a number or time that does not exist
//! quoted    = '…' with '' for a quote | "…" with escapes other than surrogates and "\/"
//! text      = ("|" | ">") ["+" | "-"], and then lines deeper than the block it is in,
//!             the first of them with content
//! flow      = "[" [node ("," node)*] "]" | "{" [pair ("," pair)*] "}"
//! pair      = key ":" node               the colon next to a quoted key or before a blank
//! node      = flow | quoted | plain without ",?[]{}"
//! comment   = "#" after a blank or at the start of a line, up to its end; not inside of a flow
//! ```
//!
//! Blanks are spaces, and between the tokens of a flow document also tabs; lines end with a
//! line feed, or a carriage return and a line feed. Inside of quotes, texts and comments tabs
//! are as good as letters. A flow collection may go over several lines, a scalar inside of it
//! may not.
//!
//! # What it leaves to the parser
//!
//! Everything else. To name what is met in practice: anchors, aliases, tags, directives, merge
//! keys, `? ` keys, content on the line of `---`, quoted scalars over several lines, keys there
//! twice, texts without a line or with the width of their indentation, comments in flows,
//! control characters, line breaks of Unicode, and limits in reach; in short, whatever PyYAML and
//! go-yaml may read in different ways, but for the tabs of a flow document, which it notes.
//!
//! # How the two are put together
//!
//! A document in doubt is given to the parser together with the mark after it: a mark ends
//! everything that is open, and nothing but directives passes it. So a fault of the document
//! is the one that the parser finds in the whole piece. A document with directives is read
//! together with what stands before it.
//!
//! # Where the parser says that things are
//!
//! An empty value is at its colon. An empty item is where its line ends, comment included. A
//! sequence begins at its first `-`, but at what follows the `-` when it is at the column of
//! its key. A block ends with its last child. A text begins with its first letter and ends with
//! the indentation of the line after it.

mod flow;
mod scalar;
mod write;

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::source::Span;

use super::limits::Limits;
use super::tree::{Mark, Position, Raw, Tree};

/// The reader is not sure; the parser decides.
#[derive(Debug)]
pub(super) struct Doubt;

type Sure<T> = Result<T, Doubt>;

/// The longest key, with the blanks before its colon; the parser has a limit of 1024 characters.
const KEY: usize = 1000;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mapping,
    Sequence,
    /// A sequence at the column of the key whose value it is.
    Indentless,
    FlowMapping,
    FlowSequence,
}

/// A container that is being read.
#[derive(Debug)]
struct Open {
    kind: Kind,
    column: u32,
    start: u32,
    /// Where the last child ends.
    end: u32,
    /// Where the tree keeps the figures of the container.
    figures: usize,
    /// The place of the null that the last entry or item is, unless something follows.
    missing: Option<u32>,
    /// How many keys of other mappings are noted.
    keys: usize,
}

/// Reads a piece of a file.
pub(super) struct Reader<'t> {
    text: &'t str,
    /// The bytes up to the end of the piece.
    bytes: &'t [u8],
    limits: Limits,
    /// Whether all characters of the piece are known to be harmless.
    harmless: bool,
    pub(super) tree: Tree,
    open: Vec<Open>,
    /// The keys of the open mappings.
    keys: Vec<(u32, u32)>,
    /// Where the node before ends, or where the container around begins.
    base: u32,
    root: Option<Position>,
    /// Nodes of the document so far.
    nodes: usize,
    /// Nodes that the document may have.
    budget: usize,
    /// The plain scalar that was written last, if it may go on in the next line.
    last: Option<Last>,
    /// The first tab that stands between tokens.
    tab: Option<usize>,
}

/// A plain scalar at the end of the tree.
#[derive(Debug, Clone, Copy)]
struct Last {
    before: Mark,
    after: Mark,
    base: u32,
    start: usize,
    end: usize,
}

/// A document that was read.
pub(super) struct Document {
    /// Its root, unless it is empty.
    pub(super) root: Option<Position>,
    pub(super) nodes: usize,
    /// Where the next one begins.
    pub(super) next: usize,
    /// The first tab between tokens, which PyYAML does not take.
    pub(super) tab: Option<Span>,
}

impl<'t> Reader<'t> {
    /// A reader of the text up to the end of a piece.
    pub(super) fn new(text: &'t str, piece: Range<usize>, limits: Limits) -> Self {
        let bytes = &text.as_bytes()[..piece.end];
        Self {
            text,
            bytes,
            limits,
            harmless: scalar::plainly_harmless(&bytes[piece.start..]),
            tree: Tree::default(),
            open: Vec::new(),
            keys: Vec::new(),
            base: 0,
            root: None,
            nodes: 0,
            budget: 0,
            last: None,
            tab: None,
        }
    }

    /// Reads the document that begins at `at`, the start of a line; it may have `budget` nodes.
    /// In doubt the tree is as it was.
    pub(super) fn document(&mut self, at: usize, budget: usize) -> Sure<Document> {
        let before = self.tree.mark();
        let at = match at {
            0 if self.bytes.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len(),
            at => at,
        };
        self.open.clear();
        self.keys.clear();
        self.last = None;
        self.tab = None;
        self.base = 0;
        self.root = None;
        self.nodes = 0;
        self.budget = budget;
        let read = self.lines(at).and_then(|next| {
            let known = self.harmless || scalar::harmless(&self.bytes[at..next]);
            if known { Ok(next) } else { Err(Doubt) }
        });
        match read {
            Ok(next) => Ok(Document {
                root: self.root,
                nodes: self.nodes,
                next,
                tab: self.tab.map(|at| Span {
                    start: number(at),
                    end: number(at + 1),
                }),
            }),
            Err(Doubt) => {
                self.tree.reset(before);
                Err(Doubt)
            }
        }
    }

    /// Where the document after the one at `at` begins.
    pub(super) fn next_document(&self, at: usize) -> usize {
        let marks = memmem::find_iter(&self.bytes[at..], b"\n---").map(|found| at + found + 1);
        let mut marks = marks.filter(|mark| self.is_mark(*mark));
        marks.next().unwrap_or(self.bytes.len())
    }

    /// Whether there is a `---` that begins a document.
    fn is_mark(&self, at: usize) -> bool {
        self.bytes[at..].starts_with(b"---")
            && matches!(
                self.bytes.get(at + 3),
                None | Some(b' ' | b'\t' | b'\r' | b'\n')
            )
    }

    fn lines(&mut self, at: usize) -> Sure<usize> {
        let mut at = at;
        let marked = self.is_mark(at);
        if marked {
            at = self.line_end(at + 3)?;
        }
        loop {
            let first = self.blanks(at);
            match self.bytes.get(first) {
                None => {
                    at = self.bytes.len();
                    break;
                }
                Some(b'\n') => at = first + 1,
                Some(b'\r' | b'#') => at = self.after_line(first),
                Some(b'-') if first == at && self.is_mark(at) => break,
                Some(b'.') if first == at && self.bytes[at..].starts_with(b"...") => {
                    if !marked && self.root.is_none() {
                        return Err(Doubt);
                    }
                    at = self.after_end(at)?;
                    break;
                }
                Some(_) => at = self.line(at, first)?,
            }
        }
        while !self.open.is_empty() {
            self.close()?;
        }
        Ok(at)
    }

    /// The start of the next document after a `...`, which begins with a mark.
    fn after_end(&self, at: usize) -> Sure<usize> {
        let mut at = self.line_end(at + 3)?;
        loop {
            let first = self.blanks(at);
            match self.bytes.get(first) {
                None => return Ok(self.bytes.len()),
                Some(b'\n' | b'\r' | b'#') => at = self.after_line(first),
                Some(_) if first == at && self.is_mark(at) => return Ok(at),
                Some(_) => return Err(Doubt),
            }
        }
    }

    /// A line with content, which begins at `first`; gives the start of the line after it and
    /// all that belongs to it.
    fn line(&mut self, start: usize, first: usize) -> Sure<usize> {
        let column = number(first - start);
        while self.open.last().is_some_and(|open| open.column > column) {
            self.close()?;
        }
        let item = self.is_item(first);
        // Whether the line begins a node, rather than going on in the innermost container.
        let begins = match self.open.last() {
            None => {
                if self.root.is_some() {
                    return Err(Doubt);
                }
                if matches!(self.bytes[first], b'{' | b'[') {
                    let after = self.flow(first, true)?;
                    return self.line_end(after);
                }
                true
            }
            Some(open) if column > open.column => {
                if open.missing.is_none() {
                    return self.go_on();
                }
                true
            }
            Some(open) => match (open.kind, item) {
                (Kind::Mapping, true) if open.missing.is_some() => true,
                (Kind::Mapping, true) | (Kind::Sequence, false) => return Err(Doubt),
                (Kind::Indentless, false) => {
                    self.close()?;
                    self.fill()?;
                    false
                }
                _ => {
                    self.fill()?;
                    false
                }
            },
        };
        self.content(start, first, begins)
    }

    /// Items and entries that begin at `at`, one inside of the other.
    fn content(&mut self, line: usize, mut at: usize, mut begins: bool) -> Sure<usize> {
        let mut after_dash = false;
        while self.is_item(at) {
            let next = self.blanks(at + 1);
            // Where the item is, and the next line if it is not on this one.
            let (item, after) = match self.bytes.get(next) {
                None | Some(b'\n' | b'\r') => (next, Some(self.after_line(next))),
                Some(b'#') => {
                    let after = self.after_line(next);
                    (self.trim_break(after), Some(after))
                }
                Some(_) => (next, None),
            };
            if begins {
                if let Some(open) = self.open.last_mut() {
                    open.missing = None;
                }
                self.begin_sequence(number(at - line), at, item)?;
            }
            if let Some(after) = after {
                self.missing(item);
                return Ok(after);
            }
            at = item;
            begins = true;
            after_dash = true;
        }
        // Whether a scalar or flow may be the whole value or item.
        let alone = begins && !self.open.is_empty();
        if begins && let Some(open) = self.open.last_mut() {
            open.missing = None;
        }
        match self.bytes[at] {
            b'"' | b'\'' => {
                let key = self.quoted_key(at);
                match key {
                    Some((end, colon)) => {
                        self.key(line, at, end, colon, begins)?;
                        self.value(colon)
                    }
                    None if alone => {
                        let end = self.quoted(at)?;
                        self.line_end(end)
                    }
                    None => Err(Doubt),
                }
            }
            b'[' | b'{' if alone => {
                let end = self.flow(at, false)?;
                self.line_end(end)
            }
            b'|' | b'>' if after_dash => self.block_text(at),
            _ => {
                let plain = self.plain(at)?;
                match plain.colon {
                    Some(colon) => {
                        self.key(line, at, plain.end, colon, begins)?;
                        self.value(colon)
                    }
                    None if alone => self.plain_value(at, plain.end),
                    None => Err(Doubt),
                }
            }
        }
    }

    /// The value of a key, on its line or missing there.
    fn value(&mut self, colon: usize) -> Sure<usize> {
        let at = self.blanks(colon + 1);
        match self.bytes.get(at) {
            None | Some(b'\n' | b'\r' | b'#') => {
                self.missing(colon);
                Ok(self.after_line(at))
            }
            Some(b'"' | b'\'') => {
                let end = self.quoted(at)?;
                self.line_end(end)
            }
            Some(b'[' | b'{') => {
                let end = self.flow(at, false)?;
                self.line_end(end)
            }
            Some(b'|' | b'>') => self.block_text(at),
            Some(_) => {
                let plain = self.plain(at)?;
                if plain.colon.is_some() || self.is_item(at) {
                    return Err(Doubt);
                }
                self.plain_value(at, plain.end)
            }
        }
    }

    /// Writes a plain scalar that may go on in the next line; gives the start of that.
    #[inline]
    fn plain_value(&mut self, start: usize, end: usize) -> Sure<usize> {
        let (before, base) = (self.tree.mark(), self.base);
        self.put(start, end, Raw::PLAIN)?;
        self.last = Some(Last {
            before,
            after: self.tree.mark(),
            base,
            start,
            end,
        });
        self.line_end(end)
    }

    /// Whether a `-` that begins an item is there.
    #[inline]
    fn is_item(&self, at: usize) -> bool {
        self.bytes[at] == b'-'
            && matches!(self.bytes.get(at + 1), None | Some(b' ' | b'\n' | b'\r'))
    }

    /// The place after the spaces.
    #[inline]
    fn blanks(&self, mut at: usize) -> usize {
        while self.bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    }

    /// The start of the next line.
    #[inline]
    fn after_line(&self, at: usize) -> usize {
        match self.bytes.get(at) {
            Some(b'\n') => at + 1,
            _ => memchr(b'\n', &self.bytes[at..]).map_or(self.bytes.len(), |end| at + end + 1),
        }
    }

    /// The end of the line before the one that begins at `after`.
    fn trim_break(&self, after: usize) -> usize {
        let line = &self.bytes[..after];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line).len()
    }

    /// The start of the next line, if only blanks and a comment are left of this one.
    #[inline]
    fn line_end(&self, at: usize) -> Sure<usize> {
        let next = self.blanks(at);
        match self.bytes.get(next) {
            None => Ok(next),
            Some(b'\n') => Ok(next + 1),
            Some(b'\r') => Ok(self.after_line(next)),
            Some(b'#') if next > at => Ok(self.after_line(next)),
            Some(_) => Err(Doubt),
        }
    }
}

#[inline]
fn number(value: usize) -> u32 {
    // Files over 4 GiB are refused before they are read.
    value as u32
}
