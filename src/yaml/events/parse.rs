//! The grammar: tokens in, events out.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::marks::{forbidden, next_mark};
use super::scan::{Kind, Scanner};
use super::{Event, Found, Grammar, Properties, Style, Sure, trouble};

/// The state of the parser: the part of the grammar that it expects next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A document, the first of which needs no mark.
    Document {
        first: bool,
    },
    /// The content of a document, after its mark.
    Content,
    DocumentEnd,
    /// An item of a list.
    Item,
    /// The same at the column of the key.
    Indentless,
    Key,
    Value,
    FlowItem {
        first: bool,
    },
    /// A mapping of one entry without braces.
    PairKey,
    PairValue,
    PairEnd,
    FlowKey {
        first: bool,
    },
    FlowValue,
    /// The value of a key without a colon.
    FlowNoValue,
    End,
}

/// The events of a text.
pub(in crate::yaml) struct Events<'t> {
    scanner: Scanner<'t>,
    state: State,
    /// The states to return to after the current node.
    states: Vec<State>,
    /// Where the collections begin that are open.
    begun: Vec<usize>,
    /// The prefixes that tag handles stand for.
    handles: FxHashMap<&'t str, String>,
    /// Where the scalar ended that was read last.
    last: usize,
    forbidden: Option<usize>,
}

const NO_CONTENT: &str = "did not find expected node content";
const NO_KEY: &str = "a key is missing before `:`";

impl<'t> Events<'t> {
    /// The events of a part of a text.
    pub(in crate::yaml) fn new(text: &'t str, start: usize, end: usize, grammar: Grammar) -> Self {
        let bytes = &text.as_bytes()[..end];
        Self {
            scanner: Scanner::new(text, start, end, grammar),
            state: State::Document { first: true },
            states: Vec::new(),
            begun: Vec::new(),
            handles: FxHashMap::default(),
            last: start,
            forbidden: forbidden(&bytes[start..]).map(|at| start + at),
        }
    }

    /// Whether the other grammar may read the text in another way.
    pub(in crate::yaml) fn differs(&self) -> bool {
        self.scanner.differs
    }

    /// The next event, unless there is none.
    pub(in crate::yaml) fn next(&mut self) -> Sure<Option<Found<'t>>> {
        if let Some(at) = self.forbidden {
            return trouble("control characters are not allowed", at);
        }
        let state = self.state;
        Ok(Some(match state {
            State::End => return Ok(None),
            State::Document { first } => return self.document(first),
            State::Content => match self.kind()? {
                Kind::Version
                | Kind::TagDirective(..)
                | Kind::Directive
                | Kind::DocumentStart
                | Kind::DocumentEnd
                | Kind::StreamEnd => self.empty(None)?,
                _ => self.node(true, false)?,
            },
            State::DocumentEnd => {
                if matches!(self.kind()?, Kind::DocumentEnd) {
                    self.scanner.take()?;
                }
                self.state = State::Document { first: false };
                (Event::DocumentEnd, self.last..self.last)
            }
            State::Item | State::Indentless => self.item(state)?,
            State::Key => self.key()?,
            State::Value => self.value()?,
            State::FlowItem { first } => self.flow_item(first)?,
            State::PairKey => self.pair_key()?,
            State::PairValue => self.flow_value(State::PairEnd, &Kind::FlowSequenceEnd)?,
            State::PairEnd => {
                self.state = State::FlowItem { first: false };
                (Event::End, self.last..self.last)
            }
            State::FlowKey { first } => self.flow_key(first)?,
            State::FlowValue => {
                self.flow_value(State::FlowKey { first: false }, &Kind::FlowMappingEnd)?
            }
            State::FlowNoValue => {
                self.states.push(State::FlowKey { first: false });
                self.empty(None)?
            }
        }))
    }

    /// Goes on with the document behind the next mark, after trouble; whether there is one.
    pub(in crate::yaml) fn recover(&mut self, grammar: Grammar) -> bool {
        let from = self.scanner.resume();
        let Some(mark) = next_mark(self.scanner.bytes, from).filter(|_| self.forbidden.is_none())
        else {
            return false;
        };
        let differs = self.differs();
        let end = self.scanner.bytes.len();
        *self = Self::new(self.scanner.text, mark, end, grammar);
        self.scanner.differs = differs;
        true
    }

    fn kind(&mut self) -> Sure<&Kind<'t>> {
        Ok(&self.scanner.peek()?.kind)
    }

    fn is(&mut self, kinds: &[Kind<'_>]) -> Sure<bool> {
        let kind = self.kind()?;
        Ok(kinds.iter().any(|other| other == kind))
    }

    /// Where the next token is.
    fn place(&mut self) -> Sure<usize> {
        Ok(self.scanner.peek()?.start)
    }

    fn pop(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    fn document(&mut self, first: bool) -> Sure<Option<Found<'t>>> {
        while !first && matches!(self.kind()?, Kind::DocumentEnd) {
            self.scanner.take()?;
        }
        self.handles.clear();
        let start = self.place()?;
        let mut version = false;
        let mut directives = false;
        loop {
            match self.kind()? {
                Kind::Version if version => {
                    return trouble("a second version before directive ends", self.place()?);
                }
                Kind::Version => version = true,
                Kind::Directive => {}
                Kind::TagDirective(handle, prefix) => {
                    let (handle, prefix) = (*handle, prefix.clone());
                    if self.handles.insert(handle, prefix).is_some() {
                        return trouble("a second handle before directive ends", self.place()?);
                    }
                }
                _ => break,
            }
            directives = true;
            self.scanner.take()?;
        }
        let marked = matches!(self.kind()?, Kind::DocumentStart);
        if matches!(self.kind()?, Kind::StreamEnd) && !directives {
            self.state = State::End;
            return Ok(None);
        }
        if marked {
            self.scanner.take()?;
            self.state = State::Content;
            self.states.push(State::DocumentEnd);
            return Ok(Some((Event::DocumentStart, start..start)));
        }
        if !first || directives {
            let at = self.place()?;
            return trouble(self.left_over(at), at);
        }
        self.states.push(State::DocumentEnd);
        self.state = State::Content;
        if matches!(self.kind()?, Kind::DocumentEnd) {
            return trouble(NO_CONTENT, start);
        }
        Ok(Some((Event::DocumentStart, start..start)))
    }

    /// Why a token cannot follow a document.
    fn left_over(&self, at: usize) -> &'static str {
        if self.after_quote(at) {
            "trailing content after quoted scalar"
        } else {
            "did not find expected <document start>"
        }
    }

    /// Whether a quoted scalar ended in the same line.
    fn after_quote(&self, at: usize) -> bool {
        let between = self.scanner.text.get(self.last..at).unwrap_or("\n");
        let quoted = self.scanner.text[..self.last].ends_with(['"', '\'']);
        quoted && !between.contains('\n')
    }

    /// A scalar that is not there: where the one before it ends, or at a place.
    fn empty(&mut self, at: Option<usize>) -> Sure<Found<'t>> {
        self.pop();
        let at = at.unwrap_or(self.last);
        let text = Cow::Borrowed("");
        let event = Event::Scalar(text, Style::Plain, Properties::default());
        Ok((event, at..at))
    }

    /// A node, with what stands before it; `block` if it may be a block, `indentless` if that may
    /// be a list at the column of its key.
    fn node(&mut self, block: bool, indentless: bool) -> Sure<Found<'t>> {
        if let Kind::Alias(name) = *self.kind()? {
            let token = self.scanner.take()?;
            self.last = token.end;
            self.pop();
            return Ok((Event::Alias(name), token.start..token.end));
        }
        let mut properties = Properties::default();
        let mut any = false;
        loop {
            let token = self.scanner.peek()?;
            let start = token.start;
            match &token.kind {
                Kind::Anchor(name) if properties.anchor.is_none() => {
                    properties.anchor = Some((name, start));
                }
                Kind::Tag(handle, suffix) if properties.tag.is_none() => {
                    let (handle, suffix) = (*handle, suffix.clone());
                    properties.tag = Some((self.whole_tag(handle, suffix)?, start));
                }
                _ => break,
            }
            any = true;
            self.last = self.scanner.take()?.end;
        }
        if matches!(self.kind()?, Kind::Scalar(..)) {
            let token = self.scanner.take()?;
            self.last = token.end;
            self.pop();
            let Kind::Scalar(text, style) = token.kind else {
                return trouble(NO_CONTENT, token.start);
            };
            let event = Event::Scalar(text, style, properties);
            return Ok((event, token.start..token.end));
        }
        let token = self.scanner.peek()?;
        let (start, end) = (token.start, token.end);
        let event = match &token.kind {
            Kind::Item if indentless => {
                self.state = State::Indentless;
                self.begun.push(start);
                let start = self.after_dash(end);
                return Ok((Event::Sequence(false, properties), start..start));
            }
            Kind::FlowSequence => {
                self.state = State::FlowItem { first: true };
                Event::Sequence(true, properties)
            }
            Kind::FlowMapping => {
                self.state = State::FlowKey { first: true };
                Event::Mapping(true, properties)
            }
            Kind::BlockSequence if block => {
                self.state = State::Item;
                Event::Sequence(false, properties)
            }
            Kind::BlockMapping if block => {
                self.state = State::Key;
                Event::Mapping(false, properties)
            }
            _ if any => {
                self.pop();
                let at = self.last;
                let event = Event::Scalar(Cow::Borrowed(""), Style::Plain, properties);
                return Ok((event, at..at));
            }
            Kind::Value => return trouble(NO_KEY, start),
            Kind::Item => {
                return trouble("block sequence entries are not allowed here", start);
            }
            _ => return self.no_node(start),
        };
        self.scanner.take()?;
        self.begun.push(start);
        Ok((event, start..end))
    }

    fn no_node<T>(&mut self, at: usize) -> Sure<T> {
        self.unclosed()?;
        trouble(NO_CONTENT, at)
    }

    /// Trouble if brackets are open where the document ends.
    fn unclosed(&mut self) -> Sure<()> {
        let ends = [Kind::StreamEnd, Kind::DocumentStart, Kind::DocumentEnd];
        match self.begun.last().copied() {
            Some(begun) if self.scanner.flow > 0 && self.is(&ends)? => {
                trouble("unclosed bracket", begun)
            }
            _ => Ok(()),
        }
    }

    fn whole_tag(&mut self, handle: Option<&'t str>, suffix: String) -> Sure<String> {
        let Some(handle) = handle else {
            return Ok(suffix);
        };
        let own = self.handles.get(handle);
        let prefix = match (own, handle) {
            (Some(prefix), _) => prefix.as_str(),
            (None, "!") => "!",
            (None, "!!") => "tag:yaml.org,2002:",
            _ => return trouble("a tag has a handle that no directive names", self.place()?),
        };
        Ok(format!("{prefix}{suffix}"))
    }

    /// The place of what follows a dash in its line, or of the end of that.
    fn after_dash(&self, dash: usize) -> usize {
        let text = &self.scanner.text[dash..self.scanner.bytes.len()];
        let item = text.trim_start_matches(' ');
        if !item.starts_with('#') {
            return dash + text.len() - item.len();
        }
        let line = text.lines().next().unwrap_or("");
        dash + line.len()
    }

    fn end(&mut self) -> Sure<Found<'t>> {
        let token = self.scanner.take()?;
        self.begun.pop();
        self.pop();
        if matches!(token.kind, Kind::FlowSequenceEnd | Kind::FlowMappingEnd) {
            self.last = token.end;
        }
        Ok((Event::End, token.start..token.end))
    }

    fn item(&mut self, state: State) -> Sure<Found<'t>> {
        let indentless = state == State::Indentless;
        if self.is(&[Kind::Item])? {
            let dash = self.scanner.take()?.end;
            let missing = if !indentless {
                self.is(&[Kind::Item, Kind::BlockEnd])?
            } else {
                self.is(&[Kind::Item, Kind::Key, Kind::Value, Kind::BlockEnd])?
            };
            self.states.push(state);
            if missing {
                let at = self.after_dash(dash);
                self.last = at;
                return self.empty(Some(at));
            }
            return self.node(true, false);
        }
        if indentless {
            self.begun.pop();
            self.pop();
            return Ok((Event::End, self.last..self.last));
        }
        if self.is(&[Kind::BlockEnd])? {
            return self.end();
        }
        let at = self.place()?;
        if self.after_quote(at) {
            return trouble("trailing content after quoted scalar", at);
        }
        trouble("did not find expected '-' indicator", at)
    }

    fn key(&mut self) -> Sure<Found<'t>> {
        if self.is(&[Kind::Key])? {
            let sign = self.scanner.take()?;
            self.states.push(State::Value);
            if self.is(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
                return self.empty(Some(sign.end));
            }
            return self.node(true, true);
        }
        if self.is(&[Kind::BlockEnd])? {
            return self.end();
        }
        let at = self.place()?;
        if self.is(&[Kind::Value])? {
            return trouble(NO_KEY, at);
        }
        if self.after_quote(at) {
            return trouble("trailing content after quoted scalar", at);
        }
        trouble("did not find expected key", at)
    }

    fn value(&mut self) -> Sure<Found<'t>> {
        self.states.push(State::Key);
        if !self.is(&[Kind::Value])? {
            return self.empty(None);
        }
        let colon = self.scanner.take()?.start;
        self.last = colon + 1;
        if self.is(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
            return self.empty(Some(colon));
        }
        self.node(true, true)
    }

    fn flow_item(&mut self, first: bool) -> Sure<Found<'t>> {
        if self.is(&[Kind::FlowSequenceEnd])? {
            return self.end();
        }
        if !first {
            self.comma("did not find expected ',' or ']'")?;
            if self.is(&[Kind::FlowSequenceEnd])? {
                return self.end();
            }
        }
        if self.is(&[Kind::Key])? {
            let token = self.scanner.take()?;
            self.state = State::PairKey;
            let start = token.start;
            return Ok((
                Event::Mapping(true, Properties::default()),
                start..token.end,
            ));
        }
        self.states.push(State::FlowItem { first: false });
        self.node(false, false)
    }

    fn comma(&mut self, missing: &'static str) -> Sure<()> {
        if self.is(&[Kind::Comma])? {
            self.scanner.take()?;
            return Ok(());
        }
        self.unclosed()?;
        let at = self.place()?;
        if self.after_quote(at) {
            return trouble("trailing content after quoted scalar", at);
        }
        trouble(missing, at)
    }

    fn pair_key(&mut self) -> Sure<Found<'t>> {
        self.states.push(State::PairValue);
        if self.is(&[Kind::Value, Kind::Comma, Kind::FlowSequenceEnd])? {
            // go-yaml loses the sign after a `?` without a key.
            if !self.scanner.is_python() {
                self.scanner.take()?;
            }
            return self.empty(None);
        }
        self.node(false, false)
    }

    fn flow_key(&mut self, first: bool) -> Sure<Found<'t>> {
        if self.is(&[Kind::FlowMappingEnd])? {
            return self.end();
        }
        if !first {
            self.comma("did not find expected ',' or '}'")?;
            if self.is(&[Kind::FlowMappingEnd])? {
                return self.end();
            }
        }
        if self.is(&[Kind::Key])? {
            let sign = self.scanner.take()?;
            self.states.push(State::FlowValue);
            if self.is(&[Kind::Value, Kind::Comma, Kind::FlowMappingEnd])? {
                return self.empty(Some(sign.end));
            }
            return self.node(false, false);
        }
        self.states.push(State::FlowNoValue);
        self.node(false, false)
    }

    fn flow_value(&mut self, then: State, end: &Kind<'_>) -> Sure<Found<'t>> {
        self.states.push(then);
        if !self.is(&[Kind::Value])? {
            return self.empty(None);
        }
        let colon = self.scanner.take()?.start;
        self.last = colon + 1;
        if self.is(&[Kind::Comma])? || self.kind()? == end {
            return self.empty(Some(colon));
        }
        self.node(false, false)
    }
}
