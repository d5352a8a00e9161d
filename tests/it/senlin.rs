//! Senlin region placement: the corpus, the surprising cases of its specification, and what
//! holds of every plan.

use std::path::Path;

use crate::support::corpus;
use crate::support::whole::piped;
use planner::diagnostic::{Diagnostic, Severity};
use planner::load::{Request, open};
use planner::options::CheckOptions;
use planner::plan::again;
use planner::senlin;
use planner::senlin::engine::data::data;
use planner::senlin::records;
use planner::site;
use serde_json::{Value, json};

fn settings() -> CheckOptions {
    CheckOptions::at("2026-01-01T00:00:00Z".parse().expect("a time"))
}

/// The `data` of the only set, if there is one, and what was found.
fn run(request: &Request, validating: bool) -> (Option<Value>, Vec<Diagnostic>) {
    let loaded = open(request).expect("a request");
    let settings = CheckOptions {
        validating,
        ..settings()
    };
    let site = site::check(&loaded, &settings);
    let mut sink = site.findings.clone();
    let regions = senlin::plan(&site.senlin);
    senlin::rules::planned(&regions, &mut sink);
    let planned = regions.planned.first();
    let answer = planned.map(|planned| Value::Object(data(planned.check, &planned.outcome)));
    (answer, sink.diagnostics)
}

fn text(text: &str, validating: bool) -> (Option<Value>, Vec<Diagnostic>) {
    run(&piped(text), validating)
}

fn errors(found: &[Diagnostic]) -> Vec<&Diagnostic> {
    found
        .iter()
        .filter(|found| found.severity == Severity::Error)
        .collect()
}

#[test]
fn the_corpus_agrees() {
    let cases = corpus("senlin");
    assert_eq!(cases.len(), 49);
    for (path, _, wanted) in cases {
        let expected = &wanted["expected"];
        let name = wanted["case"].as_str().expect("a name");
        let validation = wanted["class"] == "validation";
        let (answer, found) = run(&Request::of(vec![path.clone()]), validation);
        if validation {
            let valid = errors(&found).is_empty();
            let lenient = wanted["lenient"] == json!(true);
            assert!(
                expected["valid"] == json!(valid) || lenient,
                "{name}: {found:?}"
            );
            if wanted["upstream"]["reported"] == json!(true) {
                let texts: Vec<_> = found.iter().filter_map(|f| f.upstream.as_deref()).collect();
                assert_eq!(json!(texts), json!([wanted["upstream"]["error"]]), "{name}");
            }
        } else if expected["failure"] == json!(true) {
            assert!(answer.is_none() && !errors(&found).is_empty(), "{name}");
        } else {
            assert_eq!(
                answer.as_ref(),
                Some(&expected["data"]),
                "{name}: {found:?}"
            );
            let overdraft = found.iter().any(|f| f.rule.code.ends_with("overdraft"));
            assert_eq!(wanted["overdraft"] == json!(true), overdraft, "{name}");
        }
    }
}

const REGIONS: &str = "type: senlin.policy.region_placement\nversion: 1.0\nproperties:\n  regions:";

fn upstream_texts(found: &[Diagnostic]) -> Vec<&str> {
    errors(found)
        .iter()
        .filter_map(|found| found.upstream.as_deref())
        .collect()
}

#[test]
fn faults_of_a_policy_have_upstreams_words() {
    let cases = [
        ("- a\n", "The provided spec is not a map."),
        ("text\n", "The provided spec is not a map."),
        (
            "version: 1.0\nproperties: {regions: []}\n",
            "The 'type' key is missing from the provided spec map.",
        ),
        (
            "type: senlin.policy.region_placement\nproperties: {regions: []}\n",
            "The 'version' key is missing from the provided spec map.",
        ),
        (
            "type: senlin.policy.region_placement\nversion: 1\nproperties: {regions: []}\n",
            "The policy_type 'senlin.policy.region_placement-1' could not be found.",
        ),
        (
            "type: senlin.policy.region_placement\nversion: 1.10\nproperties: {regions: []}\n",
            "The policy_type 'senlin.policy.region_placement-1.1' could not be found.",
        ),
        (
            "type: senlin.policy.regions\nversion: '1.0'\nproperties: {regions: []}\n",
            "The policy_type 'senlin.policy.regions-1.0' could not be found.",
        ),
        (
            "type: null\nversion: 1.0\nproperties: {regions: []}\n",
            "The policy_type 'None-1.0' could not be found.",
        ),
        (
            "type: senlin.policy.region_placement\nversion: 1.0\nname: x\n\
             properties: {regions: []}\n",
            "Unrecognizable spec item 'name'",
        ),
        (
            "type: senlin.policy.region_placement\nversion: 1.0\n\
             properties: {regions: [], zones: []}\n",
            "Unrecognizable spec item 'zones'",
        ),
        (
            &format!("{REGIONS} [{{name: A, wieght: 1}}]\n"),
            "Unrecognizable spec item 'wieght'",
        ),
        (&format!("{REGIONS} A\n"), "'A' is not a List"),
        (&format!("{REGIONS} 7\n"), "'7' is not a List"),
        (&format!("{REGIONS} true\n"), "'True' is not a List"),
        (&format!("{REGIONS} 1e3\n"), "'1e3' is not a List"),
        (&format!("{REGIONS} 1.0e+3\n"), "'1000.0' is not a List"),
        (&format!("{REGIONS} [A]\n"), "'A' is not a Map"),
        (&format!("{REGIONS} [null]\n"), "'None' is not a Map"),
        (
            &format!("{REGIONS} [{{name: null}}]\n"),
            "The value 'None' is not a valid string.",
        ),
        (
            &format!("{REGIONS} [{{name: A, weight: x}}]\n"),
            "The value 'x' is not a valid Integer",
        ),
        (
            &format!("{REGIONS} [{{name: A, cap: '1.5'}}]\n"),
            "The value '1.5' is not a valid Integer",
        ),
        (
            &format!(
                "{REGIONS} [{{name: b}}, {{name: a}}, {{name: c}}]\n---\ntype: senlin.cluster\n\
                 version: 1.0\nproperties: {{known_regions: [c]}}\n"
            ),
            "The specified regions '['a', 'b']' could not be found.",
        ),
    ];
    for (document, wanted) in cases {
        let (_, found) = text(document, true);
        assert_eq!(upstream_texts(&found), [wanted], "{document}\n{found:?}");
    }
}

#[test]
fn what_upstream_breaks_on_is_refused_in_our_own_words() {
    let type_and_version = "type: senlin.policy.region_placement\nversion: 1.0\n";
    let mut cases = vec![
        type_and_version.to_owned(),
        format!("{type_and_version}properties: null\n"),
        format!("{type_and_version}properties: {{}}\n"),
        format!("{type_and_version}properties: {{regions: null}}\n"),
    ];
    for region in [
        "{weight: 1}",
        "{name: ''}",
        "{name: A, weight: null}",
        "{name: A, cap: null}",
    ] {
        cases.push(format!("{REGIONS} [{region}]\n"));
    }
    for document in cases {
        let (_, found) = text(&document, true);
        assert_eq!(errors(&found).len(), 1, "{document}\n{found:?}");
        assert_eq!(upstream_texts(&found), [""; 0], "{document}");
    }
}

#[test]
fn policies_that_upstream_accepts_are_valid() {
    for document in [
        format!("{REGIONS} []\n"),
        format!("{REGIONS} [{{name: A, weight: '010', cap: '-3'}}]\n"),
        format!("{REGIONS} [{{name: A, weight: 1.9, cap: 0}}]\n"),
        format!("{REGIONS} [{{name: 7}}, {{name: A, cap: -9}}, {{name: A}}]\n"),
        format!("{REGIONS} [{{name: A, weight: -1}}]\n").replace("1.0", "'1.0'"),
        format!("description: 5\n{REGIONS} [{{name: A}}]\n")
            .replace("version: 1.0", "version: 1.00"),
    ] {
        let (_, found) = text(&document, true);
        assert!(errors(&found).is_empty(), "{document}\n{found:?}");
    }
}

#[test]
fn the_other_policies_of_upstream_are_not_ours() {
    for kind in ["affinity", "scaling", "zone_placement"] {
        let document = format!("type: senlin.policy.{kind}\nversion: 1.0\nproperties: {{}}\n");
        assert!(text(&document, true).1.is_empty());
    }
    let (_, found) = text("type: senlin.policy.scalling\nversion: 1.0\n", true);
    assert_eq!(errors(&found).len(), 1);
}

#[test]
fn a_slip_in_the_type_of_an_action_is_told_once() {
    let cluster = "name: web, node_counts: {A: 2}, known_regions: [A]";
    let all = site("{name: A}", cluster, "action: CLUSTER_SCALE_OUT");
    let (_, found) = text(&all.replace("senlin.action", "senlin.actions"), false);
    let codes: Vec<&str> = found.iter().map(|found| found.rule.code).collect();
    assert_eq!(codes, ["planner::senlin::unknown_type"]);
}

#[test]
fn a_second_document_of_a_type_is_a_fault_that_shows_the_first() {
    let cluster = "type: senlin.cluster\nversion: 1.0\nproperties: {name: a}\n";
    let (_, found) = text(&format!("{cluster}---\n{cluster}"), true);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule.code, "planner::senlin::repeated_document");
    assert_eq!(found[0].related.len(), 1);
}

/// A file with regions (flow text), properties of the cluster, and properties of the action.
fn site(regions: &str, cluster: &str, action: &str) -> String {
    format!(
        "{REGIONS} [{regions}]\n---\ntype: senlin.cluster\nversion: 1.0\nproperties: {{{cluster}}}\n\
         ---\ntype: senlin.action\nversion: 1.0\nproperties: {{{action}}}\n"
    )
}

fn planned(regions: &str, cluster: &str, action: &str) -> Value {
    let (answer, found) = text(&site(regions, cluster, action), false);
    answer.unwrap_or_else(|| panic!("no plan: {found:?}"))
}

/// Edge cases where the document matters and not only the numbers.
#[test]
fn surprising_cases() {
    let out = |count: i64| format!("action: CLUSTER_SCALE_OUT, inputs: {{count: {count}}}");
    let grown = |count: i64, regions: Value| json!({"creation": {"count": count, "regions": regions}, "status": "OK"});
    // 1: any negative cap is none, 0 is never.
    assert_eq!(
        planned(
            "{name: A, cap: -7}, {name: B, cap: 0, weight: 0}",
            "name: c",
            &out(3)
        ),
        grown(3, json!({"A": 3})),
    );
    // 3
    assert_eq!(
        planned("{name: A, cap: 1}, {name: B}", "name: c", &out(4)),
        json!({"status": "ERROR", "reason": "There is no feasible plan to handle all nodes."}),
    );
    // 9: nodes elsewhere are invisible, and a region in a profile is not looked at.
    let nodes = "nodes: [{name: a}, {data: {placement: {region_name: A}}}, {data: {placement: {}}}, \
                 {data: {placement: {region_name: ''}}}, {data: {placement: {region_name: 5}}}, \
                 {data: {placement: {region_name: Z}}}, {profile: {region_name: B}}], \
                 node_counts: {B: 1, '': 4, Q: 3}";
    assert_eq!(
        planned("{name: A}, {name: B}", nodes, &out(2)),
        grown(2, json!({"A": 1, "B": 1}))
    );
    // 14, 15
    assert_eq!(
        planned("{name: A}", "node_counts: {A: 3}", &out(-2))["deletion"],
        json!({"count": 2, "regions": {"A": 2}}),
    );
    assert_eq!(
        planned("{name: A}", "known_regions: []", &out(0)),
        json!({"status": "OK"})
    );
    // 26: null still switches the policy off.
    let profile =
        "\n---\ntype: os.nova.server\nversion: 1.0\nproperties: {context: {region_name: null}}\n";
    let document = site("{name: A}", "name: c", "action: NODE_CREATE") + profile;
    assert_eq!(text(&document, false).0, Some(json!({"status": "OK"})));
    // 27
    assert_eq!(
        planned(
            "{name: A}",
            "name: c",
            "action: NODE_CREATE, data: {creation: {count: 4, x: 1}}"
        ),
        json!({"creation": {"count": 1, "x": 1, "regions": {"A": 1}}, "status": "OK"}),
    );
    // 29
    assert_eq!(
        planned(
            "{name: A, weight: 1}, {name: B, weight: 100}, {name: A}",
            "name: c",
            &out(1)
        ),
        grown(1, json!({"A": 1})),
    );
    // 30
    let huge = "{name: A, weight: 100000000000000003}, {name: B, weight: 100000000000000002}";
    assert_eq!(
        planned(huge, "name: c", &out(8)),
        grown(8, json!({"A": 4, "B": 4}))
    );
}

#[test]
fn failures_of_upstreams_program_are_faults_of_the_documents() {
    for (cluster, action) in [
        (
            "name: c",
            "action: CLUSTER_SCALE_OUT, inputs: {count: null}",
        ),
        ("name: c", "action: CLUSTER_SCALE_OUT, inputs: {count: '3'}"),
        (
            "name: c",
            "action: CLUSTER_SCALE_IN, data: {deletion: {count: null}}",
        ),
        ("name: c", "action: CLUSTER_SCALE_IN, data: {deletion: 4}"),
        (
            "name: c",
            "action: CLUSTER_RESIZE, data: {creation: {regions: {}}}",
        ),
        (
            "name: c",
            "action: CLUSTER_RESIZE, inputs: {adjustment_type: EXACT_CAPACITY}",
        ),
        (
            "name: c",
            "action: CLUSTER_RESIZE, inputs: {adjustment_type: x, number: ten}",
        ),
        ("name: c", "action: CLUSTER_RESIZE, inputs: {strict: 1}"),
    ] {
        let (answer, found) = text(&site("{name: A}", cluster, action), false);
        assert_eq!(answer, None, "{action}");
        assert_eq!(errors(&found).len(), 1, "{action}");
    }
}

#[test]
fn fields_that_nobody_asks_for_may_hold_anything() {
    let action = "action: CLUSTER_SCALE_OUT, inputs: {count: many}, \
                  data: {creation: {count: 1}, deletion: 5, x: [1, {y: null}, 1.5, 2001-01-01]}";
    assert_eq!(
        planned("{name: A}", "name: c", action),
        json!({"creation": {"count": 1, "regions": {"A": 1}}, "deletion": 5,
            "x": [1, {"y": null}, 1.5, "2001-01-01"], "status": "OK"}),
    );
}

#[test]
fn the_keys_of_data_keep_their_order_and_the_verdict_stands_last() {
    let action = "action: CLUSTER_SCALE_OUT, data: {z: 1, status: OLD, creation: {count: 1}, \
                  reason: old, a: 2}";
    let answer = planned("{name: A}", "name: c", action);
    let keys: Vec<&String> = answer.as_object().expect("a map").keys().collect();
    assert_eq!(keys, ["z", "creation", "a", "status"]);
}

#[test]
fn unknown_regions_are_an_error_of_validate_and_a_note_of_plan() {
    let document = site(
        "{name: A}, {name: B}",
        "known_regions: [A]",
        "action: CLUSTER_SCALE_OUT",
    );
    for (validating, severity) in [(true, Severity::Error), (false, Severity::Note)] {
        let (answer, found) = text(&document, validating);
        assert!(answer.is_some());
        assert_eq!(found[0].rule.code, "planner::senlin::unknown_region");
        assert_eq!((found[0].severity, found[0].refuses), (severity, false));
    }
}

#[test]
fn requests_that_the_api_refuses_are_warnings() {
    let cases = [
        (
            "CLUSTER_SCALE_OUT",
            "count: 0",
            "Count for scale-out request cannot be 0.",
        ),
        (
            "CLUSTER_SCALE_IN",
            "count: 0",
            "Count for scale-in request cannot be 0.",
        ),
        (
            "CLUSTER_SCALE_IN",
            "count: -1",
            "Value must be >= 0 for field 'count'.",
        ),
        (
            "CLUSTER_SCALE_OUT",
            "count: 1001",
            "The target capacity (1001) is greater than the maximum number of nodes allowed per \
             cluster (1000).",
        ),
        (
            "CLUSTER_RESIZE",
            "number: 3",
            "Missing adjustment_type value for size adjustment.",
        ),
        (
            "CLUSTER_RESIZE",
            "adjustment_type: CHANGE, number: 1",
            "Value 'CHANGE' is not acceptable for field 'adjustment_type'.",
        ),
        (
            "CLUSTER_RESIZE",
            "adjustment_type: EXACT_CAPACITY, number: -1, min_size: 0",
            "The 'number' must be non-negative integer for adjustment type 'EXACT_CAPACITY'.",
        ),
        (
            "CLUSTER_RESIZE",
            "min_size: -1",
            "The value for the min_size field must be greater than or equal to 0.",
        ),
        (
            "CLUSTER_RESIZE",
            "max_size: -2",
            "The value for the max_size field must be greater than or equal to -1.",
        ),
        (
            "CLUSTER_RESIZE",
            "min_size: 1",
            "The specified min_size (1) is greater than the current desired_capacity (0) of the \
             cluster.",
        ),
        (
            "CLUSTER_RESIZE",
            "adjustment_type: CHANGE_IN_CAPACITY, number: 9",
            "The target capacity (9) is greater than the cluster's max_size (5).",
        ),
    ];
    for (action, inputs, wanted) in cases {
        let action = format!("action: {action}, inputs: {{{inputs}}}");
        let (_, found) = text(&site("{name: A}", "max_size: 5", &action), false);
        let refused: Vec<_> = found
            .iter()
            .filter(|found| found.rule.code.ends_with("refused_request"))
            .collect();
        assert_eq!(refused.len(), 1, "{action}: {found:?}");
        assert_eq!(refused[0].severity, Severity::Warning);
        assert_eq!(refused[0].upstream.as_deref(), Some(wanted));
    }
}

mod properties {
    use planner::senlin::engine::allot::{Candidate, Direction, distribute, product, share};
    use proptest::prelude::*;

    fn regions(weights: std::ops::Range<i128>) -> impl Strategy<Value = Vec<Candidate>> {
        let region = (weights, -3_i128..40, 0_i128..60)
            .prop_map(|(weight, cap, nodes)| Candidate { weight, cap, nodes });
        prop::collection::vec(region, 1..12)
    }

    proptest! {
        #[test]
        fn a_growth_adds_up_and_never_passes_a_cap(
            regions in regions(0..300),
            count in 1_i128..200,
        ) {
            let Ok(plan) = distribute(&regions, count, Direction::Grow) else { return Ok(()) };
            let taken: i128 = plan.allotments.iter().map(|allotment| allotment.taken).sum();
            prop_assert_eq!(taken + plan.remain, count);
            for (region, allotment) in regions.iter().zip(&plan.allotments) {
                prop_assert!(allotment.taken >= 0);
                prop_assert!(region.weight > 0 || allotment.taken == 0);
                if region.cap >= 0 && allotment.taken > 0 {
                    prop_assert!(region.nodes + allotment.taken <= region.cap);
                }
            }
            if regions.iter().all(|region| region.cap < 0) {
                prop_assert_eq!(plan.remain, 0);
            }
        }

        #[test]
        fn a_shrink_always_has_a_plan(regions in regions(0..300), count in 1_i128..200) {
            let Ok(plan) = distribute(&regions, count, Direction::Shrink) else { return Ok(()) };
            let taken: i128 = plan.allotments.iter().map(|allotment| allotment.taken).sum();
            prop_assert_eq!(taken, count);
            prop_assert_eq!(plan.remain, 0);
        }

        #[test]
        fn shares_of_small_numbers_are_the_exact_quotients_nearest_double(
            total in -1_000_i128..1_000,
            weight in 0_i128..1_000,
            weights in 1_i128..10_000,
        ) {
            let exact = (total * weight) as f64 / weights as f64;
            prop_assert_eq!(share(total, weight, weights), exact);
        }

        #[test]
        fn long_products_agree_with_short_ones(a in any::<i64>(), b in any::<i64>()) {
            let (a, b) = (i128::from(a), i128::from(b));
            prop_assert_eq!(product(a, b), (a * b) as f64);
            // A power of two moves the point and changes no digit.
            prop_assert_eq!(product(a << 60, b << 60), (a * b) as f64 * 2_f64.powi(120));
        }
    }
}

/// The text of a site file's regions on 80 columns.
fn shown(document: &str) -> String {
    use planner::page::Screen;
    use planner::systems::senlin::text::regions;
    let request = piped(document);
    let loaded = open(&request).expect("a request");
    let settings = settings();
    let checked = planner::site::check(&loaded, &settings);
    let plan = planner::plan::make(&checked, &planner::options::Options::default());
    let screen = Screen::columns(80);
    regions(&plan, &planner::why::Ways::new(), &screen).write(&screen)
}

#[test]
fn the_section_shows_every_region_and_what_becomes_of_it() {
    let regions = "{name: RegionOne}, {name: RegionTwo, cap: 5}, {name: RegionFar, weight: 50}, \
                   {name: Gone}";
    let cluster = "name: web, node_counts: {RegionOne: 2, RegionTwo: 1, RegionFar: 3, '': 2}, \
                   known_regions: [RegionOne, RegionTwo, RegionFar]";
    let action = |action: &str| shown(&site(regions, cluster, action));
    let grow = action("action: CLUSTER_SCALE_OUT, inputs: {count: 3}");
    insta::assert_snapshot!("grow-80", grow);
    let shrink = action("action: CLUSTER_SCALE_IN, inputs: {count: 7}");
    insta::assert_snapshot!("shrink-80", shrink);
    let create = action("action: NODE_CREATE, data: {creation: {count: 1}}");
    let head = "Plan for NODE_CREATE of web (<stdin>): 1 node to create, 4 Regions";
    assert_eq!(create.lines().next(), Some(head));
}

/// Runs over a directory with these files, seen from the directory itself.
fn directory<T>(files: &[(&str, &str)], with: impl FnOnce(&senlin::Regions<'_, '_>) -> T) -> T {
    let home = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        let path = home.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }
    let mut request = Request::of(vec![home.path().to_path_buf()]);
    request.directory = home.path().to_path_buf();
    let loaded = open(&request).expect("a request");
    let documents = loaded.documents();
    let model = senlin::check(&documents, &settings(), &mut Default::default());
    with(&senlin::plan(&model))
}

fn datas(regions: &senlin::Regions<'_, '_>) -> Vec<(String, Value)> {
    let data = |planned: &senlin::Planned<'_, '_>| {
        let data = data(planned.check, &planned.outcome);
        (planned.set.path.to_owned(), Value::Object(data))
    };
    regions.planned.iter().map(data).collect()
}

#[test]
fn a_record_is_read_back_for_the_same_request_only() {
    let asked = |count: u32| {
        let action = format!("action: CLUSTER_SCALE_OUT, inputs: {{count: {count}}}");
        site("{name: A}, {name: B}", "name: c", &action)
    };
    let (a, b) = (asked(2), asked(3));
    let files = [("a/web.yaml", a.as_str()), ("web.yaml", b.as_str())];
    let records = directory(&files, |model| {
        records::records(model, "planner-records", "0001")
    });
    assert_eq!(
        records[0]["metadata"]["annotations"]["planner/file"],
        json!("a/web.yaml")
    );
    assert_eq!(
        records[1]["properties"]["data"]["creation"]["regions"],
        json!({"A": 2, "B": 1})
    );
    // Somebody moves the recorded nodes; the newest record counts.
    let old = planner::render::yaml::document(&records[1]);
    let new = old
        .replace("0001", "0002")
        .replace("count: 3\n      regions", "count: 1\n      regions");
    let mut files = vec![
        ("web.yaml", b.as_str()),
        ("planner-records/0001-site.yaml", old.as_str()),
        ("planner-records/0002-site.yaml", new.as_str()),
    ];
    let count =
        |regions: &senlin::Regions<'_, '_>| datas(regions)[0].1["creation"]["count"].clone();
    assert_eq!(directory(&files, datas).len(), 1);
    assert_eq!(directory(&files, count), json!(1));
    // Another request is not answered by it.
    let other = asked(5);
    files[0].1 = &other;
    assert_eq!(directory(&files, count), json!(5));
}

#[test]
fn a_directory_holds_many_sets_by_path() {
    let one = site("{name: A}", "name: c", "action: CLUSTER_SCALE_OUT");
    let broken = site(
        "{name: A, weight: x}",
        "name: c",
        "action: CLUSTER_SCALE_OUT",
    );
    let files = [
        ("z.yaml", one.as_str()),
        ("b.yaml", broken.as_str()),
        ("a/x.yaml", one.as_str()),
    ];
    let paths: Vec<String> = directory(&files, datas)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(paths, ["a/x.yaml", "z.yaml"]);
}

#[test]
fn why_shows_the_arithmetic_step_by_step() {
    let document = site(
        "{name: A, weight: 34, cap: 1}, {name: B, weight: 33}, {name: C, weight: 33}, {name: D}",
        "name: c, known_regions: [A, B, C], node_counts: {A: 1, C: 1}",
        "action: CLUSTER_SCALE_OUT, inputs: {count: 2}",
    );
    let why = directory(&[("web.yaml", &document)], |model| {
        senlin::why::why(model, "web.yaml", None, again::regions)
    });
    let why = why.expect("a plan");
    assert_eq!(
        why.steps,
        [
            "CLUSTER_SCALE_OUT: N = 2, from inputs.count",
            "total = 2 nodes there + 2 = 4",
            "share = 4 x weight / 100, rounded up, then cut to the cap",
            "regions are processed in turn, the heaviest first; equal weights in the order of the policy",
            "answer: OK",
        ]
    );
    let told: Vec<String> = why
        .candidates
        .iter()
        .map(|one| {
            let reasons = one.verdicts.iter().map(|verdict| verdict.reason.as_str());
            format!(
                "{} {}: {}",
                one.name,
                one.chosen,
                reasons.collect::<Vec<_>>().join("; ")
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "A false: the region exists; N = 2; 4 x 34 / 100 = 1.36, rounded 2, cap 1; 1 node \
             there: the cap leaves no room; no room, so it takes none of 2",
            "B true: the region exists; N = 2; 4 x 33 / 100 = 1.32, rounded 2; 0 nodes there; room for \
             2, so it takes 2 of 2",
            "C false: the region exists; N = 2; 4 x 33 / 100 = 1.32, rounded 2; 1 node there; nothing \
             is left to distribute",
            "D false: the region is not among the known regions; N = 2; 4 x 100 / 200 = 2, \
             rounded 2; 0 nodes there; room for 2, so it takes 2 of 2",
        ]
    );
    assert!(why.placed);
}

#[test]
fn the_example_files_are_planned() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/senlin");
    let answer = |name: &str| run(&Request::of(vec![home.join(name)]), false);
    let (grown, found) = answer("grow.yaml");
    let wanted = json!({"creation": {"count": 3, "regions": {"RegionOne": 2, "RegionTwo": 1}},
        "status": "OK"});
    assert_eq!(grown, Some(wanted));
    assert_eq!(found.len(), 1);
    let (shrunk, found) = answer("shrink.yaml");
    let regions = &shrunk.expect("a plan")["deletion"]["regions"];
    assert_eq!(regions, &json!({"RegionOne": 3, "RegionTwo": 1}));
    assert_eq!(found[0].rule.code, "planner::senlin::overdraft");
}

#[test]
fn what_pyyaml_refuses_is_refused() {
    for value in ["=", "<<", "2020-02-30", "!!int x", "&a b, d: &a c"] {
        let policy = format!("{REGIONS} [{{name: A}}]\ndescription: {{c: {value}}}\n");
        let (_, found) = text(&policy, true);
        let found = errors(&found);
        assert_eq!(found.len(), 1, "{value}: {found:?}");
        assert!(
            found[0].refuses && found[0].rule.code == "planner::yaml::unsafe",
            "{found:?}"
        );
    }
    for value in ["'='", "x=", "2020-02-28", "!!int 5", "0_"] {
        let (_, found) = text(
            &format!("{REGIONS} [{{name: A}}]\ndescription: {value}\n"),
            true,
        );
        assert!(errors(&found).is_empty(), "{value}: {found:?}");
    }
    for null in ["null", "~", ""] {
        let (_, found) = text(
            &format!("{REGIONS} [{{name: A}}]\ndescription: {null}\n"),
            true,
        );
        assert_eq!(
            upstream_texts(&found),
            ["The value 'None' is not a valid string."]
        );
    }
    let (_, found) = text(&format!("{REGIONS} [{{name: A, weight: 0_}}]\n"), true);
    assert!(errors(&found).is_empty(), "{found:?}");
}

/// NEL, LS and PS end lines as in YAML 1.1.
#[test]
fn lines_end_as_in_yaml_1_1() {
    for line in ["\u{85}", "\u{2028}", "\u{2029}"] {
        let policy = format!("# a policy{line}{REGIONS} [{{name: A}},{line}  {{nmae: B}}]\n");
        let (_, found) = text(&policy, true);
        assert!(
            upstream_texts(&found).contains(&"Unrecognizable spec item 'nmae'"),
            "{found:?}"
        );
        let wrong = errors(&found)[0]
            .primary
            .as_ref()
            .expect("a place")
            .place
            .span;
        assert!(
            policy[wrong.start as usize..].starts_with("nmae")
                || policy[wrong.start as usize..].starts_with('{')
        );
        // To the API server's reader too.
        let cluster = format!(
            "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
             metadata: {{name: a}} # of{line}spec: [1]\n"
        );
        let (_, found) = text(&format!("{policy}---\n{cluster}"), true);
        assert!(
            found.iter().any(|found| found.message.contains("spec`")),
            "{found:?}"
        );
    }
}
