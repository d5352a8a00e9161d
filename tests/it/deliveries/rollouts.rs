//! Rollouts of add-ons, and what losses take from what is delivered.

use serde_json::json;

use crate::support::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write(
        "site.yaml",
        include_str!("../../../fixtures/deliveries/addons.yaml"),
    );
    folder
}

#[test]
fn add_ons_are_configured_ref_by_ref() {
    let folder = folder();
    let screen = folder.run(&["simulate", "site.yaml"]);
    insta::assert_snapshot!("rollouts-simulate", screen.ends(0).out);
    let failing = folder.run(&["simulate", "site.yaml", "--fail", "cork"]);
    insta::assert_snapshot!("rollouts-fail", failing.ends(3).out);
    let unknown = folder.run(&["simulate", "site.yaml", "--fail", "corkk"]);
    assert!(unknown.ends(64).err.contains("did you mean `cork`"));
    let waves = [
        "plan",
        "site.yaml",
        "--no-input",
        "--section",
        "rolloutWaves",
    ];
    insta::assert_snapshot!("rollouts-waves", folder.run(&waves).out);
}

/// A group waits for ever for what another placement has taken.
#[test]
fn a_group_that_never_ends_blocks_those_behind_it() {
    let folder = folder();
    let text = include_str!("../../../fixtures/deliveries/addons.yaml");
    // The pilot cluster is the one at the edge, too.
    let text = text.replace(
        "labels: {ring: pilot,",
        "labels: {edge: \"yes\", ring: pilot,",
    );
    folder.write("site.yaml", text);
    let answer = folder.run(&["simulate", "site.yaml", "-o", "json"]);
    answer.ends(3);
    let runs = answer.json()["rolloutRuns"].clone();
    let run = runs
        .as_array()
        .unwrap()
        .iter()
        .find(|run| run["clusterManagementAddOn"] == "search" && run["placement"] == "web/all");
    let run = run.unwrap_or_else(|| panic!("{runs:#}"));
    assert_eq!(run["blocked"], json!(["cork", "oslo"]));
    assert_eq!(run["outcome"], "stuck");
    assert_eq!(run.get("namespace"), None);
    let waves = folder.run(&["plan", "site.yaml", "--no-input", "-o", "json"]);
    let waves = waves.json()["rolloutWaves"].clone();
    let of_edge = waves
        .as_array()
        .unwrap()
        .iter()
        .find(|waves| waves["placement"] == "web/edge");
    let of_edge = of_edge.unwrap_or_else(|| panic!("{waves:#}"));
    assert_eq!(of_edge["waves"][0]["clusters"], json!(["bern", "riga"]));
}

#[test]
fn a_lost_cluster_takes_what_is_delivered_to_it() {
    let folder = folder();
    let text = include_str!("../../../fixtures/deliveries/addons.yaml");
    let policy = "\n---\napiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: \
                  {name: edge, namespace: web}\nspec: {disabled: false, remediationAction: enforce, \
                  policy-templates: []}\n---\napiVersion: policy.open-cluster-management.io/v1\nkind: \
                  PlacementBinding\nmetadata: {name: edge, namespace: web}\nplacementRef: {apiGroup: \
                  cluster.open-cluster-management.io, kind: Placement, name: edge}\nsubjects: \
                  [{apiGroup: policy.open-cluster-management.io, kind: Policy, name: edge}]\n";
    folder.write("site.yaml", format!("{text}{policy}"));
    let risk = folder.run(&["risk", "site.yaml", "-o", "json"]).json();
    let losses = risk["losses"].as_array().unwrap();
    let of = |name: &str| losses.iter().find(|loss| loss["name"] == name).unwrap();
    assert_eq!(
        of("riga")["deliveries"],
        json!({
            "lost": ["ClusterManagementAddOn/metrics", "ClusterManagementAddOn/search", "Policy/web/edge"],
            "unreached": ["Policy/web/edge"],
            "moved": [],
        })
    );
    assert_eq!(of("riga")["class"], "unplaceable");
    assert_eq!(of("cork")["deliveries"]["unreached"], json!([]));
    let screen = folder.run(&["risk", "site.yaml"]);
    insta::assert_snapshot!("rollouts-risk", screen.out);
    let without = ["plan", "site.yaml", "--without", "cluster/riga"];
    let without = folder.run(&without);
    assert!(
        without
            .out
            .contains("Left without a cluster: Policy/web/edge."),
        "{}",
        without.out
    );
    let kept = folder.run(&["plan", "site.yaml", "--without", "cluster/cork"]);
    assert!(!kept.out.contains("Left without"), "{}", kept.out);
}

#[test]
fn a_trace_shows_each_cluster_with_its_configuration() {
    let folder = folder();
    let text = include_str!("../../../fixtures/deliveries/addons.yaml");
    let works = r#"
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata: {name: search, namespace: cork}
spec: {configs: [{group: addon.open-cluster-management.io, resource: addondeploymentconfigs, namespace: web, name: own}]}
---
apiVersion: work.open-cluster-management.io/v1alpha1
kind: ManifestWorkReplicaSet
metadata: {name: mirror, namespace: web}
spec:
  placementRefs: [{name: edge}]
  manifestWorkTemplate: {workload: {manifests: []}}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: PlacementDecision
metadata:
  name: edge-decision-1
  namespace: web
  labels: {cluster.open-cluster-management.io/placement: edge, cluster.open-cluster-management.io/decision-group-index: '0', cluster.open-cluster-management.io/decision-group-name: ''}
status: {decisions: [{clusterName: oslo, reason: ''}, {clusterName: riga, reason: ''}]}
"#;
    folder.write("site.yaml", format!("{}{works}", text.trim_end()));
    let words = [
        "plan",
        "site.yaml",
        "--no-input",
        "--trace",
        "--section",
        "deliveries",
    ];
    insta::assert_snapshot!("rollouts-trace", folder.run(&words).out);
}

/// An add-on that loses every cluster is a warning: it comes back with them.
#[test]
fn an_emptied_add_on_is_a_warning() {
    let folder = folder();
    let text = include_str!("../../../fixtures/deliveries/addons.yaml");
    let text = text.replace("{edge: \"yes\"}", "{edge: \"no\"}");
    let addon = r#"
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata: {name: kiosk}
spec: {installStrategy: {type: Placements, placements: [{namespace: web, name: edge}]}}
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata:
  name: kiosk
  namespace: riga
  ownerReferences: [{apiVersion: addon.open-cluster-management.io/v1alpha1, kind: ClusterManagementAddOn, name: kiosk, uid: u}]
spec: {}
"#;
    folder.write("site.yaml", format!("{}{addon}", text.trim_end()));
    let answer = folder.run(&["plan", "site.yaml", "--no-input", "-o", "json"]);
    let found = answer.json()["diagnostics"].clone();
    let mut found = found.as_array().unwrap().iter();
    let emptied = found
        .find(|one| one["code"] == "planner::ocm::emptied")
        .unwrap();
    assert_eq!(emptied["severity"], "warning", "{emptied:#}");
}
