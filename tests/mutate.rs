//! Sound files made unsound at random, always the same way: no panic, every place in its text.
//!
//! `PLANNER_MUTATIONS=100000 cargo test --release --test mutate` looks longer.

mod support;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use planner::yaml::{Limits, cut, parse};
use support::whole;

/// A small generator of numbers that are the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).expect("small");
        usize::try_from(self.roll() % end).expect("small")
    }
}

/// What bad input is made of.
const PIECES: &[&str] = &[
    "\n",
    "\n---\n",
    "...\n",
    ": ",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "\"",
    "\\",
    "#",
    "|\n",
    ">\n",
    "&a ",
    "*a",
    "<<: *a\n",
    "!!str ",
    "!x ",
    "~",
    "null",
    "yes",
    "on",
    "-1",
    "0",
    "1e999",
    "99999999999999999999999999",
    "0x",
    "1_0",
    "12:30:45",
    "2026-01-01",
    ".inf",
    "1Gi",
    "1.5",
    "-0",
    "\t",
    "\r\n",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{1b}[31m",
    "ß",
    "😀",
    "\0",
    "%YAML 1.1\n",
    "=",
    "\u{e000}",
    "@",
    "`",
    "apiVersion: planner/v1\n",
    "kind: List\nitems:\n",
    "kind: Cluster\n",
    "metadata:\n",
    "name: x\n",
    "spec: []\n",
    "spec:\n",
    "status: {}\n",
    "a: &a [*a]\n",
    "\"\\e\"",
];

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

fn mutate(text: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    for _ in 0..=dice.below(4) {
        let at = dice.below(text.len() + 1);
        let end = (at + dice.below(40)).min(text.len());
        let piece = PIECES[dice.below(PIECES.len())].as_bytes();
        match dice.below(9) {
            0 => drop(text.drain(at..end)),
            1 => drop(text.splice(at..at, piece.iter().copied())),
            2 | 3 => drop(text.splice(at..end, piece.iter().copied())),
            4 => {
                let again = text[at..end].to_vec();
                text.splice(at..at, again);
            }
            5 => {
                let from = dice.below(other.len() + 1);
                let to = (from + dice.below(300)).min(other.len());
                text.splice(at..end, other[from..to].iter().copied());
            }
            6 if at < text.len() => text[at] = u8::try_from(dice.below(256)).expect("a byte"),
            7 => text.truncate(at),
            _ => {
                // A scalar after a colon, where it hurts most.
                let colons = text.windows(2).enumerate().filter(|(_, two)| *two == b": ");
                let colons: Vec<usize> = colons.map(|(at, _)| at + 2).collect();
                if colons.is_empty() {
                    continue;
                }
                let at = colons[dice.below(colons.len())];
                let rest = text[at..].iter().position(|byte| b"\n,}]".contains(byte));
                let end = rest.map_or(text.len(), |rest| at + rest);
                text.splice(at..end, piece.iter().copied());
            }
        }
    }
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
        // What is no YAML may be told differently when it is cut: only sound streams agree.
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
