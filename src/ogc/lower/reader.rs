//! Reads fields of one document as the OGC kinds mean them, and reports what does not fit.

use std::borrow::Cow;

use super::trail::Trail;
use crate::diagnostic::{Diagnostic, Fix, Object, Rule, Sink};
use crate::kit::name;
use crate::kit::quantity::Quantity;
use crate::kit::time::parse_rfc3339;
use crate::ogc::rules;
use crate::source::Place;
use crate::yaml::{Dialect, Node, Scalar};

/// One document on its way into the model.
pub(super) struct Reader<'s, 'a> {
    root: Node<'a>,
    trail: Trail<'a>,
    kind: &'static str,
    sink: &'s mut Sink,
    refused: bool,
}

/// A name that stands for another object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reference<'a> {
    pub(super) name: &'a str,
    pub(super) place: Place,
}

impl<'s, 'a> Reader<'s, 'a> {
    pub(super) fn new(root: Node<'a>, kind: &'static str, sink: &'s mut Sink) -> Self {
        Self {
            root,
            trail: Trail::new(root),
            kind,
            sink,
            refused: false,
        }
    }

    /// The object, unless something about its document was refused.
    pub(super) fn accept<T>(self, object: T) -> Option<T> {
        (!self.refused).then_some(object)
    }

    /// Reports a finding about a place of the document.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.refused |= diagnostic.refuses;
        let place = diagnostic.primary.as_ref().map(|primary| primary.place);
        let pointer = place.and_then(|place| self.trail.pointer(place));
        let mut diagnostic = diagnostic.object(object(self.root, self.kind));
        if diagnostic.pointer.is_none() {
            diagnostic.pointer = pointer;
        }
        self.sink.push(diagnostic);
    }

    fn fault(
        &mut self,
        rule: &'static Rule,
        node: Node<'a>,
        says: &str,
        label: &'static str,
        help: impl Into<Cow<'static, str>>,
    ) {
        let field = self.trail.field(node.place());
        let message = format!("`{field}` {says}");
        self.report(
            Diagnostic::new(rule, message)
                .at(node.place(), label)
                .help(help),
        );
    }

    /// A text: the scalar's source text unless YAML 1.1 reads it as a boolean, null or a number
    /// with a point.
    pub(super) fn text(&mut self, node: Node<'a>) -> &'a str {
        let Some(text) = node.text() else {
            return "";
        };
        let what = match node.scalar(Dialect::Ogc) {
            Some(Scalar::Bool(_)) => "the boolean",
            Some(Scalar::Float(_)) => "the number",
            Some(Scalar::Null) => "empty",
            _ => return text,
        };
        let field = self.trail.field(node.place());
        let found = if text.is_empty() {
            String::new()
        } else {
            format!(" `{text}`")
        };
        let message = format!("`{field}` must be text, not {what}{found}");
        let quoted = format!("\"{text}\"");
        let mut found = Diagnostic::new(&rules::UNQUOTED_TEXT, message)
            .at(node.place(), format!("{what}{found}"))
            .help(format!("quote it: {quoted}"));
        if node.can_be_quoted() {
            found = found.fix(Fix::replace("quote it", node.place(), quoted));
        }
        self.report(found);
        text
    }

    /// A name: an RFC 1123 label.
    pub(super) fn name(&mut self, node: Node<'a>) -> Reference<'a> {
        let before = self.refused;
        self.refused = false;
        let text = self.text(node);
        if !self.refused
            && let Err(error) = name::label(text)
        {
            let says = format!("is `{text}`, which is not a name: {error}");
            let help = name::correction(text, name::label);
            self.fault(&rules::BAD_NAME, node, &says, "not a name", help);
        }
        self.refused |= before;
        Reference {
            name: text,
            place: node.place(),
        }
    }

    /// The name in `metadata`.
    pub(super) fn own_name(&mut self) -> Reference<'a> {
        match self.root.at(&["metadata", "name"]) {
            Some(node) => self.name(node),
            None => Reference::default(),
        }
    }

    /// Checks texts in `metadata` that nothing looks at: labels or annotations.
    pub(super) fn unread(&mut self, maps: &[&str]) {
        let metadata = self.root.get("metadata");
        for map in maps {
            let map = metadata.and_then(|metadata| present(metadata, map));
            for (key, value) in map.into_iter().flat_map(Node::entries) {
                self.text(key);
                self.text(value);
            }
        }
    }

    /// A name under a key of a mapping; empty when absent, which the schema has reported.
    pub(super) fn name_at(&mut self, node: Node<'a>, key: &str) -> Reference<'a> {
        let found = present(node, key);
        found.map_or_else(Reference::default, |node| self.name(node))
    }

    /// A text under a key of a mapping; empty when absent.
    pub(super) fn text_at(&mut self, node: Node<'a>, key: &str) -> &'a str {
        present(node, key).map_or("", |node| self.text(node))
    }

    /// A word of a closed set under a key of a mapping, which the schema has checked.
    pub(super) fn word_at<T>(
        &self,
        node: Node<'a>,
        key: &str,
        word: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        present(node, key).and_then(Node::text).and_then(word)
    }

    /// A quantity without a sign.
    pub(super) fn quantity(&mut self, node: Node<'a>) -> Quantity {
        let text = node.text().unwrap_or_default();
        let wrong = match Quantity::parse(text) {
            Ok(_) if text.starts_with(['-', '+']) => "it has a sign".to_owned(),
            Ok(quantity) => return quantity,
            Err(error) => error.to_string(),
        };
        let says = format!("is `{text}`, which is not a quantity: {wrong}");
        let help = match Quantity::meant(text) {
            Some(meant) => format!("write `{meant}`"),
            None => "write a number with a Kubernetes suffix, such as 500m, 4 or 16Gi".to_owned(),
        };
        self.fault(&rules::BAD_QUANTITY, node, &says, "not a quantity", help);
        Quantity::ZERO
    }

    /// A quantity under a key of a mapping.
    pub(super) fn quantity_at(&mut self, node: Node<'a>, key: &str) -> Option<Quantity> {
        present(node, key).map(|node| self.quantity(node))
    }

    /// The creation time in `metadata`.
    pub(super) fn created(&mut self) -> Option<jiff::Timestamp> {
        let node = self
            .root
            .at(&["metadata", "creationTimestamp"])
            .filter(|n| !n.is_null())?;
        let text = node.text()?;
        let time = parse_rfc3339(text);
        if time.is_none() {
            let says = format!("is `{text}`, which is not an RFC 3339 time");
            let midnight = format!("{text}T00:00:00Z");
            let help = match parse_rfc3339(&midnight) {
                Some(_) => format!("write \"{midnight}\""),
                None => "write it like \"2024-06-01T09:00:00Z\"".to_owned(),
            };
            self.fault(&rules::BAD_TIME, node, &says, "not a time", help);
        }
        time
    }

    /// `spec.replicas`: a whole number of at least 1, read by its own digits; 1 without it.
    pub(super) fn replicas(&mut self, spec: Node<'a>) -> u32 {
        let Some(node) = present(spec, "replicas") else {
            return 1;
        };
        let text = node.text().unwrap_or_default();
        let digits = text.strip_prefix('+').unwrap_or(text);
        let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !whole || digits.bytes().all(|byte| byte == b'0') {
            let says = format!("is `{text}`, but must be a whole number of at least 1");
            let help = "replicas is the number of copies on the Cluster";
            self.fault(&rules::BAD_REPLICAS, node, &says, "not such a number", help);
        }
        digits.parse().unwrap_or(u32::MAX)
    }
}

/// The object a document describes, as far as it can be named.
pub(super) fn object(root: Node<'_>, kind: &str) -> Object {
    let text = |path: &[&str]| root.at(path).and_then(Node::text).map(str::to_owned);
    let mut object = Object::new(kind, text(&["metadata", "name"]).unwrap_or_default());
    object.package = text(&["spec", "package"]).filter(|_| kind == "Application");
    object.cluster = text(&["spec", "cluster"]).filter(|_| kind == "Node");
    object
}

/// The finding about a reference that names nothing, with the nearest name if there is one.
pub(super) fn dangling(what: &str, to: Reference<'_>, near: Option<&str>) -> Diagnostic {
    let message = format!("there is no {what} `{}`", to.name);
    let what = what.trim_end_matches(" named");
    Diagnostic::new(&rules::UNKNOWN_REFERENCE, message)
        .at(to.place, format!("names no {what}"))
        .suggest_edit(near, to.place, format!("add the {what}, or name another"))
}

/// The value of a key that is there and not null.
pub(super) fn present<'a>(node: Node<'a>, key: &str) -> Option<Node<'a>> {
    node.get(key).filter(|value| !value.is_null())
}

/// The items of a list under a key; nothing when absent.
pub(super) fn list<'a>(node: Node<'a>, key: &str) -> impl Iterator<Item = Node<'a>> {
    present(node, key).into_iter().flat_map(Node::items)
}
