//! What to write where a value or a field has the wrong form, as the schema knows it.

use serde_json::Value;

use super::words::shorten;
use crate::yaml::{Dialect, Node, Scalar};

/// The parts of a document in which fields are often misplaced.
const PARTS: [&str; 3] = ["spec", "metadata", "status"];

/// A schema itself, references followed.
fn resolved<'s>(root: &'s Value, mut at: &'s Value) -> &'s Value {
    while let Some(to) = at.get("$ref").and_then(Value::as_str) {
        let target = to.strip_prefix('#').and_then(|to| root.pointer(to));
        let Some(target) = target else { break };
        at = target;
    }
    at
}

fn is(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => false,
    }
}

/// A value of the wrong type in the form that its field has.
pub(super) fn instead(
    root: &Value,
    holder: &Value,
    node: Node<'_>,
    dialect: Dialect,
) -> Option<String> {
    if is(holder, "array") {
        if node.is_mapping() {
            return Some("write a list: put `- ` before the first key of each item".to_owned());
        }
        let items = resolved(root, holder.get("items")?);
        let item = match is(items, "object") {
            true => mapping(root, items, node)?,
            false => text(node, dialect)?.to_owned(),
        };
        return Some(format!("write a list: `[{item}]`"));
    }
    if is(holder, "object") {
        return mapping(root, holder, node).map(|form| format!("write `{form}`"));
    }
    let written = node.text().filter(|_| !node.is_plain())?;
    let bare = match () {
        () if is(holder, "integer") => written.parse::<i64>().is_ok(),
        () if is(holder, "number") => written.parse::<f64>().is_ok(),
        () if is(holder, "boolean") => ["true", "false"].contains(&written),
        () => false,
    };
    bare.then(|| format!("write `{written}`, without quotes"))
}

/// A text as it stands in the document.
fn text<'a>(node: Node<'a>, dialect: Dialect) -> Option<&'a str> {
    let Some(Scalar::Text(_)) = node.scalar(dialect) else {
        return None;
    };
    let source = node.source_text();
    (source.len() <= 60 && !source.contains(['\n', ','])).then_some(source)
}

/// The mapping that a text stands for: its name, or its only field.
fn mapping(root: &Value, schema: &Value, node: Node<'_>) -> Option<String> {
    let fields = schema.get("properties")?.as_object()?;
    let only = fields.keys().next().filter(|_| fields.len() == 1);
    let key = match fields.contains_key("name") {
        true => "name",
        false => only?.as_str(),
    };
    let is_text = |field: &Value| is(resolved(root, field), "string");
    let is_text = fields.get(key).is_some_and(is_text);
    let text = node.text().filter(|text| is_text && !text.is_empty())?;
    Some(format!("{{{key}: {}}}", shorten(text)))
}

/// Where a field of another part of the document belongs.
pub(super) fn home(root: &Value, field: &str, key: &str) -> Option<String> {
    if !field.is_empty() && !PARTS.contains(&field) {
        return None;
    }
    let parts = PARTS.iter().filter(|part| **part != field);
    let has = |part: &&&str| {
        let part = root.pointer(&format!("/properties/{part}"));
        let part = part.map(|part| resolved(root, part));
        part.is_some_and(|part| {
            part.pointer("/properties")
                .is_some_and(|f| f.get(key).is_some())
        })
    };
    let mut homes = parts.filter(has);
    let home = homes.next().filter(|_| homes.next().is_none())?;
    Some(format!("write it in `{home}`"))
}

/// Labels where a selector is wanted, as a Service selects its Pods.
pub(super) fn selector(key: &str, value: Node<'_>, known: &[&str]) -> Option<String> {
    let is_selector =
        known.len() == 2 && known.contains(&"matchLabels") && known.contains(&"matchExpressions");
    let value = value.text().filter(|_| is_selector && value.is_scalar())?;
    Some(format!(
        "write `matchLabels: {{{}: {}}}`",
        shorten(key),
        shorten(value)
    ))
}

/// A short example of a field that holds more than one value.
pub(super) fn example(holder: &Value, property: &str) -> Option<String> {
    let fields = holder.get("properties")?;
    let example = fields.get(property)?.get("examples")?.get(0)?;
    let text = match example {
        Value::Object(_) | Value::Array(_) => example.to_string(),
        _ => return None,
    };
    (text.len() <= 80).then_some(text)
}
