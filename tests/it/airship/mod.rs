//! Airship deployment strategies: the corpus, real sites, the surprising cases of the two
//! specifications, the pages of the codes, the screens.

mod corpus;
mod edges;
mod real;
mod repository;
mod screens;

use std::path::{Path, PathBuf};

use crate::support::whole::piped;
use planner::airship::faults::Reader;
use planner::diagnostic::{Diagnostic, Sink};
use planner::load::{Request, open};
use planner::options::{CheckOptions, Options};
use planner::plan;
use planner::plan::again;
use planner::render::json::{Simulation, StrategyRun};
use planner::site;
use serde_json::Value;

fn settings() -> CheckOptions {
    CheckOptions::at("2026-01-01T00:00:00Z".parse().expect("a time"))
}

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(path)
}

/// `planner simulate -o json` and the findings.
fn simulate(
    request: &Request,
    faults: Option<&Path>,
    (settings, options): (&CheckOptions, &Options),
) -> (Value, Vec<Diagnostic>) {
    let mut request = request.clone();
    request.beside.extend(faults.map(Path::to_path_buf));
    let loaded = open(&request).expect("a request");
    let site = site::check(&loaded, settings);
    let plan = plan::make(&site, options);
    let mut told = Sink::default();
    let run = plan
        .strategy
        .as_ref()
        .filter(|_| plan.complete)
        .map(|strategy| {
            let mut reader = Reader::new(strategy.site);
            for document in loaded.beside_documents() {
                reader.document(document, &mut told);
            }
            let run = again::run(strategy, &reader.faults);
            StrategyRun { run, weakest: None }
        });
    let sink = site.report(&[&plan.findings, &told]);
    let answer = Simulation {
        now: plan.now,
        counts: plan.counts,
        strategy: plan.strategy.as_ref().zip(run.as_ref()),
        application_rollouts: None,
        rollout_runs: None,
        invalid: sink.refused(),
        sink: &sink,
        sources: &loaded.sources,
    };
    let answer = serde_json::to_value(answer).expect("JSON");
    (answer, sink.diagnostics)
}

fn text(text: &str) -> (Value, Vec<Diagnostic>) {
    simulate(&piped(text), None, (&settings(), &Options::default()))
}

/// Compares an answer with a result of the original, field by field (the corpus' README).
fn differs(got: &Value, found: &[Diagnostic], want: &Value) -> Option<String> {
    if want["valid"] == false {
        if got["result"] != "invalid" {
            return Some("should be refused".to_owned());
        }
        let error = &want["error"];
        let category = error["category"].as_str();
        let among = found
            .iter()
            .any(|one| one.is_error() && one.upstream.as_deref() == category);
        let crashed = error["upstream_crashed"] == true;
        return (!crashed && !among).then(|| format!("{category:?} is not among the errors"));
    }
    if got["result"] != "ready" {
        return Some(format!("refused: {}", got["diagnostics"]));
    }
    let strategy = &got["deploymentStrategy"];
    let groups = strategy["groups"].as_array().expect("groups").iter();
    let groups: Vec<Value> = groups
        .map(|group| {
            let mut needs = group["dependsOn"].as_array().expect("a list").clone();
            needs.sort_by_key(Value::to_string);
            needs.dedup();
            serde_json::json!([group["name"], group["nodes"], needs, group["critical"]])
        })
        .collect();
    let wanted = want["groups"].as_array().expect("groups").iter();
    let wanted: Vec<Value> = wanted
        .map(|group| {
            let mut needs = group["depends_on"].as_array().expect("a list").clone();
            needs.sort_by_key(Value::to_string);
            needs.dedup();
            serde_json::json!([group["name"], group["nodes"], needs, group["critical"]])
        })
        .collect();
    let step = |step: &Value| {
        [
            "action",
            "group",
            "nodes",
            "succeeded",
            "failed",
            "result",
            "reason",
        ]
        .map(|key| step[key].to_string())
    };
    let steps = |answer: &Value| -> Vec<[String; 7]> {
        answer["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .map(step)
            .collect()
    };
    let unassigned = want
        .get("unassigned_nodes")
        .cloned()
        .unwrap_or(serde_json::json!([]));
    let checks = [
        ("groups", groups == wanted),
        ("strategy", strategy["name"] == want["strategy"]),
        ("order", strategy["order"] == want["order"]),
        (
            "unassigned nodes",
            strategy["unassignedNodes"] == unassigned,
        ),
        ("steps", steps(got) == steps(want)),
        ("group status", got["groupStatus"] == want["group_status"]),
        ("node status", got["nodeStatus"] == want["node_status"]),
        ("verdict", got["verdict"] == want["verdict"]),
    ];
    let wrong = checks.iter().find(|(_, agrees)| !agrees);
    wrong.map(|(what, _)| format!("{what}: {got:#}"))
}
