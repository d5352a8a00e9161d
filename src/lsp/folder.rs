//! A folder of the editor: its workspace, what has been asked of it, and its newest state.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::workspace::{Fault, Workspace};

use super::head::Heads;
use super::view::{ByUri, View, real};

/// How long nothing may change before a site is read again.
pub(super) const REST: Duration = Duration::from_millis(100);
/// The longest that it waits for that.
const PATIENCE: Duration = Duration::from_secs(1);

/// A folder, or a file that lies in none.
pub(super) struct Folder {
    /// Where it is.
    pub(super) root: PathBuf,
    /// Its texts.
    pub(super) workspace: Workspace,
    /// Whether it is a single file, of which only the structure is judged.
    pub(super) is_file: bool,
    /// The generation of the newest change.
    pub(super) changed: u64,
    /// The generation that is being read.
    pub(super) reading: Option<u64>,
    /// The newest state that was read.
    pub(super) view: Option<Arc<View>>,
    /// The diagnostics of what keeps it from being read.
    pub(super) faults: ByUri,
    /// The generation of that state.
    pub(super) read: u64,
    /// The diagnostics of it that the editor shows, by URI.
    pub(super) shown: ByUri,
    /// Its faults as a whole, as they were last said.
    pub(super) said: Option<String>,
    /// Whether it is so large that it is read again only when files are saved.
    pub(super) is_large: bool,
    /// Whether there is no room for two states at once.
    pub(super) is_heavy: bool,
    /// The last revision in git.
    pub(super) heads: Arc<Heads>,
    first: Option<Instant>,
    due: Option<Instant>,
}

impl Folder {
    /// A folder that is yet to be read.
    ///
    /// # Errors
    /// It cannot be a workspace.
    pub(super) fn new(root: PathBuf, is_file: bool) -> Result<Self, Fault> {
        // Files beside a single file are not read, but may say that it is not.
        let may_read = match root.parent().filter(|_| is_file) {
            Some(parent) => parent.to_path_buf(),
            None => root.clone(),
        };
        let workspace = Workspace::new(&[may_read])?.with_kept_models();
        let root = real(root);
        Ok(Self {
            root,
            workspace,
            is_file,
            changed: 1,
            reading: None,
            view: None,
            faults: ByUri::new(),
            read: 0,
            shown: ByUri::new(),
            said: None,
            is_large: false,
            is_heavy: false,
            heads: Arc::default(),
            first: None,
            due: None,
        })
    }

    /// Whether a path lies in it.
    pub(super) fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.root)
    }

    /// Notes a change: it is read when nothing has changed for a while.
    pub(super) fn change(&mut self, now: Instant) -> u64 {
        self.changed += 1;
        let first = *self.first.get_or_insert(now);
        self.due = Some((now + REST).min(first + PATIENCE));
        self.changed
    }

    /// Notes a change of a site that is too large to be read at every key: it waits for a save.
    pub(super) fn change_later(&mut self) -> u64 {
        self.changed += 1;
        self.changed
    }

    /// Notes that something on the disk has changed, its configuration for one.
    pub(super) fn touch(&mut self, now: Instant) {
        self.workspace.touch();
        self.heads = Arc::default();
        self.change(now);
    }

    /// To be read at once.
    pub(super) fn hurry(&mut self, now: Instant) {
        self.due = Some(now);
    }

    /// When it is to be read; not while it is.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due.filter(|_| self.reading.is_none())
    }

    /// Begins to read it. Gives the generation, and the state that there is no more room for.
    pub(super) fn begin(&mut self) -> (u64, Option<Arc<View>>) {
        self.first = None;
        self.due = None;
        self.reading = Some(self.changed);
        let last = self.view.take_if(|_| self.is_heavy);
        (self.changed, last)
    }

    /// Whether what is being read, or waits to be, is newer than what was read.
    pub(super) fn is_behind(&self) -> bool {
        self.reading.is_some() || self.due.is_some()
    }
}
