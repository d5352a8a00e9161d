//! The right form of a value or a field that has a wrong one, as the schema knows it.

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
        let items = resolved(root, holder.get("items")?);
        if node.is_mapping() && is(items, "string") {
            return pairs(node, dialect);
        }
        let fields = items.get("properties").and_then(Value::as_object);
        let strange = |(key, _): (Node<'_>, Node<'_>)| {
            fields.is_some_and(|fields| !fields.contains_key(key.text().unwrap_or("")))
        };
        if node.is_mapping() && node.entries().all(strange) {
            return None;
        }
        if node.is_mapping() {
            let short = short(node.source_text()).filter(|_| node.is_flow());
            return Some(match short {
                Some(text) => format!("write a list: `[{text}]`"),
                None => "write a list: put `- ` before the first key of each item".to_owned(),
            });
        }
        let item = if is(items, "object") {
            mapping(root, items, node)?
        } else {
            text(node, dialect)?.to_owned()
        };
        return Some(format!("write a list: `[{item}]`"));
    }
    if is(holder, "object") {
        let form = mapping(root, holder, node).map(|form| format!("write `{form}`"));
        return form.or_else(|| labels(node, dialect));
    }
    let mut items = node.items();
    if let (Some(item), None) = (items.next(), items.next())
        && is(holder, "string")
    {
        return text(item, dialect).map(|item| format!("write `{item}`, not a list"));
    }
    if is(holder, "integer")
        && let Some(number) = whole(holder, node)
    {
        return Some(format!("write `{number}`"));
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

/// A short text of one line.
fn short(text: &str) -> Option<&str> {
    (text.len() <= 60 && !text.contains('\n')).then_some(text)
}

/// An example of what is wanted, where the value itself does not say what was meant: a list, a
/// mapping, or one of the items of `list`.
pub(super) fn such_as(root: &Value, holder: &Value, list: Option<&Value>) -> Option<String> {
    let what = match () {
        () if is(holder, "array") => "a list",
        () if is(holder, "object") => "a mapping",
        () => return None,
    };
    let own = holder.get("examples").and_then(|all| all.get(0));
    let example = own.or_else(|| list?.pointer("/examples/0/0"));
    if let Some(example) = example.map(flow).filter(|text| text.len() <= 100) {
        return Some(format!("write {what}, such as `{example}`"));
    }
    let form = resolved(root, holder);
    // Where other keys are allowed, those that are listed are not what a mapping is made of.
    form.get("additionalProperties")
        .filter(|more| **more == Value::Bool(false))?;
    let fields = form.get("properties")?.as_object()?;
    let fields: Vec<&str> = fields.keys().map(String::as_str).collect();
    let few = what == "a mapping" && (1..=8).contains(&fields.len());
    few.then(|| format!("write a mapping; its fields are {}", fields.join(", ")))
}

/// A list of `key=value` as the mapping that it stands for.
fn labels(node: Node<'_>, dialect: Dialect) -> Option<String> {
    let pair = |item| {
        let (key, value) = text(item, dialect)?.split_once('=')?;
        Some(format!("{key}: {value}"))
    };
    let pairs: Option<Vec<String>> = node.items().map(pair).collect();
    let pairs = pairs.filter(|pairs| !pairs.is_empty())?.join(", ");
    Some(format!("write `{{{}}}`", short(&pairs)?))
}

/// The few words that a field takes.
pub(super) fn words<'s>(
    root: &'s Value,
    holder: &'s Value,
    property: &str,
) -> Option<Vec<&'s str>> {
    let field = resolved(root, holder.get("properties")?.get(property)?);
    let words = field.get("enum")?.as_array()?.iter().map(Value::as_str);
    let words: Vec<&str> = words.collect::<Option<_>>()?;
    (1..=6).contains(&words.len()).then_some(words)
}

/// A mapping as a list of texts, `key: value`.
fn pairs(node: Node<'_>, dialect: Dialect) -> Option<String> {
    let pair = |(key, value): (Node<'_>, Node<'_>)| {
        Some(format!("\"{}: {}\"", key.text()?, text(value, dialect)?))
    };
    let pairs: Option<Vec<String>> = node.entries().map(pair).collect();
    let list = pairs?.join(", ");
    Some(format!("write a list of strings: `[{}]`", short(&list)?))
}

/// The whole number that a text with a unit, or a number with a point, stands for.
fn whole(holder: &Value, node: Node<'_>) -> Option<i64> {
    let written = node.text()?;
    let end = written.find(|c: char| !c.is_ascii_digit())?;
    let number: i64 = written[..end].parse().ok()?;
    let about = holder.get("description").and_then(Value::as_str);
    let seconds = about.is_some_and(|about| about.contains("in seconds"));
    let times = match written[end..].trim() {
        "%" => 1,
        point if point.starts_with('.') && point[1..].bytes().all(|byte| byte == b'0') => 1,
        "s" if seconds => 1,
        "m" | "min" if seconds => 60,
        "h" if seconds => 3600,
        _ => return None,
    };
    number.checked_mul(times)
}

/// A value of a schema on one line, as people write YAML.
fn flow(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        Value::Array(items) => format!("[{}]", list(items.iter().map(flow).collect())),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| format!("{key}: {}", flow(value));
            format!("{{{}}}", list(fields.iter().map(field).collect()))
        }
        Value::String(text) if is_bare(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a text is one without quotes, too.
fn is_bare(text: &str) -> bool {
    const OTHERS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte))
        && !OTHERS.contains(&text.to_lowercase().as_str())
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
    let key = if fields.contains_key("name") {
        "name"
    } else {
        only?.as_str()
    };
    let is_text = |field: &Value| is(resolved(root, field), "string");
    let is_text = fields.get(key).is_some_and(is_text);
    let text = node.text().filter(|text| is_text && !text.is_empty())?;
    Some(format!("{{{key}: {}}}", shorten(text)))
}

/// Where a misplaced field belongs, if it is a field of another part of the document.
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

/// The part above a mapping, if it is the part that has the field.
pub(super) fn home_above(root: &Value, field: &str, key: &str) -> Option<String> {
    let (part, _) = field.split_once('.')?;
    let part = PARTS.iter().find(|known| **known == part)?;
    let above = resolved(root, root.pointer(&format!("/properties/{part}"))?);
    above.get("properties")?.get(key)?;
    Some(format!("write it in `{part}`"))
}

/// Where a field belongs that one of the mappings beside it has.
pub(super) fn home_below<'s>(root: &Value, holder: &'s Value, key: &str) -> Option<&'s str> {
    let fields = holder.get("properties")?.as_object()?;
    let mut homes = fields.iter().filter(|(_, field)| {
        let of_field = resolved(root, field).get("properties");
        of_field.is_some_and(|of_field| of_field.get(key).is_some())
    });
    let (home, _) = homes.next().filter(|_| homes.next().is_none())?;
    Some(home)
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
        Value::Object(_) | Value::Array(_) => flow(example),
        _ => return None,
    };
    (text.len() <= 80).then_some(text)
}
