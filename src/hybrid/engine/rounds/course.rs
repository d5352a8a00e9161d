//! The rounds of a rule that stay the same without one of its candidates.
//!
//! Each round drops the lowest-rated candidate; most are rated far below the winners. As long as
//! all advisors keep giving the same answers, neither the order of these removals matters nor
//! whether one of the removed candidates was there at all. A few candidates are left, in an order
//! that follows from how many went before each: from there the rule is planned as always.

use fixedbitset::FixedBitSet;

use super::super::super::model::{ObjectId, PlacementRule};
use super::super::advisors::{Answerer, Lasting, Reply};
use super::super::earlier::existing;
use super::super::{Decision, Keep, NoCommands, State, Vote};
use super::{NamedAnswerer, Planner, RuleRun, Tally, bubble, count};

/// Rules of fewer candidates are planned anew.
const LEAST: usize = 32;
/// How many times as many candidates have to be there at first as are left.
const PART: usize = 4;

/// A rule, ready to be planned without one of its candidates.
pub(in super::super) struct Course<'m, 'a> {
    /// The advisors and their answerers, limited to the candidates that are left.
    named: Vec<(usize, Answerer<'m, 'a>)>,
    answerer_of: Vec<usize>,
    previous: Vec<Decision>,
    /// The candidates whose loss may change the course, in ascending order.
    needed: Vec<ObjectId>,
    /// The candidates without a veto, in ascending order, with their places.
    places: Vec<(ObjectId, usize)>,
    /// The candidates that are left, with their places and ratings, in order.
    left: Vec<(usize, ObjectId, i64)>,
    lists: Vec<BestOf>,
    /// The highest rating among the removed candidates.
    highest: Option<i64>,
}

/// A list of the best. If one of them is lost, the next one gets its place and a higher rating.
struct BestOf {
    /// In ascending order.
    members: Vec<ObjectId>,
    /// The next candidate: its place, its id, and its rating without a place on the list.
    next: Option<(usize, ObjectId, i64)>,
    /// The points that a place on the list adds to the rating.
    points: i64,
}

/// Up to this weight sums of ratings are exact.
const EXACT: u64 = 1 << 40;

impl Course<'_, '_> {
    /// Candidates of one kind have the same effect when lost. `None` if this one has its own.
    pub(in super::super) fn kind(&self, lost: ObjectId) -> Option<usize> {
        let place = self.places.binary_search_by_key(&lost, |one| one.0);
        let place = self.places[place.ok()?].1;
        let before = self.left.partition_point(|one| one.0 < place);
        let stays = self.left.get(before).is_some_and(|one| one.1 == lost);
        (!stays && self.needed.binary_search(&lost).is_err()).then_some(before)
    }

    /// The candidates that are left without a lost one. `None` if others may be left.
    fn without(&self, lost: ObjectId) -> Option<Vec<(usize, ObjectId, i64)>> {
        let mut left = self.left.clone();
        left.retain(|one| one.1 != lost);
        let lists = self.lists.iter();
        for list in lists.filter(|list| list.members.binary_search(&lost).is_ok()) {
            let Some(next) = list.next else { continue };
            let at = left.partition_point(|one| one.0 < next.0);
            if left.get(at).is_none_or(|one| one.0 != next.0) {
                left.insert(at, next);
            }
            left[at].2 += list.points;
        }
        let stays = |one: &(usize, ObjectId, i64)| Some(one.2) > self.highest;
        let lists = self.lists.iter().filter_map(|list| list.next);
        let mut next = lists.filter_map(|next| left.iter().find(|one| one.0 == next.0));
        next.all(stays).then_some(left)
    }
}

impl<'m, 'a> Planner<'m, 'a> {
    /// The part of a rule's course that does not depend on which candidate is lost; `None` if it is
    /// short.
    pub(in super::super) fn course(
        &mut self,
        rule: &'m PlacementRule<'a>,
    ) -> Option<Course<'m, 'a>> {
        let limit = rule.replicas? as usize;
        let candidates = self.candidates(rule);
        if candidates.len() < LEAST {
            return None;
        }
        let mut initial = candidates.clone();
        initial.sort_unstable();
        let previous = existing(self.model, rule, &initial, &self.lost);
        let mut run = self.start(rule, candidates, initial, previous, None, Keep::Last);
        for one in &mut run.named {
            if let Answerer::Static(written) = one.answerer
                && let Some(votes) = run.pool.lasting(one.advisor, written)
            {
                one.answerer = Answerer::Votes(votes);
            }
        }
        let is_ours = |one: &NamedAnswerer<'_, '_>| {
            matches!(
                one.answerer,
                Answerer::Set(..) | Answerer::Best(..) | Answerer::Scored(..) | Answerer::Votes(..)
            )
        };
        let course = if run.named.iter().all(is_ours) {
            run.course(limit)
        } else {
            None
        };
        run.forget();
        course
    }

    /// Plans a rule without one of its candidates; nothing where that may be another way.
    pub(in super::super) fn without(
        &mut self,
        rule: &'m PlacementRule<'a>,
        course: &Course<'m, 'a>,
        lost: ObjectId,
    ) -> Option<(State, Vec<Decision>)> {
        if course.needed.binary_search(&lost).is_ok() {
            return None;
        }
        let found = course.places.binary_search_by_key(&lost, |one| one.0);
        let lost_place = found.ok().map(|at| course.places[at].1);
        let left = course
            .without(lost)?
            .into_iter()
            .map(|(place, id, rating)| {
                self.ratings[id as usize] = rating;
                let moved = lost_place.is_some_and(|lost| lost < place);
                (place - usize::from(moved), id)
            });
        let left: Vec<(usize, ObjectId)> = left.collect();
        let all = course.places.len() - usize::from(lost_place.is_some());
        let rating = |id: ObjectId| self.ratings[id as usize];
        let candidates = bubble::left(&left, rating, all);
        let among: FixedBitSet = candidates.iter().map(|id| *id as usize).collect();
        let named = course.named.iter().filter_map(|(advisor, answerer)| {
            Some(NamedAnswerer {
                advisor: *advisor,
                answerer: answerer.among(&among)?,
                list: None,
            })
        });
        let named = (named.collect(), course.answerer_of.clone());
        // Nothing needs the initial candidates: no advisor gives a list of its own.
        let (initial, previous) = (Vec::new(), course.previous.clone());
        let run = self.start(rule, candidates, initial, previous, Some(named), Keep::Last);
        let outcome = run.decide(&mut NoCommands, None);
        Some((outcome.state, outcome.decisions))
    }
}

impl<'a> RuleRun<'_, '_, 'a> {
    /// No candidate is left.
    pub(super) fn forget(self) {
        for &id in &self.candidates {
            self.pool.alive.remove(id as usize);
        }
    }
}

impl<'m, 'a> RuleRun<'_, 'm, 'a> {
    fn course(&mut self, limit: usize) -> Option<Course<'m, 'a>> {
        let mut needed = self.decided.clone();
        loop {
            let replies = self.ask(&mut NoCommands);
            let Tally { passing, chosen } = self.tally(&replies);
            // One may be lost, and then there has to be another round.
            let spare = count(&chosen).checked_sub(limit + 2)?;
            if count(&passing) < self.candidates.len() {
                let lists = replies.iter().flatten().filter_map(votes);
                needed.extend(lists.flatten().map(|(id, _)| *id));
                self.remove_vetoed(passing);
                continue;
            }
            self.rate(&replies);
            let stays = self.stays(&replies, &chosen, spare, &mut needed)?;
            let lists = self.lists(&replies, limit, &mut needed);
            return self.left(&stays, needed, lists);
        }
    }

    /// Which candidates are left when no more can go without a look at their order.
    fn stays(
        &self,
        replies: &[Option<Reply>],
        chosen: &[bool],
        mut spare: usize,
        needed: &mut Vec<ObjectId>,
    ) -> Option<Vec<bool>> {
        let edges = self.edges(replies);
        let asked: Vec<_> = replies.iter().flatten().zip(&edges).collect();
        let holds = |id: ObjectId| {
            asked
                .iter()
                .map(move |(reply, edge)| !reply.outlasts(id, **edge))
        };
        // Count the candidates that hold each number: as long as one of them is there, scores stay
        // the same.
        let is_number: Vec<bool> = edges.iter().map(Option::is_some).collect();
        let mut holders = vec![0_usize; asked.len()];
        for id in &self.candidates {
            for (holders, holds) in holders.iter_mut().zip(holds(*id)) {
                *holders += usize::from(holds);
            }
        }
        let rating = |at: &usize| self.ratings[self.candidates[*at] as usize];
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        order.sort_by_key(rating);
        let mut stays = vec![true; order.len()];
        let go = |at: usize, holders: &mut [usize], spare: &mut usize| {
            for ((held, holders), number) in holds(self.candidates[at]).zip(holders).zip(&is_number)
            {
                if held && (!number || *holders == 1) {
                    return false;
                }
                *holders -= usize::from(held);
            }
            match (chosen[at], *spare) {
                (true, 0) => return false,
                (true, _) => *spare -= 1,
                (false, _) => {}
            }
            true
        };
        let mut lowest = true;
        for level in order.chunk_by(|a, b| rating(a) == rating(b)) {
            let (mut now, mut left) = (holders.clone(), spare);
            let mut gone = 0;
            // The lowest of all go in their order; of others it is not known.
            while let Some(at) = level.get(gone)
                && go(*at, &mut now, &mut left)
            {
                gone += 1;
                if lowest {
                    stays[*at] = false;
                    holders.clone_from(&now);
                }
            }
            if gone < level.len() {
                break;
            }
            level.iter().for_each(|at| stays[*at] = false);
            (holders, spare) = (now, left);
            lowest = false;
        }
        let all = stays.len();
        if count(&stays) * PART > all {
            return None;
        }
        for ((at, holders), number) in (0..).zip(&holders).zip(&is_number) {
            if *number && *holders == 1 {
                let ids = self.candidates.iter().copied();
                let mut ids = ids.zip(&stays).filter(|(_, stays)| **stays);
                let last = ids.find(|(id, _)| holds(*id).nth(at) == Some(true));
                needed.extend(last.map(|(id, _)| id));
            }
        }
        Some(stays)
    }

    /// The lists of the best. Members of a list whose next candidate cannot be told are `needed`.
    fn lists(
        &mut self,
        replies: &[Option<Reply>],
        limit: usize,
        needed: &mut Vec<ObjectId>,
    ) -> Vec<BestOf> {
        let weights = self.rule.advisors.iter().map(|advisor| advisor.weight);
        let mut weights = weights.chain([self.rule.decision_weight]);
        let is_exact = weights.all(|weight| weight.unsigned_abs() < EXACT);
        let mut lists = Vec::new();
        for (at, votes) in replies
            .iter()
            .map(|reply| votes(reply.as_ref()?))
            .enumerate()
        {
            let Some(votes) = votes else { continue };
            let mut members: Vec<ObjectId> = votes.iter().map(|(id, _)| *id).collect();
            members.sort_unstable();
            let more = self.named[at].answerer.reply(limit + 1, self.pool.alive);
            let Some(Reply::List(more, _)) = more.filter(|_| is_exact) else {
                needed.extend(members);
                continue;
            };
            let next = more.get(limit).copied();
            let score = next.and_then(|(_, score)| score).unwrap_or(100);
            let advisors = self.rule.advisors.iter().zip(&self.answerer_of);
            let advisors = advisors.filter(|(_, answerer)| **answerer == at);
            lists.push(BestOf {
                members,
                next: next.and_then(|(id, _)| {
                    let place = self.candidates.iter().position(|one| *one == id)?;
                    Some((place, id, self.ratings[id as usize]))
                }),
                points: advisors.map(|(advisor, _)| score * advisor.weight).sum(),
            });
        }
        lists
    }

    fn left(
        &mut self,
        stays: &[bool],
        mut needed: Vec<ObjectId>,
        lists: Vec<BestOf>,
    ) -> Option<Course<'m, 'a>> {
        let all = self.candidates.iter().copied().enumerate();
        let left = all.clone().zip(stays).filter(|(_, stays)| **stays);
        let left: Vec<(usize, ObjectId, i64)> = left
            .map(|((place, id), _)| (place, id, self.ratings[id as usize]))
            .collect();
        let places = all.clone().map(|(place, id)| (id, place));
        let mut places: Vec<(ObjectId, usize)> = places.collect();
        places.sort_unstable();
        needed.sort_unstable();
        needed.dedup();
        let next = lists.iter().filter_map(|list| list.next);
        let among = left.iter().copied().chain(next);
        let among: FixedBitSet = among.map(|one| one.1 as usize).collect();
        let gone = all.zip(stays).filter(|(_, stays)| !**stays);
        let highest = gone.map(|((_, id), _)| self.ratings[id as usize]).max();
        let named = self
            .named
            .iter()
            .map(|one| Some((one.advisor, one.answerer.among(&among)?)));
        Some(Course {
            named: named.collect::<Option<_>>()?,
            answerer_of: self.answerer_of.clone(),
            previous: self.previous.clone(),
            needed,
            places,
            left,
            lists,
            highest,
        })
    }
}

/// The votes of a list of the best, which names others when one of them goes.
fn votes(reply: &Reply) -> Option<&Vec<Vote>> {
    match reply {
        Reply::List(votes, lasting) if *lasting != Lasting::Always => Some(votes),
        Reply::Set(..) | Reply::Scored(..) | Reply::List(..) => None,
    }
}
