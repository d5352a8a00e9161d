//! The reasons for a subject as text.

use std::cmp::Reverse;

use indexmap::IndexMap;

use crate::changes::PLANS;
use crate::kit::plural::plural;
use crate::source::Sources;
use crate::why::{Bound, Candidate, Change, RunnerUp, Verdict, Why, value_text};
use crate::yaml::Op;

use super::funnel::{cut_off, funnel};
use super::{Page, Screen, Tone, columns};
use crate::page::layout::{Grid, Mark, list};

/// Lines on how the answer came about that are shown; of more, the first and the last half.
const STEPS: usize = 20;

/// Candidates up to which every one is shown in full.
const SHOWN: usize = 20;
/// With more, how many are listed on each side of the cut-off.
const AROUND: usize = 5;

/// The page: how the answer came about, then every candidate with every stage's word; of many
/// candidates the cut-off and those around it.
#[must_use]
pub fn why(why: &Why, sources: &Sources, screen: &Screen) -> Page {
    let mut page = Page::new();
    let reason = why.decided_by.as_ref().map(|decided| &decided.reason);
    let ending = match (&why.to, reason) {
        (Some(to), Some(reason)) => format!(": {to}, {reason}"),
        (Some(text), None) | (None, Some(text)) => format!(": {text}"),
        (None, None) => String::new(),
    };
    let title = format!("{}{ending}", why.subject);
    page.prose(screen, Tone::Strong, &title, 4);
    let mut shown: Vec<&Candidate> = why.candidates.iter().collect();
    if let Some(funnel) = &why.funnel {
        cut_off(&mut page, funnel, screen);
        shown.clear();
    } else if shown.len() > SHOWN {
        let edge = Edge::of(&why.candidates);
        page.gap();
        edge.write(&mut page, screen);
        shown = edge.nearest().collect();
    }
    if !why.steps.is_empty() {
        page.gap();
        let (first, last) = match why.steps.len() {
            ..=STEPS => (why.steps.as_slice(), &[][..]),
            count => (&why.steps[..STEPS / 2], &why.steps[count - STEPS / 2..]),
        };
        for step in first {
            page.prose(screen, Tone::Plain, step, 4);
        }
        if !last.is_empty() {
            let more = why.steps.len() - STEPS;
            page.line(format!("… {more} more steps; -o json has all of them"));
        }
        for step in last {
            page.prose(screen, Tone::Plain, step, 4);
        }
    }
    for one in &shown {
        candidate(&mut page, one, sources, screen);
    }
    let left = why.candidates.len() - shown.len();
    if let Some(of) = &why.funnel {
        funnel(&mut page, of, sources, screen);
    } else if left > 0 {
        page.gap();
        page.line(format!(
            "… and {left} more; name one to see it, or use -o json"
        ));
    }
    changes(&mut page, why, screen);
    page
}

/// The candidates on both sides of the cut-off.
struct Edge<'w> {
    /// The chosen candidates, the best first.
    chosen: Vec<&'w Candidate>,
    /// The others, the nearest first.
    others: Vec<&'w Candidate>,
}

impl<'w> Edge<'w> {
    fn of(candidates: &'w [Candidate]) -> Self {
        let place = |one: &&Candidate| {
            let ranking = one.ranking.as_ref();
            ranking.map_or(usize::MAX, |ranking| ranking.place)
        };
        let passed = |one: &&Candidate| one.verdicts.iter().take_while(|it| it.passes).count();
        let (mut chosen, mut others): (Vec<_>, Vec<_>) =
            candidates.iter().partition(|one| one.chosen);
        chosen.sort_by_key(place);
        // Without places those that came furthest are the nearest.
        others.sort_by_key(|one| (place(one), Reverse(passed(one))));
        Self { chosen, others }
    }

    /// The last one chosen and the first of the others.
    fn nearest(&self) -> impl Iterator<Item = &'w Candidate> {
        let last = self.chosen.last().into_iter();
        last.chain(self.others.first()).copied()
    }

    fn write(&self, page: &mut Page, screen: &Screen) {
        page.prose(screen, Tone::Plain, &self.scores(), 4);
        let mut stages: IndexMap<&str, usize> = IndexMap::new();
        let removed = self.others.iter();
        for stage in removed.filter_map(|one| one.removed_by.as_deref()) {
            *stages.entry(stage).or_default() += 1;
        }
        let parts = stages.iter();
        let parts: Vec<String> = parts
            .map(|(stage, number)| format!("{number} by {stage}"))
            .collect();
        if !parts.is_empty() {
            let all = list(parts.iter().map(String::as_str), screen);
            page.prose(screen, Tone::Plain, &format!("Not chosen: {all}."), 4);
        }
        page.gap();
        self.grid().write(page, screen);
    }

    /// How many are chosen, what the last of them scored, and what the next one did.
    fn scores(&self) -> String {
        let all = self.chosen.len() + self.others.len();
        let lead = format!("{} of {all} chosen.", self.chosen.len());
        let score = |one: &&'w Candidate| Some(&one.ranking.as_ref()?.score);
        let Some(last) = self.chosen.last().and_then(score) else {
            return lead;
        };
        let next = self.others.first();
        match next.and_then(|one| Some((&one.name, score(one)?))) {
            Some((name, next)) => format!("{lead} The last chosen scored {last}; {name} {next}."),
            None => format!("{lead} The last chosen scored {last}; no other is ranked."),
        }
    }

    /// The candidates around the cut-off; without the scores where nothing is ranked.
    fn grid(&self) -> Grid {
        let best = self.chosen.len().saturating_sub(AROUND);
        let above = self.chosen[best..].iter();
        let shown = above.chain(self.others.iter().take(AROUND));
        let ranked = shown.clone().any(|one| one.ranking.is_some());
        let heads = ["", "Candidate", "Score", "Decided by"].map(str::to_owned);
        let mut rows: Vec<Vec<String>> = vec![heads.to_vec()];
        rows.extend(shown.map(|one| row(one)));
        if !ranked {
            for row in &mut rows {
                row.remove(2);
            }
        }
        Grid {
            heads: rows.remove(0),
            rows,
            right: if ranked { 2..3 } else { 0..0 },
            ..Grid::default()
        }
    }
}

/// A candidate as a row: what it scored, and the stage that removed it or was the last to pass.
fn row(one: &Candidate) -> Vec<String> {
    let mark = if one.chosen { Mark::New } else { Mark::Gone };
    let decided = one.verdicts.iter().find(|verdict| match &one.removed_by {
        Some(stage) => verdict.stage == *stage && !verdict.passes,
        None => false,
    });
    let decided = decided.or(one.verdicts.last());
    let said = |verdict: &Verdict| format!("{}: {}", verdict.stage, verdict.reason);
    let score = one.ranking.as_ref().map_or("-", |ranking| &ranking.score);
    let cells = [
        mark.sign(),
        &one.name,
        score,
        &decided.map(said).unwrap_or_default(),
    ];
    cells.map(str::to_owned).to_vec()
}

fn candidate(page: &mut Page, candidate: &Candidate, sources: &Sources, screen: &Screen) {
    page.gap();
    let (mark, tone) = if candidate.chosen {
        ("chosen", Tone::Good)
    } else {
        ("not chosen", Tone::Dim)
    };
    page.pieces(vec![
        (Tone::Strong, candidate.name.clone()),
        (tone, format!("  {mark}")),
    ]);
    for verdict in &candidate.verdicts {
        let (sign, tone) = if verdict.passes {
            ("+", Tone::Plain)
        } else {
            ("-", Tone::Bad)
        };
        let numbers = match (&verdict.asked, &verdict.found) {
            // Many reasons name both already.
            (Some(asked), Some(found))
                if !(verdict.reason.contains(asked) && verdict.reason.contains(found)) =>
            {
                format!(" (required {asked}, found {found})")
            }
            _ => String::new(),
        };
        let line = format!("  {sign} {}: {}{numbers}", verdict.stage, verdict.reason);
        page.prose(screen, tone, &line, 6);
        for label in &verdict.at {
            let words = if label.text.is_empty() { "" } else { "  " };
            let place = sources.describe(label.place);
            let line = format!("      {place}{words}{}", label.text);
            if screen.width.is_none_or(|width| columns(&line) <= width) {
                page.toned(Tone::Dim, line);
            } else {
                page.prose(screen, Tone::Dim, &line, 10);
            }
        }
    }
}

/// Says that no set of up to `most` changes gets the candidate chosen.
fn nothing_helps(name: &str, most: usize, offered: usize) -> String {
    let sets = match most {
        1 => "No single change".to_owned(),
        most => format!("No set of up to {most} changes"),
    };
    let tried = match offered {
        1 => "the one edit that planner knows does not help".to_owned(),
        offered => format!("none of the {offered} edits that planner knows"),
    };
    format!("{sets} selects {name} ({tried}). It needs:")
}

/// The changes that would select each candidate, where they are known.
fn changes(page: &mut Page, why: &Why, screen: &Screen) {
    let known = why.candidates.iter();
    for (candidate, found) in known.filter_map(|one| Some((one, one.changes.as_ref()?))) {
        page.gap();
        let name = &candidate.name;
        if found.sets.is_empty() {
            let text = match found.none_up_to {
                Some(most) => nothing_helps(name, most, found.offered),
                None if found.plans == 0 && !found.stopped => {
                    format!("planner knows no edit that selects {name}. It needs:")
                }
                None if found.plans < PLANS => format!(
                    "The search for changes stopped after {}: the rest would take too long.",
                    plural(found.plans, "plan")
                ),
                None => format!(
                    "The search for changes stopped after {}.",
                    plural(found.plans, "plan")
                ),
            };
            page.prose(screen, Tone::Strong, &text, 4);
            for needed in &found.obstacles {
                let line = format!("    {}: {}", needed.stage, needed.needs);
                page.prose(screen, Tone::Plain, &line, 8);
            }
            continue;
        }
        let plans = plural(found.plans, "plan");
        let title = format!("Each of these edits selects {name} (verified, {plans}):");
        page.prose(screen, Tone::Strong, &title, 4);
        let mut side = None;
        let mut also = found.also_moves.iter();
        for set in &found.sets {
            let also = also.next().map(|others| moves(*others)).unwrap_or_default();
            let own = whose(set);
            if side != Some(own) {
                page.toned(Tone::Dim, format!("    {own}"));
                side = Some(own);
            }
            for (change, at) in set.iter().zip(0..) {
                let sign = if at == 0 { "-" } else { " " };
                let also = if at + 1 == set.len() { &*also } else { "" };
                let line = format!("    {sign} {change}{also}");
                page.prose(screen, Tone::Plain, &line, 8);
                page.toned(
                    Tone::Dim,
                    format!("        {}:{}", change.path, change.line),
                );
            }
        }
    }
}

/// How many other subjects move with a set of changes.
fn moves(others: usize) -> String {
    match others {
        0 => "; moves nothing else".to_owned(),
        others => format!("; also moves {others}"),
    }
}

/// The candidate that came next, and what separates it, as a last line.
pub fn runner_up(page: &mut Page, next: &RunnerUp, screen: &Screen) {
    let name = &next.candidate;
    let wishes = next.changes.iter().map(|change| wish(change, next));
    let wishes: Vec<String> = wishes.collect();
    let text = match wishes.as_slice() {
        [] => format!("The runner-up is {name}; planner knows no change that selects it."),
        wishes => format!("{name} would be chosen if {}.", wishes.join(" and ")),
    };
    page.gap();
    page.prose(screen, Tone::Plain, &text, 4);
}

/// A change as what would have to be so: `its cost were 3 or less (it is 7)`.
fn wish(change: &Change, next: &RunnerUp) -> String {
    let own = change.of_candidate && last(&change.name) == last(&next.candidate);
    let leaf = last(&change.pointer).replace("~1", "/").replace("~0", "~");
    let path = match change.pointer.strip_prefix("/metadata/labels/") {
        Some(_) => &leaf,
        None => &change.field,
    };
    // A field of the candidate in a document of another name is called by its last word.
    let is_word = leaf.starts_with(|c: char| c.is_ascii_alphabetic());
    let of = || match own {
        true => format!("its {path}"),
        false if change.of_candidate && is_word => format!("its {leaf}"),
        false => format!("{path} of {}", change.object()),
    };
    let before = change.before.as_ref().map(value_text);
    let after = change.op.value().map(value_text).unwrap_or_default();
    let beyond = match next.bound {
        Some(Bound::OrMore) => " or more",
        Some(Bound::OrLess) => " or less",
        None => "",
    };
    match (&change.op, before) {
        (Op::Set(_), Some(before)) => {
            format!("{} were {after}{beyond} (it is {before})", of())
        }
        (Op::Set(_), None) => format!("{} were {after}", of()),
        (Op::Insert(_), _) => format!("{} had {after}", of()),
        (Op::Remove, Some(before)) => format!("{} were gone ({before})", of()),
        (Op::Remove, None) => format!("{} were gone", of()),
    }
}

fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn whose(set: &[Change]) -> &'static str {
    if set.iter().any(|change| change.observed) {
        return "if it were so";
    }
    let of_candidate = set.iter().filter(|change| change.of_candidate).count();
    match of_candidate {
        0 => "in the documents of the subject",
        all if all == set.len() => "in the documents of the candidate",
        _ => "in the documents of both",
    }
}
