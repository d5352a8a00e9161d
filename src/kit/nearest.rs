//! The nearest known name, for suggestions.

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

/// The same at the end of a sentence, for the command line; nothing without near names.
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
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|candidate| *candidate != wanted)
        .filter_map(|candidate| {
            let size = candidate.chars().count();
            if size.abs_diff(length) > 1 + length.max(size) / 3 {
                return None;
            }
            if candidate.to_lowercase() == lower {
                return Some((0, candidate));
            }
            let distance = strsim::osa_distance(wanted, candidate);
            (distance <= 1.max(length.max(size) / 3)).then_some((distance, candidate))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter()
        .take(5)
        .map(|(_, candidate)| candidate)
        .collect()
}
