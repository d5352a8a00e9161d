//! The site's revision in git.

use std::env;
use std::path::PathBuf;

use crate::load::git::{Git, GitFault};
use crate::load::{self, Loaded, Request};

use super::session::Session;

/// The program `git`.
pub(super) fn git() -> Git {
    Git::on(env::var_os("PATH").as_deref())
}

/// The site as a git revision has it.
///
/// # Errors
/// See [`GitFault`].
pub(super) fn at_revision(revision: &str, session: &Session) -> Result<Request, GitFault> {
    let request = &session.request;
    let limit = request.limits.file_bytes;
    let mut paths = request.paths.clone();
    // Records are read where they lie in the repository, and nowhere else.
    let named = paths.len();
    paths.extend(request.records.clone());
    let git = git();
    let read = |paths: &[PathBuf]| git.read(revision, paths, &request.directory, limit);
    let snapshot = match read(&paths) {
        Err(GitFault::Outside(_)) => read(&paths[..named]),
        read => read,
    };
    Ok(Request {
        snapshot: Some(snapshot?),
        ..request.clone()
    })
}

/// The commit that holds the documents as they were read, if the one that is checked out does.
pub(super) fn revision(session: &Session, loaded: &Loaded) -> Option<String> {
    let request = &session.request;
    let head = git().head(&request.paths, &request.directory)?;
    let there = at_revision(&head, session).ok()?;
    let differs = load::changed(&there, loaded).ok()?;
    differs.is_none().then_some(head)
}
