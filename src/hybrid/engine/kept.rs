//! Which rounds of a rule are kept, and who sees them.

use super::{Keep, Round};

/// Sees each round as it ends.
pub(super) type Watch<'w> = &'w mut dyn FnMut(&Round);

/// Rounds up to which all are kept where the first and the last are.
const FULL: usize = 10;

/// The first and the last rounds that are kept of more: so many each.
pub(super) const ENDS: usize = 3;

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

    /// Whether the present round may be among those that are kept, where at least so many come
    /// after it, if that is known.
    pub(super) fn keeps(&self, to_come: Option<usize>) -> bool {
        match self.keep {
            Keep::Last => false,
            Keep::Ends => self.count <= FULL || to_come.is_none_or(|rounds| rounds <= ENDS),
            Keep::All => true,
        }
    }

    pub(super) fn push(&mut self, round: Option<Round>, watch: &mut Option<Watch<'_>>, last: bool) {
        let Some(round) = round else { return };
        if let Some(watch) = watch {
            watch(&round);
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
