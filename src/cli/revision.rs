//! The site's revision in git.

use crate::load::{self, Loaded};
use crate::workspace::{at_revision, git};

use super::session::Session;

/// The commit that holds the documents as they were read, if the one that is checked out does.
pub(super) fn revision(session: &Session, loaded: &Loaded) -> Option<String> {
    let request = &session.request;
    let head = git().head(&request.paths, &request.directory)?;
    let there = at_revision(&head, request).ok()?;
    let differs = load::changed(&there, loaded).ok()?;
    differs.is_none().then_some(head)
}
