//! `planner plan --against`: two states of a site, and what moves between their plans.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::diff::{self, Diff, State};
use crate::load::Request;
use crate::load::git::{self, Git, GitFault};
use crate::options::{Options, Rules};
use crate::plan::Quality;
use crate::render::Review;
use crate::render::json::{self, Findings, PlanDiff};
use crate::render::text::layout::count;
use crate::render::{diagnostics, markdown, text};
use crate::source::Sources;

use super::args::PlanArgs;
use super::confirm;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::DiffFormat;
use super::output::{Output, Outputs};
use super::progress;
use super::session::{self, Session};
use super::unanswered::Inputs;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, no such revision, an output that cannot be written.
pub(super) fn run(args: &PlanArgs, against: &str, console: &Console) -> Result<Exit, Failure> {
    let outputs = Outputs::parse(&args.output.words)?;
    if args.input.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::usage(
            "--against needs PATHs: there is no other state of standard input",
        ));
    }
    let inputs = Inputs::of(&args.common, &args.input.paths).and([against]);
    outputs.answer(&inputs, console, || {
        compare(args, against, &outputs, console)
    })
}

fn compare(
    args: &PlanArgs,
    against: &str,
    outputs: &Outputs<DiffFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.input.paths, &args.common, console)?;
    let partly = session.options.keep_going;
    // Refused documents are reported; the others are compared all the same.
    session.options.keep_going = true;
    session.options.packages.clone_from(&args.package);
    // Of the programs that run for us none is left behind.
    confirm::watch_interrupts(console);
    let loaded = session.open(console)?;
    outputs.guard(&session.inputs(&loaded))?;
    let other = other(against, &session, args.common.records.is_some())?;
    let old_loaded = session::open(&other, console)?;
    let mut old_inputs = old_loaded.files.clone();
    old_inputs.extend(old_loaded.ignores.iter().cloned());
    outputs.guard(&old_inputs)?;
    let checked = progress::check(&loaded, &session.rules, console);
    session::check_packages(&checked, &args.package)?;
    // Flags speak of the state that is planned.
    let old_rules = Rules {
        strict: false,
        ..session.rules.clone()
    };
    let old_checked = progress::check(&old_loaded, &old_rules, console);
    let plan = progress::plan(&checked, &session.options, console);
    // What another state names as a program is nobody's consent to run it.
    let old_options = Options {
        allow_commands: false,
        ..session.options.clone()
    };
    let old_plan = progress::plan(&old_checked, &old_options, console);
    let mut found = checked.report(&[&plan.findings]);
    let mut old_found = old_checked.report(&[&old_plan.findings]);
    let refused = plan.refused() || old_plan.refused();
    let quality = match refused {
        true => Quality::Invalid,
        false => plan.quality,
    };
    let diff = (!refused || partly).then(|| {
        let (old, new) = (State::of(&old_plan), State::of(&plan));
        let decisions = new.decisions.len();
        let say = || format!("Comparing {}…", count(decisions, "decision"));
        let compare = || diff::compare(&old, &new, &session.options);
        let mut diff = progress::watch(console, say, compare);
        diff.add_failures(&plan);
        diff
    });
    let said = |found: &Diagnostic| (found.rule.code, found.message.clone());
    let known: BTreeSet<_> = old_found.diagnostics.iter().map(said).collect();
    let still: BTreeSet<_> = found.diagnostics.iter().map(said).collect();
    let gone = old_found.filtered(|old| !still.contains(&said(old)));
    let new = found.filtered(|new| !known.contains(&said(new)));
    let lines = |sink: &Sink, sources: &Sources| -> Vec<String> {
        let text = diagnostics::concise(sink, sources);
        text.lines().map(str::to_owned).collect()
    };
    let called = old_loaded
        .sources
        .called(|name| format!("{against}:{name}"));
    let review = match diff {
        Some(_) => Review {
            new: lines(&new, &loaded.sources),
            gone: lines(&gone, &called),
        },
        None => {
            let errors = |sink: &Sink| sink.filtered(Diagnostic::is_error);
            let mut all = lines(&errors(&found), &loaded.sources);
            all.extend(lines(&errors(&old_found), &called));
            Review {
                new: all,
                ..Review::default()
            }
        }
    };
    if !old_found.refused() {
        // What was wrong before, and refused nothing, is no longer of interest.
        old_found = Sink::default();
    }
    let errors = found.count(Severity::Error) + old_found.count(Severity::Error);
    let moved = diff.as_ref().is_some_and(|diff| !diff.moves.is_empty());
    let result = match quality {
        Quality::Invalid | Quality::Unplaceable => quality,
        _ if moved => Quality::Ready,
        _ => Quality::Unchanged,
    };
    let page = DiffPage {
        diff: diff.as_ref(),
        against,
        errors,
        review: &review,
    };
    // Texts are copied for the findings that point into them alone.
    let old_sources = match old_found.diagnostics.is_empty() {
        true => Sources::default(),
        false => old_loaded
            .sources
            .called(|name| format!("{against}:{name}")),
    };
    let mut all = diagnostics::json(&found, &loaded.sources);
    all.extend(diagnostics::json(&old_found, &old_sources));
    let findings = Findings {
        new: diagnostics::json(&new, &loaded.sources),
        gone: diagnostics::json(&gone, &called),
    };
    let answer =
        PlanDiff::new(plan.now, against, result.word(), diff.as_ref(), all).with_findings(findings);
    for output in outputs.answered() {
        page.write(output, &answer, console)?;
    }
    drop(answer);
    if outputs.for_people() {
        let look = console.look_on_stderr();
        found
            .diagnostics
            .retain(|new| new.is_error() || !known.contains(&said(new)));
        console.err(&diagnostics::full(&found, &loaded.sources, look));
        console.err(&diagnostics::full(&old_found, &old_sources, look));
    }
    if session::nothing(&checked, &plan) && old_loaded.files_read == 0 {
        console.err("planner: nothing to plan: no document of ours was found\n");
        return Ok(Exit::NoInput);
    }
    Ok(match quality {
        Quality::Invalid => Exit::Fault,
        Quality::Unplaceable => Exit::Unplaceable,
        _ if moved && args.detailed_exitcode => Exit::Changes,
        _ => Exit::Success,
    })
}

struct DiffPage<'p> {
    diff: Option<&'p Diff>,
    against: &'p str,
    errors: usize,
    review: &'p Review,
}

impl DiffPage<'_> {
    fn write(
        &self,
        output: &Output<DiffFormat>,
        answer: &PlanDiff<'_>,
        console: &Console,
    ) -> Result<(), Failure> {
        output.emit(console, |out| match (output.format, self.diff) {
            (DiffFormat::Json, _) => json::write_json(answer, out),
            (DiffFormat::Yaml, _) => json::write_yaml(answer, out),
            (DiffFormat::Markdown, Some(diff)) => {
                out.write_all(markdown::reviewed(diff, self.against, self.review).as_bytes())
            }
            (DiffFormat::Markdown, None) => {
                out.write_all(markdown::invalid(self.against, self.errors, self.review).as_bytes())
            }
            (DiffFormat::Text, diff) => {
                let screen = output.screen(console);
                let page = match diff {
                    Some(diff) => text::reviewed(diff, self.against, self.review, &screen),
                    None => text::refused_review(self.errors, self.review, &screen),
                };
                out.write_all(page.write(&screen).as_bytes())
            }
        })
    }
}

/// What is to be read as the other state of the site.
fn other(against: &str, session: &Session, records_named: bool) -> Result<Request, Failure> {
    let directory = Path::new(against);
    if directory.is_dir() {
        return Ok(beside(directory, session, records_named));
    }
    at_revision(against, session).map_err(|fault| refusal(against, fault))
}

/// The site as a git revision has it.
///
/// # Errors
/// See [`GitFault`].
pub(super) fn at_revision(revision: &str, session: &Session) -> Result<Request, GitFault> {
    let request = &session.request;
    let limit = request.limits.file_bytes;
    let mut paths = request.paths.clone();
    // Records are read where they lie in the repository, and nowhere else.
    let named = paths.len();
    paths.extend(request.records.clone());
    let git = Git::default();
    let read = |paths: &[PathBuf]| git.read(revision, paths, &request.directory, limit);
    let snapshot = match read(&paths) {
        Err(GitFault::Outside(_)) => read(&paths[..named]),
        read => read,
    };
    Ok(Request {
        snapshot: Some(snapshot?),
        ..request.clone()
    })
}

/// A directory stands for the working directory where it holds the PATHs, else for the only
/// PATH.
fn beside(theirs: &Path, session: &Session, records_named: bool) -> Request {
    let request = &session.request;
    let below = |path: &PathBuf| path.is_relative() && theirs.join(path).exists();
    let ours = match request.paths.as_slice() {
        [only] if only.is_dir() && !below(only) => only.clone(),
        _ => PathBuf::from("."),
    };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let twin = |path: &Path| {
        let inside = real(&request.directory.join(path));
        match inside.strip_prefix(real(&ours)) {
            Ok(rest) if rest.as_os_str().is_empty() => theirs.to_path_buf(),
            Ok(rest) => theirs.join(rest),
            Err(_) => path.to_path_buf(),
        }
    };
    let paths = request.paths.iter().map(|path| twin(path));
    // What is not there yet is not the other state's fault.
    let paths = paths.filter(|path| path.exists()).collect();
    let records = request.records.as_deref();
    Request {
        paths,
        records: match records {
            Some(records) if !records_named => {
                let home = records.parent().filter(|home| !home.as_os_str().is_empty());
                let name = records.file_name().unwrap_or_default();
                Some(twin(home.unwrap_or(Path::new("."))).join(name))
            }
            records => records.map(Path::to_path_buf),
        },
        treated_as: Some((real(theirs), ours)),
        ..request.clone()
    }
}

fn refusal(against: &str, fault: GitFault) -> Failure {
    let none = format!("--against {against}: there is no such directory");
    match fault {
        GitFault::NoGit(why) => Failure::usage(format!("{none}, and git cannot be run: {why}")),
        GitFault::NoRepository(home) => Failure::usage(format!(
            "{none}, and {} lies in no git repository",
            home.display()
        )),
        GitFault::NoRevision => Failure::usage(format!("{none} and no such git revision")),
        GitFault::Outside(path) => Failure::usage(format!(
            "--against {against}: {} lies outside of the git repository",
            path.display()
        )),
        GitFault::Hangs => Failure::new(
            Exit::Fault,
            format!(
                "--against {against}: git said nothing for {} s",
                git::PATIENCE.as_secs()
            ),
        ),
        GitFault::Broken(why) => Failure::new(Exit::Fault, format!("--against {against}: {why}")),
    }
}
