//! A page: lines with a tone, made harmless and coloured in one place.

pub mod layout;
mod reflow;

pub use reflow::reflow;

use std::io;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use crate::diagnostic::Rule;
use crate::kit::safe::clean;

/// The device that a page is drawn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// Columns; `None` when the output is not a terminal: wide form, nothing wrapped.
    pub width: Option<usize>,
    /// Lines, where a terminal has an end.
    pub height: Option<usize>,
    /// Whether colour is wanted.
    pub color: bool,
    /// Everything, not only the first rows.
    pub trace: bool,
    /// Hide unchanged rows.
    pub changes_only: bool,
}

impl Screen {
    /// A screen of so many columns without colour.
    #[must_use]
    pub fn columns(width: usize) -> Self {
        Self {
            width: Some(width),
            height: None,
            color: false,
            trace: false,
            changes_only: false,
        }
    }

    /// The screen of a pipe.
    #[must_use]
    pub fn piped() -> Self {
        Self {
            width: None,
            height: None,
            color: false,
            trace: false,
            changes_only: false,
        }
    }

    /// Whether it is a terminal on which a line fits.
    #[must_use]
    pub fn fits(&self, line: &str) -> bool {
        self.width.is_some_and(|width| columns(line) <= width)
    }

    /// The width prose is wrapped at, at most 100; `None` when it is not wrapped.
    #[must_use]
    pub fn prose(&self) -> Option<usize> {
        self.width.map(|width| width.min(100))
    }
}

/// How a piece of text is toned; colour never carries anything alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// Of less interest.
    Dim,
    /// New.
    Good,
    /// Changed.
    Change,
    /// Withdrawn or refused.
    Bad,
    /// Failed.
    Failed,
    /// A headline.
    Strong,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Dim => "\u{1b}[2m",
            Self::Good => "\u{1b}[32m",
            Self::Change => "\u{1b}[33m",
            Self::Bad => "\u{1b}[31m",
            Self::Failed => "\u{1b}[1;31m",
            Self::Strong => "\u{1b}[1m",
        }
    }
}

/// A page is written in parts of about so many bytes.
const PART: usize = 1 << 16;

/// Lines being built. Text from documents may be added unescaped: every piece is escaped when the
/// page is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// All lines, one after another without breaks: a page may have millions.
    text: String,
    /// The tone of each piece.
    tones: Vec<Tone>,
    /// Where in the text each piece ends.
    ends: Vec<usize>,
    /// After which piece each line ends.
    lines: Vec<usize>,
    told: Vec<&'static Rule>,
    marked: bool,
}

impl Page {
    /// An empty page.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// How many lines it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.toned(Tone::Plain, text);
    }

    /// A line in a tone.
    pub fn toned(&mut self, tone: Tone, text: impl AsRef<str>) {
        self.pieces([(tone, text)]);
    }

    /// A line of several pieces.
    pub fn pieces<T: AsRef<str>>(&mut self, pieces: impl IntoIterator<Item = (Tone, T)>) {
        for (tone, text) in pieces {
            self.text.push_str(text.as_ref());
            self.tones.push(tone);
            self.ends.push(self.text.len());
        }
        self.lines.push(self.ends.len());
    }

    /// An empty line, unless the page is empty or ends with one.
    pub fn gap(&mut self) {
        let ends_with_one = match self.lines.as_slice() {
            [.., before, last] => before == last,
            [last] => *last == 0,
            [] => true,
        };
        if !ends_with_one {
            self.lines.push(self.ends.len());
        }
    }

    /// Prose, wrapped at the screen's width; lines after the first are indented by `indent`. Of a
    /// warning the first word alone has its colour: whole lines of it cannot be read on white.
    pub fn prose(&mut self, screen: &Screen, tone: Tone, text: &str, indent: usize) {
        let (lead, rest) = match text.find(": ") {
            Some(end) if tone == Tone::Change => text.split_at(end + 1),
            _ => (text, ""),
        };
        self.lead((tone, lead), rest, indent, screen.prose());
    }

    /// Prose of which the first part has a tone, wrapped at `width`.
    pub fn lead(
        &mut self,
        (tone, lead): (Tone, &str),
        rest: &str,
        indent: usize,
        width: Option<usize>,
    ) {
        let lead = clean(lead);
        let mut left = lead.chars().filter(|c| *c != ' ').count();
        for line in wrap(&format!("{lead}{}", clean(rest)), width, indent) {
            let mut ends = line.char_indices().filter(|(_, c)| *c != ' ');
            let end = match left.checked_sub(1) {
                None => 0,
                Some(last) => ends
                    .nth(last)
                    .map_or(line.len(), |(at, c)| at + c.len_utf8()),
            };
            left -= line[..end].chars().filter(|c| *c != ' ').count();
            let (toned, plain) = line.split_at(end);
            self.pieces(vec![
                (tone, toned.to_owned()),
                (Tone::Plain, plain.to_owned()),
            ]);
        }
    }

    /// Another page after this one.
    pub fn append(&mut self, other: Self) {
        if self.lines.is_empty() {
            // It may be long.
            let (told, marked) = (std::mem::take(&mut self.told), self.marked);
            *self = other;
            self.told.splice(..0, told);
            self.marked |= marked;
            return;
        }
        let (text, pieces) = (self.text.len(), self.ends.len());
        self.text.push_str(&other.text);
        self.tones.extend(other.tones);
        self.ends.extend(other.ends.iter().map(|end| text + end));
        self.lines
            .extend(other.lines.iter().map(|end| pieces + end));
        self.told.extend(other.told);
        self.marked |= other.marked;
    }

    /// Whether it has more lines than the screen.
    #[must_use]
    pub fn is_longer(&self, screen: &Screen) -> bool {
        screen.height.is_some_and(|height| self.len() >= height)
    }

    /// Notes that rows with marks are on the page.
    pub fn mark(&mut self) {
        self.marked = true;
    }

    /// Whether there are rows with marks.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.marked
    }

    /// Notes that the page itself shows what these rules find.
    pub fn tells(&mut self, rules: &[&'static Rule]) {
        self.told.extend(rules);
    }

    /// The rules whose findings the page itself shows.
    #[must_use]
    pub fn told(&self) -> &[&'static Rule] {
        &self.told
    }

    /// The page as text, coloured if the screen wants it, no blanks at line ends.
    #[must_use]
    pub fn write(&self, screen: &Screen) -> String {
        let mut out = String::with_capacity(self.text.len() + self.lines.len());
        let mut first = 0;
        for end in &self.lines {
            self.write_line(first..*end, screen, &mut out);
            first = *end;
        }
        out
    }

    /// The same, a part at a time.
    ///
    /// # Errors
    /// Any error from `to`.
    pub fn write_to(&self, screen: &Screen, to: &mut dyn io::Write) -> io::Result<()> {
        let mut out = String::with_capacity(2 * PART);
        let mut first = 0;
        for end in &self.lines {
            self.write_line(first..*end, screen, &mut out);
            first = *end;
            if out.len() > PART {
                to.write_all(out.as_bytes())?;
                out.clear();
            }
        }
        to.write_all(out.as_bytes())
    }

    /// The line of these pieces.
    fn write_line(&self, pieces: Range<usize>, screen: &Screen, out: &mut String) {
        let start = out.len();
        let before = pieces.start.checked_sub(1);
        let mut byte = before.map_or(0, |before| self.ends[before]);
        for (tone, end) in self.tones[pieces.clone()].iter().zip(&self.ends[pieces]) {
            let text = clean(&self.text[byte..*end]);
            let toned = screen.color && *tone != Tone::Plain && !text.is_empty();
            out.push_str(if toned { tone.code() } else { "" });
            out.push_str(&text);
            out.push_str(if toned { "\u{1b}[0m" } else { "" });
            byte = *end;
        }
        out.truncate(start + out[start..].trim_end_matches(' ').len());
        out.push('\n');
    }
}

/// Columns a text takes on a terminal.
#[must_use]
pub fn columns(text: &str) -> usize {
    let text = clean(text);
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// A text filled into lines of at most `width` columns, all but the first indented. A word that
/// is too long for an indented line has less indentation where it fits so, else it is cut.
#[must_use]
pub fn wrap(text: &str, width: Option<usize>, indent: usize) -> Vec<String> {
    let Some(width) = width else {
        return vec![text.to_owned()];
    };
    let words = text.split(' ').map(UnicodeWidthStr::width);
    let longest = words.filter(|word| *word <= width).max().unwrap_or(0);
    let indent = " ".repeat(indent.min(width - longest).min(width / 2));
    let options = textwrap::Options::new(width)
        .subsequent_indent(&indent)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    let lines = textwrap::wrap(text, options).into_iter();
    lines.map(std::borrow::Cow::into_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_documents_cannot_colour_the_page() {
        let mut page = Page::new();
        page.pieces([(Tone::Good, "+ "), (Tone::Plain, "a\u{1b}[31m  ")]);
        let screen = Screen {
            color: true,
            ..Screen::columns(80)
        };
        assert_eq!(page.write(&screen), "\u{1b}[32m+ \u{1b}[0ma\\u{1b}[31m\n");
    }

    #[test]
    fn a_long_page_is_written_in_parts_as_it_is_at_once() {
        let screen = Screen {
            color: true,
            ..Screen::columns(80)
        };
        let mut page = Page::new();
        page.tells(&[]);
        let mut part = Page::new();
        for at in 0..4000 {
            part.pieces([
                (Tone::Good, "+ "),
                (Tone::Plain, "straße\u{7}"),
                (Tone::Bad, "  "),
            ]);
            part.line(at.to_string());
            part.gap();
        }
        page.append(part.clone());
        page.append(part);
        let mut written = Vec::new();
        page.write_to(&screen, &mut written).unwrap();
        let whole = page.write(&screen);
        assert!(whole.len() > 2 * PART);
        assert_eq!(String::from_utf8(written).unwrap(), whole);
        assert_eq!(whole.lines().count(), page.len());
        let (first, second) = whole.split_at(whole.len() / 2);
        assert_eq!(first, second);
    }

    #[test]
    fn a_lead_is_toned_over_line_ends_and_no_further() {
        let screen = Screen {
            color: true,
            ..Screen::columns(9)
        };
        let mut page = Page::new();
        page.lead((Tone::Strong, "one two three"), ": four", 2, Some(9));
        assert_eq!(
            page.write(&screen),
            "\u{1b}[1mone two\u{1b}[0m\n\u{1b}[1m  three\u{1b}[0m:\n  four\n"
        );
        let mut page = Page::new();
        page.prose(&screen, Tone::Change, "Warning: it is hot", 0);
        assert_eq!(
            page.write(&screen),
            "\u{1b}[33mWarning:\u{1b}[0m\nit is hot\n"
        );
    }

    #[test]
    fn prose_fills_lines() {
        let lines = wrap("one two three four", Some(9), 2);
        assert_eq!(lines, ["one two", "  three", "  four"]);
        assert_eq!(wrap("one two", None, 2), ["one two"]);
        assert_eq!(
            wrap("a onetwothree b", Some(6), 2),
            ["a onet", "  woth", "  ree", "  b"]
        );
        assert_eq!(wrap("東京都", Some(5), 2), ["東京", "  都"]);
        // The rest of a cut word stands below the text that it belongs to.
        assert_eq!(
            wrap("  in: abcdefghijklmn z", Some(10), 4),
            ["  in:", "    abcdef", "    ghijkl", "    mn z"]
        );
    }
}
