//! Why a command ends before its work: a line for standard error and a status.

use super::exit::Exit;

/// An ending before the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The status.
    pub exit: Exit,
    /// What to say; nothing when it has been said.
    pub message: String,
}

impl Failure {
    /// Bad arguments: 64.
    #[must_use]
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
        }
    }

    /// Any other ending.
    #[must_use]
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }
}
