//! The words of messages about structure.

use std::borrow::Cow;

use jsonschema::JsonType;
use jsonschema::error::TypeKind;

use super::Fault;
use crate::schema::rules;
use crate::yaml::{Dialect, Node, Scalar};

/// A value in words.
pub(super) fn describe(node: Node<'_>, dialect: Dialect) -> String {
    let quoted = |text: &str| format!("`{}`", shorten(text));
    match node.scalar(dialect) {
        None if node.is_mapping() => "a mapping".into(),
        None => "a list".into(),
        Some(Scalar::Null) => "empty".into(),
        Some(Scalar::Bool(_)) => format!("the boolean {}", quoted(node.text().unwrap_or(""))),
        Some(Scalar::Int(_) | Scalar::BigInt(_) | Scalar::Float(_)) => {
            format!("the number {}", quoted(node.text().unwrap_or("")))
        }
        Some(Scalar::Time(text)) if dialect == Dialect::PyYaml => {
            format!("the date {}", quoted(text))
        }
        Some(Scalar::Time(text) | Scalar::Text(text)) => format!("the text {}", quoted(text)),
    }
}

/// The remedy if no better one is known: the field's description.
pub(super) fn advice(fault: &Fault<'_>, about: Option<&str>) -> String {
    match about {
        Some(about) => format!("`{}`: {}", fault.field, about.trim_end_matches('.')),
        None if fault.rule.code == rules::VALUE.code => "write one of them".into(),
        None => "see `planner schema` for the schema of this kind".into(),
    }
}

pub(super) fn join(field: &str, key: &str) -> String {
    if field.is_empty() {
        key.to_owned()
    } else {
        format!("{field}.{key}")
    }
}

pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A key and its value without a blank between them, `image:quay.io/app`, which YAML reads as one
/// text.
pub(super) fn glued(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_key = !key.is_empty() && key.chars().all(word);
    (is_key && !value.is_empty() && !value.starts_with([' ', '/', ':'])).then_some((key, value))
}

/// The remedy for a key that is glued to its value.
pub(super) fn part(key: &str, value: &str) -> String {
    format!("put a space after the colon: `{key}: {}`", shorten(value))
}

/// Long values are cut for messages.
pub(super) fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 {
        return text.to_owned();
    }
    let cut: String = text.chars().take(57).collect();
    format!("{cut}…")
}

pub(super) fn types(kind: &TypeKind) -> String {
    let word = |kind: JsonType| match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Null => "empty",
        JsonType::Number => "a number",
        JsonType::Object => "a mapping",
        JsonType::String => "text",
    };
    match kind {
        TypeKind::Single(kind) => word(*kind).to_owned(),
        TypeKind::Multiple(set) => set.iter().map(word).collect::<Vec<_>>().join(" or "),
    }
}

/// The words behind "must": `x-expected` is written with or without its verb.
pub(super) fn demand(expected: &str) -> Cow<'_, str> {
    if ["be ", "have ", "hold "]
        .iter()
        .any(|verb| expected.starts_with(verb))
    {
        Cow::Borrowed(expected)
    } else {
        Cow::Owned(format!("be {expected}"))
    }
}
