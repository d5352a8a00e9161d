//! The difference of two plans as text: one line a move.

use crate::diff::Diff;
use crate::render::phrase::{self, Piece, Review};

use super::{Page, Screen, Tone, columns};

/// Lines of a list, at most.
const LISTED: usize = 50;

/// The difference; `against` names the other state.
#[must_use]
pub fn diff(diff: &Diff, against: &str) -> Page {
    reviewed(diff, against, &Review::default())
}

/// The difference with what a reviewer has to know besides.
#[must_use]
pub fn reviewed(diff: &Diff, against: &str, review: &Review) -> Page {
    entitled(diff, &format!("Plan against {against}"), review)
}

/// The difference under a headline.
#[must_use]
pub fn titled(diff: &Diff, title: &str) -> Page {
    entitled(diff, title, &Review::default())
}

fn entitled(diff: &Diff, title: &str, review: &Review) -> Page {
    let mut page = Page::new();
    page.toned(Tone::Strong, title.to_owned());
    if !diff.moves.is_empty() {
        page.gap();
    }
    let plain = |pieces: Vec<Piece>| -> String {
        let text = |piece: Piece| match piece {
            Piece::Word(word) => word.to_owned(),
            Piece::Count(text) | Piece::Text(text) => text,
        };
        pieces.into_iter().map(text).collect()
    };
    let moves = diff.moves.iter();
    let rows: Vec<[String; 4]> = moves
        .map(|moved| {
            let (from, to) = (moved.from.as_ref(), moved.to.as_ref());
            let change = format!(
                "{} -> {}",
                plain(phrase::answer(from, to)),
                plain(phrase::answer(to, from))
            );
            let because = plain(phrase::because(diff, moved));
            let system = moved.subject.system.name().to_owned();
            [system, moved.subject.name.clone(), change, because]
        })
        .collect();
    let width = |at: usize| rows.iter().map(|row| columns(&row[at])).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    for (moved, row) in diff.moves.iter().zip(&rows) {
        let mark = phrase::mark(moved);
        let tone = match mark {
            '+' => Tone::Good,
            '-' => Tone::Bad,
            '!' => Tone::Failed,
            _ => Tone::Change,
        };
        let mut line = vec![(tone, format!("{mark} "))];
        for (cell, width) in row.iter().zip(widths) {
            let pad = " ".repeat(width - columns(cell) + 2);
            line.push((Tone::Plain, format!("{cell}{pad}")));
        }
        line.push((Tone::Dim, row[3].clone()));
        page.pieces(line);
    }
    let told = diff.moves.iter().filter_map(|moved| {
        Some(format!(
            "{}: {}",
            moved.subject.name,
            phrase::consequences(moved)?
        ))
    });
    let told: Vec<String> = told.collect();
    list(&mut page, "Failures and volumes left behind", &told);
    list(&mut page, "New findings", &review.new);
    list(&mut page, "Findings that are gone", &review.gone);
    page.gap();
    page.line(phrase::counts(diff));
    page
}

/// What stands in place of a difference when documents were refused.
#[must_use]
pub fn refused_review(errors: usize, review: &Review, screen: &Screen) -> Page {
    let mut page = super::refused(errors, screen);
    list(&mut page, "Findings", &review.new);
    page
}

/// A list under its heading; nothing without items.
fn list(page: &mut Page, heading: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    page.gap();
    page.toned(Tone::Strong, heading);
    for item in items.iter().take(LISTED) {
        page.line(format!("  {item}"));
    }
    if items.len() > LISTED {
        page.line(format!("  and {} more", items.len() - LISTED));
    }
}
