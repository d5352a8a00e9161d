//! Cuts a stream at its document marks, so that the pieces can be read side by side.
//!
//! Sound for YAML 1.2: `---` at the start of a line is forbidden inside every scalar and
//! flow collection, and anchors do not pass document borders. A stream with directives is
//! left whole, because `%YAML` and `%TAG` belong to the document after them.

use std::ops::Range;

/// Whether a line may be a directive.
pub(crate) fn has_directive(text: &str) -> bool {
    text.starts_with('%')
        || text.starts_with("\u{feff}%")
        || text.contains("\n%")
        || text.contains("\r%")
}

/// Pieces of about `target` bytes that begin at a `---` line (but for the first).
#[must_use]
pub fn cut(text: &str, target: usize) -> Vec<Range<usize>> {
    if text.len() <= target || has_directive(text) {
        return std::iter::once(0..text.len()).collect();
    }
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut from = target;
    while from < bytes.len() {
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let mark = text[from..].match_indices("\n---").find_map(|(at, _)| {
            let after = from + at + 4;
            matches!(bytes.get(after), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
                .then_some(from + at + 1)
        });
        let Some(mark) = mark else { break };
        pieces.push(start..mark);
        start = mark;
        from = mark + target;
    }
    pieces.push(start..bytes.len());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_begin_at_marks_and_cover_the_text() {
        let text = "a: 1\n---\nb: 2\n--- x\nc: |\n ---\n---d: 1\n---\ne: 1\n";
        let pieces = cut(text, 1);
        let shown: Vec<_> = pieces.iter().map(|piece| &text[piece.clone()]).collect();
        assert_eq!(shown.concat(), text);
        assert_eq!(shown.len(), 4);
        assert!(shown[1..].iter().all(|piece| piece.starts_with("---")));
        assert_eq!(cut("%YAML 1.1\n---\na\n---\nb\n", 1).len(), 1);
    }
}
