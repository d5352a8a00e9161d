//! References: fields that hold the name of an object follow it when it is called otherwise.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::source::Place;

use super::fault::Fault;
use super::file::FieldSpec;
use super::heap::{Heap, Stop};
use super::node::{Node, Value};
use super::paths::{self, Create, Problem};
use super::resource::{self, Id, Resource};
use super::rules;
use super::scalar::Scalar;
use super::tables::{Config, NameReference};

/// An object that may be referred to: its names and kind.
struct Candidate {
    id: Id,
    first: Id,
    former: Vec<(Arc<str>, Arc<str>)>,
    name: Arc<str>,
    namespace: Arc<str>,
    prefixes: Vec<Arc<str>>,
    suffixes: Vec<Arc<str>>,
    place: Place,
}

/// All objects that were called otherwise, by each former name.
struct Index {
    candidates: Vec<Candidate>,
    by_name: FxHashMap<Arc<str>, Vec<usize>>,
}

/// One object that refers to others.
struct Referrer<'i> {
    index: &'i Index,
    id: Id,
    prefixes: Vec<Arc<str>>,
    suffixes: Vec<Arc<str>>,
    /// Group and kind of the role that it refers to.
    role: Option<(Arc<str>, Arc<str>)>,
    /// The namespaces of the service accounts that a binding names.
    accounts: Vec<Arc<str>>,
}

/// Lets every reference follow its object.
pub(super) fn follow(heap: &mut Heap, head: Place) -> Result<(), Stop> {
    let own = heap.config.clone();
    let config = own.as_deref().unwrap_or(Config::usual());
    if heap.resources.list.iter().all(|one| one.former.is_empty()) {
        return Ok(());
    }
    let mut by_kind: FxHashMap<&str, Vec<(&NameReference, &FieldSpec)>> = FxHashMap::default();
    for reference in &config.references {
        for field in &reference.fields {
            by_kind
                .entry(&field.kind)
                .or_default()
                .push((reference, field));
        }
    }
    let mut referrers = Vec::new();
    for (resource, at) in heap.resources.list.iter().zip(0..) {
        let first = resource.first_id();
        let of_kind = [&*first.kind, ""].map(|kind| by_kind.get(kind));
        let fields = of_kind.into_iter().flatten().flatten();
        let fields: Vec<(&NameReference, &FieldSpec)> = fields
            .filter(|(_, field)| field.fits(&first.api_version, &first.kind))
            .copied()
            .collect();
        if !fields.is_empty() {
            referrers.push((at, fields));
        }
    }
    if referrers.is_empty() {
        return Ok(());
    }
    let index = Index::of(&heap.resources.list);
    for (at, fields) in referrers {
        let at: usize = at;
        let resource = &mut heap.resources.list[at];
        let referrer = Referrer::of(resource, &index);
        for (reference, field) in fields {
            let path = paths::split(&field.path, '/');
            let roles = field.path.ends_with("roleRef/name");
            let set = &mut |node: &mut Arc<Node>| referrer.set(node, &reference.of, roles);
            paths::change(&mut resource.node, &path, Create::No, head, set).map_err(|why| {
                let message = format!("{}: `{}`: {why}", resource.shown(), field.path);
                Fault::new(&rules::REFERENCE, message, resource.node.place)
            })?;
        }
    }
    Ok(())
}

impl Index {
    fn of(resources: &[Resource]) -> Self {
        let mut index = Self {
            candidates: Vec::new(),
            by_name: FxHashMap::default(),
        };
        for resource in resources.iter().filter(|one| !one.former.is_empty()) {
            let number = index.candidates.len();
            let name = resource.name();
            // A name that never changed is followed by what is there.
            let metadata = resource.node.at(&["metadata", "name"]);
            for former in &resource.former {
                let numbers = index.by_name.entry(Arc::clone(&former.name)).or_default();
                if numbers.last() != Some(&number) {
                    numbers.push(number);
                }
            }
            let former = resource.former.iter();
            index.candidates.push(Candidate {
                id: resource.id(),
                first: resource.first_id(),
                former: former
                    .map(|old| (Arc::clone(&old.kind), Arc::clone(&old.name)))
                    .collect(),
                namespace: resource.namespace(),
                prefixes: resource.prefixes.clone(),
                suffixes: resource.suffixes.clone(),
                place: metadata.map_or(resource.node.place, |node| node.by.unwrap_or(node.place)),
                name,
            });
        }
        index
    }
}

impl Candidate {
    /// Whether it was of a kind.
    fn was(&self, group: &str, version: &str, kind: &str) -> bool {
        let api_version = &self.id.api_version;
        (group.is_empty() || resource::group(api_version) == group)
            && (version.is_empty() || resource::version(api_version) == version)
            && (kind.is_empty() || self.former.iter().any(|(own, _)| **own == *kind))
    }

    fn is_cluster_scoped(&self) -> bool {
        &*self.id.namespace == resource::CLUSTER
    }
}

/// Whether one list ends as the other one does.
fn same_end(one: &[Arc<str>], two: &[Arc<str>]) -> bool {
    let (short, long) = if one.len() <= two.len() {
        (one, two)
    } else {
        (two, one)
    };
    if short.is_empty() {
        long.is_empty()
    } else {
        long.ends_with(short)
    }
}

impl<'i> Referrer<'i> {
    fn of(resource: &Resource, index: &'i Index) -> Self {
        let text =
            |node: &Node, path: &[&str]| node.at(path).and_then(|node| node.as_text()).cloned();
        let node = &resource.node;
        let role = text(node, &["roleRef", "apiGroup"]).zip(text(node, &["roleRef", "kind"]));
        let subjects = node
            .get("subjects")
            .filter(|_| &*resource.kind() == "RoleBinding");
        let subjects = subjects.map_or(&[][..], |subjects| subjects.items());
        let accounts = subjects.iter().filter(|subject| {
            text(subject, &["kind"]).is_some_and(|kind| &*kind == "ServiceAccount")
        });
        Self {
            index,
            id: resource.id(),
            prefixes: resource.prefixes.clone(),
            suffixes: resource.suffixes.clone(),
            role,
            accounts: accounts
                .filter_map(|subject| text(subject, &["namespace"]))
                .collect(),
        }
    }

    fn is_cluster_scoped(&self) -> bool {
        &*self.id.namespace == resource::CLUSTER
    }

    /// Whether it could refer to an object at all.
    fn reaches(&self, candidate: &Candidate) -> bool {
        self.is_cluster_scoped()
            || candidate.is_cluster_scoped()
            || candidate.id.namespace == self.id.namespace
            || self.accounts.contains(&candidate.namespace)
    }

    /// The objects that could be meant by a name.
    fn candidates(&self, name: &str) -> Vec<&'i Candidate> {
        let numbers = self.index.by_name.get(name);
        let numbers = numbers.map_or(&[][..], |numbers| numbers);
        let all = numbers.iter().map(|number| &self.index.candidates[*number]);
        all.filter(|candidate| self.reaches(candidate)).collect()
    }

    /// The object that is meant.
    fn select(
        &self,
        candidates: Vec<&'i Candidate>,
        of: &FieldSpec,
        roles: bool,
        namespaces: bool,
        name: &str,
    ) -> Result<Option<&'i Candidate>, Problem> {
        let mut left = candidates;
        left.retain(|one| one.was(&of.group, &of.version, &of.kind));
        if let Some((group, kind)) = self.role.as_ref().filter(|_| roles) {
            left.retain(|one| one.was(group, "", kind));
        }
        left.retain(|one| {
            self.is_cluster_scoped()
                || one.is_cluster_scoped()
                || &*one.id.kind == "ServiceAccount"
                || one.id.namespace == self.id.namespace
        });
        if let [one] = left[..] {
            return Ok(Some(one));
        }
        left.retain(|one| {
            let fits = |own: &[Arc<str>], its: &[Arc<str>]| {
                own.is_empty() || its.is_empty() || same_end(own, its)
            };
            fits(&self.prefixes, &one.prefixes) && fits(&self.suffixes, &one.suffixes)
        });
        if left.len() > 1 {
            left.retain(|one| {
                same_end(&self.prefixes, &one.prefixes) && same_end(&self.suffixes, &one.suffixes)
            });
        }
        let Some(first) = left.first() else {
            return Ok(None);
        };
        let alike = |one: &&Candidate| {
            one.name == first.name && (!namespaces || one.namespace == first.namespace)
        };
        if left.iter().all(alike) {
            Ok(Some(first))
        } else {
            Err(format!("several objects were called `{name}`"))
        }
    }

    fn set(&self, node: &mut Arc<Node>, of: &FieldSpec, roles: bool) -> Result<(), Problem> {
        if node.is_null() {
            return Ok(());
        }
        match &node.value {
            Value::Scalar(_) => self.set_scalar(node, of, roles),
            Value::Map(_) => self.set_map(node, of, roles),
            Value::List(items) => {
                for at in 0..items.len() {
                    let Value::List(items) = &mut Arc::make_mut(node).value else {
                        break;
                    };
                    let item = &mut items[at];
                    if item.is_null() {
                        continue;
                    }
                    match &item.value {
                        Value::Scalar(_) => self.set_scalar(item, of, roles)?,
                        Value::Map(_) => self.set_map(item, of, roles)?,
                        Value::List(_) => return Err("a list stands in the list".to_owned()),
                    }
                }
                Ok(())
            }
        }
    }

    fn set_scalar(&self, node: &mut Arc<Node>, of: &FieldSpec, roles: bool) -> Result<(), Problem> {
        let Some(old) = node.as_scalar() else {
            return Ok(());
        };
        let name = Arc::clone(&old.text);
        let found = self.select(self.candidates(&name), of, roles, false, &name)?;
        if let Some(found) = found.filter(|found| found.name != name) {
            rename(node, &found.name, found.place);
        }
        Ok(())
    }

    fn set_map(&self, node: &mut Arc<Node>, of: &FieldSpec, roles: bool) -> Result<(), Problem> {
        let Some(name) = node.get("name") else {
            return Err("an entry has no `name`".to_owned());
        };
        let name = name
            .as_scalar()
            .map_or_else(|| Arc::from(""), |name| Arc::clone(&name.text));
        let mut candidates = self.candidates(&name);
        if let Some(namespace) = node.get("namespace") {
            let wanted = namespace
                .as_scalar()
                .map_or("", |namespace| &*namespace.text);
            let first = |one: &&Candidate| &*one.first.namespace == wanted;
            // Former namespaces count before those of now, for all objects together.
            let any = self.index.candidates.iter();
            let mut any = any.filter(|one| self.reaches(one));
            if any.any(|one| first(&one)) {
                candidates.retain(first);
            } else {
                candidates.retain(|one| &*one.id.namespace == wanted);
            }
        }
        let Some(found) = self.select(candidates, of, roles, true, &name)? else {
            return Ok(());
        };
        if found.name == name && found.namespace.is_empty() {
            return Ok(());
        }
        let place = node.place;
        let own = Arc::make_mut(node);
        let Some(entries) = own.entries_mut() else {
            return Ok(());
        };
        for entry in entries.iter_mut() {
            let new = match &*entry.key {
                "name" => &found.name,
                "namespace" if !found.namespace.is_empty() => &found.namespace,
                _ => continue,
            };
            if entry.value.as_scalar().is_none_or(|old| old.text != *new) {
                rename(&mut entry.value, new, found.place);
            }
        }
        if own.get("namespace").is_none() && !found.namespace.is_empty() {
            let scalar = Scalar::instead(Arc::clone(&found.namespace), None);
            own.set("namespace", Node::scalar(scalar, place));
        }
        Ok(())
    }
}

/// Writes another name into a field.
fn rename(node: &mut Arc<Node>, name: &Arc<str>, by: Place) {
    let scalar = Scalar::instead(Arc::clone(name), node.as_scalar());
    let own = Arc::make_mut(node);
    own.value = Value::Scalar(scalar);
    own.by = Some(by);
}
