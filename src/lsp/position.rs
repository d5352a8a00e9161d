//! Places as editors count them: lines from 0, columns in the units that were agreed on.

use std::borrow::Cow;
use std::cell::Cell;

use gen_lsp_types::{Position, Range};

use crate::source::{Source, Span};

/// The units of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Code units of UTF-16, which every client speaks.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The encoding for a client that offers these: UTF-8 if it can, else the first known one.
    pub(super) fn negotiate<'o>(offered: impl Iterator<Item = &'o str> + Clone) -> Self {
        let known = |name: &str| match name {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        };
        if offered.clone().any(|name| name == "utf-8") {
            return Self::Utf8;
        }
        offered.filter_map(known).next().unwrap_or_default()
    }

    /// Its name in the protocol.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// The width of a text.
    fn width(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Utf32 => text.chars().count(),
        }
    }

    /// The width of a character.
    fn of_char(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// The lines of a file as an editor has them.
#[derive(Debug)]
pub(super) struct Lines<'s> {
    text: &'s str,
    starts: Cow<'s, [u32]>,
    encoding: Encoding,
    /// The mark of the encoding, which an editor takes off the files that it opens.
    mark: usize,
    /// Line, byte and column of the last answer: findings of one long line come in order.
    last: Cell<(usize, usize, usize)>,
}

impl<'s> Lines<'s> {
    /// The lines of a file; `is_open` where its text is the editor's own.
    pub(super) fn new(source: &'s Source, encoding: Encoding, is_open: bool) -> Self {
        let starts = fewer_starts(source).map(|starts| Cow::Owned(starts.into_vec()));
        let starts = starts.unwrap_or(Cow::Borrowed(source.line_starts()));
        Self::of(source, starts, encoding, is_open)
    }

    /// The lines of a file that start at these bytes.
    pub(super) fn of(
        source: &'s Source,
        starts: Cow<'s, [u32]>,
        encoding: Encoding,
        is_open: bool,
    ) -> Self {
        let text = source.text.as_str();
        let has_mark = !is_open && text.starts_with('\u{feff}');
        Self {
            text,
            starts,
            encoding,
            mark: if has_mark { '\u{feff}'.len_utf8() } else { 0 },
            last: Cell::default(),
        }
    }

    /// The first byte of a line that counts.
    fn start(&self, line: usize) -> usize {
        let start = self.starts[line] as usize;
        if start == 0 { self.mark } else { start }
    }

    /// The place of a byte; offsets past the end are at the end.
    pub(super) fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self
            .starts
            .partition_point(|start| *start as usize <= offset);
        let line = line.saturating_sub(1);
        let start = self.start(line);
        let offset = offset.max(start);
        let column = match self.last.get() {
            (of, at, column) if of == line && start <= at && at <= offset => {
                column + self.encoding.width(&self.text[at..offset])
            }
            _ => self.encoding.width(&self.text[start..offset]),
        };
        self.last.set((line, offset, column));
        Position::new(number(line), number(column))
    }

    /// The places of both ends.
    pub(super) fn range(&self, span: Span) -> Range {
        let start = self.position(span.start);
        Range::new(start, self.position(span.end.max(span.start)))
    }

    /// The byte at a place; columns past the end of a line are at its end.
    pub(super) fn offset(&self, position: Position) -> u32 {
        let line = position.line as usize;
        if line >= self.starts.len() {
            return number(self.text.len());
        }
        let start = self.start(line);
        let end = self.starts.get(line + 1);
        let end = end.map_or(self.text.len(), |end| *end as usize);
        let rest = self.text.get(start..end).unwrap_or("");
        let rest = rest.trim_end_matches(['\n', '\r']);
        let mut column = 0;
        for (at, c) in rest.char_indices() {
            column += self.encoding.of_char(c);
            // A place inside a character is before it.
            if column > position.character as usize {
                return number(start + at);
            }
        }
        number(start + rest.len())
    }

    /// The whole text as a range.
    pub(super) fn whole(&self) -> Range {
        let end = self.position(number(self.text.len()));
        Range::new(Position::new(0, 0), end)
    }
}

/// Where the lines of an editor start, if these are fewer than those of YAML 1.1, which knows more
/// line breaks.
pub(super) fn fewer_starts(source: &Source) -> Option<Box<[u32]>> {
    let bytes = source.text.as_bytes();
    let ends_line = |start: &u32| {
        let before = (*start as usize).checked_sub(1);
        before.is_none_or(|at| matches!(bytes[at], b'\n' | b'\r'))
    };
    let starts = source.line_starts();
    let are_same = starts.iter().all(ends_line);
    (!are_same).then(|| starts.iter().copied().filter(ends_line).collect())
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    #[test]
    fn columns_are_counted_in_the_units_that_were_agreed_on() {
        let source = Source::new("a".into(), "a: 😀é b\r\nc: d\rx: \u{2028}y\n".into());
        let columns = ALL.map(|encoding| {
            let lines = Lines::new(&source, encoding, true);
            let at = number(source.text.find('b').unwrap());
            lines.position(at).character
        });
        assert_eq!(columns, [10, 7, 6]);
        let lines = Lines::new(&source, Encoding::Utf16, true);
        let at = |text: &str| lines.position(number(source.text.find(text).unwrap()));
        assert_eq!(at("c: d"), Position::new(1, 0));
        // A carriage return ends a line of an editor, a line separator does not.
        assert_eq!(at("x: "), Position::new(2, 0));
        assert_eq!(at("y"), Position::new(2, 4));
        assert_eq!(lines.position(9999), Position::new(3, 0));
    }

    #[test]
    fn every_place_is_found_again() {
        let text = "\u{feff}a: 😀é\r\n\r\n- \u{85}ß\r- z\n";
        let source = Source::new("a".into(), text.into());
        for encoding in ALL {
            for is_open in [true, false] {
                let lines = Lines::new(&source, encoding, is_open);
                let first = if is_open { 0 } else { 3 };
                for (at, c) in text.char_indices().filter(|(at, _)| *at >= first) {
                    if c == '\n' && text[..at].ends_with('\r') {
                        continue;
                    }
                    let position = lines.position(number(at));
                    assert_eq!(lines.offset(position), number(at), "{at} {encoding:?}");
                }
            }
        }
    }

    #[test]
    fn the_mark_of_the_encoding_counts_only_where_the_editor_sent_it() {
        let source = Source::new("a".into(), "\u{feff}a: b".into());
        let column = |is_open| {
            let lines = Lines::new(&source, Encoding::Utf16, is_open);
            lines.position(3).character
        };
        assert_eq!((column(false), column(true)), (0, 1));
    }

    #[test]
    fn places_outside_of_a_line_are_at_its_end() {
        let source = Source::new("a".into(), "ab\r\n😀c\n".into());
        let lines = Lines::new(&source, Encoding::Utf16, true);
        assert_eq!(lines.offset(Position::new(0, 99)), 2);
        assert_eq!(lines.offset(Position::new(1, 1)), 4);
        assert_eq!(lines.offset(Position::new(99, 0)), 10);
    }

    #[test]
    fn utf_8_is_taken_where_it_is_offered() {
        let of = |offered: &[&'static str]| Encoding::negotiate(offered.iter().copied());
        assert_eq!(of(&["utf-16", "utf-8"]), Encoding::Utf8);
        assert_eq!(of(&["utf-7", "utf-32", "utf-16"]), Encoding::Utf32);
        assert_eq!(of(&[]), Encoding::Utf16);
    }
}
