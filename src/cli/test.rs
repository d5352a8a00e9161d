//! `planner test`: the expectations beside the site, tried in parallel.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::diff::State;
use crate::document::DocumentKind;
use crate::expect::model::PlanTest;
use crate::expect::{self, Ending, Expected, TestResult};
use crate::load::rules::NOT_FOUND;
use crate::load::{Loaded, Request};
use crate::options::Options;
use crate::parallel;
use crate::render::json::{self, TestReport};
use crate::render::text::Screen;
use crate::render::{diagnostics, junit, text};
use crate::source::Sources;

use super::args::{CommonArgs, TestArgs};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::output;
use super::session::{self, Session};

const FORMATS: &[&str] = &["text", "json", "junit"];

/// Documents that a test reads in place of the site's.
type Given = BTreeMap<Vec<PathBuf>, (Loaded, Sink)>;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &TestArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = output::parse(&args.output, FORMATS)?;
    let mut session = session::open(&args.input.paths, &args.common, console)?;
    output::guard(&outputs, &session.inputs)?;
    let read = std::mem::take(&mut session.loaded.sink);
    let documents = session.loaded.documents();
    session.print_notes(&documents, console);
    let sources = documents.sources;
    let mut sink = Sink::default();
    let mut tests = expect::lower(&documents, &mut sink);
    // The loader's findings of the tests' own documents; those of the site show in what fails.
    let of_tests = |found: &&Diagnostic| {
        let place = found.primary.as_ref().map(|label| label.place);
        let holding = place.and_then(|place| documents.holding(place));
        holding.is_some_and(|at| documents.all[at].kind == DocumentKind::PlanTest)
    };
    sink.diagnostics
        .extend(read.diagnostics.iter().filter(of_tests).cloned());
    if tests.is_empty() {
        let errors = read.has_errors();
        console.err(&diagnostics::full(&read, sources, console.look_on_stderr()));
        console.err("planner: nothing to test: no PlanTest was found\n");
        return Ok(
            if errors && documents.all.is_empty() && session.loaded.files_read > 0 {
                Exit::Fault
            } else {
                Exit::NoInput
            },
        );
    }
    let given = given(&mut tests, &session, &args.common, console, &mut sink)?;
    let options = Options {
        jobs: 1,
        ..session.options.clone()
    };
    let site = State {
        loaded: &session.loaded,
        read: &read,
    };
    let jobs = session.options.jobs;
    let ended = parallel::map(jobs, &tests, |test| {
        let state = match paths(test, sources) {
            None => Some(site),
            Some(paths) => given
                .get(&paths)
                .map(|(loaded, read)| State { loaded, read }),
        };
        one(test, state, &options)
    });
    let mut reports = Vec::new();
    for (report, found) in ended {
        reports.push(report);
        sink.append(found);
    }
    session.config.apply(&mut sink);
    sink.sort(sources);
    let answer = TestReport::new(options.now, &reports, &sink, sources);
    for output in &outputs {
        output::emit(output, console, |out| match output.format {
            "json" => json::write_json(&answer, out),
            "junit" => out.write_all(junit::tests(&reports, sources).as_bytes()),
            _ => {
                let mut screen = console.screen();
                if output.file.is_some() {
                    screen = Screen::piped();
                }
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

/// One test; without a state it has been reported already.
fn one(test: &PlanTest<'_>, state: Option<State<'_>>, options: &Options) -> (TestResult, Sink) {
    let mut sink = Sink::default();
    let mut report = TestResult {
        name: test.name.to_owned(),
        place: test.place,
        expectations: None,
    };
    let Some(state) = state.filter(|_| !test.refused) else {
        return (report, sink);
    };
    let mut test = test.clone();
    let documents = state.loaded.documents();
    if let Some(edits) = expect::edits(&mut test, &documents, &mut sink) {
        let ended = expect::run(&test, state, &edits, options, &mut sink);
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
    common: &CommonArgs,
    console: &Console,
    sink: &mut Sink,
) -> Result<Given, Failure> {
    let sources = &session.loaded.sources;
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
        let mut loaded = session::read(&request, console)?;
        let read = std::mem::take(&mut loaded.sink);
        given.insert(paths, (loaded, read));
    }
    Ok(given)
}
