//! `planner migrate`: texts that say the same, proven; what stays and why; what is written.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{BINDING, cluster, stream};
use crate::support::{Answer, Folder};

/// A rule with this spec, in block style.
fn rule(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: apps.open-cluster-management.io/v1\nkind: PlacementRule\nmetadata:\n  \
         name: {name}\n  namespace: shop\n{spec}"
    )
}

/// Clusters of two regions, one of them not available, one tainted, one that never reported.
fn clusters() -> String {
    let status = |name: &str, status: &str| {
        cluster(name, &format!("region: north, name: {name}"))
            + &format!(
                "status: {{conditions: [{{type: ManagedClusterConditionAvailable, status: \
                 '{status}', reason: A, message: '', lastTransitionTime: \
                 2025-01-01T00:00:00Z}}]}}\n"
            )
    };
    stream(&[
        &status("bergen", "True"),
        &status("oslo", "False"),
        &cluster("lyon", "region: south, name: lyon"),
        &cluster("riga", "region: north, name: riga").replace(
            "spec: {hubAcceptsClient: true}",
            "spec: {hubAcceptsClient: true, taints: [{key: a/b, effect: NoSelect, timeAdded: \
             '2025-01-01T00:00:00Z'}]}",
        ),
    ])
}

/// The clusters of rows of a plan, by the names of what decided.
fn decided(plan: &Value, rows: &str, name: &str) -> BTreeMap<String, Vec<String>> {
    let rows = plan[rows].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one = |row: &Value| {
        let clusters = row["decisions"].as_array().cloned().unwrap_or_default();
        let mut clusters: Vec<String> = clusters.iter().map(text).collect();
        clusters.sort();
        (text(&row[name]), clusters)
    };
    rows.iter().map(one).collect()
}

fn plan(folder: &Folder) -> Value {
    let words = ["plan", ".", "-o", "json", "--no-input", "--keep-going"];
    folder.at(&words).json()
}

/// Migrates a file, and holds what the rules decided against what the Placements do.
#[track_caller]
fn migrated(name: &str, text: &str) -> (Folder, Answer) {
    let folder = Folder::of(&[(name, text), ("clusters.yaml", &clusters())]);
    let before = decided(&plan(&folder), "legacyRules", "name");
    let answer = folder.at(&["migrate", "--write", "-o", "json"]);
    let rows = answer.json()["rules"].clone();
    let after = decided(&plan(&folder), "placements", "name");
    for row in rows.as_array().unwrap() {
        let Some(placement) = row["placement"].as_str() else {
            continue;
        };
        let rule = row["name"].as_str().unwrap();
        assert_eq!(
            before.get(rule),
            after.get(placement),
            "{}",
            folder.read(name)
        );
    }
    (folder, answer)
}

const NORTH: &str = "spec:\n  clusterSelector:\n    matchLabels: {region: north}\n";

#[test]
fn whatever_a_rule_says_its_placement_says_in_its_place() {
    let json = |spec: &str| {
        format!(
            "{{\n  \"apiVersion\": \"apps.open-cluster-management.io/v1\",\n  \"kind\": \
             \"PlacementRule\",\n  \"metadata\": {{\"name\": \"r\", \"namespace\": \
             \"shop\"}}{spec}\n}}\n"
        )
    };
    let listed = |spec: &str| {
        format!(
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: \
             apps.open-cluster-management.io/v1\n  kind: PlacementRule\n  metadata: {{name: r, \
             namespace: shop}}\n{spec}- apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: \
             c}}\n"
        )
    };
    let available = "  clusterConditions:\n  - type: ManagedClusterConditionAvailable\n    \
                     status: \"True\"\n";
    let forms = [
        ("a.yaml", rule("r", "")),
        ("a.yaml", rule("r", "spec: {}\n")),
        ("a.yaml", rule("r", "spec:  # all of them\n")),
        ("a.yaml", rule("r", NORTH)),
        ("a.yaml", rule("r", NORTH.trim_end())),
        ("a.yaml", rule("r", &(NORTH.to_owned() + available))),
        ("a.yaml", rule("r", &format!("spec:\n{available}"))),
        (
            "a.yaml",
            rule("r", &format!("spec:\n{available}  clusterSelector: {{}}\n")),
        ),
        (
            "a.yaml",
            rule("r", "spec:\n  clusters:\n  - name: oslo\n  - name: riga\n"),
        ),
        (
            "a.yaml",
            rule(
                "r",
                "spec: {clusters: [{name: lyon}], clusterSelector: {}}\n",
            ),
        ),
        (
            "a.yaml",
            rule(
                "r",
                "spec: {clusterSelector: {matchLabels: {region: north}}}\n",
            ),
        ),
        (
            "a.yaml",
            rule("r", "spec:\n  clusterReplicas: 0  # none for now\n"),
        ),
        (
            "a.yaml",
            rule(
                "r",
                "spec:\n  clusterReplicas: -3\n  schedulerName: default\n",
            ),
        ),
        (
            "a.yaml",
            rule("r", "spec:\n  clusterNames: [oslo]\n  policies: []\n"),
        ),
        ("a.yaml", rule("r", NORTH) + "status:\n  decisions: []\n"),
        ("a.yaml", rule("r", NORTH).replace('\n', "\r\n")),
        (
            "a.yaml",
            stream(&[BINDING, &rule("r", NORTH), &rule("s", "spec: {}\n")]),
        ),
        ("a.yaml", rule("r", NORTH) + "...\n---\n# the end\n"),
        (
            "a.yaml",
            listed("  spec:\n    clusterSelector:\n      matchLabels: {region: south}\n"),
        ),
        (
            "a.yaml",
            rule(
                "r",
                "spec:\n  clusterSelector:\n    matchExpressions:\n    - {key: \
                              region, operator: NotIn, values: [north]}\n    - key: region\n      \
                              operator: Exists\n",
            ),
        ),
        (
            "a.yaml",
            json(
                ", \"spec\": {\"clusterSelector\": {\"matchLabels\": {\"region\": \
                         \"north\"}}, \"clusterConditions\": [{\"type\": \"A\", \"status\": \
                         \"it's\"}]}",
            ),
        ),
        ("a.yaml", format!("# all\n{}", json(""))),
        (
            "a.json",
            format!(
                "{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{}]}}\n",
                json(
                    ",\n  \"spec\": {\n    \"clusterReplicas\": 0,\n    \
                                 \"clusterSelector\": {}\n  }"
                )
            ),
        ),
    ];
    for (name, text) in forms {
        let (folder, answer) = migrated(name, &text);
        let after = folder.read(name);
        let flow_alone = name == "a.yaml" && text.contains("\"kind\": \"PlacementRule\"");
        if flow_alone {
            // A document in braces has no room for another one beside it.
            assert_eq!(answer.json()["rules"][0]["reason"], "binding", "{answer:?}");
            assert_eq!(after, text);
            continue;
        }
        answer.ends(0);
        assert!(
            after.contains("Placement") && !after.contains("PlacementRule"),
            "{after}"
        );
        assert_eq!(after.contains('\r'), text.contains('\r'));
        assert_eq!(
            after.matches("\r\n").count(),
            if text.contains('\r') {
                after.matches('\n').count()
            } else {
                0
            }
        );
        // Nothing is left to do.
        folder.at(&["migrate"]).ends(66);
        folder
            .at(&["validate", "--no-plan", "--fail-on", "error"])
            .ends(0);
    }
}

#[test]
fn a_json_file_gets_its_edits_where_the_namespace_is_bound() {
    let text = "{\n  \"apiVersion\": \"apps.open-cluster-management.io/v1\",\n  \"kind\": \
                \"PlacementRule\",\n  \"metadata\": {\"name\": \"r\", \"namespace\": \
                \"shop\"},\n  \"spec\": {\n    \"clusterSelector\": {\n      \"matchLabels\": \
                {\"region\": \"north\"}\n    },\n    \"schedulerName\": \"mcm\"\n  }\n}\n";
    let folder = Folder::of(&[
        ("rule.json", text),
        ("binding.yaml", BINDING),
        ("clusters.yaml", &clusters()),
    ]);
    folder.at(&["migrate", "--write"]).ends(0);
    let after = folder.read("rule.json");
    serde_json::from_str::<Value>(&after).unwrap();
    assert_eq!(
        after,
        "{\n  \"apiVersion\": \"cluster.open-cluster-management.io/v1beta1\",\n  \"kind\": \
         \"Placement\",\n  \"metadata\": {\"name\": \"r-placement\", \"namespace\": \
         \"shop\"},\n  \"spec\": {\n    \"clusterSets\": [\"global\"],\n    \"tolerations\": \
         [{\"operator\":\"Exists\"}],\n    \"predicates\": [{\"requiredClusterSelector\": \
         {\"labelSelector\": {\n      \"matchLabels\": {\"region\": \"north\"}\n    }}}]\n  }\n}\n"
    );
}

#[test]
fn comments_and_all_other_bytes_stay() {
    let text = "# head\n---\napiVersion: apps.open-cluster-management.io/v1   # old\n\
                kind:   PlacementRule\nmetadata:\n    labels: {a: b}   # ours\n    name: \"r\"\n    \
                namespace: 'shop'\n    uid: 1-2   # of the hub\nspec:\n    # who\n    \
                clusterConditions:\n    - status: \"True\" # only those\n      type: \
                ManagedClusterConditionAvailable\n\n    # where\n    clusterSelector: # here\n      \
                # labels\n      matchLabels:\n        region: north # '#' no comment\n    # end\n\
                ---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a:   b}\n";
    let (folder, answer) = migrated("a.yaml", text);
    answer.ends(0);
    assert_eq!(
        folder.read("a.yaml"),
        "# head\n---\napiVersion: cluster.open-cluster-management.io/v1beta1   # old\n\
         kind:   Placement\nmetadata:\n    labels: {a: b}   # ours\n    name: \"r-placement\"\n    \
         namespace: 'shop'\n    # of the hub\nspec:\n    # who\n    clusterSets:\n      - \
         global\n    tolerations:\n      - operator: Exists\n    # only those\n\n    # where\n    \
         predicates:\n      - requiredClusterSelector:\n          labelSelector: # here\n            \
         # labels\n            matchLabels:\n              region: north # '#' no comment\n          \
         celSelector:\n            celExpressions:\n              - \
         'managedCluster.status.conditions == null || \
         !managedCluster.status.conditions.exists(c, (c.type == \
         \"ManagedClusterConditionAvailable\" && c.status != \"True\"))'\n    # end\n\
         ---\napiVersion: cluster.open-cluster-management.io/v1beta2\nkind: \
         ManagedClusterSetBinding\nmetadata:\n  name: global\n  namespace: shop\nspec:\n  \
         clusterSet: global\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: \
         {a:   b}\n"
    );
}

/// A binding of a rule, and a policy for it.
const BOUND: &str = "apiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\n\
                     metadata: {name: b, namespace: shop}\nplacementRef:\n  apiGroup: \
                     apps.open-cluster-management.io\n  kind: PlacementRule # old\n  name: \"r\"\n\
                     subjects:\n- {apiGroup: policy.open-cluster-management.io, kind: Policy, \
                     name: p}\n---\napiVersion: policy.open-cluster-management.io/v1\nkind: \
                     Policy\nmetadata: {name: p, namespace: shop}\nspec: {disabled: false, \
                     remediationAction: inform, policy-templates: []}\n";

#[test]
fn what_names_a_rule_is_rewritten_or_named() {
    let label = "cluster.open-cluster-management.io/placementrule";
    let others = format!(
        "apiVersion: apps.open-cluster-management.io/v1\nkind: Subscription\nmetadata: {{name: s, \
         namespace: shop}}\nspec:\n  channel: shop/c\n  placement:\n    placementRef:\n      \
         name: r\n      apiVersion: apps.open-cluster-management.io/v1\n---\n\
         apiVersion: apps.open-cluster-management.io/v1\nkind: Subscription\nmetadata: {{name: t, \
         namespace: shop}}\nspec: {{channel: shop/c, placement: {{placementRef: {{kind: \
         PlacementRule, name: r}}}}}}\n---\n\
         apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: a, namespace: \
         shop}}\nspec:\n  generators:\n  - matrix:\n      generators:\n      - \
         clusterDecisionResource:\n          configMapRef: m\n          labelSelector:\n            \
         matchLabels:\n              {label}: r\n      - clusterDecisionResource:\n          \
         configMapRef: m\n          labelSelector:\n            matchExpressions:\n            - \
         {{key: {label}, operator: In, values: [r]}}\n            - {{key: {label}, operator: In, \
         values: [r, q]}}\n  template: {{metadata: {{name: x}}, spec: {{project: default, source: {{repoURL: \
         a}}, destination: {{}}}}}}\n---\n\
         apiVersion: apps.open-cluster-management.io/v1beta1\nkind: GitOpsCluster\nmetadata: \
         {{name: g, namespace: shop}}\nspec: {{argoServer: {{argoNamespace: argo}}, placementRef: \
         {{kind: PlacementRule, apiVersion: apps.open-cluster-management.io/v1, name: r}}}}\n---\n\
         apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n- path: x\n  target: \
         {{kind: PlacementRule, name: r}}\n"
    );
    let text = stream(&[&rule("r", NORTH), BOUND, &others]);
    let (folder, answer) = migrated("a.yaml", &text);
    answer.ends(1);
    let rows = answer.json()["references"].clone();
    let rewritten = |wanted: bool| {
        let rows = rows.as_array().unwrap().iter();
        let rows = rows.filter(|row| row["rewritten"] == wanted);
        let kinds = rows.map(|row| row["kind"].as_str().unwrap().to_owned());
        kinds.collect::<Vec<_>>()
    };
    assert_eq!(
        rewritten(true),
        [
            "PlacementBinding",
            "Subscription",
            "Subscription",
            "ApplicationSet",
            "ApplicationSet"
        ]
    );
    assert_eq!(
        rewritten(false),
        ["ApplicationSet", "GitOpsCluster", "Kustomization"]
    );
    let after = folder.read("a.yaml");
    for text in [
        "  apiGroup: cluster.open-cluster-management.io\n  kind: Placement # old\n  name: \
         \"r-placement\"\n",
        "    placementRef:\n      kind: Placement\n      name: r-placement\n      apiVersion: \
         cluster.open-cluster-management.io/v1beta1\n",
        "{placementRef: {kind: Placement, name: r-placement}}",
        "              cluster.open-cluster-management.io/placement: r-placement\n",
        "- {key: cluster.open-cluster-management.io/placement, operator: In, values: \
         [r-placement]}\n",
    ] {
        assert!(after.contains(text), "no {text} in {after}");
    }
    let screen = Folder::of(&[("a.yaml", &*text)]).at(&["migrate"]).out;
    assert!(
        screen.contains("! GitOpsCluster shop/g (a.yaml:") && screen.contains("by hand: 3"),
        "{screen}"
    );
}

#[test]
fn a_policy_reaches_the_same_clusters_afterwards() {
    let text = stream(&[&rule("r", NORTH), BOUND]);
    let folder = Folder::of(&[("a.yaml", &*text), ("clusters.yaml", &clusters())]);
    let reach = |folder: &Folder| plan(folder)["deliveries"][0]["clusters"].clone();
    let before = reach(&folder);
    folder.at(&["migrate", "--write"]).ends(0);
    assert_eq!(before, reach(&folder));
    assert_eq!(before.as_array().unwrap().len(), 3);
}

#[test]
fn a_rule_that_no_placement_equals_stays_with_its_counterexample() {
    let user = rule("r", NORTH).replace(
        "metadata:\n",
        "metadata:\n  annotations: {open-cluster-management.io/user-identity: Ym9i}\n",
    );
    let bad = "spec: {clusterSelector: {matchExpressions: [{key: a, operator: Is}]}}\n";
    let replicas = format!("{NORTH}  clusterReplicas: 1\n");
    let hint = format!("{NORTH}  clusterReplicas: 2\n  resourceHint: {{type: memory}}\n");
    let ramen = format!("{NORTH}  schedulerName: ramen\n");
    let rows: [(&str, String, &[&str], &[&str]); 5] = [
        ("replicas", rule("r", &replicas), &["b"], &["a"]),
        ("resourceHint", rule("r", &hint), &["b", "x1"], &["c", "x1"]),
        ("scheduler", rule("r", &ramen), &[], &["a"]),
        ("identity", user, &[], &["a"]),
        ("selector", rule("r", bad), &["a"], &[]),
    ];
    for (reason, text, of_rule, of_placement) in rows {
        let folder = Folder::of(&[("a.yaml", &*text)]);
        let answer = folder.at(&["migrate", "--write", "-o", "json"]);
        let row = answer.ends(1).json()["rules"][0].clone();
        assert_eq!(row["reason"], reason, "{row}");
        let example = &row["counterexample"];
        assert_eq!(example["rule"], serde_json::json!(of_rule), "{row}");
        assert_eq!(
            example["placement"],
            serde_json::json!(of_placement),
            "{row}"
        );
        assert_eq!(folder.read("a.yaml"), text);
        let screen = folder.at(&["migrate"]).ends(1).out.clone();
        assert!(screen.contains("Not migrated: 1\n! shop/r: "), "{screen}");
    }
}

#[test]
fn a_rule_that_takes_some_is_allowed_where_it_is_the_same() {
    let some = |decisions: &str| {
        rule(
            "r",
            &format!(
                "{NORTH}  clusterReplicas: 1\nstatus:\n  decisions: [{{clusterName: {decisions}, \
                 clusterNamespace: {decisions}}}]\n"
            ),
        )
    };
    let of = |held: &str| Folder::of(&[("a.yaml", &*some(held)), ("c.yaml", &clusters())]);
    let same = of("bergen");
    same.at(&["migrate"]).ends(1);
    let answer = same.at(&["migrate", "--write", "--allow", "shop/r"]);
    answer.ends(0);
    assert!(
        answer.out.contains("is the same for these clusters only"),
        "{answer:?}"
    );
    let text = same.read("a.yaml");
    assert!(
        text.contains("numberOfClusters: 1") && text.contains("builtIn: Steady"),
        "{text}"
    );
    let other = of("oslo");
    let answer = other.at(&["migrate", "--write", "--allow", "r", "-o", "json"]);
    let row = answer.ends(1).json()["rules"][0].clone();
    assert_eq!(row["reason"], "inventory");
    assert_eq!(other.read("a.yaml"), some("oslo"));
    let none = Folder::of(&[("a.yaml", &*some("oslo"))]);
    let answer = none.at(&["migrate", "--allow", "r", "-o", "json"]);
    assert_eq!(answer.ends(1).json()["rules"][0]["reason"], "noClusters");
    none.at(&["migrate", "--allow", "rr"])
        .ends(64)
        .says("did you mean");
}

#[test]
fn by_taints_no_expression_is_written_and_the_difference_is_told() {
    let of = |kind: &str| {
        let spec = format!("{NORTH}  clusterConditions: [{{type: {kind}, status: 'True'}}]\n");
        Folder::of(&[("a.yaml", &*rule("r", &spec))])
    };
    let available = of("ManagedClusterConditionAvailable");
    let answer = available.at(&["migrate", "--by-taints", "-o", "json"]);
    let row = answer.ends(0).json()["rules"][0].clone();
    let example = &row["counterexample"]["clusters"][0];
    assert_eq!(row["placement"], "r-placement");
    assert!(
        example["taint"]["key"].as_str().unwrap().contains('/'),
        "{row}"
    );
    let screen = available.at(&["migrate", "--by-taints"]).out;
    assert!(
        !screen.contains("cel") && !screen.contains("tolerations"),
        "{screen}"
    );
    assert!(screen.contains("is not always the same"), "{screen}");
    let answer = of("Other").at(&["migrate", "--by-taints", "-o", "json"]);
    assert_eq!(answer.ends(1).json()["rules"][0]["reason"], "conditions");
    // At hand the two differ: nothing is written.
    let clusters = clusters();
    available.write("c.yaml", clusters);
    let answer = available.at(&["migrate", "--by-taints", "--write", "-o", "json"]);
    assert_eq!(answer.ends(1).json()["rules"][0]["reason"], "inventory");
}

#[test]
fn a_placement_has_a_name_of_its_own() {
    let long = "a".repeat(60);
    let placement = |name: &str| {
        format!(
            "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: \
             {{name: {name}, namespace: shop}}\nspec: {{clusterSets: [a]}}\n"
        )
    };
    let text = stream(&[
        &rule("r", NORTH),
        &placement("r-placement"),
        &rule("r-placement-2", NORTH),
        &rule(&long, NORTH),
        &rule(&"b".repeat(63), NORTH),
    ]);
    let folder = Folder::of(&[("a.yaml", &*text)]);
    let rows = folder.at(&["migrate", "-o", "json"]).json()["rules"].clone();
    let names: Vec<&str> = (0..4)
        .map(|at| rows[at]["placement"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "r-placement-3",
            "r-placement-2-placement",
            &format!("{long}-pl"),
            &format!("{}-2", "b".repeat(61)),
        ]
    );
}

#[test]
fn what_cannot_be_edited_stays_with_a_reason() {
    let alias = "spec:\n  clusterSelector: &s\n    matchLabels: {region: north}\n";
    let aliased = rule("r", alias) + "---\n" + &rule("q", NORTH);
    let aliased = aliased.replace("  clusterSelector: &s", "  x: *n\n  clusterSelector: &s");
    let aliased = aliased.replace("name: r\n", "name: &n r\n");
    let braces = rule(
        "r",
        "spec: {clusterSelector: {}, # all\n  schedulerName: mcm}\n",
    );
    let global = "apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: \
                  ManagedClusterSet\nmetadata: {name: global}\nspec: {clusterSelector: \
                  {selectorType: LabelSelector, labelSelector: {matchLabels: {a: b}}}}\n";
    let rows = [
        ("aliases", aliased),
        ("comments", braces),
        ("form", rule("r", "? spec\n: clusterReplicas: 0\n")),
        ("refused", rule("r", "spec: {clusterReplicas: many}\n")),
        ("globalSet", rule("r", NORTH) + "---\n" + global),
    ];
    for (reason, text) in rows {
        let folder = Folder::of(&[("a.yaml", &*text)]);
        let answer = folder.at(&["migrate", "-o", "json"]);
        let row = answer.ends(1).json()["rules"][0].clone();
        assert_eq!(row["reason"], reason, "{text}: {row}");
    }
    // Nothing of a document steers a terminal.
    let hostile = rule("r", "spec: {schedulerName: \"a\\e[31m\\r\"}\n");
    let folder = Folder::of(&[("a\u{1b}[2J.yaml", &*hostile)]);
    let screen = folder.at(&["migrate"]).ends(1).out.clone();
    assert!(!screen.contains(['\u{1b}', '\r']), "{screen:?}");
}

/// Runs git in a folder.
fn git(folder: &Path, words: &[&str]) {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@b"]);
    let answer = command.args(words).output().unwrap();
    assert!(answer.status.success(), "{answer:?}");
}

#[test]
fn uncommitted_changes_are_not_written_over() {
    let folder = Folder::of(&[
        ("a.yaml", &*rule("r", NORTH)),
        ("b.yaml", &*rule("s", NORTH)),
    ]);
    git(folder.path(), &["init", "-q"]);
    folder
        .at(&["migrate", "--write"])
        .ends(1)
        .says("uncommitted changes");
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-qm", "one"]);
    let changed = folder.read("a.yaml") + "# mine\n";
    folder.write("a.yaml", &changed);
    folder
        .at(&["migrate", "--write"])
        .ends(1)
        .says("nothing was written: these files have uncommitted changes: a.yaml; commit");
    assert_eq!(folder.read("a.yaml"), changed);
    assert!(folder.read("b.yaml").contains("PlacementRule"));
    // What is staged is not committed either.
    git(folder.path(), &["add", "-A"]);
    folder.at(&["migrate", "--write"]).ends(1);
    folder.at(&["migrate", "--write", "--allow-dirty"]).ends(0);
    assert!(folder.read("a.yaml").contains("# mine\n"));
    git(folder.path(), &["checkout", "-q", "-f", "HEAD"]);
    folder.write("hub.yaml", clusters());
    folder
        .at(&["migrate", "--write", "--hub", "hub.yaml"])
        .ends(0);
    folder.at(&["migrate", "--allow-dirty"]).ends(64);
}

/// A submodule is a nested repository to git; a PATH may lead there through a link.
#[test]
fn a_clean_repository_inside_another_has_no_uncommitted_changes() {
    let folder = Folder::of(&[
        ("inner/a.yaml", &*rule("r", NORTH)),
        ("outer.yaml", &*rule("s", NORTH)),
    ]);
    let inner = folder.path().join("inner");
    for home in [&*inner, folder.path()] {
        git(home, &["init", "-q"]);
        git(home, &["add", "-A"]);
        git(home, &["commit", "-qm", "one"]);
    }
    let paths: &[&str] = if cfg!(unix) {
        #[cfg(unix)]
        std::os::unix::fs::symlink("inner", folder.path().join("link")).unwrap();
        &[".", "inner", "link"]
    } else {
        &[".", "inner"]
    };
    for path in paths {
        let write = ["migrate", path, "--write"];
        folder.at(&write).ends(0);
        assert!(!folder.read("inner/a.yaml").contains("PlacementRule"));
        for home in [&*inner, folder.path()] {
            git(home, &["checkout", "-q", "-f", "HEAD"]);
        }
        folder.write("inner/a.yaml", folder.read("inner/a.yaml") + "# mine\n");
        folder
            .at(&write)
            .ends(1)
            .says("uncommitted changes")
            .says("a.yaml");
        git(&inner, &["checkout", "-q", "-f", "HEAD"]);
    }
}

#[test]
fn nothing_is_written_where_something_unread_may_name_a_rule() {
    let binding = "apiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\n\
                   metadata: {name: b, namespace: shop}\n";
    let named = "placementRef: {kind: PlacementRule, name: r}\n";
    for (unread, status) in [
        (format!("{binding}\t{named}"), 1),
        (
            format!("{binding}{{{{ if .on }}}}\n{named}{{{{ end }}}}\n"),
            0,
        ),
    ] {
        let folder = Folder::of(&[("a.yaml", &*rule("r", NORTH)), ("b.yaml", &unread)]);
        folder
            .at(&["migrate", "--write"])
            .ends(1)
            .says("nothing was written: planner cannot read these files")
            .says("b.yaml");
        assert!(folder.read("a.yaml").contains("PlacementRule"));
        folder
            .at(&["migrate", "--write", "--allow-unread"])
            .ends(status)
            .says("Not read, and may still name a PlacementRule: b.yaml");
        assert!(!folder.read("a.yaml").contains("PlacementRule"));
    }
    // What names no rule in any words is no obstacle.
    let foreign = "kind: ConfigMap\ndata: {{ .Values.data }}\nkey: {{ .x }}: 1\n";
    let folder = Folder::of(&[("a.yaml", &*rule("r", NORTH)), ("b.yaml", foreign)]);
    folder.at(&["migrate", "--write"]).ends(0);
    folder.at(&["migrate", "--allow-unread"]).ends(64);
}

#[test]
fn a_file_with_a_byte_order_mark_keeps_it() {
    let text = rule("r", NORTH);
    let (plain, marked) = (
        migrated("a.yaml", &text).0,
        migrated("a.yaml", &format!("\u{feff}{text}")).0,
    );
    let wanted = format!("\u{feff}{}", plain.read("a.yaml"));
    assert!(!wanted.contains("PlacementRule"));
    assert_eq!(marked.read("a.yaml"), wanted);
}

#[test]
fn the_diff_can_be_applied() {
    let text = stream(&[&rule("r", NORTH), BOUND]).replace('\n', "\r\n");
    let folder = Folder::of(&[("a.yaml", &*text), ("deep/b.yaml", &rule("s", NORTH))]);
    for format in ["diff", "text"] {
        let out = folder.at(&["migrate", "-o", format]).ends(0).out.clone();
        let patch = folder.write("x.patch", out);
        git(
            folder.path(),
            &["apply", "--check", patch.to_str().unwrap()],
        );
    }
    git(folder.path(), &["apply", "x.patch"]);
    let applied = [folder.read("a.yaml"), folder.read("deep/b.yaml")];
    folder.write("a.yaml", text);
    folder.write("deep/b.yaml", rule("s", NORTH));
    folder.at(&["migrate", "--write"]).ends(0);
    assert_eq!(applied, [folder.read("a.yaml"), folder.read("deep/b.yaml")]);
}

#[test]
fn a_diff_says_that_it_is_not_all() {
    let stays = rule("r", "spec: {clusterReplicas: 1}\n");
    let folder = Folder::of(&[("a.yaml", &*stays)]);
    let answer = folder.at(&["migrate", "-o", "diff"]);
    answer.ends(1).says("The diff does not migrate everything");
    assert_eq!(answer.out, "");
    let both = ["migrate", "-o", "text", "-o", "diff=x.patch"];
    let told = folder.at(&both).ends(1).err.clone();
    assert!(!told.contains("not migrate everything"), "{told}");
}

#[test]
fn all_files_are_written_or_none() {
    use std::fs;
    let folder = Folder::of(&[
        ("a.yaml", &*rule("r", NORTH)),
        ("b.yaml", &*rule("s", NORTH)),
    ]);
    fs::hard_link(folder.path().join("b.yaml"), folder.path().join("c")).unwrap();
    folder
        .at(&["migrate", "--write"])
        .ends(1)
        .says("cannot write b.yaml");
    assert_eq!(folder.read("a.yaml"), rule("r", NORTH));
    folder
        .at(&["migrate", "-", "--write"])
        .ends(64)
        .says("standard input");
    let piped = folder.piped(&["migrate", "-"], rule("r", NORTH));
    assert!(piped.out.contains("+kind: Placement\n"), "{piped:?}");
    Folder::of(&[("a.yaml", BINDING)])
        .at(&["migrate"])
        .ends(66)
        .says("no PlacementRule");
}

#[test]
fn the_hub_is_what_it_is_proven_on_as_well() {
    let folder = Folder::of(&[
        ("git/a.yaml", &*rule("r", NORTH)),
        ("hub.yaml", &clusters()),
    ]);
    let answer = folder.at(&["migrate", "git", "--hub", "hub.yaml"]);
    answer.ends(0);
    assert!(answer.out.starts_with("Hub: hub.yaml, "), "{answer:?}");
    assert!(
        answer.out.contains("same 3 clusters and over"),
        "{answer:?}"
    );
    let data = folder
        .at(&["migrate", "git", "--hub", "hub.yaml", "-o", "json"])
        .json();
    assert_eq!(
        data["rules"][0]["clusters"],
        serde_json::json!(["bergen", "oslo", "riga"])
    );
    assert_eq!(data["hub"]["file"], "hub.yaml");
    folder
        .at(&["migrate", "git", "--hub", "hub.yaml", "--write"])
        .ends(0);
    assert_eq!(folder.read("hub.yaml"), clusters());
    assert!(folder.read("git/a.yaml").contains("kind: Placement\n"));
}

#[test]
fn a_binding_that_would_widen_another_placement_is_not_written() {
    let other = "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
                 metadata: {name: one, namespace: shop}\nspec: {}\n";
    let text = stream(&[&rule("r", NORTH), other]);
    let folder = Folder::of(&[("a.yaml", &*text)]);
    let answer = folder.at(&["migrate", "--write", "-o", "json"]);
    assert_eq!(answer.ends(1).json()["rules"][0]["reason"], "widens");
    assert_eq!(folder.read("a.yaml"), text);
    folder.write(
        "a.yaml",
        text.replace("spec: {}", "spec: {clusterSets: [a]}"),
    );
    folder.at(&["migrate", "--write"]).ends(0);
}

/// The 56 rules of a large repository over 300 clusters, planned from its files before and after.
#[test]
fn rules_of_a_real_repository_come_to_the_same_clusters() {
    let Some(home) = std::env::var_os("PLANNER_REALWORLD") else {
        return;
    };
    let home = Path::new(&home).join("repos/managed-cluster-config/deploy");
    let folder = Folder::new();
    folder.copy(&home, "deploy");
    // Each key and value that a rule asks for, on clusters in every state.
    let rows = folder
        .at(&["plan", "deploy", "-o", "json", "--no-input", "--keep-going"])
        .json();
    assert_eq!(rows["legacyRules"].as_array().unwrap().len(), 56);
    let mut labels = vec![String::new()];
    for file in folder.files() {
        let text = folder.read(&file);
        let documents = text
            .split("\n---")
            .filter(|text| text.contains("kind: PlacementRule\n"));
        for document in documents {
            let lines: Vec<&str> = document.lines().map(str::trim).collect();
            let keys: Vec<String> = lines
                .iter()
                .filter_map(|line| line.strip_prefix("- key: "))
                .map(str::to_owned)
                .collect();
            for value in ["true", "false"] {
                let all = keys.iter().map(|key| format!("{key}: \"{value}\""));
                labels.push(all.collect::<Vec<_>>().join(", "));
            }
            let exact = lines
                .iter()
                .filter(|line| line.contains("/") && line.contains(": \""));
            labels.extend(exact.map(|line| (*line).to_owned()));
        }
    }
    labels.sort();
    labels.dedup();
    let states = [
        "",
        "status: {conditions: [{type: ManagedClusterConditionAvailable, status: 'True', reason: \
         A, message: '', lastTransitionTime: 2025-01-01T00:00:00Z}]}\n",
        "status: {conditions: [{type: ManagedClusterConditionAvailable, status: 'False', reason: \
         A, message: '', lastTransitionTime: 2025-01-01T00:00:00Z}]}\n",
    ];
    let taint = "spec: {hubAcceptsClient: true, taints: [{key: \
                 cluster.open-cluster-management.io/unreachable, effect: NoSelect, timeAdded: \
                 '2025-01-01T00:00:00Z'}]}";
    let mut all = Vec::new();
    for (number, at) in (0..300).zip(0_usize..) {
        let made = cluster(&format!("c{number:03}"), &labels[at % labels.len()]);
        let made = made + states[at / labels.len() % states.len()];
        all.push(match at % 7 {
            0 => made.replace("spec: {hubAcceptsClient: true}", taint),
            _ => made,
        });
    }
    folder.write("clusters.yaml", all.join("---\n"));
    let before = decided(&plan(&folder), "legacyRules", "name");
    let answer = folder.at(&["migrate", "--write", "-o", "json"]);
    answer.ends(0);
    let after = decided(&plan(&folder), "placements", "name");
    let rows = answer.json()["rules"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 56);
    let mut some = 0;
    for row in rows.as_array().unwrap() {
        let (rule, placement) = (
            row["name"].as_str().unwrap(),
            row["placement"].as_str().unwrap(),
        );
        assert_eq!(before[rule], after[placement], "{rule}");
        some += usize::from(!before[rule].is_empty());
    }
    assert!(some > 50, "only {some} rules select a cluster");
}

/// Many terms: every side of each and the pairs of terms, not their product.
#[test]
fn many_terms_neither_explode_nor_pass_unseen() {
    let conditions = |count: usize| {
        let one = |at| format!("{{type: C{at}, status: 'True'}}");
        let all: Vec<String> = (0..count).map(one).collect();
        rule(
            "r",
            &format!("spec:\n  clusterConditions: [{}]\n", all.join(", ")),
        )
    };
    let folder = Folder::of(&[("a.yaml", &conditions(20))]);
    let answer = folder.at(&["migrate", "a.yaml", "-o", "json"]).json();
    let row = &answer["rules"][0];
    let invented = row["invented"].as_u64().unwrap();
    assert!((200..4096).contains(&invented), "{invented}");
    // Beyond the bound the rule is named.
    folder.write("a.yaml", conditions(100));
    let answer = folder.at(&["migrate", "a.yaml"]);
    answer.ends(1);
    assert!(answer.out.contains("more terms"), "{answer:#?}");
    assert!(answer.out.contains("shop/r"), "{answer:#?}");
}
