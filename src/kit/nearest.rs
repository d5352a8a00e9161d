//! The nearest known name, for suggestions.

use std::hash::Hasher as _;

use rustc_hash::{FxHashMap, FxHasher};

/// The candidate nearest to `wanted`, if it is near enough to be a slip: at most a third of
/// the letters differ. Letter case alone always counts as a slip. Ties go to the first by name.
///
/// ```
/// use planner::kit::nearest::nearest;
/// assert_eq!(nearest("opertaor", ["key", "operator", "values"]), Some("operator"));
/// assert_eq!(nearest("colour", ["key", "operator"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    ranked(wanted, candidates).into_iter().next()
}

/// The question that offers a near name.
#[must_use]
pub fn did_you_mean(near: &str) -> String {
    format!("did you mean `{near}`?")
}

/// The question at the end of a sentence, for the command line; empty without near names.
#[must_use]
pub fn hint(near: &[&str]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(" or ")),
    }
}

/// Longer words have no near ones.
const LONGEST: usize = 300;

/// Whether one text becomes the other with at most so many slips: a letter more, less or other, or
/// two letters swapped.
#[must_use]
pub fn within(one: &str, other: &str, slips: usize) -> bool {
    one.len().max(other.len()) <= LONGEST && strsim::osa_distance(one, other) <= slips
}

/// All near candidates, nearest first, at most five.
#[must_use]
pub fn ranked<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let length = wanted.chars().count();
    // A word this long is no typo, and the distance takes the product of both lengths.
    if length > LONGEST {
        return Vec::new();
    }
    let lower = wanted.to_lowercase();
    let mut near: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates {
        let distance = distance(wanted, &lower, length, candidate);
        near.extend(distance.map(|distance| (distance, candidate)));
    }
    first(near)
}

/// How far a candidate is from a word, which is given in small letters and by its length, too;
/// nothing if it is the same or too far.
fn distance(wanted: &str, lower: &str, length: usize, candidate: &str) -> Option<usize> {
    let size = candidate.chars().count();
    if candidate == wanted || size.abs_diff(length) > 1 + length.max(size) / 3 {
        return None;
    }
    if is_alike(candidate, lower) {
        return Some(0);
    }
    let distance = strsim::osa_distance(wanted, candidate);
    (distance <= 1.max(length.max(size) / 3)).then_some(distance)
}

/// The five nearest, each once.
fn first(mut near: Vec<(usize, &str)>) -> Vec<&str> {
    near.sort_unstable();
    near.dedup();
    near.truncate(5);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Whether a word in small letters is the other one.
fn is_alike(word: &str, lower: &str) -> bool {
    if word.is_ascii() && lower.is_ascii() {
        word.eq_ignore_ascii_case(lower)
    } else {
        word.to_lowercase() == lower
    }
}

/// Many known names, for repeated searches for near ones. Typos of one letter are found in an
/// index; for others all names are compared, within a budget.
#[derive(Debug)]
pub struct Names<'a> {
    /// The names, in order.
    all: Vec<&'a str>,
    /// The names in lower case, in order, with their index.
    lower: Vec<(String, u32)>,
    /// The indexes by the hash of each whole name, and of the name with one letter left out.
    shortened: FxHashMap<u64, Vec<u32>>,
}

impl<'a> Names<'a> {
    /// The budget of comparisons for words that differ by more than one letter.
    pub const LOOKS: usize = 500_000;

    /// Indexes names.
    #[must_use]
    pub fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all: Vec<&str> = names.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        let mut shortened: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (name, at) in all.iter().zip(0..) {
            for hash in shortenings(name) {
                shortened.entry(hash).or_default().push(at);
            }
        }
        let lower = all.iter().zip(0..);
        let mut lower: Vec<_> = lower.map(|(name, at)| (name.to_lowercase(), at)).collect();
        lower.sort_unstable();
        Self {
            all,
            lower,
            shortened,
        }
    }

    /// The name that [`nearest`] gives; none where it would take more looks than are left.
    pub fn nearest(&self, wanted: &str, looks: &mut usize) -> Option<&'a str> {
        if wanted.chars().count() > LONGEST {
            return None;
        }
        let name = |at: u32| self.all[at as usize];
        let lower = wanted.to_lowercase();
        let from = self.lower.partition_point(|(known, _)| *known < lower);
        let alike = self.lower[from..].iter();
        let mut alike = alike.take_while(|(known, _)| *known == lower);
        if let Some((_, at)) = alike.find(|(_, at)| name(*at) != wanted) {
            return Some(name(*at));
        }
        let found = shortenings(wanted).into_iter();
        let found = found.filter_map(|hash| self.shortened.get(&hash)).flatten();
        let one_off = |name: &&str| strsim::osa_distance(wanted, name) == 1;
        if let Some(near) = found.map(|at| name(*at)).filter(one_off).min() {
            return Some(near);
        }
        *looks = looks.checked_sub(self.all.len())?;
        nearest(wanted, self.all.iter().copied())
    }
}

/// The hashes of a word and of what it is without one of its letters: two words that are one slip
/// apart have one of them in common.
fn shortenings(word: &str) -> Vec<u64> {
    let hash = |word: &str| {
        let mut hasher = FxHasher::default();
        hasher.write(word.as_bytes());
        hasher.finish()
    };
    let mut shorter = String::with_capacity(word.len());
    let mut hashes = vec![hash(word)];
    if word.chars().count() > LONGEST {
        return hashes;
    }
    for (at, letter) in word.char_indices() {
        shorter.clear();
        shorter.push_str(&word[..at]);
        shorter.push_str(&word[at + letter.len_utf8()..]);
        hashes.push(hash(&shorter));
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_index_finds_the_nearest(
            known in proptest::collection::vec("[abB\u{e4}]{1,6}", 0..12),
            wanted in "[abB\u{e4}]{1,6}",
        ) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let found = Names::new(known.iter().copied()).nearest(&wanted, &mut 1_000);
            prop_assert_eq!(found, nearest(&wanted, known.iter().copied()));
        }
    }

    #[test]
    fn slips_of_one_letter_are_found_when_nothing_else_is_looked_for() {
        let names = Names::new(["operator", "values"]);
        let mut looks = 3;
        assert_eq!(names.nearest("vlaeus", &mut looks), Some("values"));
        assert_eq!(names.nearest("vlaeus", &mut looks), None);
        assert_eq!(names.nearest("opertaor", &mut looks), Some("operator"));
        assert_eq!(names.nearest("VALUES", &mut looks), Some("values"));
    }
}
