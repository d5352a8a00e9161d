//! The difference of two plans as Markdown, for a review comment: one row a move.
//!
//! Text of documents stands in code spans, in which nothing links, mentions or formats. What
//! could end a span or a cell is written as a character reference.

use std::fmt::Write as _;

use crate::diff::Diff;
use crate::kit::plural::plural;
use crate::render::clean;
use crate::render::phrase::{self, Piece};

/// Text of a document as it may stand in a table.
///
/// ```
/// use planner::render::markdown::code;
/// assert_eq!(code("oslo"), "`oslo`");
/// assert_eq!(code("@team <b>"), "`@team <b>`");
/// assert_eq!(code("a|b`c"), "<code>a&#124;b&#96;c</code>");
/// ```
#[must_use]
pub fn code(text: &str) -> String {
    let text = clean(text);
    let plain =
        !text.contains(['`', '|', '\\']) && !text.is_empty() && text.trim().len() == text.len();
    if plain {
        return format!("`{text}`");
    }
    let mut out = String::from("<code>");
    for c in text.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && c != ' ' {
            let _ = write!(out, "&#{};", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out.push_str("</code>");
    out
}

fn set(pieces: Vec<Piece>) -> String {
    let piece = |piece: Piece| match piece {
        Piece::Word(" -> ") => " → ".to_owned(),
        Piece::Word(word) => word.to_owned(),
        Piece::Count(text) => text,
        Piece::Text(text) => code(&text),
    };
    pieces.into_iter().map(piece).collect()
}

/// The difference; `against` names the other state.
#[must_use]
pub fn diff(diff: &Diff, against: &str) -> String {
    let mut out = format!("### Plan against {}\n\n", code(against));
    if !diff.moves.is_empty() {
        out.push_str("| | System | Subject | From | To | Because |\n");
        out.push_str("|---|---|---|---|---|---|\n");
    }
    for moved in &diff.moves {
        let (from, to) = (moved.from.as_ref(), moved.to.as_ref());
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} | {} |",
            phrase::mark(moved),
            moved.subject.system.name(),
            code(&moved.subject.name),
            set(phrase::answer(from, to)),
            set(phrase::answer(to, from)),
            set(phrase::because(diff, moved)),
        );
    }
    if !diff.moves.is_empty() {
        out.push('\n');
    }
    out.push_str(&phrase::counts(diff));
    out.push('\n');
    out
}

/// What stands in place of a difference when documents were refused.
#[must_use]
pub fn invalid(against: &str, errors: usize) -> String {
    format!(
        "### Plan against {}\n\nNo plan: documents were refused ({}).\n",
        code(against),
        plural(errors, "error")
    )
}
