//! `planner render` as data.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::diagnostic::Sink;
use crate::kustomize::{Built, Document};
use crate::render::diagnostics::{self, JsonDiagnostics};
use crate::source::{Place, Sources};

use super::envelope::FORMAT_VERSION;

/// What stands for a value of a Secret.
pub const HIDDEN: &str = "<hidden>";

/// `planner render -o json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rendered<'a> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    roots: Vec<Value>,
    diagnostics: JsonDiagnostics<'a>,
}

impl<'a> Rendered<'a> {
    /// The answer over these builds, each with the name of its directory.
    #[must_use]
    pub fn new(
        built: &[(String, &Built)],
        origins: bool,
        found: &'a Sink,
        sources: &'a Sources,
    ) -> Self {
        let root = |(path, built): &(String, &Built)| {
            let left_out = built.left_out.iter().map(|part| {
                let mut fields = place(part.place, sources);
                fields.insert("what".to_owned(), part.what.word().into());
                fields.insert("name".to_owned(), part.name.as_str().into());
                Value::Object(fields)
            });
            let mut root = json!({
                "path": path,
                "built": built.status.word(),
                "leftOut": left_out.collect::<Vec<_>>(),
                "documents": built.documents.iter().map(shown).collect::<Vec<_>>(),
            });
            if origins {
                let all = built.documents.iter().map(|one| origins_of(one, sources));
                root["origins"] = all.collect();
            }
            root
        };
        Self {
            api_version: "planner/v1",
            kind: "Rendered",
            format_version: FORMAT_VERSION,
            roots: built.iter().map(root).collect(),
            diagnostics: diagnostics::json(found, sources),
        }
    }
}

fn place(place: Place, sources: &Sources) -> Map<String, Value> {
    let source = sources.get(place.source);
    let position = source.position(place.span.start);
    let mut fields = Map::new();
    fields.insert("path".to_owned(), source.name.as_str().into());
    fields.insert("line".to_owned(), position.line.into());
    fields.insert("column".to_owned(), position.column.into());
    fields
}

/// Where each value of a document comes from, by its JSON Pointer.
fn origins_of(document: &Document, sources: &Sources) -> Value {
    let origins = document.origins().into_iter();
    let entry = origins.map(|origin| {
        let mut fields = place(origin.place, sources);
        if let Some(by) = origin.by {
            fields.insert("by".to_owned(), Value::Object(place(by, sources)));
        }
        (origin.pointer, Value::Object(fields))
    });
    Value::Object(entry.collect())
}

/// A document as it may be shown: the values of a Secret are hidden.
#[must_use]
pub fn shown(document: &Document) -> Value {
    let mut value = document.json();
    if document.text(&["kind"]) == "Secret" {
        for field in ["data", "stringData"] {
            let values = value.get_mut(field).and_then(Value::as_object_mut);
            for value in values.into_iter().flat_map(|map| map.values_mut()) {
                *value = HIDDEN.into();
            }
        }
    }
    value
}
