//! Counts of things in words, and lists of names.

use std::fmt::Display;

/// A number and a noun in the right form: `1 node`, `2 nodes`, `2 policies`, `2 losses`.
pub fn plural<N: Display + From<u8> + PartialEq>(count: N, noun: &str) -> String {
    if count == N::from(1) {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{count} {stem}ies"),
        _ if noun.ends_with("ss") => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}

/// The first `most` names, and how many more there are: `oslo, riga and 3 more`.
pub fn first_names<S: AsRef<str>>(names: impl ExactSizeIterator<Item = S>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let mut text = String::new();
    for (at, name) in names.take(most).enumerate() {
        text.push_str(if at == 0 { "" } else { ", " });
        text.push_str(name.as_ref());
    }
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_get_their_ending() {
        assert_eq!(plural(1, "entry"), "1 entry");
        assert_eq!(plural(0, "node"), "0 nodes");
        assert_eq!(plural(2, "entry"), "2 entries");
        assert_eq!(plural(3, "day"), "3 days");
        assert_eq!(plural(2, "loss"), "2 losses");
    }

    #[test]
    fn a_long_list_ends_with_a_count() {
        let names = ["oslo", "riga", "turin"];
        assert_eq!(first_names(names[..0].iter(), 2), "");
        assert_eq!(first_names(names[..2].iter(), 2), "oslo, riga");
        assert_eq!(first_names(names.iter(), 2), "oslo, riga and 1 more");
    }
}
