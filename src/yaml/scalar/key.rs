//! Keys as the readers compare them: the same key may be written in several ways.

use std::borrow::Cow;

use super::{Dialect, Scalar, resolve, word};
use crate::yaml::tree::Raw;

/// A key, as far as others can be the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key<'t> {
    /// Text, or what JSON has in its place.
    Text(Cow<'t, str>),
    /// A whole number; true and false are 1 and 0 in Python.
    Whole(i128),
    /// The bits of a number.
    Number(u64),
    /// A time, which no text equals.
    Time(&'t str),
    /// Null.
    Null,
    /// A number that go-yaml does not take as a key.
    TooLarge,
}

/// Whether a plain key may be too large for go-yaml.
#[inline]
pub(crate) fn may_be_too_large(text: &str) -> bool {
    text.len() >= "0x8000000000000000".len()
        && text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-'))
}

impl<'t> Key<'t> {
    /// Whether a key may be something else than its text.
    #[inline]
    pub(crate) fn is_typed(text: &str, flags: u32) -> bool {
        let plain = flags & Raw::PLAIN != 0 || flags & Raw::FLOAT_TAG != 0;
        plain && may_be_typed(text)
    }

    /// A key of this text as a reader has it; of the node's flags its style and tag count.
    pub(crate) fn of(text: &'t str, flags: u32, dialect: Dialect) -> Self {
        let string = flags & Raw::FLOAT_TAG == Raw::STRING_TAG;
        let plain = flags & Raw::PLAIN != 0 || flags & Raw::CORE_TAG != 0;
        if string || !plain || !may_be_typed(text) {
            return Self::Text(text.into());
        }
        let value = resolve(text, dialect);
        let python = dialect == Dialect::PyYaml;
        match value {
            Scalar::Null => Self::Null,
            Scalar::Bool(truth) if python => Self::Whole(truth.into()),
            Scalar::Bool(truth) => Self::Text(if truth { "true" } else { "false" }.into()),
            Scalar::Int(number) if python => Self::Whole(number),
            Scalar::Int(number) if i64::try_from(number).is_err() => Self::TooLarge,
            Scalar::Int(number) => Self::Text(number.to_string().into()),
            Scalar::Float(number) if !python => Self::Text((number as f32).to_string().into()),
            Scalar::Float(number) if number.fract() == 0.0 && number.abs() < 1e30 => {
                Self::Whole(number as i128)
            }
            Scalar::Float(number) => Self::Number(number.to_bits()),
            Scalar::Time(_) if python => Self::Time(text),
            _ => Self::Text(text.into()),
        }
    }
}

/// Whether a plain scalar of this text may be anything but text: by its first letter, or as a word.
#[inline]
pub(crate) fn may_be_typed(text: &str) -> bool {
    match text.as_bytes() {
        [] => true,
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => true,
        [
            b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'y' | b'Y' | b'o' | b'O',
            rest @ ..,
        ] => rest.len() < 5 && !matches!(word(text, Dialect::Ogc), Scalar::Text(_)),
        _ => false,
    }
}
