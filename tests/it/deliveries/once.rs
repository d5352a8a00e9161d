//! One cause is told once, whatever hangs on it.

use crate::support::Folder;

/// A hub of two clusters, bound in two namespaces; `oslo` alone is in production.
const HUB: &str = "\
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: oslo, labels: {env: prod, cluster.open-cluster-management.io/clusterset: default}}
spec: {hubAcceptsClient: true}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: lyon, labels: {env: dev, cluster.open-cluster-management.io/clusterset: default}}
spec: {hubAcceptsClient: true}
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSetBinding
metadata: {name: default, namespace: gov}
spec: {clusterSet: default}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: all, namespace: gov}
spec: {}
";

/// A Placement that selects no cluster.
const NONE: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: none, namespace: gov}
spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {env: prodd}}}}]}
";

/// A Placement with a selector that no hub takes.
const FAULTY: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: none, namespace: gov}
spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchExpressions: [{key: env, operator: Is}]}}}]}
";

/// What a Placement selected before.
fn held(placement: &str) -> String {
    format!(
        "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: PlacementDecision\nmetadata: \
         {{name: {placement}-decision-1, namespace: gov, labels: \
         {{cluster.open-cluster-management.io/placement: {placement}, \
         cluster.open-cluster-management.io/decision-group-index: \"0\", \
         cluster.open-cluster-management.io/decision-group-name: \"\"}}}}\nstatus: {{decisions: \
         [{{clusterName: oslo, reason: \"\"}}]}}\n"
    )
}

/// A policy, bound to what selects clusters.
fn policy(group: &str, kind: &str, name: &str) -> String {
    format!(
        "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {{name: quotas, \
         namespace: gov}}\nspec: {{disabled: false, remediationAction: inform, policy-templates: \
         []}}\n---\napiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\n\
         metadata: {{name: quotas, namespace: gov}}\nplacementRef: {{apiGroup: {group}, kind: {kind}, \
         name: {name}}}\nsubjects:\n- {{apiGroup: policy.open-cluster-management.io, kind: Policy, \
         name: quotas}}\n"
    )
}

fn to_placement(name: &str) -> String {
    policy("cluster.open-cluster-management.io", "Placement", name)
}

/// An ApplicationSet that reads a Placement.
fn applications(placement: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: web, namespace: \
         gov}}\nspec:\n  generators:\n  - clusterDecisionResource:\n      configMapRef: acm-placement\n      \
         labelSelector: {{matchLabels: {{cluster.open-cluster-management.io/placement: \
         {placement}}}}}\n  template:\n    metadata: {{name: 'web-{{{{name}}}}'}}\n    spec: {{project: \
         default, destination: {{name: '{{{{name}}}}', namespace: web}}}}\n"
    )
}

fn registration(placement: &str) -> String {
    format!(
        "apiVersion: apps.open-cluster-management.io/v1beta1\nkind: GitOpsCluster\nmetadata: {{name: \
         known, namespace: gov}}\nspec:\n  argoServer: {{argoNamespace: gov}}\n  placementRef: {{kind: \
         Placement, apiVersion: cluster.open-cluster-management.io/v1beta1, name: {placement}}}\n"
    )
}

/// A rule that lists a cluster by its name, which no label has.
const RULE: &str = "\
apiVersion: apps.open-cluster-management.io/v1
kind: PlacementRule
metadata: {name: old, namespace: gov}
spec: {clusters: [{name: oslo}]}
";

const ADDON: &str = "\
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ClusterManagementAddOn
metadata: {name: search}
spec: {installStrategy: {type: Placements, placements: [{namespace: gov, name: none}]}}
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata: {name: search, namespace: oslo}
spec: {}
---
apiVersion: addon.open-cluster-management.io/v1alpha1
kind: ManagedClusterAddOn
metadata: {name: search, namespace: lyon}
spec: {}
";

const SET: &str = "\
apiVersion: policy.open-cluster-management.io/v1beta1
kind: PolicySet
metadata: {name: base, namespace: gov}
spec: {policies: [quotas], exclusions: [{policyName: quotas, clusterNames: [oslo]}]}
---
apiVersion: policy.open-cluster-management.io/v1
kind: PlacementBinding
metadata: {name: base, namespace: gov}
placementRef: {apiGroup: cluster.open-cluster-management.io, kind: Placement, name: none}
subjects:
- {apiGroup: policy.open-cluster-management.io, kind: PolicySet, name: base}
";

const SUBSCRIPTION: &str = "\
apiVersion: apps.open-cluster-management.io/v1
kind: Subscription
metadata: {name: shop, namespace: gov}
spec: {channel: git/shop, placement: {placementRef: {kind: Placement, name: gone}}}
";

const CONTROL: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata:
  name: search
  namespace: gov
  annotations: {cluster.open-cluster-management.io/experimental-scheduling-disable: \"true\"}
spec: {}
---
apiVersion: ramendr.openshift.io/v1alpha1
kind: DRPlacementControl
metadata: {name: search, namespace: gov}
spec:
  placementRef: {kind: Placement, name: serach}
  preferredCluster: oslo
  drPolicyRef: {name: dr}
  pvcSelector: {}
---
apiVersion: apps.open-cluster-management.io/v1
kind: Subscription
metadata: {name: search, namespace: gov}
spec: {channel: git/shop, placement: {placementRef: {kind: Placement, name: search}}}
";

/// What is told of documents beside the hub at `warning` or worse: codes, in order.
fn told(documents: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    let mut text = HUB.to_owned();
    for document in documents {
        text.push_str("---\n");
        text.push_str(document);
    }
    folder.write("site.yaml", text);
    let answer = folder.run(&["validate", "site.yaml", "-o", "json"]).json();
    let found = answer["diagnostics"].as_array().unwrap().iter();
    let found = found.filter(|one| one["severity"] != "note");
    let codes = found.map(|one| {
        let code = one["code"].as_str().unwrap();
        code.trim_start_matches("planner::ocm::").to_owned()
    });
    let mut codes: Vec<String> = codes.collect();
    codes.sort();
    codes
}

#[test]
fn one_cause_is_one_finding() {
    let none = held("none");
    let all = held("all");
    let gone = held("gone");
    let bound = to_placement("none");
    let by_rule = policy("apps.open-cluster-management.io", "PlacementRule", "old");
    let reads = applications("none");
    let registers = registration("none");
    let reads_all = applications("all");
    let by_hand = ADDON.replace("name: none", "name: gone");
    let cases: [(&[&str], &str); 14] = [
        (&[NONE], "unsatisfied"),
        (&[NONE, &bound], "policy_nowhere"),
        (&[FAULTY, &bound], "misconfigured"),
        (&[NONE, &none, &reads], "emptied"),
        (&[NONE, &none, &reads, &bound], "emptied"),
        (&[FAULTY, &none, &reads], "misconfigured"),
        (&[RULE, &by_rule], "rule_names"),
        (&[NONE, &none, &all, &registers, &reads_all], "emptied"),
        (&[NONE, &registers, &reads_all], "unsatisfied"),
        (&[NONE, &none, ADDON], "emptied"),
        (&[&by_hand, &gone], "addon_placement"),
        (&[NONE, &bound, SET], "policy_nowhere"),
        (&[SUBSCRIPTION, &gone], "unknown_placement"),
        (&[CONTROL], "unknown_placement"),
    ];
    for (documents, code) in cases {
        assert_eq!(told(documents), [code], "{documents:#?}");
    }
}

/// What is told with another finding is a place of it, with the name that was probably meant.
#[test]
fn a_finding_that_tells_others_has_their_places() {
    let folder = Folder::new();
    folder.write(
        "site.yaml",
        format!("{HUB}---\n{NONE}---\n{}", to_placement("none")),
    );
    let answer = folder.run(&["validate", "site.yaml", "-o", "json"]).json();
    let found = answer["diagnostics"].as_array().unwrap().iter();
    let mut found = found.filter(|one| one["code"] == "planner::ocm::policy_nowhere");
    let found = found.next().unwrap();
    assert!(
        found["help"].as_str().unwrap().contains("`prod`"),
        "{found}"
    );
    let related = found["related"].as_array().unwrap();
    assert!(
        related
            .iter()
            .any(|one| one.to_string().contains("no cluster")),
        "{found}"
    );
}

/// A finding of a code that is switched off takes no other one with it.
#[test]
fn what_is_off_hides_nothing_else() {
    let folder = Folder::new();
    folder.write(
        "site.yaml",
        format!("{HUB}---\n{NONE}---\n{}", to_placement("none")),
    );
    folder.write(
        "planner.toml",
        "[rules]\n\"ocm::policy_nowhere\" = \"off\"\n",
    );
    let answer = folder.run(&["validate", ".", "-o", "concise"]);
    assert!(answer.out.contains("ocm::unsatisfied"), "{}", answer.out);
}

/// Works that stay behind have one cause however many clusters left.
#[test]
fn works_that_stay_are_one_finding_a_set() {
    let work = |cluster: &str| {
        format!(
            "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {{name: \
             app, namespace: {cluster}, labels: \
             {{work.open-cluster-management.io/manifestworkreplicaset: gov.app, \
             work.open-cluster-management.io/placementname: none}}}}\nspec: {{workload: {{manifests: \
             [{{kind: A}}]}}}}\n"
        )
    };
    let set = "apiVersion: work.open-cluster-management.io/v1alpha1\nkind: ManifestWorkReplicaSet\n\
               metadata: {name: app, namespace: gov}\nspec:\n  manifestWorkTemplate: {workload: \
               {manifests: [{kind: B}]}}\n  placementRefs: [{name: none}]\n";
    let found = told(&[NONE, set, &work("oslo"), &work("lyon")]);
    let stays = found.iter().filter(|code| *code == "work_stays");
    assert_eq!(stays.count(), 1, "{found:?}");
}

/// What a hub writes onto its clusters is not missed in documents that hold none of it; a slip is
/// told all the same.
#[test]
fn what_only_the_hub_knows_is_not_missed() {
    let asks = |label: &str| {
        let placement = NONE.replace("{env: prodd}", &format!("{{{label}}}"));
        told(&[&placement, &to_placement("none")])
    };
    let feature = "feature.open-cluster-management.io/addon-cert-policy-controller: available";
    assert_eq!(asks(feature), [""; 0]);
    assert_eq!(asks("local-cluster: 'true'"), [""; 0]);
    assert_eq!(asks("name: local-cluster"), [""; 0]);
    assert_eq!(asks("name: to-be-replaced"), [""; 0]);
    assert_eq!(asks("name: local-clustr"), ["policy_nowhere"]);
    // A cluster that has such a label tells what the others lack.
    let other = HUB.replacen(
        "env: prod,",
        "env: prod, feature.open-cluster-management.io/x: available,",
        1,
    );
    assert_ne!(other, HUB);
    let cluster = other.split("---\n").next().unwrap().replace("oslo", "riga");
    let placement = NONE.replace("{env: prodd}", &format!("{{{feature}}}"));
    let found = told(&[&placement, &to_placement("none"), &cluster]);
    assert_eq!(found, ["policy_nowhere"]);
    let detected = cluster.replace("env: prod,", "vendor: auto-detect,");
    let placement = NONE.replace("{env: prodd}", "{vendor: OpenShift}");
    assert_eq!(
        told(&[&placement, &to_placement("none"), &detected]),
        [""; 0]
    );
}

/// One demo beside another does not have its Placements; a site has, wherever they lie.
#[test]
fn a_placement_of_another_demo_says_nothing_of_this_one() {
    let folder = Folder::new();
    let placement = NONE.replace("name: none", "name: shop");
    folder.write("solutions/one/manifests/placement.yaml", &placement);
    folder.write("solutions/two/example/set.yaml", applications("fleet"));
    let codes = || {
        let answer = folder.run(&["validate", ".", "-o", "concise"]);
        answer.out.contains("ocm::unknown_placement")
    };
    assert!(!codes());
    folder.write("solutions/two/example/set.yaml", applications("shopp"));
    assert!(codes(), "a slip");
    folder.write("solutions/two/example/set.yaml", applications("fleet"));
    folder.write(
        "solutions/two/placements/placement.yaml",
        placement.replace("shop", "other"),
    );
    assert!(codes(), "its own Placements are beside it");
    std::fs::remove_dir_all(folder.path().join("solutions/two/placements")).unwrap();
    folder.write("hub.yaml", HUB);
    assert!(codes(), "the whole site is there");
}

/// PlacementDecisions do not carry the labels of clusters: what only excludes some reads them all.
#[test]
fn a_selector_that_only_excludes_reads_a_whole_namespace() {
    let by_label = "matchLabels: {cluster.open-cluster-management.io/placement: all}";
    let set = applications("all");
    assert!(set.contains(by_label));
    let excludes = "matchExpressions: [{key: local-cluster, operator: NotIn, values: ['true']}]";
    assert_eq!(told(&[&set.replace(by_label, excludes)]), ["reads_more"]);
    assert_eq!(told(&[&set]), [""; 0]);
}
