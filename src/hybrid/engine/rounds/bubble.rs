//! Many rounds at once.
//!
//! A round carries the lowest candidate it has met along the list, past its equals, and puts it
//! down where it meets a lower one; who is carried at the end goes. So rounds are passes of a
//! bubble sort, and many are made in one walk: each round holds one candidate, and every candidate
//! walks past the rounds, one after another. Of the rounds that hold equal ratings each then has
//! its candidate replaced by that of the one before: their candidates go round in a circle.

use std::collections::VecDeque;

use super::super::super::model::ObjectId;

/// The candidates removed in that many rounds, round by round, and the others in their order after
/// these rounds.
pub(super) fn passes(
    candidates: &[ObjectId],
    rating: impl Fn(ObjectId) -> i64,
    rounds: usize,
) -> (Vec<ObjectId>, Vec<ObjectId>) {
    let mut levels: Vec<i64> = candidates.iter().map(|id| rating(*id)).collect();
    levels.sort_unstable();
    levels.dedup();
    let mut held = Held {
        circles: vec![Circle::default(); levels.len()],
        lower: vec![0; levels.len() + 1],
        highest: 0,
    };
    let mut left = Vec::with_capacity(candidates.len().saturating_sub(rounds));
    for (&id, met) in candidates.iter().zip(0..) {
        let level = levels.partition_point(|level| *level < rating(id));
        if met < rounds {
            held.add(id, level);
        } else if level >= held.highest || rounds == 0 {
            left.push(id);
        } else {
            left.extend(held.give_way());
            held.add(id, level);
        }
    }
    let gone = (0..levels.len()).flat_map(|level| held.settled(level).ids.clone());
    (gone.collect(), left)
}

/// The result of [`passes`] for `all` candidates, without visiting the removed ones: each of those
/// is rated lower than every candidate in `left`, or as low and stands before it. `left` gives the
/// others with their places.
pub(super) fn left(
    left: &[(usize, ObjectId)],
    rating: impl Fn(ObjectId) -> i64,
    all: usize,
) -> Vec<ObjectId> {
    let mut levels: Vec<i64> = left.iter().map(|(_, id)| rating(*id)).collect();
    levels.sort_unstable();
    levels.dedup();
    let rounds = all - left.len();
    // The lowest level is that of the removed candidates.
    let mut held = Held {
        circles: vec![Circle::default(); levels.len() + 1],
        lower: vec![0; levels.len() + 2],
        highest: 0,
    };
    let mut order = Vec::with_capacity(left.len());
    let mut met = 0;
    let ids = left.iter().map(|(place, id)| (*place, Some(*id)));
    for (place, id) in ids.chain([(all, None)]) {
        let free = rounds.saturating_sub(met).min(place - met);
        held.count_lower(0, free);
        for _ in met + free..place {
            order.extend(held.give_way());
            held.count_lower(0, 1);
        }
        met = place + 1;
        let Some(id) = id else { break };
        let level = 1 + levels.partition_point(|level| *level < rating(id));
        if place < rounds {
            held.add(id, level);
        } else if level >= held.highest {
            order.push(id);
        } else {
            order.extend(held.give_way());
            held.add(id, level);
        }
    }
    order
}

/// The candidates that the rounds hold, by rating.
struct Held {
    circles: Vec<Circle>,
    /// How many candidates of a lower rating have come: a Fenwick tree.
    lower: Vec<usize>,
    /// The highest level that is held.
    highest: usize,
}

/// Candidates of one rating in the order of the rounds that hold them.
#[derive(Debug, Clone, Default)]
struct Circle {
    ids: VecDeque<ObjectId>,
    /// How many candidates of a lower rating had come when it was last looked at: with each of them
    /// the first became the last.
    turned: usize,
}

impl Held {
    fn add(&mut self, id: ObjectId, level: usize) {
        self.settled(level).ids.push_back(id);
        self.highest = self.highest.max(level);
        self.count_lower(level, 1);
    }

    /// Counts candidates of a level that have come.
    fn count_lower(&mut self, level: usize, count: usize) {
        let mut at = level + 1;
        while at < self.lower.len() {
            self.lower[at] += count;
            at += at & at.wrapping_neg();
        }
    }

    /// The one that no round holds any longer once a lower one comes.
    fn give_way(&mut self) -> Option<ObjectId> {
        let circle = self.settled(self.highest);
        let first = circle.ids.pop_front();
        // It leaves instead of becoming the last.
        circle.turned += 1;
        while self.highest > 0 && self.circles[self.highest].ids.is_empty() {
            self.highest -= 1;
        }
        first
    }

    /// The circle of a level, turned as far as it is.
    fn settled(&mut self, level: usize) -> &mut Circle {
        let (mut come, mut at) = (0, level);
        while at > 0 {
            come += self.lower[at];
            at -= at & at.wrapping_neg();
        }
        let circle = &mut self.circles[level];
        let turns = come.saturating_sub(circle.turned);
        if let Some(turns) = turns.checked_rem(circle.ids.len()) {
            circle.ids.rotate_left(turns);
        }
        circle.turned = circle.turned.max(come);
        circle
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One round as the original makes it.
    fn pass(candidates: &[ObjectId], ratings: &[i64]) -> (ObjectId, Vec<ObjectId>) {
        let mut slot = candidates[0];
        let mut order = Vec::new();
        for &id in &candidates[1..] {
            if ratings[slot as usize] > ratings[id as usize] {
                order.push(slot);
                slot = id;
            } else {
                order.push(id);
            }
        }
        (slot, order)
    }

    proptest! {
        #[test]
        fn many_rounds_are_rounds_one_by_one(
            ratings in proptest::collection::vec(-2..4_i64, 1..40),
            part in 0..=40_usize,
        ) {
            let rounds = part.min(ratings.len());
            let all: Vec<ObjectId> = (0..).take(ratings.len()).collect();
            let (mut left, mut gone) = (all.clone(), Vec::new());
            for _ in 0..rounds {
                let (out, order) = pass(&left, &ratings);
                gone.push(out);
                left = order;
            }
            let rating = |id: ObjectId| ratings[id as usize];
            prop_assert_eq!(passes(&all, rating, rounds), (gone, left));
        }

        #[test]
        fn those_left_need_not_know_who_went(
            ratings in proptest::collection::vec(-2..4_i64, 1..40),
            bound in -2..4_i64,
            part in 0..=40_usize,
        ) {
            let all: Vec<ObjectId> = (0..).take(ratings.len()).collect();
            let rating = |id: ObjectId| ratings[id as usize];
            let least = ratings.iter().min().copied();
            // Of the lowest some may stay, who come behind those who go.
            let mut first = all.iter().filter(|id| Some(rating(**id)) == least).take(part);
            let goes = |id: &ObjectId| {
                if Some(bound) == least {
                    first.any(|one| one == id)
                } else {
                    rating(*id) < bound
                }
            };
            let gone: Vec<ObjectId> = all.iter().copied().filter(goes).collect();
            let stay = all.iter().copied().enumerate().filter(|(_, id)| !gone.contains(id));
            let stay: Vec<(usize, ObjectId)> = stay.collect();
            let (_, order) = passes(&all, rating, gone.len());
            prop_assert_eq!(left(&stay, rating, all.len()), order);
        }
    }
}
