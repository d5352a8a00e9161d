//! The plan screen: a block a Package, then what is stopped.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::document::System;
use crate::kit::plural::plural;
use crate::ogc::describe;
use crate::ogc::engine::{Change, Counts, Filter, FilterRun, Item, Outcome, PackagePlan};
use crate::ogc::model::Model;
use crate::ogc::rules;
use crate::ogc::sums::{Amounts, ClusterSum, sums};
use crate::page::layout::{
    Block, Grid, Heads, Mark, Note, Row, Together, WordPool, noted, section,
};
use crate::page::{Page, Screen, Tone};
use crate::systems::shown::placeable;
use crate::why::Ways;

use super::{failure, is_wide, warning};

/// The line of a plan without changes.
const STILL: &str = "No changes: every Application stays where it is.";
/// Reasons for Applications without a Cluster that are given unless all are asked for: each takes
/// a look at every Cluster of a Project.
const FAILURES: usize = 20;

/// The filters that have a column, with their heads; the Tiebreaker always leaves one.
const COUNTED: [(Filter, &str); 7] = [
    (Filter::Available, "Up"),
    (Filter::Compute, "Cpu"),
    (Filter::Memory, "Mem"),
    (Filter::Storage, "Vol"),
    (Filter::Labels, "Lab"),
    (Filter::Extant, "Ext"),
    (Filter::Extremum, "M/M"),
];

/// The placement of each Application; an empty page where there is nothing to plan.
#[must_use]
pub fn applications<'a>(
    model: &Model<'a>,
    outcome: &Outcome<'a>,
    ways: &Ways,
    screen: &Screen,
) -> Page {
    let maker = Maker {
        model,
        outcome,
        ways,
        screen,
        clusters: warning::Clusters::of(model, outcome),
        words: RefCell::default(),
        figures: RefCell::default(),
    };
    let failures = Counts::of(&outcome.items).unplaceable;
    let packages = outcome.packages.iter();
    let failed: Vec<_> = packages.map(|package| maker.failed(package)).collect();
    let reasons = failed.iter().map(Vec::len).sum();
    let mut left = if screen.trace {
        reasons
    } else {
        noted(reasons, screen).min(FAILURES)
    };
    let mut explained = 0;
    let packages = outcome.packages.iter().zip(failed);
    let blocks: Vec<Block> = packages
        .map(|(package, mut failed)| {
            failed.truncate(left);
            left -= failed.len();
            explained += failed.iter().map(Vec::len).sum::<usize>();
            maker.block(package, &failed)
        })
        .collect();
    let still = blocks.iter().all(|block| block.still.is_some());
    let (title, summary) = maker.together();
    let together = Together {
        title: &title,
        summary: &summary,
        noun: "Package",
    };
    let sums = sums(model, outcome);
    let mut page = too_little(&sums, screen);
    page.append(section(blocks, together, screen));
    if failures > explained {
        page.gap();
        let more = plural(failures - explained, "more Application");
        let text = format!("{more} without a Cluster; --trace and -o json show why.");
        page.prose(screen, Tone::Plain, &text, 4);
    }
    overcommitted(model, &sums, screen, &mut page);
    if still && outcome.packages.len() > 1 {
        page.prose(screen, Tone::Plain, STILL, 0);
    }
    page.tells(&[
        &rules::NO_SINGLE_NODE,
        &rules::OVERCOMMITTED,
        &rules::UNPLACEABLE,
        &rules::VOLUME_OUT_OF_BOUNDS,
    ]);
    page
}

/// The warning that heads the page if the Clusters together have less than is planned on them.
fn too_little(sums: &[ClusterSum], screen: &Screen) -> Page {
    let mut page = Page::new();
    let mut all = Amounts::default();
    let mut there = Amounts::default();
    for sum in sums {
        all.cpu = all.cpu + sum.requested.cpu;
        all.memory = all.memory + sum.requested.memory;
        there.cpu = there.cpu + sum.allocatable.cpu;
        there.memory = there.memory + sum.allocatable.memory;
    }
    let mut lacks = Vec::new();
    if all.cpu > there.cpu {
        let (all, there) = (all.cpu.plain(), there.cpu.plain());
        lacks.push(format!("CPU {all} of {there}"));
    }
    if all.memory > there.memory {
        let (all, there) = (all.memory.rounded(), there.memory.rounded());
        lacks.push(format!("memory {all} of {there}"));
    }
    // The shortage of each Cluster is said below, unless nobody could mean it.
    let is_absurd = all.cpu > there.cpu + there.cpu || all.memory > there.memory + there.memory;
    if (sums.len() > 1 || is_absurd) && !lacks.is_empty() {
        let rest = format!(": {}.", lacks.join(", "));
        let lead = match sums.len() {
            1 => "More is planned than the Cluster has",
            _ => "More is planned than all Clusters have",
        };
        page.lead((Tone::Failed, lead), &rest, 4, screen.prose());
        page.gap();
    }
    page
}

/// The Clusters on which more is planned than they have, the worst first; all sums with `--trace`.
fn overcommitted(model: &Model<'_>, sums: &[ClusterSum], screen: &Screen, page: &mut Page) {
    /// Clusters that are named.
    const NAMED: usize = 5;
    let name = |sum: &ClusterSum| model.clusters[sum.cluster as usize].name;
    if screen.trace && !sums.is_empty() {
        let heads = [
            "",
            "Cluster",
            "Applications",
            "CPU",
            "of",
            "Memory",
            "of",
            "Largest Node",
        ];
        let row = |sum: &ClusterSum| {
            let (asks, has, most) = (sum.requested, sum.allocatable, sum.largest);
            vec![
                if sum.is_overcommitted() { "!" } else { "" }.to_owned(),
                name(sum).to_owned(),
                sum.applications.to_string(),
                asks.cpu.plain(),
                has.cpu.plain(),
                asks.memory.rounded(),
                has.memory.rounded(),
                format!("{} CPU, {}", most.cpu.plain(), most.memory.rounded()),
            ]
        };
        let grid = Grid {
            heads: heads.map(str::to_owned).to_vec(),
            rows: sums.iter().map(row).collect(),
            right: 2..7,
            ..Grid::default()
        };
        page.gap();
        page.toned(Tone::Strong, "Planned on each Cluster");
        page.gap();
        grid.write(page, screen);
    }
    let over = sums.iter().filter(|sum| sum.is_overcommitted());
    let mut over: Vec<&ClusterSum> = over.collect();
    over.sort_by_key(|sum| Reverse(sum.degree()));
    let why = "Capacity is checked per Application; other Applications are not deducted.";
    let text = match over.as_slice() {
        [] => return,
        [one] => format!(
            "Warning: {} is overcommitted: {}. {why}",
            name(one),
            one.excess()
        ),
        many => format!("Warning: {} Clusters are overcommitted. {why}", many.len()),
    };
    page.gap();
    page.prose(screen, Tone::Change, &text, 4);
    if over.len() == 1 {
        return;
    }
    let shown = if screen.trace || screen.width.is_none() {
        over.len()
    } else {
        NAMED
    };
    let grid = Grid {
        heads: vec![String::new(); 3],
        rows: over[..shown.min(over.len())]
            .iter()
            .map(|sum| vec![String::new(), name(sum).to_owned(), sum.excess()])
            .collect(),
        indent: 2,
        ..Grid::default()
    };
    grid.write(page, screen);
    if over.len() > shown {
        let more = over.len() - shown;
        page.line(format!("    and {more} more; --trace lists each one"));
    }
}

struct Maker<'m, 'a> {
    model: &'m Model<'a>,
    outcome: &'m Outcome<'a>,
    ways: &'m Ways,
    screen: &'m Screen,
    clusters: warning::Clusters<'m, 'a>,
    words: RefCell<WordPool>,
    /// The figures of each run that a row was made of.
    figures: RefCell<FxHashMap<u32, Arc<[String]>>>,
}

impl<'a> Maker<'_, 'a> {
    /// The Applications without a Cluster, those together that lack one for the same reasons;
    /// each by itself where all are asked for.
    fn failed(&self, package: &PackagePlan<'a>) -> Vec<Vec<&Item<'a>>> {
        let items = self.outcome.items_of(package).iter();
        let failed = items.filter(|item| item.change == Change::Unplaceable);
        if self.screen.trace {
            return failed.map(|item| vec![item]).collect();
        }
        let mut parts: IndexMap<failure::Cause, Vec<&Item<'a>>> = IndexMap::new();
        for item in failed {
            let part = parts.entry(failure::cause(self.model, self.outcome, item));
            part.or_default().push(item);
        }
        parts.into_values().collect()
    }

    fn block(&self, package: &PackagePlan<'a>, failed: &[Vec<&Item<'a>>]) -> Block {
        let items = self.outcome.items_of(package);
        let mut block = Block {
            title: format!("Plan for Package {}", package.name),
            summary: summary(package),
            heads: Heads {
                subject: "Application",
                now: "Cluster",
                ..Heads::default()
            },
            warnings: self.warnings(items),
            ..Block::default()
        };
        if Counts::of(items).is_unchanged() {
            let applications = plural(package.items.len(), "Application");
            let line = format!("Package {}: {applications}, no changes.", package.name);
            block.still = Some(line);
            block.remarks.prose(self.screen, Tone::Plain, STILL, 0);
            return block;
        }
        let wide = is_wide(self.screen);
        if wide {
            let heads = COUNTED.map(|(_, head)| head);
            block.heads.figures = std::iter::once("All")
                .chain(heads)
                .map(str::to_owned)
                .collect();
            block.heads.above = "Clusters left after";
            let heads = COUNTED.map(|(filter, head)| format!("{head}: {}", filter.name()));
            block.heads.legend = heads.join(", ");
        }
        block.rows = items.iter().map(|item| self.row(item, wide)).collect();
        for alike in failed {
            let mut page = Page::new();
            failure::write(&mut page, self.model, self.outcome, alike, self.screen);
            for item in alike {
                let subject = item.full_name().to_string();
                placeable(&mut page, self.ways, System::Ogc, &subject, self.screen);
            }
            let kind = "Applications cannot be placed";
            block.failures.push(Note { kind, page });
        }
        block
    }

    fn row(&self, item: &Item<'a>, wide: bool) -> Row {
        let (model, run) = (self.model, self.outcome.run_of(item));
        let mark = match item.change {
            Change::Unchanged => Mark::Same,
            Change::Place => Mark::New,
            Change::Move => Mark::Changed,
            Change::Withdraw => Mark::Gone,
            Change::Unplaceable => Mark::Failed,
        };
        let because = match run {
            None if item.project.is_none() => "the Package is gone".to_owned(),
            None => "no longer in the Package".to_owned(),
            Some(run) => match run.failed() {
                Some((filter, _)) => format!("{} left no Cluster", filter.name()),
                None => describe::decision(model, item, run).unwrap_or_default(),
            },
        };
        // `lowest cost (5)`, `oldest of 3`: the figures differ from row to row.
        let figures = |c: char| c.is_ascii_digit() || "() ".contains(c);
        let kind = match run.and_then(|run| run.decision) {
            Some(_) => because
                .trim_end_matches(figures)
                .trim_end_matches(" of")
                .to_owned(),
            None => because.clone(),
        };
        let of_run = |run: &FilterRun<'_>| -> Arc<[String]> {
            let left = COUNTED.iter().map(|(filter, _)| run.left(*filter));
            let left = left.map(|left| left.map_or_else(String::new, |left| left.to_string()));
            std::iter::once(run.all.to_string()).chain(left).collect()
        };
        let figures = match (run, item.run) {
            (Some(run), Some(number)) if wide => {
                let mut known = self.figures.borrow_mut();
                Arc::clone(known.entry(number).or_insert_with(|| of_run(run)))
            }
            _ => Arc::default(),
        };
        let mut words = self.words.borrow_mut();
        let mut or_dash = |name: Option<&str>| words.of(name.unwrap_or("-"));
        let cluster = item.cluster.map(|at| model.clusters[at as usize].name);
        Row {
            mark,
            subject: item.application.to_owned(),
            within: or_dash(Some(item.package)),
            was: or_dash(item.was.as_ref().map(|was| was.cluster)),
            now: or_dash(cluster),
            figures,
            because: or_dash(Some(&because)),
            kind: or_dash(Some(&kind)),
        }
    }

    /// The warnings of a Package, of what does not change too.
    fn warnings(&self, items: &[Item<'a>]) -> Vec<Note> {
        let mut notes = Vec::new();
        for item in items {
            if item.split_node {
                let mut page = Page::new();
                warning::split_node(&mut page, &self.clusters, item, self.screen);
                let kind = "Applications find no Node with both their CPU and memory";
                notes.push(Note { kind, page });
            }
            if !item.out_of_bounds.is_empty() {
                let mut page = Page::new();
                warning::volumes(&mut page, &self.clusters, self.outcome, item, self.screen);
                let kind = "Applications leave volumes behind";
                notes.push(Note { kind, page });
            }
        }
        notes
    }

    /// The headline where one block stands for all Packages.
    fn together(&self) -> (String, String) {
        let packages = plural(self.outcome.packages.len(), "Package");
        let mut projects: Vec<&str> = self
            .outcome
            .packages
            .iter()
            .filter_map(|p| p.project)
            .collect();
        projects.sort_unstable();
        projects.dedup();
        let project = match projects.as_slice() {
            [one] => format!("Project {one}"),
            many => plural(many.len(), "Project"),
        };
        let applications = plural(self.outcome.items.len(), "Application");
        let clusters = plural(self.model.clusters.len(), "Cluster");
        (
            format!("Plan for {packages}"),
            format!(" ({project}): {applications}, {clusters}"),
        )
    }
}

fn summary(package: &PackagePlan<'_>) -> String {
    let project = match package.project {
        Some(project) => format!("Project {project}"),
        None => "gone".to_owned(),
    };
    let applications = plural(package.items.len(), "Application");
    let clusters = plural(package.clusters as usize, "Cluster");
    format!(" ({project}): {applications}, {clusters}")
}

/// The Applications that will be stopped; empty where nothing changes or nothing can be done.
#[must_use]
pub fn stops(outcome: &Outcome<'_>, screen: &Screen) -> Page {
    const NAMED: usize = 10;
    let mut page = Page::new();
    if outcome.is_unplaceable() {
        return page;
    }
    let mut stops = outcome.packages.iter().filter_map(|package| package.stops);
    for stop in stops.by_ref().take(NAMED) {
        let line = format!(
            "Deployment {} is {}; deploying this plan stops it.",
            stop.name,
            stop.phase.word()
        );
        page.prose(screen, Tone::Plain, &line, 0);
    }
    let more = stops.count();
    if more > 0 {
        page.line(format!(
            "Deploying it stops {} as well.",
            plural(more, "more Deployment")
        ));
    }
    page
}
