//! Any bytes as a part of a sweep: it is read or refused; what is read is written and read again,
//! and merges with nothing but the rest of its sweep.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner::render::{json, markdown, text};
use planner::risk::part::{self, Part};
use planner::risk::Shard;

fuzz_target!(|bytes: &[u8]| {
    // The digest holds back nearly everything, so a file without it counts as one that has it.
    let Some(part) = part::read(bytes).ok().or_else(|| sealed(bytes)) else {
        return;
    };
    let written = serde_json::to_vec(&part).expect("a part is written");
    assert_eq!(part::read(&written).as_ref(), Ok(&part));
    let number = Shard { number: part.part, of: part.sweep.of };
    match part::merge(vec![("a".to_owned(), part.clone())]) {
        Ok((sweep, risk)) => {
            assert_eq!(number.of, 1);
            let answer = json::RiskAnswer::merged(&risk, &sweep);
            json::write_json(&answer, &mut Vec::new()).expect("it is written");
            json::write_yaml(&answer, &mut Vec::new()).expect("it is written");
            let _ = (markdown::risk(&risk), text::risk::risk(&risk, &text::Screen::piped()));
        }
        Err(wrong) => assert!(number.of > 1, "{wrong:?}"),
    }
    let twice = vec![("a".to_owned(), part.clone()), ("b".to_owned(), part)];
    assert!(part::merge(twice).is_err());
});

/// What a part would be that is right but for its digest.
fn sealed(bytes: &[u8]) -> Option<Part> {
    let part: Part = serde_json::from_slice(bytes).ok()?;
    let shard = Shard { number: part.part, of: part.sweep.of };
    let part = Part::of(part.sweep, shard, part.losses);
    part::read(&serde_json::to_vec(&part).expect("a part is written")).ok()
}
