//! Texts that yaml.v3 writes in double quotes, in which the quotes of a template become `\"`.

use std::ops::Range;

use crate::gotemplate::Delimiters;

/// Why a text is rewritten so that one of its actions no longer parses, and where the action is.
pub(super) fn find(text: &str, delimiters: Delimiters) -> Option<(&'static str, Range<usize>)> {
    if !text.contains('"') {
        return None;
    }
    let why = why(text)?;
    quoted_action(text, delimiters).map(|action| (why, action))
}

/// Why a text is written in double quotes.
fn why(text: &str) -> Option<&'static str> {
    let (mut breaks, mut tab, mut spaced, mut before) = (false, false, false, None);
    for character in text.chars() {
        match character {
            '\r' => return Some("a carriage return"),
            '\u{feff}' => return Some("a byte order mark"),
            '\u{10000}'.. => return Some("an emoji or another rare character"),
            '\n' | '\t' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' => {}
            _ => return Some("a control character"),
        }
        tab |= character == '\t';
        if matches!(character, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}') {
            breaks = true;
            spaced |= before == Some(' ');
        }
        before = Some(character);
    }
    match breaks {
        true if spaced || before == Some(' ') => Some("a space at the end of a line"),
        true => None,
        false => tab.then_some("the tab"),
    }
}

/// The first action with a double quote outside of comments and back quotes.
fn quoted_action(text: &str, delimiters: Delimiters) -> Option<Range<usize>> {
    let mut at = 0;
    while let Some(found) = text[at..].find(delimiters.left) {
        let start = at + found;
        let inside = start + delimiters.left.len();
        let comment = text[inside..].trim_start_matches('-').trim_ascii_start();
        if comment.starts_with("/*") {
            let end = text[inside..].find("*/").map(|end| inside + end + 2);
            at = end.unwrap_or(text.len());
            continue;
        }
        let (end, quoted) = scan(text, inside, delimiters.right);
        if quoted {
            return Some(start..end);
        }
        at = end;
    }
    None
}

/// The end of an action, and whether it has a double quote.
fn scan(text: &str, from: usize, right: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    let (mut at, mut quoted) = (from, false);
    while at < bytes.len() {
        if text[at..].starts_with(right) {
            return (at + right.len(), quoted);
        }
        match bytes[at] {
            b'`' => match text[at + 1..].find('`') {
                Some(end) => at += end + 2,
                None => return (text.len(), quoted),
            },
            quote @ (b'"' | b'\'') => {
                quoted |= quote == b'"';
                at += 1;
                while at < bytes.len() && bytes[at] != quote && bytes[at] != b'\n' {
                    // An escaped `"` in single quotes counts, too.
                    quoted |= bytes[at] == b'"';
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at += 1;
            }
            _ => at += 1,
        }
        while at < bytes.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    (text.len(), quoted)
}
