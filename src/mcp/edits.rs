//! Edits of texts as data: lines and columns count from 1, columns count characters; the end is the
//! first character that stays.

use serde_json::{Value, json};

use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix};
use crate::document::secret;
use crate::fix::written;
use crate::render::diagnostics;
use crate::source::{Source, Sources, Span};

/// A replacement in a text.
fn edit(source: &Source, span: Span, text: &str) -> Value {
    let place = |offset| {
        let position = source.position(offset);
        json!({"line": position.line, "column": position.column})
    };
    json!({
        "path": source.name,
        "start": place(span.start),
        "end": place(span.end),
        "replaces": source.slice(span),
        "text": text,
    })
}

/// Whether an edit would show the value of a Secret.
fn is_secret(source: &Source, span: Span) -> bool {
    secret::shows(&source.text, span.start as usize..span.end as usize)
}

/// The edits of a fix; nothing where they would show the value of a Secret.
fn fix(fix: &Fix, sources: &Sources) -> Option<Value> {
    let hidden = |one: &Edit| is_secret(sources.get(one.place.source), one.place.span);
    if fix.edits.iter().any(hidden) {
        return None;
    }
    let edits = fix.edits.iter().map(|one| {
        let source = sources.get(one.place.source);
        let text = written(one, sources);
        edit(source, one.place.span, &text)
    });
    Some(json!({
        "title": fix.title,
        "safe": fix.applicability == Applicability::Safe,
        "edits": edits.collect::<Vec<_>>(),
    }))
}

/// A finding with its fix.
pub(super) fn finding(found: &Diagnostic, sources: &Sources) -> Value {
    let mut form = diagnostics::finding(found, sources);
    if let Some(offered) = found.fix.as_ref().and_then(|offered| fix(offered, sources)) {
        form["fix"] = offered;
    }
    form
}

/// The one edit that makes a text of another one: of whole lines. Nothing where it would show the
/// value of a Secret.
pub(super) fn difference(name: &str, before: &str, after: &str) -> Option<Value> {
    let same_lines = |(a, b): &(&str, &str)| a == b;
    let head: usize = before
        .split_inclusive('\n')
        .zip(after.split_inclusive('\n'))
        .take_while(same_lines)
        .map(|(line, _)| line.len())
        .sum();
    let (old, new) = (&before[head..], &after[head..]);
    let ends = |text: &'_ str| text.split_inclusive('\n').map(str::len).collect::<Vec<_>>();
    let (old_lines, new_lines) = (ends(old), ends(new));
    let mut tail = 0;
    for (a, b) in old_lines.iter().rev().zip(new_lines.iter().rev()) {
        let same = old[old.len() - tail - a..old.len() - tail]
            == new[new.len() - tail - b..new.len() - tail];
        if !same {
            break;
        }
        tail += a;
    }
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let span = Span {
        start: number(head),
        end: number(before.len() - tail),
    };
    let source = Source::new(name.to_owned(), before.to_owned());
    (!is_secret(&source, span)).then(|| edit(&source, span, &new[..new.len() - tail]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_the_lines_that_differ() {
        for (before, after, start, end, text) in [
            ("a\nb\nc\n", "a\nx\nc\n", 2, 3, "x\n"),
            ("a\nb\n", "a\nb\nc\n", 3, 3, "c\n"),
            ("a\na\na\n", "a\na\n", 3, 4, ""),
            ("", "a", 1, 1, "a"),
            ("é", "é", 1, 1, ""),
        ] {
            let edit = difference("f", before, after).expect("no Secret");
            assert_eq!(edit["start"]["line"], start, "{before:?}");
            let whole = before.ends_with('\n') || before.is_empty();
            assert!(!whole || edit["end"]["line"] == end, "{before:?}: {edit}");
            assert!(!whole || edit["text"] == text, "{before:?}: {edit}");
        }
    }
}
