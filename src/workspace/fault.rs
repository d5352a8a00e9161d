//! Why there is no snapshot of a site.

use std::fmt;
use std::path::PathBuf;

use crate::diagnostic::Sink;
use crate::load::Refusal;
use crate::load::git::{GitFault, PATIENCE};
use crate::source::Sources;

/// Why there is no snapshot of a site: the call is at fault, not a document.
#[derive(Debug)]
pub enum Fault {
    /// A path lies outside of the directories that may be read.
    Outside(PathBuf),
    /// There is nothing of that name.
    Missing(PathBuf),
    /// The configuration cannot be used.
    Config(Sink, Sources),
    /// The baseline cannot be used: the file, and why.
    Baseline(PathBuf, String),
    /// The request cannot be understood.
    Refused(Refusal),
    /// A revision cannot be read: its name, and why.
    Revision(String, GitFault),
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside(path) => {
                let path = path.display();
                write!(
                    to,
                    "{path} lies outside of the directories that may be read"
                )
            }
            Self::Missing(path) => {
                write!(to, "there is no file or directory {}", path.display())
            }
            Self::Config(sink, sources) => {
                let messages = sink.diagnostics.iter().map(|found| {
                    let place = found.primary.as_ref().map(|label| label.place);
                    let place = place.map(|place| format!("{}: ", sources.describe(place)));
                    format!("{}{}", place.unwrap_or_default(), found.message)
                });
                to.write_str(&messages.collect::<Vec<_>>().join("; "))
            }
            Self::Baseline(path, why) => write!(to, "the baseline {}: {why}", path.display()),
            Self::Refused(refusal) => write!(to, "{refusal}"),
            Self::Revision(name, fault) => {
                write!(to, "revision {name}: ")?;
                match fault {
                    GitFault::NoGit(why) => write!(to, "git cannot be run: {why}"),
                    GitFault::NoRepository(home) => {
                        write!(to, "{} is not in a git repository", home.display())
                    }
                    GitFault::OtherOwner(home) => write!(
                        to,
                        "the git repository of {} belongs to another user; `git config --global \
                         --add safe.directory DIRECTORY` says that you trust it",
                        home.display()
                    ),
                    GitFault::NoRevision => to.write_str("there is no such git revision"),
                    GitFault::Outside(path) => {
                        write!(to, "{} is outside the git repository", path.display())
                    }
                    GitFault::Hangs => {
                        write!(to, "git did not respond for {} s", PATIENCE.as_secs())
                    }
                    GitFault::TooLarge(why) | GitFault::Broken(why) => to.write_str(why),
                }
            }
        }
    }
}

impl std::error::Error for Fault {}
