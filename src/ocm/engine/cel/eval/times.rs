//! The functions of instants and lengths of time.

use jiff::tz::Offset;

use crate::ocm::engine::cel::value::{Outcome, Value, no_overload, span_text};

/// A time zone: `UTC`, empty, or an offset; names need a data base.
pub(in crate::ocm::engine::cel) fn zone(name: &str) -> Option<Offset> {
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

pub(super) fn of_time(name: &str, args: &[Value]) -> Outcome {
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
