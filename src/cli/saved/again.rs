//! `planner proceed`: plan again, compare with what was saved, ask, record.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::diagnostic::Sink;
use crate::load::list;
use crate::plan::Quality;
use crate::render::csv::{self, Form};
use crate::render::text;
use crate::render::{clean, diagnostics, json};
use crate::saved::{Present, SavedPlan, Stale, compare};
use crate::why::Ways;

use super::super::answer::{Answer, Data, Out, Outcome, Run};
use super::super::args::{CommonArgs, ProceedArgs};
use super::super::console::Console;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::formats::{Format, GITHUB, PlanFormat, SARIF};
use super::super::plan::Shown;
use super::super::proceed::{Proceed, asks, can_proceed, record_name};
use super::super::session::Session;
use super::super::site::{Planned, Site};
use super::{earlier, file};

/// The site of a saved plan, planned as it is now.
pub(super) struct Replanned {
    pub(super) site: Site,
    /// The plan.
    pub(super) plan: Planned,
}

impl Replanned {
    /// Plans PATHs as they are now, for a screen if that shows the plan; the file is none of them.
    ///
    /// # Errors
    /// A bad configuration (78), no such site (1, 64).
    pub(super) fn of<F: Format>(
        file: PathBuf,
        paths: &[PathBuf],
        args: &CommonArgs,
        packages: &[String],
        screen: bool,
        run: &Run<'_, F>,
    ) -> Result<Self, Failure> {
        let mut session = Session::new(paths, args, run.console)?;
        session.options.packages = packages.to_vec();
        session.options.screen = screen;
        session.request.never.push(file);
        let site = Site::read(session, run)?;
        let plan = site.plan(run.console);
        Ok(Self { site, plan })
    }

    /// Holds the saved plan against this one.
    pub(super) fn compare(&self, saved: &SavedPlan) -> Result<Stale, Failure> {
        let session = self.site.session;
        let basis = file::basis(self.plan, session.seen);
        let outcome = earlier::outcome(self.plan)?;
        let documents = file::documents(self.site.loaded);
        let used = session.request.records.as_deref();
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
    let entries = list::names(directory).ok()?;
    let mut used = None;
    for entry in entries.flatten() {
        let name = entry.name.to_string_lossy().into_owned();
        let path = directory.join(&entry.name);
        let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
        let Ok(number) = digits.parse::<u64>() else {
            continue;
        };
        if number <= saved.basis.records || !path.is_file() {
            continue;
        }
        let Ok(file) = fs::File::open(path) else {
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
pub(in crate::cli) fn run(args: &ProceedArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?.absolute()?;
    let run = Run::new(&args.common, &args.paths, outputs, console).and([&args.file]);
    let mut approved = None;
    let exit = run.answer(|| {
        let saved = approvable(args)?;
        let name = clean(&args.file.to_string_lossy()).into_owned();
        let homes = file::homes(&saved, &args.file)?;
        file::same_paths(&saved, &args.paths, &homes, &name)?;
        let common = file::with_options(&saved, run.common, &args.package, &homes, &name)?;
        let own = file::own(&args.file);
        file::go_home(&homes)?;
        if homes.theirs != homes.ours {
            let home = file::relative(&homes.theirs, &homes.ours);
            let home = clean(&home);
            console.note(&format!(
                "Paths are relative to {home}, where the plan was made.\n"
            ));
        }
        let paths: Vec<PathBuf> = saved.paths.iter().map(Into::into).collect();
        let screen = run.outputs.has(PlanFormat::Text);
        let again = Replanned::of(own, &paths, &common, &args.package, screen, &run)?;
        let (answer, fresh) = answer(args, &saved, &again, &run)?;
        approved = fresh.then_some(Proceed {
            consent: args.consent,
            plan: again.plan,
            session: again.site.session,
            origin: format!("{} saved as {}", saved.paths.join(" "), saved.digest),
        });
        Ok(answer)
    })?;
    match approved {
        Some(approved) => approved.confirm(&run, exit),
        None => Ok(exit),
    }
}

/// The saved plan, if it is the one that was approved.
fn approvable(args: &ProceedArgs) -> Result<SavedPlan, Failure> {
    let saved = file::read(&args.file)?;
    let name = clean(&args.file.to_string_lossy()).into_owned();
    if let Some(wanted) = &args.digest
        && *wanted != saved.digest
    {
        return Err(Failure::new(
            Exit::Fault,
            format!(
                "{name} is not the approved plan: its digest is {}, not {}; nothing was written",
                saved.digest,
                clean(wanted)
            ),
        ));
    }
    Ok(saved)
}

/// The answer, and whether the plan is still the saved one.
fn answer(
    args: &ProceedArgs,
    saved: &SavedPlan,
    again: &Replanned,
    run: &Run<'_, PlanFormat>,
) -> Result<(Answer<PlanFormat>, bool), Failure> {
    let name = clean(&args.file.to_string_lossy()).into_owned();
    let (site, plan) = (again.site, again.plan);
    let found = site.report(&[&plan.findings]);
    let outcome = Outcome::of(plan.verdict(), false);
    let shown = Shown {
        site,
        section: None,
        trace: false,
        changes_only: true,
        plan,
        found: found.clone(),
        jobs: site.session.options.jobs,
        judged: None,
        record: record_name(plan, site.session),
        asks: asks(args.consent, plan, run, site.session),
        ways: Ways::new(),
    };
    if plan.verdict() == Quality::Invalid {
        let why = format!("{name} was not recorded: some documents are now refused");
        let answer = Answer::new(shown, outcome).found(found, site.sources());
        return Ok((answer.say(why), false));
    }
    let mut stale = again.compare(saved)?;
    if stale.is_stale() {
        stale.diff = earlier::explained(stale.diff, saved, plan, site.session, run.console);
        let reasons = text::reasons(&stale).join("; ");
        let why = format!("{name} is stale ({}); nothing was written", clean(&reasons));
        let outdated = Outdated {
            site,
            name,
            stale,
            plan,
            found,
        };
        return Ok((Answer::new(outdated, Outcome::Fault).say(why), false));
    }
    let paths = clean(&saved.paths.join(" ")).into_owned();
    // What is at stake stands directly above the question.
    run.console.note(&format!(
        "Checking {name} against the documents of {paths}: the same.\n"
    ));
    if stale.other_documents {
        run.console
            .note("The documents have changed since it was saved, but the decisions have not.\n");
    }
    let mut answer = Answer::new(shown, outcome).found(found, site.sources());
    let is_told = run.outputs.for_people() && plan.quality == Quality::Ready;
    if plan.verdict() != Quality::Unplaceable && !can_proceed(plan) && !is_told {
        answer = answer.note(format!("{}\n", text::unrecorded(plan)));
    }
    Ok((answer, true))
}

/// A saved plan that differs from the plan of today.
struct Outdated {
    site: Site,
    name: String,
    stale: Stale,
    plan: Planned,
    found: Sink,
}

impl Outdated {
    fn data(&self) -> io::Result<Value> {
        let (stale, plan) = (&self.stale, self.plan);
        let found = diagnostics::json(&self.found, plan.site.documents.sources);
        let result = plan.result().word();
        let diff = Some(&stale.diff);
        let answer = json::PlanDiff::new(plan.now, &self.name, result, diff, found);
        let other = |(what, name): &(&str, String)| json!({"what": what, "name": name});
        let mut value = serde_json::to_value(&answer)?;
        value["stale"] = text::reasons(stale).into();
        value["others"] = stale.others.iter().map(other).collect();
        Ok(value)
    }
}

impl Data<PlanFormat> for Outdated {
    fn write(&self, format: PlanFormat, out: &mut Out<'_>) -> io::Result<()> {
        match format {
            PlanFormat::Json => out.json(&self.data()?),
            PlanFormat::Yaml => out.yaml(&self.data()?),
            PlanFormat::Csv => csv::diff(Some(&self.stale.diff), Form::Csv, out.bare()),
            PlanFormat::Tsv => csv::diff(Some(&self.stale.diff), Form::Tsv, out.bare()),
            PlanFormat::Sarif => out.tool(SARIF, self.site.findings(&self.found)),
            PlanFormat::Github => out.tool(GITHUB, self.site.findings(&self.found)),
            PlanFormat::Text => out.page(&text::stale(&self.stale, &self.name, &out.screen)),
        }
    }
}
