//! Remedies for losses, as data; `remedies` finds them.

use crate::why::Change;

use super::class::Class;

/// The remedies for one loss.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Remedies {
    /// The smallest sets of edits after which the loss is survived, each proven. Those that
    /// change nothing that is observed come first, of them those that move nothing today, then
    /// those with which the loss is the least bad.
    pub sets: Vec<Remedy>,
    /// Where there is no set of up to so many edits.
    pub none_up_to: Option<usize>,
    /// How many different edits were on offer.
    pub offered: usize,
    /// How many plans were made.
    pub plans: usize,
    /// Whether the search stopped because of that.
    pub stopped: bool,
    /// Whether only volumes are lost, with what holds them: no edit brings those back.
    pub gone: bool,
}

/// A set of edits after which a loss is survived.
#[derive(Debug, Clone, PartialEq)]
pub struct Remedy {
    /// The edits, none of which changes a lost thing.
    pub edits: Vec<Change>,
    /// How many decisions are other ones as soon as the edits are made, with nothing lost.
    pub moves_today: usize,
    /// How bad the loss is then.
    pub class: Class,
}

impl Remedy {
    /// Whether it takes other facts, and not only other documents.
    #[must_use]
    pub fn is_observed(&self) -> bool {
        self.edits.iter().any(|change| change.observed)
    }
}

/// The edits with which as many losses of one kind as possible are survived.
#[derive(Debug, Clone, PartialEq)]
pub struct Together {
    /// The kind of the lost things.
    pub kind: &'static str,
    /// The edits, on top of those for the kinds before it.
    pub edits: Vec<Change>,
    /// How many things of the kind can be lost.
    pub all: usize,
    /// How many of these losses leave something unplaced today.
    pub before: usize,
    /// The things that still cannot be lost with the edits, by name.
    pub left: Vec<String>,
    /// How many decisions are other ones as soon as all edits up to here are made, with nothing
    /// lost.
    pub moves_today: usize,
    /// How many plans were made.
    pub plans: usize,
    /// Whether the search stopped because of that.
    pub stopped: bool,
}
