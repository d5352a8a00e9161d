//! Any bytes as a site whose fixes are applied: the result loads, JSON stays JSON, a second time
//! changes nothing, safe fixes change no plan.
#![no_main]

use std::convert::Infallible;

use libfuzzer_sys::fuzz_target;
use planner::fix::{Fixed, Judged, Texts, accepted, apply_all, meaning};
use planner::load::{self, Request};
use planner::options::CheckOptions;
use planner::site;

const NAME: &str = "<stdin>";

fn judge(text: &str, of: Option<&[u32]>) -> Judged {
    let mut request = Request::of(vec!["-".into()]);
    request.stdin = Some(text.as_bytes().to_vec());
    let loaded = load::open(&request).expect("a request");
    let mut settings = CheckOptions::at("2026-01-01T00:00:00Z".parse().expect("a time"));
    settings.validating = true;
    let checked = site::check(&loaded, &settings);
    let found = checked.report(&[]);
    let accepted = accepted(&checked, &found);
    let meaning = meaning(&checked, of.unwrap_or(&accepted));
    let documents = checked.documents.all.len();
    drop(checked);
    let shared = loaded.shared();
    Judged {
        shared,
        documents,
        meaning,
        accepted,
        findings: found.diagnostics,
        sources: loaded.sources,
        ..Judged::default()
    }
}

fn fixed(text: &str, risky: bool) -> Fixed {
    let judge = |texts: &Texts, of: Option<&[u32]>| {
        Ok::<_, Infallible>(judge(texts.get(NAME).map_or(text, String::as_str), of))
    };
    match apply_all(judge, risky, &|_| false) {
        Ok(settled) => settled,
        Err(never) => match never {},
    }
}

fuzz_target!(|text: &str| {
    for risky in [false, true] {
        let settled = fixed(text, risky);
        let Some(after) = settled.texts.get(NAME) else { continue };
        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        assert!(!json(text) || json(after), "no longer JSON: {after}");
        let before = judge(text, None);
        let now = judge(after, Some(&before.accepted));
        assert!(risky || before.meaning == now.meaning, "the plan changed: {after}");
        assert!(before.findings.len() > now.findings.len(), "nothing mended: {after}");
        let again = fixed(after, risky);
        assert!(again.texts.is_empty(), "not idempotent: {after}\n{:?}", again.texts);
    }
});
