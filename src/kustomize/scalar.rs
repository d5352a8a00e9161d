//! Scalars of resources, typed as YAML 1.2 types them (the reader of Kustomize): `yes` and `on`
//! are text, `0755` is a number in octal.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Number, Value as Json};

/// The type of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    Bool,
    Int,
    Float,
    Time,
    Text,
    /// The type of its text when it is read again.
    Open,
}

/// A scalar: its text as written, and its type.
#[derive(Debug, Clone)]
pub(super) struct Scalar {
    pub(super) tag: Tag,
    pub(super) text: Arc<str>,
    /// Whether it stays text when it is read again.
    pub(super) quoted: bool,
}

impl Scalar {
    pub(super) fn text(text: impl Into<Arc<str>>) -> Self {
        Self {
            tag: Tag::Text,
            text: text.into(),
            quoted: true,
        }
    }

    pub(super) fn plain(tag: Tag, text: impl Into<Arc<str>>) -> Self {
        Self {
            tag,
            text: text.into(),
            quoted: false,
        }
    }

    pub(super) fn null() -> Self {
        Self::plain(Tag::Null, "null")
    }

    /// Another text in the place of an old one, in its quotes if there are any.
    pub(super) fn instead(text: impl Into<Arc<str>>, old: Option<&Self>) -> Self {
        let text = text.into();
        let quoted = match old {
            Some(old) => old.quoted,
            None => is_more_than_text(&text),
        };
        Self {
            tag: Tag::Open,
            text,
            quoted,
        }
    }

    /// Its type when it is read again.
    pub(super) fn kind(&self) -> Tag {
        match self.tag {
            Tag::Open if self.quoted => Tag::Text,
            Tag::Open => resolve(&self.text),
            tag => tag,
        }
    }

    /// Whether it is text.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.tag, Tag::Text | Tag::Open)
    }

    /// Whether the text can be what the tag says.
    pub(super) fn is_sound(&self) -> bool {
        match self.tag {
            Tag::Text | Tag::Open | Tag::Time => true,
            Tag::Float => {
                matches!(resolve(&self.text), Tag::Float | Tag::Int) && self.number().is_some()
            }
            Tag::Int => resolve(&self.text) == Tag::Int,
            tag => resolve(&self.text) == tag,
        }
    }

    fn number(&self) -> Option<Number> {
        match self.kind() {
            Tag::Int => integer(&self.text),
            Tag::Float => float(&self.text).and_then(Number::from_f64),
            _ => None,
        }
    }

    pub(super) fn json(&self) -> Json {
        match self.kind() {
            Tag::Null => Json::Null,
            Tag::Bool => Json::Bool(is_true(&self.text)),
            Tag::Int | Tag::Float => match self.number() {
                Some(number) => Json::Number(number),
                None => Json::String(self.text.to_string()),
            },
            Tag::Time => Json::String(time(&self.text).unwrap_or_else(|| self.text.to_string())),
            Tag::Text | Tag::Open => Json::String(self.text.to_string()),
        }
    }

    /// The text that the tree gets, and whether it stands there without quotes.
    pub(super) fn written(&self) -> (Cow<'_, str>, bool) {
        match self.kind() {
            Tag::Null => ("null".into(), true),
            Tag::Bool => (
                if is_true(&self.text) { "true" } else { "false" }.into(),
                true,
            ),
            Tag::Int | Tag::Float => match self.number() {
                Some(number) => (number.to_string().into(), true),
                None => ((&*self.text).into(), false),
            },
            Tag::Time => {
                let text = time(&self.text).unwrap_or_else(|| self.text.to_string());
                (text.into(), false)
            }
            Tag::Text | Tag::Open => ((&*self.text).into(), false),
        }
    }

    /// Its type and one text for all spellings of the value.
    pub(super) fn canonical(&self) -> (Tag, Cow<'_, str>) {
        let tag = match self.kind() {
            Tag::Time | Tag::Open => Tag::Text,
            Tag::Float => match self.number() {
                Some(number) if number.as_f64().is_some_and(|value| value.fract() == 0.0) => {
                    let value = number.as_f64().unwrap_or_default();
                    return (Tag::Int, format!("{value:.0}").into());
                }
                _ => Tag::Float,
            },
            tag => tag,
        };
        (tag, self.written().0)
    }

    /// Whether two scalars are the same value.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.canonical() == other.canonical()
    }
}

fn is_true(text: &str) -> bool {
    matches!(text, "true" | "True" | "TRUE")
}

/// The type of a plain scalar in YAML 1.2, as its usual reader in Go has it.
pub(super) fn resolve(text: &str) -> Tag {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Tag::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => return Tag::Bool,
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF"
        | ".nan" | ".NaN" | ".NAN" => return Tag::Float,
        _ => {}
    }
    let first = text.as_bytes()[0];
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return Tag::Text;
    }
    if first.is_ascii_digit() && time(text).is_some() {
        return Tag::Time;
    }
    if integer(text).is_some() {
        return Tag::Int;
    }
    match float(text) {
        Some(_) => Tag::Float,
        None => Tag::Text,
    }
}

/// A whole number: decimal, `0x`, `0b`, `0o` or with a zero before it, with `_` between digits.
fn integer(text: &str) -> Option<Number> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let bare: Cow<'_, str> = if digits.contains('_') {
        digits.replace('_', "").into()
    } else {
        digits.into()
    };
    let lower = |prefix: &str| {
        let (head, rest) = bare.split_at_checked(2)?;
        head.eq_ignore_ascii_case(prefix).then_some(rest)
    };
    let (radix, digits) = if let Some(rest) = lower("0x") {
        (16, rest)
    } else if let Some(rest) = lower("0b") {
        (2, rest)
    } else if let Some(rest) = lower("0o") {
        (8, rest)
    } else if bare.len() > 1 && bare.starts_with('0') {
        (8, &bare[1..])
    } else {
        (10, &*bare)
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?;
    if !negative {
        Some(value.into())
    } else {
        i64::try_from(-i128::from(value)).ok().map(Number::from)
    }
}

/// A number with a point or an exponent, or a whole one beyond 64 bits.
fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let bare: Cow<'_, str> = if unsigned.contains('_') {
        unsigned.replace('_', "").into()
    } else {
        unsigned.into()
    };
    let (mantissa, exponent) = match bare.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (&*bare, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_fine = exponent.is_none_or(|exponent| {
        let digits_of = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits_of.is_empty() && digits(digits_of)
    });
    let any = !whole.is_empty() || !fraction.is_empty();
    if !(any && digits(whole) && digits(fraction) && exponent_fine) {
        return None;
    }
    let value: f64 = bare.parse().ok()?;
    let value = if text.starts_with('-') { -value } else { value };
    value.is_finite().then_some(value)
}

/// A date or time as it is written in the output; none where the text is none.
fn time(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    if bytes.len() < 8 || !bytes[..4].iter().all(u8::is_ascii_digit) || bytes[4] != b'-' {
        return None;
    }
    let mut parts = text.splitn(3, '-');
    let (year, month) = (parts.next()?, parts.next()?);
    let rest = parts.next()?;
    let number = |text: &str, most: u32| {
        let fits = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>()
            .ok()
            .filter(|value| fits && *value <= most)
    };
    let end = rest
        .find(|sign: char| !sign.is_ascii_digit())
        .unwrap_or(rest.len());
    let (day, clock) = rest.split_at(end);
    let (month, day) = (number(month, 12)?, number(day, 31)?);
    let date = jiff::civil::Date::new(
        year.parse().ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day).ok()?,
    );
    let date = date.ok()?;
    if clock.is_empty() {
        return Some(format!("{date}T00:00:00Z"));
    }
    let clock = clock.strip_prefix(['T', 't', ' '])?;
    let zone_at = clock.find(|sign| !matches!(sign, '0'..='9' | ':' | '.'));
    let (clock, zone) = clock.split_at(zone_at.unwrap_or(clock.len()));
    let (clock, fraction) = match clock.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (clock, None),
    };
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 23)?;
    let minute = number(parts.next()?, 59)?;
    let second = number(parts.next()?, 59)?;
    if parts.next().is_some() {
        return None;
    }
    let fraction = match fraction.map(|fraction| fraction.trim_end_matches('0')) {
        None | Some("") => String::new(),
        Some(fraction) => format!(".{fraction}"),
    };
    let zone = match zone {
        "" | "Z" => "Z".to_owned(),
        zone => {
            let well = zone.len() == 6 && zone.is_char_boundary(3) && zone.as_bytes()[3] == b':';
            well.then(|| zone.to_owned())?
        }
    };
    Some(format!(
        "{date}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}"
    ))
}

/// Whether a text without quotes is more than text to a reader of YAML 1.1.
fn is_more_than_text(text: &str) -> bool {
    resolve(text) != Tag::Text || !crate::yaml::plain_scalar(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_are_what_yaml_1_2_makes_of_them() {
        let json = |text: &str| Scalar::plain(resolve(text), text).json().to_string();
        let cases = [
            ("yes", "\"yes\""),
            ("on", "\"on\""),
            ("y", "\"y\""),
            ("0755", "493"),
            ("0o17", "15"),
            ("0x1F", "31"),
            ("-12", "-12"),
            ("1_000", "1000"),
            ("089", "89.0"),
            ("1e3", "1000.0"),
            (".5", "0.5"),
            ("1.2.3", "\"1.2.3\""),
            ("12:30", "\"12:30\""),
            ("2024-01-01", "\"2024-01-01T00:00:00Z\""),
            ("2024-01-01T10:00:00+02:00", "\"2024-01-01T10:00:00+02:00\""),
            ("~", "null"),
            ("TRUE", "true"),
            ("-", "\"-\""),
            ("18446744073709551616", "1.8446744073709552e+19"),
        ];
        for (text, wanted) in cases {
            assert_eq!(json(text), wanted, "{text}");
        }
    }
}
