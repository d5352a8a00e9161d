//! One line on standard error, at a terminal, while something takes longer than half a second.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::load::Loaded;
use crate::options::{CheckOptions, Options};
use crate::plan::{self, Plan};
use crate::render::text::layout::count;
use crate::site::{self, Checked};

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
    let line = Line {
        patience: PATIENCE,
        dumb: console.environment.dumb,
        write: |text: &str| console.note(text),
    };
    line.watch(say, work)
}

/// The site of what was read, judged.
pub(super) fn check<'a>(
    loaded: &'a Loaded,
    settings: &'a CheckOptions,
    console: &Console,
) -> Checked<'a> {
    let files = loaded.sources.files.len();
    let say = || format!("Checking {}…", count(files, "file"));
    watch(console, say, || site::check(loaded, settings))
}

/// The plan of a site.
pub(super) fn plan<'s, 'a>(
    checked: &'s Checked<'a>,
    options: &Options,
    console: &Console,
) -> Plan<'s, 'a> {
    let say = || planning(checked);
    watch(console, say, || plan::make(checked, options))
}

/// What is being planned, and how much of it.
fn planning(site: &Checked<'_>) -> String {
    let parts = [
        (site.ocm.placements.len(), "Placement"),
        (site.hybrid.placement_rules.len(), "PlacementRule"),
        (site.ogc.applications.len(), "Application"),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts.map(|(number, noun)| count(*number, noun)).collect();
    match parts.as_slice() {
        [] => "Planning…".to_owned(),
        some => format!("Planning {}…", some.join(", ")),
    }
}

/// `Reading: 45 of 312 MB…`
pub(super) fn reading((done, total): (usize, usize)) -> String {
    let mb = |bytes: usize| bytes.div_ceil(1_000_000);
    match total {
        0 => "Finding files…".to_owned(),
        _ => format!("Reading: {} of {} MB…", mb(done), mb(total)),
    }
}

/// A line that is written again and again.
struct Line<W> {
    patience: Duration,
    /// A terminal that cannot go back gets a new line each time.
    dumb: bool,
    write: W,
}

impl<W: Fn(&str) + Send> Line<W> {
    fn watch<R>(self, say: impl Fn() -> String + Send, work: impl FnOnce() -> R) -> R {
        let (done, waiting) = mpsc::channel::<()>();
        thread::scope(|scope| {
            // Without a thread for it nothing is said.
            let _ = thread::Builder::new().spawn_scoped(scope, move || {
                let mut said = String::new();
                while waiting.recv_timeout(self.patience) == Err(RecvTimeoutError::Timeout) {
                    let line = say();
                    if line == said {
                        continue;
                    }
                    (self.write)(&match self.dumb {
                        true => format!("{line}\n"),
                        false => format!("\r\u{1b}[K{line}"),
                    });
                    said = line;
                }
                if !said.is_empty() && !self.dumb {
                    (self.write)("\r\u{1b}[K");
                }
            });
            let result = work();
            drop(done);
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// What is written while work goes on that ends when `lines` lines have been.
    fn written(patience: Duration, dumb: bool, lines: usize) -> String {
        let (heard, hears) = mpsc::channel::<()>();
        let text = Mutex::new(String::new());
        let steps = AtomicUsize::new(1);
        let line = Line {
            patience,
            dumb,
            write: |piece: &str| {
                text.lock().expect("no panic").push_str(piece);
                let _ = heard.send(());
            },
        };
        let say = || format!("step {} of 3", steps.load(Ordering::Relaxed));
        line.watch(say, || {
            for line in 1..=lines {
                hears.recv().expect("a line");
                if line < lines {
                    steps.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        text.into_inner().expect("no panic")
    }

    #[test]
    fn each_step_is_said_once_over_the_last_and_the_line_is_gone_in_the_end() {
        assert_eq!(
            written(Duration::ZERO, false, 2),
            "\r\u{1b}[Kstep 1 of 3\r\u{1b}[Kstep 2 of 3\r\u{1b}[K"
        );
        assert_eq!(
            written(Duration::ZERO, true, 2),
            "step 1 of 3\nstep 2 of 3\n"
        );
    }

    #[test]
    fn what_is_quick_says_nothing() {
        assert_eq!(written(Duration::from_secs(3600), false, 0), "");
    }

    #[test]
    fn reading_says_of_how_much() {
        assert_eq!(reading((0, 0)), "Finding files…");
        assert_eq!(reading((45_000_000, 311_000_001)), "Reading: 45 of 312 MB…");
    }
}
