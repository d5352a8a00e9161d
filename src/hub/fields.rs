//! What differs between the hub and the documents, field by field.

use serde_json::Value;

use crate::document::DocumentKind;
use crate::source::Place;
use crate::yaml::{Dialect, Node, json};

use super::merge::{Merger, PARTS, Unstated, is_beside_spec, same_taints};
use super::values::{is_nothing, is_of_tools, same};

/// A field that differs on the hub.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its keys.
    pub path: Vec<String>,
    /// What the document states; none where it states nothing.
    pub git: Option<Value>,
    /// What the hub has.
    pub hub: Option<Value>,
    /// Who wrote it last, and when.
    pub by: Option<(String, String)>,
    /// Whether that is a tool that applies.
    pub applied: bool,
    /// Whether the next apply leaves it.
    pub stays: bool,
    /// Where it stands in the document; the document's head where it states nothing.
    pub place: Place,
    /// Where it stands in the snapshot.
    pub hub_place: Option<Place>,
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
    let mut found = Finder {
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

struct Finder<'m, 'a> {
    merger: &'m Merger<'a>,
    head: Place,
    path: Vec<&'a str>,
    fields: Vec<Field>,
}

fn value(node: Node<'_>) -> Value {
    json(node, Dialect::Kubernetes)
}

impl<'a> Finder<'_, 'a> {
    fn stated(&mut self, git: Option<Node<'a>>, hub: Option<Node<'a>>) {
        let git = git.filter(|git| !git.is_null());
        let Some(git) = git else {
            if let Some(hub) = hub {
                self.unstated(hub);
            }
            return;
        };
        if git.is_mapping() && hub.is_none_or(|hub| hub.is_mapping() || hub.is_null()) {
            for (key, below) in git.entries() {
                self.path.push(key.text().unwrap_or(""));
                self.stated(Some(below), hub.and_then(|hub| hub.get(key.text()?)));
                self.path.pop();
            }
            let others = hub.into_iter().flat_map(Node::entries);
            for (key, below) in
                others.filter(|(key, _)| key.text().is_none_or(|key| git.get(key).is_none()))
            {
                self.path.push(key.text().unwrap_or(""));
                self.unstated(below);
                self.path.pop();
            }
            return;
        }
        let taints =
            self.merger.kind == DocumentKind::ManagedCluster && self.path == ["spec", "taints"];
        let alike = match hub {
            Some(hub) if taints => same_taints(git, hub),
            Some(hub) => same(&value(git), &value(hub)),
            None => is_nothing(&value(git)),
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
                self.path.push(key.text().unwrap_or(""));
                self.unstated(below);
                self.path.pop();
            }
            return;
        }
        if is_nothing(&value(hub)) {
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

    fn add(&mut self, git: Option<Node<'a>>, hub: Option<Node<'a>>, stays: bool) {
        let by = self.merger.owners().writer(&self.path);
        self.fields.push(Field {
            path: self.path.iter().map(|key| (*key).to_owned()).collect(),
            git: git.map(value),
            hub: hub.map(value),
            by: by.map(|by| (by.name.to_owned(), by.time.to_owned())),
            applied: by.is_some_and(|by| applies(by.name, by.applies)),
            stays,
            place: git.map_or(self.head, Node::place),
            hub_place: hub.map(Node::place),
        });
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
