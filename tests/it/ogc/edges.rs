//! The surprising cases: what is refused and how, what YAML does to texts, and what each reading of
//! an open question in the documentation means.

use planner::diagnostic::{Diagnostic, Severity};
use serde_json::{Value, json};

use super::{refused, text};

const HEAD: &str = "apiVersion: planner/v1\nkind: ";

fn doc(kind: &str, body: &str) -> String {
    format!("---\n{HEAD}{kind}\n{body}\n")
}

fn project() -> String {
    doc("Project", "metadata: {name: p}")
}

fn cluster(name: &str, year: u32, rest: &str) -> String {
    let body = format!(
        "metadata: {{name: {name}, creationTimestamp: \"{year}-01-01T00:00:00Z\"}}\n\
         spec:\n  projects: [p]\n  nodes: [{{name: n1, allocatable: {{cpu: 4, memory: 8Gi}}}}]\n\
         {rest}\nstatus: {{phase: Up}}"
    );
    doc("Cluster", &body)
}

fn package(rest: &str) -> String {
    doc(
        "Package",
        &format!("metadata: {{name: k}}\nspec:\n  project: p\n{rest}"),
    )
}

fn application(name: &str, rest: &str) -> String {
    doc(
        "Application",
        &format!("metadata: {{name: {name}}}\nspec:\n  package: k\n{rest}"),
    )
}

fn deployment(name: &str, year: u32, status: &str) -> String {
    let body = format!(
        "metadata: {{name: {name}, creationTimestamp: \"{year}-01-01T00:00:00Z\"}}\n\
         spec: {{package: k}}\nstatus:\n{status}"
    );
    doc("Deployment", &body)
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    let short = |found: &Diagnostic| found.rule.code.trim_start_matches("planner::").len();
    let mut codes: Vec<&str> = found
        .iter()
        .map(|f| &f.rule.code[f.rule.code.len() - short(f)..])
        .collect();
    codes.sort_unstable();
    codes
}

fn errors(site: &str) -> Vec<String> {
    let (_, mut found) = text(site);
    found.retain(|found| found.severity == Severity::Error);
    codes(&found).into_iter().map(str::to_owned).collect()
}

fn plan(site: &str) -> Value {
    let (plan, found) = text(site);
    assert!(!refused(&found), "{found:?}");
    plan
}

#[test]
fn each_fault_has_its_own_code() {
    let base = format!("{}{}", project(), package(""));
    for (fault, code) in [
        (
            doc("Project", "metadata: {name: p}"),
            "ogc::duplicate_identity",
        ),
        (doc("Project", "metadata: {name: P}"), "ogc::bad_name"),
        (
            doc("Project", "metadata: {name: \"a\\u001bb\"}"),
            "ogc::bad_name",
        ),
        (
            doc("Project", "metadata: {name: q, annotations: {a: 1.0}}"),
            "ogc::unquoted_text",
        ),
        (
            doc("Project", "metadata: {name: 1.0}"),
            "ogc::unquoted_text",
        ),
        (doc("Project", "metadata: {nmae: q}"), "schema::required"),
        (
            doc("Project", "metadata: {name: q}\ncolour: red"),
            "schema::unknown_field",
        ),
        (
            doc("Package", "metadata: {name: q}\nspec: {project: x}"),
            "ogc::unknown_reference",
        ),
        (
            doc("Cluster", "metadata: {name: q}\nspec: {projects: [x]}"),
            "ogc::unknown_reference",
        ),
        (
            doc("Node", "metadata: {name: q}\nspec: {cluster: x}"),
            "ogc::unknown_reference",
        ),
        (
            doc("Application", "metadata: {name: q}\nspec: {package: x}"),
            "ogc::unknown_reference",
        ),
        (application("q", "  replicas: 0"), "ogc::bad_replicas"),
        (application("q", "  replicas: 1.5"), "ogc::bad_replicas"),
        (application("q", "  replicas: \"3\""), "schema::type"),
        (
            application("q", "  maxClusters: 2"),
            "schema::unknown_field",
        ),
        (
            application("q", "  rules: [{key: a, operator: equals, values: [b]}]"),
            "schema::value",
        ),
        (
            application("q", "  rules: [{key: a, operator: Equals, values: [b, c]}]"),
            "ogc::wrong_value_count",
        ),
        (
            application("q", "  rules: [{key: a, operator: Equals}]"),
            "ogc::wrong_value_count",
        ),
        (
            application("q", "  rules: [{key: a}]"),
            "ogc::wrong_value_count",
        ),
        (
            application("q", "  rules: [{key: a, values: []}]"),
            "ogc::wrong_value_count",
        ),
        (
            application("q", "  rules: [{key: a, operator: Exists, values: [b]}]"),
            "ogc::wrong_value_count",
        ),
        (
            application("q", "  rules: [{key: a, values: [true]}]"),
            "schema::type",
        ),
        (
            application(
                "q",
                "  rules: [{key: a, operator: MinOf}, {key: a, operator: MinOf}]",
            ),
            "ogc::duplicate_extremum",
        ),
        (
            application("q", "  containers: [{name: c, requests: {cpu: -1}}]"),
            "ogc::bad_quantity",
        ),
        (
            application("q", "  containers: [{name: c, requests: {cpu: +1}}]"),
            "ogc::bad_quantity",
        ),
        (
            application("q", "  containers: [{name: c, limits: {memory: 1GB}}]"),
            "ogc::bad_quantity",
        ),
        (
            application("q", "  containers: [{name: c, mounts: [{path: /a}]}]"),
            "ogc::mount_source",
        ),
        (
            application(
                "q",
                "  containers: [{name: c, mounts: [{path: /a, secret: s, value: v}]}]",
            ),
            "ogc::mount_source",
        ),
        (
            application(
                "q",
                "  containers: [{name: c, mounts: [{path: /a, storageRequest: x}]}]",
            ),
            "ogc::unknown_reference",
        ),
        (deployment("d", 2020, "  phase: running"), "schema::value"),
        (
            deployment(
                "d",
                2020,
                "  workloads: [{application: a, cluster: c1}, {application: a, cluster: c2}]",
            ),
            "ogc::duplicate_workload",
        ),
        (
            doc("Deployment", "metadata: {name: d}\nspec: {package: k}"),
            "schema::required",
        ),
        (
            doc(
                "Cluster",
                "metadata: {name: q, creationTimestamp: \"2024-06-01\"}",
            ),
            "ogc::bad_time",
        ),
        (
            doc("Cluster", "metadata: {name: q, labels: {a: yes}}"),
            "schema::type",
        ),
        (
            doc("Cluster", "metadata: {name: q, labels: {a: 1.0}}"),
            "ogc::unquoted_text",
        ),
        (
            doc("Cluster", "metadata: {name: q, labels: {a: }}"),
            "ogc::unquoted_text",
        ),
        (
            doc("Cluster", "metadata: {name: q, labels: {true: b}}"),
            "ogc::unquoted_text",
        ),
        (
            doc("Cluster", "metadata: {name: q}\nspec: {privileged: true}"),
            "schema::unknown_field",
        ),
        (
            doc(
                "Cluster",
                "metadata: {name: q}\nspec: {volumeProviders: [{name: v, type: SSD}]}",
            ),
            "schema::value",
        ),
        (doc("Clusters", "metadata: {name: q}"), "site::unknown_kind"),
    ] {
        let found = errors(&format!("{base}{fault}"));
        assert!(
            found.contains(&code.to_owned()),
            "{fault}: {found:?}, not {code}"
        );
    }
}

#[test]
fn what_is_refused_names_both_places_and_the_nearest_name() {
    let (_, found) = text(&format!(
        "{}{}{}",
        project(),
        package("  storageRequests: [{name: data, type: StandardSSD, capacity: 1Gi}]"),
        application(
            "a",
            "  containers: [{name: c, mounts: [{path: /d, storageRequest: dta}]}]"
        )
    ));
    let fault = found
        .iter()
        .find(|f| f.rule.code.ends_with("unknown_reference"));
    let fault = fault.expect("a finding");
    assert_eq!(fault.help.as_deref(), Some("did you mean `data`?"));
    let object = fault.object.as_ref().expect("an object");
    assert_eq!(
        (object.kind.as_str(), object.name.as_str()),
        ("Application", "a")
    );
    assert_eq!(object.package.as_deref(), Some("k"));
    let (_, found) = text(&format!("{}{}", project(), project()));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].related.len(), 1);
    assert!(found[0].primary.as_ref().expect("a place").place > found[0].related[0].place);
}

#[test]
fn one_fault_is_not_reported_twice() {
    let site = format!(
        "{}{}{}",
        doc("Project", "metadata: {name: p}\ncolour: red"),
        package(""),
        application("a", "")
    );
    assert_eq!(errors(&site), ["schema::unknown_field"]);
}

#[test]
fn every_fault_is_told_in_one_run() {
    let site = format!(
        "{}{}",
        doc(
            "Cluster",
            "metadata: {name: A, labels: {x: 1.0}, creationTimestamp: \"now\"}"
        ),
        doc("Package", "metadata: {name: B}\nspec: {project: none}"),
    );
    let found = errors(&site);
    for code in ["ogc::bad_name", "ogc::unquoted_text", "ogc::bad_time"] {
        assert!(found.contains(&code.to_owned()), "{found:?}");
    }
    assert_eq!(
        found.iter().filter(|code| *code == "ogc::bad_name").count(),
        2
    );
}

#[test]
fn texts_are_what_was_written() {
    let site = format!(
        "{}{}{}{}{}",
        project(),
        doc(
            "Cluster",
            "metadata: {name: 010, creationTimestamp: 2020-01-01T00:00:00Z, \
             labels: {a: 010, b: 2020-01-01, 7: 0x1F}}\n\
             spec: {projects: [p], nodes: [{name: 1, allocatable: {cpu: 1e0, memory: .5Gi}}]}\n\
             status: {phase: Up}"
        ),
        package(""),
        application(
            "a",
            "  replicas: 010\n  rules: [{key: a, operator: Equals, values: [010]}, \
             {key: 7, values: [0x1F]}, {key: b, values: [\"2020-01-01\"]}]\n  \
             containers: [{name: c, requests: {cpu: 01, memory: 512Mi}}]"
        ),
        application("b", "  rules: [{key: a, operator: Equals, values: [8]}]"),
    );
    let plan = plan(&site);
    assert_eq!(plan[0]["cluster"], "010");
    assert_eq!(plan[0]["effectiveRules"][0]["values"], json!(["0x1F"]));
    assert_eq!(plan[1]["cluster"], Value::Null);
    assert_eq!(plan[1]["error"]["filter"], "General Label Compliance");
}

#[test]
fn an_empty_project_fails_in_the_first_filter() {
    let site = format!("{}{}{}", project(), package(""), application("a", ""));
    let plan = plan(&site);
    assert_eq!(plan[0]["error"]["filter"], "Cluster Available");
    assert_eq!(plan[0]["error"]["message"], "Project p has no Clusters");
    assert_eq!(
        plan[0]["filters"],
        json!([{"name": "Cluster Available", "left": 0, "clusters": []}])
    );
    assert_eq!(plan[0]["decidedBy"], Value::Null);
    assert_eq!(plan[0]["change"], "unplaceable");
}

#[test]
fn the_only_cluster_of_a_project_needs_no_filter() {
    let site = format!(
        "{}{}{}{}",
        project(),
        package(""),
        application("a", ""),
        cluster("c", 2020, "")
    );
    let plan = plan(&site);
    assert_eq!(
        plan[0]["decidedBy"],
        json!({"filter": null, "reason": "only Cluster of Project p"})
    );
}

fn history(deployments: &str) -> Value {
    plan(&format!(
        "{}{}{}{}{}{deployments}",
        project(),
        package(""),
        application("a", ""),
        cluster("old", 2020, ""),
        cluster("new", 2021, ""),
    ))
}

#[test]
fn what_an_application_does_depends_on_the_deployment_that_counts() {
    let on = |cluster: &str| format!("  workloads: [{{application: a, cluster: {cluster}}}]");
    let volume = |cluster: &str| {
        format!(
            "  workloads: [{{application: a, cluster: {cluster}, persistentResources: \
             [{{kind: PersistentVolumeClaim, name: v}}]}}]"
        )
    };
    let seen = |deployments: &str| {
        let plan = history(deployments);
        let item = plan[0].clone();
        json!([item["cluster"], item["was"], item["change"]])
    };
    assert_eq!(seen(""), json!(["old", null, "place"]));
    assert_eq!(
        seen(&deployment("d", 2022, &on("old"))),
        json!(["old", "old", "unchanged"])
    );
    let stopped = format!("  phase: Stopped\n{}", on("old"));
    assert_eq!(
        seen(&deployment("d", 2022, &stopped)),
        json!(["old", "old", "place"])
    );
    assert_eq!(
        seen(&deployment("d", 2022, &on("new"))),
        json!(["old", "new", "move"])
    );
    assert_eq!(
        seen(&deployment("d", 2022, &volume("new"))),
        json!(["new", "new", "unchanged"])
    );
    let planned = format!("  phase: Planned\n{}", volume("new"));
    assert_eq!(
        seen(&deployment("d", 2022, &planned)),
        json!(["old", null, "place"])
    );
    // Of two of one time the later name counts.
    let two = deployment("b", 2022, &on("new")) + &deployment("a", 2022, &on("old"));
    assert_eq!(seen(&two), json!(["old", "new", "move"]));
    // The newest that holds the Application counts, even if a newer one does not.
    let skipped =
        deployment("d1", 2022, &volume("new")) + &deployment("d2", 2023, "  phase: Running");
    assert_eq!(seen(&skipped), json!(["new", "new", "unchanged"]));
}

#[test]
fn volumes_out_of_bounds_say_why() {
    let held = |cluster: &str| {
        format!(
            "  workloads: [{{application: a, cluster: {cluster}, persistentResources: \
             [{{kind: PersistentVolumeClaim, name: v}}]}}]"
        )
    };
    let foreign = doc(
        "Cluster",
        "metadata: {name: far}\nspec: {projects: []}\nstatus: {phase: Up}",
    );
    let down = doc("Cluster", "metadata: {name: sunk}\nspec: {projects: [p]}");
    let deployments = deployment("d1", 2021, &held("new"))
        + &deployment("d2", 2022, &held("far"))
        + &deployment("d3", 2023, &held("sunk"))
        + &deployment("d4", 2024, &held("gone"))
        + &deployment("d5", 2024, &held("gone"))
        + &foreign
        + &down;
    let plan = history(&deployments);
    let volume = |cluster: &str, removed: &str| json!({"cluster": cluster, "kind": "PersistentVolumeClaim", "name": "v", "removedBy": removed});
    assert_eq!(
        plan[0]["outOfBounds"],
        json!([
            volume("far", "not assigned"),
            volume("gone", "gone"),
            volume("new", "Tiebreaker"),
            volume("sunk", "Cluster Available"),
        ])
    );
}

#[test]
fn what_a_package_no_longer_has_is_withdrawn() {
    let workloads = "  workloads: [{application: a, cluster: old}, {application: z, cluster: new}]";
    let plan = history(&deployment("d", 2022, workloads));
    assert_eq!(
        plan[1],
        json!({
            "project": "p", "package": "k", "application": "z", "cluster": null, "was": "new",
            "change": "withdraw", "effectiveRules": [], "filters": [], "decidedBy": null,
            "error": null, "outOfBounds": [],
        })
    );
    let stopped = history(&deployment(
        "d",
        2022,
        &format!("  phase: Failed\n{workloads}"),
    ));
    assert_eq!(stopped.as_array().map(Vec::len), Some(1));
    // A Package that is gone: its Applications go too, if its newest Deployment is in force.
    let gone = history(&deployment("d", 2022, workloads).replace("package: k", "package: b"));
    let names: Vec<_> = gone
        .as_array()
        .expect("a list")
        .iter()
        .map(|i| &i["package"])
        .collect();
    assert_eq!(names, ["b", "b", "k"]);
    assert_eq!(gone[0]["project"], Value::Null);
    assert_eq!(gone[0]["change"], "withdraw");
}

#[test]
fn cpu_and_memory_on_one_node_if_asked_for() {
    let nodes = "metadata: {name: split, creationTimestamp: \"2019-01-01T00:00:00Z\"}\n\
         spec: {projects: [p], nodes: [{name: n1, allocatable: {cpu: 4, memory: 1Gi}}, \
         {name: n2, allocatable: {cpu: 1, memory: 8Gi}}]}\nstatus: {phase: Up}";
    let site = format!(
        "{}{}{}{}{}",
        project(),
        package(""),
        application(
            "a",
            "  containers: [{name: c, requests: {cpu: 2, memory: 2Gi}}]"
        ),
        doc("Cluster", nodes),
        cluster("whole", 2020, ""),
    );
    let (literal, found) = text(&site);
    assert_eq!(literal[0]["cluster"], "split");
    assert!(codes(&found).contains(&"ogc::no_single_node"));
    let mut options = super::options();
    options.same_node = true;
    let mut request = planner::load::Request::of(vec!["-".into()]);
    request.stdin = Some(site.into_bytes());
    let (together, found) = super::run(&request, &options);
    assert_eq!(together[0]["cluster"], "whole");
    assert_eq!(together[0]["decidedBy"]["filter"], "Memory Sufficient");
    assert_eq!(codes(&found), Vec::<&str>::new());
}

#[test]
fn the_warnings_that_never_refuse() {
    let site = format!(
        "{}{}{}{}",
        project(),
        package(
            "  rules: [{key: cost, operator: MinOf}, {key: disk, operator: Exists}, \
             {key: disk, operator: Exists}]"
        ),
        application(
            "a",
            "  rules: [{key: x, operator: NotExists}, {key: x, values: [b]}]\n  \
             containers: [{name: c, requests: {gpu: 1}, limits: {gpu: 1}}]"
        ),
        doc(
            "Cluster",
            "metadata: {name: c, labels: {cost: low}}\nspec: {projects: [p], nodes: [{name: n1}]}\n\
             status: {phase: UP}"
        ),
    );
    let (_, found) = text(&site);
    assert!(!refused(&found));
    assert_eq!(
        codes(&found),
        [
            "ogc::cluster_status",
            "ogc::cluster_without_age",
            "ogc::contradictory_rules",
            "ogc::node_without_figures",
            "ogc::non_integer_label",
            "ogc::repeated_rule",
            "ogc::unchecked_resource",
        ]
    );
}
