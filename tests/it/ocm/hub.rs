//! A hub's dump of 200 clusters: what a person sees, and that it loads without noise.

use std::path::{Path, PathBuf};

use planner::diagnostic::Sink;
use planner::load::{Loaded, Request, open};
use planner::ocm::engine::place::Detail;
use planner::ocm::engine::rollout::Beginning;
use planner::ocm::simulate::{Faults, runs};
use planner::ocm::{self, model::Model};
use planner::options::{CheckOptions, Options};
use planner::page::Screen;
use planner::plan::again;
use planner::render::text::why as why_page;
use planner::systems::ocm::text as screens;
use planner::why::Ways;

use super::codes;

fn dump() -> (Loaded, CheckOptions) {
    let path = Path::new("fixtures/ocm/hub/hub.yaml");
    let mut request = Request::of(vec![PathBuf::from(path)]);
    request.directory = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let settings = CheckOptions::at("2026-01-01T08:00:00Z".parse().expect("a time"));
    (open(&request).expect("the dump"), settings)
}

fn model<'a>(loaded: &'a Loaded, settings: &CheckOptions, sink: &mut Sink) -> Model<'a> {
    ocm::check(&loaded.documents(), settings, sink)
}

#[test]
fn it_loads_without_noise() {
    let (loaded, settings) = dump();
    let mut sink = loaded.findings.clone();
    let model = model(&loaded, &settings, &mut sink);
    assert_eq!(model.clusters.len(), 200);
    let mut codes = codes(&sink.diagnostics);
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes, ["ocm::expired_score"]);
}

#[test]
fn the_screens_of_plan_rollout_and_simulate() {
    let (loaded, settings) = dump();
    let mut sink = Sink::default();
    let model = model(&loaded, &settings, &mut sink);
    let outcome = ocm::plan(
        &model,
        ocm::rollouts(&model, settings.now),
        settings.now,
        &Options::default(),
    );
    let screen = Screen::columns(80);
    let plan =
        screens::placements(&model, &outcome, settings.now, &Ways::new(), &screen).write(&screen);
    insta::assert_snapshot!("plan", plan);
    let rollouts = screens::rollouts(&model, &outcome, &screen).write(&screen);
    insta::assert_snapshot!("rollouts", rollouts);
    let faults = Faults {
        fail: ["store-007", "store-013", "store-037", "store-043"]
            .map(str::to_owned)
            .into(),
        timeout: ["store-001".to_owned()].into(),
    };
    let failing = faults.failing(&[]);
    let clean = |_: &_, _: &_| Beginning::default();
    let runs = runs(&model, &outcome.placements, clean, settings.now, &failing);
    let run = screens::run(&runs[0], &screen).write(&screen);
    insta::assert_snapshot!("simulate", run);
}

#[test]
fn the_screens_of_why() {
    let (loaded, settings) = dump();
    let mut sink = Sink::default();
    let model = model(&loaded, &settings, &mut sink);
    let screen = Screen::columns(80);
    let mut page = String::new();
    for (subject, clusters) in [
        (
            "shop/checkout",
            &[
                "store-001",
                "store-002",
                "store-055",
                "store-119",
                "store-187",
            ][..],
        ),
        (
            "lab/sensors",
            &["store-000", "store-005", "store-010", "store-025"][..],
        ),
    ] {
        let study = again::placement(&model, settings.now, subject, Detail::All);
        let mut why = ocm::why::why(&study.expect("a placement"), None);
        why.candidates
            .retain(|candidate| clusters.contains(&candidate.name.as_str()));
        assert_eq!(why.candidates.len(), clusters.len());
        page.push_str(&why_page(&why, &loaded.sources, &screen).write(&screen));
        page.push('\n');
    }
    insta::assert_snapshot!("why", page);
    assert!(again::placement(&model, settings.now, "shop/nothing", Detail::All).is_none());
}
