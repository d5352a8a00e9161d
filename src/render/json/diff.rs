//! `planner plan --against` as data.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::diagnostic::Object;
use crate::diff::{Cause, Diff};
use crate::plan::LeftOut;
use crate::render::diagnostics::JsonDiagnostics;
use crate::source::Sources;

use super::envelope::Head;
use super::partial::{LeftOutForm, left_out};
use super::row::answer;

/// The whole answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanDiff<'a> {
    #[serde(flatten)]
    head: Head,
    against: &'a str,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    guard: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOutForm<'a>>,
    moves: Vec<Value>,
    unchanged: usize,
    findings: Findings<'a>,
    diagnostics: JsonDiagnostics<'a>,
}

impl<'a> PlanDiff<'a> {
    /// The answer; `diff` is none where documents were refused.
    #[must_use]
    pub fn new(
        now: jiff::Timestamp,
        against: &'a str,
        result: &'static str,
        diff: Option<&Diff>,
        diagnostics: JsonDiagnostics<'a>,
    ) -> Self {
        Self {
            head: Head::of("PlanDiff", now),
            against,
            result,
            guard: None,
            left_out: Vec::new(),
            moves: diff.map(moves).unwrap_or_default(),
            unchanged: diff.map_or(0, |diff| diff.unchanged),
            findings: Findings::default(),
            diagnostics,
        }
    }

    /// With what the guard says.
    #[must_use]
    pub fn guarded(self, guard: Option<Value>) -> Self {
        Self { guard, ..self }
    }

    /// With what both states lack because it is not built.
    #[must_use]
    pub fn without(self, parts: &'a [(Vec<LeftOut>, &'a Sources)]) -> Self {
        let left_out = parts
            .iter()
            .flat_map(|(parts, sources)| left_out(parts, sources));
        Self {
            left_out: left_out.collect(),
            ..self
        }
    }

    /// With what is found now and was not before, and the other way round.
    #[must_use]
    pub fn with_findings(self, findings: Findings<'a>) -> Self {
        Self { findings, ..self }
    }
}

/// The differences of several sites.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SitesDiff<'a> {
    #[serde(flatten)]
    head: Head,
    against: &'a str,
    result: &'static str,
    sites: Vec<Value>,
    diagnostics: JsonDiagnostics<'a>,
}

impl<'a> SitesDiff<'a> {
    /// The differences of sites by their names, each finding once.
    #[must_use]
    pub fn new(
        now: jiff::Timestamp,
        against: &'a str,
        result: &'static str,
        sites: Vec<(&str, Value)>,
        diagnostics: JsonDiagnostics<'a>,
    ) -> Self {
        let site = |(name, diff): (&str, Value)| {
            let mut site = Map::new();
            site.insert("name".to_owned(), name.into());
            let parts = ["result", "leftOut", "moves", "unchanged", "findings"];
            for part in parts {
                if let Some(value) = diff.get(part) {
                    site.insert(part.to_owned(), value.clone());
                }
            }
            Value::Object(site)
        };
        Self {
            head: Head::of("PlanDiff", now),
            against,
            result,
            sites: sites.into_iter().map(site).collect(),
            diagnostics,
        }
    }
}

/// The findings that are new, and those that are gone.
#[derive(Debug, Default, Serialize)]
pub struct Findings<'a> {
    /// Found now.
    pub new: JsonDiagnostics<'a>,
    /// Found before.
    pub gone: JsonDiagnostics<'a>,
}

/// The moves of a difference as data.
#[must_use]
pub fn moves(diff: &Diff) -> Vec<Value> {
    let causes: Vec<Value> = diff.causes.iter().map(cause).collect();
    let moves = diff.moves.iter();
    let form = |moved: &crate::diff::Move| {
        let because = moved.because.iter().map(|at| causes[*at].clone());
        let mut form = json!({
            "system": moved.subject.system().name(),
            "subject": moved.subject.name,
            "from": answer(moved.from.as_ref()),
            "to": answer(moved.to.as_ref()),
            "confirmed": moved.confirmed,
            "because": because.collect::<Vec<_>>(),
        });
        if !moved.volumes_left.is_empty() {
            form["volumesLeft"] = moved.volumes_left.as_slice().into();
        }
        if let Some(error) = &moved.error {
            form["error"] = error.as_str().into();
        }
        form
    };
    moves.map(form).collect()
}

fn cause(cause: &Cause) -> Value {
    let mut form = json!({
        "what": cause.what,
        "object": object(&cause.object),
        "pointer": cause.pointer,
        "before": cause.before,
        "after": cause.after,
    });
    if let Some((path, line)) = &cause.at {
        form["path"] = path.as_str().into();
        form["line"] = (*line).into();
    }
    if !cause.roots.is_empty() {
        form["roots"] = cause.roots.as_slice().into();
    }
    form
}

fn object(object: &Object) -> Value {
    let mut map = Map::new();
    map.insert("kind".into(), object.kind.as_str().into());
    map.insert("name".into(), object.name.as_str().into());
    let qualifiers = [
        ("package", &object.package),
        ("cluster", &object.cluster),
        ("namespace", &object.namespace),
    ];
    for (key, value) in qualifiers {
        if let Some(value) = value {
            map.insert(key.into(), value.as_str().into());
        }
    }
    Value::Object(map)
}
