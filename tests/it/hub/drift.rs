//! `planner drift`: its screen, its formats, its statuses.

use super::{BINDING, cluster, decision, placement, stream};
use crate::support::Folder;

/// A hub on which somebody changed a label by hand.
fn folder() -> Folder {
    let north = "{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: \
                 {region: north}}}}]}";
    let git = stream(&[
        BINDING,
        &placement("web", north),
        &placement("fresh", "{}"),
        &cluster("oslo", "region: north"),
    ]);
    let edited = "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
                  metadata:\n  name: oslo\n  labels: {region: south}\n  managedFields:\n  \
                  - {manager: kubectl-edit, operation: Update, time: '2025-12-31T09:30:00Z', \
                  fieldsV1: {'f:metadata': {'f:labels': {'f:region': {}}}}}\n\
                  spec: {hubAcceptsClient: true}\n";
    let hub = stream(&[
        BINDING,
        &placement("web", north),
        edited,
        &cluster("lyon", "region: north"),
        &decision("web", &["lyon"]),
    ]);
    let hub = format!("# planner-hub: 2025-12-31T22:00:00Z\n{hub}");
    Folder::of(&[("fleet.yaml", git.as_str()), ("hub.yaml", &hub)])
}

const DRIFT: [&str; 4] = ["drift", "fleet.yaml", "--hub", "hub.yaml"];

#[test]
fn the_screen_tells_fields_objects_and_what_comes_next() {
    let answer = folder().at(&DRIFT);
    answer.ends(2);
    insta::assert_snapshot!("drift_screen", answer.out);
}

#[test]
fn the_comment_tells_the_same() {
    let answer = folder().at(&[&DRIFT[..], &["-o", "markdown"]].concat());
    insta::assert_snapshot!("drift_markdown", answer.out);
}

#[test]
fn a_cause_is_proven_by_planning_without_it() {
    let drift = folder().at(&[&DRIFT[..], &["-o", "json"]].concat()).json();
    let because = &drift["next"].as_array().unwrap().iter();
    let web = because
        .clone()
        .find(|row| row["placement"] == "web")
        .unwrap();
    assert_eq!(web["added"], serde_json::json!(["oslo"]));
    assert_eq!(web["because"][0]["field"], "metadata.labels.region");
    assert_eq!(web["because"][0]["by"], "kubectl-edit");
    let fresh = because
        .clone()
        .find(|row| row["placement"] == "fresh")
        .unwrap();
    assert_eq!(fresh["because"][0]["change"], "missing");
}

#[test]
fn findings_stand_at_the_line_of_the_documents() {
    let answer = folder().at(&[&DRIFT[..], &["-o", "github"]].concat());
    assert!(answer.out.contains("file=fleet.yaml,line="), "{answer:?}");
    assert!(answer.out.contains("drift_field"), "{answer:?}");
    let sarif = folder().at(&[&DRIFT[..], &["-o", "sarif"]].concat());
    for code in ["drift_field", "drift_missing", "drift_next"] {
        assert!(
            sarif.out.contains(&format!("planner::ocm::{code}")),
            "{code}"
        );
    }
}

#[test]
fn parts_and_statuses_are_as_asked_for() {
    let folder = folder();
    let with = |more: &[&str]| folder.at(&[&DRIFT[..], more].concat());
    with(&["--exit-zero"]).ends(0);
    with(&["--only", "next"]).ends(0);
    with(&["--only", "next", "--detailed-exitcode"]).ends(2);
    with(&["--only", "missing"]).ends(2);
    with(&["--only", "decisions"]).ends(0);
    folder.write("fleet.yaml", "kind: Placement\n");
    let nothing = Folder::of(&[
        (
            "fleet.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
        ),
        ("hub.yaml", &cluster("oslo", "")),
    ]);
    nothing.at(&DRIFT).ends(66).says("nothing to compare");
    let refused = Folder::of(&[
        ("fleet.yaml", &placement("web", "{numberOfClusters: many}")),
        ("hub.yaml", &cluster("oslo", "")),
    ]);
    refused.at(&DRIFT).ends(1);
}

#[test]
fn no_difference_is_no_drift() {
    let git = stream(&[BINDING, &placement("web", "{}"), &cluster("oslo", "")]);
    let hub = stream(&[&git, &decision("web", &["oslo"])]);
    let folder = Folder::of(&[("fleet.yaml", git.as_str()), ("hub.yaml", &hub)]);
    let answer = folder.at(&DRIFT);
    answer.ends(0);
    assert!(answer.out.contains("No drift."), "{answer:?}");
}

/// A PlacementBinding has its fields beside `spec`, where it has none.
#[test]
fn fields_beside_spec_are_compared_and_applied() {
    let binding = |subjects: &str, more: &str| {
        format!(
            "apiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\n\
             metadata: {{name: web, namespace: shop{more}}}\nplacementRef: {{apiGroup: \
             cluster.open-cluster-management.io, kind: Placement, name: web}}\nsubjects: \
             [{subjects}]\n"
        )
    };
    let subject = |name: &str| {
        format!("{{apiGroup: policy.open-cluster-management.io, kind: Policy, name: {name}}}")
    };
    let policy = |name: &str| {
        format!(
            "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {{name: \
             {name}, namespace: shop}}\nspec: {{disabled: false, policy-templates: []}}\n"
        )
    };
    let (tls, audit) = (policy("tls"), policy("audit"));
    let git = stream(&[
        BINDING,
        &placement("web", "{}"),
        &tls,
        &audit,
        &binding(&subject("tls"), ""),
    ]);
    let applied = ", annotations: {kubectl.kubernetes.io/last-applied-configuration: \
                   '{\"subFilter\":\"restricted\"}'}";
    let both = format!("{}, {}", subject("tls"), subject("audit"));
    let edited = binding(&both, applied) + "subFilter: restricted\n";
    let hub = stream(&[
        BINDING,
        &placement("web", "{}"),
        &tls,
        &audit,
        &edited,
        &cluster("oslo", ""),
    ]);
    let folder = Folder::of(&[("fleet.yaml", &*git), ("hub.yaml", &hub)]);
    let drift = folder.at(&[&DRIFT[..], &["-o", "json"]].concat()).json();
    let fields: Vec<&str> = drift["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["field"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["subFilter", "subjects"], "{drift:#}");
    assert_eq!(drift["fields"][0]["git"], serde_json::Value::Null);
    let plan = folder.at(&["plan", "fleet.yaml", "--hub", "hub.yaml", "-o", "json"]);
    let rows = plan.json()["deliveries"].clone();
    let reached = |name: &str| {
        let mut rows = rows.as_array().unwrap().iter();
        let row = rows.find(|row| row["name"] == name).unwrap();
        row["clusters"].clone()
    };
    assert_eq!(reached("tls"), serde_json::json!(["oslo"]));
    assert_eq!(reached("audit"), serde_json::json!([]));
}
