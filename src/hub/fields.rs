//! Compares the hub with the documents, field by field.

use serde_json::Value;

use crate::document::{DocumentKind, secret};
use crate::source::Place;
use crate::yaml::{Dialect, Node, json};

use super::defaults::is_filled_in;
use super::merge::{Merger, PARTS, Unstated, is_beside_spec, same_taints};
use super::values::{is_of_tools, same};
use super::versions;

/// A field that differs on the hub.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its keys.
    pub path: Vec<String>,
    /// The value in the document, without the values of Secrets; `None` if the document states
    /// none.
    pub git: Option<Value>,
    /// The value on the hub, without the values of Secrets.
    pub hub: Option<Value>,
    /// The last writer, and the time.
    pub by: Option<(String, String)>,
    /// Whether that is a tool that applies.
    pub applied: bool,
    /// Whether the next apply leaves it.
    pub stays: bool,
    /// Where it stands in the document; the document's head where it states nothing.
    pub place: Place,
    /// Where it stands in the snapshot.
    pub hub_place: Option<Place>,
    /// The smallest part of it that holds all differences, where that is not the whole.
    pub part: Option<Part>,
}

/// A part of a field that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its key.
    pub key: String,
    /// The value in the document.
    pub git: Value,
    /// The value on the hub.
    pub hub: Value,
}

impl Field {
    /// The keys joined by dots.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.join(".")
    }

    /// The field as a JSON Pointer.
    #[must_use]
    pub fn pointer(&self) -> String {
        let escaped = self
            .path
            .iter()
            .map(|key| key.replace('~', "~0").replace('/', "~1"));
        escaped.fold(String::new(), |all, key| all + "/" + &key)
    }
}

/// The fields of an object that differ on the hub, by name.
#[must_use]
pub fn fields(merger: &Merger<'_>, head: Place) -> Vec<Field> {
    let mut found = FieldFinder {
        merger,
        head,
        path: Vec::new(),
        fields: Vec::new(),
    };
    for part in PARTS {
        found.path = part.to_vec();
        found.stated(merger.git.at(part), merger.hub.at(part));
    }
    let (git, hub) = (merger.git, merger.hub);
    let of_git = git.entries().filter_map(|(key, _)| key.text());
    let of_hub = hub.entries().filter_map(|(key, _)| key.text());
    let of_hub = of_hub.filter(|key| git.get(key).is_none());
    for key in of_git.chain(of_hub).filter(|key| is_beside_spec(key)) {
        found.path = vec![key];
        found.stated(git.get(key), hub.get(key));
    }
    found.fields.sort_by_cached_key(Field::name);
    found.fields
}

struct FieldFinder<'m, 'a> {
    merger: &'m Merger<'a>,
    head: Place,
    path: Vec<&'a str>,
    fields: Vec<Field>,
}

fn value(node: Node<'_>) -> Value {
    json(node, Dialect::Kubernetes)
}

impl<'a> FieldFinder<'_, 'a> {
    fn stated(&mut self, git: Option<Node<'a>>, hub: Option<Node<'a>>) {
        let git = git.filter(|git| !git.is_null());
        let Some(git) = git else {
            if let Some(hub) = hub {
                self.unstated(hub);
            }
            return;
        };
        let kind = self.merger.kind;
        let is_map = git.is_mapping() && !self.merger.is_whole(&self.path);
        if is_map && hub.is_none_or(|hub| hub.is_mapping() || hub.is_null()) {
            let hides = |name: &str| {
                let there = hub.is_some_and(|hub| secret::is_hidden_in(hub, name));
                there || secret::is_hidden_in(git, name)
            };
            for (key, below) in git.entries() {
                let name = key.text().unwrap_or("");
                let there = hub.and_then(|hub| versions::get(kind, hub, &self.path, name));
                self.path.push(name);
                if hides(name) {
                    self.secret(Some(below), there);
                } else {
                    self.stated(Some(below), there);
                }
                self.path.pop();
            }
            for (key, below) in hub.into_iter().flat_map(Node::entries) {
                let name = key.text().unwrap_or("");
                if versions::get(kind, git, &self.path, name).is_none() {
                    self.path.push(name);
                    if hides(name) {
                        self.secret(None, Some(below));
                    } else {
                        self.unstated(below);
                    }
                    self.path.pop();
                }
            }
            return;
        }
        let kept = || versions::install_namespace(kind, &self.path, self.merger.hub);
        let hub = hub.or_else(kept);
        let newest = |node| versions::newest(kind, &self.path, value(node));
        let taints = kind == DocumentKind::ManagedCluster && self.path == ["spec", "taints"];
        let alike = match hub {
            Some(hub) if taints => same_taints(git, hub),
            Some(hub) => same(kind, &self.path, &newest(git), &newest(hub)),
            None => is_filled_in(kind, &self.path, &value(git)),
        };
        if !alike && !is_of_tools(&self.path) {
            self.add(Some(git), hub, false);
        }
    }

    /// A value that the document does not state.
    fn unstated(&mut self, hub: Node<'a>) {
        if is_of_tools(&self.path) {
            return;
        }
        if hub.is_mapping() && !hub.is_empty() && !self.merger.was_applied(&self.path) {
            for (key, below) in hub.entries() {
                let name = key.text().unwrap_or("");
                self.path.push(name);
                if secret::is_hidden_in(hub, name) {
                    self.secret(None, Some(below));
                } else {
                    self.unstated(below);
                }
                self.path.pop();
            }
            return;
        }
        if is_filled_in(self.merger.kind, &self.path, &value(hub)) {
            return;
        }
        match self.merger.unstated(&self.path) {
            Unstated::Goes => self.add(None, Some(hub), false),
            Unstated::Stays => {
                let by = self.merger.owners().writer(&self.path);
                if by.is_some_and(|by| is_a_person(by.name)) {
                    self.add(None, Some(hub), true);
                }
            }
        }
    }

    /// The values of a Secret: one field, whichever of them differ.
    fn secret(&mut self, git: Option<Node<'a>>, hub: Option<Node<'a>>) {
        let [one, other] = [git, hub].map(|of| of.map_or(Value::Null, value));
        if same(self.merger.kind, &self.path, &one, &other) {
            return;
        }
        let stays = git.is_none() && self.merger.unstated(&self.path) == Unstated::Stays;
        let by = self.merger.owners().writer(&self.path);
        if stays && !by.is_some_and(|by| is_a_person(by.name)) {
            return;
        }
        self.add(git, hub, stays);
        let (mut one, mut other) = (git.map(|_| one), hub.map(|_| other));
        secret::hide_values(one.as_mut(), other.as_mut());
        if let Some(field) = self.fields.last_mut() {
            (field.git, field.hub, field.part) = (one, other, None);
        }
    }

    fn add(&mut self, git: Option<Node<'a>>, hub: Option<Node<'a>>, stays: bool) {
        let by = self.merger.owners().writer(&self.path);
        let (mut git_value, mut hub_value) = (git.map(value), hub.map(value));
        match (&mut git_value, &mut hub_value) {
            (Some(git), Some(hub)) => secret::hide_both(git, hub),
            (one, other) => {
                let alone = one.as_mut().or(other.as_mut());
                alone.into_iter().for_each(secret::hide);
            }
        }
        if git.is_some_and(Node::holds_secret) {
            secret::hide_values(git_value.as_mut(), hub_value.as_mut());
        }
        let kind = self.merger.kind;
        let newest = |node| versions::newest(kind, &self.path, value(node));
        // A hidden value must not show as a part either.
        let hides = [&git_value, &hub_value].map(|of| of.as_ref().and_then(secret::note));
        let both = git.zip(hub).filter(|_| hides == [None, None]);
        let part =
            both.and_then(|(git, hub)| part_of(kind, &self.path, &newest(git), &newest(hub)));
        self.fields.push(Field {
            path: self.path.iter().map(|key| (*key).to_owned()).collect(),
            git: git_value,
            hub: hub_value,
            part,
            by: by.map(|by| (by.name.to_owned(), by.time.to_owned())),
            applied: by.is_some_and(|by| applies(by.name, by.applies)),
            stays,
            place: git.map_or(self.head, Node::place),
            hub_place: hub.map(Node::place),
        });
    }
}

/// The smallest part of two values that holds all differences.
fn part_of(kind: DocumentKind, path: &[&str], git: &Value, hub: &Value) -> Option<Part> {
    match (git, hub) {
        (Value::Object(git), Value::Object(hub)) => {
            let keys = git
                .keys()
                .chain(hub.keys().filter(|key| !git.contains_key(*key)));
            let mut differ = keys.filter(|key| {
                let path = [path, &[key.as_str()]].concat();
                match (git.get(*key), hub.get(*key)) {
                    (Some(git), Some(hub)) => !same(kind, &path, git, hub),
                    (one, other) => one
                        .or(other)
                        .is_some_and(|one| !is_filled_in(kind, &path, one)),
                }
            });
            let (key, None) = (differ.next()?, differ.next()) else {
                return None;
            };
            let path = [path, &[key.as_str()]].concat();
            let (git, hub) = (git.get(key)?, hub.get(key)?);
            Some(part_of(kind, &path, git, hub).unwrap_or_else(|| Part {
                key: key.clone(),
                git: git.clone(),
                hub: hub.clone(),
            }))
        }
        (Value::Array(git), Value::Array(hub)) if git.len() == hub.len() => {
            let both = git.iter().zip(hub);
            let mut differ = both.filter(|(git, hub)| !same(kind, path, git, hub));
            let ((git, hub), None) = (differ.next()?, differ.next()) else {
                return None;
            };
            part_of(kind, path, git, hub)
        }
        _ => None,
    }
}

/// Whether a manager is a tool of a person: kubectl but for its own apply, or a web console.
fn is_a_person(manager: &str) -> bool {
    let kubectl = manager == "kubectl" || manager.starts_with("kubectl-");
    (kubectl && manager != "kubectl-client-side-apply") || manager == "Mozilla"
}

/// Whether a manager applies documents.
fn applies(manager: &str, operation: bool) -> bool {
    operation
        || matches!(
            manager,
            "argocd-controller" | "kubectl-client-side-apply" | "helm"
        )
}
