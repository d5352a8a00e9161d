//! `planner test`: the expectations beside the site, tried in parallel.

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;

use crate::diagnostic::Sink;
use crate::expect::{self, Ending, TestResult};
use crate::load::Request;
use crate::render::json::TestReport;
use crate::render::{junit, text};
use crate::rules;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::TestArgs;
use super::confirm;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::{JUNIT, TestFormat};
use super::session::{self, Session};
use super::site::Site;

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
        let nothing = tested.results.is_empty() && outcome == Outcome::Fault;
        let answer = Answer::new(tested, outcome)
            .found(found, site.sources())
            .of_hub(site.checked);
        Ok(if nothing { answer.say(NOTHING) } else { answer })
    })
}

/// The results of the tests.
struct Tested {
    site: Site,
    now: Timestamp,
    results: Vec<TestResult>,
    found: Sink,
    quiet: bool,
}

fn tested(args: &TestArgs, site: Site, console: &Console) -> Result<Tested, Failure> {
    let session = site.session;
    if session.options.allow_commands {
        confirm::watch_interrupts(console);
    }
    let read = |paths: Vec<PathBuf>| {
        let is_dir = paths.first().is_some_and(|first| first.is_dir());
        let request = Request {
            records: session::records_of(&paths, is_dir, &args.common),
            paths,
            ..session.request.clone()
        };
        session::open(&request, console)
    };
    let (results, found) = expect::of_site(site.checked, &rules::codes(), &session.options, read)?;
    Ok(Tested {
        site,
        now: session.settings.now,
        results,
        found: site.judged(found),
        quiet: args.common.quiet,
    })
}

impl Tested {
    fn outcome(&self) -> Outcome {
        let loaded = self.site.loaded;
        let unreadable = self.site.checked.documents.all.is_empty() && loaded.files_read > 0;
        let passed = |result: &TestResult| result.ending() == Ending::Passed;
        match self.found.has_errors() {
            // What could not be read may have been a test.
            errors if self.results.is_empty() && !(errors && unreadable) => {
                Outcome::nothing(NOTHING)
            }
            false if self.results.iter().all(passed) => Outcome::Fine,
            _ => Outcome::Fault,
        }
    }
}

/// The message when there is no test.
const NOTHING: &str = "nothing to test: no PlanTest was found";

impl Data<TestFormat> for Tested {
    fn write(&self, format: TestFormat, out: &mut Out<'_>) -> io::Result<()> {
        let (results, found, sources) = (&self.results, &self.found, self.site.sources());
        match format {
            TestFormat::Json => out.json(&TestReport::new(self.now, results, found, sources)),
            TestFormat::Junit if results.is_empty() => out.tool(JUNIT, self.site.findings(found)),
            TestFormat::Junit => out.text(&junit::tests(results, sources)),
            TestFormat::Text if results.is_empty() => Ok(()),
            TestFormat::Text => out.page(&text::tests(results, sources, self.quiet, &out.screen)),
        }
    }
}
