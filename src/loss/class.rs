//! How bad a loss is.

use serde::{Deserialize, Serialize};

/// How bad a loss is, the worst first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "camelCase")]
pub enum Class {
    /// The deployment fails, or a critical group does.
    Fatal,
    /// A subject cannot be placed any more.
    Unplaceable,
    /// Volumes are left behind.
    Volumes,
    /// A subject has fewer clusters.
    Fewer,
    /// A subject moves.
    Moves,
    /// Nothing.
    #[default]
    None,
}

impl Class {
    /// The word in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fatal => "fatal",
            Self::Unplaceable => "unplaceable",
            Self::Volumes => "volumes",
            Self::Fewer => "fewer",
            Self::Moves => "moves",
            Self::None => "none",
        }
    }
}
