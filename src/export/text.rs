//! Text of documents as a literal of another language.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A text in double quotes, ASCII alone, that YAML and Python read alike.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    text.chars().for_each(|c| escaped(c, &mut out));
    out.push('"');
    out
}

fn escaped(c: char, out: &mut String) {
    let code = u32::from(c);
    let _ = match c {
        '"' | '\\' => write!(out, "\\{c}"),
        ' '..='~' => write!(out, "{c}"),
        _ if code < 0x100 => write!(out, "\\x{code:02x}"),
        _ if code < 0x1_0000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

/// The same for YAML, on as many lines as it takes.
pub(super) fn folded(text: &str, indent: usize) -> String {
    let mut out = String::from("\"");
    let mut line = 0;
    for c in text.chars() {
        let before = out.len();
        if line >= 70 {
            let _ = write!(out, "\\\n{:indent$}", "");
            line = 0;
            // A line that goes on loses the white space at its beginning.
            if c == ' ' {
                out.push('\\');
            }
        }
        let start = if line == 0 { out.len() } else { before };
        escaped(c, &mut out);
        line += out.len() - start;
    }
    out.push('"');
    out
}

/// JSON as ASCII alone, in which nothing opens a template: every brace within a string is
/// escaped, and no control character is left.
pub(super) fn plain_json(value: &serde_json::Value) -> String {
    let text = value.to_string();
    let mut out = String::with_capacity(text.len());
    let (mut within, mut escaped) = (false, false);
    for c in text.chars() {
        if within && matches!(c, '{' | '}' | '\u{7f}') || !c.is_ascii() {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
            continue;
        }
        if c == '"' && !escaped {
            within = !within;
        }
        escaped = within && c == '\\' && !escaped;
        out.push(c);
    }
    out
}

/// Names as slugs of at most `longest` characters, each its own: letters and digits stay, and so
/// does what `keeps` says; anything else becomes `filler`.
pub(super) fn slugs<'n>(
    names: impl IntoIterator<Item = &'n str>,
    longest: usize,
    filler: char,
    keeps: impl Fn(char) -> bool,
) -> Vec<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let slug = |name: &str| {
        let mut slug = String::new();
        for c in name.chars().take(4 * longest) {
            match c.is_ascii_alphanumeric() || keeps(c) {
                true => slug.push(c),
                false if slug.ends_with(filler) => {}
                false => slug.push(filler),
            }
        }
        let slug = slug.trim_matches(filler);
        slug[..slug.len().min(longest)].to_owned()
    };
    let mut own = |name: &str| {
        let slug = slug(name);
        let slug = if slug.is_empty() {
            "x".to_owned()
        } else {
            slug
        };
        let mut one = slug.clone();
        let mut number = 2;
        while !taken.insert(one.clone()) {
            let end = format!("{filler}{number}");
            let room = longest.saturating_sub(end.len()).min(slug.len());
            one = format!("{}{end}", &slug[..room]);
            number += 1;
        }
        one
    };
    names.into_iter().map(&mut own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn literals_hold_whatever_it_is() {
        assert_eq!(
            quoted("a \"b\"\\\n\u{2028}é😀"),
            r#""a \"b\"\\\x0a\u2028\xe9\U0001f600""#
        );
        let value = json!({"a{{b}}": ["{% x %}", "\\{\"{", "é😀\u{7f}\u{9b}"]});
        let text = plain_json(&value);
        assert!(
            text.is_ascii()
                && !text.contains('\u{7f}')
                && !text.contains("{{")
                && !text.contains("{%"),
            "{text}"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }

    #[test]
    fn long_texts_go_on_in_the_next_line() {
        assert_eq!(folded("a \"b\"", 4), quoted("a \"b\""));
        let text = format!("{} {}é{}", "a".repeat(100), "b".repeat(97), " ".repeat(150));
        let folded = folded(&text, 4);
        assert_eq!(serde_yaml::from_str::<String>(&folded).unwrap(), text);
        assert!(folded.lines().count() > 2 && folded.lines().all(|line| line.len() < 120));
    }

    #[test]
    fn slugs_are_short_and_their_own() {
        let made = |names: &[&str]| slugs(names.iter().copied(), 5, '-', |_| false);
        assert_eq!(
            made(&["a b", "a-b", "a/b", "--", "é"]),
            ["a-b", "a-b-2", "a-b-3", "x", "x-2"]
        );
        assert_eq!(
            made(&["abcdefg", "abcdefh", "abc-2"]),
            ["abcde", "abc-2", "abc-3"]
        );
    }
}
