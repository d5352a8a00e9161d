//! The documents that a partial plan leaves out, as data.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::plan::LeftOut;
use crate::plan::partial::What;
use crate::source::{Place, Sources};

/// An entry of `leftOut[]`.
#[derive(Debug, Serialize)]
pub(super) struct LeftOutForm<'p> {
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<&'p str>,
    #[serde(flatten)]
    at: At<'p>,
    reason: &'p str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    kinds: &'p BTreeMap<&'static str, usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<At<'p>>,
}

#[derive(Debug, Serialize)]
struct At<'p> {
    path: &'p str,
    line: usize,
    column: usize,
}

impl<'p> At<'p> {
    fn of(place: Place, sources: &'p Sources) -> Self {
        let source = sources.get(place.source);
        let position = source.position(place.span.start);
        Self {
            path: &source.name,
            line: position.line,
            column: position.column,
        }
    }
}

/// `leftOut[]`.
pub(super) fn left_out<'p>(parts: &'p [LeftOut], sources: &'p Sources) -> Vec<LeftOutForm<'p>> {
    let form = |one: &'p LeftOut| LeftOutForm {
        what: match one.what {
            What::Document | What::Doubled => "document",
            What::Kustomization => "kustomization",
            What::Part(part) => part.word(),
        },
        kind: one.kind.as_deref(),
        namespace: one.namespace.as_deref(),
        name: one.name.as_deref(),
        root: one.root.as_deref(),
        at: At::of(one.place, sources),
        reason: &one.reason,
        kinds: &one.kinds,
        also: one
            .also
            .iter()
            .map(|place| At::of(*place, sources))
            .collect(),
    };
    parts.iter().map(form).collect()
}

/// `leftOut[]` as values.
#[must_use]
pub fn left_out_values(parts: &[LeftOut], sources: &Sources) -> Vec<Value> {
    let forms = left_out(parts, sources);
    let values = forms.iter().map(serde_json::to_value);
    values.filter_map(Result::ok).collect()
}
