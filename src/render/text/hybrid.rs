//! Placement rules as text: one small table a round, then the decision.

use std::collections::{BTreeMap, BTreeSet};

use crate::hybrid::engine::{Decision, Finding, Outcome, Round, RuleOutcome, State};
use crate::hybrid::model::{HUB, Model, ObjectId, PlacementRule, Role};
use crate::hybrid::why::{name_of, rating};
use crate::hybrid::{rules, subject};

use super::{Page, Screen, Tone, columns, wrap};
use crate::render::clean;

/// Rows of a table, and names in a list, beyond which the rest is counted.
const ROWS: usize = 12;
/// Rounds that are shown in full; of more, this many at each end.
const ROUNDS: usize = 10;
const ENDS: usize = 3;
/// The column of the advisors, and the least room it is given.
const ADVISORS: usize = 2;
const LEAST: usize = 16;

/// The section, empty where there is no rule.
#[must_use]
pub fn placement_rules(model: &Model<'_>, outcome: &Outcome, screen: &Screen) -> Page {
    let mut page = Page::new();
    let mut unchanged = 0;
    for (rule, ended) in model.rules.iter().zip(&outcome.rules) {
        let quiet = matches!(ended.state, State::Decided | State::HubDefault);
        if screen.changes_only && !ended.changed && quiet {
            unchanged += 1;
            continue;
        }
        page.gap();
        let sheet = Sheet {
            model,
            rule,
            ended,
            screen,
        };
        sheet.write(&mut page);
    }
    if unchanged > 0 {
        page.gap();
        let plural = if unchanged == 1 { "" } else { "s" };
        page.line(format!("{unchanged} placement rule{plural} unchanged."));
    }
    page
}

/// How a decision is called in text.
#[must_use]
pub fn decision_name(model: &Model<'_>, rule: &PlacementRule<'_>, decision: Decision) -> String {
    match decision {
        Decision::Object(id) => name_of(model, id),
        Decision::Hub => format!("{HUB}, the cluster of the hub itself"),
        Decision::Unknown(index) => format!("{} (gone)", rule.decisions[index].name),
    }
}

struct Sheet<'s, 'a> {
    model: &'s Model<'a>,
    rule: &'s PlacementRule<'a>,
    ended: &'s RuleOutcome,
    screen: &'s Screen,
}

impl Sheet<'_, '_> {
    fn write(&self, page: &mut Page) {
        self.headline(page);
        let (kept, trace) = (&self.ended.rounds, self.screen.trace);
        let cut = !trace && kept.len() > ROUNDS;
        let (head, tail) = if cut {
            (&kept[..ENDS], &kept[kept.len() - ENDS..])
        } else {
            (&kept[..], &kept[..0])
        };
        let mut before = 0;
        for round in head.iter().chain(tail) {
            let left_out = round.number - before - 1;
            before = round.number;
            if left_out > 0 {
                page.gap();
                let plural = if left_out == 1 { "" } else { "s" };
                let text = format!("  {left_out} more round{plural}; --trace shows all");
                page.toned(Tone::Dim, text);
            }
            self.round(page, round);
        }
        page.gap();
        self.decisions(page);
        for finding in &self.ended.findings {
            let mark = match finding {
                Finding::NotACandidate { .. } => "Warning",
                Finding::Ambiguous { .. } => "Error",
            };
            let text = format!("  {mark}: {}", rules::warning(self.rule, finding));
            page.prose(self.screen, Tone::Change, &text, 4);
        }
    }

    fn headline(&self, page: &mut Page) {
        let ended = self.ended;
        let count = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        };
        let began = ended.candidates.len() + ended.eliminators.len();
        let text = match ended.state {
            State::HubDefault => "no cluster, nothing asked for".to_owned(),
            State::NoCandidates => "no candidate".to_owned(),
            State::Decided => format!(
                "{} of {} in {}",
                ended.decisions.len(),
                count(began, "candidate"),
                count(ended.round_count, "round"),
            ),
            State::NoPlacement => format!("none of {} is left", count(began, "candidate")),
            State::Waiting => format!("waiting in round {}", ended.round_count),
        };
        let limit = match self.rule.replicas {
            Some(replicas) => format!("  replicas {replicas}"),
            None => String::new(),
        };
        page.pieces(vec![
            (
                Tone::Strong,
                format!("Placement rule {}", subject(self.rule)),
            ),
            (Tone::Plain, format!(": {text}")),
            (Tone::Dim, limit),
        ]);
    }

    fn round(&self, page: &mut Page, round: &Round) {
        page.gap();
        if !round.waiting_for.is_empty() {
            let names = round.waiting_for.iter();
            let names: Vec<&str> = names.map(|&at| self.rule.advisors[at].name).collect();
            let text = format!(
                "  Round {}: no answer from {}",
                round.number,
                names.join(", ")
            );
            page.prose(self.screen, Tone::Failed, &text, 4);
            return;
        }
        let head = ["", "Candidate", "Recommended by", "Rating", "Removed"];
        let head = match round.removed.is_empty() {
            true => ["", "Candidate", "Recommended by", "", ""],
            false => head,
        };
        let mut rows = vec![(Tone::Dim, head.map(str::to_owned))];
        // The removed ones first of all where not all rows are shown.
        let gone: BTreeSet<ObjectId> = round.removed.iter().copied().collect();
        let removed = |id: &ObjectId| gone.contains(id);
        let limit = if self.screen.trace { usize::MAX } else { ROWS };
        let mut shown: Vec<ObjectId> = round.candidates.clone();
        if shown.len() > limit {
            let all = || round.candidates.iter().copied();
            let first = all().filter(removed).take(limit);
            let chosen: BTreeSet<ObjectId> = first
                .chain(all().filter(|id| !removed(id)))
                .take(limit)
                .collect();
            shown.retain(|id| chosen.contains(id));
        }
        let index = Index::of(self.rule, round);
        rows.extend(shown.iter().map(|&id| self.row(round, &index, id)));
        page.toned(Tone::Dim, format!("  Round {}", round.number));
        table(page, &rows, self.screen);
        let left = round.candidates.len() - shown.len();
        if left > 0 {
            let plural = if left == 1 { "" } else { "s" };
            let text = format!("    {left} more candidate{plural}; --trace shows all");
            page.toned(Tone::Dim, text);
        }
    }

    fn row(&self, round: &Round, index: &Index, id: ObjectId) -> (Tone, [String; 5]) {
        let votes = index.votes.get(&id).map_or(&[][..], Vec::as_slice);
        let rated = index.ratings.get(&id);
        let (tone, mark, why) = if index.removed.contains(&id) {
            (Tone::Bad, "-", self.why_removed(round, id))
        } else if round.removed.is_empty() && round.recommended.contains(&id) {
            (Tone::Good, "*", String::new())
        } else {
            (Tone::Plain, " ", String::new())
        };
        let cells = [
            mark.to_owned(),
            name_of(self.model, id),
            match votes.is_empty() {
                true => "·".to_owned(),
                false => votes.join(", "),
            },
            rated.map_or_else(String::new, |hundredths| rating(*hundredths)),
            why,
        ];
        (tone, cells)
    }

    fn why_removed(&self, round: &Round, id: ObjectId) -> String {
        if !round.vetoed.contains(&id) {
            return "lowest rating".to_owned();
        }
        let silent = round.recommendations.iter().filter(|(advisor, list)| {
            let name = self.rule.advisors[*advisor].name;
            let mut same = self.rule.advisors.iter().filter(|a| a.name == name);
            let vetoes = same.any(|advisor| advisor.role == Role::Predicate);
            vetoes && !list.iter().any(|vote| vote.0 == id)
        });
        let names: Vec<&str> = silent
            .map(|(advisor, _)| self.rule.advisors[*advisor].name)
            .collect();
        format!("vetoed by {}", names.join(", "))
    }

    fn decisions(&self, page: &mut Page) {
        let ended = self.ended;
        let call = |decision: &Decision| decision_name(self.model, self.rule, *decision);
        let before: BTreeSet<Decision> = ended.previous.iter().copied().collect();
        let after: BTreeSet<Decision> = ended.decisions.iter().copied().collect();
        let mut lines: Vec<(Tone, String)> = Vec::new();
        for decision in &ended.decisions {
            lines.push(match before.contains(decision) {
                true => (Tone::Plain, format!("= {}", call(decision))),
                false => (Tone::Good, format!("+ {}", call(decision))),
            });
        }
        let gone = ended.previous.iter();
        for decision in gone.filter(|decision| !after.contains(decision)) {
            lines.push((Tone::Bad, format!("- {}", call(decision))));
        }
        let text = match ended.state {
            State::Waiting => "  Waiting: the decisions stay as they are.",
            State::NoPlacement => "  No decision: nothing recommended is left.",
            State::NoCandidates => "  No decision: there is no candidate.",
            State::HubDefault => "  Decision: the hub.",
            State::Decided if ended.changed => "  Decisions:",
            State::Decided => "  Decisions, unchanged:",
        };
        let failed = matches!(ended.state, State::NoPlacement | State::NoCandidates);
        let tone = if failed { Tone::Failed } else { Tone::Plain };
        page.toned(tone, text);
        let limit = if self.screen.trace { usize::MAX } else { ROWS };
        let left = lines.len().saturating_sub(limit);
        for (tone, line) in lines.into_iter().take(limit) {
            page.toned(tone, format!("  {line}"));
        }
        if left > 0 {
            page.toned(Tone::Dim, format!("    {left} more; --trace shows all"));
        }
    }
}

/// What a round says of each candidate.
struct Index {
    votes: BTreeMap<ObjectId, Vec<String>>,
    ratings: BTreeMap<ObjectId, i64>,
    removed: BTreeSet<ObjectId>,
}

impl Index {
    fn of(rule: &PlacementRule<'_>, round: &Round) -> Self {
        let mut votes: BTreeMap<ObjectId, Vec<String>> = BTreeMap::new();
        for (advisor, list) in &round.recommendations {
            let name = rule.advisors[*advisor].name;
            for (id, score) in list {
                votes.entry(*id).or_default().push(match score {
                    Some(score) => format!("{name} {score}"),
                    None => name.to_owned(),
                });
            }
        }
        Self {
            votes,
            ratings: round.ratings.iter().copied().collect(),
            removed: round.removed.iter().copied().collect(),
        }
    }
}

/// Texts to the left, ratings to the right; where a line would be too long, the advisors go on
/// under themselves.
fn table(page: &mut Page, rows: &[(Tone, [String; 5])], screen: &Screen) {
    let width = |column: usize| rows.iter().map(move |(_, cells)| columns(&cells[column]));
    let mut widths: Vec<usize> = (0..5)
        .map(|column| width(column).max().unwrap_or(0))
        .collect();
    let others = 9 + widths.iter().sum::<usize>() - widths[ADVISORS];
    if let Some(room) = screen.width.map(|width| width.saturating_sub(others)) {
        widths[ADVISORS] = widths[ADVISORS].min(room.max(LEAST));
    }
    for (tone, cells) in rows {
        let advisors = wrap(&clean(&cells[ADVISORS]), Some(widths[ADVISORS]), 0);
        for (at, part) in advisors.iter().enumerate() {
            let mut line = String::from("  ");
            for (column, cell) in cells.iter().enumerate() {
                let cell = match (column, at) {
                    (ADVISORS, _) => part,
                    (_, 0) => cell,
                    _ => "",
                };
                let pad = " ".repeat(widths[column].saturating_sub(columns(cell)));
                match column {
                    0 => line.push_str(&format!("{cell}{pad}")),
                    1 => line.push_str(&format!(" {cell}{pad}")),
                    3 => line.push_str(&format!("  {pad}{cell}")),
                    _ => line.push_str(&format!("  {cell}{pad}")),
                }
            }
            page.toned(*tone, line);
        }
    }
}
