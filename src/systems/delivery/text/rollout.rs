//! RollingSync of an ApplicationSet, step by step.

use crate::delivery::application_set::argo::rolling::{Ask, MaxUpdate, Step};
use crate::delivery::application_set::rollout::ApplicationRollout;
use crate::kit::plural::plural;
use crate::page::layout::{Grid, headline, list};
use crate::page::{Page, Screen, Tone};

/// The Applications that each step syncs, wave by wave, and those that are never synced.
#[must_use]
pub fn rollout(rollout: &ApplicationRollout<'_, '_>, screen: &Screen) -> Page {
    let mut page = Page::new();
    let steps = plural(rollout.asks.len(), "step");
    let applications = plural(rollout.applications.len(), "Application");
    let title = format!(
        "Rollout of ApplicationSet {}/{}",
        rollout.id.namespace, rollout.id.name
    );
    let summary = format!(": {steps}, {applications}");
    headline(&mut page, &title, &summary, screen);
    let mut grid = Grid {
        heads: ["", "Step", "At once", "Wave", "Applications"]
            .map(str::to_owned)
            .to_vec(),
        right: 1..4,
        indent: 1,
        ..Grid::default()
    };
    let mut wave = 0;
    let named = |all: &[usize]| list(all.iter().map(|at| rollout.name(*at)), screen);
    for (at, (step, ask)) in rollout.rollout.steps.iter().zip(rollout.asks).enumerate() {
        let head = [(at + 1).to_string(), at_once(step, ask)];
        let mut row = |first: bool, wave: String, what: String| {
            let [step, at_once] = if first {
                head.clone()
            } else {
                Default::default()
            };
            grid.rows
                .push(vec![String::new(), step, at_once, wave, what]);
        };
        for (nth, applications) in step.waves.iter().enumerate() {
            wave += 1;
            row(nth == 0, wave.to_string(), named(applications));
        }
        let done: usize = step.waves.iter().map(Vec::len).sum();
        let rest = &step.applications[done..];
        match (done, rest.is_empty()) {
            (0, true) if !step.dropped.is_empty() => {}
            (0, true) => row(
                true,
                "-".to_owned(),
                format!("no Application matches{}", matches(ask)),
            ),
            (_, true) => {}
            (_, false) => row(done == 0, "-".to_owned(), format!("never: {}", named(rest))),
        }
        if step.reached && !step.dropped.is_empty() {
            let dropped = rollout.names_of_dropped(&step.dropped).into_iter();
            let waits = format!("waits for ever: {} (not created)", list(dropped, screen));
            row(step.applications.is_empty(), "-".to_owned(), waits);
        }
    }
    grid.write(&mut page, screen);
    if !rollout.failing.is_empty() {
        let failing: Vec<usize> = rollout.failing.iter().copied().collect();
        let text = format!("  Never healthy: {}", named(&failing));
        page.prose(screen, Tone::Failed, &text, 4);
    }
    if !rollout.rollout.never.is_empty() {
        let text = format!(
            "  Never synced: {} (no step takes them)",
            named(&rollout.rollout.never)
        );
        page.prose(screen, Tone::Change, &text, 4);
    }
    page
}

fn at_once(step: &Step, ask: &Ask<'_>) -> String {
    match ask.max_update {
        _ if step.applications.is_empty() => "-".to_owned(),
        None => "all".to_owned(),
        Some(MaxUpdate::Int(_)) => step.at_once.to_string(),
        Some(MaxUpdate::Text(text)) => format!("{} ({text})", step.at_once),
    }
}

/// The expressions of a step: ` env In [prod]`.
fn matches(ask: &Ask<'_>) -> String {
    let expressions = ask.expressions.iter();
    let text =
        expressions.map(|one| format!(" {} {} [{}]", one.key, one.operator, one.values.join(", ")));
    text.collect::<Vec<_>>().join(",")
}
