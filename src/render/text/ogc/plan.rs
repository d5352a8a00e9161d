//! The plan screen: per Package headline, table, failures and warnings; then the counts.

use crate::ogc::describe::{self, count};
use crate::ogc::engine::{Change, Counts, Item, Outcome, PackagePlan};
use crate::ogc::model::Model;
use crate::render::text::{Page, Screen, Tone, columns};

use super::{failure, table, warning};

/// Rows beyond which a terminal is shown changes and failures only.
const ROWS: usize = 200;
/// What is said where nothing changes.
const STILL: &str = "No changes: every Application stays where it is.";
/// Applications without a Cluster that are explained unless all are asked for: each takes a look
/// at every Cluster of its Project.
const FAILURES: usize = 20;
/// Packages without changes that are named.
const UNCHANGED: usize = 10;

/// What goes where; an empty page where there is nothing to plan.
#[must_use]
pub fn applications<'a>(model: &Model<'a>, outcome: &Outcome<'a>, screen: &Screen) -> Page {
    let mut page = Page::new();
    let many = screen.width.is_some() && outcome.items.len() > ROWS && !screen.trace;
    let changes_only = screen.changes_only || many;
    let several = outcome.packages.len() > 1;
    let (mut unchanged, mut hidden, mut failures) = (0, 0, 0);
    let mut apart = false;
    let clusters = warning::Clusters::of(model, outcome);
    for package in &outcome.packages {
        let items = outcome.items_of(package);
        if Counts::of(items).is_unchanged() {
            unchanged += 1;
            if unchanged <= UNCHANGED {
                if std::mem::take(&mut apart) {
                    page.gap();
                }
                still(&mut page, package, several, screen);
            }
            apart |= warnings(&mut page, &clusters, outcome, items, screen);
            continue;
        }
        page.gap();
        apart = true;
        headline(&mut page, package, screen);
        page.gap();
        let mut shown: Vec<&Item<'a>> = items.iter().collect();
        if changes_only {
            shown.retain(|item| item.change != Change::Unchanged);
            hidden += items.len() - shown.len();
        }
        shown.sort_by_key(|item| item.change);
        table::write(&mut page, model, outcome, &shown, screen);
        for item in shown
            .iter()
            .filter(|item| item.change == Change::Unplaceable)
        {
            failures += 1;
            if failures <= FAILURES || screen.trace {
                failure::write(&mut page, model, outcome, item, screen);
            }
        }
        warnings(&mut page, &clusters, outcome, items, screen);
    }
    if failures > FAILURES && !screen.trace {
        page.gap();
        let more = count(failures - FAILURES, "more Application");
        page.line(format!("{more} without a Cluster; -o json says why."));
    }
    if unchanged > UNCHANGED {
        if apart {
            page.gap();
        }
        let more = count(unchanged - UNCHANGED, "more Package");
        page.line(format!("{more} without changes."));
    }
    if several && unchanged == outcome.packages.len() {
        if apart {
            page.gap();
        }
        page.prose(screen, Tone::Plain, STILL, 0);
    }
    if many && hidden > 0 {
        page.gap();
        let rest = count(hidden, "unchanged Application");
        page.line(format!("{rest} not shown; -o json has them all."));
    }
    page
}

/// The warnings of a Package, of what does not change too; says whether there are any.
fn warnings<'a>(
    page: &mut Page,
    clusters: &warning::Clusters<'_, 'a>,
    outcome: &Outcome<'a>,
    items: &[Item<'a>],
    screen: &Screen,
) -> bool {
    let mut any = false;
    for item in items
        .iter()
        .filter(|item| item.split_node || !item.out_of_bounds.is_empty())
    {
        any = true;
        warning::write(page, clusters, outcome, item, screen);
    }
    any
}

fn headline(page: &mut Page, package: &PackagePlan<'_>, screen: &Screen) {
    let project = match package.project {
        Some(project) => format!("Project {project}"),
        None => "gone".to_owned(),
    };
    let applications = count(package.items.len(), "Application");
    let clusters = count(package.clusters as usize, "Cluster");
    let name = format!("Plan for Package {}", package.name);
    let rest = format!(" ({project}): {applications}, {clusters}");
    if screen
        .width
        .is_some_and(|width| columns(&name) + columns(&rest) > width)
    {
        return page.prose(screen, Tone::Strong, &(name + &rest), 4);
    }
    page.pieces(vec![(Tone::Strong, name), (Tone::Plain, rest)]);
}

/// A Package in which nothing changes.
fn still(page: &mut Page, package: &PackagePlan<'_>, several: bool, screen: &Screen) {
    if several {
        let applications = count(package.items.len(), "Application");
        let line = format!("Package {}: {applications}, no changes.", package.name);
        return page.prose(screen, Tone::Plain, &line, 4);
    }
    headline(page, package, screen);
    page.prose(screen, Tone::Plain, STILL, 0);
}

/// The counts over everything, and what will be stopped; empty where nothing changes.
#[must_use]
pub fn closing(outcome: &Outcome<'_>, screen: &Screen) -> Page {
    const NAMED: usize = 10;
    let mut page = Page::new();
    let counts = Counts::of(&outcome.items);
    if counts.is_unchanged() {
        return page;
    }
    page.prose(screen, Tone::Plain, &describe::counts(outcome), 0);
    if counts.unplaceable > 0 {
        return page;
    }
    let mut stops = outcome.packages.iter().filter_map(|package| package.stops);
    for stop in stops.by_ref().take(NAMED) {
        let line = format!(
            "Deployment {} is {} and will be stopped.",
            stop.name,
            stop.phase.word()
        );
        page.prose(screen, Tone::Plain, &line, 0);
    }
    let more = stops.count();
    if more > 0 {
        page.line(format!(
            "{} will be stopped as well.",
            count(more, "more Deployment")
        ));
    }
    page
}
