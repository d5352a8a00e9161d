//! The plan: the answers of all systems, and what they amount to. Data only.

use jiff::Timestamp;

use crate::site::Counts;

/// What a plan amounts to; the worst of its sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quality {
    /// Everything stays as it is.
    Unchanged,
    /// It can be carried out.
    Ready,
    /// At least one item cannot be placed.
    Unplaceable,
    /// Documents were refused.
    Invalid,
}

impl Quality {
    /// The word of the contract.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Ready => "ready",
            Self::Unplaceable => "unplaceable",
            Self::Invalid => "invalid",
        }
    }
}

/// The answers of all systems; a section is `None` where the site holds nothing for it.
#[derive(Debug)]
pub struct Plan {
    /// The instant everything was judged at.
    pub now: Timestamp,
    /// How the documents were counted.
    pub counts: Counts,
}
