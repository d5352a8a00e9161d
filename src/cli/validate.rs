//! `planner validate`: load, check, print findings.

use std::env;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use crate::diagnostic::ignore::{self, Judge};
use crate::diagnostic::{Severity, Sink};
use crate::document::Documents;
use crate::render::diagnostics::{self, Findings};
use crate::render::json;
use crate::rules;
use crate::site::{self, Counts};

use super::args::{FailOn, ValidateArgs};
use super::baseline::{self, Known};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::fixes;
use super::output::{self, Output};
use super::session::{self, Session};

const FORMATS: &[&str] = &[
    "full", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson",
];

/// A site as checked.
pub(super) struct Checked<'a> {
    pub(super) documents: Documents<'a>,
    pub(super) counts: Counts,
    pub(super) sink: Sink,
}

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &ValidateArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = output::parse(&args.output, FORMATS)?;
    fixes::guard(args)?;
    let (paths, common) = (&args.input.paths, &args.common);
    // What was read and planned lives until the program ends: freeing it would only take time.
    let session = session::open_beside(paths, common, console, args.baseline.as_deref())?;
    let mut session = ManuallyDrop::new(session);
    output::guard(&outputs, &session.inputs)?;
    session.options.validating = true;
    let mut known = baseline::open(args, &session)?;
    let mut diff = None;
    if args.fix || args.diff {
        diff = fixes::run(args, &mut session, console)?;
    }
    let sink = std::mem::take(&mut session.loaded.sink);
    let Checked {
        documents,
        counts,
        mut sink,
    } = check(&session, sink, args);
    session.print_notes(&documents, console);
    known.apply(&mut sink, &documents, args, console)?;
    let findings = Findings {
        sink: &sink,
        documents: &documents,
        prefix: "",
        fails: least(args, &session),
    };
    let report = Report {
        findings,
        counts,
        unreadable: session.loaded.unreadable,
        known: &known,
        diff: diff.as_deref(),
    };
    write(&outputs, &report, console)?;
    console.note(&summary(&session, &documents, counts, &sink));
    Ok(status(args, &session, counts, &sink))
}

/// Checks what was read, lets ignores and levels act, and sorts; `sink` holds what reading
/// found.
pub(super) fn check<'a>(session: &'a Session, mut sink: Sink, args: &ValidateArgs) -> Checked<'a> {
    let documents = session.loaded.documents();
    let unreadable = session.loaded.unreadable;
    let site = site::check(&documents, unreadable, &session.options, &mut sink);
    let site = ManuallyDrop::new(site);
    session.report_foreign(&documents, &mut sink);
    sink.sort(documents.sources);
    if !args.no_ignores {
        let rules = rules::all();
        let judge = Judge {
            now: session.options.now,
            reasons: session.config.require_reason,
            rules: &rules,
        };
        let inside = |source, offsets: &[u32]| session.loaded.inside_scalars(source, offsets);
        ignore::apply(&mut sink, documents.sources, inside, judge);
    }
    session.config.apply(&mut sink);
    sink.sort(documents.sources);
    Checked {
        counts: site.counts,
        documents,
        sink,
    }
}

/// What the outputs are made from.
struct Report<'r, 'a> {
    findings: Findings<'r, 'a>,
    counts: Counts,
    unreadable: usize,
    known: &'r Known,
    /// Printed in place of the findings.
    diff: Option<&'r str>,
}

fn write(outputs: &[Output], report: &Report<'_, '_>, console: &Console) -> Result<(), Failure> {
    let (sink, sources) = (report.findings.sink, report.findings.documents.sources);
    for output in outputs {
        let mut look = console.look_on_stdout();
        look.color &= output.file.is_none();
        // Other programs want files named from the root of the repository.
        let prefix = match output.format {
            "github" | "sarif" => below("GITHUB_WORKSPACE"),
            "gitlab" => below("CI_PROJECT_DIR"),
            _ => String::new(),
        };
        let findings = Findings {
            prefix: &prefix,
            ..report.findings
        };
        let text = match (output.format, report.diff) {
            (_, Some(diff)) if output.file.is_none() => diff.to_owned(),
            ("concise", _) => diagnostics::concise(sink, sources),
            ("json", _) => {
                let (counts, gone) = (report.counts, &report.known.gone);
                let unreadable = report.unreadable;
                json::pretty(&json::Validation::new(
                    sink, sources, counts, unreadable, gone,
                ))
            }
            ("sarif", _) => diagnostics::sarif(findings),
            ("github", _) => diagnostics::github(findings),
            ("gitlab", _) => diagnostics::gitlab(findings),
            ("junit", _) => diagnostics::junit(findings),
            ("rdjson", _) => diagnostics::rdjson(findings),
            _ => diagnostics::full(sink, sources, look),
        };
        output::emit(output, console, |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}

/// The way from the directory a variable names to the current one, `a/b/`; empty unless the
/// current directory lies below it.
fn below(variable: &str) -> String {
    let real = |path: PathBuf| path.canonicalize().ok();
    let root = env::var_os(variable).map(PathBuf::from).and_then(real);
    let here = env::current_dir().ok().and_then(real);
    let (Some(root), Some(here)) = (root, here) else {
        return String::new();
    };
    match here.strip_prefix(&root) {
        Ok(rest) if !rest.as_os_str().is_empty() => {
            let parts: Vec<_> = rest.iter().map(|part| part.to_string_lossy()).collect();
            format!("{}/", parts.join("/"))
        }
        _ => String::new(),
    }
}

pub(super) fn plural(count: usize, word: &str) -> String {
    if count == 1 {
        format!("1 {word}")
    } else {
        format!("{count} {word}s")
    }
}

/// Nothing is skipped silently: one line that counts everything.
fn summary(session: &Session, documents: &Documents<'_>, counts: Counts, sink: &Sink) -> String {
    if counts.read == 0 && session.loaded.files_read == 0 && sink.diagnostics.is_empty() {
        return "Nothing to check: no .yaml, .yml or .json file was found.\n".into();
    }
    let unreadable = session.loaded.unreadable;
    let refused = counts.read - counts.planned - counts.not_ours - unreadable;
    let mut parts = vec![format!("{} checked", counts.planned)];
    let mut part = |count: usize, word: &str| {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    };
    part(counts.not_ours, "not ours");
    part(refused, "refused");
    part(unreadable, "unreadable");
    let mut findings = vec![match diagnostics::counts(sink) {
        text if text.is_empty() => "no findings".to_owned(),
        text => text,
    }];
    for (count, word) in [(sink.ignored(), "ignored"), (sink.baselined(), "baselined")] {
        if count > 0 {
            findings.push(format!("{count} {word}"));
        }
    }
    let files = plural(documents.sources.files.len(), "file");
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

fn status(args: &ValidateArgs, session: &Session, counts: Counts, sink: &Sink) -> Exit {
    let least = least(args, session);
    let failed = sink.diagnostics.iter().any(|found| found.severity >= least);
    let nothing = if session.loaded.files_read == 0 {
        true
    } else {
        counts.is_nothing() && !failed
    };
    if nothing {
        return Exit::NoInput;
    }
    if failed && !args.exit_zero {
        Exit::Fault
    } else {
        Exit::Success
    }
}
