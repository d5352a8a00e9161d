//! Changed files as a patch.

use std::ops::Range;

use similar::{DiffOp, DiffTag, TextDiff};

use crate::document::secret;

use super::text::{Page, Screen, Tone};

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// The differences of files, each with its name, its text before and its text after. A patch in a
/// pipe must stay what it is; a terminal shows it in colours and must not be steered by it. Values
/// of Secrets are in none.
#[must_use]
pub fn patch<'f>(
    files: impl Iterator<Item = (&'f str, &'f str, &'f str)>,
    terminal: Option<&Screen>,
) -> String {
    let mut out = String::new();
    for (name, before, after) in files {
        // In a patch a tab ends a name with a blank: what follows that would count as a time.
        let end = if name.contains(' ') && terminal.is_none() {
            "\t"
        } else {
            ""
        };
        let names = ["a", "b"].map(|side| quoted(&format!("{side}/{name}"), end));
        one(names, before, after, &mut out);
    }
    let Some(screen) = terminal else {
        return out;
    };
    let mut page = Page::new();
    for line in out.lines() {
        let tone = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Tone::Strong,
            [b'+', ..] => Tone::Good,
            [b'-', ..] => Tone::Bad,
            [b'@', ..] => Tone::Dim,
            _ => Tone::Plain,
        };
        page.toned(tone, line);
    }
    page.write(screen)
}

/// A name as git writes it in a patch: in quotes where it needs them.
fn quoted(name: &str, end: &str) -> String {
    let plain = |byte: u8| (b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
    if name.bytes().all(plain) {
        return format!("{name}{end}");
    }
    let mut out = String::from('"');
    for byte in name.bytes() {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            byte if plain(byte) => out.push(char::from(byte)),
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            byte => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

/// The lines of one side of a diff.
struct Side<'t> {
    lines: Vec<&'t str>,
    /// Whether a line holds a value of a Secret.
    secret: Vec<bool>,
}

impl<'t> Side<'t> {
    /// `shown`: the same text without the values of Secrets, where there are any.
    fn of(text: &'t str, shown: Option<&'t str>) -> Self {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let Some(shown) = shown else {
            let secret = vec![false; lines.len()];
            return Self { lines, secret };
        };
        let shown: Vec<&str> = shown.split_inclusive('\n').collect();
        let secret = lines.iter().zip(&shown).map(|(a, b)| a != b).collect();
        Self {
            lines: shown,
            secret,
        }
    }
}

fn one(names: [String; 2], before: &str, after: &str, out: &mut String) {
    // Lines as git and `patch` know them.
    let [olds, news] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let diff = TextDiff::from_slices(&olds, &news);
    let shown = [secret::covered(before), secret::covered(after)];
    let old = Side::of(before, shown[0].as_deref());
    let new = Side::of(after, shown[1].as_deref());
    let [from, to] = names;
    let mut head = Some(format!("--- {from}\n+++ {to}\n"));
    for group in diff.grouped_ops(CONTEXT) {
        for ops in apart(group, &old) {
            out.extend(head.take());
            hunk(&ops, &old, &new, out);
        }
    }
}

/// A group of changes without the lines of context that hold a value of a Secret. A hunk keeps a
/// line behind its changes where it can: one without would have to end the file.
fn apart(group: Vec<DiffOp>, old: &Side<'_>) -> Vec<Vec<DiffOp>> {
    let mut hunks: Vec<Vec<DiffOp>> = vec![Vec::new()];
    let last = group.len().saturating_sub(1);
    for (number, op) in group.into_iter().enumerate() {
        let (from, to) = (op.old_range(), op.new_range());
        let is_secret = |at: &usize| old.secret[*at];
        let first_secret = from.clone().find(is_secret);
        let (DiffTag::Equal, Some(first)) = (op.tag(), first_secret) else {
            hunks.last_mut().into_iter().for_each(|hunk| hunk.push(op));
            continue;
        };
        let end = from
            .clone()
            .rev()
            .find(is_secret)
            .map_or(first, |at| at + 1);
        let part = |range: Range<usize>| DiffOp::Equal {
            old_index: range.start,
            new_index: to.start + (range.start - from.start),
            len: range.len(),
        };
        if number > 0 {
            let kept = from.start..first;
            let hunk = hunks.last_mut();
            hunk.into_iter().for_each(|hunk| {
                // A secret line that must stay is shown covered.
                let kept = if kept.is_empty() {
                    first..first + 1
                } else {
                    kept.clone()
                };
                hunk.push(part(kept));
            });
        }
        if number < last {
            if number > 0 {
                hunks.push(Vec::new());
            }
            let hunk = hunks.last_mut();
            hunk.into_iter()
                .for_each(|hunk| hunk.push(part(end..from.end)));
        }
    }
    hunks
}

fn hunk(ops: &[DiffOp], old: &Side<'_>, new: &Side<'_>, out: &mut String) {
    let (Some(first), Some(last)) = (ops.first(), ops.last()) else {
        return;
    };
    let range = |start: usize, end: usize| match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        length => format!("{},{length}", start + 1),
    };
    let from = range(first.old_range().start, last.old_range().end);
    let to = range(first.new_range().start, last.new_range().end);
    out.push_str(&format!("@@ -{from} +{to} @@\n"));
    let mut write = |sign: char, lines: &[&str]| {
        for line in lines {
            out.push(sign);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    for op in ops {
        match op.tag() {
            DiffTag::Equal => write(' ', &old.lines[op.old_range()]),
            _ => {
                write('-', &old.lines[op.old_range()]);
                write('+', &new.lines[op.new_range()]);
            }
        }
    }
}
