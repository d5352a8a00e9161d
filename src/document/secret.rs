//! Hides what no output may show: the values of Secrets, wherever one stands in a document, a list
//! or a text that holds a manifest. All writers hide them through this module.

mod copied;
mod mentions;
mod placeholder;
mod ranges;
mod spelling;
mod unreadable;

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::diagnostic::Diagnostic;
use crate::kit::plural::plural;
use crate::kit::secret::{ENCRYPTED, holds_values, is_hidden, is_secret_schema, is_stray};
use crate::source::{Place, Sources};
use crate::yaml::Node;

pub use copied::Copied;
use placeholder::is_placeholder;
pub use ranges::ranges;

/// The placeholder of a hidden value.
pub const HIDDEN: &str = "(hidden)";

/// Whether a field of a mapping holds values of a Secret.
#[must_use]
pub fn is_hidden_in(mapping: Node<'_>, field: &str) -> bool {
    is_hidden(mapping.get("kind").and_then(Node::text), field)
        || mapping.get(field).is_some_and(Node::is_secret)
        || (holds_values(field) && is_secret_document(mapping))
        || (is_stray(field) && is_whole(mapping))
}

/// Whether a mapping is a Secret rather than a reference to one.
fn is_whole(mapping: Node<'_>) -> bool {
    let kind = mapping.get("kind").and_then(Node::text);
    kind == Some("Secret") && mapping.get("metadata").is_some()
}

/// Whether a document of Deckhand is a secret.
fn is_secret_document(document: Node<'_>) -> bool {
    let schema = document.get("schema").and_then(Node::text);
    let metadata = document.get("metadata");
    let policy = metadata.and_then(|metadata| metadata.get("storagePolicy"));
    let is_encrypted = policy.and_then(Node::text) == Some(ENCRYPTED);
    schema.is_some_and(|schema| is_encrypted || is_secret_schema(schema))
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
            let schema = fields.get("schema").and_then(Value::as_str);
            let policy = fields
                .get("metadata")
                .map(|metadata| &metadata["storagePolicy"]);
            let is_encrypted = schema.is_some() && policy.is_some_and(|policy| policy == ENCRYPTED);
            let is_secret = of_secrets
                || kind(fields) == Some("Secret")
                || is_encrypted
                || schema.is_some_and(is_secret_schema);
            let is_list = kind(fields) == Some("SecretList");
            let is_whole = kind(fields) == Some("Secret") && fields.contains_key("metadata");
            let is_set = kind(fields) == Some("Secret") && fields.contains_key("pointer");
            for (key, value) in fields {
                let is_held = (is_secret && holds_values(key)) || (is_set && key == "value");
                if is_held || (is_whole && is_stray(key)) {
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
            let is_whole = is_secret && a.contains_key("metadata") && b.contains_key("metadata");
            let mut keys: Vec<String> = a.keys().chain(b.keys()).cloned().collect();
            keys.sort_unstable();
            keys.dedup();
            for key in &keys {
                match (a.get_mut(key), b.get_mut(key)) {
                    (a, b) if (is_secret && holds_values(key)) || (is_whole && is_stray(key)) => {
                        hide_values(a, b);
                    }
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

/// Takes the values of Secrets out of what a finding says. A finding about such a value offers
/// no edit: the edit would show it.
///
/// `copied` are values that builds copied out of Secrets, and where they come from.
pub fn hide_in_finding(found: &mut Diagnostic, sources: &Sources, copied: &[(Place, Arc<str>)]) {
    let labels = found.primary.iter().chain(&found.related);
    let places: Vec<Place> = labels.map(|label| label.place).collect();
    let mut values: Vec<String> = Vec::new();
    let mut taken: Vec<&str> = Vec::new();
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
        taken.extend(copied.map(|(_, value)| &**value));
    }
    let copied = Copied::of(taken.into_iter());
    if values.is_empty() && copied.is_empty() {
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
        let replace = |text: String, value: &String| text.replace(value.as_str(), HIDDEN);
        let text = values.iter().fold(text.to_owned(), replace);
        copied.hide(&without_quotes(&text, &values))
    };
    found.message = hide(&found.message);
    found.help = found.help.take().map(|help| hide(&help).into());
    found.upstream = found.upstream.take().map(|name| hide(&name).into());
    found
        .labels_mut()
        .for_each(|label| label.text = hide(&label.text).into());
    found.fix = None;
}

/// A message without what it quotes of these values: a finding about a word of a template quotes
/// that word, one about a document with a fault anything in it.
fn without_quotes(message: &str, values: &[String]) -> String {
    let is_of_value = |quoted: &str| {
        quoted.contains(char::is_alphanumeric) && values.iter().any(|value| value.contains(quoted))
    };
    let parts = message.split('`').enumerate();
    let parts = parts.map(|(at, part)| match at % 2 {
        1 if is_of_value(part) => HIDDEN,
        _ => part,
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests;
