//! Hybrid placement rules: the corpus, the surprising cases of the spec, faults and commands.

use std::path::Path;

use crate::support::answers::list;
use crate::support::corpus;
use crate::support::whole::piped;
use planner::diagnostic::{Diagnostic, Severity, short_code};
use planner::hybrid;
use planner::hybrid::engine::{Keep, NoCommands};
use planner::load::{Request, open};
use planner::options::Options;
use planner::plan::again;
use planner::render::text::Screen;
use planner::systems::hybrid::json::PlacementRules;
use planner::systems::hybrid::text::placement_rules;
use serde_json::{Value, json};

/// `placementRules` of the documents with every round, and what was found.
fn run(request: &Request, options: &Options) -> (Value, Vec<Diagnostic>) {
    let loaded = open(request).expect("a request");
    let mut sink = loaded.findings.clone();
    let documents = loaded.documents();
    let model = hybrid::check(&documents, &mut sink);
    let options = Options {
        trace: true,
        ..options.clone()
    };
    let outcome = hybrid::plan(&model, &loaded.sources, &options, &mut sink);
    hybrid::rules::planned(&model, &outcome, &mut sink);
    let rules = list(&PlacementRules::new(&model, &outcome, Keep::All));
    sink.sort(&loaded.sources);
    (rules, sink.diagnostics)
}

fn options() -> Options {
    Options::default()
}

fn text(text: &str) -> (Value, Vec<Diagnostic>) {
    run(&piped(text), &options())
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    let codes = found.iter().map(|found| short_code(found.rule.code));
    codes.collect()
}

/// Recommendations in an order of their own: their order in an answer means nothing.
fn sorted(mut rule: Value) -> Value {
    for round in rule["rounds"].as_array_mut().into_iter().flatten() {
        let answers = round["recommendations"].as_object_mut();
        for (_, list) in answers.into_iter().flatten() {
            let list = list.as_array_mut().expect("a list");
            list.sort_by_key(Value::to_string);
        }
    }
    rule
}

#[test]
fn the_corpus_agrees() {
    let cases = corpus("ibm");
    assert_eq!(cases.len(), 44);
    for (path, _, wanted) in cases {
        let (got, found) = run(&Request::of(vec![path.clone()]), &options());
        let errors = found
            .iter()
            .filter(|found| found.severity == Severity::Error);
        assert_eq!(errors.count(), 0, "{}: {found:?}", path.display());
        let mut got = sorted(got[0].clone());
        let got = got.as_object_mut().expect("a rule");
        let mut expected = sorted(wanted["expected"].clone());
        expected["namespace"] = Value::Null;
        expected["name"] = json!("app");
        let expected = expected.as_object().expect("a result");
        for (key, value) in expected {
            assert_eq!(got.get(key), Some(value), "{}: {key}", path.display());
        }
        assert_eq!(got.len(), expected.len(), "{}", path.display());
    }
}

/// The text plan of a corpus case on a piped screen.
fn page(case: &str, screen: &Screen) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus/ibm");
    let loaded = open(&Request::of(vec![path.join(format!("{case}.yaml"))])).expect("a request");
    let mut sink = loaded.findings.clone();
    let documents = loaded.documents();
    let model = hybrid::check(&documents, &mut sink);
    let options = Options {
        screen: true,
        ..options()
    };
    let outcome = hybrid::plan(&model, &loaded.sources, &options, &mut sink);
    placement_rules(&model, &outcome, &planner::why::Ways::new(), screen).write(screen)
}

#[test]
fn the_worked_example_says_what_is_decided_and_why() {
    let screen = Screen::columns(80);
    insta::assert_snapshot!("worked-80", page("02-seed-worked-example", &screen));
    let all = Screen {
        trace: true,
        ..screen
    };
    insta::assert_snapshot!("worked-trace-80", page("02-seed-worked-example", &all));
}

#[test]
fn other_endings_are_said_in_words() {
    let screen = Screen::columns(80);
    let waiting = page("35-advisor-without-answer", &screen);
    let wanted =
        "app cannot be decided:\n    round 1 has no answer from advisor `third-party`; the";
    assert!(waiting.contains(wanted), "{waiting}");
    assert!(
        waiting
            .contains("= a          chosen  chosen    stays while the rule waits for an advisor\n"),
        "{waiting}"
    );
    let gone = page("13-unmatched-target-is-not-the-hub", &screen);
    assert!(
        gone.ends_with("app cannot be decided:\n    there is no candidate\n"),
        "{gone}"
    );
    let hub = page("12-hub-default", &screen);
    assert!(
        hub.contains("+ local-cluster, the cluster of the hub itself"),
        "{hub}"
    );
    let ghost = page("34-not-a-candidate", &screen);
    assert!(
        ghost
            .ends_with("Warning: advisor `s` of app recommends ghost, which is not a candidate.\n"),
        "{ghost}"
    );
    let quiet = Screen {
        changes_only: true,
        ..screen
    };
    let page = page("02-seed-worked-example", &quiet);
    assert!(!page.contains("\n= "), "{page}");
}

const RULE: &str = "apiVersion: core.hybridapp.io/v1alpha1\nkind: PlacementRule\n\
    metadata: {name: app}\n";

/// A rule with this spec, these clusters, and more documents.
fn site(spec: &str, clusters: &[&str], more: &str) -> String {
    let mut text = format!("{RULE}spec: {spec}\n");
    for cluster in clusters {
        text += "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n";
        text += &format!("metadata: {cluster}\n");
    }
    text + more
}

/// An AdvisorAnswers document with these entries.
fn answers(entries: &str) -> String {
    format!(
        "---\napiVersion: planner/v1\nkind: AdvisorAnswers\nmetadata: {{name: answers}}\n\
         spec: {{advisors: {entries}}}\n"
    )
}

fn decisions(rule: &Value) -> Vec<&str> {
    let list = rule["decisions"].as_array().expect("decisions");
    list.iter().filter_map(Value::as_str).collect()
}

/// The decisions of the only rule, without the kind of clusters.
fn decided(text_of_site: &str) -> Vec<String> {
    let (rules, _) = text(text_of_site);
    let names = decisions(&rules[0]).into_iter();
    names
        .map(|name| name.replace("ManagedCluster/", ""))
        .collect()
}

const A: &str = "{name: a}";
const B: &str = "{name: b}";
const C: &str = "{name: c}";

#[test]
fn section_14_holds() {
    // 1: ties remove who comes first.
    assert_eq!(decided(&site("{replicas: 1}", &[A, B, C], "")), ["c"]);
    // 5: a predicate that recommends nothing withdraws decisions.
    let spec = "{advisors: [{name: p, type: predicate}]}\nstatus: {decisions: [{name: a}]}";
    let (rules, _) = text(&site(
        spec,
        &[A, B],
        &answers("[{name: p, recommendations: []}]"),
    ));
    assert_eq!(rules[0]["state"], "NoPlacement");
    assert_eq!(rules[0]["changed"], true);
    // 7: priority advisors only, all empty.
    let spec = "{replicas: 1, advisors: [{name: s}]}";
    let (rules, _) = text(&site(
        spec,
        &[A],
        &answers("[{name: s, recommendations: []}]"),
    ));
    assert_eq!(rules[0]["state"], "NoPlacement");
    assert_eq!(rules[0]["changed"], false);
    // 8 and 9: score 0 recommends; nobody's 0 outlives a negative rating, yet never decides.
    let spec = "{replicas: 1, advisors: [{name: s, weight: -10}]}";
    let list = answers("[{name: s, recommendations: [{name: a}, {name: b, score: 0}]}]");
    let (rules, _) = text(&site(spec, &[A, B, C], &list));
    assert_eq!(rules[0]["eliminators"], json!(["ManagedCluster/a"]));
    assert_eq!(decisions(&rules[0]), ["ManagedCluster/b"]);
    // 10: an existing decision that nobody recommends is in no list of decisions.
    let spec = "{replicas: 1, decisionWeight: 500, advisors: [{name: s}]}\n\
                status: {decisions: [{name: a}]}";
    let list = answers("[{name: s, recommendations: [{name: b}, {name: c, score: 1}]}]");
    let (rules, _) = text(&site(spec, &[A, B, C], &list));
    assert_eq!(decisions(&rules[0]), ["ManagedCluster/b"]);
    assert_eq!(
        rules[0]["candidates"],
        json!(["ManagedCluster/a", "ManagedCluster/b"])
    );
    // 11: decisions on vanished targets are ignored, and are a change.
    let spec = "{}\nstatus: {decisions: [{name: a}, {name: ghost}]}";
    let (rules, _) = text(&site(spec, &[A], ""));
    assert_eq!(rules[0]["changed"], true);
    // 18: an equal set keeps the old order.
    let spec = "{}\nstatus: {decisions: [{name: b}, {name: a}]}";
    assert_eq!(decided(&site(spec, &[A, B], "")), ["b", "a"]);
    // 22: a target with a namespace never fits a cluster; 23: that is not the hub default.
    let (rules, found) = text(&site("{targets: [{name: a, namespace: a}]}", &[A], ""));
    assert_eq!(rules[0]["state"], "NoCandidates");
    assert_eq!(codes(&found), ["hybrid::unknown_target"]);
    // 24: waiting keeps decisions, and one found nowhere is said to be unknown.
    let spec = "{advisors: [{name: x}]}\nstatus: {decisions: [{name: a}, {name: ghost}]}";
    let (rules, found) = text(&site(spec, &[A], ""));
    assert_eq!(rules[0]["state"], "Waiting");
    assert_eq!(decisions(&rules[0]), ["ManagedCluster/a", "Unknown/ghost"]);
    assert_eq!(rules[0]["decisionRefs"][1], Value::Null);
    assert_eq!(rules[0]["changed"], false);
    assert_eq!(codes(&found), ["hybrid::unanswered_advisor"]);
}

const DEPLOYER: &str = "---\napiVersion: core.hybridapp.io/v1alpha1\nkind: Deployer\n";

#[test]
fn deployer_types_find_candidates() {
    // 19: the first deployer of the type, by namespace and name, decides for all.
    let target = "{group: kubevirt.io, version: v1, resource: virtualmachines}";
    let machine = "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\n\
                   metadata: {name: m, namespace: n, labels: {env: dev}}\n";
    let two = |first: &str, second: &str| {
        format!(
            "{DEPLOYER}metadata: {{name: z, namespace: a}}\nspec: {{type: vm{first}}}\n\
             {DEPLOYER}metadata: {{name: a, namespace: b, labels: {{env: dev}}}}\n\
             spec: {{type: vm{second}}}\n{machine}"
        )
    };
    let placed = format!(", placementTarget: {target}");
    let (rules, _) = text(&site("{deployerType: vm}", &[A], &two(&placed, "")));
    assert_eq!(decisions(&rules[0]), ["VirtualMachine/n/m"]);
    let (rules, _) = text(&site("{deployerType: vm}", &[A], &two("", &placed)));
    assert_eq!(decisions(&rules[0]), ["Deployer/a/z", "Deployer/b/a"]);
    let itself = ", placementTarget: {group: core.hybridapp.io, version: v1alpha1, \
                  resource: deployers}";
    let (rules, _) = text(&site("{deployerType: vm}", &[A], &two(itself, &placed)));
    assert_eq!(decisions(&rules[0]), ["Deployer/a/z", "Deployer/b/a"]);
    // 20: labels are those of the target objects.
    let spec = "{deployerType: vm, targetLabels: {matchLabels: {env: dev}}}";
    let (rules, _) = text(&site(spec, &[A], &two(&placed, "")));
    assert_eq!(decisions(&rules[0]), ["VirtualMachine/n/m"]);
    // 21: an empty selector matches all; the hub's stand-in is never a candidate.
    let hub = "{name: local-cluster, namespace: local-cluster}";
    let (rules, _) = text(&site("{targetLabels: {}}", &[A, hub], ""));
    assert_eq!(decisions(&rules[0]), ["ManagedCluster/a"]);
    // An unknown type finds nobody; the default in either form lets the hub stand in.
    let (rules, _) = text(&site("{deployerType: lambda}", &[A], ""));
    assert_eq!(rules[0]["state"], "NoCandidates");
    for spec in [
        "{}",
        "{deployerType: kubernetes}",
        "{deployerType: }",
        "{targets: [{name: }]}",
    ] {
        let (rules, _) = text(&site(spec, &[], ""));
        assert_eq!(rules[0]["state"], "HubDefault", "{spec}");
    }
    let (rules, _) = text(&site("{deployerType: all}", &[], ""));
    assert_eq!(rules[0]["state"], "NoCandidates");
}

#[test]
fn blank_keys_equal_absent_ones() {
    let spec = "{replicas: , deployerType: , targets: [{name: }], targetLabels: {matchLabels: }, \
                advisors: , decisionWeight: }\nstatus: {decisions: , recommendations: }";
    assert_eq!(decided(&site(spec, &[A, B], "")), ["a", "b"]);
}

#[test]
fn answers_come_from_the_first_source() {
    let spec = "{replicas: 1, advisors: [{name: s, rules: {cost: {}}}]}\n\
                status: {recommendations: {s: [{name: b}]}}";
    let clusters = ["{name: a, labels: {cost: '3'}}", B, C];
    // Built in is the last resort, then the status, then an entry for all, then one for the rule.
    let unset = spec.split('\n').next().expect("a line");
    assert_eq!(decided(&site(unset, &clusters, "")), ["a"]);
    assert_eq!(decided(&site(spec, &clusters, "")), ["b"]);
    let all = answers("[{name: s, recommendations: [{name: c}]}]");
    assert_eq!(decided(&site(spec, &clusters, &all)), ["c"]);
    let one = "---\napiVersion: planner/v1\nkind: AdvisorAnswers\nmetadata: {name: one}\n\
               spec: {placementRule: {name: app}, advisors: [{name: s, builtin: alphabet}]}\n";
    let both = format!("{all}{one}");
    assert_eq!(decided(&site(spec, &clusters, &both)), ["a"]);
    let other = one.replace("name: app", "name: app, namespace: elsewhere");
    let both = format!("{all}{other}");
    let (rules, found) = text(&site(spec, &clusters, &both));
    assert_eq!(decisions(&rules[0]), ["ManagedCluster/c"]);
    assert_eq!(codes(&found), ["hybrid::unused_answer"]);
    // The name that nothing answers to is marked: that of the rule, or that of the advisor.
    let marked = |answers: &str| {
        let site = site(spec, &clusters, answers);
        let (_, found) = text(&site);
        assert_eq!(codes(&found), ["hybrid::unused_answer"], "{answers}");
        let place = found[0].primary.as_ref().expect("a place").place;
        site[place.span.start as usize..place.span.end as usize].to_owned()
    };
    assert_eq!(marked(&one.replace("name: app", "name: apps")), "apps");
    assert_eq!(marked(&one.replace("name: s,", "name: t,")), "t");
}

#[test]
fn policies_are_judged_by_their_documents() {
    let spec =
        "{advisors: [{name: g, type: predicate, rules: {policies: [{name: pci}, {name: }]}}]}";
    let policy = |entries: &str| {
        format!(
            "---\napiVersion: policy.open-cluster-management.io/v1\nkind: Policy\n\
             metadata: {{name: pci, namespace: policies}}\nstatus: {{status: {entries}}}\n"
        )
    };
    let clusters = ["{name: a, labels: {policy.planner/pci: compliant}}", B, C];
    assert_eq!(decided(&site(spec, &clusters, "")), ["a"]);
    let verdicts = policy(
        "[{clustername: a, compliant: Compliant}, {clustername: a, compliant: NonCompliant}, \
         {clustername: b, compliant: Compliant}]",
    );
    assert_eq!(decided(&site(spec, &clusters, &verdicts)), ["b"]);
}

#[test]
fn built_in_advisors_rank_and_score() {
    let hint = |options: &str| {
        format!("{{replicas: 1, advisors: [{{name: r, rules: {{resourceHint: {options}}}}}]}}")
    };
    let cluster =
        |name: &str, cpu: &str| format!("{{name: {name}}}\nstatus: {{allocatable: {cpu}}}");
    let sizes = [
        cluster("a", "{cpu: 2}"),
        cluster("b", "{cpu: 1500m}"),
        cluster("c", "{memory: 1Gi}"),
    ];
    let sizes: Vec<&str> = sizes.iter().map(String::as_str).collect();
    assert_eq!(decided(&site(&hint("{}"), &sizes, "")), ["a"]);
    assert_eq!(decided(&site(&hint("{order: asc}"), &sizes, "")), ["c"]);
    let (rules, _) = text(&site(&hint("{scored: true}"), &sizes, ""));
    let votes = &rules[0]["rounds"][0]["recommendations"]["r"];
    let scores: Vec<_> = votes
        .as_array()
        .expect("votes")
        .iter()
        .map(|v| &v["score"])
        .collect();
    assert_eq!(scores, [&json!(100), &json!(75), &json!(0)]);
    let (rules, _) = text(&site(&hint("{scored: true, order: asc}"), &sizes, ""));
    let votes = &rules[0]["rounds"][0]["recommendations"]["r"];
    let scores: Vec<_> = votes
        .as_array()
        .expect("votes")
        .iter()
        .map(|v| &v["score"])
        .collect();
    assert_eq!(scores, [&json!(0), &json!(0), &json!(100)]);
    // Ties go to the first in canonical order, and a label that is not a number recommends nobody.
    let spec = "{replicas: 1, advisors: [{name: cost}]}";
    let costs = [
        "{name: a, labels: {cost: cheap}}",
        "{name: b, labels: {cost: '1.0'}}",
        "{name: c, labels: {cost: '1'}}",
    ];
    assert_eq!(decided(&site(spec, &costs, "")), ["b"]);
    // The veto advisor takes names, namespaces, or both; a blank entry hits nobody.
    let spec = "{advisors: [{name: veto, rules: {resources: [{name: a}, {namespace: }, \
                {name: b, namespace: n}]}}]}";
    assert_eq!(decided(&site(spec, &[A, B, C], "")), ["b", "c"]);
    let spec = "{advisors: [{name: l, rules: {matchExpressions: [{key: env, operator: NotIn, \
                values: [prod]}]}}]}";
    let labelled = [
        "{name: a, labels: {env: prod}}",
        "{name: b, labels: {env: dev}}",
        C,
    ];
    assert_eq!(decided(&site(spec, &labelled, "")), ["b", "c"]);
}

#[test]
fn every_fault_of_the_spec_is_found() {
    let faults = [
        ("{replicas: -1}", "schema::range"),
        ("{replicas: 70000}", "schema::range"),
        ("{replicas: '1'}", "schema::type"),
        ("{replicas: 1.5}", "schema::type"),
        ("{deployerType: 5}", "schema::type"),
        ("{decisionWeight: 40000}", "schema::range"),
        ("{advisors: [{type: predicate}]}", "schema::required"),
        ("{advisors: [{name: a, type: veto}]}", "schema::value"),
        ("{advisors: [{name: a, weight: 32768}]}", "schema::range"),
        ("{advisors: [{name: a, rules: 3}]}", "schema::type"),
        (
            "{targetLabels: {matchExpressions: [{key: a, operator: Near}]}}",
            "schema::value",
        ),
        (
            "{targetLabels: {matchExpressions: [{key: a, operator: In}]}}",
            "hybrid::selector",
        ),
        (
            "{targetLabels: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}",
            "hybrid::selector",
        ),
        (
            "{}\nstatus: {recommendations: {s: [{name: a, score: 101}]}}",
            "schema::range",
        ),
        (
            "{}\nstatus: {recommendations: {s: [{name: a, score: -1}]}}",
            "schema::range",
        ),
    ];
    for (spec, code) in faults {
        let (rules, found) = text(&site(spec, &[A], ""));
        let refusing: Vec<_> = found.iter().filter(|found| found.refuses).collect();
        assert!(!refusing.is_empty(), "{spec}: {found:?}");
        assert!(codes(&found).contains(&code), "{spec}: {:?}", codes(&found));
        assert_eq!(rules, json!([]), "{spec}");
    }
    for (entries, code) in [
        (
            "[{name: s, recommendations: [{name: a, score: 200}]}]",
            "schema::range",
        ),
        ("[{name: s, builtin: luck}]", "schema::value"),
        ("[{name: s, command: {argv: []}}]", "schema::range"),
        ("[{name: s}]", "hybrid::answer_form"),
        (
            "[{name: s, builtin: alphabet}, {name: s, builtin: veto}]",
            "hybrid::equal_answers",
        ),
    ] {
        let spec = "{advisors: [{name: s}]}";
        let (_, found) = text(&site(spec, &[A], &answers(entries)));
        assert!(
            found.iter().any(|found| found.refuses),
            "{entries}: {found:?}"
        );
        assert!(
            codes(&found).contains(&code),
            "{entries}: {:?}",
            codes(&found)
        );
    }
}

/// A directory with a rule, three clusters and a script that answers for it.
#[cfg(unix)]
fn scripted(script: &str, timeout: u64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    let list = format!(
        "[{{name: s, command: {{argv: [sh, ./advise, one two], timeoutSeconds: {timeout}}}}}]"
    );
    let spec = "{replicas: 1, advisors: [{name: s, weight: 7, rules: {deep: [1, x]}}]}\n\
                status: {decisions: [{name: b}]}";
    let a = "{name: a, labels: {env: dev}}\nstatus: {allocatable: {cpu: 8}}";
    std::fs::write(
        folder.path().join("site.yaml"),
        site(spec, &[a, B, C], &answers(&list)),
    )
    .expect("a site");
    let path = folder.path().join("advise");
    std::fs::write(&path, format!("{script}\n")).expect("a script");
    folder
}

#[cfg(unix)]
fn advised(folder: &tempfile::TempDir) -> (Value, Vec<Diagnostic>) {
    let mut options = options();
    options.allow_commands = true;
    let (rules, found) = run(
        &Request::of(vec![folder.path().join("site.yaml")]),
        &options,
    );
    (rules[0].clone(), found)
}

#[cfg(unix)]
#[test]
fn a_command_advises_round_by_round() {
    // Recommends c while there are three candidates, then everybody; keeps the questions.
    let script = "cat > question.$$; echo \"$1\" > argument\n\
        if grep -q '\"round\":1,' question.$$; then\n\
        echo '{\"recommendations\": [{\"name\": \"b\", \"score\": 70}, {\"name\": \"c\"}]}'\n\
        else echo '{\"recommendations\": [{\"name\": \"c\"}]}'; fi";
    let folder = scripted(script, 20);
    let (rule, found) = advised(&folder);
    assert_eq!(codes(&found), [""; 0]);
    assert_eq!(decisions(&rule), ["ManagedCluster/c"]);
    assert_eq!(rule["rounds"].as_array().map(Vec::len), Some(2));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    assert_eq!(read("argument"), "one two\n");
    let questions = std::fs::read_dir(folder.path()).expect("a directory");
    let questions = questions.map(|entry| entry.expect("an entry").file_name());
    let questions = questions.map(|name| name.to_string_lossy().into_owned());
    let mut asked: Vec<Value> = questions
        .filter(|name| name.starts_with("question"))
        .map(|name| serde_json::from_str(&read(&name)).expect("JSON"))
        .collect();
    asked.sort_by_key(|question| question["round"].as_i64());
    assert_eq!(asked.len(), 2);
    let b = json!({"apiVersion": "cluster.open-cluster-management.io/v1",
        "kind": "ManagedCluster", "name": "b"});
    let wanted = json!({
        "apiVersion": "planner/v1", "kind": "AdvisorRequest", "round": 1,
        "advisor": {"name": "s", "type": "priority", "weight": 7, "rules": {"deep": [1, "x"]}},
        "placementRule": {"metadata": {"name": "app"}, "spec": {"replicas": 1,
            "advisors": [{"name": "s", "weight": 7, "rules": {"deep": [1, "x"]}}]}},
        "candidates": [
            {"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster",
             "name": "a", "labels": {"env": "dev"}, "allocatable": {"cpu": "8"}},
            {"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster",
             "name": "b", "labels": {}, "allocatable": {}},
            {"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster",
             "name": "c", "labels": {}, "allocatable": {}},
        ],
        "decisions": [b],
    });
    assert_eq!(asked[0], wanted);
}

#[cfg(unix)]
#[test]
fn a_command_that_fails_makes_the_rule_wait() {
    let cases = [
        (
            "sleep 60 & sleep 60",
            1,
            "command_failed",
            "took longer than 1 s",
        ),
        (
            "cat /dev/zero",
            20,
            "command_failed",
            "wrote more than 1 MiB",
        ),
        (
            "echo '{\"recommendations\": []}'; exit 3",
            20,
            "command_failed",
            "exit status 3",
        ),
        ("kill -9 $$", 20, "command_failed", "stopped by a signal"),
        ("printf '\\377\\376'", 20, "command_answer", "is not UTF-8"),
        ("true", 20, "command_answer", "no JSON"),
        (
            "echo '[]'",
            20,
            "command_answer",
            "`recommendations` must be a list",
        ),
        (
            "echo '{\"recommendations\": [3]}'",
            20,
            "command_answer",
            "must be a mapping",
        ),
        (
            "echo '{\"recommendations\": [{\"name\": \"a\", \"score\": 101}]}'",
            20,
            "command_answer",
            "must be a whole number from 0 to 100, not 101",
        ),
        (
            "echo '{\"recommendations\": [{\"name\": 3}]}'",
            20,
            "command_answer",
            "not 3",
        ),
    ];
    for (script, timeout, code, message) in cases {
        let (rule, found) = advised(&scripted(script, timeout));
        assert_eq!(codes(&found), [format!("hybrid::{code}")], "{script}");
        assert!(
            found[0].message.contains(message),
            "{script}: {}",
            found[0].message
        );
        assert!(!found[0].refuses && found[0].is_error());
        assert_eq!(rule["state"], "Waiting", "{script}");
        assert_eq!(rule["rounds"][0]["waitingFor"], json!(["s"]));
        assert_eq!(decisions(&rule), ["ManagedCluster/b"], "{script}");
    }
    let folder = scripted("true", 20);
    let path = folder.path().join("site.yaml");
    let site = std::fs::read_to_string(&path).expect("a site");
    std::fs::write(&path, site.replace("sh, ./advise", "./advise")).expect("a site");
    let (_, found) = advised(&folder);
    assert!(found[0].message.contains("cannot be started"), "{found:?}");
}

/// Waits for the programs whose numbers stand in the files `pid*` of a folder to be gone.
#[cfg(unix)]
fn all_gone(folder: &Path) {
    use rustix::process::{Pid, test_kill_process};
    let mut pids = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if name.starts_with("pid") {
            let pid = std::fs::read_to_string(&path).expect("a number");
            pids.push(pid.trim().parse::<i32>().expect("a number"));
        }
    }
    assert_eq!(pids.len(), 2, "{pids:?}");
    for pid in pids {
        let state = || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
            // One that nobody has waited for yet is gone all the same.
            let waited = stat.is_ok_and(|stat| stat.contains(") Z "));
            let found = Pid::from_raw(pid).map(test_kill_process);
            found.is_some_and(|found| found.is_ok()) && !waited
        };
        let gone = patiently(|| !state());
        assert!(gone, "{pid} still runs");
    }
}

/// Whether something comes to be within some seconds.
#[cfg(unix)]
fn patiently(happened: impl Fn() -> bool) -> bool {
    (0..400).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        happened()
    })
}

/// A program that starts another one; both would run for long.
#[cfg(unix)]
const FAMILY: &str = "sleep 600 & echo $! > pid2; echo $$ > pid1; touch started; wait";

#[cfg(unix)]
#[test]
fn what_a_command_started_ends_with_it() {
    let folder = scripted(FAMILY, 1);
    let (rule, _) = advised(&folder);
    assert_eq!(rule["state"], "Waiting");
    all_gone(folder.path());
    // So does what one leaves behind that has answered.
    let script = "cat > /dev/null; sleep 600 > /dev/null 2>&1 & echo $! > pid2; echo $$ > pid1\n\
                  echo '{\"recommendations\": []}'";
    let folder = scripted(script, 20);
    let (_, found) = advised(&folder);
    assert_eq!(codes(&found), [""; 0]);
    all_gone(folder.path());
}

/// Starts the program with an advisor that would run for long, and waits for the advisor.
#[cfg(unix)]
fn advising(folder: &tempfile::TempDir) -> (std::process::Child, rustix::process::Pid) {
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_planner"))
        .args(["plan", "--allow-commands", "site.yaml"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program");
    assert!(patiently(|| folder.path().join("started").exists()));
    let pid = i32::try_from(child.id()).expect("a pid");
    (child, rustix::process::Pid::from_raw(pid).expect("a pid"))
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_running_command() {
    use rustix::process::{Signal, kill_process};
    let folder = scripted(FAMILY, 60);
    let (mut child, pid) = advising(&folder);
    kill_process(pid, Signal::INT).expect("a signal");
    assert_eq!(child.wait().expect("a status").code(), Some(130));
    all_gone(folder.path());
}

#[cfg(unix)]
#[test]
fn a_running_command_ends_with_a_program_that_is_killed() {
    use rustix::process::{Signal, kill_process};
    let folder = scripted(FAMILY, 60);
    let (mut child, pid) = advising(&folder);
    kill_process(pid, Signal::KILL).expect("a signal");
    assert_eq!(child.wait().expect("a status").code(), None);
    all_gone(folder.path());
}

/// The program in a folder, with a secret in its environment.
#[cfg(unix)]
fn with_secrets(folder: &Path, args: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_planner"));
    command.args(args).current_dir(folder).env("SECRET", "1");
    command.env("TOKEN", "2").output().expect("the program")
}

#[cfg(unix)]
#[test]
fn commands_see_a_named_environment_and_are_heard_harmlessly() {
    let script = "cat > /dev/null; env > seen; printf 'a\\033[31mred\\342\\200\\256\\n' >&2\n\
                  echo '{\"recommendations\": []}'";
    let folder = scripted(script, 20);
    let toml = folder.path().join("planner.toml");
    std::fs::write(toml, "advisor-environment = [\"TOKEN\"]\n").expect("a file");
    for args in [
        &["plan", "--allow-commands", "site.yaml"][..],
        &["why", "app", "--in", "site.yaml", "--allow-commands"],
    ] {
        let seen = folder.path().join("seen");
        let _ = std::fs::remove_file(&seen);
        let output = with_secrets(folder.path(), args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let seen = std::fs::read_to_string(seen).unwrap_or_else(|_| panic!("{args:?}: {said}"));
        assert!(seen.contains("PATH=") && seen.contains("TOKEN=2"), "{seen}");
        assert!(!seen.contains("SECRET"), "{seen}");
        assert!(said.contains("red"), "{said}");
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said:?}");
    }
}

#[cfg(unix)]
#[test]
fn commands_of_a_compared_state_never_run() {
    let answer = "cat > /dev/null; echo ran >> ran; echo '{\"recommendations\": []}'";
    let (new, old) = (scripted(answer, 20), scripted(answer, 20));
    let other = old.path().to_str().expect("text");
    let args = ["plan", ".", "--allow-commands", "--against", other];
    let output = with_secrets(new.path(), &args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!old.path().join("ran").exists(), "{said}");
    assert!(new.path().join("ran").exists(), "{said}");
}

#[test]
fn commands_do_not_run_unasked() {
    let list = answers("[{name: s, command: {argv: [touch, ran]}}]");
    let (rules, found) = text(&site("{advisors: [{name: s}]}", &[A], &list));
    assert_eq!(rules[0]["state"], "Waiting");
    assert_eq!(codes(&found), ["hybrid::command_not_run"]);
}

#[test]
fn why_gives_every_reason() {
    let spec = "{replicas: 1, targetLabels: {matchLabels: {env: dev}}, advisors: \
                [{name: g, type: predicate}, {name: cost, weight: 50}]}";
    let clusters = [
        "{name: a, labels: {env: dev, cost: '2'}}",
        "{name: b, labels: {env: dev, cost: '1'}}",
        "{name: c, labels: {env: dev}}",
        "{name: d, labels: {env: prod, cost: '1'}}",
    ];
    let list = answers("[{name: g, recommendations: [{name: a}, {name: b}]}]");
    let request = piped(site(spec, &clusters, &list));
    let loaded = open(&request).expect("a request");
    let mut sink = loaded.findings.clone();
    let documents = loaded.documents();
    let model = hybrid::check(&documents, &mut sink);
    assert_eq!(hybrid::why::subjects(&model).collect::<Vec<_>>(), ["app"]);
    let trials = again::trials_of_rules(&model);
    let why = |name| hybrid::why::why(&trials, name, None, &mut NoCommands);
    assert!(why("apt").is_none());
    let why = why("app").expect("a rule");
    assert!(why.placed);
    let steps = [
        "round 1: 3 candidates, 2 recommended, more than 1: c is vetoed and removed",
        "round 2: 2 candidates, 2 recommended, more than 1: a has the lowest rating, 100, and is removed",
        "round 3: 1 candidate, 1 recommended, at most 1 wanted: these are the decisions",
    ];
    assert_eq!(why.steps, steps);
    let told = |name: &str| {
        let candidate = why
            .candidates
            .iter()
            .find(|one| one.name == name)
            .expect(name);
        let failed = candidate.verdicts.iter().filter(|verdict| !verdict.passes);
        let failed = failed.map(|verdict| format!("{}: {}", verdict.stage, verdict.reason));
        (candidate.chosen, failed.collect::<Vec<_>>())
    };
    assert_eq!(told("b"), (true, Vec::new()));
    let reasons = [
        "Advisor cost (round 2): does not recommend it",
        "Rounds: removed in round 2: the lowest rating",
        "Decision: it was removed",
    ];
    assert_eq!(told("a"), (false, reasons.map(str::to_owned).to_vec()));
    let reasons = [
        "Advisor g (round 1): does not recommend it: a veto",
        "Advisor cost (round 1): does not recommend it",
        "Rounds: vetoed, so removed in round 1",
        "Rounds: the lowest rating in round 2 too",
        "Decision: it was removed",
    ];
    assert_eq!(told("c"), (false, reasons.map(str::to_owned).to_vec()));
    let reasons = [
        "Target Labels: does not match",
        "Advisor g (round 1): would not recommend it: a veto",
        "Rounds: the lowest rating in round 3 too",
        "Decision: it is not a candidate",
    ];
    assert_eq!(told("d"), (false, reasons.map(str::to_owned).to_vec()));
}

/// The program's standard output and status in a directory.
fn program(directory: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_planner"))
        .args(arguments)
        .current_dir(directory)
        .env("COLUMNS", "80")
        .output()
        .expect("the program");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (text, output.status.code())
}

#[test]
fn a_record_is_read_back() {
    let folder = tempfile::tempdir().expect("a directory");
    let board = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hybrid/board");
    for entry in std::fs::read_dir(board).expect("the board") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        std::fs::copy(&path, folder.path().join(name)).expect("a copy");
    }
    let (text, status) = program(folder.path(), &["plan", "--yes"]);
    assert_eq!(status, Some(0));
    assert_eq!(text, include_str!("../../fixtures/hybrid/board.txt"));
    let record = folder.path().join("planner-records/0001-site.yaml");
    let record = std::fs::read_to_string(record).expect("a record");
    assert!(record.contains("  observedGeneration: 3\n"), "{record}");
    assert!(record.contains("planner/record: \"0001\""), "{record}");
    // The next plan finds the decisions, and asks the advisors anew.
    let (text, _) = program(folder.path(), &["plan", "-o", "json"]);
    let plan: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(plan["result"], "unchanged");
    assert_eq!(
        plan["documents"],
        json!({"read": 10, "planned": 10, "notOurs": 0})
    );
    let clusters = folder.path().join("clusters.yaml");
    let cheaper = std::fs::read_to_string(&clusters).expect("clusters");
    std::fs::write(&clusters, cheaper.replace("cost: \"8\"", "cost: \"1\"")).expect("clusters");
    let (text, _) = program(folder.path(), &["plan", "-o", "json"]);
    let plan: Value = serde_json::from_str(&text).expect("JSON");
    let decided = decisions(&plan["placementRules"][0]);
    assert_eq!(decided, ["ManagedCluster/oslo", "ManagedCluster/shanghai"]);
}

#[test]
fn labels_are_text_as_the_api_server_has_it() {
    for value in ["1", "1e3", "08", "0x1", "true", "yes"] {
        let rule = RULE.replace(
            "{name: app}",
            &format!("{{name: app, labels: {{a: {value}}}}}"),
        );
        let (_, found) = text(&format!("{rule}spec: {{replicas: 1}}\n"));
        assert!(
            found.iter().any(|found| found.refuses),
            "{value}: {found:?}"
        );
    }
    let spec = "{advisors: [{name: l, rules: {matchLabels: {a: \"\"}}}]}";
    let clusters = [
        "{name: a, labels: {a: ~}}",
        "{name: b, labels: {a: null}}",
        C,
    ];
    assert_eq!(decided(&site(spec, &clusters, "")), ["a", "b"]);
    // Numbers are whole in any notation, amounts too.
    let spec = "{replicas: 1e0, advisors: [{name: r, rules: {resourceHint: {type: cpu}}}]}";
    let a = "{name: a}\nstatus: {allocatable: {cpu: 0x10}}";
    let b = "{name: b}\nstatus: {allocatable: {cpu: 012}}";
    assert_eq!(decided(&site(spec, &[a, b], "")), ["a"]);
}
