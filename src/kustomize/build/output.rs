//! A build as the rest of the program gets it.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::diagnostic::Diagnostic;
use crate::kustomize::digest::Digests;
use crate::kustomize::heap::LeftOut;
use crate::kustomize::node::{Node, Value};
use crate::source::{Place, SourceId};
use crate::yaml::Tree;

/// How much of a kustomization was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All of it.
    Whole,
    /// All but what is left out.
    Part,
    /// Nothing.
    No,
}

impl Status {
    /// Its word in data.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Part => "part",
            Self::No => "no",
        }
    }
}

/// A document of a build.
#[derive(Debug, Clone)]
pub struct Document {
    pub(in crate::kustomize) node: Arc<Node>,
    /// The name of the PolicyGenerator that made it.
    pub generator: Option<Arc<str>>,
}

/// Where a value of a document comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// JSON Pointer of the value.
    pub pointer: String,
    /// The line to edit.
    pub place: Place,
    /// The line that changed the value: a prefix, a replacement.
    pub by: Option<Place>,
}

impl Document {
    /// The document as a tree: each node has the place it comes from, and is read like that of a
    /// document for Kubernetes.
    #[must_use]
    pub fn tree(&self) -> Tree {
        self.node.tree()
    }

    /// The document without a namespace: an API server drops that of what has none.
    #[must_use]
    pub fn without_namespace(&self) -> Self {
        let mut document = self.clone();
        let entries = Arc::make_mut(&mut document.node).entries_mut();
        let mut entries = entries.into_iter().flatten();
        if let Some(metadata) = entries.find(|entry| &*entry.key == "metadata") {
            Arc::make_mut(&mut metadata.value).remove("namespace");
        }
        document
    }

    /// The document as JSON.
    #[must_use]
    pub fn json(&self) -> Json {
        self.node.json(None)
    }

    /// The document as JSON, with a text in place of each value that was copied out of a Secret.
    #[must_use]
    pub fn json_without_secrets(&self, hidden: &str) -> Json {
        self.node.json(Some(hidden))
    }

    /// The values that were copied out of Secrets, and where they come from.
    #[must_use]
    pub fn secrets(&self) -> Vec<(Place, Arc<str>)> {
        let mut values = Vec::new();
        let mut open = vec![&self.node];
        while let Some(node) = open.pop() {
            if let Some(value) = node.as_text().filter(|_| node.secret) {
                values.push((node.place, Arc::clone(value)));
            }
            open.extend(node.items());
            open.extend(node.entries().iter().map(|entry| &entry.value));
        }
        values
    }

    /// The hash of the data: the same for the same data, whatever its order and origin.
    #[must_use]
    pub fn digest(&self, digests: &mut Digests) -> u128 {
        digests.of(&self.node)
    }

    /// The hash of the data without its namespace.
    #[must_use]
    pub fn digest_without_namespace(&self, digests: &mut Digests) -> u128 {
        digests.without_namespace(&self.node)
    }

    /// A text at a path; empty if there is none.
    #[must_use]
    pub fn text(&self, path: &[&str]) -> &str {
        let text = self.node.at(path).and_then(|node| node.as_text());
        text.map_or("", |text| text)
    }

    /// Where the document begins: the first file that it comes from.
    #[must_use]
    pub fn place(&self) -> Place {
        self.node.place
    }

    /// The places that its values come from.
    #[must_use]
    pub fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        let mut open = vec![&self.node];
        while let Some(node) = open.pop() {
            places.push(node.place);
            open.extend(node.items());
            for entry in node.entries() {
                places.push(entry.place);
                open.push(&entry.value);
            }
        }
        places
    }

    /// Where each of its values comes from, in the order of the document.
    #[must_use]
    pub fn origins(&self) -> Vec<Origin> {
        fn push(node: &Node, pointer: &str, into: &mut Vec<Origin>) {
            let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
            into.push(Origin {
                pointer: pointer.to_owned(),
                place: node.place,
                by: node.by,
            });
            match &node.value {
                Value::Scalar(_) => {}
                Value::Map(entries) => {
                    for entry in entries {
                        let pointer = format!("{pointer}/{}", escaped(&entry.key));
                        push(&entry.value, &pointer, into);
                    }
                }
                Value::List(items) => {
                    for (item, at) in items.iter().zip(0..) {
                        push(item, &format!("{pointer}/{at}"), into);
                    }
                }
            }
        }
        let mut origins = Vec::new();
        push(&self.node, "", &mut origins);
        origins
    }
}

/// A kustomization that was built, or why it was not.
#[derive(Debug, Clone)]
pub struct Built {
    /// Its directory, without links.
    pub directory: PathBuf,
    /// How much of it was built.
    pub status: Status,
    /// Its documents, in the order in which `kubectl` prints them.
    pub documents: Vec<Document>,
    /// The parts that are left out.
    pub left_out: Vec<LeftOut>,
    /// Why it is not built, and what else is to say of it.
    pub findings: Vec<Diagnostic>,
    /// The files of the PolicyGenerators that it runs, each with the directory that its paths are
    /// relative to.
    pub generators: Vec<(SourceId, PathBuf)>,
}
