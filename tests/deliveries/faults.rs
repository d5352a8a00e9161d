//! Faulty consumers: all faults are told, and none changes what a placement decides.

use crate::support::Folder;

/// The hub of the ways, with more documents behind it.
fn with(more: &str) -> Folder {
    let folder = Folder::new();
    let ways = include_str!("../../fixtures/deliveries/ways.yaml");
    folder.write("site.yaml", format!("{}\n---\n{more}", ways.trim_end()));
    folder
}

fn codes(folder: &Folder) -> Vec<String> {
    let answer = folder.run(&["validate", "site.yaml", "-o", "json"]);
    let found = answer.json()["diagnostics"].clone();
    let found = found.as_array().unwrap().iter();
    found
        .map(|one| {
            one["code"]
                .as_str()
                .unwrap()
                .trim_start_matches("planner::")
                .to_owned()
        })
        .collect()
}

/// A binding to a placement that is not there, which only following brings to light.
const ASTRAY: &str = "apiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\nmetadata: {name: \
                      astray, namespace: gov}\nplacementRef: {apiGroup: cluster.open-cluster-management.io, kind: \
                      Placement, name: prd}\nsubjects: [{apiGroup: policy.open-cluster-management.io, kind: Policy, \
                      name: unbound}]\n";

#[test]
fn what_is_refused_hides_no_other_fault() {
    let sound = codes(&with(ASTRAY));
    assert!(
        sound.contains(&"ocm::unknown_placement".to_owned()),
        "{sound:?}"
    );
    let refused = "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {name: bad, namespace: \
                   gov}\nspec: {disabled: perhaps, policy-templates: []}\n---\n";
    let found = codes(&with(&format!("{refused}{ASTRAY}")));
    assert!(
        found.contains(&"ocm::unknown_placement".to_owned()),
        "{found:?}"
    );
    // Whatever the refused binding would have bound is not said to be unbound.
    let binding = ASTRAY.replace("kind: Placement,", "kind: Nothing,");
    let found = codes(&with(&binding));
    assert!(
        !found.contains(&"ocm::policy_unbound".to_owned()),
        "{found:?}"
    );
}

#[test]
fn each_fault_typed_by_hand_is_told() {
    let generator = "apiVersion: policy.open-cluster-management.io/v1\nkind: PolicyGenerator\nmetadata: {name: \
                     g}\npolicyDefaults: {namespace: gov, clusterSelecter: {}}\npolicies: [{name: p, manifests: \
                     [{path: p.yaml}]}]\n";
    let waits = |name: &str, other: &str| {
        format!(
            "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {{name: {name}, namespace: \
             gov}}\nspec:\n  disabled: false\n  remediationAction: inform\n  policy-templates: []\n  dependencies: \
             [{{apiVersion: policy.open-cluster-management.io/v1, kind: Policy, name: {other}, compliance: \
             Compliant}}]\n---\n"
        )
    };
    let bind = "apiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\nmetadata: {name: round, \
                namespace: gov}\nplacementRef: {apiGroup: cluster.open-cluster-management.io, kind: Placement, name: \
                prod}\nsubjects:\n- {apiGroup: policy.open-cluster-management.io, kind: Policy, name: a}\n- \
                {apiGroup: policy.open-cluster-management.io, kind: Policy, name: b}\n";
    let cycle = format!("{}{}{bind}", waits("a", "b"), waits("b", "a"));
    let set = |map: &str, name: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: reads, namespace: gov}}\ndata: {{apiVersion: \
             cluster.open-cluster-management.io/v1beta1, kind: placementdecisions, statusListKey: decisions{map}}}\n\
             ---\napiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: web, namespace: \
             gov}}\nspec:\n  generators:\n  - clusterDecisionResource:\n      configMapRef: reads\n      \
             labelSelector: {{matchLabels: {{cluster.open-cluster-management.io/placement: prod}}}}\n  template:\n    \
             metadata: {{name: '{name}'}}\n    spec: {{project: default, source: {{repoURL: 'https://git.example/w', \
             path: w}}, destination: {{server: '{{{{server}}}}', namespace: w}}}}\n"
        )
    };
    let faults = [
        (generator.to_owned(), "ocm::generator_refused"),
        (cycle, "ocm::dependency_cycle"),
        (set("", "web-{{name}}"), "ocm::match_key"),
        (
            set(", matchKey: clusterName", "web-{{name"),
            "ocm::application_name",
        ),
    ];
    for (fault, code) in faults {
        let folder = with(&fault);
        let found = codes(&folder);
        assert!(found.contains(&code.to_owned()), "{code}: {found:?}");
        let words = [
            "plan",
            "site.yaml",
            "--no-input",
            "--keep-going",
            "-o",
            "json",
        ];
        let decisions = folder.run(&words).json()["placements"].clone();
        let sound = with("kind: List").run(&words).json()["placements"].clone();
        assert_eq!(decisions, sound, "{code}");
    }
}

/// Names with control characters stay harmless in whatever is written.
#[test]
fn names_are_harmless_in_every_output() {
    let folder = Folder::new();
    let ways = include_str!("../../fixtures/deliveries/ways.yaml");
    let bad = "\"q\\e]8;;x\\a\\u202e\\e[31m\"";
    folder.write("site.yaml", ways.replace("quotas", bad));
    folder.write(
        "old.yaml",
        ways.replace("quotas", bad)
            .replace("env: dev}}", "env: prod}}"),
    );
    let plan = ["plan", "site.yaml", "--no-input"];
    let mut calls: Vec<Vec<&str>> = Vec::new();
    for more in [
        &["--trace"][..],
        &["-o", "json"],
        &["-o", "yaml"],
        &["--without", "cluster/lyon"],
        &["--without", "cluster/lyon", "-o", "markdown"],
        &["--against", "old.yaml"],
        &["--against", "old.yaml", "-o", "markdown"],
        &["--against", "old.yaml", "-o", "json"],
    ] {
        calls.push([&plan[..], more].concat());
    }
    for format in [
        "full", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson",
    ] {
        calls.push(vec!["validate", "site.yaml", "-o", format]);
    }
    for format in ["text", "json", "markdown"] {
        calls.push(vec!["risk", "site.yaml", "-o", format]);
    }
    calls.push(vec!["report", "site.yaml", "-o", "-"]);
    for words in calls {
        let answer = folder.run(&words);
        for shown in [&answer.out, &answer.err] {
            let control = |c: char| matches!(c, '\u{1b}' | '\u{202e}' | '\u{7}');
            assert!(!shown.contains(control), "{words:?}: {shown}");
        }
    }
}
