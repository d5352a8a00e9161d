//! Placement rules as text: the decisions, then the round that decided.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::document::System;
use crate::hybrid;
use crate::hybrid::engine::{Decision, Finding, Outcome, Round, RuleOutcome, State};
use crate::hybrid::model::{HUB, Model, ObjectId, PlacementRule, Role};
use crate::hybrid::rules;
use crate::hybrid::subject;
use crate::hybrid::why::{name_of, rating};

use crate::page::layout::{Block, Grid, Heads, Mark, Note, Row, Together, count, section};
use crate::page::{Page, Screen, Tone};
use crate::systems::shown::placeable;
use crate::why::Ways;

/// Rows of a round beyond which the rest is counted.
const ROWS: usize = 12;
/// Candidates that were not chosen and are named with the reason.
const NAMED: usize = 5;

/// The section, empty where there is no rule.
#[must_use]
pub fn placement_rules(model: &Model<'_>, outcome: &Outcome, ways: &Ways, screen: &Screen) -> Page {
    let rules = model.placement_rules.iter().zip(&outcome.ended);
    let blocks: Vec<Block> = rules
        .map(|(rule, ended)| {
            let sheet = Sheet {
                model,
                rule,
                ended,
                screen,
            };
            let mut block = sheet.block();
            for failure in &mut block.failures {
                let page = &mut failure.page;
                placeable(page, ways, System::Hybrid, &subject(rule), screen);
            }
            block
        })
        .collect();
    let title = format!("Plan for {}", count(blocks.len(), "PlacementRule"));
    let objects = model.inventory.objects().len();
    let summary = format!(": {}", count(objects, "object"));
    let together = Together {
        title: &title,
        summary: &summary,
        noun: "PlacementRule",
    };
    let mut page = section(blocks, together, screen);
    page.tells(&[
        &rules::AMBIGUOUS_RECOMMENDATION,
        &rules::NOT_A_CANDIDATE,
        &rules::UNPLACEABLE,
    ]);
    page
}

/// How a decision is called in text.
#[must_use]
pub fn decision_name(model: &Model<'_>, rule: &PlacementRule<'_>, decision: Decision) -> String {
    match decision {
        Decision::Object(id) => name_of(model, id),
        Decision::Hub => format!("{HUB}, the cluster of the hub itself"),
        Decision::Unknown(index) => rule.decisions[index].name.to_owned(),
    }
}

struct Sheet<'s, 'a> {
    model: &'s Model<'a>,
    rule: &'s PlacementRule<'a>,
    ended: &'s RuleOutcome,
    screen: &'s Screen,
}

impl Sheet<'_, '_> {
    fn block(&self) -> Block {
        let (ended, name) = (self.ended, subject(self.rule));
        let quiet = !ended.changed && !ended.state.is_unplaced() && !self.screen.trace;
        let decisions = count(ended.decisions.len(), "decision");
        let mut block = Block {
            title: format!("Plan for PlacementRule {name}"),
            summary: self.summary(),
            heads: Heads {
                subject: "Candidate",
                now: "Decision",
                ..Heads::default()
            },
            rows: self.rows(&name),
            warnings: self.warnings(&name),
            ..Block::default()
        };
        if quiet {
            block.still = Some(format!("PlacementRule {name}: {decisions}, no changes."));
        }
        self.failure(&name, &mut block);
        self.not_chosen(&mut block.below);
        self.rounds(&mut block.below);
        block
    }

    fn summary(&self) -> String {
        let ended = self.ended;
        let began = ended.candidates.len() + ended.eliminators.len();
        let rounds = match ended.round_count {
            0 => String::new(),
            rounds if ended.state == State::Waiting => format!(", waiting in round {rounds}"),
            rounds => format!(", {}", count(rounds, "round")),
        };
        let wanted = match self.rule.replicas {
            Some(replicas) => format!(", at most {replicas} wanted"),
            None => String::new(),
        };
        let decided = count(ended.decisions.len(), "decision");
        let candidates = count(began, "candidate");
        format!(": {decided}, {candidates}{wanted}{rounds}")
    }

    fn rows(&self, name: &str) -> Vec<Row> {
        let ended = self.ended;
        let before: BTreeSet<Decision> = ended.previous.iter().copied().collect();
        let after: BTreeSet<Decision> = ended.decisions.iter().copied().collect();
        let row = |decision: Decision, mark, (because, kind): (String, &str)| Row {
            mark,
            subject: decision_name(self.model, self.rule, decision),
            within: name.into(),
            was: if mark == Mark::New { "-" } else { "chosen" }.into(),
            now: if mark == Mark::Gone { "-" } else { "chosen" }.into(),
            figures: Arc::default(),
            because: because.into(),
            kind: kind.into(),
        };
        let mut rows: Vec<Row> = Vec::new();
        for decision in &ended.decisions {
            let mark = if before.contains(decision) {
                Mark::Same
            } else {
                Mark::New
            };
            rows.push(row(*decision, mark, self.why_chosen(*decision)));
        }
        for decision in ended.previous.iter().filter(|one| !after.contains(one)) {
            rows.push(row(*decision, Mark::Gone, self.why_gone(*decision)));
        }
        rows
    }

    fn why_chosen(&self, decision: Decision) -> (String, &'static str) {
        let ended = self.ended;
        let Decision::Object(id) = decision else {
            let text = match decision {
                Decision::Hub => "no requirements: falls back to the hub cluster",
                _ => "stays as it is",
            };
            return (text.to_owned(), text);
        };
        match ended.state {
            State::Waiting => (
                "stays while the rule waits for an advisor".to_owned(),
                "waiting",
            ),
            State::HubDefault => ("no requirements".to_owned(), "no requirements"),
            _ => {
                let rated = ended.rounds.iter().rev();
                let found =
                    |round: &Round| round.ratings.iter().find(|rated| rated.0 == id).copied();
                let last = rated.clone().next();
                let votes = last.map_or(0, |round| {
                    let votes = round.recommendations.iter();
                    votes
                        .filter(|(_, list)| list.iter().any(|vote| vote.0 == id))
                        .count()
                });
                let advisors = match votes {
                    0 => "no advisor vetoes it".to_owned(),
                    1 => "1 advisor recommends it".to_owned(),
                    many => format!("{many} advisors recommend it"),
                };
                match rated
                    .filter_map(|round| Some((round.number, found(round)?.1)))
                    .next()
                {
                    Some((round, figure)) => (
                        format!("{advisors}, rated {} in round {round}", rating(figure)),
                        "recommended by advisors",
                    ),
                    None => (advisors, "recommended by advisors"),
                }
            }
        }
    }

    fn why_gone(&self, decision: Decision) -> (String, &'static str) {
        let Decision::Object(id) = decision else {
            let text = "the object no longer exists";
            return (text.to_owned(), text);
        };
        let mut rounds = self.ended.rounds.iter();
        if let Some(round) = rounds.find(|round| round.removed.contains(&id)) {
            return self.why_removed(round, id);
        }
        let text = match self.ended.state {
            _ if self.ended.eliminators.contains(&id) => "removed in an earlier round",
            _ if !self.ended.candidates.contains(&id) => "no longer a candidate",
            _ => "no advisor recommends it",
        };
        (text.to_owned(), text)
    }

    fn why_removed(&self, round: &Round, id: ObjectId) -> (String, &'static str) {
        if !round.vetoed.contains(&id) {
            let rated = round.ratings.iter().find(|rated| rated.0 == id);
            let figure = rated.map_or(String::new(), |(_, figure)| {
                format!(" ({})", rating(*figure))
            });
            let text = format!("lowest rating{figure} in round {}", round.number);
            return (text, "lowest rating");
        }
        let silent = round.recommendations.iter().filter(|(advisor, list)| {
            let name = self.rule.advisors[*advisor].name;
            let mut same = self.rule.advisors.iter().filter(|a| a.name == name);
            let vetoes = same.any(|advisor| advisor.role == Role::Predicate);
            vetoes && !list.iter().any(|vote| vote.0 == id)
        });
        let names: Vec<String> = silent
            .map(|(advisor, _)| format!("`{}`", self.rule.advisors[*advisor].name))
            .collect();
        let advisors = if names.len() == 1 {
            "advisor"
        } else {
            "advisors"
        };
        let (names, number) = (names.join(" and "), round.number);
        let text = format!("vetoed by {advisors} {names} in round {number}");
        (text, "vetoed by an advisor")
    }

    /// Candidates that were removed and never were a decision.
    fn not_chosen(&self, page: &mut Page) {
        let before: BTreeSet<Decision> = self.ended.previous.iter().copied().collect();
        let out: Vec<ObjectId> = self
            .ended
            .eliminators
            .iter()
            .copied()
            .filter(|id| !before.contains(&Decision::Object(*id)))
            .collect();
        if out.is_empty() {
            return;
        }
        let named: Vec<String> = out
            .iter()
            .take(NAMED)
            .map(|id| {
                let name = name_of(self.model, *id);
                format!("{name}, {}", self.why_gone(Decision::Object(*id)).0)
            })
            .collect();
        let more = match out.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let text = format!("  Not chosen: {}{more}.", named.join("; "));
        page.prose(self.screen, Tone::Plain, &text, 4);
    }

    /// The round that decided; all that were kept with `--trace`.
    fn rounds(&self, page: &mut Page) {
        let rounds = &self.ended.rounds;
        if self.rule.advisors.is_empty() {
            return;
        }
        let from = if self.screen.trace {
            0
        } else {
            rounds.len().saturating_sub(1)
        };
        for round in rounds[from..]
            .iter()
            .filter(|round| round.waiting_for.is_empty())
        {
            self.round(page, round);
        }
    }

    fn round(&self, page: &mut Page, round: &Round) {
        page.line("");
        let last = round.number == self.ended.round_count && self.ended.state == State::Decided;
        let decided = if last { ", which decided" } else { "" };
        let text = format!(
            "  Round {}{decided}: the advisors' recommendations",
            round.number
        );
        page.prose(self.screen, Tone::Dim, &text, 2);
        let votes = self.votes(round);
        let ratings: BTreeMap<ObjectId, i64> = round.ratings.iter().copied().collect();
        let limit = if self.screen.trace { usize::MAX } else { ROWS };
        let removed: BTreeSet<ObjectId> = round.removed.iter().copied().collect();
        // The removed ones first of all where not all rows are shown.
        let mut shown = round.candidates.clone();
        if shown.len() > limit {
            shown.sort_by_key(|id| !removed.contains(id));
            shown.truncate(limit);
        }
        let row = |id: &ObjectId| {
            let rated = ratings
                .get(id)
                .map_or(String::new(), |figure| rating(*figure));
            let mut cells = vec![
                if removed.contains(id) { "-" } else { "" }.to_owned(),
                name_of(self.model, *id),
                rated,
                votes
                    .get(id)
                    .map_or("-".to_owned(), |votes| votes.join(", ")),
            ];
            if ratings.is_empty() {
                cells.remove(2);
            }
            cells
        };
        let mut heads = ["", "Candidate", "Rating", "Recommended by advisors (score)"]
            .map(str::to_owned)
            .to_vec();
        if ratings.is_empty() {
            heads.remove(2);
        }
        let grid = Grid {
            right: if ratings.is_empty() { 0..0 } else { 2..3 },
            heads,
            rows: shown.iter().map(row).collect(),
            indent: 2,
            ..Grid::default()
        };
        grid.write(page, self.screen);
        let left = round.candidates.len() - shown.len();
        if left > 0 {
            let text = format!("    {}; --trace shows all", count(left, "more candidate"));
            page.toned(Tone::Dim, text);
        }
    }

    /// The advisors that recommend each candidate, with their scores.
    fn votes(&self, round: &Round) -> BTreeMap<ObjectId, Vec<String>> {
        let mut votes: BTreeMap<ObjectId, Vec<String>> = BTreeMap::new();
        for (advisor, list) in &round.recommendations {
            let name = self.rule.advisors[*advisor].name;
            for (id, score) in list {
                votes.entry(*id).or_default().push(match score {
                    Some(score) => format!("{name} ({score})"),
                    None => name.to_owned(),
                });
            }
        }
        votes
    }

    fn failure(&self, name: &str, block: &mut Block) {
        let Some(reason) = hybrid::failure(self.rule, self.ended) else {
            return;
        };
        let mut page = Page::new();
        page.pieces(vec![
            (Tone::Failed, name.to_owned()),
            (Tone::Plain, " cannot be decided:".to_owned()),
        ]);
        page.prose(self.screen, Tone::Plain, &format!("    {reason}"), 8);
        let kind = "PlacementRules cannot be decided";
        block.failures.push(Note { kind, page });
    }

    fn warnings(&self, name: &str) -> Vec<Note> {
        let note = |finding: &Finding| {
            let (advisor, text) = match finding {
                Finding::NotACandidate { advisor, name, .. } => (
                    advisor,
                    format!("recommends {name}, which is not a candidate"),
                ),
                Finding::Ambiguous { advisor, name, .. } => (
                    advisor,
                    format!("recommends {name}, which matches several candidates"),
                ),
            };
            let advisor = self.rule.advisors[*advisor].name;
            let text = format!("Warning: advisor `{advisor}` of {name} {text}.");
            let kind = "recommendations do not count";
            Note::sentence(kind, Tone::Change, &text, self.screen)
        };
        self.ended.findings.iter().map(note).collect()
    }
}
