//! Tokens: where they are, and what indentation and keys make of them.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::source::line_break;

use super::marks::ends_mark;
use super::{Grammar, Style, Sure, trouble};

/// The most characters between the start of a key and its colon.
const KEY: usize = 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind<'t> {
    StreamEnd,
    /// A directive that has been acted on.
    Version,
    /// A handle and its prefix.
    TagDirective(&'t str, String),
    /// A directive of some other name.
    Directive,
    DocumentStart,
    DocumentEnd,
    BlockSequence,
    BlockMapping,
    BlockEnd,
    FlowSequence,
    FlowMapping,
    FlowSequenceEnd,
    FlowMappingEnd,
    Item,
    Comma,
    Key,
    Value,
    Alias(&'t str),
    Anchor(&'t str),
    /// A handle and a suffix; a tag in full has no handle.
    Tag(Option<&'t str>, String),
    Scalar(Cow<'t, str>, Style),
}

#[derive(Debug, Clone)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A token that is a key if a colon follows it in its line.
struct MaybeKey {
    /// How many brackets are around it.
    flow: usize,
    /// The number of its token.
    token: usize,
    at: usize,
    line: usize,
    column: isize,
    /// Whether it can be nothing but a key.
    required: bool,
}

pub(super) struct Scanner<'t> {
    pub(super) text: &'t str,
    /// The bytes up to where reading ends.
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
    /// Where the line begins.
    pub(super) line: usize,
    grammar: Grammar,
    /// Whether anything was met that the readers differ about.
    pub(super) differs: bool,
    /// How many brackets are open.
    pub(super) flow: usize,
    pub(super) indent: isize,
    indents: Vec<isize>,
    pub(super) key_allowed: bool,
    /// The oldest first, which are those of the outermost brackets.
    keys: Vec<MaybeKey>,
    tokens: VecDeque<Token<'t>>,
    /// How many tokens were handed out.
    taken: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str, start: usize, end: usize, grammar: Grammar) -> Self {
        let bytes = &text.as_bytes()[..end];
        let marked = start == 0 && bytes.starts_with(BYTE_ORDER_MARK);
        let at = if marked { BYTE_ORDER_MARK.len() } else { start };
        Self {
            text,
            bytes,
            at,
            line: at,
            grammar,
            differs: false,
            flow: 0,
            indent: -1,
            indents: Vec::new(),
            key_allowed: true,
            keys: Vec::new(),
            tokens: VecDeque::new(),
            taken: 0,
        }
    }

    /// Whether PyYAML's rules hold, asked where go-yaml's are others.
    pub(super) fn is_python(&mut self) -> bool {
        self.differs = true;
        self.grammar == Grammar::Python
    }

    /// The byte at a place; 0 behind the end.
    #[inline]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn breaks(&self, at: usize) -> usize {
        line_break(self.bytes, at)
    }

    /// Whether white space, a line break or the end is at a place.
    #[inline]
    pub(super) fn is_blank(&self, at: usize) -> bool {
        match self.byte(at) {
            0 | b' ' | b'\t' | b'\n' | b'\r' => true,
            0xc2 | 0xe2 => self.breaks(at) > 0,
            _ => false,
        }
    }

    #[inline]
    pub(super) fn ended(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Steps behind the line break that is here.
    pub(super) fn next_line(&mut self) {
        self.at += self.breaks(self.at);
        self.line = self.at;
    }

    /// How many characters of the line are before this place.
    pub(super) fn column(&mut self) -> isize {
        let line = &self.text[self.line..self.at];
        if line.contains('\u{feff}') && self.is_python() {
            return line.chars().filter(|c| *c != '\u{feff}').count() as isize;
        }
        line.chars().count() as isize
    }

    /// Whether a line that begins or ends a document begins here.
    pub(super) fn is_mark(&self, mark: &[u8]) -> bool {
        self.at == self.line
            && self.bytes[self.at..].starts_with(mark)
            && ends_mark(self.bytes, self.at + mark.len())
    }

    /// Steps behind spaces, and tabs if they are wanted.
    pub(super) fn skip_blanks(&mut self, tabs: bool) {
        while self.byte(self.at) == b' ' || (tabs && self.byte(self.at) == b'\t') {
            self.at += 1;
        }
    }

    /// Steps behind a comment, if one is here.
    pub(super) fn skip_comment(&mut self) {
        if self.byte(self.at) == b'#' {
            while !self.ended() && self.breaks(self.at) == 0 {
                self.at += 1;
            }
        }
    }

    /// The next token, which stays.
    pub(super) fn peek(&mut self) -> Sure<&Token<'t>> {
        loop {
            self.drop_stale()?;
            let may_be_key = self.keys.first().is_some_and(|key| key.token == self.taken);
            if !self.tokens.is_empty() && !may_be_key {
                break;
            }
            self.fetch()?;
        }
        Ok(&self.tokens[0])
    }

    /// Takes the token that was peeked at.
    pub(super) fn take(&mut self) -> Sure<Token<'t>> {
        self.peek()?;
        self.taken += 1;
        match self.tokens.pop_front() {
            Some(token) => Ok(token),
            None => trouble("unexpected end", self.at),
        }
    }

    fn push(&mut self, kind: Kind<'t>, start: usize, end: usize) {
        self.tokens.push_back(Token { kind, start, end });
    }

    /// A token of some bytes that begins here.
    fn sign(&mut self, kind: Kind<'t>, length: usize) {
        let start = self.at;
        self.at += length;
        self.push(kind, start, self.at);
    }

    /// From where on the next document may begin, after trouble.
    pub(super) fn resume(&self) -> usize {
        let token = self.tokens.front().map(|token| token.start);
        token.unwrap_or(self.at).min(self.at).min(self.bytes.len())
    }

    /// Forgets what cannot be a key any more; the oldest are first to go.
    fn drop_stale(&mut self) -> Sure<()> {
        let stale = |key: &&MaybeKey| {
            let far = || self.text[key.at..self.at].chars().nth(KEY).is_some();
            key.line != self.line || (self.at - key.at > KEY && far())
        };
        let stale = self.keys.iter().take_while(stale).count();
        for key in self.keys.drain(..stale) {
            if key.required {
                return trouble("simple key expected ':'", key.at);
            }
        }
        Ok(())
    }

    fn save_key(&mut self) -> Sure<()> {
        if !self.key_allowed {
            return Ok(());
        }
        let column = if self.flow == 0 { self.column() } else { 0 };
        let required = self.flow == 0 && self.indent == column;
        self.remove_key()?;
        self.keys.push(MaybeKey {
            flow: self.flow,
            token: self.taken + self.tokens.len(),
            at: self.at,
            line: self.line,
            column,
            required,
        });
        Ok(())
    }

    /// Forgets the key that began at this level.
    fn remove_key(&mut self) -> Sure<()> {
        let flow = self.flow;
        if let Some(key) = self.keys.pop_if(|key| key.flow >= flow)
            && key.required
        {
            return trouble("simple key expected ':'", key.at);
        }
        Ok(())
    }

    /// Ends the blocks that are deeper than a column.
    fn unroll(&mut self, column: isize) {
        while self.flow == 0 && self.indent > column {
            self.push(Kind::BlockEnd, self.at, self.at);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    /// Whether a block begins at a column.
    fn roll(&mut self, column: isize) -> bool {
        let deeper = self.flow == 0 && self.indent < column;
        if deeper {
            self.indents.push(self.indent);
            self.indent = column;
        }
        deeper
    }

    fn fetch(&mut self) -> Sure<()> {
        self.skip_to_token();
        self.drop_stale()?;
        if self.flow == 0 {
            let column = self.column();
            self.unroll(column);
        }
        if self.ended() {
            self.leave()?;
            self.keys.clear();
            self.push(Kind::StreamEnd, self.at, self.at);
            return Ok(());
        }
        let first = self.byte(self.at);
        let blank_after = || self.is_blank(self.at + 1);
        match first {
            b'%' if self.at == self.line => {
                self.leave()?;
                self.directive()
            }
            b'-' if self.is_mark(b"---") => {
                self.leave()?;
                self.sign(Kind::DocumentStart, 3);
                Ok(())
            }
            b'.' if self.is_mark(b"...") => {
                self.leave()?;
                self.sign(Kind::DocumentEnd, 3);
                Ok(())
            }
            b'[' => self.begin_flow(Kind::FlowSequence),
            b'{' => self.begin_flow(Kind::FlowMapping),
            b']' => self.end_flow(Kind::FlowSequenceEnd),
            b'}' => self.end_flow(Kind::FlowMappingEnd),
            b',' => {
                self.key_allowed = true;
                self.remove_key()?;
                self.sign(Kind::Comma, 1);
                Ok(())
            }
            b'-' if blank_after() => self.item(),
            b'?' if self.flow > 0 || blank_after() => self.explicit_key(),
            b':' if self.flow > 0 || blank_after() => self.value(),
            b'*' | b'&' => {
                self.save_key()?;
                self.key_allowed = false;
                self.anchor()
            }
            b'!' => {
                self.save_key()?;
                self.key_allowed = false;
                self.tag()
            }
            b'|' | b'>' if self.flow == 0 => {
                self.key_allowed = true;
                self.remove_key()?;
                self.block_scalar()
            }
            b'\'' | b'"' => {
                self.save_key()?;
                self.key_allowed = false;
                self.quoted_scalar()
            }
            b'-' => self.plain(),
            b':' | b'?' if self.flow == 0 => self.plain(),
            b'\t' => trouble("found a tab where a token begins", self.at),
            b'?' | b':' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => {
                trouble("unexpected character", self.at)
            }
            _ => self.plain(),
        }
    }

    fn plain(&mut self) -> Sure<()> {
        self.save_key()?;
        self.key_allowed = false;
        self.plain_scalar()
    }

    fn skip_to_token(&mut self) {
        loop {
            self.skip_blanks(false);
            if self.byte(self.at) == b'\t' {
                let may = self.flow > 0 || !self.key_allowed;
                if !may || self.is_python() {
                    return;
                }
                self.at += 1;
                continue;
            }
            self.skip_comment();
            if self.breaks(self.at) == 0 {
                return;
            }
            self.next_line();
            if self.flow == 0 {
                self.key_allowed = true;
            }
        }
    }

    /// Ends all blocks, before a mark or a directive.
    fn leave(&mut self) -> Sure<()> {
        self.unroll(-1);
        self.remove_key()?;
        self.key_allowed = false;
        Ok(())
    }

    fn begin_flow(&mut self, kind: Kind<'t>) -> Sure<()> {
        self.save_key()?;
        self.flow += 1;
        self.key_allowed = true;
        self.sign(kind, 1);
        Ok(())
    }

    fn end_flow(&mut self, kind: Kind<'t>) -> Sure<()> {
        if self.flow == 0 {
            return trouble("misplaced bracket", self.at);
        }
        self.remove_key()?;
        self.flow -= 1;
        self.key_allowed = false;
        self.sign(kind, 1);
        Ok(())
    }

    fn item(&mut self) -> Sure<()> {
        if self.flow == 0 {
            if !self.key_allowed {
                return trouble("block sequence entries are not allowed here", self.at);
            }
            let column = self.column();
            if self.roll(column) {
                self.push(Kind::BlockSequence, self.at, self.at);
            }
        }
        self.key_allowed = true;
        self.remove_key()?;
        self.sign(Kind::Item, 1);
        Ok(())
    }

    /// A block mapping begins here, unless it has begun.
    fn begin_mapping(&mut self, refused: &'static str) -> Sure<()> {
        if self.flow > 0 {
            return Ok(());
        }
        if !self.key_allowed {
            return trouble(refused, self.at);
        }
        let column = self.column();
        if self.roll(column) {
            self.push(Kind::BlockMapping, self.at, self.at);
        }
        Ok(())
    }

    fn explicit_key(&mut self) -> Sure<()> {
        self.begin_mapping("mapping keys are not allowed here")?;
        self.key_allowed = self.flow == 0;
        self.remove_key()?;
        self.sign(Kind::Key, 1);
        Ok(())
    }

    fn value(&mut self) -> Sure<()> {
        let flow = self.flow;
        if let Some(key) = self.keys.pop_if(|key| key.flow == flow) {
            let place = key.token - self.taken;
            let token = |kind| Token {
                kind,
                start: key.at,
                end: key.at,
            };
            self.tokens.insert(place, token(Kind::Key));
            if self.roll(key.column) {
                self.tokens.insert(place, token(Kind::BlockMapping));
            }
            self.key_allowed = false;
        } else {
            self.begin_mapping("mapping values are not allowed here")?;
            self.key_allowed = self.flow == 0;
        }
        self.sign(Kind::Value, 1);
        Ok(())
    }

    /// Hands on a token that was read from a place to here.
    pub(super) fn found(&mut self, kind: Kind<'t>, start: usize) -> Sure<()> {
        self.push(kind, start, self.at);
        Ok(())
    }

    /// The same, ending before here.
    pub(super) fn found_until(&mut self, kind: Kind<'t>, start: usize, end: usize) -> Sure<()> {
        self.push(kind, start, end);
        Ok(())
    }
}
