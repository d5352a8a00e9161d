//! The last revision in git, planned once for each commit.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::diff::{Decisions, decisions};
use crate::workspace::{self, Job, Purpose, Snapshot};

/// A commit and its plan.
#[derive(Debug)]
pub(super) struct Head {
    /// The plan of the commit.
    pub(super) snapshot: Arc<Snapshot>,
    /// Its decisions.
    pub(super) decisions: Decisions,
}

/// The newest commit of a folder that was planned.
#[derive(Debug, Default)]
pub(super) struct Heads(Mutex<Option<(String, Option<Arc<Head>>)>>);

impl Heads {
    /// The plan of the commit that is checked out; none where there is none, or where it refuses
    /// documents.
    pub(super) fn of(&self, job: &Job) -> Option<Arc<Head>> {
        let paths: Vec<PathBuf> = job.request.paths.clone();
        let commit = workspace::git().head(&paths, &job.request.directory)?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, head)) = &*known
            && *of == commit
        {
            return head.clone();
        }
        let head = planned(job, &commit).map(Arc::new);
        *known = Some((commit, head.clone()));
        head
    }
}

fn planned(job: &Job, commit: &str) -> Option<Head> {
    let snapshot = job.at_revision(commit).ok()?.run(Purpose::Plan).ok()?;
    let decisions = decisions(snapshot.plan().shown()?);
    Some(Head {
        snapshot,
        decisions,
    })
}
