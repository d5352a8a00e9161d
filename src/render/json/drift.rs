//! `planner drift` as data.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::data::Rows as _;
use crate::diagnostic::{Object, Sink};
use crate::drift::{Because, Drift};
use crate::plan::Plan;
use crate::render::diagnostics::{self, JsonDiagnostics};
use crate::source::{Place, Sources};

use super::envelope::FORMAT_VERSION;
use crate::systems::delivery::json::Delivered;

/// The whole answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DriftAnswer<'a> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    now: String,
    drift: bool,
    fields: Vec<Value>,
    missing: Vec<Value>,
    extra: Vec<Value>,
    hub_only: Value,
    decisions: Vec<Value>,
    next: Vec<Value>,
    deliveries: Vec<Value>,
    diagnostics: JsonDiagnostics<'a>,
}

impl<'a> DriftAnswer<'a> {
    /// The answer; without drift where documents were refused.
    #[must_use]
    pub fn new(
        drift: Option<&Drift>,
        plan: &Plan<'_, '_>,
        found: &'a Sink,
        sources: &'a Sources,
    ) -> Self {
        let of = |rows: fn(&Drift, &Sources) -> Vec<Value>| {
            drift.map(|drift| rows(drift, sources)).unwrap_or_default()
        };
        Self {
            api_version: "planner/v1",
            kind: "Drift",
            format_version: FORMAT_VERSION,
            now: plan.now.to_string(),
            drift: drift.is_some_and(Drift::is_drift),
            fields: of(fields),
            missing: of(missing),
            extra: of(extra),
            hub_only: drift.map_or_else(|| json!({}), |drift| json!(drift.hub.only)),
            decisions: of(decisions),
            next: of(next),
            deliveries: match drift {
                Some(_) => deliveries(plan, sources),
                None => Vec::new(),
            },
            diagnostics: diagnostics::json(found, sources),
        }
    }
}

fn object(object: &Object) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("kind".into(), object.kind.as_str().into());
    if let Some(namespace) = &object.namespace {
        map.insert("namespace".into(), namespace.as_str().into());
    }
    map.insert("name".into(), object.name.as_str().into());
    map
}

fn line(place: Place, sources: &Sources) -> usize {
    let source = sources.get(place.source);
    source.position(place.span.start).line
}

fn at(map: &mut Map<String, Value>, place: Place, sources: &Sources) {
    map.insert(
        "path".into(),
        sources.get(place.source).name.as_str().into(),
    );
    map.insert("line".into(), line(place, sources).into());
}

fn fields(drift: &Drift, sources: &Sources) -> Vec<Value> {
    let row = |(own, field): &(Object, crate::hub::fields::Field)| {
        let mut map = object(own);
        map.insert("field".into(), field.name().into());
        map.insert("pointer".into(), field.pointer().into());
        map.insert("git".into(), field.git.clone().unwrap_or(Value::Null));
        map.insert("hub".into(), field.hub.clone().unwrap_or(Value::Null));
        if let Some((by, at)) = &field.by {
            map.insert("by".into(), by.as_str().into());
            map.insert("at".into(), at.as_str().into());
        }
        if field.stays {
            map.insert("stays".into(), true.into());
        }
        at(&mut map, field.place, sources);
        if let Some(place) = field.hub_place {
            map.insert("hubLine".into(), line(place, sources).into());
        }
        Value::Object(map)
    };
    drift.fields.iter().map(row).collect()
}

fn missing(drift: &Drift, sources: &Sources) -> Vec<Value> {
    let row = |(own, place): &(Object, Place)| {
        let mut map = object(own);
        at(&mut map, *place, sources);
        Value::Object(map)
    };
    drift.missing.iter().map(row).collect()
}

fn extra(drift: &Drift, sources: &Sources) -> Vec<Value> {
    let row = |gone: &crate::hub::Gone| {
        let mut map = object(&gone.object);
        map.insert("by".into(), gone.by.as_str().into());
        map.insert("hubLine".into(), line(gone.place, sources).into());
        Value::Object(map)
    };
    drift.extra.iter().map(row).collect()
}

fn decisions(drift: &Drift, _: &Sources) -> Vec<Value> {
    let row = |one: &crate::drift::Decision| {
        let mut row = json!({
            "namespace": one.namespace,
            "placement": one.placement,
            "added": one.added,
            "removed": one.removed,
            "cause": one.why.word(),
        });
        if let Some((by, at)) = &one.by {
            row["by"] = by.as_str().into();
            row["at"] = at.as_str().into();
        }
        row
    };
    drift.decisions.iter().map(row).collect()
}

fn next(drift: &Drift, _: &Sources) -> Vec<Value> {
    let row = |one: &crate::drift::Next| {
        json!({
            "namespace": one.namespace,
            "placement": one.placement,
            "added": one.added,
            "removed": one.removed,
            "because": one.because.iter().map(because).collect::<Vec<_>>(),
        })
    };
    drift.next.iter().map(row).collect()
}

fn because(because: &Because) -> Value {
    match because {
        Because::Due(why) => json!({"cause": why.word(), "confirmed": true}),
        Because::Comes(own) | Because::Unknown(own) => {
            json!({"object": object(own), "change": "missing", "confirmed": true})
        }
        Because::Goes(own) => json!({"object": object(own), "change": "extra", "confirmed": true}),
        Because::Field { object: own, field } => {
            let mut row = json!({
                "object": object(own),
                "field": field.name(),
                "hub": field.hub,
                "git": field.git,
                "confirmed": true,
            });
            if let Some((by, _)) = &field.by {
                row["by"] = by.as_str().into();
            }
            row
        }
    }
}

/// The rows of deliveries that the next sync changes.
fn deliveries(plan: &Plan<'_, '_>, sources: &Sources) -> Vec<Value> {
    let Some(all) = &plan.deliveries else {
        return Vec::new();
    };
    let Some(rows) = Delivered::new(&plan.site.delivery, all, sources) else {
        return Vec::new();
    };
    let moved = all.rows.iter().enumerate();
    let moved = moved.filter(|(_, row)| !row.is_unchanged());
    moved
        .map(|(at, _)| serde_json::to_value(rows.row(at)).unwrap_or_default())
        .collect()
}
