//! The difference of two plans as text: the rows of a plan screen, system by system.

use std::sync::Arc;

use crate::diff::{Caused, Diff, Move};
use crate::render::phrase::{self, Review, plain};
use crate::systems;

use super::{Page, Screen, Tone};
use crate::page::layout::{
    Block, Heads, LEGEND, Mark, Row, Together, Words, hanging, headline, legend, section,
};

/// Lines of a list, at most.
const LISTED: usize = 50;

/// The difference; `against` names the other state.
#[must_use]
pub fn diff(diff: &Diff, against: &str, screen: &Screen) -> Page {
    reviewed(diff, against, &Review::default(), screen)
}

/// The difference with what a reviewer has to know besides.
#[must_use]
pub fn reviewed(diff: &Diff, against: &str, review: &Review, screen: &Screen) -> Page {
    entitled(diff, &format!("Plan against {against}"), review, screen)
}

/// The same under a headline.
#[must_use]
pub fn reviewed_as(diff: &Diff, title: &str, review: &Review, screen: &Screen) -> Page {
    entitled(diff, title, review, screen)
}

/// The difference under a headline.
#[must_use]
pub fn titled(diff: &Diff, title: &str, screen: &Screen) -> Page {
    entitled(diff, title, &Review::default(), screen)
}

fn entitled(diff: &Diff, title: &str, review: &Review, screen: &Screen) -> Page {
    let mut page = Page::new();
    page.toned(Tone::Strong, title);
    let (caused, single) = diff.by_cause();
    for one in &caused {
        together(&mut page, diff, one, screen);
    }
    // Deliveries come first: they are what the placements are for.
    let delivered = (
        "What reaches which cluster".to_owned(),
        None,
        ("Delivery", "Clusters"),
    );
    let decided = systems::all().map(|system| {
        let profile = system.profile();
        let (subject, now) = profile.heads;
        let title = format!("{subject}s ({})", profile.system.name());
        (title, Some(profile.system), (subject, now))
    });
    for (title, system, (subject, now)) in std::iter::once(delivered).chain(decided) {
        let of = |moved: &&Move| match system {
            None => moved.subject.is_delivery(),
            Some(system) => moved.subject.system() == system && !moved.subject.is_delivery(),
        };
        let moves = single.iter().copied().filter(of);
        if moves.clone().next().is_none() {
            continue;
        }
        let rows: Vec<Row> = moves.clone().map(|moved| row_of(diff, moved)).collect();
        // Of a saved plan there are no documents in which a cause could be.
        let caused = rows.iter().any(|row| !row.because.is_empty());
        let block = Block {
            title,
            summary: format!(": {}", phrase::moved(moves)),
            heads: Heads {
                subject,
                now,
                because: Some(if caused { "Because" } else { "" }),
                by_kind: true,
                ..Heads::default()
            },
            rows,
            ..Block::default()
        };
        page.gap();
        page.append(section(vec![block], Together::default(), screen));
    }
    let notes = diff.moves.iter().filter_map(|moved| {
        Some(format!(
            "{}: {}",
            moved.subject.name,
            phrase::consequences(moved)?
        ))
    });
    let notes: Vec<String> = notes.collect();
    list(
        &mut page,
        "Failures and volumes left behind",
        &notes,
        screen,
    );
    list(
        &mut page,
        "Not built, so not compared",
        &review.not_compared,
        screen,
    );
    list(&mut page, "New findings", &review.new, screen);
    list(&mut page, "Resolved findings", &review.gone, screen);
    page.gap();
    page.prose(screen, Tone::Plain, &phrase::counts(diff), 4);
    if phrase::has_unconfirmed(diff) {
        page.prose(screen, Tone::Dim, phrase::UNCONFIRMED, 4);
    }
    legend(&mut page, LEGEND, screen);
    page
}

/// The moves with the same causes: the causes, then a line for each effect.
fn together(page: &mut Page, diff: &Diff, caused: &Caused<'_>, screen: &Screen) {
    page.gap();
    for (place, changed) in phrase::causes(diff, caused) {
        let changed = plain(changed);
        match place {
            Some(place) => headline(page, &place, &format!("  {changed}"), screen),
            None => headline(page, &changed, "", screen),
        }
    }
    for effect in &caused.effects {
        for (mark, line) in phrase::effect(effect, screen.trace) {
            let tone = match mark {
                Mark::Gone | Mark::Failed => mark.tone(),
                _ => Tone::Plain,
            };
            hanging(
                page,
                screen,
                tone,
                &format!("{} ", mark.sign()),
                &plain(line),
            );
        }
    }
    page.mark();
}

fn row_of(diff: &Diff, moved: &Move) -> Row {
    let because: Words = plain(phrase::because(diff, moved)).into();
    Row {
        mark: phrase::mark(moved),
        subject: moved.subject.name.clone(),
        within: Words::default(),
        was: plain(phrase::before(moved)).into(),
        now: plain(phrase::after(moved)).into(),
        figures: Arc::default(),
        kind: Words::clone(&because),
        because,
    }
}

/// A list under its heading; nothing without items.
fn list(page: &mut Page, heading: &str, items: &[String], screen: &Screen) {
    if items.is_empty() {
        return;
    }
    page.gap();
    page.toned(Tone::Strong, heading);
    for item in items.iter().take(LISTED) {
        page.prose(screen, Tone::Plain, &format!("  {item}"), 6);
    }
    if items.len() > LISTED {
        let rest = items.len() - LISTED;
        page.line(format!("  and {rest} more; -o json has them all"));
    }
}
