//! The result of the policy check if regions are lost, from the model alone. The unchanged part is
//! computed once, and each loss visits only the regions whose nodes change.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::allot::{Candidate, Direction, Sum, ZeroSum, order, sent};
use super::classes::Classes;
use super::{Basis, Check, CheckStatus, Failure, Outcome, candidate, number, writable};
use crate::senlin::engine::resize::Resize;
use crate::senlin::model::Cluster;

/// A policy check, ready to be asked with regions missing.
#[derive(Debug)]
pub struct Losses<'m, 'a> {
    check: Check<'m, 'a>,
    outcome: &'m Outcome,
    /// The position of each region in the policy, by its name.
    positions: BTreeMap<&'m str, u32>,
    /// The usable regions, and the order in which each direction asks them.
    candidates: Vec<Candidate>,
    orders: [Vec<u32>; 2],
    all: Sum,
    /// The usable regions that get or give nodes, by their place among the usable ones.
    changing: Vec<u32>,
    /// The answer weight by weight, where there is one.
    classes: Option<Classes>,
}

/// The nodes that usable regions get or give.
enum Changes {
    /// These alone get or give anything.
    All(Vec<(u32, i128)>),
    /// These alone get or give other than they did.
    Others(Vec<(u32, i128)>),
}

/// How a loss changes the nodes of regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed<'m> {
    /// By name: the nodes of a region that gets another number of them, before and after; none
    /// where it is not asked.
    pub regions: Vec<(&'m str, Option<i128>, Option<i128>)>,
    /// Whether there is an answer.
    pub answered: bool,
}

impl<'m, 'a> Losses<'m, 'a> {
    /// The check with the answer that it has; none where two regions of the policy have one name.
    #[must_use]
    pub fn new(check: Check<'m, 'a>, outcome: &'m Outcome) -> Option<Self> {
        let regions = check.policy.regions.iter();
        let positions: BTreeMap<&str, u32> = regions.map(|one| &*one.name).zip(0..).collect();
        if positions.len() < check.policy.regions.len() {
            return None;
        }
        let usable = outcome.usable.iter();
        let candidates: Vec<Candidate> = usable.map(|at| candidate(check, *at as usize)).collect();
        let orders = [Direction::Grow, Direction::Shrink].map(|side| order(&candidates, side));
        let answered = outcome.answer == CheckStatus::Done;
        let found = outcome.distribution.as_ref().filter(|_| answered);
        let side = Direction::of(outcome.number);
        let places = (0..).take(candidates.len());
        let changing = places.filter(|at| outcome.change(*at as usize) != 0);
        Some(Self {
            check,
            outcome,
            positions,
            changing: changing.collect(),
            classes: found.and_then(|found| Classes::new(&candidates, found, side)),
            all: Sum::of(candidates.iter()),
            candidates,
            orders,
        })
    }

    /// The effect of losing these regions. `None` if the policy does not name one of them: the
    /// nodes of such a region are not counted separately.
    #[must_use]
    pub fn of(&self, lost: &[&str]) -> Option<Changed<'m>> {
        let positions = lost.iter().map(|name| self.positions.get(name).copied());
        let mut lost: Vec<u32> = positions.collect::<Option<_>>()?;
        lost.sort_unstable();
        lost.dedup();
        let usable = &self.outcome.usable;
        let places = lost.iter().filter_map(|at| usable.binary_search(at).ok());
        let gone: Vec<u32> = places.filter_map(|at| u32::try_from(at).ok()).collect();
        let Ok((after, answered)) = self.changes(&lost, &gone) else {
            // Without a plan no region is asked.
            let all = (0..).take(usable.len());
            let before = all.map(|at| (self.name(at), Some(self.before(at)), None));
            let mut regions: Vec<_> = before.collect();
            regions.sort_unstable();
            return Some(Changed {
                regions,
                answered: false,
            });
        };
        let mut regions = Vec::new();
        let mut seen = FixedBitSet::with_capacity(usable.len());
        seen.extend(gone.iter().map(|at| *at as usize));
        let lost = gone
            .iter()
            .map(|at| (self.name(*at), Some(self.before(*at)), None));
        regions.extend(lost);
        let (after, stopped) = match after {
            Changes::All(after) => (after, self.changing.as_slice()),
            Changes::Others(after) => (after, &[][..]),
        };
        let stopped = stopped.iter().map(|at| (*at, 0));
        for (at, change) in after.into_iter().chain(stopped) {
            let first = !seen.put(at as usize);
            if first && change != self.outcome.change(at as usize) {
                let nodes = self.candidates[at as usize].nodes + change;
                regions.push((self.name(at), Some(self.before(at)), Some(nodes)));
            }
        }
        regions.sort_unstable();
        Some(Changed { regions, answered })
    }

    fn name(&self, at: u32) -> &'m str {
        let position = self.outcome.usable[at as usize];
        &self.check.policy.regions[position as usize].name
    }

    /// The nodes of a usable region as the answer has them.
    fn before(&self, at: u32) -> i128 {
        let at = at as usize;
        self.candidates[at].nodes + self.outcome.change(at)
    }

    /// The nodes that usable regions get or give without the lost ones, and whether there is an
    /// answer: the same as [`super::plan`] of the policy and the cluster without them.
    fn changes(&self, lost: &[u32], gone: &[u32]) -> Result<(Changes, bool), Failure> {
        let all = self.check.cluster;
        let without: i128 = lost.iter().map(|at| all.nodes[*at as usize]).sum();
        let cluster = Cluster {
            size: all.size - without,
            name: None,
            nodes: Vec::new(),
            known: Vec::new(),
            ..*all
        };
        let check = Check {
            cluster: &cluster,
            ..self.check
        };
        let (basis, number) = number(check)?;
        let refused = matches!(&basis, Basis::Resize(Resize { change: Err(_), .. }));
        if refused || number == 0 {
            return Ok((Changes::All(Vec::new()), !refused));
        }
        if gone.len() == self.candidates.len() {
            return Ok((Changes::All(Vec::new()), false));
        }
        let side = Direction::of(number);
        let lost = Sum::of(gone.iter().map(|at| &self.candidates[*at as usize]));
        let left = self.all.without(lost);
        let same_side = |classes: &&Classes| classes.side() == side;
        let signed = |(at, taken): (u32, i128)| (at, taken * number.signum());
        let changes = match self.classes.as_ref().filter(same_side) {
            Some(classes) => {
                let changed = classes.sent(&self.candidates, gone, left, number.abs());
                let changed = changed.map_err(|ZeroSum| Failure::ZeroSum)?;
                changed.map(|changed| Changes::Others(changed.into_iter().map(signed).collect()))
            }
            None => {
                let order = match side {
                    Direction::Grow => &self.orders[0],
                    Direction::Shrink => &self.orders[1],
                };
                let asked = order.iter().filter(|at| !gone.contains(at));
                let asked = asked.map(|at| (*at, self.candidates[*at as usize]));
                let (taken, remain) =
                    sent(asked, left, number.abs(), side).map_err(|ZeroSum| Failure::ZeroSum)?;
                let taken = taken.into_iter().map(signed).collect();
                (remain == 0).then_some(Changes::All(taken))
            }
        };
        let Some(changes) = changes else {
            return Ok((Changes::All(Vec::new()), false));
        };
        writable(&basis, self.check.action, side)?;
        Ok((changes, true))
    }
}
