//! Any bytes as a site whose plan is recorded: what is written is read back, by us and by another
//! reader, and nothing of it is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner::load::{self, Loaded, Request};
use planner::options::{Options, CheckOptions};
use planner::plan;
use planner::records::RecordHead;
use planner::site;

fn read(text: &[u8]) -> Loaded {
    let mut request = Request::of(vec!["-".into()]);
    request.stdin = Some(text.to_vec());
    load::open(&request).expect("a request")
}

fuzz_target!(|bytes: &[u8]| {
    let loaded = read(bytes);
    let settings = CheckOptions::at("2026-01-01T00:00:00Z".parse().expect("a time"));
    let checked = site::check(&loaded, &settings);
    let plan = plan::make(&checked, &Options::default());
    if plan.refused() || !plan.recordable {
        return;
    }
    let head = RecordHead { number: 1, directory: "planner-records", origin: "." };
    let recorded = plan.records(&head);
    let text = &recorded.text;
    let again = read(text.as_bytes());
    let refused: Vec<_> = again.findings.diagnostics.iter().filter(|found| found.refuses).collect();
    assert!(refused.is_empty(), "{refused:?}\n{text}");
    assert_eq!(recorded.read_back(text), Ok(()), "{text}");
});
