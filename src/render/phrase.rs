//! The difference of two plans in words, as pieces that text and Markdown set each in its way.

use std::borrow::Cow;

use serde_json::Value;

use crate::diagnostic::built_by;
use crate::diff::{Cause, Caused, Changed, Diff, Effect, Move, Subject};
use crate::kit::plural::{first_names, listed, plural};
use crate::plan::{Answer, Assignment};
use crate::systems;

use crate::page::layout::Mark;

/// Causes named in a line, at most.
const CAUSES: usize = 3;

/// Subjects, or clusters, of one effect that are named, at most.
const SUBJECTS: usize = 3;

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

/// A decision in words; of a long list, its length and, after a sign, the names that the other
/// decision lacks.
pub(super) fn answer(
    answer: Option<&Answer<'_>>,
    other: Option<&Answer<'_>>,
    sign: &'static str,
) -> Vec<Piece> {
    match answer {
        None => vec![Piece::Word("-")],
        Some(Answer::Cluster(None)) => vec![Piece::Word("nowhere")],
        Some(Answer::Cluster(Some(name))) => vec![Piece::Text(name.to_string())],
        Some(Answer::Decisions(all)) => {
            let others = match other {
                Some(Answer::Decisions(others)) => others.as_slice(),
                _ => &[],
            };
            names(all, others, sign)
        }
        Some(Answer::Group {
            position,
            nodes,
            terms,
        }) => {
            let (was, others, known) = match other {
                Some(Answer::Group {
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
        Some(Answer::Count(count)) => vec![Piece::Count(plural(*count, "node"))],
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
    changed(cause, pieces);
    if let Some((path, line)) = &cause.at {
        pieces.push(Piece::Word(" ("));
        pieces.push(Piece::Text(format!("{path}:{line}")));
        if let Some(roots) = built_by(&cause.roots, path) {
            pieces.push(Piece::Word(" in "));
            pieces.push(Piece::Text(roots));
        }
        pieces.push(Piece::Word(")"));
    }
}

/// The change of a cause, without its place.
fn changed(cause: &Cause, pieces: &mut Vec<Piece>) {
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

/// The causes that moves share, a line each: the place, and what changed there.
pub(super) fn causes(diff: &Diff, caused: &Caused<'_>) -> Vec<(Option<String>, Vec<Piece>)> {
    let line = |at: &usize| {
        let cause = &diff.causes[*at];
        let mut pieces = Vec::new();
        if !caused.confirmed {
            pieces.push(Piece::Word("unconfirmed: "));
        }
        changed(cause, &mut pieces);
        let at = cause.at.as_ref();
        if let Some(roots) = at.and_then(|(path, _)| built_by(&cause.roots, path)) {
            pieces.push(Piece::Word(" in "));
            pieces.push(Piece::Text(roots));
        }
        (at.map(|(path, line)| format!("{path}:{line}")), pieces)
    };
    let mut lines: Vec<_> = caused.because.iter().take(CAUSES).map(line).collect();
    if let Some(rest @ 1..) = caused.because.len().checked_sub(CAUSES) {
        lines.push((None, vec![Piece::Count(format!("and {rest} more"))]));
    }
    lines
}

/// The change of moves with one effect, a line for each direction; `all` names each of them.
pub(super) fn effect(effect: &Effect<'_>, all: bool) -> Vec<(Mark, Vec<Piece>)> {
    let Some(first) = effect.moves.first() else {
        return Vec::new();
    };
    let sign = mark(first);
    let Changed::Clusters { were, leave, join } = &effect.change else {
        let kind = kind_and_name(&first.subject).0;
        let names = effect.moves.iter().map(|one| kind_and_name(&one.subject).1);
        let most = if all { effect.moves.len() } else { SUBJECTS };
        let kind = plural(effect.moves.len(), kind);
        let kind = kind.split_once(' ').map_or(&*kind, |(_, kind)| kind);
        let names = first_names(names, most);
        let mut pieces = vec![Piece::Text(format!("{kind} {names}"))];
        match (&first.from, &first.to) {
            (_, None) => {
                pieces.push(Piece::Word(", was "));
                pieces.extend(before(first));
            }
            (None, _) => {
                pieces.push(Piece::Word(": "));
                pieces.extend(after(first));
            }
            _ => {
                pieces.push(Piece::Word(": "));
                pieces.extend(before(first));
                pieces.push(Piece::Word(" -> "));
                pieces.extend(after(first));
            }
        }
        return vec![(sign, pieces)];
    };
    let mut lines = Vec::new();
    let gone = if sign == Mark::Failed {
        sign
    } else {
        Mark::Gone
    };
    let ways = [
        (gone, leave, [" leaves ", " leave "]),
        (Mark::New, join, [" joins ", " join "]),
    ];
    for (sign, names, [one, many]) in ways {
        let leaving = sign != Mark::New;
        let mut pieces = match names.as_slice() {
            [] => continue,
            [name] => vec![Piece::Text((*name).to_owned())],
            _ if !leaving => vec![Piece::Count(plural(names.len(), "cluster"))],
            _ if names.len() == *were => {
                vec![Piece::Count(format!("all {}", plural(*were, "cluster")))]
            }
            _ => {
                let (some, all) = (names.len(), plural(*were, "cluster"));
                vec![Piece::Count(format!("{some} of {all}"))]
            }
        };
        if leaving && *were == 1 {
            pieces.push(Piece::Word(", the only cluster,"));
        }
        pieces.push(Piece::Word(if names.len() == 1 { one } else { many }));
        pieces.extend(subjects(&effect.moves, all));
        if names.len() > 1 {
            let most = if all { names.len() } else { SUBJECTS };
            pieces.push(Piece::Word(": "));
            pieces.push(Piece::Text(first_names(names.iter(), most)));
        }
        lines.push((sign, pieces));
    }
    lines
}

/// Few subjects by their names, many by how many there are of each kind.
fn subjects(moves: &[&Move], all: bool) -> Vec<Piece> {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    let mut names = Vec::new();
    for moved in moves {
        let (kind, name) = kind_and_name(&moved.subject);
        names.push(format!("{kind} {name}"));
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    if all || moves.len() <= SUBJECTS {
        return vec![Piece::Text(listed(&names))];
    }
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(kind, count)| plural(count, kind))
        .collect();
    vec![Piece::Text(listed(&kinds))]
}

/// The kind of a subject, and its name.
fn kind_and_name(subject: &Subject) -> (&str, &str) {
    let kind = systems::of(subject.system()).profile().heads.0;
    match subject.name.split_once('/') {
        Some((kind, name)) if subject.is_delivery() => (kind, name),
        _ => (kind, &subject.name),
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
    /// Parts of either state that are not built, and so not compared.
    pub not_compared: Vec<String>,
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
