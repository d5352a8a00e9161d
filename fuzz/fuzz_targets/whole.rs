//! Any bytes as a site: loaded, checked, planned, written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner::load::{self, Request};
use planner::options::{Options, CheckOptions};
use planner::render::diagnostics::{Look, concise, full};
use planner::render::json;
use planner::{plan, site};

fuzz_target!(|bytes: &[u8]| {
    let mut request = Request::of(vec!["-".into()]);
    request.stdin = Some(bytes.to_vec());
    let loaded = load::open(&request).expect("a request");
    let settings = CheckOptions::at("2026-01-01T00:00:00Z".parse().expect("a time"));
    let options = Options { trace: true, keep_going: true, ..Options::default() };
    let checked = site::check(&loaded, &settings);
    let plan = plan::make(&checked, &options);
    let (sink, sources) = (checked.report(&[&plan.findings]), &loaded.sources);
    let answer = json::PlanAnswer::new(&plan, &sink, sources);
    json::write_json(&answer, std::io::sink()).expect("written");
    let look = Look {
        width: 80,
        screen: Some(80),
        color: false,
        unicode: true,
        links: false,
    };
    let _ = (concise(&sink, sources), full(&sink, sources, look));
});
