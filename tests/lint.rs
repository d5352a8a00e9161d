//! `planner validate` as a lint step: carriers, ignores, baseline, fixes, recipes.
#![allow(
    clippy::unwrap_used,
    reason = "a test says no more than that it failed"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const NOW: &str = "2026-06-01T00:00:00Z";

/// A site in a directory of its own.
struct Site(TempDir);

impl Site {
    fn new(files: &[(&str, &str)]) -> Self {
        let site = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            site.put(name, text);
        }
        site
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn get(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_planner"));
        command.current_dir(self.0.path());
        for variable in ["GITHUB_WORKSPACE", "CI_PROJECT_DIR", "CLICOLOR_FORCE"] {
            command.env_remove(variable);
        }
        command
    }

    fn validate(&self, arguments: &[&str]) -> Run {
        let mut command = self.command();
        command.args(["validate", "--now", NOW]).args(arguments);
        Run::of(&command.output().unwrap())
    }
}

struct Run {
    status: i32,
    out: String,
    err: String,
}

impl Run {
    fn of(output: &Output) -> Self {
        Self {
            status: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }
}

fn fixture(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// Holds a document against a schema of `fixtures/schemas`.
fn hold(schema: &str, document: &Value) {
    let mut schema: Value =
        serde_json::from_str(&fixture(&format!("fixtures/schemas/{schema}"))).unwrap();
    // A stray bracket in SARIF's schema, which is no regular expression to a strict reader.
    for owner in ["run", "toolComponent"] {
        let pointer = format!("/definitions/{owner}/properties/language");
        if let Some(language) = schema.pointer_mut(&pointer) {
            language.as_object_mut().unwrap().remove("pattern");
        }
    }
    let validator = jsonschema::options().offline().build(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path().as_str()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
}

fn application(name: &str, rules: &str) -> String {
    format!(
        "apiVersion: planner/v1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  \
         package: shop\n{rules}"
    )
}

/// Names that try to break out of every carrier.
const NASTY: &str = "\"a%0A::error::b\\n::warning file=x,line=1::c]]><x>&\\e[31m\\0\\uFFFE[x](y)\"";

fn nasty() -> Site {
    let text = format!(
        "{}  {NASTY}: 1\n---\nkind: ConfigMap\napiVersion: v1\n---\nb: \"open\n",
        application("web", "")
    );
    Site::new(&[
        ("site/a b#ä,:%.yaml", &text),
        (
            "site/ok.yaml",
            "apiVersion: planner/v1\nkind: Project\nmetadata: {name: retail}\n",
        ),
    ])
}

#[test]
fn sarif_is_sarif() {
    let run = nasty().validate(&["-o", "sarif"]);
    assert_eq!(run.status, 1);
    let log = run.json();
    hold("sarif-2.1.0.json", &log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.len() >= 2);
    for result in results {
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place["uri"], "site/a%20b%23%C3%A4%2C%3A%25.yaml");
        assert_eq!(place["uriBaseId"], "%SRCROOT%");
        let rule = result["ruleIndex"].as_u64().unwrap();
        let rule = &log["runs"][0]["tool"]["driver"]["rules"][usize::try_from(rule).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(
            rule["help"]["markdown"]
                .as_str()
                .unwrap()
                .starts_with("# planner::")
        );
        assert!(
            !result["message"]["text"]
                .as_str()
                .unwrap()
                .contains("[x](y)")
        );
    }
    assert!(!run.out.contains("\\u001b"), "{}", run.out);
}

#[test]
fn fingerprints_do_not_know_lines_and_are_all_different() {
    let one = application(
        "web",
        "  rules:\n  - {key: a, operatr: MinOf}\n  - {key: a, operatr: MinOf}\n",
    );
    let site = Site::new(&[("a.yaml", &one)]);
    let prints = |site: &Site| -> Vec<String> {
        let log = site.validate(&["-o", "sarif"]).json();
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        let print = |r: &Value| {
            r["partialFingerprints"]["planner/v1"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        results.iter().map(print).collect()
    };
    let before = prints(&site);
    assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), before.len());
    site.put("a.yaml", &format!("# more\n\n---\n{one}"));
    assert_eq!(prints(&site), before);
    let gitlab = site.validate(&["-o", "gitlab"]).json();
    let gitlab = gitlab.as_array().unwrap();
    let all: BTreeSet<&str> = gitlab
        .iter()
        .map(|i| i["fingerprint"].as_str().unwrap())
        .collect();
    assert_eq!(all.len(), gitlab.len());
}

#[test]
fn gitlab_and_rdjson_hold_their_schemas() {
    let site = nasty();
    let gitlab = site.validate(&["-o", "gitlab"]).json();
    hold("gitlab-code-quality.schema.json", &gitlab);
    assert!(
        gitlab[0]["description"]
            .as_str()
            .unwrap()
            .starts_with("schema::unknown_field: ")
    );
    let rdjson = site.validate(&["-o", "rdjson"]).json();
    hold("rdjson.schema.json", &rdjson);
    let none = Site::new(&[(
        "a.yaml",
        "apiVersion: planner/v1\nkind: Project\nmetadata: {name: a}\n",
    )]);
    hold(
        "rdjson.schema.json",
        &none.validate(&["-o", "rdjson"]).json(),
    );
    assert_eq!(none.validate(&["-o", "gitlab"]).out, "[]\n");
}

#[test]
fn rdjson_counts_bytes_and_suggests() {
    let text = application("web", "  rules:\n  - {key: ää, operatr: MinOf}\n");
    let run = Site::new(&[("a.yaml", &text)])
        .validate(&["-o", "rdjson"])
        .json();
    let found = &run["diagnostics"][0];
    assert_eq!(found["location"]["range"]["start"]["column"], 17);
    assert_eq!(found["suggestions"][0]["text"], "operator");
    assert_eq!(found["severity"], "ERROR");
}

#[test]
fn junit_is_xml_with_a_case_for_each_document() {
    let run = nasty().validate(&["-o", "junit"]);
    let document = roxmltree::Document::parse(&run.out).unwrap();
    let cases: Vec<_> = document
        .descendants()
        .filter(|n| n.has_tag_name("testcase"))
        .collect();
    let names: Vec<&str> = cases
        .iter()
        .map(|case| case.attribute("name").unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "file",
            "1: Application web",
            "2: ConfigMap",
            "1: Project retail"
        ]
    );
    let has = |at: usize, tag: &str| cases[at].children().any(|child| child.has_tag_name(tag));
    assert!(has(0, "failure") && has(1, "failure") && has(2, "skipped"));
    assert!(!cases[3].has_children(), "what passes is a case too");
    let root = document.root_element();
    assert_eq!(root.attribute("tests"), Some("4"));
    assert_eq!(root.attribute("failures"), Some("2"));
    assert!(!run.out.contains('\u{1b}') && !run.out.contains('\u{fffe}'));
}

#[test]
fn github_annotations_cannot_be_injected() {
    let run = nasty().validate(&["-o", "github"]);
    for line in run.out.lines() {
        assert!(
            line.starts_with("::error file=site/a b#ä%2C%3A%25.yaml,line="),
            "{line}"
        );
        assert!(line.contains(",title=planner%3A%3A"), "{line}");
    }
    assert_eq!(
        run.out.lines().count(),
        run.out.matches("::error file=").count()
    );
    assert!(run.out.contains("%250A::error::b"), "{}", run.out);
}

#[test]
fn github_shows_ten_of_a_level_and_says_what_is_left() {
    let bad: String = (0..13).map(|at| format!("  x{at}: 1\n")).collect();
    let site = Site::new(&[("a.yaml", &application("web", &bad))]);
    let run = site.validate(&["-o", "github"]);
    assert_eq!(run.out.lines().count(), 10);
    let last = run.out.lines().last().unwrap();
    assert!(
        last.contains("%0A... and 3 more errors: a.yaml (3);"),
        "{last}"
    );
}

#[test]
fn github_gives_no_columns_for_a_span_over_lines() {
    let site = Site::new(&[(
        "a.yaml",
        &application(
            "web",
            "  rules: [\n    {key: a, operator: \"Min\n    Of\"}]\n",
        ),
    )]);
    let run = site.validate(&["-o", "github"]);
    assert!(run.out.contains(",line=7,endLine=8,title="), "{}", run.out);
}

#[test]
fn several_carriers_go_to_files_at_once() {
    let site = nasty();
    let run = site.validate(&[
        "-o",
        "github",
        "-o",
        "sarif=planner.sarif",
        "-o",
        "junit=j.xml",
    ]);
    assert!(run.out.starts_with("::error"));
    hold(
        "sarif-2.1.0.json",
        &serde_json::from_str(&site.get("planner.sarif")).unwrap(),
    );
    roxmltree::Document::parse(&site.get("j.xml")).unwrap();
}

#[test]
fn carriers_name_files_from_the_root_of_the_repository() {
    let site = nasty();
    let run = |variable: &str, format: &str| {
        let mut command = site.command();
        command.current_dir(site.0.path().join("site"));
        command.env(variable, site.0.path());
        Run::of(&command.args(["validate", "-o", format]).output().unwrap()).out
    };
    assert!(run("GITHUB_WORKSPACE", "github").contains("file=site/a b"));
    assert!(run("GITHUB_WORKSPACE", "sarif").contains("\"site/a%20b"));
    assert!(run("CI_PROJECT_DIR", "gitlab").contains("\"site/a b"));
}
