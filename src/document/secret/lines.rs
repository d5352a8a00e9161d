//! Secrets in texts that are no YAML, or not yet: templates, and documents with a fault.

use std::ops::Range;

use super::VALUES;

/// The columns that a tab takes.
const TAB: usize = 8;

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
        let blanks = [' ', '\t'];
        let mut text = whole.trim_start_matches(blanks);
        if text.is_empty() || text.starts_with('#') || text.starts_with("{{") {
            return None;
        }
        // A tab is a fault that leaves its line as readable as blanks.
        let wide = |text: &str| {
            let before = &whole[..whole.len() - text.len()];
            before.len() + before.matches('\t').count() * (TAB - 1)
        };
        let indent = wide(text);
        while let Some(rest) = text.strip_prefix("- ") {
            text = rest.trim_start_matches(blanks);
        }
        let from = whole.len() - text.len();
        Some(Self {
            range: start + from..start + whole.len(),
            column: wide(text),
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
        let is_kind = says.is_some_and(|(_, at)| is_secret(&text[at..line.range.end]));
        if is_kind {
            siblings(&lines, number, found);
        }
        let is_literals = line.key().is_some_and(|(key, _)| key == "literals");
        let is_patch = || has_value(line.text) && leads_near(&lines, number);
        if is_in_flow(line.text) || is_literals || is_patch() {
            with_deeper(&lines, number, found);
        }
        // Brackets that do not end on their line hold the neighbours too, whatever their columns.
        if (is_kind || is_in_flow(line.text)) && depth(line.text) != 0 {
            around(&lines, number, found);
        }
    }
}

/// A line and those that belong to it.
fn with_deeper(lines: &[Line<'_>], number: usize, found: &mut Vec<Range<usize>>) {
    let line = &lines[number];
    let deeper = lines[number + 1..].iter();
    let is_item = |below: &&Line<'_>| {
        below.indent > line.indent || (below.indent == line.indent && below.column > below.indent)
    };
    found.push(line.range.clone());
    found.extend(deeper.take_while(is_item).map(|below| below.range.clone()));
}

/// All lines of the document of a line.
fn around(lines: &[Line<'_>], number: usize, found: &mut Vec<Range<usize>>) {
    let above = lines[..number].iter().rev();
    let below = lines[number..].iter();
    let above = above.take_while(|line| !line.is_mark());
    let below = below.take_while(|line| !line.is_mark());
    found.extend(above.chain(below).map(|line| line.range.clone()));
}

/// How many brackets a line opens and does not close, or closes and has not opened.
fn depth(text: &str) -> i64 {
    let change = |c| match c {
        '{' | '[' => 1,
        '}' | ']' => -1,
        _ => 0,
    };
    text.chars().map(change).sum()
}

/// Whether a line has the key of the value of a JSON patch.
fn has_value(text: &str) -> bool {
    let mut parts = text.split([',', '{', ':']).map(unquoted);
    parts.any(|part| part == "value")
}

/// Whether a line or one of its neighbours names the values of a Secret as a JSON patch does.
fn leads_near(lines: &[Line<'_>], number: usize) -> bool {
    let near = number.saturating_sub(3)..(number + 4).min(lines.len());
    let names = |line: &Line<'_>| {
        ["/data", "/stringData"]
            .iter()
            .any(|part| line.text.contains(part))
    };
    lines[near].iter().any(names)
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
