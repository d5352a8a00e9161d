//! `planner migrate` as data.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::diagnostic::Sink;
use crate::migrate::{Cluster, Example, Migration, Moved, Reference, Verdict};
use crate::render::diagnostics::{self, JsonDiagnostics};
use crate::render::migrate as words;
use crate::render::patch;
use crate::source::{Place, Sources};

use super::envelope::FORMAT_VERSION;

/// The whole answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MigrationAnswer<'a> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    now: String,
    written: bool,
    rules: Vec<Value>,
    references: Vec<Value>,
    bindings: Vec<Value>,
    files: Vec<Value>,
    others: &'a [String],
    diagnostics: JsonDiagnostics<'a>,
}

impl<'a> MigrationAnswer<'a> {
    /// The answer; `written` if the files were.
    #[must_use]
    pub fn new(
        migration: &'a Migration,
        written: bool,
        now: String,
        found: &'a Sink,
        sources: &'a Sources,
    ) -> Self {
        let references = migration.rewritten().chain(migration.by_hand());
        let mut references: Vec<&Reference> = references.collect();
        references.sort_by_key(|one| one.place);
        let reference = |one: &&Reference| reference(one, migration, sources);
        let binding =
            |(namespace, file): (&str, &str)| json!({"namespace": namespace, "path": file});
        let file = |(name, (before, after)): (String, (String, String))| {
            let one = [(name.as_str(), before.as_str(), after.as_str())];
            json!({"path": name, "diff": patch(one.into_iter(), None)})
        };
        Self {
            api_version: "planner/v1",
            kind: "Migration",
            format_version: FORMAT_VERSION,
            now,
            written,
            rules: migration
                .rules
                .iter()
                .map(|one| rule(one, sources))
                .collect(),
            references: references.iter().map(reference).collect(),
            bindings: migration.bindings().map(binding).collect(),
            files: migration.texts().into_iter().map(file).collect(),
            others: &migration.others,
            diagnostics: diagnostics::json(found, sources),
        }
    }
}

fn at(row: &mut Value, place: Place, sources: &Sources) {
    let source = sources.get(place.source);
    row["path"] = source.name.as_str().into();
    row["line"] = source.position(place.span.start).line.into();
}

fn rule(rule: &Moved, sources: &Sources) -> Value {
    let mut row = json!({"namespace": rule.namespace, "name": rule.name});
    at(&mut row, rule.place, sources);
    match &rule.verdict {
        Verdict::Moves(proven) => {
            row["placement"] = proven.placement.as_str().into();
            row["invented"] = proven.invented.into();
            if let Some(clusters) = &proven.clusters {
                row["clusters"] = json!(clusters);
            }
            if let Some(apart) = &proven.apart {
                row["counterexample"] = example(apart);
            }
            if let Some(limit) = &proven.limit {
                row["onlyHere"] = words::limited(limit).into();
            }
        }
        Verdict::Stays(reason, apart) => {
            row["reason"] = reason.word().into();
            row["message"] = words::reason(reason).into();
            if let Some(apart) = apart {
                row["counterexample"] = example(apart);
            }
        }
    }
    row
}

fn reference(one: &Reference, migration: &Migration, sources: &Sources) -> Value {
    let mut row = json!({"kind": one.kind, "name": one.name});
    if let Some(namespace) = &one.namespace {
        row["namespace"] = namespace.as_str().into();
    }
    at(&mut row, one.place, sources);
    let rule = &migration.rules[one.rule];
    row["rule"] = json!({"namespace": rule.namespace, "name": rule.name});
    row["rewritten"] = one.by_hand.is_none().into();
    if let Some(why) = one.by_hand {
        row["message"] = why.into();
    }
    row
}

fn example(example: &Example) -> Value {
    json!({
        "clusters": example.clusters.iter().map(cluster).collect::<Vec<_>>(),
        "held": example.held,
        "rule": example.rule,
        "placement": example.placement,
    })
}

fn cluster(cluster: &Cluster) -> Value {
    let labels: BTreeMap<&String, &String> = cluster
        .labels
        .iter()
        .map(|(key, value)| (key, value))
        .collect();
    let mut row = json!({"name": cluster.name, "labels": labels});
    if let Some(conditions) = &cluster.conditions {
        let conditions: BTreeMap<&String, &String> = conditions
            .iter()
            .map(|(kind, status)| (kind, status))
            .collect();
        row["conditions"] = json!(conditions);
    }
    if let Some((key, effect)) = &cluster.taint {
        row["taint"] = json!({"key": key, "effect": effect});
    }
    if cluster.terminating {
        row["terminating"] = true.into();
    }
    if let Some((resource, amount)) = &cluster.allocatable {
        row["allocatable"] = json!({ resource: amount });
    }
    row
}
