//! Which rounds of a rule are kept or shown.

use super::super::model::ObjectId;
use super::{Keep, Round};

/// A round in which every advisor says what it said in the one before, and which removes the
/// candidate with the lowest rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Same {
    /// Its number, from 1.
    pub number: usize,
    /// How many candidates it begins with.
    pub candidates: usize,
    /// How many of them are recommended.
    pub recommended: usize,
    /// The candidate that is removed.
    pub removed: ObjectId,
    /// 100 times the rating of the removed candidate.
    pub lowest: i64,
    /// Of the spared candidate, 100 times its rating, and whether one of the lowest rating is
    /// before it in order.
    pub spared: Option<(i64, bool)>,
}

/// A round as the watcher gets it.
#[derive(Debug, Clone, Copy)]
pub enum Seen<'r> {
    /// The whole round.
    Whole(&'r Round),
    /// Only the figures that differ between rounds alike.
    Same(Same),
}

/// Receives the rounds as they end.
pub(super) struct Watch<'w> {
    /// Whether the round that removes a candidate is to be seen whole.
    pub(super) whole: &'w dyn Fn(ObjectId) -> bool,
    pub(super) see: &'w mut dyn FnMut(Seen<'_>),
}

/// Rounds up to which all are kept where the first and the last are.
const FULL: usize = 10;

/// The first and the last rounds that are kept of more: so many each.
const ENDS: usize = 3;

/// The rounds kept so far.
pub(super) struct Rounds {
    pub(super) keep: Keep,
    pub(super) kept: Vec<Round>,
    pub(super) count: usize,
}

impl Rounds {
    pub(super) const fn new(keep: Keep) -> Self {
        Self {
            keep,
            kept: Vec::new(),
            count: 0,
        }
    }

    /// Whether the round of a number may be among those that are kept, where at least so many come
    /// after it, if that is known.
    pub(super) fn keeps(&self, number: usize, to_come: Option<usize>) -> bool {
        match self.keep {
            Keep::Last => false,
            Keep::Ends => number <= FULL || to_come.is_none_or(|rounds| rounds <= ENDS),
            Keep::All => true,
        }
    }

    pub(super) fn push(&mut self, round: Option<Round>, watch: &mut Option<Watch<'_>>, last: bool) {
        let Some(round) = round else { return };
        if let Some(watch) = watch {
            (watch.see)(Seen::Whole(&round));
        }
        if self.keep == Keep::Last && !last {
            return;
        }
        if self.keep == Keep::Ends && self.kept.len() == FULL {
            // One more: the first and the last of them stay from now on.
            self.kept.drain(ENDS..FULL + 1 - ENDS);
        } else if self.keep == Keep::Ends && self.count > FULL {
            self.kept.remove(ENDS);
        }
        self.kept.push(round);
    }
}
