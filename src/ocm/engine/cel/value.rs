//! Values of CEL: what expressions compute with, equality, order, conversions to text.

use std::cmp::Ordering;
use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

use super::format::Format;
use super::net::{Cidr, Url};
use crate::kit::quantity::Quantity;
use crate::kit::time::{format_exact, format_go_duration};
use crate::ocm::model::Data;

/// A value.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Arc<str>),
    Bytes(Arc<[u8]>),
    List(Arc<Vec<Self>>),
    /// In the order written, no key twice.
    Map(Arc<Vec<(Self, Self)>>),
    Time(Timestamp),
    /// Nanoseconds.
    Span(i64),
    Type(&'static str),
    Optional(Option<Arc<Self>>),
    Quantity(Quantity),
    Url(Arc<Url>),
    Ip(IpAddr),
    Cidr(Cidr),
    Format(Format),
    Semver(Arc<semver::Version>),
}

/// Why an expression gives no value: the text of the run-time error.
pub(super) type Failure = String;

/// A value, or a run-time error.
pub(super) type Outcome = Result<Value, Failure>;

pub(super) fn text(text: impl AsRef<str>) -> Value {
    Value::Text(Arc::from(text.as_ref()))
}

pub(super) fn texts(items: impl IntoIterator<Item = String>) -> Value {
    list(items.into_iter().map(text).collect())
}

pub(super) fn list(items: Vec<Value>) -> Value {
    Value::List(Arc::new(items))
}

pub(super) fn some(value: Value) -> Value {
    Value::Optional(Some(Arc::new(value)))
}

/// A cluster's data as a value.
pub(super) fn from_data(data: &Data<'_>) -> Value {
    match data {
        Data::Null => Value::Null,
        Data::Bool(value) => Value::Bool(*value),
        Data::Int(value) => Value::Int(*value),
        Data::Double(value) => Value::Double(*value),
        Data::Text(value) => text(value),
        Data::List(items) => list(items.iter().map(from_data).collect()),
        Data::Map(fields) => Value::Map(Arc::new(
            fields
                .iter()
                .map(|(key, value)| (text(key), from_data(value)))
                .collect(),
        )),
    }
}

/// Parsed JSON as a value; all its numbers are doubles, as Go decodes them.
pub(super) fn from_json(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(value) => text(value),
        Json::Array(items) => list(items.iter().map(from_json).collect()),
        Json::Object(fields) => Value::Map(Arc::new(
            fields
                .iter()
                .map(|(key, value)| (text(key), from_json(value)))
                .collect(),
        )),
    }
}

impl Value {
    /// The name of the value's type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Time(_) => "google.protobuf.Timestamp",
            Self::Span(_) => "google.protobuf.Duration",
            Self::Type(_) => "type",
            Self::Optional(_) => "optional_type",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Url(_) => "kubernetes.URL",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Semver(_) => "kubernetes.Semver",
        }
    }

    fn number(&self) -> Option<Number> {
        match self {
            Self::Int(value) => Some(Number::Whole(i128::from(*value))),
            Self::Uint(value) => Some(Number::Whole(i128::from(*value))),
            Self::Double(value) => Some(Number::Double(*value)),
            _ => None,
        }
    }

    /// Whether two values are equal; values of different types are not, numbers are by value.
    pub(super) fn equals(&self, other: &Self) -> bool {
        if let (Some(a), Some(b)) = (self.number(), other.number()) {
            return a.compare(b) == Some(Ordering::Equal);
        }
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::List(a), Self::List(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.equals(b))
            }
            (Self::Map(a), Self::Map(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|(key, value)| b.iter().any(|(k, v)| k.equals(key) && v.equals(value)))
            }
            (Self::Time(a), Self::Time(b)) => a == b,
            (Self::Span(a), Self::Span(b)) => a == b,
            (Self::Type(a), Self::Type(b)) => a == b,
            (Self::Optional(a), Self::Optional(b)) => match (a, b) {
                (None, None) => true,
                (Some(a), Some(b)) => a.equals(b),
                _ => false,
            },
            (Self::Quantity(a), Self::Quantity(b)) => a == b,
            (Self::Url(a), Self::Url(b)) => a == b,
            (Self::Ip(a), Self::Ip(b)) => a == b,
            (Self::Cidr(a), Self::Cidr(b)) => a == b,
            (Self::Format(a), Self::Format(b)) => a == b,
            (Self::Semver(a), Self::Semver(b)) => a.cmp_precedence(b) == Ordering::Equal,
            _ => false,
        }
    }

    /// The order of two values; `None` where there is none (not even of NaN).
    pub(super) fn compare(&self, other: &Self) -> Result<Option<Ordering>, Failure> {
        if let (Some(a), Some(b)) = (self.number(), other.number()) {
            return Ok(a.compare(b));
        }
        Ok(Some(match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Time(a), Self::Time(b)) => a.cmp(b),
            (Self::Span(a), Self::Span(b)) => a.cmp(b),
            _ => return Err(no_overload()),
        }))
    }

    /// The value of a key or the field of a map.
    pub(super) fn find(&self, key: &Self) -> Option<&Self> {
        let Self::Map(entries) = self else {
            return None;
        };
        entries
            .iter()
            .find(|(name, _)| name.equals(key))
            .map(|(_, value)| value)
    }

    /// The text of a scalar, as `string()` gives it.
    pub(super) fn to_text(&self) -> Option<String> {
        Some(match self {
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Uint(value) => value.to_string(),
            Self::Double(value) => double_text(*value),
            Self::Text(value) => value.to_string(),
            Self::Bytes(value) => String::from_utf8(value.to_vec()).ok()?,
            Self::Time(value) => format_exact(*value),
            Self::Span(nanos) => seconds_text(*nanos),
            Self::Ip(address) => address.to_string(),
            Self::Cidr(cidr) => cidr.to_string(),
            _ => return None,
        })
    }
}

/// A duration as `string()` gives it: seconds with as many digits of a fraction as needed.
fn seconds_text(nanos: i64) -> String {
    if nanos % 1_000_000_000 == 0 {
        return format!("{}s", nanos / 1_000_000_000);
    }
    let text = format!("{:.9}", nanos as f64 / 1e9);
    let exact = nanos.unsigned_abs();
    if exact < 1_000_000_000 {
        let digits = format!("{exact:09}");
        let sign = if nanos < 0 { "-" } else { "" };
        return format!("{sign}0.{}s", digits.trim_end_matches('0'));
    }
    format!("{}s", text.trim_end_matches('0'))
}

/// For messages: Go's way of writing a duration.
pub(super) fn span_text(nanos: i64) -> String {
    format_go_duration(nanos)
}

pub(super) fn no_overload() -> Failure {
    "no such overload".to_owned()
}

#[derive(Clone, Copy)]
enum Number {
    Whole(i128),
    Double(f64),
}

impl Number {
    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => Some(a.cmp(&b)),
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(&b),
            (Self::Whole(a), Self::Double(b)) => whole_against(a, b),
            (Self::Double(a), Self::Whole(b)) => whole_against(b, a).map(Ordering::reverse),
        }
    }
}

/// Compares a 64-bit whole number with a double without losing digits.
fn whole_against(whole: i128, double: f64) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    if double >= 1e30 {
        return Some(Ordering::Less);
    }
    if double <= -1e30 {
        return Some(Ordering::Greater);
    }
    let floor = double.floor();
    Some(whole.cmp(&(floor as i128)).then(if double > floor {
        Ordering::Less
    } else {
        Ordering::Equal
    }))
}

/// A double as Go's `strconv.FormatFloat(d, 'g', -1, 64)` writes it.
pub(super) fn double_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Go takes the exponent form outside 10^-4 to 10^6 when it chooses the shortest digits.
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_by_value() {
        assert!(Value::Int(1).equals(&Value::Double(1.0)));
        assert!(!Value::Int(i64::MAX).equals(&Value::Double(i64::MAX as f64)));
        assert_eq!(
            Value::Uint(3).compare(&Value::Double(3.5)),
            Ok(Some(Ordering::Less))
        );
        assert_eq!(Value::Int(0).compare(&Value::Double(f64::NAN)), Ok(None));
        assert!(!text("1").equals(&Value::Int(1)));
    }

    #[test]
    fn doubles_as_go_writes_them() {
        for (value, written) in [
            (1.0, "1"),
            (1.5, "1.5"),
            (0.1, "0.1"),
            (1e21, "1e+21"),
            (1_000_000.0, "1e+06"),
            (123_456_789.0, "1.23456789e+08"),
            (1e-7, "1e-07"),
            (-2.25, "-2.25"),
        ] {
            assert_eq!(double_text(value), written);
        }
    }
}
