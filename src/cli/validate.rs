//! `planner validate`: load, check, print findings.

use std::collections::BTreeMap;
use std::io;

use crate::diagnostic::{Severity, Sink};
use crate::document::System;
use crate::load::Loaded;
use crate::render::diagnostics::{self, FilesRead, Findings};
use crate::render::{clean_lines, json};
use crate::site::Counts;
use crate::systems;
use crate::workspace::settings::validating;
use crate::workspace::validated;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::{FailOn, ValidateArgs};
use super::begins;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::fixes;
use super::formats::{GITHUB, GITLAB, JUNIT, RDJSON, SARIF, ValidateFormat};
use super::session::{Session, keep};
use super::site::Site;
use super::sites::counts;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &ValidateArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    fixes::guard(args)?;
    let run = Run::new(&args.common, &args.input.paths, outputs, console).and(&args.baseline);
    run.answer(|| check(args, &run))
}

fn check(
    args: &ValidateArgs,
    run: &Run<'_, ValidateFormat>,
) -> Result<Answer<ValidateFormat>, Failure> {
    let console = run.console;
    let (paths, baseline) = (&args.input.paths, args.baseline.as_deref());
    let mut session = Session::with_baseline(paths, &args.common, baseline, console)?;
    let (request, settings) = (&mut session.request, &mut session.settings);
    validating(request, settings, &mut session.options);
    session.settings.ignores = session.settings.ignores.filter(|_| !args.no_ignores);
    if args.no_plan {
        session
            .options
            .systems
            .retain(|system| *system != System::Ocm);
    }
    let session = keep(session);
    let mut loaded = keep(session.open(console)?);
    run.outputs.guard(&session.inputs(loaded))?;
    if args.baseline.is_some() && !args.grow {
        session.known.must_exist()?;
    }
    let mut diff = None;
    if args.fix || args.diff {
        diff = fixes::run(args, session, console)?;
        // The findings and the status are those of the files as they are now.
        loaded = keep(session.again(BTreeMap::new())?);
    }
    let site = Site::of(session, loaded, console);
    let plan = site.plan(console);
    let unplaceable = if args.no_plan {
        Sink::default()
    } else {
        systems::unplaceable(plan)
    };
    let mut found = validated(site.checked, plan, &unplaceable);
    let mut sites = vec![(site, plan)];
    for name in &loaded.builds.other_sites {
        let site = site.other(name, console)?;
        let plan = site.plan(console);
        let unplaceable = if args.no_plan {
            Sink::default()
        } else {
            systems::unplaceable(plan)
        };
        found.append(validated(site.checked, plan, &unplaceable));
        sites.push((site, plan));
    }
    let counts = counts(&sites);
    if !loaded.builds.other_sites.is_empty() {
        found.sort(site.sources());
        found.dedup();
    }
    let unread = loaded.unreadable + loaded.closed;
    let documents = &site.checked.documents;
    let known = session
        .known
        .apply(&mut found, documents, unread, args, console)?;
    let fails = least(args, session);
    let outcome = if known.incomplete {
        Outcome::Fault
    } else {
        outcome(args, fails, loaded, counts, &found)
    };
    let read = FilesRead {
        files: loaded.sources.files.len(),
        files_read: loaded.files_read,
        unreadable: loaded.unreadable,
        closed: loaded.closed,
    };
    let summary = diagnostics::summary(read, counts, &found);
    let kinds = site
        .checked
        .foreign_kinds(&[&site.checked.findings, &plan.findings]);
    let others = diagnostics::others(&kinds, args.common.verbose);
    let above = begins::above(session, "validate", &found);
    let validated = Validated {
        site,
        found,
        fails,
        counts,
        unread,
        gone: known.gone,
        diff,
    };
    Ok(Answer::new(validated, outcome)
        .note(summary)
        .note(others)
        .note(clean_lines(&above))
        .of_hub(site.checked))
}

/// The data that the outputs are made from.
struct Validated {
    site: Site,
    found: Sink,
    fails: Severity,
    counts: Counts,
    unread: usize,
    /// Entries of the baseline without a finding.
    gone: Vec<String>,
    /// Printed instead of the findings.
    diff: Option<String>,
}

impl Data<ValidateFormat> for Validated {
    fn write(&self, format: ValidateFormat, out: &mut Out<'_>) -> io::Result<()> {
        if let Some(diff) = self.diff.as_ref().filter(|_| out.is_stdout) {
            return out.findings(diff);
        }
        let (sink, sources) = (&self.found, self.site.sources());
        let findings = Findings {
            fails: self.fails,
            ..self.site.findings(sink)
        };
        match format {
            ValidateFormat::Full => {
                let look = out.look;
                if let Some(width) = look.screen {
                    let head = diagnostics::head(sink, sources, width);
                    out.screen_of_findings()?.write_all(head.as_bytes())?;
                }
                diagnostics::write_full(sink, sources, look, out.screen_of_findings()?)
            }
            ValidateFormat::Concise => diagnostics::write_concise(sink, sources, out.stream()),
            ValidateFormat::Json => {
                let (counts, unread) = (self.counts, self.unread);
                let answer = json::Validation::new(sink, sources, counts, unread, &self.gone);
                out.json(&answer)
            }
            ValidateFormat::Sarif => out.tool(SARIF, findings),
            ValidateFormat::Github => out.tool(GITHUB, findings),
            ValidateFormat::Gitlab => out.tool(GITLAB, findings),
            ValidateFormat::Junit => out.tool(JUNIT, findings),
            ValidateFormat::Rdjson => out.tool(RDJSON, findings),
        }
    }
}

/// The lowest severity that fails.
fn least(args: &ValidateArgs, session: &Session) -> Severity {
    match args.fail_on {
        Some(FailOn::Note) => Severity::Note,
        Some(FailOn::Warning) => Severity::Warning,
        Some(FailOn::Error) => Severity::Error,
        None => session.config.fail_on.unwrap_or(Severity::Error),
    }
}

fn outcome(
    args: &ValidateArgs,
    least: Severity,
    loaded: &Loaded,
    counts: Counts,
    sink: &Sink,
) -> Outcome {
    let failed = sink.diagnostics.iter().any(|found| found.severity >= least);
    if loaded.files_read == 0 || (counts.is_nothing() && !failed) {
        return Outcome::Empty;
    }
    if failed && !args.exit_zero {
        Outcome::Fault
    } else {
        Outcome::Fine
    }
}
