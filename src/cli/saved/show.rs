//! `planner show` and `planner diff`: printing and comparing saved plans.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::diagnostic::{Severity, Sink};
use crate::diff::{self, Diff};
use crate::plan::Quality;
use crate::render::csv::{self, Form};
use crate::render::{Review, clean, diagnostics, json, markdown, text};
use crate::saved::{SavedPlan, decisions, decisions_after};
use crate::source::Sources;

use super::super::answer::{Answer, Data, Out, Outcome, Run};
use super::super::args::{DiffArgs, ShowArgs};
use super::super::console::Console;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::formats::{DiffFormat, Format, ShowFormat};
use super::super::plan::NOTHING;
use super::super::session::{Session, keep};
use super::super::site::Site;
use super::again::Replanned;
use super::{earlier, file};

/// `planner show`: never fails for being stale.
///
/// # Errors
/// A file that is not a saved plan (1, 66, 78).
pub(in crate::cli) fn show(args: &ShowArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?.absolute()?;
    let run = Run::new(&args.common, &args.paths, outputs, console).and([&args.file]);
    run.answer(|| {
        let shown = open(&args.file, &args.paths, &args.package, &run)?;
        let note = shown.note();
        let again = shown.again.clone();
        let answer = Answer::new(shown, Outcome::Fine);
        Ok(match (again, note) {
            (Some((found, sources)), Some(note)) => {
                answer.errors(&found, sources).note(format!("{note}\n"))
            }
            _ => answer,
        })
    })
}

/// A saved plan.
pub(in crate::cli) struct Shown {
    /// The name of its file.
    pub(in crate::cli) name: String,
    pub(in crate::cli) saved: SavedPlan,
    /// Why it is stale, if that was asked.
    pub(in crate::cli) stale: Option<Vec<String>>,
    /// The findings of planning again.
    again: Option<(Sink, &'static Sources)>,
}

impl Shown {
    /// Whether it is stale, if that was asked.
    pub(in crate::cli) fn note(&self) -> Option<String> {
        let reasons = self.stale.as_ref()?;
        Some(if reasons.is_empty() {
            "It is up to date.".to_owned()
        } else {
            clean(&format!("It is stale: {}.", reasons.join("; "))).into_owned()
        })
    }
}

/// Reads a saved plan; with PATHs it is also told whether it is stale.
///
/// # Errors
/// A file that is not a saved plan (1, 66, 78), other PATHs than it was made of (64).
pub(in crate::cli) fn open<F: Format>(
    path: &Path,
    paths: &[PathBuf],
    packages: &[String],
    run: &Run<'_, F>,
) -> Result<Shown, Failure> {
    let saved = file::read(path)?;
    run.outputs.guard(&[path.to_path_buf()])?;
    let mut shown = Shown {
        name: clean(&path.to_string_lossy()).into_owned(),
        saved,
        stale: None,
        again: None,
    };
    if paths.is_empty() {
        return Ok(shown);
    }
    let homes = file::homes_or_here(&shown.saved, path)?;
    file::with_options(&shown.saved, run.common, packages, &homes, &shown.name)?;
    let own = file::own(path);
    let again = Replanned::of(own, paths, run.common, packages, false, run)?;
    shown.stale = Some(match again.plan.verdict() {
        Quality::Invalid => vec!["some documents are now refused".to_owned()],
        _ => text::reasons(&again.compare(&shown.saved)?),
    });
    let found = again.site.report(&[&again.plan.findings]);
    shown.again = Some((found, again.site.sources()));
    Ok(shown)
}

impl Data<ShowFormat> for Shown {
    fn write(&self, format: ShowFormat, out: &mut Out<'_>) -> io::Result<()> {
        let answer = || self.saved.plan(self.stale.as_deref());
        match format {
            ShowFormat::Json => json::write_json(&answer(), out.bare()),
            ShowFormat::Yaml => json::write_yaml(&answer(), out.bare()),
            ShowFormat::Text => out.page(&text::saved(&self.saved, &self.name, &out.screen)),
        }
    }
}

/// The later side of a comparison.
struct Later {
    diff: Diff,
    quality: Quality,
    now: Timestamp,
    found: Sink,
    sources: &'static Sources,
    /// No document of ours was found.
    nothing: bool,
}

/// `planner diff`: statuses as `plan --against`.
///
/// # Errors
/// A file that is not a saved plan (1, 66, 78), bad arguments (64).
pub(in crate::cli) fn diff(args: &DiffArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?.absolute()?;
    let run = Run::new(&args.common, &args.new, outputs, console).and([&args.old]);
    run.answer(|| {
        let name = clean(&args.old.to_string_lossy()).into_owned();
        if args.old.is_dir() {
            return Err(Failure::usage(format!(
                "{name} is not a saved plan; `planner plan --against` compares two states of a site"
            )));
        }
        let old = file::read(&args.old)?;
        let mut inputs = vec![args.old.clone()];
        inputs.extend(args.new.iter().cloned());
        run.outputs.guard(&inputs)?;
        let later = match args.new.as_slice() {
            [only] if !only.is_dir() && (file::is_saved_plan(only) || !only.exists()) => {
                saved(&old, only, args, console)?
            }
            paths => planned(&old, paths, args, &run)?,
        };
        let moved = !later.diff.moves.is_empty();
        let outcome = if later.nothing {
            Outcome::nothing(NOTHING)
        } else {
            Outcome::of(later.quality, moved && args.detailed_exitcode)
        };
        let (sources, refused) = (later.sources, later.quality == Quality::Invalid);
        let told = later.found.filtered(|found| refused || found.is_error());
        Ok(Answer::new(Compared { name, later }, outcome).found(told, sources))
    })
}

/// A saved plan and what came after it.
struct Compared {
    name: String,
    later: Later,
}

impl Data<DiffFormat> for Compared {
    fn write(&self, format: DiffFormat, out: &mut Out<'_>) -> io::Result<()> {
        let (name, later) = (&self.name, &self.later);
        let shown = (later.quality != Quality::Invalid).then_some(&later.diff);
        let errors = later.found.count(Severity::Error);
        let answer = || {
            let result = later.quality.compared(!later.diff.moves.is_empty());
            let found = diagnostics::json(&later.found, later.sources);
            json::PlanDiff::new(later.now, name, result.word(), shown, found)
        };
        match (format, shown) {
            (DiffFormat::Json, _) => out.json(&answer()),
            (DiffFormat::Yaml, _) => out.yaml(&answer()),
            (DiffFormat::Csv, diff) => csv::diff(diff, Form::Csv, out.bare()),
            (DiffFormat::Tsv, diff) => csv::diff(diff, Form::Tsv, out.bare()),
            (DiffFormat::Markdown, Some(diff)) => out.text(&markdown::diff(diff, name)),
            (DiffFormat::Markdown, None) => {
                out.text(&markdown::invalid(name, errors, &Review::default()))
            }
            (DiffFormat::Text, Some(diff)) => out.page(&text::diff(diff, name, &out.screen)),
            (DiffFormat::Text, None) => out.page(&text::refused(errors, &out.screen)),
        }
    }
}

/// Two saved plans; what made decisions others is known where git has the documents of both.
fn saved(
    old: &SavedPlan,
    path: &Path,
    args: &DiffArgs,
    console: &Console,
) -> Result<Later, Failure> {
    let new = file::read(path)?;
    let now = new.now.parse().map_err(|_| {
        let name = clean(&path.to_string_lossy()).into_owned();
        Failure::new(Exit::Fault, format!("{name}: `now` is not a time"))
    })?;
    let moved = diff::between(
        &decisions(&old.outcome),
        &decisions_after(&old.outcome, &new.outcome),
    );
    Ok(Later {
        diff: explained_by_git(&moved, old, &new, path, args, console).unwrap_or(moved),
        // What cannot be applied is never saved.
        quality: Quality::Ready,
        now,
        found: Sink::default(),
        sources: keep(Sources::default()),
        nothing: false,
    })
}

/// The same moves with their causes, if both plans were made of the same PATHs with the same
/// options, of documents that git has.
fn explained_by_git(
    moved: &Diff,
    old: &SavedPlan,
    new: &SavedPlan,
    path: &Path,
    args: &DiffArgs,
    console: &Console,
) -> Option<Diff> {
    let comparable = old.paths == new.paths && old.options == new.options;
    if moved.moves.is_empty() || !comparable || old.revision.is_none() {
        return None;
    }
    let homes = file::homes(new, path).ok()?;
    let common = file::with_options(new, &args.common, &args.package, &homes, "").ok()?;
    file::go_home(&homes).ok()?;
    let paths: Vec<PathBuf> = new.paths.iter().map(Into::into).collect();
    let mut session = Session::new(&paths, &common, console).ok()?;
    session.options.packages.clone_from(&args.package);
    let later = earlier::plan_of(new, &session, console)?;
    Some(earlier::explained(
        moved.clone(),
        old,
        later,
        &session,
        console,
    ))
}

fn planned(
    old: &SavedPlan,
    paths: &[PathBuf],
    args: &DiffArgs,
    run: &Run<'_, DiffFormat>,
) -> Result<Later, Failure> {
    let name = clean(&args.old.to_string_lossy()).into_owned();
    let homes = file::homes_or_here(old, &args.old)?;
    file::with_options(old, &args.common, &args.package, &homes, &name)?;
    let mut session = Session::new(paths, &args.common, run.console)?;
    session.options.packages.clone_from(&args.package);
    session.request.never.push(args.old.clone());
    let site = Site::read(session, run)?;
    let plan = site.plan(run.console);
    let outcome = earlier::outcome(plan)?;
    let mut diff = diff::between(
        &decisions(&old.outcome),
        &decisions_after(&old.outcome, &outcome),
    );
    if plan.verdict() != Quality::Invalid {
        diff = earlier::explained(diff, old, plan, site.session, run.console);
    }
    Ok(Later {
        diff,
        quality: plan.verdict(),
        now: plan.now,
        found: site.report(&[&plan.findings]),
        sources: site.sources(),
        nothing: site.is_nothing(plan),
    })
}
