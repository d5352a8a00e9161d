//! The rounds of a rule that stay the same without one of its candidates.
//!
//! Who is rated lowest goes, and most candidates are rated far below those who are decided for.
//! Where all advisors go on saying the same while they go, it makes no difference in which order
//! they do, nor whether one of them was there at all. What is left is few candidates, in an order
//! that follows from how many went before each: from there the rule is planned as always.

use fixedbitset::FixedBitSet;

use super::super::super::model::{ObjectId, PlacementRule};
use super::super::advisors::{Answerer, Reply};
use super::super::earlier::existing;
use super::super::{Decision, Keep, NoCommands, State};
use super::{NamedAnswerer, Planner, RuleRun, Tally, bubble, count};

/// Rules of fewer candidates are planned anew.
const LEAST: usize = 32;
/// So many times more than are left have to be there at first.
const PART: usize = 4;

/// A rule, ready to be planned without one of its candidates.
pub(in super::super) struct Course<'m, 'a> {
    /// The advisors that answer for all, and who answers, as far as it is about those left.
    named: Vec<(usize, Answerer<'m, 'a>)>,
    answerer_of: Vec<usize>,
    previous: Vec<Decision>,
    /// Without one of these the way may be another one, ascending.
    needed: Vec<ObjectId>,
    /// The candidates that nobody vetoes, ascending, with their places.
    places: Vec<(ObjectId, usize)>,
    /// Those left: their places and ratings, in order.
    left: Vec<(usize, ObjectId, i64)>,
}

impl Course<'_, '_> {
    /// Candidates of one number are lost alike; none where each is another matter.
    pub(in super::super) fn kind(&self, lost: ObjectId) -> Option<usize> {
        let place = self.places.binary_search_by_key(&lost, |one| one.0);
        let place = self.places[place.ok()?].1;
        let before = self.left.partition_point(|one| one.0 < place);
        let stays = self.left.get(before).is_some_and(|one| one.1 == lost);
        (!stays && self.needed.binary_search(&lost).is_err()).then_some(before)
    }
}

impl<'m, 'a> Planner<'m, 'a> {
    /// How far a rule goes without a look at who is lost; nothing where that is not far.
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
        let is_ours = |one: &NamedAnswerer<'_, '_>| {
            matches!(
                one.answerer,
                Answerer::Set(..) | Answerer::Best(..) | Answerer::Scored(..)
            )
        };
        let course = match run.named.iter().all(is_ours) {
            true => run.course(limit),
            false => None,
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
        let left = course.left.iter().filter(|one| one.1 != lost);
        let left = left.map(|(place, id, rating)| {
            self.ratings[*id as usize] = *rating;
            let moved = lost_place.is_some_and(|lost| lost < *place);
            (place - usize::from(moved), *id)
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
        // Nobody asks for those who were there at first: no advisor gives a list of its own.
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
            let lists = replies.iter().flatten().filter_map(|reply| match reply {
                Reply::List(votes, _) => Some(votes),
                Reply::Set(..) | Reply::Scored(..) => None,
            });
            needed.extend(lists.flatten().map(|(id, _)| *id));
            let Tally { passing, chosen } = self.tally(&replies);
            // One may be lost, and then there has to be another round.
            let spare = count(&chosen).checked_sub(limit + 2)?;
            if count(&passing) < self.candidates.len() {
                self.remove_vetoed(passing);
                continue;
            }
            self.rate(&replies);
            let stays = self.stays(&replies, &chosen, spare, &mut needed)?;
            return self.left(&stays, needed);
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
        // By whom a number is held: as long as one of them is there, scores stay the same.
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

    fn left(&mut self, stays: &[bool], mut needed: Vec<ObjectId>) -> Option<Course<'m, 'a>> {
        let all = self.candidates.iter().copied().enumerate();
        let left = all.clone().zip(stays).filter(|(_, stays)| **stays);
        let left: Vec<(usize, ObjectId, i64)> = left
            .map(|((place, id), _)| (place, id, self.ratings[id as usize]))
            .collect();
        let mut places: Vec<(ObjectId, usize)> = all.map(|(place, id)| (id, place)).collect();
        places.sort_unstable();
        needed.sort_unstable();
        needed.dedup();
        let among: FixedBitSet = left.iter().map(|one| one.1 as usize).collect();
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
        })
    }
}
