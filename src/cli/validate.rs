//! `planner validate`: load, check, print findings.

use std::env;
use std::path::PathBuf;

use crate::diagnostic::{Severity, Sink};
use crate::document::Documents;
use crate::render::diagnostics::{self, Findings};
use crate::render::json;
use crate::site::{self, Counts};

use super::args::{FailOn, ValidateArgs};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::output::{self, Output};
use super::session::{self, Session};

const FORMATS: &[&str] = &[
    "full", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson",
];

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &ValidateArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = output::parse(&args.output, FORMATS)?;
    let mut session = session::open(&args.input.paths, &args.common, console)?;
    output::guard(&outputs, &session.inputs)?;
    session.options.validating = true;
    let mut sink = std::mem::take(&mut session.loaded.sink);
    let documents = session.loaded.documents();
    session.remark(&documents, console);
    let unreadable = session.loaded.unreadable;
    let site = site::check(&documents, unreadable, &session.options, &mut sink);
    session.be_strict(&documents, &mut sink);
    session.config.apply(&mut sink);
    sink.sort(documents.sources);
    let findings = Findings {
        sink: &sink,
        documents: &documents,
        prefix: "",
        fails: least(args, &session),
    };
    write(&outputs, findings, site.counts, console)?;
    console.note(&summary(&session, &documents, site.counts, &sink));
    Ok(status(args, &session, site.counts, &sink))
}

fn write(
    outputs: &[Output],
    findings: Findings<'_, '_>,
    counts: Counts,
    console: &Console,
) -> Result<(), Failure> {
    let (sink, sources) = (findings.sink, findings.documents.sources);
    for output in outputs {
        let mut look = console.look(true);
        look.color &= output.file.is_none();
        // Carriers name files from the root of the repository on, as their readers do.
        let prefix = match output.format {
            "github" | "sarif" => below("GITHUB_WORKSPACE"),
            "gitlab" => below("CI_PROJECT_DIR"),
            _ => String::new(),
        };
        let findings = Findings {
            prefix: &prefix,
            ..findings
        };
        let text = match output.format {
            "concise" => diagnostics::concise(sink, sources),
            "json" => json::pretty(&json::Validation::new(sink, sources, counts)),
            "sarif" => diagnostics::sarif(findings),
            "github" => diagnostics::github(findings),
            "gitlab" => diagnostics::gitlab(findings),
            "junit" => diagnostics::junit(findings),
            "rdjson" => diagnostics::rdjson(findings),
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

fn plural(count: usize, word: &str) -> String {
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
    let mut parts = vec![format!("{} checked", counts.planned)];
    if counts.not_ours > 0 {
        parts.push(format!("{} not ours", counts.not_ours));
    }
    let refused = counts.read - counts.planned - counts.not_ours - session.loaded.unreadable;
    if refused > 0 {
        parts.push(format!("{refused} refused"));
    }
    if session.loaded.unreadable > 0 {
        parts.push(format!("{} unreadable", session.loaded.unreadable));
    }
    let findings = match diagnostics::counts(sink) {
        text if text.is_empty() => "no findings".to_owned(),
        text => text,
    };
    let files = plural(documents.sources.files.len(), "file");
    let read = plural(counts.read, "document");
    format!("{read} in {files}: {}; {findings}.\n", parts.join(", "))
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
