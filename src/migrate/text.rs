//! Edits of one document's text. What is not edited keeps its bytes, and comments stay.

use std::ops::Range;

use serde_json::Value;

use crate::repair::text::{Replacement, replaced, replacement, written};
use crate::repair::{Edit, Side};
use crate::source::Place;
use crate::yaml::{Node, Op};

/// Why a document cannot be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unwritable {
    /// Anchors and aliases: one text stands in several places.
    Aliases,
    /// Comments inside braces, which an edit would lose.
    Comments,
    /// Written in a form that is not edited.
    Form,
}

impl Unwritable {
    /// In words.
    #[must_use]
    pub const fn why(self) -> &'static str {
        match self {
            Self::Aliases => "anchors and aliases use one text in several places",
            Self::Comments => "comments inside braces would be lost",
            Self::Form => "planner cannot edit a text of this form",
        }
    }
}

/// A document and the file that it is in.
#[derive(Debug)]
pub(super) struct Doc<'t> {
    pub(super) text: &'t str,
    pub(super) root: Node<'t>,
    /// The end of a line of the file.
    pub(super) newline: &'static str,
    scalars: Vec<Range<usize>>,
}

/// Where a node is in its file.
pub(super) fn range(node: Node<'_>) -> Range<usize> {
    node.span().start as usize..node.span().end as usize
}

impl<'t> Doc<'t> {
    /// A document of a file; `shared` are the places that aliases name.
    pub(super) fn new(text: &'t str, root: Node<'t>, shared: &[Place]) -> Result<Self, Unwritable> {
        let own = root.place();
        let meets = |place: &Place| {
            place.source == own.source
                && place.span.start < own.span.end
                && own.span.start < place.span.end
        };
        let mut doc = Self {
            text,
            root,
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            scalars: Vec::new(),
        };
        if shared.iter().any(meets) || !doc.gather(root, own) {
            return Err(Unwritable::Aliases);
        }
        Ok(doc)
    }

    /// Notes all scalars; whether all nodes are inside of the document.
    fn gather(&mut self, node: Node<'t>, own: Place) -> bool {
        let place = node.place();
        let inside = place.source == own.source
            && own.span.start <= place.span.start
            && place.span.end <= own.span.end;
        if node.is_scalar() {
            self.scalars.push(range(node));
            return inside;
        }
        let mut all = inside;
        for (key, value) in node.entries() {
            all &= self.gather(key, own) && self.gather(value, own);
        }
        for item in node.items() {
            all &= self.gather(item, own);
        }
        all
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        let line = self.text[..at].rfind('\n').map_or(0, |cut| cut + 1);
        // A byte order mark is before the first line, not in it.
        let mark = self.text[line..at].starts_with('\u{feff}');
        line + if mark { '\u{feff}'.len_utf8() } else { 0 }
    }

    /// Where a line ends, before its line break.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let end = self.text[at..]
            .find('\n')
            .map_or(self.text.len(), |cut| at + cut);
        at + self.text[at..end].trim_end_matches('\r').len()
    }

    /// Where the line after this one begins.
    pub(super) fn next_line(&self, at: usize) -> usize {
        let cut = self.text[at..].find('\n');
        cut.map_or(self.text.len(), |cut| at + cut + 1)
    }

    /// The column of an offset, in bytes.
    pub(super) fn column(&self, at: usize) -> usize {
        at - self.line_start(at)
    }

    /// Where the text of a node ends.
    pub(super) fn last(&self, node: Node<'_>) -> usize {
        let own = range(node);
        let whole = own.start + self.text[own.clone()].trim_end().len();
        if node.is_scalar() || node.is_flow() {
            return whole;
        }
        let entries = node.entries().last();
        let entry = entries.map(|(key, value)| self.last_of(key, value));
        entry
            .or_else(|| node.items().last().map(|item| self.last(item)))
            .unwrap_or(whole)
    }

    /// Where an entry ends; one without a value ends with its colon.
    pub(super) fn last_of(&self, key: Node<'_>, value: Node<'_>) -> usize {
        if range(value).is_empty() {
            range(key).end + 1
        } else {
            self.last(value)
        }
    }

    /// The lines of an entry that is written in lines of its own.
    pub(super) fn lines(&self, key: Node<'_>, value: Node<'_>) -> Result<Range<usize>, Unwritable> {
        let start = self.line_start(range(key).start);
        let last = self.last_of(key, value);
        let before = self.text.get(start..range(key).start);
        let tail = self
            .text
            .get(last..self.line_end(last.min(self.text.len())));
        let (Some(before), Some(tail)) = (before, tail) else {
            return Err(Unwritable::Form);
        };
        let tail = tail.trim();
        if before.bytes().all(|byte| byte == b' ') && (tail.is_empty() || tail.starts_with('#')) {
            Ok(start..self.next_line(last))
        } else {
            Err(Unwritable::Form)
        }
    }

    /// The comments in a part of the text.
    pub(super) fn comments(&self, part: Range<usize>) -> Vec<&'t str> {
        let mut found = Vec::new();
        let mut at = part.start;
        while let Some(next) = self.text[at..part.end].find('#') {
            let hash = at + next;
            let blank = self.text[..hash]
                .chars()
                .next_back()
                .is_none_or(char::is_whitespace);
            let mut scalars = self.scalars.iter();
            if blank && !scalars.any(|scalar| scalar.contains(&hash)) {
                let end = self.line_end(hash);
                found.push(self.text[hash..end].trim_end());
                at = end.min(part.end);
            } else {
                at = hash + 1;
            }
        }
        found
    }

    /// Another text for a scalar, in its quotes.
    pub(super) fn scalar(&self, node: Node<'_>, text: &str) -> Result<Replacement, Unwritable> {
        let own = range(node);
        let old = self.text.get(own.clone()).unwrap_or("");
        if !node.is_scalar() || node.is_block_text() || old.starts_with(['&', '!', '*']) {
            return Err(Unwritable::Form);
        }
        if old.is_empty() {
            return Err(Unwritable::Form);
        }
        let new = match old.chars().next() {
            Some('"') => format!("\"{text}\""),
            Some('\'') => format!("'{text}'"),
            _ => text.to_owned(),
        };
        Ok((own, new))
    }

    /// A mapping without an entry; nothing where it has none of the name. Comments stay.
    pub(super) fn without(
        &self,
        node: Node<'_>,
        name: &str,
    ) -> Result<Option<Replacement>, Unwritable> {
        let Some((key, value)) = node.entry(name) else {
            return Ok(None);
        };
        if node.is_flow() {
            if !self.comments(range(node)).is_empty() {
                return Err(Unwritable::Comments);
            }
            let edit = Edit {
                document: 0,
                pointer: format!("/{name}"),
                op: Op::Remove,
                side: Side::Subject,
            };
            let removed = replacement(self.text, node, &edit);
            return removed.map(Some).ok_or(Unwritable::Form);
        }
        let lines = self.lines(key, value)?;
        let kept = self.kept(lines.clone(), self.column(range(key).start));
        Ok(Some((lines, kept)))
    }

    /// The comments of lines that go, each in a line of its own.
    pub(super) fn kept(&self, lines: Range<usize>, column: usize) -> String {
        let comments = self.comments(lines);
        let all = comments
            .iter()
            .map(|comment| format!("{:column$}{comment}", ""));
        self.joined(all)
    }

    /// Lines as text.
    pub(super) fn joined(&self, lines: impl IntoIterator<Item = String>) -> String {
        let mut text = String::new();
        for line in lines {
            text.push_str(&line);
            text.push_str(self.newline);
        }
        text
    }

    /// Whether keys are written in double quotes, as JSON does.
    pub(super) fn is_json(&self) -> bool {
        let first = self.root.entries().next();
        first.is_some_and(|(key, _)| self.text[range(key)].starts_with('"'))
    }

    /// A value in one line, as the document writes values.
    pub(super) fn value(&self, value: &Value) -> String {
        if self.is_json() {
            value.to_string()
        } else {
            written(value)
        }
    }

    /// The document alone with these edits, its columns as they were.
    pub(super) fn edited(&self, edits: &[Replacement]) -> Option<String> {
        let start = range(self.root).start;
        let last = self.last(self.root);
        let end = if self.root.is_flow() {
            last
        } else {
            self.next_line(last)
        };
        let moved = edits.iter().map(|(part, new)| {
            let part = part.start.checked_sub(start)?..part.end.checked_sub(start)?;
            Some((part, new.clone()))
        });
        let moved = moved.collect::<Option<Vec<_>>>()?;
        let text = replaced(self.text.get(start..end)?, moved)?;
        Some(" ".repeat(self.column(start)) + &text)
    }
}
