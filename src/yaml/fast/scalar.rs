//! Scalars: plain, quoted, and the texts after `|` and `>`.

use memchr::memchr;

use crate::yaml::scalar::{MERGE, has_no_value, is_no_json};
use crate::yaml::tree::Raw;

use super::{Doubt, Reader, Sure};

/// A plain scalar, and the colon after it if it is a key.
pub(super) struct Plain {
    pub(super) end: usize,
    pub(super) colon: Option<usize>,
}

/// The meanings that a byte may have in a scalar, as bits.
mod class {
    /// Ends a plain scalar, or may.
    pub(super) const PLAIN: u8 = 1;
    /// The same in a flow.
    pub(super) const FLOW: u8 = 2;
    /// Ends a scalar in double quotes, or is an escape.
    pub(super) const DOUBLE: u8 = 4;
    /// Ends a scalar in single quotes, or may.
    pub(super) const SINGLE: u8 = 8;
    /// Begins no plain scalar, or not everywhere.
    pub(super) const INDICATOR: u8 = 16;
}

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'\n' => class::PLAIN | class::FLOW | class::DOUBLE | class::SINGLE | class::INDICATOR,
            b'\t' | b'\r' | 0 => class::PLAIN | class::FLOW | class::INDICATOR,
            b' ' | b':' => class::PLAIN | class::FLOW | class::INDICATOR,
            b',' | b'[' | b']' | b'{' | b'}' => class::FLOW | class::INDICATOR,
            b'"' => class::DOUBLE | class::INDICATOR,
            b'\\' => class::DOUBLE,
            b'\'' => class::SINGLE | class::INDICATOR,
            b'?' => class::FLOW | class::INDICATOR,
            b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'%' | b'@' | b'`' => class::INDICATOR,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

impl Reader<'_> {
    #[inline]
    fn until(&self, mut at: usize, class: u8) -> usize {
        while let Some(byte) = self.bytes.get(at)
            && CLASSES[usize::from(*byte)] & class == 0
        {
            at += 1;
        }
        at
    }

    /// A plain scalar in a block.
    #[inline]
    pub(super) fn plain(&self, start: usize) -> Sure<Plain> {
        if CLASSES[usize::from(self.bytes[start])] & class::INDICATOR != 0 {
            return Err(Doubt);
        }
        let plain = self.plain_run(start)?;
        self.check_plain(start, plain.end)?;
        Ok(plain)
    }

    /// The part of a plain scalar that is on one line, with whatever it begins.
    #[inline]
    fn plain_run(&self, start: usize) -> Sure<Plain> {
        let mut at = start;
        let mut end = start;
        let colon = loop {
            let stop = self.until(at, class::PLAIN);
            if stop > at {
                end = stop;
            }
            match self.bytes.get(stop) {
                None | Some(b'\n' | b'\r') => break None,
                Some(b' ') => {
                    let next = self.blanks(stop);
                    match self.bytes.get(next) {
                        Some(b'#') => break None,
                        _ => at = next,
                    }
                }
                Some(b':') => match self.bytes.get(stop + 1) {
                    None | Some(b' ' | b'\n' | b'\r') => break Some(stop),
                    _ => {
                        at = stop + 1;
                        end = at;
                    }
                },
                Some(_) => return Err(Doubt),
            }
        };
        Ok(Plain { end, colon })
    }

    /// A line that is deeper than a plain scalar before it belongs to that; gives the start of
    /// the line after the scalar.
    pub(super) fn go_on(&mut self) -> Sure<usize> {
        let tree = self.tree.mark();
        let last = self.last.take().filter(|last| last.after == tree);
        let (Some(last), Some(open)) = (last, self.open.last()) else {
            return Err(Doubt);
        };
        let column = open.column as usize;
        self.tree.reset(last.before);
        self.base = last.base;
        self.nodes -= 1;
        let from = self.tree.own_text().len();
        let run = &self.text[last.start..last.end];
        self.tree.own_text().push_str(run);
        let mut end = last.end;
        loop {
            let mut at = self.blanks(end);
            let mut breaks = 0;
            let mut line = at;
            while let Some(b'\n' | b'\r') = self.bytes.get(at) {
                breaks += 1;
                line = self.after_line(at);
                at = self.blanks(line);
            }
            // A comment ends the scalar, as do lines that are less deep.
            let next = self.bytes.get(at).filter(|byte| **byte != b'#');
            if next.is_none() || breaks == 0 || at - line <= column {
                break;
            }
            let plain = self.plain_run(at)?;
            if plain.colon.is_some() || plain.end == at {
                return Err(Doubt);
            }
            let own = self.tree.own_text();
            if breaks == 1 {
                own.push(' ');
            }
            own.extend(std::iter::repeat_n('\n', breaks - 1));
            let run = &self.text[at..plain.end];
            own.push_str(run);
            end = plain.end;
        }
        if has_no_value(&self.tree.own_text()[from..]).is_some() {
            return Err(Doubt);
        }
        self.put_own(last.start, end, Raw::PLAIN, from)?;
        self.line_end(end)
    }

    /// A plain scalar in a flow.
    pub(super) fn flow_plain(&self, start: usize) -> Sure<Plain> {
        let first = self.bytes[start];
        let starts_line = self.bytes[start - 1] == b'\n';
        if CLASSES[usize::from(first)] & class::INDICATOR != 0
            || (starts_line && matches!(first, b'-' | b'.'))
        {
            return Err(Doubt);
        }
        if first == b'-'
            && matches!(
                self.bytes.get(start + 1),
                None | Some(b' ' | b'\t' | b'\r' | b'\n' | b',' | b'[' | b']' | b'{' | b'}')
            )
        {
            return Err(Doubt);
        }
        let mut at = start;
        let mut end = start;
        let colon = loop {
            let stop = self.until(at, class::FLOW);
            if stop > at {
                end = stop;
            }
            match self.bytes.get(stop) {
                Some(b'\n' | b'\r' | b',' | b']' | b'}') => break None,
                Some(b' ') => {
                    let next = self.blanks(stop);
                    match self.bytes.get(next) {
                        Some(b'#') => return Err(Doubt),
                        _ => at = next,
                    }
                }
                Some(b':') => match self.bytes.get(stop + 1) {
                    Some(b' ' | b'\n' | b'\r') => break Some(stop),
                    None | Some(b'\t' | b',' | b'[' | b']' | b'{' | b'}') => {
                        return Err(Doubt);
                    }
                    _ => {
                        at = stop + 1;
                        end = at;
                    }
                },
                _ => return Err(Doubt),
            }
        };
        self.check_plain(start, end)?;
        Ok(Plain { end, colon })
    }

    /// Doubt about the plain scalars that the families judge.
    #[inline]
    fn check_plain(&self, start: usize, end: usize) -> Sure<()> {
        let doubtful = match self.bytes[start] {
            b'=' => end == start + 1,
            b'<' => &self.text[start..end] == MERGE,
            b'0'..=b'9' if end - start >= 8 || self.bytes.get(start + 2) == Some(&b'_') => {
                has_no_value(&self.text[start..end]).is_some()
            }
            b'+' | b'-' | b'.' if end - start > 3 => {
                let text = &self.text[start..end];
                is_no_json(text) || has_no_value(text).is_some()
            }
            _ => false,
        };
        if doubtful { Err(Doubt) } else { Ok(()) }
    }

    /// The end of a quoted scalar without escapes that is a key, and its colon.
    pub(super) fn quoted_key(&self, start: usize) -> Option<(usize, usize)> {
        let end = self.simply_quoted(start)?;
        let colon = self.blanks(end);
        let is_key = self.bytes.get(colon) == Some(&b':')
            && matches!(self.bytes.get(colon + 1), None | Some(b' ' | b'\n' | b'\r'));
        is_key.then_some((end, colon))
    }

    /// The end of a quoted scalar without escapes.
    #[inline]
    pub(super) fn simply_quoted(&self, start: usize) -> Option<usize> {
        let quote = self.bytes[start];
        let class = if quote == b'"' {
            class::DOUBLE
        } else {
            class::SINGLE
        };
        let end = self.until(start + 1, class);
        if self.bytes.get(end) != Some(&quote) {
            return None;
        }
        let doubled = quote == b'\'' && self.bytes.get(end + 1) == Some(&b'\'');
        (!doubled).then_some(end + 1)
    }

    /// Writes a quoted scalar that is not a key; gives its end.
    #[inline]
    pub(super) fn quoted(&mut self, start: usize) -> Sure<usize> {
        match self.simply_quoted(start) {
            Some(end) => {
                self.put(start, end, 0)?;
                Ok(end)
            }
            None => self.quoted_otherwise(start),
        }
    }

    /// The same for one with escapes.
    fn quoted_otherwise(&mut self, start: usize) -> Sure<usize> {
        let from = self.tree.own_text().len();
        let quote = self.bytes[start];
        let class = if quote == b'"' {
            class::DOUBLE
        } else {
            class::SINGLE
        };
        let mut at = start + 1;
        loop {
            let stop = self.until(at, class);
            let run = &self.text[at..stop];
            self.tree.own_text().push_str(run);
            match (self.bytes.get(stop), self.bytes.get(stop + 1)) {
                (Some(b'\''), Some(b'\'')) if quote == b'\'' => {
                    self.tree.own_text().push('\'');
                    at = stop + 2;
                }
                (Some(b'\\'), Some(escape)) => {
                    let (letter, after) = self.escape(*escape, stop + 2)?;
                    self.tree.own_text().push(letter);
                    at = after;
                }
                (Some(end), _) if *end == quote => {
                    self.put_own(start, stop + 1, 0, from)?;
                    return Ok(stop + 1);
                }
                _ => return Err(Doubt),
            }
        }
    }

    /// The character that an escape stands for, and the place behind it; `at` is the place after
    /// its letter.
    fn escape(&self, letter: u8, at: usize) -> Sure<(char, usize)> {
        let digits = match letter {
            b'x' => 2,
            b'u' => 4,
            _ => {
                let letter = match letter {
                    b'n' => '\n',
                    b't' => '\t',
                    b'r' => '\r',
                    b'"' => '"',
                    b'\\' => '\\',
                    b'0' => '\0',
                    b'a' => '\x07',
                    b'b' => '\x08',
                    b'v' => '\x0b',
                    b'f' => '\x0c',
                    b'e' => '\x1b',
                    b' ' => ' ',
                    _ => return Err(Doubt),
                };
                return Ok((letter, at));
            }
        };
        let text = self.bytes.get(at..at + digits).ok_or(Doubt)?;
        if !text.iter().all(u8::is_ascii_hexdigit) {
            return Err(Doubt);
        }
        let value = u32::from_str_radix(&self.text[at..at + digits], 16).map_err(|_| Doubt)?;
        let letter = char::from_u32(value).ok_or(Doubt)?;
        Ok((letter, at + digits))
    }

    /// Writes a text whose header begins at `header`; gives the start of the line after it.
    pub(super) fn block_text(&mut self, header: usize) -> Sure<usize> {
        let folded = self.bytes[header] == b'>';
        let chomping = match self.bytes.get(header + 1) {
            Some(sign @ (b'+' | b'-')) => Some(*sign),
            _ => None,
        };
        let after = self.blanks(header + 1 + usize::from(chomping.is_some()));
        if !matches!(self.bytes.get(after), Some(b'\n' | b'\r')) {
            return Err(Doubt);
        }
        let parent = self.open.last().map_or(0, |open| open.column as usize);
        let from = self.tree.own_text().len();
        let mut line = self.after_line(after);
        // The first line with content says how deep the text is.
        let mut breaks = 0;
        let mut widest = 0;
        let indent = loop {
            let first = self.blanks(line);
            widest = widest.max(first - line);
            match self.bytes.get(first) {
                None | Some(b'\t') => return Err(Doubt),
                Some(b'\n' | b'\r') => {
                    breaks += 1;
                    line = self.after_line(first);
                }
                Some(_) => break first - line,
            }
        };
        if indent <= parent || widest > indent {
            return Err(Doubt);
        }
        let start = line + indent;
        let (mut first, mut blank_before) = (true, false);
        let end = loop {
            let content = line + indent;
            let stop = content + memchr(b'\n', &self.bytes[content..]).ok_or(Doubt)?;
            let blank = matches!(self.bytes[content], b' ' | b'\t');
            let run = &self.text[content..self.trim_break(stop + 1)];
            let own = self.tree.own_text();
            if folded && !first && !blank_before && !blank {
                if breaks == 0 {
                    own.push(' ');
                }
            } else if !first {
                own.push('\n');
            }
            own.extend(std::iter::repeat_n('\n', breaks));
            own.push_str(run);
            (first, blank_before, breaks) = (false, blank, 0);
            line = stop + 1;
            // Lines without content, and where the text ends.
            let next = loop {
                let mut next = line;
                while next < line + indent && self.bytes.get(next) == Some(&b' ') {
                    next += 1;
                }
                if !matches!(self.bytes.get(next), Some(b'\n' | b'\r')) {
                    break next;
                }
                breaks += 1;
                line = self.after_line(next);
            };
            match self.bytes.get(next) {
                // Blanks at the very end.
                None if next > line => return Err(Doubt),
                Some(_) if next == line + indent => {}
                _ => break next,
            }
        };
        let own = self.tree.own_text();
        if chomping != Some(b'-') {
            own.push('\n');
        }
        if chomping == Some(b'+') {
            own.extend(std::iter::repeat_n('\n', breaks));
        }
        self.put_own(start, end, Raw::BLOCK, from)?;
        Ok(line)
    }
}

/// Whether none of the bytes belongs to a character that needs the parser's eye, decided by
/// each byte alone: quick, and right for nearly all texts.
pub(super) fn plainly_harmless(bytes: &[u8]) -> bool {
    let suspicious = |byte: u8| {
        (byte < b' ' && byte != b'\n' && byte != b'\t') | matches!(byte, 0x7f | 0xc2 | 0xe2 | 0xef)
    };
    bytes.chunks(256).all(|chunk| {
        let any = chunk
            .iter()
            .fold(false, |any, byte| any | suspicious(*byte));
        !any
    })
}

/// Whether there is no control character, odd line break, byte order mark or
/// noncharacter.
pub(super) fn harmless(bytes: &[u8]) -> bool {
    let at = |at: usize| bytes.get(at).copied().unwrap_or(0);
    !bytes.iter().enumerate().any(|(place, byte)| match byte {
        b'\n' | b'\t' => false,
        b'\r' => at(place + 1) != b'\n',
        0..b' ' | 0x7f => true,
        0xc2 => at(place + 1) < 0xa0,
        0xe2 => at(place + 1) == 0x80 && matches!(at(place + 2), 0xa8 | 0xa9),
        0xef => match at(place + 1) {
            0xbb => at(place + 2) == 0xbf,
            0xbf => at(place + 2) >= 0xbe,
            _ => false,
        },
        _ => false,
    })
}
