//! Edits that fix a finding.

use crate::source::Place;

/// Whether an edit can change what the document means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applicability {
    /// It cannot; `--fix` applies it.
    Safe,
    /// It might; it is shown, and applied only when asked for by name.
    Unsafe,
}

/// A replacement of bytes in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The text to replace; an empty span inserts.
    pub place: Place,
    /// The new text.
    pub text: String,
}

/// A named set of edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The effect, as an imperative: `quote it`.
    pub title: String,
    /// Whether it can change meaning.
    pub applicability: Applicability,
    /// The edits, none overlapping.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A safe replacement of one place.
    #[must_use]
    pub fn replace(title: impl Into<String>, place: Place, text: impl Into<String>) -> Self {
        let edits = vec![Edit {
            place,
            text: text.into(),
        }];
        Self {
            title: title.into(),
            applicability: Applicability::Safe,
            edits,
        }
    }

    /// Marks the fix as one that can change what the document means.
    #[must_use]
    pub fn risky(mut self) -> Self {
        self.applicability = Applicability::Unsafe;
        self
    }
}
