//! `planner drift` as a screen.

use crate::delivery::follow::Deliveries;
use crate::drift::{Drift, deliveries};
use crate::hub::called;
use crate::kit::named::Name;
use crate::kit::plural::plural;
use crate::plan::Plan;
use crate::render::drift as words;
use crate::source::Sources;

use super::{Page, Screen, Tone};
use crate::page::layout::{Grid, legend};

/// The legend of the marks.
const MARKS: &str = "~ was changed, or changes at the next sync, ! would be decided otherwise";

/// The differences between the documents and the hub, and their consequences.
#[must_use]
pub fn drift(drift: &Drift, plan: &Plan<'_, '_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    fields(drift, &mut page, screen);
    objects(drift, plan.site.documents.sources, &mut page, screen);
    decisions(drift, &mut page, screen);
    next(drift, plan, &mut page, screen);
    page.gap();
    page.prose(screen, Tone::Plain, &summary(drift), 0);
    legend(&mut page, MARKS, screen);
    page
}

fn fields(drift: &Drift, page: &mut Page, screen: &Screen) {
    if drift.fields.is_empty() {
        return;
    }
    let count = plural(drift.fields.len(), "field");
    page.toned(Tone::Strong, format!("Changed on the hub: {count}"));
    let row = |(object, field): &(crate::diagnostic::Object, crate::hub::fields::Field)| {
        let [git, hub] = words::values(field);
        vec![
            "~".to_owned(),
            called(object),
            field.name(),
            git,
            hub,
            words::by(field),
        ]
    };
    let heads = ["", "Object", "Field", "Git", "Hub", "By"];
    write(&heads, drift.fields.iter().map(row).collect(), page, screen);
}

fn objects(drift: &Drift, sources: &Sources, page: &mut Page, screen: &Screen) {
    let lists = [
        (
            "Not on the hub",
            drift
                .missing
                .iter()
                .map(|(object, place)| {
                    let at = sources.describe(*place);
                    let line = at.rsplit_once(':').map_or(at.as_str(), |(line, _)| line);
                    format!("{} ({line})", called(object))
                })
                .collect::<Vec<_>>(),
        ),
        (
            "No longer in Git",
            drift
                .extra
                .iter()
                .map(|gone| format!("{} ({} would delete it)", called(&gone.object), gone.by))
                .collect(),
        ),
        (
            "On the hub only",
            drift
                .hub
                .only
                .iter()
                .map(|(kind, count)| plural(*count, kind))
                .collect(),
        ),
    ];
    if lists.iter().any(|(_, list)| !list.is_empty()) {
        page.gap();
    }
    for (title, list) in lists {
        if !list.is_empty() {
            let text = format!("{title}: {}.", list.join(", "));
            page.prose(screen, Tone::Plain, &text, 4);
        }
    }
}

fn decisions(drift: &Drift, page: &mut Page, screen: &Screen) {
    if drift.decisions.is_empty() {
        return;
    }
    page.gap();
    let count = drift.decisions.len();
    let text = format!("Decisions that contradict the hub's objects: {count}");
    page.prose(screen, Tone::Strong, &text, 4);
    let rows = drift.decisions.iter().map(|one| {
        let would_be = one.decided + one.added.len() - one.removed.len();
        vec![
            "!".to_owned(),
            Name::new(&one.namespace, &one.placement).to_string(),
            one.decided.to_string(),
            would_be.to_string(),
            format!(
                "{}; {}",
                words::why(one),
                words::moves(&one.added, &one.removed)
            ),
        ]
    });
    let heads = ["", "Placement", "Decided", "Would be", "Because"];
    write(&heads, rows.collect(), page, screen);
}

fn next(drift: &Drift, plan: &Plan<'_, '_>, page: &mut Page, screen: &Screen) {
    if drift.next.is_empty() {
        return;
    }
    page.gap();
    let moved = deliveries(plan).count();
    let mut head = plural(drift.next.len(), "Placement");
    if moved > 0 {
        head.push_str(", ");
        head.push_str(&match moved {
            1 => "1 delivery".to_owned(),
            more => format!("{more} deliveries"),
        });
    }
    page.toned(Tone::Strong, format!("At the next sync: {head}"));
    let rows = drift.next.iter().map(|one| {
        vec![
            "~".to_owned(),
            Name::new(&one.namespace, &one.placement).to_string(),
            words::moves(&one.added, &one.removed),
            words::causes(one),
        ]
    });
    let heads = ["", "Placement", "Change", "Because"];
    write(&heads, rows.collect(), page, screen);
    if let Some(all) = &plan.deliveries {
        delivered(all, plan, page, screen);
    }
}

fn delivered(all: &Deliveries<'_>, plan: &Plan<'_, '_>, page: &mut Page, screen: &Screen) {
    for row in deliveries(plan) {
        let (added, removed) = row.moved();
        let names = |set| -> Vec<String> {
            let names = all.ground.names.of(set);
            names.into_iter().map(str::to_owned).collect()
        };
        let name = row.id.full_name();
        let moves = words::moves(&names(&added), &names(&removed));
        let text = format!("  {} {name}: {moves}", row.id.kind);
        page.prose(screen, Tone::Plain, &text, 4);
    }
}

fn write(heads: &[&str], rows: Vec<Vec<String>>, page: &mut Page, screen: &Screen) {
    let grid = Grid {
        heads: heads.iter().map(|head| (*head).to_owned()).collect(),
        rows,
        // All but the sign and the object.
        wraps: heads.len() - 3,
        ..Grid::default()
    };
    grid.write(page, screen);
}

/// The drift in a line.
#[must_use]
pub fn summary(drift: &Drift) -> String {
    let parts = [
        (drift.fields.len(), "field"),
        (drift.decisions.len(), "decision"),
    ];
    let mut found: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| plural(count, noun))
        .collect();
    let objects = [
        (drift.missing.len(), "missing"),
        (drift.extra.len(), "to be deleted"),
    ];
    let objects = objects.into_iter().filter(|(count, _)| *count > 0);
    found.extend(objects.map(|(count, what)| format!("{count} {what}")));
    let drifted = if found.is_empty() {
        "No drift".to_owned()
    } else {
        found.join(", ")
    };
    match drift.next.len() {
        0 => format!("{drifted}."),
        1 => format!("{drifted}; 1 placement changes at the next sync."),
        more => format!("{drifted}; {more} placements change at the next sync."),
    }
}
