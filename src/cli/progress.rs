//! One line on standard error, at a terminal, while something takes longer than half a second.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::console::Console;

/// How long a step may take before it is spoken of, and how often the line is written again.
const PATIENCE: Duration = Duration::from_millis(500);

/// Runs `work`; at a terminal `say` tells what is being done, and of how much. The line is
/// written over, and gone in the end.
pub(super) fn watch<R>(
    console: &Console,
    say: impl Fn() -> String + Send,
    work: impl FnOnce() -> R,
) -> R {
    if !console.stderr || console.quiet {
        return work();
    }
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        // Without a thread for it nothing is said.
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            let mut said = String::new();
            while waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let line = say();
                if line != said {
                    // A terminal that cannot go back gets a line each time.
                    let back = if console.environment.dumb {
                        ""
                    } else {
                        "\r\u{1b}[K"
                    };
                    let end = if console.environment.dumb { "\n" } else { "" };
                    console.note(&format!("{back}{line}{end}"));
                    said = line;
                }
            }
            if !said.is_empty() && !console.environment.dumb {
                console.note("\r\u{1b}[K");
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// `Reading: 45 of 312 MB`
pub(super) fn reading((done, total): (usize, usize)) -> String {
    let mb = |bytes: usize| bytes.div_ceil(1_000_000);
    match total {
        0 => "Finding files…".to_owned(),
        _ => format!("Reading: {} of {} MB…", mb(done), mb(total)),
    }
}
