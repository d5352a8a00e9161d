//! Faults of text that is not YAML, in its authors' words: common slips, and the parser's reasons
//! in plain words.

use crate::source::{Place, Span};

/// A slip: what it is, what to do, and where.
type Slip = (&'static str, &'static str, Place);

/// A fault that keeps a text from being YAML.
#[derive(Debug)]
pub struct Broken<'t> {
    /// The fault.
    pub message: &'t str,
    /// The remedy, if one is known.
    pub help: Option<&'static str>,
    /// Where.
    pub place: Place,
    /// The text that is there; may be empty.
    pub label: &'static str,
}

const TAB: (&str, &str) = (
    "a tab is used for indentation",
    "YAML does not allow tabs for indentation; use spaces",
);

const CONTROL: (&str, &str) = (
    "the text contains a control character",
    "remove it, or write it as an escape in double quotes",
);

const UNCLOSED: (&str, &str) = (
    "a bracket or brace is not closed, or a comma is missing",
    "close it, and put a comma between its items",
);

const MISPLACED: &str = "mapping values are not allowed";

/// Parts of the parser's reasons; what they mean, and what to do.
const REASONS: [(&str, (&str, &str)); 25] = [
    ("tabs disallowed", TAB),
    ("found a tab", TAB),
    (
        "did not find expected key",
        (
            "the indentation matches no mapping above",
            "indent the line like the keys it belongs to",
        ),
    ),
    (
        "did not find expected '-' indicator",
        (
            "the indentation matches no list above",
            "indent the line like the items it belongs to, each with `- `",
        ),
    ),
    (
        "simple key",
        (
            "the line is not `key: value`",
            "add the colon and the value, or indent the line if it continues the text above",
        ),
    ),
    (
        MISPLACED,
        (
            "a colon where a key is not allowed",
            "quote the value if the colon is part of it; put a key on its own line",
        ),
    ),
    (
        "a key is missing",
        (
            "a key is missing before the colon",
            "write the key, or quote the colon if it is text",
        ),
    ),
    (
        "mapping keys are not allowed",
        ("a key is not allowed here", "put it on its own line"),
    ),
    (
        "block sequence entries are not allowed",
        (
            "a list cannot begin here",
            "put its items on their own lines, below the key",
        ),
    ),
    ("expected ',' or", UNCLOSED),
    ("unclosed bracket", UNCLOSED),
    ("EOF while parsing a flow", UNCLOSED),
    ("EOF while parsing an implicit flow", UNCLOSED),
    (
        "misplaced bracket",
        (
            "a closing bracket without an opening one",
            "remove it, or open it before",
        ),
    ),
    (
        "trailing content after",
        (
            "text follows the closing quote",
            "put the whole value in quotes; nothing may follow the closing quote",
        ),
    ),
    (
        "escape",
        (
            "the text in double quotes has an unknown `\\` escape",
            "write the backslash twice, or put the text in single quotes",
        ),
    ),
    (
        "indentation in multiline quoted",
        (
            "the quoted text continues with too little indentation",
            "indent its lines more than the key, or close the quote",
        ),
    ),
    (
        "found unexpected document indicator",
        (
            "a quote is not closed before the next `---`",
            "close the quote",
        ),
    ),
    (
        "unclosed quote",
        (
            "a quote is not closed",
            "close the quote; documents after it may have been misread",
        ),
    ),
    (
        "expected <document start>",
        (
            "the document has ended, but text follows",
            "begin another document with `---`, or correct the indentation",
        ),
    ),
    (
        "did not find expected node content",
        ("a value is missing", "write one, or leave the key out"),
    ),
    (
        "unexpected character",
        (
            "the text begins with a character that YAML reserves",
            "quote the text",
        ),
    ),
    (
        "before directive",
        (
            "a line that begins with `%` is a directive",
            "quote it if it is text; end the document before a directive with a line `...`",
        ),
    ),
    (
        "wrongly indented line in block scalar",
        (
            "a line of the text block is indented less than its first one",
            "indent all its lines by the same amount",
        ),
    ),
    (
        "invalid indentation",
        (
            "the line is indented too little",
            "indent it more than the key that it belongs to",
        ),
    ),
];

/// The fault by the parser's reason and place.
#[must_use]
pub fn syntax<'t>(reason: &'t str, text: &str, place: Place) -> Broken<'t> {
    if let Some((message, help, place)) = slip(text, place) {
        let label = "here";
        return Broken {
            message,
            help: Some(help),
            place,
            label,
        };
    }
    let at = place.span.start as usize;
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let tabbed =
        text[line..].trim_start_matches(' ').starts_with('\t') || text[at..].starts_with('\t');
    let known = REASONS.iter().find(|(part, _)| reason.contains(part));
    let (message, help) = match known {
        _ if tabbed => TAB,
        _ if text[at..].starts_with(char::is_control) && !text[at..].starts_with(['\n', '\r']) => {
            CONTROL
        }
        Some((MISPLACED, _)) if !text[line..at].contains(':') => {
            indented(&text[..line], &text[line..])
        }
        Some((_, words)) => *words,
        None => {
            return Broken {
                message: reason.trim().trim_end_matches('.'),
                help: None,
                place,
                label: "",
            };
        }
    };
    let is_open = message == UNCLOSED.0;
    let (place, label) = match unclosed(text, at).filter(|_| is_open) {
        Some(bracket) => (bytes(place, bracket, 1), "is not closed"),
        None => (place, ""),
    };
    Broken {
        message,
        help: Some(help),
        place,
        label,
    }
}

/// Bytes of the text that a place is in.
fn bytes(within: Place, from: usize, length: usize) -> Place {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let (start, end) = (offset(from), offset(from + length));
    Place {
        span: Span { start, end },
        ..within
    }
}

/// The last bracket or brace before a fault that is never closed.
fn unclosed(text: &str, fault: usize) -> Option<usize> {
    let start = text[..fault].rfind("\n---").map_or(0, |mark| mark + 1);
    let end = text[fault..]
        .find("\n---")
        .map_or(text.len(), |mark| fault + mark);
    let mut open: Vec<usize> = Vec::new();
    let mut quote = None;
    let mut comment = false;
    // The sign before this one, and the last one that is no blank.
    let (mut before, mut last) = ('\n', '\n');
    for (at, sign) in text[start..end].char_indices() {
        let begins = before.is_whitespace() || matches!(before, '[' | '{' | ',');
        match sign {
            '\n' => (comment, last) = (false, '\n'),
            _ if comment => {}
            _ if quote.is_some() => {
                quote = quote.filter(|open| *open != sign || before == '\\');
            }
            '#' if before.is_whitespace() => comment = true,
            '"' | '\'' if begins => quote = Some(sign),
            '[' | '{' if begins && matches!(last, '\n' | ':' | '-' | '?' | '[' | '{' | ',') => {
                open.push(start + at);
            }
            ']' | '}' => drop(open.pop()),
            _ => {}
        }
        before = sign;
        if !sign.is_whitespace() {
            last = sign;
        }
    }
    open.into_iter().rfind(|at| *at < fault)
}

/// Why the first key of a line is none: by how far it is indented.
fn indented(before: &str, line: &str) -> (&'static str, &'static str) {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let above = before.lines().rfind(|line| !line.trim().is_empty());
    if above.is_some_and(|above| indent(above) < indent(line)) {
        return (
            "the line is indented more than the key above it",
            "indent it like the keys it belongs to",
        );
    }
    (
        "the line above is not `key: value`",
        "add the colon and the value there",
    )
}

/// A line whose first characters are not what was meant, and how many they are.
fn mark(line: &str) -> Option<(&'static str, &'static str, usize)> {
    let line = line.trim();
    if line == "--" || line == "-- -" {
        return Some((
            "two dashes do not separate documents",
            "write three at the beginning of the line: `---`",
            line.len(),
        ));
    }
    if line.starts_with("```") {
        return Some((
            "the line is a Markdown code fence, not YAML",
            "remove the lines with three backquotes around the YAML",
            3,
        ));
    }
    if line.starts_with("//") || line.starts_with("/*") {
        return Some((
            "the line is a comment of another language",
            "YAML comments begin with `#`; JSON has no comments",
            2,
        ));
    }
    let item = line.strip_prefix('-')?;
    item.starts_with(|c: char| c.is_ascii_alphabetic() || c == '"' || c == '\'')
        .then_some((
            "an item of a list is glued to its dash: no space follows the dash",
            "put a space after the dash",
            1,
        ))
}

/// Slips that the parser's reasons do not name: conflict marks of git, and a key glued to its
/// value.
fn slip(text: &str, fault: Place) -> Option<Slip> {
    let at = fault.span.start as usize;
    let start = text[..at].rfind("\n---").map_or(0, |mark| mark + 1);
    let end = text[at..]
        .find('\n')
        .map_or(text.len(), |newline| at + newline);
    let place = |from: usize, length: usize| bytes(fault, from, length);
    let mut from = start;
    for line in text[start..end].split_inclusive('\n') {
        if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
            return Some((
                "the file contains merge conflict markers",
                "resolve the conflict and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`",
                place(from, 7),
            ));
        }
        from += line.len();
    }
    // The line of the fault, or the one before it: the parser reads on to see what follows.
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = text[..line.saturating_sub(1)]
        .rfind('\n')
        .map_or(0, |newline| newline + 1);
    for from in [line, before] {
        let whole = text[from..].lines().next().unwrap_or("");
        if let Some((message, help, length)) = mark(whole) {
            let indent = whole.len() - whole.trim_start().len();
            return Some((message, help, place(from + indent, length)));
        }
        let content = whole.trim_start().trim_start_matches("- ");
        let Some((key, value)) = content.split_once(':') else {
            continue;
        };
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let glued = !key.is_empty()
            && key.chars().all(word)
            && value.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '"' || c == '\'')
            && !value.contains(": ");
        if glued {
            let from = from + whole.len() - content.len();
            return Some((
                "no space after the colon of a key",
                "put a space after the colon",
                place(from, key.len() + 1),
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::unclosed;

    #[test]
    fn an_unclosed_bracket_is_found_where_it_opens() {
        let found = |text: &str| unclosed(text, text.len());
        assert_eq!(found("a: [\n  b: c\nd: {e: f}\n"), Some(3));
        assert_eq!(found("a: '['\nb: {c: d, e: \"}\"\n"), Some(10));
        assert_eq!(found("a: x[1 # [\nb: [c]\n"), None);
        assert_eq!(found("a: [b\n---\nc: d\n"), None);
        assert_eq!(unclosed("a: [b\n  c: d]\n", 9), None);
        assert_eq!(found("ä: [{b: c}, [d]\n"), Some(4));
    }
}
