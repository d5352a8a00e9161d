//! `planner risk` as data.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::diagnostic::Sink;
use crate::render::diagnostics;
use crate::risk::{Loss, Risk};
use crate::site::Counts;
use crate::source::Sources;

use super::envelope::{DocumentCounts, FORMAT_VERSION};

/// The whole answer; without a plan only its findings.
#[must_use]
pub fn risk(
    risk: Option<&Risk>,
    now: Timestamp,
    counts: Counts,
    found: &Sink,
    sources: &Sources,
) -> Value {
    let mut answer = json!({
        "apiVersion": "planner/v1",
        "kind": "Risk",
        "formatVersion": FORMAT_VERSION,
        "now": now.to_string(),
        "documents": DocumentCounts::from(counts),
    });
    if let Some(risk) = risk {
        answer["losses"] = risk.losses.iter().map(loss).collect();
        let margin = |one: &crate::risk::Margin| {
            json!({
                "system": one.system,
                "subject": one.subject,
                "margin": number(one.margin),
                "unit": one.unit,
            })
        };
        answer["margins"] = risk.margins.iter().map(margin).collect();
    }
    answer["diagnostics"] = json!(diagnostics::json(found, sources));
    answer
}

fn number(count: i128) -> Value {
    i64::try_from(count).map_or_else(|_| count.to_string().into(), Value::from)
}

fn loss(loss: &Loss) -> Value {
    let applications = loss.applications.iter().map(|one| {
        json!({"package": one.package, "application": one.application, "from": one.from, "to":
          one.to})
    });
    let volumes = loss.volumes.iter().map(|one| {
        json!({"cluster": one.cluster, "kind": one.kind, "name": one.name, "application":
          one.application})
    });
    let placements = loss.placements.iter().map(|one| {
        json!({
            "namespace": one.namespace,
            "name": one.name,
            "satisfied": one.satisfied,
            "removed": one.removed,
            "added": one.added,
        })
    });
    let rules = loss.rules.iter().map(|one| {
        json!({"name": one.name, "decided": one.decided, "removed": one.removed, "added":
          one.added})
    });
    let regions = loss.regions.iter().map(|one| {
        json!({
            "name": one.name,
            "from": one.from.map(number),
            "to": one.to.map(number),
            "failed": one.failed,
        })
    });
    json!({
        "kind": loss.kind,
        "name": loss.name,
        "class": loss.class.word(),
        "applications": applications.collect::<Vec<_>>(),
        "volumes": volumes.collect::<Vec<_>>(),
        "placements": placements.collect::<Vec<_>>(),
        "placementRules": rules.collect::<Vec<_>>(),
        "regionPlacements": regions.collect::<Vec<_>>(),
        "groups": {
            "failed": loss.groups.failed,
            "byDependency": loss.groups.by_dependency,
            "critical": loss.groups.critical,
        },
        "verdict": loss.verdict,
    })
}
