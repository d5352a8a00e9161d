//! The names of a site: where each is given, and where each is used.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::Document;
use crate::site::Checked;
use crate::source::Place;
use crate::yaml::{Kind, Node};

pub(super) use super::places::LABEL;
use super::places::Scope::{self, Beside, Document as InDocument, Namespace, Package, Site};
use super::places::{BESIDE, ROWS, Row};

/// A name at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name<'v> {
    /// The kind of thing that it is of.
    pub(super) class: &'v str,
    /// Where it is unique.
    pub(super) scope: &'v str,
    /// The name.
    pub(super) text: &'v str,
    /// Where it is written.
    pub(super) place: Place,
    /// Whether the thing has it from here.
    pub(super) gives: bool,
    /// The number of the document.
    pub(super) document: u32,
}

impl Name<'_> {
    /// Whether both are of one thing.
    pub(super) fn is_of(&self, other: &Name<'_>) -> bool {
        self.class == other.class && self.scope == other.scope && self.text == other.text
    }
}

/// The kind of a document, in the words of its system.
pub(super) fn kind_of(root: Node<'_>) -> &str {
    let text = |key: &str| root.get(key).and_then(Node::text);
    match (text("kind"), text("schema")) {
        (Some(kind), _) => kind,
        (None, Some(schema)) => schema.split('/').nth(1).unwrap_or(schema),
        (None, None) => text("type").unwrap_or(""),
    }
}

/// The name of a document: that of its metadata, or of its properties.
pub(super) fn name_of(root: Node<'_>) -> Option<Node<'_>> {
    let name = root.at(&["metadata", "name"]);
    name.or_else(|| root.at(&["properties", "name"]))
}

/// All names of a site, in the order of documents. What several builds share is there once.
pub(super) fn of_site<'v>(checked: &'v Checked<'_>) -> Vec<Name<'v>> {
    let mut names = Vec::new();
    let mut seen = BTreeSet::new();
    for document in &checked.documents.all {
        for name in of(document) {
            if seen.insert((name.place, name.class, name.scope)) {
                names.push(name);
            }
        }
    }
    names
}

/// The names of a document.
pub(super) fn of<'v>(document: &Document<'v>) -> Vec<Name<'v>> {
    let kind = kind_of(document.node);
    let mut names = Vec::new();
    for row in ROWS
        .iter()
        .filter(|row| row.kind == kind || row.kind == "*")
    {
        let mut nodes = Vec::new();
        walk(document.node, None, row.path, &mut nodes);
        for (node, beside) in nodes {
            let Some(text) = node.text().filter(|text| !text.is_empty()) else {
                continue;
            };
            let class = match row.class {
                BESIDE => beside.and_then(class_beside).unwrap_or(""),
                class => class,
            };
            names.push(Name {
                class,
                scope: scope(document, row.scope, beside, class),
                text,
                place: node.place(),
                gives: row.gives,
                document: document.index,
            });
        }
    }
    names
}

/// The class that a reference names beside the name.
fn class_beside(node: Node<'_>) -> Option<&str> {
    let schema = || {
        let schema = node.get("schema")?.text()?;
        schema.split('/').nth(1)
    };
    node.get("kind").and_then(Node::text).or_else(schema)
}

/// The name of a scope.
fn scope<'v>(
    document: &Document<'v>,
    scope: Scope,
    beside: Option<Node<'v>>,
    class: &str,
) -> &'v str {
    let namespace = || document.namespace().unwrap_or("");
    match scope {
        Site => "",
        // The row that gives a name says where its kind is unique.
        Namespace
            if ROWS
                .iter()
                .any(|row| row.gives && row.class == class && row.scope == Site) =>
        {
            ""
        }
        Namespace => namespace(),
        Beside => {
            let written = beside.and_then(|node| node.get("namespace")?.text());
            written.unwrap_or_else(namespace)
        }
        Package => {
            let package = document.node.at(&["spec", "package"]).and_then(Node::text);
            package.or_else(|| document.name()).unwrap_or("")
        }
        InDocument => document.name().unwrap_or(""),
    }
}

/// The class of the names that are used at a path of a document; with `as_key` of its keys.
pub(super) fn class_at<'v>(
    kind: &str,
    path: &[Option<&str>],
    as_key: bool,
    beside: &'v BTreeMap<String, String>,
) -> Option<&'v str> {
    let fits = |row: &&Row| {
        let pattern: Vec<&str> = row.path.split('/').collect();
        let pattern = match pattern.split_last() {
            Some((&"~", above)) if as_key => above,
            Some((&"~", _)) => return false,
            _ if as_key => return false,
            _ => &pattern,
        };
        row.kind == kind && !row.gives && is_at(pattern, path)
    };
    let class = ROWS.iter().find(fits)?.class;
    if class != BESIDE {
        return Some(class);
    }
    let schema = || beside.get("schema")?.split('/').nth(1);
    beside.get("kind").map(String::as_str).or_else(schema)
}

/// Whether a path is one that a pattern means.
fn is_at(pattern: &[&str], path: &[Option<&str>]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            is_at(rest, path)
                || path
                    .split_first()
                    .is_some_and(|(_, path)| is_at(pattern, path))
        }
        (Some((step, pattern)), Some((own, path))) => {
            let same = match own {
                None => *step == "*",
                Some(key) => step.replace('|', "/") == *key,
            };
            same && is_at(pattern, path)
        }
        _ => false,
    }
}

/// The nodes at a path, each with the mapping that holds it.
fn walk<'v>(
    node: Node<'v>,
    holder: Option<Node<'v>>,
    path: &str,
    found: &mut Vec<(Node<'v>, Option<Node<'v>>)>,
) {
    if path.is_empty() {
        found.push((node, holder));
        return;
    }
    let (step, rest) = path.split_once('/').unwrap_or((path, ""));
    match step {
        "*" => {
            for item in node.items() {
                walk(item, Some(node), rest, found);
            }
        }
        "~" => {
            for (key, _) in node.entries() {
                walk(key, Some(node), rest, found);
            }
        }
        "**" => {
            walk(node, holder, rest, found);
            let children = match node.kind() {
                Kind::Scalar => return,
                Kind::Mapping => node.entries().map(|(_, value)| value).collect(),
                Kind::Sequence => node.items().collect::<Vec<_>>(),
            };
            for child in children {
                walk(child, Some(node), path, found);
            }
        }
        key => {
            // A key may hold a slash.
            let value = if key.contains('|') {
                node.get(&key.replace('|', "/"))
            } else {
                node.get(key)
            };
            if let Some(value) = value {
                walk(value, Some(node), rest, found);
            }
        }
    }
}
