//! Values that builds copy out of Secrets, taken out of sentences that quote them.

use std::cmp::Reverse;

use rustc_hash::FxHashSet;

use super::HIDDEN;

/// Bytes of a value that a text may share with it by chance.
const SHARED: usize = 8;
/// Bytes of a value that may have been made valid.
const LONG: usize = 4096;

/// Values that builds copied out of Secrets.
#[derive(Debug)]
pub struct Copied<'v> {
    /// Without empty ones, the longest first.
    values: Vec<&'v str>,
    /// The parts of [`SHARED`] bytes that the values of at most [`LONG`] bytes consist of. A site
    /// can have a sentence for each of its values, and most bytes of it begin none of these parts.
    parts: FxHashSet<u64>,
}

impl<'v> Copied<'v> {
    /// Of these values.
    pub fn of(values: impl Iterator<Item = &'v str>) -> Self {
        let mut values: Vec<&str> = values.filter(|value| !value.is_empty()).collect();
        values.sort_unstable_by_key(|value| (Reverse(value.len()), *value));
        values.dedup();
        let short = values.iter().filter(|value| value.len() <= LONG);
        let parts = short.flat_map(|value| value.as_bytes().windows(SHARED));
        Self {
            parts: parts.filter_map(part).collect(),
            values,
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A text without these values, nor longer parts of them: it may quote what is left of a value
    /// once that is made valid.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for value in &self.values {
            if text.contains(value) {
                text = text.replace(value, HIDDEN);
            }
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(next) = rest.chars().next() {
            let taken = self.shared(rest);
            out.push_str(match taken {
                Some(_) => HIDDEN,
                None => &rest[..next.len_utf8()],
            });
            rest = &rest[taken.unwrap_or(next.len_utf8())..];
        }
        out
    }

    /// How many bytes at the beginning of a text are a part of a value.
    fn shared(&self, text: &str) -> Option<usize> {
        let first = part(text.as_bytes().get(..SHARED)?)?;
        if !self.parts.contains(&first) {
            return None;
        }
        let of_value = |value: &&str| {
            let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
            let ends = ends.skip_while(|end| *end < SHARED);
            ends.take_while(|end| value.contains(&text[..*end])).last()
        };
        let short = self.values.iter().filter(|value| value.len() <= LONG);
        short.filter_map(of_value).max()
    }
}

/// A part of a value as a number.
fn part(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.try_into().ok()?))
}
