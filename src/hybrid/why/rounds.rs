//! The rounds of a rule as one candidate saw them.

use super::super::engine::{Round, Same};
use super::super::model::{Model, ObjectId, PlacementRule, Role};
use super::name_of;
use crate::kit::plural::plural;
use crate::why::{Ranking, Verdict};

/// Explains how a rule's rounds went for a candidate.
#[derive(Clone, Copy)]
pub(super) struct Judge<'s, 'a> {
    pub(super) model: &'s Model<'a>,
    pub(super) rule: &'s PlacementRule<'a>,
}

/// The last round that a candidate took part in.
pub(super) struct Fate<'s> {
    /// The round's number.
    pub(super) number: usize,
    /// Whether it removed the candidate.
    pub(super) removed: bool,
    /// The answer of each advisor about it.
    pub(super) advice: Vec<Verdict>,
    /// Whether it got through.
    pub(super) survival: Verdict,
    /// Its place by the rating that removed it.
    pub(super) ranking: Option<Ranking>,
    /// The predicates that did not recommend it.
    pub(super) vetoing: Vec<&'s str>,
}

impl<'s> Judge<'s, '_> {
    pub(super) fn fate(&self, id: ObjectId, round: &Round, removed: bool) -> Fate<'s> {
        let rated = removed && round.vetoed.is_empty();
        Fate {
            number: round.number,
            removed,
            advice: self.advice(id, round),
            survival: survival(id, removed.then_some(round)),
            ranking: rated.then(|| ranking(id, &round.ratings)).flatten(),
            vetoing: self.vetoing(id, round),
        }
    }

    pub(super) fn step(&self, round: &Round) -> String {
        let candidates = plural(round.candidates.len(), "candidate");
        let head = format!("round {}: {candidates}", round.number);
        let names = |ids: &[usize]| {
            let names = ids.iter().map(|&index| self.rule.advisors[index].name);
            names.collect::<Vec<_>>().join(", ")
        };
        if !round.waiting_for.is_empty() {
            return format!("{head}, no answer from {}", names(&round.waiting_for));
        }
        let recommended = round.recommended.len();
        let limit = self.limit(recommended);
        let Some(first) = round.removed.first() else {
            return format!("{head}, {recommended} recommended, {limit}: these are the decisions");
        };
        let name = name_of(self.model, *first);
        let removed = match (
            round.vetoed.len(),
            round.ratings.iter().find(|r| r.0 == *first),
        ) {
            (0, Some((_, lowest))) => goes(&name, *lowest),
            (1, _) => format!("{name} is vetoed and removed"),
            (vetoed, _) => {
                let others = plural(vetoed - 1, "other");
                format!("{name} and {others} are vetoed and removed")
            }
        };
        format!("{head}, {recommended} recommended, {limit}: {removed}")
    }

    /// The line of a round like the one before.
    pub(super) fn same_step(&self, round: &Same) -> String {
        let candidates = plural(round.candidates, "candidate");
        let (number, recommended) = (round.number, round.recommended);
        let limit = self.limit(recommended);
        let removed = goes(&name_of(self.model, round.removed), round.lowest);
        format!("round {number}: {candidates}, {recommended} recommended, {limit}: {removed}")
    }

    fn limit(&self, recommended: usize) -> String {
        match self.rule.replicas {
            None => "no limit".to_owned(),
            Some(limit) if recommended <= limit as usize => format!("at most {limit} wanted"),
            Some(limit) => format!("more than {limit}"),
        }
    }

    /// The predicate advisors that do not recommend a candidate in a round, each once.
    pub(super) fn vetoing(&self, id: ObjectId, round: &Round) -> Vec<&'s str> {
        let predicates = self.rule.advisors.iter();
        let mut names: Vec<&'s str> = Vec::new();
        for advisor in predicates.filter(|advisor| advisor.role == Role::Predicate) {
            let voice = |index: usize| self.rule.advisors[index].name == advisor.name;
            let mut lists = round.recommendations.iter();
            let recommends =
                lists.any(|(index, votes)| voice(*index) && votes.iter().any(|vote| vote.0 == id));
            let answers = round.recommendations.iter().any(|(index, _)| voice(*index));
            if answers && !recommends && !names.contains(&advisor.name) {
                names.push(advisor.name);
            }
        }
        names
    }

    /// The answer of each advisor in the last round the candidate took part in.
    fn advice(&self, id: ObjectId, round: &Round) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        for advisor in &self.rule.advisors {
            let same_name = |&&index: &&usize| self.rule.advisors[index].name == advisor.name;
            let stage = format!("Advisor {}", advisor.name);
            if round.waiting_for.iter().any(|index| same_name(&index)) {
                let verdict = Verdict::new(stage, false, "it has not answered");
                verdicts.push(verdict.at(advisor.place, "this advisor"));
                continue;
            }
            let lists = round.recommendations.iter();
            let votes = lists
                .filter(|(index, _)| same_name(&index))
                .flat_map(|list| &list.1);
            let points: Vec<i64> = votes
                .filter(|vote| vote.0 == id)
                .map(|vote| vote.1.unwrap_or(100).saturating_mul(advisor.weight))
                .collect();
            let sum = points.iter().fold(0_i64, |a, b| a.saturating_add(*b));
            let reason = match (points.is_empty(), advisor.role) {
                (true, Role::Predicate) => "does not recommend it: a veto".to_owned(),
                (true, Role::Priority) => "does not recommend it".to_owned(),
                (false, _) if sum == 100 => "recommends it: 1 point".to_owned(),
                (false, _) => format!("recommends it: {} points", rating(sum)),
            };
            let stage = format!("{stage} (round {})", round.number);
            let verdict = Verdict::new(stage, !points.is_empty(), reason);
            verdicts.push(verdict.at(advisor.place, "this advisor"));
        }
        verdicts
    }
}

fn goes(name: &str, lowest: i64) -> String {
    format!(
        "{name} has the lowest rating, {}, and is removed",
        rating(lowest)
    )
}

/// The rounds that would remove a candidate for its rating.
#[derive(Default)]
pub(super) struct Outvoted {
    rounds: usize,
    /// The last one that was not told by itself: its number, what it asks, what there is.
    last: Option<(usize, (String, String))>,
}

impl Outvoted {
    /// Rounds that are told one by one.
    const TOLD: usize = 10;

    /// Records the required and the actual number of a round that has too few.
    pub(super) fn in_round(
        &mut self,
        number: usize,
        standing: Option<(String, String)>,
    ) -> Option<Verdict> {
        let (asked, found) = standing?;
        self.rounds += 1;
        if self.rounds > Self::TOLD {
            self.last = Some((number, (asked, found)));
            return None;
        }
        let reason = format!("the lowest rating in round {number} too");
        Some(Verdict::new("Rounds", false, reason).compared(asked, found))
    }

    /// The rounds that were not told one by one: the last asks the most.
    pub(super) fn rest(self) -> Option<Verdict> {
        let (number, (asked, found)) = self.last?;
        let more = plural(self.rounds - Self::TOLD, "more round");
        let reason = format!("the lowest rating in {more} too, up to round {number}");
        Some(Verdict::new("Rounds", false, reason).compared(asked, found))
    }
}

/// The place of a candidate among the ratings of a round.
pub(super) fn ranking(id: ObjectId, ratings: &[(ObjectId, i64)]) -> Option<Ranking> {
    let found = ratings.iter().find(|one| one.0 == id)?.1;
    let better = ratings.iter().filter(|one| one.1 > found).count();
    Some(Ranking {
        place: better + 1,
        score: rating(found),
    })
}

fn survival(id: ObjectId, removed: Option<&Round>) -> Verdict {
    let Some(round) = removed else {
        return Verdict::new("Rounds", true, "never removed");
    };
    if round.vetoed.contains(&id) {
        let reason = format!("vetoed, so removed in round {}", round.number);
        return Verdict::new("Rounds", false, reason);
    }
    let verdict = |reason: String| Verdict::new("Rounds", false, reason);
    let number = round.number;
    let Some((asked, found)) = lowest(id, round) else {
        return verdict(format!("removed in round {number}: the lowest rating"));
    };
    let first = ratings(id, round).is_some_and(|(own, next)| own == next);
    verdict(if first {
        format!("removed in round {number}: the first of the lowest ratings")
    } else {
        format!("removed in round {number}: the lowest rating")
    })
    .compared(asked, found)
}

/// A candidate's rating in a round, and the lowest of the others.
fn ratings(id: ObjectId, round: &Round) -> Option<(i64, i64)> {
    let (_, own) = round.ratings.iter().find(|entry| entry.0 == id)?;
    let others = round.ratings.iter().filter(|entry| entry.0 != id);
    Some((*own, others.map(|entry| entry.1).min()?))
}

/// If a round that vetoes no other candidate would remove this one for its rating: what rating it
/// needs, and which it has. Of equals the first in order goes, so it needs more than the lowest
/// of the others unless one of those is before it.
pub(super) fn lowest(id: ObjectId, round: &Round) -> Option<(String, String)> {
    if round.vetoed.iter().any(|&vetoed| vetoed != id) {
        return None;
    }
    let (own, next) = ratings(id, round)?;
    let mut before = round.ratings.iter().take_while(|entry| entry.0 != id);
    let sheltered = before.any(|entry| entry.1 == next);
    too_low(own, next, sheltered)
}

/// Compares its rating with the lowest of the others; `sheltered` if one of those is before it.
pub(super) fn too_low(own: i64, next: i64, sheltered: bool) -> Option<(String, String)> {
    let stays = own > next || (own == next && sheltered);
    let asked = if sheltered {
        format!("at least {}", rating(next))
    } else {
        format!("more than {}", rating(next))
    };
    (!stays).then(|| (asked, rating(own)))
}

/// Hundredths, without a fraction if whole.
#[must_use]
pub fn rating(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let size = hundredths.unsigned_abs();
    match (size / 100, size % 100) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, rest) => format!("{sign}{whole}.{rest:02}"),
    }
}
