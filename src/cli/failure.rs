//! Why a command ends before its work: an error for standard error and a status.

use super::exit::Exit;

/// An ending before the work.
#[derive(Debug)]
pub(super) struct Failure {
    /// The status.
    pub(super) exit: Exit,
    /// What to say; nothing when it has been said.
    pub(super) error: Option<anyhow::Error>,
}

impl Failure {
    /// Bad arguments: 64.
    #[must_use]
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Any other ending.
    #[must_use]
    pub(super) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            error: Some(anyhow::Error::msg(message.into())),
        }
    }

    /// An ending that has been explained already.
    #[must_use]
    pub(super) fn said(exit: Exit) -> Self {
        Self { exit, error: None }
    }

    /// The operating system did not do what was to be done (1).
    #[must_use]
    pub(super) fn system(error: std::io::Error, doing: impl Into<String>) -> Self {
        Self {
            exit: Exit::Fault,
            error: Some(anyhow::Error::new(error).context(doing.into())),
        }
    }
}
