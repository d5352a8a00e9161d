//! Inputs of which every two things could be compared.

use std::fmt::Write as _;

use super::many::{Many, one};
use super::{Form, Site, airship, kustomize, ocm};
use crate::commands::{PLAN, PLAN_TEXT, RISK, SIMULATE, VALIDATE, WEAKEST};

pub const KINDS: &[Many] = &[
    ("clusters of a rule with scores", RISK, 1_000, |count| {
        rule(count, SCORED)
    }),
    ("clusters of a rule with lists", RISK, 1_000, |count| {
        rule(count, LISTS)
    }),
    (
        "clusters that three advisors score",
        RISK,
        1_000,
        scored_by_three,
    ),
    ("values that no cluster has", VALIDATE, 8_000, absent_values),
    ("clusters, one at a time", SIMULATE, 8_000, one_at_a_time),
    ("regions", RISK, 4_000, regions),
    ("misspelt names of packages", VALIDATE, 8_000, misspelt),
    ("placements for all clusters", PLAN_TEXT, 2_000, |count| {
        placements(count, "{}")
    }),
    (
        "placements for one of all but one",
        PLAN,
        10_000,
        all_but_one,
    ),
    ("groups over racks that overlap", WEAKEST, 2_000, racks),
    ("nodes", RISK, 8_000, |count| {
        airship::site(count / 10, count, Form::Bare)
    }),
    ("nodes of groups in a chain", RISK, 2_000, chain),
    ("taints and tolerations", PLAN, 8_000, tolerations),
    ("taints of one cluster", PLAN, 8_000, taints),
    ("clusters with eight taints each", PLAN, 16_000, tainted),
    ("applications for any cluster", PLAN, 160_000, anywhere),
    (
        "overlays of a base with faults",
        VALIDATE,
        400,
        kustomize::at_fault,
    ),
    (
        "references to renamed placements",
        VALIDATE,
        4_000,
        kustomize::renamed,
    ),
    (
        "policies with ten templates each",
        VALIDATE,
        10_000,
        |count| templated(count, true),
    ),
    (
        "applications for any cluster, as text",
        PLAN_TEXT,
        600_000,
        anywhere,
    ),
];

const SCORED: &str = "  - name: cost\n    rules: {cost: {label: cost, scored: true}}\n  - name: \
     hint\n    weight: 50\n    rules: {resourceHint: {type: cpu, order: desc, scored: true}}\n";
const LISTS: &str = "  - name: veto\n    type: predicate\n    rules: {resources: [{name: \
     cluster0000}]}\n  - name: cost\n    rules: {cost: {label: cost}}\n  - name: hint\n    weight: \
     50\n    rules: {resourceHint: {type: cpu, order: desc}}\n";

/// One rule that wants three of all clusters.
fn rule(count: usize, advisors: &str) -> Site {
    let mut dice = super::Dice::new(64);
    let mut text = String::new();
    super::hybrid::clusters(count, Form::Bare, &mut text, &mut dice);
    text.push_str(
        "apiVersion: core.hybridapp.io/v1alpha1\nkind: PlacementRule\nmetadata: {name: one, \
         namespace: default}\nspec:\n  replicas: 3\n  advisors:\n",
    );
    text.push_str(advisors);
    one(text)
}

/// Policies with an object of ten values, each of which is a template, or a text of that length.
pub fn templated(count: usize, resolved: bool) -> Site {
    let (left, right) = if resolved { ("{{", "}}") } else { ("((", "))") };
    let mut text = String::new();
    for at in 0..count {
        write!(
            text,
            "---\napiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {{name: \
             p{at}, namespace: gov}}\nspec:\n  disabled: false\n  remediationAction: inform\n  \
             policy-templates:\n  - objectDefinition:\n      apiVersion: \
             policy.open-cluster-management.io/v1\n      kind: ConfigurationPolicy\n      metadata: \
             {{name: c{at}}}\n      spec:\n        object-templates:\n        - complianceType: \
             musthave\n          objectDefinition:\n            apiVersion: v1\n            kind: \
             ConfigMap\n            metadata: {{name: app, namespace: shop}}\n            data:\n"
        )
        .unwrap();
        for key in 0..10 {
            writeln!(
                text,
                "              k{key}: '{left} fromConfigMap \"shop\" \"settings-{key}\" \"key\" | default \
                 \"none\" | quote {right}'"
            )
            .unwrap();
        }
    }
    let name = format!("templated-{resolved}");
    Site::of(&name, &[("many.yaml".into(), text)])
}

/// The same, with a score of each of three advisors for every cluster; many clusters have the same
/// ones.
fn scored_by_three(count: usize) -> Site {
    let mut dice = super::Dice::new(74);
    let names = ["a", "b", "c"];
    let mut advisors = String::new();
    let mut scores = String::from("status:\n  recommendations:\n");
    for name in names {
        writeln!(advisors, "  - {{name: {name}, type: priority}}").unwrap();
        writeln!(scores, "    {name}:").unwrap();
        for at in 0..count {
            writeln!(
                scores,
                "    - {{name: cluster{at:04}, score: {}}}",
                dice.roll(11)
            )
            .unwrap();
        }
    }
    rule(count, &(advisors + &scores))
}

fn own_cluster(name: usize, labels: &str, text: &mut String) {
    write!(
        text,
        "---\napiVersion: planner/v1\nkind: Cluster\nmetadata: {{name: c{name}, labels: {{{labels}}}, \
         creationTimestamp: \"2020-01-01T00:00:00Z\"}}\nspec:\n  projects: [one]\n  nodes:\n  - {{name: \
         n0, allocatable: {{cpu: \"8\", memory: 32Gi}}}}\nstatus: {{phase: Up}}\n"
    )
    .unwrap();
}

fn application(name: usize, package: &str, rules: &str, text: &mut String) {
    write!(
        text,
        "---\napiVersion: planner/v1\nkind: Application\nmetadata: {{name: a{name}}}\nspec:\n  \
         package: {package}\n  replicas: 1\n{rules}  containers:\n  - {{name: main, image: \
         \"i:1\", requests: {{cpu: 100m, memory: 128Mi}}}}\n"
    )
    .unwrap();
}

const PROJECT: &str = "apiVersion: planner/v1\nkind: Project\nmetadata: {name: one}\n";

fn package(name: &str, text: &mut String) {
    write!(
        text,
        "---\napiVersion: planner/v1\nkind: Package\nmetadata: {{name: {name}}}\nspec: {{project: \
         one}}\n"
    )
    .unwrap();
}

/// As many clusters, each of a zone of its own.
fn absent_values(count: usize) -> Site {
    let mut text = String::from(PROJECT);
    package("p", &mut text);
    for at in 0..count {
        own_cluster(at, &format!("zone: z{at}"), &mut text);
        let rules = format!("  rules:\n  - {{key: zone, operator: Equals, values: [y{at}]}}\n");
        application(at, "p", &rules, &mut text);
    }
    one(text)
}

fn misspelt(count: usize) -> Site {
    let mut text = String::from(PROJECT);
    for at in 0..count {
        package(&format!("package-{at:05}"), &mut text);
        application(at, &format!("pakcage-{at:05}"), "", &mut text);
    }
    one(text)
}

/// Applications over a twentieth as many clusters, without a rule.
fn anywhere(count: usize) -> Site {
    let mut text = String::from(PROJECT);
    package("p", &mut text);
    for at in 0..count / 20 {
        own_cluster(at, "", &mut text);
    }
    for at in 0..count {
        application(at, "p", "", &mut text);
    }
    one(text)
}

fn managed(name: usize, spec: &str, text: &mut String) {
    write!(
        text,
        "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
         metadata:\n  name: cluster{name}\n  labels: {{\
         cluster.open-cluster-management.io/clusterset: prod, number: n{name}}}\nspec: {{hubAcceptsClient: \
         true{spec}}}\n"
    )
    .unwrap();
}

/// As many clusters.
fn placements(count: usize, spec: &str) -> Site {
    let mut text = String::from(ocm::SET);
    for at in 0..count {
        managed(at, "", &mut text);
        ocm::placement(at, spec, &mut text);
    }
    one(text)
}

/// As many clusters, each of which another placement leaves out.
fn all_but_one(count: usize) -> Site {
    let mut text = String::from(ocm::SET);
    for at in 0..count {
        managed(at, "", &mut text);
        let spec = format!(
            "{{numberOfClusters: 1, predicates: [{{requiredClusterSelector: {{labelSelector: \
             {{matchExpressions: [{{key: number, operator: NotIn, values: [n{at}]}}]}}}}}}]}}"
        );
        ocm::placement(at, &spec, &mut text);
    }
    one(text)
}

fn one_at_a_time(count: usize) -> Site {
    let mut text = String::from(ocm::SET);
    for at in 0..count {
        managed(at, "", &mut text);
    }
    ocm::placement(0, "{}", &mut text);
    text.push_str(
        "---\napiVersion: work.open-cluster-management.io/v1alpha1\nkind: \
         ManifestWorkReplicaSet\nmetadata: {name: w, namespace: default}\nspec:\n  \
         manifestWorkTemplate:\n    workload: {manifests: [{apiVersion: v1, kind: ConfigMap, \
         metadata: {name: m, namespace: default}}]}\n  placementRefs:\n  - name: p0\n    \
         rolloutStrategy: {type: Progressive, progressive: {maxConcurrency: 1}}\n",
    );
    one(text)
}

/// As many clusters, each with a taint of its own.
fn tolerations(count: usize) -> Site {
    let mut text = String::from(ocm::SET);
    let mut all = String::from("\n  tolerations:\n");
    for at in 0..count {
        let taint = format!(
            ", taints: [{{key: k{at}, effect: NoSelect, timeAdded: \"2025-01-01T00:00:00Z\"}}]"
        );
        managed(at, &taint, &mut text);
        writeln!(all, "  - {{key: k{at}, operator: Exists}}").unwrap();
    }
    ocm::placement(0, all.trim_end(), &mut text);
    one(text)
}

/// Clusters with taints that others have too, and hardly two with the same ones; two hundred
/// placements tolerate most of them.
fn tainted(count: usize) -> Site {
    let mut dice = super::Dice::new(25);
    let mut text = String::from(ocm::SET);
    for at in 0..count {
        let taints: Vec<String> = (0..8)
            .map(|_| {
                let (key, value) = (dice.roll(40), dice.roll(3));
                format!("{{key: k{key}, value: v{value}, effect: NoSelect}}")
            })
            .collect();
        managed(at, &format!(", taints: [{}]", taints.join(", ")), &mut text);
    }
    let keys = (0..38).map(|key| format!("{{key: k{key}, operator: Exists}}"));
    let keys = keys.collect::<Vec<_>>().join(", ");
    for at in 0..200 {
        let spec = format!("{{numberOfClusters: 9, tolerations: [{keys}]}}");
        ocm::placement(at, &spec, &mut text);
    }
    one(text)
}

/// As many tolerations of one placement.
fn taints(count: usize) -> Site {
    let (mut text, mut taints) = (String::from(ocm::SET), String::from(", taints: ["));
    let mut all = String::from("\n  tolerations:\n");
    for at in 0..count {
        write!(
            taints,
            "{{key: k{at}, effect: NoSelect, timeAdded: \"2025-01-01T00:00:00Z\"}}, "
        )
        .unwrap();
        writeln!(all, "  - {{key: k{at}, operator: Exists}}").unwrap();
    }
    taints.push(']');
    managed(0, &taints, &mut text);
    ocm::placement(0, all.trim_end(), &mut text);
    one(text)
}

/// Sixteen nodes for each region.
fn regions(count: usize) -> Site {
    super::senlin::site(count, count * 16)
}

/// As many groups, each after the one before: what is lost with a node is half of them.
fn chain(count: usize) -> Site {
    airship::chain(count)
}

/// Critical groups after one another, each with the nodes of two racks, one of which the next has
/// too.
fn racks(count: usize) -> Site {
    let mut text = airship::strategy();
    for at in 0..count {
        let needs = at
            .checked_sub(1)
            .map_or(String::new(), |before| format!("g{before}"));
        write!(
            text,
            "  - name: g{at}\n    critical: true\n    depends_on: [{needs}]\n    selectors:\n    - \
             rack_names: [r{at}, r{}]\n    success_criteria: {{maximum_failed_nodes: 2}}\n",
            at + 1
        )
        .unwrap();
    }
    text.push_str(&airship::profiles());
    let mut dice = super::Dice::new(45);
    airship::nodes_in(2 * count + 2, |node| node / 2, &mut text, &mut dice);
    one(text)
}
