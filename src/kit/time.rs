//! Points in time (RFC 3339) and lengths of time (Go's notation), read and written exactly.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::civil::DateTime;

/// Reads an RFC 3339 time as the Kubernetes API does: `T` and `Z` in capitals, an offset as
/// `±HH:MM`, a fraction of up to nine digits that count. `None` for anything else.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    if bytes.len() < 20 {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<i32> {
        let mut value = 0;
        for byte in bytes.get(from..to)? {
            value = value * 10 + i32::from(byte.is_ascii_digit().then(|| byte - b'0')?);
        }
        Some(value)
    };
    for (at, byte) in [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')] {
        if bytes[at] != byte {
            return None;
        }
    }
    let small = |from: usize, to: usize| number(from, to).and_then(|n| i8::try_from(n).ok());
    let second = small(17, 19).filter(|second| *second < 60)?;
    let mut at = 19;
    let mut nanos = 0;
    if bytes[at] == b'.' {
        let digits = bytes[at + 1..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 0 {
            return None;
        }
        let mut scale = 100_000_000;
        for byte in bytes[at + 1..at + 1 + digits].iter().take(9) {
            nanos += i32::from(byte - b'0') * scale;
            scale /= 10;
        }
        at += 1 + digits;
    }
    let offset = match bytes.get(at)? {
        b'Z' if at + 1 == bytes.len() => 0,
        sign @ (b'+' | b'-') if at + 6 == bytes.len() && bytes[at + 3] == b':' => {
            let hours = number(at + 1, at + 3).filter(|hours| *hours < 24)?;
            let minutes = number(at + 4, at + 6).filter(|minutes| *minutes < 60)?;
            let seconds = (hours * 60 + minutes) * 60;
            if *sign == b'-' { -seconds } else { seconds }
        }
        _ => return None,
    };
    let year = i16::try_from(number(0, 4)?).ok()?;
    let (month, day) = (small(5, 7)?, small(8, 10)?);
    let (hour, minute) = (small(11, 13)?, small(14, 16)?);
    let civil = DateTime::new(year, month, day, hour, minute, second, nanos).ok()?;
    let offset = jiff::tz::Offset::from_seconds(offset).ok()?;
    offset.to_timestamp(civil).ok()
}

/// Writes a time as the Kubernetes API does: UTC, whole seconds.
#[must_use]
pub fn format_seconds(time: Timestamp) -> String {
    let civil = jiff::tz::Offset::UTC.to_datetime(time);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        civil.year(),
        civil.month(),
        civil.day(),
        civil.hour(),
        civil.minute(),
        civil.second()
    )
}

/// Writes a time in UTC with as many digits of a fraction as it has.
#[must_use]
pub fn format_exact(time: Timestamp) -> String {
    let mut text = format_seconds(time);
    let nanos = jiff::tz::Offset::UTC.to_datetime(time).subsec_nanosecond();
    if nanos != 0 {
        text.pop();
        let digits = format!("{nanos:09}");
        let _ = write!(text, ".{}Z", digits.trim_end_matches('0'));
    }
    text
}

const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a length of time in Go's notation (`1h30m`, `-1.5s`, `0`), in nanoseconds.
///
/// # Errors
/// The text of Go's `time.ParseDuration`: no number, no unit, an unknown unit, or more than
/// 2^63 - 1 nanoseconds.
pub fn parse_go_duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", go_quote(text));
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let limit: u64 = 1 << 63;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let whole_len = rest.bytes().take_while(u8::is_ascii_digit).count();
        let mut value: u64 = 0;
        for byte in rest[..whole_len].bytes() {
            value = value
                .checked_mul(10)
                .and_then(|value| value.checked_add(u64::from(byte - b'0')))
                .filter(|value| *value <= limit)
                .ok_or_else(invalid)?;
        }
        rest = &rest[whole_len..];
        let (mut fraction, mut scale, mut fraction_len) = (0_u64, 1_u64, 0);
        if let Some(after) = rest.strip_prefix('.') {
            fraction_len = after.bytes().take_while(u8::is_ascii_digit).count();
            let mut full = false;
            for byte in after[..fraction_len].bytes() {
                let next = fraction
                    .checked_mul(10)
                    .and_then(|f| f.checked_add((byte - b'0').into()));
                match next.filter(|next| !full && *next < limit) {
                    Some(next) if scale < limit / 10 => {
                        fraction = next;
                        scale *= 10;
                    }
                    _ => full = true,
                }
            }
            rest = &after[fraction_len..];
        }
        if whole_len == 0 && fraction_len == 0 {
            return Err(invalid());
        }
        let unit_len = rest
            .bytes()
            .take_while(|byte| *byte != b'.' && !byte.is_ascii_digit())
            .count();
        let unit = &rest[..unit_len];
        rest = &rest[unit_len..];
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", go_quote(text)));
        }
        let Some((_, nanos)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!(
                "time: unknown unit {} in duration {}",
                go_quote(unit),
                go_quote(text)
            ));
        };
        let mut part = value
            .checked_mul(*nanos)
            .filter(|part| *part <= limit)
            .ok_or_else(invalid)?;
        if fraction > 0 {
            // Exact where Go multiplies in f64: equal for every fraction of up to nine digits.
            let extra = u128::from(fraction) * u128::from(*nanos) / u128::from(scale);
            part += u64::try_from(extra).map_err(|_| invalid())?;
        }
        total = total
            .checked_add(part)
            .filter(|total| *total <= limit)
            .ok_or_else(invalid)?;
    }
    if negative {
        return Ok(0_i64.wrapping_sub_unsigned(total));
    }
    i64::try_from(total).map_err(|_| invalid())
}

/// Writes nanoseconds in Go's notation: `1h0m0s`, `1.5s`, `250ms`, `0s`.
#[must_use]
pub fn format_go_duration(nanos: i64) -> String {
    let magnitude = nanos.unsigned_abs();
    let sign = if nanos < 0 { "-" } else { "" };
    let decimal = |value: u64, unit: u64| -> String {
        let (whole, rest) = (value / unit, value % unit);
        if rest == 0 {
            return whole.to_string();
        }
        let width = unit.ilog10() as usize;
        let digits = format!("{rest:0width$}");
        format!("{whole}.{}", digits.trim_end_matches('0'))
    };
    match magnitude {
        0 => "0s".to_owned(),
        1..1_000 => format!("{sign}{magnitude}ns"),
        1_000..1_000_000 => format!("{sign}{}µs", decimal(magnitude, 1_000)),
        1_000_000..1_000_000_000 => format!("{sign}{}ms", decimal(magnitude, 1_000_000)),
        _ => {
            let minutes = magnitude / 60_000_000_000;
            let seconds = decimal(magnitude % 60_000_000_000, 1_000_000_000);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}s"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

/// Writes nanoseconds for people: `1 h 30 min`, `2.5 s`, `0 s`; the parts that are not zero.
#[must_use]
pub fn in_words(nanos: i128) -> String {
    const SECOND: u128 = 1_000_000_000;
    let sign = if nanos < 0 { "-" } else { "" };
    let all = nanos.unsigned_abs();
    let decimal = |value: u128, unit: u128| -> String {
        let (whole, rest) = (value / unit, value % unit);
        let width = unit.ilog10() as usize;
        let digits = format!("{rest:0width$}");
        match rest {
            0 => whole.to_string(),
            _ => format!("{whole}.{}", digits.trim_end_matches('0')),
        }
    };
    let small = [
        (1_000, 1, "ns"),
        (1_000_000, 1_000, "µs"),
        (SECOND, 1_000_000, "ms"),
    ];
    let small = small.into_iter().filter(|_| all > 0);
    for (below, unit, name) in small {
        if all < below {
            return format!("{sign}{} {name}", decimal(all, unit));
        }
    }
    let (hours, minutes) = (all / SECOND / 3600, all / SECOND / 60 % 60);
    let rest = all % (60 * SECOND);
    let mut parts = Vec::new();
    if hours > 0 {
        parts.push(format!("{hours} h"));
    }
    if minutes > 0 {
        parts.push(format!("{minutes} min"));
    }
    if rest > 0 || parts.is_empty() {
        parts.push(format!("{} s", decimal(rest, SECOND)));
    }
    format!("{sign}{}", parts.join(" "))
}

/// Quotes text as Go's `%q` does; Kubernetes' messages hold values in this form.
#[must_use]
pub fn go_quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            character if character.is_ascii_control() => {
                let _ = write!(quoted, "\\x{:02x}", u32::from(character));
            }
            character if character.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let seconds = |text| parse_rfc3339(text).map(format_seconds);
        assert_eq!(
            seconds("2026-01-01T00:00:00Z").as_deref(),
            Some("2026-01-01T00:00:00Z")
        );
        assert_eq!(
            seconds("2026-01-01T02:00:00+02:00").as_deref(),
            Some("2026-01-01T00:00:00Z")
        );
        assert_eq!(
            seconds("2024-02-29T23:59:59-01:30").as_deref(),
            Some("2024-03-01T01:29:59Z")
        );
        for bad in [
            "",
            "2026-01-01",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00",
            "2026-01-01t00:00:00Z",
            "2026-02-30T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+2:00",
            "2026-01-01T00:00:00Zx",
        ] {
            assert_eq!(parse_rfc3339(bad), None, "{bad}");
        }
        let exact = parse_rfc3339("2026-01-01T00:00:00.250Z").map(format_exact);
        assert_eq!(exact.as_deref(), Some("2026-01-01T00:00:00.25Z"));
    }

    #[test]
    fn durations() {
        for (text, nanos, written) in [
            ("0", 0, "0s"),
            ("5m", 300_000_000_000, "5m0s"),
            ("1h30m", 5_400_000_000_000, "1h30m0s"),
            ("-1.5h", -5_400_000_000_000, "-1h30m0s"),
            ("1.5s", 1_500_000_000, "1.5s"),
            (".5s", 500_000_000, "500ms"),
            ("5.s", 5_000_000_000, "5s"),
            ("+1us", 1_000, "1µs"),
            ("1500us", 1_500_000, "1.5ms"),
            ("3ns", 3, "3ns"),
            ("100h", 360_000_000_000_000, "100h0m0s"),
        ] {
            assert_eq!(parse_go_duration(text), Ok(nanos), "{text}");
            assert_eq!(format_go_duration(nanos), written);
        }
        for (text, error) in [
            ("", "time: invalid duration \"\""),
            ("10", "time: missing unit in duration \"10\""),
            ("10mx", "time: unknown unit \"mx\" in duration \"10mx\""),
            ("2h|", "time: unknown unit \"h|\" in duration \"2h|\""),
            ("1d", "time: unknown unit \"d\" in duration \"1d\""),
            ("xNone", "time: invalid duration \"xNone\""),
            (".s", "time: invalid duration \".s\""),
            (
                "9223372036854775808ns",
                "time: invalid duration \"9223372036854775808ns\"",
            ),
        ] {
            assert_eq!(parse_go_duration(text), Err(error.to_owned()));
        }
        assert_eq!(parse_go_duration("-9223372036854775808ns"), Ok(i64::MIN));
    }

    #[test]
    fn people_read_hours_and_minutes() {
        const SECOND: i128 = 1_000_000_000;
        for (nanos, words) in [
            (0, "0 s"),
            (5_400 * SECOND, "1 h 30 min"),
            (7_320 * SECOND, "2 h 2 min"),
            (3_601 * SECOND, "1 h 1 s"),
            (-90 * SECOND, "-1 min 30 s"),
            (5 * SECOND / 2, "2.5 s"),
            (250_000_000, "250 ms"),
            (1_500, "1.5 µs"),
            (7, "7 ns"),
            (
                i128::from(i64::MAX) * SECOND,
                "2562047788015215 h 30 min 7 s",
            ),
        ] {
            assert_eq!(in_words(nanos), words);
        }
    }
}
