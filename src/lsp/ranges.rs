//! Ranges to fold and to select, from the tree of a file.

use gen_lsp_types::{FoldingRange, FoldingRangeKind, Position, SelectionRange};

use crate::source::Span;
use crate::yaml::{Kind, Node};

use super::position::Lines;
use super::tree::{Tree, holds};

/// The ranges that can be folded: documents, mappings, lists, blocks of text and of comments.
pub(super) fn folding(tree: &Tree<'_>, lines: &Lines<'_>, text: &str) -> Vec<FoldingRange> {
    let mut ranges = Vec::new();
    let mut fold = |start: u32, end: u32, kind: Option<FoldingRangeKind>| {
        if start < end {
            ranges.push(FoldingRange {
                start_line: start,
                end_line: end,
                kind,
                ..FoldingRange::default()
            });
        }
    };
    let line = |at: u32| lines.position(at).line;
    for root in tree.roots() {
        let last = line(end_of(root, text));
        fold(line(root.span().start), last, None);
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            let children: Vec<(u32, Node<'_>)> = match node.kind() {
                Kind::Scalar => Vec::new(),
                Kind::Mapping => node
                    .entries()
                    .map(|(key, value)| (key.span().start, value))
                    .collect(),
                Kind::Sequence => node.items().map(|item| (item.span().start, item)).collect(),
            };
            for (start, child) in children {
                fold(line(start), line(end_of(child, text)), None);
                open.push(child);
            }
        }
    }
    for (start, end) in comments(text) {
        fold(start, end, Some(FoldingRangeKind::Comment));
    }
    ranges.sort_by_key(|range| (range.start_line, u32::MAX - range.end_line));
    ranges.dedup_by_key(|range| range.start_line);
    ranges
}

/// The last byte of a node that is not blank.
fn end_of(node: Node<'_>, text: &str) -> u32 {
    let Span { start, end } = node.span();
    let written = text.get(start as usize..end as usize).unwrap_or("");
    let written = written.trim_end();
    start + u32::try_from(written.len()).unwrap_or(0)
}

/// The first and last lines of blocks of comments.
fn comments(text: &str) -> Vec<(u32, u32)> {
    let mut blocks: Vec<(u32, u32)> = Vec::new();
    for (line, number) in text.lines().zip(0..) {
        if !line.trim_start().starts_with('#') {
            continue;
        }
        match blocks.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => blocks.push((number, number)),
        }
    }
    blocks
}

/// The nodes around a place, the innermost first.
pub(super) fn selection(
    tree: &Tree<'_>,
    lines: &Lines<'_>,
    text: &str,
    position: Position,
) -> SelectionRange {
    let at = lines.offset(position);
    let mut spans = Vec::new();
    if let Some(root) = tree.root_at(at) {
        let trimmed = |node: Node<'_>| Span {
            start: node.span().start,
            end: end_of(node, text),
        };
        spans.push(trimmed(root));
        for step in super::tree::way(root, at) {
            let value = trimmed(step.value);
            if let Some(key) = step.key {
                spans.push(Span {
                    start: key.span().start,
                    end: value.end.max(key.span().end),
                });
                if holds(key.span(), at) {
                    spans.push(key.span());
                    break;
                }
            }
            spans.push(value);
        }
    }
    let whole = lines.whole();
    let mut range = SelectionRange::new(whole, None);
    let mut around = whole;
    for span in spans {
        let inner = lines.range(span);
        let key = |position: Position| (position.line, position.character);
        let lies_inside =
            key(around.start) <= key(inner.start) && key(inner.end) <= key(around.end);
        if inner != around && lies_inside {
            range = SelectionRange::new(inner, Some(Box::new(range)));
            around = inner;
        }
    }
    range
}
