//! `planner test`: the expectations beside the site, tried in parallel.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::diagnostic::{Diagnostic, Object, Severity, Sink};
use crate::document::DocumentKind;
use crate::document::rules::NOT_OURS;
use crate::expect::model::PlanTest;
use crate::expect::{self, Ending, Expected, TestResult};
use crate::load::rules::NOT_FOUND;
use crate::load::{Loaded, Request};
use crate::options::Options;
use crate::parallel;
use crate::render::diagnostics::Findings;
use crate::render::json::TestReport;
use crate::render::{junit, text};
use crate::rules;
use crate::site::{self, Checked};
use crate::source::Sources;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::{CommonArgs, TestArgs};
use super::confirm;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::{JUNIT, TestFormat};
use super::session::{self, Session};
use super::site::Site;

/// Documents that a test reads instead of the site's.
type Given = BTreeMap<Vec<PathBuf>, Loaded>;

/// The same, checked.
type Sites<'a> = BTreeMap<Vec<PathBuf>, Checked<'a>>;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &TestArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    let run = Run::new(&args.common, &args.input.paths, outputs, console);
    run.answer(|| {
        let session = Session::new(&args.input.paths, &args.common, console)?;
        let site = Site::read(session, &run)?.without(&args.without.without)?;
        let tested = tested(args, site, console)?;
        let outcome = tested.outcome();
        let found = tested.found.clone();
        let nothing = tested.reports.is_empty() && outcome == Outcome::Fault;
        let answer = Answer::new(tested, outcome).found(found, site.sources());
        Ok(match nothing {
            true => answer.say(NOTHING),
            false => answer,
        })
    })
}

/// What came of the tests.
struct Tested {
    site: Site,
    now: Timestamp,
    reports: Vec<TestResult>,
    found: Sink,
    quiet: bool,
}

fn tested(args: &TestArgs, site: Site, console: &Console) -> Result<Tested, Failure> {
    let (session, sources) = (site.session, site.sources());
    let tested = |reports, found| Tested {
        site,
        now: session.settings.now,
        reports,
        found,
        quiet: args.common.quiet,
    };
    let mut sink = Sink::default();
    let mut tests = expect::lower(&site.checked.documents, &rules::codes(), &mut sink);
    if tests.is_empty() {
        return Ok(tested(Vec::new(), site.judged(without_tests(site.checked))));
    }
    of_tests(site.checked, &mut sink);
    if session.options.allow_commands {
        confirm::watch_interrupts(console);
    }
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
        .map(|(paths, loaded)| (paths.clone(), site::check(loaded, &session.settings)))
        .collect();
    let options = Options {
        jobs: 1,
        ..session.options.clone()
    };
    let ended = parallel::map(session.options.jobs, &tests, |test| {
        let site = match paths(test, sources) {
            None => Some(site.checked),
            Some(paths) => sites.get(&paths),
        };
        one(test, site, &options)
    });
    let mut reports = Vec::new();
    for (report, found) in ended {
        reports.push(report);
        sink.append(found);
    }
    Ok(tested(reports, site.judged(sink)))
}

impl Tested {
    fn outcome(&self) -> Outcome {
        let loaded = self.site.loaded;
        let unreadable = self.site.checked.documents.all.is_empty() && loaded.files_read > 0;
        let passed = |report: &TestResult| report.ending() == Ending::Passed;
        match self.found.has_errors() {
            // What could not be read may have been a test.
            errors if self.reports.is_empty() && !(errors && unreadable) => {
                Outcome::nothing(NOTHING)
            }
            false if self.reports.iter().all(passed) => Outcome::Fine,
            _ => Outcome::Fault,
        }
    }
}

/// What is said where there is no test.
const NOTHING: &str = "nothing to test: no PlanTest was found";

impl Data<TestFormat> for Tested {
    fn write(&self, format: TestFormat, out: &mut Out<'_>) -> io::Result<()> {
        let (reports, found, sources) = (&self.reports, &self.found, self.site.sources());
        match format {
            TestFormat::Json => out.json(&TestReport::new(self.now, reports, found, sources)),
            TestFormat::Junit if reports.is_empty() => {
                let findings = Findings {
                    sink: found,
                    documents: &self.site.checked.documents,
                    prefix: "",
                    fails: Severity::Error,
                };
                out.tool(JUNIT, findings)
            }
            TestFormat::Junit => out.text(&junit::tests(reports, sources)),
            TestFormat::Text if reports.is_empty() => Ok(()),
            TestFormat::Text => out.page(&text::tests(reports, sources, self.quiet)),
        }
    }
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
