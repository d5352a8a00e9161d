//! One line on standard error when reading takes longer than a second.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::console::Console;

/// Runs `work`; at a terminal says after a second that it is still going on.
pub(super) fn watch<R>(console: &Console, work: impl FnOnce() -> R) -> R {
    if !console.stderr || console.quiet {
        return work();
    }
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                console.note("Reading the site…\n");
            }
        });
        let result = work();
        drop(done);
        result
    })
}
