//! Inputs with very many of one thing, most of them at fault.

use std::fmt::Write as _;

use super::{Dice, Site, airship, ocm};
use crate::commands::{GRAPH, PLAN, SARIF, VALIDATE_JSON};

/// What there are many of, the command, how many, and the input.
pub type Many = (
    &'static str,
    &'static [&'static str],
    usize,
    fn(usize) -> Site,
);

pub const KINDS: &[Many] = &[
    ("documents of one name", VALIDATE_JSON, 40_000, names),
    ("entries of one key", VALIDATE_JSON, 80_000, keys),
    ("labels that must be quoted", VALIDATE_JSON, 40_000, labels),
    ("fields that are not known", VALIDATE_JSON, 200_000, fields),
    ("fields that are not known, as SARIF", SARIF, 50_000, fields),
    ("rules of one Package", VALIDATE_JSON, 16_000, rules),
    ("ignore comments", VALIDATE_JSON, 80_000, ignores),
    ("groups of one name", VALIDATE_JSON, 40_000, groups),
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

/// A project whose labels are to follow.
const LABELLED: &str = "apiVersion: planner/v1\nkind: Project\nmetadata:\n  name: one\n  labels:\n";

/// A site of one file.
pub fn one(text: String) -> Site {
    Site::of("many", &[("many.yaml".into(), text)])
}

fn names(count: usize) -> Site {
    one("apiVersion: planner/v1\nkind: Project\nmetadata: {name: same}\n---\n".repeat(count))
}

fn keys(count: usize) -> Site {
    let mut text = LABELLED.to_owned();
    text.push_str(&"    key: value\n".repeat(count));
    one(text)
}

fn labels(count: usize) -> Site {
    let mut text = LABELLED.to_owned();
    for label in 0..count {
        writeln!(text, "    key{label}: yes").unwrap();
    }
    one(text)
}

fn fields(count: usize) -> Site {
    let mut text =
        "apiVersion: planner/v1\nkind: Package\nmetadata: {name: one}\nspec:\n  project: \
                    one\n"
            .to_owned();
    for field in 0..count {
        writeln!(text, "  field{field}: value").unwrap();
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
    let mut text = LABELLED.to_owned();
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
    let mut text = String::from(ocm::SET);
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
        let spec = "\n  predicates:\n  - requiredClusterSelector:\n      celSelector:\n        \
                    celExpressions:";
        ocm::placement(placement, spec, &mut text);
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
