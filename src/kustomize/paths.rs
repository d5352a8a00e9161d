//! Fields by their paths, as tables of fields name them: `a/b[]/c`, through lists.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::fields::Pairs;
use super::file::FieldSpec;
use super::node::{Entry, Node, Value};
use super::resource::{self, Resource};
use super::scalar::{Scalar, Tag, resolve};
use crate::source::Place;

/// Why a field cannot be changed.
pub(super) type Problem = String;

/// The value that a missing field gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Create {
    No,
    Map,
    Text,
}

/// The parts of a path; `\/` stands for a slash in a part.
pub(super) fn split(path: &str, delimiter: char) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut pieces = path.split(delimiter).peekable();
    if path.contains(delimiter) && path.starts_with(delimiter) {
        pieces.next();
    }
    for piece in pieces {
        match parts.last_mut().filter(|last| last.ends_with('\\')) {
            Some(last) => {
                last.pop();
                last.push(delimiter);
                last.push_str(piece);
            }
            None => parts.push(piece.to_owned()),
        }
    }
    parts
}

impl FieldSpec {
    /// Whether the field is one of objects of this kind.
    pub(super) fn fits(&self, api_version: &str, kind: &str) -> bool {
        (self.kind.is_empty() || self.kind == kind)
            && (self.group.is_empty() || self.group == resource::group(api_version))
            && (self.version.is_empty() || self.version == resource::version(api_version))
    }
}

/// Changes the field of a path, wherever lists on the way lead.
pub(super) fn change(
    node: &mut Arc<Node>,
    path: &[String],
    create: Create,
    place: Place,
    set: &mut dyn FnMut(&mut Arc<Node>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let Some((first, rest)) = path.split_first() else {
        return set(node);
    };
    match &node.value {
        _ if node.is_null() => Ok(()),
        Value::List(items) => {
            for at in 0..items.len() {
                let Value::List(items) = &mut Arc::make_mut(node).value else {
                    break;
                };
                change(&mut items[at], path, create, place, set)?;
            }
            Ok(())
        }
        Value::Map(_) => {
            let (name, is_list) = match first.strip_suffix("[]") {
                Some(name) => (name, true),
                None => (first.as_str(), false),
            };
            match name {
                "" => return Err("the path has an empty part".to_owned()),
                "*" => return Err("`*` stands for items of lists, not for keys".to_owned()),
                _ => {}
            }
            let create_here = match create {
                _ if is_list => Create::No,
                Create::No => Create::No,
                create if rest.is_empty() => create,
                _ => Create::Map,
            };
            let found = node.get(name).is_some();
            if !found && create_here == Create::No {
                return Ok(());
            }
            // Nothing is copied where the path ends on the way.
            if create == Create::No && !leads(node, path) {
                return Ok(());
            }
            let owned = Arc::make_mut(node);
            let fresh = || match create_here {
                Create::Text => Node::scalar(Scalar::plain(Tag::Open, ""), place),
                _ => Node::map(place),
            };
            if !found {
                new_key(name)?;
                owned.set(name, fresh());
            }
            let Some(entries) = owned.entries_mut() else {
                return Ok(());
            };
            let mut entries = entries.iter_mut();
            let Some(entry) = entries.find(|entry| &*entry.key == name) else {
                return Ok(());
            };
            if entry.value.is_null() && create_here != Create::No {
                entry.value = fresh();
            }
            change(&mut entry.value, rest, create, place, set)
        }
        Value::Scalar(_) => Err(format!("`{first}` is looked for in a text")),
    }
}

/// Whether anything stands behind a path, or on the way to it where a list or text must be judged.
fn leads(node: &Node, path: &[String]) -> bool {
    let Some((first, rest)) = path.split_first() else {
        return true;
    };
    match &node.value {
        Value::Map(_) => {
            let name = first.strip_suffix("[]").unwrap_or(first);
            name == "*" || node.get(name).is_some_and(|next| leads(next, rest))
        }
        Value::List(items) => items.iter().any(|item| leads(item, path)),
        Value::Scalar(_) => !node.is_null(),
    }
}

/// Changes a field of an object if it is one of its kind.
pub(super) fn apply(
    resource: &mut Resource,
    spec: &FieldSpec,
    create: Create,
    place: Place,
    set: &mut dyn FnMut(&mut Arc<Node>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    if !spec.fits(&resource.api_version(), &resource.kind()) {
        return Ok(());
    }
    let create = if spec.create { create } else { Create::No };
    change(
        &mut resource.node,
        &split(&spec.path, '/'),
        create,
        place,
        set,
    )
    .map_err(|why| format!("{}: `{}`: {why}", resource.shown(), spec.path))
}

/// A key that is written without quotes must be text when it is read again.
pub(super) fn new_key(name: &str) -> Result<(), Problem> {
    match resolve(name) {
        Tag::Text => Ok(()),
        _ => Err(format!(
            "the key `{name}` does not stay text: kustomize cannot write it"
        )),
    }
}

/// Entries up to which a key is searched for one by one.
const FEW: usize = 32;

/// Sets keys of a map to texts.
pub(super) fn set_entries(node: &mut Arc<Node>, pairs: &Pairs) -> Result<(), Problem> {
    let Some((first, _)) = pairs.first() else {
        return Ok(());
    };
    let Some(entries) = Arc::make_mut(node).entries_mut() else {
        return Err(format!(
            "`{}` cannot be set in what is no mapping",
            first.text
        ));
    };
    let is_long = entries.len() + pairs.len() > FEW;
    let mut known: FxHashMap<Arc<str>, usize> = FxHashMap::default();
    if is_long {
        // The first of a name counts, as where entries are searched.
        for (at, entry) in entries.iter().enumerate().rev() {
            known.insert(Arc::clone(&entry.key), at);
        }
    }
    for (key, value) in pairs {
        let text = Node::text(Arc::clone(&value.text), value.place);
        let at = if is_long {
            known.get(&key.text).copied()
        } else {
            entries.iter().position(|entry| entry.key == key.text)
        };
        if let Some(at) = at {
            entries[at].value = text;
            continue;
        }
        new_key(&key.text)?;
        if is_long {
            known.insert(Arc::clone(&key.text), entries.len());
        }
        entries.push(Entry {
            key: Arc::clone(&key.text),
            place: key.place,
            value: text,
        });
    }
    Ok(())
}
