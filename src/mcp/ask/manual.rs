//! `explain` and `schema`: what the program knows without a site.

use serde_json::{Map, Value, json};

use crate::diagnostic::{Meaning, Rule, short_code};
use crate::kit::nearest::{hint, nearest};
use crate::{rules, schema as schemas};

use super::super::answer::{Answer, MOST};
use super::super::arguments::{Arguments, Mistake};
use super::super::sites::Sites;
use super::super::wire;

/// Bytes of an answer beside the schema or page in it.
const REST: usize = 1_000;
/// Levels of a schema that are tried.
const DEEPEST: usize = 40;

/// The tool `explain`.
pub(in crate::mcp) fn explain(_: &mut Sites, arguments: Arguments<'_>) -> Result<Value, Mistake> {
    let page = arguments.count("page")?.unwrap_or(0);
    let codes = rules::codes();
    let row = |rule: &&Rule| {
        json!({
            "code": short_code(rule.code),
            "severity": rule.severity.word(),
            "summary": rule.summary,
        })
    };
    let Some(written) = arguments.text("code")? else {
        let rows = codes.rules.iter().map(|rule| row(&&**rule));
        return Ok(Answer::default().list("codes", rows).page(page));
    };
    let named: Vec<&'static Rule> = codes
        .rules
        .iter()
        .filter(|rule| rule.code.rsplit("::").next() == Some(written))
        .copied()
        .collect();
    let only = match named.as_slice() {
        [only] => Some(Meaning::Rule(only)),
        _ => None,
    };
    let meaning = codes.find(written).or(only);
    let rule = match meaning {
        Some(Meaning::Rule(rule) | Meaning::Renamed(rule)) => rule,
        Some(Meaning::Retired(retired)) => {
            return Err(Mistake::new(format!(
                "the code {} is gone since {}: {}",
                retired.code, retired.since, retired.reason
            )));
        }
        None if named.len() > 1 => {
            let rows = named.iter().map(|rule| row(&&**rule));
            return Ok(Answer::default().list("codes", rows).page(page));
        }
        None => {
            let names = codes.rules.iter();
            let names = names.flat_map(|rule| [short_code(rule.code), last(rule)]);
            let hint = hint(nearest(written, names).as_slice());
            let why = format!("there is no code \"{written}\"{hint}; without code all are listed");
            return Err(Mistake::new(why));
        }
    };
    let answer = json!({
        "code": rule.code,
        "severity": rule.severity.word(),
        "summary": rule.summary,
        "since": rule.since,
        "formerCodes": rule.former,
        "docs": rule.docs,
        "codes": [],
        "truncated": false,
    });
    Ok(answer)
}

fn last(rule: &'static Rule) -> &'static str {
    rule.code.rsplit("::").next().unwrap_or(rule.code)
}

/// The tool `schema`.
pub(in crate::mcp) fn schema(_: &mut Sites, arguments: Arguments<'_>) -> Result<Value, Mistake> {
    let page = arguments.count("page")?.unwrap_or(0);
    let Some(kind) = arguments.text("kind")? else {
        let names = schemas::names().map(Value::from);
        return Ok(Answer::default().list("kinds", names).page(page));
    };
    let found = schemas::named(kind).ok_or_else(|| {
        let hint = hint(nearest(kind, schemas::names()).as_slice());
        Mistake::new(format!(
            "there is no schema for \"{kind}\"{hint}; without kind all are listed"
        ))
    })?;
    let pointer = arguments.text("pointer")?.unwrap_or("");
    let part = found.pointer(pointer).ok_or_else(|| {
        let above = pointer.rsplit_once('/').map_or("", |(above, _)| above);
        let keys = found.pointer(above).and_then(Value::as_object);
        let keys = keys.into_iter().flat_map(Map::keys).take(40);
        let keys = keys.map(String::as_str).collect::<Vec<_>>().join(", ");
        Mistake::new(format!(
            "the schema of {kind} has no part \"{pointer}\": \"{above}\" has {keys}"
        ))
    })?;
    let mut answer = json!({
        "kind": kind,
        "pointer": pointer,
        "schema": part,
        "kinds": [],
        "truncated": false,
    });
    if wire::text(&answer).len() > MOST {
        let fits = |depth: &usize| {
            wire::text(&cut(part, *depth)).len() + kind.len() + pointer.len() + REST <= MOST
        };
        let depth = (1..DEEPEST).take_while(fits).last().unwrap_or(0);
        answer["schema"] = cut(part, depth);
        answer["truncated"] = true.into();
        answer["cutAtDepth"] = depth.into();
    }
    Ok(answer)
}

/// A value whose objects and lists deeper than so many levels are counted only.
fn cut(value: &Value, depth: usize) -> Value {
    match value {
        Value::Object(map) if depth == 0 && !map.is_empty() => {
            format!("… ({} keys)", map.len()).into()
        }
        Value::Array(items) if depth == 0 && !items.is_empty() => {
            format!("… ({} items)", items.len()).into()
        }
        Value::Object(map) => {
            let fields = map.iter();
            let fields = fields.map(|(key, value)| (key.clone(), cut(value, depth - 1)));
            Value::Object(fields.collect())
        }
        Value::Array(items) => items.iter().map(|item| cut(item, depth - 1)).collect(),
        value => value.clone(),
    }
}
