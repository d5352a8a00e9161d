//! Our reader against the originals, over the texts and answers that `tests/yaml_oracle/run` makes.
//!
//! A difference is silent if we take a text in another way than the original without a word. A
//! refusal of ours where the original reads on has to be one that `yaml::` lists.
#![allow(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "says what it found"
)]

mod ours;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ours::{Answer, go, go_answer, is_cut, python, python_answer};

/// What became of a text.
#[derive(Debug, Default)]
struct Figures {
    texts: usize,
    accepted: usize,
    refused: usize,
    skipped: usize,
    silent: Vec<String>,
    /// Refusals of ours alone, by their reason.
    stricter: BTreeMap<String, (usize, String)>,
}

/// Our reasons to refuse what an original reads; listed in planner-diagnostics(7).
const ON_PURPOSE: &[&str] = &[
    "RecursiveAlias",
    // Of a mapping under the tag of a scalar PyYAML takes the value of the key `=`.
    "the tag does not fit the value",
    "an escape names no character",
    "TooManyAliases",
    "TooDeep",
    // Before a document that is empty, which is nobody's.
    "unknown name before directive values",
    "another version than 1.1 before directive ends",
    // Of a value that another one overrides, too.
    "JSON has no such number",
    // Before a mapping that is merged PyYAML does not look at the tag.
    "ForeignTag",
    BEHIND,
    MARK_INSIDE,
];

/// go-yaml does not look at what stands behind the root of a document.
const BEHIND: &str = "text behind the document";

/// go-yaml skips some of the marks at the start of a line, as its buffer happens to be filled.
const MARK_INSIDE: &str = "a byte order mark inside";

impl Figures {
    fn take(&mut self, text: &str, theirs: &Answer, ours: &Answer) {
        self.texts += 1;
        let note =
            |what: &str| format!("{what}: {text:?}\n   theirs {theirs:?}\n   ours   {ours:?}");
        match (theirs, ours) {
            (Answer::Skipped, _) | (_, Answer::Skipped) => self.skipped += 1,
            (Answer::Refused(_), Answer::Refused(_)) => self.refused += 1,
            (Answer::Refused(_), Answer::Read(_)) => {
                self.silent.push(note("accepted by us alone"));
            }
            (Answer::Read(_), Answer::Refused(why)) => {
                let entry = self.stricter.entry(why.clone());
                let entry = entry.or_insert_with(|| (0, note("refused by us alone")));
                entry.0 += 1;
            }
            (Answer::Read(theirs), Answer::Read(ours)) if theirs == ours => self.accepted += 1,
            (Answer::Read(_), Answer::Read(_)) => self.silent.push(note("read otherwise")),
        }
    }

    fn report(&self, name: &str) -> bool {
        println!(
            "{name}: {} texts, {} read alike, {} refused by both, {} skipped, {} silent differences",
            self.texts,
            self.accepted,
            self.refused,
            self.skipped,
            self.silent.len()
        );
        let mut silent: Vec<_> = self.silent.iter().collect();
        silent.sort_by_key(|note| note.len());
        for note in silent.iter().take(40) {
            println!("{note}");
        }
        let mut unlisted = false;
        for (why, (count, example)) in &self.stricter {
            let listed = ON_PURPOSE.iter().any(|part| why.contains(part));
            unlisted |= !listed;
            println!("refused by us alone, {count} times: {why}");
            if !listed || *count < 5 {
                println!("  {example}");
            }
        }
        self.silent.is_empty() && !unlisted
    }
}

/// Compares the texts of a folder; gives how many there are.
fn compare(folder: &Path) -> usize {
    let lines = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).expect("a file of tests/yaml_oracle/run");
        text.split_terminator('\n')
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (cases, python_lines, go_lines) = (lines("cases"), lines("python.out"), lines("go.out"));
    let count = cases.len();
    assert_eq!((count, count), (python_lines.len(), go_lines.len()));
    let (mut with_python, mut with_go) = (Figures::default(), Figures::default());
    for ((case, theirs), go_theirs) in cases.iter().zip(&python_lines).zip(&go_lines) {
        let text: String = serde_json::from_str(case).expect("a text");
        with_python.take(&text, &python_answer(theirs), &python(&text));
        let (theirs, mut ours) = (go_answer(go_theirs), go(&text));
        if let (Answer::Read(_), Answer::Refused(why)) = (&theirs, &mut ours) {
            if is_cut(&text, &theirs) {
                *why = BEHIND.to_owned();
            } else if text.char_indices().skip(1).any(|(_, c)| c == '\u{feff}') {
                *why = MARK_INSIDE.to_owned();
            }
        }
        with_go.take(&text, &theirs, &ours);
    }
    let python = with_python.report("PyYAML");
    let go = with_go.report("go-yaml");
    assert!(python && go, "differences");
    count
}

#[test]
fn texts_of_note_are_read_as_by_the_originals() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/yaml/originals");
    let count = compare(&folder);
    assert!(count > 100, "{count}");
}

#[test]
fn generated_texts_are_read_as_by_the_originals() {
    match std::env::var_os("PLANNER_YAML_ORACLE") {
        Some(folder) => drop(compare(Path::new(&folder))),
        None => println!("skipped; tests/yaml_oracle/run makes the texts"),
    }
}
