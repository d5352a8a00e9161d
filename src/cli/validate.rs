//! `planner validate`: load, check, print findings.

use std::collections::BTreeMap;

use crate::diagnostic::{Severity, Sink};
use crate::document::System;
use crate::kit::plural::plural;
use crate::load::Loaded;
use crate::options::Ignores;
use crate::render::diagnostics::{self, Findings};
use crate::render::json;
use crate::rules;
use crate::site::Counts;
use crate::systems;

use super::args::{FailOn, ValidateArgs};
use super::baseline::{self, Known};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::fixes;
use super::formats::{GITHUB, GITLAB, JUNIT, RDJSON, SARIF, ValidateFormat};
use super::output::Outputs;
use super::progress;
use super::session::{self, Session, keep};
use super::unanswered::Inputs;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &ValidateArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    fixes::guard(args)?;
    let inputs = Inputs::of(&args.common, &args.input.paths).and(&args.baseline);
    outputs.answer(&inputs, console, || check(args, &outputs, console))
}

fn check(
    args: &ValidateArgs,
    outputs: &Outputs<ValidateFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let session = Session::new(&args.input.paths, &args.common, console)?;
    let mut session = session.with_baseline(args.baseline.as_deref());
    session.rules.validating = true;
    session.request.every_site = true;
    session.rules.ignores = (!args.no_ignores).then(|| Ignores {
        reasons: session.config.require_reason,
        codes: rules::all(),
    });
    session.options.unscored = true;
    session.options.sequential = false;
    session.options.systems = vec![System::Ogc, System::Hybrid];
    if !args.no_plan {
        session.options.systems.push(System::Ocm);
    }
    let session = keep(session);
    let mut loaded = keep(session.open(console)?);
    outputs.guard(&session.inputs(loaded))?;
    let mut known = baseline::open(args, &session.baseline)?;
    let mut diff = None;
    if args.fix || args.diff {
        diff = fixes::run(args, session, console)?;
        // The findings and the status are those of the files as they are now.
        loaded = keep(session.again(BTreeMap::new())?);
    }
    let checked = keep(progress::check(loaded, &session.rules, console));
    let plan = keep(progress::plan(checked, &session.options, console));
    let unplaceable = match args.no_plan {
        true => Sink::default(),
        false => systems::unplaceable(plan),
    };
    let mut found = session::validated(checked, plan, &unplaceable);
    let unread = loaded.unreadable + loaded.closed;
    known.apply(&mut found, &checked.documents, unread, args, console)?;
    let report = ValidationReport {
        findings: Findings {
            sink: &found,
            documents: &checked.documents,
            prefix: "",
            fails: least(args, session),
        },
        counts: plan.counts,
        unreadable: unread,
        known: &known,
        diff: diff.as_deref(),
    };
    write(outputs, &report, console)?;
    console.note(&summary(loaded, plan.counts, &found));
    if known.incomplete {
        return Ok(Exit::Fault);
    }
    Ok(status(
        args,
        report.findings.fails,
        loaded,
        plan.counts,
        &found,
    ))
}

/// What the outputs are made from.
struct ValidationReport<'r, 'a> {
    findings: Findings<'r, 'a>,
    counts: Counts,
    unreadable: usize,
    known: &'r Known,
    /// Printed in place of the findings.
    diff: Option<&'r str>,
}

fn write(
    outputs: &Outputs<ValidateFormat>,
    report: &ValidationReport<'_, '_>,
    console: &Console,
) -> Result<(), Failure> {
    let (sink, sources) = (report.findings.sink, report.findings.documents.sources);
    for output in outputs.answered() {
        let mut look = console.look_on_stdout();
        look.color &= output.file.is_none();
        let text = match (output.format, report.diff) {
            (_, Some(diff)) if output.file.is_none() => diff.to_owned(),
            (ValidateFormat::Full, _) => diagnostics::full(sink, sources, look),
            (ValidateFormat::Concise, _) => diagnostics::concise(sink, sources),
            (ValidateFormat::Json, _) => {
                let (counts, gone) = (report.counts, &report.known.gone);
                let unreadable = report.unreadable;
                json::pretty(&json::Validation::new(
                    sink, sources, counts, unreadable, gone,
                ))
            }
            (ValidateFormat::Sarif, _) => SARIF.text(report.findings),
            (ValidateFormat::Github, _) => GITHUB.text(report.findings),
            (ValidateFormat::Gitlab, _) => GITLAB.text(report.findings),
            (ValidateFormat::Junit, _) => JUNIT.text(report.findings),
            (ValidateFormat::Rdjson, _) => RDJSON.text(report.findings),
        };
        output.emit(console, |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}

/// Nothing is skipped silently: one line that counts everything.
fn summary(loaded: &Loaded, counts: Counts, sink: &Sink) -> String {
    if counts.read == 0 && loaded.files_read == 0 && sink.diagnostics.is_empty() {
        return "Nothing to check: no .yaml, .yml or .json file was found.\n".into();
    }
    let mut findings = vec![match diagnostics::counts(sink) {
        text if text.is_empty() => "no findings".to_owned(),
        text => text,
    }];
    if counts.read == 0 && loaded.files_read == 0 {
        return format!("Nothing was read; {}.\n", findings.join(", "));
    }
    let unreadable = loaded.unreadable;
    let refused = counts.read - counts.planned - counts.not_ours - counts.templates - unreadable;
    let mut parts = vec![match counts.left_out {
        0 => format!("{} checked", counts.planned),
        aside => {
            let are = |count| if count == 1 { "is" } else { "are" };
            let part = counts.planned.saturating_sub(aside);
            let takes = if part == 1 { "takes" } else { "take" };
            format!(
                "{} checked ({part} {takes} part in the plan, {aside} {} left out)",
                counts.planned,
                are(aside)
            )
        }
    }];
    let templates = match counts.templates {
        1 => "template",
        _ => "templates",
    };
    for (count, word) in [
        (counts.not_ours, "not ours"),
        (counts.templates, templates),
        (refused, "refused"),
        (unreadable, "unreadable"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    for (count, word) in [(sink.ignored(), "ignored"), (sink.baselined(), "baselined")] {
        if count > 0 {
            findings.push(format!("{count} {word}"));
        }
    }
    let mut files = plural(loaded.sources.files.len(), "file");
    if loaded.closed > 0 {
        files.push_str(&format!(" ({} of them could not be read)", loaded.closed));
    }
    let read = plural(counts.read, "document");
    let (parts, findings) = (parts.join(", "), findings.join(", "));
    format!("{read} in {files}: {parts}; {findings}.\n")
}

/// The least severity that fails.
fn least(args: &ValidateArgs, session: &Session) -> Severity {
    match args.fail_on {
        Some(FailOn::Note) => Severity::Note,
        Some(FailOn::Warning) => Severity::Warning,
        Some(FailOn::Error) => Severity::Error,
        None => session.config.fail_on.unwrap_or(Severity::Error),
    }
}

fn status(
    args: &ValidateArgs,
    least: Severity,
    loaded: &Loaded,
    counts: Counts,
    sink: &Sink,
) -> Exit {
    let failed = sink.diagnostics.iter().any(|found| found.severity >= least);
    if loaded.files_read == 0 || (counts.is_nothing() && !failed) {
        return Exit::NoInput;
    }
    if failed && !args.exit_zero {
        Exit::Fault
    } else {
        Exit::Success
    }
}
