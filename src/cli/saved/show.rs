//! `planner show` and `planner diff`: saved plans looked at and compared.

use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::diff::{self, Diff};
use crate::plan::{self, Quality};
use crate::render::Review;
use crate::render::{clean, diagnostics, json, markdown, text};
use crate::saved::{SavedPlan, decisions};
use crate::site;
use crate::source::Sources;

use super::super::args::{DiffArgs, ShowArgs};
use super::super::console::Console;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::formats::{DiffFormat, ShowFormat};
use super::super::output::Outputs;
use super::super::session::{self, Session, keep};
use super::super::unanswered::Inputs;
use super::apply::Replanned;
use super::{earlier, file};

/// `planner show`: never fails for being stale.
///
/// # Errors
/// A file that is not a saved plan (1, 66, 78).
pub(in crate::cli) fn show(args: &ShowArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?.absolute()?;
    let inputs = Inputs::of(&args.common, &args.paths).and([&args.file]);
    outputs.answer(&inputs, console, || shown(args, &outputs, console))
}

fn shown(
    args: &ShowArgs,
    outputs: &Outputs<ShowFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let saved = file::read(&args.file)?;
    let name = clean(&args.file.to_string_lossy()).into_owned();
    outputs.guard(std::slice::from_ref(&args.file))?;
    let mut answer = saved.plan();
    let mut note = None;
    let mut errors = String::new();
    if !args.paths.is_empty() {
        let here = std::env::current_dir().unwrap_or_default();
        let mut site = saved.clone();
        let paths = args.paths.iter();
        site.paths = paths.map(|path| file::relative(path, &here)).collect();
        let again = Replanned::of(&site, &args.file, &args.common, console)?;
        let reasons = if again.plan.result() == Quality::Invalid {
            vec!["documents are refused now".to_owned()]
        } else {
            text::reasons(&again.compare(&saved)?)
        };
        answer["stale"] = reasons.clone().into();
        let found = again.plan.site.report(&[&again.plan.findings]);
        errors = diagnostics::full(
            &found.filtered(Diagnostic::is_error),
            &again.loaded.sources,
            console.look_on_stderr(),
        );
        note = Some(match reasons.is_empty() {
            true => "It is not stale: planning comes to the same now.\n".to_owned(),
            false => format!("It is stale: {}.\n", reasons.join("; ")),
        });
    }
    for output in outputs.answered() {
        output.emit(console, |out| match output.format {
            ShowFormat::Json => json::write_json(&answer, out),
            ShowFormat::Yaml => json::write_yaml(&answer, out),
            ShowFormat::Text => {
                let page = text::saved(&saved, &name, &output.screen(console));
                out.write_all(page.write(&output.screen(console)).as_bytes())
            }
        })?;
    }
    console.err(&errors);
    if let Some(note) = note {
        console.note(&clean(note.trim_end()));
        console.note("\n");
    }
    Ok(Exit::Success)
}

/// The later side of a comparison.
struct Later {
    diff: Diff,
    quality: Quality,
    now: jiff::Timestamp,
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
    let inputs = Inputs::of(&args.common, &args.new).and([&args.old]);
    outputs.answer(&inputs, console, || compared(args, &outputs, console))
}

fn compared(
    args: &DiffArgs,
    outputs: &Outputs<DiffFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let name = clean(&args.old.to_string_lossy()).into_owned();
    if args.old.is_dir() {
        return Err(Failure::usage(format!(
            "{name} is not a saved plan; `planner plan --against` compares two states of a site"
        )));
    }
    let old = file::read(&args.old)?;
    let mut inputs = vec![args.old.clone()];
    inputs.extend(args.new.iter().cloned());
    outputs.guard(&inputs)?;
    let later = match args.new.as_slice() {
        [only] if !only.is_dir() && (file::is_saved_plan(only) || !only.exists()) => {
            saved(&old, only, args, console)?
        }
        paths => planned(&old, paths, args, outputs, console)?,
    };
    if later.nothing {
        console.err("planner: nothing to plan: no document of ours was found\n");
        return Ok(Exit::NoInput);
    }
    let moved = !later.diff.moves.is_empty();
    let result = match later.quality {
        Quality::Invalid | Quality::Unplaceable => later.quality,
        _ if moved => Quality::Ready,
        _ => Quality::Unchanged,
    };
    let shown = (later.quality != Quality::Invalid).then_some(&later.diff);
    let errors = later.found.count(Severity::Error);
    let found = diagnostics::json(&later.found, later.sources);
    let answer = json::PlanDiff::new(later.now, &name, result.word(), shown, found);
    for output in outputs.answered() {
        let screen = output.screen(console);
        output.emit(console, |out| match (output.format, shown) {
            (DiffFormat::Json, _) => json::write_json(&answer, out),
            (DiffFormat::Yaml, _) => json::write_yaml(&answer, out),
            (DiffFormat::Markdown, Some(diff)) => {
                out.write_all(markdown::diff(diff, &name).as_bytes())
            }
            (DiffFormat::Markdown, None) => {
                let page = markdown::invalid(&name, errors, &Review::default());
                out.write_all(page.as_bytes())
            }
            (DiffFormat::Text, Some(diff)) => {
                out.write_all(text::diff(diff, &name, &screen).write(&screen).as_bytes())
            }
            (DiffFormat::Text, None) => {
                out.write_all(text::refused(errors, &screen).write(&screen).as_bytes())
            }
        })?;
    }
    let said = match later.quality {
        Quality::Invalid => later.found,
        _ => later.found.filtered(Diagnostic::is_error),
    };
    let look = console.look_on_stderr();
    console.err(&diagnostics::full(&said, later.sources, look));
    Ok(match later.quality {
        Quality::Invalid => Exit::Fault,
        Quality::Unplaceable => Exit::Unplaceable,
        _ if moved && args.detailed_exitcode => Exit::Changes,
        _ => Exit::Success,
    })
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
    let moved = diff::between(&decisions(&old.outcome), &decisions(&new.outcome));
    Ok(Later {
        diff: explained_by_git(&moved, old, &new, path, args, console).unwrap_or(moved),
        // What cannot be carried out is never saved.
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
    let (common, packages) = file::with_options(new, &args.common, "").ok()?;
    file::go_home(new, path).ok()?;
    let paths: Vec<PathBuf> = new.paths.iter().map(Into::into).collect();
    let mut session = Session::new(&paths, &common, console).ok()?;
    session.options.packages = packages;
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
    outputs: &Outputs<DiffFormat>,
    console: &Console,
) -> Result<Later, Failure> {
    let name = clean(&args.old.to_string_lossy()).into_owned();
    let (common, packages) = file::with_options(old, &args.common, &name)?;
    let mut session = Session::new(paths, &common, console)?;
    session.options.packages = packages;
    session.request.never.push(args.old.clone());
    let session = keep(session);
    let loaded = keep(session.open(console)?);
    outputs.guard(&session.inputs(loaded))?;
    let checked = keep(site::check(loaded, &session.rules));
    let plan = keep(plan::make(checked, &session.options));
    let outcome = earlier::outcome(plan, loaded)?;
    let mut diff = diff::between(&decisions(&old.outcome), &decisions(&outcome));
    if plan.result() != Quality::Invalid {
        diff = earlier::explained(diff, old, plan, session, console);
    }
    Ok(Later {
        diff,
        quality: plan.result(),
        now: plan.now,
        found: checked.report(&[&plan.findings]),
        sources: &loaded.sources,
        nothing: session::nothing(checked, plan),
    })
}
