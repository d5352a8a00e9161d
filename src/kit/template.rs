//! Template expressions in a text, of any template language.

use std::ops::Range;

/// Pairs of marks around template expressions.
const MARKS: [(&str, &str); 3] = [("{{", "}}"), ("{%", "%}"), ("{#", "#}")];

/// The template expressions of a text, in order; one without an end is none.
pub(crate) fn expressions(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    // Opening marks that are not closed further on: searching again for each would be quadratic.
    let mut unclosed: Vec<&str> = Vec::new();
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        from = open + 1;
        let marks = MARKS
            .iter()
            .find(|(mark, _)| text[open..].starts_with(mark));
        let Some((_, close)) = marks.filter(|(mark, _)| !unclosed.contains(mark)) else {
            continue;
        };
        match text[open + 2..].find(close) {
            Some(at) => {
                from = open + 2 + at + close.len();
                found.push(open..from);
            }
            None => unclosed.extend(marks.map(|(mark, _)| *mark)),
        }
    }
    found
}

/// The text with a plain word in place of each expression, or blanks where expressions fill a line.
/// Offsets stay the same.
pub(crate) fn fill(text: &str, marks: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for mark in marks {
        let mut first_line = true;
        for byte in &mut bytes[mark.clone()] {
            match *byte {
                b'\n' => first_line = false,
                _ => *byte = if first_line { b'x' } else { b' ' },
            }
        }
    }
    // Lines that held nothing but expressions are control flow or whole blocks of text.
    let mut start = 0;
    let mut mark = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        while marks.get(mark).is_some_and(|mark| mark.end <= start) {
            mark += 1;
        }
        let mut rest = start;
        let mut is_alone = false;
        for mark in marks[mark..].iter().take_while(|mark| mark.start < end) {
            is_alone = text[rest..mark.start.max(rest)].trim().is_empty();
            rest = rest.max(mark.end.min(end));
            if !is_alone {
                break;
            }
        }
        if is_alone && text[rest..end].trim().is_empty() {
            for byte in &mut bytes[start..end] {
                if !byte.is_ascii_whitespace() {
                    *byte = b' ';
                }
            }
        }
        start = end;
    }
    // Only whole expressions were written over, and those with plain letters and blanks.
    String::from_utf8_lossy(&bytes).into_owned()
}
