//! Conversions between types.

use std::sync::Arc;

use jiff::Timestamp;

use crate::kit::time::{parse_go_duration, parse_rfc3339};
use crate::ocm::engine::cel::value::{Outcome, Value, no_overload, text};

pub(super) fn convert(to: &str, value: &Value) -> Outcome {
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
