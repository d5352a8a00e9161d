//! The difference of two plans in words, as pieces that text and Markdown set each in its way.

use serde_json::Value;

use crate::diff::{Answer, Cause, Diff, Move};

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

/// The mark of a move: `+` new, `-` gone, `!` without a place, `~` otherwise.
pub(super) fn mark(moved: &Move) -> char {
    let empty = |answer: &Option<Answer>| match answer {
        None | Some(Answer::Cluster(None)) => true,
        Some(Answer::Decisions(names)) => names.is_empty(),
        _ => false,
    };
    match (&moved.from, &moved.to) {
        (_, None) => '-',
        (_, to) if empty(to) => '!',
        (from, _) if empty(from) => '+',
        _ => '~',
    }
}

/// A decision; of two long lists only what each does not share with the other.
pub(super) fn answer(answer: Option<&Answer>, other: Option<&Answer>) -> Vec<Piece> {
    match answer {
        None => vec![Piece::Word("-")],
        Some(Answer::Cluster(None)) => vec![Piece::Word("nowhere")],
        Some(Answer::Cluster(Some(name))) => vec![Piece::Text(name.clone())],
        Some(Answer::Decisions(all)) => {
            let others = match other {
                Some(Answer::Decisions(others)) => others.as_slice(),
                _ => &[],
            };
            names(all, others)
        }
        Some(Answer::Group { position, nodes }) => {
            let (was, others) = match other {
                Some(Answer::Group { position, nodes }) => (Some(position), nodes.as_slice()),
                _ => (None, &[][..]),
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
            pieces
        }
        Some(Answer::Count(1)) => vec![Piece::Word("1 node")],
        Some(Answer::Count(count)) => vec![Piece::Count(format!("{count} nodes"))],
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
        let and = if own.is_empty() { "" } else { " and " };
        pieces.push(Piece::Count(format!("{and}{rest} more")));
    }
    pieces
}

/// The causes of a move in one line.
pub(super) fn because(diff: &Diff, moved: &Move) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if !moved.confirmed && !moved.because.is_empty() {
        pieces.push(Piece::Word("perhaps "));
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
        (None, _, true) => return pieces.push(Piece::Word(" added")),
        (_, None, true) => return pieces.push(Piece::Word(" removed")),
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
    let moves = diff.moves.len();
    match moves {
        0 => format!("Nothing moves; {} unchanged.", diff.unchanged),
        1 => format!("1 move, {} unchanged.", diff.unchanged),
        _ => format!("{moves} moves, {} unchanged.", diff.unchanged),
    }
}
