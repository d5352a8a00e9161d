//! Which labels there are, and words that look like a slip for one of them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::nearest::{did_you_mean, nearest, within};

/// A key with more values than this is an identity; a value that is new to it says nothing.
const MANY: usize = 1000;

/// The keys of the labels that things carry, with their values.
#[derive(Debug, Default)]
pub struct Vocabulary<'a> {
    values: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

/// The key or value of a selector or a rule that nothing carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown<'v> {
    /// A key that nothing carries, and the one that may have been meant.
    Key(Option<&'v str>),
    /// A value that the key has nowhere, and the one that may have been meant.
    Value(&'v str, &'v str),
}

impl<'a> FromIterator<(&'a str, &'a str)> for Vocabulary<'a> {
    fn from_iter<T: IntoIterator<Item = (&'a str, &'a str)>>(labels: T) -> Self {
        // Many things carry the same few labels: only different ones are put in order.
        let mut met: FxHashSet<(&str, &str)> = FxHashSet::default();
        let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (key, value) in labels {
            if met.insert((key, value)) {
                values.entry(key).or_default().insert(value);
            }
        }
        Self { values }
    }
}

impl<'a> Vocabulary<'a> {
    /// The unknown part of a requirement: its key, or one of the values. A requirement that
    /// `excludes` may name labels that nothing carries at the moment; only a probable typo is
    /// reported then.
    pub fn unknown<'v>(
        &'v self,
        key: &str,
        values: &[&'v str],
        excludes: bool,
    ) -> Option<Unknown<'v>> {
        let Some(known) = self.values.get(key) else {
            let keys = || self.values.keys().copied();
            let slip = keys().find(|other| is_slip(key, other));
            return match (slip, excludes) {
                (Some(slip), _) => Some(Unknown::Key(Some(slip))),
                (None, true) => None,
                (None, false) => Some(Unknown::Key(nearest(key, keys()))),
            };
        };
        if known.len() > MANY {
            return None;
        }
        let strangers = values.iter().filter(|value| !known.contains(**value));
        strangers
            .filter_map(|value| {
                let near = known.iter().find(|other| is_slip(value, other))?;
                Some(Unknown::Value(value, near))
            })
            .next()
    }
}

impl Unknown<'_> {
    /// The sentence: no `owner` (Cluster) has such a `word` (label).
    #[must_use]
    pub fn message(&self, key: &str, owner: &str, word: &str) -> String {
        match self {
            Self::Key(_) => format!("no {owner} has the {word} `{key}`"),
            Self::Value(value, _) => {
                format!("no {owner} has the value `{value}` in its {word} `{key}`")
            }
        }
    }

    /// A suggestion of the name that was probably meant.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Key(near) => near.map(did_you_mean),
            Self::Value(_, near) => Some(did_you_mean(near)),
        }
    }
}

/// Whether a word is surely a slip for another, and not its neighbour in a series: `eu-nroth` for
/// `eu-north`, but neither `eu-west-2` for `eu-west-1` nor `b` for `a`. The words differ in case
/// and punctuation alone, or by one letter of one part that has no digits.
#[must_use]
pub fn is_slip(word: &str, known: &str) -> bool {
    if word == known {
        return false;
    }
    let split = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric());
        parts.map(str::to_lowercase).collect()
    };
    let (one, other) = (split(word), split(known));
    let digits = |parts: &[String]| -> Vec<String> {
        let text = parts.join(" ");
        let runs = text.split(|c: char| !c.is_ascii_digit());
        let runs = runs.filter(|run| !run.is_empty());
        runs.map(str::to_owned).collect()
    };
    if digits(&one) != digits(&other) {
        return false;
    }
    if one.concat() == other.concat() {
        return true;
    }
    if one.len() != other.len() {
        return false;
    }
    let mut different = one.iter().zip(&other).filter(|(a, b)| a != b);
    let (Some((a, b)), None) = (different.next(), different.next()) else {
        return false;
    };
    let is_word = |text: &str| text.len() >= 4 && text.chars().all(char::is_alphabetic);
    is_word(a) && is_word(b) && a != b && within(a, b, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_not_neighbours() {
        for (word, known) in [
            ("eu-nroth", "eu-north"),
            ("regoin", "region"),
            ("eu_west", "eu-west"),
            ("Prod", "prod"),
            ("us-eastt-1", "us-east-1"),
        ] {
            assert!(is_slip(word, known), "{word} for {known}");
        }
        for (word, known) in [
            ("eu-west-2", "eu-west-1"),
            ("us-east-1b", "us-east-1a"),
            ("eu-west", "eu-east"),
            ("v1.11", "v11.1"),
            ("eu", "au"),
            ("north", "south"),
            ("preprod", "prod"),
            ("same", "same"),
        ] {
            assert!(!is_slip(word, known), "{word} for {known}");
        }
    }

    #[test]
    fn what_excludes_is_doubted_less() {
        let labels = [("region", "eu-north"), ("region", "eu-west")];
        let known: Vocabulary<'_> = labels.into_iter().collect();
        assert_eq!(known.unknown("gpu", &[], true), None);
        assert_eq!(known.unknown("gpu", &[], false), Some(Unknown::Key(None)));
        let near = Some(Unknown::Key(Some("region")));
        assert_eq!(known.unknown("regoin", &[], true), near);
        let near = Some(Unknown::Value("eu-nroth", "eu-north"));
        assert_eq!(known.unknown("region", &["eu-nroth"], false), near);
        assert_eq!(known.unknown("region", &["us", "eu-west"], false), None);
    }
}
