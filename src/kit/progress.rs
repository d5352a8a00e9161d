//! How far something long has come, for a watcher on another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The count of one whole thing if its parts are counted, too.
pub const UNIT: usize = 1000;

/// How much there is to do, and how much of it is done. Copies share the count, which comparisons
/// ignore.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    total: AtomicUsize,
    done: AtomicUsize,
}

impl Progress {
    /// Starts again, with this much to do.
    pub fn begin(&self, total: usize) {
        self.counts.done.store(0, Ordering::Relaxed);
        self.counts.total.store(total, Ordering::Relaxed);
    }

    /// So much more is done.
    pub fn add(&self, more: usize) {
        self.counts.done.fetch_add(more, Ordering::Relaxed);
    }

    /// So much less is to be done than was said.
    pub fn lower(&self, less: usize) {
        self.counts.total.fetch_sub(less, Ordering::Relaxed);
    }

    /// How much is done, of how much; no total before it has begun.
    #[must_use]
    pub fn read(&self) -> (usize, usize) {
        let done = self.counts.done.load(Ordering::Relaxed);
        (done, self.counts.total.load(Ordering::Relaxed))
    }
}

impl PartialEq for Progress {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Progress {}
