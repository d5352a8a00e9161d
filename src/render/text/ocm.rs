//! Placements and rollouts as text: a table a placement, the next step and the waves of rollouts.

use std::collections::BTreeSet;

use crate::kit::time::{format_go_duration, format_seconds};
use crate::ocm::Outcome;
use crate::ocm::engine::hub::Resource;
use crate::ocm::engine::place::{Placed, SATISFIED};
use crate::ocm::engine::rollout::{Ending, SimulatedRollout, State};
use crate::ocm::engine::score::Prioritizer;
use crate::ocm::engine::{Rollout, Waves};
use crate::ocm::model::Model;

use super::{Page, Screen, Tone, columns};

/// Rows of a table without `--trace`.
const ROWS: usize = 10;
/// Names of a line without `--trace`.
const NAMES: usize = 10;
/// Placements that stay as they are and still get a line of their own.
const UNCHANGED: usize = 10;

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Some names, then a count.
fn list<'n>(names: impl ExactSizeIterator<Item = &'n str>, screen: &Screen) -> String {
    let all = names.len();
    let most = if screen.trace { all } else { NAMES.min(all) };
    let mut text = names.take(most).collect::<Vec<_>>().join(", ");
    if all > most {
        text.push_str(&format!(" and {} more", all - most));
    }
    text
}

/// The placements, by namespace and name.
#[must_use]
pub fn placements(model: &Model<'_>, outcome: &Outcome<'_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    let mut still = 0;
    for placed in &outcome.placements.placed {
        if placed.is_unchanged() && placed.is_satisfied() && !screen.trace {
            still += 1;
            if still > UNCHANGED || screen.changes_only {
                continue;
            }
        }
        page.gap();
        placement(model, outcome, placed, screen, &mut page);
    }
    let hidden = if screen.changes_only {
        still
    } else {
        still.saturating_sub(UNCHANGED)
    };
    if hidden > 0 {
        page.gap();
        page.toned(
            Tone::Dim,
            format!("{} more, unchanged", count(hidden, "placement")),
        );
    }
    page
}

fn placement(
    model: &Model<'_>,
    outcome: &Outcome<'_>,
    placed: &Placed<'_>,
    screen: &Screen,
    page: &mut Page,
) {
    let placement = &model.placements[placed.placement];
    let subject = format!("Placement  {}/{}", placement.namespace, placement.name);
    if let Some(skipped) = placed.skipped {
        page.pieces(vec![
            (Tone::Strong, subject),
            (Tone::Plain, format!(": left alone ({})", skipped.word())),
        ]);
        return;
    }
    let chosen = placed
        .pages
        .iter()
        .map(|page| page.clusters.len())
        .sum::<usize>();
    let wanted = match placement.number_of_clusters {
        Some(number) => format!(" of {number} wanted"),
        None => String::new(),
    };
    let groups = match placed.groups.len() {
        0 | 1 => String::new(),
        groups => format!(" in {groups} groups"),
    };
    let was = placed.was.len();
    let change = match placed.is_unchanged() {
        true => ", unchanged".to_owned(),
        false if was == 0 => String::new(),
        false => format!(", {was} before"),
    };
    page.pieces(vec![
        (Tone::Strong, subject),
        (
            Tone::Plain,
            format!(": {}{wanted}{groups}{change}", count(chosen, "cluster")),
        ),
    ]);
    if let Some(fault) = &placed.fault {
        let text = format!("  The hub writes no status: {fault}");
        page.prose(screen, Tone::Failed, &text, 2);
        return;
    }
    if let Some(message) = placed.misconfigured() {
        if chosen == 0 && was > 0 {
            let text = format!(
                "  ALL {} DECIDED BEFORE ARE GIVEN UP",
                count(was, "CLUSTER")
            );
            page.prose(screen, Tone::Failed, &text, 2);
        }
        page.prose(
            screen,
            Tone::Failed,
            &format!("  Misconfigured: {message}"),
            2,
        );
    }
    if let Some(condition) = placed
        .conditions
        .iter()
        .find(|c| c.kind == SATISFIED && !c.status)
    {
        let text = format!(
            "  Not satisfied: {} ({})",
            condition.message, condition.reason
        );
        page.prose(screen, Tone::Failed, &text, 2);
    }
    if !placed.is_unchanged() || screen.trace {
        table(outcome, placed, screen, page);
    }
    if let Some(time) = placed.requeue {
        let text = format!(
            "  A toleration ends at {}; plan again then",
            format_seconds(time)
        );
        page.toned(Tone::Change, text);
    }
    if !placed.deleted.is_empty() {
        let deleted = list(placed.deleted.iter().map(String::as_str), screen);
        page.prose(screen, Tone::Bad, &format!("  Deleted: {deleted}"), 4);
    }
}

fn table(outcome: &Outcome<'_>, placed: &Placed<'_>, screen: &Screen, page: &mut Page) {
    let names = &outcome.placements.names;
    let name = |id: u32| names[id as usize].to_owned();
    let was: BTreeSet<u32> = placed.was.iter().copied().collect();
    let decided: BTreeSet<u32> = placed
        .pages
        .iter()
        .flat_map(|page| page.clusters.iter().copied())
        .collect();
    let mut head = vec![String::new(), "cluster".to_owned()];
    for weighted in &placed.prioritizers {
        let weight = if weighted.weight == 1 {
            String::new()
        } else {
            format!(" ×{}", weighted.weight)
        };
        head.push(format!("{}{weight}", short(weighted.prioritizer)));
    }
    head.extend(["total", "decision", "group"].map(str::to_owned));
    let width = head.len();
    let mut rows: Vec<(Tone, Vec<String>)> = vec![(Tone::Dim, head)];
    let mut left = 0;
    for row in &placed.rows {
        let is = decided.contains(&row.cluster);
        let had = was.contains(&row.cluster);
        let (tone, mark, word) = match (is, had) {
            (true, true) => (Tone::Plain, " ", "kept"),
            (true, false) => (Tone::Good, "+", "new"),
            (false, true) => (Tone::Bad, "-", "given up"),
            (false, false) => (Tone::Dim, " ", "not selected"),
        };
        let shown = rows.len() <= ROWS || screen.trace;
        if !shown || screen.changes_only && is == had {
            left += 1;
            continue;
        }
        let group = placed
            .groups
            .iter()
            .position(|group| group.clusters.contains(&row.cluster));
        let group = group.map_or(String::new(), |index| match placed.groups[index].name {
            "" => index.to_string(),
            name => format!("{index} {name}"),
        });
        let mut cells = vec![mark.to_owned(), name(row.cluster)];
        cells.extend(row.scores.iter().map(|score| match score {
            Some(score) => score.to_string(),
            None => "·".to_owned(),
        }));
        cells.extend([row.total.to_string(), word.to_owned(), group]);
        rows.push((tone, cells));
    }
    let feasible = placed.filters.get(1).map(|filter| &filter.clusters);
    for id in was
        .iter()
        .filter(|id| !feasible.is_some_and(|feasible| feasible.contains(**id as usize)))
    {
        if rows.len() > 2 * ROWS && !screen.trace {
            left += 1;
            continue;
        }
        let mut cells = vec!["-".to_owned(), name(*id)];
        cells.resize(width - 2, "·".to_owned());
        cells.extend(["given up".to_owned(), String::new()]);
        rows.push((Tone::Bad, cells));
    }
    // Rows that the engine left out are not selected.
    left += feasible
        .map_or(0, |all| all.count_ones(..))
        .saturating_sub(placed.rows.len());
    if rows.len() > 1 {
        write(page, &rows, width);
    }
    if left > 0 {
        page.toned(
            Tone::Dim,
            format!("    and {}; --trace shows all", count(left, "more row")),
        );
    }
}

/// A prioritizer's name short enough for the head of a column.
fn short(prioritizer: Prioritizer<'_>) -> &str {
    match prioritizer {
        Prioritizer::Balance => "Balance",
        Prioritizer::Steady => "Steady",
        Prioritizer::Resource(Resource::Cpu) => "CPU",
        Prioritizer::Resource(Resource::Memory) => "Memory",
        Prioritizer::AddOn(_, score) => score,
    }
}

/// Names and words to the left, numbers to the right.
fn write(page: &mut Page, rows: &[(Tone, Vec<String>)], width: usize) {
    let widest = |column: usize| rows.iter().map(|(_, cells)| columns(&cells[column])).max();
    let widths: Vec<usize> = (0..width)
        .map(|column| widest(column).unwrap_or(0))
        .collect();
    for (tone, cells) in rows {
        let mut line = String::from(" ");
        for (column, cell) in cells.iter().enumerate() {
            let pad = " ".repeat(widths[column] - columns(cell));
            line.push_str(if column < 2 { " " } else { "  " });
            if column < 2 || column + 2 >= width {
                line.push_str(cell);
                line.push_str(&pad);
            } else {
                line.push_str(&pad);
                line.push_str(cell);
            }
        }
        page.toned(*tone, line);
    }
}

/// The next steps of rollouts, then the waves of those that begin.
#[must_use]
pub fn rollouts(model: &Model<'_>, outcome: &Outcome<'_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    for rollout in &outcome.rollouts {
        page.gap();
        next_step(model, rollout, screen, &mut page);
    }
    for waves in &outcome.waves {
        page.gap();
        wave_table(waves, screen, &mut page);
    }
    page
}

fn next_step(model: &Model<'_>, rollout: &Rollout<'_>, screen: &Screen, page: &mut Page) {
    let asked = &model.rollout_steps[rollout.step];
    let kind = rollout
        .kind
        .map_or(String::new(), |kind| format!(", {}", kind.word()));
    page.pieces(vec![
        (
            Tone::Strong,
            format!("Rollout  {}/{}", asked.namespace, asked.name),
        ),
        (
            Tone::Plain,
            format!(
                ": {} to {} at {}{kind}",
                asked.replica_set.text,
                asked.placement.text,
                format_seconds(rollout.now)
            ),
        ),
    ]);
    let step = match &rollout.answer {
        Ok(step) => step,
        Err(error) => {
            page.prose(screen, Tone::Failed, &format!("  Error: {error}"), 2);
            return;
        }
    };
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for State {
        cluster, status, ..
    } in &step.rollout
    {
        match groups.iter_mut().find(|(word, _)| *word == status.word()) {
            Some((_, clusters)) => clusters.push(cluster),
            None => groups.push((status.word(), vec![cluster])),
        }
    }
    let mut line = |tone, word: &str, clusters: Vec<&str>| {
        if !clusters.is_empty() {
            let names = list(clusters.into_iter(), screen);
            page.prose(screen, tone, &format!("  {word}: {names}"), 4);
        }
    };
    for (word, clusters) in groups {
        let tone = match word {
            "ToApply" => Tone::Good,
            "Failed" => Tone::Bad,
            _ => Tone::Plain,
        };
        line(tone, word, clusters);
    }
    let names = |states: &[State<'_>]| -> Vec<String> {
        states
            .iter()
            .map(|state| state.cluster.to_owned())
            .collect()
    };
    let (out, gone) = (names(&step.timed_out), names(&step.removed));
    line(
        Tone::Bad,
        "Timed out",
        out.iter().map(String::as_str).collect(),
    );
    line(
        Tone::Change,
        "Removed",
        gone.iter().map(String::as_str).collect(),
    );
    if step.breach {
        page.toned(
            Tone::Failed,
            "  Stopped: more clusters failed than maxFailures allows",
        );
    }
    if let Some(nanos) = step.recheck_after {
        page.toned(
            Tone::Dim,
            format!("  Look again after {}", format_go_duration(nanos)),
        );
    }
    if step.rollout.is_empty() && !step.breach {
        page.toned(Tone::Dim, "  Nothing left to roll out");
    }
}

fn wave_table(waves: &Waves<'_>, screen: &Screen, page: &mut Page) {
    page.pieces(vec![
        (
            Tone::Strong,
            format!(
                "Rollout  {}/{} to {}",
                waves.namespace, waves.replica_set, waves.placement
            ),
        ),
        (
            Tone::Plain,
            format!(": {} from a clean start", count(waves.waves.len(), "wave")),
        ),
    ]);
    let shown = if screen.trace { usize::MAX } else { ROWS };
    let width = waves.waves.len().min(shown).to_string().len();
    for (index, wave) in waves.waves.iter().enumerate().take(shown) {
        let names = list(wave.iter().copied(), screen);
        let number = index + 1;
        let line = format!(
            "  {number:>width$}  {}: {names}",
            count(wave.len(), "cluster")
        );
        page.prose(screen, Tone::Plain, &line, width + 4);
    }
    let left = waves.waves.len().saturating_sub(shown);
    if left > 0 {
        page.toned(
            Tone::Dim,
            format!("  and {}; --trace shows all", count(left, "more wave")),
        );
    }
}

/// A simulated rollout: what each step started, and how it ended.
#[must_use]
pub fn run(title: &str, run: &Result<SimulatedRollout<'_>, String>, screen: &Screen) -> Page {
    let mut page = Page::new();
    let (tone, ending) = match run {
        Ok(run) => match run.ending {
            Ending::Completed => (Tone::Good, "completed"),
            other => (Tone::Failed, other.word()),
        },
        Err(_) => (Tone::Failed, "error"),
    };
    page.pieces(vec![
        (Tone::Strong, format!("Rollout  {title}")),
        (tone, format!(": {ending}")),
    ]);
    let run = match run {
        Ok(run) => run,
        Err(error) => {
            page.prose(screen, Tone::Failed, &format!("  {error}"), 2);
            return page;
        }
    };
    let begin = run.steps.first().map_or(0, |step| step.now);
    let shown = if screen.trace { usize::MAX } else { 2 * ROWS };
    for step in run.steps.iter().take(shown) {
        let after = i64::try_from(step.now - begin).unwrap_or(i64::MAX);
        let mut parts = Vec::new();
        if !step.started.is_empty() {
            parts.push(format!(
                "starts {}",
                list(step.started.iter().copied(), screen)
            ));
        }
        let out: Vec<&str> = step
            .step
            .timed_out
            .iter()
            .map(|state| state.cluster)
            .collect();
        if !out.is_empty() {
            parts.push(format!("timed out: {}", list(out.into_iter(), screen)));
        }
        if step.step.breach {
            parts.push("more failures than allowed".to_owned());
        }
        if parts.is_empty() {
            continue;
        }
        let line = format!(
            "  after {}: {}",
            format_go_duration(after),
            parts.join("; ")
        );
        page.prose(screen, Tone::Plain, &line, 4);
    }
    let left = run.steps.len().saturating_sub(shown);
    if left > 0 {
        page.toned(
            Tone::Dim,
            format!("  and {}; --trace shows all", count(left, "more step")),
        );
    }
    let mut words: Vec<(&str, Vec<&str>)> = Vec::new();
    for (cluster, status) in &run.states {
        match words.iter_mut().find(|(word, _)| *word == status.word()) {
            Some((_, clusters)) => clusters.push(cluster),
            None => words.push((status.word(), vec![cluster])),
        }
    }
    for (word, clusters) in words {
        let number = count(clusters.len(), "cluster");
        let names = list(clusters.into_iter(), screen);
        page.prose(
            screen,
            Tone::Plain,
            &format!("  {word}: {number}: {names}"),
            4,
        );
    }
    page
}
