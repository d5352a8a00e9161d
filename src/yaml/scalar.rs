//! Resolves plain scalars: YAML 1.1 as the original readers see it.
//!
//! Source: the YAML 1.1 type repository (the resolver of PyYAML's safe loader); the reader of
//! Kubernetes' API server.

mod binary;
mod key;
mod kubernetes;
#[cfg(test)]
mod tests;
mod time;

use time::is_time;

pub(crate) use binary::{base64, go_text, is_python_base64};
pub(crate) use key::{Key, may_be_too_large, may_be_typed};
pub(crate) use time::is_impossible_time;

/// Which reader's rules hold for a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// OGC documents: YAML 1.1 without base 60; `y` and `n` are booleans.
    Ogc,
    /// Documents that Kubernetes' API server reads (ocm, hybrid): as its reader does, which
    /// makes JSON of them first.
    Kubernetes,
    /// Documents that PyYAML reads for the original: `y` and `n` are text, `12:30` is a number.
    PyYaml,
}

impl Dialect {
    const ALL: [Self; 3] = [Self::Ogc, Self::Kubernetes, Self::PyYaml];
}

/// A scalar with its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'a> {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A whole number beyond 128 bits, as written.
    BigInt(&'a str),
    /// A number with a point.
    Float(f64),
    /// A date or time, as written.
    Time(&'a str),
    /// Text.
    Text(&'a str),
}

/// Whether a plain scalar of this text is null.
pub(crate) fn is_null_text(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// The key whose value is a mapping, or a list of them, to take entries from.
pub(super) const MERGE: &str = "<<";

/// Whether a plain scalar of this text is text to every reader.
#[must_use]
pub fn plain_scalar(text: &str) -> bool {
    let is_text = |dialect| matches!(resolve(text, dialect), Scalar::Text(_));
    Dialect::ALL.into_iter().all(is_text) && text != "=" && text != MERGE
}

/// Whether a plain scalar of this text is text.
pub(crate) fn is_text(text: &str, dialect: Dialect) -> bool {
    matches!(resolve(text, dialect), Scalar::Text(_))
}

/// The type of a plain scalar.
pub(crate) fn resolve(text: &str, dialect: Dialect) -> Scalar<'_> {
    let Some(first) = text.bytes().next() else {
        return Scalar::Null;
    };
    match first {
        b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'y' | b'Y' | b'o' | b'O' => {
            word(text, dialect)
        }
        b'0'..=b'9' | b'+' | b'-' | b'.' if dialect == Dialect::Kubernetes => {
            kubernetes::number(text)
        }
        b'0'..=b'9' | b'+' | b'-' | b'.' => number(text, dialect),
        _ => Scalar::Text(text),
    }
}

/// Resolves the text of a scalar with the tag `float`.
pub(crate) fn tagged_float(text: &str, dialect: Dialect) -> Scalar<'_> {
    match resolve(text, dialect) {
        value if dialect == Dialect::PyYaml => python_float(text).map_or(value, Scalar::Float),
        Scalar::Int(value) => Scalar::Float(value as f64),
        value @ Scalar::Float(_) => value,
        value => text.replace('_', "").parse().map_or(value, Scalar::Float),
    }
}

fn word(text: &str, dialect: Dialect) -> Scalar<'_> {
    match text {
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Scalar::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "y" | "Y" if dialect != Dialect::PyYaml => Scalar::Bool(true),
        "n" | "N" if dialect != Dialect::PyYaml => Scalar::Bool(false),
        _ => Scalar::Text(text),
    }
}

fn number(text: &str, dialect: Dialect) -> Scalar<'_> {
    // Base 60 is PyYAML's alone.
    if dialect == Dialect::PyYaml || !text.contains(':') {
        if let Some(int) = integer(text) {
            return int;
        }
        if let Some(float) = float(text).filter(|_| dialect == Dialect::Ogc || !odd(text)) {
            return Scalar::Float(float);
        }
    }
    if is_time(text) {
        Scalar::Time(text)
    } else {
        Scalar::Text(text)
    }
}

fn integer(text: &str) -> Option<Scalar<'_>> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let bytes = digits.as_bytes();
    let all = |set: fn(&u8) -> bool, from: usize| {
        bytes.len() > from && bytes[from..].iter().all(|byte| set(byte) || *byte == b'_')
    };
    let value = |digits: &str, radix: u32| {
        let clean: String;
        let digits = if digits.contains('_') {
            clean = digits.replace('_', "");
            clean.as_str()
        } else {
            digits
        };
        i128::from_str_radix(digits, radix)
            .ok()
            .map(|value| if negative { -value } else { value })
    };
    let zero = bytes.len() > 1 && bytes[0] == b'0' && bytes[1..].iter().all(|byte| *byte == b'_');
    let big = Scalar::BigInt(text);
    let typed = |value: Option<i128>| Some(value.map_or(big, Scalar::Int));
    match bytes {
        [b'0'] => Some(Scalar::Int(0)),
        _ if zero => Some(Scalar::Int(0)),
        [b'0', b'b', ..] if all(|byte| matches!(byte, b'0' | b'1'), 2) => {
            typed(value(&digits[2..], 2))
        }
        [b'0', b'x', ..] if all(u8::is_ascii_hexdigit, 2) => typed(value(&digits[2..], 16)),
        [b'0', ..] if all(|byte| matches!(byte, b'0'..=b'7'), 1) => typed(value(&digits[1..], 8)),
        [b'1'..=b'9', ..] if all(u8::is_ascii_digit, 1) || bytes.len() == 1 => {
            typed(value(digits, 10))
        }
        [b'1'..=b'9', ..] if bytes.contains(&b':') => {
            let mut parts = digits.split(':');
            let head = parts.next()?;
            let mut total = head
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'_')
                .then(|| head.replace('_', "").parse::<i128>().ok())??;
            for part in parts {
                let sixty = match part.as_bytes() {
                    [d @ b'0'..=b'9'] => i128::from(d - b'0'),
                    [d @ b'0'..=b'5', u @ b'0'..=b'9'] => i128::from((d - b'0') * 10 + u - b'0'),
                    _ => return None,
                };
                total = total.checked_mul(60)?.checked_add(sixty)?;
            }
            Some(Scalar::Int(if negative { -total } else { total }))
        }
        _ => None,
    }
}

/// Whether PyYAML's resolver reads the text as text although it looks like a number: a sign before
/// a leading point, or a point with an underscore after it.
fn odd(text: &str) -> bool {
    let bare = text.trim_start_matches(['+', '-']);
    let digits = bare
        .strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit() || first == '_'));
    digits && (bare.len() < text.len() || bare.starts_with("._"))
}

fn float(text: &str) -> Option<f64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    match rest {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" if rest.len() == text.len() => return Some(f64::NAN),
        _ => {}
    }
    let bytes = rest.as_bytes();
    let point = bytes.iter().position(|byte| *byte == b'.')?;
    let (whole, fraction) = (&bytes[..point], &bytes[point + 1..]);
    if whole.contains(&b':') {
        return sexagesimal_float(rest).map(|value| sign * value);
    }
    let digits = |part: &[u8]| {
        part.iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'_')
    };
    if !digits(whole) || whole.first() == Some(&b'_') {
        return None;
    }
    let exponent_at = fraction.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (fraction, exponent) = match exponent_at {
        Some(at) => (&fraction[..at], Some(&fraction[at + 1..])),
        None => (fraction, None),
    };
    if !digits(fraction) || (whole.is_empty() && !fraction.iter().any(u8::is_ascii_digit)) {
        return None;
    }
    if let Some(exponent) = exponent {
        let [b'+' | b'-', digits @ ..] = exponent else {
            return None;
        };
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
    }
    rest.replace('_', "")
        .parse::<f64>()
        .ok()
        .map(|value| sign * value)
}

fn sexagesimal_float(text: &str) -> Option<f64> {
    let (whole, fraction) = text.split_once('.')?;
    let mut total = 0.0;
    for (index, part) in whole.split(':').enumerate() {
        let good = part
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (index == 0 && byte == b'_'));
        let short = index == 0 || (part.len() <= 2 && part.parse::<u8>().is_ok_and(|n| n < 60));
        if part.is_empty() || !good || !short {
            return None;
        }
        total = total * 60.0 + part.replace('_', "").parse::<f64>().ok()?;
    }
    if !fraction
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'_')
    {
        return None;
    }
    let fraction = fraction.replace('_', "");
    let part = if fraction.is_empty() {
        0.0
    } else {
        format!("0.{fraction}").parse().ok()?
    };
    Some(total + part)
}

/// Whether a reader makes a value of the text under the tag `null`, `int`, `float`, `bool` or
/// `timestamp`.
pub(crate) fn fits(tag: &str, text: &str, dialect: Dialect) -> bool {
    if dialect == Dialect::Kubernetes {
        return match resolve(text, dialect) {
            Scalar::Null => tag == "null",
            Scalar::Bool(_) => tag == "bool",
            Scalar::Int(value) => tag == "int" || (tag == "float" && i64::try_from(value).is_ok()),
            Scalar::Float(_) => tag == "float",
            _ => tag == "timestamp" && time::is_go_time(text),
        };
    }
    match tag {
        "int" => {
            let usual = usual_form(tag, text);
            let text = usual.as_deref().unwrap_or(text);
            let value = number(text, dialect);
            matches!(value, Scalar::Int(_) | Scalar::BigInt(_)) && has_no_value(text).is_none()
        }
        "float" => python_float(text).is_some(),
        "bool" => matches!(
            text.to_ascii_lowercase().as_str(),
            "yes" | "no" | "true" | "false" | "on" | "off"
        ),
        _ => time::is_tagged_time(text),
    }
}

/// The usual form of what PyYAML takes under a tag alone: `0o17`, `2020-1-1`.
pub(crate) fn usual_form(tag: &str, text: &str) -> Option<String> {
    match tag {
        "int" => text.strip_prefix("0o").map(|digits| format!("0{digits}")),
        "timestamp" => time::padded(text).map(|(whole, _)| whole),
        _ => None,
    }
}

/// The number that PyYAML reads for the tag `float`.
fn python_float(text: &str) -> Option<f64> {
    let text = text.replace('_', "").to_ascii_lowercase();
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(&text)),
    };
    let value = match text {
        ".inf" => f64::INFINITY,
        ".nan" => f64::NAN,
        _ => {
            let mut parts = text.split(':');
            parts.try_fold(0.0, |total, part| {
                Some(total * 60.0 + part.parse::<f64>().ok()?)
            })?
        }
    };
    Some(sign * value)
}

/// Whether PyYAML makes no value of a typed text if a line break follows it.
pub(crate) fn wants_no_break(text: &str) -> bool {
    matches!(resolve(text, Dialect::PyYaml), Scalar::Bool(_)) || is_no_json(text)
}

/// Why PyYAML's reader makes no value of a plain scalar, if it does not.
pub(crate) fn has_no_value(text: &str) -> Option<&'static str> {
    if is_impossible_time(text) {
        return Some("there is no such time");
    }
    let digits = text.trim_start_matches(['+', '-']);
    let digits = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0b"));
    let bare =
        digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte == b'_'));
    bare.then_some("the number has no digits")
}

/// Whether a plain scalar is a number that JSON does not have.
pub(crate) fn is_no_json(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}
