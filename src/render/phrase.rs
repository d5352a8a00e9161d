//! The difference of two plans in words, as pieces that text and Markdown set each in its way.

use serde_json::Value;

use crate::diff::{Cause, Diff, Move};
use crate::kit::plural::plural;
use crate::plan::Assignment;

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

/// The mark of a move.
pub(super) fn mark(moved: &Move) -> Mark {
    let empty = |answer: &Option<Assignment>| match answer {
        None | Some(Assignment::Cluster(None)) => true,
        Some(Assignment::Decisions(names)) => names.is_empty(),
        _ => false,
    };
    match (&moved.from, &moved.to) {
        (_, None) => Mark::Gone,
        (_, to) if empty(to) || moved.error.is_some() => Mark::Failed,
        (from, _) if empty(from) => Mark::New,
        _ => Mark::Changed,
    }
}

/// A decision; of two long lists only what each does not share with the other.
pub(super) fn answer(answer: Option<&Assignment>, other: Option<&Assignment>) -> Vec<Piece> {
    match answer {
        None => vec![Piece::Word("-")],
        Some(Assignment::Cluster(None)) => vec![Piece::Word("nowhere")],
        Some(Assignment::Cluster(Some(name))) => vec![Piece::Text(name.clone())],
        Some(Assignment::Decisions(all)) => {
            let others = match other {
                Some(Assignment::Decisions(others)) => others.as_slice(),
                _ => &[],
            };
            names(all, others)
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
                pieces.extend(names(nodes, others));
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
        Some(Assignment::Count(1)) => vec![Piece::Word("1 node")],
        Some(Assignment::Count(count)) => vec![Piece::Count(format!("{count} nodes"))],
    }
}

fn names(all: &[String], others: &[String]) -> Vec<Piece> {
    if all.is_empty() {
        return vec![Piece::Word("none")];
    }
    let long = all.len() > NAMES;
    let own: Vec<&String> = if long {
        let own = all
            .iter()
            .filter(|name| others.binary_search(name).is_err());
        own.take(NAMES).collect()
    } else {
        all.iter().collect()
    };
    let mut pieces = Vec::new();
    for name in &own {
        if !pieces.is_empty() {
            pieces.push(Piece::Word(", "));
        }
        pieces.push(Piece::Text((*name).clone()));
    }
    let rest = all.len() - own.len();
    if rest > 0 {
        pieces.push(Piece::Count(if own.is_empty() {
            format!("{rest} of them")
        } else {
            format!(" and {rest} more")
        }));
    }
    pieces
}

/// The causes of a move in one line.
pub(super) fn because(diff: &Diff, moved: &Move) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if !moved.confirmed && !moved.because.is_empty() {
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

/// What a reviewer has to know besides the moves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Review {
    /// Findings that were not there before: `path:line:column: severity[code] message`.
    pub new: Vec<String>,
    /// Findings that are there no more.
    pub gone: Vec<String>,
}

/// What is to be said of a move after the table: volumes left behind, no answer.
pub(super) fn consequences(moved: &Move) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(error) = &moved.error {
        parts.push(error.clone());
    }
    if !moved.volumes_left.is_empty() {
        let volumes = &moved.volumes_left;
        let named = volumes
            .iter()
            .take(NAMES)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        let more = match volumes.len().saturating_sub(NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        parts.push(format!("leaves {named}{more}"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
