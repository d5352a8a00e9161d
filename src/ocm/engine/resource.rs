//! CPU and memory as upstream's own arithmetic has them.

use crate::kit::quantity::{Parts, Quantity};

/// Which resource a prioritizer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// CPU cores.
    Cpu,
    /// Bytes of memory.
    Memory,
}

/// A resource's score in upstream's own floating point (upstream `plugins/resource`): from -100 to
/// 100.
#[must_use]
pub fn resource_score(value: f64, lo: f64, hi: f64) -> i8 {
    if hi - lo == 0.0 {
        return 100;
    }
    let ratio = (value - lo) / (hi - lo);
    (((ratio - 0.5) * 2.0) * 100.0) as i8
}

/// 10^s as the nearest double; infinite beyond 10^308.
fn power_of_ten(scale: i64) -> f64 {
    format!("1e{}", scale.min(400))
        .parse()
        .unwrap_or(f64::INFINITY)
}

/// A quantity as Kubernetes' `AsApproximateFloat64` gives it, with its two paths and their
/// roundings (upstream `plugins/resource`). `None` when the text is not a quantity.
#[must_use]
pub fn allocatable(text: &str) -> Option<f64> {
    let exact = Quantity::parse(text).ok()?;
    if text == "0" {
        return Some(0.0);
    }
    let Parts {
        negative,
        whole,
        fraction: den,
        suffix,
    } = Parts::of(text);
    let num = match whole.trim_start_matches('0') {
        "" => "0",
        num => num,
    };
    let (binary, exponent) = match suffix {
        "Ki" => (true, 10),
        "Mi" => (true, 20),
        "Gi" => (true, 30),
        "Ti" => (true, 40),
        "Pi" => (true, 50),
        "Ei" => (true, 60),
        "n" => (false, -9),
        "u" => (false, -6),
        "m" => (false, -3),
        "" => (false, 0),
        "k" => (false, 3),
        "M" => (false, 6),
        "G" => (false, 9),
        "T" => (false, 12),
        "P" => (false, 15),
        "E" => (false, 18),
        power => (false, power[1..].parse::<i64>().unwrap_or(i64::MAX / 2)),
    };
    let (num_len, den_len) = (num.len() as i64, den.len() as i64);
    let precision = match (binary, den_len) {
        (false, _) => 18 - num_len - den_len,
        (true, 0) => 15 - num_len - (3 * exponent).div_euclid(10) - 1,
        (true, _) => -1,
    };
    let scale = if binary { 0 } else { exponent - den_len };
    if precision >= 0 && scale >= -9 {
        let digits = match den {
            "" => num.parse::<i64>(),
            _ => format!("{num}{den}").parse(),
        };
        let shifted = digits
            .ok()
            .and_then(|v| v.checked_mul(if binary { 1 << exponent } else { 1 }));
        if let Some(value) = shifted {
            let value = if negative { -value } else { value } as f64;
            return Some(if scale == 0 {
                value
            } else {
                value * power_of_ten(scale)
            });
        }
    }
    let nano = exact.nano();
    if nano == 0 {
        return Some(0.0);
    }
    let limit = i128::from(i64::MAX) * 1_000_000_000;
    if binary && nano.abs() >= limit {
        let value = i64::MAX as f64;
        return Some(if negative { -value } else { value });
    }
    Some(nano as f64 * 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_read_as_upstream_reads_them() {
        for (text, value) in [
            ("0", 0.0),
            ("4", 4.0),
            ("004", 4.0),
            ("3500m", 3500.0 * 0.001),
            ("1E", 1e18),
            ("1E3", 1000.0),
            ("1.5", 15.0 * 0.1),
            ("128Gi", 137_438_953_472.0),
            ("131072Gi", 140_737_488_355_328_000_000_000_f64 * 1e-9),
            ("1.5Gi", 1_610_612_736_000_000_000_f64 * 1e-9),
            ("9Ei", 9_223_372_036_854_775_807_f64),
            ("-1", -1.0),
            ("0.0", 0.0),
            ("1n", 1.0 * 1e-9),
        ] {
            assert_eq!(allocatable(text), Some(value), "{text}");
        }
        assert_eq!(allocatable("lots"), None);
        assert_eq!(resource_score(1.0, 1.0, 1.0), 100);
        assert_eq!(resource_score(2.0, 1.0, 3.0), 0);
    }
}
