//! Why a command ends before its work: an error for standard error and a status.

use crate::config::rules::UNUSABLE;
use crate::diagnostic::{Diagnostic, Sink};
use crate::load::rules::{FAILED, NOT_FOUND};
use crate::source::Sources;

use super::exit::Exit;

/// An ending before the work.
#[derive(Debug)]
pub(super) struct Failure {
    /// The status.
    pub(super) exit: Exit,
    /// The message; nothing when it has been written.
    pub(super) error: Option<anyhow::Error>,
    /// The findings with their sources, if they have not been written.
    found: Option<Box<(Sink, Sources)>>,
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
        Self::of(exit, anyhow::Error::msg(message.into()))
    }

    /// An ending for an error.
    #[must_use]
    pub(super) fn of(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self {
            exit,
            error: Some(error.into()),
            found: None,
        }
    }

    /// The same, with what was being done or read: `doing: why`.
    #[must_use]
    pub(super) fn context(self, doing: impl Into<String>) -> Self {
        Self {
            error: self.error.map(|error| error.context(doing.into())),
            ..self
        }
    }

    /// An ending that has been explained already, by these findings.
    #[must_use]
    pub(super) fn said(exit: Exit, sink: Sink, sources: Sources) -> Self {
        Self {
            exit,
            error: None,
            found: Some(Box::new((sink, sources))),
        }
    }

    /// Why, as findings.
    pub(super) fn findings(&self) -> (Sink, Sources) {
        if let Some(found) = &self.found {
            return (**found).clone();
        }
        let rule = match self.exit {
            Exit::Config => &UNUSABLE,
            Exit::NoInput => &NOT_FOUND,
            _ => &FAILED,
        };
        let mut sink = Sink::default();
        if let Some(error) = &self.error {
            sink.push(Diagnostic::new(rule, format!("{error:#}")));
        }
        (sink, Sources::default())
    }

    /// The operating system did not do what was to be done (1).
    #[must_use]
    pub(super) fn system(error: std::io::Error, doing: impl Into<String>) -> Self {
        Self::of(Exit::Fault, error).context(doing)
    }
}
