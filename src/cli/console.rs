//! The three streams: who is a terminal, how wide, how coloured. The only place that writes.

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

use supports_hyperlinks::Stream;

use crate::render::diagnostics::Look;
use crate::render::text::{Screen, columns, wrap};

use super::failure::Failure;

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ColorChoice {
    /// On terminals, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The environment as far as it matters to screens and questions.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `CLICOLOR_FORCE` is set and not `0`.
    pub force_color: bool,
    /// `TERM` is `dumb`.
    pub dumb: bool,
    /// `CI` is set and not empty, `0` or `false`.
    pub ci: bool,
    /// `COLUMNS`.
    pub columns: Option<usize>,
    /// The locale speaks UTF-8.
    pub utf8: bool,
}

impl Environment {
    /// Reads it from the process.
    #[must_use]
    pub fn read() -> Self {
        let text = |name: &str| env::var_os(name).unwrap_or_default();
        let set = |name: &str| {
            let value: OsString = text(name);
            !value.is_empty() && value != "0"
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .map(|name| text(name))
            .find(|value| !value.is_empty())
            .map(|value| value.to_string_lossy().to_lowercase());
        Self {
            no_color: !text("NO_COLOR").is_empty(),
            force_color: set("CLICOLOR_FORCE"),
            dumb: text("TERM") == "dumb",
            ci: set("CI") && text("CI") != "false",
            columns: text("COLUMNS")
                .to_str()
                .and_then(|columns| columns.parse().ok()),
            utf8: cfg!(windows)
                || locale.is_some_and(|l| l.contains("utf-8") || l.contains("utf8")),
        }
    }

    /// Whether a stream is coloured.
    #[must_use]
    pub fn color(&self, choice: ColorChoice, terminal: bool) -> bool {
        match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if self.no_color => false,
            ColorChoice::Auto if self.force_color => true,
            ColorChoice::Auto => terminal && !self.dumb,
        }
    }
}

/// The streams of this run.
#[derive(Debug, Clone)]
pub struct Console {
    /// The environment.
    pub environment: Environment,
    /// `--color`.
    pub choice: ColorChoice,
    /// `--quiet`: only results and questions.
    pub quiet: bool,
    /// Long screens go through a pager.
    pub pager: bool,
    /// Standard input is a terminal.
    pub stdin: bool,
    /// Standard output is a terminal.
    pub stdout: bool,
    /// Standard error is a terminal.
    pub stderr: bool,
}

impl Console {
    /// The streams as they are.
    #[must_use]
    pub fn new(choice: ColorChoice, quiet: bool, pager: bool) -> Self {
        Self {
            environment: Environment::read(),
            choice,
            quiet,
            pager,
            stdin: io::stdin().is_terminal(),
            stdout: io::stdout().is_terminal(),
            stderr: io::stderr().is_terminal(),
        }
    }

    /// Columns of the terminal.
    pub(super) fn width(&self) -> usize {
        let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        terminal.or(self.environment.columns).unwrap_or(80).max(20)
    }

    /// Lines of the terminal.
    fn height(&self) -> Option<usize> {
        let (_, height) = terminal_size::terminal_size()?;
        Some(usize::from(height.0)).filter(|height| *height > 0)
    }

    /// Standard output as a screen for plans.
    #[must_use]
    pub fn screen(&self) -> Screen {
        Screen {
            width: self.stdout.then(|| self.width()),
            height: self.height().filter(|_| self.stdout),
            color: self.environment.color(self.choice, self.stdout),
            trace: false,
            changes_only: false,
        }
    }

    /// Standard output, if it is a terminal.
    #[must_use]
    pub fn terminal(&self) -> Option<Screen> {
        self.stdout.then(|| self.screen())
    }

    /// How findings look on standard output.
    #[must_use]
    pub fn look_on_stdout(&self) -> Look {
        self.look_on(self.stdout, Stream::Stdout)
    }

    /// How findings look on standard error.
    #[must_use]
    pub fn look_on_stderr(&self) -> Look {
        self.look_on(self.stderr, Stream::Stderr)
    }

    fn look_on(&self, terminal: bool, stream: Stream) -> Look {
        let plain = self.choice == ColorChoice::Never || self.environment.dumb;
        Look {
            links: terminal && !plain && supports_hyperlinks::on(stream),
            width: if terminal { self.width().min(100) } else { 100 },
            screen: terminal.then(|| self.width()),
            color: self.environment.color(self.choice, terminal),
            unicode: self.environment.utf8,
        }
    }

    /// Whether a person can be asked.
    #[must_use]
    pub fn can_ask(&self) -> bool {
        self.stdin && self.stdout && self.stderr && !self.environment.ci
    }

    /// Writes a result; a reader that has gone away is not an error.
    ///
    /// # Errors
    /// Any error from the operating system but a closed pipe.
    pub(super) fn out(&self, text: &str) -> Result<(), Failure> {
        self.stream(|out| out.write_all(text.as_bytes()))
            .map_err(|error| Failure::system(error, "cannot write standard output"))
    }

    /// Writes a long result piece by piece.
    ///
    /// # Errors
    /// Any error from the operating system but a closed pipe.
    pub fn stream(
        &self,
        write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
        match write(&mut out).and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                // What is still buffered has no reader; dropping it must not fail loudly.
                let _ = out.into_parts();
                Ok(())
            }
            result => result,
        }
    }

    /// Writes to standard error, even when quiet. At a terminal, sentences are filled to its width;
    /// what is indented stays as it is.
    pub fn err(&self, text: &str) {
        let text = if self.stderr {
            filled(text, self.width())
        } else {
            Cow::Borrowed(text)
        };
        let mut err = io::stderr().lock();
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }

    /// Writes a note to standard error, unless quiet.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.err(text);
        }
    }
}

/// The text, with sentences wrapped to this width.
fn filled(text: &str, width: usize) -> Cow<'_, str> {
    let is_long = |line: &str| {
        !line.starts_with(' ') && !line.contains('\u{1b}') && columns(line.trim_end()) > width
    };
    if !text.lines().any(is_long) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n');
    let lines = lines.map(|line| {
        if !is_long(line) {
            Cow::Borrowed(line)
        } else {
            let end = if line.ends_with('\n') { "\n" } else { "" };
            let filled = wrap(line.trim_end_matches('\n'), Some(width), 4);
            Cow::Owned(filled.join("\n") + end)
        }
    });
    Cow::Owned(lines.collect())
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn sentences_are_filled_and_nothing_else_changes() {
        let text = "one two three\n  four five six\n\u{1b}[1mseven eight nine\u{1b}[0m\n";
        assert_eq!(
            filled(text, 9),
            "one two\n    three\n  four five six\n\u{1b}[1mseven eight nine\u{1b}[0m\n"
        );
        assert_eq!(filled("Proceed? ", 8), "Proceed? ");
    }
}
