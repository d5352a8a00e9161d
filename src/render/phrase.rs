//! The difference of two plans in words, as pieces that text and Markdown set each in its way.

use std::borrow::Cow;

use serde_json::Value;

use crate::diff::{Cause, Diff, Move};
use crate::kit::plural::{first_names, plural};
use crate::plan::{Answer, Assignment};

use super::text::layout::Mark;

/// Causes named in a line, at most.
const CAUSES: usize = 3;

/// Names of a list that are all shown, at most.
const NAMES: usize = 4;

/// Characters of a value that are shown, at most.
const LENGTH: usize = 60;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words of ours.
    Word(&'static str),
    /// A number and the words after it.
    Count(String),
    /// Text of a document.
    Text(String),
}

/// Pieces as they are, one after another.
pub(super) fn plain(pieces: Vec<Piece>) -> String {
    let text = |piece: Piece| match piece {
        Piece::Word(word) => word.to_owned(),
        Piece::Count(text) | Piece::Text(text) => text,
    };
    pieces.into_iter().map(text).collect()
}

/// The mark of a move.
pub(super) fn mark(moved: &Move) -> Mark {
    let empty = |answer: &Option<Assignment>| answer.as_ref().is_none_or(Answer::is_nowhere);
    match (&moved.from, &moved.to) {
        (_, None) => Mark::Gone,
        (_, to) if empty(to) || moved.error.is_some() => Mark::Failed,
        (from, _) if empty(from) => Mark::New,
        _ => Mark::Changed,
    }
}

/// The decision before a move: of a long list how many there are, and which of them go.
pub(super) fn before(moved: &Move) -> Vec<Piece> {
    answer(moved.from.as_ref(), moved.to.as_ref(), "- ")
}

/// The decision after it: of a long list how many there are, and which of them are new.
pub(super) fn after(moved: &Move) -> Vec<Piece> {
    answer(moved.to.as_ref(), moved.from.as_ref(), "+ ")
}

/// A decision by itself.
pub(super) fn alone(decision: &Assignment) -> Vec<Piece> {
    answer(Some(decision), None, "")
}

fn answer(
    answer: Option<&Assignment>,
    other: Option<&Assignment>,
    sign: &'static str,
) -> Vec<Piece> {
    match answer {
        None => vec![Piece::Word("-")],
        Some(Assignment::Cluster(None)) => vec![Piece::Word("nowhere")],
        Some(Assignment::Cluster(Some(name))) => vec![Piece::Text(name.to_string())],
        Some(Assignment::Decisions(all)) => {
            let others = match other {
                Some(Assignment::Decisions(others)) => others.as_slice(),
                _ => &[],
            };
            names(all, others, sign)
        }
        Some(Assignment::Group {
            position,
            nodes,
            terms,
        }) => {
            let (was, others, known) = match other {
                Some(Assignment::Group {
                    position,
                    nodes,
                    terms,
                }) => (Some(position), nodes.as_slice(), terms.as_slice()),
                _ => (None, &[][..], &[][..]),
            };
            let mut pieces = Vec::new();
            if was != Some(position) {
                pieces.push(Piece::Count(format!("position {position}")));
            }
            if nodes != others {
                if !pieces.is_empty() {
                    pieces.push(Piece::Word(", "));
                }
                pieces.extend(names(nodes, others, sign));
            }
            let own = terms.iter().filter(|_| !known.is_empty());
            for term in own.filter(|term| !known.contains(term)) {
                if !pieces.is_empty() {
                    pieces.push(Piece::Word(", "));
                }
                pieces.push(Piece::Text(term.clone()));
            }
            pieces
        }
        Some(Assignment::Count(count)) => vec![Piece::Count(plural(*count, "node"))],
    }
}

/// Names; of a long list that has a counterpart the number, and what the other does not have.
fn names(all: &[Cow<'_, str>], others: &[Cow<'_, str>], sign: &'static str) -> Vec<Piece> {
    if all.is_empty() {
        return vec![Piece::Word("none")];
    }
    let mut pieces = Vec::new();
    let mut shown: Vec<&Cow<'_, str>> = all.iter().collect();
    if all.len() > NAMES && !others.is_empty() {
        shown.retain(|name| others.binary_search(name).is_err());
        pieces.push(Piece::Count(all.len().to_string()));
        if shown.is_empty() {
            return pieces;
        }
        pieces.extend([Piece::Word(": "), Piece::Word(sign)]);
    }
    let rest = match shown.len() {
        ..=NAMES => 0,
        many => many - NAMES,
    };
    for (at, name) in shown.iter().take(NAMES).enumerate() {
        if at > 0 {
            pieces.push(Piece::Word(", "));
        }
        pieces.push(Piece::Text(name.to_string()));
    }
    if rest > 0 {
        pieces.push(Piece::Count(format!(" and {rest} more")));
    }
    pieces
}

/// The note on a cause that planning again did not confirm.
pub(super) const UNCONFIRMED: &str = "unconfirmed: a likely cause; planning again without it was \
                                      not tried, or did not bring the former decision back";

/// Whether that word is used.
pub(super) fn has_unconfirmed(diff: &Diff) -> bool {
    diff.moves.iter().any(is_unconfirmed)
}

fn is_unconfirmed(moved: &Move) -> bool {
    !moved.confirmed && !moved.because.is_empty()
}

/// The causes of a move in one line.
pub(super) fn because(diff: &Diff, moved: &Move) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if is_unconfirmed(moved) {
        pieces.push(Piece::Word("unconfirmed: "));
    }
    for (at, number) in moved.because.iter().take(CAUSES).zip(0..) {
        if number > 0 {
            pieces.push(Piece::Word("; "));
        }
        cause(&diff.causes[*at], &mut pieces);
    }
    if let Some(rest) = moved
        .because
        .len()
        .checked_sub(CAUSES)
        .filter(|rest| *rest > 0)
    {
        pieces.push(Piece::Count(format!("; and {rest} more")));
    }
    pieces
}

fn cause(cause: &Cause, pieces: &mut Vec<Piece>) {
    let object = &cause.object;
    let qualifier = [&object.package, &object.cluster, &object.namespace];
    let qualifier = qualifier.into_iter().flatten().map(|q| format!("{q}/"));
    let name = format!("{}{}", qualifier.collect::<String>(), object.name);
    pieces.push(Piece::Text(format!("{} {name}", object.kind)));
    match (&cause.before, &cause.after, cause.path.is_empty()) {
        (None, _, true) => {
            pieces.push(Piece::Word(" added"));
            return place(cause, pieces);
        }
        (_, None, true) => {
            pieces.push(Piece::Word(" removed"));
            return place(cause, pieces);
        }
        _ => {
            pieces.push(Piece::Word(" "));
            pieces.push(Piece::Text(cause.path.clone()));
        }
    }
    match (&cause.before, &cause.after) {
        (Some(before), Some(after)) => {
            pieces.push(Piece::Word(": "));
            pieces.push(Piece::Text(value(before)));
            pieces.push(Piece::Word(" -> "));
            pieces.push(Piece::Text(value(after)));
        }
        (None, Some(after)) => {
            pieces.push(Piece::Word(" added: "));
            pieces.push(Piece::Text(value(after)));
        }
        (Some(before), None) => {
            pieces.push(Piece::Word(" removed: "));
            pieces.push(Piece::Text(value(before)));
        }
        (None, None) => {}
    }
    place(cause, pieces);
}

/// File and line of a cause.
fn place(cause: &Cause, pieces: &mut Vec<Piece>) {
    if let Some((path, line)) = &cause.at {
        pieces.push(Piece::Word(" ("));
        pieces.push(Piece::Text(format!("{path}:{line}")));
        pieces.push(Piece::Word(")"));
    }
}

fn value(value: &Value) -> String {
    let whole = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if whole.chars().count() <= LENGTH {
        return whole;
    }
    let mut short: String = whole.chars().take(LENGTH).collect();
    short.push('…');
    short
}

/// How much moves: the line that closes every form.
pub(super) fn counts(diff: &Diff) -> String {
    if diff.moves.is_empty() {
        return format!("Nothing moves; {} unchanged.", diff.unchanged);
    }
    let mut parts = vec![moved(diff.moves.iter())];
    let volumes: usize = diff
        .moves
        .iter()
        .map(|moved| moved.volumes_left.len())
        .sum();
    if volumes > 0 {
        parts.push(format!("{} left behind", plural(volumes, "volume")));
    }
    parts.push(format!("{} unchanged", diff.unchanged));
    format!("{}.", parts.join(", "))
}

/// `1 added, 3 moves, 2 removed`
pub(super) fn moved<'d>(moves: impl Iterator<Item = &'d Move> + Clone) -> String {
    let part = |sign: Mark| {
        let number = moves.clone().filter(|one| mark(one) == sign).count();
        let text = match sign {
            Mark::New => format!("{number} added"),
            Mark::Gone => format!("{number} removed"),
            Mark::Failed => format!("{number} failed"),
            _ => plural(number, "move"),
        };
        (number > 0).then_some(text)
    };
    let signs = [Mark::New, Mark::Changed, Mark::Gone, Mark::Failed];
    let parts: Vec<String> = signs.into_iter().filter_map(part).collect();
    parts.join(", ")
}

/// The facts that a reviewer needs besides the moves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Review {
    /// Findings that were not there before: `path:line:column: severity[code] message`.
    pub new: Vec<String>,
    /// Findings that are there no more.
    pub gone: Vec<String>,
}

/// The consequences of a move: volumes left behind, no answer.
pub(super) fn consequences(moved: &Move) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(error) = &moved.error {
        parts.push(error.clone());
    }
    if !moved.volumes_left.is_empty() {
        let volumes = first_names(moved.volumes_left.iter(), NAMES);
        parts.push(format!("leaves {volumes}"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
