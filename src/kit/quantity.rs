//! Kubernetes resource quantities in exact integer arithmetic.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

const NANO_PER_UNIT: u128 = 1_000_000_000;
const LIMIT: u128 = i128::MAX as u128;

/// An amount of a resource, in billionths of its unit (CPU cores, bytes, pieces).
///
/// Parsing and addition are exact within the range of the type (about 1.7e29 units, far beyond
/// Kubernetes' own cap of 2^63 - 1 units). What is finer than a billionth is rounded away from
/// zero, as Kubernetes does; what is larger stays at the limit. `1G` is not `1Gi`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity {
    nano: i128,
}

/// Why a text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// The text is empty.
    Empty,
    /// No decimal number is at the beginning.
    Number,
    /// The rest after the number is neither a known suffix nor a decimal exponent.
    Suffix,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it is empty",
            Self::Number => "it does not begin with a decimal number",
            Self::Suffix => {
                "its suffix is not one of n u m k M G T P E Ki Mi Gi Ti Pi Ei or an exponent"
            }
        })
    }
}

impl std::error::Error for QuantityError {}

impl Quantity {
    /// The quantity without a sign that a text seems to mean which is none: `10 GB`, `4 cores`.
    #[must_use]
    pub fn meant(text: &str) -> Option<String> {
        let text: String = text.split_whitespace().collect();
        let end = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, unit) = text.split_at(end);
        let is_signed = number.starts_with(['-', '+']);
        let unit = match unit.to_ascii_lowercase().as_str() {
            _ if is_signed => return None,
            // Thousandths, where a capital means millions.
            _ if unit == "m" => "m",
            "core" | "cores" | "cpu" | "cpus" | "vcpu" | "vcpus" | "b" | "byte" | "bytes" => "",
            "k" | "kb" => "k",
            "m" | "mb" => "M",
            "g" | "gb" => "G",
            "t" | "tb" => "T",
            "p" | "pb" => "P",
            "ki" | "kib" => "Ki",
            "mi" | "mib" => "Mi",
            "gi" | "gib" => "Gi",
            "ti" | "tib" => "Ti",
            "pi" | "pib" => "Pi",
            _ => return None,
        };
        let meant = format!("{number}{unit}");
        Self::parse(&meant).ok().map(|_| meant)
    }
}

/// The factor for the number before a suffix.
enum Scale {
    Decimal(i64),
    Binary(u32),
}

/// The parts of a quantity's text, whether or not it is one.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'t> {
    /// It starts with `-`.
    pub negative: bool,
    /// The digits before the point.
    pub whole: &'t str,
    /// The digits after it, and further points if there are any.
    pub fraction: &'t str,
    /// The text after the number.
    pub suffix: &'t str,
}

impl<'t> Parts<'t> {
    /// Cuts a text into them.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let end = unsigned
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        Self {
            negative: text.starts_with('-'),
            whole,
            fraction,
            suffix,
        }
    }
}

impl Quantity {
    /// Nothing.
    pub const ZERO: Self = Self { nano: 0 };

    /// A number of billionths of a unit.
    #[must_use]
    pub const fn from_nano(nano: i128) -> Self {
        Self { nano }
    }

    /// A number of whole units.
    #[must_use]
    pub fn from_units(units: i64) -> Self {
        Self {
            nano: i128::from(units) * NANO_PER_UNIT as i128,
        }
    }

    /// The amount in billionths of a unit.
    #[must_use]
    pub const fn nano(self) -> i128 {
        self.nano
    }

    /// Whole units, rounded away from zero (Kubernetes' `Value()`), without its cap.
    #[must_use]
    pub fn value(self) -> i128 {
        self.rounded_up(NANO_PER_UNIT)
    }

    /// Thousandths of a unit, rounded away from zero (Kubernetes' `MilliValue()`).
    #[must_use]
    pub fn milli_value(self) -> i128 {
        self.rounded_up(NANO_PER_UNIT / 1000)
    }

    fn rounded_up(self, divisor: u128) -> i128 {
        signed(self.nano < 0, self.nano.unsigned_abs().div_ceil(divisor))
    }

    /// Reads a quantity: an optional sign, a decimal number (`1`, `1.5`, `1.`, `.5`), then one of
    /// `n u m k M G T P E`, `Ki Mi Gi Ti Pi Ei`, a decimal exponent (`e3`, `E-3`), or nothing.
    ///
    /// `1E` is 10^18 and `1E3` is 1000. Who takes no sign refuses it before asking here.
    ///
    /// # Errors
    ///
    /// Says which part of the text does not fit the grammar.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::Empty);
        }
        let Parts {
            negative,
            whole,
            fraction,
            suffix,
        } = Parts::of(text);
        if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
            return Err(QuantityError::Number);
        }
        let magnitude = match scale(suffix)? {
            Scale::Decimal(power) => decimal(whole, fraction, power),
            Scale::Binary(shift) => binary(whole, fraction, shift),
        };
        Ok(Self {
            nano: signed(negative, magnitude),
        })
    }

    /// Written in the decimal form Kubernetes gives CPU: `4`, `500m`, `1k`.
    #[must_use]
    pub fn decimal(self) -> String {
        const STEPS: [(&str, u32); 10] = [
            ("E", 27),
            ("P", 24),
            ("T", 21),
            ("G", 18),
            ("M", 15),
            ("k", 12),
            ("", 9),
            ("m", 6),
            ("u", 3),
            ("n", 0),
        ];
        let magnitude = self.nano.unsigned_abs();
        let (suffix, divisor) = STEPS
            .iter()
            .map(|&(suffix, power)| (suffix, 10_u128.pow(power)))
            .find(|&(_, divisor)| magnitude.is_multiple_of(divisor))
            .filter(|_| magnitude > 0)
            .unwrap_or(("", NANO_PER_UNIT));
        self.written(magnitude / divisor, suffix)
    }

    /// Written in the binary form Kubernetes gives memory (`4Gi`) where that is the shorter one,
    /// else as [`Self::decimal`].
    #[must_use]
    pub fn binary(self) -> String {
        let magnitude = self.nano.unsigned_abs();
        let decimal = self.decimal();
        ["Ei", "Pi", "Ti", "Gi", "Mi", "Ki"]
            .iter()
            .zip((1..=6).rev())
            .map(|(suffix, step)| (suffix, NANO_PER_UNIT << (10 * step)))
            .find(|&(_, divisor)| magnitude > 0 && magnitude.is_multiple_of(divisor))
            .map(|(suffix, divisor)| self.written(magnitude / divisor, suffix))
            .filter(|binary| binary.len() < decimal.len())
            .unwrap_or(decimal)
    }

    /// Written for people: in the largest binary unit that it reaches, with two digits after the
    /// point at most, rounded up.
    #[must_use]
    pub fn rounded(self) -> String {
        let magnitude = self.nano.unsigned_abs();
        let units = ["Ei", "Pi", "Ti", "Gi", "Mi", "Ki"]
            .iter()
            .zip((1..=6).rev());
        let units = units.map(|(suffix, step)| (suffix, NANO_PER_UNIT << (10 * step)));
        let mut reached = units.filter(|(_, divisor)| magnitude >= *divisor);
        match reached.next() {
            Some((suffix, divisor)) => self.in_units(divisor, suffix),
            None => self.decimal(),
        }
    }

    /// Written for people as a plain number, with two digits after the point at most, rounded up:
    /// a sum of CPU.
    #[must_use]
    pub fn plain(self) -> String {
        self.in_units(NANO_PER_UNIT, "")
    }

    fn in_units(self, divisor: u128, suffix: &str) -> String {
        let magnitude = self.nano.unsigned_abs();
        let hundredths = magnitude.saturating_mul(100).div_ceil(divisor);
        let (whole, rest) = (hundredths / 100, hundredths % 100);
        let rest = match rest {
            0 => String::new(),
            rest if rest % 10 == 0 => format!(".{}", rest / 10),
            rest => format!(".{rest:02}"),
        };
        format!(
            "{}{whole}{rest}{suffix}",
            if self.nano < 0 { "-" } else { "" }
        )
    }

    fn written(self, number: u128, suffix: &str) -> String {
        format!("{}{number}{suffix}", if self.nano < 0 { "-" } else { "" })
    }
}

impl Add for Quantity {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            nano: self.nano.saturating_add(other.nano),
        }
    }
}

impl Sum for Quantity {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

fn signed(negative: bool, magnitude: u128) -> i128 {
    let magnitude = magnitude.min(LIMIT) as i128;
    if negative { -magnitude } else { magnitude }
}

fn scale(suffix: &str) -> Result<Scale, QuantityError> {
    let power = match suffix {
        "n" => -9,
        "u" => -6,
        "m" => -3,
        "" => 0,
        "k" => 3,
        "M" => 6,
        "G" => 9,
        "T" => 12,
        "P" => 15,
        "E" => 18,
        "Ki" => return Ok(Scale::Binary(10)),
        "Mi" => return Ok(Scale::Binary(20)),
        "Gi" => return Ok(Scale::Binary(30)),
        "Ti" => return Ok(Scale::Binary(40)),
        "Pi" => return Ok(Scale::Binary(50)),
        "Ei" => return Ok(Scale::Binary(60)),
        _ => return exponent(suffix).map(Scale::Decimal),
    };
    Ok(Scale::Decimal(power))
}

/// A decimal exponent of any length; beyond a million it makes no difference any more.
fn exponent(suffix: &str) -> Result<i64, QuantityError> {
    const FAR: i64 = 1_000_000_000_000;
    let digits = suffix
        .strip_prefix(['e', 'E'])
        .ok_or(QuantityError::Suffix)?;
    let unsigned = digits.strip_prefix(['-', '+']).unwrap_or(digits);
    if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return Err(QuantityError::Suffix);
    }
    let power = unsigned.parse::<i64>().unwrap_or(FAR).min(FAR);
    Ok(if digits.starts_with('-') {
        -power
    } else {
        power
    })
}

/// `whole.fraction` times ten to the `power`, in billionths, rounded up.
fn decimal(whole: &str, fraction: &str, power: i64) -> u128 {
    // Most quantities are short whole numbers.
    if let (true, Ok(units), 0..=27) = (fraction.is_empty(), whole.parse::<u64>(), power + 9) {
        return u128::from(units).saturating_mul(10_u128.pow((power + 9) as u32));
    }
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().all(|b| b == b'0') {
        return 0;
    }
    let total = whole.len() + fraction.len();
    // How many of the digits stand before the point once the number is in billionths.
    let kept = whole.len() as i64 + power + 9;
    let mut magnitude = 0_u128;
    for digit in digits().take(usize::try_from(kept).unwrap_or(0).min(total)) {
        magnitude = push_digit(magnitude, digit);
    }
    for _ in (total as i64)..kept {
        if magnitude > LIMIT {
            break;
        }
        magnitude = push_digit(magnitude, b'0');
    }
    let lost = digits().skip(usize::try_from(kept).unwrap_or(0));
    magnitude.saturating_add(u128::from(lost.into_iter().any(|b| b != b'0')))
}

/// `whole.fraction` times two to the `shift`, in billionths, rounded up.
fn binary(whole: &str, fraction: &str, shift: u32) -> u128 {
    let mut units = 0_u128;
    for digit in whole.bytes() {
        units = push_digit(units, digit);
    }
    let factor = NANO_PER_UNIT << shift;
    // Long multiplication from the last digit on: what is carried out at the point is the whole
    // part of `0.fraction * factor`, a digit left behind is part of a billionth.
    let (mut carry, mut inexact) = (0_u128, false);
    for digit in fraction.bytes().rev() {
        let product = u128::from(digit - b'0') * factor + carry;
        inexact |= !product.is_multiple_of(10);
        carry = product / 10;
    }
    units
        .saturating_mul(factor)
        .saturating_add(carry)
        .saturating_add(u128::from(inexact))
}

fn push_digit(number: u128, digit: u8) -> u128 {
    number
        .saturating_mul(10)
        .saturating_add(u128::from(digit - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nano(text: &str) -> i128 {
        Quantity::parse(text).expect(text).nano()
    }

    #[test]
    fn people_get_few_digits() {
        for (text, wanted) in [
            ("41216Mi", "40.25Gi"),
            ("32Gi", "32Gi"),
            ("1536Mi", "1.5Gi"),
            ("34359738369", "32.01Gi"),
            ("1000", "1k"),
            ("500m", "500m"),
            ("0", "0"),
        ] {
            let quantity = Quantity::parse(text).expect(text);
            assert_eq!(quantity.rounded(), wanted, "{text}");
        }
    }

    #[test]
    fn suffixes_scale_exactly() {
        const ONE: i128 = 1_000_000_000;
        for (text, wanted) in [
            ("0", 0),
            ("500m", ONE / 2),
            ("1.5", ONE * 3 / 2),
            (".5", ONE / 2),
            ("5.", ONE * 5),
            ("010", ONE * 10),
            ("+1", ONE),
            ("-1k", -1000 * ONE),
            ("1G", ONE * ONE),
            ("1Gi", ONE * (1 << 30)),
            ("1.5Ki", ONE * 1536),
            ("0.1Ki", ONE * 1024 / 10),
            ("1E", ONE * ONE * ONE),
            ("1Ei", ONE << 60),
            ("1E3", ONE * 1000),
            ("12e-1", ONE * 6 / 5),
            ("100n", 100),
            ("1e+2", ONE * 100),
        ] {
            assert_eq!(nano(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_finer_is_rounded_up_and_what_is_larger_stays_at_the_limit() {
        assert_eq!(nano("0.1n"), 1);
        assert_eq!(nano("-1.1n"), -2);
        assert_eq!(nano("1e-999999999999999999999999"), 1);
        assert_eq!(nano("0e99999999999999999999"), 0);
        assert_eq!(nano("1e99999999999999999999"), i128::MAX);
        assert_eq!(nano(&"9".repeat(200)), i128::MAX);
        assert_eq!(nano(&format!("{}Ei", "9".repeat(200))), i128::MAX);
        assert_eq!(nano("0.00000000000000000000000001Ki"), 1);
        let most = Quantity::from_nano(i128::MAX);
        assert_eq!(most + most, most);
    }

    #[test]
    fn other_texts_are_refused() {
        for (text, wanted) in [
            ("", QuantityError::Empty),
            (".", QuantityError::Number),
            ("-", QuantityError::Number),
            ("Gi", QuantityError::Number),
            (" 1", QuantityError::Number),
            ("1.2.3", QuantityError::Number),
            ("1 ", QuantityError::Suffix),
            ("1K", QuantityError::Suffix),
            ("1ki", QuantityError::Suffix),
            ("1mi", QuantityError::Suffix),
            ("1GB", QuantityError::Suffix),
            ("1e", QuantityError::Suffix),
            ("1e1.5", QuantityError::Suffix),
            ("1,5", QuantityError::Suffix),
            ("\u{661}", QuantityError::Number),
        ] {
            assert_eq!(Quantity::parse(text), Err(wanted), "{text}");
        }
    }

    #[test]
    fn written_as_kubernetes_does() {
        for (text, decimal, binary) in [
            ("0", "0", "0"),
            ("1500m", "1500m", "1500m"),
            ("2000m", "2", "2"),
            ("64Gi", "68719476736", "64Gi"),
            ("1024Mi", "1073741824", "1Gi"),
            ("1G", "1G", "1G"),
            ("-2k", "-2k", "-2k"),
        ] {
            let quantity = Quantity::parse(text).expect(text);
            assert_eq!(quantity.decimal(), decimal, "{text}");
            assert_eq!(quantity.binary(), binary, "{text}");
        }
        assert_eq!(Quantity::parse("1001m").expect("a quantity").value(), 2);
        assert_eq!(Quantity::parse("1u").expect("a quantity").milli_value(), 1);
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_reads_as_the_same(nano in proptest::prelude::any::<i128>()) {
            let quantity = Quantity::from_nano(nano.max(-i128::MAX));
            proptest::prop_assert_eq!(Quantity::parse(&quantity.decimal()), Ok(quantity));
            proptest::prop_assert_eq!(Quantity::parse(&quantity.binary()), Ok(quantity));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[-+.0-9eEinumkKMGTP]{0,12}") {
            let _ = Quantity::parse(&text);
        }
    }

    #[test]
    fn what_people_write_for_a_quantity_is_understood() {
        let meant = |text| Quantity::meant(text);
        assert_eq!(meant("10GB").as_deref(), Some("10G"));
        assert_eq!(meant("16 GiB").as_deref(), Some("16Gi"));
        assert_eq!(meant("4 cores").as_deref(), Some("4"));
        assert_eq!(meant("512mb").as_deref(), Some("512M"));
        assert_eq!(meant("500 m").as_deref(), Some("500m"));
        assert_eq!(meant("500 M").as_deref(), Some("500M"));
        assert_eq!(meant("-4 cores"), None);
        assert_eq!(meant("much"), None);
        assert_eq!(meant("4 apples"), None);
    }
}
