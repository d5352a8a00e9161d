//! Operators and functions: which one a name and its arguments stand for.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Scores;
use super::access::{index, optional_field};
use super::arithmetic::{arithmetic, overflow};
use super::convert::convert;
use super::kubernetes::of_kubernetes;
use super::lists::of_list;
use super::texts::of_text;
use super::times::of_time;
use crate::ocm::engine::cel::value::{
    Failure, Outcome, Value, from_json, list, no_overload, some, text, texts,
};

pub(super) fn call(name: &str, args: &[Value], scores: &Scores<'_>) -> Outcome {
    use Value as V;
    let flag = |value| Ok(V::Bool(value));
    match (name, args) {
        ("_==_", [a, b]) => flag(a.equals(b)),
        ("_!=_", [a, b]) => flag(!a.equals(b)),
        ("_<_", [a, b]) => flag(a.compare(b)? == Some(Ordering::Less)),
        ("_>_", [a, b]) => flag(a.compare(b)? == Some(Ordering::Greater)),
        ("_<=_", [a, b]) => flag(a.compare(b)?.is_some_and(Ordering::is_le)),
        ("_>=_", [a, b]) => flag(a.compare(b)?.is_some_and(Ordering::is_ge)),
        ("_+_" | "_-_" | "_*_" | "_/_" | "_%_", [a, b]) => arithmetic(name, a, b),
        ("-_", [V::Int(a)]) => a.checked_neg().map(V::Int).ok_or_else(overflow),
        ("-_", [V::Double(a)]) => Ok(V::Double(-a)),
        ("!_", [V::Bool(a)]) => flag(!a),
        ("@in", [a, V::List(items)]) => flag(items.iter().any(|item| item.equals(a))),
        ("@in", [a, map @ V::Map(_)]) => flag(map.find(a).is_some()),
        ("_[_]", [container, key]) => index(container, key, false),
        ("_[?_]", [container, key]) => index(container, key, true),
        ("_?._", [V::Optional(None), _]) => Ok(V::Optional(None)),
        ("_?._", [V::Optional(Some(inner)), field]) => optional_field(inner, field),
        ("_?._", [operand, field]) => optional_field(operand, field),
        ("size", [value]) => size(value),
        ("type", [value]) => Ok(V::Type(value.type_name())),
        ("dyn", [value]) => Ok(value.clone()),
        (
            "bool" | "bytes" | "double" | "int" | "uint" | "string" | "timestamp" | "duration",
            [a],
        ) => convert(name, a),
        ("contains", [V::Text(a), V::Text(b)]) => flag(a.contains(&**b)),
        ("startsWith", [V::Text(a), V::Text(b)]) => flag(a.starts_with(&**b)),
        ("endsWith", [V::Text(a), V::Text(b)]) => flag(a.ends_with(&**b)),
        ("matches", [V::Text(a), V::Text(b)]) => flag(pattern(b)?.is_match(a)),
        ("find", [V::Text(a), V::Text(b)]) => {
            Ok(text(pattern(b)?.find(a).map_or("", |found| found.as_str())))
        }
        ("findAll", [V::Text(a), V::Text(b)]) => find_all(a, b, -1),
        ("findAll", [V::Text(a), V::Text(b), V::Int(limit)]) => find_all(a, b, *limit),
        ("optional.of", [value]) => Ok(some(value.clone())),
        ("optional.none", []) => Ok(V::Optional(None)),
        ("optional.ofNonZeroValue", [value]) => Ok(if is_zero(value) {
            V::Optional(None)
        } else {
            some(value.clone())
        }),
        ("value", [V::Optional(value)]) => match value {
            Some(value) => Ok((**value).clone()),
            None => Err("optional.none() dereference".to_owned()),
        },
        ("hasValue", [V::Optional(value)]) => flag(value.is_some()),
        ("or", [V::Optional(None), other @ V::Optional(_)]) => Ok(other.clone()),
        ("or", [value @ V::Optional(Some(_)), V::Optional(_)]) => Ok(value.clone()),
        ("orValue", [V::Optional(None), other]) => Ok(other.clone()),
        ("orValue", [V::Optional(Some(value)), _]) => Ok((**value).clone()),
        ("optional.unwrap" | "unwrapOpt", [V::List(items)]) => unwrap(items),
        ("first", [V::List(items)]) => Ok(V::Optional(items.first().cloned().map(Arc::new))),
        ("last", [V::List(items)]) => Ok(V::Optional(items.last().cloned().map(Arc::new))),
        ("scores", [cluster @ V::Map(_), V::Text(resource)]) => {
            scores_of(cluster, resource, scores)
        }
        ("parseJSON", [V::Text(a)]) => serde_json::from_str::<serde_json::Value>(a)
            .map(|json| from_json(&json))
            .map_err(|error| format!("failed to parse JSON: {error}")),
        (_, [V::Text(source), rest @ ..]) => of_text(name, source, rest),
        (_, [V::List(items), rest @ ..]) => of_list(name, items, rest),
        (_, [V::Time(_) | V::Span(_), ..]) => of_time(name, args),
        _ => of_kubernetes(name, args),
    }
}

fn size(value: &Value) -> Outcome {
    let size = match value {
        Value::Text(text) => text.chars().count(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(items) => items.len(),
        Value::Map(entries) => entries.len(),
        _ => return Err(no_overload()),
    };
    Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}

fn pattern(text: &str) -> Result<regex::Regex, Failure> {
    regex::Regex::new(text).map_err(|error| format!("illegal regex: {error}"))
}

fn find_all(source: &str, regex: &str, limit: i64) -> Outcome {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let regex = pattern(regex)?;
    // Go leaves out an empty match right behind another one.
    let mut end = None;
    let found = regex.find_iter(source).filter(|found| {
        let repeated = found.is_empty() && end == Some(found.start());
        end = Some(found.end());
        !repeated
    });
    Ok(texts(
        found.map(|found| found.as_str().to_owned()).take(limit),
    ))
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Int(value) => *value == 0,
        Value::Uint(value) => *value == 0,
        Value::Double(value) => *value == 0.0,
        Value::Text(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Span(nanos) => *nanos == 0,
        Value::Optional(value) => value.is_none(),
        _ => false,
    }
}

fn unwrap(items: &[Value]) -> Outcome {
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Value::Optional(Some(value)) => values.push((**value).clone()),
            Value::Optional(None) => {}
            _ => return Err(no_overload()),
        }
    }
    Ok(list(values))
}

fn scores_of(cluster: &Value, resource: &str, scores: &Scores<'_>) -> Outcome {
    let metadata = cluster
        .find(&text("metadata"))
        .ok_or("failed to get cluster metadata")?;
    let Some(Value::Text(name)) = metadata.find(&text("name")) else {
        return Err("failed to get cluster name".to_owned());
    };
    let found = scores(resource, name).ok_or_else(|| {
        format!("failed to get score: addonplacementscore \"{resource}\" not found")
    })?;
    let item = |(name, value): (String, i64)| {
        Value::Map(Arc::new(vec![
            (text("name"), text(name)),
            (text("value"), Value::Int(value)),
        ]))
    };
    Ok(list(found.into_iter().map(item).collect()))
}
