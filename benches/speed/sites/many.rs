//! Inputs with very many of one thing, most of them at fault.

use std::fmt::Write as _;

use super::{Dice, Site, airship};

/// What there are many of, the command, how many, and the input.
pub type Many = (
    &'static str,
    &'static [&'static str],
    usize,
    fn(usize) -> Site,
);

const VALIDATE: &[&str] = &["validate", "-o", "json"];
const GRAPH: &[&str] = &["graph", "--format", "dot"];
const PLAN: &[&str] = &[
    "plan",
    "-o",
    "json",
    "--no-input",
    "--now",
    "2026-01-01T00:00:00Z",
];

pub const KINDS: &[Many] = &[
    ("documents of one name", VALIDATE, 40_000, names),
    ("entries of one key", VALIDATE, 80_000, keys),
    ("labels that must be quoted", VALIDATE, 40_000, labels),
    ("rules of one Package", VALIDATE, 16_000, rules),
    ("ignore comments", VALIDATE, 80_000, ignores),
    ("groups of one name", VALIDATE, 40_000, groups),
    ("groups", GRAPH, 100_000, |count| {
        airship::site(count, count, super::Form::Bare)
    }),
    (
        "expressions in CEL over 10 clusters",
        PLAN,
        8_000,
        expressions,
    ),
];

fn one(text: String) -> Site {
    Site::of("many", &[("many.yaml".into(), text)])
}

fn names(count: usize) -> Site {
    one("apiVersion: planner/v1\nkind: Project\nmetadata: {name: same}\n---\n".repeat(count))
}

fn keys(count: usize) -> Site {
    let mut text =
        "apiVersion: planner/v1\nkind: Project\nmetadata:\n  name: one\n  labels:\n".to_owned();
    text.push_str(&"    key: value\n".repeat(count));
    one(text)
}

fn labels(count: usize) -> Site {
    let mut text =
        "apiVersion: planner/v1\nkind: Project\nmetadata:\n  name: one\n  labels:\n".to_owned();
    for label in 0..count {
        writeln!(text, "    key{label}: yes").unwrap();
    }
    one(text)
}

fn rules(count: usize) -> Site {
    let mut text = "apiVersion: planner/v1\nkind: Project\nmetadata: {name: one}\n---\n\
                    apiVersion: planner/v1\nkind: Package\nmetadata: {name: one}\nspec:\n  \
                    project: one\n  rules:\n"
        .to_owned();
    for rule in 0..count {
        writeln!(text, "  - {{key: key{rule}, operator: Exists}}").unwrap();
    }
    one(text)
}

fn ignores(count: usize) -> Site {
    let mut text =
        "apiVersion: planner/v1\nkind: Project\nmetadata:\n  name: one\n  labels:\n".to_owned();
    for label in 0..count {
        let comment = "# planner: ignore[ogc::bad_name]: kept";
        writeln!(text, "    key{label}: value {comment}").unwrap();
    }
    one(text)
}

fn groups(count: usize) -> Site {
    let mut text = airship::strategy();
    text.push_str(
        &"  - {name: same, critical: false, depends_on: [], selectors: []}\n".repeat(count),
    );
    one(text)
}

/// Placements with 80 different expressions each.
fn expressions(count: usize) -> Site {
    let mut dice = Dice::new(9);
    let mut text = String::from(
        "apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: ManagedClusterSet\n\
         metadata: {name: prod}\n---\n\
         apiVersion: cluster.open-cluster-management.io/v1beta2\n\
         kind: ManagedClusterSetBinding\nmetadata: {name: prod, namespace: default}\n\
         spec: {clusterSet: prod}\n",
    );
    for cluster in 0..10 {
        write!(
            text,
            "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
             metadata:\n  name: cluster{cluster}\n  labels:\n    \
             cluster.open-cluster-management.io/clusterset: prod\n    env: e{}\n\
             spec: {{hubAcceptsClient: true}}\n",
            dice.roll(3)
        )
        .unwrap();
    }
    for placement in 0..count / 80 {
        write!(
            text,
            "---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
             metadata: {{name: p{placement}, namespace: default}}\nspec:\n  predicates:\n  - \
             requiredClusterSelector:\n      celSelector:\n        celExpressions:\n"
        )
        .unwrap();
        for expression in 0..80 {
            let number = placement * 80 + expression;
            writeln!(
                text,
                "        - managedCluster.metadata.labels[\"env\"] != \"x{number}\""
            )
            .unwrap();
        }
    }
    one(text)
}
