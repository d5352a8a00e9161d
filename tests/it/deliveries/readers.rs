//! Readers of decisions: who gets what of PlacementRules, what fails keeps what it has, and what
//! templates and steps make of Applications.

use serde_json::{Value, json};

use crate::support::Folder;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../fixtures/deliveries/readers/", $name))
    };
}

fn folder(text: &str) -> Folder {
    let folder = Folder::new();
    folder.write("site.yaml", text);
    folder
}

fn plan(text: &str) -> Value {
    let words = ["plan", "site.yaml", "-o", "json", "--no-input"];
    folder(text)
        .run(&[&words[..], &["--keep-going"]].concat())
        .json()
}

fn row<'v>(plan: &'v Value, kind: &str) -> &'v Value {
    let mut rows = plan["deliveries"].as_array().unwrap().iter();
    let row = rows.find(|row| row["kind"] == kind);
    row.unwrap_or_else(|| panic!("{kind}: {plan:#}"))
}

fn codes(plan: &Value) -> Vec<(String, String)> {
    let found = plan["diagnostics"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    found
        .map(|one| (text(&one["code"]), text(&one["severity"])))
        .collect()
}

fn says(plan: &Value, code: &str, severity: &str) -> bool {
    codes(plan).contains(&(format!("planner::ocm::{code}"), severity.to_owned()))
}

#[test]
fn a_subscription_gets_what_its_rule_decides() {
    let text = fixture!("rule.yaml");
    let made = plan(text);
    let reader = row(&made, "Subscription");
    assert_eq!(reader["clusters"], json!(["oslo"]));
    assert_eq!(
        (&reader["was"], &reader["added"]),
        (&json!(null), &json!(["oslo"]))
    );
    assert_eq!(
        reader["via"],
        json!([{
            "placement": {"kind": "PlacementRule", "namespace": "gov", "name": "dev"},
            "clusters": ["oslo"],
        }])
    );
    // The operator writes no decision for a rule that selects nothing.
    let made = plan(&text.replacen("env: dev", "env: prod", 1));
    assert_eq!(row(&made, "Subscription")["clusters"], json!([]));
    // A rule that is not there.
    let made = plan(&text.replace(
        "kind: PlacementRule, name: dev}}}",
        "kind: PlacementRule, name: dve}}}",
    ));
    assert_eq!(row(&made, "Subscription")["clusters"], json!([]));
    assert!(says(&made, "unknown_placement", "error"), "{made:#}");
    // What the rule held is known from its status, and from the operator's objects.
    let status = "spec: {clusterSelector: {matchLabels: {env: dev}}}\nstatus: {decisions: [{clusterName: riga, \
                  clusterNamespace: riga}]}";
    let held = text.replace("spec: {clusterSelector: {matchLabels: {env: dev}}}", status);
    let reader = row(&plan(&held), "Subscription").clone();
    assert_eq!(reader["was"], json!(["riga"]));
    assert_eq!(
        (&reader["added"], &reader["removed"]),
        (&json!(["oslo"]), &json!(["riga"]))
    );
    let objects = |owner: &str| {
        format!(
            "{text}---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: PlacementDecision\nmetadata: \
             {{name: dev-decision-1, namespace: gov, {owner}labels: \
             {{cluster.open-cluster-management.io/placementrule: dev}}}}\nstatus: {{decisions: [{{clusterName: \
             riga, reason: ''}}]}}\n"
        )
    };
    let owner = "ownerReferences: [{apiVersion: apps.open-cluster-management.io/v1, kind: PlacementRule, name: dev, \
                 uid: u}], ";
    let reader = row(&plan(&objects(owner)), "Subscription").clone();
    assert_eq!(
        (&reader["was"], &reader["clusters"]),
        (&json!(["riga"]), &json!(["oslo"]))
    );
    // Somebody else's stay.
    let reader = row(&plan(&objects("")), "Subscription").clone();
    assert_eq!(
        (&reader["was"], &reader["clusters"]),
        (&json!(["riga"]), &json!(["riga"]))
    );
}

#[test]
fn an_application_set_gets_what_a_rule_decides_in_pages() {
    let set = fixture!("applications.yaml");
    let start = set.find("apiVersion: argoproj.io").unwrap();
    let set = set[start..].replace("placement: web", "placementrule: all");
    let clusters = (0..150).map(|at| {
        format!("apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: {{name: c{at:03}}}\n---\n")
    });
    let rule = "apiVersion: apps.open-cluster-management.io/v1\nkind: PlacementRule\nmetadata: {name: all, namespace: \
                argocd}\nspec: {}\n---\n";
    let made = plan(&format!("{}{rule}{set}", clusters.collect::<String>()));
    let reader = row(&made, "ApplicationSet");
    assert_eq!(reader["clusters"].as_array().unwrap().len(), 150);
    assert_eq!(reader["applications"].as_array().unwrap().len(), 150);
    // A rule without clusters has no decision: Argo CD finds none, and leaves everything as it is.
    let none = rule.replace("spec: {}", "spec: {clusterReplicas: 0}");
    let made = plan(&format!(
        "{}{none}{set}",
        "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: {name: oslo}\n---\n"
    ));
    assert!(row(&made, "ApplicationSet").get("error").is_some());
    assert!(says(&made, "emptied", "error"), "{made:#}");
}

#[test]
fn a_changed_rule_moves_its_readers() {
    let folder = Folder::new();
    let text = fixture!("rule.yaml");
    folder.write("before/site.yaml", text);
    folder.write("now/site.yaml", text.replacen("env: dev", "env: prod", 1));
    let words = [
        "plan",
        "--against",
        "before",
        "now",
        "--no-input",
        "-o",
        "json",
    ];
    let diff = folder.run(&words).json();
    let moves = diff["moves"].to_string();
    assert!(moves.contains("Subscription/gov/s"), "{diff:#}");
    let words = [
        "plan",
        "--against",
        "before",
        "now",
        "--no-input",
        "--fail-on",
        "emptied",
    ];
    folder.run(&words).ends(3);
}

#[test]
fn an_empty_list_of_clusters_is_all_of_them() {
    let text = fixture!("everywhere.yaml");
    let made = plan(text);
    assert_eq!(row(&made, "Subscription")["clusters"], json!(["oslo"]));
    assert!(
        says(&made, "subscription_everywhere", "warning"),
        "{made:#}"
    );
    // A selector beside it is asked instead, and a cluster that is being deleted does not count.
    let selector = "clusters: [], clusterSelector: {matchLabels: {env: prod}}";
    let made = plan(&text.replace("clusters: []", selector));
    assert_eq!(row(&made, "Subscription")["clusters"], json!([]));
    assert!(
        !says(&made, "subscription_everywhere", "warning"),
        "{made:#}"
    );
    let gone = "{name: oslo, deletionTimestamp: '2026-01-01T00:00:00Z'}";
    let made = plan(&text.replace("{name: oslo}", gone));
    assert_eq!(row(&made, "Subscription")["clusters"], json!([]));
    // A name that no label can have is refused, and everything stays.
    let made = plan(&text.replace("clusters: []", "clusters: [{name: 'no label'}]"));
    assert!(row(&made, "Subscription").get("error").is_some());
}

#[test]
fn what_fails_keeps_what_it_has() {
    let applications = fixture!("applications.yaml");
    let subscription = fixture!("rule.yaml");
    let works = fixture!("two-refs.yaml").replace("{name: p}, {name: q}", "{name: p}");
    let rule = "spec: {clusterSelector: {matchLabels: {env: dev}}}";
    let unreadable =
        "spec: {clusterSelector: {matchExpressions: [{key: env, operator: Is, values: [dev]}]}}";
    let cases = [
        (
            applications,
            applications.replace("placement: web}", "placement: wbe}"),
        ),
        (
            applications,
            applications.replace("placement: web}", "placement: 'no label'}"),
        ),
        (
            applications,
            applications.replace("acm-placement", "missing"),
        ),
        (
            applications,
            applications.replace("'web-{{name}}'", "'web-{{name}}-{{'"),
        ),
        (
            applications,
            format!(
                "{applications}  strategy: {{type: RollingSync, rollingSync: {{steps: []}}}}\n"
            ),
        ),
        (
            subscription,
            subscription.replace("channel: gov/c", "channel: gov/d"),
        ),
        (
            subscription,
            subscription.replace("channel: gov/c", "channel: c"),
        ),
        (
            subscription,
            subscription.replace(
                "kind: PlacementRule, name: dev}}}",
                "kind: Rule, name: dev}}}",
            ),
        ),
        (subscription, subscription.replace(rule, unreadable)),
        (
            &works,
            works.replace(
                "placementRefs: [{name: p}",
                "placementRefs: [{name: gone}, {name: p}",
            ),
        ),
    ];
    for (before, now) in cases {
        assert_ne!(before, now);
        let folder = Folder::new();
        folder.write("before/site.yaml", before);
        folder.write("now/site.yaml", &now);
        let words = [
            "plan",
            "--against",
            "before",
            "now",
            "--no-input",
            "-o",
            "json",
        ];
        let diff = folder.run(&words).json();
        assert_eq!(diff["moves"], json!([]), "{now}\n{diff:#}");
        let words = [
            "plan",
            "--against",
            "before",
            "now",
            "--no-input",
            "--fail-on",
            "removed",
        ];
        folder.run(&words).ends(0);
    }
    // A GitOpsCluster that fails registers nothing any more, and a missing Placement withdraws.
    let gone = subscription.replace(
        "kind: PlacementRule, name: dev}}}",
        "kind: PlacementRule, name: gone}}}",
    );
    let folder = Folder::new();
    folder.write("before/site.yaml", subscription);
    folder.write("now/site.yaml", gone);
    let words = [
        "plan",
        "--against",
        "before",
        "now",
        "--no-input",
        "--fail-on",
        "removed",
    ];
    folder.run(&words).ends(3);
}

#[test]
fn a_decision_that_no_hub_holds_is_left_out() {
    let made = plan(fixture!("no-decisions.yaml"));
    let reader = row(&made, "ApplicationSet");
    assert_eq!(
        (&reader["was"], &reader["removed"]),
        (&json!(null), &json!([]))
    );
    assert!(reader.get("error").is_some(), "{made:#}");
    assert!(says(&made, "decision_status", "error"), "{made:#}");
    // An object without a status was created a moment ago.
    let made = plan(&fixture!("no-decisions.yaml").replace("status: {other: x}\n", ""));
    assert!(!says(&made, "decision_status", "error"), "{made:#}");
    assert!(
        row(&made, "ApplicationSet").get("error").is_none(),
        "{made:#}"
    );
}

#[test]
fn a_step_with_an_application_that_is_not_created_is_never_left() {
    let folder = folder(fixture!("dropped.yaml"));
    let simulated = folder.run(&["simulate", "site.yaml", "-o", "json"]).json();
    let steps = &simulated["applicationRollouts"][0]["steps"];
    assert_eq!(steps[0]["waves"], json!([["web-oslo"]]));
    assert_eq!(steps[0]["atOnce"], 1);
    assert_eq!(
        (&steps[1]["reached"], &steps[1]["waves"]),
        (&json!(false), &json!([]))
    );
    let made = plan(fixture!("dropped.yaml"));
    assert!(says(&made, "rolling_steps", "warning"), "{made:#}");
    assert!(made.to_string().contains("step 1 waits for"), "{made:#}");
}

#[test]
fn the_second_child_of_a_matrix_is_rendered_whole() {
    let fails = |text: &str| row(&plan(text), "ApplicationSet").get("error").is_some();
    let loose = fixture!("second-child.yaml");
    assert!(fails(loose));
    assert!(fails(fixture!("second-child-strict.yaml")));
    // What is missing prints as such, where that is no error; the template of a child has no effect.
    let fine = loose.replace("own-{{name}}", "own-{{.name}}");
    assert!(!fails(&fine));
    assert!(!fails(&fine.replace("own-{{.name}}", "own-{{.ring}}")));
    // A field of a text is one, everywhere in the child.
    assert!(fails(&fine.replace("own-{{.name}}", "own-{{.ring.x}}")));
    assert!(fails(&fine.replace(
        "project: default, destination: {}",
        "project: '{{.ring.x}}', destination: {}"
    )));
    // `values` stay as they are where something is missing, and fail where they are no template.
    let values = |text: &str| {
        fine.replace("          template:\n            metadata: {name: 'own", &format!("          values: {{a: '{text}'}}\n          template:\n            metadata: {{name: 'own"))
    };
    assert_ne!(values("x"), fine);
    assert!(!fails(&values("{{.nope}}")));
    assert!(fails(&values("{{nope}}")));
    // Nothing is rendered with a set that has no parameter.
    assert!(!fails(&loose.replace("[{ring: a}]", "[{}]")));
    // The first child is never rendered.
    assert!(!fails(&fine.replace("{ring: a}", "{ring: '{{name}}'}")));
}

#[test]
fn a_bare_word_that_is_no_function_fails() {
    let text = fixture!("bare-word.yaml");
    let fails = |word: &str| {
        let made = plan(&text.replace("'{{ring}}'", &format!("'{word}'")));
        row(&made, "ApplicationSet").get("error").is_some()
    };
    for word in [
        "{{ring}}",
        "{{ .ring | loud }}",
        "{{ env \"HOME\" }}",
        "{{ if eq .ring a }}x{{ end }}",
    ] {
        assert!(fails(word), "{word}");
    }
    for word in [
        "{{.ring}}",
        "{{ .ring | upper | trunc 3 }}",
        "{{ slugify .ring }}",
        "{{ \"ring\" }}",
    ] {
        assert!(!fails(word), "{word}");
    }
}

#[test]
fn rows_of_works_and_add_ons_agree_with_the_hub() {
    let made = plan(fixture!("ref-twice.yaml"));
    let works = row(&made, "ManifestWorkReplicaSet");
    assert_eq!(works["clusters"], json!(["riga"]));
    assert_eq!(
        (&works["added"], &works["removed"]),
        (&json!(["riga"]), &json!(["graz"]))
    );
    assert_eq!(works["via"][2]["clusters"], json!(["riga"]));
    let made = plan(fixture!("ghost.yaml"));
    let addon = row(&made, "ClusterManagementAddOn");
    assert_eq!(
        (&addon["clusters"], &addon["removed"]),
        (&json!(["ghost"]), &json!([]))
    );
    assert_eq!(addon["via"][0]["clusters"], json!(["ghost"]));
    // A policy whose decisions nobody holds comes to all of its clusters.
    let policy = plan(fixture!("rule.yaml"));
    assert_eq!(row(&policy, "Policy")["added"], json!(["oslo"]));
}

#[test]
fn what_never_settles_is_an_error() {
    let text = fixture!("flips.yaml");
    let made = plan(text);
    assert!(says(&made, "never_settles", "error"), "{made:#}");
    assert_eq!(made["placements"][0]["stable"], json!(false));
    let folder = folder(text);
    let screen = folder.run(&["plan", "site.yaml", "--no-input"]);
    assert!(screen.out.contains("Not stable: flip/p"), "{}", screen.out);
    // A weight that does not drive a cluster out, or places for all, come to rest.
    for (from, to) in [
        ("weight: -1", "weight: 1"),
        ("numberOfClusters: 1", "numberOfClusters: 2"),
        ("numberOfClusters: 1", "clusterSets: [s]"),
        ("[{scoreCoordinate: {builtIn: Steady}, weight: -1}]", "[]"),
    ] {
        let made = plan(&text.replace(from, to));
        assert!(!says(&made, "never_settles", "error"), "{to}: {made:#}");
        assert_eq!(made["placements"][0].get("stable"), None, "{to}");
    }
    let made = plan(fixture!("two-refs.yaml"));
    assert!(says(&made, "work_twice", "error"), "{made:#}");
    assert!(made.to_string().contains("without end"), "{made:#}");
    // Two refs of one name make one work.
    let once = fixture!("two-refs.yaml").replace("{name: q}]", "{name: p}]");
    assert!(!says(&plan(&once), "work_twice", "error"));
    let dotted =
        fixture!("two-refs.yaml").replace("{name: w, namespace: ns}", "{name: w.x, namespace: ns}");
    assert!(says(&plan(&dotted), "work_events", "warning"));
}

#[test]
fn without_clusters_nothing_is_planned() {
    let rules = fixture!("no-clusters.yaml");
    let folder = Folder::new();
    folder.write("site.yaml", rules);
    let answer = folder.run(&["plan", "site.yaml", "--no-input"]);
    assert!(
        answer
            .ends(66)
            .err
            .contains("1 PlacementRule to choose from"),
        "{}",
        answer.err
    );
    let everywhere = fixture!("everywhere.yaml");
    let start = everywhere.find("---").unwrap();
    folder.write("site.yaml", &everywhere[start..]);
    let answer = folder.run(&["plan", "site.yaml", "--no-input"]);
    assert!(
        answer
            .ends(66)
            .err
            .contains("1 Subscription to choose from"),
        "{}",
        answer.err
    );
    let addon = fixture!("ghost.yaml");
    let start = addon.find("apiVersion: addon").unwrap();
    folder.write("site.yaml", &addon[start..]);
    let answer = folder.run(&["plan", "site.yaml", "--no-input"]);
    assert!(
        answer
            .ends(66)
            .err
            .contains("1 ClusterManagementAddOn to choose from"),
        "{}",
        answer.err
    );
    // A line of totals says something, or is not there.
    let addon = "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: {name: oslo}\n---\n";
    folder.write(
        "site.yaml",
        format!("{addon}{}", rules.replace("env: dev", "env: none")),
    );
    let answer = folder.run(&["plan", "site.yaml", "--no-input"]);
    assert!(!answer.ends(0).out.contains("\n.\n"), "{}", answer.out);
}
