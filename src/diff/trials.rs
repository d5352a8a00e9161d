//! The plans of one site with some of the changes from another. Each set of changes is planned only
//! once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fixedbitset::FixedBitSet;

use crate::kit::progress::Progress;
use crate::options::Options;
use crate::plan::Assignment;

use super::decisions::{Decisions, Subject};
use super::{Move, facets, moves};

/// Changes that are tried together.
pub(super) type Set = BTreeSet<usize>;

/// Plans a side with some changes taken into it; whether documents were refused.
type Planned<'t> = dyn Fn(&[usize], &Options) -> (Decisions, bool) + Sync + 't;

/// A decision of one side, and the other side's.
struct Wanted<'d> {
    subject: &'d Subject,
    here: Option<&'d Assignment>,
    there: Option<&'d Assignment>,
    /// Whether it is a group that keeps its place among the others, and the same number.
    in_order: bool,
}

/// The result of trying a set of changes: moves by their numbers.
#[derive(Debug)]
pub(super) struct Tried {
    /// Moves whose decision differs now.
    pub(super) altered: FixedBitSet,
    /// Moves whose decision is that of the other side, as far as the sides disagree.
    pub(super) reproduced: FixedBitSet,
    /// Moves whose decision is exactly that of the other side.
    pub(super) equal: FixedBitSet,
    /// Moves that are none any more, compared with the earlier site.
    pub(super) undone: FixedBitSet,
}

/// One side, and the sets of changes that were tried on it.
pub(super) struct Trials<'t> {
    wanted: Vec<Wanted<'t>>,
    /// The decisions of the earlier site, which the later one is held against.
    earlier: Option<&'t Decisions>,
    options: Options,
    planned: &'t Planned<'t>,
    tried: Mutex<BTreeMap<Set, Arc<OnceLock<Tried>>>>,
}

impl Wanted<'_> {
    /// Whether the decision is now the other side's.
    fn reproduces(&self, now: Option<&Assignment>) -> bool {
        let place = self.in_order || position(now) == position(self.there);
        match (position(now), position(self.there)) {
            (Some(_), Some(_)) => place && facets(now, self.there).is_empty(),
            _ => now == self.there,
        }
    }

    /// Whether another decision speaks for a cause: where both sides have the group, another one
    /// in something that they disagree about.
    fn differs(&self, now: Option<&Assignment>) -> bool {
        let own = facets(self.here, self.there);
        match (position(self.here), position(now)) {
            (Some(here), Some(there)) if self.there.is_some() => {
                let other = facets(self.here, now);
                (!self.in_order && here != there) || other.iter().any(|facet| own.contains(facet))
            }
            _ => now != self.here,
        }
    }
}

/// The position of a group.
fn position(answer: Option<&Assignment>) -> Option<usize> {
    match answer {
        Some(Assignment::Group { position, .. }) => Some(*position),
        _ => None,
    }
}

impl<'t> Trials<'t> {
    /// Changes taken back from the later site.
    pub(super) fn back(
        moves: &'t [Move],
        earlier: &'t Decisions,
        options: &Options,
        planned: &'t Planned<'t>,
    ) -> Self {
        let sides = |moved: &'t Move| (moved.to.as_ref(), moved.from.as_ref());
        Self::of(moves, sides, Some(earlier), options, planned)
    }

    /// Changes made in the earlier site.
    pub(super) fn forth(moves: &'t [Move], options: &Options, planned: &'t Planned<'t>) -> Self {
        let sides = |moved: &'t Move| (moved.from.as_ref(), moved.to.as_ref());
        Self::of(moves, sides, None, options, planned)
    }

    fn of(
        moves: &'t [Move],
        sides: impl Fn(&'t Move) -> (Option<&'t Assignment>, Option<&'t Assignment>),
        earlier: Option<&'t Decisions>,
        options: &Options,
        planned: &'t Planned<'t>,
    ) -> Self {
        let wanted = moves.iter().map(|moved| {
            let (here, there) = sides(moved);
            Wanted {
                subject: &moved.subject,
                here,
                there,
                in_order: moved.in_order && position(here) == position(there),
            }
        });
        Self {
            wanted: wanted.collect(),
            earlier,
            // Sets are tried side by side, each by one thread. Decisions alone count.
            options: Options {
                jobs: 1,
                trace: false,
                unscored: true,
                quiet: true,
                sequential: false,
                screen: false,
                progress: Progress::default(),
                ..options.clone()
            },
            planned,
            tried: Mutex::default(),
        }
    }

    /// The answer about a set of changes, which is planned only once.
    pub(super) fn ask<R>(&self, set: &Set, answer: impl FnOnce(&Tried) -> R) -> R {
        let mut all = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let one = Arc::clone(all.entry(set.clone()).or_default());
        drop(all);
        answer(one.get_or_init(|| self.plan(set)))
    }

    /// Whether these changes make the decision exactly the other side's.
    pub(super) fn makes(&self, set: &Set, at: usize) -> bool {
        self.ask(set, |tried| tried.equal[at])
    }

    /// Whether a move is none with these changes.
    pub(super) fn undoes(&self, set: &Set, at: usize) -> bool {
        self.ask(set, |tried| tried.undone[at])
    }

    fn plan(&self, set: &Set) -> Tried {
        let chosen: Vec<usize> = set.iter().copied().collect();
        let (decided, refused) = (self.planned)(&chosen, &self.options);
        let which = |is: &dyn Fn(&Wanted<'_>) -> bool| {
            let all = self.wanted.iter().zip(0..);
            let found = all.filter(|(wanted, _)| is(wanted)).map(|(_, at)| at);
            let mut found: FixedBitSet = found.collect();
            found.grow(self.wanted.len());
            found
        };
        let now = |wanted: &Wanted<'_>| decided.get(wanted.subject);
        let left = self.earlier.map(|earlier| moves(earlier, &decided, true));
        let left = left.iter().flatten().map(|moved| &moved.subject);
        let left: BTreeSet<&Subject> = left.collect();
        let back = self.earlier.is_some() && !refused;
        Tried {
            // A subject that vanishes among refusals says nothing.
            altered: which(&|wanted| {
                let telling = now(wanted).is_some() || wanted.here.is_none() || !refused;
                telling && wanted.differs(now(wanted))
            }),
            reproduced: which(&|wanted| wanted.reproduces(now(wanted))),
            equal: which(&|wanted| now(wanted) == wanted.there),
            undone: which(&|wanted| back && !left.contains(wanted.subject)),
        }
    }
}
