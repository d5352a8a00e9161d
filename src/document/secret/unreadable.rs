//! Secrets in texts with a fault. Nothing there says where a value ends, so a document that may
//! hold a Secret is hidden as a whole. Templates are read without their expressions.

use std::ops::Range;

use crate::kit::template::{expressions, fill};
use crate::yaml::cut;

use super::mentions::{begins_as_part, declares, mentions};
use super::placeholder::is_placeholder;

/// Searches a part of a text that has no fault; `false` if it has one.
type Search<'s> = &'s dyn Fn(&str, Range<usize>, &mut Vec<Range<usize>>) -> bool;

/// Adds every document with a fault that may hold a Secret, and the values of Secrets in healthy
/// documents.
pub(super) fn look(text: &str, found: &mut Vec<Range<usize>>, search: Search<'_>) {
    let mut is_hidden = false;
    for part in cut(text, 0) {
        let document = &text[part.clone()];
        // A document that does not say what it is may be the rest of the one above.
        let says = ["kind", "schema"].iter().any(|key| document.contains(key));
        let is_rest = is_hidden && !says;
        let mut is_searched = || {
            !mentions(document) || search(text, part.clone(), found) || {
                let values = in_template(document, search);
                let moved = |one: Range<usize>| one.start + part.start..one.end + part.start;
                found.extend(values.iter().flatten().cloned().map(moved));
                values.is_some()
            }
        };
        is_hidden = is_rest || (!is_searched() && (declares(document) || begins_as_part(document)));
        if is_hidden {
            found.push(written(document, part.start));
        }
    }
}

/// The values of Secrets in a template; `None` if it has a fault without its expressions, too.
fn in_template(text: &str, search: Search<'_>) -> Option<Vec<Range<usize>>> {
    let marks = expressions(text);
    if marks.is_empty() {
        return None;
    }
    let filled = fill(text, &marks);
    // An expression may choose the kind.
    let mut lines = text.lines().zip(filled.lines());
    let chooses = |line: &str| line.contains("{{") && line.contains("Secret");
    if lines.any(|(line, outside)| chooses(line) && outside.contains("kind")) {
        return None;
    }
    let mut found = Vec::new();
    if !search(&filled, 0..filled.len(), &mut found) {
        return None;
    }
    found.sort_unstable_by_key(|range| range.start);
    // In the filled text, an expression over several lines is one word on its first line.
    for range in &mut found {
        let last = marks.partition_point(|mark| mark.start < range.end);
        let ends = last.checked_sub(1).map(|last| marks[last].end);
        range.end = range.end.max(ends.unwrap_or(0));
    }
    // An expression on a line beside a value may be a part of it.
    let is_beside = |gap: Range<usize>| !filled[gap].trim().contains('\n');
    let beside = marks.into_iter().filter(|mark| {
        let next = found.partition_point(|range| range.start < mark.start);
        let above = next.checked_sub(1).map(|above| &found[above]);
        let is_below = above.is_some_and(|above| is_beside(above.end.min(mark.start)..mark.start));
        let below = found.get(next);
        let is_above =
            || below.is_some_and(|below| is_beside(mark.end.min(below.start)..below.start));
        is_below || is_above()
    });
    let beside: Vec<Range<usize>> = beside.collect();
    found.extend(beside);
    found.retain(|range| !is_placeholder(&text[range.clone()]));
    Some(found)
}

/// The content of a document, without its mark and the blanks around it.
fn written(document: &str, start: usize) -> Range<usize> {
    let rest = document.strip_prefix("---").unwrap_or(document);
    let begins = start + document.len() - rest.trim_start().len();
    begins..begins + rest.trim().len()
}
