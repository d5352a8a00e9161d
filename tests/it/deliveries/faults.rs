//! Faulty consumers: all faults are told, and none changes what a placement decides.

use crate::support::Folder;

/// The hub of the ways, with more documents behind it.
fn with(more: &str) -> Folder {
    let folder = Folder::new();
    let ways = include_str!("../../../fixtures/deliveries/ways.yaml");
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

/// A policy with a `restricted` binding alone, which only following brings to light.
const LONELY: &str = "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {name: lonely, \
                      namespace: gov}\nspec: {disabled: false, remediationAction: inform, policy-templates: \
                      []}\n---\napiVersion: policy.open-cluster-management.io/v1\nkind: \
                      PlacementBinding\nmetadata: {name: lonely, namespace: gov}\nsubFilter: \
                      restricted\nplacementRef: {apiGroup: cluster.open-cluster-management.io, kind: Placement, \
                      name: prod}\nsubjects: [{apiGroup: policy.open-cluster-management.io, kind: Policy, name: \
                      lonely}]\n";

/// Only what hangs on a refused document is left unsaid.
#[test]
fn a_refused_binding_set_or_generator_hides_what_depends_on_it_alone() {
    let told = |refused: &str| {
        let found = codes(&with(&format!("{LONELY}---\n{refused}")));
        found.contains(&"ocm::restricted_only".to_owned())
    };
    let binding = |name: &str| {
        format!(
            "apiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\nmetadata: {{name: bad, \
             namespace: gov}}\nplacementRef: {{apiGroup: apps.open-cluster-management.io, kind: Placement, name: \
             prod}}\nsubjects: [{{apiGroup: policy.open-cluster-management.io, kind: Policy, name: {name}}}]\n"
        )
    };
    let set = |name: &str| {
        format!(
            "apiVersion: policy.open-cluster-management.io/v1beta1\nkind: PolicySet\nmetadata: {{name: bad, \
             namespace: gov}}\nspec: {{policies: [{name}], exclusions: [{{policyName: other, clusterNames: \
             [oslo]}}]}}\n"
        )
    };
    let generator = |namespace: &str| {
        format!(
            "apiVersion: policy.open-cluster-management.io/v1\nkind: PolicyGenerator\nmetadata: {{name: \
             bad}}\npolicyDefaults: {{namespace: {namespace}, what: 1}}\npolicies: [{{name: p, manifests: [{{path: \
             m.yaml}}]}}]\n"
        )
    };
    assert!(told(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: gov}\n"
    ));
    for (apart, about) in [
        (binding("quotas"), binding("lonely")),
        (set("quotas"), set("lonely")),
        (generator("elsewhere"), generator("gov")),
    ] {
        assert!(told(&apart), "{apart}");
        assert!(!told(&about), "{about}");
    }
}

/// A GitOpsCluster or a Channel that is refused hides what hangs on it, and nothing else.
#[test]
fn a_refused_registration_or_channel_hides_what_depends_on_it_alone() {
    let registers = |name: &str, argo: &str, place: &str| {
        format!(
            "apiVersion: apps.open-cluster-management.io/v1beta1\nkind: GitOpsCluster\nmetadata: {{name: {name}, \
             namespace: gov}}\nspec: {{argoServer: {{argoNamespace: {argo}}}, placementRef: {{kind: Placement, \
             apiVersion: cluster.open-cluster-management.io/v1beta1, name: {place}}}}}\n"
        )
    };
    let reads = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: web, namespace: \
                 gov}\nspec:\n  generators:\n  - clusterDecisionResource:\n      configMapRef: acm-placement\n      \
                 labelSelector: {matchLabels: {cluster.open-cluster-management.io/placement: dev}}\n  template:\n    \
                 metadata: {name: 'web-{{name}}'}\n    spec: {project: default, destination: {name: '{{name}}', \
                 namespace: web}}\n";
    let channel = |name: &str, kind: &str| {
        format!(
            "apiVersion: apps.open-cluster-management.io/v1\nkind: Channel\nmetadata: {{name: {name}, namespace: \
             git}}\nspec: {{type: {kind}, pathname: https://git.example}}\n"
        )
    };
    let subscribes = "apiVersion: apps.open-cluster-management.io/v1\nkind: Subscription\nmetadata: {name: shop, \
                      namespace: gov}\nspec: {channel: git/shop, placement: {placementRef: {kind: Placement, name: \
                      prod}}}\n";
    let has = |documents: &[&str], code: &str| {
        let folder = with(&[&[LONELY], documents].concat().join("---\n"));
        let found = codes(&folder);
        assert!(
            found.contains(&"ocm::restricted_only".to_owned()),
            "{documents:#?}: {found:?}"
        );
        found.contains(&code.to_owned())
    };
    let narrow = registers("narrow", "gov", "prod");
    let refused = registers("wide", "gov", "[]");
    let apart = registers("wide", "other", "[]");
    // The clusters of `dev` are registered by nothing but, perhaps, what was refused.
    assert!(has(&[&narrow, reads], "ocm::emptied"));
    assert!(!has(&[&narrow, reads, &refused], "ocm::emptied"));
    assert!(!has(&[&narrow, reads, &refused], "ocm::not_registered"));
    assert!(has(&[&narrow, reads, &apart], "ocm::emptied"));
    let (sound, refused) = (channel("other", "Git"), channel("shop", "[]"));
    assert!(has(&[&sound, subscribes], "ocm::unknown_channel"));
    assert!(!has(
        &[&sound, subscribes, &refused],
        "ocm::unknown_channel"
    ));
    let apart = channel("third", "[]");
    assert!(has(&[&sound, subscribes, &apart], "ocm::unknown_channel"));
}

/// Several policies that go nowhere because of one Placement have one cause.
#[test]
fn one_placement_without_clusters_is_one_finding() {
    let policy = |name: &str| {
        format!(
            "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {{name: {name}, namespace: \
             gov}}\nspec: {{disabled: false, remediationAction: inform, policy-templates: []}}\n---\n"
        )
    };
    let bound = "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: none, \
                 namespace: gov}\nspec: {predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {env: \
                 none}}}}]}\n---\napiVersion: policy.open-cluster-management.io/v1\nkind: \
                 PlacementBinding\nmetadata: {name: none, namespace: gov}\nplacementRef: {apiGroup: \
                 cluster.open-cluster-management.io, kind: Placement, name: none}\nsubjects:\n- {apiGroup: \
                 policy.open-cluster-management.io, kind: Policy, name: one}\n- {apiGroup: \
                 policy.open-cluster-management.io, kind: Policy, name: two}\n- {apiGroup: \
                 policy.open-cluster-management.io, kind: Policy, name: three}\n";
    let policies = ["one", "two", "three"].map(policy).concat();
    let folder = with(&format!("{policies}{bound}"));
    let found = codes(&folder);
    let nowhere = found.iter().filter(|code| *code == "ocm::policy_nowhere");
    assert_eq!(nowhere.count(), 1, "{found:?}");
    let answer = folder.run(&["validate", "site.yaml", "-o", "concise"]);
    let told = "`gov/one` and 2 other policies are bound but reach no cluster: Placement none selects none";
    assert!(answer.out.contains(told), "{}", answer.out);
}

/// All fields that a generator does not know are told at once.
#[test]
fn every_unknown_field_of_a_generator_is_told() {
    let generator = "apiVersion: policy.open-cluster-management.io/v1\nkind: PolicyGenerator\nmetadata: {name: \
                     g}\npolicyDefaults: {namespace: gov, one: 1}\npolicies: [{name: p, two: 2, manifests: [{path: \
                     m.yaml}], placement: {three: 3}}]\nfour: 4\n";
    let folder = with(generator);
    let answer = folder.run(&["validate", "site.yaml", "-o", "concise"]);
    for field in ["one", "two", "three", "four"] {
        let told = format!("there is no field `{field}` here");
        assert!(answer.out.contains(&told), "{field}: {}", answer.out);
    }
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
    let ways = include_str!("../../../fixtures/deliveries/ways.yaml");
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
