//! How the next apply changes an object: the fields of the document override those on the hub.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::document::DocumentKind;
use crate::yaml::{Kind, Node, Tree, TreeBuilder};

use super::owners::Owners;
use super::values::{LAST_APPLIED, is_of_tools, same};
use super::versions;

/// The parts that documents state, with the fields beside `spec` where a kind has such; all else of
/// an object is the hub's.
pub const PARTS: [&[&str]; 3] = [
    &["metadata", "labels"],
    &["metadata", "annotations"],
    &["spec"],
];

/// Whether a field of an object is one that documents state beside `spec`: a PlacementBinding has
/// no `spec`.
#[must_use]
pub fn is_beside_spec(field: &str) -> bool {
    !matches!(
        field,
        "apiVersion" | "kind" | "metadata" | "spec" | "status"
    )
}

/// Taints that the hub itself puts onto clusters.
pub const IMPLIED: [&str; 2] = [
    "cluster.open-cluster-management.io/unreachable",
    "cluster.open-cluster-management.io/unavailable",
];

/// An object in the documents and on the hub.
pub struct Merger<'a> {
    /// Its kind.
    pub kind: DocumentKind,
    /// The document.
    pub git: Node<'a>,
    /// The object.
    pub hub: Node<'a>,
    owners: Owners<'a>,
    applied: Value,
    /// The manager that applies the document (server-side), if one does.
    manager: Option<&'a str>,
}

/// How many fields that documents state each manager owns by an apply.
pub type Stated<'a> = FxHashMap<&'a str, usize>;

/// The effect of the next apply on a field of the hub that the document does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unstated {
    /// It was stated before: the next apply takes it away.
    Goes,
    /// It stays.
    Stays,
}

impl<'a> Merger<'a> {
    /// An object of both.
    #[must_use]
    pub fn new(kind: DocumentKind, git: Node<'a>, hub: Node<'a>) -> Self {
        let applied = hub.at(&["metadata", "annotations", LAST_APPLIED]);
        let applied = applied.and_then(Node::text);
        let applied = applied.and_then(|text| serde_json::from_str(text).ok());
        Self {
            kind,
            git,
            hub,
            owners: Owners::of(kind, hub),
            applied: applied.unwrap_or(Value::Null),
            manager: None,
        }
    }

    /// Counts the fields that the document states and that managers own by an apply.
    pub fn count(&self, stated: &mut Stated<'a>) {
        if self.owners.appliers().is_empty() {
            return;
        }
        self.each_stated(&mut |path| {
            for (name, _) in self.owners.owners(path).filter(|(_, applies)| *applies) {
                *stated.entry(name).or_default() += 1;
            }
        });
    }

    /// Finds the manager that applies the document: of those that apply the object, the one that
    /// owns most of what all documents state. Any other one is somebody beside these documents,
    /// whose fields stay.
    pub fn find_manager(&mut self, all: &Stated<'a>) {
        let managers = self.owners.appliers();
        if managers.is_empty() {
            return;
        }
        let mut own = Stated::default();
        self.count(&mut own);
        let of = |counts: &Stated<'_>, name: &str| counts.get(name).copied().unwrap_or(0);
        let most = managers
            .iter()
            .max_by_key(|(name, time)| (of(all, name), of(&own, name), **time));
        let Some((name, _)) = most else { return };
        let mut elsewhere = !self.applied.is_null();
        self.each_stated(&mut |path| elsewhere |= self.owners.owners(path).next().is_some());
        if of(all, name) > 0 || !elsewhere {
            self.manager = Some(name);
        }
    }

    /// Whether a map goes from one state to the next as a whole.
    #[must_use]
    pub fn is_whole(&self, path: &[&str]) -> bool {
        self.manager.is_some() && self.owners.is_whole(path)
    }

    /// Each field that the document states.
    fn each_stated(&self, found: &mut impl FnMut(&[&'a str])) {
        let mut path = Vec::new();
        for part in PARTS {
            if let Some(value) = self.git.at(part) {
                path.extend_from_slice(part);
                below(value, &mut path, found);
                path.clear();
            }
        }
        for (key, value) in self.git.entries() {
            if let Some(key) = key.text().filter(|key| is_beside_spec(key)) {
                path.push(key);
                below(value, &mut path, found);
                path.clear();
            }
        }
    }

    /// The managers of the object's fields.
    #[must_use]
    pub fn owners(&self) -> &Owners<'a> {
        &self.owners
    }

    /// The effect of the next apply on a value that the document does not have.
    #[must_use]
    pub fn unstated(&self, path: &[&str]) -> Unstated {
        if is_of_tools(path) {
            return Unstated::Stays;
        }
        let is_own = |manager: &str| self.owners.is_only_of(manager, path);
        if self.was_applied(path) || self.manager.is_some_and(is_own) {
            Unstated::Goes
        } else {
            Unstated::Stays
        }
    }

    /// Whether kubectl applied a value here before. The parts themselves are never taken away.
    #[must_use]
    pub fn was_applied(&self, path: &[&str]) -> bool {
        let mut at = &self.applied;
        let stated = path.iter().enumerate().all(|(step, key)| {
            let other = || at.get(versions::other_name(self.kind, &path[..step], key)?);
            match at.get(key).or_else(other) {
                Some(below) => {
                    at = below;
                    !below.is_null()
                }
                None => false,
            }
        });
        stated && !PARTS.contains(&path)
    }

    /// The object after the next apply, but for one field, which stays as the hub has it.
    #[must_use]
    pub fn tree(&self, except: Option<&[String]>) -> Tree {
        let mut to = Writing {
            merger: self,
            except,
            builder: TreeBuilder::new(),
            path: Vec::new(),
        };
        to.object();
        to.builder.finish()
    }
}

/// The scalars, lists and empty maps below a value.
fn below<'a>(value: Node<'a>, path: &mut Vec<&'a str>, found: &mut impl FnMut(&[&'a str])) {
    if !value.is_mapping() || value.is_empty() {
        return found(path);
    }
    for (key, value) in value.entries() {
        path.push(key.text().unwrap_or(""));
        below(value, path, found);
        path.pop();
    }
}

struct Writing<'m, 'a> {
    merger: &'m Merger<'a>,
    except: Option<&'m [String]>,
    builder: TreeBuilder,
    path: Vec<&'a str>,
}

/// The parts that the hub alone says of `metadata`, and that nobody plans by.
const NOT_KEPT: &str = "managedFields";

impl<'a> Writing<'_, 'a> {
    fn object(&mut self) {
        let (git, hub) = (self.merger.git, self.merger.hub);
        self.builder.begin(Kind::Mapping, git.place());
        for (key, value) in git.entries() {
            match key.text() {
                Some("metadata") => {
                    self.builder.copy(key);
                    self.metadata(value, hub.get("metadata").unwrap_or(value));
                }
                Some(name) if name == "spec" || is_beside_spec(name) => {
                    self.part(key, value, hub.get(name), name);
                }
                Some("status") => {}
                _ => {
                    self.builder.copy(key);
                    self.builder.copy(value);
                }
            }
        }
        let lacks = |key: &str| git.get(key).is_none();
        for (key, value) in hub.entries() {
            let name = key.text().unwrap_or("");
            if lacks(name) && (name == "spec" || is_beside_spec(name)) {
                self.rest(key, value, name);
            } else if name == "status" || (lacks(name) && name != "metadata") {
                self.builder.copy(key);
                self.builder.copy(value);
            }
        }
        self.builder.end();
    }

    fn metadata(&mut self, git: Node<'a>, hub: Node<'a>) {
        self.path.push("metadata");
        self.builder.begin(Kind::Mapping, git.place());
        for (key, value) in git.entries() {
            match key.text() {
                Some(name @ ("labels" | "annotations")) => {
                    self.part(key, value, hub.get(name), name);
                }
                Some("name" | "namespace") => {
                    self.builder.copy(key);
                    self.builder.copy(value);
                }
                _ => {}
            }
        }
        for (key, value) in hub.entries() {
            match key.text() {
                Some(NOT_KEPT) => {}
                Some(name @ ("labels" | "annotations")) if git.get(name).is_none() => {
                    self.rest(key, value, name);
                }
                Some("labels" | "annotations" | "name") => {}
                Some("namespace") if git.get("namespace").is_some() => {}
                _ => {
                    self.builder.copy(key);
                    self.builder.copy(value);
                }
            }
        }
        self.builder.end();
        self.path.pop();
    }

    /// A part that the document has.
    fn part(&mut self, key: Node<'a>, git: Node<'a>, hub: Option<Node<'a>>, name: &'a str) {
        if git.is_null() {
            if let Some(hub) = hub {
                self.rest(key, hub, name);
            }
            return;
        }
        self.builder.copy(key);
        self.path.push(name);
        match hub {
            Some(hub) => self.both(git, hub),
            None => self.builder.copy(git),
        }
        self.path.pop();
    }

    /// Merges the values of both sides at one path.
    fn both(&mut self, git: Node<'a>, hub: Node<'a>) {
        if self.is_excepted() {
            return self.builder.copy(hub);
        }
        if self.merger.kind == DocumentKind::ManagedCluster && self.path == ["spec", "taints"] {
            return self.taints(git, hub);
        }
        if !git.is_mapping() || !hub.is_mapping() || self.merger.is_whole(&self.path) {
            return self.builder.copy(git);
        }
        self.builder.begin(Kind::Mapping, git.place());
        for (key, value) in git.entries() {
            let name = key.text().unwrap_or("");
            let there = versions::get(self.merger.kind, hub, &self.path, name);
            if value.is_null() {
                if let Some(there) = there {
                    self.rest(key, there, name);
                }
                continue;
            }
            self.path.push(name);
            // A field of the hub's that is not there is kept by leaving it out.
            if there.is_some() || !self.is_excepted() {
                self.builder.copy(key);
                match there {
                    Some(there) => self.both(value, there),
                    None => self.builder.copy(value),
                }
            }
            self.path.pop();
        }
        for (key, value) in hub.entries() {
            let name = key.text().unwrap_or("");
            if versions::get(self.merger.kind, git, &self.path, name).is_none() {
                self.rest(key, value, name);
            }
        }
        self.builder.end();
    }

    fn is_excepted(&self) -> bool {
        self.except.is_some_and(|path| {
            path.iter()
                .map(String::as_str)
                .eq(self.path.iter().copied())
        })
    }

    /// A value of the hub that the document does not state, as far as it stays.
    fn rest(&mut self, key: Node<'a>, hub: Node<'a>, name: &'a str) {
        self.path.push(name);
        if self.stays(hub) {
            self.builder.copy(key);
            self.kept(hub);
        }
        self.path.pop();
    }

    /// Whether anything of a value stays.
    fn stays(&mut self, hub: Node<'a>) -> bool {
        if self.is_excepted() {
            return true;
        }
        if hub.is_mapping() && !hub.is_empty() && !self.merger.was_applied(&self.path) {
            let mut any = false;
            for (key, value) in hub.entries() {
                self.path.push(key.text().unwrap_or(""));
                any |= self.stays(value);
                self.path.pop();
            }
            return any;
        }
        self.merger.unstated(&self.path) == Unstated::Stays
    }

    fn kept(&mut self, hub: Node<'a>) {
        if !hub.is_mapping() {
            return self.builder.copy(hub);
        }
        self.builder.begin(Kind::Mapping, hub.place());
        for (key, value) in hub.entries() {
            self.rest(key, value, key.text().unwrap_or(""));
        }
        self.builder.end();
    }

    /// The document's taints with the hub's times, and behind them those of the hub itself.
    fn taints(&mut self, git: Node<'a>, hub: Node<'a>) {
        if !git.is_sequence() {
            return self.builder.copy(git);
        }
        self.builder.begin(Kind::Sequence, git.place());
        for taint in git.items() {
            let known = hub.items().find(|other| is_taint(taint, *other));
            let time = known.and_then(|known| known.entry("timeAdded"));
            match time.filter(|_| taint.is_mapping()) {
                None => self.builder.copy(taint),
                Some((key, time)) => {
                    self.builder.begin(Kind::Mapping, taint.place());
                    let own = |(key, _): &(Node<'a>, Node<'a>)| key.text() != Some("timeAdded");
                    for (key, value) in taint.entries().filter(own) {
                        self.builder.copy(key);
                        self.builder.copy(value);
                    }
                    self.builder.copy(key);
                    self.builder.copy(time);
                    self.builder.end();
                }
            }
        }
        let of_the_hub =
            |taint: &Node<'a>| is_implied(*taint) && !git.items().any(|own| is_taint(own, *taint));
        for taint in hub.items().filter(of_the_hub) {
            self.builder.copy(taint);
        }
        self.builder.end();
    }
}

/// Whether a taint is one that the hub puts on by itself.
#[must_use]
pub fn is_implied(taint: Node<'_>) -> bool {
    let key = taint.get("key").and_then(Node::text);
    key.is_some_and(|key| IMPLIED.contains(&key))
}

/// Whether two taints have the same key, value and effect.
fn is_taint(one: Node<'_>, other: Node<'_>) -> bool {
    let text = |node: Node<'_>, key| node.get(key).and_then(Node::text).unwrap_or("").to_owned();
    ["key", "value", "effect"]
        .into_iter()
        .all(|key| text(one, key) == text(other, key))
}

/// Whether a list of taints is the same, as far as the hub does not write it by itself.
#[must_use]
pub fn same_taints(git: Node<'_>, hub: Node<'_>) -> bool {
    let mine = |list: Node<'_>| -> Vec<Value> {
        let own = list.items().filter(|taint| !is_implied(*taint));
        let value = |taint: Node<'_>| {
            let mut value = crate::yaml::json(taint, crate::yaml::Dialect::Kubernetes);
            if let Some(fields) = value.as_object_mut() {
                fields.remove("timeAdded");
            }
            value
        };
        own.map(value).collect()
    };
    let (git, hub) = (Value::from(mine(git)), Value::from(mine(hub)));
    same(
        DocumentKind::ManagedCluster,
        &["spec", "taints"],
        &git,
        &hub,
    )
}
