//! The sign that says how a subject changes.

/// How the subject of a row changes, in the order of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// `=`: it stays as it is.
    Same,
    /// `+`: it is new.
    New,
    /// `~`: it changes.
    Changed,
    /// `-`: it goes.
    Gone,
    /// `!`: it cannot be placed, or is lost.
    Failed,
}

impl Mark {
    /// All marks, in the order of the screen.
    pub const ALL: [Self; 5] = [
        Self::Same,
        Self::New,
        Self::Changed,
        Self::Gone,
        Self::Failed,
    ];

    /// The character in column one.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Same => "=",
            Self::New => "+",
            Self::Changed => "~",
            Self::Gone => "-",
            Self::Failed => "!",
        }
    }

    /// The word in data.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::New => "new",
            Self::Changed => "changed",
            Self::Gone => "gone",
            Self::Failed => "failed",
        }
    }
}
