//! `planner migrate` as a screen.

use crate::kit::named::Name;
use crate::kit::plural::plural;
use crate::migrate::{Migration, Proven, Verdict};
use crate::render::migrate as words;
use crate::source::Sources;

use super::{Page, Screen, Tone};
use crate::page::layout::Grid;

/// The outcome for the rules.
#[must_use]
pub fn migration(migration: &Migration, sources: &Sources, screen: &Screen) -> Page {
    let mut page = Page::new();
    page.toned(Tone::Strong, words::headline(migration));
    moved(migration, &mut page, screen);
    stays(migration, &mut page, screen);
    by_hand(migration, sources, &mut page, screen);
    others(migration, &mut page, screen);
    notes(migration, &mut page, screen);
    page
}

fn moved(migration: &Migration, page: &mut Page, screen: &Screen) {
    let rows = migration.rules.iter().filter_map(|rule| {
        let Verdict::Moves(proven) = &rule.verdict else {
            return None;
        };
        Some(vec![
            "~".to_owned(),
            Name::new(&rule.namespace, &rule.name).to_string(),
            proven.placement.clone(),
            same(proven),
        ])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if rows.is_empty() {
        return;
    }
    page.gap();
    let grid = Grid {
        heads: ["", "PlacementRule", "Placement", "Proof"]
            .map(str::to_owned)
            .to_vec(),
        rows,
        ..Grid::default()
    };
    grid.write(page, screen);
}

/// Over which clusters both are the same.
fn same(proven: &Proven) -> String {
    let here = proven.clusters.as_ref();
    let here = here.map(|here| format!("same {}", plural(here.len(), "cluster")));
    let over = if here.is_some() {
        "and over"
    } else {
        "same over"
    };
    let invented = match (proven.invented, &proven.apart) {
        (0, _) => None,
        (number, None) => Some(format!("{over} {number} generated clusters")),
        (_, Some(_)) => Some("not always the same".to_owned()),
    };
    let parts: Vec<String> = here.into_iter().chain(invented).collect();
    parts.join(if proven.apart.is_some() { ", " } else { " " })
}

fn stays(migration: &Migration, page: &mut Page, screen: &Screen) {
    let rules = || {
        migration
            .rules
            .iter()
            .filter_map(|rule| match &rule.verdict {
                Verdict::Stays(reason, example) => Some((rule, reason, example)),
                Verdict::Moves(_) => None,
            })
    };
    let count = rules().count();
    if count == 0 {
        return;
    }
    page.gap();
    page.toned(Tone::Failed, format!("Not migrated: {count}"));
    for (rule, reason, example) in rules() {
        let mut text = format!(
            "! {}/{}: {}.",
            rule.namespace,
            rule.name,
            words::reason(reason)
        );
        if let Some(example) = example {
            text.push(' ');
            text.push_str(&words::example(example));
        }
        page.prose(screen, Tone::Plain, &text, 4);
    }
}

fn by_hand(migration: &Migration, sources: &Sources, page: &mut Page, screen: &Screen) {
    let count = migration.by_hand().count();
    if count == 0 {
        return;
    }
    page.gap();
    page.toned(Tone::Failed, format!("To be changed by hand: {count}"));
    for reference in migration.by_hand() {
        let rule = &migration.rules[reference.rule];
        let namespace = reference.namespace.as_ref();
        let object = match namespace {
            Some(namespace) => format!("{} {namespace}/{}", reference.kind, reference.name),
            None => format!("{} {}", reference.kind, reference.name),
        };
        let at = sources.describe(reference.place);
        let why = reference.by_hand.unwrap_or_default();
        let text = format!(
            "! {object} ({at}) names PlacementRule {}/{}: {why}.",
            rule.namespace, rule.name
        );
        page.prose(screen, Tone::Plain, &text, 4);
    }
}

fn others(migration: &Migration, page: &mut Page, screen: &Screen) {
    if migration.others.is_empty() {
        return;
    }
    page.gap();
    let names = migration.others.join(", ");
    let (lead, rest) = if migration.is_harmful() {
        (
            "Nothing is written:",
            format!(" these would reach other clusters: {names}."),
        )
    } else {
        (
            "Until that is done",
            format!(", these reach other clusters: {names}."),
        )
    };
    page.lead((Tone::Failed, lead), &rest, 4, screen.prose());
}

fn notes(migration: &Migration, page: &mut Page, screen: &Screen) {
    let proven = || {
        migration
            .rules
            .iter()
            .filter_map(|rule| match &rule.verdict {
                Verdict::Moves(proven) => Some((rule, proven)),
                Verdict::Stays(..) => None,
            })
    };
    if proven().next().is_none() {
        return;
    }
    page.gap();
    for (rule, proven) in proven() {
        let name = Name::new(&rule.namespace, &rule.name).to_string();
        if let Some(example) = &proven.apart {
            let text = format!(
                "Warning: {name} is not always the same. {}",
                words::example(example)
            );
            page.prose(screen, Tone::Change, &text, 4);
        }
        if let Some(limit) = &proven.limit {
            let why = words::limited(limit);
            let text = format!("Warning: {name} is the same for these clusters only; {why}.");
            page.prose(screen, Tone::Change, &text, 4);
        }
    }
    if proven().any(|(_, proven)| proven.cel) {
        let text = "CEL selectors need a hub of API v1.0 or later (April 2025); --by-taints \
                    writes none.";
        page.prose(screen, Tone::Plain, text, 0);
    }
    let text = "Apply the Placements and the changed references first, and delete the \
                PlacementRules afterwards: anything still reading a deleted rule removes its \
                workloads from the clusters.";
    page.prose(screen, Tone::Plain, text, 0);
}
