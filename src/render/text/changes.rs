//! The block that heads a plan: what changes, by cause.

use std::collections::BTreeMap;

use crate::kit::plural::{first_names, plural};
use crate::plan::changes::{Change, Changes, Effect, Subject};
use crate::plan::{Plan, Section};
use crate::source::Sources;
use crate::systems;

use super::{Page, Screen, Tone, columns};
use crate::page::layout::hanging;

/// Names in a line, at most.
const NAMES: usize = 3;
/// Subjects of an effect that are named, at most; more of them are counted.
const NAMED: usize = 2;
/// Lines without `--trace`, at most.
const LINES: usize = 10;

/// The changes of a plan; nothing where its rows are as short.
#[must_use]
pub fn changes(plan: &Plan<'_, '_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    let Some(width) = screen.prose() else {
        return page;
    };
    let changes = Changes::of(|| systems::rows(plan));
    if !changes.are_fewer() {
        return page;
    }
    page.toned(Tone::Strong, format!("What changes: {}", title(&changes)));
    let most = if screen.trace { usize::MAX } else { LINES };
    let sources = plan.site.documents.sources;
    let said: Vec<_> = changes.all.iter().map(|one| said(one, sources)).collect();
    let name = said
        .iter()
        .take(most)
        .map(|said| columns(&said.names))
        .max();
    let name = name.unwrap_or(0).min(24);
    for (change, said) in changes.all.iter().zip(&said).take(most) {
        let names = &said.names;
        let effect = &said.effect;
        let lead = format!("{} ", change.mark.sign());
        let (text, tone) = (format!("{names:name$}  {effect}"), change.mark.tone());
        let whole = format!("{text}  {}", said.cause);
        if said.cause.is_empty() || columns(&whole) + lead.len() <= width {
            hanging(&mut page, screen, tone, &lead, whole.trim_end());
        } else {
            hanging(&mut page, screen, tone, &lead, &text);
            page.prose(screen, Tone::Plain, &format!("    {}", said.cause), 4);
        }
    }
    if changes.all.len() > most {
        let rest = changes.all.len() - most;
        page.line(format!("  and {rest} more; --trace lists all"));
    }
    page.mark();
    page
}

/// The words of a change.
#[derive(Debug, PartialEq, Eq)]
pub struct Said {
    /// The things that change.
    pub names: String,
    /// The effect.
    pub effect: String,
    /// The cause with its place; may be empty.
    pub cause: String,
}

/// The changes, counted by what they are about.
#[must_use]
pub fn title(changes: &Changes<'_>) -> String {
    let mut counts: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    for change in &changes.all {
        let noun = match &change.effect {
            Effect::Places { .. } => (false, "cluster"),
            Effect::Answers { section, .. } => (true, section.info().noun),
        };
        *counts.entry(noun).or_default() += change.names.len();
    }
    let counts = counts.into_iter();
    let counts: Vec<String> = counts
        .map(|((_, noun), count)| plural(count, noun))
        .collect();
    counts.join(", ")
}

/// A change in words.
#[must_use]
pub fn said(change: &Change<'_>, sources: &Sources) -> Said {
    let first = first_names(change.names.iter(), NAMES);
    let (names, effect) = match &change.effect {
        Effect::Places { join, leave } => {
            let parts = [("join", join), ("leave", leave)].into_iter();
            let parts = parts.filter(|(_, subjects)| !subjects.is_empty());
            let s = if change.names.len() == 1 { "s" } else { "" };
            let parts: Vec<String> = parts
                .map(|(verb, subjects)| format!("{verb}{s} {}", counted(subjects)))
                .collect();
            (first, parts.join("; "))
        }
        Effect::Answers { section, clusters } => {
            let way = match clusters {
                Some((Some(was), Some(now))) => format!("{was} -> {now}: "),
                Some((Some(was), None)) => format!("leave {was}: "),
                Some((None, Some(now))) => format!("to {now}: "),
                Some((None, None)) | None => String::new(),
            };
            let subjects = plural(change.names.len(), section.info().noun);
            (subjects, format!("{way}{first}"))
        }
    };
    let cause = change.cause.as_ref().map_or(String::new(), |cause| {
        let at = cause.at.line(Some(sources));
        let at = at.map_or(String::new(), |(file, line)| format!(" ({file}:{line})"));
        format!("{}{at}", cause.words)
    });
    Said {
        names,
        effect,
        cause,
    }
}

/// The subjects: a few by name, more of them counted, deliveries before their placements.
fn counted(subjects: &[Subject<'_>]) -> String {
    let is_delivery = |one: &&Subject<'_>| one.section == Section::Deliveries;
    let (deliveries, decided): (Vec<_>, Vec<_>) = subjects.iter().partition(is_delivery);
    let named = |all: &[&Subject<'_>]| {
        let names = all.iter().map(|one| format!("{} {}", one.kind, one.name));
        names.collect::<Vec<_>>().join(", ")
    };
    let by_kind = |all: &[&Subject<'_>], noun: &'static str| {
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for one in all {
            *kinds.entry(one.kind).or_default() += 1;
        }
        if kinds.len() > NAMED {
            return plural(all.len(), noun);
        }
        let kinds = kinds.into_iter();
        let kinds: Vec<String> = kinds.map(|(kind, count)| plural(count, kind)).collect();
        kinds.join(", ")
    };
    match (deliveries.as_slice(), decided.as_slice()) {
        ([], few) if few.len() <= NAMED => named(few),
        ([], many) => by_kind(many, "placement"),
        (few, _) if few.len() <= NAMED => named(few),
        (many, [_] | []) => by_kind(many, "delivery"),
        (many, placements) => format!(
            "{} of {}",
            by_kind(many, "delivery"),
            by_kind(placements, "placement")
        ),
    }
}
