//! cel-go's string extension: positions count characters.

use super::value::{Failure, Outcome, Value, double_text, no_overload, text, texts};

fn position(at: i64, most: usize, what: &str) -> Result<usize, Failure> {
    usize::try_from(at)
        .ok()
        .filter(|at| *at <= most)
        .ok_or_else(|| format!("{what}: {at}"))
}

pub(super) fn char_at(source: &str, at: i64) -> Outcome {
    let count = source.chars().count();
    let at = position(at, count, "index out of range")?;
    Ok(text(
        source.chars().nth(at).map(String::from).unwrap_or_default(),
    ))
}

/// Where the character of a number begins, or the text ends.
fn offset(source: &str, at: usize) -> usize {
    let mut begins = source.char_indices().map(|(offset, _)| offset);
    begins.nth(at).unwrap_or(source.len())
}

/// The number of the character at an offset.
fn number(source: &str, offset: Option<usize>) -> Value {
    let before = offset.map(|offset| source[..offset].chars().count());
    let number = before.and_then(|before| i64::try_from(before).ok());
    Value::Int(number.unwrap_or(-1))
}

pub(super) fn index_of(source: &str, part: &str, from: i64) -> Outcome {
    if from < 0 {
        return Err(format!("index out of range: {from}"));
    }
    if part.is_empty() {
        return Ok(Value::Int(from));
    }
    let from = position(from, source.chars().count(), "index out of range")?;
    let from = offset(source, from);
    let found = source[from..].find(part).map(|at| from + at);
    Ok(number(source, found))
}

pub(super) fn last_index_of(source: &str, part: &str, from: Option<i64>) -> Outcome {
    let count = source.chars().count();
    if part.is_empty() {
        let end = || i64::try_from(count).unwrap_or(i64::MAX);
        return Ok(Value::Int(from.unwrap_or_else(end)));
    }
    let wanted = part.chars().count();
    if from.is_none() && count < wanted {
        return Ok(Value::Int(-1));
    }
    let from = match from {
        None => count - wanted,
        Some(from) => position(from, count, "index out of range")?,
    };
    // The last one that begins there ends so many characters later.
    let end = offset(source, from.min(count.saturating_sub(wanted)) + wanted);
    Ok(number(source, source[..end].rfind(part)))
}

pub(super) fn substring(source: &str, start: i64, end: Option<i64>) -> Outcome {
    let count = source.chars().count();
    let end = match end {
        Some(end) => position(end, count, "index out of range")?,
        None => count,
    };
    let start = position(start, count, "index out of range")?;
    if start > end {
        return Err(format!(
            "invalid substring range. start: {start}, end: {end}"
        ));
    }
    Ok(text(
        source
            .chars()
            .skip(start)
            .take(end - start)
            .collect::<String>(),
    ))
}

pub(super) fn replace(source: &str, old: &str, new: &str, limit: i64) -> Value {
    match usize::try_from(limit) {
        Ok(limit) => text(source.replacen(old, new, limit)),
        Err(_) => text(source.replace(old, new)),
    }
}

pub(super) fn split(source: &str, separator: &str, limit: i64) -> Value {
    let pieces: Vec<String> = if separator.is_empty() {
        source.chars().map(String::from).collect()
    } else {
        source.split(separator).map(str::to_owned).collect()
    };
    match usize::try_from(limit) {
        Ok(0) => texts([]),
        Ok(limit) if pieces.len() > limit => {
            let rest = pieces[limit - 1..].join(separator);
            texts(pieces.into_iter().take(limit - 1).chain([rest]))
        }
        _ => texts(pieces),
    }
}

pub(super) fn join(items: &[Value], separator: &str) -> Outcome {
    let mut joined = String::new();
    for (index, item) in items.iter().enumerate() {
        let Value::Text(item) = item else {
            return Err(no_overload());
        };
        if index > 0 {
            joined.push_str(separator);
        }
        joined.push_str(item);
    }
    Ok(text(joined))
}

/// Quotes text so that it can stand in an expression.
pub(super) fn quote(source: &str) -> Value {
    let mut quoted = String::from("\"");
    for character in source.chars() {
        match character {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    text(quoted)
}

/// `"%s has %d".format([a, b])`.
pub(super) fn format(pattern: &str, args: &[Value]) -> Outcome {
    let mut out = String::new();
    let mut next = 0;
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        if characters.peek() == Some(&'%') {
            characters.next();
            out.push('%');
            continue;
        }
        let mut precision = None;
        if characters.peek() == Some(&'.') {
            characters.next();
            let mut digits = String::new();
            while let Some(digit) = characters.peek().filter(|c| c.is_ascii_digit()) {
                digits.push(*digit);
                characters.next();
            }
            let value: usize = digits.parse().map_err(|_| "invalid precision".to_owned())?;
            precision = Some(value.min(100));
        }
        let clause = characters.next().ok_or("unexpected end of string")?;
        let argument = args
            .get(next)
            .ok_or_else(|| format!("index {next} out of range"))?;
        next += 1;
        one(clause, precision, argument, &mut out)?;
    }
    Ok(text(out))
}

fn one(
    clause: char,
    precision: Option<usize>,
    argument: &Value,
    out: &mut String,
) -> Result<(), Failure> {
    let wrong = |what: &str| {
        format!(
            "error during formatting: {what}, was given {}",
            argument.type_name()
        )
    };
    let based = |base: &dyn Fn(u64) -> String| -> Result<String, Failure> {
        match argument {
            Value::Int(value) => {
                let sign = if *value < 0 { "-" } else { "" };
                Ok(format!("{sign}{}", base(value.unsigned_abs())))
            }
            Value::Uint(value) => Ok(base(*value)),
            Value::Bool(value) if clause == 'b' => Ok(base(u64::from(*value))),
            _ => Err(wrong("only integers can be formatted so")),
        }
    };
    match clause {
        's' => show(argument, out)?,
        'd' => match argument {
            Value::Int(_) | Value::Uint(_) => show(argument, out)?,
            Value::Double(value) if !value.is_finite() => out.push_str(not_finite(*value)),
            _ => return Err(wrong("decimal clause can only be used on integers")),
        },
        'f' | 'e' => {
            let value = match argument {
                Value::Int(value) => *value as f64,
                Value::Uint(value) => *value as f64,
                Value::Double(value) => *value,
                _ => return Err(wrong("fixed-point clause can only be used on doubles")),
            };
            let precision = precision.unwrap_or(6);
            if !value.is_finite() {
                out.push_str(not_finite(value));
            } else if clause == 'f' {
                out.push_str(&format!("{value:.precision$}"));
            } else {
                let scientific = format!("{value:.precision$e}");
                let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
                let exponent: i32 = exponent.parse().unwrap_or(0);
                let sign = if exponent < 0 { '-' } else { '+' };
                out.push_str(&format!("{digits}e{sign}{:02}", exponent.abs()));
            }
        }
        'b' => out.push_str(&based(&|value| format!("{value:b}"))?),
        'o' => out.push_str(&based(&|value| format!("{value:o}"))?),
        'x' | 'X' => {
            let hex = match argument {
                Value::Text(value) => bytes_in_hex(value.as_bytes()),
                Value::Bytes(value) => bytes_in_hex(value),
                _ => based(&|value| format!("{value:x}"))?,
            };
            out.push_str(&if clause == 'X' {
                hex.to_ascii_uppercase()
            } else {
                hex
            });
        }
        other => return Err(format!("unrecognized formatting clause \"{other}\"")),
    }
    Ok(())
}

fn bytes_in_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How `format` writes a value that is not a finite number.
fn not_finite(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

/// A value as `%s` shows it.
fn show(value: &Value, out: &mut String) -> Result<(), Failure> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Type(name) => out.push_str(name),
        Value::Double(value) if !value.is_finite() => out.push_str(not_finite(*value)),
        Value::Double(value) => out.push_str(&double_text(*value)),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                show(item, out)?;
            }
            out.push(']');
        }
        Value::Map(entries) => {
            let mut shown = Vec::with_capacity(entries.len());
            for (key, value) in entries.iter() {
                let (mut name, mut text) = (String::new(), String::new());
                show(key, &mut name)?;
                show(value, &mut text)?;
                shown.push((name, text));
            }
            shown.sort();
            let shown: Vec<String> = shown
                .into_iter()
                .map(|(k, v)| format!("{k}: {v}"))
                .collect();
            out.push_str(&format!("{{{}}}", shown.join(", ")));
        }
        other => match other.to_text() {
            Some(text) => out.push_str(&text),
            None => {
                return Err(format!(
                    "error during formatting: string clause cannot be used on {}",
                    other.type_name()
                ));
            }
        },
    }
    Ok(())
}
