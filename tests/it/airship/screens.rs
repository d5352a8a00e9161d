//! The screens: the plan's section and the report of a run, over the specification's own example.

use planner::airship::faults::Reader;
use planner::diagnostic::Sink;
use planner::kit::progress::Progress;
use planner::load::{Request, open};
use planner::options::Options;
use planner::plan::again;
use planner::render::graph;
use planner::render::text::Screen;
use planner::systems::airship::text as pages;
use planner::{plan, site};

use super::{fixture, settings};

const CASES: [&str; 3] = [
    "seed-example-1-all-succeed",
    "seed-example-2-ntp-prepare-fails",
    "seed-example-3-compute2-deploy-fails",
];

#[test]
fn the_three_runs_of_the_specification() {
    let screen = Screen::columns(80);
    for case in CASES {
        let path = fixture(&format!("corpus/airship/{case}.yaml"));
        let mut request = Request::of(vec![path.clone()]);
        let faults = path.with_file_name(format!("{case}.faults.yaml"));
        request.beside.extend(faults.exists().then_some(faults));
        let loaded = open(&request).expect("a request");
        let settings = settings();
        let site = site::check(&loaded, &settings);
        let plan = plan::make(&site, &Options::default());
        let model = plan.strategy.as_ref().expect("a strategy");
        let planned = model.site;
        let mut sink = Sink::default();
        let mut reader = Reader::new(planned);
        for document in loaded.beside_documents() {
            reader.document(document, &mut sink);
        }
        let run = again::run(model, &reader.faults);
        insta::assert_snapshot!(case, pages::run(model, &run, &screen).write(&screen));
        if case == CASES[0] {
            let plan = pages::strategy(model, &screen).write(&screen);
            insta::assert_snapshot!("plan-80", plan);
            let faults = &reader.faults;
            let (sets, taken) = again::weakest(model, faults, 1_000_000, &Progress::default());
            let page = pages::weakest(planned, &sets, &taken, &screen).write(&screen);
            insta::assert_snapshot!("weakest-80", page);
            let drawing = graph::Drawing {
                strategy: Some(model),
                deliveries: None,
            };
            insta::assert_snapshot!("graph-dot", graph::dot(drawing));
            insta::assert_snapshot!("graph-mermaid", graph::mermaid(drawing));
            insta::assert_snapshot!(
                "graph-json",
                planner::render::json::text(&graph::json(drawing))
            );
        }
    }
}

#[test]
fn a_node_of_several_groups_is_counted_once() {
    let path = fixture("corpus/airship/overlap-final-tally.yaml");
    let loaded = open(&Request::of(vec![path])).expect("a request");
    let settings = settings();
    let site = site::check(&loaded, &settings);
    let plan = plan::make(&site, &Options::default());
    let page = planner::render::text::plan(
        &plan,
        &planner::why::Ways::new(),
        &Screen::columns(80),
        None,
        "",
    );
    insta::assert_snapshot!("overlap-80", page.write(&Screen::columns(80)));
}
