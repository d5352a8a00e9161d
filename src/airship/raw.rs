//! Documents as written in the files: the envelope, read leniently and checked strictly. Source:
//! Deckhand, `doc/source/users/documents.rst`.

use crate::diagnostic::{Object, Severity, Sink};
use crate::document::{Document, DocumentKind, Documents};
use crate::options::CheckOptions;
use crate::parallel;
use crate::schema::{self, Policy};
use crate::source::Place;
use crate::yaml::{Dialect, Node, Scalar};

/// How structural faults of Airship documents are reported.
pub(crate) const POLICY: Policy = Policy {
    unknown_field: Severity::Error,
    upstream: Some("InvalidDocumentFormat"),
    admission: false,
    exact_fixes: false,
    deciding: &[],
};

/// One document as written; after rendering, with the root that layering and substitution made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw<'a> {
    /// The document; inside Pegleg's wrapper, the managed one.
    pub(crate) root: Node<'a>,
    /// All of the document, the wrapper included.
    pub(crate) whole: Place,
    pub(crate) schema: &'a str,
    pub(crate) name: &'a str,
    /// Where the name is, or what else stands for the document.
    pub(crate) place: Place,
    pub(crate) layer: Option<&'a str>,
    pub(crate) is_abstract: bool,
    pub(crate) replacement: bool,
    /// `metadata/Control` documents are never layered.
    pub(crate) control: bool,
    /// Pegleg has encrypted the data: it cannot be read.
    pub(crate) encrypted: bool,
    /// Found at fault by the loader: its whole set is refused already.
    pub(crate) refused: bool,
    /// From a repository's root.
    pub(crate) lenient: bool,
    /// Unchanged from the site that this one was made from, so it is not checked again.
    pub(crate) known: bool,
}

/// The documents whose schema begins like this, by index, and their names.
pub(crate) fn declared<'d, 'a>(
    documents: &'d Documents<'a>,
    schema: &'d str,
) -> impl Iterator<Item = (u32, &'a str)> + 'd {
    let all = documents.of(DocumentKind::Airship);
    let ours =
        move |document: &'d Document<'a>| Some((document.index, declares(document, schema)?));
    all.filter_map(ours)
}

/// The name in a document whose schema begins like this.
pub(crate) fn declares<'a>(document: &Document<'a>, schema: &str) -> Option<&'a str> {
    let (root, _) = unwrapped(document.node);
    let named = text(root, &["schema"]).starts_with(schema);
    named.then(|| text(root, &["metadata", "name"]))
}

fn text<'a>(node: Node<'a>, path: &[&str]) -> &'a str {
    node.at(path).and_then(Node::text).unwrap_or("")
}

fn is_true(node: Node<'_>) -> bool {
    node.scalar(Dialect::PyYaml) == Some(Scalar::Bool(true))
}

/// The document inside Pegleg's wrapper, if it has one, and whether its data is encrypted.
fn unwrapped(node: Node<'_>) -> (Node<'_>, bool) {
    if text(node, &["schema"]) != "pegleg/PeglegManagedDocument/v1" {
        return (node, false);
    }
    let inner = node.at(&["data", "managedDocument"]);
    let Some(inner) = inner.filter(|inner| inner.is_mapping()) else {
        return (node, false);
    };
    let encrypted = node.at(&["data", "encrypted"]);
    (inner, encrypted.is_some_and(|value| !value.is_null()))
}

impl<'a> Raw<'a> {
    /// Reads the envelope, going over its keys once; `None` where there is none, and for
    /// Pegleg's own documents, which say nothing about a plan.
    fn new(document: &Document<'a>, lenient: bool) -> Option<Self> {
        let (raw, envelope) = Self::bare(document, lenient);
        let enveloped = raw.control || envelope?.starts_with("metadata/Document");
        (enveloped && raw.schema != "pegleg/SiteDefinition/v1").then_some(raw)
    }

    /// A document with whatever it has of an envelope, and the schema of its metadata.
    pub(crate) fn bare(document: &Document<'a>, lenient: bool) -> (Self, Option<&'a str>) {
        let (root, encrypted) = unwrapped(document.node);
        let mut raw = Self {
            root,
            whole: document.node.place(),
            schema: "",
            name: "",
            place: root.place(),
            layer: None,
            is_abstract: false,
            replacement: false,
            control: false,
            encrypted,
            refused: document.refused,
            lenient,
            known: document.known,
        };
        let mut metadata = None;
        for (key, value) in root.entries() {
            match key.text() {
                Some("schema") => {
                    raw.schema = value.text().unwrap_or("");
                    raw.place = value.place();
                }
                Some("metadata") => metadata = Some(value),
                _ => {}
            }
        }
        let envelope = metadata.map(|metadata| raw.read_metadata(metadata));
        raw.control = envelope.is_some_and(|schema| schema.starts_with("metadata/Control"));
        (raw, envelope)
    }

    /// The schema of the metadata.
    fn read_metadata(&mut self, metadata: Node<'a>) -> &'a str {
        let mut envelope = "";
        for (key, value) in metadata.entries() {
            match key.text() {
                Some("schema") => envelope = value.text().unwrap_or(""),
                Some("name") => {
                    self.name = value.text().unwrap_or("");
                    self.place = value.place();
                }
                Some("replacement") => self.replacement = is_true(value),
                Some("layeringDefinition") => self.read_layering(value),
                _ => {}
            }
        }
        envelope
    }

    fn read_layering(&mut self, definition: Node<'a>) {
        for (key, value) in definition.entries() {
            match key.text() {
                Some("layer") if !value.is_null() => self.layer = value.text(),
                Some("abstract") => self.is_abstract = is_true(value),
                _ => {}
            }
        }
    }

    pub(crate) fn data(&self) -> Option<Node<'a>> {
        self.root.get("data")
    }

    /// The kind alone: `BaremetalNode`.
    pub(crate) fn kind(&self) -> &'a str {
        kind_of(self.schema)
    }

    pub(crate) fn object(&self) -> Object {
        Object::new(self.kind(), self.name)
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

/// The schema and the name of a substitution's source.
pub(crate) fn source_of<'a>(substitution: Node<'a>) -> (&'a str, &'a str) {
    (
        text(substitution, &["src", "schema"]),
        text(substitution, &["src", "name"]),
    )
}

/// Every Airship document that has an envelope, but Pegleg's own.
pub(crate) fn read<'a>(documents: &Documents<'a>, jobs: usize) -> Vec<Raw<'a>> {
    let lenient = !documents.repositories.is_empty();
    let ours: Vec<_> = documents.of(DocumentKind::Airship).collect();
    let raw = |document: &&Document<'a>| Raw::new(document, lenient);
    parallel::join(parallel::map_runs(jobs, &ours, |run| {
        run.iter().filter_map(raw).collect()
    }))
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

/// The result of checking a document against its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Soundness {
    /// Nothing to report.
    Sound,
    /// Reported, but the document still counts.
    Told,
    /// The document does not count.
    Refused,
}

/// Checks documents against the schema that `stem` names for each. Those that are `sound` are not
/// looked at.
pub(crate) fn check(
    settings: &CheckOptions,
    raws: &[Raw<'_>],
    stem: impl Fn(&Raw<'_>) -> &'static str + Sync,
    sound: impl Fn(&Raw<'_>) -> bool + Sync,
    sink: &mut Sink,
) -> Vec<Soundness> {
    let found = parallel::map_chunks(settings.jobs, raws, |raw| {
        settings.progress.add(1);
        let mut found = Vec::new();
        if sound(raw) {
            return found;
        }
        schema::check_each(stem(raw), raw.root, Dialect::PyYaml, &mut |fault| {
            found.push(fault.diagnostic(POLICY, &raw.object()));
        });
        found
    });
    found
        .into_iter()
        .map(|found| {
            let sound = match found.is_empty() {
                true => Soundness::Sound,
                false if found.iter().any(|found| found.refuses) => Soundness::Refused,
                false => Soundness::Told,
            };
            found.into_iter().for_each(|found| sink.push(found));
            sound
        })
        .collect()
}
