//! Regions of the same weight have the same share and are adjacent in processing order. For another
//! total, only the shares of the weights are computed, and only regions whose nodes change are
//! visited.

use std::ops::Range;

use super::allot::{Allotment, Candidate, Direction, Distribution, Sum, ZeroSum, rounded, taking};

/// The regions of a distribution, weight by weight.
#[derive(Debug)]
pub(super) struct Classes {
    side: Direction,
    /// Regions in the order in which they are asked, and the place of each in it.
    order: Vec<u32>,
    places: Vec<u32>,
    classes: Vec<Class>,
    /// How much the regions before each place can take or give together.
    before: Vec<i128>,
    /// How many of the first regions get all they can; one more may get a part.
    full: usize,
    /// Behind the last region that gets anything.
    end: usize,
}

#[derive(Debug)]
struct Class {
    weight: i128,
    /// The share of each, rounded.
    rounded: i128,
    /// Places in the order.
    places: Range<usize>,
}

impl Classes {
    /// `None` if the sum of all room overflows.
    pub(super) fn new(
        candidates: &[Candidate],
        found: &Distribution,
        side: Direction,
    ) -> Option<Self> {
        let mut classes: Vec<Class> = Vec::new();
        let mut before = vec![0_i128];
        let mut places = vec![0; candidates.len()];
        let (mut full, mut end) = (0, 0);
        for (place, at) in found.order.iter().enumerate() {
            let (candidate, allotment) = (&candidates[*at as usize], at_of(found, *at));
            match classes.last_mut() {
                Some(class) if class.weight == candidate.weight => class.places.end += 1,
                _ => classes.push(Class {
                    weight: candidate.weight,
                    rounded: allotment.rounded,
                    places: place..place + 1,
                }),
            }
            let room = allotment.room.max(0);
            let sum = before.last().copied().unwrap_or(0).checked_add(room)?;
            before.push(sum);
            places[*at as usize] = u32::try_from(place).ok()?;
            if full == place && allotment.taken == room {
                full += 1;
            }
            if allotment.taken > 0 {
                end = place + 1;
            }
        }
        Some(Self {
            side,
            order: found.order.clone(),
            places,
            classes,
            before,
            full,
            end,
        })
    }

    /// Whether this is how nodes are created, or deleted.
    pub(super) fn side(&self) -> Direction {
        self.side
    }

    /// The result of [`super::allot::sent`] for `count` nodes without the lost regions: the regions
    /// whose number of nodes changes, with the new number; nothing where nodes are left over. `sum`
    /// is that of the regions asked.
    pub(super) fn sent(
        &self,
        candidates: &[Candidate],
        gone: &[u32],
        sum: Sum,
        count: i128,
    ) -> Result<Option<Vec<(u32, i128)>>, ZeroSum> {
        if sum.weights == 0 {
            return Err(ZeroSum);
        }
        let total = sum.total(count, self.side);
        let mut lost: Vec<usize> = gone.iter().map(|at| self.place(*at)).collect();
        lost.sort_unstable();
        let asked = |place: &usize| lost.binary_search(place).is_err();
        let mut changed = Vec::new();
        let mut remain = count;
        let mut stopped = self.order.len();
        for class in &self.classes {
            let Range { start, end } = class.places;
            if remain == 0 {
                stopped = start;
                break;
            }
            let rounded = rounded(total, class.weight, sum.weights, self.side);
            if rounded != class.rounded {
                for place in (start..end).filter(asked) {
                    let at = self.order[place];
                    let room = taking(candidates[at as usize], rounded, self.side);
                    let taken = room.clamp(0, remain);
                    changed.push((at, taken));
                    remain -= taken;
                }
                continue;
            }
            // Of these each can do what it could, and the first of them do so.
            let room = |places: Range<usize>| {
                let lost = lost.iter().filter(|place| places.contains(place));
                let lost: i128 = lost.map(|place| self.room(*place)).sum();
                self.before[places.end] - self.before[places.start] - lost
            };
            let cut = if room(start..end) <= remain {
                end
            } else {
                partition_point(start..end, |place| room(start..place + 1) <= remain)
            };
            let others = (self.full.clamp(start, cut)..cut).filter(asked);
            changed.extend(others.map(|place| (self.order[place], self.room(place))));
            remain -= room(start..cut);
            if cut < end {
                changed.push((self.order[cut], remain));
                remain = 0;
                stopped = cut + 1;
                break;
            }
        }
        if remain > 0 {
            return Ok(None);
        }
        let without = (stopped..self.end).filter(asked);
        changed.extend(without.map(|place| (self.order[place], 0)));
        Ok(Some(changed))
    }

    fn place(&self, at: u32) -> usize {
        self.places[at as usize] as usize
    }

    /// How much the region at a place can take or give.
    fn room(&self, place: usize) -> i128 {
        self.before[place + 1] - self.before[place]
    }
}

fn at_of(found: &Distribution, at: u32) -> &Allotment {
    &found.allotments[at as usize]
}

/// The first number of which something does not hold; it holds of those before.
fn partition_point(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, mut end } = range;
    while start < end {
        let middle = start + (end - start) / 2;
        if holds(middle) {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::allot::{distribute, order, sent};
    use super::*;

    proptest! {
        #[test]
        fn what_changes_is_what_a_new_distribution_says(
            regions in prop::collection::vec((-1..6_i128, -1..30_i128, 0..20_i128), 1..40),
            counts in (1..200_i128, 1..200_i128),
            grow in any::<bool>(),
            gone in prop::collection::btree_set(0..40_u32, 0..4),
        ) {
            let candidate = |(weight, cap, nodes)| Candidate { weight, cap, nodes };
            let all: Vec<Candidate> = regions.into_iter().map(candidate).collect();
            let side = if grow { Direction::Grow } else { Direction::Shrink };
            let Ok(found) = distribute(&all, counts.0, side) else {
                return Ok(());
            };
            let classes = Classes::new(&all, &found, side).unwrap();
            let gone: Vec<u32> =
                gone.into_iter().filter(|at| (*at as usize) < all.len()).collect();
            let lost = Sum::of(gone.iter().map(|at| &all[*at as usize]));
            let left = Sum::of(all.iter()).without(lost);
            let order = order(&all, side);
            let asked = order.iter().filter(|at| !gone.contains(at));
            let asked = asked.map(|at| (*at, all[*at as usize]));
            let plain = sent(asked, left, counts.1, side);
            let quick = classes.sent(&all, &gone, left, counts.1);
            let (Ok((plain, remain)), Ok(quick)) = (&plain, &quick) else {
                prop_assert!(plain.is_err() && quick.is_err());
                return Ok(());
            };
            prop_assert_eq!(quick.is_some(), *remain == 0);
            let Some(quick) = quick else {
                return Ok(());
            };
            let mut after: Vec<i128> =
                found.allotments.iter().map(|one| one.taken).collect();
            for (at, taken) in quick {
                prop_assert!(!gone.contains(at));
                after[*at as usize] = *taken;
            }
            for at in (0..).take(all.len()).filter(|at| !gone.contains(at)) {
                let taken = plain.iter().find(|(other, _)| *other == at);
                prop_assert_eq!(after[at as usize], taken.map_or(0, |(_, taken)| *taken));
            }
        }
    }
}
