//! Sound files made unsound at random, always the same way: no panic, every place in its text.
//!
//! `PLANNER_MUTATIONS=100000 cargo test --release --test it mutate::` looks longer.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::support::damage::{Dice, mutate};
use crate::support::whole;
use planner::yaml::{Limits, cut, parse};

fn seeds() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut open = vec![root];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "yaml") {
                files.push(path);
            }
        }
    }
    files.sort();
    let texts = files.iter().filter_map(|path| fs::read(path).ok());
    texts.filter(|text| text.len() < 20_000).collect()
}

fn count(default: usize) -> usize {
    let asked = std::env::var("PLANNER_MUTATIONS").ok();
    asked
        .and_then(|asked| asked.parse().ok())
        .unwrap_or(default)
}

#[test]
fn nothing_that_is_read_ends_the_program() {
    let seeds = seeds();
    assert!(seeds.len() > 200, "the corpus is there");
    let mut dice = Dice(0x5eed_91a9);
    for round in 0..count(400) {
        let mut text = seeds[dice.below(seeds.len())].clone();
        let other = &seeds[dice.below(seeds.len())];
        mutate(&mut text, other, &mut dice);
        let tried = catch_unwind(AssertUnwindSafe(|| whole::run(&whole::piped(text.clone()))));
        if tried.is_err() {
            let file = std::env::temp_dir().join(format!("planner-mutation-{round}.yaml"));
            fs::write(&file, &text).expect("kept");
            panic!("round {round}; the text is in {}", file.display());
        }
    }
}

#[test]
fn pieces_of_a_stream_are_read_like_the_whole() {
    let seeds = seeds();
    let mut dice = Dice(0x0d0d_b175);
    for round in 0..count(400) {
        let mut text = Vec::new();
        for _ in 0..=dice.below(4) {
            text.extend_from_slice(&seeds[dice.below(seeds.len())]);
            text.extend_from_slice(b"\n---\n");
        }
        if round % 2 == 0 {
            mutate(&mut text, &seeds[0], &mut dice);
        }
        let Ok(text) = String::from_utf8(text) else {
            continue;
        };
        let whole = parse(Default::default(), &text, 0..text.len(), Limits::default());
        // What is not YAML may be told differently when it is cut: only sound streams agree.
        if !whole.faults.is_empty() {
            continue;
        }
        let show = |node: planner::yaml::Node<'_>| {
            (
                planner::yaml::json(node, planner::yaml::Dialect::PyYaml),
                node.span(),
            )
        };
        let wanted = whole.documents.iter();
        let wanted: Vec<_> = wanted
            .map(|root| show(whole.tree.node(&text, *root)))
            .collect();
        let mut found = Vec::new();
        let size = 1 + dice.below(2000);
        for piece in cut(&text, size) {
            let parsed = parse(Default::default(), &text, piece, Limits::default());
            assert!(
                parsed.faults.is_empty(),
                "round {round}: {:?}",
                parsed.faults
            );
            let shown = parsed.documents.iter();
            found.extend(shown.map(|root| show(parsed.tree.node(&text, *root))));
        }
        assert_eq!(found, wanted, "round {round}, pieces of {size}");
    }
}
