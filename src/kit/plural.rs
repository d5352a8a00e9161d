//! Numbers of things in words.

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
}
