//! Texts as the parser wants them, where the original readers take more than it does; and where
//! each byte is in the file.

/// Line breaks of YAML 1.1 that are none to the parser.
const BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// Whether a text has line breaks of YAML 1.1 that YAML 1.2 does not know.
pub fn has_old_breaks(text: &str) -> bool {
    // Both begin few characters of other texts.
    let mut bytes = memchr::memchr2_iter(0xc2, 0xe2, text.as_bytes());
    bytes.any(|at| {
        let rest = text.get(at..).and_then(|rest| rest.chars().next());
        rest.is_some_and(|letter| BREAKS.contains(&letter))
    })
}

/// A part of a file in other words.
pub(super) struct Adapted {
    pub(super) text: String,
    /// Where parts begin: in the text and in the file. A part has as many bytes in both, or has
    /// one place in the file alone.
    parts: Vec<(usize, usize)>,
    /// Where the line is that was indented last, in the file, and by how much.
    last: (usize, usize),
    /// How many bytes may still be written and read again.
    budget: usize,
}

impl Adapted {
    /// A part of a file that begins there, as it is.
    pub(super) fn new(text: &str, start: usize) -> Self {
        Self {
            text: text.to_owned(),
            parts: vec![(0, start)],
            last: (usize::MAX, 0),
            budget: (64 << 20) + 4 * text.len(),
        }
    }

    /// The same with the line breaks of YAML 1.1 as line feeds.
    pub(super) fn with_breaks(text: &str, start: usize) -> Self {
        let mut adapted = Self::new("", start);
        let mut from = 0;
        for (at, found) in text.match_indices(BREAKS) {
            adapted.text.push_str(&text[from..at]);
            adapted.text.push('\n');
            from = at + found.len();
            adapted.parts.push((adapted.text.len(), start + from));
        }
        adapted.text.push_str(&text[from..]);
        adapted.budget += 4 * text.len();
        adapted
    }

    /// Where a byte of the text is in the file.
    pub(super) fn place(&self, at: usize) -> usize {
        let after = self.parts.partition_point(|(part, _)| *part <= at);
        let (part, place) = self.parts[after - 1];
        let end = self.parts.get(after).map_or(usize::MAX, |(_, end)| *end);
        (place + at - part).min(end)
    }

    /// The same with the line at a place of the text indented, which goes on in a quoted scalar,
    /// and those after it that certainly do, too: nothing of a quoted scalar changes thereby.
    /// None where that has been done too often.
    pub(super) fn indented(&self, at: usize) -> Option<Self> {
        let before = self.text[..at].rfind(['\n', '\r']);
        let mut line = before.map_or(0, |before| before + 1);
        let place = self.place(line);
        let again = self.last.0 == place;
        let width = if again { self.last.1 * 2 } else { 16 };
        let mut lines = Vec::new();
        loop {
            let end = self.text[line..].find('\n').map(|end| line + end + 1);
            let words = &self.text[line..end.unwrap_or(self.text.len())];
            let mark = (words.starts_with("---") || words.starts_with("..."))
                && words[3..].chars().next().is_none_or(char::is_whitespace);
            if mark {
                break;
            }
            lines.push(line);
            // The scalar may end here.
            if words.contains(['"', '\'']) {
                break;
            }
            let Some(end) = end else { break };
            line = end;
        }
        let size = self.text.len() + lines.len() * width;
        if lines.is_empty() || size > self.budget {
            return None;
        }
        let (text, parts) = self.insert(&lines, width);
        Some(Self {
            text,
            parts,
            last: (place, width),
            budget: self.budget - size,
        })
    }

    /// Text and parts with blanks before lines, ascending.
    fn insert(&self, lines: &[usize], width: usize) -> (String, Vec<(usize, usize)>) {
        let mut text = String::with_capacity(self.text.len() + lines.len() * width);
        let mut parts: Vec<(usize, usize)> = Vec::with_capacity(self.parts.len() + 2 * lines.len());
        let (mut from, mut old) = (0, self.parts.iter().peekable());
        for (number, line) in lines.iter().enumerate() {
            let shift = number * width;
            while let Some((part, place)) = old.next_if(|(part, _)| part < line) {
                parts.push((part + shift, *place));
            }
            let place = self.place(*line);
            text.push_str(&self.text[from..*line]);
            parts.push((text.len(), place));
            text.extend(std::iter::repeat_n(' ', width));
            parts.push((text.len(), place));
            from = *line;
            old.next_if(|(part, _)| part == line);
        }
        text.push_str(&self.text[from..]);
        let shift = lines.len() * width;
        parts.extend(old.map(|&(part, place)| (part + shift, place)));
        (text, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_file() {
        let file = "# x\na: \"b\nc\nd\"\ne: f\n";
        let once = Adapted::new(&file[4..], 4).indented(6);
        let adapted = once.and_then(|once| once.indented(6 + 16));
        let adapted = adapted.expect("another text");
        let found = adapted.text.find("d\"").expect("the line");
        assert_eq!(&file[adapted.place(found)..][..2], "d\"");
        let found = adapted.text.find("e:").expect("the line");
        assert_eq!(&file[adapted.place(found)..], "e: f\n");
        for (at, _) in adapted.text.match_indices('\n') {
            assert_eq!(&file[adapted.place(at)..][..1], "\n");
        }
        let file = "a: b\u{85}c: d\u{2028}e: f";
        let adapted = Adapted::with_breaks(file, 0);
        assert_eq!(adapted.text, "a: b\nc: d\ne: f");
        for key in ["a:", "c:", "e:"] {
            let at = adapted.text.find(key).expect("the key");
            assert_eq!(&file[adapted.place(at)..][..2], key);
        }
        assert!(has_old_breaks(file) && has_old_breaks("\u{2029}"));
        assert!(!has_old_breaks("\u{a0} é “”"));
    }
}
