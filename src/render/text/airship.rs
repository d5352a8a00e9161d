//! The deployment strategy as text: the plan's section, and the report of a simulated run.

use crate::airship::Strategy;
use crate::airship::engine;
use crate::airship::engine::run::{DeploymentRun, Reason, Status, Step};
use crate::airship::engine::weakest::{By, TakenDown, Weakness};
use crate::airship::model::{Criteria, Group, Site};
use crate::airship::ran::Ran;
use crate::airship::{rules, terms};
use crate::diagnostic::Rule;
use crate::kit::plural::plural;
use crate::render::json::airship::{action_word, criterion_word, status_word};

use crate::render::clean;

use super::layout::{
    Block, Heads, Mark, Note, Row, Together, Words, count, hanging, list, section,
};
use super::{Page, Screen, Tone, wrap};

/// How many names a line gives before it counts.
const SHOWN: usize = 10;

/// Rules whose findings [`strategy`] itself shows.
const ON_PLAN: &[&Rule] = &[
    &rules::EMPTY_GROUP,
    &rules::NO_CRITERIA,
    &rules::UNASSIGNED_NODES,
    &rules::UNCOVERED_RACK,
];

/// Rules whose findings [`run`] itself shows.
const ON_RUN: &[&Rule] = &[&rules::EMPTY_GROUP, &rules::UNASSIGNED_NODES];

fn names<'a>(site: &Site<'a>, nodes: &[u32], screen: &Screen) -> String {
    let name = |node: &u32| site.nodes[*node as usize].name.text;
    list(nodes.iter().map(name), screen)
}

/// Seconds as hours, minutes and seconds.
fn span(seconds: i64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let parts = [(hours, "h"), (minutes, "min"), (rest, "s")];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(value, _)| *value > 0)
        .map(|(value, unit)| format!("{value} {unit}"))
        .collect();
    if parts.is_empty() {
        "0 s".to_owned()
    } else {
        parts.join(" ")
    }
}

fn title(group: &Group<'_>) -> String {
    let critical = if group.critical { " (critical)" } else { "" };
    format!("{}{critical}", group.name.text)
}

fn wants(criteria: Option<&Criteria>) -> String {
    let Some(criteria) = criteria else {
        return "no criteria: always succeeds".to_owned();
    };
    terms::phrases(criteria).join(", ")
}

/// The plan's section: groups by wave, with nodes, criteria, dependencies and limits.
#[must_use]
pub fn strategy(strategy: &Strategy<'_, '_>, screen: &Screen) -> Page {
    let (site, plan) = (strategy.site, &strategy.deployment);
    let name = site.strategy.map_or("all at once", |name| name.text);
    let waves = engine::graph(site).waves();
    let mut wave_of = vec![0; site.groups.len()];
    for (groups, wave) in waves.iter().zip(1..) {
        groups
            .iter()
            .for_each(|group| wave_of[*group as usize] = wave);
    }
    let deployed = site.nodes.len() - plan.unassigned.len();
    let mut block = Block {
        title: format!("Plan for deployment strategy {name}"),
        summary: format!(
            ": {} in {}, {deployed} of {}",
            count(site.groups.len(), "group"),
            count(waves.len(), "wave"),
            count(site.nodes.len(), "node")
        ),
        heads: Heads {
            subject: "Group",
            now: "Nodes",
            numbers: true,
            figures: ["Order", "Wave"].map(str::to_owned).to_vec(),
            by_kind: true,
            in_order: true,
            ..Heads::default()
        },
        ..Block::default()
    };
    let timing = &site.timing;
    let text = format!(
        "A group takes at most {} (prepare {}, deploy {}, join {}), all groups {}.",
        span(timing.group_limit()),
        span(timing.prepare_limit()),
        span(timing.deploy_limit()),
        span(timing.join_limit()),
        span(plan.limit_seconds),
    );
    block.remarks.prose(screen, Tone::Plain, &text, 0);
    critical_path(site, &waves, screen, &mut block.remarks);
    for (group, order) in plan.order.iter().zip(1..) {
        let at = *group as usize;
        let row = row(&site.groups[at], plan.members[at].len(), order, wave_of[at]);
        block.rows.push(row);
    }
    if screen.trace {
        for group in &plan.order {
            let members = &plan.members[*group as usize];
            let lead = format!("  {}: ", site.groups[*group as usize].name.text);
            let text = names(site, members, screen);
            hanging(&mut block.below, screen, Tone::Plain, &lead, &text);
        }
    }
    block.warnings = notes(strategy, screen);
    let mut page = section(vec![block], Together::default(), screen);
    page.tells(ON_PLAN);
    page
}

fn row(group: &Group<'_>, nodes: usize, order: usize, wave: usize) -> Row {
    let mut parts = Vec::new();
    if group.critical {
        parts.push("critical".to_owned());
    }
    let after: Vec<&str> = group.depends_on.iter().map(|need| need.name.text).collect();
    match after.as_slice() {
        [] => parts.push("needs no other group".to_owned()),
        some => parts.push(format!("after {}", some.join(", "))),
    }
    parts.push(wants(group.criteria.as_ref()));
    Row {
        mark: if nodes == 0 { Mark::Same } else { Mark::New },
        subject: group.name.text.to_owned(),
        within: Words::default(),
        was: "-".into(),
        now: nodes.to_string().into(),
        figures: [order, wave].map(|figure| figure.to_string()).into(),
        because: parts.join("; ").into(),
        kind: format!("in wave {wave}").into(),
    }
}

/// The longest chain of groups of which each waits for the one before.
fn critical_path(site: &Site<'_>, waves: &[Vec<u32>], screen: &Screen, page: &mut Page) {
    let mut wave_of = vec![0; site.groups.len()];
    for (groups, wave) in waves.iter().zip(0..) {
        groups
            .iter()
            .for_each(|group| wave_of[*group as usize] = wave);
    }
    let Some(mut at) = waves.last().and_then(|last| last.first()).copied() else {
        return;
    };
    let mut chain = vec![at];
    // A group is in the wave after the last of those it waits for.
    while let Some(before) = site.groups[at as usize]
        .depends_on
        .iter()
        .filter_map(|need| need.group)
        .find(|need| wave_of[*need as usize] + 1 == wave_of[at as usize])
    {
        chain.push(before);
        at = before;
    }
    if chain.len() < 2 {
        return;
    }
    chain.reverse();
    let names: Vec<&str> = chain
        .iter()
        .map(|at| site.groups[*at as usize].name.text)
        .collect();
    let most = if screen.trace { names.len() } else { SHOWN };
    let more = match names.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let length = i64::try_from(names.len()).unwrap_or(i64::MAX);
    let limit = span(site.timing.group_limit().saturating_mul(length));
    let names = names[..names.len().min(most)].join(" > ");
    let text = format!("Critical path: {names}{more}, at most {limit}.");
    page.prose(screen, Tone::Plain, &text, 4);
}

fn notes(strategy: &Strategy<'_, '_>, screen: &Screen) -> Vec<Note> {
    let (site, plan) = (strategy.site, &strategy.deployment);
    let mut lines = Vec::new();
    if !plan.unassigned.is_empty() {
        let nodes = names(site, &plan.unassigned, screen);
        lines.push(format!("in no group, never deployed: {nodes}"));
    }
    let mut seen = vec![0u32; site.nodes.len()];
    for node in plan.members.iter().flatten() {
        seen[*node as usize] += 1;
    }
    let shared = seen.iter().zip(0..).filter(|(groups, _)| **groups > 1);
    let shared: Vec<u32> = shared.map(|(_, node)| node).collect();
    if !shared.is_empty() {
        let nodes = names(site, &shared, screen);
        lines.push(format!("in several groups, deployed by the first: {nodes}"));
    }
    let groups = || site.groups.iter().zip(&plan.members);
    let empty: Vec<&str> = groups()
        .filter(|(_, nodes)| nodes.is_empty())
        .map(|(group, _)| group.name.text)
        .collect();
    if !empty.is_empty() {
        let list = list(empty.iter().copied(), screen);
        lines.push(format!("groups without nodes: {list}"));
    }
    let lax: Vec<&str> = groups()
        .filter(|(group, nodes)| group.criteria.is_none() && !nodes.is_empty())
        .map(|(group, _)| group.name.text)
        .collect();
    if !lax.is_empty() {
        let list = list(lax.iter().copied(), screen);
        lines.push(format!(
            "groups that succeed even when all their nodes fail: {list}"
        ));
    }
    if !strategy.uncovered_racks.is_empty() {
        let racks = strategy.uncovered_racks.iter();
        let list = list(racks.map(|rack| rack.text), screen);
        lines.push(format!("racks without any node in a group: {list}"));
    }
    let note = |line: String| {
        let mut page = Page::new();
        hanging(&mut page, screen, Tone::Plain, "Note: ", &line);
        Note {
            kind: "notes on groups",
            page,
        }
    };
    lines.into_iter().map(note).collect()
}

/// More groups of a run than this are not all shown on a screen.
const GROUPS: usize = 50;
/// Groups with failures that are shown of a longer run.
const FAILURES: usize = 12;

/// The report of a run: how it ends, groups in order, then nodes by status, then the verdict.
#[must_use]
pub fn run(strategy: &Strategy<'_, '_>, run: &DeploymentRun, screen: &Screen) -> Page {
    let verdict = run.verdict.word();
    let tone = match verdict {
        "success" => Tone::Good,
        "partial" => Tone::Change,
        _ => Tone::Failed,
    };
    let groups = || run.steps.chunk_by(of_one_group);
    let fails = |group: &&[Step]| group.iter().any(|step| step.reason.is_some());
    let (all, failed) = (groups().count(), groups().filter(fails).count());
    let failed = match failed {
        0 => String::new(),
        _ => format!("; {failed} of {} fail", count(all, "group")),
    };
    let mut page = Page::new();
    page.pieces(vec![
        (Tone::Strong, "Deployment: ".to_owned()),
        (tone, verdict.to_owned()),
        (Tone::Plain, failed),
    ]);
    page.gap();
    page.append(steps(strategy.site, run, screen));
    nodes(strategy, run, screen, &mut page);
    page.gap();
    page.pieces(vec![
        (Tone::Plain, "verdict: ".to_owned()),
        (tone, verdict.to_owned()),
    ]);
    page.tells(ON_RUN);
    page
}

/// What an engine made of the plan, and what is left to do.
#[must_use]
pub fn ran(strategy: &Strategy<'_, '_>, ran: &Ran, screen: &Screen) -> Page {
    let site = strategy.site;
    let mut page = match ran.complete {
        true => run(strategy, &ran.run, screen),
        false => {
            let mut page = steps(site, &ran.run, screen);
            nodes(strategy, &ran.run, screen, &mut page);
            page.gap();
            page.line("No verdict: the run has not ended.");
            page.tells(ON_RUN);
            page
        }
    };
    if ran.rest.is_empty() {
        return page;
    }
    page.gap();
    page.line("Left to do");
    let most = if screen.width.is_none() || screen.trace {
        ran.rest.len()
    } else {
        GROUPS
    };
    for rest in ran.rest.iter().take(most) {
        let group = |number: &u32| site.groups[*number as usize].name.text;
        let mut parts = vec![match rest.nodes.len() {
            0 => "no node".to_owned(),
            count => format!(
                "{}: {}",
                plural(count, "node"),
                names(site, &rest.nodes, screen)
            ),
        }];
        if !rest.after.is_empty() {
            parts.push(format!(
                "after {}",
                list(rest.after.iter().map(group), screen)
            ));
        }
        let lead = format!("  {}  ", clean(group(&rest.group)));
        hanging(&mut page, screen, Tone::Plain, &lead, &parts.join("; "));
    }
    let more = ran.rest.len().saturating_sub(most);
    if more > 0 {
        page.line(format!("  and {} more", plural(more, "group")));
    }
    page
}

/// Whether two steps are of one group.
fn of_one_group(one: &Step, other: &Step) -> bool {
    one.group == other.group
}

/// The groups in the order in which they ran, and how each of their steps ended.
fn steps(site: &Site<'_>, run: &DeploymentRun, screen: &Screen) -> Page {
    let mut page = Page::new();
    let all = run.steps.chunk_by(of_one_group).count();
    let (shown, rest) = shown(run, screen);
    for pair in shown {
        let Some(first) = pair.first() else { continue };
        let group = &site.groups[first.group as usize];
        page.toned(
            if group.critical {
                Tone::Strong
            } else {
                Tone::Plain
            },
            title(group),
        );
        for step in pair {
            let (word, tone) = match step.reason {
                None => ("SUCCESS", Tone::Good),
                Some(_) => ("FAILED", Tone::Failed),
            };
            let action = action_word(step.action);
            let text = wrap(
                &outcome_of(site, run, step, screen),
                screen.prose().map(|w| w - 20),
                0,
            );
            for (number, line) in text.into_iter().enumerate() {
                if number == 0 {
                    page.pieces(vec![
                        (Tone::Plain, format!("  {action:<9}")),
                        (tone, format!("{word:<9}")),
                        (Tone::Plain, line),
                    ]);
                } else {
                    page.line(format!("{}{line}", " ".repeat(20)));
                }
            }
        }
    }
    if let Some([failed, well]) = rest {
        for (number, what) in [(failed, "with failures"), (well, "without any failure")] {
            if number > 0 {
                page.line(format!("{} {what}", count(number, "more group")));
            }
        }
        page.line(format!("-o json has all {all} groups."));
    }
    page
}

/// The nodes by their status after the run.
fn nodes(strategy: &Strategy<'_, '_>, run: &DeploymentRun, screen: &Screen, page: &mut Page) {
    let site = strategy.site;
    page.gap();
    page.line("Nodes after the run");
    let all = [
        Status::NotStarted,
        Status::Prepared,
        Status::Success,
        Status::Failure,
    ];
    for status in all {
        let has = |node: &u32| run.nodes[*node as usize] == Some(status);
        let total = u32::try_from(run.nodes.len()).unwrap_or(u32::MAX);
        let nodes: Vec<u32> = (0..total).filter(has).collect();
        if !nodes.is_empty() {
            let word = status_word(status);
            let text = format!("{}: {}", nodes.len(), names(site, &nodes, screen));
            hanging(page, screen, Tone::Plain, &format!("  {word:<13}"), &text);
        }
    }
    if !strategy.deployment.unassigned.is_empty() {
        let nodes = &strategy.deployment.unassigned;
        let text = format!("{}: {}", nodes.len(), names(site, nodes, screen));
        hanging(page, screen, Tone::Plain, "  in no group  ", &text);
    }
}

/// The steps that are shown, two for each group, and how many groups with and without failures are
/// left out: on a screen a long run is a few of its failures.
fn shown<'r>(run: &'r DeploymentRun, screen: &Screen) -> (Vec<&'r [Step]>, Option<[usize; 2]>) {
    let all: Vec<&[Step]> = run.steps.chunk_by(of_one_group).collect();
    if screen.width.is_none() || screen.trace || all.len() <= GROUPS {
        return (all, None);
    }
    let well = |pair: &&[Step]| {
        let mut steps = pair.iter();
        steps.all(|step| step.reason.is_none() && step.failed.is_empty())
    };
    let number = all.len();
    let mut failures: Vec<&[Step]> = all.into_iter().filter(|pair| !well(pair)).collect();
    let failed = failures.len();
    failures.truncate(FAILURES);
    (
        failures,
        Some([failed.saturating_sub(FAILURES), number - failed]),
    )
}

/// What happened in a step.
fn outcome_of(site: &Site<'_>, run: &DeploymentRun, step: &Step, screen: &Screen) -> String {
    let group = &site.groups[step.group as usize];
    match step.reason {
        Some(Reason::Dependency) => {
            let failed = group.depends_on.iter().filter_map(|need| need.group);
            let mut failed: Vec<u32> = failed
                .filter(|need| !run.succeeded[*need as usize])
                .collect();
            failed.dedup();
            let name = |need: &u32| site.groups[*need as usize].name.text;
            let list = list(failed.iter().map(name), screen);
            return format!("due to dependency: {list}");
        }
        Some(Reason::PrepareFailed) => return "due to prepare failure".to_owned(),
        _ => {}
    }
    let mut parts = vec![match (step.sent.len(), step.failed.len()) {
        (0, _) => "nothing to send".to_owned(),
        (sent, 0) => format!("{sent} of {sent} succeeded"),
        (sent, failed) => {
            format!(
                "{failed} of {sent} failed: {}",
                names(site, &step.failed, screen)
            )
        }
    }];
    if step.timed_out {
        let limit = match step.action {
            crate::airship::engine::run::Action::Prepare => site.timing.prepare_limit(),
            crate::airship::engine::run::Action::Deploy => site.timing.deploy_limit(),
        };
        parts.push(format!("timed out after {}", span(limit)));
    }
    if !step.criteria_failed.is_empty() {
        let criteria = group.criteria.unwrap_or_default();
        let value = |word: &str| match word {
            "percent_successful_nodes" => criteria.percent,
            "minimum_successful_nodes" => criteria.minimum,
            _ => criteria.maximum_failed,
        };
        let wanted: Vec<String> = step
            .criteria_failed
            .iter()
            .map(|criterion| criterion_word(*criterion))
            .map(|word| format!("{word} {}", value(word).unwrap_or_default()))
            .collect();
        parts.push(format!("needs {}", wanted.join(", ")));
    }
    parts.join("; ")
}

/// What breaks the site, and what a failure takes down.
#[must_use]
pub fn weakest(
    site: &Site<'_>,
    weakest: &[Weakness<'_>],
    taken_down: &[TakenDown],
    screen: &Screen,
) -> Page {
    let mut page = Page::new();
    page.toned(Tone::Strong, "What breaks the site (failures in prepare)");
    if weakest.is_empty() {
        page.line("  nothing: no group is critical");
    }
    for one in weakest {
        let group = site.groups[one.group as usize].name.text;
        let thing = match one.by {
            By::Nodes => "node",
            By::Racks => "rack",
        };
        let text = match one.size {
            None if one.exact => format!("no failure of {thing}s fails it"),
            None => format!("no set of {thing}s found within the bound"),
            Some(0) => "fails even without any failure".to_owned(),
            Some(size) => {
                let shown = if screen.trace { one.sets.len() } else { SHOWN };
                let sets: Vec<String> = one
                    .sets
                    .iter()
                    .take(shown)
                    .map(|set| set.join(" + "))
                    .collect();
                let more = one.sets.len().saturating_sub(shown);
                let rest = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                let bound = if one.exact {
                    ""
                } else {
                    " (the bound was reached)"
                };
                let ways = if one.sets.len() == 1 { "" } else { "any of: " };
                format!(
                    "{}: {ways}{}{rest}{bound}",
                    count(size, thing),
                    sets.join(", ")
                )
            }
        };
        hanging(
            &mut page,
            screen,
            Tone::Plain,
            &format!("  {group}  "),
            &text,
        );
    }
    if !taken_down.is_empty() {
        page.gap();
        page.toned(
            Tone::Strong,
            "What a failure takes down (groups that are not critical)",
        );
    }
    for one in taken_down
        .iter()
        .take(if screen.trace { usize::MAX } else { 50 })
    {
        let group = site.groups[one.group as usize].name.text;
        let by = one.by.iter().map(|by| site.groups[*by as usize].name.text);
        let list = list(by, screen);
        hanging(
            &mut page,
            screen,
            Tone::Plain,
            &format!("  {group}  "),
            &format!("after a failure of {list}"),
        );
    }
    page
}
