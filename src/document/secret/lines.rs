//! Secrets in texts that are no YAML, or not yet: templates, and documents with a fault.

use std::ops::Range;

use super::VALUES;

/// A line with something on it.
struct Line<'t> {
    /// Where its text begins and ends in the whole text.
    range: Range<usize>,
    /// The column of its first key: behind the dashes of lists.
    column: usize,
    /// The column of the first character.
    indent: usize,
    /// Its text from its first key on.
    text: &'t str,
}

impl<'t> Line<'t> {
    /// Nothing for lines that say nothing about their neighbours: blank ones, comments and
    /// statements of templates.
    fn of(start: usize, line: &'t str) -> Option<Self> {
        let whole = line.trim_end();
        let mut text = whole.trim_start_matches(' ');
        let indent = whole.len() - text.len();
        if text.is_empty() || text.starts_with('#') || text.starts_with("{{") {
            return None;
        }
        while let Some(rest) = text.strip_prefix("- ") {
            text = rest.trim_start_matches(' ');
        }
        let column = whole.len() - text.len();
        Some(Self {
            range: start + column..start + whole.len(),
            column,
            indent,
            text,
        })
    }

    /// Its key and where its value begins.
    fn key(&self) -> Option<(&'t str, usize)> {
        let (key, value) = self.text.split_once(':')?;
        let at = self.range.end - value.trim_start().len();
        Some((unquoted(key), at))
    }

    /// Whether it begins a document.
    fn is_mark(&self) -> bool {
        self.indent == 0 && self.text.starts_with("---")
    }
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// Whether a value is the word `Secret`, whatever follows it.
fn is_secret(value: &str) -> bool {
    let value = value.trim_start().trim_start_matches(['"', '\'']);
    let rest = value.strip_prefix("Secret");
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
}

/// Adds where values of Secrets stand in a part of a text.
pub(super) fn look(text: &str, part: Range<usize>, found: &mut Vec<Range<usize>>) {
    // From the beginning of a line, so that columns hold.
    let from = text[..part.start].rfind('\n').map_or(0, |at| at + 1);
    let mut lines = Vec::new();
    let mut at = from;
    for line in text[from..part.end].split_inclusive('\n') {
        lines.extend(Line::of(at, line));
        at += line.len();
    }
    for (number, line) in lines.iter().enumerate() {
        let says = line.key().filter(|(key, _)| *key == "kind");
        if says.is_some_and(|(_, at)| is_secret(&text[at..line.range.end])) {
            siblings(&lines, number, found);
        } else if is_in_flow(line.text) {
            let deeper = lines[number + 1..].iter();
            let deeper = deeper.take_while(|below| below.indent > line.indent);
            found.push(line.range.clone());
            found.extend(deeper.map(|below| below.range.clone()));
        }
    }
}

/// Whether `{kind: Secret, data: …}` stands within a line.
fn is_in_flow(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("kind") {
        let before = rest[..at].trim_end_matches(['"', '\'']).trim_end();
        rest = &rest[at + "kind".len()..];
        let value = rest.trim_start_matches(['"', '\'']).trim_start();
        let value = value.strip_prefix(':').is_some_and(is_secret);
        if value && before.ends_with(['{', ',']) {
            return true;
        }
    }
    false
}

/// The values beside `kind: Secret`.
fn siblings(lines: &[Line<'_>], kind: usize, found: &mut Vec<Range<usize>>) {
    let column = lines[kind].column;
    let begins = |line: &Line<'_>| line.column == column && line.indent < column;
    let mut first = kind;
    while first > 0 && !begins(&lines[first]) {
        let above = &lines[first - 1];
        if above.is_mark() || (above.indent < column && !begins(above)) {
            break;
        }
        first -= 1;
    }
    let mut values = None;
    // The column of the keys of the values.
    let mut keys = None;
    for (number, line) in lines.iter().enumerate().skip(first) {
        if number > kind && (line.is_mark() || line.indent < column) {
            return;
        }
        if line.column == column {
            let own = line.key().filter(|(key, _)| VALUES.contains(key));
            values = own.map(|(_, at)| found.push(at..line.range.end));
            keys = None;
        } else if values.is_some() {
            let keys = *keys.get_or_insert(line.indent);
            let at = line.key().filter(|_| line.indent == keys);
            found.push(at.map_or(line.range.start, |(_, at)| at)..line.range.end);
        }
    }
}
