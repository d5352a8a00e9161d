//! Merge patches: a patch laid over an object, as Kustomize merges.

use std::borrow::Cow;
use std::sync::Arc;

use crate::source::Place;

use super::keys::{self, Part};
use super::node::{Entry, Node, Value};
use super::scalar::Scalar;

/// Why a patch cannot be merged.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) message: String,
    /// Where in the patch.
    pub(super) place: Place,
}

/// What becomes of a node: nothing if it is removed.
struct Merged {
    node: Option<Arc<Node>>,
    /// Whether it is the node that was there, changed.
    own: bool,
}

impl Merged {
    const GONE: Self = Self {
        node: None,
        own: false,
    };
}

/// What a patch says of the whole that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Directive {
    Merge,
    Replace,
    Delete,
}

const DIRECTIVE: &str = "$patch";

/// Lays a patch over an object; nothing is left where the patch removes it.
pub(super) fn merge(object: &Arc<Node>, patch: &Arc<Node>) -> Result<Option<Arc<Node>>, Problem> {
    walk(Some(object), Some(patch), None).map(|merged| merged.node)
}

fn is_missing(node: Option<&Arc<Node>>) -> bool {
    node.is_none_or(|node| node.is_null())
}

fn directive_of(node: &Node) -> Result<Option<Directive>, Problem> {
    let Some(text) = node.as_scalar() else {
        return Ok(None);
    };
    match &*text.text {
        "merge" => Ok(Some(Directive::Merge)),
        "replace" => Ok(Some(Directive::Replace)),
        "delete" => Ok(Some(Directive::Delete)),
        other => Err(Problem {
            message: format!("`$patch: {other}` is no directive: delete, merge or replace"),
            place: node.place,
        }),
    }
}

/// The directive of a patch, and the patch without it.
fn directive(patch: &Arc<Node>) -> Result<(Directive, Cow<'_, Arc<Node>>), Problem> {
    let whole = Ok((Directive::Merge, Cow::Borrowed(patch)));
    match &patch.value {
        Value::Scalar(_) => whole,
        Value::Map(_) => {
            let Some(node) = patch.get(DIRECTIVE) else {
                return whole;
            };
            let found = directive_of(node)?.unwrap_or(Directive::Merge);
            let mut rest = Arc::clone(patch);
            Arc::make_mut(&mut rest).remove(DIRECTIVE);
            Ok((found, Cow::Owned(rest)))
        }
        Value::List(items) => {
            let own = |item: &Arc<Node>| item.get(DIRECTIVE).is_some();
            let Some(item) = items.iter().find(|item| own(item)) else {
                return whole;
            };
            if item.entries().len() > 1 {
                return whole;
            }
            let Some(node) = item.get(DIRECTIVE) else {
                return whole;
            };
            let Some(found) = directive_of(node)? else {
                return whole;
            };
            let rest = items.iter().filter(|item| !own(item)).cloned().collect();
            let mut list = (**patch).clone();
            list.value = Value::List(rest);
            Ok((found, Cow::Owned(Arc::new(list))))
        }
    }
}

/// The kind of the first that says something.
enum Shape {
    Map,
    List,
    Scalar,
}

fn shape(node: &Node) -> Shape {
    match &node.value {
        Value::Map(_) => Shape::Map,
        Value::List(_) => Shape::List,
        Value::Scalar(_) => Shape::Scalar,
    }
}

fn walk(
    old: Option<&Arc<Node>>,
    patch: Option<&Arc<Node>>,
    part: Option<Part>,
) -> Result<Merged, Problem> {
    let part = part.or_else(|| {
        [old, patch].into_iter().flatten().find_map(|node| {
            let text = |key: &str| node.get(key).and_then(|node| node.as_text());
            keys::of(text("apiVersion")?, text("kind")?)
        })
    });
    let first = [old, patch]
        .into_iter()
        .flatten()
        .find(|node| !node.is_null());
    let wanted = first.map_or(Shape::Map, |node| shape(node));
    if let (Some(old), Some(new)) = (old, patch) {
        let alike = matches!(
            (&wanted, shape(new)),
            (Shape::Map, Shape::Map) | (Shape::List, Shape::List) | (Shape::Scalar, Shape::Scalar)
        );
        if !alike && !new.is_null() && !old.is_null() {
            let name = |node: &Node| match shape(node) {
                Shape::Map => "a mapping",
                Shape::List => "a list",
                Shape::Scalar => "a text or number",
            };
            return Err(Problem {
                message: format!("the patch has {} where {} is", name(new), name(old)),
                place: new.place,
            });
        }
    }
    match wanted {
        Shape::Map => map(old, patch, part),
        Shape::Scalar => Ok(other(old, patch)),
        Shape::List => match part {
            Some(Part::Keyed(keys, item)) => list(old, patch, keys, item.copied()),
            Some(Part::Set) => list(old, patch, &[], None),
            _ => Ok(other(old, patch)),
        },
    }
}

/// What is replaced whole.
fn other(old: Option<&Arc<Node>>, patch: Option<&Arc<Node>>) -> Merged {
    Merged {
        node: patch.or(old).cloned(),
        own: patch.is_none(),
    }
}

fn map(
    old: Option<&Arc<Node>>,
    patch: Option<&Arc<Node>>,
    part: Option<Part>,
) -> Result<Merged, Problem> {
    let (found, rest) = match patch {
        Some(patch) => {
            let (found, rest) = directive(patch)?;
            (found, Some(rest))
        }
        None => (Directive::Merge, None),
    };
    let rest = rest.as_deref();
    let itself = matches!((old, patch), (Some(old), Some(patch)) if Arc::ptr_eq(old, patch));
    if is_missing(old) {
        if found == Directive::Delete {
            return Ok(Merged::GONE);
        }
        let Some(rest) = rest else {
            // A null that is spelled out stays.
            let spelled =
                |node: &&Arc<Node>| node.as_scalar().is_some_and(|null| !null.text.is_empty());
            return Ok(Merged {
                node: old.filter(spelled).cloned(),
                own: true,
            });
        };
        return Ok(Merged {
            node: fields(rest, Some(rest), part)?,
            own: false,
        });
    }
    let Some(old) = old else {
        return Ok(Merged::GONE);
    };
    if rest.is_some_and(|patch| patch.is_null()) || found == Directive::Delete {
        return Ok(Merged::GONE);
    }
    match rest {
        Some(rest) if found == Directive::Replace || itself => Ok(Merged {
            node: fields(rest, Some(rest), part)?,
            own: itself,
        }),
        rest => Ok(Merged {
            node: fields(old, rest, part)?,
            own: true,
        }),
    }
}

/// Merges the fields of two maps.
fn fields(
    old: &Arc<Node>,
    patch: Option<&Arc<Node>>,
    part: Option<Part>,
) -> Result<Option<Arc<Node>>, Problem> {
    if old.is_null() {
        return Ok(None);
    }
    let mut changed: Option<Arc<Node>> = None;
    let mut set = |entry: &Entry, merged: Option<Arc<Node>>| {
        // A null that stays is one that the object has.
        let keeps = |node: &Arc<Node>| !node.is_null() || Arc::ptr_eq(node, &entry.value);
        let merged = merged.filter(keeps);
        match merged {
            Some(node) if Arc::ptr_eq(&node, &entry.value) => {}
            Some(node) => {
                let own = Arc::make_mut(changed.get_or_insert_with(|| Arc::clone(old)));
                let Some(entries) = own.entries_mut() else {
                    return;
                };
                match entries.iter_mut().find(|own| own.key == entry.key) {
                    Some(own) => own.value = node,
                    None => entries.push(Entry {
                        value: node,
                        ..entry.clone()
                    }),
                }
            }
            None => {
                let own = Arc::make_mut(changed.get_or_insert_with(|| Arc::clone(old)));
                own.remove(&entry.key);
            }
        }
    };
    let itself = patch.is_some_and(|patch| Arc::ptr_eq(patch, old));
    for entry in old.entries() {
        let new = patch.and_then(|patch| patch.get(&entry.key));
        let field = part.and_then(|part| part.field(&entry.key));
        let merged = walk(Some(&entry.value), new, field)?;
        let node = merged
            .node
            .filter(|node| !(node.is_null() && new.is_some()));
        set(entry, node);
    }
    if let Some(patch) = patch.filter(|_| !itself) {
        let mut fresh: Vec<&Entry> = patch.entries().iter().collect();
        fresh.retain(|entry| old.get(&entry.key).is_none());
        fresh.sort_by(|one, two| one.key.cmp(&two.key));
        for entry in fresh {
            let field = part.and_then(|part| part.field(&entry.key));
            let merged = walk(None, Some(&entry.value), field)?;
            if let Some(node) = merged.node.filter(|node| !node.is_null()) {
                let own = Arc::make_mut(changed.get_or_insert_with(|| Arc::clone(old)));
                if let Some(entries) = own.entries_mut() {
                    entries.push(Entry {
                        value: node,
                        ..entry.clone()
                    });
                }
            }
        }
    }
    Ok(Some(changed.unwrap_or_else(|| Arc::clone(old))))
}

/// The text of a field of a list's element; empty if it says nothing.
fn field_text(item: &Node, key: &str) -> Arc<str> {
    let text = match key {
        "" => item.as_scalar(),
        key => item.get(key).and_then(|field| field.as_scalar()),
    };
    text.filter(|_| key.is_empty() || item.get(key).is_some_and(|field| !field.is_null()))
        .map_or_else(|| Arc::from(""), |scalar| Arc::clone(&scalar.text))
}

/// Whether an element has these values; an empty one asks for the field alone.
fn has(item: &Node, keys: &[&str], values: &[Arc<str>]) -> bool {
    keys.iter().zip(values).all(|(key, value)| match *key {
        "" => item.as_scalar().is_some_and(|scalar| scalar.text == *value),
        key => item.get(key).is_some_and(|field| {
            let text = field.as_scalar().map_or("", |scalar| &*scalar.text);
            value.is_empty() || text == &**value
        }),
    })
}

/// The element of a list with exactly these values.
fn find(items: &[Arc<Node>], keys: &[&str], values: &[Arc<str>]) -> Option<usize> {
    items.iter().position(|item| {
        keys.iter().zip(values).all(|(key, value)| match *key {
            "" => item.as_scalar().is_some_and(|scalar| scalar.text == *value),
            key => item.get(key).is_some_and(|field| {
                field.as_scalar().map_or("", |scalar| &*scalar.text) == &**value
            }),
        })
    })
}

/// The keys that say something in any of the rows, with the values of one row.
fn valid<'k>(
    rows: &[Vec<Arc<str>>],
    values: &[Arc<str>],
    keys: &[&'k str],
) -> (Vec<&'k str>, Vec<Arc<str>>) {
    let says = |at: usize| {
        rows.iter()
            .any(|row| row.get(at).is_some_and(|value| !value.is_empty()))
    };
    let kept: Vec<usize> = (0..keys.len()).filter(|at| says(*at)).collect();
    if kept.is_empty() {
        return (keys.to_vec(), values.to_vec());
    }
    let values = kept
        .iter()
        .filter_map(|at| values.get(*at).cloned())
        .collect();
    (kept.into_iter().map(|at| keys[at]).collect(), values)
}

/// Makes rows equal that differ only where one of them says nothing.
fn join(rows: &mut [Vec<Arc<str>>]) {
    for one in 0..rows.len() {
        for two in 0..rows.len() {
            let mut joined = Vec::new();
            let mut common = false;
            for (first, second) in rows[one].iter().zip(&rows[two]) {
                match (first.is_empty(), second.is_empty()) {
                    _ if first == second => {
                        common = true;
                        joined.push(Arc::clone(first));
                    }
                    (true, _) => joined.push(Arc::clone(second)),
                    (_, true) => joined.push(Arc::clone(first)),
                    _ => break,
                }
            }
            if common && joined.len() == rows[one].len() && rows[one].len() == rows[two].len() {
                rows[one].clone_from(&joined);
                rows[two] = joined;
            }
        }
    }
}

/// Puts an element in the place of those with these values, or behind all; without an element
/// they are taken out.
fn put(
    items: &mut Vec<Arc<Node>>,
    element: Option<&Arc<Node>>,
    keys: &[&str],
    values: &[Arc<str>],
) {
    let mut found = false;
    let keyed = keys.first().is_some_and(|key| !key.is_empty())
        && values.first().is_some_and(|value| !value.is_empty());
    let mut kept = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        if item.is_null() || (item.is_map() && item.entries().is_empty()) {
            continue;
        }
        if (keyed && !item.is_map()) || !has(&item, keys, values) {
            kept.push(item);
            continue;
        }
        found = true;
        kept.extend(element.cloned());
    }
    *items = kept;
    if let Some(element) = element.filter(|element| !found && !element.is_null()) {
        items.push(Arc::clone(element));
    }
}

/// Merges lists by the keys of their elements; without keys by the elements themselves.
fn list(
    old: Option<&Arc<Node>>,
    patch: Option<&Arc<Node>>,
    keys: &[&'static str],
    item: Option<Part>,
) -> Result<Merged, Problem> {
    let (found, rest) = match patch {
        Some(patch) => {
            let (found, rest) = directive(patch)?;
            (found, Some(rest))
        }
        None => (Directive::Merge, None),
    };
    let rest = rest.as_deref();
    let (base, own) = match (old.filter(|old| !old.is_null()), rest) {
        (None, Some(rest)) => (rest, false),
        (Some(_), Some(rest)) if rest.is_null() || found == Directive::Delete => {
            return Ok(Merged::GONE);
        }
        (Some(_), Some(rest)) if found == Directive::Replace => (rest, false),
        (Some(old), _) => (old, true),
        (None, None) => return Ok(Merged::GONE),
    };
    let mut dest: Vec<Arc<Node>> = base.items().to_vec();
    let itself = !own;
    let patches: &[Arc<Node>] = if itself {
        base.items()
    } else {
        rest.map_or(&[], |rest| rest.items())
    };
    let row = |item: &Arc<Node>| -> Vec<Arc<str>> {
        match keys {
            [] => vec![field_text(item, "")],
            keys => keys.iter().map(|key| field_text(item, key)).collect(),
        }
    };
    let mut rows: Vec<Vec<Arc<str>>> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for one in patches.iter().chain(&dest).map(row) {
        if seen.insert(one.clone()) {
            rows.push(one);
        }
    }
    let keys: &[&'static str] = if keys.is_empty() { &[""] } else { keys };
    if keys.len() > 1 {
        join(&mut rows);
    }
    let mut added: Vec<Arc<Node>> = Vec::new();
    let mut last = keys.to_vec();
    for values in &rows {
        let (valid_keys, valid_values) = match keys {
            [""] => (vec![""], values.clone()),
            keys => valid(&rows, values, keys),
        };
        last.clone_from(&valid_keys);
        let (own_keys, own_values) = match keys {
            [""] => (vec![""], values.clone()),
            _ => valid(
                std::slice::from_ref(&valid_values),
                &valid_values,
                &valid_keys,
            ),
        };
        let at = find(&dest, &own_keys, &own_values);
        let new = find(patches, &own_keys, &own_values).map(|at| &patches[at]);
        let before = at.map(|at| Arc::clone(&dest[at]));
        let before = match (itself, new) {
            (true, Some(new)) => Some(Arc::clone(new)),
            _ => before,
        };
        let merged = walk(before.as_ref(), new, item)?;
        let empty =
            |node: &Arc<Node>| node.is_null() || (node.is_map() && node.entries().is_empty());
        let Some(mut node) = merged.node.filter(|node| !empty(node)) else {
            put(&mut dest, None, &valid_keys, &valid_values);
            continue;
        };
        for (key, value) in valid_keys.iter().zip(&valid_values) {
            if !key.is_empty() && !value.is_empty() && node.get(key).is_none() {
                let scalar = Scalar::instead(Arc::clone(value), None);
                let place = node.place;
                Arc::make_mut(&mut node).set(key, Node::scalar(scalar, place));
            }
        }
        if let Some(at) = at.filter(|_| merged.own || itself) {
            dest[at] = Arc::clone(&node);
        }
        put(&mut added, Some(&node), &valid_keys, &valid_values);
    }
    if !rows.is_empty() {
        for element in &dest {
            let values: Vec<Arc<str>> = match &last[..] {
                [""] => vec![field_text(element, "")],
                keys => {
                    let mut values = Vec::new();
                    for key in keys {
                        match element.get(key) {
                            Some(_) => values.push(field_text(element, key)),
                            None => added.push(Arc::clone(element)),
                        }
                    }
                    if values.is_empty() {
                        continue;
                    }
                    values
                }
            };
            if last.len() > 1 {
                put(&mut added, None, &last, &values);
            }
            put(&mut added, Some(element), &last, &values);
        }
        dest = added;
    }
    let same = dest.len() == base.items().len()
        && dest
            .iter()
            .zip(base.items())
            .all(|(one, two)| Arc::ptr_eq(one, two));
    let node = if same {
        Arc::clone(base)
    } else {
        let mut list = (**base).clone();
        list.value = Value::List(dest);
        Arc::new(list)
    };
    Ok(Merged {
        node: Some(node),
        own,
    })
}
