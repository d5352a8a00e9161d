//! The overall result of a plan.

/// The overall result of a plan or a section: that of its worst part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quality {
    /// Everything stays as it is.
    Unchanged,
    /// It can be applied.
    Ready,
    /// At least one item cannot be placed.
    Unplaceable,
    /// Some objects were refused; the rest is planned.
    Partial,
    /// Documents were refused.
    Invalid,
}

impl Quality {
    /// The word in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Ready => "ready",
            Self::Unplaceable => "unplaceable",
            Self::Partial => "partial",
            Self::Invalid => "invalid",
        }
    }

    /// The outcome of a comparison: failures of the later plan, else whether anything moves.
    #[must_use]
    pub fn compared(self, moved: bool) -> Self {
        match self {
            Self::Invalid | Self::Partial | Self::Unplaceable => self,
            _ => Self::of(false, moved),
        }
    }

    pub(super) fn of(unplaceable: bool, changed: bool) -> Self {
        match (unplaceable, changed) {
            (true, _) => Self::Unplaceable,
            (false, true) => Self::Ready,
            (false, false) => Self::Unchanged,
        }
    }
}
