//! Runs the parser over a piece, again where the text has to be adapted for it.

use std::rc::Rc;

use granit_parser::{ErrorKind, Parser, ScanError};

use super::adapted::Adapted;
use super::{Driver, offset, options};
use crate::source::Span;
use crate::yaml::fault::{Fault, FaultKind};
use crate::yaml::tree::Mark;

/// What was read so far, to come back to.
struct Checkpoint {
    tree: Mark,
    documents: usize,
    faults: usize,
    quirks: usize,
    begun: bool,
    nodes: usize,
}

impl Driver<'_> {
    /// Reads the piece. The parser wants the lines of a quoted scalar deeper than its key, the
    /// original readers do not: where it stops for that reason, they are indented and it begins
    /// anew.
    pub(super) fn events(&mut self) {
        let before = self.state();
        while let Some(adapted) = self.try_events() {
            self.restore(&before);
            self.adapted = Some(Rc::new(adapted));
        }
        self.adapted = None;
    }

    fn state(&self) -> Checkpoint {
        Checkpoint {
            tree: self.parsed.tree.mark(),
            documents: self.parsed.documents.len(),
            faults: self.parsed.faults.len(),
            quirks: self.parsed.quirks.len(),
            begun: self.begun,
            nodes: self.nodes,
        }
    }

    fn restore(&mut self, state: &Checkpoint) {
        self.reset();
        self.parsed.tree.reset(state.tree);
        self.parsed.documents.truncate(state.documents);
        self.parsed.faults.truncate(state.faults);
        self.parsed.quirks.truncate(state.quirks);
        self.begun = state.begun;
        self.nodes = state.nodes;
        self.broken = None;
    }

    /// Reads the piece once; gives the text to read in its place if that could not be done.
    fn try_events(&mut self) -> Option<Adapted> {
        let adapted = self.adapted.clone();
        let text = match &adapted {
            Some(adapted) => adapted.text.as_str(),
            None => &self.text[self.piece.clone()],
        };
        let start = text.as_ptr() as usize;
        self.read = start..start + text.len();
        let mut parser = Parser::new_from_str_with_options(text, options());
        while let Some(next) = parser.next_event() {
            let goes_on = match next {
                Ok((event, span)) => {
                    self.event(event, &span);
                    self.broken.is_none()
                }
                Err(error) => {
                    if *error.kind() == ErrorKind::InvalidQuotedScalarIndent
                        && let Some(adapted) = self.indented(text, &error)
                    {
                        return Some(adapted);
                    }
                    let fault = self.syntax(&error);
                    self.broken = Some(fault);
                    false
                }
            };
            if !goes_on {
                let fault = self.broken.take();
                let stop = fault
                    .as_ref()
                    .is_some_and(|fault| fault.kind == FaultKind::TooManyNodes);
                self.drop_document(fault);
                if stop || !parser.proceed_next_document().unwrap_or(false) {
                    break;
                }
            }
        }
        None
    }

    fn indented(&self, text: &str, error: &ScanError) -> Option<Adapted> {
        let at = error.marker().byte_offset()?;
        match &self.adapted {
            Some(adapted) => adapted.indented(at),
            None => Adapted::new(text, self.piece.start).indented(at),
        }
    }

    /// Where in the file a byte of what the parser reads is.
    pub(super) fn place(&self, at: Option<usize>) -> usize {
        let at = at.unwrap_or(0);
        match &self.adapted {
            Some(adapted) => adapted.place(at),
            None => at + self.piece.start,
        }
    }

    fn syntax(&self, error: &ScanError) -> Fault {
        let mut at = self.place(error.marker().byte_offset());
        at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let width = self.text[at..]
            .chars()
            .next()
            .map_or(0, |c| if c == '\n' { 0 } else { c.len_utf8() });
        let span = Span {
            start: offset(at),
            end: offset(at + width),
        };
        // Brackets are counted while looking ahead for a key, before our own limit is met.
        let kind = match error.info() {
            words if words == "recursion limit exceeded" => FaultKind::TooDeep,
            words => FaultKind::Syntax(words),
        };
        Fault { kind, span }
    }
}
