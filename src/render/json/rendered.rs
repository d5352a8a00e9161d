//! `planner render` as data.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::diagnostic::Sink;
use crate::document::secret;
use crate::kustomize::{Built, Choice, Document, Root, Roots, Site};
use crate::render::diagnostics::{self, JsonDiagnostics};
use crate::source::{Place, Sources};

use super::envelope::FORMAT_VERSION;

/// The text that stands for a value of a Secret.
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

/// A document as it may be shown: the values of Secrets are hidden, wherever one stands in it.
#[must_use]
pub fn shown(document: &Document) -> Value {
    let mut value = document.json_without_secrets(HIDDEN);
    secret::hide_each(&mut value, HIDDEN);
    value
}

/// `planner render --list -o json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RootList<'a> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    roots: Vec<Value>,
    choices: Vec<Value>,
    sites: Vec<Value>,
    plain: &'a [String],
    unlisted: &'a [String],
    diagnostics: JsonDiagnostics<'a>,
}

impl<'a> RootList<'a> {
    /// The answer over these roots; `names` are their directories.
    #[must_use]
    pub fn new(
        roots: &Roots,
        names: &[String],
        plain: &'a [String],
        unlisted: &'a [String],
        (found, sources): (&'a Sink, &'a Sources),
    ) -> Self {
        let listed = |numbers: &[usize]| -> Vec<&str> {
            numbers
                .iter()
                .map(|number| names[*number].as_str())
                .collect()
        };
        let root = |(root, name): (&Root, &String)| {
            let lines = root
                .named_by
                .iter()
                .map(|line| Value::Object(place(*line, sources)));
            json!({
                "path": name,
                "namedBy": lines.collect::<Vec<_>>(),
                "uses": root.uses,
                "built": root.built.status.word(),
            })
        };
        let choice = |choice: &Choice| {
            let alternatives = choice.alternatives.iter();
            let alternatives =
                alternatives.map(|one| json!({"name": one.name, "roots": listed(&one.roots)}));
            let mut fields = json!({"alternatives": alternatives.collect::<Vec<_>>()});
            if let Some((chosen, line)) = choice.chosen {
                fields["chosen"] = choice.alternatives[chosen].name.as_str().into();
                fields["by"] = Value::Object(place(line, sources));
            }
            fields
        };
        let site = |site: &Site| json!({"name": site.name, "roots": listed(&site.roots)});
        Self {
            api_version: "planner/v1",
            kind: "Roots",
            format_version: FORMAT_VERSION,
            roots: roots.roots.iter().zip(names).map(root).collect(),
            choices: roots.choices.iter().map(choice).collect(),
            sites: roots.sites.iter().map(site).collect(),
            plain,
            unlisted,
            diagnostics: diagnostics::json(found, sources),
        }
    }

    /// The list for people: without its findings.
    #[must_use]
    pub fn value(&self) -> Value {
        json!({
            "roots": self.roots,
            "choices": self.choices,
            "sites": self.sites,
            "plain": self.plain,
            "unlisted": self.unlisted,
        })
    }
}
