//! Down the chain from each kind of consumer to a cluster: the link that breaks, and the changes
//! that mend it.

use serde_json::Value;

use crate::support::Folder;

/// The consumer, and the cluster where that is not `lyon`; the link that keeps it out, a reason for
/// it, and a place that one of the offered changes is at.
const CASES: [(&str, &str, &str, &str); 23] = [
    (
        "Policy/gov/disabled",
        "policy",
        "is disabled",
        "Policy disabled /spec/disabled",
    ),
    (
        "Policy/gov/unbound",
        "binding",
        "no PlacementBinding names it",
        "PlacementBinding base /subjects/-",
    ),
    (
        "Policy/gov/excluded",
        "binding base, set base",
        "the set excludes the cluster: it is being rebuilt",
        "PolicySet base /spec/exclusions/0",
    ),
    (
        "Policy/gov/narrow",
        "Placement gov/prod, predicate",
        "the label env is \"test\"",
        "ManagedCluster lyon /metadata/labels/env",
    ),
    (
        "Policy/gov/narrow",
        "binding narrow",
        "Placement gov/prod does not select the cluster",
        "Placement prod /spec/predicates/0/requiredClusterSelector/labelSelector/matchLabels/env",
    ),
    (
        "Policy/gov/by-rule",
        "PlacementRule gov/old, selector",
        "the labels of the cluster do not match",
        "PlacementRule old /spec/clusterSelector/matchLabels/env",
    ),
    (
        "Policy/gov/restricted",
        "binding restricted",
        "places nothing",
        "PlacementBinding restricted /subFilter",
    ),
    (
        "Policy/gov/made-disabled",
        "policy",
        "is disabled",
        "PolicyGenerator made /policies/0/disabled",
    ),
    (
        "Policy/gov/made-narrow",
        "binding binding-made-narrow",
        "does not select the cluster",
        "PolicyGenerator made /policies/1/placement/labelSelector/matchLabels/env",
    ),
    (
        "GitOpsCluster/argocd/known",
        "Placement argocd/known",
        "does not select the cluster",
        "ManagedCluster lyon /metadata/labels/env",
    ),
    (
        "ApplicationSet/argocd/unregistered",
        "registration",
        "Argo CD does not know the cluster",
        "Placement known /spec/predicates/0/requiredClusterSelector/labelSelector/matchLabels/env",
    ),
    (
        "ApplicationSet/argocd/unregistered",
        "Placement argocd/known, predicate",
        "the label env is \"test\"",
        "ManagedCluster lyon /metadata/labels/env",
    ),
    (
        "ApplicationSet/argocd/undecided oslo",
        "decision",
        "no PlacementDecision has the requested labels",
        "ApplicationSet undecided /spec/generators/0/clusterDecisionResource/labelSelector/matchLabels/cluster.open-cluster-management.io~1placement",
    ),
    (
        "ApplicationSet/argocd/misread oslo",
        "config map",
        "kind `PlacementDecision` is not a resource name",
        "ConfigMap wrong /data/kind",
    ),
    (
        "ApplicationSet/argocd/unfilled oslo",
        "parameters",
        "no generator provides the parameter `values`",
        "ApplicationSet unfilled /spec/generators/0/clusterDecisionResource/values/ring",
    ),
    (
        "ApplicationSet/argocd/misdirected oslo",
        "destination",
        "`server` is `oslo`, which is not an address",
        "ApplicationSet misdirected /spec/template/spec/destination/name",
    ),
    (
        "Subscription/gov/by-placement",
        "Placement gov/prod",
        "does not select the cluster",
        "ManagedCluster lyon /metadata/labels/env",
    ),
    (
        "Subscription/gov/by-default-kind",
        "decision",
        "there is no PlacementDecision for PlacementRule `fleet`",
        "Subscription by-default-kind /spec/placement/placementRef/kind",
    ),
    (
        "Subscription/gov/by-name",
        "clusters",
        "does not have its label `name`: lyon",
        "Subscription by-name /spec/placement/clusters/-",
    ),
    (
        "DRPlacementControl/gov/mail",
        "target",
        "`preferredCluster` is oslo",
        "DRPlacementControl mail /spec/action",
    ),
    (
        "ClusterManagementAddOn/search",
        "Placement gov/gone",
        "the Placement does not exist",
        "ClusterManagementAddOn search /spec/installStrategy/placements/1/name",
    ),
    (
        "ClusterManagementAddOn/manual",
        "install strategy",
        "`Manual`",
        "ClusterManagementAddOn manual /spec/installStrategy/type",
    ),
    (
        "ManifestWorkReplicaSet/gov/app",
        "Placement gov/gone",
        "nothing from here on is delivered",
        "ManifestWorkReplicaSet app /spec/placementRefs/0",
    ),
];

fn site() -> Folder {
    let folder = Folder::new();
    let text = include_str!("../../../fixtures/deliveries/chains.yaml");
    folder.write("chains.yaml", text);
    folder
}

#[test]
fn each_link_that_breaks_is_told_with_what_mends_it() {
    let folder = site();
    for (subject, stage, reason, place) in CASES {
        let (subject, cluster) = subject.split_once(' ').unwrap_or((subject, "lyon"));
        let answer = folder.run(&["why", subject, cluster, "--in", ".", "-o", "json"]);
        let answer = answer.json();
        let candidate = &answer["candidates"][0];
        assert_eq!(candidate["chosen"], false, "{subject}: {answer:#}");
        let mut verdicts = candidate["verdicts"].as_array().unwrap().iter();
        let told = verdicts.any(|one| {
            one["stage"] == stage
                && one["passes"] == false
                && one["reason"].as_str().unwrap().contains(reason)
        });
        assert!(told, "{subject}: {stage}: {reason}\n{candidate:#}");
        let sets = candidate["changes"].as_array().unwrap();
        assert!(!sets.is_empty(), "{subject}\n{candidate:#}");
        let edits = sets.iter().flat_map(|set| set["edits"].as_array().unwrap());
        let found: Vec<String> = edits
            .map(|edit| {
                let text = |at: &str| edit.pointer(at).and_then(Value::as_str).unwrap();
                let object = ["/object/kind", "/object/name", "/pointer"].map(text);
                object.join(" ")
            })
            .collect();
        let offered = found.iter().any(|one| one == place);
        assert!(offered, "{subject}: {place} is none of {found:#?}");
    }
}

#[test]
fn a_name_alone_is_enough_where_only_one_has_it() {
    let folder = site();
    let answer = folder.run(&["why", "excluded", "lyon", "--in", ".", "-o", "json"]);
    assert_eq!(answer.json()["subject"], "Policy/gov/excluded");
    let several = folder.run(&["why", "known", "lyon", "--in", "."]);
    let told = &several.ends(64).err;
    assert!(told.contains("GitOpsCluster/argocd/known"), "{told}");
    assert!(told.contains("argocd/known"), "{told}");
}
