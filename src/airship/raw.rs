//! Documents as they stand in the files: the envelope, read leniently and checked strictly.
//! Source: Airship site documents, section 3.

use crate::diagnostic::{Object, Severity, Sink};
use crate::document::{DocumentKind, Documents};
use crate::parallel;
use crate::schema::{self, Policy};
use crate::source::Place;
use crate::yaml::{Dialect, Node, Scalar};

/// How structural faults of Airship documents are reported.
pub(crate) const POLICY: Policy = Policy {
    unknown_field: Severity::Error,
    upstream: Some("InvalidDocumentFormat"),
    admission: false,
};

/// One document as written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw<'a> {
    /// The document; inside Pegleg's wrapper, the managed one.
    pub(crate) root: Node<'a>,
    pub(crate) schema: &'a str,
    pub(crate) name: &'a str,
    /// Where the name stands, or what else stands for the document.
    pub(crate) place: Place,
    pub(crate) layer: Option<&'a str>,
    pub(crate) is_abstract: bool,
    pub(crate) replacement: bool,
    pub(crate) data: Option<Node<'a>>,
    /// Pegleg has encrypted the data: it cannot be read.
    pub(crate) encrypted: bool,
    /// Found at fault by the loader: its whole set is refused already.
    pub(crate) refused: bool,
    /// From a repository's root.
    pub(crate) lenient: bool,
}

fn text<'a>(node: Node<'a>, path: &[&str]) -> &'a str {
    node.at(path).and_then(Node::text).unwrap_or("")
}

fn truth(node: Node<'_>, path: &[&str]) -> bool {
    let scalar = node.at(path).and_then(|node| node.scalar(Dialect::PyYaml));
    scalar == Some(Scalar::Bool(true))
}

impl<'a> Raw<'a> {
    fn new(node: Node<'a>, refused: bool, lenient: bool) -> Self {
        let managed = text(node, &["schema"]) == "pegleg/PeglegManagedDocument/v1";
        let inner = node
            .at(&["data", "managedDocument"])
            .filter(|node| managed && node.is_mapping());
        let root = inner.unwrap_or(node);
        let encrypted = inner.is_some()
            && node
                .at(&["data", "encrypted"])
                .is_some_and(|encrypted| !encrypted.is_null());
        let named = root
            .at(&["metadata", "name"])
            .or_else(|| root.get("schema"));
        Self {
            root,
            schema: text(root, &["schema"]),
            name: text(root, &["metadata", "name"]),
            place: named.unwrap_or(root).place(),
            layer: root
                .at(&["metadata", "layeringDefinition", "layer"])
                .filter(|layer| !layer.is_null())
                .and_then(Node::text),
            is_abstract: truth(root, &["metadata", "layeringDefinition", "abstract"]),
            replacement: truth(root, &["metadata", "replacement"]),
            data: root.get("data"),
            encrypted,
            refused,
            lenient,
        }
    }

    /// The kind alone: `BaremetalNode`.
    pub(crate) fn kind(&self) -> &'a str {
        kind_of(self.schema)
    }

    pub(crate) fn object(&self) -> Object {
        Object::new(self.kind(), self.name)
    }

    /// `metadata/Control` documents are never layered.
    pub(crate) fn is_control(&self) -> bool {
        text(self.root, &["metadata", "schema"]).starts_with("metadata/Control")
    }

    pub(crate) fn layering(&self, key: &str) -> Option<Node<'a>> {
        self.root.at(&["metadata", "layeringDefinition", key])
    }

    pub(crate) fn labels(&self) -> Option<Node<'a>> {
        self.root
            .at(&["metadata", "labels"])
            .filter(|labels| labels.is_mapping())
    }

    pub(crate) fn selector(&self) -> Option<Node<'a>> {
        self.layering("parentSelector")
            .filter(|pairs| pairs.is_mapping() && !pairs.is_empty())
    }

    /// The entries of `metadata.substitutions`.
    pub(crate) fn substitutions(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.root
            .at(&["metadata", "substitutions"])
            .into_iter()
            .flat_map(Node::items)
    }

    /// Schema, layer and name, as in the original's messages.
    pub(crate) fn describe(&self) -> String {
        match self.layer {
            Some(layer) => format!("{} `{}` of layer `{layer}`", self.kind(), self.name),
            None => format!("{} `{}`", self.kind(), self.name),
        }
    }
}

/// The middle of `namespace/Kind/v1`; the whole text where it has no such form.
pub(crate) fn kind_of(schema: &str) -> &str {
    schema.split('/').nth(1).unwrap_or(schema)
}

/// What a source and name of a substitution say.
pub(crate) fn source_of<'a>(substitution: Node<'a>) -> (&'a str, &'a str) {
    (
        text(substitution, &["src", "schema"]),
        text(substitution, &["src", "name"]),
    )
}

/// Every Airship document but Pegleg's own, which say nothing about a plan.
pub(crate) fn read<'a>(documents: &Documents<'a>) -> Vec<Raw<'a>> {
    let lenient = !documents.repositories.is_empty();
    let raws = documents
        .of(DocumentKind::Airship)
        .map(|document| Raw::new(document.node, document.refused, lenient));
    raws.filter(|raw| {
        raw.schema != "pegleg/SiteDefinition/v1" && {
            let envelope = text(raw.root, &["metadata", "schema"]);
            envelope.starts_with("metadata/Document") || envelope.starts_with("metadata/Control")
        }
    })
    .collect()
}

/// The schema of the envelope alone.
pub(crate) const ENVELOPE: &str = "airship-envelope";

/// The schema that a document's `data` must match; the envelope's for other kinds.
pub(crate) fn stem(schema: &str) -> &'static str {
    match schema {
        "shipyard/DeploymentStrategy/v1" => "airship-deploymentstrategy",
        "shipyard/DeploymentConfiguration/v1" => "airship-deploymentconfiguration",
        "drydock/BaremetalNode/v1" => "airship-baremetalnode",
        "drydock/HostProfile/v1" => "airship-hostprofile",
        "drydock/HardwareProfile/v1" => "airship-hardwareprofile",
        "drydock/Rack/v1" => "airship-rack",
        "deckhand/LayeringPolicy/v1" => "airship-layeringpolicy",
        _ => ENVELOPE,
    }
}

/// Checks documents against a schema each; true for those without fault.
pub(crate) fn check(
    jobs: usize,
    documents: &[(&'static str, Node<'_>, Object)],
    sink: &mut Sink,
) -> Vec<bool> {
    let found = parallel::map_chunks(jobs, documents, |(stem, node, object)| {
        schema::check(stem, *node, Dialect::PyYaml, POLICY, object)
    });
    found
        .into_iter()
        .map(|found| {
            let sound = !found.iter().any(|found| found.refuses);
            found.into_iter().for_each(|found| sink.push(found));
            sound
        })
        .collect()
}
