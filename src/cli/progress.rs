//! One line on standard error, at a terminal, while something takes longer than a second: what is
//! done, how much of it, and how long the rest will take.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, Scope};
use std::time::Duration;

use crate::kit::progress::Progress;
use crate::load::Loaded;
use crate::options::{CheckOptions, Options};
use crate::page::layout::count;
use crate::plan::{self, Plan};
use crate::render::text::columns;
use crate::site::{self, Checked};

use super::console::Console;

/// How long a step may take before it is spoken of.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line is written again.
const BEAT: Duration = Duration::from_millis(250);
/// Columns of the bar where there is room for it.
const BAR: usize = 20;
/// A shorter one says nothing.
const SHORTEST: usize = 10;
/// Columns of all that follows the text but the bar: its brackets, the share, the time.
const TAIL: usize = 24;
/// The share, in hundredths, from which on the time that is left can be told.
const TELLING: usize = 3;

/// The work under way, and how much of it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Doing {
    text: String,
    done: usize,
    /// None where nobody knows.
    all: usize,
}

impl Doing {
    /// So much of so much.
    pub(super) fn new(text: impl Into<String>, (done, all): (usize, usize)) -> Self {
        let text = text.into();
        Self { text, done, all }
    }

    /// As much as the count says.
    pub(super) fn of(text: impl Into<String>, progress: &Progress) -> Self {
        Self::new(text, progress.read())
    }

    /// Hundredths that are done.
    fn share(&self) -> Option<usize> {
        let share = self.done.saturating_mul(100).checked_div(self.all)?;
        Some(share.min(100))
    }

    /// The line, after so much time, on so many columns: as much of it as fits, since a line that
    /// wraps cannot be written over.
    fn line(&self, time: Duration, width: usize) -> String {
        let fits = |line: &String| columns(line) < width;
        let text = &self.text;
        let Some(share) = self.share() else {
            return Some(text.clone()).filter(fits).unwrap_or_default();
        };
        let mut left = String::new();
        if share >= TELLING && self.done < self.all {
            let seconds = time.as_secs_f64() / self.done as f64 * (self.all - self.done) as f64;
            left = format!(", {} left", rounded(seconds));
        }
        let room = width.saturating_sub(columns(text) + TAIL + 1).min(BAR);
        let with_bar = (room >= SHORTEST).then(|| {
            let full = share * room / 100;
            let bar = "=".repeat(full) + &" ".repeat(room - full);
            format!("{text} [{bar}] {share} %{left}")
        });
        let without = [
            format!("{text}, {share} %{left}"),
            format!("{text}, {share} %"),
            format!("{share} %"),
        ];
        let lines = with_bar.into_iter().chain(without);
        lines.into_iter().find(fits).unwrap_or_default()
    }
}

impl<T: Into<String>> From<T> for Doing {
    fn from(text: T) -> Self {
        Self::new(text, (0, 0))
    }
}

/// Seconds as people say them.
fn rounded(seconds: f64) -> String {
    match seconds {
        ..90.0 => format!("{seconds:.0} s"),
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.0} h", seconds / 3600.0),
    }
}

/// Watches work that counts what it has done, out of so many.
pub(super) fn counted<R>(
    console: &Console,
    all: usize,
    text: impl Fn(usize) -> String + Send + Sync,
    work: impl FnOnce(&(dyn Fn() + Sync)) -> R,
) -> R {
    let progress = Progress::default();
    progress.begin(all);
    let say = || Doing::of(text(progress.read().0), &progress);
    watch(console, say, || work(&|| progress.add(1)))
}

/// Runs `work`; at a terminal `say` tells what is being done, and of how much. The line is
/// written over, and gone in the end.
pub(super) fn watch<R>(
    console: &Console,
    say: impl Fn() -> Doing + Send,
    work: impl FnOnce() -> R,
) -> R {
    if !console.stderr || console.quiet {
        return work();
    }
    // Who has waited for what came before does not wait again.
    static WAITED: AtomicBool = AtomicBool::new(false);
    let line = Line {
        patience: if WAITED.load(Ordering::Relaxed) {
            BEAT
        } else {
            PATIENCE
        },
        beat: BEAT,
        dumb: console.environment.dumb,
        width: console.width(),
        write: Box::new(|text: &str| {
            WAITED.store(true, Ordering::Relaxed);
            console.note(text);
        }),
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
    settings.progress.begin(0);
    let say = || {
        let text = format!("Checking {}", count(files, "file"));
        Doing::of(text, &settings.progress)
    };
    watch(console, say, || site::check(loaded, settings))
}

/// The plan of a site.
pub(super) fn plan<'s, 'a>(
    checked: &'s Checked<'a>,
    options: &Options,
    console: &Console,
) -> Plan<'s, 'a> {
    options.progress.begin(0);
    let say = || Doing::of(planning(checked), &options.progress);
    watch(console, say, || plan::make(checked, options))
}

/// The things being planned, with their number.
fn planning(site: &Checked<'_>) -> String {
    let parts = [
        (site.ocm.placements.len(), "Placement"),
        (site.hybrid.placement_rules.len(), "PlacementRule"),
        (site.ogc.applications.len(), "Application"),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts.map(|(number, noun)| count(*number, noun)).collect();
    match parts.as_slice() {
        [] => "Planning".to_owned(),
        some => format!("Planning {}", some.join(", ")),
    }
}

/// `Reading: 45 of 312 MB`
pub(super) fn reading((done, total): (usize, usize)) -> Doing {
    let mb = |bytes: usize| bytes.div_ceil(1_000_000);
    match total {
        0 => Doing::from("Finding files…"),
        _ => {
            let text = format!("Reading: {} of {} MB", mb(done), mb(total));
            Doing::new(text, (done, total))
        }
    }
}

/// A line that is written again and again.
struct Line<'a> {
    patience: Duration,
    beat: Duration,
    /// A terminal that cannot go back gets a new line each time, without a bar.
    dumb: bool,
    width: usize,
    write: Box<dyn Fn(&str) + Send + 'a>,
}

impl<'a> Line<'a> {
    fn watch<R>(self, say: impl Fn() -> Doing + Send, work: impl FnOnce() -> R) -> R {
        thread::scope(|scope| {
            let _done = self.begin(scope, Box::new(say));
            work()
        })
    }

    /// Writes the line from a thread of its own until the answer is dropped. Compiled once,
    /// whatever the work.
    fn begin<'s>(
        self,
        scope: &'s Scope<'s, '_>,
        say: Box<dyn Fn() -> Doing + Send + 's>,
    ) -> mpsc::Sender<()>
    where
        'a: 's,
    {
        let (done, waiting) = mpsc::channel::<()>();
        // Without a thread for it nothing is said.
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            let mut said = String::new();
            let (mut next, mut waited) = (self.patience, Duration::ZERO);
            while waiting.recv_timeout(next) == Err(RecvTimeoutError::Timeout) {
                waited += next;
                next = self.beat;
                let doing = say();
                let line = if self.dumb {
                    doing.text
                } else {
                    doing.line(waited, self.width)
                };
                if line == said {
                    continue;
                }
                (self.write)(&if self.dumb {
                    format!("{line}\n")
                } else {
                    format!("\r\u{1b}[K{line}")
                });
                said = line;
            }
            if !said.is_empty() && !self.dumb {
                (self.write)("\r\u{1b}[K");
            }
        });
        done
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    /// The output of work that ends when `lines` lines have been written.
    fn written(patience: Duration, dumb: bool, lines: usize) -> String {
        let (heard, hears) = mpsc::channel::<()>();
        let text = Mutex::new(String::new());
        let steps = AtomicUsize::new(1);
        let line = Line {
            patience,
            beat: Duration::ZERO,
            dumb,
            width: 80,
            write: Box::new(|piece: &str| {
                text.lock().expect("no panic").push_str(piece);
                let _ = heard.send(());
            }),
        };
        let say = || Doing::from(format!("step {} of 3", steps.load(Ordering::Relaxed)));
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
        assert_eq!(reading((0, 0)), Doing::from("Finding files…"));
        let some = reading((45_000_000, 311_000_001));
        assert_eq!(some.text, "Reading: 45 of 312 MB");
    }

    #[test]
    fn a_bar_has_share_and_time() {
        let line = |done, time, width| {
            Doing::new("Working", (done, 200)).line(Duration::from_secs(time), width)
        };
        assert_eq!(
            line(50, 10, 80),
            "Working [=====               ] 25 %, 30 s left"
        );
        assert_eq!(line(50, 10, 42), "Working [==        ] 25 %, 30 s left");
        assert_eq!(line(50, 100, 40), "Working, 25 %, 5 min left");
        assert_eq!(line(50, 100, 25), "Working, 25 %");
        assert_eq!(line(50, 100, 13), "25 %");
        assert_eq!(line(2, 10, 80), "Working [                    ] 1 %");
        assert_eq!(line(200, 10, 80), "Working [====================] 100 %");
        let unknown = Doing::from("Working…");
        assert_eq!(unknown.line(Duration::from_secs(9), 80), "Working…");
    }
}
