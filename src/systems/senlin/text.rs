//! The regions of a plan as text: a block a file.

use crate::document::System;
use crate::plan::{self, Answer, Plan};
use crate::senlin::engine::allot::Direction;
use crate::senlin::engine::{Check, CheckStatus, Outcome};
use crate::senlin::{Planned, rules};
use crate::systems;

use crate::page::layout::{Block, Heads, Note, Row, Together, count, list, section};
use crate::page::{Page, Screen, Tone};
use crate::systems::shown::placeable;
use crate::why::Ways;

/// The section, empty where no file holds a plan.
#[must_use]
pub fn regions(plan: &Plan<'_, '_>, ways: &Ways, screen: &Screen) -> Page {
    let planned = plan.regions.planned.iter();
    let rows: Vec<_> = systems::of(System::Senlin).rows(plan).collect();
    let mut files = rows.chunk_by(|one, next| one.name.namespace == next.name.namespace);
    let block = |planned: &Planned<'_, '_>| {
        let rows = files.next().unwrap_or_default();
        let mut block = block(planned, rows, screen);
        for failure in &mut block.failures {
            let page = &mut failure.page;
            placeable(page, ways, System::Senlin, planned.set.path, screen);
        }
        block
    };
    let blocks: Vec<Block> = planned.map(block).collect();
    let regions: usize = blocks.iter().map(|block| block.rows.len()).sum();
    let title = format!("Plan for {}", count(blocks.len(), "action"));
    let summary = format!(": {}", count(regions, "Region"));
    let together = Together {
        title: &title,
        summary: &summary,
        noun: "action",
    };
    let mut page = section(blocks, together, screen);
    page.tells(&[
        &rules::OVERDRAFT,
        &rules::UNKNOWN_REGION,
        &rules::UNPLACEABLE,
    ]);
    page
}

fn block(planned: &Planned<'_, '_>, rows: &[plan::Row<'_>], screen: &Screen) -> Block {
    let (path, check, outcome) = (planned.set.path, planned.check, &planned.outcome);
    let cluster = match check.cluster.name.as_deref() {
        Some(name) => format!(" of {name}"),
        None => String::new(),
    };
    let asked = match outcome.number {
        _ if matches!(outcome.answer, CheckStatus::Error(_)) => "no plan".to_owned(),
        0 => "no node to create or delete".to_owned(),
        number => {
            let verb = match Direction::of(number) {
                Direction::Grow => "create",
                Direction::Shrink => "delete",
            };
            format!("{} to {verb}", count(number.abs(), "node"))
        }
    };
    let known = check.policy.regions.len();
    let mut block = Block {
        title: format!("Plan for {}{cluster}", check.action.name),
        summary: format!(" ({path}): {asked}, {}", count(known, "Region")),
        heads: Heads {
            subject: "Region",
            now: "Nodes",
            by_kind: true,
            numbers: true,
            figures: ["Weight", "Cap", "Share"].map(str::to_owned).to_vec(),
            ..Heads::default()
        },
        rows: (0..outcome.usable.len())
            .map(|at| line(&rows[at], check, outcome, at))
            .collect(),
        ..Block::default()
    };
    legend(&mut block.below, outcome, screen);
    notes(&mut block, check, outcome, screen);
    block
}

fn line(row: &plan::Row<'_>, check: Check<'_, '_>, outcome: &Outcome, at: usize) -> Row {
    let region = &check.policy.regions[outcome.usable[at] as usize];
    let allotment = outcome.distribution.as_ref();
    let allotment = allotment.map(|found| &found.allotments[at]);
    let because = row.facts.because();
    let kind = match outcome.change(at) {
        0 => because.clone(),
        1.. => "more, towards its share".to_owned(),
        _ if because.ends_with("it has") => "fewer, more than it has".to_owned(),
        _ => "fewer, towards its share".to_owned(),
    };
    let nodes = |answer: Option<Answer<'_>>| match answer {
        Some(Answer::Count(nodes)) => nodes.to_string(),
        _ => String::new(),
    };
    Row {
        mark: row.mark,
        subject: region.name.to_string(),
        within: row.name.namespace.into(),
        was: nodes(row.facts.was()).into(),
        now: nodes(row.facts.now()).into(),
        figures: [
            region.weight.to_string(),
            region.cap().map_or("-".to_owned(), |cap| cap.to_string()),
            allotment.map_or("-".to_owned(), |found| found.quota.to_string()),
        ]
        .into(),
        kind: kind.into(),
        because: because.into(),
    }
}

/// The legend of shares, and of negative ones.
fn legend(page: &mut Page, outcome: &Outcome, screen: &Screen) {
    let Some(found) = &outcome.distribution else {
        return;
    };
    let negative = if found.total < 0 {
        "; negative if more nodes are deleted than there are"
    } else {
        ""
    };
    let (rounding, first) = match Direction::of(outcome.number) {
        Direction::Grow => ("rounded up and cut to its cap", "get"),
        Direction::Shrink => ("rounded down", "keep"),
    };
    let mut text = format!(
        "  Share: a Region's part of the {} after this action, by weight, {rounding}{negative}.",
        count(found.total, "node"),
    );
    let shares: i128 = found.allotments.iter().map(|one| one.quota).sum();
    if shares != found.total && found.total >= 0 && found.remain == 0 {
        let weights = "the Regions of the highest weight";
        text.push_str(&format!(
            " The shares add up to {shares}; {weights} {first} theirs first."
        ));
    }
    page.prose(screen, Tone::Dim, &text, 2);
}

fn notes(block: &mut Block, check: Check<'_, '_>, outcome: &Outcome, screen: &Screen) {
    let mut note = |text: String| {
        let kind = "notes on regions";
        block
            .warnings
            .push(Note::sentence(kind, Tone::Plain, &text, screen));
    };
    let regions = (0..).zip(&check.policy.regions);
    let unknown = regions.filter(|(at, _)| outcome.usable.binary_search(at).is_err());
    let unknown: Vec<&str> = unknown.map(|(_, region)| &*region.name).collect();
    if !unknown.is_empty() {
        let verb = match unknown.len() {
            1 => "which does not exist and takes",
            _ => "which do not exist and take",
        };
        let names = list(unknown.iter().copied(), screen);
        note(format!("Note: the policy names {names}, {verb} no part."));
    }
    let usable = outcome.usable.iter();
    let counted: i128 = usable.map(|at| check.cluster.nodes[*at as usize]).sum();
    let elsewhere = check.cluster.size - counted;
    if elsewhere > 0 {
        let verb = if elsewhere == 1 { "is" } else { "are" };
        let nodes = count(elsewhere, "node");
        note(format!(
            "Note: {nodes} {verb} outside every usable Region; ignored."
        ));
    }
    if let CheckStatus::Error(reason) = &outcome.answer {
        let mut page = Page::new();
        page.pieces(vec![
            (Tone::Failed, check.action.name.to_string()),
            (Tone::Plain, " cannot be planned:".to_owned()),
        ]);
        page.prose(screen, Tone::Plain, &format!("    {reason}"), 8);
        let kind = "actions cannot be planned";
        block.failures.push(Note { kind, page });
    }
    let overdrafts: Vec<(usize, i128)> = outcome.overdrafts(check.cluster).collect();
    if !overdrafts.is_empty() {
        let there = |at: usize| check.cluster.nodes[outcome.usable[at] as usize];
        let nodes: i128 = overdrafts.iter().map(|(at, _)| there(*at)).sum();
        let over: i128 = overdrafts.iter().map(|(_, over)| over).sum();
        let regions = match overdrafts.as_slice() {
            [(at, _)] => {
                let region = &check.policy.regions[outcome.usable[*at] as usize];
                region.name.to_string()
            }
            several => format!("{} Regions", several.len()),
        };
        let text = format!(
            "Warning: {regions} would lose {} of {}; Senlin itself accepts such a plan.",
            nodes + over,
            count(nodes, "node")
        );
        let kind = "actions delete more nodes than there are";
        block
            .warnings
            .push(Note::sentence(kind, Tone::Change, &text, screen));
    }
}
