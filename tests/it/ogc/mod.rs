//! OGC planning: the corpus, the surprising cases of its specification, its screens, and what
//! holds of every plan.

mod corpus;
mod edges;
mod properties;
mod records;
mod screens;

use std::path::{Path, PathBuf};

use crate::support::answers::list;
use crate::support::whole::piped;
use planner::diagnostic::{Diagnostic, Rule};
use planner::load::{Request, open};
use planner::ogc;
use planner::options::{CheckOptions, Options};
use planner::systems::ogc::json::Applications;
use planner::{plan, site};
use serde_json::Value;

fn settings() -> CheckOptions {
    CheckOptions::at("2026-01-01T00:00:00Z".parse().expect("a time"))
}

fn options() -> Options {
    Options {
        trace: true,
        ..Options::default()
    }
}

/// The applications of the plan and what was found in the documents.
fn run(request: &Request, options: &Options) -> (Value, Vec<Diagnostic>) {
    judged(request, &settings(), options)
}

/// The same, judged by these rules; refused documents take no part.
fn judged(
    request: &Request,
    settings: &CheckOptions,
    options: &Options,
) -> (Value, Vec<Diagnostic>) {
    let loaded = open(request).expect("a request");
    let site = site::check(&loaded, settings);
    let options = Options {
        keep_going: !settings.validating,
        ..options.clone()
    };
    let plan = plan::make(&site, &options);
    let mut found = site.findings.diagnostics.clone();
    found.extend(plan.findings.diagnostics.iter().cloned());
    let outcome = plan.applications.clone().unwrap_or_default();
    let plan = list(&Applications::new(&site.ogc, &outcome, options.trace));
    (plan, found)
}

fn text(text: &str) -> (Value, Vec<Diagnostic>) {
    run(&piped(text), &options())
}

fn refused(found: &[Diagnostic]) -> bool {
    found.iter().any(|found| found.refuses)
}

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(path)
}

#[test]
fn the_example_of_every_page_triggers_its_rule_and_the_other_does_not() {
    // What cannot be placed is a finding of the command `validate` alone.
    let of_command = |rule: &&&Rule| rule.code == "planner::ogc::unplaceable";
    for rule in ogc::rules::RULES.iter().filter(|rule| !of_command(rule)) {
        let mut blocks = rule.docs.split("```yaml\n").skip(1);
        let mut codes = || {
            let block = blocks.next().and_then(|rest| rest.split("```").next());
            let mut request = Request::of(vec![PathBuf::from("-")]);
            request.stdin = block.map(|block| block.as_bytes().to_vec());
            let validating = CheckOptions {
                validating: true,
                ..settings()
            };
            let (_, mut found) = judged(&request, &validating, &options());
            found.extend(run(&request, &options()).1);
            found
                .iter()
                .map(|found| found.rule.code)
                .collect::<Vec<_>>()
        };
        let (example, instead) = (codes(), codes());
        assert!(example.contains(&rule.code), "{}: {example:?}", rule.code);
        assert!(!instead.contains(&rule.code), "{}: {instead:?}", rule.code);
    }
}
