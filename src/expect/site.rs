//! All PlanTests of a site, tried in parallel.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Codes, Diagnostic, Object, Sink};
use crate::document::DocumentKind;
use crate::document::rules::NOT_OURS;
use crate::load::Loaded;
use crate::load::rules::NOT_FOUND;
use crate::options::Options;
use crate::parallel;
use crate::site::{self, Checked};
use crate::source::Sources;

use super::model::PlanTest;
use super::{Expected, TestResult, describe, edits, lower, run};

/// Runs the tests of a site; `read` reads the PATHs that a test names in place of the site, each
/// set once. Returns the results and the findings: for a site without tests also the unreadable
/// documents, since one of them may be a test.
///
/// # Errors
/// Any error of `read`.
pub fn of_site<E>(
    site: &Checked<'_>,
    codes: &Codes,
    options: &Options,
    mut read: impl FnMut(Vec<PathBuf>) -> Result<Loaded, E>,
) -> Result<(Vec<TestResult>, Sink), E> {
    let sources = site.documents.sources;
    let mut sink = Sink::default();
    let mut tests = lower(&site.documents, codes, &mut sink);
    sink.append(of_documents(site, tests.is_empty()));
    let mut given: BTreeMap<Vec<PathBuf>, Loaded> = BTreeMap::new();
    for test in &mut tests {
        let Some(paths) = paths(test, sources).filter(|_| !test.refused) else {
            continue;
        };
        missing(test, &paths, &mut sink);
        if !test.refused && !given.contains_key(&paths) {
            given.insert(paths.clone(), read(paths)?);
        }
    }
    let sites = given.iter();
    let sites: BTreeMap<&Vec<PathBuf>, Checked<'_>> = sites
        .map(|(paths, loaded)| (paths, site::check(loaded, site.settings)))
        .collect();
    let alone = Options {
        jobs: 1,
        ..options.clone()
    };
    let ended = parallel::map(options.jobs, &tests, |test| {
        let site = match paths(test, sources) {
            None => Some(site),
            Some(paths) => sites.get(&paths),
        };
        one(test, site, &alone)
    });
    let mut results = Vec::new();
    for (result, found) in ended {
        results.push(result);
        sink.append(found);
    }
    Ok((results, sink))
}

/// The findings of reading the tests' own documents, and of documents that belong to no system;
/// others of the site show in what fails. Without a test all that could not be read.
fn of_documents(site: &Checked<'_>, all: bool) -> Sink {
    let documents = &site.documents;
    let of_test = |found: &Diagnostic| {
        let place = found.primary.as_ref().map(|label| label.place);
        let holding = place.and_then(|place| documents.holding(place));
        holding.is_some_and(|at| documents.all[at].kind == DocumentKind::PlanTest)
    };
    let mut found = site.of_reading().filtered(|found| all || of_test(found));
    let foreign = |found: &Diagnostic| found.rule.code == NOT_OURS.code;
    found.append(site.findings.filtered(foreign));
    found
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

/// Refuses a test that names PATHs which are not there.
fn missing(test: &mut PlanTest<'_>, paths: &[PathBuf], sink: &mut Sink) {
    for (word, path) in test.given.iter().zip(paths) {
        if !path.exists() {
            test.refused = true;
            let found = Diagnostic::new(&NOT_FOUND, "no such file or directory")
                .at(word.place, "named here")
                .help("`given` is relative to the file of the test")
                .object(Object::new("PlanTest", test.name));
            sink.push(found.not_refusing());
        }
    }
}

/// One test; without a site it has been reported already.
fn one(test: &PlanTest<'_>, site: Option<&Checked<'_>>, options: &Options) -> (TestResult, Sink) {
    let mut sink = Sink::default();
    let mut result = TestResult {
        name: test.name.to_owned(),
        place: test.place,
        expectations: None,
    };
    let Some(site) = site.filter(|_| !test.refused) else {
        return (result, sink);
    };
    let mut test = test.clone();
    if let Some(changes) = edits(&mut test, &site.documents, &mut sink) {
        let ended = run(&test, site, changes, options, &mut sink);
        let expected = test.expect.iter().zip(ended);
        let expected = expected.map(|(expected, checked)| Expected {
            text: describe(&expected.claim),
            place: expected.place,
            found: checked.err(),
        });
        result.expectations = Some(expected.collect());
    }
    (result, sink)
}
