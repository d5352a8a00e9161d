//! What a plain scalar is: YAML 1.1 as the original readers see it.
//!
//! Source: design decision 8; Airship deployment strategy, section 2 (the resolver of
//! PyYAML's safe loader); Kubernetes readers also take `y` and `n` for booleans.

/// Which reader's rules hold for a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Kubernetes documents (ogc, ocm, hybrid): `y` and `n` are booleans.
    Kubernetes,
    /// Airship and Senlin documents: `y` and `n` are text.
    PyYaml,
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
    /// A whole number beyond 128 bits; its decimal digits (with sign).
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

/// Whether a plain scalar of this text is text to the reader.
#[must_use]
pub fn plain_scalar(text: &str, dialect: Dialect) -> bool {
    matches!(resolve(text, dialect), Scalar::Text(_)) && text != "=" && text != "<<"
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
        b'0'..=b'9' | b'+' | b'-' | b'.' => number(text, dialect),
        _ => Scalar::Text(text),
    }
}

fn word(text: &str, dialect: Dialect) -> Scalar<'_> {
    match text {
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Scalar::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "y" | "Y" if dialect == Dialect::Kubernetes => Scalar::Bool(true),
        "n" | "N" if dialect == Dialect::Kubernetes => Scalar::Bool(false),
        _ => Scalar::Text(text),
    }
}

fn number(text: &str, dialect: Dialect) -> Scalar<'_> {
    if let Some(int) = integer(text) {
        return int;
    }
    if let Some(float) = float(text).filter(|_| dialect == Dialect::Kubernetes || !odd(text)) {
        return Scalar::Float(float);
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
    let big = Scalar::BigInt(text);
    let typed = |value: Option<i128>| Some(value.map_or(big, Scalar::Int));
    match bytes {
        [b'0'] => Some(Scalar::Int(0)),
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

/// What PyYAML's resolver leaves text although it looks like a number: a sign before a
/// leading point, and a point with an underscore after it.
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

/// `YYYY-MM-DD`, or a date and a time in the forms of YAML 1.1.
/// A text of a time's form without such a day or hour, like `2020-02-30`; PyYAML's reader fails.
pub(crate) fn is_impossible_time(text: &str) -> bool {
    text.as_bytes().get(4) == Some(&b'-') && is_time(text) && !exists(text)
}

fn exists(time: &str) -> bool {
    let mut numbers = time
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse::<i16>().unwrap_or(i16::MAX));
    let mut next = || numbers.next().unwrap_or(0);
    let year = next();
    let mut small = || i8::try_from(next()).unwrap_or(i8::MAX);
    let day = jiff::civil::Date::new(year, small(), small());
    let clock = jiff::civil::Time::new(small(), small(), small(), 0);
    year > 0 && day.is_ok() && clock.is_ok()
}

/// Whether PyYAML's reader makes a value of the text under the tag `int`, `float`, `bool` or
/// `timestamp`.
pub(crate) fn fits(tag: &str, text: &str) -> bool {
    let value = number(text, Dialect::PyYaml);
    let whole = matches!(value, Scalar::Int(_) | Scalar::BigInt(_));
    match tag {
        "int" => whole,
        "float" => whole || matches!(value, Scalar::Float(_)) || text.parse::<f64>().is_ok(),
        "bool" => matches!(
            text.to_ascii_lowercase().as_str(),
            "yes" | "no" | "true" | "false" | "on" | "off"
        ),
        _ => is_time(text) && exists(text),
    }
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| {
        to <= bytes.len() && from < to && bytes[from..to].iter().all(u8::is_ascii_digit)
    };
    if bytes.len() < 8 || !digits(0, 4) || bytes[4] != b'-' {
        return false;
    }
    if bytes.len() == 10 && digits(5, 7) && bytes[7] == b'-' && digits(8, 10) {
        return true;
    }
    let Some(rest) = text[5..].split_once('-') else {
        return false;
    };
    let (month, rest) = rest;
    let small =
        |part: &str| matches!(part.len(), 1 | 2) && part.bytes().all(|byte| byte.is_ascii_digit());
    let day_end = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !small(month) || !small(&rest[..day_end]) {
        return false;
    }
    let after_day = &rest[day_end..];
    let time = match after_day.as_bytes().first() {
        Some(b'T' | b't') => &after_day[1..],
        Some(b' ' | b'\t') => after_day.trim_start_matches([' ', '\t']),
        _ => return false,
    };
    let (clock, zone) = match time.find(['Z', '+', '-', ' ', '\t']) {
        Some(at) => (&time[..at], time[at..].trim_start_matches([' ', '\t'])),
        None => (time, ""),
    };
    let mut parts = clock.split(':');
    let (Some(hour), Some(minute), Some(second), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let (whole, fraction) = second.split_once('.').unwrap_or((second, ""));
    let clock_good = small(hour)
        && minute.len() == 2
        && small(minute)
        && whole.len() == 2
        && small(whole)
        && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let zone_good = zone.is_empty()
        || zone == "Z"
        || zone.strip_prefix(['+', '-']).is_some_and(|zone| {
            let (hours, minutes) = zone.split_once(':').unwrap_or((zone, "00"));
            small(hours) && minutes.len() == 2 && small(minutes)
        });
    clock_good && zone_good
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_are_read_as_yaml_1_1() {
        use Scalar::{Bool, Float, Int, Null, Text, Time};
        let cases = [
            ("", Null),
            ("null", Null),
            ("yes", Bool(true)),
            ("Off", Bool(false)),
            ("y", Text("y")),
            ("0", Int(0)),
            ("-0", Int(0)),
            ("0144", Int(100)),
            ("0x32", Int(50)),
            ("0b11", Int(3)),
            ("1_000", Int(1000)),
            ("12:30", Int(750)),
            ("+7", Int(7)),
            ("08", Text("08")),
            ("0o17", Text("0o17")),
            ("1e3", Text("1e3")),
            ("1.2.3", Text("1.2.3")),
            (".5", Float(0.5)),
            ("1.", Float(1.0)),
            ("1.5e+3", Float(1500.0)),
            ("1.5e3", Text("1.5e3")),
            ("-", Text("-")),
            (".", Text(".")),
            ("1:60", Text("1:60")),
            ("190:20:30.15", Float(685_230.15)),
            ("2020-01-01", Time("2020-01-01")),
            ("2023-02-11T09:00:00Z", Time("2023-02-11T09:00:00Z")),
            (
                "2001-12-14 21:59:43.10 -5",
                Time("2001-12-14 21:59:43.10 -5"),
            ),
            ("2020-1-1", Text("2020-1-1")),
            ("none", Text("none")),
        ];
        for (text, wanted) in cases {
            assert_eq!(resolve(text, Dialect::PyYaml), wanted, "{text}");
        }
        assert_eq!(resolve("y", Dialect::Kubernetes), Bool(true));
        let big = "9".repeat(60);
        assert_eq!(resolve(&big, Dialect::PyYaml), Scalar::BigInt(&big));
    }
}
