//! The difference of two plans as Markdown, for a review comment: what moves for one cause
//! together, then one row a move.
//!
//! Text of documents is in code spans, in which nothing links, mentions or formats. What
//! could end a span or a cell is written as a character reference.

use std::fmt::Write as _;

use crate::diff::{Diff, Move};
use crate::kit::plural::plural;
use crate::render::clean;
use crate::render::phrase::{self, Piece, Review};

/// Bytes of all rows together: with three lists a comment stays below 60 000 characters.
const ROWS: usize = 35_000;
/// Bytes of one list.
const LIST: usize = 7_500;

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
    reviewed(diff, against, &Review::default())
}

/// The difference with what a reviewer has to know besides, in at most 60 000 characters.
#[must_use]
pub fn reviewed(diff: &Diff, against: &str, review: &Review) -> String {
    entitled(diff, &format!("Plan against {}", code(against)), review)
}

/// The same under a headline, which is Markdown.
#[must_use]
pub fn reviewed_as(diff: &Diff, title: &str, review: &Review) -> String {
    entitled(diff, title, review)
}

/// Lost things in a row, by name, at most.
const LOST: usize = 20;

/// The losses with an impact; equal ones share a row.
#[must_use]
pub fn risk(risk: &crate::risk::Risk) -> String {
    use crate::render::text::risk as text;
    let mut out = format!("### {}\n\n| |", text::headline(risk));
    let rows = text::rows(risk, LOST);
    let asked = rows.iter().any(|row| row.remedy.is_some());
    let more = asked.then_some("Remedy");
    let headings: Vec<&str> = text::headings(risk).into_iter().chain(more).collect();
    for heading in &headings {
        let _ = write!(out, " {heading} |");
    }
    let _ = writeln!(out, "\n|---|{}", "---|".repeat(headings.len()));
    for row in rows {
        let _ = write!(out, "| `{}` |", row.mark);
        let remedy = asked.then(|| row.remedy.unwrap_or_else(|| "-".to_owned()));
        for cell in row.cells.into_iter().chain(remedy) {
            let _ = write!(out, " {} |", if cell == "-" { cell } else { code(&cell) });
        }
        out.push('\n');
    }
    for line in text::idle(risk)
        .into_iter()
        .chain(text::summary(risk))
        .chain(text::all_together(risk))
    {
        let _ = write!(out, "\n{}\n", clean(&line).replace('|', "&#124;"));
    }
    out
}

/// The difference under a headline, which is Markdown.
#[must_use]
pub fn titled(diff: &Diff, title: &str) -> String {
    entitled(diff, title, &Review::default())
}

fn entitled(diff: &Diff, title: &str, review: &Review) -> String {
    let mut out = format!("### {title}\n\n");
    let mut left = 0;
    let (caused, single) = diff.by_cause();
    for one in &caused {
        let mut text = String::new();
        for (place, changed) in phrase::causes(diff, one) {
            let place = place.map(|place| format!("**{}** ", code(&place)));
            let _ = writeln!(text, "{}{}  ", place.unwrap_or_default(), set(changed));
        }
        text.push('\n');
        for effect in &one.effects {
            for (mark, line) in phrase::effect(effect, false) {
                let _ = writeln!(text, "- `{}` {}", mark.sign(), set(line));
            }
        }
        if left > 0 || out.len() + text.len() > ROWS {
            left += one.effects.iter().map(|one| one.moves.len()).sum::<usize>();
        } else {
            out.push_str(&text);
            out.push('\n');
        }
    }
    // Deliveries come first: they are what the placements are for.
    for delivered in [true, false] {
        let of = |moved: &&Move| moved.subject.is_delivery() == delivered;
        let moves: Vec<&Move> = single.iter().copied().filter(of).collect();
        if moves.is_empty() {
            continue;
        }
        out.push_str(if delivered {
            "| | What reaches which cluster | From | To | Because |\n|---|---|---|---|---|\n"
        } else {
            "| | System | Subject | From | To | Because |\n|---|---|---|---|---|---|\n"
        });
        for moved in moves {
            let system = if delivered {
                String::new()
            } else {
                format!(" {} |", moved.subject.system().name())
            };
            let mut row = String::new();
            let _ = writeln!(
                row,
                "| `{}` |{system} {} | {} | {} | {} |",
                phrase::mark(moved).sign(),
                code(&moved.subject.name),
                set(phrase::before(moved)),
                set(phrase::after(moved)),
                set(phrase::because(diff, moved)),
            );
            if left > 0 || out.len() + row.len() > ROWS {
                left += 1;
            } else {
                out.push_str(&row);
            }
        }
        out.push('\n');
    }
    if left > 0 {
        let rest = plural(left, "more row");
        let _ = writeln!(
            out,
            "{rest} not shown; `-o text` and `-o json` have them all.\n"
        );
    }
    let notes = diff.moves.iter().filter_map(|moved| {
        let said = code(&phrase::consequences(moved)?);
        Some(format!("{}: {said}", code(&moved.subject.name)))
    });
    let notes: Vec<String> = notes.collect();
    // Quotation marks of ours would turn a whole line into character references.
    let coded = |all: &[String]| {
        let one = |one: &String| code(&one.replace('`', "'"));
        all.iter().map(one).collect::<Vec<_>>()
    };
    list(&mut out, "Failures and volumes left behind", &notes);
    list(
        &mut out,
        "Not built, so not compared",
        &coded(&review.not_compared),
    );
    list(&mut out, "New findings", &coded(&review.new));
    list(&mut out, "Resolved findings", &coded(&review.gone));
    out.push_str(&phrase::counts(diff));
    out.push('\n');
    if phrase::has_unconfirmed(diff) {
        let _ = writeln!(out, "\n{}", phrase::UNCONFIRMED);
    }
    out
}

/// A list under its heading, cut to its share of the comment; nothing without items.
fn list(out: &mut String, heading: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "**{heading}**\n");
    let (begin, mut shown) = (out.len(), 0);
    for item in items {
        if out.len() + item.len() - begin > LIST {
            break;
        }
        let _ = writeln!(out, "- {item}");
        shown += 1;
    }
    if shown < items.len() {
        let _ = writeln!(out, "- and {} more", items.len() - shown);
    }
    out.push('\n');
}

/// Shown instead of a difference when documents were refused.
#[must_use]
pub fn invalid(against: &str, errors: usize, review: &Review) -> String {
    invalid_as(&format!("Plan against {}", code(against)), errors, review)
}

/// The same under a headline, which is Markdown.
#[must_use]
pub fn invalid_as(title: &str, errors: usize, review: &Review) -> String {
    let mut out = format!(
        "### {title}\n\nNo plan: documents were refused ({}).\n\n",
        plural(errors, "error")
    );
    let found: Vec<String> = review
        .new
        .iter()
        .map(|one| code(&one.replace('`', "'")))
        .collect();
    list(&mut out, "Findings", &found);
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}
