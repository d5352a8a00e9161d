//! `planner validate` as a lint step: output formats, ignores, baseline, fixes, recipes.

use crate::support::answers;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
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
        // The Package that applications of these tests belong to, beside the first of them.
        let first = files
            .iter()
            .find(|(_, text)| text.contains("package: shop"));
        let there = files.iter().any(|(_, text)| text.contains("kind: Package"));
        if let Some((name, _)) = first.filter(|_| !there) {
            let beside = Path::new(name).with_file_name("z-shop.yaml");
            site.put(beside.to_str().unwrap(), PACKAGE);
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
        let json = serde_json::from_str(&self.out);
        answers::as_described(json.unwrap_or_else(|e| panic!("{e}: {}", self.out)))
    }
}

fn fixture(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// Holds a document against a schema of `fixtures/schemas`.
fn hold(schema: &str, document: &Value) {
    let mut schema: Value =
        serde_json::from_str(&fixture(&format!("fixtures/schemas/{schema}"))).unwrap();
    // A stray bracket in SARIF's schema, which is not a regular expression to a strict reader.
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

/// Names that try to break out of every output format.
const NASTY: &str =
    "\"a%0A::error::b\\n::warning file=x,line=1::c]]><x y=''>&\\e[31m\\0\\uFFFE[x](y)\"";

fn nasty() -> Site {
    let text = format!(
        "{}  {NASTY}: 1\n---\nkind: ConfigMap\napiVersion: v1\n---\napiVersion: planner/v1\nkind: Cluster\nb: \"open\n",
        application("web", "")
    );
    Site::new(&[
        ("site/a b#ä,:%.yaml", &text),
        (
            "site/ok.yaml",
            "apiVersion: planner/v1\nkind: Project\nmetadata: {name: other}\n",
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
            "1: Project other",
            "1: Project retail",
            "2: Package shop"
        ]
    );
    let has = |at: usize, tag: &str| cases[at].children().any(|child| child.has_tag_name(tag));
    assert!(has(0, "failure") && has(1, "failure") && has(2, "skipped"));
    assert!(!cases[3].has_children(), "what passes is a case too");
    let root = document.root_element();
    assert_eq!(root.attribute("tests"), Some("6"));
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
fn several_formats_go_to_files_at_once() {
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
fn formats_name_files_from_the_root_of_the_repository() {
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

const BAD: &str = "  rulez: []\n";

fn codes(run: &Run) -> Vec<String> {
    let found = run.json();
    let code = |found: &Value| found["code"].as_str().unwrap().replace("planner::", "");
    found["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(code)
        .collect()
}

fn with_comment(above: &str, behind: &str) -> Site {
    let text = application("web", &format!("{above}  rulez: []{behind}\n"));
    Site::new(&[("a.yaml", &text)])
}

const UNKNOWN: &str = "schema::unknown_field";

#[test]
fn an_ignore_covers_its_line_or_the_one_below() {
    for (above, behind) in [
        ("", "  # planner: ignore[schema::unknown_field]"),
        (
            "",
            "  # planner: ignore[planner::schema::unknown_field]: on purpose",
        ),
        (
            "  # planner: ignore[ schema::unknown_field ,] until 2026-06-01: soon\n",
            "",
        ),
        ("#planner:ignore[schema::unknown_field] on purpose\n", ""),
        (
            "  # planner: ignore[schema::unknown_field]: a\n  # more words\n",
            "",
        ),
    ] {
        let site = with_comment(above, behind);
        let run = site.validate(&["-o", "json"]);
        let none: Vec<String> = Vec::new();
        assert_eq!((run.status, codes(&run)), (0, none), "{above}{behind}");
        assert_eq!(run.json()["ignored"], 1);
        assert!(run.err.contains("no findings, 1 ignored."), "{}", run.err);
        let run = site.validate(&["-o", "json", "--no-ignores"]);
        assert_eq!((run.status, codes(&run)), (1, vec![UNKNOWN.to_owned()]));
    }
}

#[test]
fn ignores_of_no_use_are_findings() {
    let check = |above: &str, behind: &str, wanted: &[&str]| {
        let run = with_comment(above, behind).validate(&["-o", "json"]);
        let mut found = codes(&run);
        found.sort();
        assert_eq!(found, wanted, "{above}{behind}");
    };
    check(
        "",
        " # planner: ignore[schema::unknown_field] until 2026-05-31: late",
        &[UNKNOWN, "site::ignore_expired"],
    );
    check(
        "",
        " # planner: ignore[ogc::bad_name]",
        &[UNKNOWN, "site::ignore_unused"],
    );
    check(
        "",
        " # planner: ignore[ogc::bad_nmae, schema::unknown_field]",
        &["site::ignore_unknown"],
    );
    check(
        "# planner: ignore[schema::unknown_field]\n\n",
        "",
        &[UNKNOWN, "site::ignore_unused"],
    );
    for broken in [
        "ignore",
        "ignore schema::unknown_field",
        "ignore[]",
        "ignore[schema::unknown_field",
        "ignroe[schema::unknown_field]",
        "ignore[schema::unknown_field] until tomorrow",
        "ignore[schema::unknown_field] until 2026-13-01: x",
    ] {
        check(
            "",
            &format!(" # planner: {broken}"),
            &[UNKNOWN, "site::ignore_syntax"],
        );
    }
    check("", " # made by planner: see there", &[UNKNOWN]);
    check("", " # planner: see there", &[UNKNOWN]);
}

#[test]
fn only_comments_ignore() {
    let text = application(
        "\"# planner: ignore[schema::unknown_field]\"",
        "  text: |\n    # planner: ignore[schema::unknown_field]\n  rulez: []\n",
    );
    let run = Site::new(&[("a.yaml", &text)]).validate(&["-o", "json"]);
    assert_eq!(run.json()["ignored"], 0);
    assert!(
        !codes(&run).iter().any(|code| code.contains("ignore")),
        "{:?}",
        codes(&run)
    );
    // The comment after a block of text is one.
    let text = application(
        "web",
        "  text: |\n    a\n  # planner: ignore[schema::unknown_field]: x\n  rulez: []\n",
    );
    let run = Site::new(&[("a.yaml", &text)]).validate(&["-o", "json"]);
    assert_eq!(run.json()["ignored"], 1, "{}", run.out);
}

#[test]
fn reasons_can_be_asked_for() {
    let site = with_comment("", " # planner: ignore[schema::unknown_field]");
    site.put("planner.toml", "require-reason = true\n");
    let run = site.validate(&["-o", "json"]);
    assert_eq!(
        (run.status, codes(&run)),
        (1, vec!["site::ignore_without_reason".to_owned()])
    );
    let site = with_comment("", " # planner: ignore[schema::unknown_field]: why");
    site.put("planner.toml", "require-reason = true\n");
    assert_eq!(site.validate(&[]).status, 0);
}

#[test]
fn ignored_findings_are_suppressions_in_sarif() {
    let site = with_comment("", " # planner: ignore[schema::unknown_field]: on purpose");
    let log = site.validate(&["-o", "sarif"]).json();
    hold("sarif-2.1.0.json", &log);
    let found = &log["runs"][0]["results"][0]["suppressions"][0];
    assert_eq!(found["kind"], "inSource");
    assert_eq!(found["justification"], "on purpose");
    assert_eq!(
        found["location"]["physicalLocation"]["region"]["startLine"],
        6
    );
}

#[test]
fn the_baseline_is_a_ratchet() {
    let site = Site::new(&[
        ("site/a.yaml", &application("web", BAD)),
        ("planner.toml", ""),
    ]);
    assert_eq!(site.validate(&["site"]).status, 1);
    assert!(!site.0.path().join("planner-baseline.json").exists());
    let run = site.validate(&["site", "--update-baseline"]);
    assert_eq!(run.status, 1);
    assert!(
        !site.0.path().join("planner-baseline.json").exists(),
        "it grows only if asked"
    );
    let run = site.validate(&["site", "--update-baseline", "--grow"]);
    assert_eq!(run.status, 0, "{}", run.err);
    let text = site.get("planner-baseline.json");
    let line = "{\"code\":\"planner::schema::unknown_field\",\"object\":{\"kind\":\"Application\",\
                \"name\":\"web\",\"package\":\"shop\"},\"pointer\":\"/spec/rulez\"}";
    assert!(text.contains(line), "{text}");

    // Lines above do not matter; it is not a document; it is not written.
    site.put(
        "site/a.yaml",
        &format!("# one more\n{}", application("web", BAD)),
    );
    let run = site.validate(&[".", "-o", "json"]);
    assert_eq!(run.status, 0, "{}", run.out);
    assert_eq!(run.json()["documents"]["read"], 3);
    assert_eq!(run.json()["baselined"], 1);
    assert!(run.err.contains("no findings, 1 baselined."), "{}", run.err);
    let log = site.validate(&["-o", "sarif"]).json();
    hold("sarif-2.1.0.json", &log);
    assert_eq!(
        log["runs"][0]["results"][0]["suppressions"][0]["kind"],
        "external"
    );

    // A new one is reported, an old one that is gone is listed.
    site.put("site/a.yaml", &application("web", "  rulex: []\n"));
    let run = site.validate(&["site", "-o", "json"]);
    assert_eq!((run.status, codes(&run)), (1, vec![UNKNOWN.to_owned()]));
    assert!(run.err.contains("1 entry without a finding"), "{}", run.err);
    assert!(
        run.err.contains("Application shop/web at /spec/rulez"),
        "{}",
        run.err
    );
    assert_eq!(run.json()["baselineGone"].as_array().unwrap().len(), 1);
    assert_eq!(site.get("planner-baseline.json"), text);
    let run = site.validate(&["site", "--update-baseline"]);
    assert_eq!(run.status, 1);
    assert!(
        site.get("planner-baseline.json")
            .contains("\"findings\": []")
    );
}

#[test]
fn the_baseline_counts_equals_and_names_items() {
    let rule = "  - {key: region, operatr: MinOf}\n";
    let rules = |count: usize| application("web", &format!("  rules:\n{}", rule.repeat(count)));
    let site = Site::new(&[("a.yaml", &rules(2))]);
    let known = ["--baseline", "known.json"];
    assert_eq!(site.validate(&known).status, 78);
    assert_eq!(
        site.validate(&["--baseline", "known.json", "--update-baseline", "--grow"])
            .status,
        0
    );
    let text = site.get("known.json");
    assert!(
        text.contains("\"pointer\":\"/spec/rules/key=region/operatr\",\"count\":2}"),
        "{text}"
    );
    assert_eq!(site.validate(&known).status, 0);
    site.put("a.yaml", &rules(3));
    assert_eq!(site.validate(&known).status, 1);
    site.put("known.json", "[]");
    assert_eq!(site.validate(&known).status, 78);
}

#[test]
fn a_baseline_covers_no_file_that_is_broken() {
    let site = Site::new(&[
        ("site/a.yaml", "a: \"x\n"),
        ("site/b.yaml", &application("web", "")),
    ]);
    site.put("planner.toml", "");
    let run = site.validate(&["site", "--update-baseline", "--grow"]);
    assert_eq!(run.status, 1);
    assert!(
        run.err.contains("not everything could be read"),
        "{}",
        run.err
    );
    assert!(!site.0.path().join("planner-baseline.json").exists());
}

const UNTIDY: &str = "# the shop\r\napiVersion: planner/v1\r\nkind: Application\r\n\
    metadata:   {nmae: web}   # name\r\nspec:\r\n  packge: shop\r\n  rules:\r\n  \
    - {key: ssd, operator: Equals, values: [yes]}\r\n";

const PACKAGE: &str = "apiVersion: planner/v1\nkind: Project\nmetadata: {name: retail}\n---\n\
    apiVersion: planner/v1\nkind: Package\nmetadata: {name: shop}\nspec: {project: retail}\n";

#[test]
fn fixes_keep_comments_and_layout() {
    let site = Site::new(&[("a.yaml", UNTIDY), ("b.yaml", PACKAGE)]);
    let run = site.validate(&["--fix"]);
    assert_eq!(run.status, 1, "{}{}", run.out, run.err);
    let quoted = UNTIDY.replace("[yes]", "[\"yes\"]");
    assert_eq!(
        site.get("a.yaml"),
        quoted,
        "a field that was refused may count now"
    );
    site.put("a.yaml", UNTIDY);
    let run = site.validate(&["--diff", "--unsafe-fixes"]);
    assert_eq!(run.status, 1);
    assert!(
        run.out.starts_with("--- a/a.yaml\n+++ b/a.yaml\n"),
        "{}",
        run.out
    );
    assert_eq!(site.get("a.yaml"), UNTIDY, "--diff writes nothing");
    let run = site.validate(&["--fix", "--unsafe-fixes"]);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
    let wanted = UNTIDY
        .replace("nmae", "name")
        .replace("packge", "package")
        .replace("[yes]", "[\"yes\"]");
    assert_eq!(site.get("a.yaml"), wanted);
    let run = site.validate(&["--fix", "--unsafe-fixes"]);
    assert!(run.err.contains("No edits to make."), "{}", run.err);
}

#[test]
fn fixes_that_may_change_meaning_wait_to_be_asked_for() {
    let text = application(
        "web",
        "  rules:\n  - {key: region, operator: Equal, values: [a]}\n",
    );
    let site = Site::new(&[("a.yaml", &text), ("b.yaml", PACKAGE)]);
    assert_eq!(site.validate(&["--fix"]).status, 1);
    assert_eq!(site.get("a.yaml"), text);
    assert_eq!(site.validate(&["--fix", "--unsafe-fixes"]).status, 0);
    assert_eq!(site.get("a.yaml"), text.replace("Equal,", "Equals,"));
}

#[test]
fn standard_input_can_be_shown_a_diff() {
    let site = Site::new(&[]);
    let mut command = site.command();
    command.args(["validate", "-", "--diff", "--unsafe-fixes"]);
    command.args(["--stdin-filename", "x.yaml"]);
    let input = tempfile::tempfile().unwrap();
    let mut writer = &input;
    writer
        .write_all(application("web", BAD).as_bytes())
        .unwrap();
    writer.rewind().unwrap();
    let run = Run::of(&command.stdin(input).output().unwrap());
    assert!(run.out.contains("+  rules: []\n"), "{}{}", run.out, run.err);
    assert_eq!(run.status, 1);
}

#[test]
fn two_keys_for_one_name_are_left_alone() {
    let text = application("web", "  rulez: []\n  rulse: []\n");
    let site = Site::new(&[("a.yaml", &text)]);
    let run = site.validate(&["--fix"]);
    assert_eq!((run.status, site.get("a.yaml")), (1, text.clone()));
    let run = site.validate(&["--fix", "--unsafe-fixes"]);
    assert_eq!((run.status, site.get("a.yaml")), (1, text));
    assert!(run.err.contains("No edits to make."), "{}", run.err);
}

#[test]
fn an_airship_label_written_as_a_mapping_is_quoted() {
    let text = "schema: shipyard/DeploymentStrategy/v1\nmetadata:\n  \
                schema: metadata/Document/v1\n  name: s\n  layeringDefinition: {abstract: false, \
                layer: site}\n  storagePolicy: cleartext\ndata:\n  groups:\n    - name: a\n      \
                critical: true\n      depends_on: []\n      selectors:\n        \
                - node_names: []\n          node_labels:\n            - ucp: enabled # c\n          \
                node_tags: []\n          rack_names: []\n";
    let site = Site::new(&[("a.yaml", text)]);
    let run = site.validate(&["--fix"]);
    assert_eq!(
        site.get("a.yaml"),
        text.replace("ucp: enabled", "\"ucp: enabled\""),
        "{}",
        run.err
    );
}

#[test]
fn ignored_findings_links_and_standard_input_are_not_fixed() {
    let site = with_comment("", " # planner: ignore[schema::unknown_field]");
    let before = site.get("a.yaml");
    assert_eq!(site.validate(&["--fix"]).status, 0);
    assert_eq!(site.get("a.yaml"), before);
    for arguments in [
        &["-", "--fix"][..],
        &["--unsafe-fixes"],
        &["--grow"],
        &["--diff", "-o", "json"],
    ] {
        assert_eq!(site.validate(arguments).status, 64, "{arguments:?}");
    }
    #[cfg(unix)]
    {
        let site = Site::new(&[("real/a.yaml", &application("web", BAD))]);
        let link = site.0.path().join("l.yaml");
        std::os::unix::fs::symlink("real/a.yaml", &link).unwrap();
        site.validate(&["l.yaml", "--fix", "--unsafe-fixes"]);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(site.get("real/a.yaml").contains("  rules: []"));
    }
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_planner")
}

fn recipe(name: &str) -> Value {
    serde_yaml::from_str(&fixture(name)).unwrap()
}

#[test]
fn recipes_of_ci_systems_use_what_the_repository_offers() {
    let workflow = recipe("fixtures/recipes/github-workflow.yml");
    assert_eq!(workflow["permissions"], json!({"contents": "read"}));
    let job = &workflow["jobs"]["site"];
    assert_eq!(job["permissions"]["security-events"], "write");
    assert_eq!(job["permissions"]["pull-requests"], "write");
    let used = job["steps"].as_array().unwrap().last().unwrap();
    let inputs = recipe("action.yml")["inputs"].clone();
    for name in used["with"].as_object().unwrap().keys() {
        assert!(inputs.get(name).is_some(), "{name}");
    }
    let component = recipe("fixtures/recipes/gitlab-ci.yml");
    let header = fixture("templates/planner.yml");
    let (header, _) = header.split_once("\n---\n").unwrap();
    let header: Value = serde_yaml::from_str(header).unwrap();
    let given = component["include"][0]["inputs"].as_object().unwrap();
    for name in given.keys() {
        assert!(header["spec"]["inputs"].get(name).is_some(), "{name}");
    }
}

#[test]
fn the_pre_commit_hook_checks_the_whole_site_once() {
    let hooks = recipe(".pre-commit-hooks.yaml");
    let hook = &hooks[0];
    assert_eq!(hook["pass_filenames"], false);
    assert_eq!(hook["require_serial"], true);
    assert_eq!(
        hook["always_run"], true,
        "deleted files can break a site, too"
    );
    let user = recipe("fixtures/recipes/pre-commit-config.yaml");
    let used = &user["repos"][0]["hooks"][0];
    assert_eq!(used["id"], hook["id"]);
    let entry = hook["entry"]
        .as_str()
        .unwrap()
        .strip_prefix("planner ")
        .unwrap();
    let mut words: Vec<&str> = entry.split(' ').collect();
    words.extend(
        used["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap()),
    );
    let site = Site::new(&[("site/a.yaml", PACKAGE)]);
    assert_eq!(
        site.command().args(&words).status().unwrap().code(),
        Some(0)
    );
    site.put("site/b.yaml", &application("web", BAD));
    assert_eq!(
        site.command().args(&words).output().unwrap().status.code(),
        Some(1)
    );
}

#[cfg(unix)]
#[test]
fn the_plain_recipe_passes_the_status_on() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recipes/lint.sh");
    let run = |site: &Site, argument: &str| {
        let mut command = Command::new("sh");
        command
            .arg(&script)
            .arg(argument)
            .current_dir(site.0.path());
        Run::of(&command.env("PLANNER", program()).output().unwrap())
    };
    let site = Site::new(&[("site/a.yaml", PACKAGE), ("empty/readme.md", "")]);
    let good = run(&site, "site");
    assert_eq!(
        (good.status, good.out.as_str()),
        (0, "the site is sound\n"),
        "{}",
        good.err
    );
    assert_eq!(run(&site, "empty").status, 66);
    site.put("site/b.yaml", &application("web", BAD));
    let bad = run(&site, "site");
    assert_eq!(bad.status, 1);
    assert!(
        bad.out
            .starts_with("site/b.yaml:6:3: error[schema::unknown_field]"),
        "{}",
        bad.out
    );
    assert!(site.get("planner.sarif").contains("unknown_field"));
    site.put("planner.toml", "inclde = []\n");
    let broken = run(&site, "site");
    assert_eq!(broken.status, 78);
    assert!(
        broken.err.contains("did you mean `include`?"),
        "{}",
        broken.err
    );
}

#[test]
fn a_modeline_serves_a_mixed_file() {
    let text = fixture("fixtures/recipes/site.yaml");
    let modeline = text.lines().next().unwrap();
    let target = modeline
        .strip_prefix("# yaml-language-server: $schema=")
        .unwrap();
    let recipes = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recipes");
    let schema = fs::read_to_string(recipes.join(target)).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    // Every file it refers to lies beside it; bundled it is what `planner schema site` prints.
    for branch in schema["allOf"].as_array().unwrap() {
        let file = branch["then"]["$ref"].as_str().unwrap();
        assert!(recipes.join("../../schemas").join(file).is_file(), "{file}");
    }
    let bundled = planner::schema::bundled("site").unwrap();
    let validator = jsonschema::options().offline().build(&bundled).unwrap();
    for document in text.split("\n---\n") {
        let document: Value = serde_yaml::from_str(document).unwrap();
        assert!(validator.is_valid(&document), "{document}");
        let mut wrong = document.clone();
        wrong["metadata"]["name"] = Value::from(1.5);
        wrong["spce"] = Value::from(1);
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}
