//! Open Cluster Management: the corpus, the surprising cases of the spec, a hub's dump, properties.

mod corpus;
mod edges;
mod hub;
mod properties;

use crate::support::answers::list;
use crate::support::whole::piped;
use planner::diagnostic::{Diagnostic, short_code};
use planner::load::{Request, open};
use planner::ocm;
use planner::options::{CheckOptions, Options};
use planner::systems::ocm::json;
use serde_json::{Value, json};

/// The four sections of the documents, full lists, and what was found.
fn run(request: &Request, settings: &CheckOptions) -> (Value, Vec<Diagnostic>) {
    let loaded = open(request).expect("a request");
    let mut sink = loaded.findings.clone();
    let documents = loaded.documents();
    let model = ocm::check(&documents, settings, &mut sink);
    let rollouts = ocm::rollouts(&model, settings.now);
    ocm::rules::planned(&model, &rollouts, &mut sink);
    let outcome = ocm::plan(&model, rollouts, settings.now, &full());
    let placements = json::Placements::new(&model, &outcome, true);
    let answer = json!({
        "placements": list(&placements),
        "sequential": json::Sequential::new(&model, &outcome).as_ref().map(list),
        "rollouts": json::rollouts(&model, &outcome),
        "rolloutWaves": json::rollout_waves(&outcome),
    });
    sink.sort(&loaded.sources);
    (answer, sink.diagnostics)
}

fn settings() -> CheckOptions {
    CheckOptions::at("2026-01-01T00:00:00Z".parse().expect("a time"))
}

/// Full lists.
fn full() -> Options {
    Options {
        trace: true,
        ..Options::default()
    }
}

fn text(text: &str) -> (Value, Vec<Diagnostic>) {
    run(&piped(text), &settings())
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    let codes = found.iter().map(|found| short_code(found.rule.code));
    codes.collect()
}
