//! The quick reader against the parser alone: the same tree, byte by byte, the same documents,
//! faults and quirks, for whatever text.
//!
//! `PLANNER_MUTATIONS=10000000 cargo test --release --test it fast::` looks longer;
//! `PLANNER_REALWORLD=…` adds a folder of real repositories and the YAML test suite.
#![allow(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "says what it found"
)]

use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::support::damage::{Dice, mutate};
use planner::load::{Request, open};
use planner::yaml::{
    Dialect, FaultKind, Limits, Node, Parsed, QuirkKind, cut, json, parse, parse_as,
    parse_by_events,
};

/// The documents of a text, and how many of them the parser read.
fn compare(text: &str, limits: Limits) -> Result<(usize, usize), String> {
    let (mut documents, mut slow) = (0, 0);
    for piece in cut(text, 1 << 20) {
        // A document of either family.
        let family = |node: Node<'_>| match node.size() % 3 {
            0 => Some(Dialect::PyYaml),
            1 => Some(Dialect::Kubernetes),
            _ => None,
        };
        let quick = parse_as(Default::default(), text, piece.clone(), limits, &family);
        let sure = parse_by_events(Default::default(), text, piece, limits, &family);
        let alike = quick.tree == sure.tree
            && quick.documents == sure.documents
            && quick.faults == sure.faults
            && quick.quirks == sure.quirks;
        if !alike {
            let show = |parsed: &Parsed| {
                let roots = parsed.documents.iter();
                let nodes = roots.map(|root| parsed.tree.node(text, *root));
                let values: Vec<_> = nodes.map(|node| json(node, Dialect::PyYaml)).collect();
                let Parsed {
                    tree,
                    faults,
                    quirks,
                    ..
                } = parsed;
                format!("{values:?}\n{faults:?}\n{quirks:?}\n{tree:?}")
            };
            let (quick, sure) = (show(&quick), show(&sure));
            return Err(format!("{text:?}\nis read as\n{quick}\nand not as\n{sure}"));
        }
        documents += sure.documents.len() + sure.faults.len();
        slow += quick.slow;
    }
    Ok((documents, slow))
}

/// The files below a folder that the program would read.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut open = vec![root.to_path_buf()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            if path.is_dir() {
                open.push(path);
            } else if matches!(ending, Some("yaml" | "yml" | "json")) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Compares all files below a folder; documents, and those that the parser read.
fn compare_files(root: &Path) -> (usize, usize) {
    let mut total = (0, 0);
    for file in files(root) {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let counts = compare(&text, Limits::default());
        let (documents, slow) =
            counts.unwrap_or_else(|found| panic!("{}: {found}", file.display()));
        total = (total.0 + documents, total.1 + slow);
    }
    total
}

fn realworld() -> Option<PathBuf> {
    std::env::var_os("PLANNER_REALWORLD").map(PathBuf::from)
}

#[test]
fn files_are_read_alike_and_nearly_all_of_them_quickly() {
    let mut roots = vec![fixtures()];
    match realworld() {
        Some(root) => roots.push(root.join("airship")),
        None => println!("real repositories: skipped"),
    }
    for root in roots {
        compare_files(&root);
        let mut request = Request::of(vec![root.clone()]);
        request.every_site = true;
        request.unbuilt = true;
        let loaded = open(&request).expect("a folder");
        let (documents, slow) = (loaded.documents_read(), loaded.documents_read_slowly());
        println!("{}: {slow} of {documents} by the parser", root.display());
        // What cannot be read at all (faults on purpose, templates) is always the parser's.
        let slow = slow.saturating_sub(loaded.unreadable + loaded.templates.len());
        assert!(documents > 50, "{documents} in {}", root.display());
        assert!(
            slow * 50 < documents,
            "{slow} of {documents} in {}",
            root.display()
        );
    }
}

#[test]
fn real_repositories_are_read_alike() {
    let Some(root) = realworld() else {
        println!("skipped");
        return;
    };
    let (documents, slow) = compare_files(&root);
    println!("{slow} of {documents} by the parser");
    assert!(documents > 100, "{documents}");
}

/// A text of the suite as it stands there, with signs for what cannot be seen.
fn unmasked(text: &str) -> String {
    let text = text.replace('␣', " ").replace('—', "").replace('»', "\t");
    let text = text
        .replace('↵', "")
        .replace('←', "\r")
        .replace('⇔', "\u{feff}");
    match text.strip_suffix("∎\n") {
        Some(unended) => unended.to_owned(),
        None => text,
    }
}

#[test]
fn the_yaml_test_suite_is_read_as_ever() {
    let Some(root) = realworld() else {
        println!("skipped");
        return;
    };
    let (mut accepted, mut valid, mut refused, mut invalid) = (0, 0, 0, 0);
    let mut unexpected = Vec::new();
    for file in files(&root.join("yaml-test-suite/src")) {
        let name = file
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&file).expect("a case");
        let parsed = parse(Default::default(), &text, 0..text.len(), Limits::default());
        let mut fails = false;
        let root = parsed.tree.root(&text);
        // Valid by the letter, and not to be relied on, says the suite.
        let skipped = root.items().any(|case| case.get("skip").is_some());
        for case in root.items().filter(|_| !skipped) {
            let Some(yaml) = case.get("yaml").and_then(Node::text) else {
                continue;
            };
            // What a case does not say is as in the one before it.
            let said = case.get("fail").and_then(Node::text);
            fails = said.map_or(fails && case.get("tree").is_none(), |said| said == "true");
            let yaml = unmasked(yaml);
            compare(&yaml, Limits::default()).unwrap_or_else(|found| panic!("{name}: {found}"));
            let read = parse(Default::default(), &yaml, 0..yaml.len(), Limits::default());
            let sound = read.faults.is_empty();
            let only_keys = read
                .faults
                .iter()
                .all(|fault| fault.kind == FaultKind::CollectionKey);
            if fails {
                invalid += 1;
                refused += usize::from(!sound);
            } else {
                valid += 1;
                accepted += usize::from(sound);
            }
            if sound == fails && (fails || !only_keys) {
                unexpected.push(name.clone());
            }
        }
    }
    // As go-yaml has it; planner-diagnostics(7) lists them below `yaml::syntax`.
    let known = [
        "27NA", "2JQS", "2LFX", "2SXE", "3UYS", "4MUZ", "4MUZ", "4MUZ", "58MP", "5MUD", "5T43",
        "6BCT", "6CA3", "6LVF", "6M2F", "6ZKB", "7Z25", "8XYN", "96NN", "96NN", "9C9N", "9DXL",
        "9HCY", "9JBA", "9SA2", "A2M4", "BEC7", "CFD4", "CVW2", "DBG4", "DK3J", "DK95", "DK95",
        "DK95", "DK95", "DK95", "FP8R", "FRK4", "G5U8", "HM87", "HRE5", "HWV9", "JR7V", "K3WX",
        "M2N8", "M7A3", "MUS6", "MUS6", "NHX8", "NJ66", "NKF9", "Q5MG", "QB6E", "QT73", "R4YG",
        "RTP8", "S3PD", "S98Z", "SM9W", "SU5Z", "U99R", "UKK6", "UT92", "VJP3", "W4TN", "W5VH",
        "WZ62", "X4QW", "Y79Y", "Y79Y", "Y79Y", "YJV2",
    ];
    assert_eq!(unexpected, known);
    assert_eq!((accepted, valid, refused, invalid), (236, 308, 80, 94));
}

/// What the seeds of damage lack: every form that the quick reader knows, and its borders.
const FORMS: &[&str] = &[
    "a: 1\nb:\n  c: x y\n  d: 'q'\n  e: \"r\"\n# c\nf:\n- 1\n- k: v\n  l: w\n-\n- - x\n  - y\ng:\n",
    "a:\n  - b: |\n      one\n\n       two\n    c: >-\n      three\n      four\n\n        five\n      six\n  - |+\n    x\n\n  - y\n",
    "{\"a\": [1, 2.5, true, null, \"x\\n\\u00e9\\/\"], \"b\": {\"c\": {}}, \"d\": []}\n",
    "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"c\"\n    }\n  ],\n\t\"d\" : -3\n}\n",
    "a: {b: c, d: [e, f g], \"h\": 'i', 'j': k:l}\nl: [ {m: n}, [o] ]\np: []\nq: { }\n",
    "--- # one\na: b # c\n---\n\n# nothing\n---\n- a\n- b: 'it''s'\n  c : d\n",
    "  a: b\n  c:\n    - d # e\n    -   f:   g\n        h: i\n  j: # k\n    l: m\n",
    "x: 2020-02-30\ny: =\nz: <<\n<<: {a: b}\n",
    "a: b\n...\nc: d\n---\ne: f\n",
    "k: &a v\nl: *a\nm: !!str 1\n",
    "a: b\n  c\n\n  - d\ne:\n- f g\n  h: i\n- j\n   k # l\n- m:n\n    o\np:\n  q\n   r\n",
    "\u{feff}a: b\r\nc:\r\n- d\r\n- |\r\n  e\r\n\r\n  f\r\n-\r\ng: 'h' # i\r\nj: {k: l,\r\n  m: n}\r\n# o\r\n",
    "%TAG !e! tag:x,2000:\n---\n- !e!a b\n---\nc: d\n",
    "a: b\n c\nd: 'e\n  f'\n? g\n: h\n",
    "a:\n  b: |\n    x\n  # c\n  d: |2\n    y\n  e: |\n\n   \n  f: >\n   \n   z\n",
    "a: http://x:80/y?z#w\n\"b\": c#d\n'e' : f # g\n-h: -i\n.j: 'k' # l\n~: ~\n",
    "- # c\n  a: b\n-\n  - c\n- [d]\n- {e: f}\n- 'g'\n- \"h\": i\n",
    "a:\n- # c\n  b: 1\n- \n- c\nd:\n -\n  - e\n",
    "{a: b,\n c: d}\n# e\n",
    "a: [b,\n  c\n  ]\nd: {e:\n  f}\n",
    "a: \"\\x41\\t\\\"\\\\ \\e\"\nb: 'c'' d'\n\"\\n\": x\n",
    "1: a\n0x1: b\nyes: c\non: d\n1.0: e\nnull: f\n'1': g\n",
    "a: .inf\nb: 0x_\nc: -.5\nd: +.INF\n9223372036854775808: e\n",
    "a: |\n  b",
    "{?a: b, c?d, e: f?g}\n",
    "...\n",
    "{a: \"\\/\"}\n",
    "\ta: b\n",
    "k: &a {b: c}\nl: {b: d, <<: *a}\n",
];

/// Small texts: windows of lines of the fixtures, and the forms.
fn seeds() -> Vec<String> {
    let mut seeds: Vec<String> = FORMS.iter().map(|form| (*form).to_owned()).collect();
    for file in files(&fixtures()) {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        // A window at the start of a document, where one is not too long.
        for document in text.split_inclusive("\n---\n").take(3) {
            let mut end = document.len().min(200);
            while !document.is_char_boundary(end) {
                end -= 1;
            }
            let end = document[..end].rfind('\n').map_or(end, |line| line + 1);
            seeds.push(document[..end].to_owned());
        }
    }
    seeds
}

const THREADS: usize = 4;

/// What a slip of the hand adds.
const SLIPS: &[&str] = &[
    " ", "  ", "\n", "\n\n", "- ", "-", ": ", ":", ":\n", "#", " #", "'", "\"", ",", ", ", "[",
    "]", "[]", "{", "}", "{}", "|\n", "|-\n", ">\n", ">+\n", "x", "0", "é", "\n---\n", "\n...\n",
    "\\n", "''", "\n  ", "\n- ", "\n# c\n", "a: ", "~", "\t",
];

/// Damages a text so little that most of it stays what the quick reader knows.
fn slip(text: &mut String, dice: &mut Dice) {
    let place = |text: &str, dice: &mut Dice| {
        let mut at = dice.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let at = place(text, dice);
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    match dice.below(6) {
        0 | 1 => text.insert_str(at, SLIPS[dice.below(SLIPS.len())]),
        2 if at < text.len() => drop(text.remove(at)),
        3 => text.insert_str(line, &" ".repeat(1 + dice.below(3))),
        4 if text[line..].starts_with(' ') => drop(text.remove(line)),
        // A line there twice.
        _ => {
            let end = text[line..]
                .find('\n')
                .map_or(text.len(), |end| line + end + 1);
            let again = text[line..end].to_owned();
            text.insert_str(end, &again);
        }
    }
}

/// A seed, damaged little or much or not at all.
fn damaged(seeds: &[String], dice: &mut Dice) -> String {
    let seed = match dice.below(2) {
        0 => dice.below(FORMS.len()),
        _ => dice.below(seeds.len()),
    };
    let mut text = seeds[seed].clone();
    if dice.below(5) == 0 {
        let other = seeds[dice.below(seeds.len())].as_bytes();
        let mut bytes = text.into_bytes();
        mutate(&mut bytes, other, dice);
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    for _ in 0..dice.below(4) {
        slip(&mut text, dice);
    }
    text
}

/// What is noted of one document stays when a later one is dropped.
#[test]
fn notes_of_documents_before_a_broken_one_stay() {
    for text in [
        "{\n\t\"a\": 1\n}\n---\n---\nb: \u{1}\n",
        "a:\t b\nc: d\n---\n---\nb: \u{1}\n",
        "a:\t b\nc: d\n---\nb: \u{1}\n",
    ] {
        let family = |_: Node<'_>| Some(Dialect::Kubernetes);
        let all = 0..text.len();
        let read = parse_as(Default::default(), text, all, Limits::default(), &family);
        assert_eq!(
            (read.documents.len(), read.faults.len()),
            (1, 1),
            "{text:?}"
        );
        let kinds: Vec<_> = read.quirks.iter().map(|quirk| &quirk.kind).collect();
        assert_eq!(kinds, [&QuirkKind::Tab], "{text:?}");
        compare(text, Limits::default()).unwrap();
    }
}

#[test]
fn damaged_documents_are_read_alike() {
    let asked = std::env::var("PLANNER_MUTATIONS").ok();
    let count: usize = asked
        .and_then(|asked| asked.parse().ok())
        .unwrap_or(200_000);
    let seeds = seeds();
    assert!(seeds.len() > 200, "the corpus is there");
    let seeds = &seeds;
    let rounds = move |thread: u64| {
        let (mut documents, mut slow) = (0, 0);
        let mut dice = Dice(0xfa57_5eed + thread);
        for round in 0..count / THREADS {
            let mut text = String::new();
            for _ in 0..[1, 1, 1, 2, 3][dice.below(5)] {
                text.push_str(&damaged(seeds, &mut dice));
                text.push_str(["", "", "\n", "---\n", "...\n"][dice.below(5)]);
            }
            let limits = match dice.below(16) {
                0 => Limits {
                    depth: 2,
                    nodes: 12,
                    ..Limits::default()
                },
                _ => Limits {
                    alias_nodes: 10_000,
                    ..Limits::default()
                },
            };
            match compare(&text, limits) {
                Ok(counts) => {
                    documents += counts.0;
                    slow += counts.1;
                }
                Err(found) => panic!("round {round} of {thread}: {found}"),
            }
        }
        (documents, slow)
    };
    let counts: Vec<(usize, usize)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS as u64)
            .map(|thread| scope.spawn(move || rounds(thread)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|found| resume_unwind(found)))
            .collect()
    });
    let documents: usize = counts.iter().map(|counts| counts.0).sum();
    let slow: usize = counts.iter().map(|counts| counts.1).sum();
    println!("{slow} of {documents} documents by the parser");
}
