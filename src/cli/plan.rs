//! `planner plan`: load, check, plan, print, ask, record.

use std::io;
use std::path::{Path, PathBuf};

use crate::changes;
use crate::diagnostic::Sink;
use crate::kit::nearest::{hint, nearest};
use crate::load::display_name;
use crate::plan::{self, Plan, Quality};
use crate::render::text::Screen;
use crate::render::{diagnostics, json, text};
use crate::source::Sources;
use crate::why::Ways;

use super::args::{ConsentArgs, PlanArgs};
use super::confirm::{self, Choice, Question};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::PlanFormat;
use super::output::{Output, Outputs};
use super::progress;
use super::records;
use super::saved::{self, Target};
use super::session::{self, Session, keep};
use super::unanswered::Inputs;
use super::write;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output or record that cannot be written.
pub(super) fn run(args: &PlanArgs, console: &Console) -> Result<Exit, Failure> {
    if !args.without.is_empty() {
        return super::without::plan(args, console);
    }
    let outputs = args.output.outputs()?;
    check_section(args)?;
    if args.consent.yes && session::records_of(&args.input.paths, &args.common).is_none() {
        return Err(Failure::usage(
            "documents from standard input have no place for records; name one with --records",
        ));
    }
    let target = args.out.as_deref().map(|file| Target::of(file, args));
    let target = target.transpose()?;
    let inputs = Inputs::of(&args.common, &args.input.paths).and(&args.out);
    outputs.answer(&inputs, console, || {
        plan(args, target.as_ref(), &outputs, console)
    })
}

fn plan(
    args: &PlanArgs,
    target: Option<&Target<'_>>,
    outputs: &Outputs<PlanFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.input.paths, &args.common, console)?;
    if let Some(target) = target
        && target.there
    {
        session.request.never.extend(args.out.clone());
    }
    session.options.trace = args.trace;
    session.options.screen = outputs.has(PlanFormat::Text);
    let as_data = outputs.has(PlanFormat::Json) || outputs.has(PlanFormat::Yaml);
    session.options.sequential = as_data || target.is_some();
    session.options.packages.clone_from(&args.package);
    let session = keep(session);
    let loaded = keep(session.open(console)?);
    guard(outputs, target, session.inputs(loaded))?;
    let checked = keep(progress::check(loaded, &session.rules, console));
    session::check_packages(checked, &args.package)?;
    if session.options.allow_commands {
        confirm::watch_interrupts(console);
    }
    let plan = keep(progress::plan(checked, &session.options, console));
    let found = checked.report(&[&plan.findings]);
    let report = PlanReport {
        view: PlanView {
            section: args.section.as_deref(),
            trace: args.trace,
            changes_only: args.changes_only,
            detailed_exitcode: args.detailed_exitcode,
        },
        consent: args.consent,
        console,
        plan,
        found: &found,
        sources: &loaded.sources,
        jobs: session.options.jobs,
        origin: origin(session),
        record: record_name(plan, session).filter(|_| target.is_none()),
        ways: match args.trace && session.options.screen {
            true => changes::ways(plan, &session.options),
            false => Ways::new(),
        },
    };
    let nothing = session::nothing(checked, plan);
    report.write(outputs, nothing)?;
    if nothing {
        return Ok(Exit::NoInput);
    }
    if let Some(target) = target {
        let on_screen = outputs.for_people();
        return saved::save(target, plan, session, loaded, args, console, on_screen);
    }
    let status = report.status();
    if plan.result() != Quality::Ready || !plan.recordable {
        return Ok(status);
    }
    report.confirm_and_record(outputs, session, status)
}

/// Refuses to write over what was read; a plan saved earlier may be replaced.
fn guard(
    outputs: &Outputs<PlanFormat>,
    target: Option<&Target<'_>>,
    mut inputs: Vec<PathBuf>,
) -> Result<(), Failure> {
    let own = target.map(|target| target.path);
    if target.is_some_and(|target| target.there) {
        inputs.retain(|input| Some(input.as_path()) != own);
    }
    outputs.guard_with(own, &inputs)
}

/// The PATHs as a record names them.
fn origin(session: &Session) -> String {
    let paths = session.request.paths.iter();
    paths
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The file that Proceed writes, if there is anything to record and a place for it.
pub(super) fn record_name(plan: &Plan<'_, '_>, session: &Session) -> Option<String> {
    let directory = session.request.records.as_deref()?;
    if plan.result() != Quality::Ready || !plan.recordable {
        return None;
    }
    let number = records::next(directory, session.seen).ok()?;
    let path = records::path(directory, number, plan.contents().what());
    Some(path.to_string_lossy().into_owned())
}

fn check_section(args: &PlanArgs) -> Result<(), Failure> {
    let Some(section) = &args.section else {
        return Ok(());
    };
    if json::SECTIONS.contains(&section.as_str()) {
        return Ok(());
    }
    let near = nearest(section, json::SECTIONS.iter().copied());
    let hint = hint(near.as_slice());
    let list = json::SECTIONS.join(", ");
    Err(Failure::usage(format!(
        "there is no section \"{section}\" (there are {list}){hint}"
    )))
}

/// How a plan is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PlanView<'r> {
    /// The only section shown.
    pub(super) section: Option<&'r str>,
    /// With full lists of candidates.
    pub(super) trace: bool,
    /// Without what does not change.
    pub(super) changes_only: bool,
    /// With a status of its own if something would change.
    pub(super) detailed_exitcode: bool,
}

/// A plan on its way out: screens, data, the question, the record.
pub(super) struct PlanReport<'r, 's, 'a> {
    pub(super) view: PlanView<'r>,
    pub(super) consent: ConsentArgs,
    pub(super) console: &'r Console,
    pub(super) plan: &'r Plan<'s, 'a>,
    pub(super) found: &'r Sink,
    pub(super) sources: &'r Sources,
    pub(super) jobs: usize,
    /// What a record says it was made of.
    pub(super) origin: String,
    /// The file that Proceed writes.
    pub(super) record: Option<String>,
    /// What would make placeable what could not be placed.
    pub(super) ways: Ways,
}

impl PlanReport<'_, '_, '_> {
    pub(super) fn write(
        &self,
        outputs: &Outputs<PlanFormat>,
        nothing: bool,
    ) -> Result<(), Failure> {
        for output in outputs.answered() {
            match output.format {
                PlanFormat::Text if nothing => {}
                PlanFormat::Text => self.write_text(output)?,
                PlanFormat::Json => output.emit(self.console, |out| self.json(out))?,
                PlanFormat::Yaml => output.emit(self.console, |out| self.yaml(out))?,
            }
        }
        if outputs.for_people() {
            let look = self.console.look_on_stderr();
            self.console
                .err(&diagnostics::full(&self.shown(), self.sources, look));
        }
        if nothing {
            let read = self.plan.counts.read;
            self.console.err(&if read == 0 {
                "planner: nothing to plan: no document was found\n".to_owned()
            } else {
                format!("planner: nothing to plan: none of the {read} documents is ours\n")
            });
        }
        Ok(())
    }

    /// What the screen says itself is not said again on standard error.
    fn shown(&self) -> Sink {
        let said = |rule| self.plan.complete && text::on_screen(rule);
        self.found.filtered(|found| !said(found.rule))
    }

    fn write_text(&self, output: &Output<PlanFormat>) -> Result<(), Failure> {
        let screen = Screen {
            trace: self.view.trace,
            changes_only: self.view.changes_only,
            ..output.screen(self.console)
        };
        let mut page = match self.plan.shown() {
            Some(plan) => text::plan(plan, &self.ways, &screen, self.view.section),
            None => text::invalid(self.found, &screen),
        };
        if let Some(record) = &self.record {
            page.append(text::proceed(self.plan, record, &screen));
        }
        let text = page.write(&screen);
        output.emit(self.console, |out| out.write_all(text.as_bytes()))
    }

    fn json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let answer = json::PlanAnswer::new(self.plan, self.found, self.sources);
        match self.view.section {
            Some(name) => json::write_json(&json::section(&answer, name)?, out),
            None => answer.write_json(self.jobs, out),
        }
    }

    fn yaml(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let answer = json::PlanAnswer::new(self.plan, self.found, self.sources);
        match self.view.section {
            Some("placements") => json::write_decisions(self.plan, out),
            Some(name) => json::write_yaml(&json::section(&answer, name)?, out),
            None => json::write_yaml(&answer, out),
        }
    }

    fn status(&self) -> Exit {
        match self.plan.result() {
            Quality::Invalid => Exit::Fault,
            Quality::Unplaceable => Exit::Unplaceable,
            Quality::Ready if self.view.detailed_exitcode && self.plan.recordable => Exit::Changes,
            _ => Exit::Success,
        }
    }

    /// Asks, or says that nobody was asked; records what was approved.
    pub(super) fn confirm_and_record(
        &self,
        outputs: &Outputs<PlanFormat>,
        session: &Session,
        status: Exit,
    ) -> Result<Exit, Failure> {
        let directory = session.request.records.as_deref();
        let number = match directory {
            Some(directory) => records::next(directory, session.seen)?,
            None => 0,
        };
        if !self.consent.yes {
            if let Some(why) = self.why_not_ask(outputs, directory) {
                self.console.note(&format!(
                    "Not approved: nobody was asked ({why}). {} --yes proceeds.\n",
                    write::nothing_else()
                ));
                return Ok(status);
            }
            let confirmation = self.plan.confirmation();
            let question = Question {
                text: confirmation.question(),
                whole_word: confirmation.whole_word(),
            };
            self.console.err("\n");
            if confirm::at_terminal(self.console, question) == Choice::Cancel {
                self.console
                    .err(&format!("Cancelled. {}\n", write::nothing_else()));
                return Ok(Exit::NotApproved);
            }
        }
        let Some(directory) = directory else {
            return Ok(status);
        };
        let here = std::env::current_dir().unwrap_or_default();
        let recorded = self.plan.records(&plan::RecordHead {
            number,
            directory: &display_name(&directory.to_string_lossy(), &here.to_string_lossy()),
            origin: &self.origin,
        });
        session.unchanged(self.plan.site.loaded)?;
        confirm::claim_writing();
        let path = records::write(directory, session.seen, &recorded.what, &recorded.text)?;
        let name = crate::render::clean(&path.to_string_lossy()).into_owned();
        self.console.note(&format!("Wrote {name}\n"));
        Ok(status)
    }

    /// Why a person cannot be asked here.
    fn why_not_ask(
        &self,
        outputs: &Outputs<PlanFormat>,
        records: Option<&Path>,
    ) -> Option<&'static str> {
        let console = self.console;
        if !outputs.for_people() {
            Some("standard output is for a program")
        } else if self.consent.no_input {
            Some("--no-input")
        } else if console.environment.ci {
            Some("CI is set")
        } else if records.is_none() {
            Some("the documents came from standard input")
        } else if !console.can_ask() {
            Some("not at a terminal")
        } else {
            None
        }
    }
}
