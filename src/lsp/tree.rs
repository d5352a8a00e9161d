//! The tree of one file, as it is written.

use crate::schema;
use crate::source::{Source, SourceId, Span};
use crate::yaml::{Kind, Limits, Node, Parsed, parse};

/// A file and its documents.
pub(super) struct Tree<'t> {
    text: &'t str,
    parsed: Parsed,
}

/// A step of the way from the root of a document to a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'t> {
    /// The mapping or sequence that holds it.
    pub(super) holder: Node<'t>,
    /// The key; none of an item.
    pub(super) key: Option<Node<'t>>,
    /// The value or item.
    pub(super) value: Node<'t>,
}

impl<'t> Tree<'t> {
    /// Reads a file.
    pub(super) fn new(source: &'t Source) -> Self {
        Self::of_text(&source.text)
    }

    /// Reads a text.
    pub(super) fn of_text(text: &'t str) -> Self {
        let parsed = parse(SourceId(0), text, 0..text.len(), Limits::default());
        Self { text, parsed }
    }

    /// The roots of its documents.
    pub(super) fn roots(&self) -> impl Iterator<Item = Node<'_>> {
        let roots = self.parsed.documents.iter();
        roots.map(|root| self.parsed.tree.node(self.text, *root))
    }

    /// The document at a byte: the last one that begins before it.
    pub(super) fn root_at(&self, at: u32) -> Option<Node<'_>> {
        let before = |root: &Node<'_>| root.span().start <= at;
        self.roots().filter(before).last()
    }
}

/// The way from a root to the innermost node that holds a byte.
pub(super) fn way(root: Node<'_>, at: u32) -> Vec<Step<'_>> {
    let mut way = Vec::new();
    let mut node = root;
    while let Some(step) = step(node, at) {
        way.push(step);
        if step.key.is_some_and(|key| holds(key.span(), at)) {
            break;
        }
        node = step.value;
    }
    way
}

/// Whether a byte lies in a span or behind its last byte.
pub(super) fn holds(span: Span, at: u32) -> bool {
    span.start <= at && at <= span.end
}

fn step(node: Node<'_>, at: u32) -> Option<Step<'_>> {
    let inside = |span: Span| holds(span, at);
    match node.kind() {
        Kind::Scalar => None,
        Kind::Mapping => {
            let entries = node.entries().map(|(key, value)| Step {
                holder: node,
                key: Some(key),
                value,
            });
            let touched = |step: &Step<'_>| {
                let key = step.key.map_or(step.value.span(), Node::span);
                inside(key) || inside(step.value.span())
            };
            entries.filter(touched).last()
        }
        Kind::Sequence => {
            let items = node.items().map(|value| Step {
                holder: node,
                key: None,
                value,
            });
            items.filter(|step| inside(step.value.span())).last()
        }
    }
}

/// The stem of the schema of a document.
pub(super) fn stem_of(root: Node<'_>) -> Option<&'static str> {
    let text = |key: &str| root.get(key).and_then(Node::text);
    schema::stem_of(
        text("apiVersion"),
        text("kind"),
        text("schema"),
        text("type"),
    )
}
