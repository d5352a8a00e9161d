//! The screens: the plan's section and the report of a run, over the statement's own example.

use std::path::Path;

use planner::airship::engine::run::run;
use planner::airship::engine::weakest;
use planner::airship::faults::Reader;
use planner::load::{Request, load};
use planner::render::graph;
use planner::render::text::Screen;
use planner::render::text::airship as pages;
use planner::site;

use crate::{fixture, options};

const CASES: [&str; 3] = [
    "seed-example-1-all-succeed",
    "seed-example-2-ntp-prepare-fails",
    "seed-example-3-compute2-deploy-fails",
];

#[test]
fn the_three_runs_of_the_statement() {
    let screen = Screen::columns(80);
    for case in CASES {
        let path = fixture(&format!("corpus/airship/{case}.yaml"));
        let mut loaded = load(&Request::of(vec![path.clone()])).expect("a request");
        let faults = path.with_file_name(format!("{case}.faults.yaml"));
        let limits = planner::yaml::Limits::default();
        let file = faults
            .exists()
            .then(|| loaded.side_file(&faults, Path::new("."), limits));
        let mut sink = std::mem::take(&mut loaded.sink);
        let documents = loaded.documents();
        let site = site::check(&documents, loaded.unreadable, &options(), &mut sink);
        let model = &site.airship;
        let planned = model.site.as_ref().expect("a site");
        let mut reader = Reader::new(planned);
        if let Some(file) = &file {
            let text = &loaded.sources.get(file.source).text;
            file.documents(text)
                .for_each(|node| reader.document(node, &mut sink));
        }
        let run = run(planned, &model.deployment, &reader.faults, model.reading);
        insta::assert_snapshot!(case, pages::run(model, &run, &screen).write(&screen));
        if case == CASES[0] {
            let plan = pages::strategy(model, &screen).write(&screen);
            insta::assert_snapshot!("plan-80", plan);
            let faults = &reader.faults;
            let sets =
                weakest::weakest(planned, &model.deployment, faults, model.reading, 1_000_000);
            let taken = weakest::taken_down(planned, 1_000_000);
            let page = pages::weakest(planned, &sets, &taken, &screen).write(&screen);
            insta::assert_snapshot!("weakest-80", page);
            insta::assert_snapshot!("graph-dot", graph::dot(model));
            insta::assert_snapshot!("graph-mermaid", graph::mermaid(model));
            insta::assert_snapshot!("graph-json", graph::json(model));
        }
    }
}
