//! Bad input: every fault gets a finding with a place, a code and a suggested fix, all in one run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{self, Folder, NOW, application, cluster, site as sound};
use planner::diagnostic::{Diagnostic, Severity, Sink};
use planner::load::{Request, open};
use planner::options::{CheckOptions, Options};
use planner::plan;
use planner::render::diagnostics::{Look, concise, full};
use planner::render::{clean_lines, json, text};
use planner::site;
use planner::source::Sources;

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bad")
}

/// What is found in these files, in order, and the files.
fn found(request: &Request) -> (Sink, Sources) {
    let loaded = open(request).expect("a request");
    let settings = CheckOptions::at(NOW.parse().expect("a time"));
    let site = site::check(&loaded, &settings);
    let plan = plan::make(&site, &Options::default());
    let sink = site.report(&[&plan.findings]);
    let sources = loaded.sources.clone();
    (sink, sources)
}

fn read(text: impl Into<Vec<u8>>) -> (Sink, Sources) {
    let mut request = Request::of(vec!["-".into()]);
    request.stdin = Some(text.into());
    found(&request)
}

/// A finding says where, what and what to do.
fn complete(found: &Diagnostic, sources: &Sources) {
    let message = &found.message;
    let code = found.rule.code;
    assert!(code.starts_with("planner::"), "{code}");
    assert!(
        !message.is_empty() && !message.ends_with('.'),
        "{code}: {message}"
    );
    assert!(
        found.help.as_ref().is_some_and(|help| !help.is_empty()),
        "{code}: {message}: no help"
    );
    let primary = found
        .primary
        .as_ref()
        .unwrap_or_else(|| panic!("{code}: no place"));
    for label in std::iter::once(primary).chain(&found.related) {
        let text = &sources.get(label.place.source).text;
        let (start, end) = (
            label.place.span.start as usize,
            label.place.span.end as usize,
        );
        assert!(
            start <= end && end <= text.len(),
            "{code}: {message}: {start}..{end}"
        );
        assert!(
            text.is_char_boundary(start) && text.is_char_boundary(end),
            "{code}: {message}"
        );
    }
}

#[test]
fn every_case_is_told_as_it_was() {
    let update = std::env::var_os("PLANNER_UPDATE").is_some();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(cases()).expect("the cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "yaml") {
            continue;
        }
        let mut request = Request::of(vec![path.clone()]);
        request.directory = cases();
        let (sink, sources) = found(&request);
        for found in &sink.diagnostics {
            complete(found, &sources);
        }
        let text = concise(&sink, &sources);
        let beside = path.with_extension("txt");
        if update {
            fs::write(&beside, &text).expect("written");
        } else if fs::read_to_string(&beside).unwrap_or_default() != text {
            wrong.push(format!("{}:\n{text}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_has_an_example_whose_findings_are_complete() {
    for rule in planner::rules::all() {
        for block in rule.docs.split("```yaml\n").skip(1) {
            let (sink, sources) = read(block.split("```").next().unwrap_or_default());
            for found in &sink.diagnostics {
                complete(found, &sources);
            }
        }
    }
}

/// Files that no editor should ever open.
fn monsters(folder: &Folder) {
    folder.write("monsters/binary.yaml", b"\x7fELF\0\0\x01");
    folder.write("monsters/latin1.yaml", b"a: 1\n---\nname: caf\xe9\n");
    folder.write("monsters/utf16.yaml", b"\xff\xfea\0:\0");
    folder.write(
        "monsters/late-zero.yaml",
        [vec![b'a'; 9000], vec![0]].concat(),
    );
    folder.write("monsters/flow.yaml", "[".repeat(100_000));
    folder.write(
        "monsters/closed.yaml",
        "[".repeat(100_000) + &"]".repeat(100_000),
    );
    folder.write("monsters/mappings.json", "{\"a\":".repeat(100_000));
    folder.write("monsters/items.yaml", "- ".repeat(100_000));
    folder.write("monsters/keys.yaml", "? ".repeat(100_000));
    let mut steps = String::new();
    for level in 0..1500 {
        steps.push_str(&" ".repeat(level));
        steps.push_str("a:\n");
    }
    folder.write("monsters/steps.yaml", steps);
    folder.write(
        "monsters/quote.yaml",
        format!("a: \"{}", "x".repeat(1_000_000)),
    );
    folder.write("monsters/tags.yaml", "!a ".repeat(100_000));
    folder.write("monsters/anchors.yaml", "&a ".repeat(100_000));
    let chain: String = (0..10_000)
        .map(|n| format!("- &a{n} {{<<: *a{}}}\n", n + 1))
        .collect();
    folder.write("monsters/forward.yaml", chain);
    folder.write("monsters/empty.yaml", "");
    folder.write("monsters/marks.yaml", "---\n".repeat(100_000));
    folder.write("monsters/broken.yaml", "a: [\n---\n".repeat(10_000));
    folder.write("monsters/one-line.json", one_line());
}

/// Ten thousand documents with a fault each, on one line.
fn one_line() -> String {
    let item = "{\"apiVersion\":\"planner/v1\",\"kind\":\"Project\",\"metadata\":{\"name\":\"A\"}}";
    let items = vec![item; 10_000].join(",");
    format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{items}]}}")
}

#[test]
fn monsters_are_findings_and_everything_is_told_in_one_run() {
    let folder = Folder::new();
    monsters(&folder);
    for entry in fs::read_dir(cases()).expect("the cases") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            continue;
        }
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        folder.write(&format!("bad/{name}"), fs::read(&path).expect("read"));
    }
    let answer = folder.at(&["validate", ".", "-o", "json"]);
    answer.ends(1);
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
    let data = answer.json();
    let found = data["diagnostics"].as_array().expect("findings");
    for (path, code) in [
        ("monsters/binary.yaml", "io::binary"),
        ("monsters/latin1.yaml", "io::encoding"),
        ("monsters/utf16.yaml", "io::encoding"),
        ("monsters/flow.yaml", "yaml::too_deep"),
        ("monsters/closed.yaml", "yaml::too_deep"),
        ("monsters/mappings.json", "yaml::too_deep"),
        ("monsters/items.yaml", "yaml::too_deep"),
        ("monsters/steps.yaml", "yaml::too_deep"),
        ("monsters/quote.yaml", "yaml::syntax"),
        ("monsters/forward.yaml", "yaml::undefined_alias"),
        ("monsters/broken.yaml", "yaml::syntax"),
        ("monsters/one-line.json", "ogc::bad_name"),
        ("bad/aliases.yaml", "yaml::too_many_aliases"),
        ("bad/kinds.yaml", "site::unknown_kind"),
        ("bad/fields.yaml", "schema::unknown_field"),
        ("bad/duplicates.yaml", "ogc::duplicate_identity"),
        ("bad/references.yaml", "ogc::unknown_reference"),
        ("bad/rules.yaml", "ogc::wrong_value_count"),
        ("bad/rules.yaml", "ogc::duplicate_extremum"),
        ("bad/values.yaml", "ogc::bad_quantity"),
        ("bad/values.yaml", "ogc::bad_time"),
        ("bad/names.yaml", "ogc::bad_name"),
    ] {
        let told = found.iter().any(|found| {
            found["primary"]["path"] == path && found["code"] == format!("planner::{code}")
        });
        assert!(told, "{code} in {path}");
    }
    // The plan is refused for all of them at once, and writes nothing.
    let plan = folder.at(&["plan", ".", "--yes"]);
    plan.ends(1);
    assert!(!plan.err.contains("panicked") && !folder.has("planner-records"));
    let rest = folder
        .at(&["plan", ".", "--keep-going", "-o", "json"])
        .ends(1)
        .json();
    assert_eq!(rest["result"], "invalid");
}

#[test]
fn long_lines_and_many_faults_stay_linear() {
    let text = one_line();
    let (sink, sources) = read(text.as_bytes());
    assert!(sink.count(Severity::Error) >= 10_000);
    // Each place costs little, however long the line before it is.
    let labels = sink.diagnostics.iter().flat_map(|found| &found.primary);
    let places: BTreeSet<String> = labels.map(|label| sources.describe(label.place)).collect();
    assert!(places.len() >= 10_000);
    // A screen says the same once.
    let shown = concise(&sink, &sources);
    assert!(shown.lines().count() < 100, "{shown}");
    let look = Look {
        screen: None,
        links: false,
        width: 100,
        color: false,
        unicode: true,
    };
    let mut few = sink;
    few.diagnostics.truncate(50);
    let shown = full(&few, &sources, look);
    assert!(shown.len() < 200_000, "{}", shown.len());
    let wide = format!(
        "metadata: {{{}}}\n",
        (0..50_000)
            .map(|n| format!("k{n}: v, "))
            .collect::<String>()
    );
    let (_, _) = read(format!("apiVersion: planner/v1\nkind: Project\n{wide}"));
    // Nor how many neighbours are at fault, or how often a document is.
    let labels = |label: &dyn Fn(u32) -> String| {
        let labels: String = (0..20_000).map(label).collect();
        let (sink, _) = read(format!(
            "apiVersion: planner/v1\nkind: Project\nmetadata:\n  name: p\n  labels:\n{labels}"
        ));
        sink.count(Severity::Error)
    };
    assert_eq!(labels(&|label| format!("    k{label}: yes\n")), 20_000);
    assert_eq!(labels(&|_| "    same: x\n".into()), 19_999);
    // Nor how often a mapping merges another, and overrides what stands before it.
    let merges = "  <<: *a\n".repeat(20_000);
    let (sink, _) = read(format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\nx: &a {{k: v}}\ndata:\n  k: w\n\
         {merges}"
    ));
    assert!(sink.diagnostics.len() < 100);
    // Nor how many comments cover a line of many faults.
    let comments = "# planner: ignore[ogc::overcommitted]\n".repeat(10_000);
    let faults: String = (0..10_000).map(|n| format!("k{n}: v, ")).collect();
    let line =
        format!("{{apiVersion: planner/v1, kind: Project, metadata: {{name: p}}, {faults}}}");
    let folder = Folder::of(&[("a.yaml", &format!("{comments}{line}\n"))]);
    let answer = folder.at(&["validate", ".", "-o", "concise"]);
    let folded = "9999 more findings of this kind";
    assert!(answer.out.contains(folded), "{answer:#?}");
}

/// Whether a terminal could be harmed by the text.
fn harmless(text: &str) {
    let line = text.lines().find(|line| clean_lines(line) != *line);
    assert!(line.is_none(), "{line:?}");
}

#[test]
fn control_characters_reach_no_terminal() {
    let mut request = Request::of(vec![
        cases().join("control.yaml"),
        cases().join("systems/all.yaml"),
    ]);
    request.directory = cases();
    let (sink, sources) = found(&request);
    assert!(sink.diagnostics.len() > 20);
    harmless(&concise(&sink, &sources));
    let look = Look {
        screen: None,
        links: false,
        width: 80,
        color: false,
        unicode: true,
    };
    harmless(&full(&sink, &sources, look));
    harmless(&full(
        &sink,
        &sources,
        Look {
            unicode: false,
            ..look
        },
    ));
    let folder = Folder::new();
    for name in ["control.yaml", "systems/all.yaml"] {
        folder.write(name, fs::read(cases().join(name)).expect("a case"));
    }
    for args in [
        &["plan"][..],
        &["plan", "--keep-going"],
        &["plan", "--keep-going", "-o", "json", "--trace"],
        &["plan", "--keep-going", "-o", "yaml", "--trace"],
        &["validate", "-o", "json"],
        &["validate", "-o", "concise"],
        &["validate"],
        &["why", "\u{1b}[31mx/y"],
        &["why", "\u{1b}[31mx/y", "--keep-going"],
        &["plan", "--package", "\u{1b}[31m"],
        &["plan", "-o", "\u{1b}[31m"],
        &["plan", "\u{1b}[31m.yaml"],
        &["plan", "--config", "\u{1b}[31m"],
        &["plan", "--now", "\u{1b}[31m"],
    ] {
        let answer = folder.at(args);
        harmless(&answer.out);
        harmless(&answer.err);
    }
}

#[test]
fn values_that_are_not_names_are_shown_safely_too() {
    // Labels, values of rules and names of resources are free text and reach plan and why.
    let odd = cluster("rome", 2020, 9, "\"Up\\e[31m\"")
        .replace("cost:", "\"k\\u202e\": \"v\\u009b\", cost:");
    let wants = application("odd", "1", false).replace(
        "package: shop\n",
        "package: shop\n  rules: [{key: \"k\\u202e\", operator: Equals, values: [\"a\\e[31m\"]}]\n",
    );
    let history = "---\napiVersion: planner/v1\nkind: Deployment\nmetadata: {name: shop-1, \
                   creationTimestamp: \"2024-01-01T00:00:00Z\"}\nspec: {package: shop}\nstatus:\n  \
                   workloads:\n  - application: db\n    cluster: lyon\n    persistentResources:\n    \
                   - {kind: \"Pvc\\e[31m\", name: \"data\\u009b\"}\n";
    let text = [&sound(), &odd, &wants, history].concat();
    let text = text.replace(
        "image: \"example.com/db:1\"",
        "image: \"example.com/\\e[31m\"",
    );
    let folder = Folder::of(&[("a.yaml", &text)]);
    for args in [
        &["plan"][..],
        &["plan", "--trace"],
        &["plan", "-o", "json"],
        &["plan", "-o", "yaml"],
        &["why", "shop/odd"],
        &["why", "shop/odd", "rome"],
        &["why", "shop/db", "-o", "json"],
        &["why", "shop/db"],
        &["validate"],
    ] {
        let answer = folder.at(args);
        assert!([0, 3].contains(&answer.status), "{args:?}: {answer:#?}");
        harmless(&answer.out);
        harmless(&answer.err);
    }
    let db_only = text.replace(&wants, "");
    folder.write("a.yaml", &db_only);
    folder.at(&["plan", "--yes"]).ends(0);
    let record = folder.read("planner-records/0001-shop.yaml");
    harmless(&record);
    let again = folder.at(&["plan", "-o", "json"]).ends(0).json();
    assert_eq!(again["result"], "unchanged", "{again:#}");
}

#[test]
fn the_screen_of_a_refused_plan_says_so() {
    let (sink, _) = read(support::BROKEN);
    let screen = text::Screen::piped();
    let page = text::invalid(&sink, &screen).write(&screen);
    assert!(page.contains("1 error"), "{page}");
    let _ = json::FORMAT_VERSION;
}

/// The limit on nodes is one of the file, however it is cut and read.
#[test]
fn nodes_are_counted_per_file() {
    // A mapping, its keys and values, and what the list holds: seven nodes.
    let document = |number: usize| format!("# {}\na{number}: [1, 2]\nb: 3\n", "x".repeat(4000));
    let documents: Vec<String> = (0..900).map(document).collect();
    let text = documents.join("---\n");
    assert!(text.len() > 3 << 20);
    for (limit, whole) in [
        (7 * 900, 900),
        (7 * 900 - 1, 899),
        (7 * 600 + 5, 600),
        (7, 1),
        (3, 0),
    ] {
        for jobs in [1, 2, 8] {
            let folder = Folder::of(&[("a.yaml", &text), ("b.yaml", "b: 1\n")]);
            let mut request = Request::of(vec![folder.path().into()]);
            request.limits.nodes = limit;
            request.jobs = jobs;
            let loaded = open(&request).expect("a request");
            let found: Vec<_> = loaded
                .findings
                .diagnostics
                .iter()
                .map(|found| found.rule.code)
                .collect();
            let wanted = if whole == 900 {
                vec![]
            } else {
                vec!["planner::yaml::too_many_nodes"]
            };
            assert_eq!(found, wanted, "{limit}");
            assert_eq!(
                loaded.documents().all.len(),
                whole + 1,
                "{limit}, {jobs} threads"
            );
            if let Some(found) = loaded.findings.diagnostics.first() {
                assert!(
                    found.message.contains(&limit.to_string()),
                    "{}",
                    found.message
                );
            }
        }
    }
}

/// Where no thread can be had the work is done without.
#[cfg(unix)]
#[test]
fn a_system_without_threads_is_no_fault() {
    let folder = Folder::of(&[("a.yaml", &sound()), ("b.yaml", "a: 1\n---\nb: 2\n")]);
    let run = |stack: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_planner"));
        command.args(["plan", "--jobs", "4", "-o", "json", "--now", NOW, "."]);
        // No system has room for stacks of this size.
        command
            .env("RUST_MIN_STACK", stack)
            .current_dir(folder.path());
        command.output().expect("the program")
    };
    let (few, many) = (run("1000000000000000"), run("2000000"));
    assert_eq!(
        String::from_utf8_lossy(&few.stderr),
        String::from_utf8_lossy(&many.stderr)
    );
    assert_eq!(
        (few.status.code(), few.stdout),
        (many.status.code(), many.stdout)
    );
}
