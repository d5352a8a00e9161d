//! The characters that no text may have, and the lines that divide documents.

use crate::source::line_break;

/// Where the first character is that neither original reader takes anywhere.
pub(super) fn forbidden(bytes: &[u8]) -> Option<usize> {
    let next = |at: usize| bytes.get(at).copied().unwrap_or(0);
    bytes.iter().enumerate().position(|(at, byte)| match byte {
        b'\n' | b'\t' | b'\r' => false,
        0..b' ' | 0x7f => true,
        0xc2 => next(at + 1) < 0xa0 && next(at + 1) != 0x85,
        0xef => next(at + 1) == 0xbf && next(at + 2) >= 0xbe,
        _ => false,
    })
}

/// The start of the first line from a place on that divides documents, whatever ends lines.
pub(super) fn next_mark(bytes: &[u8], from: usize) -> Option<usize> {
    let ends_line = |at: usize| {
        let before = (1..=3).filter_map(|length| at.checked_sub(length));
        before
            .map(|start| (start, line_break(bytes, start)))
            .any(|(start, length)| length > 0 && start + length == at)
    };
    let mut marks = memchr::memmem::find_iter(&bytes[from..], b"---").map(|found| from + found);
    marks.find(|at| ends_line(*at) && ends_mark(bytes, at + 3))
}

/// Whether nothing, white space or a line break is at a place.
pub(super) fn ends_mark(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), None | Some(b' ' | b'\t')) || line_break(bytes, at) > 0
}
