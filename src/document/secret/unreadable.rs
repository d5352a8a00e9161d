//! Secrets in texts with a fault, such as templates: nothing says there where a value ends, so a
//! document that may hold a Secret is hidden as a whole.

use std::ops::Range;

use super::mentions::{begins_as_part, declares, mentions};

/// Adds the documents of a text with a fault that may hold a Secret. `search` searches one that
/// has no fault itself, and says whether that is so.
pub(super) fn look(
    text: &str,
    found: &mut Vec<Range<usize>>,
    search: impl Fn(Range<usize>, &mut Vec<Range<usize>>) -> bool,
) {
    let mut is_hidden = false;
    for part in documents(text) {
        let document = &text[part.clone()];
        // A document that does not say what it is may be the rest of the one above.
        let says = ["kind", "schema"].iter().any(|key| document.contains(key));
        let is_rest = is_hidden && !says;
        if !is_rest && (!mentions(document) || search(part.clone(), found)) {
            is_hidden = false;
            continue;
        }
        is_hidden = is_rest || declares(document) || begins_as_part(document);
        if is_hidden {
            found.push(written(document, part.start));
        }
    }
}

/// The documents of a text, by the lines that begin one.
fn documents(text: &str) -> Vec<Range<usize>> {
    let mut documents = Vec::new();
    let mut begins = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let rest = line.strip_prefix("---");
        // `-----BEGIN` begins a value.
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)) {
            documents.push(begins..at);
            begins = at;
        }
        at += line.len();
    }
    documents.push(begins..text.len());
    documents
}

/// What is written in a document, without the line that begins it.
fn written(document: &str, start: usize) -> Range<usize> {
    let rest = document.strip_prefix("---").unwrap_or(document);
    let begins = start + document.len() - rest.trim_start().len();
    begins..begins + rest.trim().len()
}
