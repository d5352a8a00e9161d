//! `planner validate`: load, check, print findings.

use std::collections::BTreeMap;
use std::io;

use crate::diagnostic::{Severity, Sink};
use crate::document::System;
use crate::kit::plural::plural;
use crate::load::Loaded;
use crate::render::diagnostics::{self, Findings};
use crate::render::{clean, json};
use crate::site::Counts;
use crate::systems;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::{FailOn, ValidateArgs};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::fixes;
use super::formats::{GITHUB, GITLAB, JUNIT, RDJSON, SARIF, ValidateFormat};
use super::session::{self, Session, keep};
use super::site::Site;

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
    session.settings.validating = true;
    session.request.every_site = true;
    session.settings.ignores = session.settings.ignores.filter(|_| !args.no_ignores);
    session.options.unscored = true;
    session.options.sequential = false;
    session.options.systems = vec![System::Ogc, System::Hybrid];
    if !args.no_plan {
        session.options.systems.push(System::Ocm);
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
    let unplaceable = match args.no_plan {
        true => Sink::default(),
        false => systems::unplaceable(plan),
    };
    let mut found = session::validated(site.checked, plan, &unplaceable);
    let unread = loaded.unreadable + loaded.closed;
    let documents = &site.checked.documents;
    let known = session
        .known
        .apply(&mut found, documents, unread, args, console)?;
    let fails = least(args, session);
    let outcome = match known.incomplete {
        true => Outcome::Fault,
        false => outcome(args, fails, loaded, plan.counts, &found),
    };
    let summary = summary(loaded, plan.counts, &found);
    let kinds = site
        .checked
        .foreign_kinds(&[&site.checked.findings, &plan.findings]);
    let others = others(&kinds, args.common.verbose);
    let validated = Validated {
        site,
        found,
        fails,
        counts: plan.counts,
        unread,
        gone: known.gone,
        diff,
    };
    Ok(Answer::new(validated, outcome).note(summary).note(others))
}

/// What the outputs are made from.
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
            sink,
            documents: &self.site.checked.documents,
            prefix: "",
            fails: self.fails,
        };
        match format {
            ValidateFormat::Full => {
                let text = diagnostics::full(sink, sources, out.look);
                out.findings(&text)
            }
            ValidateFormat::Concise => out.findings(&diagnostics::concise(sink, sources)),
            ValidateFormat::Json => {
                let (counts, unread) = (self.counts, self.unread);
                let answer = json::Validation::new(sink, sources, counts, unread, &self.gone);
                out.findings(&json::pretty(&answer))
            }
            ValidateFormat::Sarif => out.tool(SARIF, findings),
            ValidateFormat::Github => out.tool(GITHUB, findings),
            ValidateFormat::Gitlab => out.tool(GITLAB, findings),
            ValidateFormat::Junit => out.tool(JUNIT, findings),
            ValidateFormat::Rdjson => out.tool(RDJSON, findings),
        }
    }
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
        (counts.not_ours, "not recognised"),
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

/// Kinds that are listed without `--verbose`.
const LISTED: usize = 5;

/// The kinds that planner does not recognise.
fn others(kinds: &[(String, usize)], verbose: bool) -> String {
    if kinds.is_empty() {
        return String::new();
    }
    let most = if verbose { kinds.len() } else { LISTED };
    let named = kinds.iter().take(most);
    let mut parts: Vec<String> = named
        .map(|(kind, count)| format!("{count} {}", clean(kind)))
        .collect();
    let rest = kinds.len().saturating_sub(most);
    if rest > 0 {
        parts.push(format!(
            "and {} (--verbose lists them)",
            plural(rest, "more kind")
        ));
    }
    format!("Not recognised: {}.\n", parts.join(", "))
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
    match failed && !args.exit_zero {
        true => Outcome::Fault,
        false => Outcome::Fine,
    }
}
