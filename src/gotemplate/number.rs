//! Numbers and characters as Go writes them.

use super::quote;
use super::tree::Number;

/// The type of a number in an action; `None` if Go refuses it.
pub(super) fn read(text: &str) -> Option<Number> {
    if let Some(inner) = text.strip_prefix('\'') {
        let value = quote::unescaped(inner.strip_suffix('\'')?, '\'')?;
        return (value.chars().count() == 1).then_some(Number::Char);
    }
    if let Some(real) = text.strip_suffix('i') {
        // The sign between the two parts, if there are two.
        let sign = real
            .rfind(['+', '-'])
            .filter(|at| *at > 0 && !matches!(real.as_bytes()[at - 1], b'e' | b'E' | b'p' | b'P'));
        let (first, second) = sign.map_or((None, real), |at| (Some(&real[..at]), &real[at..]));
        let is_number = |part: &str| is_int(part) || float(part).is_some();
        let both = first.is_none_or(is_number) && is_number(second);
        return both.then_some(Number::Complex);
    }
    if is_int(text) {
        return Some(Number::Int);
    }
    // A whole number that is no integer is too large, or has digits that its base does not have.
    if !text.contains(['.', 'e', 'E', 'p', 'P']) {
        return None;
    }
    let value = float(text)?;
    let whole = value.fract() == 0.0 && value.abs() < 9e18;
    Some(if whole {
        Number::WholeFloat
    } else {
        Number::Float
    })
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

/// Whether underscores separate digits.
fn separates(digits: &str, after_prefix: bool) -> bool {
    let edges = digits.ends_with('_') || (digits.starts_with('_') && !after_prefix);
    !edges && !digits.contains("__")
}

fn is_int(text: &str) -> bool {
    let digits = unsigned(text);
    let (radix, digits, prefixed) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..], true),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..], true),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..], true),
        [b'0', _, ..] => (8, &digits[1..], true),
        _ => (10, digits, false),
    };
    let plain: String = digits.chars().filter(|digit| *digit != '_').collect();
    let Ok(value) = u64::from_str_radix(&plain, radix) else {
        return false;
    };
    let fits = !text.starts_with('-') || value <= 1 << 63;
    fits && !plain.starts_with(['+', '-']) && separates(digits, prefixed)
}

/// The value of a number with a point or an exponent. Of a hexadecimal one only whether it is one
/// matters: it never counts as whole.
fn float(text: &str) -> Option<f64> {
    let digits = unsigned(text);
    if let [b'0', b'x' | b'X', ..] = digits.as_bytes() {
        let (mantissa, exponent) = digits[2..].split_once(['p', 'P'])?;
        let is_hex = |digit: char| digit.is_ascii_hexdigit() || matches!(digit, '.' | '_');
        let fine = mantissa.chars().any(|digit| digit.is_ascii_hexdigit())
            && mantissa.chars().all(is_hex)
            && mantissa.matches('.').count() <= 1
            && exponent.parse::<i32>().is_ok();
        return fine.then_some(0.5);
    }
    let plain = digits.replace('_', "");
    let fine = plain.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && separates(digits, false);
    plain
        .parse()
        .ok()
        .filter(|value: &f64| fine && value.is_finite())
}
