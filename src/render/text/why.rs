//! The reasons for a subject as text, for systems without a screen of their own.

use crate::changes::value_text;
use crate::document::System;
use crate::source::Sources;
use crate::why::{Candidate, Change, Ways, Why};

use super::{Page, Screen, Tone};

/// Candidates shown without `--trace`.
const SHOWN: usize = 20;

/// The page: how the answer came about, then every candidate with every stage's word.
#[must_use]
pub fn why(why: &Why, sources: &Sources, screen: &Screen) -> Page {
    let mut page = Page::new();
    let ending = match &why.decided_by {
        Some(decided) => format!(": {}", decided.reason),
        None => String::new(),
    };
    let title = format!("{}{ending}", why.subject);
    page.prose(screen, Tone::Strong, &title, 4);
    if !why.steps.is_empty() {
        page.gap();
        for step in &why.steps {
            page.prose(screen, Tone::Plain, step, 4);
        }
    }
    let shown = if screen.trace { usize::MAX } else { SHOWN };
    for one in why.candidates.iter().take(shown) {
        candidate(&mut page, one, sources, screen);
    }
    let left = why.candidates.len().saturating_sub(shown);
    if left > 0 {
        page.gap();
        page.line(format!(
            "… and {left} more; name one to see it, or use -o json"
        ));
    }
    changes(&mut page, why, screen);
    page
}

fn candidate(page: &mut Page, candidate: &Candidate, sources: &Sources, screen: &Screen) {
    page.gap();
    let (mark, tone) = if candidate.chosen {
        ("chosen", Tone::Good)
    } else {
        ("not chosen", Tone::Dim)
    };
    page.pieces(vec![
        (Tone::Strong, candidate.name.clone()),
        (tone, format!("  {mark}")),
    ]);
    for verdict in &candidate.verdicts {
        let (sign, tone) = if verdict.passes {
            ("+", Tone::Plain)
        } else {
            ("-", Tone::Bad)
        };
        let numbers = match (&verdict.asked, &verdict.found) {
            (Some(asked), Some(found)) => format!(" (asked {asked}, found {found})"),
            _ => String::new(),
        };
        let line = format!("  {sign} {}: {}{numbers}", verdict.stage, verdict.reason);
        page.prose(screen, tone, &line, 6);
        for label in &verdict.at {
            let words = if label.text.is_empty() { "" } else { "  " };
            let place = sources.describe(label.place);
            page.toned(Tone::Dim, format!("      {place}{words}{}", label.text));
        }
    }
}

/// What would make a subject placeable that is not: one line, if that is known.
pub(super) fn placeable(
    page: &mut Page,
    ways: &Ways,
    system: System,
    subject: &str,
    screen: &Screen,
) {
    if let Some(set) = ways.get(&(system.name(), subject.to_owned())) {
        let all: Vec<String> = set.iter().map(sentence).collect();
        let text = format!("    placeable with: {}", all.join("; "));
        page.prose(screen, Tone::Plain, &text, 8);
    }
}

/// What would have to change, for each candidate for which that is known.
pub fn changes(page: &mut Page, why: &Why, screen: &Screen) {
    let known = why.candidates.iter();
    for (candidate, found) in known.filter_map(|one| Some((one, one.changes.as_ref()?))) {
        page.gap();
        let name = &candidate.name;
        if found.sets.is_empty() {
            let text = match found.none_up_to {
                Some(most) => {
                    format!("No set of up to {most} changes gets {name} chosen. It needs:")
                }
                None => format!("Looking for changes stopped after {} plans.", found.plans),
            };
            page.prose(screen, Tone::Strong, &text, 4);
            for needed in &found.obstacles {
                let line = format!("    {}: {}", needed.stage, needed.needs);
                page.prose(screen, Tone::Plain, &line, 8);
            }
            continue;
        }
        let plans = match found.plans {
            1 => "1 plan".to_owned(),
            plans => format!("{plans} plans"),
        };
        let title = format!("With any one of these {name} is chosen (proven, {plans}):");
        page.prose(screen, Tone::Strong, &title, 4);
        let mut side = None;
        for set in &found.sets {
            let own = whose(set);
            if side != Some(own) {
                page.toned(Tone::Dim, format!("    {own}"));
                side = Some(own);
            }
            for (change, at) in set.iter().zip(0..) {
                let sign = if at == 0 { "-" } else { " " };
                let line = format!("    {sign} {}", sentence(change));
                page.prose(screen, Tone::Plain, &line, 8);
                page.toned(
                    Tone::Dim,
                    format!("        {}:{}", change.path, change.line),
                );
            }
        }
    }
}

fn whose(set: &[Change]) -> &'static str {
    let of_candidate = set.iter().filter(|change| change.of_candidate).count();
    match of_candidate {
        0 => "in the documents of the subject",
        all if all == set.len() => "in the documents of the candidate",
        _ => "in both",
    }
}

/// A change in words: `Cluster oslo: set metadata.labels.region to "eu" (was "us")`.
#[must_use]
fn sentence(change: &Change) -> String {
    let path = change.pointer.trim_start_matches('/').replace('/', ".");
    let path = path.replace("~1", "/").replace("~0", "~");
    let object = match &change.namespace {
        Some(namespace) => format!("{} {namespace}/{}", change.kind, change.name),
        None => format!("{} {}", change.kind, change.name),
    };
    let before = change.before.as_ref().map(value_text);
    let after = change.after.as_ref().map(value_text).unwrap_or_default();
    match (change.op, before) {
        ("set", Some(before)) => format!("{object}: set {path} to {after} (was {before})"),
        ("set", None) => format!("{object}: set {path} to {after}"),
        ("insert", _) => {
            let list = path.trim_end_matches(".-");
            format!("{object}: add {after} to {list}")
        }
        (_, Some(before)) => format!("{object}: remove {path} ({before})"),
        (_, None) => format!("{object}: remove {path}"),
    }
}
