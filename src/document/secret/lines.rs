//! Secrets in texts that are no YAML, or not yet: templates, and documents with a fault.

use std::ops::Range;

use super::VALUES;
use super::placeholder::is_placeholder;

const QUOTES: [char; 2] = ['"', '\''];

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
    /// Whether a tab is before it: then its column is a guess, and it ends nothing.
    is_tabbed: bool,
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
        let is_tabbed = whole[..whole.len() - text.len()].contains('\t');
        while let Some(rest) = text.strip_prefix("- ") {
            text = rest.trim_start_matches(blanks);
        }
        let from = whole.len() - text.len();
        Some(Self {
            range: start + from..start + whole.len(),
            column: wide(text),
            indent,
            is_tabbed,
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
    text.trim().trim_matches(QUOTES)
}

/// Whether a value is the word `Secret`, whatever follows it.
fn is_secret(value: &str) -> bool {
    let value = value.trim_start().trim_start_matches(QUOTES);
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
            siblings(text, &lines, number, found);
        }
        let is_literals = line.key().is_some_and(|(key, _)| key == "literals");
        let is_patch = || has_key(line.text, "value") && leads_near(&lines, number);
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
        below.indent > line.indent
            || below.is_tabbed
            || (below.indent == line.indent && below.column > below.indent)
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

/// Whether a line has this key, on its own or within brackets.
fn has_key(text: &str, key: &str) -> bool {
    let mut parts = text.split([',', '{', ':']).map(unquoted);
    parts.any(|part| part == key)
}

/// Whether a line or one of its neighbours names the values of a Secret as a JSON patch does.
fn leads_near(lines: &[Line<'_>], number: usize) -> bool {
    let near = number.saturating_sub(3)..(number + 4).min(lines.len());
    let near = &lines[near];
    let names = |line: &Line<'_>| {
        ["/data", "/stringData"]
            .iter()
            .any(|part| line.text.contains(part))
    };
    near.iter().any(names) && near.iter().any(|line| has_key(line.text, "op"))
}

/// Whether `{kind: Secret, data: …}` stands within a line.
fn is_in_flow(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("kind") {
        let before = rest[..at].trim_end_matches(QUOTES).trim_end();
        rest = &rest[at + "kind".len()..];
        let value = rest.trim_start_matches(QUOTES).trim_start();
        let value = value.strip_prefix(':').is_some_and(is_secret);
        if value && before.ends_with(['{', ',']) {
            return true;
        }
    }
    false
}

/// The values beside `kind: Secret`.
fn siblings(text: &str, lines: &[Line<'_>], kind: usize, found: &mut Vec<Range<usize>>) {
    let column = lines[kind].column;
    let begins = |line: &Line<'_>| line.column == column && line.indent < column;
    let mut first = kind;
    while first > 0 && !begins(&lines[first]) {
        let above = &lines[first - 1];
        let is_less = above.indent < column && !above.is_tabbed;
        if above.is_mark() || (is_less && !begins(above)) {
            break;
        }
        first -= 1;
    }
    // The lines of the values, with the number of the value.
    let mut values: Vec<(usize, Range<usize>)> = Vec::new();
    let mut count = 0;
    let mut is_within = false;
    // The column of the keys of the values.
    let mut keys = None;
    for (number, line) in lines.iter().enumerate().skip(first) {
        let is_less = line.indent < column && !line.is_tabbed;
        if number > kind && (line.is_mark() || is_less) {
            break;
        }
        if line.column == column {
            let own = line.key().filter(|(key, _)| VALUES.contains(key));
            is_within = own.is_some();
            count += 1;
            values.extend(own.map(|(_, at)| (count, at..line.range.end)));
            keys = None;
        } else if is_within {
            let keys = *keys.get_or_insert(line.indent);
            let own = line.key().filter(|_| line.indent == keys);
            count += usize::from(own.is_some());
            let start = own.map_or(line.range.start, |(_, at)| at);
            values.push((count, start..line.range.end));
        }
    }
    let is_code = is_code(lines[kind].text);
    for lines in values.chunk_by(|(one, _), (other, _)| one == other) {
        let (start, end) = (lines[0].1.start, lines[lines.len() - 1].1.end);
        let lines = lines.iter().map(|(_, line)| line.clone());
        if is_code {
            lines.for_each(|line| literals(text, line, found));
        } else if !is_placeholder(&text[start..end]) {
            found.extend(lines);
        }
    }
}

/// Whether a line is one of a program or of JSON, where texts stand in quotes.
fn is_code(line: &str) -> bool {
    let value = line.split_once(':').map_or("", |(_, value)| value.trim());
    ["\"Secret\",", "'Secret',"].contains(&value)
}

/// Adds the literals in a line of code. Variables, and calls without literals, hold no value.
fn literals(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut at = range.start;
    for part in text[range.clone()].split([',', '{', '}']) {
        let begin = at + key_length(part);
        let end = (at + part.trim_end().len()).max(begin);
        at += part.len() + 1;
        let value = &text[begin..end];
        if value.starts_with(QUOTES) {
            // A comma in the text: its end is not known.
            if value.len() < 2 || !value.ends_with(QUOTES) {
                return found.push(begin..range.end);
            }
            found.push(begin..end);
        } else if value.contains(['(', ')', '[', ']']) {
            arguments(value, begin, found);
        } else if !value.strip_prefix('$').is_some_and(is_name) {
            found.push(begin..end);
        }
    }
}

/// How long the key of an entry is, with its colon and the blanks around.
fn key_length(entry: &str) -> usize {
    let blanks = |text: &str| text.len() - text.trim_start().len();
    if let Some((key, value)) = entry.split_once(':') {
        let key = key.trim();
        let bare = QUOTES.iter().find_map(|quote| {
            let key = key.strip_prefix(*quote)?;
            key.strip_suffix(*quote)
        });
        if is_name(bare.unwrap_or(key)) {
            return entry.len() - value.len() + blanks(value);
        }
    }
    blanks(entry)
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || ['_', '-', '.'].contains(&c);
    !text.is_empty() && text.chars().all(is_part)
}

/// Adds the texts in a call, but for subscripts and encodings.
fn arguments(call: &str, begin: usize, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(open) = call[at..].find(QUOTES).map(|open| at + open) {
        let quote = if call[open..].starts_with('"') {
            '"'
        } else {
            '\''
        };
        let close = call[open + 1..].find(quote);
        let end = close.map_or(call.len(), |close| open + close + 2);
        let before = &call[..open];
        if !["[", "encode(", "decode("]
            .iter()
            .any(|name| before.ends_with(name))
        {
            found.push(begin + open..begin + end);
        }
        at = end;
    }
}
