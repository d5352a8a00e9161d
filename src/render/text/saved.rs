//! Saved plans as text: what one decides, and how planning now differs from it.

use crate::document::record;
use crate::plan::{Answer, Section};
use crate::render::phrase::{self, plain};
use crate::saved::{self, Reason, SavedPlan, SavedRow, Stale};

use super::{Page, Screen, Tone};
use crate::page::layout::{Grid, LEGEND, Mark, count, fit, legend};

/// The decisions of a saved plan, one row each; unchanged Applications only as a count.
#[must_use]
pub fn saved(plan: &SavedPlan, name: &str, screen: &Screen) -> Page {
    let mut page = Page::new();
    page.toned(
        Tone::Strong,
        format!("Saved plan {name} of {}", plan.paths.join(" ")),
    );
    let revision = plan.revision.as_deref();
    let revision = revision.map_or(String::new(), |commit| format!(", commit {commit}"));
    let made = format!("made by planner {} at {}{revision}", plan.planner, plan.now);
    fit(&mut page, screen, &made, 4);
    page.line(format!("digest {}", plan.digest));
    for flag in plan.options.flags() {
        page.line(format!("made with {}", flag.join(" ")));
    }
    page.gap();
    let (rows, unchanged) = rows(plan);
    let (rows, left) = match screen.width {
        Some(_) => first(rows),
        None => (rows, Vec::new()),
    };
    if !rows.is_empty() {
        let heads = ["", "Subject", "System", "Was", "Decision", "Leaves behind"];
        let leaves = rows.iter().any(|row| !row[5].is_empty());
        let columns = if leaves { 6 } else { 5 };
        let grid = Grid {
            heads: heads[..columns]
                .iter()
                .copied()
                .map(str::to_owned)
                .collect(),
            rows: rows.iter().map(|row| row[..columns].to_vec()).collect(),
            // The answers and what is left behind.
            wraps: columns - 4,
            ..Grid::default()
        };
        grid.write(&mut page, screen);
    }
    for (system, number) in left {
        let text = format!(
            "  {} of {system}; -o json has them all.",
            count(number, "more row")
        );
        page.prose(screen, Tone::Dim, &text, 2);
    }
    page.gap();
    if plan.result == "unchanged" {
        page.line("No changes: there is nothing to record.");
    } else if unchanged > 0 {
        let more = count(unchanged, "more Application");
        let stay = if unchanged == 1 {
            "stays where it is"
        } else {
            "stay where they are"
        };
        page.line(format!("{more} {stay}."));
    }
    legend(&mut page, LEGEND, screen);
    page
}

/// The most rows of a system that a terminal shows.
const ROWS: usize = 50;
const FIRST: usize = 20;

/// The cells of one row, its system third.
type Row = [String; 6];

/// The first rows of each system that has many, and how many rows are left out.
fn first(rows: Vec<Row>) -> (Vec<Row>, Vec<(String, usize)>) {
    let (mut shown, mut left) = (Vec::new(), Vec::new());
    for of_system in rows.chunk_by(|one, other| one[2] == other[2]) {
        let most = match of_system.len() {
            number if number > ROWS => FIRST,
            number => number,
        };
        shown.extend_from_slice(&of_system[..most]);
        if most < of_system.len() {
            left.push((of_system[0][2].clone(), of_system.len() - most));
        }
    }
    (shown, left)
}

/// The rows of a saved plan, and how many Applications stay as they are.
fn rows(plan: &SavedPlan) -> (Vec<Row>, usize) {
    let mut unchanged = 0;
    let mut rows = Vec::new();
    let saved: Vec<SavedRow> = saved::rows(&plan.outcome).collect();
    for row in saved.iter().map(SavedRow::row) {
        if row.section == Section::Applications && row.mark == Mark::Same {
            unchanged += 1;
            continue;
        }
        let (was, now) = (row.facts.was(), row.facts.now());
        let before = was.as_ref().filter(|_| was != now);
        let left = row.facts.left().into_iter();
        let left = left.map(|volume| format!("{}/{}", volume.cluster, volume.name));
        rows.push([
            row.mark.sign().to_owned(),
            row.subject(),
            row.section.system().name().to_owned(),
            told(was.as_ref(), now.as_ref(), "- "),
            told(now.as_ref(), before, "+ "),
            left.collect::<Vec<_>>().join(", "),
        ]);
    }
    (rows, unchanged)
}

/// The cell of a decision, beside the one before or after it.
fn told(answer: Option<&Answer<'_>>, other: Option<&Answer<'_>>, sign: &'static str) -> String {
    match answer {
        Some(Answer::Cluster(None)) => "-".to_owned(),
        Some(Answer::Group {
            position, nodes, ..
        }) => format!("position {position}, {}", count(nodes.len(), "node")),
        _ => plain(phrase::answer(answer, other, sign)),
    }
}

/// Why a saved plan can no longer be applied, and what has changed.
#[must_use]
pub fn stale(stale: &Stale, name: &str, screen: &Screen) -> Page {
    let mut page = Page::new();
    page.toned(Tone::Failed, format!("Saved plan {name} is stale:"));
    for reason in reasons(stale) {
        page.line(format!("    {reason}"));
    }
    if !stale.diff.moves.is_empty() {
        page.gap();
        page.append(super::diff(&stale.diff, name, screen));
    }
    if !stale.others.is_empty() {
        page.gap();
        page.line("Different, although nothing moves:");
        for (what, name) in &stale.others {
            page.line(format!("    {}", format!("{what} {name}").trim_end()));
        }
    }
    page
}

/// The reasons in words.
#[must_use]
pub fn reasons(stale: &Stale) -> Vec<String> {
    let reason = |reason: &Reason| match reason {
        Reason::Used(number) => format!("already recorded as {}", record::shown(*number)),
        Reason::Record(number) => format!("record {} was written since", record::shown(*number)),
        Reason::RecordGone(0) => "the records it was made from are gone".to_owned(),
        Reason::RecordGone(number) => {
            let newest = record::shown(*number);
            format!("records it was made from are gone; the newest is {newest}")
        }
        Reason::Deployment { package, was, now } => match (was, now) {
            (_, Some(now)) => format!("Deployment {now} of Package {package} was added since"),
            (Some(was), None) => format!("Deployment {was} of Package {package} is gone"),
            (None, None) => format!("the Deployments of Package {package} have changed"),
        },
        Reason::Hub => "the snapshot has other clusters or other current decisions".to_owned(),
        Reason::Outcome => "the plan is now different".to_owned(),
        Reason::Planner(version) => format!(
            "it was saved by planner {version}, this is planner {}",
            env!("CARGO_PKG_VERSION")
        ),
    };
    stale.reasons.iter().map(reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_system_shows_its_first_rows() {
        let row = |system: &str| -> Row { std::array::from_fn(|_| system.to_owned()) };
        let mut rows = vec![row("airship"); 51];
        rows.extend(vec![row("senlin"); 50]);
        let (shown, left) = first(rows);
        let of = |system: &str| shown.iter().filter(|row| row[2] == system).count();
        assert_eq!((of("airship"), of("senlin")), (FIRST, 50));
        assert_eq!(left, [("airship".to_owned(), 51 - FIRST)]);
    }
}
