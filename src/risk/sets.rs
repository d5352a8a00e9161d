//! Which things are lost together, and which of these sets belong to a part of a sweep.

use serde::{Deserialize, Serialize};

/// How many things are lost at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AtATime {
    /// Each on its own.
    One,
    /// Every two.
    Pairs,
    /// Every three.
    Triples,
}

/// One part of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub number: u32,
    /// The number of parts.
    pub of: u32,
}

/// The cost of losing things, in abstract units: the same on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    /// Of each thing, and whether its loss makes whole systems be planned again.
    pub things: Vec<(u64, bool)>,
    /// Of planning whole systems again, whichever things of a set ask for it.
    pub again: u64,
}

/// Things that are lost together, by their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sets {
    at_a_time: AtATime,
    all: Vec<[u32; 3]>,
}

impl AtATime {
    /// How many things that are.
    #[must_use]
    pub const fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Pairs => 2,
            Self::Triples => 3,
        }
    }

    /// The noun for one set.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::One => "thing",
            Self::Pairs => "pair",
            Self::Triples => "triple",
        }
    }

    /// How many losses there are of so many things.
    #[must_use]
    pub fn losses(self, things: usize) -> u128 {
        choose(things, self.count())
    }

    /// Every set of so many things, in order.
    #[must_use]
    pub fn sets(self, things: usize) -> Sets {
        let costs = Costs {
            things: vec![(1, false); things],
            again: 0,
        };
        let whole = Shard { number: 1, of: 1 };
        let (all, _) = whole.sets(self, &costs, usize::MAX);
        all
    }
}

impl Sets {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The numbers of all things, with those past the end of each set.
    pub(super) fn all(&self) -> &[[u32; 3]] {
        &self.all
    }

    /// How many of the numbers count.
    pub(super) const fn size(&self) -> usize {
        self.at_a_time.count()
    }
}

/// How many sets of `wanted` things there are among `things`.
fn choose(things: usize, wanted: usize) -> u128 {
    let things = things as u128;
    match wanted {
        0 => 1,
        1 => things,
        2 => things * things.saturating_sub(1) / 2,
        _ => things * things.saturating_sub(1) * things.saturating_sub(2) / 6,
    }
}

impl Shard {
    /// The sets of this part in order, the first `limit` of them, and how many there are. Parts
    /// follow one another, and each takes its share of the cost.
    #[must_use]
    pub fn sets(self, at_a_time: AtATime, costs: &Costs, limit: usize) -> (Sets, u128) {
        let mut tree = Tree::of(self, at_a_time.count(), costs, limit);
        let empty = Prefix {
            set: [0; 3],
            cost: 0,
            again: false,
        };
        tree.total = tree.cost_below(&empty, 0, at_a_time.count());
        tree.walk(&empty, 0, at_a_time.count());
        let all = Sets {
            at_a_time,
            all: tree.found,
        };
        (all, tree.count)
    }
}

/// The sets as a tree, one thing more on each level. What all sets below a branch cost is worked
/// out without looking at them, so that branches of other parts are passed over.
struct Tree<'c> {
    shard: Shard,
    wanted: usize,
    costs: &'c Costs,
    limit: usize,
    /// The cost of all things from each one on, and how many of them need nothing planned again.
    from: Vec<(u128, usize)>,
    total: u128,
    /// The cost of all sets before the present one.
    before: u128,
    found: Vec<[u32; 3]>,
    count: u128,
}

/// The first things of a set.
struct Prefix {
    set: [u32; 3],
    cost: u128,
    again: bool,
}

impl<'c> Tree<'c> {
    fn of(shard: Shard, wanted: usize, costs: &'c Costs, limit: usize) -> Self {
        let mut from = vec![(0, 0); costs.things.len() + 1];
        for (at, (cost, again)) in costs.things.iter().enumerate().rev() {
            let (sum, cheap) = from[at + 1];
            from[at] = (sum + u128::from(*cost), cheap + usize::from(!again));
        }
        Self {
            shard,
            wanted,
            costs,
            limit,
            from,
            total: 0,
            before: 0,
            found: Vec::new(),
            count: 0,
        }
    }

    /// The cost of all sets that begin with `prefix` and add `more` of the things from `at` on.
    fn cost_below(&self, prefix: &Prefix, at: usize, more: usize) -> u128 {
        let things = self.costs.things.len() - at;
        let (sum, cheap) = self.from[at];
        let sets = choose(things, more);
        // Each of the things is in as many of the sets as any other.
        let own = match more {
            0 => 0,
            _ => sum * choose(things.saturating_sub(1), more - 1),
        };
        let again = if prefix.again {
            sets
        } else {
            sets - choose(cheap, more)
        };
        sets * prefix.cost + own + again * u128::from(self.costs.again)
    }

    /// The part, from 0, in whose share the middle between two costs lies.
    fn part(&self, start: u128, end: u128) -> u128 {
        (start + end) * u128::from(self.shard.of) / (2 * self.total).max(1)
    }

    fn walk(&mut self, prefix: &Prefix, from: usize, more: usize) {
        let own = u128::from(self.shard.number) - 1;
        for at in from..self.costs.things.len() {
            let (cost, again) = self.costs.things[at];
            let mut next = Prefix {
                set: prefix.set,
                cost: prefix.cost + u128::from(cost),
                again: prefix.again || again,
            };
            next.set[self.wanted - more] = u32::try_from(at).unwrap_or(u32::MAX);
            let below = self.cost_below(&next, at + 1, more - 1);
            if below == 0 {
                continue;
            }
            let (start, end) = (self.before, self.before + below);
            if self.part(start, start) > own {
                return;
            }
            if self.part(end, end) < own {
                self.before = end;
            } else if more > 1 {
                self.walk(&next, at + 1, more - 1);
            } else {
                self.before = end;
                let is_own = self.part(start, end) == own;
                self.count += u128::from(is_own);
                if is_own && self.found.len() < self.limit {
                    self.found.push(next.set);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(costs: &Costs, sets: &Sets) -> u128 {
        let of = |set: &[u32; 3]| {
            let things = set[..sets.size()].iter();
            let things: Vec<_> = things.map(|at| costs.things[*at as usize]).collect();
            let again = things.iter().any(|(_, again)| *again);
            let own: u64 = things.iter().map(|(cost, _)| cost).sum();
            u128::from(own + if again { costs.again } else { 0 })
        };
        sets.all().iter().map(of).sum()
    }

    #[test]
    fn sets_are_in_order_and_complete() {
        let all = |at_a_time: AtATime| at_a_time.sets(4).all;
        assert_eq!(all(AtATime::One).len(), 4);
        let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        assert_eq!(all(AtATime::Pairs), pairs.map(|[a, b]| [a, b, 0]));
        let triples = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];
        assert_eq!(all(AtATime::Triples), triples);
        for at_a_time in [AtATime::Pairs, AtATime::Triples] {
            assert!(at_a_time.sets(0).is_empty());
            assert!(at_a_time.sets(1).is_empty());
            assert_eq!(at_a_time.sets(50).len() as u128, at_a_time.losses(50));
        }
        assert!(AtATime::Triples.sets(2).is_empty());
    }

    #[test]
    fn parts_are_the_whole_and_cost_the_same() {
        // The first things take a hundred times as long, and some make all be planned again.
        let things = (0..60).map(|at| (if at < 6 { 100 } else { 1 }, at % 20 == 3));
        let costs = Costs {
            things: things.collect(),
            again: 500,
        };
        for at_a_time in [AtATime::One, AtATime::Pairs, AtATime::Triples] {
            let whole = at_a_time.sets(60);
            let total = cost(&costs, &whole);
            for of in [1, 2, 3, 7, 100, 100_000] {
                let numbers = 1..=of.min(200);
                let parts: Vec<Sets> = numbers
                    .map(|number| Shard { number, of }.sets(at_a_time, &costs, usize::MAX).0)
                    .collect();
                for part in &parts {
                    let cost = cost(&costs, part);
                    assert!(
                        cost <= total / u128::from(of) + 801,
                        "{cost} of {total} / {of}"
                    );
                }
                let all: Vec<[u32; 3]> = parts.into_iter().flat_map(|part| part.all).collect();
                if of <= 200 {
                    assert_eq!(all, whole.all);
                } else {
                    assert_eq!(all, whole.all[..all.len()]);
                }
            }
        }
    }

    #[test]
    fn no_more_than_the_limit_is_kept_and_all_are_counted() {
        let costs = Costs {
            things: vec![(1, false); 100],
            again: 0,
        };
        let half = Shard { number: 1, of: 2 };
        let (kept, all) = half.sets(AtATime::Pairs, &costs, 10);
        assert_eq!((kept.len(), all), (10, 2475));
        let last = Shard {
            number: u32::MAX,
            of: u32::MAX,
        };
        let (kept, all) = last.sets(AtATime::Triples, &costs, 10);
        assert_eq!((kept.len(), all), (0, 0));
    }
}
