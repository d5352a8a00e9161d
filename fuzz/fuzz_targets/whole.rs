//! Any bytes as a site: loaded, checked, planned, written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner::hybrid::engine::Keep;
use planner::load::{Request, load};
use planner::options::Options;
use planner::render::diagnostics::{Look, concise, full};
use planner::render::json;
use planner::{plan, site};

fuzz_target!(|bytes: &[u8]| {
    let mut request = Request::of(vec!["-".into()]);
    request.stdin = Some(bytes.to_vec());
    let mut loaded = load(&request).expect("a request");
    let mut sink = std::mem::take(&mut loaded.sink);
    let mut options = Options::at("2026-01-01T00:00:00Z".parse().expect("a time"));
    options.trace = true;
    let documents = loaded.documents();
    let sources = &loaded.sources;
    let site = site::check(&documents, loaded.unreadable, &options, &mut sink);
    let plan = plan::make(&site, sources, &options, Keep::All, &mut sink);
    sink.sort(sources);
    let (now, counts) = (options.now, site.counts);
    let answer = json::PlanAnswer::new(Some(&plan), now, counts, plan.quality, &sink, sources);
    json::write_json(&answer, std::io::sink()).expect("written");
    let look = Look { width: 80, color: false, unicode: true };
    let _ = (concise(&sink, sources), full(&sink, sources, look));
});
