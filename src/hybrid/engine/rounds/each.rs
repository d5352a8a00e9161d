//! How a rule ends without each of its candidates, read from its rounds with all of them.
//!
//! A candidate affects the others in three ways: it has a place on a list of the best, it alone
//! holds the number that scores are measured by, or it is rated as low as others and changes their
//! order. Otherwise the rounds without it are the same, and they end when one candidate less is few
//! enough. The rule is planned again only without the candidates that affect others.

use super::super::super::model::{ObjectId, PlacementRule};
use super::super::advisors::{Answerer, Lasting, Reply};
use super::super::earlier::existing;
use super::super::{Decision, Finding, Keep, NoCommands, State};
use super::steady::LastReplies;
use super::{Planner, RuleRun, Tally, count};

/// The effect of losing one candidate on a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Fate {
    /// Not known yet.
    Open,
    /// Nothing.
    Same,
    /// The rule ends with the other candidates of this list.
    Ends(usize),
    /// The rule has to be planned without it. If `late`, planning can start at the first removal.
    Other { late: bool },
}

/// A rule, and the effect of losing each of its candidates.
#[derive(Debug)]
pub(in super::super) struct Each {
    /// The candidates before the first round, ascending.
    pub(in super::super) initial: Vec<ObjectId>,
    pub(in super::super) fates: Vec<Fate>,
    /// Lists that the rule may end with, less one candidate.
    pub(in super::super) ends: Vec<Vec<ObjectId>>,
    /// The candidates that affect no decision, whatever else is lost, in ascending order.
    pub(in super::super) idle: Vec<ObjectId>,
    /// The candidates, in order, when the first one is removed for its rating.
    begin: Option<Vec<ObjectId>>,
}

/// Successive rounds with the same answers, each of which removes the lowest rated candidate.
struct Stretch {
    /// The candidates before, by rating, and whether they are recommended.
    rated: Vec<(i64, ObjectId, bool)>,
    /// The removed candidates, in order.
    gone: Vec<ObjectId>,
    /// Whether no candidate was removed for its rating before.
    first: bool,
    /// Whether an advisor may answer differently after the last removal.
    changes: bool,
}

impl Each {
    fn new(initial: Vec<ObjectId>) -> Self {
        Self {
            fates: vec![Fate::Open; initial.len()],
            initial,
            ends: Vec::new(),
            idle: Vec::new(),
            begin: None,
        }
    }

    /// Settles the fate of a candidate if it is open.
    fn settle(&mut self, id: ObjectId, fate: Fate) {
        if let Ok(at) = self.initial.binary_search(&id)
            && self.fates[at] == Fate::Open
        {
            self.fates[at] = fate;
        }
    }

    /// Marks a candidate that the rule has to be planned without.
    fn differs(&mut self, id: ObjectId) {
        let late = self.begin.is_some();
        self.settle(id, Fate::Other { late });
    }

    /// Settles all open fates alike.
    fn close(&mut self, fate: Fate) {
        let open = self.fates.iter_mut().filter(|one| **one == Fate::Open);
        open.for_each(|one| *one = fate);
    }

    /// Without any one of these, the rule ends with the others.
    fn ends_with(&mut self, list: Vec<ObjectId>) {
        for &id in &list {
            self.settle(id, Fate::Ends(self.ends.len()));
        }
        self.ends.push(list);
    }

    /// Marks the candidates whose place on a list of the best would go to another one.
    fn listed(&mut self, replies: &[Option<Reply>], best: usize, candidates: usize) {
        for reply in replies.iter().flatten() {
            if let Reply::List(votes, Lasting::Whole) = reply
                && (best..candidates).contains(&votes.len())
            {
                votes.iter().for_each(|(id, _)| self.differs(*id));
            }
        }
    }

    /// Settles fates at the end of a stretch. `done` are the recommended candidates if the rule
    /// ends there.
    fn went(&mut self, stretch: &Stretch, limit: usize, done: Option<&[ObjectId]>) {
        let Stretch { rated, gone, .. } = stretch;
        let mut removed = gone.clone();
        removed.sort_unstable();
        let stays = |id: ObjectId| removed.binary_search(&id).is_err();
        let recommended = || rated.iter().filter(|one| one.2);
        if let Some(at) = stretch.enough(limit + 1) {
            // The rule would end here with one recommended candidate less.
            let before = &gone[..at];
            let (list, level) = stretch.recommended_but(before);
            let tied = |one: &&(i64, ObjectId, bool)| Some(one.0) == level;
            let shared = list.iter().any(|one| tied(&one));
            for one in list.iter().filter(|_| shared) {
                if !stretch.is_apart(one.0, level) {
                    self.differs(one.1);
                }
            }
            self.ends_with(list.iter().map(|one| one.1).collect());
        }
        let mut left: Vec<ObjectId> = recommended()
            .map(|one| one.1)
            .filter(|id| stays(*id))
            .collect();
        left.sort_unstable();
        let is_last = done.is_some_and(|done| {
            let mut done = done.to_vec();
            done.sort_unstable();
            !stretch.changes && done == left
        });
        // Among equals, the order decides which one goes last and which are left. At the end only
        // the recommended ones matter.
        let level = rated.iter().filter(|one| one.2 || !is_last);
        let level = level.filter(|one| !stays(one.1)).map(|one| one.0).max();
        let mut equals = rated.iter().filter(|one| Some(one.0) == level);
        let mixed = if is_last {
            equals.any(|one| one.2 && stays(one.1))
        } else {
            equals.count() > 1
        };
        if mixed {
            let mixed = rated.iter().filter(|one| !stretch.is_apart(one.0, level));
            mixed.for_each(|one| self.differs(one.1));
            if !stretch.first {
                // Earlier removals changed the order, too.
                self.close(Fate::Other { late: true });
            }
        }
    }
}

impl Stretch {
    /// How many are removed when no more than `wanted` recommended ones are left. The last removal
    /// does not count: advisors may answer differently after it.
    fn enough(&self, wanted: usize) -> Option<usize> {
        let recommended = self.rated.iter().filter(|one| one.2);
        let mut ids: Vec<ObjectId> = recommended.map(|one| one.1).collect();
        ids.sort_unstable();
        let mut over = ids.len().checked_sub(wanted)?;
        if over == 0 {
            return Some(0);
        }
        let gone = self.gone.split_last()?.1.iter().zip(1..);
        let mut gone = gone.filter(|(id, _)| ids.binary_search(id).is_ok());
        gone.find_map(|(_, count)| {
            over -= 1;
            (over == 0).then_some(count)
        })
    }

    /// The recommended candidates without the `gone` ones, and the highest rating among the
    /// recommended ones that are gone.
    fn recommended_but(&self, gone: &[ObjectId]) -> (Vec<(i64, ObjectId, bool)>, Option<i64>) {
        let mut gone = gone.to_vec();
        gone.sort_unstable();
        let recommended = self.rated.iter().filter(|one| one.2).copied();
        let (gone, left): (Vec<_>, Vec<_>) =
            recommended.partition(|one| gone.binary_search(&one.1).is_ok());
        (left, gone.iter().map(|one| one.0).max())
    }

    /// Whether the loss of a candidate with this rating keeps the order of those at `level`: no
    /// round came before, and it is rated higher or none is rated lower.
    fn is_apart(&self, rating: i64, level: Option<i64>) -> bool {
        let lowest = self.rated.first().map(|one| one.0);
        self.first && (Some(rating) > level || (Some(rating) == level && lowest == level))
    }
}

impl<'m, 'a> Planner<'m, 'a> {
    /// How the loss of each candidate changes a rule.
    pub(in super::super) fn each(&mut self, rule: &'m PlacementRule<'a>) -> Each {
        let candidates = self.candidates(rule);
        let mut initial = candidates.clone();
        initial.sort_unstable();
        if candidates.len() < 2 {
            let mut each = Each::new(initial);
            each.close(Fate::Other { late: false });
            return each;
        }
        let previous = existing(self.model, rule, &initial, &self.lost);
        let kept = previous.clone();
        let mut each = Each::new(initial.clone());
        let mut run = self.start(rule, candidates, initial, previous, None, Keep::Last);
        let last = run.each(&mut each);
        run.forget();
        each.close(last);
        // An earlier decision that fits several objects means another one if its own is lost.
        for (reference, decision) in rule.decisions.iter().zip(kept) {
            let Decision::Object(id) = decision else {
                continue;
            };
            if self.model.inventory.fitting(reference).nth(1).is_some()
                && let Ok(at) = each.initial.binary_search(&id)
            {
                each.fates[at] = Fate::Other { late: false };
            }
        }
        each
    }

    /// Plans a rule without one of its candidates, starting at the first removal.
    pub(in super::super) fn rest(
        &mut self,
        rule: &'m PlacementRule<'a>,
        each: &Each,
        lost: ObjectId,
    ) -> (State, Vec<Decision>) {
        let candidates = each.begin.iter().flatten().copied();
        let candidates: Vec<ObjectId> = candidates.filter(|id| *id != lost).collect();
        if candidates.is_empty() {
            return (State::NoPlacement, Vec::new());
        }
        let mut initial = candidates.clone();
        initial.sort_unstable();
        let previous = existing(self.model, rule, &each.initial, &self.lost);
        let run = self.start(rule, candidates, initial, previous, None, Keep::Last);
        let outcome = run.decide(&mut NoCommands, None);
        (outcome.state, outcome.decisions)
    }
}

impl RuleRun<'_, '_, '_> {
    /// Settles the fates that the rounds decide. The result is the fate of all others.
    fn each(&mut self, each: &mut Each) -> Fate {
        let other = Fate::Other { late: false };
        let by_names =
            |answerer: &Answerer<'_, '_>| matches!(answerer, Answerer::PerCandidates { .. });
        let is_silent = |answerer: &Answerer<'_, '_>| {
            matches!(answerer, Answerer::Silent | Answerer::Command(_))
        };
        let silent = self.named.iter().any(|one| is_silent(&one.answerer));
        if !silent && self.named.iter().any(|one| by_names(&one.answerer)) {
            return other;
        }
        let limit = self.rule.replicas.map(|replicas| replicas as usize);
        let mut stretch: Option<Stretch> = None;
        for round in 1.. {
            let replies = self.ask(&mut NoCommands);
            if replies.iter().any(Option::is_none) {
                // The earlier decisions stay. The rule waits unless a name fits one object less.
                let decided = std::mem::take(&mut self.decided);
                decided.iter().for_each(|id| each.differs(*id));
                for finding in std::mem::take(&mut self.findings).into_list() {
                    if let Finding::Ambiguous { fits, .. } = finding
                        && !silent
                    {
                        fits.iter().for_each(|id| each.differs(*id));
                    }
                }
                return Fate::Same;
            }
            let Tally { passing, chosen } = self.tally(&replies);
            let (recommended, named) = (count(&chosen), self.those(&chosen, true));
            let done = limit.is_none_or(|limit| recommended <= limit);
            let wanted = limit.unwrap_or(0);
            if let Some(stretch) = stretch.take() {
                each.went(&stretch, wanted, done.then_some(&named));
            }
            let vetoed = self.those(&passing, false);
            let first = !done && vetoed.is_empty() && each.begin.is_none();
            if first {
                each.begin = Some(self.candidates.clone());
            }
            let candidates = self.candidates.len();
            each.listed(&replies, limit.unwrap_or(candidates), candidates);
            if round == 1 && replies.iter().flatten().all(Reply::is_lasting) {
                each.idle.clone_from(&vetoed);
                each.idle.sort_unstable();
            }
            if done {
                each.ends_with(named);
                return Fate::Same;
            }
            if !vetoed.is_empty() {
                if recommended == wanted + 1 {
                    each.ends_with(named);
                }
                vetoed.iter().for_each(|id| each.settle(*id, Fate::Same));
                self.remove_vetoed(passing);
                continue;
            }
            let went = self.stretch(&replies, &chosen, wanted, each);
            stretch = Some(Stretch { first, ..went });
            if self.candidates.is_empty() {
                break;
            }
        }
        if let Some(stretch) = stretch {
            each.went(&stretch, 0, Some(&[]));
        }
        Fate::Same
    }

    /// Removes the lowest rated candidates one by one until an advisor may answer differently.
    fn stretch(
        &mut self,
        replies: &[Option<Reply>],
        chosen: &[bool],
        wanted: usize,
        each: &mut Each,
    ) -> Stretch {
        self.rate(replies);
        let ids = self.candidates.iter().zip(chosen);
        let rating = |(&id, &chosen)| (self.ratings[id as usize], id, chosen);
        let mut rated: Vec<(i64, ObjectId, bool)> = ids.map(rating).collect();
        let edges = self.edges(replies);
        let recommended = self.those(chosen, true);
        let before = self.eliminators.len();
        self.remove_lowest();
        if !self.candidates.is_empty() {
            let last = LastReplies {
                replies,
                edges: edges.clone(),
                chosen: recommended,
                saved: 0,
            };
            self.go_on(last, wanted, &mut None);
        }
        let gone = self.eliminators[before..].to_vec();
        let mut changes = false;
        for (reply, edge) in replies.iter().flatten().zip(&edges) {
            let is_same = |id: &ObjectId| reply.outlasts(*id, *edge);
            let stays = edge.is_some() && !self.candidates.iter().all(is_same);
            changes |= !gone.last().is_none_or(is_same) && !stays;
            // No candidate holds the number of a list.
            let holds = |id: &&ObjectId| edge.is_some() && !reply.outlasts(**id, *edge);
            let mut left = self.candidates.iter().filter(holds);
            match (left.next(), left.next()) {
                (Some(only), None) => each.differs(*only),
                (Some(_), Some(_)) => {}
                (None, _) => {
                    let last = gone.iter().rev().find(holds);
                    last.into_iter().for_each(|id| each.differs(*id));
                }
            }
        }
        rated.sort_unstable();
        Stretch {
            rated,
            gone,
            first: false,
            changes,
        }
    }
}
