//! `planner apply`: plan again, compare with what was saved, ask, record.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use serde_json::{Value, json};

use crate::load::Loaded;
use crate::plan::{self, Plan, Quality};
use crate::render::text;
use crate::render::{clean, diagnostics, json};
use crate::saved::{Present, SavedPlan, Stale, compare};
use crate::site;
use crate::why::Ways;

use super::super::args::{ApplyArgs, CommonArgs};
use super::super::confirm;
use super::super::console::Console;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::formats::PlanFormat;
use super::super::output::{Output, Outputs};
use super::super::plan::{PlanReport, PlanView, record_name};
use super::super::session::{Session, keep};
use super::super::unanswered::Inputs;
use super::{earlier, file};

/// The site of a saved plan, planned as it is now.
pub(super) struct Replanned {
    /// How it was read.
    pub(super) session: &'static Session,
    /// What was read.
    pub(super) loaded: &'static Loaded,
    /// The plan.
    pub(super) plan: &'static Plan<'static, 'static>,
}

impl Replanned {
    /// Plans the PATHs of a saved plan with its options.
    ///
    /// # Errors
    /// Other options or PATHs (64), a bad configuration (78), no such site (1).
    pub(super) fn of(
        saved: &SavedPlan,
        file: &Path,
        typed: &CommonArgs,
        console: &Console,
    ) -> Result<Self, Failure> {
        let name = clean(&file.to_string_lossy()).into_owned();
        let (common, packages) = file::with_options(saved, typed, &name)?;
        let own = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        file::go_home(saved, file)?;
        let paths: Vec<_> = saved.paths.iter().map(Into::into).collect();
        let mut session = Session::new(&paths, &common, console)?;
        session.options.packages = packages;
        session.request.never.push(own);
        let session = keep(session);
        let loaded = keep(session.open(console)?);
        let checked = keep(site::check(loaded, &session.rules));
        let plan = keep(plan::make(checked, &session.options));
        Ok(Self {
            session,
            loaded,
            plan,
        })
    }

    /// Holds the saved plan against this one.
    pub(super) fn compare(&self, saved: &SavedPlan) -> Result<Stale, Failure> {
        let basis = file::basis(self.plan, self.session.seen);
        let outcome = earlier::outcome(self.plan, self.loaded)?;
        let documents = file::documents(self.loaded);
        let used = self.session.request.records.as_deref();
        let used = used.and_then(|directory| used_by(directory, saved));
        Ok(compare(
            saved,
            Present {
                outcome: &outcome,
                basis: &basis,
                documents: &documents,
                used,
            },
        ))
    }
}

/// The record that carrying out this plan wrote: its first line names the digest.
fn used_by(directory: &Path, saved: &SavedPlan) -> Option<u64> {
    let entries = fs::read_dir(directory).ok()?;
    let mut used = None;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
        let Ok(number) = digits.parse::<u64>() else {
            continue;
        };
        if number <= saved.basis.records || !entry.path().is_file() {
            continue;
        }
        let Ok(file) = fs::File::open(entry.path()) else {
            continue;
        };
        let mut line = String::new();
        let read = BufReader::new(file.take(1 << 16)).read_line(&mut line);
        if read.is_ok() && line.starts_with('#') && line.contains(&saved.digest) {
            used = used.max(Some(number));
        }
    }
    used
}

/// Runs the command.
///
/// # Errors
/// A file that is not a saved plan, or another than was approved (1, 66, 78); other options (64).
pub(in crate::cli) fn run(args: &ApplyArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?.absolute()?;
    let inputs = Inputs::of(&args.common, &args.paths).and([&args.file]);
    outputs.answer(&inputs, console, || apply(args, &outputs, console))
}

fn apply(
    args: &ApplyArgs,
    outputs: &Outputs<PlanFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let saved = file::read(&args.file)?;
    let name = clean(&args.file.to_string_lossy()).into_owned();
    if let Some(wanted) = &args.digest
        && *wanted != saved.digest
    {
        return Err(Failure::new(
            Exit::Fault,
            format!(
                "{name} is not the plan that was approved: its digest is {}, not {}; \
                 nothing was written",
                saved.digest,
                clean(wanted)
            ),
        ));
    }
    same_paths(&saved, args, &name)?;
    let again = Replanned::of(&saved, &args.file, &args.common, console)?;
    let plan = again.plan;
    outputs.guard(&again.session.inputs(again.loaded))?;
    if again.session.options.allow_commands {
        confirm::watch_interrupts(console);
    }
    let found = plan.site.report(&[&plan.findings]);
    let origin = format!("{} saved as {}", saved.paths.join(" "), saved.digest);
    let report = PlanReport {
        view: PlanView {
            changes_only: true,
            ..PlanView::default()
        },
        consent: args.consent,
        console,
        plan,
        found: &found,
        sources: &again.loaded.sources,
        jobs: again.session.options.jobs,
        origin,
        record: record_name(again.plan, again.session),
        ways: Ways::new(),
    };
    if plan.result() == Quality::Invalid {
        report.write(outputs, false)?;
        console.err(&format!(
            "planner: {name} was not applied: documents are refused now\n"
        ));
        return Ok(Exit::Fault);
    }
    let mut stale = again.compare(&saved)?;
    if stale.is_stale() {
        stale.diff = earlier::explained(stale.diff, &saved, plan, again.session, console);
        let diagnostics = || diagnostics::json(&found, &again.loaded.sources);
        for output in outputs.answered() {
            let diff = Some(&stale.diff);
            let answer =
                json::PlanDiff::new(plan.now, &name, plan.result().word(), diff, diagnostics());
            write_stale(output, &stale, &answer, &name, console)?;
        }
        let reasons = text::reasons(&stale).join("; ");
        console.err(&format!(
            "planner: {name} is stale ({}); nothing was written\n",
            clean(&reasons)
        ));
        return Ok(Exit::Fault);
    }
    report.write(outputs, false)?;
    let site = clean(&saved.paths.join(" ")).into_owned();
    console.note(&format!(
        "Checking {name} against the documents of {site}: the same.\n"
    ));
    if stale.other_documents {
        console.note("The documents have changed since it was saved, but not what is decided.\n");
    }
    if plan.result() == Quality::Unplaceable {
        return Ok(Exit::Unplaceable);
    }
    if plan.result() != Quality::Ready || !plan.recordable {
        console.note("Nothing changes: there is nothing to apply.\n");
        return Ok(Exit::Success);
    }
    report.confirm_and_record(outputs, again.session, Exit::Success)
}

fn same_paths(saved: &SavedPlan, args: &ApplyArgs, name: &str) -> Result<(), Failure> {
    let here = env::current_dir().unwrap_or_default();
    let typed: Vec<String> = args
        .paths
        .iter()
        .map(|path| file::relative(path, &here))
        .collect();
    if typed.is_empty() || typed == saved.paths {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{name} was made of other PATHs: {}",
        clean(&saved.paths.join(" "))
    )))
}

fn write_stale(
    output: &Output<PlanFormat>,
    stale: &Stale,
    answer: &json::PlanDiff<'_>,
    name: &str,
    console: &Console,
) -> Result<(), Failure> {
    output.emit(console, |out| {
        let data = || -> std::io::Result<Value> {
            let other = |(what, name): &(&str, String)| json!({"what": what, "name": name});
            let mut value = serde_json::to_value(answer)?;
            value["stale"] = text::reasons(stale).into();
            value["others"] = stale.others.iter().map(other).collect();
            Ok(value)
        };
        match output.format {
            PlanFormat::Json => json::write_json(&data()?, out),
            PlanFormat::Yaml => json::write_yaml(&data()?, out),
            PlanFormat::Text => {
                let screen = output.screen(console);
                out.write_all(text::stale(stale, name, &screen).write(&screen).as_bytes())
            }
        }
    })
}
