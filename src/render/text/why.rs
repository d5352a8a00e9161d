//! The reasons for a subject as text, for systems without a screen of their own.

use crate::source::Sources;
use crate::why::{Candidate, Why};

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
