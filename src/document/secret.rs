//! Hides what no output may show: the values of Secrets, wherever one stands in a document, a list
//! or a text that holds a manifest. All writers hide them through this module.

mod lines;
mod placeholder;

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::diagnostic::Diagnostic;
use crate::kit::plural::plural;
use crate::kit::secret::{VALUES, is_hidden};
use crate::source::{Place, SourceId, Sources};
use crate::yaml::{Kind, Limits, Node, parse};

use placeholder::is_placeholder;

/// The placeholder of a hidden value.
pub const HIDDEN: &str = "(hidden)";

/// The field of a kustomization that makes Secrets.
const GENERATOR: &str = "secretGenerator";

/// The fields of an entry of it that hold no values.
const GENERATOR_NAMES: [&str; 8] = [
    "behavior",
    "env",
    "envs",
    "files",
    "name",
    "namespace",
    "options",
    "type",
];

/// Texts in texts that are looked into.
const DEPTH: usize = 3;

/// Whether a field of a mapping holds values of a Secret.
#[must_use]
pub fn is_hidden_in(mapping: Node<'_>, field: &str) -> bool {
    is_hidden(mapping.get("kind").and_then(Node::text), field)
        || mapping.get(field).is_some_and(Node::is_secret)
}

/// A value without the values of Secrets in it.
#[must_use]
pub fn hidden(mut value: Value) -> Value {
    hide(&mut value);
    value
}

/// Takes the values of Secrets out of a value.
pub fn hide(value: &mut Value) {
    hide_in(value, false, &|values| {
        if !values.is_null() && !is_note(values) {
            *values = HIDDEN.into();
        }
    });
}

/// Takes the values of Secrets out of a value: each gives its place to this text, its key stays. An
/// empty text, and templates and variables that others fill in, hold no secret and stay.
pub fn hide_each(value: &mut Value, placeholder: &str) {
    let hide = |value: &mut Value| {
        if !value.as_str().is_some_and(is_placeholder) {
            *value = placeholder.into();
        }
    };
    hide_in(value, false, &|values| match values {
        Value::Object(values) => values.values_mut().for_each(hide),
        Value::Null => {}
        values => hide(values),
    });
}

/// Whether a part of a text shows some of the value of a Secret.
#[must_use]
pub fn shows(text: &str, part: Range<usize>) -> bool {
    let ranges = ranges(text);
    ranges
        .iter()
        .any(|range| range.start < part.end && part.start < range.end)
}

fn kind(fields: &Map<String, Value>) -> Option<&str> {
    fields.get("kind").and_then(Value::as_str)
}

/// `of_secrets`: the value is an item of a SecretList, which need not say its kind. `mask` hides
/// the values of one Secret.
fn hide_in(value: &mut Value, of_secrets: bool, mask: &dyn Fn(&mut Value)) {
    match value {
        Value::Object(fields) => {
            let is_secret = of_secrets || kind(fields) == Some("Secret");
            let is_list = kind(fields) == Some("SecretList");
            for (key, value) in fields {
                if is_secret && VALUES.contains(&key.as_str()) {
                    mask(value);
                } else {
                    let items = is_list && key == "items";
                    match value.as_array_mut().filter(|_| items) {
                        Some(items) => items.iter_mut().for_each(|item| hide_in(item, true, mask)),
                        None => hide_in(value, false, mask),
                    }
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| hide_in(item, false, mask)),
        Value::String(text) => {
            if let Some(shown) = without(text) {
                *text = shown;
            }
        }
        _ => {}
    }
}

/// Hides two values that differ; the placeholder says how many keys differ.
pub fn hide_both(one: &mut Value, other: &mut Value) {
    match (&mut *one, &mut *other) {
        (Value::Object(a), Value::Object(b)) => {
            let is_secret = [&*a, &*b].map(kind).contains(&Some("Secret"));
            let mut keys: Vec<String> = a.keys().chain(b.keys()).cloned().collect();
            keys.sort_unstable();
            keys.dedup();
            for key in &keys {
                match (a.get_mut(key), b.get_mut(key)) {
                    (a, b) if is_secret && VALUES.contains(&key.as_str()) => hide_values(a, b),
                    (Some(a), Some(b)) => hide_both(a, b),
                    (Some(alone), None) | (None, Some(alone)) => hide(alone),
                    (None, None) => {}
                }
            }
            // The items of a list of Secrets may lack their kind.
            hide(one);
            hide(other);
        }
        (Value::Array(a), Value::Array(b)) => {
            let mut left: Vec<Option<&mut Value>> = b.iter_mut().map(Some).collect();
            // Match items by identity, and the others by position.
            let mut unnamed = Vec::new();
            for (at, item) in a.iter_mut().enumerate() {
                let own = identity(item);
                let same = |other: &Option<&mut Value>| {
                    other.as_deref().is_some_and(|other| identity(other) == own)
                };
                let found = own.is_some().then(|| left.iter().position(same)).flatten();
                match found.and_then(|at| left[at].take()) {
                    Some(other) => hide_both(item, other),
                    None => unnamed.push((at, item)),
                }
            }
            for (at, item) in unnamed {
                match left.get_mut(at).and_then(Option::take) {
                    Some(other) => hide_both(item, other),
                    None => hide(item),
                }
            }
            left.into_iter().flatten().for_each(hide);
        }
        _ => {
            hide(one);
            hide(other);
        }
    }
}

/// Whether a value has been hidden with its other side.
fn is_note(value: &Value) -> bool {
    let text = value.as_str();
    let rest = text.and_then(|text| text.strip_prefix("(hidden, "));
    rest.is_some_and(|rest| rest.ends_with(" differs)") || rest.ends_with(" differ)"))
}

/// The kind, the namespace and the name of a list item.
fn identity(item: &Value) -> Option<(String, String, String)> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("").to_owned();
    let metadata = item.get("metadata")?;
    let name = text(metadata.get("name"));
    let (kind, namespace) = (text(item.get("kind")), text(metadata.get("namespace")));
    (!name.is_empty()).then_some((kind, namespace, name))
}

/// Hides the values of a Secret on two sides, and says how many differ.
pub fn hide_values(one: Option<&mut Value>, other: Option<&mut Value>) {
    let count = {
        let nothing = Map::new();
        let fields = |value: Option<&Value>| match value {
            Some(Value::Object(fields)) => Some(fields.clone()),
            None | Some(Value::Null) => Some(nothing.clone()),
            Some(_) => None,
        };
        match (fields(one.as_deref()), fields(other.as_deref())) {
            (Some(a), Some(b)) => {
                let differs = |key: &&String| a.get(*key) != b.get(*key);
                let only = b.keys().filter(|key| !a.contains_key(*key));
                a.keys().chain(only).filter(differs).count()
            }
            _ => usize::from(one.as_deref() != other.as_deref()),
        }
    };
    let note = match count {
        0 => HIDDEN.to_owned(),
        1 => "(hidden, 1 key differs)".to_owned(),
        count => format!("(hidden, {} differ)", plural(count, "key")),
    };
    for value in [one, other].into_iter().flatten() {
        if !value.is_null() {
            *value = note.as_str().into();
        }
    }
}

/// The placeholder in a value, if something in it is hidden.
#[must_use]
pub fn note(value: &Value) -> Option<&str> {
    match value {
        Value::Object(fields) => fields.values().find_map(note),
        Value::Array(items) => items.iter().find_map(note),
        Value::String(text) if text.starts_with("(hidden") => Some(text),
        Value::String(text) if text.contains(HIDDEN) => Some(HIDDEN),
        _ => None,
    }
}

/// A text without the values of the Secrets in it; nothing where there are none.
#[must_use]
pub fn without(text: &str) -> Option<String> {
    let ranges = ranges(text);
    if ranges.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(&text[at..range.start]);
        out.push_str(HIDDEN);
        at = range.end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

/// A text of the same length in bytes without the values of the Secrets in it, so that places
/// still hold; nothing where there are none.
#[must_use]
pub fn covered(text: &str) -> Option<String> {
    let ranges = ranges(text);
    if ranges.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(&text[at..range.start]);
        at = range.end;
        for line in text[range].split_inclusive('\n') {
            let end = line.trim_end_matches(['\r', '\n']);
            // By hand: a width of the formatter ends at 65 535.
            match end.len().checked_sub(HIDDEN.len()) {
                None => out.extend(iter::repeat_n('*', end.len())),
                Some(rest) => {
                    out.push_str(HIDDEN);
                    out.extend(iter::repeat_n(' ', rest));
                }
            }
            out.push_str(&line[end.len()..]);
        }
    }
    out.push_str(&text[at..]);
    Some(out)
}

/// Where the values of Secrets stand in a text, in order.
#[must_use]
pub fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    look(text, 0, &mut found);
    found.retain(|range: &Range<usize>| !range.is_empty());
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match merged.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => merged.push(range),
        }
    }
    merged
}

/// Nearly every text is passed over here.
fn mentions(text: &str) -> bool {
    (text.contains("Secret") && (text.contains("ata") || text.contains("sourceValue")))
        || text.contains(GENERATOR)
        || (["/data", "/stringData"]
            .iter()
            .any(|part| text.contains(part))
            && names_operation(text))
}

/// Whether a text may hold the key `op`. The letters of an escape may stand before it.
fn names_operation(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    text.match_indices("op").any(|(at, _)| {
        let before = &bytes[at.saturating_sub("\\U00000000".len())..at];
        let begins = !at.checked_sub(1).is_some_and(is_letter) || before.contains(&b'\\');
        begins && !is_letter(at + "op".len())
    })
}

/// Whether a JSON Pointer leads to values that may be those of a Secret: a patch need not say what
/// it changes.
fn leads_to_values(pointer: &str) -> bool {
    pointer
        .split('/')
        .skip(1)
        .any(|part| VALUES.contains(&part))
}

/// Whether a selector of a kustomization may select Secrets.
fn selects_secrets(selector: Node<'_>) -> bool {
    let kind = selector.get("kind").and_then(Node::text);
    kind.is_some_and(|kind| kind.contains("Secret"))
}

/// Whether a field of a kustomization holds values for a Secret.
fn is_value(holder: Node<'_>, field: &str) -> bool {
    let text = |name| holder.get(name).and_then(Node::text);
    match field {
        "value" => text("op").is_some() && text("path").is_some_and(leads_to_values),
        "patch" => {
            let unsaid = |patch: &str| !patch.contains("kind") && !patch.contains("op");
            holder.get("target").is_some_and(selects_secrets) && text("patch").is_some_and(unsaid)
        }
        "sourceValue" => {
            let targets = holder.get("targets");
            let selectors = targets.into_iter().flat_map(Node::items);
            selectors
                .filter_map(|target| target.get("select"))
                .any(selects_secrets)
        }
        _ => false,
    }
}

fn look(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    if depth == DEPTH || !mentions(text) {
        return;
    }
    let parsed = parse(SourceId::default(), text, 0..text.len(), Limits::default());
    for root in &parsed.documents {
        walk(parsed.tree.node(text, *root), false, text, depth, found);
    }
    // Unreadable text is searched line by line.
    if !parsed.faults.is_empty() {
        lines::look(text, 0..text.len(), found);
    }
}

fn walk(node: Node<'_>, of_secrets: bool, text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    match node.kind() {
        Kind::Mapping => {
            let kind = node.get("kind").and_then(Node::text);
            let of_secret = of_secrets || kind == Some("Secret");
            between(node, of_secret, text, depth, found);
            for (key, value) in node.entries() {
                let name = key.text().unwrap_or_default();
                if (of_secret && VALUES.contains(&name)) || is_value(node, name) {
                    leaves(value, text, found);
                } else if name == GENERATOR {
                    let fields = value.items().flat_map(Node::entries);
                    // A misspelt field may hold what another one was to hold.
                    let open = |field: &str| GENERATOR_NAMES.contains(&field);
                    let held = fields.filter(|(key, _)| !key.text().is_some_and(open));
                    held.for_each(|(_, value)| leaves(value, text, found));
                } else {
                    let items = kind == Some("SecretList") && name == "items";
                    if items && value.is_sequence() {
                        value
                            .items()
                            .for_each(|item| walk(item, true, text, depth, found));
                    } else {
                        walk(value, false, text, depth, found);
                    }
                }
            }
        }
        Kind::Sequence => node
            .items()
            .for_each(|item| walk(item, false, text, depth, found)),
        Kind::Scalar => {
            let Some(inner) = node.text().filter(|inner| mentions(inner)) else {
                return;
            };
            let mut within = Vec::new();
            look(inner, depth + 1, &mut within);
            if within.is_empty() {
                return;
            }
            // A block is written line by line as it is read; in quotes it may be written otherwise.
            let here = range(node);
            let before = found.len();
            if node.is_block_text() {
                lines::look(text, here.clone(), found);
            }
            if found.len() == before {
                found.push(here);
            }
        }
    }
}

/// Looks into what stands between the entries of a mapping: a value that a repeated key replaces is
/// in no tree.
fn between(
    node: Node<'_>,
    of_secret: bool,
    text: &str,
    depth: usize,
    found: &mut Vec<Range<usize>>,
) {
    let whole = range(node);
    let entries = node.entries();
    let nodes = entries.flat_map(|(key, value)| [range(key), range(value)]);
    let mut known: Vec<Range<usize>> = nodes
        .filter(|one| whole.start <= one.start && one.end <= whole.end)
        .collect();
    known.sort_unstable_by_key(|one| (one.start, one.end));
    known.push(whole.end..whole.end);
    let mut rest = whole.start;
    for next in known {
        let gap = rest..next.start;
        rest = rest.max(next.end);
        let Some(written) = text.get(gap.clone()).filter(|written| !written.is_empty()) else {
            continue;
        };
        let mut lines = written
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'));
        if of_secret && lines.any(|line| VALUES.iter().any(|field| line.contains(field))) {
            found.push(gap);
        } else if mentions(written) {
            let mut within = Vec::new();
            look(written, depth + 1, &mut within);
            let moved = |one: Range<usize>| one.start + gap.start..one.end + gap.start;
            found.extend(within.into_iter().map(moved));
        }
    }
}

fn range(node: Node<'_>) -> Range<usize> {
    let span = node.span();
    span.start as usize..span.end as usize
}

/// The scalars of a value, and whatever else is written beside them: comments, and values that a
/// repeated key replaces.
fn leaves(node: Node<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    let whole = range(node);
    let mut rest = whole.start;
    let mut beside = |gap: Range<usize>| {
        if gap.start >= gap.end {
            return;
        }
        let marks = [',', ':', '{', '}', '[', ']', '?', '-', '"', '\''];
        let is_mark = |c: char| c.is_whitespace() || marks.contains(&c);
        let written = &text[gap.clone()];
        let tokens = written.split(is_mark).filter(|token| !token.is_empty());
        if tokens
            .clone()
            .any(|token| !token.starts_with(['&', '!', '|', '>']))
        {
            let start = gap.start + (written.len() - written.trim_start().len());
            found.push(start..start + written.trim().len());
        }
    };
    let inside = |one: &Range<usize>| whole.start <= one.start && one.end <= whole.end;
    let mut inner = Vec::new();
    match node.kind() {
        Kind::Mapping => {
            for (key, value) in node.entries() {
                let is_directive = key.text() == Some("$patch");
                let (key, at) = (range(key), range(value));
                if !is_directive {
                    inner.push(value);
                }
                if inside(&key) && inside(&at) {
                    beside(rest..key.start);
                    beside(key.end..at.start);
                    rest = at.end.max(rest);
                }
            }
        }
        Kind::Sequence => {
            for item in node.items() {
                inner.push(item);
                let at = range(item);
                if inside(&at) {
                    beside(rest..at.start);
                    rest = at.end.max(rest);
                }
            }
        }
        Kind::Scalar => {
            comments(text, whole.end, found);
            if !node.text().is_some_and(is_placeholder) {
                found.push(whole);
            }
            return;
        }
    }
    beside(rest..whole.end);
    inner
        .into_iter()
        .for_each(|value| leaves(value, text, found));
}

/// The comments behind a value: on its line, and indented ones below it.
fn comments(text: &str, mut at: usize, found: &mut Vec<Range<usize>>) {
    let mut is_own_line = !text[..at].ends_with('\n');
    for line in text[at..].split_inclusive('\n') {
        let comment = line.trim_start_matches([' ', '\t']);
        let is_indented = comment.len() < line.len();
        if comment.starts_with('#') && (is_own_line || is_indented) {
            found.push(at + (line.len() - comment.len())..at + line.trim_end().len());
        } else if !(is_own_line && comment.trim_end().is_empty()) {
            return;
        }
        is_own_line = false;
        at += line.len();
    }
}

/// Takes the values of Secrets out of what a finding says. A finding about such a value offers
/// no edit: the edit would show it.
///
/// `copied` are values that builds copied out of Secrets, and where they come from.
pub fn hide_in_finding(found: &mut Diagnostic, sources: &Sources, copied: &[(Place, Arc<str>)]) {
    let labels = found.primary.iter().chain(&found.related);
    let places: Vec<Place> = labels.map(|label| label.place).collect();
    let mut values: Vec<String> = Vec::new();
    for place in places {
        let source = sources.get(place.source);
        let text = source.text.as_str();
        let ranges = source.secrets.get_or_init(|| ranges(text));
        let (start, end) = (place.span.start as usize, place.span.end as usize);
        let first = ranges.partition_point(|range| range.end < start);
        let here = ranges[first..].iter();
        // A place that spans more than a value, such as a document, does not quote it.
        let here = here.take_while(|range| range.start <= end);
        let here = here.filter(|range| start >= range.start || end <= range.end);
        values.extend(here.map(|range| text[range.clone()].to_owned()));
        let touches = |other: &Place| {
            place.source == other.source
                && place.span.start <= other.span.end
                && other.span.start <= place.span.end
        };
        let copied = copied.iter().filter(|(other, _)| touches(other));
        values.extend(copied.map(|(_, value)| value.to_string()));
    }
    if values.is_empty() {
        return;
    }
    let inner = |value: &String| {
        let bare = value.trim_matches(['"', '\'']);
        [value.clone(), bare.to_owned()]
    };
    let mut values: Vec<String> = values.iter().flat_map(inner).collect();
    values.retain(|value| !value.trim().is_empty());
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    let hide = |text: &str| {
        let values = values.iter();
        values.fold(text.to_owned(), |text, value| {
            text.replace(value.as_str(), HIDDEN)
        })
    };
    found.message = hide(&found.message);
    found.help = found.help.take().map(|help| hide(&help).into());
    found
        .labels_mut()
        .for_each(|label| label.text = hide(&label.text).into());
    found.fix = None;
}

#[cfg(test)]
mod tests;
