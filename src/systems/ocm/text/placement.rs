//! The placements of a plan: a block each, with every cluster that comes or goes.

use std::collections::BTreeMap;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use jiff::Timestamp;

use crate::diagnostic::Diagnostic;
use crate::document::System;
use crate::kit::plural::{listed, plural};
use crate::kit::time::format_seconds;
use crate::ocm::engine::groups::Group;
use crate::ocm::engine::place::{Placed, SATISFIED};
use crate::ocm::engine::resource::Resource;
use crate::ocm::engine::score::Prioritizer;
use crate::ocm::lost::loss;
use crate::ocm::model::{Binding, Model, Placement};
use crate::ocm::rules;
use crate::ocm::{EXPORT, Outcome};
use crate::page::layout::{
    Block, Heads, Mark, Note, Row, Together, WordPool, count, list, section,
};
use crate::page::{Page, Screen, Tone};
use crate::systems::shown::placeable;
use crate::why::Ways;

/// Clusters that stay and are listed; more of them are one row.
const KEPT: usize = 10;

/// The placements, by namespace and name.
#[must_use]
pub fn placements(
    model: &Model<'_>,
    outcome: &Outcome<'_>,
    now: Timestamp,
    ways: &Ways,
    screen: &Screen,
) -> Page {
    let maker = Maker {
        model,
        names: &outcome.placements.names,
        now,
        screen,
    };
    let placed = &outcome.placements.placed;
    let block = |placed: &Placed<'_>| {
        let mut block = maker.block(placed);
        let placement = &model.placements[placed.placement];
        let subject = placement.full_name().to_string();
        for failure in &mut block.failures {
            placeable(&mut failure.page, ways, System::Ocm, &subject, screen);
        }
        block
    };
    let blocks = placed.iter().map(block);
    let title = format!("Plan for {}", count(placed.len(), "Placement"));
    let summary = format!(": {}", count(model.clusters.len(), "Cluster"));
    let together = Together {
        title: &title,
        summary: &summary,
        noun: "Placement",
    };
    let mut page = section(blocks, together, screen);
    page.tells(&[&rules::UNSATISFIED]);
    page
}

/// The note about what is not planned because no document contains a cluster.
#[must_use]
pub fn without_hub(unplanned: &[(usize, &str)], screen: &Screen) -> Page {
    let mut page = Page::new();
    page.prose(screen, Tone::Plain, &not_planned(unplanned), 4);
    page.line("");
    page.line(format!("    {EXPORT}"));
    page.tells(&[&rules::NO_HUB]);
    page
}

/// Whether a finding says what is said of Placements that are not planned.
#[must_use]
pub fn is_no_hub(found: &Diagnostic) -> bool {
    found.rule.code == rules::NO_HUB.code
}

/// Why nothing that chooses from clusters is planned.
#[must_use]
pub fn not_planned(unplanned: &[(usize, &str)]) -> String {
    let each = |(number, noun): &(usize, &str)| plural(*number, noun);
    let unplanned: Vec<String> = unplanned.iter().map(each).collect();
    format!(
        "Not planned: these documents hold no ManagedCluster for {} to choose from. The clusters \
         are on the hub; export them and add --hub hub.yaml:",
        listed(&unplanned)
    )
}

/// One warning for each resource name whose scores are no longer valid.
#[must_use]
pub fn expired_scores(model: &Model<'_>, now: Timestamp, screen: &Screen) -> Page {
    let mut expired: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let over = |until: Timestamp| now > until;
    for score in model
        .scores
        .iter()
        .filter(|score| score.valid_until.is_some_and(over))
    {
        expired.entry(score.name).or_default().push(score.cluster);
    }
    let mut page = Page::new();
    for (name, mut clusters) in expired {
        clusters.sort_unstable();
        clusters.dedup();
        let verb = if clusters.len() == 1 { "has" } else { "have" };
        let text = format!(
            "Warning: the scores {name} of {} {verb} expired and count as 0: {}.",
            count(clusters.len(), "Cluster"),
            list(clusters.into_iter(), screen)
        );
        page.prose(screen, Tone::Change, &text, 4);
    }
    page.tells(&[&rules::EXPIRED_SCORE]);
    page
}

/// A row for Clusters that are counted.
fn several(mark: Mark, subject: String, within: &str, state: &str, because: &str) -> Row {
    Row {
        mark,
        subject,
        within: within.into(),
        was: state.into(),
        now: state.into(),
        figures: Arc::default(),
        because: because.into(),
        kind: because.into(),
    }
}

struct Maker<'m, 'a> {
    model: &'m Model<'a>,
    names: &'m [&'a str],
    now: Timestamp,
    screen: &'m Screen,
}

impl<'a> Maker<'_, 'a> {
    fn block(&self, placed: &Placed<'a>) -> Block {
        let placement = &self.model.placements[placed.placement];
        let name = placement.full_name().to_string();
        let chosen = chosen(placed);
        if let Some(skipped) = placed.skipped {
            return Block {
                still: Some(format!(
                    "Placement {name}: not scheduled ({}).",
                    skipped.word()
                )),
                ..Block::default()
            };
        }
        let is_settled = placed.is_satisfied() && placed.flips.is_none();
        let still = placed.is_unchanged() && is_settled && !self.screen.trace;
        let number = chosen.count_ones(..);
        let clusters = count(number, "Cluster");
        let mut block = Block {
            title: format!("Plan for Placement {name}"),
            summary: self.summary(placed, placement, number),
            still: still.then(|| format!("Placement {name}: {clusters}, no changes.")),
            heads: Heads {
                subject: "Cluster",
                now: "Decision",
                ..Heads::default()
            },
            ..Block::default()
        };
        self.rows(placed, &name, &chosen, &mut block);
        self.failures(placed, placement, &name, number, &mut block);
        self.warnings(placed, &name, &mut block);
        block
    }

    fn summary(&self, placed: &Placed<'a>, placement: &Placement<'a>, chosen: usize) -> String {
        let candidates = placed
            .filters
            .get(1)
            .map_or(0, |left| left.clusters.count());
        let mut text = format!(
            ": {}, {}",
            count(chosen, "Cluster"),
            count(candidates, "candidate")
        );
        if let Some(number) = placement.number_of_clusters {
            text.push_str(&format!(", {number} wanted"));
        }
        if placed.groups.len() > 1 {
            text.push_str(&format!(", {} groups", placed.groups.len()));
        }
        if !placed.was.is_empty() {
            text.push_str(&format!(", {} before", placed.was.len()));
        }
        text
    }

    /// The heads of the scores, which `--trace` shows.
    fn score_heads(placed: &Placed<'_>) -> Vec<String> {
        let head = |weight: i64, prioritizer| match weight {
            1 => short(prioritizer).to_owned(),
            weight => format!("{} x{weight}", short(prioritizer)),
        };
        let weighted = placed.prioritizers.iter();
        let mut heads: Vec<String> = weighted
            .map(|one| head(one.weight, one.prioritizer))
            .collect();
        heads.push("Total".to_owned());
        heads
    }

    fn rows(&self, placed: &Placed<'a>, name: &str, chosen: &FixedBitSet, block: &mut Block) {
        let trace = self.screen.trace;
        if trace {
            block.heads.figures = Self::score_heads(placed);
        }
        let was = clusters(&placed.was);
        let candidates = placed
            .filters
            .get(1)
            .map_or(0, |left| left.clusters.count());
        let groups = Groups::of(placed);
        let kept = chosen.intersection_count(&was);
        let limited = candidates > placed.selected.len();
        let mut words = WordPool::default();
        let mut row = |id: u32, mark, now: &str, because: String, kind: &str, figures| Row {
            mark,
            subject: self.names[id as usize].to_owned(),
            within: words.of(name),
            was: words.of(if was.contains(id as usize) {
                "selected"
            } else {
                "-"
            }),
            now: words.of(now),
            figures,
            because: because.into(),
            kind: words.of(kind),
        };
        for (scored, place) in placed.rows.iter().zip(1..) {
            let id = scored.cluster;
            let is = chosen.contains(id as usize);
            let had = was.contains(id as usize);
            if had && !is {
                continue;
            }
            let mark = if is && !had { Mark::New } else { Mark::Same };
            let hidden = if is { had && kept > KEPT } else { true };
            if hidden && !trace {
                continue;
            }
            let kind = match (is, limited) {
                (true, true) => "highest scores",
                (true, false) => "passes all filters",
                (false, _) => "not selected",
            };
            let because = match (is, limited) {
                (true, false) => kind.to_owned(),
                (true, true) if had => format!("place {place} of {candidates}"),
                (true, true) => format!("place {place} of {candidates} (scored {})", scored.total),
                (false, _) => format!("not selected: place {place} of {candidates}"),
            };
            let mut figures = Vec::new();
            if trace {
                let score = |score: &Option<i64>| score.map_or("-".to_owned(), |s| s.to_string());
                figures.extend(scored.scores.iter().map(score));
                figures.push(scored.total.to_string());
            }
            let now = groups.name(id).unwrap_or("-");
            let figures = Arc::from(figures);
            block.rows.push(row(id, mark, now, because, kind, figures));
        }
        if kept > KEPT && !trace {
            let subject = count(kept, "Cluster");
            let row = several(Mark::Same, subject, name, "selected", "as before");
            block.rows.push(row);
        }
        for id in placed
            .was
            .iter()
            .filter(|id| !chosen.contains(**id as usize))
        {
            let loss = loss(self.model, placed, *id, self.now);
            let (reason, step) = (loss.reason, loss.step);
            block
                .rows
                .push(row(*id, Mark::Gone, "-", reason, step, Arc::default()));
        }
        if placed.unscheduled > 0 {
            let subject = count(placed.unscheduled, "more Cluster");
            let row = several(Mark::Failed, subject, name, "-", "wanted and not found");
            block.rows.push(row);
        }
        self.decisions(placed, !chosen.is_clear(), block);
    }

    /// The changes of PlacementDecisions, unless the Clusters show them.
    fn decisions(&self, placed: &Placed<'a>, any: bool, block: &mut Block) {
        let same = block.rows.iter().all(|row| row.mark == Mark::Same);
        if same && !placed.is_unchanged() && any {
            let text = "  The same Clusters, in different PlacementDecisions than before.";
            block.below.prose(self.screen, Tone::Plain, text, 2);
        }
        if !placed.deleted.is_empty() {
            let deleted = list(placed.deleted.iter().map(String::as_str), self.screen);
            let text = format!("  PlacementDecisions deleted: {deleted}");
            block.below.prose(self.screen, Tone::Plain, &text, 4);
        }
    }

    fn failures(
        &self,
        placed: &Placed<'a>,
        placement: &Placement<'a>,
        name: &str,
        chosen: usize,
        block: &mut Block,
    ) {
        let mut lines = Vec::new();
        if let Some(fault) = &placed.fault {
            lines.push(format!("The hub writes no status: {fault}"));
        }
        if let Some(message) = placed.misconfigured() {
            lines.push(format!("Misconfigured: {message}"));
        }
        let unsatisfied =
            |c: &&crate::ocm::engine::place::Condition| c.kind == SATISFIED && !c.status;
        if let Some(condition) = placed.conditions.iter().find(unsatisfied) {
            lines.push(format!("{}: {}", condition.reason, condition.message));
            if placed.eligible.is_empty() && condition.reason != "NoManagedClusterMatched" {
                let set = placement.cluster_sets.first().map_or("SET", |set| set.text);
                let namespace = placement.namespace;
                // The namespace of documents that name none.
                let unnamed = |one: &Binding<'_>| one.name == set && one.namespace == "default";
                lines.push(if self.model.bindings.iter().any(unnamed) {
                    format!(
                        "The ManagedClusterSetBinding {set} is in the namespace default; write \
                         `namespace: {namespace}` in its metadata"
                    )
                } else {
                    format!(
                        "Add a ManagedClusterSetBinding named {set} to the namespace {namespace}"
                    )
                });
            }
        }
        if lines.is_empty() {
            return;
        }
        if chosen == 0 && !placed.was.is_empty() {
            let was = count(placed.was.len(), "Cluster");
            lines.push(format!("All {was} decided before are dropped"));
        }
        lines.extend(self.funnel(placed, placement));
        let mut page = Page::new();
        page.pieces(vec![
            (Tone::Failed, name.to_owned()),
            (Tone::Plain, " cannot be satisfied:".to_owned()),
        ]);
        for line in lines {
            page.prose(self.screen, Tone::Plain, &format!("    {line}"), 8);
        }
        let kind = "Placements cannot be satisfied";
        block.failures.push(Note { kind, page });
    }

    /// How many clusters each filter removed.
    fn funnel(&self, placed: &Placed<'a>, placement: &Placement<'a>) -> Vec<String> {
        let mut left = placed.available.count_ones(..);
        let sets = match placed.eligible.as_slice() {
            [] => return Vec::new(),
            some => list(some.iter().copied(), self.screen),
        };
        let mut lines = vec![format!(
            "{} in the eligible cluster sets ({sets})",
            count(left, "Cluster")
        )];
        let what = ["the predicates", "taints that are not tolerated"];
        for (filter, what) in placed.filters.iter().zip(what) {
            let now = filter.clusters.count();
            if now < left {
                lines.push(format!("{} removed by {what}", left - now));
            }
            left = now;
        }
        if let Some(wanted) = placement.number_of_clusters {
            lines.push(format!("{left} left, {wanted} wanted"));
        }
        lines
    }

    fn warnings(&self, placed: &Placed<'a>, name: &str, block: &mut Block) {
        if let Some(weight) = placed.flips {
            let text = format!(
                "Not stable: {name} takes other Clusters at every reconcile (Steady weighs \
                 {weight})."
            );
            let kind = "Placements are not stable";
            block
                .warnings
                .push(Note::sentence(kind, Tone::Failed, &text, self.screen));
        }
        if let Some(time) = placed.requeue {
            let time = format_seconds(time);
            let text =
                format!("Warning: a toleration of {name} expires at {time}; plan again then.");
            let kind = "Placements have a toleration that expires";
            block
                .warnings
                .push(Note::sentence(kind, Tone::Change, &text, self.screen));
        }
    }
}

/// The clusters that a placement decides for.
fn chosen(placed: &Placed<'_>) -> FixedBitSet {
    placed.decided().map(|id| id as usize).collect()
}

fn clusters(ids: &[u32]) -> FixedBitSet {
    ids.iter().map(|id| *id as usize).collect()
}

/// The state of each selected cluster: selected, or its decision group.
struct Groups {
    names: Vec<String>,
    /// Each cluster with the number of its group, where there are several.
    clusters: Vec<(u32, usize)>,
    only: FixedBitSet,
}

impl Groups {
    fn of(placed: &Placed<'_>) -> Self {
        let name = |(at, group): (usize, &Group<'_>)| match (placed.groups.len(), group.name) {
            (1, "") => "selected".to_owned(),
            (_, "") => format!("group {at}"),
            (_, name) => format!("group {at} {name}"),
        };
        let mut groups = Self {
            names: placed.groups.iter().enumerate().map(name).collect(),
            clusters: Vec::new(),
            only: FixedBitSet::new(),
        };
        match placed.groups.as_slice() {
            [group] => groups.only = clusters(&group.clusters),
            several => {
                for (at, group) in several.iter().enumerate() {
                    let of = group.clusters.iter().map(|id| (*id, at));
                    groups.clusters.extend(of);
                }
                groups.clusters.sort_unstable();
            }
        }
        groups
    }

    fn name(&self, id: u32) -> Option<&str> {
        let behind = self.clusters.partition_point(|(other, _)| *other <= id);
        let last = behind.checked_sub(1).map(|at| self.clusters[at]);
        let group = match last.filter(|(other, _)| *other == id) {
            Some((_, group)) => Some(group),
            None => self.only.contains(id as usize).then_some(0),
        };
        group.map(|at| self.names[at].as_str())
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
