//! Arguments of a call: each known, of its form, or a mistake that says what to send instead.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::kit::nearest::{hint, nearest};
use crate::render::clean;

use super::wire::brief;

/// A mistake in a call, in words that say what to send instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake(pub(super) String);

impl Mistake {
    /// A mistake in these words; text of documents and clients in it is made harmless.
    pub(super) fn new(why: impl AsRef<str>) -> Self {
        Self(brief(&clean(why.as_ref())).into_owned())
    }
}

/// The arguments of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arguments<'a>(&'a Map<String, Value>);

impl<'a> Arguments<'a> {
    /// The arguments as they were sent, with no others than those known.
    pub(super) fn new(sent: &'a Map<String, Value>, known: &[String]) -> Result<Self, Mistake> {
        if let Some(key) = sent.keys().find(|key| !known.contains(key)) {
            let near = nearest(key, known.iter().map(String::as_str));
            let hint = hint(near.as_slice());
            let all = known.join(", ");
            return Err(Mistake::new(format!(
                "there is no argument \"{key}\" (there are {all}){hint}"
            )));
        }
        Ok(Self(sent))
    }

    fn get(self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    /// A text.
    pub(super) fn text(self, key: &str) -> Result<Option<&'a str>, Mistake> {
        let form = || Mistake::new(format!("\"{key}\" is not a text: send \"{key}\": \"…\""));
        self.get(key)
            .map(|value| value.as_str().ok_or_else(form))
            .transpose()
    }

    /// A whole number from 0 on.
    pub(super) fn count(self, key: &str) -> Result<Option<usize>, Mistake> {
        let form = || Mistake::new(format!("\"{key}\" is not a whole number from 0 on"));
        let count = |value: &Value| {
            // Some clients send all numbers as texts, or with a fraction of 0.
            let whole = value.as_u64().or_else(|| value.as_str()?.parse().ok());
            let fraction = || {
                value
                    .as_f64()
                    .filter(|number| number.fract() == 0.0 && *number >= 0.0)
            };
            let whole = whole.or_else(|| Some(fraction()? as u64));
            whole
                .and_then(|whole| usize::try_from(whole).ok())
                .ok_or_else(form)
        };
        self.get(key).map(count).transpose()
    }

    /// A list of texts.
    pub(super) fn texts(self, key: &str) -> Result<Vec<&'a str>, Mistake> {
        let form = || Mistake::new(format!("\"{key}\" is not a list of texts"));
        let Some(value) = self.get(key) else {
            return Ok(Vec::new());
        };
        let all = value.as_array().ok_or_else(form)?.iter();
        all.map(|one| one.as_str().ok_or_else(form)).collect()
    }

    /// Texts by the names of files; none for a deleted file.
    pub(super) fn overlay(self) -> Result<Vec<(&'a str, Option<&'a str>)>, Mistake> {
        let form = || {
            Mistake::new(
                "\"overlay\" is not an object of texts: send {\"FILE\": \"its whole new text\"}, \
                 or null for a file to delete",
            )
        };
        let Some(value) = self.get("overlay") else {
            return Ok(Vec::new());
        };
        let file = |(name, text): (&'a String, &'a Value)| match text {
            Value::Null => Ok((name.as_str(), None)),
            Value::String(text) => Ok((name.as_str(), Some(text.as_str()))),
            _ => Err(form()),
        };
        value
            .as_object()
            .ok_or_else(form)?
            .iter()
            .map(file)
            .collect()
    }

    /// An instant.
    pub(super) fn now(self) -> Result<Option<Timestamp>, Mistake> {
        let instant = |text: &str| {
            text.parse().map_err(|_| {
                Mistake::new("\"now\" is not a time: send one such as 2026-01-01T00:00:00Z")
            })
        };
        self.text("now")?.map(instant).transpose()
    }

    /// One of some words.
    pub(super) fn word(
        self,
        key: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, Mistake> {
        let Some(written) = self.text(key)? else {
            return Ok(None);
        };
        let found = words.iter().find(|word| **word == written).copied();
        let unknown = || {
            let all = words.join(", ");
            Mistake::new(format!("\"{key}\": \"{written}\" is not one of {all}"))
        };
        found.map(Some).ok_or_else(unknown)
    }
}
