//! The plans of several sites: a row each.

use crate::kit::plural::{first_names, plural};
use crate::kit::safe::shell_word;
use crate::plan::{Mark, Plan, Quality, Section};
use crate::systems;

use super::partial::{headline, obstacle};
use super::{Page, Screen, Tone};
use crate::page::layout::Grid;

/// Kustomizations that a row names.
const ROOTS: usize = 3;
/// Failures of a site that are named.
const FAILURES: usize = 5;

/// A site and its plan.
#[derive(Debug)]
pub struct Row<'p, 'a> {
    /// Its name.
    pub site: &'p str,
    /// The kustomizations that other sites do not have.
    pub roots: &'p [String],
    /// Its plan.
    pub plan: &'p Plan<'p, 'a>,
}

/// A table of the sites, their failures, and the command that shows one site. `paths` are the PATHs
/// as they follow a command.
#[must_use]
pub fn plans(sites: &[Row<'_, '_>], paths: &str, screen: &Screen) -> Page {
    let mut page = Page::new();
    let headline = format!("Plans of {}", plural(sites.len(), "site"));
    page.toned(Tone::Strong, headline);
    page.gap();
    let heads = [
        "",
        "Site",
        "Placements",
        "=",
        "+",
        "~",
        "-",
        "!",
        "Result",
        "Roots",
    ];
    let grid = Grid {
        heads: heads.map(str::to_owned).to_vec(),
        rows: sites.iter().map(cells).collect(),
        right: 2..8,
        ..Grid::default()
    };
    grid.write(&mut page, screen);
    failures(sites, &mut page, screen);
    if let Some(last) = sites.last() {
        page.gap();
        let name = shell_word(last.site);
        let text = format!("`planner plan{paths} --site {name}` shows one of them.");
        page.prose(screen, Tone::Plain, &text, 0);
    }
    page
}

fn cells(row: &Row<'_, '_>) -> Vec<String> {
    let shown = row.plan.shown();
    let count = |mark: Mark| {
        let rows = shown.map(|plan| systems::rows(plan).filter(|row| row.mark == mark));
        rows.map_or_else(|| "-".to_owned(), |rows| rows.count().to_string())
    };
    let rows = systems::rows(row.plan);
    let placements = rows
        .filter(|row| row.section == Section::Placements)
        .count();
    let is_whole = matches!(row.plan.verdict(), Quality::Unchanged | Quality::Ready);
    let sign = if is_whole { "" } else { Mark::Failed.sign() };
    let mut cells = vec![sign.to_owned(), row.site.to_owned(), placements.to_string()];
    cells.extend(Mark::ALL.map(count));
    cells.push(row.plan.result().word().to_owned());
    cells.push(first_names(row.roots.iter(), ROOTS));
    cells
}

/// The parts that each site leaves out, and the subjects that have no place in it.
fn failures(sites: &[Row<'_, '_>], page: &mut Page, screen: &Screen) {
    for row in sites {
        let failed: Vec<String> = systems::failed(row.plan).map(|(_, name)| name).collect();
        let partial =
            headline(row.plan).or_else(|| obstacle(row.plan).map(|why| format!("No plan: {why}.")));
        if failed.is_empty() && partial.is_none() {
            continue;
        }
        page.gap();
        page.toned(Tone::Failed, format!("Site {}", row.site));
        if let Some(line) = partial {
            page.prose(screen, Tone::Plain, &format!("  {line}"), 4);
        }
        for name in failed.iter().take(FAILURES) {
            page.prose(screen, Tone::Failed, &format!("! {name}"), 4);
        }
        if failed.len() > FAILURES {
            page.line(format!("  and {} more", failed.len() - FAILURES));
        }
    }
}
