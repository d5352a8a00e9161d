//! The corpus: merged plans and drift as a model of the controllers has them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::Folder;

const NOW: &str = "2026-11-22T12:00:00Z";

#[test]
fn the_corpus_agrees() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus/drift");
    let entries = fs::read_dir(home)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut cases: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    cases.sort();
    assert!(cases.len() >= 10, "{}", cases.len());
    for case in cases {
        let want: Value = serde_json::from_str(&fs::read_to_string(&case).unwrap()).unwrap();
        let file = |end: &str| case.with_extension(end).to_str().unwrap().to_owned();
        let (git, hub) = (file("git.yaml"), file("hub.yaml"));
        let run = |command: &str| {
            let words = [command, "-o", "json", "--hub", &hub, "--now", NOW, &git];
            Folder::new().run(&words)
        };
        let plan = run("plan").json();
        for row in want["decisions"].as_array().unwrap() {
            let own = |placed: &&Value| {
                placed["namespace"] == row["namespace"] && placed["name"] == row["placement"]
            };
            let placed = plan["placements"].as_array().unwrap().iter().find(own);
            assert_eq!(
                placed.unwrap()["decisions"],
                row["clusters"],
                "{git}: {row}"
            );
        }
        let answer = run("drift");
        let got = answer.json();
        for (part, rows) in want["drift"].as_object().unwrap() {
            let (rows, have) = (rows.as_array().unwrap(), got[part].as_array().unwrap());
            assert_eq!(have.len(), rows.len(), "{git}: {part} {have:?}");
            for (row, have) in rows.iter().zip(have) {
                for (key, value) in row.as_object().unwrap() {
                    assert_eq!(&have[key], value, "{git}: {key} of {have}");
                }
            }
        }
        let drifted = ["fields", "missing", "extra", "decisions"]
            .iter()
            .any(|part| !want["drift"][part].as_array().unwrap().is_empty());
        answer.ends(if drifted { 2 } else { 0 });
    }
}
