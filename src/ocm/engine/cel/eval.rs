//! Evaluates a checked program over one cluster.

use std::cmp::Ordering;
use std::sync::Arc;

use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use super::compile::{At, Fold, Node, Program};
use super::format::{Format, NAMES};
use super::net::{Cidr, Url, is_kind, parse_ip};
use super::strings;
use super::value::{
    Failure, Outcome, Value, from_json, list, no_overload, some, span_text, text, texts,
};
use crate::kit::quantity::Quantity;
use crate::kit::time::{parse_go_duration, parse_rfc3339};

/// Most steps of one evaluation; beyond it the cluster does not match, as beyond upstream's cost
/// limit.
const STEPS: u32 = 1_000_000;

/// The scores of a resource name for a cluster, for `scores()`.
pub(super) type Scores<'s> = dyn Fn(&str, &str) -> Option<Vec<(String, i64)>> + 's;

/// Evaluates a program. Needs a big stack: expressions nest.
pub(super) fn evaluate(program: &Program, cluster: &Value, scores: &Scores<'_>) -> Outcome {
    let mut slots: Vec<Outcome> = vec![Ok(Value::Null); program.slots];
    slots[0] = Ok(cluster.clone());
    let mut run = Run {
        nodes: &program.nodes,
        slots,
        scores,
        steps: 0,
    };
    run.node(program.root)
}

struct Run<'p> {
    nodes: &'p [Node],
    slots: Vec<Outcome>,
    scores: &'p Scores<'p>,
    steps: u32,
}

fn bool_of(outcome: Outcome) -> Result<bool, Failure> {
    match outcome? {
        Value::Bool(value) => Ok(value),
        _ => Err(no_overload()),
    }
}

impl Run<'_> {
    fn node(&mut self, at: At) -> Outcome {
        self.steps += 1;
        if self.steps > STEPS {
            return Err(format!("more than {STEPS} steps"));
        }
        match &self.nodes[at as usize] {
            Node::Constant(value) => Ok(value.clone()),
            Node::Variable(slot) => self.slots[*slot as usize].clone(),
            Node::Select {
                operand,
                field,
                test,
            } => {
                let operand = self.node(*operand)?;
                if *test {
                    has(&operand, field)
                } else {
                    select(&operand, field)
                }
            }
            Node::Call {
                name: "@not_strictly_false",
                args,
            } => {
                let kept = !matches!(self.node(args[0]), Ok(Value::Bool(false)));
                Ok(Value::Bool(kept))
            }
            Node::Call { name, args } => {
                let mut values = Vec::with_capacity(args.len());
                for argument in args {
                    values.push(self.node(*argument)?);
                }
                call(name, &values, self.scores)
            }
            Node::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for (item, optional) in items {
                    match (self.node(*item)?, optional) {
                        (value, false) => values.push(value),
                        (Value::Optional(None), true) => {}
                        (Value::Optional(Some(value)), true) => values.push((*value).clone()),
                        (_, true) => return Err(no_overload()),
                    }
                }
                Ok(list(values))
            }
            Node::Map(entries) => {
                let mut values: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
                for (key, value, optional) in entries {
                    let key = self.node(*key)?;
                    let value = match (self.node(*value)?, optional) {
                        (value, false) => value,
                        (Value::Optional(None), true) => continue,
                        (Value::Optional(Some(value)), true) => (*value).clone(),
                        (_, true) => return Err(no_overload()),
                    };
                    if !matches!(
                        key,
                        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Text(_)
                    ) {
                        return Err(format!("unsupported key type: {}", key.type_name()));
                    }
                    if values.iter().any(|(known, _)| known.equals(&key)) {
                        return Err("repeated key in map".to_owned());
                    }
                    values.push((key, value));
                }
                Ok(Value::Map(Arc::new(values)))
            }
            Node::Fold(fold) => self.fold(fold),
            Node::OptMap {
                target,
                slot,
                body,
                flat,
            } => match self.node(*target)? {
                Value::Optional(None) => Ok(Value::Optional(None)),
                Value::Optional(Some(value)) => {
                    self.slots[*slot as usize] = Ok((*value).clone());
                    let result = self.node(*body)?;
                    Ok(if *flat { result } else { some(result) })
                }
                _ => Err(no_overload()),
            },
            Node::And(a, b) => self.either(*a, *b, false),
            Node::Or(a, b) => self.either(*a, *b, true),
            Node::Choose(condition, yes, no) => {
                let branch = if bool_of(self.node(*condition))? {
                    yes
                } else {
                    no
                };
                self.node(*branch)
            }
        }
    }

    /// `||` (decisive: true) and `&&` (false): one decisive side is enough, whatever the other.
    fn either(&mut self, a: At, b: At, decisive: bool) -> Outcome {
        let first = bool_of(self.node(a));
        if first == Ok(decisive) {
            return Ok(Value::Bool(decisive));
        }
        match (first, bool_of(self.node(b))) {
            (_, Ok(second)) if second == decisive => Ok(Value::Bool(decisive)),
            (Err(fault), _) | (_, Err(fault)) => Err(fault),
            _ => Ok(Value::Bool(!decisive)),
        }
    }

    fn fold(&mut self, fold: &Fold) -> Outcome {
        let range = self.node(fold.range)?;
        let items: Vec<Value> = match &range {
            Value::List(items) => items.to_vec(),
            Value::Map(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
            _ => return Err(no_overload()),
        };
        let start = self.node(fold.start);
        self.slots[fold.accumulator as usize] = start;
        for item in items {
            self.slots[fold.item as usize] = Ok(item);
            if matches!(self.node(fold.condition), Ok(Value::Bool(false))) {
                break;
            }
            let step = self.node(fold.step);
            self.slots[fold.accumulator as usize] = step;
        }
        self.node(fold.result)
    }
}

fn select(operand: &Value, field: &Value) -> Outcome {
    match operand {
        Value::Map(_) => operand
            .find(field)
            .cloned()
            .ok_or_else(|| format!("no such key: {}", field.to_text().unwrap_or_default())),
        Value::Optional(None) => Ok(Value::Optional(None)),
        Value::Optional(Some(inner)) => {
            Ok(Value::Optional(inner.find(field).cloned().map(Arc::new)))
        }
        _ => Err(no_overload()),
    }
}

fn has(operand: &Value, field: &Value) -> Outcome {
    match operand {
        Value::Map(_) => Ok(Value::Bool(operand.find(field).is_some())),
        Value::Optional(None) => Ok(Value::Bool(false)),
        Value::Optional(Some(inner)) => has(inner, field),
        _ => Err(no_overload()),
    }
}

/// The value at an index or a key; `Ok(None)` where there is none.
fn lookup(container: &Value, key: &Value) -> Result<Option<Value>, Failure> {
    match container {
        Value::List(items) => {
            let at = match key {
                Value::Int(at) => *at,
                Value::Uint(at) => i64::try_from(*at).unwrap_or(i64::MAX),
                Value::Double(at) if at.fract() == 0.0 => *at as i64,
                _ => return Err(no_overload()),
            };
            Ok(usize::try_from(at)
                .ok()
                .and_then(|at| items.get(at))
                .cloned())
        }
        Value::Map(_) => Ok(container.find(key).cloned()),
        _ => Err(no_overload()),
    }
}

fn index(container: &Value, key: &Value, optional: bool) -> Outcome {
    match container {
        Value::Optional(None) => Ok(Value::Optional(None)),
        Value::Optional(Some(inner)) => Ok(Value::Optional(lookup(inner, key)?.map(Arc::new))),
        _ if optional => Ok(Value::Optional(lookup(container, key)?.map(Arc::new))),
        _ => lookup(container, key)?.ok_or_else(|| match container {
            Value::List(_) => "index out of bounds".to_owned(),
            _ => format!("no such key: {}", key.to_text().unwrap_or_default()),
        }),
    }
}

fn call(name: &str, args: &[Value], scores: &Scores<'_>) -> Outcome {
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

fn overflow() -> Failure {
    "return error for overflow".to_owned()
}

fn arithmetic(name: &str, a: &Value, b: &Value) -> Outcome {
    use Value as V;
    let nanos = |span: &i64| SignedDuration::from_nanos(*span);
    Ok(match (name, a, b) {
        ("_+_", V::Int(a), V::Int(b)) => V::Int(a.checked_add(*b).ok_or_else(overflow)?),
        ("_-_", V::Int(a), V::Int(b)) => V::Int(a.checked_sub(*b).ok_or_else(overflow)?),
        ("_*_", V::Int(a), V::Int(b)) => V::Int(a.checked_mul(*b).ok_or_else(overflow)?),
        ("_/_", V::Int(_), V::Int(0)) | ("_/_", V::Uint(_), V::Uint(0)) => {
            return Err("division by zero".to_owned());
        }
        ("_%_", V::Int(_), V::Int(0)) | ("_%_", V::Uint(_), V::Uint(0)) => {
            return Err("modulus by zero".to_owned());
        }
        ("_/_", V::Int(a), V::Int(b)) => V::Int(a.checked_div(*b).ok_or_else(overflow)?),
        ("_%_", V::Int(a), V::Int(b)) => V::Int(a.checked_rem(*b).ok_or_else(overflow)?),
        ("_+_", V::Uint(a), V::Uint(b)) => V::Uint(a.checked_add(*b).ok_or_else(overflow)?),
        ("_-_", V::Uint(a), V::Uint(b)) => V::Uint(a.checked_sub(*b).ok_or_else(overflow)?),
        ("_*_", V::Uint(a), V::Uint(b)) => V::Uint(a.checked_mul(*b).ok_or_else(overflow)?),
        ("_/_", V::Uint(a), V::Uint(b)) => V::Uint(a / b),
        ("_%_", V::Uint(a), V::Uint(b)) => V::Uint(a % b),
        ("_+_", V::Double(a), V::Double(b)) => V::Double(a + b),
        ("_-_", V::Double(a), V::Double(b)) => V::Double(a - b),
        ("_*_", V::Double(a), V::Double(b)) => V::Double(a * b),
        ("_/_", V::Double(a), V::Double(b)) => V::Double(a / b),
        ("_+_", V::Text(a), V::Text(b)) => text([&**a, &**b].concat()),
        ("_+_", V::Bytes(a), V::Bytes(b)) => V::Bytes(Arc::from([&**a, &**b].concat())),
        ("_+_", V::List(a), V::List(b)) => list(a.iter().chain(b.iter()).cloned().collect()),
        ("_+_", V::Time(at), V::Span(span)) | ("_+_", V::Span(span), V::Time(at)) => {
            V::Time(at.checked_add(nanos(span)).map_err(|_| overflow())?)
        }
        ("_-_", V::Time(at), V::Span(span)) => {
            V::Time(at.checked_sub(nanos(span)).map_err(|_| overflow())?)
        }
        ("_-_", V::Time(a), V::Time(b)) => {
            let span = a.as_nanosecond() - b.as_nanosecond();
            V::Span(i64::try_from(span).map_err(|_| overflow())?)
        }
        ("_+_", V::Span(a), V::Span(b)) => V::Span(a.checked_add(*b).ok_or_else(overflow)?),
        ("_-_", V::Span(a), V::Span(b)) => V::Span(a.checked_sub(*b).ok_or_else(overflow)?),
        _ => return Err(no_overload()),
    })
}

fn optional_field(operand: &Value, field: &Value) -> Outcome {
    match operand {
        Value::Map(_) => Ok(Value::Optional(operand.find(field).cloned().map(Arc::new))),
        _ => Err(no_overload()),
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

fn convert(to: &str, value: &Value) -> Outcome {
    use Value as V;
    let range = || format!("range error converting to {to}");
    Ok(match (to, value) {
        ("bool", V::Bool(_))
        | ("bytes", V::Bytes(_))
        | ("double", V::Double(_))
        | ("int", V::Int(_))
        | ("uint", V::Uint(_))
        | ("timestamp", V::Time(_))
        | ("duration", V::Span(_)) => value.clone(),
        ("bool", V::Text(text)) => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => V::Bool(true),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => V::Bool(false),
            other => return Err(format!("type conversion error from '{other}' to bool")),
        },
        ("bytes", V::Text(text)) => V::Bytes(Arc::from(text.as_bytes())),
        ("double", V::Int(value)) => V::Double(*value as f64),
        ("double", V::Uint(value)) => V::Double(*value as f64),
        ("double", V::Text(text)) => V::Double(text.parse().map_err(|_| range())?),
        ("int", V::Uint(value)) => V::Int(i64::try_from(*value).map_err(|_| range())?),
        ("int", V::Double(value)) if value.is_finite() && value.abs() < 9.2e18 => {
            V::Int(value.trunc() as i64)
        }
        ("int", V::Text(text)) => V::Int(text.parse().map_err(|_| range())?),
        ("int", V::Time(at)) => V::Int(at.as_nanosecond().div_euclid(1_000_000_000) as i64),
        ("int", V::Span(nanos)) => V::Int(*nanos),
        ("uint", V::Int(value)) => V::Uint(u64::try_from(*value).map_err(|_| range())?),
        ("uint", V::Double(value)) if *value > -1.0 && *value < 1.8e19 => {
            V::Uint(value.trunc() as u64)
        }
        ("uint", V::Text(text)) => V::Uint(text.parse().map_err(|_| range())?),
        ("timestamp", V::Int(seconds)) => {
            V::Time(Timestamp::from_second(*seconds).map_err(|_| range())?)
        }
        ("timestamp", V::Text(text)) => V::Time(parse_rfc3339(text).ok_or_else(range)?),
        ("duration", V::Int(nanos)) => V::Span(*nanos),
        ("duration", V::Text(text)) => V::Span(parse_go_duration(text)?),
        ("string", value) => text(value.to_text().ok_or_else(no_overload)?),
        _ => {
            return Err(if matches!(value, V::Double(_)) {
                range()
            } else {
                no_overload()
            });
        }
    })
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

fn of_text(name: &str, source: &str, rest: &[Value]) -> Outcome {
    use Value as V;
    match (name, rest) {
        ("charAt", [V::Int(at)]) => strings::char_at(source, *at),
        ("indexOf", [V::Text(part)]) => strings::index_of(source, part, 0),
        ("indexOf", [V::Text(part), V::Int(from)]) => strings::index_of(source, part, *from),
        ("lastIndexOf", [V::Text(part)]) => strings::last_index_of(source, part, None),
        ("lastIndexOf", [V::Text(part), V::Int(from)]) => {
            strings::last_index_of(source, part, Some(*from))
        }
        ("lowerAscii", []) => Ok(text(source.to_ascii_lowercase())),
        ("upperAscii", []) => Ok(text(source.to_ascii_uppercase())),
        ("trim", []) => Ok(text(source.trim())),
        ("reverse", []) => Ok(text(source.chars().rev().collect::<String>())),
        ("replace", [V::Text(old), V::Text(new)]) => Ok(strings::replace(source, old, new, -1)),
        ("replace", [V::Text(old), V::Text(new), V::Int(limit)]) => {
            Ok(strings::replace(source, old, new, *limit))
        }
        ("split", [V::Text(separator)]) => Ok(strings::split(source, separator, -1)),
        ("split", [V::Text(separator), V::Int(limit)]) => {
            Ok(strings::split(source, separator, *limit))
        }
        ("substring", [V::Int(start)]) => strings::substring(source, *start, None),
        ("substring", [V::Int(start), V::Int(end)]) => {
            strings::substring(source, *start, Some(*end))
        }
        ("format", [V::List(args)]) => strings::format(source, args),
        ("strings.quote", []) => Ok(strings::quote(source)),
        ("url", []) => Ok(V::Url(Arc::new(Url::parse(source)?))),
        ("isURL", []) => Ok(V::Bool(Url::parse(source).is_ok())),
        ("quantity", []) => Ok(V::Quantity(
            Quantity::parse(source).map_err(|error| error.to_string())?,
        )),
        ("isQuantity", []) => Ok(V::Bool(Quantity::parse(source).is_ok())),
        ("ip", []) => Ok(V::Ip(parse_ip(source)?)),
        ("isIP", []) => Ok(V::Bool(parse_ip(source).is_ok())),
        ("ip.isCanonical", []) => Ok(V::Bool(parse_ip(source)?.to_string() == source)),
        ("cidr", []) => Ok(V::Cidr(Cidr::parse(source)?)),
        ("isCIDR", []) => Ok(V::Bool(Cidr::parse(source).is_ok())),
        ("semver", []) => {
            let version = semver::Version::parse(source).map_err(|error| error.to_string())?;
            Ok(V::Semver(Arc::new(version)))
        }
        ("isSemver", []) => Ok(V::Bool(semver::Version::parse(source).is_ok())),
        ("format.named", []) => Ok(V::Optional(
            Format::named(source).map(|format| Arc::new(V::Format(format))),
        )),
        _ => Err(no_overload()),
    }
}

fn of_list(name: &str, items: &[Value], rest: &[Value]) -> Outcome {
    let place =
        |at: Option<usize>| Value::Int(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1));
    match (name, rest) {
        ("join", []) => strings::join(items, ""),
        ("join", [Value::Text(separator)]) => strings::join(items, separator),
        ("indexOf", [wanted]) => Ok(place(items.iter().position(|item| item.equals(wanted)))),
        ("lastIndexOf", [wanted]) => Ok(place(items.iter().rposition(|item| item.equals(wanted)))),
        ("isSorted", []) => {
            for pair in items.windows(2) {
                if pair[0].compare(&pair[1])? == Some(Ordering::Greater) {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(Value::Bool(true))
        }
        ("sum", []) => {
            let Some((first, rest)) = items.split_first() else {
                return Ok(Value::Int(0));
            };
            if !matches!(
                first,
                Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::Span(_)
            ) {
                return Err(no_overload());
            }
            rest.iter()
                .try_fold(first.clone(), |sum, item| arithmetic("_+_", &sum, item))
        }
        ("min" | "max", []) => {
            let wanted = if name == "min" {
                Ordering::Greater
            } else {
                Ordering::Less
            };
            let (first, rest) = items
                .split_first()
                .ok_or_else(|| format!("{name} called on empty list"))?;
            let mut best = first;
            for item in rest {
                if best.compare(item)? == Some(wanted) {
                    best = item;
                }
            }
            Ok(best.clone())
        }
        _ => Err(no_overload()),
    }
}

/// A time zone: `UTC`, empty, or an offset; names need a data base.
pub(super) fn zone(name: &str) -> Option<Offset> {
    if matches!(name, "" | "UTC") {
        return Some(Offset::UTC);
    }
    let (sign, digits) = match name.split_at_checked(1)? {
        ("-", digits) => (-1, digits),
        ("+", digits) => (1, digits),
        _ => (1, name),
    };
    let (hours, minutes) = digits.split_once(':')?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    Offset::from_seconds(sign * (hours * 60 + minutes) * 60).ok()
}

fn of_time(name: &str, args: &[Value]) -> Outcome {
    let whole = |value: i64| Ok(Value::Int(value));
    let (at, zone) = match args {
        [Value::Span(nanos)] => {
            return match name {
                "getHours" => whole(nanos / 3_600_000_000_000),
                "getMinutes" => whole(nanos / 60_000_000_000),
                "getSeconds" => whole(nanos / 1_000_000_000),
                "getMilliseconds" => whole(nanos / 1_000_000),
                _ => Err(format!("{name} of {}", span_text(*nanos))),
            };
        }
        [Value::Time(at)] => (at, Offset::UTC),
        [Value::Time(at), Value::Text(name)] => (
            at,
            zone(name).ok_or_else(|| format!("unknown time zone {name}"))?,
        ),
        _ => return Err(no_overload()),
    };
    let civil = zone.to_datetime(*at);
    whole(match name {
        "getFullYear" => civil.year().into(),
        "getMonth" => i64::from(civil.month()) - 1,
        "getDate" => civil.day().into(),
        "getDayOfMonth" => i64::from(civil.day()) - 1,
        "getDayOfWeek" => civil.weekday().to_sunday_zero_offset().into(),
        "getDayOfYear" => i64::from(civil.day_of_year()) - 1,
        "getHours" => civil.hour().into(),
        "getMinutes" => civil.minute().into(),
        "getSeconds" => civil.second().into(),
        "getMilliseconds" => civil.millisecond().into(),
        _ => return Err(no_overload()),
    })
}

fn of_kubernetes(name: &str, args: &[Value]) -> Outcome {
    use Value as V;
    let order = |ordering: Ordering| match name {
        "isGreaterThan" => Ok(V::Bool(ordering.is_gt())),
        "isLessThan" => Ok(V::Bool(ordering.is_lt())),
        "compareTo" => Ok(V::Int(ordering as i64)),
        _ => Err(no_overload()),
    };
    match args {
        [] => {
            let named = name
                .strip_prefix("format.")
                .filter(|name| NAMES.contains(name));
            named
                .and_then(Format::named)
                .map(V::Format)
                .ok_or_else(no_overload)
        }
        [V::Format(format), V::Text(source)] if name == "validate" => {
            let problems = format.problems(source);
            Ok(if problems.is_empty() {
                V::Optional(None)
            } else {
                some(texts(problems))
            })
        }
        [V::Quantity(a), V::Quantity(b)] => match name {
            "add" => Ok(V::Quantity(*a + *b)),
            "sub" => Ok(V::Quantity(Quantity::from_nano(
                a.nano().saturating_sub(b.nano()),
            ))),
            _ => order(a.cmp(b)),
        },
        [V::Quantity(a), V::Int(b)] => {
            let b = Quantity::from_units(*b).nano();
            match name {
                "add" => Ok(V::Quantity(Quantity::from_nano(a.nano().saturating_add(b)))),
                "sub" => Ok(V::Quantity(Quantity::from_nano(a.nano().saturating_sub(b)))),
                _ => Err(no_overload()),
            }
        }
        [V::Quantity(quantity)] => {
            let nano = quantity.nano();
            let unit = 1_000_000_000;
            let whole = (nano % unit == 0)
                .then(|| i64::try_from(nano / unit).ok())
                .flatten();
            match name {
                "sign" => Ok(V::Int(nano.signum() as i64)),
                "isInteger" => Ok(V::Bool(whole.is_some())),
                "asInteger" => whole
                    .map(V::Int)
                    .ok_or_else(|| "cannot convert value to integer".to_owned()),
                "asApproximateFloat" => Ok(V::Double(nano as f64 / 1e9)),
                _ => Err(no_overload()),
            }
        }
        [V::Semver(a), V::Semver(b)] => order(a.cmp_precedence(b)),
        [V::Semver(version)] => {
            let part = match name {
                "major" => version.major,
                "minor" => version.minor,
                "patch" => version.patch,
                _ => return Err(no_overload()),
            };
            Ok(V::Int(i64::try_from(part).unwrap_or(i64::MAX)))
        }
        [V::Url(url)] => Ok(match name {
            "getScheme" => text(&url.scheme),
            "getHost" => text(&url.host),
            "getHostname" => text(url.hostname()),
            "getPort" => text(url.port()),
            "getEscapedPath" => text(&url.escaped_path),
            "getQuery" => {
                let query = url.query().into_iter();
                V::Map(Arc::new(
                    query
                        .map(|(key, values)| (text(key), texts(values)))
                        .collect(),
                ))
            }
            _ => return Err(no_overload()),
        }),
        [V::Ip(address)] => match name {
            "family" => Ok(V::Int(if address.is_ipv4() { 4 } else { 6 })),
            kind => is_kind(*address, kind).map(V::Bool).ok_or_else(no_overload),
        },
        [V::Cidr(cidr)] => match name {
            "ip" => Ok(V::Ip(cidr.address)),
            "masked" => Ok(V::Cidr(cidr.masked())),
            "prefixLength" => Ok(V::Int(cidr.bits.into())),
            _ => Err(no_overload()),
        },
        [V::Cidr(cidr), V::Ip(address)] if name == "containsIP" => {
            Ok(V::Bool(cidr.contains_ip(*address)))
        }
        [V::Cidr(cidr), V::Text(source)] if name == "containsIP" => {
            Ok(V::Bool(cidr.contains_ip(parse_ip(source)?)))
        }
        [V::Cidr(cidr), V::Cidr(other)] if name == "containsCIDR" => {
            Ok(V::Bool(cidr.contains_cidr(*other)))
        }
        [V::Cidr(cidr), V::Text(source)] if name == "containsCIDR" => {
            Ok(V::Bool(cidr.contains_cidr(Cidr::parse(source)?)))
        }
        _ => Err(no_overload()),
    }
}
