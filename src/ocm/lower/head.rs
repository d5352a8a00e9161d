//! The metadata of every object: its name, its namespace, its labels.

use super::get;
use crate::source::Place;
use crate::yaml::Node;

/// The part of `metadata` that is read of every kind.
#[derive(Clone, Copy)]
pub(crate) struct Head<'a> {
    /// `name`, empty without one.
    pub(crate) name: &'a str,
    /// Where the name is.
    pub(crate) place: Place,
    /// `namespace`, if it is there.
    pub(crate) namespace_node: Option<Node<'a>>,
    /// `labels`, if they are there.
    pub(crate) labels: Option<Node<'a>>,
    /// Whether `deletionTimestamp` is there.
    pub(crate) terminating: bool,
}

impl<'a> Head<'a> {
    pub(crate) fn of(document: Node<'a>) -> Self {
        let (mut name, mut namespace_node, mut labels, mut terminating) = (None, None, None, false);
        let metadata = get(document, "metadata");
        for (key, value) in metadata.into_iter().flat_map(Node::entries) {
            let there = (!value.is_null()).then_some(value);
            match key.text() {
                Some("name") => name = Some(value),
                Some("namespace") => namespace_node = there,
                Some("labels") => labels = there,
                Some("deletionTimestamp") => terminating = there.is_some(),
                _ => {}
            }
        }
        let named = name.filter(|name| !name.is_null());
        Self {
            name: named.and_then(Node::text).unwrap_or(""),
            place: name.unwrap_or(document).place(),
            namespace_node,
            labels,
            terminating,
        }
    }

    /// The namespace as written, empty without one.
    pub(crate) fn namespace_as_written(&self) -> &'a str {
        self.namespace_node.and_then(Node::text).unwrap_or("")
    }

    /// The namespace of a namespaced object; without one kubectl would use `default`.
    pub(crate) fn namespace(&self) -> &'a str {
        match self.namespace_as_written() {
            "" => "default",
            namespace => namespace,
        }
    }
}
