//! Open Cluster Management: the corpus, the surprising cases of the spec, a hub's dump, properties.
#![allow(clippy::unwrap_used, reason = "what a test prepares must be there")]

mod corpus;
mod edges;
mod hub;
mod properties;
#[path = "../support/mod.rs"]
mod support;

use planner::diagnostic::{Diagnostic, short_code};
use planner::load::{Request, load};
use planner::ocm;
use planner::options::Options;
use planner::render::json::ocm as json;
use serde_json::{Value, json};
use support::whole::piped;

/// The four sections of the documents, full lists, and what was found.
fn run(request: &Request, options: &Options) -> (Value, Vec<Diagnostic>) {
    let mut loaded = load(request).expect("a request");
    let mut sink = std::mem::take(&mut loaded.sink);
    let documents = loaded.documents();
    let model = ocm::lower(&documents, options, &mut sink);
    let outcome = ocm::plan(&model, options);
    let placements = json::Placements::new(&model, &outcome, options.trace);
    let answer = json!({
        "placements": serde_json::to_value(placements).expect("JSON"),
        "sequential": serde_json::to_value(json::Sequential::new(&model, &outcome)).expect("JSON"),
        "rollouts": json::rollouts(&model, &outcome),
        "rolloutWaves": json::rollout_waves(&outcome),
    });
    sink.sort(&loaded.sources);
    (answer, sink.diagnostics)
}

fn options() -> Options {
    let mut options = Options::at("2026-01-01T00:00:00Z".parse().expect("a time"));
    options.trace = true;
    options
}

fn text(text: &str) -> (Value, Vec<Diagnostic>) {
    run(&piped(text), &options())
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    let codes = found.iter().map(|found| short_code(found.rule.code));
    codes.collect()
}
