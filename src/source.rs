//! File texts and places in them: the only owner of the texts.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Which file of a run; an index into [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourceId(pub u32);

/// A byte range in one file.
///
/// `{:-?}` leaves the numbers out, so that what is read from two texts can be compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if f.sign_minus() {
            f.write_str("_")
        } else {
            write!(f, "{}..{}", self.start, self.end)
        }
    }
}

/// A byte range in a named file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// The file.
    pub source: SourceId,
    /// The bytes.
    pub span: Span,
}

/// A text of a document, and where it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Text<'a> {
    /// The text.
    pub text: &'a str,
    /// Its place.
    pub place: Place,
}

impl Text<'_> {
    /// A placeholder for text that was not written: empty, at the place where it should be.
    pub fn absent(place: Place) -> Self {
        Self { text: "", place }
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// One file: its name as shown to people and its text.
#[derive(Debug, Default)]
pub struct Source {
    /// Path relative to the working directory where possible, always with `/`.
    pub name: String,
    /// The text; empty when the file could not be read.
    pub text: String,
    lines: OnceLock<Vec<u32>>,
    /// The byte ranges that no output may show, as `document::secret` finds them.
    pub(crate) secrets: OnceLock<Vec<Range<usize>>>,
    /// How many characters begin before each multiple of [`STRIDE`] bytes.
    characters: OnceLock<Vec<u32>>,
}

/// Lines longer than this are counted from the nearest checkpoint: a file may be one line.
const STRIDE: usize = 4096;

/// The length of the line break at a place, as YAML 1.1 knows them: LF, CR LF, CR, NEL, LS and PS;
/// 0 if there is none.
#[inline]
#[must_use]
pub fn line_break(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'\n') => 1,
        Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => 2,
        Some(b'\r') => 1,
        Some(0xc2) if bytes.get(at + 1) == Some(&0x85) => 2,
        Some(0xe2)
            if bytes.get(at + 1) == Some(&0x80)
                && matches!(bytes.get(at + 2), Some(0xa8 | 0xa9)) =>
        {
            3
        }
        _ => 0,
    }
}

/// Where the lines begin behind breaks other than LF and CR LF.
fn odd_starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let signs = memchr::memchr3_iter(b'\r', 0xc2, 0xe2, bytes);
    let ends = signs.map(|at| (at, at + line_break(bytes, at)));
    ends.filter(|(at, end)| end > at && bytes[end - 1] != b'\n')
        .map(|(_, end)| end)
}

/// How many characters begin in these bytes.
fn beginning(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

impl Source {
    /// A file of this name and text.
    #[must_use]
    pub fn new(name: String, text: String) -> Self {
        Self {
            name,
            text,
            lines: OnceLock::new(),
            secrets: OnceLock::new(),
            characters: OnceLock::new(),
        }
    }

    /// Byte offsets at which the lines start; built at the first question.
    #[must_use]
    pub fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let ends = memchr::memchr_iter(b'\n', bytes);
            // Counted first: a site has many lines, and a list that grows takes twice the room.
            let mut starts = Vec::with_capacity(ends.clone().count() + 1);
            starts.push(0);
            let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            starts.extend(ends.map(|at| number(at + 1)));
            let usual = starts.len();
            starts.extend(odd_starts(bytes).map(number));
            if starts.len() > usual {
                starts.sort_unstable();
            }
            starts
        })
    }

    /// The line (from 0) that holds the byte.
    #[must_use]
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts()
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    /// How many characters begin in a range of bytes.
    fn characters(&self, start: usize, end: usize) -> usize {
        let bytes = self.text.as_bytes();
        if end - start <= STRIDE {
            return beginning(&bytes[start..end]);
        }
        let checkpoints = self.characters.get_or_init(|| {
            let mut total = 0;
            let count = |chunk: &[u8]| {
                let before = total;
                total += u32::try_from(beginning(chunk)).unwrap_or(u32::MAX);
                before
            };
            bytes.chunks(STRIDE).map(count).collect()
        });
        let before = |at: usize| {
            let checkpoint = (at / STRIDE).min(checkpoints.len() - 1);
            checkpoints[checkpoint] as usize + beginning(&bytes[checkpoint * STRIDE..at])
        };
        before(end) - before(start)
    }

    /// Line and column of a byte offset; offsets past the end stand at the end.
    #[must_use]
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_of(u32::try_from(offset).unwrap_or(u32::MAX));
        let start = self.line_starts()[line] as usize;
        let mut end = offset;
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let mark = usize::from(start == 0 && end > 0 && self.text.starts_with('\u{feff}'));
        Position {
            line: line + 1,
            column: self.characters(start.min(end), end) - mark + 1,
        }
    }

    /// The column of a byte offset in bytes, from 1; the mark of the encoding has no width.
    #[must_use]
    pub fn byte_column(&self, offset: u32) -> usize {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_of(u32::try_from(offset).unwrap_or(u32::MAX));
        let mut start = self.line_starts()[line] as usize;
        if start == 0 && self.text.starts_with('\u{feff}') {
            start = '\u{feff}'.len_utf8();
        }
        offset.saturating_sub(start) + 1
    }

    /// The text of a line (from 0) without its line break.
    #[must_use]
    pub fn line_text(&self, line: usize) -> &str {
        let starts = self.line_starts();
        let start = starts
            .get(line)
            .map_or(self.text.len(), |start| *start as usize);
        let end = starts
            .get(line + 1)
            .map_or(self.text.len(), |end| *end as usize);
        let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
        self.text[start..end].trim_end_matches(breaks)
    }

    /// The text between two bytes, or nothing where they are not character boundaries.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }
}

/// All files of a run, in reading order.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The files; [`SourceId`] is the index. A copy of the list shares them.
    pub files: Vec<Arc<Source>>,
}

impl Sources {
    /// The file of that number.
    #[must_use]
    pub fn get(&self, id: SourceId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// The directory of a file, as messages name it; empty where its name has none.
    #[must_use]
    pub fn directory(&self, id: SourceId) -> &str {
        let name = &self.get(id).name;
        name.rsplit_once('/').map_or("", |(directory, _)| directory)
    }

    /// The same files, all but one under other names.
    #[must_use]
    pub fn called(&self, but: Option<SourceId>, name: impl Fn(&str) -> String) -> Self {
        let renamed = |(file, id): (&Arc<Source>, u32)| {
            if Some(SourceId(id)) == but {
                Arc::clone(file)
            } else {
                Arc::new(Source::new(name(&file.name), file.text.clone()))
            }
        };
        Self {
            files: self.files.iter().zip(0..).map(renamed).collect(),
        }
    }

    /// Adds a file and returns its number.
    pub fn add(&mut self, source: Source) -> SourceId {
        self.share(Arc::new(source))
    }

    /// Adds a file that others may have, too, and returns its number.
    pub fn share(&mut self, source: Arc<Source>) -> SourceId {
        let id = SourceId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(source);
        id
    }

    /// `path:line:column` of the start of a place.
    #[must_use]
    pub fn describe(&self, place: Place) -> String {
        let source = self.get(place.source);
        let position = source.position(place.span.start);
        format!("{}:{}:{}", source.name, position.line, position.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_break_of_yaml_ends_a_line() {
        let text = "a\rb\r\nc\u{85}d\u{2028}e\u{2029}f\n“é”";
        let source = Source::new("a".into(), text.into());
        for (letter, line) in "abcdef“".chars().zip(1..) {
            let at = text.find(letter).expect("the letter");
            let position = source.position(u32::try_from(at).expect("a small text"));
            assert_eq!(position, Position { line, column: 1 }, "{letter}");
        }
        let lines: Vec<_> = (0..7).map(|line| source.line_text(line)).collect();
        assert_eq!(lines, ["a", "b", "c", "d", "e", "f", "“é”"]);
    }

    #[test]
    fn columns_count_characters_and_the_mark_of_the_encoding_has_no_width() {
        let source = Source::new("a".into(), "\u{feff}ä: b\nc: d".into());
        assert_eq!(source.position(3), Position { line: 1, column: 1 });
        assert_eq!(source.position(5), Position { line: 1, column: 2 });
        assert_eq!(source.position(9), Position { line: 2, column: 1 });
        assert_eq!(source.position(900), Position { line: 2, column: 5 });
        assert_eq!(source.line_text(1), "c: d");
    }

    #[test]
    fn columns_of_a_long_line_are_counted_alike() {
        let text = format!("a\n{}", "aäß😀\u{feff}".repeat(3000));
        let source = Source::new("a".into(), text.clone());
        for (at, _) in text.char_indices().skip(2).step_by(397) {
            let wanted = text[2..at].chars().count() + 1;
            assert_eq!(source.position(u32::try_from(at).unwrap()).column, wanted);
        }
        assert_eq!(source.position(u32::MAX).column, 15_001);
    }
}
