//! Data as YAML that every reader, 1.1 or 1.2, understands alike.
//!
//! Written by hand because the serde writer leaves `yes`, `on`, `1_000` and times without
//! quotes, which YAML 1.1 readers change.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::yaml::plain_scalar;

use crate::kit::safe::escape;

/// Keys up to this length need no mark; YAML allows 1024 characters.
const LONG_KEY: usize = 1000;

/// The value as one YAML document, block style, ending with a line break.
///
/// ```
/// use planner::render::yaml::document;
/// let value = serde_json::json!({"name": "yes", "list": [1, {"a": null}], "none": []});
/// assert_eq!(document(&value), "name: \"yes\"\nlist:\n- 1\n- a: null\nnone: []\n");
/// ```
#[must_use]
pub fn document(value: &Value) -> String {
    written(value, None)
}

/// The same with a comment behind some values, by their JSON Pointers.
#[must_use]
pub fn commented(value: &Value, comments: &BTreeMap<String, String>) -> String {
    let comments = Comments {
        all: comments,
        pointer: String::new(),
    };
    written(value, Some(&comments))
}

/// The comments of a document, and which value is written.
struct Comments<'c> {
    all: &'c BTreeMap<String, String>,
    pointer: String,
}

impl Comments<'_> {
    /// The comments of the value under a key or index.
    fn below(&self, step: &str) -> Self {
        let step = step.replace('~', "~0").replace('/', "~1");
        Self {
            all: self.all,
            pointer: format!("{}/{step}", self.pointer),
        }
    }

    fn write(this: Option<&Self>, out: &mut String) {
        if let Some(comment) = this.and_then(|one| one.all.get(&one.pointer)) {
            out.push_str(" # ");
            out.push_str(comment);
        }
    }
}

fn written(value: &Value, comments: Option<&Comments<'_>>) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => block(&mut out, value, 0, false, comments),
        Value::Array(items) if !items.is_empty() => block(&mut out, value, 0, false, comments),
        scalar => {
            inline(&mut out, scalar);
            out.push('\n');
        }
    }
    out
}

/// A text as it may stand in YAML: plain where no reader could take it for anything else.
#[must_use]
pub fn text(text: &str) -> String {
    let safe_start =
        text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_'));
    let safe = text
        .chars()
        .all(|c| c.is_alphanumeric() || "-_./+ ,()%@=<>$;^*".contains(c) || c == ':')
        && !text.contains(": ")
        && !text.ends_with([':', ' '])
        && !text.contains(" #");
    // YAML 1.2 takes these for numbers, 1.1 does not.
    let number = text.bytes().all(|byte| byte.is_ascii_digit()) || text.starts_with("0o");
    let plain = safe_start
        && safe
        && !number
        && text.len() < 200
        && plain_scalar(text)
        && !text.starts_with(|c: char| c.is_ascii_digit() && text.contains(['e', 'E', '_', ':']));
    if plain {
        text.to_owned()
    } else {
        let quoted = serde_json::to_string(text).unwrap_or_default();
        escape(&quoted).into_owned()
    }
}

fn inline(out: &mut String, value: &Value) {
    match value {
        Value::String(string) => out.push_str(&text(string)),
        Value::Object(_) => out.push_str("{}"),
        Value::Array(_) => out.push_str("[]"),
        other => out.push_str(&other.to_string()),
    }
}

fn nested(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

/// Depth is that of our own output, which is bounded.
fn block(
    out: &mut String,
    value: &Value,
    indent: usize,
    mut started: bool,
    comments: Option<&Comments<'_>>,
) {
    let pad = |out: &mut String, started: &mut bool| {
        if !std::mem::take(started) {
            out.extend(std::iter::repeat_n(' ', indent));
        }
    };
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                pad(out, &mut started);
                let comments = comments.map(|comments| comments.below(key));
                let key = text(key);
                // A longer key is none to YAML unless it is marked.
                let long = key.len() > LONG_KEY;
                if long {
                    out.push_str("? ");
                }
                out.push_str(&key);
                if long {
                    out.push('\n');
                    pad(out, &mut started);
                }
                out.push(':');
                if nested(value) {
                    out.push('\n');
                    let deeper = if value.is_array() { indent } else { indent + 2 };
                    block(out, value, deeper, false, comments.as_ref());
                } else {
                    out.push(' ');
                    inline(out, value);
                    Comments::write(comments.as_ref(), out);
                    out.push('\n');
                }
            }
        }
        Value::Array(items) => {
            for (item, at) in items.iter().zip(0usize..) {
                pad(out, &mut started);
                let comments = comments.map(|comments| comments.below(&at.to_string()));
                out.push_str("- ");
                if nested(item) {
                    block(out, item, indent + 2, true, comments.as_ref());
                } else {
                    inline(out, item);
                    Comments::write(comments.as_ref(), out);
                    out.push('\n');
                }
            }
        }
        _ => {}
    }
}
