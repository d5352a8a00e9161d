//! `planner test`: the expectations beside the site, tried in parallel.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Object, Severity, Sink};
use crate::document::DocumentKind;
use crate::document::rules::NOT_OURS;
use crate::expect::model::PlanTest;
use crate::expect::{self, Ending, Expected, TestResult};
use crate::load::rules::NOT_FOUND;
use crate::load::{Loaded, Request};
use crate::options::Options;
use crate::parallel;
use crate::render::diagnostics::{self, Findings};
use crate::render::json::{self, TestReport};
use crate::render::{junit, text};
use crate::rules;
use crate::site::{self, Checked};
use crate::source::Sources;

use super::args::{CommonArgs, TestArgs};
use super::confirm;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::{JUNIT, TestFormat};
use super::output::Outputs;
use super::progress;
use super::session::{self, Session, keep};
use super::unanswered::Inputs;

/// Documents that a test reads in place of the site's.
type Given = BTreeMap<Vec<PathBuf>, Loaded>;

/// The same, checked.
type Sites<'a> = BTreeMap<Vec<PathBuf>, Checked<'a>>;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &TestArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    let inputs = Inputs::of(&args.common, &args.input.paths);
    outputs.answer(&inputs, console, || test(args, &outputs, console))
}

fn test(
    args: &TestArgs,
    outputs: &Outputs<TestFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let session = keep(Session::new(&args.input.paths, &args.common, console)?);
    if session.options.allow_commands {
        confirm::watch_interrupts(console);
    }
    let loaded = keep(session.open(console)?);
    outputs.guard(&session.inputs(loaded))?;
    let whole = keep(progress::check(loaded, &session.rules, console));
    let checked = super::without::left(whole, &args.without.without)?;
    let sources = &loaded.sources;
    let mut sink = Sink::default();
    let mut tests = expect::lower(&checked.documents, &rules::all(), &mut sink);
    if tests.is_empty() {
        let mut found = without_tests(checked);
        found.sort(sources);
        nothing_to_test(checked, session, &found, outputs, console)?;
        console.err(&diagnostics::full(
            &found,
            sources,
            console.look_on_stderr(),
        ));
        console.err("planner: nothing to test: no PlanTest was found\n");
        let unreadable = checked.documents.all.is_empty() && loaded.files_read > 0;
        return Ok(match found.has_errors() && unreadable {
            true => Exit::Fault,
            false => Exit::NoInput,
        });
    }
    of_tests(checked, &mut sink);
    let given = given(
        &mut tests,
        session,
        sources,
        &args.common,
        console,
        &mut sink,
    )?;
    let sites: Sites<'_> = given
        .iter()
        .map(|(paths, loaded)| (paths.clone(), site::check(loaded, &session.rules)))
        .collect();
    let options = Options {
        jobs: 1,
        ..session.options.clone()
    };
    let ended = parallel::map(session.options.jobs, &tests, |test| {
        let site = match paths(test, sources) {
            None => Some(checked),
            Some(paths) => sites.get(&paths),
        };
        one(test, site, &options)
    });
    let mut reports = Vec::new();
    for (report, found) in ended {
        reports.push(report);
        sink.append(found);
    }
    session.rules.levels.apply(&mut sink);
    sink.sort(sources);
    let answer = TestReport::new(session.rules.now, &reports, &sink, sources);
    for output in outputs.answered() {
        output.emit(console, |out| match output.format {
            TestFormat::Json => json::write_json(&answer, out),
            TestFormat::Junit => out.write_all(junit::tests(&reports, sources).as_bytes()),
            TestFormat::Text => {
                let screen = output.screen(console);
                let page = text::tests(&reports, sources, args.common.quiet);
                out.write_all(page.write(&screen).as_bytes())
            }
        })?;
    }
    console.err(&diagnostics::full(&sink, sources, console.look_on_stderr()));
    let passed = |report: &TestResult| report.ending() == Ending::Passed;
    Ok(if reports.iter().all(passed) && !sink.has_errors() {
        Exit::Success
    } else {
        Exit::Fault
    })
}

/// The answer without a test, to programs: what could not be read may have been one.
fn nothing_to_test(
    site: &Checked<'_>,
    session: &Session,
    found: &Sink,
    outputs: &Outputs<TestFormat>,
    console: &Console,
) -> Result<(), Failure> {
    let sources = site.documents.sources;
    let answer = TestReport::new(session.rules.now, &[], found, sources);
    for output in outputs.answered() {
        match output.format {
            TestFormat::Text => {}
            TestFormat::Json => output.emit(console, |out| json::write_json(&answer, out))?,
            TestFormat::Junit => {
                let text = JUNIT.text(Findings {
                    sink: found,
                    documents: &site.documents,
                    prefix: "",
                    fails: Severity::Error,
                });
                output.emit(console, |out| out.write_all(text.as_bytes()))?;
            }
        }
    }
    Ok(())
}

/// The findings of reading and, if asked for, of documents that belong to no system.
fn without_tests(site: &Checked<'_>) -> Sink {
    let foreign = |found: &Diagnostic| found.rule.code == NOT_OURS.code;
    let mut found = site.of_reading();
    found.append(site.findings.filtered(foreign));
    found
}

/// Adds the findings of reading the tests' own documents, and of documents that belong to no
/// system; others of the site show in what fails.
fn of_tests(site: &Checked<'_>, sink: &mut Sink) {
    let documents = &site.documents;
    let of_test = |found: &Diagnostic| {
        let place = found.primary.as_ref().map(|label| label.place);
        let holding = place.and_then(|place| documents.holding(place));
        holding.is_some_and(|at| documents.all[at].kind == DocumentKind::PlanTest)
    };
    sink.append(site.of_reading().filtered(of_test));
    sink.append(
        site.findings
            .filtered(|found| found.rule.code == NOT_OURS.code),
    );
}

/// One test; without a site it has been reported already.
fn one(test: &PlanTest<'_>, site: Option<&Checked<'_>>, options: &Options) -> (TestResult, Sink) {
    let mut sink = Sink::default();
    let mut report = TestResult {
        name: test.name.to_owned(),
        place: test.place,
        expectations: None,
    };
    let Some(site) = site.filter(|_| !test.refused) else {
        return (report, sink);
    };
    let mut test = test.clone();
    if let Some(changes) = expect::edits(&mut test, &site.documents, &mut sink) {
        let ended = expect::run(&test, site, changes, options, &mut sink);
        let expected = test.expect.iter().zip(ended);
        let expected = expected.map(|(expected, checked)| Expected {
            text: expect::describe(&expected.claim),
            place: expected.place,
            found: checked.err(),
        });
        report.expectations = Some(expected.collect());
    }
    (report, sink)
}

/// The PATHs a test names, from its own file; none if it is about the site it lies in.
fn paths(test: &PlanTest<'_>, sources: &Sources) -> Option<Vec<PathBuf>> {
    if test.given.is_empty() {
        return None;
    }
    let file = Path::new(&sources.get(test.file).name);
    let home = file.parent().unwrap_or(Path::new(""));
    let given = test.given.iter().map(|word| home.join(word.text));
    Some(given.collect())
}

/// Reads what the tests name; each set of PATHs once.
fn given(
    tests: &mut [PlanTest<'_>],
    session: &Session,
    sources: &Sources,
    common: &CommonArgs,
    console: &Console,
    sink: &mut Sink,
) -> Result<Given, Failure> {
    let mut given = Given::new();
    for test in tests {
        let Some(paths) = paths(test, sources).filter(|_| !test.refused) else {
            continue;
        };
        for (word, path) in test.given.iter().zip(&paths) {
            if !path.exists() {
                test.refused = true;
                let found = Diagnostic::new(&NOT_FOUND, "no such file or directory")
                    .at(word.place, "named here")
                    .help("`given` is relative to the file of the test")
                    .object(Object::new("PlanTest", test.name));
                sink.push(found.not_refusing());
            }
        }
        if test.refused || given.contains_key(&paths) {
            continue;
        }
        let request = Request {
            records: session::records_of(&paths, common),
            paths: paths.clone(),
            ..session.request.clone()
        };
        given.insert(paths, session::open(&request, console)?);
    }
    Ok(given)
}
