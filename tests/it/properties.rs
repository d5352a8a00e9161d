//! What holds of every site: neither threads nor orders change an answer, YAML keeps values.

use std::fs;

use crate::support::{self, Folder, application, cluster, corpus_paths, whole};
use planner::kit::quantity::Quantity;
use planner::load::{Request, display_name};
use planner::render::yaml::document;
use planner::yaml::{Dialect, Limits, json, parse};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

fn few(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

/// Documents of every state and system, each a text of its own.
fn documents() -> Vec<String> {
    let mut all = vec![support::PACKAGE.to_owned()];
    for (name, year, cost, phase) in [
        ("lyon", 2021, 7, "Up"),
        ("oslo", 2022, 5, "Up"),
        ("riga", 2022, 5, "Up"),
        ("wien", 2020, 1, "Down"),
    ] {
        all.push(cluster(name, year, cost, phase));
    }
    for number in 0..6 {
        all.push(application(&format!("app-{number}"), "1", number % 2 == 0));
    }
    all.push("---\na: [\n".to_owned());
    all.push("---\napiVersion: planner/v1\nkind: Project\nmetadata: {name: Bad}\n".to_owned());
    all.push(["---\n", support::FOREIGN].concat());
    for name in ["ocm", "ibm", "senlin"] {
        let mut paths = corpus_paths(name);
        paths.truncate(2);
        all.extend(
            paths
                .iter()
                .map(|path| fs::read_to_string(path).expect("a case")),
        );
    }
    all
}

fn shuffled<T: Clone>(items: &[T], keys: &[Index]) -> Vec<T> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    for (at, key) in keys.iter().enumerate().take(items.len()) {
        order.swap(at, key.index(items.len()));
    }
    order.into_iter().map(|at| items[at].clone()).collect()
}

proptest! {
    #![proptest_config(few(12))]

    #[test]
    fn threads_paths_and_entries_change_no_byte(
        keys in prop::collection::vec(any::<Index>(), 30),
        jobs in 2..6_usize,
    ) {
        let documents = documents();
        let (straight, mixed) = (Folder::new(), Folder::new());
        let names: Vec<String> = (0..documents.len())
            .map(|number| format!("{}/{number}.yaml", ["a", "b", "b/deep"][number % 3]))
            .collect();
        let files: Vec<(String, String)> = names.into_iter().zip(documents).collect();
        for (name, text) in &files {
            straight.write(name, text);
        }
        for (name, text) in shuffled(&files, &keys) {
            mixed.write(&name, text);
        }
        let read = |folder: &Folder, parts: &[&str], jobs: usize| {
            let paths = parts.iter().map(|part| folder.path().join(part)).collect();
            let mut request = Request::of(paths);
            request.directory = folder.path().to_path_buf();
            request.jobs = jobs;
            whole::run(&request)
        };
        let wanted = read(&straight, &["a", "b"], 1);
        let parts = shuffled(&["a", "b", "b/deep", "b/1.yaml", "."], &keys);
        prop_assert_eq!(&read(&mixed, &["b", "a"], jobs), &wanted);
        prop_assert_eq!(&read(&mixed, &parts, jobs), &wanted);
        prop_assert_eq!(&read(&straight, &["."], jobs), &wanted);
    }
}

/// The plan without what may change with the order of documents: places, and what is in
/// document order by its nature.
fn timeless(data: &str) -> (Value, Vec<String>) {
    let mut plan: Value = serde_json::from_str(data).expect("JSON");
    let map = plan.as_object_mut().expect("an object");
    let found = map.remove("diagnostics").expect("findings");
    map.remove("sequential");
    let told = found.as_array().expect("a list").iter();
    let mut told: Vec<String> = told
        .map(|found| format!("{} {}", found["code"], found["message"]))
        .collect();
    told.sort();
    (plan, told)
}

proptest! {
    #![proptest_config(few(24))]

    #[test]
    fn the_order_of_documents_changes_nothing_but_places(
        case in any::<Index>(),
        keys in prop::collection::vec(any::<Index>(), 40),
    ) {
        let mut cases = Vec::new();
        for name in ["ogc", "ocm", "ibm"] {
            cases.extend(corpus_paths(name));
        }
        let path = &cases[case.index(cases.len())];
        let text = fs::read_to_string(path).expect("a case");
        let parts: Vec<&str> = text.split("\n---\n").collect();
        let mixed = shuffled(&parts, &keys).join("\n---\n");
        let (one, other) = (whole::run(&whole::piped(text)), whole::run(&whole::piped(mixed)));
        // Of two documents with one identity the later one is refused.
        if !one.refused && !timeless(&one.data).0.to_string().contains("rollouts") {
            prop_assert_eq!(timeless(&one.data), timeless(&other.data), "{}", path.display());
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -~]{0,12}",
        2 => ".{0,8}",
        1 => any::<String>(),
        1 => "[a-z]{1000,1100}",
        3 => prop::sample::select(vec![
            "yes", "no", "on", "y", "N", "~", "null", "true", "010", "08", "0o17", "0x1F", "1_000",
            "12:30", "1e3", ".5", "1.5e3", "2026-01-01", "=", "<<", "- a", "a: b", "a #b", "#a", "",
            " a", "a ", "a\n", "\ta", "*a", "&a", "!a", "%a", "@a", "`a", "{a", "[a", "? a", "|", ">",
            "'", "\"", "a\u{85}b", "\u{2028}", "\u{feff}a", "a\u{7f}", "\u{9b}", "\u{fffe}", "---", "...",
            "--- a", "-", ":", "a:", "0b1", "+1", ".inf", ".NaN", "190:20:30.15", "1.", "0.0",
        ]).prop_map(str::to_owned),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..5)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

fn read(text: &str, dialect: Dialect) -> Result<Value, String> {
    let parsed = parse(Default::default(), text, 0..text.len(), Limits::default());
    if let Some(fault) = parsed.faults.first() {
        return Err(format!("{fault:?}"));
    }
    let mut documents = parsed.documents.iter();
    let first = documents
        .next()
        .map(|root| json(parsed.tree.node(text, *root), dialect));
    match documents.next() {
        None => Ok(first.unwrap_or(Value::Null)),
        Some(_) => Err("several documents".into()),
    }
}

proptest! {
    #![proptest_config(few(512))]

    #[test]
    fn what_is_written_as_yaml_reads_back(value in value()) {
        let written = document(&value);
        for dialect in [Dialect::Kubernetes, Dialect::PyYaml] {
            prop_assert_eq!(read(&written, dialect), Ok(value.clone()), "{}", written);
        }
        prop_assert_eq!(planner::render::clean_lines(&written), written.as_str());
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in any::<String>()) {
        whole::run(&whole::piped(text));
    }

    #[test]
    fn anything_like_yaml_is_read_without_a_panic(
        text in "([ ]{0,4}(- |\\? |a: |&b |\\*b|\\[|\\]|\\{|\\}|, |'x|\"y|#|\\||!!int |\n|ß|\u{85}|<<: |---\n|kind: ))*"
    ) {
        whole::run(&whole::piped(text));
    }
}

#[test]
fn the_corpus_reads_back_after_writing() {
    for name in ["ogc", "ocm", "ibm", "senlin", "airship"] {
        for path in corpus_paths(name) {
            let text = fs::read_to_string(&path).expect("a case");
            let parsed = parse(Default::default(), &text, 0..text.len(), Limits::default());
            for root in &parsed.documents {
                let value = json(parsed.tree.node(&text, *root), Dialect::PyYaml);
                let again = read(&document(&value), Dialect::PyYaml);
                assert_eq!(again, Ok(value), "{}", path.display());
            }
        }
    }
}

/// A quantity without a sign: text, and its value as a fraction.
fn quantity() -> impl Strategy<Value = (String, (i128, i128))> {
    let suffixes: Vec<(&str, i128, i128, u32)> = vec![
        ("n", 1, 1_000_000_000, 0),
        ("u", 1, 1_000_000, 3),
        ("m", 1, 1_000, 6),
        ("", 1, 1, 9),
        ("k", 1_000, 1, 9),
        ("M", 1_000_000, 1, 9),
        ("G", 1_000_000_000, 1, 9),
        ("T", 1_000_000_000_000, 1, 9),
        ("E", 1_000_000_000_000_000_000, 1, 9),
        ("Ki", 1 << 10, 1, 9),
        ("Mi", 1 << 20, 1, 9),
        ("Gi", 1 << 30, 1, 9),
        ("Ei", 1 << 60, 1, 9),
        ("e3", 1_000, 1, 9),
        ("E-3", 1, 1_000, 6),
    ];
    let digits = prop_oneof![0..100_i128, 0..1_000_000_000_i128];
    (prop::sample::select(suffixes), digits, 0..10_u32).prop_map(|(suffix, digits, point)| {
        let (name, up, down, most) = suffix;
        let point = point.min(most);
        let scale = 10_i128.pow(point);
        let whole = digits / scale;
        let number = if point == 0 {
            whole.to_string()
        } else {
            format!("{whole}.{:0width$}", digits % scale, width = point as usize)
        };
        (format!("{number}{name}"), (digits * up, scale * down))
    })
}

proptest! {
    #![proptest_config(few(2000))]

    #[test]
    fn quantities_are_ordered_as_the_numbers_they_are(one in quantity(), other in quantity()) {
        let (left, right) = (Quantity::parse(&one.0), Quantity::parse(&other.0));
        let (a, b) = (one.1, other.1);
        let wanted = (a.0 * b.1).cmp(&(b.0 * a.1));
        prop_assert_eq!(left.unwrap().cmp(&right.unwrap()), wanted, "{} {}", one.0, other.0);
    }

    #[test]
    fn names_of_files_are_the_same_with_either_separator(
        home in prop::collection::vec("[a-z]{1,5}", 1..4),
        below in prop::collection::vec("[a-z.]{1,5}", 1..4),
        dots in any::<bool>(),
    ) {
        prop_assume!(below.iter().all(|part| part.chars().any(char::is_alphabetic)));
        let dot = if dots { ["."].as_slice() } else { &[] };
        let parts: Vec<&str> = home.iter().map(String::as_str).chain(dot.iter().copied())
            .chain(below.iter().map(String::as_str)).collect();
        let wanted = below.join("/");
        let unix = format!("/{}", parts.join("/"));
        prop_assert_eq!(display_name(&unix, &format!("/{}", home.join("/"))), wanted.clone());
        let windows = format!("C:\\{}", parts.join("\\"));
        prop_assert_eq!(display_name(&windows, &format!("C:\\{}", home.join("\\"))), wanted.clone());
        prop_assert_eq!(display_name(&format!("./{wanted}"), "/elsewhere"), wanted.clone());
        prop_assert_eq!(display_name(&format!(".\\{}", below.join("\\")), "C:\\else"), wanted);
    }
}

#[test]
fn names_outside_the_directory_stay_whole() {
    for (path, directory, name) in [
        ("/etc/a.yaml", "/home/me", "/etc/a.yaml"),
        ("/home/mean/a.yaml", "/home/me", "/home/mean/a.yaml"),
        ("../a.yaml", "/home/me", "../a.yaml"),
        ("..\\a.yaml", "C:\\me", "../a.yaml"),
        ("C:\\else\\a.yaml", "C:\\me", "C:/else/a.yaml"),
        ("C:/me/a.yaml", "C:\\me", "a.yaml"),
        ("C:\\me\\deep/a.yaml", "C:\\me", "deep/a.yaml"),
        (
            "\\\\server\\share\\a.yaml",
            "C:\\me",
            "//server/share/a.yaml",
        ),
        ("\\\\server\\share\\a.yaml", "\\\\server\\share", "a.yaml"),
        ("\\\\?\\C:\\me\\a.yaml", "C:\\me", "a.yaml"),
        ("C:\\me\\a.yaml", "\\\\?\\C:\\me", "a.yaml"),
        (
            "\\\\?\\UNC\\server\\share\\a.yaml",
            "\\\\server\\share",
            "a.yaml",
        ),
        ("a\\b.yaml", "/home/me", "a\\b.yaml"),
        ("a//b/./c.yaml", "/home/me", "a/b/c.yaml"),
        (".", "/home/me", "."),
        ("/home/me", "/home/me", "/home/me"),
        ("/a.yaml", "/", "a.yaml"),
        ("", "/home/me", "."),
    ] {
        assert_eq!(display_name(path, directory), name, "{path} in {directory}");
    }
}
