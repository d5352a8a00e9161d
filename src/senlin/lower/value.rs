//! Scalars as the original reads and prints them: Python's conversions and renderings.

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

use crate::senlin::engine::data::integer;
use crate::senlin::model::{Field, LARGEST, Value};
use crate::source::Place;
use crate::yaml::{Dialect, Kind, Node, Scalar};

/// The scalar of a Senlin document.
pub(super) fn scalar(node: Node<'_>) -> Option<Scalar<'_>> {
    node.scalar(Dialect::PyYaml)
}

/// The text of a node if it is text for the original too: a number or a boolean is none.
pub(in crate::senlin) fn text(node: Node<'_>) -> Option<&str> {
    match scalar(node)? {
        Scalar::Text(text) => Some(text),
        _ => None,
    }
}

/// The text that Python's `str` makes of a value; containers stay as the source has them.
pub(in crate::senlin) fn python(node: Node<'_>) -> Cow<'_, str> {
    match scalar(node) {
        None => node.source_text().trim_end().into(),
        Some(Scalar::Null) => "None".into(),
        Some(Scalar::Bool(true)) => "True".into(),
        Some(Scalar::Bool(false)) => "False".into(),
        Some(Scalar::Int(number)) => number.to_string().into(),
        Some(Scalar::Float(number)) => float(number).into(),
        Some(Scalar::BigInt(text) | Scalar::Time(text) | Scalar::Text(text)) => text.into(),
    }
}

/// Python's `repr` of a double: shortest digits, an exponent from 1e16 on and below 1e-4.
fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".into();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "inf".into()
        } else {
            "-inf".into()
        };
    }
    let magnitude = number.abs();
    if magnitude == 0.0 || (1e-4..1e16).contains(&magnitude) {
        return format!("{number:?}");
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, power)) => {
            let (sign, power) = match power.strip_prefix('-') {
                Some(power) => ('-', power),
                None => ('+', power),
            };
            format!("{digits}e{sign}{power:0>2}")
        }
        None => text,
    }
}

/// Why a value is not an integer to the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoInteger {
    /// Upstream says so, in its words.
    Refused,
    /// Upstream breaks on it with an error of its own program.
    Breaks,
    /// Beyond [`LARGEST`].
    TooLarge,
}

/// The integer that Python's `int` makes of a weight or a cap: it reads decimal text and cuts
/// fractions towards zero.
pub(super) fn converted(node: Node<'_>) -> Result<i128, NoInteger> {
    let number = match scalar(node) {
        Some(Scalar::Bool(flag)) => i128::from(flag),
        Some(Scalar::Int(number)) => number,
        Some(Scalar::BigInt(_)) => return Err(NoInteger::TooLarge),
        Some(Scalar::Float(number)) if number.is_nan() => return Err(NoInteger::Refused),
        Some(Scalar::Float(number)) if number.is_infinite() => return Err(NoInteger::Breaks),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "saturates, then the bound holds"
        )]
        Some(Scalar::Float(number)) => number.trunc() as i128,
        Some(Scalar::Text(text)) => decimal(text)?,
        Some(Scalar::Null | Scalar::Time(_)) | None => return Err(NoInteger::Breaks),
    };
    if number.unsigned_abs() > LARGEST.unsigned_abs() {
        return Err(NoInteger::TooLarge);
    }
    Ok(number)
}

/// Decimal digits with a sign, blanks around them and single underscores between them.
fn decimal(text: &str) -> Result<i128, NoInteger> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let groups = || digits.split('_');
    if !groups().all(|group| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit())) {
        return Err(NoInteger::Refused);
    }
    let number: i128 = groups()
        .collect::<String>()
        .parse()
        .map_err(|_| NoInteger::TooLarge)?;
    Ok(if negative { -number } else { number })
}

/// A key of a mapping as a field; where it is missing, the field is at `whole`.
pub(super) fn field<'a>(map: Option<Node<'a>>, key: &str, whole: Place) -> Field<'a> {
    let Some(node) = map.and_then(|map| map.get(key)) else {
        return Field {
            value: Value::Absent,
            place: map.map_or(whole, Node::place),
        };
    };
    let value = match scalar(node) {
        Some(Scalar::Null) => Value::Null,
        Some(Scalar::Bool(flag)) => Value::Bool(flag),
        Some(Scalar::Int(number)) if number.unsigned_abs() <= LARGEST.unsigned_abs() => {
            Value::Int(number)
        }
        Some(Scalar::Float(number)) => Value::Float(number),
        Some(Scalar::Text(text)) => Value::Text(text),
        Some(Scalar::Time(text)) => Value::Other(text),
        Some(Scalar::Int(_) | Scalar::BigInt(_)) | None => Value::Other(node.source_text()),
    };
    Field {
        value,
        place: node.place(),
    }
}

/// A node as JSON, keys as written and in their order. The loader's limit of depth bounds the
/// nesting.
pub(super) fn json(node: Node<'_>) -> Json {
    match node.kind() {
        Kind::Mapping => Json::Object(object(node)),
        Kind::Sequence => Json::Array(node.items().map(json).collect()),
        Kind::Scalar => match scalar(node) {
            None | Some(Scalar::Null) => Json::Null,
            Some(Scalar::Bool(flag)) => Json::Bool(flag),
            Some(Scalar::Int(number)) => integer(number),
            Some(Scalar::Float(number)) => Json::from(number),
            Some(Scalar::BigInt(text)) => text.parse::<f64>().map_or(text.into(), Json::from),
            Some(Scalar::Time(text) | Scalar::Text(text)) => text.into(),
        },
    }
}

/// A mapping as JSON.
pub(super) fn object(node: Node<'_>) -> Map<String, Json> {
    let text = |key: Node<'_>| key.text().unwrap_or(key.source_text()).to_owned();
    node.entries()
        .map(|(key, value)| (text(key), json(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_print_as_python_prints_them() {
        let cases = [
            (1.0, "1.0"),
            (1.5, "1.5"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.25e-5, "1.25e-05"),
            (0.0001, "0.0001"),
            (-1e300, "-1e+300"),
            (f64::INFINITY, "inf"),
        ];
        for (number, wanted) in cases {
            assert_eq!(float(number), wanted);
        }
    }

    #[test]
    fn decimal_text_is_an_integer() {
        assert_eq!(decimal(" 12 "), Ok(12));
        assert_eq!(decimal("-1_000"), Ok(-1000));
        assert_eq!(decimal("+012"), Ok(12));
        for text in ["", "1.5", "1__0", "_1", "ten", "- 1", "0x1"] {
            assert_eq!(decimal(text), Err(NoInteger::Refused), "{text}");
        }
    }
}
