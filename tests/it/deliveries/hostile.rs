//! Names that do harm where they are pasted: of every kind of consumer, through every output.

use crate::support::Folder;

/// The kinds that get rows.
const KINDS: [&str; 7] = [
    "Policy",
    "ApplicationSet",
    "GitOpsCluster",
    "Subscription",
    "DRPlacementControl",
    "ClusterManagementAddOn",
    "ManifestWorkReplicaSet",
];

/// A name as a document writes it, and what it is.
const WRITTEN: &str =
    "\"q\\e[31m\\n\\u202e\\x01::error::<script>x</script>`|\\\"$(x){{x}}](http://x)\"";
const NAME: &str = "q\u{1b}[31m\n\u{202e}\u{1}::error::<script>x</script>`|\"$(x){{x}}](http://x)";

/// What is run; `NAME` stands for the name, `KIND` for the kind.
const COMMANDS: &[&str] = &[
    "plan site.yaml --no-input --keep-going --trace",
    "plan site.yaml --no-input --keep-going --section deliveries",
    "plan site.yaml --no-input --keep-going -o json",
    "plan site.yaml --no-input --keep-going -o yaml",
    "plan site.yaml --no-input --keep-going -o markdown",
    "plan site.yaml --no-input --keep-going --without cluster/oslo --trace",
    "plan site.yaml --no-input --keep-going --against old.yaml --trace",
    "plan site.yaml --no-input --keep-going --against old.yaml -o json",
    "plan site.yaml --no-input --keep-going --against old.yaml -o markdown",
    "plan site.yaml --no-input --keep-going --against old.yaml --fail-on emptied -o sarif",
    "plan site.yaml --no-input --keep-going --against old.yaml --fail-on emptied -o github",
    "plan old.yaml --no-input --keep-going --against site.yaml --trace",
    "plan old.yaml --no-input --keep-going --against site.yaml -o markdown",
    "plan site.yaml --no-input --keep-going --out site.plan",
    "plan old.yaml --no-input --keep-going --out old.plan",
    "diff old.plan site.plan",
    "diff old.plan site.plan -o json",
    "diff old.plan site.plan -o markdown",
    "validate site.yaml -o full",
    "validate site.yaml -o concise",
    "validate site.yaml -o json",
    "validate site.yaml -o sarif",
    "validate site.yaml -o github",
    "validate site.yaml -o gitlab",
    "validate site.yaml -o junit",
    "validate site.yaml -o rdjson",
    "why KIND/gov/NAME lyon --in site.yaml",
    "why NAME lyon --in site.yaml",
    "why KIND/gov/NAME lyon --in site.yaml -o json",
    "why KIND/gov/NAME lyon --in site.yaml -o markdown",
    "risk site.yaml",
    "risk site.yaml --remedies",
    "risk site.yaml -o json",
    "risk site.yaml -o markdown",
    "simulate site.yaml",
    "simulate site.yaml --fail NAME",
    "simulate site.yaml -o json",
    "graph site.yaml --format dot",
    "graph site.yaml --format mermaid",
    "graph site.yaml --format json",
    "report site.yaml -o - --keep-going",
    "test site.yaml tests.yaml",
    "test site.yaml tests.yaml -o json",
    "test site.yaml tests.yaml -o junit",
    "drift site.yaml --hub old.yaml",
    "drift site.yaml --hub old.yaml -o json",
    "drift site.yaml --hub old.yaml -o markdown",
    "drift site.yaml --hub old.yaml -o sarif",
    "export ansible site.yaml -o out",
];

/// The documents with another name for all objects of a kind.
fn renamed(all: &str, kind: &str, name: &str) -> String {
    let of_kind = format!("kind: {kind}\n");
    let head = "metadata: {name: ";
    let documents = all.split("---\n").enumerate().map(|(at, text)| {
        if !text.contains(&of_kind) {
            return text.to_owned();
        }
        let start = text.find(head).unwrap() + head.len();
        let end = start + text[start..].find([',', '}']).unwrap();
        let number = if at % 2 == 0 { "" } else { "2" };
        let name = name.replace("q\\e", &format!("q{number}\\e"));
        format!("{}{name}{}", &text[..start], &text[end..])
    });
    documents.collect::<Vec<_>>().join("---\n")
}

/// What obeys no reader: C0 but line breaks and tabs, C1, marks and overrides of direction.
fn is_harmful(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}')
        || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// How often a character stands in a line without a backslash before it.
fn unescaped(line: &str, wanted: char) -> usize {
    let mut count = 0;
    let mut escaped = false;
    for c in line.chars() {
        count += usize::from(c == wanted && !escaped);
        escaped = c == '\\' && !escaped;
    }
    count
}

/// Whether the rows of each table have the same number of cells.
fn check_tables(text: &str, what: &str) {
    let mut cells = None;
    for line in text.lines() {
        if line.starts_with('|') {
            let own = unescaped(line, '|');
            assert_eq!(*cells.get_or_insert(own), own, "{what}: {line}");
        } else {
            cells = None;
        }
    }
}

fn check(out: &str, format: &str, what: &str) {
    match format {
        "json" | "sarif" | "gitlab" | "rdjson" if !out.is_empty() => {
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(out);
            assert!(parsed.is_ok(), "{what}: {out}");
        }
        "markdown" => {
            check_tables(out, what);
            assert!(!out.contains("<script>x"), "{what}: {out}");
            assert!(!out.contains("](http://x)"), "{what}: {out}");
        }
        "junit" | "-" => assert!(!out.contains("<script>x"), "{what}"),
        "github" => {
            let mut lines = out.lines();
            let foreign = lines.find(|line| line.starts_with("::error::<script>"));
            assert_eq!(foreign, None, "{what}");
        }
        "dot" => {
            for line in out.lines() {
                assert_eq!(unescaped(line, '"') % 2, 0, "{what}: {line}");
            }
        }
        "mermaid" => {
            for line in out.lines() {
                assert_eq!(line.matches('"').count() % 2, 0, "{what}: {line}");
                assert!(!line.contains("<script>x"), "{what}: {line}");
            }
        }
        _ => {}
    }
}

fn run(folder: &Folder, kind: &str, command: &str) {
    let words = command.split(' ').map(|word| {
        let word = word.replace("KIND", kind);
        word.replace("NAME", NAME)
    });
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let answer = folder.run(&words);
    let what = format!("{kind}, {command}");
    for shown in [&answer.out, &answer.err] {
        let raw = shown.chars().find(|c| is_harmful(*c));
        assert_eq!(raw, None, "{what}: {shown}");
    }
    let option = words
        .iter()
        .position(|word| matches!(*word, "-o" | "--format"));
    let format = option.map_or("text", |at| words[at + 1]);
    check(&answer.out, format, &what);
}

/// A site with such names for all objects of these kinds, another state of it, and what is expected
/// of one of the kinds.
fn site(kinds: &[&str]) -> Folder {
    let folder = Folder::new();
    let mut text = include_str!("../../../fixtures/deliveries/chains.yaml").to_owned();
    for kind in kinds {
        text = renamed(&text, kind, WRITTEN);
    }
    assert!(text.contains("<script>"));
    folder.write("old.yaml", text.replacen("env: test", "env: prod", 1));
    folder.write("site.yaml", text);
    let kind = kinds[0];
    folder.write(
        "tests.yaml",
        format!(
            "apiVersion: planner/v1\nkind: PlanTest\nmetadata: {{name: {WRITTEN}}}\nspec:\n  \
             expect:\n  - deliveries:\n    - {{kind: {kind}, name: {WRITTEN}, namespace: gov, clusters: \
             [{WRITTEN}]}}\n"
        ),
    );
    folder
}

/// All kinds at once meet every output; of each alone, which leaves the others planned, some.
#[test]
fn a_name_does_no_harm_in_any_output() {
    let all = site(&KINDS);
    for command in COMMANDS {
        run(&all, "Policy", command);
    }
    for (at, kind) in KINDS.into_iter().enumerate() {
        let folder = site(&[kind]);
        let asks = |command: &&&str| command.starts_with("why");
        let some = COMMANDS.iter().skip(at % 4).step_by(4);
        for command in some.chain(COMMANDS.iter().filter(asks)) {
            run(&folder, kind, command);
        }
    }
}

/// What consumers name, and what rows say: other fields than names, in documents that are taken.
#[test]
fn a_field_does_no_harm_in_any_output() {
    let chains = include_str!("../../../fixtures/deliveries/chains.yaml");
    let fields = [
        ("reason: it is being rebuilt", "reason: "),
        ("name: prod}}", "name: "),
        ("name: gone", "name: "),
        ("d-{{.values.ring}}-{{.name}}", ""),
        ("configMapRef: wrong", "configMapRef: "),
        ("argoNamespace: argocd", "argoNamespace: "),
        ("channel: git/shop", "channel: "),
        ("env: test", "env: "),
    ];
    for (at, (field, key)) in fields.into_iter().enumerate() {
        assert!(chains.contains(field), "{field}");
        let folder = Folder::new();
        let inner = WRITTEN.trim_matches('"');
        let value = match key {
            "" => inner.to_owned(),
            key => format!("{key}{WRITTEN}"),
        };
        let closing = if field.ends_with("}}") { "}}" } else { "" };
        folder.write("old.yaml", chains);
        folder.write(
            "site.yaml",
            chains.replace(field, &format!("{value}{closing}")),
        );
        folder.write(
            "tests.yaml",
            "apiVersion: planner/v1\nkind: PlanTest\nmetadata: {name: t}\nspec:\n  expect:\n  - \
             deliveries:\n    - {kind: Policy, name: narrow, namespace: gov, clusters: [lyon]}\n",
        );
        for command in COMMANDS.iter().skip(at % 3).step_by(3) {
            let command = command.replace("KIND/gov/NAME", "Policy/gov/excluded");
            run(&folder, "Policy", &command);
        }
    }
}
