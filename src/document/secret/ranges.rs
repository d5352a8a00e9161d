//! Where the values of Secrets stand in a text.

use std::ops::Range;

use crate::kit::secret::{VALUES, holds_values, is_stray};
use crate::source::SourceId;
use crate::yaml::{Kind, Limits, Node, Quirk, QuirkKind, Stretches, parse};

use super::mentions::{GENERATOR, GENERATOR_NAMES, PARTS, mentions};
use super::placeholder::is_placeholder;
use super::{is_secret_document, is_whole, unreadable};

/// Texts in texts that are looked into; any deeper text that may hold a value is hidden as a whole.
const DEPTH: usize = 6;

/// Where the values of Secrets stand in a text, in order.
#[must_use]
pub fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    look(text, 0, &mut found);
    found.retain(|range: &Range<usize>| !range.is_empty());
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match merged.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => merged.push(range),
        }
    }
    merged
}

/// The fields that objects of a cluster, lists and templates have.
const OF_OBJECTS: [&str; 9] = [
    "apiVersion",
    "items",
    "kind",
    "metadata",
    "objects",
    "parameters",
    "schema",
    "spec",
    "status",
];

/// The Secrets within an object.
fn secrets_within(root: Node<'_>) -> Vec<Node<'_>> {
    let mut secrets = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        open.extend(node.items());
        open.extend(node.entries().map(|(_, value)| value));
        if node != root && is_whole(node) {
            secrets.push(node);
        }
    }
    secrets
}

/// Whether a Secret lacks its values: they may stand too far left, outside of it.
fn is_empty(secret: Node<'_>) -> bool {
    let mut held = VALUES.iter().filter_map(|field| secret.get(field));
    held.any(|value| value.is_null())
}

/// Adds the values beside the fields that an object may have: each may belong to a Secret within.
fn loose(root: Node<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    let is_loose = |key: &str| !OF_OBJECTS.contains(&key);
    let entries = root.entries().filter(|(_, value)| value.is_scalar());
    let loose = entries.filter(|(key, _)| key.text().is_some_and(is_loose));
    loose.for_each(|(_, value)| leaves(value, text, found));
}

/// Whether a JSON Pointer leads to values that may be those of a Secret: a patch need not say what
/// it changes.
fn leads_to_values(pointer: &str) -> bool {
    pointer
        .split('/')
        .skip(1)
        .any(|part| VALUES.contains(&part))
}

/// Whether a selector of a kustomization may select Secrets: its `kind` may be a pattern, or
/// missing.
fn selects_secrets(selector: Node<'_>) -> bool {
    let kind = selector.get("kind").and_then(Node::text);
    let is_name = |kind: &str| kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
    kind.is_none_or(|kind| kind.contains("Secret") || !is_name(kind))
}

/// Whether a replacement may put its value into a Secret.
fn fills_secrets(target: Node<'_>) -> bool {
    let selector = target.get("select");
    let paths = || target.get("fieldPaths").into_iter().flat_map(Node::items);
    let leads = |path: &str| VALUES.iter().any(|field| path.contains(field));
    selector.is_some_and(|selector| {
        let names = selector.get("kind").and_then(Node::text);
        names.is_some_and(|kind| kind.contains("Secret"))
            || (selects_secrets(selector) && paths().filter_map(Node::text).any(leads))
    })
}

/// Whether a field of a kustomization, a patch or a test holds values for a Secret.
fn is_value(holder: Node<'_>, field: &str) -> bool {
    let text = |name| holder.get(name).and_then(Node::text);
    match field {
        "value" => {
            let is_of = |pointer: &str| leads_to_values(pointer) || text("kind") == Some("Secret");
            (text("op").is_some() && text("path").is_some_and(leads_to_values))
                || text("pointer").is_some_and(is_of)
        }
        "patch" => {
            let unsaid = |patch: &str| {
                !patch.contains("kind") && !patch.contains("op") && patch.contains("ata")
            };
            holder.get("target").is_some_and(selects_secrets) && text("patch").is_some_and(unsaid)
        }
        "sourceValue" => {
            let targets = holder.get("targets");
            targets.into_iter().flat_map(Node::items).any(fills_secrets)
        }
        _ => false,
    }
}

/// Whether a mapping without a `kind` may be part of a Secret, such as a patch for one.
pub(super) fn is_part(node: Node<'_>) -> bool {
    let is_known = |key: &str| PARTS.contains(&key) || VALUES.contains(&key);
    node.is_mapping()
        && node
            .entries()
            .all(|(key, _)| key.text().is_some_and(is_known))
        && VALUES.iter().any(|field| node.get(field).is_some())
}

fn look(text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    if !mentions(text) {
        return;
    }
    if depth == DEPTH {
        return found.push(0..text.len());
    }
    let search = |text: &str, part: Range<usize>, found: &mut Vec<Range<usize>>| {
        let parsed = parse(SourceId::default(), text, part, Limits::default());
        // The tree lacks the value that a repeated key replaces.
        let repeats = |quirk: &Quirk| matches!(quirk.kind, QuirkKind::RepeatedKey(_));
        if !parsed.faults.is_empty() || parsed.quirks.iter().any(repeats) {
            return false;
        }
        let roots = parsed.documents.iter();
        let roots: Vec<Node<'_>> = roots.map(|root| parsed.tree.node(text, *root)).collect();
        let secrets: Vec<Vec<Node<'_>>> = roots.iter().map(|root| secrets_within(*root)).collect();
        if secrets.iter().flatten().any(|secret| is_empty(*secret)) {
            return false;
        }
        for (root, secrets) in roots.into_iter().zip(secrets) {
            walk(root, is_part(root), text, depth, found);
            if !secrets.is_empty() {
                loose(root, text, found);
            }
        }
        true
    };
    if !search(text, 0..text.len(), found) {
        unreadable::look(text, found, &search);
    }
}

fn walk(node: Node<'_>, of_secrets: bool, text: &str, depth: usize, found: &mut Vec<Range<usize>>) {
    match node.kind() {
        Kind::Mapping => {
            let kind = node.get("kind").and_then(Node::text);
            // The key of the kind may be misspelt.
            let mut values = node.entries().map(|(_, value)| value);
            let is_misspelt = kind.is_none() && values.any(|one| one.text() == Some("Secret"));
            let is_secret = kind == Some("Secret") || is_misspelt || is_secret_document(node);
            let of_secret = of_secrets || is_secret;
            let is_whole = is_whole(node);
            if kind == Some("SecretGenerator") {
                generator(node, text, found);
            }
            for (key, value) in node.entries() {
                let name = key.text().unwrap_or_default();
                let is_held = (of_secret && holds_values(name)) || (is_whole && is_stray(name));
                if is_held || name == "stringData" || is_value(node, name) {
                    remarks(range(key).end..range(value).start, text, found);
                    leaves(value, text, found);
                } else if name == GENERATOR {
                    generator(value, text, found);
                } else {
                    let items = kind == Some("SecretList") && name == "items";
                    if items && value.is_sequence() {
                        value
                            .items()
                            .for_each(|item| walk(item, true, text, depth, found));
                    } else {
                        walk(value, false, text, depth, found);
                    }
                }
            }
        }
        Kind::Sequence => node
            .items()
            .for_each(|item| walk(item, false, text, depth, found)),
        Kind::Scalar => {
            // A text that is one scalar is the same text within.
            let is_within = |inner: &&str| inner.trim() != text.trim() && mentions(inner);
            let Some(inner) = node.text().filter(is_within) else {
                return;
            };
            let mut within = Vec::new();
            look(inner, depth + 1, &mut within);
            if within.is_empty() {
                return;
            }
            let here = range(node);
            let lines = || Stretches::of_block(node, &text[here.clone()], inner);
            match node.is_block_text().then(lines).flatten() {
                Some(lines) => {
                    let in_file =
                        |part: Range<usize>| lines.at(part.start)..lines.at(part.end - 1) + 1;
                    found.extend(within.into_iter().map(in_file));
                }
                None => found.push(here),
            }
        }
    }
}

/// The values of what makes a Secret, whatever it is written as. A misspelt field may hold what
/// another one was to hold.
fn generator(node: Node<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    match node.kind() {
        Kind::Sequence => node.items().for_each(|item| generator(item, text, found)),
        Kind::Mapping => {
            remarks(range(node), text, found);
            let is_open = |field: &str| GENERATOR_NAMES.contains(&field);
            let held = node.entries();
            let held = held.filter(|(key, _)| !key.text().is_some_and(is_open));
            held.for_each(|(_, value)| leaves(value, text, found));
        }
        Kind::Scalar => leaves(node, text, found),
    }
}

fn range(node: Node<'_>) -> Range<usize> {
    let span = node.span();
    span.start as usize..span.end as usize
}

/// Adds the scalars of a value and the comments beside them.
fn leaves(node: Node<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    let whole = range(node);
    let mut rest = whole.start;
    let mut beside = |gap: Range<usize>| {
        if gap.start >= gap.end {
            return;
        }
        let marks = [',', ':', '{', '}', '[', ']', '?', '-', '"', '\''];
        let is_mark = |c: char| c.is_whitespace() || marks.contains(&c);
        let written = &text[gap.clone()];
        let tokens = written.split(is_mark).filter(|token| !token.is_empty());
        if tokens
            .clone()
            .any(|token| !token.starts_with(['&', '!', '|', '>']))
        {
            let start = gap.start + (written.len() - written.trim_start().len());
            found.push(start..start + written.trim().len());
        }
    };
    let inside = |one: &Range<usize>| whole.start <= one.start && one.end <= whole.end;
    let mut inner = Vec::new();
    match node.kind() {
        Kind::Mapping => {
            for (key, value) in node.entries() {
                let is_directive = key.text() == Some("$patch");
                let (key, at) = (range(key), range(value));
                if !is_directive {
                    inner.push(value);
                }
                if inside(&key) && inside(&at) {
                    beside(rest..key.start);
                    beside(key.end..at.start);
                    rest = at.end.max(rest);
                }
            }
        }
        Kind::Sequence => {
            for item in node.items() {
                inner.push(item);
                let at = range(item);
                if inside(&at) {
                    beside(rest..at.start);
                    rest = at.end.max(rest);
                }
            }
        }
        Kind::Scalar => {
            comments(text, whole.end, found);
            if !node.text().is_some_and(is_placeholder) {
                found.push(whole);
            }
            return;
        }
    }
    beside(rest..whole.end);
    inner
        .into_iter()
        .for_each(|value| leaves(value, text, found));
}

/// The comments on lines of their own in a part of a text.
fn remarks(part: Range<usize>, text: &str, found: &mut Vec<Range<usize>>) {
    let mut at = part.start;
    for line in text.get(part).unwrap_or_default().split_inclusive('\n') {
        let comment = line.trim_start();
        if comment.starts_with('#') {
            found.push(at + (line.len() - comment.len())..at + line.trim_end().len());
        }
        at += line.len();
    }
}

/// The comments behind a value: on its line, and indented ones below it.
fn comments(text: &str, mut at: usize, found: &mut Vec<Range<usize>>) {
    let mut is_own_line = !text[..at].ends_with('\n');
    for line in text[at..].split_inclusive('\n') {
        let comment = line.trim_start_matches([' ', '\t']);
        let is_indented = comment.len() < line.len();
        if comment.starts_with('#') && (is_own_line || is_indented) {
            found.push(at + (line.len() - comment.len())..at + line.trim_end().len());
        } else if !(is_own_line && comment.trim_end().is_empty()) {
            return;
        }
        is_own_line = false;
        at += line.len();
    }
}
