//! What the next apply makes of an object: each row of the rule, seen in what is planned.

use super::{BINDING, cluster, decision, placement, stream};
use crate::support::{Answer, Folder};

/// The answer for these documents over this hub.
fn planned(git: &str, hub: &str, more: &[&str]) -> Answer {
    let folder = Folder::of(&[("git.yaml", git), ("hub.yaml", hub)]);
    let words = ["plan", "git.yaml", "--hub", "hub.yaml", "-o", "json"];
    folder.at(&[&words[..], more].concat())
}

/// The clusters that `shop/web` decides.
fn decided(git: &str, hub: &str) -> Vec<String> {
    let plan = planned(git, hub, &[]).json();
    let names = plan["placements"][0]["decisions"]
        .as_array()
        .unwrap()
        .clone();
    names
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

const NORTH: &str = "{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: \
                     {region: north}}}}]}";

/// A hub whose cluster `oslo` has more than its document says.
fn hub(metadata: &str) -> String {
    format!(
        "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
         metadata:\n  name: oslo\n{metadata}spec: {{hubAcceptsClient: true}}\n"
    )
}

#[test]
fn clusters_of_the_hub_alone_are_candidates() {
    let git = stream(&[BINDING, &placement("web", NORTH)]);
    let hub = stream(&[
        &cluster("oslo", "region: north"),
        &cluster("riga", "region: south"),
    ]);
    assert_eq!(decided(&git, &hub), ["oslo"]);
}

#[test]
fn what_the_document_states_is_what_counts() {
    let git = stream(&[
        BINDING,
        &placement("web", NORTH),
        &cluster("oslo", "region: north"),
    ]);
    assert_eq!(decided(&git, &cluster("oslo", "region: south")), ["oslo"]);
}

#[test]
fn a_label_that_the_document_does_not_state_stays() {
    let git = stream(&[
        BINDING,
        &placement("web", NORTH),
        &cluster("oslo", "tier: a"),
    ]);
    assert_eq!(decided(&git, &hub("  labels: {region: north}\n")), ["oslo"]);
}

#[test]
fn a_label_that_kubectl_applied_before_goes() {
    let git = stream(&[
        BINDING,
        &placement("web", NORTH),
        &cluster("oslo", "tier: a"),
    ]);
    let applied = r#"{"metadata":{"labels":{"region":"north"}}}"#;
    let there = hub(&format!(
        "  labels: {{region: north}}\n  annotations:\n    \
         kubectl.kubernetes.io/last-applied-configuration: '{applied}'\n"
    ));
    assert!(decided(&git, &there).is_empty());
}

#[test]
fn a_label_that_was_applied_and_nobody_else_wrote_goes() {
    let git = stream(&[
        BINDING,
        &placement("web", NORTH),
        &cluster("oslo", "tier: a"),
    ]);
    let fields = "{'f:metadata': {'f:labels': {'f:region': {}}}}";
    let manager = |name: &str, operation: &str| {
        format!("  - {{manager: {name}, operation: {operation}, fieldsV1: {fields}}}\n")
    };
    let there = |managers: &[String]| {
        hub(&format!(
            "  labels: {{region: north}}\n  managedFields:\n{}",
            managers.concat()
        ))
    };
    let argo = manager("argocd-controller", "Apply");
    assert!(decided(&git, &there(std::slice::from_ref(&argo))).is_empty());
    let edit = manager("kubectl-edit", "Update");
    assert_eq!(decided(&git, &there(&[argo, edit])), ["oslo"]);
}

#[test]
fn taints_are_those_of_the_document_and_of_the_hub_itself() {
    let tainted = "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
                   metadata: {name: oslo}\nspec: {hubAcceptsClient: true, taints: \
                   [{key: gpu, effect: PreferNoSelect}]}\n";
    let git = stream(&[BINDING, &placement("web", "{}"), tainted]);
    let there = |taint: &str| {
        format!(
            "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
             metadata: {{name: oslo}}\nspec: {{hubAcceptsClient: true, taints: [{taint}]}}\n"
        )
    };
    let by_hand = "{key: broken, effect: NoSelect}";
    assert_eq!(decided(&git, &there(by_hand)), ["oslo"]);
    let implied = "{key: cluster.open-cluster-management.io/unreachable, effect: NoSelect}";
    assert!(decided(&git, &there(implied)).is_empty());
}

#[test]
fn decisions_of_the_documents_take_no_part_beside_those_of_the_hub() {
    let git = stream(&[
        BINDING,
        &placement("web", "{}"),
        &decision("web", &["riga"]),
    ]);
    let there = stream(&[&cluster("oslo", ""), &decision("web", &["oslo"])]);
    let answer = planned(&git, &there, &[]);
    assert_eq!(answer.json()["result"], "unchanged");
    let found = answer.codes();
    assert!(
        found.contains(&"planner::ocm::hub_observed".to_owned()),
        "{found:?}"
    );
}

/// An object that one tool applied with others goes once the documents no longer hold it.
#[test]
fn what_a_tool_prunes_is_planned_as_gone() {
    let marked = |text: &str| {
        text.replacen(
            "metadata: {",
            "metadata: {annotations: {argocd.argoproj.io/tracking-id: 'fleet:x'}, ",
            1,
        )
    };
    let git = stream(&[BINDING, &placement("web", "{}")]);
    let there = stream(&[
        &marked(&placement("web", "{}")),
        &marked(&placement("old", "{}")),
        &cluster("oslo", ""),
    ]);
    let plan = planned(&git, &there, &[]).json();
    assert_eq!(plan["placements"].as_array().unwrap().len(), 1);
    let kept = planned(&git, &there, &["--no-prune"]).json();
    assert_eq!(kept["placements"].as_array().unwrap().len(), 2);
}

/// What is wrong with objects of the hub alone is nobody's fault here.
#[test]
fn objects_of_the_hub_are_not_linted() {
    let git = stream(&[BINDING, &placement("web", "{}")]);
    let there = stream(&[
        &cluster("oslo", "region: north"),
        &placement(
            "other",
            "{predicates: [{requiredClusterSelector: {labelSelector: \
                             {matchLabels: {region: nort}}}}]}",
        ),
    ]);
    let folder = Folder::of(&[("git.yaml", &git), ("hub.yaml", &there)]);
    let answer = folder.at(&["validate", "git.yaml", "--hub", "hub.yaml", "-o", "json"]);
    let found: Vec<String> = answer.codes();
    assert!(
        found.iter().all(|code| code.contains("::hub_")),
        "{found:?}"
    );
}

#[test]
fn no_decision_of_a_hub_is_recorded() {
    let git = stream(&[BINDING, &placement("web", "{}")]);
    let folder = Folder::of(&[("git.yaml", &git), ("hub.yaml", &cluster("oslo", ""))]);
    let answer = folder.at(&["plan", "git.yaml", "--hub", "hub.yaml", "--yes"]);
    answer.ends(0);
    assert!(
        answer
            .out
            .contains("the hub writes PlacementDecisions itself"),
        "{answer:?}"
    );
    assert_eq!(folder.files(), ["git.yaml", "hub.yaml"]);
}

/// What another state of the site has, this one has not, and the hub still has, is deleted.
#[test]
fn what_this_change_takes_out_is_gone() {
    let before = stream(&[BINDING, &placement("web", "{}")]);
    let there = stream(&[&before, &cluster("oslo", ""), &decision("web", &["oslo"])]);
    let folder = Folder::of(&[
        ("old/git.yaml", before.as_str()),
        ("new/git.yaml", BINDING),
        ("hub.yaml", &there),
    ]);
    let answer = folder.at(&["plan", "new", "--against", "old", "--hub", "hub.yaml"]);
    assert!(answer.out.contains("shop/web"), "{answer:?}");
    assert!(
        answer.out.contains("1 to be deleted (Placement shop/web)"),
        "{answer:?}"
    );
}
