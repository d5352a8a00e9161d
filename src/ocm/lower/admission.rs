//! The API server's checks that a schema cannot express.

use jiff::Timestamp;

use super::head::Head;
use super::{label_text, rules};
use crate::diagnostic::{Diagnostic, Object, Severity};
use crate::document::{Document, DocumentKind, info_of};
use crate::kit::name::{NameError, correction, label, label_key, label_value, subdomain};
use crate::kit::quantity::Quantity;
use crate::kit::time::parse_rfc3339;
use crate::source::Place;
use crate::yaml::Node;

/// Checks one document and remembers the findings and whether it was refused.
pub(crate) struct Admission<'d, 'a> {
    pub(crate) document: &'d Document<'a>,
    pub(crate) head: Head<'a>,
    pub(crate) findings: Vec<Diagnostic>,
    refused: bool,
    /// The clusters are there for PlacementRules alone: a ManagedCluster's faults are warnings.
    lenient: bool,
}

impl<'d, 'a> Admission<'d, 'a> {
    pub(crate) fn new(document: &'d Document<'a>, lenient: bool) -> Self {
        Self {
            document,
            head: Head::of(document.node),
            findings: Vec::new(),
            refused: false,
            lenient,
        }
    }

    pub(crate) fn passed(&self) -> bool {
        !self.refused
    }

    pub(crate) fn kind(&self) -> &'static str {
        info_of(self.document.kind).map_or("", |info| info.name)
    }

    fn object(&self) -> Object {
        let mut object = Object::new(self.kind(), self.document.name().unwrap_or(""));
        object.namespace = self.document.namespace().map(str::to_owned);
        object
    }

    /// Reports a fault of a field; an error refuses the document.
    pub(crate) fn push(&mut self, found: Diagnostic, field: &str, rule: &str) {
        let mut object = self.object();
        object.field = Some(field.to_owned());
        object.rule = Some(rule.to_owned());
        let pointer = pointer(field);
        let mut found = found.object(object).pointer(pointer);
        if self.lenient && self.document.kind == DocumentKind::ManagedCluster {
            found = found.severity(Severity::Warning);
        }
        self.refused |= found.refuses;
        self.findings.push(found);
    }

    /// Names and labels (the API's defaults and validation).
    pub(crate) fn metadata(&mut self) {
        let Head {
            name,
            place,
            namespace_node,
            labels,
            ..
        } = self.head;
        self.form(
            subdomain,
            (name, place),
            || "metadata.name".to_owned(),
            "pattern",
        );
        // A score's namespace is the name of its cluster, which may have dots.
        let form = match self.document.kind {
            DocumentKind::AddOnPlacementScore => subdomain,
            _ => label,
        };
        if let Some(namespace) = namespace_node
            && let Some(text) = namespace.text()
        {
            let field = || "metadata.namespace".to_owned();
            self.form(form, (text, namespace.place()), field, "pattern");
        }
        for (key, value) in labels.into_iter().flat_map(Node::entries) {
            let (Some(name), Some(text)) = (key.text(), label_text(value)) else {
                continue;
            };
            let field = || format!("metadata.labels.{name}");
            self.form(label_key, (name, key.place()), field, "labelKey");
            self.form(label_value, (text, value.place()), field, "labelValue");
        }
    }

    /// Refuses a text that does not have this form.
    fn form(
        &mut self,
        form: fn(&str) -> Result<(), NameError>,
        (text, place): (&str, Place),
        field: impl Fn() -> String,
        rule: &'static str,
    ) {
        let Err(error) = form(text) else { return };
        let field = field();
        let found = Diagnostic::new(&rules::NAME, format!("`{field}` is `{text}`, but {error}"))
            .at(place, "not allowed here")
            .help(correction(text, form));
        self.push(found, &field, rule);
    }

    /// Reads a time and refuses other texts.
    pub(crate) fn time(&mut self, node: Node<'a>, field: impl Fn() -> String) -> Option<Timestamp> {
        let text = node.text()?;
        let time = parse_rfc3339(text);
        if time.is_none() {
            let field = field();
            let found = Diagnostic::new(
                &rules::TIME,
                format!("`{field}` is `{text}`, but must be an RFC 3339 time"),
            )
            .at(node.place(), "not a time")
            .help("write a time such as \"2026-01-01T00:00:00Z\"");
            self.push(found, &field, "format");
        }
        time
    }

    /// A quantity that has the form of one and is none (`1e1.5`).
    pub(crate) fn quantity(&mut self, node: Node<'a>, text: &str, field: impl Fn() -> String) {
        if let Err(error) = Quantity::parse(text) {
            let field = field();
            let found = Diagnostic::new(
                &rules::QUANTITY,
                format!("`{field}` is `{text}`, which is not a quantity: {error}"),
            )
            .at(node.place(), "not a quantity")
            .help("write a quantity such as 4, 500m or 16Gi");
            self.push(found, &field, "pattern");
        }
    }
}

/// The JSON Pointer of a field path without keys that hold dots or slashes of their own.
fn pointer(field: &str) -> String {
    let mut pointer = String::with_capacity(field.len() + 1);
    let (path, label) = match field.strip_prefix("metadata.labels.") {
        Some(label) => ("metadata.labels", Some(label)),
        None => (field, None),
    };
    for part in path.split('.') {
        let (key, rest) = part.split_once('[').unwrap_or((part, ""));
        pointer.push('/');
        pointer.push_str(key);
        for index in rest.split('[').filter(|index| !index.is_empty()) {
            pointer.push('/');
            pointer.push_str(index.trim_end_matches(']'));
        }
    }
    if let Some(label) = label {
        pointer.push('/');
        pointer.push_str(&label.replace('~', "~0").replace('/', "~1"));
    }
    pointer
}
