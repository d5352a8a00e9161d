//! What a plain scalar is to the API server: the rules of its reader, which is go-yaml 2 behind
//! a conversion to JSON. Base 60 and dates are text to it; a leading zero makes an octal number
//! where it can and a decimal one with a point where it cannot.

use super::scalar::{Scalar, is_null_text};

/// The type of a plain scalar.
pub(super) fn resolve(text: &str) -> Scalar<'_> {
    if is_null_text(text) {
        return Scalar::Null;
    }
    let read = match text.as_bytes()[0] {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => {
            word(text).map(Scalar::Bool)
        }
        b'.' => special(text).or_else(|| go_float(text)).map(Scalar::Float),
        b'+' | b'-' | b'0'..=b'9' => {
            let plain = text.replace('_', "");
            special(text)
                .map(Scalar::Float)
                .or_else(|| integer(&plain).map(Scalar::Int))
                .or_else(|| float(&plain).map(Scalar::Float))
        }
        _ => None,
    };
    read.unwrap_or(Scalar::Text(text))
}

fn word(text: &str) -> Option<bool> {
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => true,
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            false
        }
        _ => return None,
    })
}

fn special(text: &str) -> Option<f64> {
    Some(match text {
        ".nan" | ".NaN" | ".NAN" => f64::NAN,
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => f64::INFINITY,
        "-.inf" | "-.Inf" | "-.INF" => f64::NEG_INFINITY,
        _ => return None,
    })
}

/// Go's `ParseInt` with base 0, then `ParseUint`.
fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', b'o' | b'O', ..] => (&digits[2..], 8),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    let signed = text.starts_with(['+', '-']);
    let value = if negative { -value } else { value };
    let fits = i64::try_from(value).is_ok() || (!signed && u64::try_from(value).is_ok());
    fits.then_some(value)
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, if it is not too large.
fn float(text: &str) -> Option<f64> {
    let bare = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match bare.find(['e', 'E']) {
        Some(at) => (&bare[..at], Some(&bare[at + 1..])),
        None => (bare, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let point_first = whole.is_empty() && mantissa.starts_with('.');
    let good = digits(whole)
        && digits(fraction)
        && (!whole.is_empty() || (point_first && !fraction.is_empty()));
    let good_exponent = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    if !good || !good_exponent {
        return None;
    }
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// Go's `ParseFloat` of a text that begins with a point: underscores stand between digits only.
fn go_float(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    let stray = |(at, byte): (usize, &u8)| {
        *byte == b'_' && !(digit(at.checked_sub(1)) && digit(Some(at + 1)))
    };
    if bytes.iter().enumerate().any(stray) {
        return None;
    }
    float(&text.replace('_', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_what_go_makes_of_them() {
        use Scalar::{Bool, Float, Int, Null, Text};
        for (text, wanted) in [
            ("", Null),
            ("~", Null),
            ("NULL", Null),
            ("y", Bool(true)),
            ("Off", Bool(false)),
            ("yEs", Text("yEs")),
            ("1e3", Float(1000.0)),
            ("12e03", Float(12000.0)),
            ("08", Float(8.0)),
            ("0o17", Int(15)),
            ("017", Int(15)),
            ("0X1f", Int(31)),
            ("-0b11", Int(-3)),
            ("0_", Int(0)),
            ("1__0", Int(10)),
            ("12:30", Text("12:30")),
            ("190:20:30.15", Text("190:20:30.15")),
            ("2020-01-01", Text("2020-01-01")),
            ("+.5", Float(0.5)),
            (".5_5", Float(0.55)),
            ("._5", Text("._5")),
            (".", Text(".")),
            ("1.", Float(1.0)),
            ("1_000.5", Float(1000.5)),
            ("0x", Text("0x")),
            ("0b2", Text("0b2")),
            ("18446744073709551615", Int(18_446_744_073_709_551_615)),
            ("18446744073709551616", Float(18_446_744_073_709_551_616.0)),
            ("-9223372036854775809", Float(-9_223_372_036_854_775_808.0)),
            ("1e999", Text("1e999")),
            ("+", Text("+")),
            ("-.inf", Float(f64::NEG_INFINITY)),
            ("=", Text("=")),
            ("1e", Text("1e")),
        ] {
            assert_eq!(resolve(text), wanted, "{text}");
        }
    }
}
