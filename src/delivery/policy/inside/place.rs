//! Where in its file a part of a scalar is.

use std::cell::OnceCell;
use std::ops::Range;

use crate::source::{Place, Sources, Span};
use crate::yaml::{Node, Stretches};

/// The parts of one scalar, by bytes of its text.
pub(super) struct Parts<'a> {
    node: Node<'a>,
    /// The scalar as it is written in its file, also where a build put it into another document.
    written: &'a str,
    length: usize,
    /// Where each stretch that is written as it reads begins, in the text and in the file; `None`
    /// of a scalar over several lines that is no literal block. Built at the first question.
    stretches: OnceCell<Option<Stretches>>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(node: Node<'a>, sources: &'a Sources) -> Self {
        let Place { source, span } = node.place();
        let file = &sources.get(source).text;
        let span = span.start as usize..span.end as usize;
        Self {
            node,
            written: file.get(span).unwrap_or(""),
            length: node.text().map_or(0, str::len),
            stretches: OnceCell::new(),
        }
    }

    /// The place of a part. Of a scalar over several lines that is no literal block: its own.
    pub(super) fn place(&self, part: Range<usize>) -> Place {
        let whole = self.node.place();
        let Some((start, end)) = self.find(part) else {
            return whole;
        };
        let at = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        Place {
            span: Span {
                start: at(start),
                end: at(end),
            },
            ..whole
        }
    }

    fn find(&self, part: Range<usize>) -> Option<(usize, usize)> {
        let stretches = self
            .stretches
            .get_or_init(|| stretches(self.node, self.written));
        let stretches = stretches.as_ref()?;
        let at = |offset| stretches.at(offset);
        if !self.node.is_block_text() {
            return Some((at(part.start), at(part.end)));
        }
        // The last byte is looked up, not the one after it: that may be on the next line.
        let end = part.end.max(part.start + 1).min(self.length);
        Some((at(part.start), at(end.saturating_sub(1)) + 1))
    }
}

fn stretches(node: Node<'_>, source: &str) -> Option<Stretches> {
    let text = node.text().unwrap_or("");
    let is_quoted = source.starts_with(['"', '\'', '&', '!']);
    // A build does not keep the style of a scalar; of several lines it may be a literal block.
    if node.is_block_text() || source.contains('\n') && !is_quoted {
        return Stretches::of_block(node, source, text);
    }
    if source.contains(['\n', '\r']) {
        return None;
    }
    let (properties, written) = split_properties(source);
    let begin = node.span().start as usize + properties;
    match written.chars().next()? {
        quote @ ('"' | '\'') => quoted(&written[1..], quote, begin + 1, text.len()),
        _ => written
            .starts_with(text)
            .then(|| vec![(0, begin)])
            .and_then(Stretches::of),
    }
}

/// The length of a tag and an anchor before a scalar, and the scalar.
fn split_properties(source: &str) -> (usize, &str) {
    let mut rest = source;
    while rest.starts_with(['!', '&']) {
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        rest = rest[end..].trim_start_matches([' ', '\t']);
    }
    (source.len() - rest.len(), rest)
}

/// The stretches of a text between quotes: a new one begins at and after each escape. `None` if
/// the value is another one: a replacement may have changed it.
fn quoted(written: &str, quote: char, begin: usize, length: usize) -> Option<Stretches> {
    let mut stretches = vec![(0, begin)];
    let (mut at, mut text) = (0, 0);
    while let Some(plain) = written[at..].find(['\'', '"', '\\']) {
        (at, text) = (at + plain, text + plain);
        let rest = &written[at..];
        let (taken, given) = match (quote, rest.chars().next()?) {
            ('\'', '\'') if rest.starts_with("''") => (2, 1),
            ('"', '\\') => escape(&rest[1..])?,
            (_, end) if end == quote => return Stretches::of(stretches).filter(|_| text == length),
            _ => (1, 1),
        };
        (at, text) = (at + taken, text + given);
        stretches.push((text, begin + at));
    }
    None
}

/// The length of an escape of YAML with its backslash, and of what it stands for.
fn escape(rest: &str) -> Option<(usize, usize)> {
    let digits = match rest.chars().next()? {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        'N' | '_' => return Some((2, 2)),
        'L' | 'P' => return Some((2, 3)),
        other => return Some((1 + other.len_utf8(), 1)),
    };
    let code = u32::from_str_radix(rest.get(1..=digits)?, 16).ok()?;
    let length = char::from_u32(code).map_or(3, char::len_utf8);
    Some((2 + digits, length))
}
