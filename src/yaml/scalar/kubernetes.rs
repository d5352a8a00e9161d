//! Numbers as the reader of Kubernetes' API server has them.
//!
//! That reader is the second version of go-yaml: an integer is what Go takes for one in any
//! notation, underscores left out; a decimal number is one with or without a point and an
//! exponent; times are text; there is no base 60.

use std::borrow::Cow;

use super::Scalar;

/// Resolves a plain scalar that begins with a digit, a sign or a point.
pub(super) fn number(text: &str) -> Scalar<'_> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let float = match unsigned {
        ".inf" | ".Inf" | ".INF" => Some(f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" if unsigned.len() == text.len() => Some(f64::NAN),
        _ => None,
    };
    if let Some(float) = float {
        let negative = text.starts_with('-');
        return Scalar::Float(if negative { -float } else { float });
    }
    if text.starts_with('.') {
        let found = separated(text).then(|| decimal(&bare(text))).flatten();
        return found.map_or(Scalar::Text(text), Scalar::Float);
    }
    let plain = bare(text);
    integer(&plain)
        .or_else(|| decimal(&plain).map(Scalar::Float))
        .or_else(|| signed_bits(&plain).map(Scalar::Int))
        .unwrap_or(Scalar::Text(text))
}

/// The text without underscores.
fn bare(text: &str) -> Cow<'_, str> {
    if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether every underscore has a digit on both sides.
fn separated(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut places = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_');
    places.all(|(at, _)| digit(at.wrapping_sub(1)) && digit(at + 1))
}

/// A whole number in any notation. One of more than 64 bits is left to [`decimal`].
fn integer(plain: &str) -> Option<Scalar<'static>> {
    let (negative, signed, digits) = match plain.as_bytes().first()? {
        b'-' => (true, true, &plain[1..]),
        b'+' => (false, true, &plain[1..]),
        _ => (false, false, plain),
    };
    let bytes = digits.as_bytes();
    let prefix = bytes.get(1).map(u8::to_ascii_lowercase);
    let (radix, digits) = match (bytes.first()?, prefix) {
        (b'0', Some(b'x')) => (16, &digits[2..]),
        (b'0', Some(b'o')) => (8, &digits[2..]),
        (b'0', Some(b'b')) => (2, &digits[2..]),
        (b'0', Some(_)) => (8, &digits[1..]),
        _ => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    let value = if negative { -value } else { value };
    let fits = i64::try_from(value).is_ok() || (!signed && u64::try_from(value).is_ok());
    fits.then_some(Scalar::Int(value))
}

/// A decimal number; none that is larger than a float can be.
fn decimal(plain: &str) -> Option<f64> {
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(plain);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_good = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    let any = !whole.is_empty() || !fraction.is_empty();
    let good = any && all_digits(whole) && all_digits(fraction) && exponent_good;
    let value = plain.parse::<f64>().ok().filter(|_| good)?;
    value.is_finite().then_some(value)
}

/// A sign behind `0b`, which go-yaml lets pass.
fn signed_bits(plain: &str) -> Option<i128> {
    let bits = plain.strip_prefix("0b")?;
    let value = i64::from_str_radix(bits, 2).ok()?;
    Some(value.into())
}
