//! Rollouts as text: the next steps, the waves from a clean start, simulated runs.

use crate::kit::named::Name;
use std::collections::{BTreeMap, BTreeSet};

use crate::kit::time::{format_seconds, in_words};
use crate::ocm::Outcome;
use crate::ocm::engine::rollout::{Ending, State, Step};
use crate::ocm::engine::{RolledOut, Rollout, Waves};
use crate::ocm::model::{Model, Status};
use crate::ocm::simulate::RolloutRun;
use crate::page::layout::{Mark, count, headline, list};
use crate::page::{Page, Screen, Tone, columns, wrap};

/// Waves and steps without `--trace`.
const ROWS: usize = 10;

/// The next steps of rollouts, then the waves of those that begin.
#[must_use]
pub fn rollouts(model: &Model<'_>, outcome: &Outcome<'_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    for rollout in &outcome.rollouts {
        page.gap();
        let leaving = leaving(model, outcome, rollout);
        next_step(model, rollout, &leaving, screen, &mut page);
    }
    for waves in &outcome.waves {
        page.gap();
        wave_table(waves, screen, &mut page);
    }
    page
}

/// The clusters that the placement of a rollout selects until this plan.
fn leaving<'a>(
    model: &Model<'_>,
    outcome: &Outcome<'a>,
    rollout: &Rollout<'_>,
) -> BTreeSet<&'a str> {
    let asked = &model.rollout_steps[rollout.step];
    let placed = outcome.placements.placed.iter().find(|placed| {
        let placement = &model.placements[placed.placement];
        (placement.namespace, placement.name) == (asked.namespace, asked.placement.text)
    });
    let gone = placed.into_iter().flat_map(|placed| {
        let was = placed.was.iter();
        was.filter(|at| placed.skipped.is_none() && !placed.selected.contains(at))
    });
    // The hub may not have a cluster of a former decision any more.
    gone.map(|at| outcome.placements.names[*at as usize])
        .collect()
}

fn next_step(
    model: &Model<'_>,
    rollout: &Rollout<'_>,
    leaving: &BTreeSet<&str>,
    screen: &Screen,
    page: &mut Page,
) {
    let asked = &model.rollout_steps[rollout.step];
    let title = format!("Next step of rollout {}/{}", asked.namespace, asked.name);
    let kind = rollout
        .kind
        .map_or(String::new(), |kind| format!(", {}", kind.word()));
    let summary = format!(
        ": ManifestWorkReplicaSet {} over Placement {}{kind}, at {}",
        asked.replica_set.text,
        asked.placement.text,
        format_seconds(rollout.now)
    );
    headline(page, &title, &summary, screen);
    match &rollout.answer {
        Ok(step) => states(step, leaving, screen, page),
        Err(error) => {
            page.gap();
            page.pieces(vec![
                (
                    Tone::Failed,
                    Name::new(asked.namespace, asked.name).to_string(),
                ),
                (Tone::Plain, " cannot be answered:".to_owned()),
            ]);
            page.prose(screen, Tone::Plain, &format!("    {error}"), 8);
        }
    }
}

/// The Clusters of a step by their state, then what holds it up. Those that the plan takes out of
/// the placement are not rolled out to.
fn states(step: &Step<'_>, leaving: &BTreeSet<&str>, screen: &Screen, page: &mut Page) {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut leave = Vec::new();
    for State {
        cluster, status, ..
    } in &step.rollout
    {
        if leaving.contains(cluster) {
            leave.push(*cluster);
            continue;
        }
        match groups.iter_mut().find(|(word, _)| *word == status.word()) {
            Some((_, clusters)) => clusters.push(cluster),
            None => groups.push((status.word(), vec![cluster])),
        }
    }
    let mut line = |mark: Mark, word: &str, clusters: Vec<&str>| {
        if clusters.is_empty() {
            return;
        }
        let number = count(clusters.len(), "Cluster");
        let names = list(clusters.into_iter(), screen);
        let text = format!(" {word}: {number}: {names}");
        let room = screen.prose().map(|width| width.saturating_sub(1));
        for (text, at) in wrap(&text, room, 5).into_iter().zip(0..) {
            let sign = if at == 0 { mark.sign() } else { " " };
            page.pieces(vec![(mark.tone(), sign.to_owned()), (Tone::Plain, text)]);
        }
    };
    for (word, clusters) in groups {
        let mark = match word {
            "ToApply" => Mark::New,
            "Failed" => Mark::Failed,
            _ => Mark::Same,
        };
        line(mark, word, clusters);
    }
    line(Mark::Gone, "Leaves the Placement with this plan", leave);
    let names = |states: &[State<'_>]| -> Vec<String> {
        states
            .iter()
            .map(|state| state.cluster.to_owned())
            .collect()
    };
    let (out, gone) = (names(&step.timed_out), names(&step.removed));
    line(
        Mark::Failed,
        "Timed out",
        out.iter().map(String::as_str).collect(),
    );
    line(
        Mark::Gone,
        "Removed",
        gone.iter().map(String::as_str).collect(),
    );
    if step.breach {
        let sign = (Tone::Failed, Mark::Failed.sign());
        let text = " Stopped: more clusters failed than maxFailures allows";
        page.lead(sign, text, 2, screen.prose());
    }
    if let Some(nanos) = step.recheck_after {
        page.toned(
            Tone::Dim,
            format!("  Check again in {}", in_words(nanos.into())),
        );
    }
    if step.rollout.is_empty() && !step.breach {
        page.toned(Tone::Dim, "  Nothing left to roll out");
    }
}

fn wave_table(waves: &Waves<'_>, screen: &Screen, page: &mut Page) {
    let (title, placement) = match waves.of {
        RolledOut::Works {
            namespace,
            name,
            placement,
        } => (
            format!("ManifestWorkReplicaSet {namespace}/{name}"),
            placement.to_owned(),
        ),
        RolledOut::AddOn { name, placement } => (
            format!("the configuration of add-on {name}"),
            Name::new(placement.0, placement.1).to_string(),
        ),
    };
    let title = format!("Waves of {title}");
    let summary = format!(
        " over Placement {placement}: {} from a clean start, if every Cluster succeeds",
        count(waves.waves.len(), "wave")
    );
    headline(page, &title, &summary, screen);
    let shown = if screen.trace { usize::MAX } else { ROWS };
    for (wave, number) in waves.waves.iter().zip(1..).take(shown) {
        let names = list(wave.iter().copied(), screen);
        let line = format!("  wave {number}: {}: {names}", count(wave.len(), "Cluster"));
        page.prose(screen, Tone::Plain, &line, 6);
    }
    left_out(page, waves.waves.len().saturating_sub(shown), "more wave");
}

/// A simulated rollout: what each step started, and how it ended.
#[must_use]
pub fn run(rolled: &RolloutRun<'_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    let run = &rolled.run;
    let title = match rolled.of {
        RolledOut::Works {
            namespace,
            name,
            placement,
        } => format!("{namespace}/{name} to {placement}"),
        RolledOut::AddOn { name, placement } => {
            format!("of add-on {name} to {}/{}", placement.0, placement.1)
        }
    };
    let (tone, ending) = match run {
        Ok(run) => match run.ending {
            Ending::Completed => (Tone::Good, "completed"),
            other => (Tone::Failed, other.word()),
        },
        Err(_) => (Tone::Failed, "error"),
    };
    let title = format!("Simulated rollout {title}");
    let ending_of = format!(": {ending}");
    if screen
        .width
        .is_some_and(|width| columns(&title) + columns(&ending_of) > width)
    {
        page.prose(screen, Tone::Strong, &format!("{title}:"), 4);
        page.toned(tone, format!("    {ending}"));
    } else {
        page.pieces(vec![(Tone::Strong, title), (tone, ending_of)]);
    }
    let run = match run {
        Ok(run) => run,
        Err(error) => {
            page.prose(screen, Tone::Failed, &format!("  {error}"), 2);
            return page;
        }
    };
    statuses(&rolled.before, "On the hub, ", screen, &mut page);
    let begin = run.steps.first().map_or(0, |step| step.now);
    let shown = if screen.trace { usize::MAX } else { 2 * ROWS };
    let mut number = 0;
    for step in run.steps.iter().take(shown) {
        let after = match step.now - begin {
            0 => "at once".to_owned(),
            nanos => format!("after {}", in_words(nanos)),
        };
        let mut parts = Vec::new();
        if !step.started.is_empty() {
            parts.push(format!(
                "starts {}",
                list(step.started.iter().copied(), screen)
            ));
        }
        let named = |states: &[State<'_>]| {
            let names: Vec<&str> = states.iter().map(|state| state.cluster).collect();
            (!names.is_empty()).then(|| list(names.into_iter(), screen))
        };
        let (removed, out) = (named(&step.step.removed), named(&step.step.timed_out));
        parts.extend(removed.map(|names| format!("removes {names}")));
        parts.extend(out.map(|names| format!("timed out: {names}")));
        if step.step.breach {
            parts.push("more failures than allowed".to_owned());
        }
        if parts.is_empty() {
            continue;
        }
        number += 1;
        let line = format!("  {number}. {after}: {}", parts.join("; "));
        page.prose(screen, Tone::Plain, &line, 4);
    }
    left_out(
        &mut page,
        run.steps.len().saturating_sub(shown),
        "more step",
    );
    statuses(&run.states, "", screen, &mut page);
    blocked(&rolled.blocked, screen, &mut page);
    page
}

/// The clusters of each status, a line each.
fn statuses(of: &BTreeMap<&str, Status>, when: &str, screen: &Screen, page: &mut Page) {
    let mut words: Vec<(&str, Vec<&str>)> = Vec::new();
    for (cluster, status) in of {
        match words.iter_mut().find(|(word, _)| *word == status.word()) {
            Some((_, clusters)) => clusters.push(cluster),
            None => words.push((status.word(), vec![cluster])),
        }
    }
    for (word, clusters) in words {
        let number = count(clusters.len(), "cluster");
        let names = list(clusters.into_iter(), screen);
        let line = format!("  {when}{word}: {number}: {names}");
        page.prose(screen, Tone::Plain, &line, 4);
    }
}

/// Says which clusters never get what is rolled out.
fn blocked(clusters: &[&str], screen: &Screen, page: &mut Page) {
    if clusters.is_empty() {
        return;
    }
    let number = count(clusters.len(), "cluster");
    let names = list(clusters.iter().copied(), screen);
    let text = format!("  Never configured: {number}: {names}; a group before theirs never ends");
    page.prose(screen, Tone::Failed, &text, 4);
}

/// Says how many lines are not shown, if any.
fn left_out(page: &mut Page, number: usize, noun: &str) {
    if number > 0 {
        let line = format!("  and {}; --trace shows all", count(number, noun));
        page.toned(Tone::Dim, line);
    }
}
