//! Objects that are defined twice, and where the two differ.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::Diagnostic;
use crate::document::DocumentKind;
use crate::ocm::lower::{Admission, Head};
use crate::ocm::rules;
use crate::source::Place;
use crate::yaml::{self, Dialect, Kind, Node};

/// Identities taken so far. A refused document does not count.
#[derive(Default)]
pub(crate) struct Seen<'a> {
    /// The first document of each, by kind, namespace and name.
    first: FxHashMap<(DocumentKind, &'a str, &'a str), (Place, Node<'a>)>,
    /// Where the names of those stand that another document defines with other values.
    pub(crate) doubled: FxHashSet<Place>,
}

impl<'a> Seen<'a> {
    /// Nothing seen, with room for so many.
    pub(super) fn with_capacity(count: usize) -> Self {
        let mut seen = Self::default();
        seen.first.reserve(count);
        seen
    }

    /// Whether a document repeats an earlier one of its identity. Reports one that differs from the
    /// earlier one. A document that passed its checks takes an identity that is free.
    pub(crate) fn check(&mut self, kind: DocumentKind, admission: &mut Admission<'_, 'a>) -> bool {
        let Head { name, place, .. } = admission.head;
        let namespace = if kind.is_cluster_scoped() {
            ""
        } else {
            admission.head.namespace_as_written()
        };
        let key = (kind, namespace, name);
        let node = admission.document.node;
        if let Some((first, other)) = self.first.get(&key) {
            let value = |node| {
                let mut value = yaml::json(node, Dialect::Kubernetes);
                // The API server drops the namespace of what is in none.
                if kind.is_cluster_scoped()
                    && let Some(metadata) = value.pointer_mut("/metadata")
                    && let Some(fields) = metadata.as_object_mut()
                {
                    fields.remove("namespace");
                }
                value
            };
            if value(*other) == value(node) {
                return true;
            }
            let (first, passed) = (*first, admission.passed());
            let message = format!("{} `{name}` is defined twice", admission.kind());
            let found = Diagnostic::new(&rules::DUPLICATE, message)
                .at(place, "again here")
                .related(first, "first here")
                .help("keep one of them");
            let mut path = Vec::new();
            let found = match differing(*other, node, kind, &mut path) {
                Some((one, two)) => found
                    .related(
                        two,
                        format!("`{}` differs", path.join(".").replace(".[", "[")),
                    )
                    .related(one, "from this"),
                None => found,
            };
            admission.push(found, "metadata.name", "duplicate");
            if passed && !admission.passed() {
                self.doubled.insert(first);
            }
        }
        if admission.passed() {
            self.first.insert(key, (place, node));
        }
        false
    }
}

/// The first places in which two documents differ, and the path to them.
fn differing<'a>(
    one: Node<'a>,
    two: Node<'a>,
    kind: DocumentKind,
    path: &mut Vec<String>,
) -> Option<(Place, Place)> {
    match (one.kind(), two.kind()) {
        (Kind::Mapping, Kind::Mapping) => {
            let entries = |node: Node<'a>| {
                let entries = node.entries();
                entries.filter_map(|(key, value)| Some((key.text()?, value)))
            };
            let own = entries(one).map(|(key, value)| (key, Some(value), two.get(key)));
            let others = entries(two).filter(|(key, _)| one.get(key).is_none());
            let others = others.map(|(key, value)| (key, None, Some(value)));
            for (key, first, second) in own.chain(others) {
                // The API server drops the namespace of what is in none.
                if key == "namespace" && *path == ["metadata"] && kind.is_cluster_scoped() {
                    continue;
                }
                path.push(key.to_owned());
                let found = match (first, second) {
                    (Some(first), Some(second)) => differing(first, second, kind, path),
                    (first, second) => {
                        let place = |value: Option<Node<'_>>, whole: Node<'_>| {
                            value.map_or(whole.place(), Node::place)
                        };
                        Some((place(first, one), place(second, two)))
                    }
                };
                if found.is_some() {
                    return found;
                }
                path.pop();
            }
            None
        }
        (Kind::Sequence, Kind::Sequence) => {
            let (mut firsts, mut seconds) = (one.items(), two.items());
            let mut at = 0;
            loop {
                let found = match (firsts.next(), seconds.next()) {
                    (None, None) => return None,
                    (Some(first), Some(second)) => {
                        path.push(format!("[{at}]"));
                        differing(first, second, kind, path)
                    }
                    (Some(first), None) => Some((first.place(), two.place())),
                    (None, Some(second)) => Some((one.place(), second.place())),
                };
                if found.is_some() {
                    return found;
                }
                path.pop();
                at += 1;
            }
        }
        _ => {
            let value = |node| yaml::json(node, Dialect::Kubernetes);
            (value(one) != value(two)).then(|| (one.place(), two.place()))
        }
    }
}
