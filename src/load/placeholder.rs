//! Placeholders: what shell scripts, wizards and readers fill in before a text is YAML, or before
//! its values are.
//!
//! `${APP}`, `$(APP)`, `$APP` in a name, `<name>`, `@VAR@`, `__NUM__`, and `[ID]` within a word.

use std::ops::Range;

use memchr::{memchr, memchr2_iter, memchr3_iter, memmem};

use crate::document::DocumentKind;
use crate::yaml::{Kind, Node};

/// Bytes that a placeholder has at most.
const LONGEST: usize = 80;

/// The end of the placeholder that begins at an offset.
pub(super) fn ending_from(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let (open, close) = match rest.as_bytes() {
        [b'$', b'{', ..] => ("${", "}"),
        [b'$', b'(', ..] => ("$(", ")"),
        [b'<', b'%', ..] => return closed(rest, 2, "%>", |_| true).map(|end| at + end),
        [b'<', ..] => ("<", ">"),
        [b'@', ..] => ("@", "@"),
        [b'_', b'_', ..] => ("__", "__"),
        [b'[', ..] => ("[", "]"),
        _ => return None,
    };
    let fits: fn(&str) -> bool = match open {
        "${" | "$(" => |name| begins_with_letter(name) || name.starts_with('_'),
        "<" => |name| {
            begins_with_letter(name) && name.chars().all(|c| is_wordy(c) || " ./".contains(c))
        },
        "@" => |name| begins_with_letter(name) && name.chars().all(|c| is_wordy(c) || c == '.'),
        _ => |name| {
            let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            begins_with_letter(name) && name.chars().all(upper)
        },
    };
    let end = at + closed(rest, open.len(), close, fits)?;
    let before = text[..at].chars().next_back();
    let after = text[end..].chars().next();
    let joined = |c: Option<char>| c.is_some_and(|c| is_wordy(c) || c == '.');
    match open {
        // Elsewhere it is a list.
        "[" if !joined(before) && !joined(after) => None,
        // `a@b@c` and `a__B__c` are words of their own.
        "@" | "__" if before.is_some_and(char::is_alphanumeric) && open == "@" => None,
        _ => Some(end),
    }
}

fn closed(rest: &str, open: usize, close: &str, fits: impl Fn(&str) -> bool) -> Option<usize> {
    let inner = &rest[open..];
    // No further: a text of openers alone would be searched once for each.
    let near = &inner.as_bytes()[..inner.len().min(LONGEST + close.len())];
    let end = memmem::find(near, close.as_bytes())?;
    let name = &inner[..end];
    (!name.contains('\n') && fits(name)).then_some(open + end + close.len())
}

fn begins_with_letter(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
}

fn is_wordy(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// Whether a text has a placeholder.
fn has_one(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut starts = memchr3_iter(b'$', b'<', b'@', bytes).chain(memchr2_iter(b'_', b'[', bytes));
    starts.any(|at| ending_from(text, at).is_some())
}

/// The first value of a document of ours that is still a placeholder.
pub(super) fn first(kind: DocumentKind, node: Node<'_>) -> Option<Node<'_>> {
    let ours = kind.system().is_some() && kind != DocumentKind::Airship;
    let text = node.source_text();
    if !ours || (memchr(b'$', text.as_bytes()).is_none() && !has_one(text)) {
        return None;
    }
    if kind.is_read_whole()
        && let Some(found) = walk(node)
    {
        return Some(found);
    }
    let mut named = ["name", "namespace"].into_iter();
    named.find_map(|field| {
        let name = node.at(&["metadata", field])?;
        walk(name).or_else(|| name.text().is_some_and(has_variable).then_some(name))
    })
}

/// The name or namespace of a document in a directory of templates that is still to be filled in:
/// `CLUSTER_NAME`, or an expression in quotes.
pub(super) fn unfilled(kind: DocumentKind, node: Node<'_>) -> Option<Node<'_>> {
    let ours = kind.system().is_some() && kind != DocumentKind::Airship;
    let is_word = |text: &str| {
        let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        text.len() > 1 && text.chars().all(upper) && begins_with_letter(text)
    };
    let is_open = |value: &Node<'_>| {
        let text = value.text().unwrap_or_default();
        is_word(text) || (text.contains("{{") && text.contains("}}"))
    };
    let mut fields = ["name", "namespace"].into_iter();
    let found = fields.find_map(|field| node.at(&["metadata", field]).filter(is_open));
    found.filter(|_| ours)
}

/// Whether a name has a variable of a shell in it, `$NAME`: elsewhere a dollar sign is one.
fn has_variable(name: &str) -> bool {
    let mut after = name.match_indices('$').map(|(at, _)| &name[at + 1..]);
    after.any(|rest| begins_with_letter(rest) || rest.starts_with('_'))
}

/// Fields whose texts are for other programs or for people, or in a language that has these
/// signs.
const FREE: [&str; 13] = [
    "annotations",
    "args",
    "celExpressions",
    "command",
    "description",
    "env",
    "message",
    "parameters",
    "personality",
    "reason",
    "template",
    "url",
    "user_data",
];

fn walk(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        Kind::Mapping => node.entries().find_map(|(key, value)| {
            let free = key.text().is_some_and(|key| FREE.contains(&key));
            // A key that only holds one, as `a<b>`, is odd rather than unfinished.
            let whole = |text: &str| ending_from(text, 0) == Some(text.len());
            let unfinished = key.text().is_some_and(whole);
            match unfinished {
                true => Some(key),
                false if free => None,
                false => walk(value),
            }
        }),
        Kind::Sequence => node.items().find_map(walk),
        Kind::Scalar => node.text().is_some_and(has_one).then_some(node),
    }
}

/// Placeholders of a text, in order.
pub(super) fn all(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let bytes = text.as_bytes();
    let starts = memchr3_iter(b'$', b'<', b'@', bytes).chain(memchr2_iter(b'_', b'[', bytes));
    let mut starts: Vec<usize> = starts.collect();
    starts.sort_unstable();
    for at in starts {
        if found.last().is_some_and(|last| at < last.end) {
            continue;
        }
        found.extend(ending_from(text, at).map(|end| at..end));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn placeholders_are_told_from_words() {
        let found = |text: &'static str| -> Vec<&str> {
            all(text).into_iter().map(|range| &text[range]).collect()
        };
        assert_eq!(
            found("${APP}-a $(b.c) ${x:-y}"),
            ["${APP}", "$(b.c)", "${x:-y}"]
        );
        assert_eq!(found("<your name>: <b>"), ["<your name>", "<b>"]);
        assert_eq!(found("@A.b@ n__NUM__"), ["@A.b@", "__NUM__"]);
        assert_eq!(
            found("policy-[ID]-x [ID]-y [EU, US] [EU]"),
            ["[ID]", "[ID]"]
        );
        assert_eq!(found("<% if x %>"), ["<% if x %>"]);
        let none = "a < b && c > d; me@host.org x@y@z __init__ $5 ${} list[0] <<: *a";
        assert_eq!(found(none), [""; 0]);
    }
}
