//! The end of a command, and the one place that writes it: each format, the findings, the exit
//! status.

mod out;

pub(super) use out::Out;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Severity, Sink, short_code};
use crate::document::Documents;
use crate::load::rules::TEMPLATE;
use crate::plan::Quality;
use crate::render::diagnostics::{self, Findings};
use crate::render::json::{self, Unanswered};
use crate::render::text;
use crate::site::Checked;
use crate::source::Sources;

use super::args::CommonArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::{Format, Program};
use super::inputs::Inputs;
use super::output::{Output, Outputs};
use super::progress::{self, Doing};
use super::session;
use out::Told;

/// The result of a command, with its findings.
pub(super) struct Answer<F> {
    data: Option<Box<dyn Data<F>>>,
    findings: Vec<(Sink, &'static Sources)>,
    outcome: Outcome,
    notes: String,
    said: Vec<String>,
    hub: Option<OfHub>,
    /// The command that lists all findings, where only what stops the run is told here.
    listed_by: Option<String>,
}

/// The snapshot of the hub that an answer was made with.
#[derive(Debug, Clone)]
struct OfHub {
    line: String,
    data: Value,
}

/// Data that a command writes in each of its formats.
pub(super) trait Data<F> {
    /// Writes one format.
    ///
    /// # Errors
    /// Any error from the writer.
    fn write(&self, format: F, out: &mut Out<'_>) -> io::Result<()>;
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Nothing is wrong.
    Fine,
    /// Something would change, and a status for it was asked for.
    Changes,
    /// Something cannot be placed, or fails.
    Unplaceable,
    /// Documents are at fault.
    Fault,
    /// There was nothing to do: standard error says so instead of the answer.
    Nothing(String),
    /// There was nothing to do, and the answer says so itself.
    Empty,
}

impl Outcome {
    /// The outcome of planning; `changes` if something would change and that has a status.
    pub(super) fn of(quality: Quality, changes: bool) -> Self {
        match quality {
            Quality::Invalid | Quality::Partial => Self::Fault,
            Quality::Unplaceable => Self::Unplaceable,
            _ if changes => Self::Changes,
            _ => Self::Fine,
        }
    }

    /// The worse of two outcomes; nothing to do is better than anything that was done.
    pub(super) fn worst(self, other: Self) -> Self {
        let rank = |outcome: &Self| match outcome {
            Self::Nothing(_) | Self::Empty => 0,
            Self::Fine => 1,
            Self::Changes => 2,
            Self::Unplaceable => 3,
            Self::Fault => 4,
        };
        if rank(&other) > rank(&self) {
            other
        } else {
            self
        }
    }

    /// There was nothing to do.
    pub(super) fn nothing(what: impl Into<String>) -> Self {
        Self::Nothing(what.into())
    }

    /// Whether there was nothing to do.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing(_) | Self::Empty)
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Fine => Exit::Success,
            Self::Changes => Exit::Changes,
            Self::Unplaceable => Exit::Unplaceable,
            Self::Fault => Exit::Fault,
            Self::Nothing(_) | Self::Empty => Exit::NoInput,
        }
    }
}

impl<F> Answer<F> {
    /// An answer and its outcome.
    pub(super) fn new(data: impl Data<F> + 'static, outcome: Outcome) -> Self {
        Self {
            data: Some(Box::new(data)),
            ..Self::without_data(outcome)
        }
    }

    /// With nothing to say but its findings.
    pub(super) fn without_data(outcome: Outcome) -> Self {
        Self {
            data: None,
            findings: Vec::new(),
            outcome,
            notes: String::new(),
            said: Vec::new(),
            hub: None,
            listed_by: None,
        }
    }

    /// Of the findings that the answer does not show, only those that stop it are told; the others
    /// are counted, with the command that lists them.
    pub(super) fn brief(mut self, command: Option<String>) -> Self {
        self.listed_by = command;
        self
    }

    /// Made with the snapshot of a hub, which every screen says first.
    pub(super) fn of_hub(self, site: &Checked<'static>) -> Self {
        let sources = site.documents.sources;
        let hub = site.hub.as_ref().map(|hub| {
            let data = serde_json::to_value(json::Hub::new(hub, sources));
            let line = text::hub(hub, sources, site.settings.now);
            (line, data.unwrap_or_default())
        });
        self.of_known_hub(hub)
    }

    /// The same by the line that screens begin with, and as data.
    pub(super) fn of_known_hub(mut self, hub: Option<(String, Value)>) -> Self {
        self.hub = hub.map(|(line, data)| OfHub { line, data });
        self
    }

    /// With findings, which go to standard error unless the answer shows them.
    pub(super) fn found(mut self, sink: Sink, sources: &'static Sources) -> Self {
        self.findings.push((sink, sources));
        self
    }

    /// With the errors among these findings.
    pub(super) fn errors(self, sink: &Sink, sources: &'static Sources) -> Self {
        self.found(sink.filtered(Diagnostic::is_error), sources)
    }

    /// With something more for people, unless they want results only.
    pub(super) fn note(mut self, text: impl AsRef<str>) -> Self {
        self.notes.push_str(text.as_ref());
        self
    }

    /// With something that is said in any case.
    pub(super) fn say(mut self, what: impl Into<String>) -> Self {
        self.said.push(what.into());
        self
    }
}

/// Whether a finding says why a plan is not made, or not of all that was read.
fn stops(found: &Diagnostic) -> bool {
    let is_missing = found.rule.code == TEMPLATE.code && found.severity == Severity::Warning;
    let lacks_all = short_code(found.rule.code) == "hybrid::no_inventory";
    found.is_error() || found.refuses || is_missing || lacks_all
}

/// A writer that counts the bytes it takes.
struct Counted<'w> {
    to: &'w mut dyn Write,
    written: &'w AtomicUsize,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.to.write(bytes)?;
        self.written.fetch_add(taken, Ordering::Relaxed);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// A run of a command that answers.
pub(super) struct Run<'r, F> {
    pub(super) common: &'r CommonArgs,
    pub(super) console: &'r Console,
    pub(super) outputs: Outputs<F>,
    inputs: Inputs,
}

impl<'r, F: Format> Run<'r, F> {
    /// A run that reads these PATHs.
    pub(super) fn new(
        common: &'r CommonArgs,
        paths: &[PathBuf],
        outputs: Outputs<F>,
        console: &'r Console,
    ) -> Self {
        Self {
            inputs: Inputs::of(common, paths),
            common,
            console,
            outputs,
        }
    }

    /// A run that reads other files and directories, too.
    pub(super) fn and(mut self, more: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        self.inputs = self.inputs.and(more);
        self
    }

    /// Lets the command make its answer and writes it. A command that fails without one, bad
    /// arguments and an interrupt apart, says so in each format for programs.
    ///
    /// # Errors
    /// Any error from the command; an output that cannot be written (1).
    pub(super) fn answer(
        &self,
        make: impl FnOnce() -> Result<Answer<F>, Failure>,
    ) -> Result<Exit, Failure> {
        match make() {
            Ok(answer) => self.send(session::keep(answer)),
            Err(failure) => {
                if !matches!(failure.exit, Exit::Usage | Exit::Interrupted) {
                    self.say_failed(&failure);
                }
                Err(failure)
            }
        }
    }

    fn send(&self, answer: &Answer<F>) -> Result<Exit, Failure> {
        let nothing = matches!(answer.outcome, Outcome::Nothing(_));
        let mut told = Told::None;
        for output in self.outputs.all() {
            let program = output.format.program();
            let seen = self.emit(output, |out| match (&answer.data, program) {
                (_, None) if nothing => Ok(()),
                (Some(data), _) => {
                    out.hub.clone_from(&answer.hub);
                    data.write(output.format, out)
                }
                (None, Some(program)) => {
                    let (sink, sources) = answer.findings.first().map_or_else(
                        || (Sink::default(), Sources::default()),
                        |(sink, sources)| (sink.clone(), (*sources).clone()),
                    );
                    self.unanswered(program, &sink, &sources, out)
                }
                (None, None) => Ok(()),
            })?;
            if output.file.is_none() {
                told = seen;
            }
        }
        let look = self.console.look_on_stderr();
        // At a terminal a blank line separates the answer from its findings.
        let mut gap = !nothing && self.console.stdout && self.console.stderr;
        let mut counted = Sink::default();
        for (sink, sources) in &answer.findings {
            let mut untold = sink.filtered(|found| !told.has(found));
            if answer.listed_by.is_some() {
                counted.append(untold.filtered(|found| !stops(found)));
                untold = untold.filtered(stops);
            }
            let text = diagnostics::full(&untold, sources, look);
            if gap && !text.is_empty() {
                self.console.err("\n");
                gap = false;
            }
            self.console.err(&text);
        }
        if let Some(command) = &answer.listed_by {
            let counts = diagnostics::counts(&counted);
            if !counts.is_empty() {
                self.console.note(&format!("{counts}: `{command}`\n"));
            }
        }
        self.console.note(&answer.notes);
        let mut found = answer
            .findings
            .iter()
            .flat_map(|(sink, _)| &sink.diagnostics);
        let nothing = match &answer.outcome {
            // That says it already.
            _ if found.any(diagnostics::is_missing_path) => None,
            Outcome::Nothing(what) => Some(what),
            _ => None,
        };
        for what in answer.said.iter().chain(nothing) {
            self.console.err(&format!("planner: {what}\n"));
        }
        Ok(answer.outcome.exit())
    }

    /// Writes one output and returns which findings it shows.
    fn emit(
        &self,
        output: &Output<F>,
        write: impl FnOnce(&mut Out<'_>) -> io::Result<()>,
    ) -> Result<Told, Failure> {
        let is_stdout = output.file.is_none();
        let mut look = self.console.look_on_stdout();
        look.color &= is_stdout;
        let mut told = Told::None;
        let written = AtomicUsize::new(0);
        let emit = || {
            output.emit(self.console, |to| {
                let mut counted = Counted {
                    to,
                    written: &written,
                };
                let mut out = Out {
                    screen: output.screen(self.console),
                    look,
                    is_stdout,
                    is_paged: is_stdout && self.console.pager && self.console.stdin,
                    to: &mut counted,
                    told: Told::None,
                    hub: None,
                };
                write(&mut out)?;
                told = out.told;
                Ok(())
            })
        };
        // Where the answer itself can be seen, nothing else is said.
        if is_stdout && self.console.stdout {
            emit()?;
        } else {
            let say = || {
                let written = written.load(Ordering::Relaxed);
                Doing::from(format!("Writing: {} MB so far…", written / 1_000_000))
            };
            progress::watch(self.console, say, emit)?;
        }
        Ok(told)
    }

    /// The answer of a run that ends without one, in the shape of the command's.
    fn unanswered(
        &self,
        program: Program,
        sink: &Sink,
        sources: &Sources,
        out: &mut Out<'_>,
    ) -> io::Result<()> {
        let now = session::now(self.common).unwrap_or_default();
        let answer = Unanswered::new(F::KIND, now, sink, sources);
        match program {
            Program::Json => out.json(&answer),
            Program::Yaml => out.yaml(&answer),
            // Without rows there is nothing to say.
            Program::Table => Ok(()),
            Program::Tool(tool) => {
                let documents = Documents {
                    sources,
                    made: &OnceLock::new(),
                    generated: &OnceLock::new(),
                    repositories: Vec::new(),
                    templates: Vec::new(),
                    all: Vec::new(),
                };
                let findings = Findings {
                    sink,
                    documents: &documents,
                    prefix: "",
                    fails: Severity::Error,
                };
                out.tool(tool, findings)
            }
        }
    }

    fn say_failed(&self, failure: &Failure) {
        let (sink, sources) = failure.findings();
        for output in self.outputs.all() {
            let Some(program) = output.format.program() else {
                continue;
            };
            if let Some(file) = &output.file
                && !self.outputs.are_guarded()
                && !self.inputs.is_free(file)
            {
                let file = file.display().to_string();
                let file = crate::render::clean(&file);
                self.console.err(&format!(
                    "planner: {file} is unchanged: it may be one of the inputs\n"
                ));
                continue;
            }
            // The first failure is the one that counts.
            let _ = self.emit(output, |out| self.unanswered(program, &sink, &sources, out));
        }
    }
}
