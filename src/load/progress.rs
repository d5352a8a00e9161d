//! How far reading has come, for a watcher on another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of text: how many there are, and how many have been read. Copies share the count.
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
    pub(super) fn begin(&self, total: usize) {
        self.counts.done.store(0, Ordering::Relaxed);
        self.counts.total.store(total, Ordering::Relaxed);
    }

    pub(super) fn add(&self, bytes: usize) {
        self.counts.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes read, of how many; no total while files are being found.
    #[must_use]
    pub fn read(&self) -> (usize, usize) {
        let done = self.counts.done.load(Ordering::Relaxed);
        (done, self.counts.total.load(Ordering::Relaxed))
    }
}
