//! Scalars: plain, quoted, and the texts after `|` and `>`.

use std::borrow::Cow;

use super::scan::{Kind, Scanner};
use super::{Style, Sure, trouble};

/// The text of a scalar: a part of the file as long as it can be.
struct Text<'t> {
    file: &'t str,
    start: usize,
    end: usize,
    own: Option<String>,
}

impl<'t> Text<'t> {
    fn new(file: &'t str, start: usize) -> Self {
        Self {
            file,
            start,
            end: start,
            own: None,
        }
    }

    fn own(&mut self) -> &mut String {
        let so_far = &self.file[self.start..self.end];
        self.own.get_or_insert_with(|| so_far.to_owned())
    }

    /// Adds a part of the file.
    fn add(&mut self, from: usize, to: usize) {
        match &mut self.own {
            None if from == self.end => self.end = to,
            _ => {
                let part = &self.file[from..to];
                self.own().push_str(part);
            }
        }
    }

    fn finish(self) -> Cow<'t, str> {
        match self.own {
            Some(own) => own.into(),
            None => self.file[self.start..self.end].into(),
        }
    }
}

/// Line breaks between the lines of a scalar.
#[derive(Default)]
struct Breaks {
    /// The first of them, as it counts.
    first: Option<&'static str>,
    more: String,
}

impl Breaks {
    fn add(&mut self, line_break: &'static str) {
        if self.first.is_none() {
            self.first = Some(line_break);
        } else {
            self.more.push_str(line_break);
        }
    }

    /// Folds the breaks between two words: one newline becomes a space, of several the first is
    /// dropped.
    fn fold(&self, into: &mut String) {
        match self.first {
            Some("\n") if self.more.is_empty() => into.push(' '),
            Some("\n") | None => into.push_str(&self.more),
            Some(first) => {
                into.push_str(first);
                into.push_str(&self.more);
            }
        }
    }
}

impl<'t> Scanner<'t> {
    /// Steps behind a line break and returns its normalised text.
    fn take_break(&mut self) -> &'static str {
        let counts = match (self.breaks(self.at), self.byte(self.at + 2)) {
            (0, _) => "",
            (3, 0xa8) => "\u{2028}",
            (3, _) => "\u{2029}",
            _ => "\n",
        };
        self.next_line();
        counts
    }

    pub(super) fn plain_scalar(&mut self) -> Sure<()> {
        let start = self.at;
        let indent = self.indent + 1;
        let mut text = Text::new(self.text, start);
        let mut end = start;
        let mut breaks = Breaks::default();
        let mut gap = start;
        loop {
            if self.byte(self.at) == b'#' || self.is_mark(b"---") || self.is_mark(b"...") {
                break;
            }
            let from = self.at;
            self.plain_run();
            if self.at > from {
                if breaks.first.is_some() {
                    breaks.fold(text.own());
                    breaks = Breaks::default();
                } else {
                    text.add(gap, from);
                }
                text.add(from, self.at);
                self.key_allowed = false;
                end = self.at;
            }
            gap = self.at;
            if self.at == from || !self.is_blank(self.at) {
                break;
            }
            while !self.ended() && self.is_blank(self.at) {
                if self.breaks(self.at) > 0 {
                    breaks.add(self.take_break());
                    continue;
                }
                if self.byte(self.at) == b'\t' {
                    if self.is_python() {
                        break;
                    }
                    if breaks.first.is_some() && self.column() < indent {
                        return trouble("found a tab that violates indentation", self.at);
                    }
                }
                self.at += 1;
            }
            if breaks.first.is_some() {
                self.key_allowed = true;
            }
            let less = self.flow == 0 && breaks.first.is_some() && self.column() < indent;
            if self.ended() || less {
                break;
            }
        }
        let kind = Kind::Scalar(text.finish(), Style::Plain);
        self.found_until(kind, start, end)
    }

    /// Steps behind the letters of a plain scalar.
    fn plain_run(&mut self) {
        while !self.is_blank(self.at) {
            match self.byte(self.at) {
                b':' if self.is_blank(self.at + 1) => return,
                b':' if self.flow > 0
                    && b",[]{}".contains(&self.byte(self.at + 1))
                    && self.is_python() =>
                {
                    return;
                }
                b',' | b'?' | b'[' | b']' | b'{' | b'}' if self.flow > 0 => return,
                _ => self.at += 1,
            }
        }
    }

    pub(super) fn quoted_scalar(&mut self) -> Sure<()> {
        let start = self.at;
        let quote = self.byte(start);
        self.at += 1;
        let mut text = Text::new(self.text, self.at);
        loop {
            let run = self.at;
            while !self.is_blank(self.at) && !matches!(self.byte(self.at), b'\'' | b'"' | b'\\') {
                self.at += 1;
            }
            text.add(run, self.at);
            let byte = self.byte(self.at);
            if self.ended() {
                return trouble("unclosed quote", start);
            }
            if self.is_blank(self.at) {
                let gap = self.at;
                self.skip_blanks(true);
                if self.breaks(self.at) == 0 {
                    text.add(gap, self.at);
                    continue;
                }
                let mut breaks = Breaks::default();
                self.quoted_breaks(&mut breaks, start)?;
                breaks.fold(text.own());
            } else if byte == quote {
                if quote == b'"' || self.byte(self.at + 1) != b'\'' {
                    break;
                }
                text.own().push('\'');
                self.at += 2;
            } else if byte == b'\\' && quote == b'"' {
                self.escape(&mut text, start)?;
            } else {
                text.add(self.at, self.at + 1);
                self.at += 1;
            }
        }
        self.at += 1;
        self.found(Kind::Scalar(text.finish(), Style::Quoted), start)
    }

    /// Steps behind line breaks and white space; no document may end there.
    fn quoted_breaks(&mut self, breaks: &mut Breaks, start: usize) -> Sure<()> {
        while self.breaks(self.at) > 0 {
            breaks.add(self.take_break());
            if self.is_mark(b"---") || self.is_mark(b"...") {
                return trouble("found unexpected document indicator", start);
            }
            self.skip_blanks(true);
        }
        Ok(())
    }

    fn escape(&mut self, text: &mut Text<'t>, start: usize) -> Sure<()> {
        let at = self.at;
        let own = text.own();
        self.at += 1;
        if self.breaks(self.at) > 0 {
            // The first one is escaped: what comes after it counts in full.
            self.take_break();
            let mut breaks = Breaks {
                first: Some("\n"),
                more: String::new(),
            };
            if self.is_mark(b"---") || self.is_mark(b"...") {
                return trouble("found unexpected document indicator", start);
            }
            self.skip_blanks(true);
            self.quoted_breaks(&mut breaks, start)?;
            own.push_str(&breaks.more);
            return Ok(());
        }
        let letter = self.byte(self.at);
        let digits = match letter {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => {
                let known = simple_escape(letter);
                // Each reader knows one that the other does not.
                let differs = matches!(letter, b'/' | b'\'');
                let known = known.filter(|_| !differs || self.is_python() == (letter == b'/'));
                let Some(known) = known else {
                    return trouble("unknown escape character", at);
                };
                own.push(known);
                self.at += 1;
                return Ok(());
            }
        };
        let from = self.at + 1;
        let number = self.bytes.get(from..from + digits);
        let hex = number.filter(|number| number.iter().all(u8::is_ascii_hexdigit));
        if hex.is_none() {
            return trouble("an escape lacks hexadecimal digits", at);
        }
        let code = u32::from_str_radix(&self.text[from..from + digits], 16);
        match code.ok().and_then(char::from_u32) {
            Some(letter) => own.push(letter),
            None => return trouble("an escape names no character", at),
        }
        self.at = from + digits;
        Ok(())
    }

    pub(super) fn block_scalar(&mut self) -> Sure<()> {
        let header = self.at;
        let folded = self.byte(header) == b'>';
        let (chomping, width) = self.block_header(header)?;
        let mut end = self.at;
        let least = (self.indent + 1).max(1);
        self.next_line();
        let mut breaks = String::new();
        let indent = match width {
            0 => {
                let widest = self.block_indent(&mut breaks, header)?;
                widest.max(least)
            }
            width => {
                let indent = self.indent.max(0) + width;
                self.block_breaks(indent, &mut breaks, header)?;
                indent
            }
        };
        let mut text = String::new();
        let mut start = None;
        let mut line_break = "";
        let mut blank_before = false;
        while !self.ended() && self.column() == indent {
            start.get_or_insert(self.at);
            let blank = matches!(self.byte(self.at), b' ' | b'\t');
            if folded && line_break == "\n" && !blank_before && !blank {
                if breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(line_break);
            }
            text.push_str(&breaks);
            breaks.clear();
            let from = self.at;
            while !self.ended() && self.breaks(self.at) == 0 {
                self.at += 1;
            }
            text.push_str(&self.text[from..self.at]);
            line_break = self.take_break();
            blank_before = blank;
            self.block_breaks(indent, &mut breaks, header)?;
            end = self.at;
        }
        if chomping != Some(false) {
            text.push_str(line_break);
        }
        if chomping == Some(true) {
            text.push_str(&breaks);
        }
        let kind = Kind::Scalar(text.into(), Style::Block);
        self.found_until(kind, start.unwrap_or(header), end)
    }

    /// Whether the last line breaks are kept or all dropped, and how deep the text is; steps to
    /// the end of the line.
    fn block_header(&mut self, header: usize) -> Sure<(Option<bool>, isize)> {
        let (mut chomping, mut width) = (None, 0);
        self.at += 1;
        for _ in 0..2 {
            match self.byte(self.at) {
                sign @ (b'+' | b'-') if chomping.is_none() => chomping = Some(sign == b'+'),
                b'0' if width == 0 => {
                    return trouble("invalid indentation of a text block", self.at);
                }
                digit @ b'1'..=b'9' if width == 0 => width = isize::from(digit - b'0'),
                _ => break,
            }
            self.at += 1;
        }
        let glued = matches!(self.byte(self.at), b'\t' | b'#');
        if glued && self.is_python() {
            return trouble("text follows the sign of a text block", self.at);
        }
        self.skip_blanks(false);
        if self.byte(self.at) == b'\t' && !self.is_python() {
            self.skip_blanks(true);
        }
        self.skip_comment();
        if !self.ended() && self.breaks(self.at) == 0 {
            return trouble("text follows the sign of a text block", header);
        }
        Ok((chomping, width))
    }

    /// Steps to the first line with content; gives the widest indentation on the way.
    fn block_indent(&mut self, breaks: &mut String, header: usize) -> Sure<isize> {
        let mut widest = 0;
        loop {
            self.skip_blanks(false);
            widest = widest.max(self.column());
            if self.breaks(self.at) == 0 {
                if self.byte(self.at) == b'\t' && !self.is_python() {
                    return trouble("found a tab in the indentation", header);
                }
                return Ok(widest);
            }
            breaks.push_str(self.take_break());
        }
    }

    /// Steps behind lines without content and the indentation of the next one.
    fn block_breaks(&mut self, indent: isize, breaks: &mut String, header: usize) -> Sure<()> {
        loop {
            while self.byte(self.at) == b' ' && self.column() < indent {
                self.at += 1;
            }
            if self.byte(self.at) == b'\t' && self.column() < indent && !self.is_python() {
                return trouble("found a tab in the indentation", header);
            }
            if self.breaks(self.at) == 0 {
                return Ok(());
            }
            breaks.push_str(self.take_break());
        }
    }
}

fn simple_escape(letter: u8) -> Option<char> {
    Some(match letter {
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\x0b',
        b'f' => '\x0c',
        b'r' => '\r',
        b'e' => '\x1b',
        b' ' | b'"' | b'\\' | b'/' | b'\'' => char::from(letter),
        b'N' => '\u{85}',
        b'_' => '\u{a0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        _ => return None,
    })
}
