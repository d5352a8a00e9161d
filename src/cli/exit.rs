//! Exit statuses.

/// The exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Fine.
    Success,
    /// The documents are at fault.
    Fault,
    /// `--detailed-exitcode`, and something would change.
    Changes,
    /// At least one item cannot be placed.
    Unplaceable,
    /// Asked, and not approved.
    NotApproved,
    /// Bad arguments.
    Usage,
    /// Nothing to do.
    NoInput,
    /// Bad configuration.
    Config,
    /// Interrupted.
    Interrupted,
}

impl Exit {
    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Fault => 1,
            Self::Changes => 2,
            Self::Unplaceable => 3,
            Self::NotApproved => 4,
            Self::Usage => 64,
            Self::NoInput => 66,
            Self::Config => 78,
            Self::Interrupted => 130,
        }
    }
}
