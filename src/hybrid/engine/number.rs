//! Exact numbers by which the best candidates are found.

use crate::kit::quantity::Quantity;

/// Reads a decimal number: an optional sign, digits, an optional fraction.
pub(super) fn decimal(text: &str) -> Option<i128> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let number = Quantity::parse(text).ok().filter(|_| plain)?;
    Some(number.nano())
}

/// Reads a Kubernetes quantity; other texts count as zero.
pub(super) fn quantity(text: &str) -> i128 {
    Quantity::parse(text).unwrap_or(Quantity::ZERO).nano()
}

/// Divides all numbers by their greatest common divisor: the same order and the same ratios in
/// numbers that are cheap to divide.
pub(super) fn reduce(values: &mut [Option<i128>]) {
    let numbers = values.iter().flatten().copied();
    let divisor = numbers.fold(0, |a, b| gcd(a, b.unsigned_abs()));
    if let Ok(divisor @ 2..) = i128::try_from(divisor) {
        for value in values.iter_mut().flatten() {
            *value /= divisor;
        }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// 100 times the ratio, rounded down; the divisor is positive.
pub(super) fn percent(value: i128, of: i128) -> i64 {
    let scaled = value.saturating_mul(100);
    if let (Ok(scaled), Ok(of)) = (i64::try_from(scaled), i64::try_from(of)) {
        return scaled.div_euclid(of);
    }
    let clamped = scaled.div_euclid(of);
    i64::try_from(clamped).unwrap_or(if clamped < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_plain_decimal_numbers() {
        assert_eq!(decimal("12.50"), decimal("12.5"));
        assert!(decimal("9") < decimal("12.50"));
        assert!(decimal("-1") < decimal("0"));
        for text in ["", "1e3", "5k", "cheap", "1.2.3", ".", "0x10", "1_0"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }

    #[test]
    fn quantities_compare_across_notations() {
        assert!(quantity("1.5e10") < quantity("16000M"));
        assert!(quantity("16000M") < quantity("16Gi"));
        assert_eq!(quantity("lots"), 0);
    }

    #[test]
    fn percentages_round_down() {
        assert_eq!(percent(1, 3), 33);
        assert_eq!(percent(-1, 3), -34);
        assert_eq!(percent(3, 3), 100);
        assert_eq!(percent(i128::MAX / 100, i128::MAX / 100), 100);
    }

    #[test]
    fn reduction_keeps_order_and_ratio() {
        let mut values = [Some(6_000_000_000), None, Some(-4_000_000_000), Some(0)];
        reduce(&mut values);
        assert_eq!(values, [Some(3), None, Some(-2), Some(0)]);
    }
}
