//! Surprising edge cases of upstream, by number. Cases of
//! pure arithmetic stand as unit tests beside their functions.

use serde_json::{Value, json};

use super::{codes, text};
use crate::support::Folder;

const G: &str = "cluster.open-cluster-management.io";

/// A set `s`, bound in `ns`, and clusters of it.
fn hub(clusters: &[(&str, &str)]) -> String {
    let mut all = format!(
        "apiVersion: {G}/v1beta2\nkind: ManagedClusterSet\nmetadata: {{name: s}}\n---\n\
         apiVersion: {G}/v1beta2\nkind: ManagedClusterSetBinding\n\
         metadata: {{name: s, namespace: ns}}\nspec: {{clusterSet: s}}\n"
    );
    for (name, more) in clusters {
        all.push_str(&format!(
            "---\napiVersion: {G}/v1\nkind: ManagedCluster\nmetadata:\n  name: {name}\n  \
             labels: {{{G}/clusterset: s, name: {name}}}\n{more}"
        ));
    }
    all
}

fn placement(spec: &str) -> String {
    named("p", spec)
}

fn named(name: &str, spec: &str) -> String {
    format!(
        "---\napiVersion: {G}/v1beta1\nkind: Placement\nmetadata: {{name: {name}, namespace: ns}}\n\
         spec: {spec}\n"
    )
}

fn decision(name: &str, labels: &str, clusters: &[&str]) -> String {
    let list: Vec<String> = clusters
        .iter()
        .map(|c| format!("{{clusterName: {c}, reason: \"\"}}"))
        .collect();
    format!(
        "---\napiVersion: {G}/v1beta1\nkind: PlacementDecision\n\
         metadata: {{name: {name}, namespace: ns, labels: {{{labels}}}}}\n\
         status: {{decisions: [{}]}}\n",
        list.join(", ")
    )
}

fn of_p(name: &str, clusters: &[&str]) -> String {
    decision(name, &format!("{G}/placement: p"), clusters)
}

const THREE: [(&str, &str); 3] = [("a", ""), ("b", ""), ("c", "")];

/// The answer for the only placement.
fn plan(documents: &str) -> Value {
    let (answer, found) = text(documents);
    assert_eq!(
        answer["placements"].as_array().map(Vec::len),
        Some(1),
        "{found:?}"
    );
    answer["placements"][0].clone()
}

fn condition<'v>(placement: &'v Value, kind: &str) -> &'v Value {
    let conditions = placement["conditions"].as_array().expect("conditions");
    conditions
        .iter()
        .find(|condition| condition["type"] == kind)
        .expect("the condition")
}

fn misconfigured(placement: &Value) -> &str {
    let condition = condition(placement, "PlacementMisconfigured");
    assert_eq!(condition["status"], "True", "{placement}");
    condition["message"].as_str().expect("a message")
}

fn reason(placement: &Value) -> &str {
    condition(placement, "PlacementSatisfied")["reason"]
        .as_str()
        .expect("a reason")
}

#[test]
fn misconfigurations_empty_or_delete_decisions() {
    let before = of_p("p-decision-1", &["a", "b"]) + &of_p("p-decision-2", &["c"]);
    // 1: emptied; 44: a bare colon.
    let spec = "{prioritizerPolicy: {mode: Sum}}";
    let answer = plan(&(hub(&THREE) + &placement(spec) + &before));
    assert_eq!(
        misconfigured(&answer),
        ":incorrect prioritizer policy mode: Sum"
    );
    assert_eq!(answer["decisions"], json!([]));
    assert_eq!(
        answer["placementDecisions"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(answer["deletedPlacementDecisions"], json!(["p-decision-2"]));
    assert_eq!(reason(&answer), "NoManagedClusterMatched");
    // 1, 2, 25: a faulty cap deletes all of them, and all seems satisfied.
    let spec = "{decisionStrategy: {groupStrategy: {clustersPerDecisionGroup: \"150\"}}}";
    let answer = plan(&(hub(&THREE) + &placement(spec) + &before));
    assert_eq!(
        misconfigured(&answer),
        ":150 invalid type: string is not a percentage"
    );
    assert_eq!(
        answer["deletedPlacementDecisions"],
        json!(["p-decision-1", "p-decision-2"])
    );
    assert_eq!(answer["numberOfSelectedClusters"], 3);
    assert_eq!(reason(&answer), "AllDecisionsScheduled");
}

#[test]
fn sets_and_bindings() {
    // 4: a LabelSelector set without a selector has no members, with {} all.
    for (selector, reason_wanted) in [
        ("", "AllManagedClusterSetsEmpty"),
        (", labelSelector: {}", "AllDecisionsScheduled"),
    ] {
        let set = format!(
            "---\napiVersion: {G}/v1beta2\nkind: ManagedClusterSet\nmetadata: {{name: all}}\n\
             spec: {{clusterSelector: {{selectorType: LabelSelector{selector}}}}}\n---\n\
             apiVersion: {G}/v1beta2\nkind: ManagedClusterSetBinding\n\
             metadata: {{name: all, namespace: ns}}\nspec: {{clusterSet: all}}\n"
        );
        let answer = plan(&(hub(&THREE) + &set + &placement("{clusterSets: [all]}")));
        assert_eq!(reason(&answer), reason_wanted);
    }
    // 5: a bad selector stops placements that have the set eligible, and only those.
    let bad = format!(
        "---\napiVersion: {G}/v1beta2\nkind: ManagedClusterSet\nmetadata: {{name: bad}}\n\
         spec: {{clusterSelector: {{selectorType: LabelSelector, labelSelector: {{matchExpressions: \
         [{{key: k, operator: Near}}]}}}}}}\n---\n\
         apiVersion: {G}/v1beta2\nkind: ManagedClusterSetBinding\n\
         metadata: {{name: bad, namespace: ns}}\nspec: {{clusterSet: bad}}\n"
    );
    let documents = hub(&THREE) + &bad + &named("p", "{}") + &named("q", "{clusterSets: [s]}");
    let (answer, found) = text(&documents);
    let placements = &answer["placements"];
    assert_eq!(placements[0]["eligibleClusterSets"], json!(["bad", "s"]));
    assert_eq!(placements[0]["conditions"], json!([]));
    assert_eq!(placements[0]["filters"], json!([]));
    assert_eq!(placements[1]["decisions"], json!(["a", "b", "c"]));
    assert!(codes(&found).contains(&"ocm::set_selector"));
    assert!(!found.iter().any(|found| found.refuses));
    // 6: neither hubAcceptsClient nor a condition keeps a cluster out.
    let more = "spec: {hubAcceptsClient: false}\nstatus: {conditions: [{type: \
                ManagedClusterConditionAvailable, status: \"False\"}]}\n";
    assert_eq!(
        plan(&(hub(&[("a", more)]) + &placement("{}")))["decisions"],
        json!(["a"])
    );
}

fn predicate(selector: &str) -> String {
    placement(&format!(
        "{{predicates: [{{requiredClusterSelector: {selector}}}]}}"
    ))
}

#[test]
fn predicates() {
    // 7: NotIn matches clusters without the label.
    let selector =
        "{labelSelector: {matchExpressions: [{key: nope, operator: NotIn, values: [x]}]}}";
    assert_eq!(
        plan(&(hub(&THREE) + &predicate(selector)))["decisions"],
        json!(["a", "b", "c"])
    );
    // 8: a claim value with a space cannot be asked for.
    let claims = "status: {clusterClaims: [{name: where, value: New York}]}\n";
    let selector = "{claimSelector: {matchExpressions: [{key: where, operator: In, values: [New \
                    York]}]}}";
    let answer = plan(&(hub(&[("a", claims)]) + &predicate(selector)));
    assert!(misconfigured(&answer).starts_with("Predicate:values[0][where]: Invalid value: "));
    // A later claim of the same name wins.
    let claims = "status: {clusterClaims: [{name: x, value: one}, {name: x, value: two}]}\n";
    for (value, chosen) in [("one", json!([])), ("two", json!(["a"]))] {
        let selector = format!(
            "{{claimSelector: {{matchExpressions: [{{key: x, operator: In, values: [{value}]}}]}}}}"
        );
        assert_eq!(
            plan(&(hub(&[("a", claims)]) + &predicate(&selector)))["decisions"],
            chosen
        );
    }
    // A claim selector has no matchLabels: they are dropped as any unknown field.
    let selector = "{claimSelector: {matchLabels: {x: nope}}}";
    assert_eq!(
        plan(&(hub(&[("a", claims)]) + &predicate(selector)))["decisions"],
        json!(["a"])
    );
    // 9: with no available cluster only a bad prioritizer is noticed.
    let bad = "{predicates: [{requiredClusterSelector: {labelSelector: {matchExpressions: [{key: k, \
               operator: Near}]}}}], tolerations: [{operator: Equal}]}";
    let answer = plan(&(hub(&[]) + &placement(bad)));
    assert_eq!(
        condition(&answer, "PlacementMisconfigured")["status"],
        "False"
    );
    let bad = "{prioritizerPolicy: {configurations: [{scoreCoordinate: {builtIn: Spread}}]}}";
    let answer = plan(&(hub(&[]) + &placement(bad)));
    assert_eq!(
        misconfigured(&answer),
        ":incorrect builtin prioritizer: Spread"
    );
}

fn cel(expression: &str) -> String {
    predicate(&format!(
        "{{celSelector: {{celExpressions: ['{expression}']}}}}"
    ))
}

fn scores(cluster: &str, status: &str) -> String {
    format!(
        "---\napiVersion: {G}/v1alpha1\nkind: AddOnPlacementScore\n\
         metadata: {{name: usage, namespace: {cluster}}}\nstatus: {status}\n"
    )
}

#[test]
fn expressions_and_scores() {
    // 10: run-time errors and values that are not boolean are "no match"; "" does not compile.
    for expression in [
        "1 / 0 == 1",
        "managedCluster.metadata.name",
        "managedCluster.nope",
    ] {
        let answer = plan(&(hub(&THREE) + &cel(expression)));
        assert_eq!(reason(&answer), "NoManagedClusterMatched", "{expression}");
        assert_eq!(
            condition(&answer, "PlacementMisconfigured")["status"],
            "False"
        );
    }
    let answer = plan(&(hub(&THREE) + &cel("")));
    assert!(misconfigured(&answer).starts_with("Predicate:compilation failed: ERROR: <input>:"));
    // 11: scores() in CEL ignores validUntil, the prioritizer does not. It counts at that instant.
    for (until, score) in [("2025-12-31T23:59:59Z", 0), ("2026-01-01T00:00:00Z", 7)] {
        let status = format!("{{scores: [{{name: x, value: 7}}], validUntil: \"{until}\"}}");
        let spec = "{predicates: [{requiredClusterSelector: {celSelector: {celExpressions: \
                    ['managedCluster.scores(\"usage\").exists(s, s.value == 7)']}}}], \
                    prioritizerPolicy: {mode: Exact, configurations: [{scoreCoordinate: {type: \
                    AddOn, addOn: {resourceName: usage, scoreName: x}}}]}}";
        let answer = plan(&(hub(&THREE) + &scores("a", &status) + &placement(spec)));
        assert_eq!(answer["totals"], json!({"a": score}));
    }
    // The scores of a cluster whose name has dots.
    let spec = "{prioritizerPolicy: {mode: Exact, configurations: [{scoreCoordinate: {type: AddOn, \
                addOn: {resourceName: usage, scoreName: x}}}]}}";
    let documents =
        hub(&[("a.b", "")]) + &scores("a.b", "{scores: [{name: x, value: 7}]}") + &placement(spec);
    assert_eq!(plan(&documents)["totals"], json!({"a.b": 7}));
    // Comprehensions over the limit of steps count as no match, not a refusal.
    for (nested, chosen) in [(4, json!(["a", "b", "c"])), (7, json!([]))] {
        let expression = (0..nested).fold("true".to_owned(), |inner, depth| {
            format!("[0,1,2,3,4,5,6,7,8,9].all(v{depth}, {inner})")
        });
        let answer = plan(&(hub(&THREE) + &cel(&expression)));
        assert_eq!(answer["decisions"], chosen, "{nested}");
    }
}

fn tainted(taint: &str) -> String {
    format!("spec: {{hubAcceptsClient: true, taints: [{taint}]}}\n")
}

#[test]
fn taints_and_tolerations() {
    let one = |taint: &str, tolerations: &str, more: &str| {
        let spec = format!("{{tolerations: [{tolerations}]}}");
        plan(&(hub(&[("a", &tainted(taint))]) + &placement(&spec) + more))
    };
    let added = "{key: k, effect: NoSelect, timeAdded: \"2025-12-31T23:00:00Z\"}";
    // 12: over at exactly the end; long over without timeAdded; a wrap to the past, and beyond it.
    for (taint, seconds, chosen) in [
        (added, 3600_i64, false),
        (added, 3601, true),
        (added, -1, false),
        (added, 9_000_000_000, true),
        (added, 10_000_000_000, false),
        (added, 20_000_000_000, true),
        ("{key: k, effect: NoSelect}", 1_000_000, false),
        (
            "{key: k, effect: NoSelect, timeAdded: null}",
            1_000_000,
            false,
        ),
        (
            "{key: k, effect: NoSelectIfNew, timeAdded: \"2025-12-31T23:00:00Z\"}",
            60,
            false,
        ),
        ("{key: k, effect: PreferNoSelect}", -5, true),
    ] {
        let answer = one(
            taint,
            &format!("{{key: k, operator: Exists, tolerationSeconds: {seconds}}}"),
            "",
        );
        let wanted = if chosen { json!(["a"]) } else { json!([]) };
        assert_eq!(answer["decisions"], wanted, "{taint} {seconds}");
        // 41: not decided before, so nothing to look at again.
        assert_eq!(answer.get("requeueTime"), None);
    }
    // 13: an expired toleration does not hide a later one; 41: the first that holds counts.
    let timed = "{key: k, operator: Exists, tolerationSeconds: 60}, \
                 {operator: Exists, tolerationSeconds: 7200}, {operator: Exists}";
    let answer = one(added, timed, &of_p("p-decision-1", &["a"]));
    assert_eq!(answer["decisions"], json!(["a"]));
    assert_eq!(answer["requeueTime"], "2026-01-01T01:00:00Z");
    // 14: what counts is the label and the namespace.
    let new = "{key: k, effect: NoSelectIfNew}";
    assert_eq!(one(new, "", "")["decisions"], json!([]));
    assert_eq!(
        one(new, "", &of_p("any-name", &["a"]))["decisions"],
        json!(["a"])
    );
    let other = decision("p-decision-1", &format!("{G}/placement: q"), &["a"]);
    assert_eq!(one(new, "", &other)["decisions"], json!([]));
    assert_eq!(
        misconfigured(&one(added, "{key: k}, {operator: Exists, value: x}", "")),
        "TaintToleration:If the operator is Exists, the value should be empty."
    );
}

fn policy(configurations: &str) -> String {
    placement(&format!(
        "{{prioritizerPolicy: {{mode: Exact, configurations: [{configurations}]}}}}"
    ))
}

fn built_in(name: &str, weight: i32) -> String {
    format!("{{scoreCoordinate: {{builtIn: {name}}}, weight: {weight}}}")
}

#[test]
fn balance_and_steady() {
    // 15: all namespaces, unlabelled ones, repeated and unknown names count; only the untouched get 100.
    let decisions = decision("x", "", &["a", "ghost", "ghost"]) + &of_p("p-decision-1", &["b"]);
    let answer = plan(&(hub(&THREE) + &decisions + &policy(&built_in("Balance", 1))));
    assert_eq!(answer["totals"], json!({"a": 0, "b": 100, "c": 100}));
    // 22: a negative Steady weight gives up what was decided.
    let spec = format!(
        "{{numberOfClusters: 1, prioritizerPolicy: {{mode: Exact, configurations: [{}]}}}}",
        built_in("Steady", -1)
    );
    let answer = plan(&(hub(&THREE) + &of_p("p-decision-1", &["a"]) + &placement(&spec)));
    assert_eq!(answer["decisions"], json!(["b"]));
}

fn resources(cpu: &str) -> String {
    format!("status: {{allocatable: {{cpu: {cpu}}}, capacity: {{cpu: 1}}}}\n")
}

#[test]
fn resource_scores() {
    let (low, high) = (resources("2"), resources("8"));
    let lacking = "status: {allocatable: {cpu: 100}}\n";
    let clusters = [("a", low.as_str()), ("b", high.as_str()), ("c", lacking)];
    let cpu = policy(&built_in("ResourceAllocatableCPU", 1));
    // 17: without capacity no score, which beats the poorest.
    let answer = plan(&(hub(&clusters) + &cpu));
    assert_eq!(
        answer["prioritizers"][0]["scores"],
        json!({"a": -100, "b": 100})
    );
    assert_eq!(answer["selected"], json!(["b", "c", "a"]));
    // 18: a single cluster has 100, also with nothing.
    let zero = resources("0");
    let answer = plan(&(hub(&[("a", zero.as_str())]) + &cpu));
    assert_eq!(answer["totals"], json!({"a": 100}));
}

#[test]
fn weights() {
    // 20: absent is 1; 0 hides an unknown name.
    let one = "{scoreCoordinate: {builtIn: Steady}}, {scoreCoordinate: {builtIn: Nope}, weight: 0}";
    let answer = plan(&(hub(&THREE) + &policy(one)));
    assert_eq!(answer["prioritizers"][0]["weight"], 1);
    // 21: an add-on score twice counts twice, a built-in once, one with an add-on section again.
    let add_on = "addOn: {resourceName: usage, scoreName: x}";
    let twice = format!(
        "{{scoreCoordinate: {{type: AddOn, {add_on}}}, weight: 2}}, \
         {{scoreCoordinate: {{type: AddOn, {add_on}}}, weight: 3}}, {}, {}, \
         {{scoreCoordinate: {{builtIn: Balance, {add_on}}}, weight: 4}}",
        built_in("Balance", 5),
        built_in("Balance", 6)
    );
    let answer = plan(&(hub(&THREE) + &policy(&twice)));
    let weights: Vec<(&str, i64)> = answer["prioritizers"]
        .as_array()
        .expect("prioritizers")
        .iter()
        .map(|one| {
            (
                one["name"].as_str().unwrap_or(""),
                one["weight"].as_i64().unwrap_or(0),
            )
        })
        .collect();
    let add_on = "AddOn/usage/x";
    assert_eq!(
        weights,
        [(add_on, 2), (add_on, 3), ("Balance", 4), ("Balance", 6)]
    );
}

#[test]
fn numbers_and_groups() {
    // 23
    let answer = plan(&(hub(&THREE) + &placement("{numberOfClusters: 0}")));
    assert_eq!(reason(&answer), "NoManagedClusterMatched");
    // 24: what crashes the original is refused here.
    let (answer, found) = text(&(hub(&THREE) + &placement("{numberOfClusters: -1}")));
    assert_eq!(answer["placements"], json!([]));
    let object = found
        .iter()
        .find_map(|found| found.object.clone())
        .expect("an object");
    assert_eq!(object.rule.as_deref(), Some("minimum"));
    // 25: 0 and negative integers mean no cap. 26 stands beside the arithmetic.
    for cap in ["0", "-4", "99"] {
        let spec =
            format!("{{decisionStrategy: {{groupStrategy: {{clustersPerDecisionGroup: {cap}}}}}}}");
        let answer = plan(&(hub(&THREE) + &placement(&spec)));
        assert_eq!(answer["decisionGroups"].as_array().map(Vec::len), Some(1));
    }
    // 27: a named group without members takes no index.
    let spec = "{decisionStrategy: {groupStrategy: {decisionGroups: [\
                {groupName: none, groupClusterSelector: {labelSelector: {matchLabels: {name: x}}}}, \
                {groupName: bb, groupClusterSelector: {labelSelector: {matchLabels: {name: b}}}}]}}}";
    let groups = plan(&(hub(&THREE) + &placement(spec)))["decisionGroups"].clone();
    assert_eq!(
        (&groups[0]["index"], &groups[0]["name"]),
        (&json!(0), &json!("bb"))
    );
    assert_eq!(groups[1]["clusters"], json!(["a", "c"]));
    // 28
    let (answer, _) = text(&placement(&spec.replace("groupName: bb", "groupName: b")));
    assert_eq!(answer["placements"], json!([]));
    // 29: no selection still yields one group and one empty page.
    let answer = plan(&(hub(&[]) + &placement("{}")));
    assert_eq!(answer["decisionGroups"][0]["clusterCount"], 0);
    assert_eq!(answer["placementDecisions"][0]["clusters"], json!([]));
}

#[test]
fn existing_objects_and_conditions() {
    // 30: taken over without the label; surplus ones go only with it.
    let existing = decision("p-decision-1", "", &["a"])
        + &decision("p-decision-7", "", &["a"])
        + &of_p("p-decision-8", &["a"]);
    let answer = plan(&(hub(&THREE) + &existing + &placement("{}")));
    assert_eq!(answer["placementDecisions"][0]["name"], "p-decision-1");
    assert_eq!(answer["deletedPlacementDecisions"], json!(["p-decision-8"]));
    // 31
    let long = "p".repeat(64);
    let (answer, found) = text(&(hub(&THREE) + &named(&long, "{}")));
    assert_eq!(answer["placements"][0]["conditions"], json!([]));
    assert!(codes(&found).contains(&"ocm::long_name"));
    // Conditions of others stay, ours keep their place.
    let documents = hub(&THREE)
        + &placement("{}")
        + "status: {conditions: [{type: PlacementSatisfied, status: \"False\", reason: X, message: \
           old}, {type: Mine, status: \"True\", reason: Because, message: kept}]}\n";
    let answer = plan(&documents);
    let kinds: Vec<&str> = answer["conditions"]
        .as_array()
        .expect("conditions")
        .iter()
        .filter_map(|condition| condition["type"].as_str())
        .collect();
    assert_eq!(
        kinds,
        ["PlacementSatisfied", "Mine", "PlacementMisconfigured"]
    );
    assert_eq!(condition(&answer, "PlacementSatisfied")["status"], "True");
}

/// One step over groups 0 (`g`) and others given as `index name clusters`.
fn rollout(
    strategy: &str,
    groups: &[(&str, &str, &[&str])],
    known: &[(&str, &str, &str)],
) -> Value {
    let mut documents = placement("{}");
    for (page, (index, name, clusters)) in groups.iter().enumerate() {
        let labels = format!(
            "{G}/placement: p, {G}/decision-group-name: \"{name}\", \
             {G}/decision-group-index: \"{index}\""
        );
        documents.push_str(&decision(
            &format!("p-decision-{}", page + 1),
            &labels,
            clusters,
        ));
    }
    documents.push_str(&format!(
        "---\napiVersion: work.open-cluster-management.io/v1alpha1\nkind: ManifestWorkReplicaSet\n\
         metadata: {{name: w, namespace: ns}}\n\
         spec: {{placementRefs: [{{name: p, rolloutStrategy: {strategy}}}]}}\n---\n\
         apiVersion: planner/v1\nkind: RolloutStep\nmetadata: {{name: step, namespace: ns}}\n\
         spec:\n  manifestWorkReplicaSet: w\n  placement: p\n  clusters:\n"
    ));
    for (cluster, status, time) in known {
        documents.push_str(&format!(
            "  - {{clusterName: {cluster}, status: {status}, lastTransitionTime: \"{time}\"}}\n"
        ));
    }
    text(&documents).0["rollouts"][0].clone()
}

fn clusters(list: &Value) -> Vec<&str> {
    let states = list.as_array().expect("states").iter();
    states
        .map(|state| state["clusterName"].as_str().expect("a name"))
        .collect()
}

const SIX: &[(&str, &str, &[&str])] = &[("0", "", &["a", "b", "c", "d", "e", "f"])];
const SOON: &str = "2025-12-31T23:59:00Z";
const LONG_AGO: &str = "2025-12-31T20:00:00Z";

#[test]
fn rollout_thresholds() {
    let progressive = |fields: &str| format!("{{type: Progressive, progressive: {{{fields}}}}}");
    // 32: more than there are tolerates none, as many tolerates all.
    let failed: Vec<(&str, &str, &str)> = vec![("a", "Failed", SOON)];
    for (max, breach) in [("7", true), ("6", false), ("17%", false), ("0%", true)] {
        let step = rollout(&progressive(&format!("maxFailures: {max}")), SIX, &failed);
        assert_eq!(step["maxFailureBreach"], breach, "{max}");
    }
    // 33: a number in quotes fails the step; 0, 0%, negative and too large mean all.
    for field in ["maxFailures: \"3\"", "maxConcurrency: \"3\""] {
        assert!(
            rollout(&progressive(field), SIX, &[])
                .get("error")
                .is_some()
        );
    }
    for size in ["0", "0%", "-1", "9"] {
        let step = rollout(&progressive(&format!("maxConcurrency: {size}")), SIX, &[]);
        assert_eq!(clusters(&step["clustersToRollout"]).len(), 6, "{size}");
    }
    // 35, 36: found in name order; failed ones keep a place in the window, timed-out ones do not.
    let step = rollout(
        &progressive("maxConcurrency: 4"),
        SIX,
        &[
            ("c", "Failed", SOON),
            ("a", "ToApply", SOON),
            ("d", "ToApply", SOON),
        ],
    );
    assert_eq!(clusters(&step["clustersToRollout"]), ["a", "c"]);
    assert_eq!(step["maxFailureBreach"], true);
    let step = rollout(
        &progressive("maxConcurrency: 2, maxFailures: 3, progressDeadline: 10m"),
        SIX,
        &[("a", "Failed", LONG_AGO), ("b", "Failed", SOON)],
    );
    assert_eq!(clusters(&step["clustersToRollout"]), ["b", "c"]);
    assert_eq!(clusters(&step["clustersTimeOut"]), ["a"]);
    // 40: deadlines that pass admission and fail later, those that are refused, one at once.
    for (deadline, error) in [
        ("10mx", true),
        ("xNone", true),
        ("1h30m", false),
        ("0s", false),
    ] {
        let step = rollout(
            &progressive(&format!("progressDeadline: \"{deadline}\"")),
            SIX,
            &[],
        );
        assert_eq!(step.get("error").is_some(), error, "{deadline}");
    }
    for deadline in ["1d", "10"] {
        let strategy = progressive(&format!("progressDeadline: \"{deadline}\""));
        let error = rollout(&strategy, SIX, &[])["error"].clone();
        assert!(
            error
                .as_str()
                .is_some_and(|error| error.starts_with("no strategy")),
            "{deadline}"
        );
    }
}

#[test]
fn rollout_groups() {
    let two: &[(&str, &str, &[&str])] = &[("0", "g", &["a", "b"]), ("1", "", &["c"])];
    // 34: the next group starts while the first is not done.
    let per_group = "{type: ProgressivePerGroup, progressivePerGroup: {maxFailures: 1, \
                     progressDeadline: 10m}}";
    let step = rollout(
        per_group,
        two,
        &[("a", "Progressing", LONG_AGO), ("b", "Progressing", SOON)],
    );
    assert_eq!(clusters(&step["clustersToRollout"]), ["b", "c"]);
    // 37: a mandatory cluster given as TimeOut lets the rollout pass on.
    let mandatory = "{type: Progressive, progressive: {mandatoryDecisionGroups: [{groupName: g}]}}";
    let known = [("a", "TimeOut", SOON), ("b", "Succeeded", LONG_AGO)];
    let step = rollout(mandatory, two, &known);
    assert_eq!(step["maxFailureBreach"], true);
    let step = rollout(
        mandatory,
        two,
        &[("a", "Failed", SOON), ("b", "Succeeded", LONG_AGO)],
    );
    assert_eq!(clusters(&step["clustersToRollout"]), ["a"]);
    // 38: per group in the order given, removed ones too.
    let known = [
        ("zz", "Failed", SOON),
        ("b", "Progressing", SOON),
        ("yy", "Failed", SOON),
        ("a", "Progressing", SOON),
    ];
    let step = rollout(per_group, two, &known);
    assert_eq!(clusters(&step["clustersToRollout"]), ["b", "a"]);
    assert_eq!(clusters(&step["clustersRemoved"]), ["zz", "yy"]);
    // 39: groups beyond a gap are invisible.
    let gap: &[(&str, &str, &[&str])] = &[("0", "", &["a"]), ("2", "", &["c"])];
    let step = rollout("{type: All}", gap, &[("c", "Progressing", SOON)]);
    assert_eq!(clusters(&step["clustersToRollout"]), ["a"]);
    assert_eq!(clusters(&step["clustersRemoved"]), ["c"]);
    let bad: &[(&str, &str, &[&str])] = &[("x", "", &["a"])];
    assert!(rollout("{type: All}", bad, &[]).get("error").is_some());
}

#[test]
fn admission() {
    // 42: a boolean where text is wanted; a number too.
    for label in ["yes", "on", "1"] {
        let documents = hub(&[]).replace(
            "metadata: {name: s}",
            &format!("metadata: {{name: s, labels: {{k: {label}}}}}"),
        );
        let (_, found) = text(&(documents + &placement("{}")));
        assert!(found.iter().any(|found| found.refuses), "{label}");
    }
    // An explicit empty type or key is refused, an absent one is not.
    for (spec, passes) in [
        (
            "{prioritizerPolicy: {configurations: [{scoreCoordinate: {type: \"\", builtIn: Steady}}]}}",
            false,
        ),
        (
            "{prioritizerPolicy: {configurations: [{scoreCoordinate: {builtIn: Steady}}]}}",
            true,
        ),
        ("{tolerations: [{key: \"\", operator: Exists}]}", false),
        ("{tolerations: [{key: null, operator: Exists}]}", true),
        ("{numberOfClusters: null, predicates: null}", true),
    ] {
        let (answer, found) = text(&(hub(&THREE) + &placement(spec)));
        let planned = answer["placements"].as_array().map(Vec::len) == Some(1);
        assert_eq!(planned, passes, "{spec}: {found:?}");
    }
    // A refused document takes no part, so it stands in nobody's way.
    let binding = format!(
        "---\napiVersion: {G}/v1beta2\nkind: ManagedClusterSetBinding\n\
         metadata: {{name: s, namespace: ns}}\nspec: {{clusterSet: other}}\n"
    );
    let (answer, found) = text(&(binding + "---\n" + &hub(&THREE) + &placement("{}")));
    assert_eq!(answer["placements"][0]["decisions"], json!(["a", "b", "c"]));
    assert_eq!(codes(&found), ["ocm::binding_name"]);
    // What is wanted and what is there, in one sentence.
    let (_, found) = text(&placement("{scoreRateLimit: 5, tolerations: [{key: yes}]}"));
    for found in found.iter().filter(|found| found.refuses) {
        let message = &found.message;
        assert!(
            message.contains("must be ") && !message.contains("be be"),
            "{message}"
        );
    }
}

/// The clusters chosen.
fn chosen(documents: &str) -> Vec<String> {
    let answer = plan(documents);
    let decisions = answer["decisions"].as_array().expect("decisions");
    let name = |decision: &Value| {
        let name = decision.as_str().or(decision["clusterName"].as_str());
        name.unwrap_or_default().to_owned()
    };
    decisions.iter().map(name).collect()
}

#[test]
fn scalars_are_those_of_the_api_servers_reader() {
    for (number, count) in [
        ("1e0", 1),
        ("0x2", 2),
        ("0b10", 2),
        ("0o2", 2),
        ("2.0", 2),
        ("+1", 1),
        ("02", 2),
        ("!!float 2", 2),
    ] {
        let spec = format!("{{numberOfClusters: {number}}}");
        assert_eq!(
            chosen(&(hub(&THREE) + &placement(&spec))).len(),
            count,
            "{number}"
        );
    }
    for number in ["0:01", "1.5", "yes", "1e-1", "'1'", "0o8"] {
        let spec = format!("{{numberOfClusters: {number}}}");
        let (_, found) = text(&(hub(&THREE) + &placement(&spec)));
        assert!(
            codes(&found).contains(&"schema::type"),
            "{number}: {found:?}"
        );
    }
    for value in [
        "1e3", "12e03", "08", "010", "0x1", "1_000", ".5", "+1", "yes", "y", "n", "on", "1.5",
    ] {
        let labels = format!("{{name: d, labels: {{a: {value}}}}}");
        let cluster =
            format!("---\napiVersion: {G}/v1\nkind: ManagedCluster\nmetadata: {labels}\n");
        let (_, found) = text(&(hub(&THREE) + &cluster + &placement("{}")));
        assert_eq!(codes(&found), ["schema::type"], "{value}");
    }
    // Base 60 is none of its; what is not a number is text.
    let claims =
        |value: &str| format!("status: {{clusterClaims: [{{name: t, value: {value}}}]}}\n");
    let (a, b) = (claims("12:30"), claims("0o8"));
    let clusters = [("a", a.as_str()), ("b", b.as_str()), ("c", "")];
    let spec = "{predicates: [{requiredClusterSelector: {claimSelector: {matchExpressions: \
                [{key: t, operator: In, values: [0o8]}]}}}]}";
    let documents = hub(&clusters) + &placement(spec);
    assert_eq!(chosen(&documents), ["b"]);
    assert_eq!(codes(&text(&documents).1), [""; 0]);
}

#[test]
fn a_label_without_a_value_is_the_empty_text() {
    for null in ["null", "~", "", "Null"] {
        let cluster = format!(
            "---\napiVersion: {G}/v1\nkind: ManagedCluster\nmetadata:\n  name: d\n  labels:\n    \
             {G}/clusterset: s\n    a: {null}\n"
        );
        let spec =
            "{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {a: \"\"}}}}]}";
        assert_eq!(
            chosen(&(hub(&THREE) + &cluster + &placement(spec))),
            ["d"],
            "{null:?}"
        );
    }
}

/// Ten times ten times …: ten thousand million letters.
fn tower() -> String {
    let times = ".replace(\"x\", \"xxxxxxxxxx\")".repeat(10);
    format!("\"x\"{times} == \"\"")
}

#[cfg(feature = "cel")]
#[test]
fn an_expression_over_its_budget_is_a_misconfiguration() {
    let answer = plan(&(hub(&THREE) + &cel(&tower())));
    assert!(misconfigured(&answer).contains(&tower()));
    assert_eq!(answer["decisions"], json!([]));
}

/// And a finding that names it, where there is little memory: it is never built.
#[cfg(all(feature = "cel", target_os = "linux"))]
#[test]
fn an_expression_over_its_budget_is_a_finding_and_takes_no_memory() {
    let folder = tempfile::tempdir().expect("a directory");
    let site = folder.path().join("site.yaml");
    std::fs::write(&site, hub(&THREE) + &cel(&tower())).expect("a site");
    let script = "ulimit -v 3000000 && exec \"$0\" plan \"$1\" -o json";
    let answer = std::process::Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_planner")])
        .arg(&site)
        .output()
        .expect("the program");
    let answer: Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    let found = &answer["diagnostics"][0];
    assert_eq!(found["code"], "planner::ocm::misconfigured", "{answer}");
    let message = found["message"].as_str().expect("a message");
    assert!(
        message.contains(&tower()) && message.contains("10000000 bytes"),
        "{message}"
    );
}

#[test]
fn a_binding_without_a_namespace_is_told_where_it_is() {
    let unbound = hub(&[("a", "")]).replace("{name: s, namespace: ns}", "{name: s}");
    let site = unbound + &placement("{clusterSets: [s]}");
    let folder = crate::support::Folder::of(&[("a.yaml", &site)]);
    let told = folder.run(&["plan", "."]).out;
    let words = "is in the namespace default; write `namespace: ns` in its metadata";
    assert!(told.contains(words), "{told}");
}

#[test]
fn a_placement_of_no_cluster_says_what_is_left_and_wanted() {
    let site = hub(&[("a", ""), ("b", "")]) + &placement("{numberOfClusters: 0}");
    let folder = crate::support::Folder::of(&[("a.yaml", &site)]);
    let told = folder.run(&["plan", "."]).out;
    assert!(told.contains("    2 left, 0 wanted\n"), "{told}");
}

/// A former decision may name a cluster that the hub has no more.
#[test]
fn a_step_of_a_rollout_names_clusters_that_are_gone() {
    let step = "---\napiVersion: work.open-cluster-management.io/v1alpha1\n\
                kind: ManifestWorkReplicaSet\nmetadata: {name: w, namespace: ns}\n\
                spec: {manifestWorkTemplate: {workload: {manifests: []}}, placementRefs: [{name: p}]}\n\
                ---\napiVersion: planner/v1\nkind: RolloutStep\n\
                metadata: {name: step, namespace: ns}\n\
                spec: {manifestWorkReplicaSet: w, placement: p}\n";
    let labels = format!("{G}/placement: p, {G}/decision-group-index: \"0\"");
    let held = decision("p-decision-1", &labels, &["gone"]);
    let site =
        hub(&[("oslo", "spec: {hubAcceptsClient: true}\n")]) + &placement("{}") + &held + step;
    let folder = Folder::of(&[("hub.yaml", &site)]);
    let answer = folder.at(&["plan", "hub.yaml"]);
    let gone = "- Leaves the Placement with this plan: 1 Cluster: gone";
    assert!(answer.ends(0).out.contains(gone), "{answer:#?}");
}
