//! The last writer of each field of an object, by its `managedFields`.

use std::collections::BTreeMap;

use super::versions::other_name;
use crate::document::DocumentKind;
use crate::yaml::Node;

/// Maps that have one owner as a whole.
const WHOLE: [(DocumentKind, &[&str]); 2] = [
    (
        DocumentKind::ManagedClusterSet,
        &["spec", "clusterSelector", "labelSelector"],
    ),
    (DocumentKind::GitOpsCluster, &["spec", "placementRef"]),
];

/// The managers of one object.
#[derive(Debug)]
pub struct Owners<'a> {
    kind: DocumentKind,
    managers: Vec<Manager<'a>>,
}

/// One entry of `managedFields`.
#[derive(Debug, Clone, Copy)]
struct Manager<'a> {
    name: &'a str,
    applies: bool,
    subresource: &'a str,
    time: &'a str,
    fields: Node<'a>,
}

/// The writer of a field, and the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Writer<'a> {
    /// When, as written.
    pub time: &'a str,
    /// The manager.
    pub name: &'a str,
    /// Whether it applies (server-side apply).
    pub applies: bool,
}

impl<'a> Owners<'a> {
    /// The managers of an object.
    #[must_use]
    pub fn of(kind: DocumentKind, object: Node<'a>) -> Self {
        let entries = object.at(&["metadata", "managedFields"]);
        let entries = entries.into_iter().flat_map(Node::items);
        let manager = |entry: Node<'a>| {
            let text = |key| entry.get(key).and_then(Node::text).unwrap_or("");
            Some(Manager {
                name: text("manager"),
                applies: text("operation") == "Apply",
                subresource: text("subresource"),
                time: text("time"),
                fields: entry.get("fieldsV1")?,
            })
        };
        Self {
            kind,
            managers: entries.filter_map(manager).collect(),
        }
    }

    /// Whether a field has one owner, and that is this manager by an apply: the field goes when
    /// the manager no longer states it.
    #[must_use]
    pub fn is_only_of(&self, manager: &str, path: &[&str]) -> bool {
        let mut owners = self.naming(path).peekable();
        owners.peek().is_some() && owners.all(|one| one.is_apply() && one.name == manager)
    }

    /// The managers that apply (server-side), each with the newest time of its entries.
    #[must_use]
    pub fn appliers(&self) -> BTreeMap<&'a str, &'a str> {
        let mut found = BTreeMap::new();
        for one in self.managers.iter().filter(|one| one.is_apply()) {
            let time = found.entry(one.name).or_insert(one.time);
            *time = (*time).max(one.time);
        }
        found
    }

    /// The managers that own a field, as one of their applies or otherwise.
    pub fn owners(&self, path: &[&str]) -> impl Iterator<Item = (&'a str, bool)> {
        let own = self.naming(path).filter(|one| one.subresource.is_empty());
        own.map(|one| (one.name, one.applies))
    }

    fn naming(&self, path: &[&str]) -> impl Iterator<Item = &Manager<'a>> {
        let all = self.managers.iter();
        all.filter(move |one| self.names(one.fields, path))
    }

    /// Whether a map has one owner as a whole.
    #[must_use]
    pub fn is_whole(&self, path: &[&str]) -> bool {
        WHOLE.contains(&(self.kind, path))
    }

    /// Whether a set of fields names a field, or a map above it that has one owner. An empty set
    /// below any other map names the empty map alone.
    fn names(&self, mut fields: Node<'_>, path: &[&str]) -> bool {
        for (step, key) in path.iter().enumerate() {
            let above = &path[..step];
            if fields.is_empty() && self.is_whole(above) {
                return true;
            }
            let own = |key: &str| fields.get(&format!("f:{key}"));
            let other = || own(other_name(self.kind, above, key)?);
            match own(key).or_else(other) {
                Some(below) => fields = below,
                None => return false,
            }
        }
        true
    }

    /// The last writer of a field.
    #[must_use]
    pub fn writer(&self, path: &[&str]) -> Option<Writer<'a>> {
        let own = self.naming(path).filter(|one| one.subresource.is_empty());
        own.map(Manager::writer).max()
    }

    /// The last writer of a field of the status.
    #[must_use]
    pub fn of_status(&self) -> Option<Writer<'a>> {
        let status = |one: &&Manager<'a>| {
            one.subresource == "status" && one.fields.get("f:status").is_some()
        };
        let own = self.managers.iter().filter(status);
        own.map(Manager::writer).max()
    }
}

impl<'a> Manager<'a> {
    fn is_apply(&self) -> bool {
        self.applies && self.subresource.is_empty()
    }

    fn writer(&self) -> Writer<'a> {
        Writer {
            time: self.time,
            name: self.name,
            applies: self.applies,
        }
    }
}
