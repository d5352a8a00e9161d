//! The deployment strategy as text: the plan's section, runs, and what breaks it.

mod run;
mod weakest;

pub use run::{ran, run};
pub use weakest::weakest;

use crate::airship::Strategy;
use crate::airship::engine;
use crate::airship::model::{Criteria, Group, Site};
use crate::airship::{rules, terms};
use crate::diagnostic::Rule;
use crate::kit::time::in_words;

use crate::page::layout::{
    Block, Heads, Mark, Note, Row, Together, Words, count, hanging, list, section,
};
use crate::page::{Page, Screen, Tone};

/// How many names a line gives before it counts.
const SHOWN: usize = 10;

/// Rules whose findings [`strategy`] itself shows.
const ON_PLAN: &[&Rule] = &[
    &rules::EMPTY_GROUP,
    &rules::NO_CRITERIA,
    &rules::UNASSIGNED_NODES,
    &rules::UNCOVERED_RACK,
];

fn names<'a>(site: &Site<'a>, nodes: &[u32], screen: &Screen) -> String {
    let name = |node: &u32| site.nodes[*node as usize].name.text;
    list(nodes.iter().map(name), screen)
}

/// Seconds in words.
fn span(seconds: i64) -> String {
    in_words(i128::from(seconds) * 1_000_000_000)
}

/// Whether to print everything, even what does not fit a screen.
fn is_whole(screen: &Screen) -> bool {
    screen.width.is_none() || screen.trace
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
        "A group takes at most {} (prepare {}, deploy {}, join {}).",
        span(timing.group_limit()),
        span(timing.prepare_limit()),
        span(timing.deploy_limit()),
        span(timing.join_limit()),
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
