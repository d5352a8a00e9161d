//! Secrets in texts that are no YAML, or not yet: templates, and documents with a fault.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::kit::secret::{ENCRYPTED, VALUES, holds_values, is_secret_schema};

use super::mentions::{GENERATOR, GENERATOR_NAMES, mentions};
use super::placeholder::is_placeholder;
use super::spelling::{QUOTES, bare, spelled, undressed};

/// The ends of lines in YAML 1.1.
const BREAKS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// So many lines above and below are looked at for what they say about a line.
const NEAR: usize = 200;

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
    /// Its key and where its value begins.
    key: Option<(Cow<'t, str>, usize)>,
}

/// The key of the text of a line that ends here, and where its value begins.
fn key_of(line: &str, end: usize) -> Option<(Cow<'_, str>, usize)> {
    let text = undressed(line);
    let Some((key, value)) = text.split_once(':') else {
        return line.starts_with('?').then(|| (bare(text), end));
    };
    Some((bare(key), end - value.trim_start().len()))
}

impl<'t> Line<'t> {
    /// Nothing for lines that say nothing about their neighbours: blank ones, and loose ones.
    fn of(start: usize, line: &'t str) -> Option<Self> {
        let whole = line.trim_end();
        let blanks = [' ', '\t'];
        let mut text = whole.trim_start_matches(blanks);
        if text.is_empty() || is_loose(text) {
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
            key: key_of(text, start + whole.len()),
        })
    }

    /// Its key and where its value begins.
    fn key(&self) -> Option<(&str, usize)> {
        self.key.as_ref().map(|(key, at)| (&**key, *at))
    }

    /// The value on the line, if its key is one of these.
    fn value(&self, names: &[&str]) -> Option<&'t str> {
        let (_, at) = self.key().filter(|(key, _)| names.contains(key))?;
        let value = &self.text[self.text.len() - (self.range.end - at)..];
        Some(undressed(value))
    }

    /// Whether it begins a document.
    fn is_mark(&self) -> bool {
        self.indent == 0 && self.text.starts_with("---")
    }
}

/// A comment, or a statement of a template.
fn is_loose(text: &str) -> bool {
    let rest = text.rsplit_once("}}").map_or("", |(_, rest)| rest);
    text.starts_with('#') || (text.starts_with("{{") && rest.trim().is_empty())
}

/// Whether a value is this word, whatever follows it.
fn is_word(value: &str, word: &str) -> bool {
    let value = bare(value);
    let rest = value.strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
}

/// The verdict of a line on its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// They are no Secret.
    Nothing,
    /// They are a Secret.
    Secret,
    /// They may be one, and which of them hold values is not to be seen.
    Perhaps,
}

fn says(text: &str, lines: &[Line<'_>], number: usize) -> Says {
    let line = &lines[number];
    if line
        .value(&["schema"])
        .is_some_and(|schema| is_secret_schema(&bare(schema)))
    {
        return Says::Secret;
    }
    if line
        .value(&["storagePolicy"])
        .is_some_and(|policy| is_word(policy, ENCRYPTED))
    {
        return Says::Perhaps;
    }
    let Some((_, at)) = line.key().filter(|(key, _)| *key == "kind") else {
        return Says::Nothing;
    };
    let value = &text[at..line.range.end];
    if is_word(value, "Secret") {
        // Its neighbours may stand on this line, or on the one that opens the bracket.
        let more = value.split_once(',').map(|(_, more)| more);
        let is_shared = more.is_some_and(|more| !more.is_empty() || opens_above(lines, number));
        return if is_shared {
            Says::Perhaps
        } else {
            Says::Secret
        };
    }
    let plain = undressed(value);
    let is_below = plain.is_empty() || plain.starts_with(['|', '>', '#']);
    let below = lines.get(number + 1).filter(|_| is_below);
    let is_secret = below.is_some_and(|below| {
        let word = below.text.strip_prefix(':').unwrap_or(below.text);
        is_word(word, "Secret")
    });
    let is_odd = plain.starts_with('*') || plain.ends_with('\\');
    let is_list = ["SecretGenerator", "SecretList"].iter();
    if is_secret || is_odd || is_list.into_iter().any(|word| is_word(value, word)) {
        Says::Perhaps
    } else {
        Says::Nothing
    }
}

/// Whether a line above opens the bracket around a line and has a key behind it.
fn opens_above(lines: &[Line<'_>], number: usize) -> bool {
    let mut level = 0;
    for line in lines[..number].iter().rev().take(NEAR) {
        level += depth(line.text);
        if level > 0 {
            let (_, behind) = line.text.rsplit_once(['{', '[']).unwrap_or_default();
            return behind.contains(':');
        }
    }
    number > NEAR
}

/// Adds where values of Secrets stand in a part of a text.
pub(super) fn look(text: &str, part: Range<usize>, found: &mut Vec<Range<usize>>) {
    // From the beginning of a line, so that columns hold.
    let from = text[..part.start].rfind('\n').map_or(0, |at| at + 1);
    let mut lines = Vec::new();
    let mut loose = Vec::new();
    let mut at = from;
    for line in text[from..part.end].split_inclusive(BREAKS) {
        lines.extend(Line::of(at, line));
        let written = line.trim();
        let is_statement = written.starts_with('{');
        if is_loose(written) && !(is_statement && is_placeholder(written)) {
            let begin = at + (line.len() - line.trim_start().len());
            loose.push(begin..begin + written.len());
        }
        at += line.len();
    }
    let before = found.len();
    for lines in lines.chunk_by(|_, below| !below.is_mark()) {
        look_at_document(text, lines, found);
    }
    beside(&loose, &lines, before, found);
}

fn look_at_document(text: &str, lines: &[Line<'_>], found: &mut Vec<Range<usize>>) {
    let around = |found: &mut Vec<Range<usize>>| {
        let marked = lines.iter().filter(|line| line.text != "---");
        found.extend(marked.map(|line| line.range.clone()));
    };
    let mut has_secret = false;
    // The lines before this one are hidden with one above them.
    let mut reach = 0;
    // For each column, the line up to which it was searched for neighbours of Secrets.
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        let says = says(text, lines, number);
        let is_in_flow = is_in_flow(line.text);
        let is_secret = says == Says::Secret || is_in_flow;
        has_secret |= is_secret;
        // Brackets that do not end on their line hold the neighbours too, whatever their columns.
        if says == Says::Perhaps || (is_secret && depth(line.text) != 0) {
            return around(found);
        }
        let seen = seen.entry(line.column).or_default();
        if says == Says::Secret && number >= *seen {
            *seen = siblings(text, lines, number, found);
        }
        let is_patch = || has_key(line.text, "value") && leads_near(lines, number);
        // A text that may hold a Secret, in quotes.
        let is_quoted = line.text.contains('\\') && mentions(line.text);
        let is_value = line.value(&["literals", "sourceValue"]).is_some();
        if is_quoted || is_in_flow || is_value || is_patch() {
            reach = with_deeper(lines, number, reach, found);
        }
        if line.value(&[GENERATOR]).is_some() {
            reach = generator(lines, number, reach, found);
        }
    }
    // Values may come from anywhere through aliases.
    if has_secret && has_aliases(lines) {
        return around(found);
    }
    reach = 0;
    for number in 0..lines.len() {
        if is_unsaid(lines, number, has_secret) {
            reach = with_deeper(lines, number, reach, found);
        }
    }
}

/// Adds the loose lines above and below lines that are hidden; `before`: so many of them are those
/// of another part.
fn beside(
    loose: &[Range<usize>],
    lines: &[Line<'_>],
    before: usize,
    found: &mut Vec<Range<usize>>,
) {
    let mut hidden: Vec<usize> = found[before..].iter().map(|range| range.end).collect();
    hidden.sort_unstable();
    let is_hidden = |line: &Line<'_>| hidden.binary_search(&line.range.end).is_ok();
    for range in loose {
        let next = lines.partition_point(|line| line.range.start < range.start);
        let above = next.checked_sub(1).map(|above| &lines[above]);
        if above.into_iter().chain(lines.get(next)).any(is_hidden) {
            found.push(range.clone());
        }
    }
}

/// Whether a line begins values of an object that does not say its kind, and may be a Secret: the
/// part of a patch, all that a text holds, or where its columns are wrong (`beside_secret`: a
/// Secret stands in the same document).
fn is_unsaid(lines: &[Line<'_>], number: usize, beside_secret: bool) -> bool {
    let line = &lines[number];
    let Some(value) = line.value(&VALUES) else {
        let is_flow = line.text.contains(['{', ',']) && !has_key(line.text, "kind");
        return beside_secret && is_flow && VALUES.iter().any(|key| has_key(line.text, key));
    };
    let is_less = |other: &&Line<'_>| other.indent < line.column && other.column != line.column;
    let above = || lines[..number].iter().rev().take(NEAR);
    let below = lines[number + 1..].iter().take(NEAR);
    let below = below.take_while(|other| !is_less(other));
    let siblings = above().take_while(|other| !is_less(other)).chain(below);
    let mut siblings = siblings.filter(|other| other.column == line.column);
    let says = |other: &Line<'_>| {
        other
            .value(&["kind", "schema", "apiVersion", "op"])
            .is_some()
    };
    let is_kind = |other: &Line<'_>| other.value(&["kind"]).is_some();
    let is_mapping = value.is_empty() || value.starts_with(['{', '#', '*']);
    if beside_secret {
        return (is_mapping || value.starts_with(QUOTES)) && !siblings.any(is_kind);
    }
    let is_patch = above()
        .find(is_less)
        .is_none_or(|parent| parent.value(&["patch"]).is_some() || parent.text.starts_with('|'));
    let is_alone = line.value(&["stringData"]).is_some() || (is_patch && is_mapping);
    is_alone && !siblings.any(says)
}

/// Whether aliases or merge keys stand in a document.
fn has_aliases(lines: &[Line<'_>]) -> bool {
    let is_alias = |text: &str| {
        let rest = text.strip_prefix('*');
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    lines.iter().any(|line| {
        let mut words = line.text.split([' ', '[', '{', ',', ':']);
        line.text.contains("<<") || words.any(is_alias)
    })
}

/// The lines below a line that belong to it, without those that are hidden already.
fn deeper(lines: &[Line<'_>], number: usize, reach: usize) -> Range<usize> {
    let line = &lines[number];
    let from = reach.max(number + 1);
    let is_item = |below: &&Line<'_>| {
        below.indent > line.indent
            || below.is_tabbed
            || (below.indent == line.indent && below.column > below.indent)
    };
    from..from + lines[from..].iter().take_while(is_item).count()
}

/// Adds a line and those that belong to it; gives the line behind them.
fn with_deeper(
    lines: &[Line<'_>],
    number: usize,
    reach: usize,
    found: &mut Vec<Range<usize>>,
) -> usize {
    let below = deeper(lines, number, reach);
    found.push(lines[number].range.clone());
    found.extend(lines[below.clone()].iter().map(|below| below.range.clone()));
    below.end
}

/// Adds the values of a generator of Secrets: all fields but those that hold none; gives the line
/// behind them.
fn generator(
    lines: &[Line<'_>],
    number: usize,
    reach: usize,
    found: &mut Vec<Range<usize>>,
) -> usize {
    let line = &lines[number];
    let own = line.key().map(|(_, at)| at..line.range.end);
    found.extend(own.filter(|own| !own.is_empty()));
    let Range { start, end } = deeper(lines, number, reach);
    let mut open = None;
    for below in &lines[start..end] {
        if below.value(&GENERATOR_NAMES).is_some() {
            open = Some(below.column);
        } else if below.is_tabbed
            || open.is_none_or(|open| below.indent < open || below.column == open)
        {
            open = None;
            found.push(below.range.clone());
        }
    }
    end
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
    text.split([',', '{', ':']).any(|part| bare(part) == key)
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
    let spelled = spelled(text);
    let mut rest = spelled.as_deref().unwrap_or(text);
    while let Some(at) = rest.find("kind") {
        let begin = rest[..at].rfind(['{', ',']);
        let is_key = begin.is_some_and(|begin| {
            let before = rest[begin + 1..at].trim_end_matches(QUOTES);
            undressed(before).is_empty()
        });
        rest = &rest[at + "kind".len()..];
        let value = rest.trim_start_matches(QUOTES).trim_start();
        let value = value.strip_prefix(':');
        let is_secret = value.is_some_and(|value| {
            let mut words = ["Secret", "SecretGenerator", "SecretList"].iter();
            words.any(|word| is_word(value, word)) || undressed(value).starts_with('*')
        });
        if is_key && is_secret {
            return true;
        }
    }
    false
}

/// Adds the values beside `kind: Secret`; gives the line that ends them.
fn siblings(text: &str, lines: &[Line<'_>], kind: usize, found: &mut Vec<Range<usize>>) -> usize {
    let column = lines[kind].column;
    let is_code = is_code(lines[kind].text);
    // Between brackets a line that stands further left is a fault unless it is one of theirs.
    let is_less = |line: &Line<'_>, brackets: &[char]| {
        let ends = !is_code || line.text.starts_with(brackets);
        line.indent < column && !line.is_tabbed && ends
    };
    let begins = |line: &Line<'_>| line.column == column && line.indent < column;
    let mut first = kind;
    while first > 0 && !begins(&lines[first]) {
        let above = &lines[first - 1];
        if is_less(above, &['{', '[', '"', '\'']) && !begins(above) {
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
    let mut end = lines.len();
    for (number, line) in lines.iter().enumerate().skip(first) {
        if number > kind && is_less(line, &['}', ']', ')']) {
            end = number;
            break;
        }
        if line.column == column {
            // The value of a long key begins with a colon.
            if line.text.starts_with(':') {
                values.extend(is_within.then(|| (count, line.range.clone())));
                continue;
            }
            let own = line.key().filter(|(key, _)| holds_values(key));
            is_within = own.is_some();
            count += 1;
            values.extend(own.map(|(_, at)| (count, at..line.range.end)));
            keys = None;
            continue;
        }
        // A field that is indented too much may hold what stands left of its column, too.
        is_within |= line.key().is_some_and(|(key, _)| holds_values(key));
        if is_within {
            let keys = *keys.get_or_insert(line.indent);
            let own = line.key().filter(|_| line.indent == keys);
            count += usize::from(own.is_some());
            let start = own.map_or(line.range.start, |(_, at)| at);
            values.push((count, start..line.range.end));
        }
    }
    for lines in values.chunk_by(|(one, _), (other, _)| one == other) {
        let (start, end) = (lines[0].1.start, lines[lines.len() - 1].1.end);
        let lines = lines.iter().map(|(_, line)| line.clone());
        if is_code {
            lines.for_each(|line| literals(text, line, found));
        } else if !is_placeholder(&text[start..end]) {
            found.extend(lines);
        }
    }
    end
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
